//! Correct kernels against plain Rust.

use crate::emulator::{Emulator, Sanitizer, Schedule};
use crate::selftest;

const BLOCK: u32 = 64;
const SCHEDULES: [Schedule; 4] =
    [Schedule::Forward, Schedule::Reverse, Schedule::Random(1), Schedule::Random(0x1234_5678_9abc)];

/// Numbers below 1000 without a pattern.
fn input(length: u32) -> Vec<u32> {
    (0..length).map(|i| i.wrapping_mul(2_654_435_761) % 1000).collect()
}

/// Runs `check(emulator, grid, schedule)` over grids, schedules and sanitizers; the race detector is slow.
fn everywhere(check: impl Fn(&mut Emulator, u32, Schedule)) {
    for sanitizer in [Sanitizer::Plain, Sanitizer::Address, Sanitizer::Thread] {
        let mut emulator = Emulator::build(sanitizer).unwrap();
        for grid in [1, 2, 16] {
            for schedule in SCHEDULES {
                check(&mut emulator, grid, schedule);
            }
        }
    }
}

#[test]
fn prefix_sum() {
    // A last stretch that no block fills.
    let input = input(64 * 19 + 5);
    let mut expected = input.clone();
    for stretch in expected.chunks_mut(BLOCK as usize) {
        let mut sum = 0;
        for value in stretch {
            sum += *value;
            *value = sum;
        }
    }
    everywhere(|emulator, grid, schedule| {
        let size = input.len();
        let output =
            selftest(emulator, "selftest_scan", (grid, BLOCK), schedule, &input, size, [size as u32, 0]).unwrap();
        assert!(output == expected, "grid {grid}, {schedule:?}");
    });
}

#[test]
fn histogram() {
    let input = input(3000);
    let mut expected = vec![0; 64];
    for value in &input {
        expected[*value as usize % 64] += 1;
    }
    everywhere(|emulator, grid, schedule| {
        let output = selftest(emulator, "selftest_histogram", (grid, BLOCK), schedule, &input, 64, [3000, 0]).unwrap();
        assert_eq!(output, expected, "grid {grid}, {schedule:?}");
    });
}

#[test]
fn rounds_between_grid_barriers() {
    everywhere(|emulator, grid, schedule| {
        let input = input(grid * BLOCK);
        let length = input.len();
        let mut halves = [input.clone(), input.clone()];
        for round in 0..3 {
            halves[1 - round % 2] =
                (0..length).map(|i| halves[round % 2][i] + halves[round % 2][(i + 1) % length]).collect();
        }
        let output =
            selftest(emulator, "selftest_pipeline", (grid, BLOCK), schedule, &input, 2 * length, [0, 0]).unwrap();
        assert!(output == halves.concat(), "grid {grid}, {schedule:?}");
    });
}

#[test]
fn shuffles_and_warp_votes() {
    everywhere(|emulator, grid, schedule| {
        let input = input(grid * BLOCK);
        let mut expected = Vec::new();
        for i in 0..input.len() {
            let (lane, warp) = (i % 32, &input[i / 32 * 32..][..32]);
            let odd = |parity: usize| (0..32).filter(move |other| other % 2 == parity);
            expected.extend([
                warp[(lane * 7 + 3) % 32],
                warp[lane / 16 * 16 + 5],
                if lane % 8 < 3 { warp[lane] } else { warp[lane - 3] },
                if lane + 2 < 32 { warp[lane + 2] } else { warp[lane] },
                warp[lane ^ 17],
                warp[lane ^ 1],
            ]);
            expected.extend(if lane % 2 == 1 {
                [odd(1).map(|other| (warp[other] & 1) << other).sum(), warp[31]]
            } else {
                let bit = |other: usize| warp[other] & 1 == 1;
                [u32::from(odd(0).any(bit)), u32::from(odd(0).all(bit))]
            });
        }
        let size = expected.len();
        let output = selftest(emulator, "selftest_warp", (grid, BLOCK), schedule, &input, size, [0, 0]).unwrap();
        assert!(output == expected, "grid {grid}, {schedule:?}");
    });
}

#[test]
fn block_votes_and_warp_barriers() {
    everywhere(|emulator, grid, schedule| {
        // The first block votes at random, the second yes, the third no, and so on.
        let input: Vec<u32> =
            input(grid * BLOCK).iter().enumerate().map(|(i, value)| [*value, 1, 2][i / BLOCK as usize % 3]).collect();
        let mut expected = Vec::new();
        for i in 0..input.len() {
            let block = &input[i / BLOCK as usize * BLOCK as usize..][..BLOCK as usize];
            let count = block.iter().map(|value| value & 1).sum::<u32>();
            expected.extend([count, u32::from(count > 0), u32::from(count == BLOCK), input[i ^ 1]]);
        }
        let size = expected.len();
        let output = selftest(emulator, "selftest_votes", (grid, BLOCK), schedule, &input, size, [0, 0]).unwrap();
        assert!(output == expected, "grid {grid}, {schedule:?}");
    });
}

#[test]
fn polling_ends() {
    everywhere(|emulator, grid, schedule| {
        let output = selftest(emulator, "selftest_polling", (grid, BLOCK), schedule, &[], 1, [0, 0]).unwrap();
        assert_eq!(output, [grid * BLOCK]);
    });
}

#[test]
fn blocks_of_odd_sizes() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    for block in [1, 33, 100, 1024] {
        let output = selftest(
            &mut emulator,
            "selftest_barriers",
            (3, block),
            Schedule::Random(9),
            &[],
            3 * block as usize,
            [5, 0],
        );
        assert_eq!(output.unwrap(), vec![5; 3 * block as usize]);
    }
}

#[test]
fn many_blocks() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    let threads = 400 * 256;
    let output = selftest(
        &mut emulator,
        "selftest_pipeline",
        (400, 256),
        Schedule::Forward,
        &input(threads),
        2 * threads as usize,
        [0, 0],
    );
    assert_eq!(output.unwrap().len(), 2 * threads as usize);
}

/// `cargo test --test emulation speed -- --ignored --nocapture`
#[test]
#[ignore = "measures the cost of barriers and warp collectives"]
fn speed() {
    for sanitizer in [Sanitizer::Plain, Sanitizer::Address, Sanitizer::Thread] {
        let mut emulator = Emulator::build(sanitizer).unwrap();
        for (mode, meeting) in ["__syncthreads", "__shfl_xor_sync"].iter().enumerate() {
            let mut seconds = |count| {
                let start = std::time::Instant::now();
                let args = [count, mode as u32];
                selftest(&mut emulator, "selftest_barriers", (1, 256), Schedule::Forward, &[], 256, args).unwrap();
                start.elapsed().as_secs_f64()
            };
            seconds(1);
            let each = (seconds(4000) - seconds(0)) / 4000.0;
            println!(
                "{sanitizer:?}: {meeting} of 256 threads {:.1} us, a thread {:.0} ns",
                each * 1e6,
                each * 1e9 / 256.0
            );
        }
    }
}
