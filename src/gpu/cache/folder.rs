//! The folder of compiled kernels: where it is by default, and whether it may be used.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

/// Why there is no cache.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    #[error("the cache is off")]
    Disabled,
    #[error("neither XDG_CACHE_HOME nor HOME is an absolute path: name a folder by cache_dir")]
    NoHome,
    #[error("the cache folder {} cannot be used: {reason}", path.display())]
    Unusable { path: PathBuf, reason: String },
    #[error("others may write to the cache folder {} (mode {mode:o}): chmod 700", path.display())]
    Writable { path: PathBuf, mode: u32 },
}

impl FolderError {
    pub(super) fn unusable(path: &Path, error: &io::Error) -> Self {
        Self::Unusable { path: path.to_owned(), reason: error.to_string() }
    }
}

/// `$XDG_CACHE_HOME/vio_frontend/kernels`, else `$HOME/.cache/vio_frontend/kernels` (XDG base directories: one that is not
/// absolute counts as unset). `variable` reads the environment.
pub fn default_folder(variable: impl Fn(&str) -> Option<OsString>) -> Result<PathBuf, FolderError> {
    let absolute = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let base = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Ok(base.ok_or(FolderError::NoHome)?.join("vio_frontend/kernels"))
}

/// Makes the folder, for its owner alone, unless it is there.
pub(super) fn prepare(folder: &Path) -> Result<(), FolderError> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| FolderError::unusable(folder, &error))?;
    trust(folder)
}

/// Refuses a folder in which others could place an entry: what is in it runs on the GPU.
pub(super) fn trust(folder: &Path) -> Result<(), FolderError> {
    let metadata = std::fs::metadata(folder).map_err(|error| FolderError::unusable(folder, &error))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = metadata.permissions().mode() & 0o777;
        if mode & 0o022 != 0 {
            return Err(FolderError::Writable { path: folder.to_owned(), mode });
        }
    }
    if metadata.is_dir() { Ok(()) } else { Err(FolderError::unusable(folder, &io::ErrorKind::NotADirectory.into())) }
}
