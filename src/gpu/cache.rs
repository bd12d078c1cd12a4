//! Compiled kernels on disk: one file an entry, safe under concurrent processes, never trusted unread.
//!
//! An entry is written beside its place and renamed into it, so that readers see a whole entry or none. One that is not
//! exactly what is wanted (cut short, changed, of another program or compiler) counts as absent and is written anew. A
//! folder that cannot be used costs speed alone.

pub mod entry;
mod folder;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

pub use entry::{Entry, EntryError, Key, Meta};
pub use folder::{FolderError, default_folder};

use super::image::Image;

const EXTENSION: &str = "kernel";

/// A folder of entries, or none.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: Result<PathBuf, FolderError>,
}

/// What is in a folder under the name of an entry.
#[derive(Clone, Debug)]
pub struct Listed {
    pub path: PathBuf,
    /// Bytes.
    pub size: u64,
    pub modified: Option<SystemTime>,
    /// What it holds, or why it would not be used.
    pub content: Result<Meta, String>,
}

impl Cache {
    /// The cache in `folder`, which is made (mode 0700) when the first entry is stored.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder: Ok(folder) }
    }

    /// The folder that the parameter `cache_dir` names; where it is empty, that of the user (XDG).
    pub fn from_parameter(path: &str) -> Self {
        if path.is_empty() {
            Self { folder: default_folder(|name| std::env::var_os(name)) }
        } else {
            Self::new(path.into())
        }
    }

    /// None: every program is compiled anew.
    pub fn disabled() -> Self {
        Self { folder: Err(FolderError::Disabled) }
    }

    /// Where it is, if anywhere.
    pub fn folder(&self) -> Result<&Path, FolderError> {
        self.folder.as_deref().map_err(Clone::clone)
    }

    /// Whether entries can be read and written now. Makes the folder if need be.
    ///
    /// Errors: why not.
    pub fn check(&self) -> Result<&Path, FolderError> {
        let folder = self.folder()?;
        folder::prepare(folder)?;
        tempfile::NamedTempFile::new_in(folder).map_err(|error| FolderError::unusable(folder, &error))?;
        Ok(folder)
    }

    /// The image stored under `key`. An entry that is there and no good is named in one line of the log.
    pub fn load(&self, key: &Key) -> Option<Image> {
        let folder = self.folder.as_deref().ok()?;
        if let Err(error) = folder::trust(folder) {
            // One that is not there yet is no news.
            if folder.exists() {
                tracing::warn!("compiled kernels are not read: {error}");
            }
            return None;
        }
        let path = path(folder, key);
        let found = match std::fs::read(&path) {
            Ok(bytes) => {
                Entry::parse(&bytes).and_then(|entry| entry.into_image(key)).map_err(|error| error.to_string())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => Err(error.to_string()),
        };
        found.map_err(|reason| tracing::warn!("{} is not used and made anew: {reason}", path.display())).ok()
    }

    /// Stores an image.
    ///
    /// Errors: why it could not be written; what was there before still is.
    pub fn store(&self, key: &Key, image: &Image) -> Result<(), FolderError> {
        let folder = self.folder()?;
        folder::prepare(folder)?;
        let write = || -> io::Result<()> {
            let mut file = tempfile::Builder::new().prefix(".unfinished-").tempfile_in(folder)?;
            file.write_all(&Entry::encode(key, image))?;
            // A power cut after the rename must not leave a hollow entry: the checksum would notice, the time be lost.
            file.as_file().sync_all()?;
            file.persist(path(folder, key))?;
            Ok(())
        };
        write().map_err(|error| FolderError::unusable(folder, &error))
    }

    /// Everything in the folder that has the name of an entry, in the order of names.
    pub fn list(&self) -> Result<Vec<Listed>, FolderError> {
        let mut found = Vec::new();
        for path in self.files()? {
            if path.extension().is_none_or(|extension| extension != EXTENSION) {
                continue;
            }
            let metadata = std::fs::metadata(&path).ok();
            let content = std::fs::read(&path).map_err(|error| error.to_string());
            let content = content.and_then(|bytes| Entry::parse(&bytes).map_err(|error| error.to_string()));
            found.push(Listed {
                size: metadata.as_ref().map_or(0, std::fs::Metadata::len),
                modified: metadata.and_then(|metadata| metadata.modified().ok()),
                content: content.map(|entry| entry.meta),
                path,
            });
        }
        Ok(found)
    }

    /// Removes all entries, and what interrupted writers left. Other files stay. Returns how many were removed.
    pub fn clear(&self) -> Result<usize, FolderError> {
        let folder = self.folder()?;
        let mut removed = 0;
        for path in self.files()? {
            let unfinished = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(".unfinished-"));
            if unfinished || path.extension().is_some_and(|extension| extension == EXTENSION) {
                match std::fs::remove_file(&path) {
                    Ok(()) => removed += 1,
                    // Another process was faster.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => return Err(FolderError::unusable(folder, &error)),
                }
            }
        }
        Ok(removed)
    }

    /// The files of the folder; none where there is no folder yet.
    fn files(&self) -> Result<Vec<PathBuf>, FolderError> {
        let folder = self.folder()?;
        let entries = match std::fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(FolderError::unusable(folder, &error)),
        };
        let mut files: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
        files.sort();
        Ok(files)
    }
}

fn path(folder: &Path, key: &Key) -> PathBuf {
    folder.join(format!("{}.{EXTENSION}", key.file_stem()))
}
