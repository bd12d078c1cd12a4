//! Finding and opening a shared library: where the loader looks, then in folders where Jetsons and containers keep it.
#![allow(unsafe_code, reason = "runs the initialisers of libraries and takes addresses of their functions")]

use std::fmt;
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};

/// Why a library is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    #[error("{what} not found: {tried}")]
    Missing { what: &'static str, tried: Tried },
    #[error("{} has no symbol {symbol}: too old, or not {what}", path.display())]
    Symbol { what: &'static str, path: PathBuf, symbol: &'static str },
}

/// What was tried in vain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tried {
    /// Names and paths under which there is nothing.
    pub absent: Vec<PathBuf>,
    /// Files that are there and cannot be loaded, each with the loader's reason.
    pub unusable: Vec<(PathBuf, String)>,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (path, reason) in &self.unusable {
            write!(f, "{} cannot be loaded ({reason}); ", path.display())?;
        }
        let absent: Vec<String> = self.absent.iter().map(|path| path.display().to_string()).collect();
        write!(f, "absent: {}", if absent.is_empty() { "nothing".to_owned() } else { absent.join(", ") })
    }
}

/// A library that is wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// What it is, for messages.
    pub(super) what: &'static str,
    /// File names, best first.
    pub(super) names: &'static [&'static str],
    /// Where each is looked for after the loader's own places. A part `NAME*` stands for all folders that begin so.
    pub(super) folders: &'static [&'static str],
}

/// An open library. It is never closed: a driver has threads of its own.
#[derive(Debug)]
pub(super) struct Library {
    what: &'static str,
    path: PathBuf,
    handle: ManuallyDrop<libloading::Library>,
}

impl Library {
    /// Opens the first candidate that can be loaded, or `only` that file.
    pub(super) fn open(wanted: &Wanted, only: Option<&Path>) -> Result<Self, LibraryError> {
        let candidates = only.map_or_else(|| wanted.candidates(), |path| vec![path.to_owned()]);
        let mut tried = Tried::default();
        for path in candidates {
            // SAFETY: the initialisers that run are those of the library that the user or the loader's path names; its
            // finalisers run when the process ends.
            match unsafe { libloading::Library::new(&path) } {
                Ok(handle) => {
                    let handle = ManuallyDrop::new(handle);
                    return Ok(Self { what: wanted.what, path: loaded_from(&path), handle });
                }
                Err(error) => tried.add(path, &error),
            }
        }
        Err(LibraryError::Missing { what: wanted.what, tried })
    }

    /// The address of `symbol` as a function pointer.
    ///
    /// # Safety
    /// `F` is the type of a pointer to the function that the library has under this name.
    pub(super) unsafe fn symbol<F: Copy>(&self, symbol: &'static str) -> Result<F, LibraryError> {
        // SAFETY: the type is the caller's obligation; the pointer stays valid because the library is never closed.
        match unsafe { self.handle.get::<F>(symbol.as_bytes()) } {
            Ok(found) => Ok(*found),
            Err(_) => Err(LibraryError::Symbol { what: self.what, path: self.path.clone(), symbol }),
        }
    }

    /// Where it was found.
    pub(super) fn into_path(self) -> PathBuf {
        self.path
    }
}

impl Wanted {
    /// In the order in which they are tried.
    fn candidates(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = self.names.iter().map(PathBuf::from).collect();
        for pattern in self.folders {
            let folders = folders(pattern);
            found.extend(folders.iter().flat_map(|folder| self.names.iter().map(|name| folder.join(name))));
            if folders.is_empty() {
                // Nothing to open; named among what is absent.
                found.push(PathBuf::from(pattern));
            }
        }
        found
    }
}

impl Tried {
    fn add(&mut self, path: PathBuf, error: &libloading::Error) {
        let reason = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
        // The loader's words for a name that none of its places has.
        let absent = if path.is_absolute() { !path.exists() } else { reason.contains("No such file") };
        if absent { self.absent.push(path) } else { self.unusable.push((path, reason)) }
    }
}

/// The folders that a pattern with at most one part `NAME*` stands for, the last in the order of names first.
fn folders(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once('*') else { return vec![PathBuf::from(pattern)] };
    let (parent, prefix) = before.rsplit_once('/').unwrap_or(("", before));
    let Ok(entries) = std::fs::read_dir(parent) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    found.retain(|path| path.is_dir() && path.file_name().is_some_and(|n| n.to_string_lossy().starts_with(prefix)));
    found.sort();
    found.into_iter().rev().map(|path| path.join(after.trim_start_matches('/'))).collect()
}

/// The file behind a bare name that the loader found, as Linux lists it; else the name itself.
fn loaded_from(name: &Path) -> PathBuf {
    if name.is_absolute() {
        return name.to_owned();
    }
    let wanted = name.to_string_lossy();
    // libcuda.so.1 is a link to libcuda.so.VERSION.
    let stem = wanted.split_once(".so").map_or(wanted.as_ref(), |(stem, _)| stem);
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths = maps.lines().filter_map(|line| line.find('/').and_then(|start| line.get(start..)));
    let of_it = |path: &&str| path.rsplit('/').next().is_some_and(|file| file.starts_with(&format!("{stem}.so")));
    paths.into_iter().find(of_it).map_or_else(|| name.to_owned(), PathBuf::from)
}
