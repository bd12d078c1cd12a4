//! `compare`: the first difference between two runs.

mod descriptors;

use std::fs::File;
use std::io::{BufRead, BufReader, Lines, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use descriptors::Descriptors;
use vio_frontend::output::FEATURES_HEADER;

/// Name the first difference between two runs: stage, frame, index
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Output folder of `replay`, or a features.csv
    a: PathBuf,
    b: PathBuf,
}

/// Counts of summary.json that equal runs share; latencies and devices may differ.
const COUNTS: [&str; 6] = ["frames", "processed", "published", "skipped", "refused", "restarts_by_reason"];

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let [a, b] = [&args.a, &args.b].map(|path| if path.is_dir() { path.join("features.csv") } else { path.clone() });
    let difference = match compare_features(&a, &b)? {
        Outcome::Differ(text) => Some(text),
        Outcome::Equal { frames, features } => {
            let difference = compare_counts(&args.a, &args.b)?;
            if difference.is_none() {
                writeln!(out, "equal: {features} features in {frames} frames")?;
            }
            difference
        }
    };
    match difference {
        None => Ok(ExitCode::SUCCESS),
        Some(text) => {
            writeln!(out, "{text}")?;
            Ok(ExitCode::from(1))
        }
    }
}

enum Outcome {
    Equal { frames: u64, features: u64 },
    Differ(String),
}

/// A features.csv read line by line.
struct Table {
    lines: Lines<BufReader<File>>,
    path: String,
    line: u64,
}

impl Table {
    fn open(path: &Path) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| name.clone())?;
        let mut table = Self { lines: BufReader::new(file).lines(), path: name, line: 0 };
        if table.next()?.as_deref() != Some(FEATURES_HEADER) {
            bail!("{}: not a features.csv: the first line is not '{FEATURES_HEADER}'", table.path);
        }
        Ok(table)
    }

    fn next(&mut self) -> anyhow::Result<Option<String>> {
        self.line += 1;
        self.lines.next().transpose().with_context(|| self.path.clone())
    }

    fn fields<'a>(&self, line: &'a str) -> anyhow::Result<Vec<&'a str>> {
        let fields: Vec<&str> = line.split(',').collect();
        if fields.len() != FEATURES_HEADER.split(',').count() {
            bail!("{}:{}: {} fields in '{line}'", self.path, self.line, fields.len());
        }
        Ok(fields)
    }
}

/// Where the walk is: the frame and the feature in it, both from 0.
#[derive(Default)]
struct Place {
    stamp: Option<String>,
    frames: u64,
    index: u64,
    features: u64,
}

impl Place {
    fn step(&mut self, stamp: &str) {
        if self.stamp.as_deref() == Some(stamp) {
            self.index += 1;
        } else {
            self.stamp = Some(stamp.to_owned());
            self.frames += 1;
            self.index = 0;
        }
        self.features += 1;
    }

    /// The current feature.
    fn here(&self) -> String {
        let stamp = self.stamp.as_deref().unwrap_or("");
        format!("frame {} (stamp {stamp}), index {}", self.frames.saturating_sub(1), self.index)
    }

    /// The next feature of the current frame, for a table that ends before the other does.
    fn after(&self) -> String {
        match &self.stamp {
            Some(stamp) => format!("frame {} (stamp {stamp}), index {}", self.frames.saturating_sub(1), self.index + 1),
            None => "frame 0, index 0".to_owned(),
        }
    }
}

