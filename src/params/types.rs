//! The Rust types that a parameter can have.

use super::{ParamError, Value};

/// A Rust type that a parameter can have.
pub trait ParamType: Sized {
    const TYPE_NAME: &'static str;
    const CHOICES: &'static [&'static str] = &[];
    /// Reads the value; `None` if its type does not fit. An integer fits a double, a whole double fits an integer.
    fn from_value(value: &Value) -> Option<Self>;
    fn to_value(&self) -> Value;
    /// The numbers to hold against the range.
    fn numbers(&self) -> Vec<f64> {
        Vec::new()
    }
}

impl ParamType for bool {
    const TYPE_NAME: &'static str = "bool";
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::Bool(v) = value { Some(*v) } else { None }
    }
    fn to_value(&self) -> Value {
        Value::Bool(*self)
    }
}

impl ParamType for u32 {
    const TYPE_NAME: &'static str = "integer";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            // Outside u32 the value saturates, so that the range check can name the limits.
            Value::Integer(v) => Some((*v).clamp(-1, i64::from(u32::MAX)).max(0) as u32),
            Value::Double(v) if v.fract() == 0.0 => Some(*v as u32),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Integer(i64::from(*self))
    }
    fn numbers(&self) -> Vec<f64> {
        vec![f64::from(*self)]
    }
}

impl ParamType for f64 {
    const TYPE_NAME: &'static str = "double";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Double(v) => Some(*v),
            Value::Integer(v) => Some(*v as f64),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::Double(*self)
    }
    fn numbers(&self) -> Vec<f64> {
        vec![*self]
    }
}

impl ParamType for String {
    const TYPE_NAME: &'static str = "string";
    fn from_value(value: &Value) -> Option<Self> {
        if let Value::String(v) = value { Some(v.clone()) } else { None }
    }
    fn to_value(&self) -> Value {
        Value::String(self.clone())
    }
}

impl ParamType for Vec<f64> {
    const TYPE_NAME: &'static str = "double array";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::DoubleArray(v) => Some(v.clone()),
            Value::IntegerArray(v) => Some(v.iter().map(|&n| n as f64).collect()),
            empty if empty.is_empty_array() => Some(Vec::new()),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::DoubleArray(self.clone())
    }
    fn numbers(&self) -> Vec<f64> {
        self.clone()
    }
}

impl ParamType for Vec<i64> {
    const TYPE_NAME: &'static str = "integer array";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::IntegerArray(v) => Some(v.clone()),
            Value::DoubleArray(v) if v.iter().all(|n| n.fract() == 0.0) => Some(v.iter().map(|&n| n as i64).collect()),
            empty if empty.is_empty_array() => Some(Vec::new()),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::IntegerArray(self.clone())
    }
}

impl ParamType for Vec<String> {
    const TYPE_NAME: &'static str = "string array";
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::StringArray(v) => Some(v.clone()),
            empty if empty.is_empty_array() => Some(Vec::new()),
            _ => None,
        }
    }
    fn to_value(&self) -> Value {
        Value::StringArray(self.clone())
    }
}

/// Reads `value` into `field`, checking type, choice, finiteness and range.
pub(super) fn assign<T: ParamType>(
    field: &mut T,
    name: &str,
    range: Option<(f64, f64)>,
    value: &Value,
) -> Result<(), ParamError> {
    let Some(parsed) = T::from_value(value) else {
        return Err(match value {
            Value::String(word) if !T::CHOICES.is_empty() => {
                ParamError::Choice { name: name.to_owned(), value: word.clone(), choices: T::CHOICES }
            }
            _ => ParamError::Type {
                name: name.to_owned(),
                value: value.to_string(),
                found: value.type_name(),
                expected: T::TYPE_NAME,
            },
        });
    };
    // The number as written, before an integer type narrowed it.
    let numbers = match value {
        Value::Integer(v) => vec![*v as f64],
        Value::Double(v) => vec![*v],
        _ => parsed.numbers(),
    };
    let (min, max) = range.unwrap_or((f64::MIN, f64::MAX));
    if numbers.iter().any(|n| !(min..=max).contains(n)) {
        return Err(ParamError::Range { name: name.to_owned(), value: value.to_string(), min, max });
    }
    *field = parsed;
    Ok(())
}
