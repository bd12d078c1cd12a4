//! Parameters as the command line gives them: a file, then single options over it.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use vio_frontend::params::{Device, ParamType, Params, Value};

/// Options that every command with a front end has.
#[derive(Debug, clap::Args)]
pub struct ParamArgs {
    /// ROS 2 parameter file [default: the built-in defaults, see `params print`]
    #[arg(long, value_name = "FILE")]
    pub params: Option<PathBuf>,
    /// Node whose sections of the parameter file apply
    #[arg(long, value_name = "NAME", default_value = "/vio_frontend")]
    pub node: String,
    /// Where frames are processed, over the parameter `device`
    #[arg(long, value_name = "DEVICE", value_parser = PossibleValuesParser::new(<Device as ParamType>::CHOICES))]
    pub device: Option<String>,
}

impl ParamArgs {
    pub fn load(&self) -> anyhow::Result<Params> {
        let mut params = match &self.params {
            Some(path) => Params::from_file(path, &self.node)?,
            None => Params::default(),
        };
        if let Some(device) = &self.device {
            params.set("device", &Value::String(device.clone()))?;
        }
        Ok(params)
    }
}
