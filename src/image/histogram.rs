//! `histogram_method`: contrast spread by the image's own histogram, over the whole image or over tiles, in integers.
//!
//! Both agree with OpenCV 4's `equalizeHist` and `createCLAHE(3.0, (8, 8))`, as VINS calls it, to one grey level.

use super::GrayImage;

/// Where each grey level goes.
type Lut = [u8; 256];

/// Tiles along each side of the image.
const TILES: usize = 8;
/// Pixels of a tile that one grey level may hold, over the even share of 1/256.
const CLIP_LIMIT: u32 = 3;
/// Weights of the interpolation between tiles are whole 4096ths: 255 * 4096 * 4096 and half a unit just fit 32 bits.
const ONE: u32 = 1 << 12;

impl GrayImage {
    /// Spreads the grey levels by their cumulative histogram, in place: level v becomes 255 (below(v) - n0) / (n - n0),
    /// half to even, of n pixels, of which below(v) are at most v and n0 have the least level. A flat image stays.
    pub fn equalise(&mut self) {
        let mut counts = [0_u32; 256];
        count(&self.pixels, &mut counts);
        let pixels = self.pixels.len() as u32;
        let Some(least) = counts.iter_mut().find(|count| **count > 0) else { return };
        let spread = pixels - *least;
        if spread == 0 {
            return;
        }
        *least = 0;
        let lut = cumulative(&counts, spread);
        for pixel in &mut self.pixels {
            *pixel = lut[usize::from(*pixel)];
        }
    }

    /// Contrast-limited adaptive histogram equalisation (K. Zuiderveld, Graphics Gems IV, 1994), in place, over 8 x 8
    /// tiles with a clip limit of 3.
    ///
    /// As in OpenCV, sides that are not both multiples of 8 are first continued to the next multiple of 8, by mirroring
    /// about the edge pixel; a side that is one already gets 8 more. Tiles are mapped as by [`GrayImage::equalise`]
    /// with n0 = 0; a pixel takes the mean of its four tiles' values, weighed by its distance from their centres.
    pub fn equalise_tiles(&mut self) {
        if self.pixels.is_empty() {
            return;
        }
        let even = self.width.is_multiple_of(TILES) && self.height.is_multiple_of(TILES);
        let [tile_width, tile_height] =
            [self.width, self.height].map(|side| if even { side / TILES } else { side / TILES + 1 });
        let mut luts = [[0; 256]; TILES * TILES];
        for (i, lut) in luts.iter_mut().enumerate() {
            *lut = self.tile_lut([i % TILES * tile_width, i / TILES * tile_height], [tile_width, tile_height]);
        }
        let columns: Vec<Between> = (0..self.width).map(|x| Between::tiles(x, tile_width)).collect();
        for (y, row) in self.pixels.chunks_exact_mut(self.width).enumerate() {
            let vertical = Between::tiles(y, tile_height);
            let [above, below] = vertical.tiles.map(|tile| &luts[tile * TILES..][..TILES]);
            for (pixel, horizontal) in row.iter_mut().zip(&columns) {
                let of = |luts: &[Lut]| horizontal.mean(|tile| u32::from(luts[tile][usize::from(*pixel)]));
                let rows = [of(above), of(below)];
                let sum = rows[0] * (ONE - vertical.weight) + rows[1] * vertical.weight;
                *pixel = ((sum + ONE * ONE / 2) / (ONE * ONE)) as u8;
            }
        }
    }

    /// Where the levels of the tile whose first pixel is `corner` go.
    fn tile_lut(&self, corner: [usize; 2], size: [usize; 2]) -> Lut {
        let mut counts = [0; 256];
        for y in corner[1]..corner[1] + size[1] {
            let row = self.row(mirror(y, self.height));
            let inside = row.get(corner[0]..).unwrap_or_default();
            let inside = &inside[..inside.len().min(size[0])];
            count(inside, &mut counts);
            for x in corner[0] + inside.len()..corner[0] + size[0] {
                counts[usize::from(row[mirror(x, self.width)])] += 1;
            }
        }
        let area = (size[0] * size[1]) as u32;
        clip(&mut counts, (CLIP_LIMIT * area / 256).max(1));
        cumulative(&counts, area)
    }
}

/// The two tiles along one axis between whose centres a pixel lies, and the second one's weight in units of 1 / [`ONE`].
/// Outside the outermost centres both are the same tile.
struct Between {
    tiles: [usize; 2],
    weight: u32,
}

impl Between {
    fn tiles(pixel: usize, size: usize) -> Self {
        // In half pixels, from half a tile before the image.
        let (at, tile) = (2 * pixel + size, 2 * size);
        let weight = ((at % tile) as u32 * ONE + size as u32) / tile as u32;
        Self { tiles: [(at / tile).max(1) - 1, (at / tile).min(TILES - 1)], weight }
    }

    /// The weighed sum of the values of both tiles, in units of 1 / [`ONE`].
    fn mean(&self, value: impl Fn(usize) -> u32) -> u32 {
        value(self.tiles[0]) * (ONE - self.weight) + value(self.tiles[1]) * self.weight
    }
}

fn count(pixels: &[u8], counts: &mut [u32; 256]) {
    for &pixel in pixels {
        counts[usize::from(pixel)] += 1;
    }
}

/// Takes what exceeds `limit` from each level and hands it to all alike, the remainder to levels evenly spaced.
fn clip(counts: &mut [u32; 256], limit: u32) {
    let mut excess = 0;
    for count in counts.iter_mut() {
        excess += count.saturating_sub(limit);
        *count = (*count).min(limit);
    }
    for count in counts.iter_mut() {
        *count += excess / 256;
    }
    let remainder = excess as usize % 256;
    for count in counts.iter_mut().step_by(256 / remainder.max(1)).take(remainder) {
        *count += 1;
    }
}

/// 255 / `total` of the counts up to each level, rounded, half to even.
fn cumulative(counts: &[u32; 256], total: u32) -> Lut {
    let total = u64::from(total);
    let mut sum = 0;
    counts.map(|count| {
        sum += 255 * u64::from(count);
        let (whole, twice_rest) = (sum / total, 2 * (sum % total));
        let up = twice_rest > total || twice_rest == total && whole % 2 == 1;
        (whole + u64::from(up)) as u8
    })
}

/// Index `i`, beyond the end mirrored about the last element, as often as it takes. An only element is its own mirror.
fn mirror(i: usize, len: usize) -> usize {
    let period = 2 * (len - 1);
    if period == 0 {
        return 0;
    }
    let i = i % period;
    i.min(period - i)
}
