//! Golden digests of every stage, on images from integer arithmetic.
//!
//! Renew with `VIO_RENEW_GOLDEN=1 cargo test --test detect golden`; kernels/README.md must then say what changed.

use std::fmt::Write as _;
use std::path::Path;

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::{DetectSettings, Gain};
use vio_frontend::image::GrayImage;
use vio_frontend::params::Params;

use crate::images::{Kind, image};

const FILE: &str = "tests/golden/detect.txt";
const HEADER: &str = "\
# Digests of every stage of the plain detector (contract C0 to C10), default parameters but for the target.
# Images: tests/detect/images.rs. Renew: VIO_RENEW_GOLDEN=1 cargo test --test detect golden
# frame stage: number of values / values a block; CRC-32 of each block, values as little-endian u32
";
/// Frames, with the number of features wanted.
const FRAMES: [(&str, Kind, usize, usize, u32); 8] = [
    ("texture_640x480", Kind::Texture, 640, 480, 1000),
    ("blocks_752x480", Kind::Blocks, 752, 480, 4600),
    ("texture_641x479", Kind::Texture, 641, 479, 4600),
    ("noise_67x43", Kind::Noise, 67, 43, 40),
    ("coarse_noise_33x33", Kind::CoarseNoise, 33, 33, 20),
    ("blocks_32x32", Kind::Blocks, 32, 32, 20),
    ("checkerboard_97x61", Kind::Checkerboard(7), 97, 61, 100),
    ("black_67x43", Kind::Black, 67, 43, 100),
];

/// One stage of one frame.
#[derive(PartialEq)]
struct Entry {
    name: String,
    values: usize,
    block: usize,
    digests: Vec<u32>,
}

#[test]
fn stages_match_their_golden_digests() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let entries: Vec<Entry> = FRAMES.iter().flat_map(|frame| digest_frame(*frame)).collect();
    if std::env::var_os("VIO_RENEW_GOLDEN").is_some() {
        std::fs::write(&path, HEADER.to_owned() + &entries.iter().map(format).collect::<String>()).unwrap();
    }
    let text = std::fs::read_to_string(&path).unwrap();
    let mut golden = text.lines().filter(|line| !line.starts_with('#')).map(parse);
    for entry in &entries {
        let golden = golden.next().unwrap_or_else(|| panic!("{FILE} ends before {}", entry.name));
        assert!(*entry == golden, "{FILE}: first difference in {}", difference(entry, &golden));
    }
    assert!(golden.next().is_none(), "{FILE} holds more stages than the detector");
}

/// Two frames a scene, so that the gain's step is in the second one.
fn digest_frame((name, kind, width, height, target): (&str, Kind, usize, usize, u32)) -> Vec<Entry> {
    let settings = DetectSettings { target, describe: true, ..DetectSettings::from(&Params::default()) };
    let (mut detector, mut gain) = (PlainDetector::new(), Gain::default());
    let mut entries = Vec::new();
    for seed in 0..2 {
        let image: GrayImage = image(kind, width, height, seed);
        detector.detect(&image, None, &settings, &mut gain);
        let pixels = image.pixels().iter().map(|&v| u32::from(v)).collect();
        let input = ("input".to_owned(), pixels);
        let state = ("gain".to_owned(), vec![gain.0]);
        let stages = std::iter::once(input).chain(detector.stages().values()).chain([state]);
        entries.extend(stages.map(|(stage, values)| digest(format!("{name}#{seed} {stage}"), &values)));
    }
    entries
}

/// At most 32 digests a stage, each of whole blocks of at least 64 values.
fn digest(name: String, values: &[u32]) -> Entry {
    let block = values.len().div_ceil(32).max(64);
    let digest = |block: &[u32]| {
        let bytes: Vec<u8> = block.iter().flat_map(|v| v.to_le_bytes()).collect();
        crc32fast::hash(&bytes)
    };
    Entry { name, values: values.len(), block, digests: values.chunks(block).map(digest).collect() }
}

fn format(entry: &Entry) -> String {
    let mut line = format!("{}: {} / {};", entry.name, entry.values, entry.block);
    for digest in &entry.digests {
        write!(line, " {digest:08x}").unwrap();
    }
    line + "\n"
}

fn parse(line: &str) -> Entry {
    let (name, rest) = line.split_once(": ").unwrap();
    let (sizes, digests) = rest.split_once(';').unwrap();
    let (values, block) = sizes.split_once(" / ").unwrap();
    let digests = digests.split_whitespace().map(|d| u32::from_str_radix(d, 16).unwrap()).collect();
    Entry { name: name.to_owned(), values: values.parse().unwrap(), block: block.parse().unwrap(), digests }
}

/// Where an entry first differs from the golden one.
fn difference(entry: &Entry, golden: &Entry) -> String {
    if entry.name != golden.name {
        return format!("the list of stages: {} instead of {}", entry.name, golden.name);
    }
    let same = entry.digests.iter().zip(&golden.digests).take_while(|(a, b)| a == b).count();
    let first = same * entry.block;
    let block = format!("{}, index {first} to {}", entry.name, first + entry.block - 1);
    if entry.values == golden.values {
        return block;
    }
    format!("{}: {} values instead of {}, blocks equal before {block}", entry.name, entry.values, golden.values)
}
