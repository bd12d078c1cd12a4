//! ROS 2 parameter files: which entries of a file are meant for a node, and what they set.
//!
//! ```yaml
//! /**:                    # every node; also `vio_frontend`, `/ns/vio_frontend`, `/*/vio_frontend`
//!   ros__parameters:
//!     max_cnt: 4600
//! ```
//!
//! Sections are applied in the order of the file, later entries over earlier ones, as rclcpp does. Entries of other
//! nodes are skipped unread; every entry of a matching section must be a known parameter.

use std::path::{Path, PathBuf};

use super::yaml::{self, Content, Key, Node};
use super::{ParamError, Params, Value};

const PARAMETERS_KEY: &str = "ros__parameters";

const OF_EVERY_NODE: [&str; 2] = ["use_sim_time", "start_type_description_service"];
const OF_EVERY_NODE_PREFIX: &str = "qos_overrides.";

/// One parameter that a file sets.
#[derive(Clone, Debug, PartialEq)]
pub struct FileEntry {
    pub name: String,
    pub value: Value,
    /// Line of the file, counted from 1.
    pub line: u64,
}

impl FileEntry {
    /// Whether it sets what every ROS 2 node has: meaningless here, but no error.
    pub fn is_of_every_node(&self) -> bool {
        OF_EVERY_NODE.contains(&self.name.as_str()) || self.name.starts_with(OF_EVERY_NODE_PREFIX)
    }
}

/// One value as YAML writes it, for parameters given on a command line.
///
/// Errors: no YAML, a map, an array of mixed types; the message says which.
pub fn parse_value(text: &str) -> Result<Value, String> {
    to_value(&yaml::parse(text).map_err(|error| error.message)?.content)
}

/// Why a parameter file was refused; every message names the file, the line, the key and the value.
#[derive(Debug, thiserror::Error)]
pub enum ParamFileError {
    #[error("{}: cannot be read: {error}", path.display())]
    Read { path: PathBuf, error: std::io::Error },
    #[error("{}:{line}: {message}", path.display())]
    Content { path: PathBuf, line: u64, message: String },
    #[error("{}:{line}: {error}", path.display())]
    Parameter { path: PathBuf, line: u64, error: ParamError },
    #[error("{}: no section is meant for node '{node}'; the file has sections for {sections:?}", path.display())]
    OtherNodes { path: PathBuf, node: String, sections: Vec<String> },
}

impl Params {
    /// The parameters of node `node` (fully qualified, as `/vio_frontend`): defaults, then what the file sets.
    ///
    /// Errors: all of [`ParamFileError`].
    pub fn from_file(path: &Path, node: &str) -> Result<Self, ParamFileError> {
        let mut params = Self::default();
        let entries = read_param_file(path, node)?;
        let refused = |line, error| ParamFileError::Parameter { path: path.to_owned(), line, error };
        for entry in entries.iter().filter(|entry| !entry.is_of_every_node()) {
            params.set(&entry.name, &entry.value).map_err(|error| refused(entry.line, error))?;
        }
        params.check().map_err(|error| {
            // A relation names one parameter: point at the entry that set it.
            let line = entries.iter().rev().find(|e| error.name() == e.name).map_or(1, |e| e.line);
            refused(line, error)
        })?;
        Ok(params)
    }
}

/// The entries of a parameter file that are meant for `node`, in the order in which they apply.
///
/// Errors: an unreadable file, text that is no YAML or no parameter file, sections for other nodes only.
pub fn read_param_file(path: &Path, node: &str) -> Result<Vec<FileEntry>, ParamFileError> {
    let text = std::fs::read_to_string(path).map_err(|error| ParamFileError::Read { path: path.to_owned(), error })?;
    let at = |line, message| ParamFileError::Content { path: path.to_owned(), line, message };
    let root = yaml::parse(&text).map_err(|error| at(error.line, error.message))?;
    let Content::Map(entries) = root.content else {
        let found = if matches!(root.content, Content::Null) { "the file is empty" } else { "no map" };
        return Err(at(root.line.max(1), format!("{found}: a parameter file is '/**: {{{PARAMETERS_KEY}: {{...}}}}'")));
    };
    let mut sections = Vec::new();
    collect_sections(&entries, "", &mut sections).map_err(|(line, message)| at(line, message))?;
    if !sections.iter().any(|section| names_node(&section.pattern, node)) {
        let sections = sections.into_iter().map(|section| section.pattern).collect();
        return Err(ParamFileError::OtherNodes { path: path.to_owned(), node: node.to_owned(), sections });
    }
    let mut flat = Vec::new();
    for section in sections.iter().filter(|section| names_node(&section.pattern, node)) {
        flatten(section.parameters, "", &mut flat).map_err(|(line, message)| at(line, message))?;
    }
    Ok(flat)
}

/// What a message says about which line.
type Located = (u64, String);

/// The parameters of one node-name pattern.
struct Section<'a> {
    pattern: String,
    parameters: &'a [(Key, Node)],
}

