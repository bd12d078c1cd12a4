//! CUDA at run time, found when the program starts and never linked: sources in, typed launches out.
//!
//! [`driver::Driver`] is libcuda, [`device::Device`] a GPU, [`context::Context`] this process's part of it.
//! [`builder::Builder`] turns a [`program::Program`] (sources) into an image with NVRTC ([`nvrtc`]), the disk cache
//! ([`cache`]) or PTX kept in the binary ([`embedded`]); [`module::Module`] loads it, and [`module::Kernel`] launches
//! with an argument of a known type on [`memory`]. [`kernels::Kernels`] is all of that for the front end's own programs,
//! [`pipeline::Pipeline`] a stream of frames on them, [`engine::Engine`] the whole. Everything works without a GPU up to where one is needed, and says
//! what is missing. This folder has all the unsafe code of the crate.
//!
//! A kernel of one's own, from its source to its result:
//!
//! ```no_run
//! use bytemuck::{Pod, Zeroable};
//! use vio_frontend::gpu::{Builder, Cache, Context, Device, Driver, Kernels, MappedBuffer, Nvrtc, Program, Shape, Stream};
//!
//! #[repr(C)]
//! #[derive(Clone, Copy, Pod, Zeroable)]
//! struct Scale {
//!     values: u64,
//!     factor: f32,
//!     count: u32,
//! }
//!
//! const SOURCE: &str = r#"
//! struct Scale { float* values; float factor; unsigned count; };
//! extern "C" __global__ void scale(const Scale args) {
//!     const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
//!     if (i < args.count) args.values[i] *= args.factor;
//! }
//! "#;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let context = Context::new(Device::open(&Driver::load(None)?, 0)?)?;
//! let stream = Stream::new(&context)?;
//! let builder = Builder::new(Nvrtc::load(None), Cache::from_parameter(""));
//! let kernels = Kernels::of(&context, &builder, &[Program::new("scale", SOURCE)])?;
//! let scale = kernels.kernel::<Scale>("scale", "scale")?;
//!
//! let mut buffer = MappedBuffer::new(&context, 3 * size_of::<f32>(), false)?;
//! buffer.write(0, &[1.0f32, 2.0, 3.0])?;
//! let shape = Shape { blocks: 1, threads: 32, cooperative: false };
//! // SAFETY: the buffer holds the three values that the kernel reads and writes, and outlives the launch.
//! unsafe { scale.launch(&stream, shape, &Scale { values: buffer.address(), factor: 2.0, count: 3 })? };
//! stream.synchronize()?;
//! let mut values = [0.0f32; 3];
//! buffer.read(0, &mut values)?;
//! assert_eq!(values, [2.0, 4.0, 6.0]);
//! # Ok(())
//! # }
//! ```

// Shared with the kernels: structs, buffer sizes, sources.
pub mod abi;
pub mod detections;
pub mod embedded;
pub mod floor;
pub mod plan;
pub mod program;
pub mod sources;
pub mod track_plan;
// From sources to an image; needs no GPU.
pub mod builder;
pub mod cache;
pub mod choice;
pub mod image;
pub mod nvrtc;
// The device.
pub mod context;
pub mod device;
pub mod driver;
pub mod error;
pub mod event;
pub mod kernels;
pub mod memory;
pub mod module;
pub mod pipeline;
// All of that for the front end, opened and closed beside the frames.
pub mod engine;
pub mod opener;

mod crew;
mod library;
mod registered;
mod result_memory;
mod streaming;
mod trial;
mod watch;

pub use builder::Builder;
pub use cache::Cache;
pub use context::{Context, Stream};
pub use crew::MOST as MOST_UPLOAD_THREADS;
pub use device::Device;
pub use driver::Driver;
pub use error::{CudaError, GpuError, Severity};
pub use kernels::Kernels;
pub use library::{LibraryError, Tried};
pub use memory::{DeviceBuffer, MappedBuffer};
pub use module::{Kernel, Shape};
pub use nvrtc::Nvrtc;
pub use program::{Program, Sources};
