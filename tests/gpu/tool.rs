//! `vio_frontend kernels` and `doctor`, without a GPU and on the stub: what is missing is said, and the status follows.

use std::fs;
use std::path::Path;
use std::process::Command;

use vio_frontend::gpu::cache::{Cache, Key};
use vio_frontend::gpu::choice::options;
use vio_frontend::gpu::image::{Image, ImageKind};
use vio_frontend::gpu::program::Sources;

use crate::fakecuda::FakeCuda;

const NOWHERE: &str = "/nowhere/libcuda.so.1";

/// Status, standard output, standard error. No compiler is found.
fn run(libcuda: &Path, cache: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    let (command_name, rest) = arguments.split_first().unwrap();
    command.arg(command_name).arg("--libcuda").arg(libcuda).args(["--libnvrtc", "/nowhere/libnvrtc.so"]);
    command.arg("--cache-dir").arg(cache).args(rest).env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

#[track_caller]
fn assert_holds(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "'{part}' is not in: {text}");
    }
}

/// A cache with one good entry, of the detector's sources, and one that is cut short.
fn filled(folder: &Path) -> Cache {
    let cache = Cache::new(folder.to_owned());
    let program = &Sources::Embedded.programs().unwrap()[0];
    let image = Image { kind: ImageKind::Ptx, bytes: b"PTX".into() };
    for text in [program.text.as_str(), "other"] {
        let key = Key::new("detect", text, ImageKind::Ptx, &options(ImageKind::Ptx, 62), (10, 2));
        cache.store(&key, &image).unwrap();
    }
    let other =
        |entry: &&vio_frontend::gpu::cache::Listed| entry.content.as_ref().unwrap().sources != sha256_of(&program.text);
    let path = cache.list().unwrap().iter().find(other).unwrap().path.clone();
    fs::write(&path, &fs::read(&path).unwrap()[..150]).unwrap();
    cache
}

fn sha256_of(text: &str) -> String {
    Key::new("", text, ImageKind::Ptx, &[], (0, 0)).meta().sources.clone()
}

#[test]
fn kernels_work_on_the_disk_without_a_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let (nowhere, path) = (Path::new(NOWHERE), folder.path());
    let (code, out, _) = run(nowhere, path, &["kernels", "list"]);
    assert_eq!(code, 0);
    assert_holds(&out, &["program detect: ", "program track: ", "PTX kept in this program", "  empty"]);
    filled(path);
    let (code, out, _) = run(nowhere, path, &["kernels", "list"]);
    assert_eq!(code, 0);
    assert_holds(&out, &["detect of these sources, PTX", "NVRTC 10.2 --std=c++14", "would not be used: it is damaged"]);
    let (code, out, _) = run(nowhere, path, &["kernels", "verify"]);
    assert_eq!(code, 1, "{out}");
    assert_holds(&out, &["would not be used: it is damaged", "not tried on a GPU: ", NOWHERE]);
    let (code, out, _) = run(nowhere, path, &["kernels", "clear"]);
    assert_eq!((code, out), (0, format!("2 files removed from {}\n", path.display())));
    assert_eq!(run(nowhere, path, &["kernels", "verify"]).0, 0);
    let (code, out, _) = run(nowhere, path, &["kernels", "warm"]);
    assert_eq!(code, 1);
    assert_holds(&out, &["nothing is compiled ahead", "/nowhere/libnvrtc.so"]);
}

#[test]
fn verify_loads_the_programs_where_there_is_a_gpu() {
    let (fake, folder) = (FakeCuda::new("tx2"), tempfile::tempdir().unwrap());
    let (code, out, _) = run(&fake.library(), folder.path(), &["kernels", "verify"]);
    assert_eq!(code, 0, "{out}");
    assert_holds(
        &out,
        &["detect: PTX loads on Stub of a GPU (tx2)", "track: PTX loads", "kept in this program, because"],
    );
    assert_eq!(fake.leaks(), Vec::<String>::new());
    fake.control(&["profile tx2", "fail cuModuleLoadDataEx 2 2"]);
    let (code, out, _) = run(&fake.library(), folder.path(), &["kernels", "verify"]);
    assert_eq!(code, 1, "{out}");
    assert_holds(&out, &["program track cannot be loaded: cuModuleLoadDataEx answers 2 (CUDA_ERROR_OUT_OF_MEMORY)"]);
}

