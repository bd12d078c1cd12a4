//! Programs: sources that are compiled as one, from this binary or from a folder.

use std::path::{Path, PathBuf};

use super::{embedded, sources};

/// Sources that are compiled as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub name: String,
    /// The joined text.
    pub text: String,
    /// PTX of these very sources that needs no compiler.
    pub kept: Option<&'static str>,
}

/// Where sources come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sources {
    /// This binary.
    Embedded,
    /// A folder laid out as `kernels/`, with a `programs.txt`.
    Folder(PathBuf),
}

/// Why a folder of kernels is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    #[error("{} cannot be read: {reason}", path.display())]
    Unreadable { path: PathBuf, reason: String },
    #[error("everyone may write to {}: kernels from there could be anyone's; chmod o-w", path.display())]
    Writable { path: PathBuf },
    #[error("{} names no program", path.display())]
    NoProgram { path: PathBuf },
    #[error("{}: '{name}' is not a path below the folder", path.display())]
    Outside { path: PathBuf, name: String },
    #[error("{} is not ASCII text that ends with a line end", path.display())]
    NotText { path: PathBuf },
}

impl Program {
    /// A program of one text, such as a kernel of another project. It has no kept PTX.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into(), kept: None }
    }

    /// `kept` where its digest says that it was made of this text.
    fn with_kept(name: &str, text: String) -> Self {
        let digest = sources::digest(embedded::PTX_ARCHITECTURE, &text);
        let kept = embedded::ptx(name).filter(|ptx| sources::stated_digest(ptx) == Some(digest));
        Self { name: name.to_owned(), text, kept }
    }
}

impl Sources {
    /// The folder `path`, or this binary where it is empty, as the parameter `kernels_dir` has it.
    pub fn from_parameter(path: &str) -> Self {
        if path.is_empty() { Self::Embedded } else { Self::Folder(PathBuf::from(path)) }
    }

    /// All programs, as they are now.
    ///
    /// Errors: of a folder, what is wrong with it or one of its files.
    pub fn programs(&self) -> Result<Vec<Program>, SourceError> {
        let folder = match self {
            Self::Embedded => return Ok(embedded_programs()),
            Self::Folder(folder) => folder,
        };
        let list = text(&folder.join("programs.txt"))?;
        let programs: Vec<Program> = sources::programs(&list)
            .map(|(name, files)| {
                let joined = sources::join(&files, |file| text(&below(folder, file)?))?;
                Ok(Program::with_kept(name, joined))
            })
            .collect::<Result<_, SourceError>>()?;
        if programs.is_empty() {
            Err(SourceError::NoProgram { path: folder.join("programs.txt") })
        } else {
            Ok(programs)
        }
    }
}

fn embedded_programs() -> Vec<Program> {
    let programs = sources::programs(embedded::PROGRAMS);
    let read = |file: &str| embedded::file(file).map(str::to_owned).ok_or(());
    // A test compares the table of files with the list: none is missing.
    programs.filter_map(|(name, files)| Some(Program::with_kept(name, sources::join(&files, read).ok()?))).collect()
}

fn below(folder: &Path, name: &str) -> Result<PathBuf, SourceError> {
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    if Path::new(name).components().all(plain) {
        return Ok(folder.join(name));
    }
    Err(SourceError::Outside { path: folder.join("programs.txt"), name: name.to_owned() })
}

fn text(path: &Path) -> Result<String, SourceError> {
    path.parent().map_or(Ok(()), refuse_writable)?;
    refuse_writable(path)?;
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    let text =
        String::from_utf8(bytes).ok().filter(|text| text.is_ascii() && text.ends_with('\n') && !text.contains('\0'));
    text.ok_or_else(|| SourceError::NotText { path: path.to_owned() })
}

fn unreadable(path: &Path, error: &std::io::Error) -> SourceError {
    SourceError::Unreadable { path: path.to_owned(), reason: error.to_string() }
}

#[cfg(unix)]
fn refuse_writable(path: &Path) -> Result<(), SourceError> {
    use std::os::unix::fs::PermissionsExt;
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if metadata.permissions().mode() & 0o002 == 0 {
        Ok(())
    } else {
        Err(SourceError::Writable { path: path.to_owned() })
    }
}

#[cfg(not(unix))]
fn refuse_writable(_path: &Path) -> Result<(), SourceError> {
    Ok(())
}
