//! kernels/detections.cu, compiled as C++ and run on an emulated device, gives the bits of the plain path.

use bytemuck::Zeroable;
use vio_frontend::detections::plain::PlainPostprocessor;
use vio_frontend::detections::{
    BadInput, Counts, Detection, Detections, Element, Heads, Layout, Letterbox, Refused, Settings,
};
use vio_frontend::gpu::detections::abi::{
    DetectionCounts, DetectionRecord, DetectionsHeader, LetterboxRecord, NO_INDEX,
};
use vio_frontend::gpu::detections::plan::{ZERO_AT_FIRST, arguments, buffers};

use crate::cases::{Case, Limits, Random};
use crate::emulator::{Emulator, Relocation, Sanitizer, Schedule};

const THREADS: u32 = 256;
const FRAME: u64 = 11;
const SMALL: Limits = Limits { anchors: 150, classes: &[1, 2, 7, 40] };

/// What the kernel makes of a case: the boxes, or the index and bits of the value that it refuses.
type Outcome = Result<Detections, (usize, u32)>;

fn run(emulator: &mut Emulator, case: &Case, blocks: u32, schedule: Schedule) -> Result<Outcome, String> {
    let plan = case.plan();
    let (mut contents, mut relocations, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for buffer in buffers(&plan) {
        let mut bytes = match buffer.field {
            "tensor" => case.tensor().bytes().to_vec(),
            "letterboxes" => {
                let records: Vec<LetterboxRecord> = case.letterboxes.iter().map(LetterboxRecord::from).collect();
                bytemuck::cast_slice(&records).to_vec()
            }
            // Nothing may depend on what another buffer held before.
            field if ZERO_AT_FIRST.contains(&field) => vec![0; buffer.bytes],
            _ => vec![0xA5; buffer.bytes],
        };
        assert_eq!(bytes.len(), buffer.bytes, "{}", buffer.field);
        bytes.shrink_to_fit();
        relocations.push(Relocation::arg(buffer.offset as u64, contents.len() as u32));
        contents.push(bytes);
        names.push(buffer.field);
    }
    let arguments = arguments(&plan, FRAME);
    let arguments = bytemuck::bytes_of(&arguments);
    emulator.launch("detections", blocks, THREADS, schedule, &mut contents, arguments, &relocations)?;
    let bytes = |name: &str| &contents[names.iter().position(|&field| field == name).unwrap()];
    for field in ["bad", "candidate_counts"] {
        if bytes(field).iter().any(|&byte| byte != 0) {
            return Err(format!("{field} is not left as it was"));
        }
    }
    let mut header = DetectionsHeader::zeroed();
    bytemuck::bytes_of_mut(&mut header).copy_from_slice(bytes("header"));
    if header.frame != FRAME {
        return Err(format!("the header says {header:?}"));
    }
    if header.bad_index != NO_INDEX {
        return Ok(Err((header.bad_index as usize, header.bad_value.to_bits())));
    }
    let counts: Vec<DetectionCounts> = bytemuck::pod_collect_to_vec(bytes("counts"));
    let records: Vec<DetectionRecord> = bytemuck::pod_collect_to_vec(bytes("records"));
    let mut found = Detections { counts: counts.iter().map(Counts::from).collect(), boxes: Vec::new() };
    for (counts, records) in counts.iter().zip(records.chunks(plan.max_detections())) {
        found.boxes.extend(records[..counts.written as usize].iter().map(Detection::from));
    }
    Ok(Ok(found))
}

fn bits(found: &Detections) -> (Vec<Counts>, Vec<[u32; 7]>) {
    let bits = |d: &Detection| {
        let [x1, y1, x2, y2, score] = [d.x1, d.y1, d.x2, d.y2, d.score].map(f32::to_bits);
        [x1, y1, x2, y2, score, d.class, d.anchor]
    };
    (found.counts.clone(), found.boxes.iter().map(bits).collect())
}

/// What differs between the kernel and the plain path, or what the emulator reports.
fn difference(emulator: &mut Emulator, case: &Case, blocks: u32, schedule: Schedule) -> Option<String> {
    let plan = case.plan();
    let mut plain = PlainPostprocessor::new(plan.clone());
    let plain = plain.run(&case.tensor(), &case.letterboxes).cloned();
    let kernel = match run(emulator, case, blocks, schedule) {
        Ok(kernel) => kernel,
        Err(report) => return Some(report),
    };
    let (same, kernel) = match (&plain, &kernel) {
        (Ok(plain), Ok(kernel)) => (bits(plain) == bits(kernel), format!("{kernel:?}")),
        (Err(Refused::Value(bad)), Err((index, value))) => {
            (bad.value.to_bits() == *value && index_of(case, bad) == *index, format!("value {index}"))
        }
        (_, kernel) => (false, format!("{kernel:?}")),
    };
    (!same).then(|| format!("plain {plain:?}\nkernel {kernel}\n{:?} {:?}", case.settings, case.shape))
}

fn index_of(case: &Case, bad: &BadInput) -> usize {
    let [_, middle, last] = case.shape;
    let planes = case.settings.layout == Layout::Yolov8;
    let (major, minor) = if planes { (bad.channel, bad.anchor) } else { (bad.anchor, bad.channel) };
    (bad.image * middle + major) * last + minor
}

#[track_caller]
fn assert_equal(emulator: &mut Emulator, case: &Case, blocks: u32, schedule: Schedule, name: &str) {
    if let Some(difference) = difference(emulator, case, blocks, schedule) {
        panic!("{name}: {difference}");
    }
}

#[test]
fn every_kind_of_tensor_gives_the_bits_of_the_plain_path() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    for seed in 0..400 {
        let case = Case::random(seed, SMALL);
        let (blocks, schedule) = match seed % 4 {
            0 => (1, Schedule::Forward),
            1 => (2, Schedule::Reverse),
            2 => (5, Schedule::Random(seed)),
            _ => (3, Schedule::Forward),
        };
        assert_equal(&mut emulator, &case, blocks, schedule, &format!("seed {seed}"));
    }
}

