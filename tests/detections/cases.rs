//! Tensors to try: random ones, and ones made to be difficult.

use half::f16;
use vio_frontend::detections::{Element, Head, Heads, Layout, Letterbox, Plan, Settings, Tensor};

/// Seeded numbers: Marsaglia's xorshift.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..8).for_each(|_| _ = random.next());
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// 0 to `end` - 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() >> 32) as usize % end
    }

    /// At least 0, below 1.
    pub fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1 << 24) as f32
    }

    pub fn of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }
}

/// A tensor and what is wanted of it.
#[derive(Clone, Debug)]
pub struct Case {
    pub settings: Settings,
    pub shape: [usize; 3],
    pub element: Element,
    /// As the element holds them.
    pub values: Vec<f32>,
    narrow: Vec<f16>,
    pub letterboxes: Vec<Letterbox>,
}

/// How the boxes of an image lie.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Scattered,
    /// Few places and few scores: ties everywhere, overlaps exactly at thresholds.
    Ties,
    /// Each overlaps the next by about the threshold.
    Chain,
    /// No width, negative sizes, far away, tiny.
    Degenerate,
    AllTheSame,
}

/// Sizes, for tests that cannot afford large ones.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub anchors: usize,
    pub classes: &'static [usize],
}

pub const LIMITS: Limits = Limits { anchors: 150, classes: &[1, 2, 3, 7, 40] };

impl Case {
    pub fn random(seed: u64, limits: Limits) -> Self {
        let mut random = Random::new(seed);
        let r = &mut random;
        let layout = r.of(&Layout::ALL);
        let heads = (layout == Layout::Yolov5 && r.below(3) == 0).then(|| small_heads(r));
        let cells = |stride: u32, input: [u32; 2]| (input[0] / stride * (input[1] / stride)) as usize;
        let anchors = match &heads {
            Some(Heads { input, heads }) => heads.iter().map(|h| h.sizes.len() * cells(h.stride, *input)).sum(),
            None => 1 + r.below(limits.anchors),
        };
        let (batch, classes, element) = (1 + r.below(3), r.of(limits.classes), r.of(&[Element::F32, Element::F16]));
        let mut settings = Settings::new(layout);
        let any = f64::from(r.unit());
        settings.confidence = r.of(&[0.0, 0.1, 0.25, 0.5, 1.0, any]);
        let any = f64::from(r.unit());
        // Thresholds at which two squares of 64 so far apart compare otherwise by a product than by the quotient.
        let quotient = |step: f32| (64.0 - step) * 64.0 / ((64.0 + step) * 64.0);
        let below = |step| quotient(step).next_down();
        let edge = f64::from(r.of(&[below(24.0), below(25.0), quotient(33.0), below(43.0), below(52.0)]));
        settings.iou = r.of(&[0.0, 0.25, 0.45, 0.5, 1.0 / 3.0, 0.7, 1.0, any, edge, edge]);
        settings.agnostic = r.below(2) == 0;
        settings.classes = r.of(&[None, Some(classes as u32)]);
        settings.max_candidates = r.of(&[1, 5, 64, 65, 8192]);
        settings.max_detections = r.of(&[1, 3, 300]);
        settings.heads = heads;
        let leading = if layout == Layout::Yolov5 { 5 } else { 4 };
        let mut values = Vec::new();
        for _ in 0..batch {
            let rows = image(r, anchors, classes, leading, &settings);
            values.extend(if layout == Layout::Yolov8 { transposed(&rows, leading + classes) } else { rows });
        }
        let channels = leading + classes;
        let shape = if layout == Layout::Yolov8 { [batch, channels, anchors] } else { [batch, anchors, channels] };
        let letterboxes = (0..batch).map(|_| letterbox(r)).collect();
        Self::new(settings, shape, element, values, letterboxes)
    }

