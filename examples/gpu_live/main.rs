//! What a GPU costs and what it does when it fails, on the GPU that is here: `gpu_live WHAT SOURCE`.
//!
//! | WHAT | |
//! |---|---|
//! | `start` | time to open it, with an empty cache and with a filled one, over that of a context |
//! | `rate` | 20 s of frames at 60 Hz: time a frame and share of a core, of GPU and CPU |
//! | `reload` | from a kernel's change on disk to the first frame with it |
//! | `trap` | a kernel that faults, in mid-stream: the frame it fails at, beside those of the CPU |
//! | `hang` | a kernel that never ends, likewise |
//! | `memory` | the card's memory is full, at the start and in mid-stream: the CPU takes over, and the GPU comes back |
//!
//! SOURCE is what `replay` takes. Exits with 1 if a frame differs from the CPU's in any bit.

mod memory;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use vio_frontend::fallback::Backoff;
use vio_frontend::frame::Frame;
use vio_frontend::frontend::{Backend, FrameOutput, Frontend};
use vio_frontend::gpu::engine::{Engine, EngineOptions};
use vio_frontend::gpu::{Context, Device as GpuDevice, Driver, embedded};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{Device, Params};
use vio_frontend::source;

type Outcome<T> = Result<T, Box<dyn Error>>;

const FRAMES: usize = 60;
const RATE: Duration = Duration::from_micros(16_667);
const PERIOD_NS: i64 = 50_000_000;

fn main() -> Outcome<ExitCode> {
    tracing_subscriber::fmt().with_target(false).with_writer(std::io::stderr).init();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [what, source] = args.as_slice() else { return Err("usage: gpu_live WHAT SOURCE".into()) };
    let images = images(source)?;
    let equal = match what.as_str() {
        "start" => start()?,
        "rate" => rate(&images)?,
        "reload" => reload()?,
        "trap" => changed(&images, r#"asm volatile("trap;");"#)?,
        "hang" => changed(&images, "for (volatile int i = 0; i < 2; i = 0) {}")?,
        "memory" => memory::memory(&images)?,
        other => return Err(format!("'{other}' is none of start, rate, reload, trap, hang, memory").into()),
    };
    println!("{}", if equal { "every frame equal in every bit" } else { "frames differ" });
    Ok(ExitCode::from(u8::from(!equal)))
}

fn start() -> Outcome<bool> {
    let cache = tempfile::tempdir()?;
    let options = EngineOptions { cache_dir: path(cache.path())?, ..EngineOptions::from(&Params::default()) };
    for what in ["empty", "filled", "filled", "filled"] {
        let begin = Instant::now();
        let context = Context::new(GpuDevice::open(&Driver::load(None)?, 0)?)?;
        let (alone, begin) = (begin.elapsed(), Instant::now());
        drop(context);
        let gone = begin.elapsed();
        let begin = Instant::now();
        let engine = Engine::open(&options)?;
        let whole = begin.elapsed();
        println!("cache {what}: context alone {alone:?} (closed in {gone:?}), whole {whole:?} on {}", engine.name());
    }
    Ok(true)
}

fn rate(images: &[GrayImage]) -> Outcome<bool> {
    let mut digests = Vec::new();
    for device in [Device::Cuda, Device::Cpu] {
        let mut frontend = Frontend::new(Params { device, ..Params::default() }, None)?;
        let (mut times, mut digest) = (Vec::new(), String::new());
        for (k, image) in (0..60).zip(images.iter().cycle()) {
            process(&mut frontend, k, image)?;
        }
        let (begin, cpu) = (Instant::now(), cpu_time()?);
        for (k, image) in (60..1260).zip(images.iter().cycle()) {
            let due = begin + (k as u32 - 60) * RATE;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            let now = Instant::now();
            let output = process(&mut frontend, k, image)?;
            times.push(now.elapsed());
            if k < 200 {
                digest += &results(&output);
            }
        }
        let share = (cpu_time()? - cpu).as_secs_f64() / begin.elapsed().as_secs_f64() * 100.0;
        println!("{device}: {}; {share:.1} % of a core at 60 Hz", percentiles(&mut times));
        digests.push(digest);
    }
    Ok(digests.windows(2).all(|pair| pair.first() == pair.last()))
}

fn reload() -> Outcome<bool> {
    let (folder, cache) = (kernels()?, tempfile::tempdir()?);
    let (kernels_dir, cache_dir) = (path(folder.path())?, path(cache.path())?);
    let mut engine =
        Engine::open(&EngineOptions { kernels_dir, cache_dir, ..EngineOptions::from(&Params::default()) })?;
    let kernel = folder.path().join("detect.cu");
    let source = fs::read_to_string(&kernel)?;
    for (what, text) in [("compiled", source.clone() + "// Another line.\n"), ("from the cache", source)] {
        fs::write(&kernel, text)?;
        let begin = Instant::now();
        while !engine.refresh() {
            std::thread::sleep(Duration::from_millis(1));
        }
        println!("a changed kernel runs after {:?}, {what}", begin.elapsed());
    }
    Ok(true)
}

/// A folder of the kernels of this program.
fn kernels() -> Outcome<tempfile::TempDir> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("programs.txt"), embedded::PROGRAMS)?;
    let lists = embedded::PROGRAMS.lines().filter(|line| !line.starts_with('#'));
    for name in lists.flat_map(|line| line.split(' ').skip(1)) {
        let to = folder.path().join(name);
        fs::create_dir_all(to.parent().unwrap_or(folder.path()))?;
        fs::write(to, embedded::file(name).ok_or("a file that is not embedded")?)?;
    }
    Ok(folder)
}

