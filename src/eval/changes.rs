//! Known changes of a photo: what a moving camera, its lens and the light do to it.

use crate::image::GrayImage;

/// A change and where it takes every point.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub name: &'static str,
    /// Heading under which the change is summed up.
    pub kind: &'static str,
    pub effect: Effect,
}

#[derive(Clone, Copy, Debug)]
pub enum Effect {
    View(View),
    /// Times of (1 4 6 4 1) x (1 4 6 4 1) / 256, each a standard deviation of 1 px.
    Blur(u32),
    /// Grey levels times this, cut at 255.
    Light(f64),
    /// Grey levels 255 * (v / 255)^2 or its inverse.
    Square,
    Root,
    /// Uniform noise of at most this many grey levels.
    Noise(u32),
}

/// A turn of the camera: changed = centre + (r * p) / (1 + tilt . p), p from the image centre.
#[derive(Clone, Copy, Debug)]
pub struct View {
    /// Rows of the linear part.
    pub linear: [[f64; 2]; 2],
    /// Perspective, over half the image width.
    pub tilt: [f64; 2],
}

const fn view(name: &'static str, linear: [[f64; 2]; 2], tilt: [f64; 2]) -> Change {
    Change { name, kind: "viewpoint", effect: Effect::View(View { linear, tilt }) }
}

const fn change(name: &'static str, kind: &'static str, effect: Effect) -> Change {
    Change { name, kind, effect }
}

/// The changes that repeatability is measured under.
pub const CHANGES: [Change; 12] = [
    // cos and sin of 10 degrees.
    view("roll 10 deg", [[0.984_807_753, -0.173_648_178], [0.173_648_178, 0.984_807_753]], [0.0, 0.0]),
    view("scale 0.85", [[0.85, 0.0], [0.0, 0.85]], [0.0, 0.0]),
    view("tilt about y", [[0.9, 0.0], [0.0, 1.0]], [0.2, 0.0]),
    view("tilt about x", [[1.0, 0.03], [0.0, 0.92]], [0.0, 0.2]),
    change("blur 1.0 px", "blur", Effect::Blur(1)),
    change("blur 1.4 px", "blur", Effect::Blur(2)),
    change("light x 0.5", "light", Effect::Light(0.5)),
    change("light x 1.5", "light", Effect::Light(1.5)),
    change("gamma 2", "light", Effect::Square),
    change("gamma 0.5", "light", Effect::Root),
    change("noise +-8", "noise", Effect::Noise(8)),
    change("noise +-16", "noise", Effect::Noise(16)),
];

impl Change {
    pub fn apply(&self, image: &GrayImage) -> GrayImage {
        match self.effect {
            Effect::View(view) => view.render(image),
            Effect::Blur(times) => (0..times).fold(image.clone(), |image, _| blurred(&image)),
            Effect::Light(factor) => map(image, |v| factor * v),
            Effect::Square => map(image, |v| v * v / 255.0),
            Effect::Root => map(image, |v| (255.0 * v).sqrt()),
            Effect::Noise(most) => noisy(image, most),
        }
    }

    /// Where the changed image shows a point; `None` where the motion folds over.
    pub fn move_point(&self, point: [f64; 2], image: &GrayImage) -> Option<[f64; 2]> {
        match self.effect {
            Effect::View(view) => view.forward(point, image.width(), image.height()),
            _ => Some(point),
        }
    }
}

impl View {
    fn forward(&self, [u, v]: [f64; 2], width: usize, height: usize) -> Option<[f64; 2]> {
        let (cu, cv) = centre(width, height);
        let [x, y] = [u - cu, v - cv];
        let depth = 1.0 + (self.tilt[0] * x + self.tilt[1] * y) / cu;
        let row = |[a, b]: [f64; 2]| (a * x + b * y) / depth;
        (depth > 0.1).then(|| [cu + row(self.linear[0]), cv + row(self.linear[1])])
    }

