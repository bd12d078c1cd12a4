//! What a parameter is: its range, unit and when a change applies; the macros that declare the table.

use super::Value;

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

/// The name of a parameter: that of its field, or another one, with a dot.
macro_rules! shown {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:ident $shown:literal) => {
        $shown
    };
}

/// Declares [`Params`](super::Params), its defaults and its table from one list.
macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $name:ident $(as $shown:literal)?: $type:ty = $default:expr, unit $unit:literal, range $range:expr, apply $apply:ident;)+) => {
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
                    name: $crate::params::schema::shown!($name $($shown)?),
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
                    $($crate::params::schema::shown!($name $($shown)?) => Some(self.$name.to_value()),)+
                    _ => None,
                }
            }

            /// Sets one parameter after checking its type and range. Call [`Params::check`] when all are set.
            pub fn set(&mut self, name: &str, value: &Value) -> Result<(), ParamError> {
                use $crate::params::schema::Limits as _;
                match name {
                    $($crate::params::schema::shown!($name $($shown)?) => {
                        $crate::params::types::assign(&mut self.$name, name, ($range).limits(), value)
                    })+
                    _ => {
                        let known = [$($crate::params::schema::shown!($name $($shown)?)),+];
                        Err(ParamError::Unknown { name: name.to_owned(), nearest: $crate::params::schema::nearest(name, &known) })
                    }
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

pub(super) use {choice, parameters, shown};