/// Puts `text` into the detector's kernel between two frames, and goes on.
fn changed(images: &[GrayImage], text: &str) -> Outcome<bool> {
    let folder = kernels()?;
    let params = Params { kernels_dir: path(folder.path())?, ..Params::default() };
    let options = EngineOptions::from(&params);
    let on =
        |device| Frontend::with_gpu(Params { device, ..params.clone() }, None, options.clone(), Backoff::default());
    let (mut gpu, mut cpu) = (on(Device::Cuda)?, on(Device::Cpu)?);

    let kernel = folder.path().join("detect.cu");
    let source = fs::read_to_string(&kernel)?;
    let body = source.rfind("clear_counters(args);").ok_or("no kernel")?;
    let (mut equal, mut change, mut times, mut plain) = (true, None, Vec::new(), Vec::new());
    let mut end = 400;
    for (k, image) in images.iter().cycle().enumerate() {
        if k == end {
            break;
        }
        if k == 30 {
            let mut text_of = source.clone();
            text_of.insert_str(body, text);
            fs::write(&kernel, text_of)?;
            change = Some(Instant::now());
        }
        let begin = Instant::now();
        let output = process(&mut gpu, k, image)?;
        let time = begin.elapsed();
        let begin = Instant::now();
        let expected = process(&mut cpu, k, image)?;
        plain.push(begin.elapsed());
        equal &= results(&output) == results(&expected);
        if let Some(reason) = &output.fallback {
            end = k + 60;
            let since = change.map(|change| change.elapsed());
            println!("frame {k}, {since:?} after the change: {time:?}, finished on the CPU: {reason}");
            println!("the CPU alone: {}", percentiles(&mut plain.clone()));
        }
        if output.backend == Backend::Cuda {
            times.push(time);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    println!("on the GPU: {} frames, {}", times.len(), percentiles(&mut times));
    println!("on the CPU: {}", percentiles(&mut plain));
    println!("at the end: {:?}", gpu.gpu_report());
    Ok(equal)
}

fn process(frontend: &mut Frontend, k: usize, image: &GrayImage) -> Outcome<FrameOutput> {
    Ok(frontend.process(&Frame { stamp_ns: PERIOD_NS * (k as i64 + 1), image: image.checked_view()? })?)
}

fn results(output: &FrameOutput) -> String {
    format!("{:?} {:?} {:?}", output.points, output.lost, output.tracking)
}

fn images(source: &str) -> Outcome<Vec<GrayImage>> {
    let mut images: Vec<GrayImage> = source::images(source)?.take(FRAMES).collect();
    // There and back, so that the stream has no jump.
    let back: Vec<GrayImage> = images.iter().rev().cloned().collect();
    images.extend(back);
    Ok(images)
}

/// Of this process, all threads.
fn cpu_time() -> Outcome<Duration> {
    let mut sum = Duration::ZERO;
    for thread in fs::read_dir("/proc/self/task")? {
        let text = fs::read_to_string(thread?.path().join("schedstat"))?;
        sum += Duration::from_nanos(text.split(' ').next().ok_or("schedstat")?.parse()?);
    }
    Ok(sum)
}

fn percentiles(times: &mut [Duration]) -> String {
    times.sort();
    let at = |share: usize| times.get(times.len().saturating_sub(1) * share / 100).copied().unwrap_or_default();
    format!("p50 {:?}, p95 {:?}, p99 {:?}, most {:?}", at(50), at(95), at(99), at(100))
}

fn path(path: &Path) -> Outcome<String> {
    Ok(path.to_str().ok_or("a folder whose name is no text")?.to_owned())
}
