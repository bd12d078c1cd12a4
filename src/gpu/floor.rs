//! The floor under a frame (`kernels/floor.cu`): its bytes in and out and its barriers, without the work. It tells what a
//! way of the bytes costs on a device, and how much of a frame's time is work.

pub mod abi;

use bytemuck::Zeroable;

use super::plan::{Buffer, buffer};
use abi::{FloorArgs, FloorHeader};

/// Threads of a block.
pub const THREADS: u32 = 256;

/// Bytes of the units that are read and written.
const UNIT: usize = 16;

/// What a launch of `frame_floor` moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FloorPlan {
    /// Bytes in, rounded up to whole units of 16 bytes.
    pub source_bytes: usize,
    /// Bytes out, likewise.
    pub result_bytes: usize,
    /// How often all blocks meet; less than 2 counts as 2.
    pub barriers: u32,
}

impl FloorPlan {
    /// Every buffer. Of the host: source, results and header.
    pub fn buffers(&self) -> Vec<Buffer> {
        vec![
            buffer!(FloorArgs.source, self.source_bytes.next_multiple_of(UNIT), true),
            buffer!(FloorArgs.results, self.result_bytes.next_multiple_of(UNIT), true),
            buffer!(FloorArgs.header, size_of::<FloorHeader>(), true),
            buffer!(FloorArgs.state, 3 * size_of::<u32>(), false),
        ]
    }

    /// The arguments of launch number `frame`, all pointers still 0.
    pub fn arguments(&self, frame: u64) -> FloorArgs {
        FloorArgs {
            frame,
            source_count: self.source_bytes.div_ceil(UNIT) as u32,
            result_count: self.result_bytes.div_ceil(UNIT) as u32,
            barriers: self.barriers,
            ..FloorArgs::zeroed()
        }
    }

    /// What a launch makes of `source`, whose whole words count: the sum in the header, and the results.
    pub fn plain(&self, source: &[u8]) -> (u32, Vec<u8>) {
        let words = source.chunks_exact(size_of::<u32>()).map(bytemuck::pod_read_unaligned::<u32>);
        let sum = words.fold(0, u32::wrapping_add);
        let count = self.result_bytes.next_multiple_of(UNIT) / size_of::<u32>();
        (sum, (0..count as u32).flat_map(|k| sum.wrapping_add(k).to_ne_bytes()).collect())
    }
}
