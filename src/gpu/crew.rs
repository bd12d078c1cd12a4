//! Threads that help to copy: an image into page-locked memory, results out of it. One thread alone moves fewer bytes than
//! memory and bus do.
//!
//! A helper looks for work without a pause for a moment after the last, then sleeps. One that sleeps is given nothing, and a
//! part that a helper has not begun is taken back: a copy waits for no thread that the system lets wait.
#![allow(unsafe_code, reason = "copies between memory that others own")]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::streaming;

/// Most helpers.
pub const MOST: u32 = 3;

/// How long a helper looks for work: from the beginning of a frame to its results, on a fast device. At 60 Hz three
/// helpers so take 6 % of a core.
const SPIN: Duration = Duration::from_micros(200);
/// Parts of fewer bytes are copied sooner than handed over.
const LEAST_BYTES: usize = 32 << 10;
/// Looks at a part that is being copied between two offers of the processor.
const LOOKS: u32 = 1 << 10;
/// Parts begin at cache lines.
const LINE: usize = 64;

/// What a helper is doing.
/// It looks for work; how it begins.
const IDLE: u32 = 0;
/// It has been given a part, and has not seen it yet.
const ASSIGNED: u32 = 1;
const WORKING: u32 = 2;
const ASLEEP: u32 = 3;
/// It is to look for work, and has not seen that yet.
const WAKING: u32 = 4;
const DISMISSED: u32 = 5;

/// Where the bytes of a copy go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Through the caches: the CPU reads them next.
    Cached,
    /// Around the caches: a device on a bus reads them next.
    Streamed,
}

impl Way {
    /// # Safety
    /// That of [`streaming::copy`].
    unsafe fn copy(self, from: *const u8, to: *mut u8, bytes: usize) {
        match self {
            // SAFETY: passed on to the caller.
            Self::Cached => unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) },
            // SAFETY: passed on to the caller.
            Self::Streamed => unsafe { streaming::copy(from, to, bytes) },
        }
    }
}

/// Where a helper finds its work; on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Seat {
    state: AtomicU32,
    from: AtomicPtr<u8>,
    to: AtomicPtr<u8>,
    bytes: AtomicUsize,
    is_streamed: AtomicBool,
}

#[derive(Debug)]
struct Helper {
    seat: Arc<Seat>,
    /// `None` once it is to end.
    thread: Option<JoinHandle<()>>,
}

/// The helpers of one thread.
#[derive(Debug, Default)]
pub(super) struct Crew {
    helpers: Vec<Helper>,
}

impl Crew {
    /// Of `count` helpers, at most [`MOST`]; of fewer where the system has no more threads.
    pub(super) fn new(count: u32) -> Self {
        let helpers = (0..count.min(MOST)).map_while(|_| match Helper::start() {
            Ok(helper) => Some(helper),
            Err(error) => {
                tracing::warn!("no thread to help with copies: {error}");
                None
            }
        });
        Self { helpers: helpers.collect() }
    }

    /// Wakes all helpers: there will be something to copy within a moment.
    pub(super) fn wake(&self) {
        self.helpers.iter().for_each(Helper::wake);
    }

    /// Copies `bytes` bytes, and returns when all are.
    ///
    /// # Safety
    /// Both ranges hold as many, apart from each other; nobody else writes to either meanwhile.
    pub(super) unsafe fn copy(&self, way: Way, from: *const u8, to: *mut u8, bytes: usize) {
        let is_ready = |helper: &&Helper| helper.seat.state.load(Ordering::Acquire) == IDLE;
        let ready = self.helpers.iter().filter(is_ready).count().min((bytes / LEAST_BYTES).saturating_sub(1));
        let part = (bytes / (ready + 1)).next_multiple_of(LINE);
        let mut done = 0;
        // A helper may fall asleep meanwhile: its part then stays with the rest.
        for helper in self.helpers.iter().take(if ready == 0 { 0 } else { self.helpers.len() }) {
            if bytes - done <= part {
                break;
            }
            // SAFETY: the part lies within both ranges; `wait` is called before this returns.
            if unsafe { helper.assign(way, from.add(done), to.add(done), part) } {
                done += part;
            }
        }
        // SAFETY: the rest of both ranges.
        unsafe { way.copy(from.add(done), to.add(done), bytes - done) };
        self.helpers.iter().for_each(Helper::settle);
    }
}

impl Helper {
    fn start() -> std::io::Result<Self> {
        let seat = Arc::new(Seat::default());
        let own = Arc::clone(&seat);
        let thread = std::thread::Builder::new().name("copy".to_owned()).spawn(move || own.help())?;
        Ok(Self { seat, thread: Some(thread) })
    }

    fn wake(&self) {
        let (state, is_asleep) = (&self.seat.state, Ordering::Relaxed);
        if state.load(is_asleep) == ASLEEP
            && state.compare_exchange(ASLEEP, WAKING, Ordering::AcqRel, is_asleep).is_ok()
        {
            self.unpark();
        }
    }

