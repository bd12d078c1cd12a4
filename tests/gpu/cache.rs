//! Compiled kernels on disk: what comes out is what went in, or nothing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::sample::Index;
use vio_frontend::gpu::cache::{Cache, FolderError, Key, default_folder};
use vio_frontend::gpu::choice::options;
use vio_frontend::gpu::image::{Image, ImageKind};

use crate::log::logged;

fn key(text: &str) -> Key {
    Key::new("detect", text, ImageKind::Cubin, &options(ImageKind::Cubin, 62), (11, 8))
}

fn image(bytes: &[u8]) -> Image {
    Image { kind: ImageKind::Cubin, bytes: bytes.to_vec().into() }
}

/// The one entry of a folder.
fn entry(folder: &Path) -> PathBuf {
    let files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

/// What may happen to a file.
#[derive(Clone, Debug)]
enum Damage {
    Cut(Index),
    Flip(Index, u8),
    Append(Vec<u8>),
    Replace(Vec<u8>),
    Zeros(Index, Index),
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<Index>().prop_map(Damage::Cut),
        (any::<Index>(), 0u8..8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        prop::collection::vec(any::<u8>(), 1..40).prop_map(Damage::Append),
        prop::collection::vec(any::<u8>(), 0..400).prop_map(Damage::Replace),
        (any::<Index>(), any::<Index>()).prop_map(|(from, to)| Damage::Zeros(from, to)),
    ]
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Cut(at) => bytes.truncate(at.index(bytes.len())),
            Self::Flip(at, bit) => {
                let at = at.index(bytes.len());
                bytes[at] ^= 1 << bit;
            }
            Self::Append(more) => bytes.extend_from_slice(more),
            Self::Replace(other) => bytes.clone_from(other),
            Self::Zeros(from, to) => {
                let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
                bytes[from.min(to)..from.max(to)].fill(0);
            }
        }
    }
}

proptest! {
    #[test]
    fn a_damaged_entry_is_named_once_and_made_anew(
        bytes in prop::collection::vec(any::<u8>(), 0..2000), damage in damage(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("kernels"));
        let (key, image) = (key("source"), image(&bytes));
        cache.store(&key, &image).unwrap();
        let (found, lines) = logged(|| cache.load(&key));
        prop_assert_eq!((found.as_ref(), lines.len()), (Some(&image), 0));

        let path = entry(&folder.path().join("kernels"));
        let mut content = fs::read(&path).unwrap();
        let before = content.clone();
        damage.apply(&mut content);
        fs::write(&path, &content).unwrap();
        let (found, lines) = logged(|| cache.load(&key));
        if content == before {
            prop_assert_eq!(found.as_ref(), Some(&image));
        } else {
            prop_assert_eq!(found, None);
            prop_assert_eq!(lines.len(), 1, "{:?}", lines);
            prop_assert!(lines[0].contains(path.to_str().unwrap()), "{}", lines[0]);
            prop_assert!(cache.list().unwrap()[0].content.is_err());
        }
        cache.store(&key, &image).unwrap();
        prop_assert_eq!(cache.load(&key), Some(image));
    }
}

#[test]
fn everything_that_a_kernel_depends_on_makes_another_entry() {
    let base = key("source");
    let options = options(ImageKind::Cubin, 62);
    let others = [
        key("source "),
        Key::new("track", "source", ImageKind::Cubin, &options, (11, 8)),
        Key::new("detect", "source", ImageKind::Ptx, &options, (11, 8)),
        Key::new("detect", "source", ImageKind::Cubin, &options[..2], (11, 8)),
        Key::new("detect", "source", ImageKind::Cubin, &options, (11, 7)),
        Key::new("detect", "source", ImageKind::Cubin, &options, (1, 18)),
    ];
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path().to_owned());
    cache.store(&base, &image(b"base")).unwrap();
    for (i, other) in others.iter().enumerate() {
        assert_eq!(logged(|| cache.load(other)), (None, Vec::new()), "{other:?}");
        cache.store(other, &image(&[i as u8])).unwrap();
    }
    assert_eq!(cache.load(&base), Some(image(b"base")));
    let listed = cache.list().unwrap();
    assert_eq!(listed.len(), 1 + others.len());
    assert!(listed.iter().any(|entry| entry.content.as_ref() == Ok(base.meta())));

    // An entry under another's name, whole as it is, is not that one.
    let path = |key: &Key| listed.iter().find(|entry| entry.content.as_ref() == Ok(key.meta())).unwrap().path.clone();
    fs::copy(path(&base), path(&others[0])).unwrap();
    let (found, lines) = logged(|| cache.load(&others[0]));
    assert_eq!((found, lines.len()), (None, 1));
}

