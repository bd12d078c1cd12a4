//! Sources that change while the program runs: compiled and loaded by a thread of its own, taken over between frames.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::builder::Builder;
use super::context::Context;
use super::kernels::{Loaded, load};
use super::program::{Program, SourceError, Sources};

/// Looks at a folder of kernels until it is dropped.
#[derive(Debug)]
pub(super) struct Watcher {
    context: Arc<Context>,
    ready: Receiver<Loaded>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watcher {
    /// `programs` is what runs already. The contents are compared, as stamps are coarse and may go back.
    pub(super) fn start(
        context: Arc<Context>,
        builder: Arc<Builder>,
        sources: Sources,
        programs: Vec<Program>,
        every: Duration,
    ) -> Self {
        let (sender, ready) = channel();
        let own = Arc::clone(&context);
        let (stop, stopped) = channel::<()>();
        let mut seen = Seen { tried: programs.clone(), last: Ok(programs) };
        // The log of the caller is that of the thread.
        let log = tracing::dispatcher::get_default(Clone::clone);
        let thread = std::thread::Builder::new().name("kernels".to_owned()).spawn(move || {
            let _log = tracing::dispatcher::set_default(&log);
            while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
                for program in seen.changes(sources.programs()) {
                    // Nobody takes it over any more: the end.
                    if replace(&context, &builder, &program).is_some_and(|loaded| sender.send(loaded).is_err()) {
                        return;
                    }
                }
            }
        });
        // Without a thread the kernels stay as they are.
        let thread = thread.map_err(|error| tracing::error!("kernels are not watched: {error}")).ok();
        Self { context: own, ready, stop: Some(stop), thread }
    }

    /// What is new on the device, oldest first.
    pub(super) fn ready(&self) -> Vec<Loaded> {
        self.ready.try_iter().collect()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop = None;
        // With a GPU that hangs, loading may never return.
        if let Some(thread) = self.thread.take().filter(|_| !self.context.is_abandoned()) {
            // A panic of the thread has been printed already.
            let _ = thread.join();
        }
    }
}

/// Compiles and loads; a failure is logged with the compiler's words, and what runs stays.
fn replace(context: &Arc<Context>, builder: &Builder, program: &Program) -> Option<Loaded> {
    match load(context, builder, program) {
        Ok(loaded) => {
            tracing::info!("program {} has changed and is replaced", program.name);
            Some(loaded)
        }
        Err(error) => {
            tracing::error!("program {} has changed; the one before stays: {error}", program.name);
            None
        }
    }
}

/// What the folder held.
#[derive(Debug)]
struct Seen {
    /// What was compiled, or tried in vain, per program.
    tried: Vec<Program>,
    /// At the last look.
    last: Result<Vec<Program>, SourceError>,
}

impl Seen {
    /// The programs to compile, given what the folder holds now: those that differ from what was tried, and have not
    /// changed since the last look, so that a file that is just being written is left to the next one.
    fn changes(&mut self, now: Result<Vec<Program>, SourceError>) -> Vec<Program> {
        let settled = now == self.last;
        if let (Err(error), false) = (&now, settled) {
            tracing::error!("the kernels stay as they are: {error}");
        }
        let changed = match (&now, settled) {
            (Ok(programs), true) => programs.iter().filter(|program| !self.tried.contains(program)).cloned().collect(),
            _ => Vec::new(),
        };
        for program in &changed {
            self.tried.retain(|tried: &Program| tried.name != program.name);
            self.tried.push(program.clone());
        }
        self.last = now;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(texts: &[&str]) -> Result<Vec<Program>, SourceError> {
        Ok(texts.iter().enumerate().map(|(i, text)| Program::new(format!("p{i}"), *text)).collect())
    }

    #[test]
    fn a_program_is_compiled_once_it_has_settled_and_only_once() {
        let mut seen = Seen { tried: held(&["a", "b"]).unwrap(), last: held(&["a", "b"]) };
        let mut names = |texts: &[&str]| -> Vec<String> {
            seen.changes(held(texts)).into_iter().map(|program| program.name).collect()
        };
        assert!(names(&["a", "b"]).is_empty());
        assert!(names(&["a", "half"]).is_empty());
        assert!(names(&["a", "whole"]).is_empty());
        assert_eq!(names(&["a", "whole"]), ["p1"]);
        assert!(names(&["a", "whole"]).is_empty());
        assert!(names(&["a", "b"]).is_empty());
        assert_eq!(names(&["a", "b"]), ["p1"], "back to what it was");
    }

    #[test]
    fn a_folder_that_cannot_be_read_for_a_while_changes_nothing() {
        let missing = || Err(SourceError::NoProgram { path: "programs.txt".into() });
        let mut seen = Seen { tried: held(&["a"]).unwrap(), last: held(&["a"]) };
        for now in [missing(), missing(), held(&["a"]), held(&["a"])] {
            assert_eq!(seen.changes(now), Vec::new());
        }
    }
}
