//! Compiles `emulate` with g++, once per content of sources and flags.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use vio_frontend::gpu::sources;

/// What watches the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sanitizer {
    /// Nothing: fastest.
    Plain,
    /// AddressSanitizer and UndefinedBehaviorSanitizer: buffers and shared objects have exact bounds.
    Address,
    /// ThreadSanitizer: data races in shared and global memory.
    Thread,
}

/// What to build.
#[derive(Debug, Clone)]
pub struct Build {
    pub sanitizer: Sanitizer,
    /// The folder of `programs.txt`, which lists the sources.
    pub kernels_dir: PathBuf,
    /// More flags for the kernels, such as `-DNAME=VALUE`.
    pub flags: Vec<String>,
}

pub const FLAGS: [&str; 9] = [
    "-O2",
    "-g1",
    "-std=c++17",
    "-ffp-contract=off",
    "-fwrapv",
    "-Wall",
    "-Wextra",
    "-Werror",
    // `#pragma unroll` is the kernels' own.
    "-Wno-unknown-pragmas",
];
/// The emulation itself: not watched for races, as it moves between the threads that it emulates.
const RUNTIME: [&str; 6] = ["fail.cpp", "fiber.cpp", "launch.cpp", "machine.cpp", "schedule.cpp", "warp.cpp"];

impl Build {
    pub fn new(sanitizer: Sanitizer) -> Self {
        Self { sanitizer, kernels_dir: Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"), flags: Vec::new() }
    }

    /// The path of the executable.
    pub(super) fn run(&self) -> Result<PathBuf, String> {
        let (objects, digest, link_flags) = self.objects(&RUNTIME, &[])?;
        let mut flags: Vec<&OsStr> = link_flags.iter().map(OsStr::new).collect();
        flags.extend(objects.iter().map(|object| object.as_os_str()));
        compile(&flags, digest, "emulate")
    }

    /// The kernels and these files of the emulation as objects, a digest of it all, and the flags to link them with.
    /// `more` flags are for every file.
    pub fn objects(
        &self,
        runtime: &[&str],
        more: &[&str],
    ) -> Result<(Vec<PathBuf>, u32, &'static [&'static str]), String> {
        // One build at a time in this process; others are kept apart by names of their own until they are done.
        static BUILDING: Mutex<()> = Mutex::new(());
        let _guard = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);

        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/emulation");
        let emulation = digest_folder(&folder, 0)?;
        let (runtime_flags, kernel_flags): (&[&str], &'static [&'static str]) = match self.sanitizer {
            Sanitizer::Plain => (&[], &[]),
            Sanitizer::Address => {
                const WATCH: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
                (WATCH, WATCH)
            }
            Sanitizer::Thread => (&["-DEMULATION_RACES"], &["-fsanitize=thread"]),
        };

        let mut objects = Vec::new();
        for source in runtime {
            let mut flags: Vec<&OsStr> = FLAGS.iter().chain(runtime_flags).chain(more).map(OsStr::new).collect();
            flags.push(OsStr::new("-c"));
            let source = folder.join(source);
            flags.push(source.as_os_str());
            objects.push(compile(&flags, emulation, "o")?);
        }
        let joined = joined_sources(&self.kernels_dir)?;
        let kernels = {
            let mut hasher = crc32fast::Hasher::new_with_initial(emulation);
            hasher.update(joined.as_bytes());
            hasher.finalize()
        };
        let include = format!("-DKERNEL_SOURCES=\"{}\"", write_joined(&joined, kernels)?.display());
        let source = folder.join("kernels.cpp");
        let mut flags: Vec<&OsStr> = FLAGS.iter().chain(kernel_flags).chain(more).map(OsStr::new).collect();
        flags.extend(self.flags.iter().map(OsStr::new));
        flags.extend([OsStr::new(&include), OsStr::new("-c"), source.as_os_str()]);
        objects.push(compile(&flags, kernels, "o")?);
        Ok((objects, kernels, kernel_flags))
    }
}

/// Where what was built stays: the folder that Cargo gives to tests; examples, which are told of none, find it too.
pub fn kept() -> PathBuf {
    let beside = || std::env::current_exe().ok()?.ancestors().nth(3).map(|target| target.join("tmp"));
    option_env!("CARGO_TARGET_TMPDIR").map(PathBuf::from).or_else(beside).unwrap_or_else(std::env::temp_dir)
}

/// Runs g++ with these flags, unless its output is there; the output's name holds the digest of the flags, continued
/// from `digest`.
pub fn compile(flags: &[&OsStr], digest: u32, extension: &str) -> Result<PathBuf, String> {
    static NUMBER: AtomicU32 = AtomicU32::new(0);

    let mut hasher = crc32fast::Hasher::new_with_initial(digest);
    for flag in flags {
        hasher.update(flag.as_encoded_bytes());
        hasher.update(b"\n");
    }
    let folder = kept().join("emulation");
    fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let output = folder.join(format!("{digest:08x}-{:08x}.{extension}", hasher.finalize()));
    if output.exists() {
        return Ok(output);
    }
    let number = NUMBER.fetch_add(1, Ordering::Relaxed);
    let unfinished = output.with_extension(format!("{}.{number}", std::process::id()));
    let result = Command::new("g++")
        .args(flags)
        .arg("-o")
        .arg(&unfinished)
        .output()
        .map_err(|error| format!("g++ compiles the emulated kernels and cannot be run: {error}"))?;
    if !result.status.success() {
        return Err(format!("g++ failed ({})\n{}", result.status, String::from_utf8_lossy(&result.stderr)));
    }
    fs::rename(&unfinished, &output).map_err(|error| format!("{}: {error}", output.display()))?;
    Ok(output)
}

/// The sources of all programs of `kernels/programs.txt`, each once, in order, as they are joined for NVRTC.
fn joined_sources(folder: &Path) -> Result<String, String> {
    let read = |name: &str| {
        let path = folder.join(name);
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let list = read("programs.txt")?;
    let mut files: Vec<&str> = Vec::new();
    for file in sources::programs(&list).flat_map(|(_, files)| files) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    sources::join(&files, read)
}

/// The file that holds the joined sources; the same content has the same name.
fn write_joined(joined: &str, digest: u32) -> Result<PathBuf, String> {
    let folder = kept().join("emulation");
    let path = folder.join(format!("{digest:08x}.cuh"));
    let unfinished = path.with_extension(std::process::id().to_string());
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&unfinished, joined))
        .and_then(|()| fs::rename(&unfinished, &path))
        .map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Continues `digest` over the C++ and CUDA sources of a folder, in the order of their names.
pub fn digest_folder(folder: &Path, digest: u32) -> Result<u32, String> {
    let unreadable = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect())
        .map_err(unreadable)?;
    files.retain(|file| {
        file.extension().is_some_and(|extension| ["cpp", "hpp", "cu", "cuh"].iter().any(|known| extension == *known))
    });
    files.sort();
    let mut hasher = crc32fast::Hasher::new_with_initial(digest);
    for file in files {
        hasher.update(file.file_name().unwrap_or_default().as_encoded_bytes());
        hasher.update(&fs::read(&file).map_err(unreadable)?);
    }
    Ok(hasher.finalize())
}
