//! A tensor on its way from host memory to where the kernel reads it.
#![allow(unsafe_code, reason = "queues copies")]

use std::sync::Arc;
use std::thread;

use crate::gpu::abi::DevicePointer;
use crate::gpu::context::{Context, Stream};
use crate::gpu::device::MemorySystem;
use crate::gpu::error::GpuError;
use crate::gpu::memory::{DeviceBuffer, MappedBuffer};

/// Threads that copy a tensor for a card with memory of its own: one alone is slower than the bus.
const THREADS: usize = 4;
/// Smaller pieces are not worth a thread, bytes.
const LEAST_PIECE: usize = 256 << 10;

/// Memory that the host writes.
#[derive(Debug)]
pub(super) enum HostTensor {
    /// The kernel reaches it.
    Mapped(MappedBuffer),
    /// A piece is on the bus while others are still copied.
    Sent { pieces: Vec<MappedBuffer>, piece_bytes: usize, device: DeviceBuffer },
}

impl HostTensor {
    /// For `bytes` bytes.
    pub(super) fn new(context: &Arc<Context>, bytes: usize) -> Result<Self, GpuError> {
        let memory = context.device().memory;
        if memory != MemorySystem::Discrete {
            // The TX2's CPU does not cache pinned memory: combined writes are the fast way in there.
            return Ok(Self::Mapped(MappedBuffer::new(context, bytes, memory == MemorySystem::Uncached)?));
        }
        let piece_bytes = bytes.div_ceil(THREADS).max(LEAST_PIECE);
        let pieces = (0..bytes.div_ceil(piece_bytes)).map(|_| MappedBuffer::new(context, piece_bytes, false));
        Ok(Self::Sent {
            pieces: pieces.collect::<Result<_, _>>()?,
            piece_bytes,
            device: DeviceBuffer::new(context, bytes)?,
        })
    }

    /// Copies a tensor to where work queued behind it on `stream` finds it, and says where.
    ///
    /// # Safety
    /// What was queued with the tensor before is done; `self` lives until the work of `stream` is.
    pub(super) unsafe fn write(&mut self, bytes: &[u8], stream: &Stream) -> Result<DevicePointer, GpuError> {
        let (pieces, piece_bytes, device) = match self {
            Self::Mapped(buffer) => {
                buffer.write(0, bytes)?;
                return Ok(buffer.address());
            }
            Self::Sent { pieces, piece_bytes, device } => (pieces, *piece_bytes, device),
        };
        let mut work = pieces.iter_mut().zip(bytes.chunks(piece_bytes));
        let send = |index: usize, piece: &MappedBuffer, bytes: usize| {
            // SAFETY: passed on to the caller.
            unsafe { piece.copy_part_to(device, index * piece_bytes, bytes, stream) }
        };
        thread::scope(|scope| {
            let first = work.next();
            let others = work
                .map(|(piece, bytes)| {
                    let copy = move || piece.write(0, bytes).map(|()| (piece, bytes.len()));
                    thread::Builder::new().spawn_scoped(scope, copy)
                })
                .collect::<Result<Vec<_>, _>>()
                .map_err(|error| GpuError::Thread { message: error.to_string() })?;
            if let Some((piece, bytes)) = first {
                piece.write(0, bytes)?;
                send(0, piece, bytes.len())?;
            }
            for (index, other) in others.into_iter().enumerate() {
                let copied = other.join().map_err(|_| GpuError::Thread { message: "a copy panicked".to_owned() })?;
                let (piece, bytes) = copied?;
                send(1 + index, piece, bytes)?;
            }
            Ok(device.address())
        })
    }
}
