//! Bilinear interpolation with integer weights.

/// The weights of a pixel and its neighbours to the right, below, and both; their sum is 2^14.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Weights(pub [i32; 4]);

impl Weights {
    /// For a point `a` to the right of a pixel and `b` below it, 0 <= a, b < 1.
    ///
    /// The first three are rounded to even, the fourth is what remains and may be -1.
    pub fn new(a: f32, b: f32) -> Self {
        let [first, right, below] =
            [(1.0 - a) * (1.0 - b), a * (1.0 - b), (1.0 - a) * b].map(|w| (w * 16384.0).round_ties_even() as i32);
        Self([first, right, below, (1 << 14) - first - right - below])
    }

    /// The weighted sum of two pixels and the two below them, divided by 2^shift and rounded half up.
    pub fn mean(&self, upper: [i32; 2], lower: [i32; 2], shift: u32) -> i32 {
        let Self([a, b, c, d]) = self;
        (upper[0] * a + upper[1] * b + lower[0] * c + lower[1] * d + (1 << (shift - 1))) >> shift
    }
}

/// A point of an image, level px: the pixel before it and the weights of the four around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    pub x: i32,
    pub y: i32,
    pub weights: Weights,
}

impl Point {
    /// Of finite coordinates within the range of pixels.
    pub fn new([x, y]: [f32; 2]) -> Self {
        let (left, top) = (x.floor(), y.floor());
        Self { x: left as i32, y: top as i32, weights: Weights::new(x - left, y - top) }
    }
}
