//! The window that a point is tracked from, and what of it counts. Sums are of integers, so that their order is free.

use super::GREATEST_WINDOW;
use super::bilinear::Point;
use super::gradient::scharr;
use super::patch::{GREATEST_PATCH, Patch};
use crate::image::GrayImage;

pub(super) const SIDE: usize = GREATEST_WINDOW as usize;
/// Intensities of the residual are in 1/32 grey level: 2^14 of the weights less these bits.
const INTENSITY_SHIFT: u32 = 9;
/// Gradients keep their scale, which is 32 as well.
const GRADIENT_SHIFT: u32 = 14;

/// One interpolated quantity over a window, row by row.
type Values = [[i16; SIDE]; SIDE];

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

    pub(super) fn rows(&self) -> std::ops::Range<usize> {
        self.rows[0]..self.rows[1]
    }

    /// The columns that count.
    pub(super) fn of<'a, T>(&self, row: &'a [T]) -> &'a [T] {
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
    point: Point,
    /// The window's pixels, one more at each side for the gradients, and one behind for the interpolation.
    patch: Patch,
    /// Ix and Iy, 1/32 grey level / px, within +-4080.
    gradients: [Values; 2],
}

/// Sums over a template's gradients, which no search changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TemplateSums {
    /// Number of pixels.
    pub n: i64,
    pub x: i64,
    pub y: i64,
    pub xx: i64,
    pub xy: i64,
    pub yy: i64,
}

/// Sums over two windows of intensities I and J, in 1/32 grey level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairSums {
    pub i: i64,
    pub j: i64,
    pub ii: i64,
    pub ij: i64,
    pub jj: i64,
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
        let mut template = Self { side, area, point: *point, patch, gradients: [[[0; SIDE]; SIDE]; 2] };
        for (gradients, out) in gradients.iter().zip(&mut template.gradients) {
            for (y, out) in out.iter_mut().enumerate().take(side) {
                interpolate(&gradients[y], &gradients[y + 1], point, GRADIENT_SHIFT, &mut out[..side]);
            }
        }
        template
    }

    /// All of it that may count.
    pub fn area(&self) -> Area {
        self.area
    }

    /// Pixels along each side.
    pub fn side(&self) -> usize {
        self.side
    }

    /// The point that it is about.
    pub fn point(&self) -> &Point {
        &self.point
    }

    /// Ix and Iy of a row of the window.
    pub(super) fn gradients(&self, row: usize) -> [&[i16]; 2] {
        let [x, y] = &self.gradients;
        [&x[row][..self.side], &y[row][..self.side]]
    }

    /// What counts beside the window about a point of another image.
    pub fn area_with(&self, image: &GrayImage, point: &Point) -> Area {
        self.area.overlap(&Area::inside(image, point, self.side / 2, [0, 1]))
    }

    /// The pixels of its own window, one more to the right and below.
    pub(super) fn row_of_pixels(&self, row: usize) -> &[u8] {
        &self.patch.row(row + 1)[1..]
    }

    /// Those of the window about a point of another image.
    pub(super) fn window(&self, image: &GrayImage, point: &Point) -> Patch {
        let radius = (self.side / 2) as i32;
        Patch::cut(image, point.x - radius, point.y - radius, self.side + 1)
    }

    /// The sums over an area.
    pub fn sums(&self, area: &Area) -> TemplateSums {
        let mut sums = TemplateSums { n: area.pixels(), ..TemplateSums::default() };
        for row in area.rows() {
            let [x, y] = self.gradients(row).map(|row| area.of(row));
            sums.x += sum(x);
            sums.y += sum(y);
            sums.xx += dot(x, x);
            sums.xy += dot(x, y);
            sums.yy += dot(y, y);
        }
        sums
    }

    /// The sums over an area with the window J about a point of another image, intensities rounded.
    pub fn sums_with(&self, image: &GrayImage, point: &Point, area: &Area) -> PairSums {
        let patch = self.window(image, point);
        let (mut i, mut j) = ([0; SIDE], [0; SIDE]);
        let mut sums = PairSums::default();
        for row in area.rows() {
            let (upper, lower) = (self.row_of_pixels(row), self.row_of_pixels(row + 1));
            interpolate(upper, lower, &self.point, INTENSITY_SHIFT, &mut i[..self.side]);
            interpolate(patch.row(row), patch.row(row + 1), point, INTENSITY_SHIFT, &mut j[..self.side]);
            let (i, j) = (area.of(&i), area.of(&j));
            sums.i += sum(i);
            sums.j += sum(j);
            sums.ii += dot(i, i);
            sums.ij += dot(i, j);
            sums.jj += dot(j, j);
        }
        sums
    }
}

/// One row of a window from two rows of pixels.
fn interpolate<T: Copy + Into<i32>>(upper: &[T], lower: &[T], point: &Point, shift: u32, out: &mut [i16]) {
    let count = out.len();
    let (upper, lower) = (&upper[..=count], &lower[..=count]);
    for (x, out) in out.iter_mut().enumerate() {
        let pair = |row: &[T]| [row[x].into(), row[x + 1].into()];
        *out = point.weights.mean(pair(upper), pair(lower), shift) as i16;
    }
}

fn sum(a: &[i16]) -> i64 {
    a.iter().map(|a| i32::from(*a)).sum::<i32>().into()
}

/// A row of squares fits 32 bits.
pub(super) fn dot(a: &[i16], b: &[i16]) -> i64 {
    a.iter().zip(b).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum::<i32>().into()
}