fn compare_features(a: &Path, b: &Path) -> anyhow::Result<Outcome> {
    let mut descriptors = Descriptors::beside([a, b])?;
    let (mut a, mut b) = (Table::open(a)?, Table::open(b)?);
    let mut place = Place::default();
    loop {
        match (a.next()?, b.next()?) {
            (None, None) => return Ok(Outcome::Equal { frames: place.frames, features: place.features }),
            (Some(line), None) => return Ok(Outcome::Differ(only_one(&a, &line, &b, &place)?)),
            (None, Some(line)) => return Ok(Outcome::Differ(only_one(&b, &line, &a, &place)?)),
            (Some(line_a), Some(line_b)) => {
                let (fields_a, fields_b) = (a.fields(&line_a)?, b.fields(&line_b)?);
                if line_a != line_b {
                    return Ok(Outcome::Differ(describe(&fields_a, &fields_b, &mut place)));
                }
                place.step(fields_a.first().unwrap_or(&""));
                if let Some(descriptors) = &mut descriptors
                    && let Some(difference) = descriptors.next_difference()?
                {
                    return Ok(Outcome::Differ(format!("stage descriptor, {}: {difference}", place.here())));
                }
            }
        }
    }
}

/// `longer` goes on where `shorter` ends.
fn only_one(longer: &Table, line: &str, shorter: &Table, place: &Place) -> anyhow::Result<String> {
    let stamp = *longer.fields(line)?.first().unwrap_or(&"");
    let stage = if place.stamp.as_deref() == Some(stamp) { "detect" } else { "stream" };
    Ok(format!("stage {stage}, {}: {} ends, {} goes on with {line}", place.after(), shorter.path, longer.path))
}

/// Names the earliest stage that explains how two lines differ.
fn describe(a: &[&str], b: &[&str], place: &mut Place) -> String {
    let before = place.stamp.clone();
    let columns: Vec<&str> = FEATURES_HEADER.split(',').collect();
    let stamps = (a.first().unwrap_or(&""), b.first().unwrap_or(&""));
    if stamps.0 != stamps.1 {
        // One run has features left in the frame that both had begun: it detected more.
        let same_frame = |stamp: &str| before.as_deref() == Some(stamp);
        let stage = if same_frame(stamps.0) || same_frame(stamps.1) { "detect" } else { "stream" };
        return format!("stage {stage}, {}: the next feature is of stamp {} | {}", place.after(), stamps.0, stamps.1);
    }
    place.step(stamps.0);
    let differing: Vec<usize> = (0..columns.len()).filter(|&i| a.get(i) != b.get(i)).collect();
    let stage = ["detect", "response", "sub-pixel", "normalise", "velocity", "track"]
        .into_iter()
        .find(|stage| differing.iter().any(|&i| stage_of(columns.get(i).unwrap_or(&""), a.get(i), b.get(i)) == *stage))
        .unwrap_or("track");
    let shown = differing.iter().map(|&i| {
        format!("{} {} | {}", columns.get(i).unwrap_or(&""), a.get(i).unwrap_or(&""), b.get(i).unwrap_or(&""))
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    format!("stage {stage}, {}: {shown}", place.here())
}

/// The stage that sets a column; positions a pixel apart are different corners, not different sub-pixel offsets.
fn stage_of(column: &str, a: Option<&&str>, b: Option<&&str>) -> &'static str {
    let number = |text: Option<&&str>| text.and_then(|t| t.parse::<f64>().ok()).unwrap_or(f64::NAN);
    match column {
        "level" => "detect",
        "u" | "v" if (number(a) - number(b)).abs() < 1.0 => "sub-pixel",
        "u" | "v" => "detect",
        "score" => "response",
        "x" | "y" => "normalise",
        "vx" | "vy" => "velocity",
        _ => "track",
    }
}

/// Compares what features.csv does not show: frames that yielded nothing. Only where both runs have a summary.
fn compare_counts(a: &Path, b: &Path) -> anyhow::Result<Option<String>> {
    let [a, b] = [a, b].map(|path| path.join("summary.json"));
    if !(a.is_file() && b.is_file()) {
        return Ok(None);
    }
    let read = |path: &Path| -> anyhow::Result<serde_json::Value> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    };
    let (a, b) = (read(&a)?, read(&b)?);
    let null = serde_json::Value::Null;
    Ok(COUNTS.into_iter().find_map(|name| {
        let (a, b) = (a.get(name).unwrap_or(&null), b.get(name).unwrap_or(&null));
        (a != b).then(|| format!("stage stream, summary.json: {name} {a} | {b}"))
    }))
}
