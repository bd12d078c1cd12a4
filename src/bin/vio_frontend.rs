//! The offline tool.

fn main() {}
