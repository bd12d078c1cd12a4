//! From sources to an image: compiler, cache and kept PTX, each where it serves.

use super::cache::{Cache, FolderError, Key};
use super::choice::{Abilities, Choice, Reason, Target, options};
use super::image::{Image, ImageKind};
use super::library::LibraryError;
use super::nvrtc::{CompileError, Nvrtc};
use super::program::Program;

/// Where an image comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Compiled just now.
    Compiled { architecture: u32 },
    /// Compiled by an earlier run.
    Cached { architecture: u32 },
    /// The PTX that this program carries.
    Kept { reason: Reason },
}

/// An image and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Built {
    pub image: Image,
    pub origin: Origin,
    /// Warnings of the compiler.
    pub log: String,
    /// Why it is compiled again at the next start.
    pub not_stored: Option<FolderError>,
}

/// Why there is no image.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    #[error(transparent)]
    Compile(#[from] CompileError),
    #[error("no PTX of {program} is kept, and it cannot be compiled here: {reason}")]
    NothingKept { program: String, reason: Reason },
}

/// Makes images of programs.
#[derive(Debug)]
pub struct Builder {
    compiler: Result<Nvrtc, LibraryError>,
    cache: Cache,
    line_info: bool,
}

impl Builder {
    pub fn new(compiler: Result<Nvrtc, LibraryError>, cache: Cache) -> Self {
        Self { compiler, cache, line_info: false }
    }

    /// Code that tells a profiler from which line each instruction comes. It is machine code: drivers that assemble PTX
    /// leave the lines out.
    pub fn with_line_info(self) -> Self {
        Self { line_info: true, ..self }
    }

    pub fn compiler(&self) -> Result<&Nvrtc, &LibraryError> {
        self.compiler.as_ref()
    }

    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// How programs get to `target`.
    pub fn choose(&self, target: Target) -> Choice {
        match &self.compiler {
            Ok(nvrtc) => Choice::new(&Abilities::of(nvrtc), target),
            Err(error) => Choice::Kept { reason: Reason::NoCompiler(error.to_string()) },
        }
    }

    /// The image of `program` for `target`, as [`Builder::choose`] says.
    ///
    /// Errors: sources that the compiler refuses; no compiler, and no kept PTX of these sources.
    pub fn build(&self, program: &Program, target: Target) -> Result<Built, BuildError> {
        match self.choose(target) {
            Choice::Kept { reason } => kept(program, reason),
            Choice::Compile { kind, architecture } => match self.compile(program, self.kind(kind), architecture) {
                Ok(built) => Ok(built),
                Err(error @ (CompileError::Source { .. } | CompileError::ZeroByte { .. })) => Err(error.into()),
                // Not the sources, but the compiler: incomplete, or without the architecture.
                Err(error) => kept(program, Reason::Failed(error.to_string())).map_err(|_| error.into()),
            },
        }
    }

    fn kind(&self, chosen: ImageKind) -> ImageKind {
        if self.line_info { ImageKind::Cubin } else { chosen }
    }

    /// From the cache, or compiled and stored there. A cache that fails costs a line of the log.
    pub fn compile(&self, program: &Program, kind: ImageKind, architecture: u32) -> Result<Built, CompileError> {
        let Ok(nvrtc) = &self.compiler else {
            let (program, version) = (program.name.clone(), (0, 0));
            return Err(CompileError::Nvrtc { program, call: "nvrtcVersion", version, code: 0, log: String::new() });
        };
        let mut options = options(kind, architecture);
        if self.line_info {
            options.push("--generate-line-info".to_owned());
        }
        let key = Key::new(&program.name, &program.text, kind, &options, nvrtc.version());
        if let Some(image) = self.cache.load(&key) {
            let origin = Origin::Cached { architecture };
            return Ok(Built { image, origin, log: String::new(), not_stored: None });
        }
        let (image, log) = nvrtc.compile(&program.name, &program.text, &options, kind)?;
        let not_stored = self.cache.store(&key, &image).err();
        if let Some(error) = &not_stored {
            tracing::warn!("program {} is compiled anew at every start: {error}", program.name);
        }
        Ok(Built { image, origin: Origin::Compiled { architecture }, log, not_stored })
    }
}

/// The kept PTX, which is there if `program` is unchanged.
pub fn kept(program: &Program, reason: Reason) -> Result<Built, BuildError> {
    match program.kept {
        Some(ptx) => {
            let image = Image { kind: ImageKind::Ptx, bytes: ptx.as_bytes().into() };
            Ok(Built { image, origin: Origin::Kept { reason }, log: String::new(), not_stored: None })
        }
        None => Err(BuildError::NothingKept { program: program.name.clone(), reason }),
    }
}

impl Abilities {
    /// What `nvrtc` can do.
    pub fn of(nvrtc: &Nvrtc) -> Self {
        Self { version: nvrtc.version(), architectures: nvrtc.architectures().to_vec(), cubins: nvrtc.makes_cubins() }
    }
}
