//! CUDA at run time, found when the program starts and never linked: sources in, typed launches out.
//!
//! [`driver::Driver`] is libcuda, [`device::Device`] a GPU, [`context::Context`] this process's part of it.
//! [`builder::Builder`] turns a [`program::Program`] (sources) into an image with NVRTC ([`nvrtc`]), the disk cache
//! ([`cache`]) or PTX kept in the binary ([`embedded`]); [`module::Module`] loads it, and [`module::Kernel`] launches
//! with an argument of a known type on [`memory`]. [`kernels::Kernels`] is all of that for the front end's own programs,
//! [`pipeline::Pipeline`] a stream of frames on them. Everything works without a GPU up to where one is needed, and says
//! what is missing. This folder has all the unsafe code of the crate.

// Shared with the kernels: structs, buffer sizes, sources.
pub mod abi;
pub mod embedded;
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

mod library;
mod watch;

pub use error::{CudaError, GpuError, Severity};
pub use library::{LibraryError, Tried};