    /// The mean of four bilinear samples in each pixel; grey 0 where the photo does not reach.
    fn render(&self, image: &GrayImage) -> GrayImage {
        let (width, height) = (image.width(), image.height());
        let (cu, cv) = centre(width, height);
        let [[a, b], [c, d]] = self.linear;
        let determinant = a * d - b * c;
        let source = |u: f64, v: f64| {
            // From x' (1 + t . p) = L p: p solves (L - x' t^T) p = x', here by L first.
            let [x, y] = [(d * (u - cu) - b * (v - cv)) / determinant, (a * (v - cv) - c * (u - cu)) / determinant];
            let depth = 1.0 - (self.tilt[0] * x + self.tilt[1] * y) / cu;
            [cu + x / depth, cv + y / depth]
        };
        GrayImage::from_fn(width, height, |x, y| {
            let sample = |(du, dv): (f64, f64)| bilinear(image, source(x as f64 + du, y as f64 + dv));
            let sum: f64 = [(-0.25, -0.25), (0.25, -0.25), (-0.25, 0.25), (0.25, 0.25)].into_iter().map(sample).sum();
            (0.25 * sum + 0.5) as u8
        })
    }
}

fn centre(width: usize, height: usize) -> (f64, f64) {
    (0.5 * (width as f64 - 1.0), 0.5 * (height as f64 - 1.0))
}

fn bilinear(image: &GrayImage, [u, v]: [f64; 2]) -> f64 {
    let (last_x, last_y) = (image.width() - 1, image.height() - 1);
    if !(0.0..=last_x as f64).contains(&u) || !(0.0..=last_y as f64).contains(&v) {
        return 0.0;
    }
    let (x, y) = (u as usize, v as usize);
    let (fx, fy) = (u - x as f64, v - y as f64);
    let at = |x: usize, y: usize| f64::from(image.at(x.min(last_x), y.min(last_y)));
    let row = |y: usize| (1.0 - fx) * at(x, y) + fx * at(x + 1, y);
    (1.0 - fy) * row(y) + fy * row(y + 1)
}

/// The mean of 3 x 3 pixels from `offset` on, to a size of `width` x `height`; the caller keeps inside the image.
pub fn reduced(image: &GrayImage, offset: [usize; 2], width: usize, height: usize) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| {
        let row = |j: usize| {
            let row = &image.row(offset[1] + 3 * y + j)[offset[0] + 3 * x..][..3];
            row.iter().map(|&v| u32::from(v)).sum::<u32>()
        };
        ((2 * (row(0) + row(1) + row(2)) + 9) / 18) as u8
    })
}

/// Turned by 180 degrees.
pub fn turned(image: &GrayImage) -> GrayImage {
    let (width, height) = (image.width(), image.height());
    GrayImage::from_fn(width, height, |x, y| image.at(width - 1 - x, height - 1 - y))
}

/// The upper left part with sides that halve to the last level without rest.
pub fn even(image: &GrayImage) -> GrayImage {
    let [width, height] = [image.width(), image.height()].map(|side| side & !((1 << (super::LEVELS - 1)) - 1));
    GrayImage::from_fn(width, height, |x, y| image.at(x, y))
}

fn map(image: &GrayImage, f: impl Fn(f64) -> f64) -> GrayImage {
    GrayImage::from_fn(image.width(), image.height(), |x, y| (f(f64::from(image.at(x, y))) + 0.5).min(255.0) as u8)
}

fn blurred(image: &GrayImage) -> GrayImage {
    const WEIGHTS: [u32; 5] = [1, 4, 6, 4, 1];
    let (width, height) = (image.width(), image.height());
    let clamp = |i: usize, d: usize, size: usize| (i + d).saturating_sub(2).min(size - 1);
    let rows: Vec<u32> = (0..width * height)
        .map(|i| (0..5).map(|d| WEIGHTS[d] * u32::from(image.at(clamp(i % width, d, width), i / width))).sum())
        .collect();
    GrayImage::from_fn(width, height, |x, y| {
        let sum: u32 = (0..5).map(|d| WEIGHTS[d] * rows[clamp(y, d, height) * width + x]).sum();
        ((sum + 128) >> 8) as u8
    })
}

/// A fixed sequence, so that every run sees the same noise.
fn noisy(image: &GrayImage, most: u32) -> GrayImage {
    let mut state = 1_u32;
    GrayImage::from_fn(image.width(), image.height(), |x, y| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = ((state >> 16) % (2 * most + 1)) as i32 - most as i32;
        (i32::from(image.at(x, y)) + noise).clamp(0, 255) as u8
    })
}
