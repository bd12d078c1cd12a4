//! One frame on the emulated device, and its stages beside those of the plain path.

use std::cell::RefCell;

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::{DetectSettings, Gain};
use vio_frontend::feature::Feature;
use vio_frontend::gpu::abi::{Candidate, CornerSlot, DetectHeader};
use vio_frontend::gpu::plan::{DetectPlan, level_pitch};
use vio_frontend::image::{GrayImage, ImageView};
use vio_frontend::mask::Mask;
use vio_frontend::params::Params;

use crate::emulator::{Emulator, Relocation, Sanitizer, Schedule};

/// Values of the stages under their names, as `Stages::values` gives them.
type Stages = Vec<(String, Vec<u32>)>;
const THREADS: u32 = 256;
const TILE_SLOTS: usize = 256;

/// A frame and how it is launched.
#[derive(Clone, Debug)]
pub struct Launch<'a> {
    pub image: ImageView<'a>,
    pub mask: Option<Mask>,
    pub settings: DetectSettings,
    pub gain: Gain,
    pub prefilter: bool,
    pub blocks: u32,
    pub schedule: Schedule,
}

impl<'a> Launch<'a> {
    /// One of two blocks, in the order of their numbers, with default parameters and descriptors.
    pub fn new(image: ImageView<'a>, target: u32) -> Self {
        let settings = DetectSettings { target, describe: true, ..DetectSettings::from(&Params::default()) };
        Self {
            image,
            mask: None,
            settings,
            gain: Gain::default(),
            prefilter: false,
            blocks: 2,
            schedule: Schedule::Forward,
        }
    }
}

thread_local! {
    static EMULATOR: RefCell<Option<Emulator>> = const { RefCell::new(None) };
}

/// Asserts that the emulated kernel and the plain path agree in every stage that both have.
pub fn assert_equal(launch: &Launch<'_>) {
    assert_none(|emulator| difference(emulator, launch));
}

/// Asserts that there is no difference on the emulator of this thread, which no sanitizer slows down.
pub fn assert_none(difference: impl FnOnce(&mut Emulator) -> Option<String>) {
    EMULATOR.with_borrow_mut(|emulator| {
        let emulator = emulator.get_or_insert_with(|| Emulator::build(Sanitizer::Plain).unwrap());
        if let Some(difference) = difference(emulator) {
            panic!("{difference}");
        }
    });
}

/// The first difference between the emulated kernel and the plain path, or what the emulator reports.
pub fn difference(emulator: &mut Emulator, launch: &Launch<'_>) -> Option<String> {
    let plain = plain_stages(launch);
    let twin = match emulated_stages(emulator, launch) {
        Ok(stages) => stages,
        Err(report) => return Some(report),
    };
    for (name, values) in &twin {
        let expected = &plain.iter().find(|(other, _)| other == name).unwrap().1;
        if let Some(i) = expected.iter().zip(values).position(|(a, b)| a != b) {
            return Some(format!("stage {name}, value {i}: plain {}, kernel {}", expected[i], values[i]));
        }
        if expected.len() != values.len() {
            return Some(format!("stage {name}: plain {} values, kernel {}", expected.len(), values.len()));
        }
    }
    None
}

fn plain_stages(launch: &Launch<'_>) -> Stages {
    let (mut unfiltered, mut gray) = (GrayImage::default(), GrayImage::default());
    launch.image.to_gray(&mut gray);
    if launch.prefilter {
        std::mem::swap(&mut unfiltered, &mut gray);
        unfiltered.binomial3(&mut gray);
    }
    let mut detector = PlainDetector::new();
    let mut gain = launch.gain;
    let detection = detector.detect(&gray, launch.mask.as_ref(), &launch.settings, &mut gain);
    let mut stages = detector.stages().values();
    stages.push(("pyramid[0]".to_owned(), gray.pixels().iter().map(|&v| v.into()).collect()));
    stages.push(("counts".to_owned(), vec![detection.offered, detection.offered_class0]));
    stages.push(("features".to_owned(), detection.features.iter().flat_map(whole_numbers).collect()));
    let descriptors = detection.descriptors.iter().flat_map(|d| d.0.map(u32::from));
    stages.retain(|(name, _)| name != "descriptors");
    stages.push(("descriptors".to_owned(), descriptors.collect()));
    stages
}

/// All of a feature but its sub-pixel position.
fn whole_numbers(feature: &Feature) -> [u32; 6] {
    let &Feature { half_x, half_y, score, level, class, threshold, .. } = feature;
    [half_x as u32, half_y as u32, score, level.into(), class.into(), threshold.into()]
}

/// The kernel's buffers after a launch.
struct Memory {
    plan: DetectPlan,
    buffers: Vec<(&'static str, Vec<u8>)>,
}

impl Memory {
    fn get<T: bytemuck::AnyBitPattern>(&self, field: &str) -> Vec<T> {
        let bytes = &self.buffers.iter().find(|(name, _)| *name == field).unwrap().1;
        bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned).collect()
    }
}

