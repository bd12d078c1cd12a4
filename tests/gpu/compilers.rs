//! With NVIDIA's own compilers, from 10.2 to 13.5: `make test-compilers` fetches them and runs these tests.
//!
//! Two versions clash within one process. So each gets a process, the offline tool; within this one is 12.9 alone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::Duration;

use vio_frontend::gpu::abi::{DetectArgs, TrackArgs};
use vio_frontend::gpu::builder::{Builder, Origin};
use vio_frontend::gpu::cache::{Cache, Key};
use vio_frontend::gpu::choice::{Reason, options};
use vio_frontend::gpu::embedded;
use vio_frontend::gpu::image::ImageKind;
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::nvrtc::Nvrtc;
use vio_frontend::gpu::program::{Program, Sources};

use crate::fakecuda::FakeCuda;
use crate::kernels::{context, copy_kernels};
use crate::log::{logged, logging};

/// Version, the folder's library, an architecture that it compiles for.
const COMPILERS: [((u32, u32), &str, u32); 4] = [
    ((10, 2), "nvrtc-10.2/libnvrtc-08c4863f.so.10.2", 61),
    ((11, 8), "nvrtc-11.8/libnvrtc.so.11.2", 62),
    ((12, 9), "nvrtc-12.9/libnvrtc.so.12", 72),
    ((13, 5), "nvrtc-13.5/libnvrtc.so.13", 87),
];

fn library(name: &str) -> PathBuf {
    let made = std::env::var_os("VIO_ROS2_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join(".ros2"), PathBuf::from);
    let path = made.join("cuda").join(name);
    assert!(path.is_file(), "{} is missing: python3 tools/nvrtc.py check", path.display());
    path
}

fn tool(library: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    command.args(["kernels", "--libcuda", "/nowhere/libcuda.so.1", "--libnvrtc"]).arg(library);
    command.args(arguments).output().unwrap()
}

#[test]
#[ignore = "needs NVIDIA's compilers: make test-compilers"]
fn every_version_compiles_all_programs_into_the_cache() {
    for (version, name, architecture) in COMPILERS {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned());
        let (cache_dir, architecture_text) = (folder.path().to_str().unwrap(), architecture.to_string());
        let warm = || tool(&library(name), &["--cache-dir", cache_dir, "warm", "--arch", &architecture_text]);
        let output = warm();
        assert!(output.status.success(), "{version:?}: {output:?}");
        for program in Sources::Embedded.programs().unwrap() {
            let options = options(ImageKind::Ptx, architecture);
            let key = Key::new(&program.name, &program.text, ImageKind::Ptx, &options, version);
            let image = cache.load(&key).unwrap();
            let text = String::from_utf8(image.bytes.into_owned()).unwrap();
            assert!(text.contains(".visible .entry "), "{version:?}");
            if architecture == embedded::PTX_ARCHITECTURE {
                // The kept file: a line with the digest, then what the compiler wrote.
                let (_, kept) = program.kept.unwrap().split_once('\n').unwrap();
                assert!(text == kept, "{} differs from kernels/ptx", program.name);
            }
        }
        let again = String::from_utf8(warm().stdout).unwrap();
        assert_eq!(again.matches("is there already").count(), Sources::Embedded.programs().unwrap().len(), "{again}");
    }
}

#[test]
#[ignore = "needs NVIDIA's compilers: make test-compilers"]
fn every_version_names_file_and_line_of_a_mistake() {
    for (version, name, architecture) in COMPILERS {
        let folder = copy_kernels();
        let path = folder.path().join("detect/select.cuh");
        let text = fs::read_to_string(&path).unwrap();
        let line = text.lines().count() + 1;
        fs::write(&path, text + "mistake;\n").unwrap();
        let cache = tempfile::tempdir().unwrap();
        let (folder, cache) = (folder.path().to_str().unwrap(), cache.path().to_str().unwrap());
        let architecture = architecture.to_string();
        let arguments = ["--kernels-dir", folder, "--cache-dir", cache, "warm", "--arch", &architecture];
        let output = tool(&library(name), &arguments);
        let words = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{version:?}: {words}");
        assert!(words.contains(&format!("detect/select.cuh({line}): error")), "{version:?}: {words}");
        assert_eq!(fs::read_dir(cache).unwrap().count(), 0);
    }
}

#[test]
#[ignore = "needs NVIDIA's compilers: make test-compilers"]
fn a_full_disk_costs_a_line_and_status_1() {
    let cache = tempfile::tempdir().unwrap();
    // No file may exceed 16 blocks of 512 or 1024 bytes: what a full disk does to a write.
    let script = "ulimit -f 16; trap '' XFSZ; exec \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", env!("CARGO_BIN_EXE_vio_frontend"), "kernels", "--libnvrtc"]);
    command.arg(library(COMPILERS[2].1)).arg("--cache-dir").arg(cache.path()).args(["warm", "--arch", "72"]);
    let output = command.output().unwrap();
    let (out, words) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(output.status.code(), Some(1), "{out}{words}");
    let programs = Sources::Embedded.programs().unwrap();
    let fits = |program: &&Program| program.kept.unwrap().len() < 16 * 512;
    let small = programs.iter().filter(fits).count();
    let large = programs.len() - small;
    assert_eq!(words.matches("is compiled anew at every start").count(), large, "{words}");
    assert_eq!(out.matches("but not stored").count(), large, "{out}");
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), small, "nothing unfinished is left");
}

