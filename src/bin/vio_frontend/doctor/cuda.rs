//! The part of `doctor` on CUDA: what was looked for, what was found, what will be used and why, what to do.

use vio_frontend::gpu::device::Device;
use vio_frontend::gpu::{GpuError, LibraryError};

use crate::gpu::{Found, compiler};

/// Topic and text of each line.
pub fn report(found: &Found) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    match &found.driver {
        Ok(driver) => {
            let (major, minor) = driver.version();
            lines.push(("CUDA", format!("driver {}, CUDA {major}.{minor}", driver.path().display())));
        }
        Err(error) => problem(&mut lines, "CUDA", &error.to_string(), driver_advice(error)),
    }
    match (&found.device, &found.driver) {
        (Ok(device), _) => lines.push(("GPU", gpu(device))),
        (Err(_), Err(_)) => lines.push(("GPU", "unknown without the driver".to_owned())),
        (Err(error), Ok(_)) => problem(&mut lines, "GPU", &error.to_string(), device_advice(error)),
    }
    match found.builder.compiler() {
        Ok(nvrtc) => lines.push(("NVRTC", compiler(nvrtc))),
        Err(error) => problem(&mut lines, "NVRTC", &error.to_string(), NVRTC_ADVICE),
    }
    match found.sources.programs() {
        Ok(programs) => {
            let names: Vec<&str> = programs.iter().map(|program| program.name.as_str()).collect();
            let way = found.way().unwrap_or_else(|| "not loaded without a GPU".to_owned());
            lines.push(("kernels", format!("{}: {way}", names.join(", "))));
        }
        Err(error) => problem(&mut lines, "kernels", &error.to_string(), "mend it, or unset kernels_dir"),
    }
    match found.builder.cache().check() {
        Ok(folder) => {
            let count = found.builder.cache().list().map_or(0, |entries| entries.len());
            lines.push(("cache", format!("{}, {count} compiled kernels", folder.display())));
        }
        Err(error) => {
            problem(
                &mut lines,
                "cache",
                &error.to_string(),
                "kernels are compiled at every start; name a folder by cache_dir",
            );
        }
    }
    lines
}

fn problem(lines: &mut Vec<(&'static str, String)>, topic: &'static str, what: &str, advice: &str) {
    lines.push((topic, format!("problem: {what}")));
    lines.push((topic, format!("to do: {advice}")));
}

fn gpu(device: &Device) -> String {
    let (major, minor) = device.capability;
    format!(
        "{}, compute capability {major}.{minor}, {} multiprocessors, {:.1} GiB, {}",
        device.name,
        device.multiprocessors,
        device.total_memory as f64 / f64::from(1 << 30),
        device.memory
    )
}

const NVRTC_ADVICE: &str = "nothing, unless kernels_dir is used: the PTX kept in this program serves. Else install \
    CUDA's cuda-nvrtc package";

fn driver_advice(error: &GpuError) -> &'static str {
    match error {
        GpuError::Library(LibraryError::Missing { tried, .. }) if tried.unusable.is_empty() => {
            "without an NVIDIA GPU nothing; else install its driver; start a container with --gpus all or, on a \
             Jetson, --runtime nvidia"
        }
        GpuError::Library(_) => "the file is not the driver of this machine: remove it, or reinstall the driver",
        GpuError::OldDriver { .. } => "install a driver for CUDA 10.2 or newer (JetPack 4.4 on a Jetson)",
        _ => "run nvidia-smi (on a Jetson: dmesg) to see why the driver does not start; reboot after an update of it",
    }
}

fn device_advice(error: &GpuError) -> &'static str {
    match error {
        GpuError::NoDevice { .. } => "start a container with --gpus all; look at CUDA_VISIBLE_DEVICES",
        GpuError::Unfit { .. } => "use a GPU from compute capability 6.1 on",
        _ => "run nvidia-smi to see what holds the GPU; reboot after an update of the driver",
    }
}
