//! The request of `tests/emulation/launch.cpp`, byte by byte.

/// The order in which blocks and threads take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Schedule {
    Forward,
    Reverse,
    Random(u64),
}

/// Where an address is written.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    Args,
    Buffer(u32),
}

/// Writes the address of byte `target_offset` of buffer `target` at `offset` of a place.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    pub place: Place,
    pub offset: u64,
    pub target: u32,
    pub target_offset: u64,
}

impl Relocation {
    /// The address of a buffer among the arguments.
    pub fn arg(offset: u64, target: u32) -> Self {
        Self { place: Place::Args, offset, target, target_offset: 0 }
    }
}

#[derive(Debug)]
pub struct Request<'a> {
    pub kernel: &'a str,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub schedule: Schedule,
    pub args: &'a [u8],
    pub relocations: &'a [Relocation],
}

impl Request<'_> {
    pub(super) fn encode(&self, buffers: &[Vec<u8>]) -> Vec<u8> {
        let mut out = Vec::new();
        let length = |out: &mut Vec<u8>, n: usize| out.extend((n as u32).to_le_bytes());
        length(&mut out, self.kernel.len());
        out.extend(self.kernel.as_bytes());
        for side in self.grid.iter().chain(&self.block) {
            out.extend(side.to_le_bytes());
        }
        let (order, seed) = match self.schedule {
            Schedule::Forward => (0u32, 0),
            Schedule::Reverse => (1, 0),
            Schedule::Random(seed) => (2, seed),
        };
        out.extend(order.to_le_bytes());
        out.extend(seed.to_le_bytes());
        length(&mut out, buffers.len());
        for buffer in buffers {
            out.extend((buffer.len() as u64).to_le_bytes());
            out.extend(buffer);
        }
        length(&mut out, self.args.len());
        out.extend(self.args);
        length(&mut out, self.relocations.len());
        for relocation in self.relocations {
            let place = match relocation.place {
                Place::Args => u32::MAX,
                Place::Buffer(index) => index,
            };
            out.extend(place.to_le_bytes());
            out.extend(relocation.offset.to_le_bytes());
            out.extend(relocation.target.to_le_bytes());
            out.extend(relocation.target_offset.to_le_bytes());
        }
        out
    }
}
