//! The programs of the front end on a device: loaded at start, replaced when their sources change.

use std::sync::Arc;
use std::time::Duration;

use bytemuck::Pod;

use super::builder::{BuildError, Builder, Built, Origin, kept};
use super::choice::{Reason, Target};
use super::context::Context;
use super::device::Device;
use super::error::{GpuError, Severity};
use super::module::{Kernel, Module};
use super::program::{Program, Sources};
use super::watch::Watcher;

/// A program on the device.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub program: String,
    pub module: Arc<Module>,
    pub origin: Origin,
}

/// All programs.
#[derive(Debug)]
pub struct Kernels {
    loaded: Vec<Loaded>,
    watcher: Option<Watcher>,
}

impl Target {
    /// What `device` and its driver take.
    pub fn of(device: &Device) -> Self {
        Self { architecture: device.architecture(), driver: device.driver().version() }
    }
}

impl Kernels {
    /// Loads the programs of `sources`. Where a folder's sources do not compile, the log has NVRTC's words, and the
    /// program of this binary runs instead.
    ///
    /// `watch` is how often a folder is looked at for changes; `None`, or sources of this binary: never.
    ///
    /// Errors: a folder that cannot be used; a program that no way leads to the device.
    pub fn load(
        context: &Arc<Context>,
        builder: Arc<Builder>,
        sources: Sources,
        watch: Option<Duration>,
    ) -> Result<Self, GpuError> {
        let programs = sources.programs()?;
        let mut kernels = Self::of(context, &builder, &programs)?;
        let watched = watch.filter(|_| sources != Sources::Embedded);
        kernels.watcher = watched.map(|every| Watcher::start(Arc::clone(context), builder, sources, programs, every));
        Ok(kernels)
    }

    /// Loads these programs, which may be anyone's.
    ///
    /// Errors: a program that no way leads to the device.
    pub fn of(context: &Arc<Context>, builder: &Builder, programs: &[Program]) -> Result<Self, GpuError> {
        let mut loaded = Vec::new();
        for program in programs {
            loaded.push(match load(context, builder, program) {
                Err(GpuError::Build(error)) => instead(context, builder, program, error)?,
                other => other?,
            });
        }
        Ok(Self { loaded, watcher: None })
    }

    /// The kernel `name` of `program`, which takes one `A` by value. A replaced program leaves it as it was: ask again
    /// after [`Kernels::take_changes`] has named the program.
    ///
    /// Errors: no such program or kernel.
    pub fn kernel<A: Pod>(&self, program: &str, name: &str) -> Result<Kernel<A>, GpuError> {
        match self.loaded.iter().find(|loaded| loaded.program == program) {
            Some(loaded) => loaded.module.kernel(name),
            None => Err(GpuError::NoProgram { program: program.to_owned() }),
        }
    }

    /// Each program and where its image came from.
    pub fn loaded(&self) -> &[Loaded] {
        &self.loaded
    }

    /// Takes over programs that were compiled anew since the last call, and names them. Never waits: to be called
    /// between two frames.
    pub fn take_changes(&mut self) -> Vec<String> {
        let changed = self.watcher.as_ref().map(Watcher::ready).unwrap_or_default();
        let names = changed.iter().map(|loaded| loaded.program.clone()).collect();
        for new in changed {
            match self.loaded.iter_mut().find(|old| old.program == new.program) {
                Some(old) => *old = new,
                None => self.loaded.push(new),
            }
        }
        names
    }
}

/// The program as it is; where the driver refuses what was compiled, its kept PTX.
pub(super) fn load(context: &Arc<Context>, builder: &Builder, program: &Program) -> Result<Loaded, GpuError> {
    let built = builder.build(program, Target::of(context.device()))?;
    let was_kept = matches!(built.origin, Origin::Kept { .. });
    match place(context, program, built) {
        Err(error @ GpuError::Load { .. }) if error.severity() == Severity::Permanent && !was_kept => {
            match kept(program, Reason::Failed(error.to_string())) {
                Ok(built) => place(context, program, built),
                Err(_) => Err(error),
            }
        }
        other => other,
    }
}

fn place(context: &Arc<Context>, program: &Program, built: Built) -> Result<Loaded, GpuError> {
    if !built.log.trim().is_empty() {
        tracing::debug!("compiling {}:\n{}", program.name, built.log.trim_end());
    }
    let module = Module::load(context, &program.name, built.image)?;
    Ok(Loaded { program: program.name.clone(), module, origin: built.origin })
}

/// The program of this binary in place of one that does not compile.
fn instead(
    context: &Arc<Context>,
    builder: &Builder,
    program: &Program,
    error: BuildError,
) -> Result<Loaded, GpuError> {
    let own =
        Sources::Embedded.programs()?.into_iter().find(|own| own.name == program.name && own.text != program.text);
    let Some(own) = own else { return Err(error.into()) };
    tracing::error!("program {} of this binary runs instead: {error}", program.name);
    load(context, builder, &own)
}
