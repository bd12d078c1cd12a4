//! The descriptors of two runs, feature by feature.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use anyhow::Context;
use vio_frontend::feature::Descriptor;
use vio_frontend::output::DESCRIPTORS_FILE;

/// The files of both runs, read in step with their features.
pub struct Descriptors([(BufReader<File>, PathBuf); 2]);

impl Descriptors {
    /// Those that lie beside two feature tables; `None` unless both runs have them.
    pub fn beside(tables: [&Path; 2]) -> anyhow::Result<Option<Self>> {
        let [a, b] = tables.map(|table| table.with_file_name(DESCRIPTORS_FILE));
        if !(a.is_file() && b.is_file()) {
            return Ok(None);
        }
        let open = |path: PathBuf| -> anyhow::Result<_> {
            let file = File::open(&path).with_context(|| path.display().to_string())?;
            Ok((BufReader::new(file), path))
        };
        Ok(Some(Self([open(a)?, open(b)?])))
    }

    /// How those of the next feature differ, if they do.
    pub fn next_difference(&mut self) -> anyhow::Result<Option<String>> {
        let [mut a, mut b] = [[0; Descriptor::LEN]; 2];
        for ((file, path), bytes) in self.0.iter_mut().zip([&mut a, &mut b]) {
            let ends_early = || format!("{}: ends before the features do", path.display());
            file.read_exact(bytes).with_context(ends_early)?;
        }
        let first = a.iter().zip(&b).enumerate().find(|(_, (a, b))| a != b);
        Ok(first.map(|(byte, (a, b))| format!("byte {byte} {a} | {b}")))
    }
}
