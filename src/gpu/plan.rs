//! What one launch of `detect` needs for an image size and settings: buffers and arguments.

use super::abi::{Candidate, CornerSlot, DetectArgs, DetectHeader, Level};
use crate::detect::threshold::TILE;
use crate::detect::{DetectSettings, Gain, MAX_LEVELS};
use crate::feature::{Descriptor, Feature};
use crate::image::{Encoding, ImageView};

/// Greatest width and height: positions in half pixels are 16-bit on the device. Larger images take the CPU.
pub const GREATEST_SIDE: u32 = 32767;

/// Slots of a tile: suppression leaves at most one survivor in 2 x 2 pixels.
const TILE_SLOTS: usize = TILE * TILE / 4;
/// Bins of the order (`kernels/detect/key.cuh`).
const ORDER_BINS: usize = 1024;

/// One buffer on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffer {
    /// Field of the arguments that points to it.
    pub field: &'static str,
    /// Where the field lies in the arguments, bytes.
    pub offset: usize,
    /// Its size, bytes.
    pub bytes: usize,
    /// Whether the host writes it before a launch or reads it after; the others stay on the device.
    pub host: bool,
}

/// The [`Buffer`] behind a field of a kernel's arguments.
macro_rules! buffer {
    ($args:ident . $field:ident, $bytes:expr, $host:expr) => {
        $crate::gpu::plan::Buffer {
            field: stringify!($field),
            offset: std::mem::offset_of!($args, $field),
            bytes: $bytes,
            host: $host,
        }
    };
}
pub(super) use buffer;

/// Sizes that the buffers follow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DetectPlan {
    pub width: u32,
    pub height: u32,
    pub encoding: Encoding,
    pub big_endian: bool,
    pub settings: DetectSettings,
}

impl DetectPlan {
    /// The plan for images such as `image`; `None` if its sides exceed [`GREATEST_SIDE`].
    pub fn new(image: &ImageView<'_>, settings: &DetectSettings) -> Option<Self> {
        let (width, height) = (image.width(), image.height());
        (width.max(height) <= GREATEST_SIDE).then_some(Self {
            width,
            height,
            encoding: image.encoding(),
            big_endian: image.big_endian(),
            settings: *settings,
        })
    }

    /// Bytes from one row of the source to the next: whole groups of four pixels, and a multiple of 16.
    pub fn source_pitch(&self) -> usize {
        ((self.width as usize).next_multiple_of(4) * self.encoding.bytes_per_pixel()).next_multiple_of(16)
    }

    /// Width, height and offset in the pyramid of each level, as [`pyramid_levels`].
    pub fn levels(&self) -> Vec<(usize, usize, usize)> {
        pyramid_levels(self.width, self.height, self.settings.levels)
    }

    /// Tiles of all levels: more blocks than this find no work.
    pub fn tiles(&self) -> u32 {
        self.each_level().map(tiles_of).sum::<usize>() as u32
    }

    fn each_level(&self) -> impl Iterator<Item = (usize, usize, usize)> {
        each_level(self.width, self.height, self.settings.levels)
    }

    /// Where a level lies; all zero for one that is not there.
    fn level(&self, index: usize) -> Level {
        let Some((width, height, offset)) = self.each_level().nth(index) else { return bytemuck::Zeroable::zeroed() };
        let tiles_x = width.div_ceil(TILE) as u32;
        Level {
            index: index as u32,
            width: width as i32,
            height: height as i32,
            pitch: level_pitch(width) as u32,
            offset: offset as u32,
            tiles_x,
            // Exact for the 2^20 tiles of the greatest level, with 2^10 in a row.
            tiles_x_inverse: (1u32 << 31).div_ceil(tiles_x),
            first_tile: self.each_level().take(index).map(tiles_of).sum::<usize>() as u32,
        }
    }

    /// Most candidates of a cell: of each level one in 2 x 2 pixels.
    fn cell_capacity(&self) -> usize {
        let along = |size: u32, cells: u32, level: u32| {
            // Half pixels of a cell; pixels of the level lie 2^(level + 1) of them apart.
            let span = (2 * size as usize).div_ceil(cells.max(1) as usize);
            span.div_ceil(2 << level).div_ceil(2)
        };
        let settings = &self.settings;
        let levels = 0..settings.levels;
        levels.map(|l| along(self.width, settings.grid_x, l) * along(self.height, settings.grid_y, l)).sum()
    }