fn builder(cache: Cache) -> Arc<Builder> {
    Arc::new(Builder::new(Nvrtc::load(Some(&library(COMPILERS[2].1))), cache))
}

fn origins(kernels: &Kernels) -> Vec<Origin> {
    kernels.loaded().iter().map(|loaded| loaded.origin.clone()).collect()
}

#[test]
#[ignore = "needs NVIDIA's compilers: make test-compilers"]
fn each_device_gets_the_form_that_its_driver_takes() {
    // Driver, then what 12.9 is good for there.
    for (profile, driver, kind) in [
        ("orin", "driver 12060", Some(ImageKind::Cubin)),
        ("orin", "driver 12090", Some(ImageKind::Ptx)),
        ("discrete", "driver 13000", Some(ImageKind::Ptx)),
        ("tx2", "driver 10020", None),
        ("orin", "driver 11040", None),
    ] {
        let fake = FakeCuda::new(profile);
        fake.control(&[&format!("profile {profile}"), driver]);
        let folder = tempfile::tempdir().unwrap();
        let load = || {
            let builder = builder(Cache::new(folder.path().to_owned()));
            Kernels::load(&context(&fake), builder, Sources::Embedded, None).unwrap()
        };
        let (kernels, lines) = logged(load);
        assert_eq!(lines, Vec::<String>::new());
        kernels.kernel::<DetectArgs>("detect", "detect").unwrap();
        kernels.kernel::<TrackArgs>("track", "track").unwrap();
        let Some(kind) = kind else {
            let kept = |origin: &Origin| matches!(origin, Origin::Kept { reason: Reason::TooNew { .. } });
            assert!(origins(&kernels).iter().all(kept), "{:?}", origins(&kernels));
            continue;
        };
        assert!(kernels.loaded().iter().all(|loaded| loaded.module.image().kind == kind));
        let compiled = |origin: &Origin| matches!(origin, Origin::Compiled { .. });
        let cached = |origin: &Origin| matches!(origin, Origin::Cached { .. });
        assert!(origins(&kernels).iter().all(compiled));
        assert!(origins(&load()).iter().all(cached));

        // A damaged entry: one line, and compiled again.
        let entry = Cache::new(folder.path().to_owned()).list().unwrap()[0].path.clone();
        fs::write(&entry, &fs::read(&entry).unwrap()[..1000]).unwrap();
        let (kernels, lines) = logged(load);
        assert_eq!(lines.len(), 1, "{lines:?}");
        assert_eq!(origins(&kernels).iter().filter(|origin| compiled(origin)).count(), 1);
        assert!(origins(&load()).iter().all(cached));
    }
}

#[test]
#[ignore = "needs NVIDIA's compilers: make test-compilers"]
fn kernels_are_replaced_when_their_sources_change() {
    let fake = FakeCuda::new("orin");
    let folder = copy_kernels();
    let path = folder.path().join("track.cu");
    let text = fs::read_to_string(&path).unwrap();
    let (lines, _guard) = logging();
    let wait_for = |words: &str| {
        for _ in 0..1200 {
            if lines.text().contains(words) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("'{words}' is not in the log: {}", lines.text());
    };
    let sources = Sources::Folder(folder.path().to_owned());
    let every = Some(Duration::from_millis(20));
    let mut kernels = Kernels::load(&context(&fake), builder(Cache::disabled()), sources, every).unwrap();
    let before = Arc::clone(&kernels.loaded()[1].module);

    fs::write(&path, format!("{text}mistake;\n")).unwrap();
    wait_for(&format!("track.cu({}): error", text.lines().count() + 1));
    assert_eq!(kernels.take_changes(), Vec::<String>::new());
    assert!(Arc::ptr_eq(&before, &kernels.loaded()[1].module), "what runs stays");

    fs::write(&path, format!("{text}// another\n")).unwrap();
    wait_for("program track has changed and is replaced");
    // The line comes just before the program is handed over.
    let changed = (0..1200).find_map(|_| {
        std::thread::sleep(Duration::from_millis(10));
        Some(kernels.take_changes()).filter(|names| !names.is_empty())
    });
    assert_eq!(changed, Some(vec!["track".to_owned()]));
    assert!(!Arc::ptr_eq(&before, &kernels.loaded()[1].module));
    kernels.kernel::<TrackArgs>("track", "track").unwrap();
    drop((kernels, before));
    assert_eq!(fake.leaks(), Vec::<String>::new());
}