    fn unpark(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Hands it a part; false if it sleeps.
    ///
    /// # Safety
    /// That of [`Crew::copy`], until [`Helper::settle`] returns.
    unsafe fn assign(&self, way: Way, from: *const u8, to: *mut u8, bytes: usize) -> bool {
        let Seat { state, .. } = &*self.seat;
        self.seat.from.store(from.cast_mut(), Ordering::Relaxed);
        self.seat.to.store(to, Ordering::Relaxed);
        self.seat.bytes.store(bytes, Ordering::Relaxed);
        self.seat.is_streamed.store(way == Way::Streamed, Ordering::Relaxed);
        state.compare_exchange(IDLE, ASSIGNED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Until its part is copied, if it has one: by whoever calls it, unless it has begun.
    fn settle(&self) {
        let state = &self.seat.state;
        if state.compare_exchange(ASSIGNED, IDLE, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
            // SAFETY: whoever assigned it keeps both ranges, and the helper does not look at them any more.
            unsafe { self.seat.copy() };
        }
        let mut looks = 0;
        while state.load(Ordering::Acquire) == WORKING {
            looks += 1;
            // It may have to wait for a processor.
            if looks % LOOKS == 0 { std::thread::yield_now() } else { std::hint::spin_loop() }
        }
    }
}

impl Seat {
    /// Copies the part that was assigned.
    ///
    /// # Safety
    /// That of [`Helper::assign`].
    unsafe fn copy(&self) {
        let [from, to] = [&self.from, &self.to].map(|address| address.load(Ordering::Relaxed));
        let way = if self.is_streamed.load(Ordering::Relaxed) { Way::Streamed } else { Way::Cached };
        // SAFETY: passed on to the caller.
        unsafe { way.copy(from, to, self.bytes.load(Ordering::Relaxed)) };
    }

    /// A helper's life.
    fn help(&self) {
        let mut since = Instant::now();
        loop {
            match self.state.load(Ordering::Acquire) {
                ASSIGNED => {
                    // It may just have been taken back.
                    if self.state.compare_exchange(ASSIGNED, WORKING, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                        // SAFETY: whoever assigned it keeps both ranges until the state is another.
                        unsafe { self.copy() };
                        self.state.store(IDLE, Ordering::Release);
                    }
                    since = Instant::now();
                }
                WAKING => {
                    let _ = self.state.compare_exchange(WAKING, IDLE, Ordering::AcqRel, Ordering::Relaxed);
                    since = Instant::now();
                }
                DISMISSED => return,
                ASLEEP => std::thread::park(),
                _ if since.elapsed() > SPIN => {
                    // What came in meanwhile is looked at first.
                    let _ = self.state.compare_exchange(IDLE, ASLEEP, Ordering::AcqRel, Ordering::Relaxed);
                }
                _ => std::hint::spin_loop(),
            }
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.seat.state.store(DISMISSED, Ordering::Release);
        self.unpark();
        if let Some(thread) = self.thread.take() {
            // It cannot panic.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_are_copied_whoever_is_awake() {
        for count in 0..=MOST + 1 {
            let crew = Crew::new(count);
            assert_eq!(crew.helpers.len(), count.min(MOST) as usize);
            for (round, bytes) in [0, 1, 63, 64, 1000, 32 << 10, 65 << 10, 307_200, 1 << 20].into_iter().enumerate() {
                match round % 3 {
                    0 => crew.wake(),
                    // Asleep by now, or soon: whichever it is, nothing is left out.
                    1 => std::thread::sleep(2 * SPIN),
                    _ => {}
                }
                let from: Vec<u8> = (0..bytes).map(|i| (i * 7 % 251 + round) as u8).collect();
                // Aligned to whatever memory is, and not.
                for (way, at) in [(Way::Cached, 0), (Way::Streamed, 0), (Way::Streamed, 1)] {
                    let mut to = vec![0xA5; at + bytes + 1];
                    // SAFETY: both hold as many bytes and are this test's own.
                    unsafe { crew.copy(way, from.as_ptr(), to.as_mut_ptr().add(at), bytes) };
                    assert!(to[at..][..bytes] == from, "{count} helpers, {bytes} bytes, {way:?}");
                    assert!(
                        to[at + bytes] == 0xA5 && to[..at] == [0xA5][..at],
                        "{count} helpers, {bytes} bytes, {way:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_part_that_nobody_begins_is_copied_by_whoever_waits() {
        let states = [IDLE, ASLEEP, WAKING];
        let seats = states.map(|state| Arc::new(Seat { state: AtomicU32::new(state), ..Seat::default() }));
        let helpers = seats.iter().map(|seat| Helper { seat: Arc::clone(seat), thread: None });
        let crew = Crew { helpers: helpers.collect() };
        let from: Vec<u8> = (0..1 << 20).map(|i| (i % 251) as u8).collect();
        let mut to = vec![0; from.len()];
        // SAFETY: both hold as many bytes and are this test's own.
        unsafe { crew.copy(Way::Cached, from.as_ptr(), to.as_mut_ptr(), from.len()) };
        assert!(from == to);
        crew.wake();
        assert_eq!(seats.each_ref().map(|seat| seat.state.load(Ordering::Relaxed)), [IDLE, WAKING, WAKING]);
    }
}
