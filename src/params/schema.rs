//! What a parameter is: its type, range, unit and when a change applies; the macros that declare the table.

use super::{ParamError, Value};

/// When a change made at run time takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apply {
    /// With the next frame.
    NextFrame,
    /// Only at start: subscriptions and calibration are made from it.
    Start,
}

/// One row of the parameter table.
#[derive(Clone, Debug)]
pub struct ParamInfo {
    pub name: &'static str,
    /// Meaning, one paragraph.
    pub doc: String,
    pub unit: &'static str,
    /// ROS 2 type name, as [`Value::type_name`].
    pub type_name: &'static str,
    /// Inclusive limits of a number.
    pub range: Option<(f64, f64)>,
    /// Accepted words; empty where any string will do.
    pub choices: &'static [&'static str],
    pub default: Value,
    pub apply: Apply,
}

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

/// Inclusive limits, or `..` for a parameter that is no number.
pub(super) trait Limits {
    fn limits(self) -> Option<(f64, f64)>;
}

impl Limits for std::ops::RangeFull {
    fn limits(self) -> Option<(f64, f64)> {
        None
    }
}

impl Limits for std::ops::RangeInclusive<f64> {
    fn limits(self) -> Option<(f64, f64)> {
        Some(self.into_inner())
    }
}

/// Declares an enum whose variants are the accepted words of a string parameter.
macro_rules! choice {
    ($(#[$meta:meta])* $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($variant),+ }

        impl $crate::params::ParamType for $name {
            const TYPE_NAME: &'static str = "string";
            const CHOICES: &'static [&'static str] = &[$($word),+];
            fn from_value(value: &$crate::params::Value) -> Option<Self> {
                match value {
                    $crate::params::Value::String(word) => match word.as_str() {
                        $($word => Some(Self::$variant),)+
                        _ => None,
                    },
                    _ => None,
                }
            }
            fn to_value(&self) -> $crate::params::Value {
                $crate::params::Value::String(self.to_string())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $(Self::$variant => $word),+ })
            }
        }
    };
}

/// Declares [`Params`](super::Params), its defaults and its table from one list.
macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $name:ident: $type:ty = $default:expr, unit $unit:literal, range $range:expr, apply $apply:ident;)+) => {
        /// Every parameter of the front end; see [`Params::table`] for ranges and units.
        #[derive(Clone, Debug, PartialEq)]
        #[allow(non_snake_case, reason = "`F_threshold` is the name that VINS made familiar")]
        pub struct Params { $($(#[doc = $doc])+ pub $name: $type,)+ }

        impl Default for Params {
            fn default() -> Self {
                Self { $($name: $default,)+ }
            }
        }

        impl Params {
            /// The table: one row a parameter, in the order of declaration.
            pub fn table() -> Vec<ParamInfo> {
                use $crate::params::schema::Limits as _;
                vec![$(ParamInfo {
                    name: stringify!($name),
                    doc: concat!($($doc),+).trim().to_owned(),
                    unit: $unit,
                    type_name: <$type as ParamType>::TYPE_NAME,
                    range: ($range).limits(),
                    choices: <$type as ParamType>::CHOICES,
                    default: ParamType::to_value(&($default as $type)),
                    apply: Apply::$apply,
                }),+]
            }

            /// The value of the parameter called `name`.
            pub fn get(&self, name: &str) -> Option<Value> {
                match name {
                    $(stringify!($name) => Some(self.$name.to_value()),)+
                    _ => None,
                }
            }

            /// Sets one parameter after checking its type and range. Call [`Params::check`] when all are set.
            pub fn set(&mut self, name: &str, value: &Value) -> Result<(), ParamError> {
                use $crate::params::schema::Limits as _;
                match name {
                    $(stringify!($name) => $crate::params::schema::assign(&mut self.$name, name, ($range).limits(), value),)+
                    _ => Err(ParamError::Unknown { name: name.to_owned(), nearest: $crate::params::schema::nearest(name, &[$(stringify!($name)),+]) }),
                }
            }
        }
    };
}

/// The known name most like `name`, if any is like it.
pub(crate) fn nearest(name: &str, known: &[&'static str]) -> Option<&'static str> {
    known
        .iter()
        .map(|k| (strsim::jaro_winkler(name, k), *k))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k)
}

pub(super) use {choice, parameters};