#[test]
fn a_value_that_is_none_is_found_wherever_it_is() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    for seed in 0..100 {
        let case = Case::random(seed, SMALL);
        let index = (seed as usize * 7919) % case.values.len();
        let value = [f32::NAN, f32::INFINITY, -1.5, 3e38][seed as usize % 4];
        let later = index + (case.values.len() - index) / 2;
        let case = case.with(later, f32::NAN).with(index, value);
        assert_equal(&mut emulator, &case, 1 + seed as u32 % 4, Schedule::Forward, &format!("seed {seed}"));
    }
}

/// One image in which every anchor is a candidate: scattered boxes about a few places.
fn crowd(layout: Layout, anchors: usize, classes: usize, element: Element, settings: Settings) -> Case {
    let mut r = Random::new(anchors as u64);
    let leading = if layout == Layout::Yolov5 { 5 } else { 4 };
    let mut rows = Vec::new();
    for _ in 0..anchors {
        let place = [r.below(6) as f32 * 100.0 + r.unit() * 40.0, r.below(6) as f32 * 100.0 + r.unit() * 40.0];
        rows.extend([place[0], place[1], 40.0 + r.unit() * 60.0, 40.0 + r.unit() * 60.0]);
        rows.extend((4..leading + classes).map(|_| 0.5 + 0.5 * r.unit()));
    }
    let values = if layout == Layout::Yolov8 { crate::cases::transposed(&rows, leading + classes) } else { rows };
    let channels = leading + classes;
    let shape = if layout == Layout::Yolov8 { [1, channels, anchors] } else { [1, anchors, channels] };
    Case::new(settings, shape, element, values, vec![letterbox()])
}

fn letterbox() -> Letterbox {
    Letterbox::fit([640, 480], [640, 640])
}

#[test]
fn many_candidates_fill_every_chunk_and_capacity() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    for (layout, anchors, max_candidates) in [
        (Layout::Yolov5, 700, 2048),
        (Layout::Yolov8, 64, 64),
        (Layout::Yolov8, 1000, 321),
        (Layout::Yolov8Rows, 129, 128),
        (Layout::Yolov8Rows, 257, 8192),
    ] {
        for (agnostic, iou, max_detections) in [(true, 0.3, 10), (false, 0.6, 300), (true, 1.0, 8192)] {
            let base = Settings::new(layout);
            let settings = Settings { agnostic, iou, max_detections, max_candidates, confidence: 0.1, ..base };
            let case = crowd(layout, anchors, 3, Element::F32, settings);
            let name = format!("{layout} {anchors} {max_candidates} {agnostic}");
            assert_equal(&mut emulator, &case, 4, Schedule::Forward, &name);
        }
    }
}

#[test]
fn every_half_float_is_widened_as_it_is_on_the_cpu() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    // Raw values take them all but what is not finite. 65536 bit patterns in rows of 6.
    let heads = Heads { input: [32, 32], heads: Heads::yolov5([32, 32]).heads[..1].to_vec() };
    let settings = Settings {
        heads: Some(heads),
        confidence: 0.0,
        iou: 1.0,
        max_detections: 8192,
        ..Settings::new(Layout::Yolov5)
    };
    let all: Vec<f32> =
        (0..=u16::MAX).map(|bits| half::f16::from_bits(bits).to_f32()).filter(|v| v.is_finite()).collect();
    for values in all.chunks_exact(48 * 6 * 4) {
        let case = Case::new(settings.clone(), [4, 48, 6], Element::F16, values.to_vec(), vec![letterbox(); 4]);
        assert_equal(&mut emulator, &case, 2, Schedule::Forward, "halves");
    }
}

#[test]
fn the_size_of_a_real_network() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    for (layout, anchors) in [(Layout::Yolov5, 25200), (Layout::Yolov8, 8400)] {
        let settings = Settings { confidence: 0.985, ..Settings::new(layout) };
        let case = crowd(layout, anchors, 80, Element::F32, settings);
        assert_equal(&mut emulator, &case, 8, Schedule::Forward, layout.name());
    }
}

#[test]
fn no_thread_reads_or_writes_out_of_bounds_or_races_another() {
    for (sanitizer, seeds) in [(Sanitizer::Address, 0..24), (Sanitizer::Thread, 24..36)] {
        let mut emulator = Emulator::build(sanitizer).unwrap();
        for seed in seeds {
            let case = Case::random(seed, SMALL);
            assert_equal(&mut emulator, &case, 2, Schedule::Random(seed), &format!("{sanitizer:?}, seed {seed}"));
        }
        let settings = Settings { confidence: 0.1, max_candidates: 100, ..Settings::new(Layout::Yolov8Rows) };
        let case = crowd(Layout::Yolov8Rows, 140, 2, Element::F16, settings);
        assert_equal(&mut emulator, &case, 3, Schedule::Forward, &format!("{sanitizer:?}, crowd"));
    }
}
