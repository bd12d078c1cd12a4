//! Sources: what the binary carries is what `kernels/` holds, and a folder of one's own is refused by what is wrong.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use vio_frontend::gpu::builder::{BuildError, kept};
use vio_frontend::gpu::choice::Reason;
use vio_frontend::gpu::image::{Image, ImageKind, parameter_bytes};
use vio_frontend::gpu::program::{Program, SourceError, Sources};

use crate::kernels::copy_kernels;

#[test]
fn the_binary_carries_the_folder() {
    let folder = Sources::Folder(Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels"));
    let embedded = Sources::Embedded.programs().unwrap();
    assert_eq!(embedded, folder.programs().unwrap());
    assert_eq!(
        embedded.iter().map(|p| p.name.as_str()).collect::<Vec<_>>(),
        ["detect", "track", "floor", "detections"]
    );
    assert!(embedded.iter().all(|program| program.kept.is_some()), "kept PTX is out of date");
}

#[test]
fn kept_ptx_is_of_unchanged_sources_only() {
    let folder = copy_kernels();
    let sources = Sources::Folder(folder.path().to_owned());
    assert!(sources.programs().unwrap().iter().all(|program| program.kept.is_some()));
    let path = folder.path().join("track.cu");
    fs::write(&path, fs::read_to_string(&path).unwrap() + "// changed\n").unwrap();
    let programs = sources.programs().unwrap();
    let changed: Vec<&str> = programs.iter().filter(|p| p.kept.is_none()).map(|p| p.name.as_str()).collect();
    assert_eq!(changed, ["track"]);
    let reason = Reason::NoCompiler("none here".to_owned());
    let error = kept(programs.iter().find(|p| p.kept.is_none()).unwrap(), reason.clone()).unwrap_err();
    assert_eq!(error, BuildError::NothingKept { program: "track".to_owned(), reason });
}

/// What is said of a copy of the kernels after a change.
fn refused(change: impl FnOnce(&Path)) -> (SourceError, PathBuf) {
    let folder = copy_kernels();
    change(folder.path());
    (Sources::Folder(folder.path().to_owned()).programs().unwrap_err(), folder.path().to_owned())
}

#[test]
fn a_folder_is_refused_by_what_is_wrong_with_it() {
    let (error, folder) = refused(|folder| fs::remove_dir_all(folder).unwrap());
    assert!(matches!(&error, SourceError::Unreadable { path, .. } if *path == folder), "{error}");
    let (error, folder) = refused(|folder| fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap());
    assert_eq!(error, SourceError::Writable { path: folder });
    let (error, folder) = refused(|folder| fs::remove_file(folder.join("detect/load.cuh")).unwrap());
    assert!(
        matches!(&error, SourceError::Unreadable { path, .. } if *path == folder.join("detect/load.cuh")),
        "{error}"
    );
    let (error, folder) = refused(|folder| fs::write(folder.join("programs.txt"), "# nothing\n").unwrap());
    assert_eq!(error, SourceError::NoProgram { path: folder.join("programs.txt") });
    for name in ["../secret", "/etc/passwd"] {
        let (error, _) = refused(|folder| fs::write(folder.join("programs.txt"), format!("a: {name}\n")).unwrap());
        assert!(matches!(&error, SourceError::Outside { name: found, .. } if found == name), "{error}");
    }
    for content in ["no line end", "z\u{e9}ro\n", "a zero \0 byte\n"] {
        let (error, folder) = refused(|folder| fs::write(folder.join("common.cuh"), content).unwrap());
        assert_eq!(error, SourceError::NotText { path: folder.join("common.cuh") });
    }
}

#[test]
fn ptx_tells_the_size_of_a_kernels_argument() {
    let image = |text: &str| Image { kind: ImageKind::Ptx, bytes: text.as_bytes().to_vec().into() };
    let text = ".visible .entry detector(\n.param .b8 p[8]\n)\n{}\n.visible .entry detect (\n\
        \t.param .align 8 .b8 detect_param_0[256]\n)\n";
    assert_eq!(parameter_bytes(&image(text), "detect"), Some(256));
    assert_eq!(parameter_bytes(&image(text), "detector"), Some(8));
    for unknown in [
        "",
        ".entry detect(",
        ".entry detect()",
        ".entry detect(.param .u64 p)",
        ".entry detect(.param .b8 p[x])",
        ".entry detect(.param .b8 p[8], .param .b8 q[8])",
    ] {
        assert_eq!(parameter_bytes(&image(unknown), "detect"), None, "{unknown}");
    }
    let program = Program::new("own", "extern \"C\" __global__ void own() {}\n");
    assert_eq!(program.kept, None);
}
