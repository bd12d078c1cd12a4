//! The child process: requests down its stdin, replies up its stdout, stderr collected beside.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

pub(super) struct Process {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    errors: Option<JoinHandle<String>>,
}

impl Process {
    /// `fixed_addresses`: without randomised addresses, through the tool `setarch`.
    pub(super) fn start(program: &Path, fixed_addresses: bool) -> Result<Self, String> {
        let mut command = if fixed_addresses { Command::new("setarch") } else { Command::new(program) };
        if fixed_addresses {
            command.arg("-R").arg(program);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        let (Some(input), Some(output), Some(mut errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err("a child without pipes".to_owned());
        };
        let errors = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = errors.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        });
        Ok(Self { child, input: Some(input), output: BufReader::new(output), errors: Some(errors) })
    }

    /// The inner result is the reply; the outer one fails if the process has ended.
    pub(super) fn exchange(&mut self, request: &[u8], buffers: &mut [Vec<u8>]) -> io::Result<Result<(), String>> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        input.write_all(request)?;
        input.flush()?;
        if self.number()? != 0 {
            let mut text = vec![0; self.number()? as usize];
            self.output.read_exact(&mut text)?;
            return Ok(Err(String::from_utf8_lossy(&text).into_owned()));
        }
        let mut contents: Vec<Vec<u8>> = buffers.iter().map(|buffer| vec![0; buffer.len()]).collect();
        for content in &mut contents {
            self.output.read_exact(content)?;
        }
        for (buffer, content) in buffers.iter_mut().zip(contents) {
            *buffer = content;
        }
        Ok(Ok(()))
    }

    /// How the process ended and what it wrote to stderr.
    pub(super) fn last_words(mut self) -> String {
        self.input = None;
        let status = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let text = self.errors.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        format!("{text}\nthe emulation ended: {status}")
    }

    fn number(&mut self) -> io::Result<u32> {
        let mut bytes = [0; 4];
        self.output.read_exact(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The end of its input ends the process.
        self.input = None;
        let _ = self.child.wait();
    }
}
