//! One pair of frames on the emulated device, and its tracks beside those of the plain path.

use bytemuck::Zeroable;
use vio_frontend::gpu::abi::{TrackHeader, TrackRecord, TrackStart};
use vio_frontend::gpu::plan::level_pitch;
use vio_frontend::gpu::track_plan::TrackPlan;
use vio_frontend::image::GrayImage;
use vio_frontend::track::{Flow, FlowStart, TrackSettings};

use crate::emulator::{Emulator, Relocation, Schedule};
use crate::motion::{Pair, bits};
use crate::twin::assert_none;

const THREADS: u32 = 128;
const FRAME: u64 = 9;

/// Points of a pair of images and how they are launched.
#[derive(Clone, Debug)]
pub struct TrackLaunch<'a> {
    pub pair: &'a Pair,
    pub starts: &'a [FlowStart],
    pub settings: TrackSettings,
    pub blocks: u32,
    pub schedule: Schedule,
}

/// Asserts that the emulated kernel and the plain path agree in every bit of every track.
pub fn assert_equal(launch: &TrackLaunch<'_>) {
    assert_none(|emulator| difference(emulator, launch));
}

/// The first difference between the emulated kernel and the plain path, or what the emulator reports.
pub fn difference(emulator: &mut Emulator, launch: &TrackLaunch<'_>) -> Option<String> {
    let plain = launch.pair.track(launch.starts, &launch.settings);
    let kernel = match run(emulator, launch) {
        Ok(flows) => flows,
        Err(report) => return Some(report),
    };
    let pairs = plain.iter().zip(&kernel);
    let differs = |(plain, kernel): &(&Flow, &Option<Flow>)| kernel.as_ref().map(bits) != Some(bits(plain));
    let (i, (plain, kernel)) = pairs.enumerate().find(|(_, pair)| differs(pair))?;
    Some(format!("point {i}, {:?}: plain {plain:?}, kernel {kernel:?}; {:?}", launch.starts[i], launch.settings))
}

/// What the kernel makes of the points.
pub fn run(emulator: &mut Emulator, launch: &TrackLaunch<'_>) -> Result<Vec<Option<Flow>>, String> {
    let previous = launch.pair.previous();
    let plan = TrackPlan {
        width: previous[0].width() as u32,
        height: previous[0].height() as u32,
        levels: previous.len() as u32,
        capacity: launch.starts.len() as u32,
        settings: launch.settings,
    };
    let (mut buffers, mut relocations, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for buffer in plan.buffers() {
        let mut bytes = match buffer.field {
            "previous" => pyramid_bytes(&previous),
            "current" => pyramid_bytes(&launch.pair.current()),
            "starts" => {
                bytemuck::cast_slice::<TrackStart, u8>(&launch.starts.iter().map(TrackStart::from).collect::<Vec<_>>())
                    .to_vec()
            }
            // Nothing may depend on what a buffer held before, but for the count of blocks.
            "arrivals" => vec![0; buffer.bytes],
            _ => vec![0xA5; buffer.bytes],
        };
        assert_eq!(bytes.len(), buffer.bytes, "{}", buffer.field);
        bytes.shrink_to_fit();
        relocations.push(Relocation::arg(buffer.offset as u64, buffers.len() as u32));
        buffers.push(bytes);
        names.push(buffer.field);
    }
    let arguments = plan.arguments(launch.starts.len() as u32, FRAME);
    let arguments = bytemuck::bytes_of(&arguments);
    emulator.launch("track", launch.blocks, THREADS, launch.schedule, &mut buffers, arguments, &relocations)?;
    let bytes = |name: &str| &buffers[names.iter().position(|&field| field == name).unwrap()];
    let mut header = TrackHeader::zeroed();
    bytemuck::bytes_of_mut(&mut header).copy_from_slice(bytes("header"));
    if (header.frame, header.count as usize) != (FRAME, launch.starts.len()) {
        return Err(format!("the header says {header:?}"));
    }
    if bytes("arrivals").iter().any(|&byte| byte != 0) {
        return Err("the count of blocks is not ready for the next launch".to_owned());
    }
    let records: Vec<TrackRecord> = bytemuck::pod_collect_to_vec(bytes("flows"));
    Ok(records.iter().map(TrackRecord::flow).collect())
}

/// All levels one after the other, rows padded.
fn pyramid_bytes(levels: &[&GrayImage]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for level in levels {
        for y in 0..level.height() {
            bytes.extend(level.row(y));
            // What lies between rows is nobody's.
            bytes.resize(bytes.len() + level_pitch(level.width()) - level.width(), 0xA5);
        }
    }
    bytes
}