fn run(emulator: &mut Emulator, launch: &Launch<'_>) -> Result<Memory, String> {
    let plan = DetectPlan::new(&launch.image, &launch.settings).unwrap();
    let arguments = plan.arguments(launch.gain, launch.prefilter, 7);
    let layout = plan.buffers();
    let mut buffers: Vec<Vec<u8>> = Vec::new();
    let mut relocations = Vec::new();
    for buffer in &layout {
        // Nothing may depend on what a buffer held before, but for the barrier.
        let fill = if buffer.field == "barrier" { 0 } else { 0xA5 };
        let mut bytes = vec![fill; buffer.bytes];
        match buffer.field {
            "source" => copy_source(&launch.image, plan.source_pitch(), &mut bytes),
            "mask" => match &launch.mask {
                Some(mask) => bytes.copy_from_slice(mask.bytes()),
                None => continue,
            },
            _ => {}
        }
        relocations.push(Relocation::arg(buffer.offset as u64, buffers.len() as u32));
        buffers.push(bytes);
    }
    let arguments = bytemuck::bytes_of(&arguments);
    emulator.launch("detect", launch.blocks, THREADS, launch.schedule, &mut buffers, arguments, &relocations)?;
    let fields = layout.iter().map(|b| b.field).filter(|&field| field != "mask" || launch.mask.is_some());
    Ok(Memory { plan, buffers: fields.zip(buffers).collect() })
}

fn copy_source(image: &ImageView<'_>, pitch: usize, bytes: &mut [u8]) {
    for (y, out) in bytes.chunks_exact_mut(pitch).enumerate() {
        let row = image.row(y);
        out[..row.len()].copy_from_slice(row);
    }
}

fn emulated_stages(emulator: &mut Emulator, launch: &Launch<'_>) -> Result<Stages, String> {
    let memory = run(emulator, launch)?;
    let mut stages = Stages::new();
    let pyramid = memory.get::<u8>("pyramid");
    for (level, (width, height, offset)) in memory.plan.levels().into_iter().enumerate() {
        let rows = pyramid[offset..].chunks(level_pitch(width)).take(height);
        let pixels = rows.flat_map(|row| row[..width].iter().map(|&v| v.into())).collect();
        stages.push((format!("pyramid[{level}]"), pixels));
    }
    // Where the ratio is 0 no median is sought.
    let fields: &[&str] = if launch.settings.ratio_q8 == 0 { &["thresholds"] } else { &["medians", "thresholds"] };
    for &field in fields {
        stages.push((field.to_owned(), memory.get::<u8>(field).into_iter().map(u32::from).collect()));
    }
    push_corners(&memory, &mut stages);

    let header = memory.get::<DetectHeader>("header")[0];
    if header.frame != 7 {
        return Err(format!("the header holds frame {}", header.frame));
    }
    stages.push(("counts".to_owned(), vec![header.offered, header.offered_class0]));
    let count = header.count as usize;
    let features = &memory.get::<Feature>("features")[..count];
    stages.push(("features".to_owned(), features.iter().flat_map(whole_numbers).collect()));
    stages.push(("positions".to_owned(), features.iter().flat_map(|f| [f.u.to_bits(), f.v.to_bits()]).collect()));
    if launch.settings.describe {
        let descriptors = &memory.get::<u8>("descriptors")[..128 * count];
        stages.push(("descriptors".to_owned(), descriptors.iter().map(|&v| v.into()).collect()));
    }
    Ok(stages)
}

/// Survivors and candidates, from the slots of all tiles.
fn push_corners(memory: &Memory, stages: &mut Stages) {
    let slots = memory.get::<CornerSlot>("slots");
    let counts = memory.get::<u32>("slot_counts");
    let mut survivors = Vec::new();
    let mut tile = 0;
    for (level, (width, height, _)) in memory.plan.levels().into_iter().enumerate() {
        for _ in 0..width.div_ceil(32) * height.div_ceil(32) {
            for corner in &slots[tile * TILE_SLOTS..tile * TILE_SLOTS + counts[tile] as usize] {
                let half = |x: u16| ((2 * u32::from(x) + 1) << level) - 1;
                let (x, y) = (half(corner.x), half(corner.y));
                let strength = u32::from(corner.strength);
                survivors.push((level, corner.y, corner.x, [x, y, level as u32, strength, corner.response.into()]));
            }
            tile += 1;
        }
    }
    let mut candidates = listed_candidates(memory, &survivors);
    survivors.sort_unstable();
    candidates.sort_unstable();
    stages.push(("survivors".to_owned(), survivors.into_iter().flat_map(|(.., values)| values).collect()));
    stages.push(("candidates".to_owned(), candidates.into_iter().flat_map(|(_, values)| values).collect()));
}

/// A survivor: level, row and column there, and what `Stages::values` gives of it.
type Survivor = (usize, u16, u16, [u32; 5]);

/// The candidates in the lists of the cells, with their keys.
fn listed_candidates(memory: &Memory, survivors: &[Survivor]) -> Vec<(u64, [u32; 7])> {
    let thresholds = memory.get::<u8>("thresholds");
    let tiles_across = memory.plan.width.div_ceil(32);
    let lists = memory.get::<Candidate>("candidates");
    let counts = memory.get::<u32>("cell_counts");
    let listed = lists.chunks(lists.len() / counts.len()).zip(counts).flat_map(|(list, n)| &list[..n as usize]);
    let full = |&Candidate { key, .. }: &Candidate| {
        let (x, y) = (key as u32 & 0xFFFF, key as u32 >> 16);
        let &(level, .., [.., strength, _]) = survivors.iter().find(|(.., s)| s[..2] == [x, y]).unwrap();
        let threshold = thresholds[((y + 1) / 64 * tiles_across + (x + 1) / 64) as usize].into();
        let score = 0xFFF - (key >> 32) as u32 % (1 << 12);
        (key, [x, y, level as u32, strength, score, threshold, (key >> 44) as u32])
    };
    listed.map(full).collect()
}
