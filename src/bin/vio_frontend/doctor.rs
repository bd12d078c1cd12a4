//! `doctor`: what this machine offers, what will be used and why, and what to do about each problem.

mod cuda;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use vio_frontend::fallback::Backoff;
use vio_frontend::frontend::Frontend;

use super::gpu::GpuArgs;

/// Show what this machine offers, what will be used, and how to mend what is missing
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    gpu: GpuArgs,
}

pub fn run(args: &Args, out: &mut impl Write) -> anyhow::Result<ExitCode> {
    let mut line = |topic: &str, text: String| writeln!(out, "{topic:<10}{text}");
    line("version", format!("vio_frontend {}", env!("CARGO_PKG_VERSION")))?;
    line("system", format!("{} {}", std::env::consts::OS, std::env::consts::ARCH))?;
    line("CPU", cpu())?;
    line("device", device(&args.gpu)?)?;
    for (topic, text) in cuda::report(&args.gpu.look()?) {
        line(topic, text)?;
    }
    for text in ros2() {
        line("ROS 2", text)?;
    }
    line("node", node())?;
    Ok(ExitCode::SUCCESS)
}

fn cpu() -> String {
    let cores = std::thread::available_parallelism().map_or_else(|_| "?".to_owned(), |n| n.to_string());
    let features = cpu_features();
    let features = if features.is_empty() { "no vector extension known".to_owned() } else { features.join(" ") };
    format!("{}{cores} cores usable; {features}", cpu_name().map(|name| name + ", ").unwrap_or_default())
}

/// As Linux names it.
pub fn cpu_name() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

#[cfg(target_arch = "x86_64")]
fn cpu_features() -> Vec<&'static str> {
    let found = [
        ("SSE4.1", std::arch::is_x86_feature_detected!("sse4.1")),
        ("AVX2", std::arch::is_x86_feature_detected!("avx2")),
        ("AVX-512BW", std::arch::is_x86_feature_detected!("avx512bw")),
    ];
    found.into_iter().filter_map(|(name, has)| has.then_some(name)).collect()
}

#[cfg(target_arch = "aarch64")]
fn cpu_features() -> Vec<&'static str> {
    let found = [("NEON", std::arch::is_aarch64_feature_detected!("neon"))];
    found.into_iter().filter_map(|(name, has)| has.then_some(name)).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn cpu_features() -> Vec<&'static str> {
    Vec::new()
}

/// Who works on frames: as found out by a front end that starts.
fn device(args: &GpuArgs) -> anyhow::Result<String> {
    let params = args.params.load()?;
    let device = params.device;
    let options = args.options(&params);
    Ok(match Frontend::with_gpu(params, None, options, Backoff::default()) {
        Ok(frontend) => format!("'{device}' takes {}", frontend.gpu_report().in_words()),
        Err(error) => format!("problem: {error}"),
    })
}

/// A sourced ROS 2, an installed one that is not sourced, or how to get one.
fn ros2() -> Vec<String> {
    let distro = std::env::var("ROS_DISTRO").unwrap_or_default();
    let prefixes: Vec<PathBuf> =
        std::env::var_os("AMENT_PREFIX_PATH").map(|v| std::env::split_paths(&v).collect()).unwrap_or_default();
    let mut found = Vec::new();
    if !distro.is_empty() && !prefixes.is_empty() {
        found.push(format!("{distro}, sourced; {} prefixes on AMENT_PREFIX_PATH", prefixes.len()));
        for missing in prefixes.iter().filter(|prefix| !prefix.is_dir()) {
            let missing = missing.display();
            found.push(format!("problem: {missing} does not exist; source ROS 2 again in a new shell"));
        }
        return found;
    }
    for setup in installed() {
        found.push(format!("installed but not sourced; for the node: source {}", setup.display()));
    }
    if found.is_empty() {
        found.push("not found; the offline tool needs none. For the node install a distribution".to_owned());
        found
            .push("(https://docs.ros.org/en/jazzy/Installation.html), or see tools/ros2.py --help (x86-64)".to_owned());
    }
    found
}

/// `setup.bash` of every distribution under /opt/ros.
fn installed() -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir("/opt/ros") else { return Vec::new() };
    let mut setups: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path().join("setup.bash")).filter(|setup| setup.is_file()).collect();
    setups.sort();
    setups
}

/// Whether the node was built: beside this program, or where colcon puts it.
fn node() -> String {
    let name = format!("vio_frontend_node{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().and_then(|exe| exe.parent().map(|folder| folder.join(&name)));
    let prefixes = std::env::var_os("AMENT_PREFIX_PATH").unwrap_or_default();
    let installed = std::env::split_paths(&prefixes).map(|prefix| prefix.join("lib/vio_frontend").join(&name));
    match beside.into_iter().chain(installed).find(|path: &PathBuf| Path::is_file(path)) {
        Some(path) => path.display().to_string(),
        None => "not built; with ROS 2 sourced: colcon build".to_owned(),
    }
}
