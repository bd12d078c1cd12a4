//! Why a parameter was refused.

/// Why a parameter was refused; every message names parameter and value.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ParamError {
    #[error("parameter '{name}' is unknown{}", nearest.map(|n| format!("; did you mean '{n}'?")).unwrap_or_default())]
    Unknown { name: String, nearest: Option<&'static str> },
    #[error("parameter '{name}': {value} is a {found}, {expected} expected")]
    Type { name: String, value: String, found: &'static str, expected: &'static str },
    #[error("parameter '{name}': {value} is out of range [{min}, {max}]")]
    Range { name: String, value: String, min: f64, max: f64 },
    #[error("parameter '{name}': '{value}' is not one of {choices:?}")]
    Choice { name: String, value: String, choices: &'static [&'static str] },
    #[error("parameter '{name}': {message}")]
    Relation { name: String, message: String },
    #[error("parameter '{name}' cannot change while running; restart with the new value")]
    OnlyAtStart { name: String },
}

impl ParamError {
    /// The parameter it is about.
    pub fn name(&self) -> &str {
        match self {
            ParamError::Unknown { name, .. }
            | ParamError::Type { name, .. }
            | ParamError::Range { name, .. }
            | ParamError::Choice { name, .. }
            | ParamError::Relation { name, .. }
            | ParamError::OnlyAtStart { name } => name,
        }
    }
}