    pub fn new(
        settings: Settings,
        shape: [usize; 3],
        element: Element,
        mut values: Vec<f32>,
        letterboxes: Vec<Letterbox>,
    ) -> Self {
        let mut narrow = Vec::new();
        if element == Element::F16 {
            narrow = values.iter().map(|&value| f16::from_f32(value)).collect();
            values = narrow.iter().map(|value| value.to_f32()).collect();
        }
        Self { settings, shape, element, values, narrow, letterboxes }
    }

    pub fn plan(&self) -> Plan {
        Plan::new(&self.shape, self.element, &self.settings).unwrap()
    }

    pub fn tensor(&self) -> Tensor<'_> {
        match self.element {
            Element::F32 => Tensor::F32(&self.values),
            Element::F16 => Tensor::F16(&self.narrow),
        }
    }

    /// Another value at `index`.
    pub fn with(mut self, index: usize, value: f32) -> Self {
        self.values[index] = value;
        Self::new(self.settings, self.shape, self.element, self.values, self.letterboxes)
    }
}

fn small_heads(r: &mut Random) -> Heads {
    let head = |stride, count| Head {
        stride,
        sizes: (0..count).map(|i| [9.5 + i as f32 * stride as f32, 40.0 / (i + 1) as f32]).collect(),
    };
    let heads = [head(8, 1 + r.below(4)), head(16, 1 + r.below(3)), head(32, 1 + r.below(4))];
    Heads { input: r.of(&[[32, 32], [64, 32], [32, 96]]), heads: heads[..1 + r.below(3)].to_vec() }
}

fn letterbox(r: &mut Random) -> Letterbox {
    let image = [1 + r.below(900) as u32, 1 + r.below(900) as u32];
    r.of(&[Letterbox::identity(300, 200), Letterbox::fit(image, [320, 320])])
}

/// Rows of anchors.
fn image(r: &mut Random, anchors: usize, classes: usize, leading: usize, settings: &Settings) -> Vec<f32> {
    let kind = r.of(&[Kind::Scattered, Kind::Scattered, Kind::Ties, Kind::Chain, Kind::Degenerate, Kind::AllTheSame]);
    let (raw, sparse) = (settings.heads.is_some(), r.below(3));
    // Side by side at this distance, boxes of 64 overlap by the threshold: (64 - d) / (64 + d).
    let step = (4096.0 * (1.0 - settings.iou as f32) / (1.0 + settings.iou as f32)).round() / 64.0;
    let mut rows = Vec::new();
    for anchor in 0..anchors {
        let corners = match kind {
            _ if raw => std::array::from_fn(|_| r.unit() * 6.0 - 3.0),
            Kind::Scattered => [r.unit() * 320.0, r.unit() * 320.0, 20.0 + r.unit() * 100.0, 20.0 + r.unit() * 100.0],
            Kind::Ties => [32.0 * r.below(4) as f32, 64.0, r.of(&[32.0, 64.0, 96.0]), r.of(&[32.0, 64.0])],
            Kind::Chain => [40.0 + step * anchor as f32, 100.0, 64.0, 64.0],
            Kind::Degenerate => {
                let side = [0.0, -0.0, -20.0, 1e-30, 60.0, 60000.0];
                [r.of(&[0.0, 50.0, -60000.0, 60000.0]), r.unit() * 100.0, r.of(&side), r.of(&side)]
            }
            Kind::AllTheSame => [100.0, 100.0, 50.0, 50.0],
        };
        rows.extend(corners);
        let mut score = || match (kind, raw) {
            (Kind::Ties | Kind::AllTheSame, true) => r.of(&[-4.0, 0.0, 3.0]),
            (Kind::Ties | Kind::AllTheSame, false) => r.of(&[-0.0, 0.0, 0.25, 0.5, 1.0]),
            (_, true) => r.unit() * 16.0 - 8.0,
            (_, false) => (0..sparse).fold(r.unit(), |product, _| product * r.unit()),
        };
        rows.extend((4..leading + classes).map(|_| score()));
    }
    rows
}

pub fn transposed(rows: &[f32], channels: usize) -> Vec<f32> {
    (0..channels).flat_map(|channel| rows.iter().skip(channel).step_by(channels)).copied().collect()
}
