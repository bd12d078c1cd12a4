//! Results that cannot be written: a clear error and status 2, never a panic, never a silent short file.

use std::fs;

use crate::{run, sequence, text};

#[test]
fn a_folder_that_cannot_be_created_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let images = sequence(folder.path(), 1);
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    let out = file.join("out");
    run(&["replay", text(&images), "--out", text(&out)]).refused(&["cannot create", "file/out"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_named_with_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let images = sequence(folder.path(), 3);
    for file in ["features.csv", "summary.json", "report.html"] {
        let out = folder.path().join("full");
        fs::create_dir_all(&out).unwrap();
        // Every write to this device says that no space is left.
        std::os::unix::fs::symlink("/dev/full", out.join(file)).unwrap();
        run(&["replay", text(&images), "--out", text(&out), "--report"]).refused(&[
            "cannot write",
            file,
            "No space left",
        ]);
        fs::remove_dir_all(&out).unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_behind_standard_output_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let image = sequence(folder.path(), 1).join("0.png");
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut command = crate::tool(&["detect", text(&image), "--json"]);
    let output = command.stdout(full).stderr(std::process::Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("No space left"));
}