    /// Every buffer. Those of the host: the source, the mask, features, descriptors and header.
    pub fn buffers(&self) -> Vec<Buffer> {
        let levels = self.levels();
        let pixels = pyramid_bytes(&levels);
        let tiles0 = levels.first().map_or(0, |&level| tiles_of(level));
        let tiles = self.tiles() as usize;
        let slots = tiles * TILE_SLOTS;
        let cells = self.settings.grid_x as usize * self.settings.grid_y as usize;
        let target = self.settings.target as usize;
        let described = if self.settings.describe { target } else { 0 };
        let area = self.width as usize * self.height as usize;
        let (word, key) = (size_of::<u32>(), size_of::<u64>());

        vec![
            buffer!(DetectArgs.source, self.source_pitch() * self.height as usize, true),
            buffer!(DetectArgs.mask, area, true),
            buffer!(DetectArgs.features, target * size_of::<Feature>(), true),
            buffer!(DetectArgs.descriptors, described * Descriptor::LEN, true),
            buffer!(DetectArgs.header, size_of::<DetectHeader>(), true),
            buffer!(DetectArgs.pyramid, pixels, false),
            buffer!(DetectArgs.barrier, 2 * word, false),
            buffer!(DetectArgs.totals, 2 * word, false),
            buffer!(DetectArgs.peaks, slots * size_of::<u16>(), false),
            buffer!(DetectArgs.medians, tiles0, false),
            buffer!(DetectArgs.thresholds, tiles0, false),
            buffer!(DetectArgs.slot_counts, tiles * word, false),
            buffer!(DetectArgs.slots, slots * size_of::<CornerSlot>(), false),
            buffer!(DetectArgs.cell_counts, cells * word, false),
            buffer!(DetectArgs.candidates, cells * self.cell_capacity() * size_of::<Candidate>(), false),
            buffer!(DetectArgs.pool_bins, ORDER_BINS * word, false),
            buffer!(DetectArgs.bin_starts, ORDER_BINS * word, false),
            buffer!(DetectArgs.cell_class0, cells * word, false),
            buffer!(DetectArgs.cell_all, cells * word, false),
            buffer!(DetectArgs.cell_nexts, cells * key, false),
            buffer!(DetectArgs.selected, (target + cells) * size_of::<Candidate>(), false),
            buffer!(DetectArgs.bin_counts, ORDER_BINS * word, false),
            buffer!(DetectArgs.bin_members, slots * key, false),
        ]
    }

    /// The arguments of one frame, all pointers still 0. `prefilter` asks for one more binomial pass.
    pub fn arguments(&self, gain: Gain, prefilter: bool, frame: u64) -> DetectArgs {
        let settings = &self.settings;
        DetectArgs {
            frame,
            source_pitch: self.source_pitch() as u32,
            source_format: source_format(self.encoding, self.big_endian),
            binomial_passes: u32::from(self.encoding == Encoding::Bayer8) + u32::from(prefilter),
            width: self.width,
            height: self.height,
            levels: settings.levels,
            target: settings.target,
            threshold_min: settings.threshold_min.into(),
            threshold_max: settings.threshold_max.into(),
            ratio_q8: settings.ratio_q8,
            gain_q16: gain.0,
            grid_x: settings.grid_x,
            grid_y: settings.grid_y,
            describe: settings.describe.into(),
            cell_capacity: self.cell_capacity() as u32,
            tiles: self.tiles(),
            level0: self.level(0),
            level1: self.level(1),
            level2: self.level(2),
            ..bytemuck::Zeroable::zeroed()
        }
    }
}

/// Width, height and offset in a pyramid on the device of each of its levels. Rows have [`level_pitch`] bytes.
pub fn pyramid_levels(width: u32, height: u32, levels: u32) -> Vec<(usize, usize, usize)> {
    each_level(width, height, levels).collect()
}

/// [`pyramid_levels`], without memory of its own: a frame allocates nothing.
fn each_level(width: u32, height: u32, levels: u32) -> impl Iterator<Item = (usize, usize, usize)> {
    let first = (width as usize, height as usize, 0);
    let next = |&(width, height, offset): &(usize, usize, usize)| {
        Some((width / 2, height / 2, offset + level_pitch(width) * height))
    };
    std::iter::successors(Some(first), next).take((levels as usize).clamp(1, MAX_LEVELS))
}

/// Tiles of a level.
fn tiles_of((width, height, _): (usize, usize, usize)) -> usize {
    width.div_ceil(TILE) * height.div_ceil(TILE)
}

/// Size of a pyramid, bytes.
pub(super) fn pyramid_bytes(levels: &[(usize, usize, usize)]) -> usize {
    levels.last().map_or(0, |&(width, height, offset)| offset + level_pitch(width) * height)
}

/// Pixels from one row of a level to the next.
pub fn level_pitch(width: usize) -> usize {
    width.next_multiple_of(16)
}

/// `SourceFormat` of kernels/abi.cuh. Every encoding has one: a new one does not compile without.
fn source_format(encoding: Encoding, big_endian: bool) -> u32 {
    match encoding {
        Encoding::Mono8 | Encoding::Bayer8 => 0,
        Encoding::Mono16 if !big_endian => 2,
        Encoding::Mono16 | Encoding::Yuyv => 1,
        Encoding::Uyvy => 2,
        Encoding::Rgb8 => 3,
        Encoding::Bgr8 => 4,
        Encoding::Rgba8 => 5,
        Encoding::Bgra8 => 6,
    }
}
