//! Each defect of `selftest_defect` is found by what should find it, and is harmless elsewhere where that is said.

use crate::emulator::{Build, Emulator, Sanitizer, Schedule};
use crate::selftest;

const BLOCK: u32 = 64;

fn run(sanitizer: Sanitizer, grid: u32, mode: u32, beyond: u32) -> Result<Vec<u32>, String> {
    let mut emulator = Emulator::build(sanitizer).unwrap();
    let block = if mode == 6 { 256 } else { BLOCK };
    let size = block as usize;
    let mut defect = |grid, mode| {
        selftest(&mut emulator, "selftest_defect", (grid, block), Schedule::Forward, &[], size, [beyond, mode])
    };
    let result = defect(grid, mode);
    // A kernel that failed does not spoil the next launch. (Two blocks of mode 0 would race for the output.)
    assert!(defect(1, 0).is_ok());
    result
}

/// The defect's report holds all of `words`.
#[track_caller]
fn reports(sanitizer: Sanitizer, grid: u32, mode: u32, beyond: u32, words: &[&str]) {
    let report = run(sanitizer, grid, mode, beyond).unwrap_err();
    for word in words {
        assert!(report.contains(word), "no '{word}' in: {report}");
    }
}

#[test]
fn no_defect() {
    let expected: Vec<u32> = (0..BLOCK).map(|t| (t + 1) % BLOCK).collect();
    for sanitizer in [Sanitizer::Plain, Sanitizer::Address, Sanitizer::Thread] {
        assert_eq!(run(sanitizer, 1, 0, 0).unwrap(), expected);
    }
}

#[test]
fn races_in_shared_memory() {
    for mode in [1, 2, 3] {
        reports(Sanitizer::Thread, 1, mode, 0, &["data race", "selftest.cu", "block 0,0,0 thread "]);
        assert!(run(Sanitizer::Plain, 1, mode, 0).is_ok());
    }
}

#[test]
fn races_in_global_memory() {
    reports(Sanitizer::Thread, 1, 4, 0, &["data race", "block 0,0,0 thread 1,0,0"]);
    reports(Sanitizer::Thread, 2, 5, 0, &["data race", "block 1,0,0 thread "]);
    assert!(run(Sanitizer::Thread, 1, 5, 0).is_ok());
}

#[test]
fn races_of_later_launches() {
    let mut emulator = Emulator::build(Sanitizer::Thread).unwrap();
    let mut defect = |mode| {
        selftest(&mut emulator, "selftest_defect", (1, BLOCK), Schedule::Random(7), &[], BLOCK as usize, [0, mode])
    };
    for _ in 0..3 {
        defect(0).unwrap();
    }
    assert!(defect(2).unwrap_err().contains("data race"));
}

#[test]
fn a_race_shows_in_the_order() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    let [forward, reverse] = [Schedule::Forward, Schedule::Reverse].map(|schedule| {
        selftest(&mut emulator, "selftest_defect", (1, BLOCK), schedule, &[], BLOCK as usize, [0, 1]).unwrap()
    });
    assert_ne!(forward, reverse);
}

#[test]
fn out_of_bounds() {
    let place = "in kernel selftest_defect, block (0, 0, 0), thread (";
    reports(Sanitizer::Address, 1, 6, 1, &["heap-buffer-overflow", "selftest.cu", place, "thread (255, 0, 0)"]);
    reports(Sanitizer::Address, 1, 7, 1, &["heap-buffer-overflow", "selftest.cu", place, "thread (63, 0, 0)"]);
}

#[test]
fn divergent_barriers() {
    for sanitizer in [Sanitizer::Plain, Sanitizer::Address, Sanitizer::Thread] {
        let place = "in kernel selftest_defect, block (0, 0, 0), thread (";
        reports(sanitizer, 1, 8, 0, &["divergent barrier", "selftest.cu:", place]);
        reports(sanitizer, 1, 9, 0, &["exits while thread 0", "__syncthreads", place]);
        reports(sanitizer, 1, 10, 0, &["divergent warp", "__ballot_sync", "__syncwarp", place]);
        reports(sanitizer, 1, 11, 0, &["lane 7 exits while lane 0 waits", "__syncwarp", place]);
        reports(sanitizer, 1, 12, 0, &["deadlock", "63 threads of block (0, 0, 0): __syncthreads", "1 threads"]);
        reports(sanitizer, 2, 13, 0, &["deadlock", "64 threads of block (1, 0, 0): grid_barrier"]);
    }
}

#[test]
fn shared_memory_begins_as_a_pattern() {
    assert_eq!(run(Sanitizer::Plain, 1, 14, 0).unwrap(), [0xa5a5_a5a5; BLOCK as usize]);
}

#[test]
fn failed_checks_name_the_thread() {
    reports(Sanitizer::Plain, 1, 15, 0, &["index 7 of 5", "block (0, 0, 0), thread (33, 0, 0)", "exit status: 3"]);
}

#[test]
fn wrong_requests() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    let mut launch =
        |kernel: &str, args: &[u8]| emulator.launch(kernel, 1, 1, Schedule::Forward, &mut [], args, &[]).unwrap_err();
    assert_eq!(launch("nothing", &[]), "no kernel is called nothing");
    assert_eq!(launch("selftest_scan", &[0; 8]), "selftest_scan takes 32 bytes of arguments, not 8");
}

#[test]
fn a_compiler_error_is_reported() {
    let mut build = Build::new(Sanitizer::Plain);
    build.flags.push("-Dbins=1 +".to_owned());
    let error = Emulator::build_with(&build).unwrap_err();
    assert!(error.contains("g++ failed") && error.contains("selftest.cu"), "{error}");
}
