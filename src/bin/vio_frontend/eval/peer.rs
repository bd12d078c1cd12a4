//! A detector that is another program: one long-lived process, asked line by line.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::Context;
use vio_frontend::eval::{Answer, Descriptors, Detector, DetectorError, Distance, Keypoint};
use vio_frontend::image::GrayImage;

/// The process and its pipes. Questions: image path, tab, count. Answers: lines `u,v,level` or
/// `u,v,level,DISTANCE:HEX` (l2 or hamming) and an empty line.
#[derive(Debug)]
pub struct Peer {
    name: String,
    child: Child,
    questions: ChildStdin,
    answers: Lines<BufReader<ChildStdout>>,
    /// Holds the image that is asked about; removed with the peer.
    scratch: tempfile::TempDir,
}

impl Peer {
    /// Starts `command` in a shell; its standard error stays ours.
    pub fn start(command: &str) -> anyhow::Result<Self> {
        let mut shell = Command::new("sh");
        shell.args(["-c", command]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = shell.spawn().with_context(|| format!("'{command}' cannot be started"))?;
        let (questions, answers) = child.stdin.take().zip(child.stdout.take()).context("a process without pipes")?;
        Ok(Self {
            name: command.split_whitespace().last().unwrap_or(command).to_owned(),
            child,
            questions,
            answers: BufReader::new(answers).lines(),
            scratch: tempfile::Builder::new().prefix("vio_frontend-").tempdir()?,
        })
    }

    fn ask(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError> {
        let path = self.scratch.path().join("image.png");
        let (width, height) = (image.width() as u32, image.height() as u32);
        image::save_buffer(&path, image.pixels(), width, height, image::ExtendedColorType::L8)?;
        writeln!(self.questions, "{}\t{count}", path.display())?;
        self.questions.flush()?;
        let mut answer = Answer::default();
        loop {
            let line = self.answers.next().ok_or("the program ended before its answer did")??;
            if line.is_empty() {
                return Ok(answer);
            }
            if answer.keypoints.len() < count {
                read_line(&line, &mut answer)
                    .ok_or_else(|| format!("its answer '{line}' is not u,v,level or u,v,level,l2|hamming:HEX"))?;
            }
        }
    }
}

/// One line of an answer; `None` if it is none, or if some points are described and others not.
fn read_line(line: &str, answer: &mut Answer) -> Option<()> {
    let mut fields = line.split(',').map(str::trim);
    let mut number = || fields.next()?.parse::<f64>().ok().filter(|value| value.is_finite());
    let position = [number()?, number()?];
    let level = fields.next()?.parse().ok().filter(|&level| level < 16)?;
    if let Some(descriptor) = fields.next() {
        let (distance, hex) = descriptor.split_once(':')?;
        let distance = match distance {
            "l2" => Distance::Euclidean,
            "hamming" => Distance::Hamming,
            _ => return None,
        };
        let byte = |i: usize| hex.get(2 * i..2 * i + 2).and_then(|byte| u8::from_str_radix(byte, 16).ok());
        let bytes: Vec<u8> = (0..hex.len().div_ceil(2)).map(byte).collect::<Option<_>>()?;
        let described = answer.descriptors.get_or_insert(Descriptors { distance, bytes: Vec::new() });
        described.bytes.push(bytes);
    }
    answer.keypoints.push(Keypoint { position, level });
    let described = answer.descriptors.as_ref().map(|descriptors| descriptors.bytes.len());
    described.is_none_or(|described| described == answer.keypoints.len()).then_some(())
}

impl Detector for Peer {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, _: &GrayImage, _: usize) {}

    fn detect(&mut self, image: &GrayImage, count: usize) -> Result<Answer, DetectorError> {
        self.ask(image, count).map_err(|error| format!("peer '{}': {error}", self.name).into())
    }
}

impl Drop for Peer {
    /// Ends the process: with its questions closed it may go by itself, but nobody waits for that.
    fn drop(&mut self) {
        // Fails only if it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
