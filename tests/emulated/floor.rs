//! The floor under a frame: what it reads and writes is what its plain twin says, on every grid and in every order.

use bytemuck::Zeroable;
use vio_frontend::gpu::floor::abi::FloorHeader;
use vio_frontend::gpu::floor::{FloorPlan, THREADS};

use crate::emulator::{Emulator, Relocation, Sanitizer, Schedule};
use crate::twin::assert_none;

const FRAME: u64 = 11;

/// The first difference from the plain twin, or what the emulator reports.
fn difference(emulator: &mut Emulator, plan: FloorPlan, blocks: u32, schedule: Schedule) -> Option<String> {
    let (mut buffers, mut relocations) = (Vec::new(), Vec::new());
    for buffer in plan.buffers() {
        let bytes: Vec<u8> = match buffer.field {
            "source" => (0..buffer.bytes).map(|i| (i * i / 7) as u8).collect(),
            "state" => vec![0; buffer.bytes],
            _ => vec![0xA5; buffer.bytes],
        };
        relocations.push(Relocation::arg(buffer.offset as u64, buffers.len() as u32));
        buffers.push(bytes);
    }
    let (sum, results) = plan.plain(&buffers[0]);
    // Twice: what a launch leaves behind must suit the next.
    for frame in [FRAME, FRAME + 1] {
        let arguments = plan.arguments(frame);
        let arguments = bytemuck::bytes_of(&arguments);
        let launched = emulator.launch("frame_floor", blocks, THREADS, schedule, &mut buffers, arguments, &relocations);
        if let Err(report) = launched {
            return Some(report);
        }
        let mut header = FloorHeader::zeroed();
        bytemuck::bytes_of_mut(&mut header).copy_from_slice(&buffers[2]);
        if (header.frame, header.sum) != (frame, sum) || buffers[1] != results {
            return Some(format!("{plan:?}, {blocks} blocks: {header:?}, expected a sum of {sum}"));
        }
    }
    None
}

#[test]
fn the_floor_reads_and_writes_all_of_its_bytes() {
    for (source_bytes, result_bytes, barriers) in [(97 * 75, 120 * 152, 7), (640 * 480, 24, 2), (16, 0, 3), (0, 16, 0)]
    {
        let plan = FloorPlan { source_bytes, result_bytes, barriers };
        for blocks in [1, 3, 16] {
            for schedule in [Schedule::Forward, Schedule::Reverse, Schedule::Random(5)] {
                assert_none(|emulator| difference(emulator, plan, blocks, schedule));
            }
        }
    }
}

#[test]
fn the_flag_tells_the_host_that_it_ran() {
    let plan = FloorPlan { source_bytes: 0, result_bytes: 0, barriers: 0 };
    assert_none(|emulator| {
        let header = plan.buffers().into_iter().find(|buffer| buffer.field == "header").unwrap();
        let mut buffers = vec![vec![0xA5; header.bytes]];
        let (arguments, relocations) = (plan.arguments(FRAME), [Relocation::arg(header.offset as u64, 0)]);
        let arguments = bytemuck::bytes_of(&arguments);
        let launched = emulator.launch("frame_flag", 1, 32, Schedule::Forward, &mut buffers, arguments, &relocations);
        let expected = [&FRAME.to_ne_bytes()[..], &[0xA5; 8]].concat();
        launched.err().or_else(|| (buffers[0] != expected).then(|| format!("{:?}", buffers[0])))
    });
}

#[test]
fn the_floor_stays_in_bounds_and_without_races() {
    let plan = FloorPlan { source_bytes: 5000, result_bytes: 3000, barriers: 4 };
    for sanitizer in [Sanitizer::Address, Sanitizer::Thread] {
        let mut emulator = Emulator::build(sanitizer).unwrap();
        assert_eq!(difference(&mut emulator, plan, 3, Schedule::Random(1)), None);
    }
}
