//! The parameter table as ROS 2 parameters that can be read, described and changed while the node runs.

use std::sync::{Arc, Mutex, PoisonError};

use rclrs::{DeclarationError, MandatoryParameter, Node, ParameterValue, ReadOnlyParameter};

use crate::frontend::Frontend;
use crate::params::{Apply, ParamInfo, Params, Value};

/// The declared parameters; they exist as long as this does.
#[derive(Debug)]
pub(super) struct Declared {
    _changing: Vec<MandatoryParameter<ParameterValue>>,
    _fixed: Vec<ReadOnlyParameter<ParameterValue>>,
}

/// The current parameters and whether the worker has seen them.
#[derive(Debug)]
pub(super) struct Current {
    params: Mutex<(Params, bool)>,
}

impl Current {
    pub(super) fn new(params: Params) -> Self {
        Self { params: Mutex::new((params, false)) }
    }

    fn with<R>(&self, f: impl FnOnce(&mut (Params, bool)) -> R) -> R {
        f(&mut self.params.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn get(&self) -> Params {
        self.with(|(params, _)| params.clone())
    }

    /// The parameters, if they changed since the last call.
    pub(super) fn take_change(&self) -> Option<Params> {
        self.with(|(params, changed)| std::mem::take(changed).then(|| params.clone()))
    }

    fn try_set(&self, name: &str, value: &Value) -> Result<Params, String> {
        let mut params = self.get();
        params.set(name, value).map_err(|e| e.to_string())?;
        Frontend::check(&params).map_err(|e| e.to_string())?;
        Ok(params)
    }

    /// Applies a value that was accepted. Errors: another change of the same request, accepted on its own, contradicts it.
    fn set(&self, name: &str, value: &Value) -> Result<(), String> {
        let changed = self.try_set(name, value)?;
        self.with(|current| *current = (changed, true));
        Ok(())
    }
}

/// Declares every row of the table with the values of `current`.
///
/// Types are declared as dynamic, so that `ros2 param set ... freq 10` is as good as `10.0`; type, range and relations are
/// checked against the table instead, which also names them in the refusal.
pub(super) fn declare(node: &Node, current: &Arc<Current>) -> Result<Declared, DeclarationError> {
    let start = current.get();
    let mut declared = Declared { _changing: Vec::new(), _fixed: Vec::new() };
    for info in Params::table() {
        let Some(value) = start.get(info.name) else { continue };
        let builder = node
            .declare_parameter::<ParameterValue>(info.name)
            .default(to_ros(&value))
            .description(info.doc.as_str())
            .constraints(constraints(&info));
        if info.apply == Apply::Start {
            declared._fixed.push(builder.read_only()?);
            continue;
        }
        let (check, apply, name) = (Arc::clone(current), Arc::clone(current), info.name);
        let parameter =
            builder.validate(move |value| check.try_set(name, &from_ros(name, value)?).map(drop)).mandatory()?;
        parameter.on_change(move |value| {
            if let Err(error) = from_ros(name, value).and_then(|value| apply.set(name, &value)) {
                rclrs::log_error!("vio_frontend", "{error}; the value in use stays as it was");
            }
        });
        declared._changing.push(parameter);
    }
    Ok(declared)
}

/// Range, choices and unit in words, for `ros2 param describe`.
fn constraints(info: &ParamInfo) -> String {
    let mut parts = vec![info.type_name.to_owned()];
    if let Some((min, max)) = info.range {
        parts.push(format!("from {min} to {max}"));
    }
    if !info.choices.is_empty() {
        parts.push(format!("one of {}", info.choices.join(", ")));
    }
    if !info.unit.is_empty() {
        parts.push(info.unit.to_owned());
    }
    parts.join("; ")
}

fn to_ros(value: &Value) -> ParameterValue {
    match value {
        Value::Bool(v) => ParameterValue::Bool(*v),
        Value::Integer(v) => ParameterValue::Integer(*v),
        Value::Double(v) => ParameterValue::Double(*v),
        Value::String(v) => ParameterValue::String(v.as_str().into()),
        Value::BoolArray(v) => ParameterValue::BoolArray(v.as_slice().into()),
        Value::IntegerArray(v) => ParameterValue::IntegerArray(v.as_slice().into()),
        Value::DoubleArray(v) => ParameterValue::DoubleArray(v.as_slice().into()),
        Value::StringArray(v) => ParameterValue::StringArray(v.iter().map(|s| s.as_str().into()).collect()),
    }
}

fn from_ros(name: &str, value: &ParameterValue) -> Result<Value, String> {
    Ok(match value {
        ParameterValue::Bool(v) => Value::Bool(*v),
        ParameterValue::Integer(v) => Value::Integer(*v),
        ParameterValue::Double(v) => Value::Double(*v),
        ParameterValue::String(v) => Value::String(v.to_string()),
        ParameterValue::BoolArray(v) => Value::BoolArray(v.to_vec()),
        ParameterValue::IntegerArray(v) => Value::IntegerArray(v.to_vec()),
        ParameterValue::DoubleArray(v) => Value::DoubleArray(v.to_vec()),
        ParameterValue::StringArray(v) => Value::StringArray(v.iter().map(ToString::to_string).collect()),
        ParameterValue::ByteArray(_) => return Err(format!("parameter '{name}': no parameter is a byte array")),
    })
}