/// Walks down namespaces and node names to every `ros__parameters`.
fn collect_sections<'a>(
    entries: &'a [(Key, Node)],
    prefix: &str,
    sections: &mut Vec<Section<'a>>,
) -> Result<(), Located> {
    for (key, node) in entries {
        match &node.content {
            Content::Map(parameters) if key.name == PARAMETERS_KEY && !prefix.is_empty() => {
                sections.push(Section { pattern: prefix.to_owned(), parameters });
            }
            Content::Null if key.name == PARAMETERS_KEY && !prefix.is_empty() => {
                sections.push(Section { pattern: prefix.to_owned(), parameters: &[] });
            }
            _ if key.name == PARAMETERS_KEY => {
                let message = if prefix.is_empty() {
                    format!("'{PARAMETERS_KEY}' stands below no node name; '/**' above it means every node")
                } else {
                    format!("'{PARAMETERS_KEY}' of '{prefix}' is no map of parameters")
                };
                return Err((key.line, message));
            }
            Content::Map(inner) => {
                let pattern = format!("{prefix}/{}", key.name.trim_start_matches('/'));
                collect_sections(inner, &pattern, sections)?;
            }
            Content::Null => {}
            _ => return Err((key.line, misplaced(key, prefix))),
        }
    }
    Ok(())
}

/// Explains a value that stands above `ros__parameters`, the usual cause being its misspelling.
fn misplaced(key: &Key, prefix: &str) -> String {
    let parent = prefix.rsplit('/').next().unwrap_or_default();
    if strsim::jaro_winkler(parent, PARAMETERS_KEY) > 0.8 {
        return format!("'{parent}' is no section of a parameter file; did you mean '{PARAMETERS_KEY}'?");
    }
    format!("'{}' stands outside '{PARAMETERS_KEY}'", key.name)
}

/// Whether a pattern of a parameter file names the node: `*` is one token, `**` any number of them.
fn names_node(pattern: &str, node: &str) -> bool {
    fn tokens(name: &str) -> Vec<&str> {
        name.split('/').filter(|token| !token.is_empty()).collect()
    }
    fn matches(pattern: &[&str], node: &[&str]) -> bool {
        match pattern.split_first() {
            None => node.is_empty(),
            Some((&"**", rest)) => (0..=node.len()).any(|skipped| matches(rest, &node[skipped..])),
            Some((token, rest)) => {
                node.split_first().is_some_and(|(name, below)| (*token == "*" || token == name) && matches(rest, below))
            }
        }
    }
    matches(&tokens(pattern), &tokens(node))
}

/// Turns nested maps into dotted names.
fn flatten(entries: &[(Key, Node)], prefix: &str, flat: &mut Vec<FileEntry>) -> Result<(), Located> {
    for (key, node) in entries {
        let name = format!("{prefix}{}", key.name);
        match &node.content {
            Content::Map(inner) => flatten(inner, &format!("{name}."), flat)?,
            content => {
                let value = to_value(content).map_err(|why| (key.line, format!("parameter '{name}': {why}")))?;
                flat.push(FileEntry { name, value, line: key.line });
            }
        }
    }
    Ok(())
}

fn to_value(content: &Content) -> Result<Value, String> {
    match content {
        Content::Bool(v) => Ok(Value::Bool(*v)),
        Content::Integer(v) => Ok(Value::Integer(*v)),
        Content::Double(v) => Ok(Value::Double(*v)),
        Content::String(v) => Ok(Value::String(v.clone())),
        Content::List(nodes) => to_array(nodes),
        Content::Null => Err("no value given".to_owned()),
        Content::Map(_) => Err("a map is no value".to_owned()),
    }
}

/// An array of one type; integers among doubles are doubles.
fn to_array(nodes: &[Node]) -> Result<Value, String> {
    let items = nodes.iter().map(|node| to_value(&node.content)).collect::<Result<Vec<_>, _>>()?;
    let integers = || items.iter().map(|v| if let Value::Integer(v) = v { Some(*v) } else { None }).collect();
    let doubles = || {
        let number = |v: &Value| match v {
            Value::Integer(v) => Some(*v as f64),
            Value::Double(v) => Some(*v),
            _ => None,
        };
        items.iter().map(number).collect()
    };
    let bools = || items.iter().map(|v| if let Value::Bool(v) = v { Some(*v) } else { None }).collect();
    let strings = || items.iter().map(|v| if let Value::String(v) = v { Some(v.clone()) } else { None }).collect();
    Option::map(integers(), Value::IntegerArray)
        .or_else(|| Option::map(doubles(), Value::DoubleArray))
        .or_else(|| Option::map(bools(), Value::BoolArray))
        .or_else(|| Option::map(strings(), Value::StringArray))
        .ok_or_else(|| {
            let shown: Vec<_> = items.iter().map(|v| format!("{v} ({})", v.type_name())).collect();
            format!("an array holds one type, this one [{}]", shown.join(", "))
        })
}
