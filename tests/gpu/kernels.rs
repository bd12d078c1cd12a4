//! All programs on the stub: which image they get without a compiler, and what a folder of one's own does.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use vio_frontend::gpu::abi::{DetectArgs, TrackArgs};
use vio_frontend::gpu::builder::{Builder, Origin};
use vio_frontend::gpu::cache::Cache;
use vio_frontend::gpu::choice::Reason;
use vio_frontend::gpu::context::Context;
use vio_frontend::gpu::device::Device;
use vio_frontend::gpu::driver::Driver;
use vio_frontend::gpu::image::{Image, ImageKind};
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::module::Module;
use vio_frontend::gpu::nvrtc::Nvrtc;
use vio_frontend::gpu::program::{Program, Sources};
use vio_frontend::gpu::{GpuError, LibraryError};

use crate::fakecuda::FakeCuda;
use crate::log::logged;

/// A copy of `kernels/`, without its PTX.
pub fn copy_kernels() -> tempfile::TempDir {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let folder = tempfile::tempdir().unwrap();
    for below in ["", "detect", "track", "floor", "detections"] {
        let to = folder.path().join(below);
        fs::create_dir_all(&to).unwrap();
        for file in
            fs::read_dir(source.join(below)).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
        {
            fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
        }
    }
    folder
}

pub fn context(fake: &FakeCuda) -> Arc<Context> {
    Context::new(Device::open(&Driver::load(Some(&fake.library())).unwrap(), 0).unwrap()).unwrap()
}

/// No compiler: there is none in an empty folder.
pub fn without_compiler() -> Arc<Builder> {
    let nowhere = Nvrtc::load(Some(Path::new("/nowhere/libnvrtc.so")));
    assert!(matches!(nowhere, Err(LibraryError::Missing { .. })));
    Arc::new(Builder::new(nowhere, Cache::disabled()))
}

#[test]
fn without_a_compiler_the_kept_ptx_runs_and_says_why() {
    for profile in ["tx2", "orin", "discrete"] {
        let fake = FakeCuda::new(profile);
        let mut kernels = Kernels::load(&context(&fake), without_compiler(), Sources::Embedded, None).unwrap();
        for loaded in kernels.loaded() {
            let Origin::Kept { reason: Reason::NoCompiler(reason) } = &loaded.origin else { panic!("{loaded:?}") };
            assert!(reason.contains("/nowhere/libnvrtc.so"), "{reason}");
        }
        kernels.kernel::<DetectArgs>("detect", "detect").unwrap();
        kernels.kernel::<TrackArgs>("track", "track").unwrap();
        assert!(kernels.take_changes().is_empty());
        drop(kernels);
        assert_eq!(fake.leaks(), Vec::<String>::new());
    }
}

#[test]
fn a_kernel_or_program_that_is_not_there_is_named() {
    let fake = FakeCuda::new("tx2");
    let kernels = Kernels::load(&context(&fake), without_compiler(), Sources::Embedded, None).unwrap();
    let error = kernels.kernel::<DetectArgs>("nothing", "detect").unwrap_err();
    assert_eq!(error, GpuError::NoProgram { program: "nothing".to_owned() });
    let error = kernels.kernel::<DetectArgs>("detect", "nothing").unwrap_err();
    let GpuError::Load { program, error: cuda, log } = &error else { panic!("{error}") };
    assert_eq!((program.as_str(), cuda.call, cuda.code), ("detect", "cuModuleGetFunction", 500));
    assert!(log.contains("kernel nothing"), "{log}");
    // A type of another size is not what the kernel takes.
    let error = kernels.kernel::<TrackArgs>("detect", "detect").unwrap_err();
    assert!(matches!(error, GpuError::Signature { bytes: 104, .. }), "{error}");
}

#[test]
fn a_folder_that_cannot_be_compiled_leaves_the_kernels_of_the_binary() {
    let fake = FakeCuda::new("tx2");
    let folder = copy_kernels();
    let load = || Kernels::load(&context(&fake), without_compiler(), Sources::Folder(folder.path().to_owned()), None);
    // Unchanged sources are those of the kept PTX.
    assert_eq!(logged(load).1, Vec::<String>::new());
    let path = folder.path().join("detect.cu");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "// changed\n").unwrap();
    let (kernels, lines) = logged(load);
    kernels.unwrap().kernel::<DetectArgs>("detect", "detect").unwrap();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].contains("ERROR program detect of this binary runs instead"), "{}", lines[0]);
    fs::remove_dir_all(folder.path()).unwrap();
    assert!(matches!(load(), Err(GpuError::Source(_))));
}

#[test]
fn what_the_driver_refuses_is_shown_with_its_log() {
    let fake = FakeCuda::new("tx2");
    let newer = Program { kept: None, ..Program::new("newer", "") };
    let text = ".version 7.8\n.target sm_62\n.visible .entry newer()\n";
    let image = Image { kind: ImageKind::Ptx, bytes: text.as_bytes().into() };
    let error = Module::load(&context(&fake), &newer.name, image).unwrap_err();
    let GpuError::Load { program, error: cuda, log } = &error else { panic!("{error}") };
    assert_eq!((program.as_str(), cuda.call, cuda.code), ("newer", "cuModuleLoadDataEx", 218));
    assert!(log.contains("Unsupported .version 7.8; current version is '6.5'"), "{log}");
    assert!(error.to_string().contains(log.as_str()));
}