#[test]
fn a_folder_of_kernels_that_is_wrong_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for command in ["list", "warm", "verify"] {
        let (code, _, words) =
            run(Path::new(NOWHERE), folder.path(), &["kernels", "--kernels-dir", "/nowhere", command]);
        assert_eq!(code, 2, "{command}: {words}");
        assert_holds(&words, &["error: /nowhere", "cannot be read"]);
    }
}

#[test]
fn doctor_says_what_is_missing_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, _) = run(Path::new(NOWHERE), folder.path(), &["doctor"]);
    assert_eq!(code, 0);
    let expected = [
        "CUDA      problem: the CUDA driver (libcuda) not found: absent: /nowhere/libcuda.so.1",
        "CUDA      to do: without an NVIDIA GPU nothing",
        "NVRTC     problem: ",
        "NVRTC     to do: nothing, unless kernels_dir is used",
        "kernels   detect, track, floor, detections: not loaded without a GPU",
        "0 compiled kernels",
    ];
    assert_holds(&out, &expected);
    let empty = folder.path().join("libcuda.so.1");
    fs::write(&empty, "").unwrap();
    let (_, out, _) = run(&empty, folder.path(), &["doctor"]);
    assert_holds(&out, &["libcuda.so.1 cannot be loaded (", "to do: the file is not the driver of this machine"]);
    let (_, out, _) = run(&empty, &empty.join("kernels"), &["doctor"]);
    assert_holds(
        &out,
        &["cache     problem: ", "to do: kernels are compiled at every start; name a folder by cache_dir"],
    );
}

#[test]
fn doctor_says_what_will_be_used_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let expected = [
        ("tx2", "CUDA 10.2", "compute capability 6.2, 2 multiprocessors, 7.7 GiB, integrated, pinned memory uncached"),
        ("orin", "CUDA 12.6", "compute capability 8.7, 8 multiprocessors, 16.0 GiB, integrated, coherent"),
        ("discrete", "CUDA 12.9", "compute capability 8.6, 20 multiprocessors, 12.0 GiB, discrete"),
    ];
    for (profile, version, gpu) in expected {
        let fake = FakeCuda::new(profile);
        let (code, out, _) = run(&fake.library(), folder.path(), &["doctor"]);
        assert_eq!(code, 0);
        let library = fake.library();
        let driver = format!("driver {}, {version}", library.display());
        let why = "kernels   detect, track, floor, detections: the PTX kept in this program, because the CUDA run-time compiler";
        assert_holds(&out, &[&driver, gpu, why]);
    }
    let fake = FakeCuda::new("tx2");
    fake.control(&["profile tx2", "fail cuInit 1 999"]);
    let (_, out, _) = run(&fake.library(), folder.path(), &["doctor"]);
    assert_holds(&out, &["CUDA      problem: cuInit answers 999 (CUDA_ERROR_UNKNOWN)", "to do: run nvidia-smi"]);
}

/// `doctor` where the loader looks into `folder` first.
fn doctor_with(folder: &Path) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_vio_frontend"));
    command.arg("doctor").env("LD_LIBRARY_PATH", folder);
    String::from_utf8(command.output().unwrap().stdout).unwrap()
}

#[test]
fn a_driver_on_the_loaders_path_is_found_and_its_file_named() {
    let fake = FakeCuda::new("orin");
    let file = fs::canonicalize(fake.library()).unwrap();
    assert_holds(&doctor_with(fake.folder()), &[&format!("CUDA      driver {}, CUDA 12.6", file.display())]);
    // JetPack has a link to a file with the version in its name.
    fs::rename(&file, fake.folder().join("libcuda.so.1.1")).unwrap();
    std::os::unix::fs::symlink("libcuda.so.1.1", fake.library()).unwrap();
    assert_holds(&doctor_with(fake.folder()), &["/libcuda.so.1.1, CUDA 12.6"]);
}

#[test]
fn an_empty_file_on_the_loaders_path_is_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("libcuda.so.1"), "").unwrap();
    let out = doctor_with(folder.path());
    let library = folder.path().join("libcuda.so.1");
    assert_holds(&out, &["libcuda.so.1 cannot be loaded (", library.to_str().unwrap()]);
}
