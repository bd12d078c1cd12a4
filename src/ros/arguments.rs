//! The ROS 2 command line: which parameters it sets, and what is left for the client library.
//!
//! Parameter files and `-p` overrides are read here and not by rcl, because rcl refuses an integer for a double, an array
//! of both, and does not know a misspelt key. All remaps and other arguments pass through.

use std::path::Path;

use crate::params::{ParamError, ParamFileError, Params, Value, parse_value, read_param_file};

/// Name of the node unless the command line remaps it.
pub const NODE_NAME: &str = "vio_frontend";

/// Why the command line was refused.
#[derive(Debug, thiserror::Error)]
pub enum ArgumentError {
    #[error("argument '{argument}' lacks its value")]
    MissingValue { argument: String },
    #[error("argument '{argument} {value}': {message}")]
    Value { argument: String, value: String, message: String },
    #[error(transparent)]
    File(#[from] ParamFileError),
    #[error("argument '{argument}': {error}")]
    Param { argument: String, error: ParamError },
    #[error(transparent)]
    Relation(#[from] ParamError),
    #[error("parameter 'use_sim_time': {value} is a {found}, bool expected", found = value.type_name())]
    UseSimTime { value: Value },
}

/// The command line, read.
#[derive(Clone, Debug, PartialEq)]
pub struct Arguments {
    pub params: Params,
    /// What the client library gets.
    pub for_context: Vec<String>,
}

/// One parameter source, in the order given: later ones win, as in rcl.
enum Source {
    File(String),
    Override { argument: String, node: Option<String>, name: String, value: Value },
}

impl Arguments {
    /// Reads the arguments of the process, program name first.
    ///
    /// Errors: a parameter file that is refused, an unknown parameter, a wrong type, a value out of range.
    pub fn parse(args: impl IntoIterator<Item = String>) -> Result<Self, ArgumentError> {
        let mut sources = Vec::new();
        let mut for_context = Vec::new();
        let (mut name, mut namespace) = (NODE_NAME.to_owned(), String::new());
        let mut args = args.into_iter();
        let mut ros = false;
        while let Some(argument) = args.next() {
            match argument.as_str() {
                "--ros-args" => ros = true,
                "--" if ros => ros = false,
                "--params-file" if ros => sources.push(Source::File(value_of(&argument, args.next())?)),
                "-p" | "--param" if ros => sources.push(parse_override(&argument, value_of(&argument, args.next())?)?),
                "-r" | "--remap" if ros => {
                    let rule = value_of(&argument, args.next())?;
                    match rule.split_once(":=") {
                        Some(("__node" | "__name", to)) => to.clone_into(&mut name),
                        Some(("__ns", to)) => to.clone_into(&mut namespace),
                        _ => {}
                    }
                    for_context.extend([argument, rule]);
                    continue;
                }
                _ => {}
            }
            if !matches!(argument.as_str(), "--params-file" | "-p" | "--param") || !ros {
                for_context.push(argument);
            }
        }
        let node = format!("{}/{name}", namespace.trim_end_matches('/'));
        let (params, use_sim_time) = apply(&sources, &node)?;
        if use_sim_time {
            for_context.extend(["--ros-args", "-p", "use_sim_time:=true"].map(str::to_owned));
        }
        Ok(Self { params, for_context })
    }
}

fn value_of(argument: &str, value: Option<String>) -> Result<String, ArgumentError> {
    value.ok_or_else(|| ArgumentError::MissingValue { argument: argument.to_owned() })
}

/// `name:=value` or `node:name:=value`.
fn parse_override(argument: &str, text: String) -> Result<Source, ArgumentError> {
    let refused = |message| ArgumentError::Value { argument: argument.to_owned(), value: text.clone(), message };
    let (key, value) = text.split_once(":=").ok_or_else(|| refused("name:=value expected".to_owned()))?;
    let value = parse_value(value).map_err(refused)?;
    let (node, name) = match key.split_once(':') {
        Some((node, name)) => (Some(node.to_owned()), name.to_owned()),
        None => (None, key.to_owned()),
    };
    Ok(Source::Override { argument: format!("{argument} {text}"), node, name, value })
}

/// The parameters of `node` (fully qualified) and `use_sim_time`.
fn apply(sources: &[Source], node: &str) -> Result<(Params, bool), ArgumentError> {
    let mut params = Params::default();
    let mut use_sim_time = false;
    for source in sources {
        match source {
            Source::File(path) => {
                let path = Path::new(path);
                for entry in read_param_file(path, node)? {
                    match entry.name.as_str() {
                        "use_sim_time" => use_sim_time = sim_time(&entry.value)?,
                        _ if entry.is_of_every_node() => {}
                        name => params.set(name, &entry.value).map_err(|error| ParamFileError::Parameter {
                            path: path.to_owned(),
                            line: entry.line,
                            error,
                        })?,
                    }
                }
            }
            Source::Override { node: Some(other), .. } if !node.ends_with(&format!("/{}", other.trim_matches('/'))) => {
            }
            Source::Override { name, value, .. } if name == "use_sim_time" => use_sim_time = sim_time(value)?,
            Source::Override { argument, name, value, .. } => {
                params.set(name, value).map_err(|error| ArgumentError::Param { argument: argument.clone(), error })?
            }
        }
    }
    params.check()?;
    Ok((params, use_sim_time))
}

fn sim_time(value: &Value) -> Result<bool, ArgumentError> {
    if let Value::Bool(on) = value { Ok(*on) } else { Err(ArgumentError::UseSimTime { value: value.clone() }) }
}
