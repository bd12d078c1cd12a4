//! YAML as a tree whose every node knows its line, so that errors about its meaning can point at it.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::Spanned;

/// A node and the line it starts on, counted from 1.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub line: u64,
    pub content: Content,
}

/// What a node holds; scalars are typed as YAML types them.
#[derive(Clone, Debug)]
pub(super) enum Content {
    Null,
    Bool(bool),
    Integer(i64),
    Double(f64),
    String(String),
    List(Vec<Node>),
    /// Keys with their lines, in the order of the file.
    Map(Vec<(Key, Node)>),
}

/// A key of a map.
#[derive(Clone, Debug)]
pub(super) struct Key {
    pub line: u64,
    pub name: String,
}

/// Text that is no YAML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub line: u64,
    pub message: String,
}

/// Parses one document; a UTF-8 byte order mark before it is allowed.
pub(super) fn parse(text: &str) -> Result<Node, SyntaxError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match serde_yaml::from_str::<Spanned<Content>>(text) {
        Ok(root) => Ok(root.into()),
        Err(error) => Err(describe(text, error.without_snippet())),
    }
}

/// The parser's error with its line, plus the usual cause where the parser's words do not say it.
fn describe(text: &str, error: &serde_yaml::Error) -> SyntaxError {
    let line = error.location().map_or(1, |at| at.line());
    let mut message = error.to_string().replace('\n', " ");
    let indented_by_tab =
        text.lines().enumerate().find(|(_, l)| l[..l.len() - l.trim_start().len()].contains('\t')).map(|(i, _)| i + 1);
    if let Some(tab) = indented_by_tab {
        message = format!("{message} (line {tab} is indented by a tab: YAML takes spaces only)");
    }
    SyntaxError { line, message }
}

impl From<Spanned<Content>> for Node {
    fn from(spanned: Spanned<Content>) -> Self {
        Self { line: spanned.referenced.line(), content: spanned.value }
    }
}

impl From<Spanned<String>> for Key {
    fn from(spanned: Spanned<String>) -> Self {
        Self { line: spanned.referenced.line(), name: spanned.value }
    }
}

impl<'de> Deserialize<'de> for Content {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value, a list or a map")
    }

    fn visit_unit<E>(self) -> Result<Content, E> {
        Ok(Content::Null)
    }

    fn visit_bool<E>(self, v: bool) -> Result<Content, E> {
        Ok(Content::Bool(v))
    }

    fn visit_i64<E>(self, v: i64) -> Result<Content, E> {
        Ok(Content::Integer(v))
    }

    fn visit_u64<E>(self, v: u64) -> Result<Content, E> {
        // Beyond i64 no parameter's range reaches: as a double it is refused by range, with its value.
        Ok(i64::try_from(v).map_or(Content::Double(v as f64), Content::Integer))
    }

    fn visit_f64<E>(self, v: f64) -> Result<Content, E> {
        Ok(Content::Double(v))
    }

    fn visit_str<E>(self, v: &str) -> Result<Content, E> {
        Ok(Content::String(v.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Content, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = seq.next_element::<Spanned<Content>>()? {
            nodes.push(node.into());
        }
        Ok(Content::List(nodes))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Content, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, node)) = map.next_entry::<Spanned<String>, Spanned<Content>>()? {
            entries.push((key.into(), node.into()));
        }
        Ok(Content::Map(entries))
    }
}
