//! The lines that are logged while something runs.

use std::io;
use std::sync::{Arc, Mutex};

use tracing::subscriber::{DefaultGuard, set_default};

#[derive(Clone, Default)]
pub struct Lines(Arc<Mutex<Vec<u8>>>);

impl Lines {
    pub fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What this thread logs from now on, until the guard is dropped.
pub fn logging() -> (Lines, DefaultGuard) {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_writer(move || writer.clone())
        .with_ansi(false)
        .with_target(false)
        .without_time()
        .finish();
    (lines, set_default(subscriber))
}

/// What `run` yields, and what it logs in this thread.
pub fn logged<T>(run: impl FnOnce() -> T) -> (T, Vec<String>) {
    let (lines, guard) = logging();
    let result = run();
    drop(guard);
    (result, lines.text().lines().map(str::to_owned).collect())
}
