//! Random frames: sizes, contents, settings, masks, gains, grids and orders drawn by number.

use vio_frontend::detect::{DetectSettings, Gain};
use vio_frontend::mask::Mask;

use crate::emulator::Schedule;
use crate::images::{Kind, hash, image};
use crate::twin::{Launch, assert_equal};

/// A number below `count`, from the frame's number and the purpose.
fn draw(frame: usize, purpose: usize, count: usize) -> usize {
    let bytes = [0, 1, 2].map(|k| usize::from(hash(frame, 3 * purpose + k, 11)));
    (bytes[0] << 16 | bytes[1] << 8 | bytes[2]) % count
}

#[test]
fn random_frames() {
    for frame in 0..60 {
        check(frame);
    }
}

fn check(frame: usize) {
    let draw = |purpose, count| draw(frame, purpose, count);
    let kinds = [Kind::Noise, Kind::CoarseNoise, Kind::Texture, Kind::Blocks, Kind::Checkerboard(1 + draw(0, 11))];
    let (width, height) = (32 + draw(1, 150), 32 + draw(2, 120));
    let image = image(kinds[draw(3, kinds.len())], width, height, frame as u32);
    let mask = (draw(4, 2) == 1).then(|| {
        let mut mask = Mask::all(width, height);
        mask.exclude_where(|x, y| hash(x / 9, y / 7, frame as u32) < 100);
        mask
    });
    let (a, b) = (1 + draw(5, 30) as u8, 1 + draw(6, 254) as u8);
    let settings = DetectSettings {
        target: [1 + draw(7, 300), 1 + draw(7, 65535)][draw(8, 2)] as u32,
        threshold_min: a.min(b),
        threshold_max: a.max(b),
        ratio_q8: draw(9, 4096) as u32,
        grid_x: 1 + draw(10, 16) as u32,
        grid_y: 1 + draw(11, 16) as u32,
        levels: 1 + draw(12, 3) as u32,
        describe: draw(13, 2) == 1,
    };
    let launch = Launch {
        mask,
        settings,
        gain: Gain((1 << 12) + draw(14, 1 << 20) as u32),
        prefilter: draw(15, 3) == 0,
        blocks: 1 + draw(16, 5) as u32,
        schedule: [Schedule::Forward, Schedule::Reverse, Schedule::Random(frame as u64)][draw(17, 3)],
        ..Launch::new(image.view(), 1)
    };
    eprintln!("frame {frame}: {width} x {height}, {:?}", launch.settings);
    assert_equal(&launch);
}
