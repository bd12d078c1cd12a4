//! Whether the GPU that is here gives the bits of the plain path: `gpu_campaign GROUP...`, one line of JSON for what is
//! here and one for each group (`campaign/mod.rs`).
//!
//!     cargo run --release --example gpu_campaign -- sizes formats scenes random repeat
//!     cargo run --release --example gpu_campaign -- --data FOLDER data
//!     cargo run --release --example gpu_campaign -- --first 250 --cases 250 random
//!
//! Exits with 1 if a bit differs, the device fails, or a folder of kernels does not compile.

#[allow(dead_code, reason = "shared with tests")]
#[path = "../../tests/detect/images.rs"]
mod images;
#[allow(dead_code, reason = "shared with tests")]
#[path = "../../tests/track/motion.rs"]
mod motion;
#[allow(dead_code, clippy::unwrap_used, reason = "shared with tests")]
#[path = "../../tests/detections/cases.rs"]
mod tensors;

mod campaign;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;
use vio_frontend::gpu::builder::Origin;
use vio_frontend::gpu::choice::Target;
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::{Builder, Cache, Context, Device, Driver, Nvrtc, Sources};

use campaign::{Extent, Gpu, Group};

/// Frames on the GPU that is here, beside the plain path, bit by bit
#[derive(Debug, Parser)]
struct Args {
    #[arg(required = true)]
    groups: Vec<Group>,
    /// Small images and few of them
    #[arg(long)]
    few: bool,
    /// Folder of real images, for `data`
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// First number of the parameter sets of `random`
    #[arg(long, value_name = "N", default_value_t = 0)]
    first: usize,
    /// How many of them
    #[arg(long, value_name = "N", default_value_t = 1000)]
    cases: usize,
    /// The first difference ends a group
    #[arg(long)]
    ends_at_first: bool,
    /// Folder of kernel sources, as the parameter `kernels_dir`
    #[arg(long, value_name = "DIR", default_value = "")]
    kernels_dir: String,
    /// Folder of compiled kernels, as the parameter `cache_dir`
    #[arg(long, value_name = "DIR", default_value = "")]
    cache_dir: String,
    /// Longest wait for a launch, s
    #[arg(long, value_name = "S", default_value_t = 10)]
    limit_s: u64,
    /// The CUDA driver's library [default: searched for]
    #[arg(long, value_name = "FILE")]
    libcuda: Option<PathBuf>,
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let args = Args::parse();
    let driver = Driver::load(args.libcuda.as_deref())?;
    let context = Context::new(Device::open(&driver, 0)?)?;
    let nvrtc = Nvrtc::load(None);
    let version = nvrtc.as_ref().ok().map(Nvrtc::version);
    let builder = Arc::new(Builder::new(nvrtc, Cache::from_parameter(&args.cache_dir)));
    let sources = Sources::from_parameter(&args.kernels_dir);
    if sources != Sources::Embedded {
        // Where one does not compile, another would run in its place.
        for program in sources.programs()? {
            builder.build(&program, Target::of(context.device()))?;
        }
    }
    let kernels = Kernels::load(&context, builder, sources, None)?;
    let kept = kernels.loaded().iter().filter(|loaded| matches!(loaded.origin, Origin::Kept { .. }));
    let kept: Vec<&str> = kept.map(|loaded| loaded.program.as_str()).collect();
    let name = &context.device().name;
    println!(
        "{}",
        serde_json::json!({ "device": name, "driver": driver.version(), "nvrtc": version, "kept_ptx": kept })
    );
    let gpu = Gpu { context, kernels, limit: Duration::from_secs(args.limit_s) };
    let Args { few, first, cases, data, ends_at_first, .. } = args;
    let extent = Extent { few, first, cases, data, ends_at_first };
    let mut all_equal = true;
    for &group in &args.groups {
        let report = campaign::run(group, &gpu, &extent);
        println!("{}", serde_json::to_string(&report)?);
        all_equal &= report.is_equal();
    }
    Ok(ExitCode::from(u8::from(!all_equal)))
}
