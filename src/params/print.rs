//! Parameters as a commented ROS 2 parameter file.

use std::fmt::Write as _;

use super::{Apply, ParamInfo, Params, Value};

/// Column at which comments wrap.
const COMMENT_WIDTH: usize = 96;

impl Params {
    /// A parameter file for every node (`/**`) that sets these values, each below its meaning, unit and range.
    ///
    /// Empty arrays are commented out: ROS 2 cannot tell their type, and client libraries refuse them.
    pub fn to_yaml(&self) -> String {
        let mut text = String::from("/**:\n  ros__parameters:\n");
        for info in Self::table() {
            let Some(value) = self.get(info.name) else { continue };
            for line in wrap(&comment(&info), COMMENT_WIDTH) {
                let _ = writeln!(text, "    # {line}");
            }
            let out = if value.is_empty_array() { "# " } else { "" };
            let _ = writeln!(text, "    {out}{}: {}", info.name, scalar(&info, &value));
        }
        text
    }
}

/// Meaning, then unit, limits, choices and when a change applies.
fn comment(info: &ParamInfo) -> String {
    let mut facts = Vec::new();
    if !info.unit.is_empty() {
        facts.push(info.unit.to_owned());
    }
    if let Some((min, max)) = info.range {
        facts.push(format!("{min} to {max}"));
    }
    if !info.choices.is_empty() {
        facts.push(info.choices.join(" | "));
    }
    if info.apply == Apply::Start {
        facts.push("read at start".to_owned());
    }
    if facts.is_empty() { info.doc.clone() } else { format!("{} [{}]", info.doc, facts.join("; ")) }
}

fn scalar(info: &ParamInfo, value: &Value) -> String {
    match value {
        Value::String(word) if !info.choices.is_empty() => word.clone(),
        // A JSON string is a double-quoted YAML string.
        Value::String(text) => serde_json::Value::from(text.as_str()).to_string(),
        other => other.to_string(),
    }
}

/// Breaks a paragraph at spaces.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
