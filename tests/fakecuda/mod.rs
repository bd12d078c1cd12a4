//! A `libcuda.so.1` without a GPU, built from the files beside this one: its launches run the emulated kernels.
//! The test binary declares `mod emulator` (tests/emulator/mod.rs) as well.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::emulator::Sanitizer;
use crate::emulator::build::{Build, FLAGS, compile, digest_folder, kept};

/// Parts of the emulation that run within the driver; the others are the process around it.
const EMULATION: [&str; 5] = ["fail.cpp", "fiber.cpp", "machine.cpp", "schedule.cpp", "warp.cpp"];
const SOURCES: [&str; 6] = ["context.cpp", "control.cpp", "device.cpp", "memory.cpp", "module.cpp", "state.cpp"];

/// One driver: its library, in a folder of its own with the control file and the log of calls.
#[derive(Debug)]
pub struct FakeCuda {
    folder: tempfile::TempDir,
}

impl FakeCuda {
    /// A driver with a device of this profile: `tx2`, `orin` or `discrete`.
    pub fn new(profile: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::copy(build().unwrap(), folder.path().join("libcuda.so.1")).unwrap();
        let driver = Self { folder };
        driver.control(&[&format!("profile {profile}")]);
        driver
    }

    /// The folder that holds `libcuda.so.1`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn library(&self) -> PathBuf {
        self.folder.path().join("libcuda.so.1")
    }

    /// Replaces the control file. Counts begin anew, a GPU that was lost is back, and no call is remembered.
    pub fn control(&self, lines: &[&str]) {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let unfinished = self.folder.path().join("control.new");
        let _ = fs::remove_file(self.folder.path().join("calls.txt"));
        // A driver begins anew when the text is another: a number makes it so.
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        fs::write(&unfinished, format!("# {number}\n{}\n", lines.join("\n"))).unwrap();
        fs::rename(&unfinished, self.folder.path().join("control.txt")).unwrap();
    }

    /// All calls so far, in order, with what they answered.
    pub fn calls(&self) -> Vec<(String, u32)> {
        let text = fs::read_to_string(self.folder.path().join("calls.txt")).unwrap_or_default();
        let calls = text.lines().map(|line| line.split_once(' ').unwrap());
        calls.map(|(name, code)| (name.to_owned(), code.parse().unwrap())).collect()
    }

    /// All calls so far, each with its number among those of its name, from 1 on.
    pub fn numbered_calls(&self) -> Vec<(String, usize)> {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        let number = |(name, _): (String, u32)| {
            let nth = seen.entry(name.clone()).or_default();
            *nth += 1;
            (name, *nth)
        };
        self.calls().into_iter().map(number).collect()
    }

    /// How many calls of `name` succeeded.
    pub fn count(&self, name: &str) -> usize {
        self.calls().iter().filter(|(call, code)| call == name && *code == 0).count()
    }

    /// What was made more often than released, by the call that makes it.
    pub fn leaks(&self) -> Vec<String> {
        const PAIRS: [(&str, &str); 7] = [
            ("cuCtxCreate_v2", "cuCtxDestroy_v2"),
            ("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease"),
            ("cuStreamCreate", "cuStreamDestroy_v2"),
            ("cuEventCreate", "cuEventDestroy_v2"),
            ("cuModuleLoadDataEx", "cuModuleUnload"),
            ("cuMemAlloc_v2", "cuMemFree_v2"),
            ("cuMemHostAlloc", "cuMemFreeHost"),
        ];
        let leak = |(make, release): (&str, &str)| (self.count(make) != self.count(release)).then(|| make.to_owned());
        PAIRS.into_iter().filter_map(leak).collect()
    }

    /// Removes a symbol from the library, which must not be loaded yet.
    pub fn hide(&self, symbol: &str) {
        let mut bytes = fs::read(self.library()).unwrap();
        let name = [b"\0", symbol.as_bytes(), b"\0"].concat();
        let places: Vec<usize> = (0..bytes.len() - name.len()).filter(|&at| bytes[at..].starts_with(&name)).collect();
        assert!(!places.is_empty(), "{symbol} is not exported");
        for at in places {
            // Another name has another hash: the loader does not find either.
            bytes[at + 1] = b'x';
        }
        fs::write(self.library(), bytes).unwrap();
    }
}

/// The library as it is built, once per content of its sources.
fn build() -> Result<PathBuf, String> {
    // A process may load many drivers, which stay loaded: each takes few of its mappings.
    const COMMON: [&str; 3] = ["-fPIC", "-fvisibility=hidden", "-DEMULATION_GUARDS=64"];
    let (mut objects, digest, _) = Build::new(Sanitizer::Plain).objects(&EMULATION, &COMMON)?;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fakecuda");
    let digest = digest_folder(&folder, digest)?;
    let mut sources: Vec<PathBuf> = SOURCES.iter().map(|source| folder.join(source)).collect();
    sources.extend(unmodelled(&folder)?);
    for source in &sources {
        let mut flags: Vec<&OsStr> = FLAGS.iter().chain(&COMMON).map(OsStr::new).collect();
        flags.extend([OsStr::new("-c"), source.as_os_str()]);
        objects.push(compile(&flags, digest, "o")?);
    }
    let mut flags: Vec<&OsStr> = ["-shared", "-Wl,-soname,libcuda.so.1", "-s"].iter().map(OsStr::new).collect();
    flags.extend(objects.iter().map(|object| object.as_os_str()));
    flags.push(OsStr::new("-ldl"));
    compile(&flags, digest, "so")
}

/// Where the list of CUDA 10.2's exports is at hand: a file with all others of them, which answer 801.
fn unmodelled(folder: &Path) -> Result<Option<PathBuf>, String> {
    let Some(exports) = exports_of_10_2() else { return Ok(None) };
    let modelled = modelled(folder);
    let rest = exports.iter().filter(|name| !modelled.contains(name));
    let text: String = std::iter::once("#include \"fakecuda.hpp\"\n".to_owned())
        .chain(rest.map(|name| format!("API({name}, (), ()) {{ return fake::NOT_SUPPORTED; }}\n")))
        .collect();
    let path = kept().join("unmodelled.cpp");
    let text = text.replace("fakecuda.hpp", &folder.join("fakecuda.hpp").display().to_string());
    if fs::read_to_string(&path).ok().as_ref() != Some(&text) {
        let unfinished = path.with_extension(std::process::id().to_string());
        fs::write(&unfinished, text)
            .and_then(|()| fs::rename(&unfinished, &path))
            .map_err(|error| error.to_string())?;
    }
    Ok(Some(path))
}

/// The names that the files of `folder` define.
pub fn modelled(folder: &Path) -> Vec<String> {
    let text: String = SOURCES.iter().map(|source| fs::read_to_string(folder.join(source)).unwrap()).collect();
    let starts = text.match_indices("\nAPI").map(|(at, _)| &text[at..]);
    let name = |entry: &str| entry.split_once('(').unwrap().1.split([',', '\n']).next().unwrap().trim().to_owned();
    starts.map(name).collect()
}

/// What libcuda of CUDA 10.2 exports, where the test data is at hand.
pub fn exports_of_10_2() -> Option<Vec<String>> {
    let data = std::env::var_os("VIO_TEST_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    let text = fs::read_to_string(data.join("cuda/cuda102_symbols.txt")).ok()?;
    Some(text.split_whitespace().map(str::to_owned).collect())
}