#[test]
fn the_folder_is_its_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a/b/kernels");
    let cache = Cache::new(path.clone());
    assert_eq!(logged(|| cache.load(&key("source"))), (None, Vec::new()), "no folder yet is no news");
    cache.store(&key("source"), &image(b"x")).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    assert_eq!(mode(&entry(&path)), 0o600);

    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
    let (found, lines) = logged(|| cache.load(&key("source")));
    assert_eq!((found, lines.len()), (None, 1), "{lines:?}");
    let refused = FolderError::Writable { path: path.clone(), mode: 0o777 };
    assert_eq!(cache.store(&key("source"), &image(b"x")), Err(refused.clone()));
    assert_eq!(cache.check(), Err(refused));
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for path in [folder.path().join("file"), folder.path().join("file/kernels"), PathBuf::from("/proc/kernels")] {
        let cache = Cache::new(path.clone());
        assert_eq!(logged(|| cache.load(&key("source"))).0, None);
        for error in [cache.store(&key("source"), &image(b"x")).unwrap_err(), cache.check().unwrap_err()] {
            assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        }
    }
}

#[test]
fn clearing_removes_entries_and_leftovers_alone() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::new(folder.path().to_owned());
    for text in ["a", "b"] {
        cache.store(&key(text), &image(b"x")).unwrap();
    }
    fs::write(folder.path().join(".unfinished-abc"), "half an entry").unwrap();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    assert_eq!(cache.clear(), Ok(3));
    assert_eq!(entry(folder.path()), folder.path().join("notes.txt"));
    assert_eq!(Cache::new(folder.path().join("absent")).clear(), Ok(0));
}

#[test]
fn the_default_folder_follows_the_xdg_base_directories() {
    let with = |pairs: &'static [(&str, &str)]| {
        default_folder(move |name| pairs.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).into()))
    };
    assert_eq!(with(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h")]), Ok("/c/vio_frontend/kernels".into()));
    assert_eq!(with(&[("XDG_CACHE_HOME", "relative"), ("HOME", "/h")]), Ok("/h/.cache/vio_frontend/kernels".into()));
    assert_eq!(with(&[("HOME", "/h")]), Ok("/h/.cache/vio_frontend/kernels".into()));
    assert_eq!(with(&[("HOME", "")]), Err(FolderError::NoHome));
    assert_eq!(with(&[]), Err(FolderError::NoHome));
}

const SHARED: &str = "VIO_TEST_SHARED_CACHE";
const ROUNDS: usize = 200;

/// A large image, so that a write is not done at once.
fn large(text: &str) -> Image {
    image(&text.as_bytes().repeat(40_000))
}

#[test]
fn processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut processes: Vec<_> = (0..4)
        .map(|_| {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--exact", "cache::one_of_several_processes", "--ignored"]).env(SHARED, folder.path());
            command.stdout(Stdio::null()).spawn().unwrap()
        })
        .collect();
    for process in &mut processes {
        assert!(process.wait().unwrap().success());
    }
    let cache = Cache::new(folder.path().to_owned());
    assert_eq!(cache.list().unwrap().len(), 3);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing unfinished is left");
    for text in ["one", "two", "three"] {
        assert_eq!(cache.load(&key(text)), Some(large(text)));
    }
}

#[test]
#[ignore = "a process of `processes_share_a_folder`"]
fn one_of_several_processes() {
    let cache = Cache::new(std::env::var_os(SHARED).unwrap().into());
    let mut found = 0;
    for round in 0..ROUNDS {
        let text = ["one", "two", "three"][round % 3];
        let (loaded, lines) = logged(|| cache.load(&key(text)));
        assert_eq!(lines, Vec::<String>::new(), "no reader sees half an entry");
        if let Some(image) = loaded {
            assert!(image == large(text));
            found += 1;
        }
        cache.store(&key(text), &large(text)).unwrap();
    }
    assert!(found >= ROUNDS - 3, "{found}");
}
