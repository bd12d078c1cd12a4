//! Windows about a point, and the sums over them: integers, so that their order is free.

use super::GREATEST_WINDOW;
use super::bilinear::Point;
use super::gradient::scharr;
use super::patch::{GREATEST_PATCH, Patch};
use crate::image::GrayImage;

const SIDE: usize = GREATEST_WINDOW as usize;
/// Intensities are in 1/32 grey level: 2^14 of the weights less these bits.
const INTENSITY_SHIFT: u32 = 9;
/// Gradients keep their scale, which is 32 as well.
const GRADIENT_SHIFT: u32 = 14;

/// One interpolated quantity over a window, row by row.
type Values = [[i32; SIDE]; SIDE];

/// The part of a window that counts: columns and rows, from the first to before the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Area {
    columns: [usize; 2],
    rows: [usize; 2],
}

impl Area {
    /// Where `before` pixels before and `after` pixels behind each of the window's lie inside the image, along both axes.
    fn inside(image: &GrayImage, point: &Point, radius: usize, [before, after]: [i32; 2]) -> Self {
        let side = 2 * radius as i32 + 1;
        let span = |middle: i32, count: usize| {
            let first = middle - radius as i32;
            let begin = (before - first).clamp(0, side);
            [begin as usize, (count as i32 - after - first).clamp(begin, side) as usize]
        };
        Self { columns: span(point.x, image.width()), rows: span(point.y, image.height()) }
    }

    /// What both have.
    fn overlap(&self, other: &Self) -> Self {
        let span = |[a, b]: [usize; 2], [c, d]: [usize; 2]| [a.max(c), b.min(d).max(a.max(c))];
        Self { columns: span(self.columns, other.columns), rows: span(self.rows, other.rows) }
    }

    fn pixels(&self) -> i64 {
        ((self.columns[1] - self.columns[0]) * (self.rows[1] - self.rows[0])) as i64
    }

    fn rows(&self) -> std::ops::Range<usize> {
        self.rows[0]..self.rows[1]
    }

    /// The columns that count.
    fn of<'a>(&self, row: &'a [i32]) -> &'a [i32] {
        &row[self.columns[0]..self.columns[1]]
    }
}

/// The window in the image that a point is tracked from.
#[derive(Clone, Debug)]
pub struct Template {
    /// Pixels along each side.
    side: usize,
    /// Where gradients are those of the image.
    area: Area,
    /// I, 1/32 grey level, 0 to 8160.
    intensity: Values,
    /// Ix and Iy, 1/32 grey level / px, within +-4080.
    gradients: [Values; 2],
}

/// Sums over a template that no search changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateSums {
    /// Number of pixels.
    pub n: i64,
    pub i: i64,
    pub x: i64,
    pub y: i64,
    pub ii: i64,
    pub xi: i64,
    pub yi: i64,
    pub xx: i64,
    pub xy: i64,
    pub yy: i64,
}

/// Sums of a template with a window J of the other image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairSums {
    pub j: i64,
    pub jj: i64,
    pub ij: i64,
    pub xj: i64,
    pub yj: i64,
}

impl Template {
    /// The window of `radius` about a point of `image`.
    pub fn new(image: &GrayImage, point: &Point, radius: usize) -> Self {
        let side = 2 * radius + 1;
        let before = radius as i32 + 1;
        let patch = Patch::cut(image, point.x - before, point.y - before, side + 3);
        let mut gradients = [[[0_i16; GREATEST_PATCH]; GREATEST_PATCH]; 2];
        let [gx, gy] = &mut gradients;
        for (y, (gx, gy)) in gx.iter_mut().zip(gy).take(side + 1).enumerate() {
            scharr(&patch, y + 1, &mut gx[..=side], &mut gy[..=side]);
        }
        let area = Area::inside(image, point, radius, [1, 2]);
        let mut template = Self { side, area, intensity: [[0; SIDE]; SIDE], gradients: [[[0; SIDE]; SIDE]; 2] };
        for y in 0..side {
            let (upper, lower) = (&patch.row(y + 1)[1..], &patch.row(y + 2)[1..]);
            interpolate(upper, lower, point, INTENSITY_SHIFT, &mut template.intensity[y][..side]);
            for (gradients, out) in gradients.iter().zip(&mut template.gradients) {
                interpolate(&gradients[y], &gradients[y + 1], point, GRADIENT_SHIFT, &mut out[y][..side]);
            }
        }
        template
    }

    /// All of it that may count.
    pub fn area(&self) -> Area {
        self.area
    }

    /// What counts beside the window about a point of another image.
    pub fn area_with(&self, image: &GrayImage, point: &Point) -> Area {
        self.area.overlap(&Area::inside(image, point, self.side / 2, [0, 1]))
    }

    /// The sums over an area. A row of squares fits 32 bits.
    pub fn sums(&self, area: &Area) -> TemplateSums {
        let [gx, gy] = &self.gradients;
        let mut sums = TemplateSums { n: area.pixels(), ..TemplateSums::default() };
        for row in area.rows() {
            let (i, x, y) = (area.of(&self.intensity[row]), area.of(&gx[row]), area.of(&gy[row]));
            sums.i += sum(i);
            sums.x += sum(x);
            sums.y += sum(y);
            sums.ii += dot(i, i);
            sums.xi += dot(x, i);
            sums.yi += dot(y, i);
            sums.xx += dot(x, x);
            sums.xy += dot(x, y);
            sums.yy += dot(y, y);
        }
        sums
    }

    /// The sums over an area with the window J about a point of another image.
    pub fn sums_with(&self, image: &GrayImage, point: &Point, area: &Area) -> PairSums {
        let radius = (self.side / 2) as i32;
        let patch = Patch::cut(image, point.x - radius, point.y - radius, self.side + 1);
        let [gx, gy] = &self.gradients;
        let mut buffer = [0; SIDE];
        let mut sums = PairSums::default();
        for row in area.rows() {
            interpolate(patch.row(row), patch.row(row + 1), point, INTENSITY_SHIFT, &mut buffer[..self.side]);
            let j = area.of(&buffer);
            sums.j += sum(j);
            sums.jj += dot(j, j);
            sums.ij += dot(area.of(&self.intensity[row]), j);
            sums.xj += dot(area.of(&gx[row]), j);
            sums.yj += dot(area.of(&gy[row]), j);
        }
        sums
    }
}

/// One row of a window from two rows of pixels.
fn interpolate<T: Copy + Into<i32>>(upper: &[T], lower: &[T], point: &Point, shift: u32, out: &mut [i32]) {
    let count = out.len();
    let (upper, lower) = (&upper[..=count], &lower[..=count]);
    for (x, out) in out.iter_mut().enumerate() {
        let pair = |row: &[T]| [row[x].into(), row[x + 1].into()];
        *out = point.weights.mean(pair(upper), pair(lower), shift);
    }
}

fn sum(a: &[i32]) -> i64 {
    a.iter().sum::<i32>().into()
}

fn dot(a: &[i32], b: &[i32]) -> i64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum::<i32>().into()
}
