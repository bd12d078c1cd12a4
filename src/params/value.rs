//! A parameter value as ROS 2 and YAML know it.

use serde::{Deserialize, Serialize};

/// One value of a ROS 2 parameter.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Bool(bool),
    Integer(i64),
    Double(f64),
    String(String),
    BoolArray(Vec<bool>),
    IntegerArray(Vec<i64>),
    DoubleArray(Vec<f64>),
    StringArray(Vec<String>),
}

impl Value {
    /// The ROS 2 name of the value's type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Bool(_) => "bool",
            Value::Integer(_) => "integer",
            Value::Double(_) => "double",
            Value::String(_) => "string",
            Value::BoolArray(_) => "bool array",
            Value::IntegerArray(_) => "integer array",
            Value::DoubleArray(_) => "double array",
            Value::StringArray(_) => "string array",
        }
    }

    /// Whether it is `[]`, which carries no element type and so fits every array.
    pub fn is_empty_array(&self) -> bool {
        match self {
            Value::BoolArray(v) => v.is_empty(),
            Value::IntegerArray(v) => v.is_empty(),
            Value::DoubleArray(v) => v.is_empty(),
            Value::StringArray(v) => v.is_empty(),
            _ => false,
        }
    }
}

impl std::fmt::Display for Value {
    /// As YAML would show it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Value::Bool(v) => write!(f, "{v}"),
            Value::Integer(v) => write!(f, "{v}"),
            Value::Double(v) => write!(f, "{v:?}"),
            Value::String(v) => write!(f, "{v:?}"),
            Value::BoolArray(v) => write!(f, "{v:?}"),
            Value::IntegerArray(v) => write!(f, "{v:?}"),
            Value::DoubleArray(v) => write!(f, "{v:?}"),
            Value::StringArray(v) => write!(f, "{v:?}"),
        }
    }
}
