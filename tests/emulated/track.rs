//! Tracks over sizes, windows, grids, orders and settings; races and bounds; real frames; the time it takes.

use std::path::Path;
use std::time::Instant;

use vio_frontend::image::{GrayImage, MIN_SIDE};
use vio_frontend::track::{Flow, FlowStart, FlowStatus, TrackSettings};

use crate::emulator::{Emulator, Sanitizer, Schedule};
use crate::images::{Kind, hash, image};
use crate::motion::{Pair, shifted_texture, start};
use crate::track_twin::{TrackLaunch, assert_equal, difference, run};

const SIZES: [(usize, usize); 6] = [(640, 480), (752, 480), (641, 479), (67, 43), (33, 33), (32, 32)];

/// Texture moved by some quarters of a pixel.
fn moved(width: usize, height: usize, seed: u32) -> Pair {
    Pair::new(shifted_texture(width, height, seed, (40, 40)), shifted_texture(width, height, seed, (33, 51)))
}

/// Points of every kind: inside, near and beyond the border, with and without a guess.
fn points(width: usize, height: usize, count: usize, seed: u32) -> Vec<FlowStart> {
    (0..count).map(|k| start(width, height, k, seed)).collect()
}

/// The corners, at rest and with a guess in the opposite one: of such windows nothing counts.
fn corners(width: usize, height: usize) -> Vec<FlowStart> {
    let (right, bottom) = (width as f32 - 1.0, height as f32 - 1.0);
    let corners = [[0.0, 0.0], [right, 0.0], [0.0, bottom], [right, bottom]];
    let across = |from: [f32; 2]| FlowStart { from, guess: [right - from[0], bottom - from[1]], trusted: false };
    corners.into_iter().flat_map(|from| [FlowStart::resting(from), across(from)]).collect()
}

fn launch<'a>(pair: &'a Pair, starts: &'a [FlowStart]) -> TrackLaunch<'a> {
    let settings = TrackSettings::default();
    TrackLaunch { pair, starts, settings, blocks: 2, schedule: Schedule::Forward }
}

#[test]
fn every_size_on_every_grid() {
    for (i, (width, height)) in SIZES.into_iter().enumerate() {
        let pair = moved(width, height, i as u32);
        let starts = points(width, height, 40, i as u32);
        for blocks in [1, 2, 16, 33] {
            assert_equal(&TrackLaunch { blocks, ..launch(&pair, &starts) });
        }
    }
}

/// Half a pixel more, and half a pixel less again, is another number there: the last bit is lost on the way.
#[test]
fn points_next_to_powers_of_two() {
    let (width, height) = (280, 140);
    let pair = moved(width, height, 8);
    let near = |power: f32, k: usize| power - 0.01 - hash(k, power as usize, 5) as f32 / 1024.0;
    let starts: Vec<FlowStart> = (0..48)
        .map(|k| FlowStart::resting([near([64.0, 128.0, 256.0][k % 3], k), near([32.0, 64.0][k / 3 % 2], k)]))
        .collect();
    let found = pair.track(&starts, &TrackSettings::default());
    let moved_a_pixel = |(flow, start): (&Flow, &FlowStart)| {
        flow.status == FlowStatus::Tracked && (flow.position[0] - start.from[0]).abs() > 1.0
    };
    assert!(found.iter().zip(&starts).filter(|pair| moved_a_pixel(*pair)).count() > 24, "{found:?}");
    assert_equal(&launch(&pair, &starts));
}

#[test]
fn every_window_in_every_order() {
    let pair = moved(97, 75, 3);
    let starts = points(97, 75, 20, 4);
    for radius in 2..=15 {
        let refine_window = [0, 5, 13, 31][radius as usize % 4];
        let settings = TrackSettings { window: 2 * radius + 1, refine_window, ..TrackSettings::default() };
        let schedule = [Schedule::Forward, Schedule::Reverse, Schedule::Random(radius.into())][radius as usize % 3];
        for illumination in [false, true] {
            let settings = TrackSettings { illumination, ..settings };
            assert_equal(&TrackLaunch { settings, schedule, ..launch(&pair, &starts) });
        }
    }
}

/// Full contrast between the images and within: wild steps, every status.
#[test]
fn every_content_and_setting() {
    let kinds = [Kind::Black, Kind::White, Kind::Checkerboard(1), Kind::Checkerboard(6), Kind::Noise, Kind::Blocks];
    let mut seen = [0; 5];
    for (i, &kind) in kinds.iter().enumerate() {
        for (j, &other) in kinds.iter().enumerate() {
            let seed = (6 * i + j) as u32;
            let pair = Pair::new(image(kind, 80, 70, seed), image(other, 80, 70, seed));
            let starts = points(80, 70, 12, seed);
            let settings = TrackSettings {
                window: [5, 21, 31][(i + j) % 3],
                levels: 1 + seed % 3,
                max_iter: [0, 1, 12, 30][seed as usize % 4],
                min_eigenvalue: [0.0, 1e-4, 1.0][(i + 2 * j) % 3],
                max_residual: [f32::MAX, 20.0][seed as usize % 2],
                max_backward_error: [None, Some(0.5), Some(0.0)][j % 3],
                illumination: j % 2 == 0,
                ..TrackSettings::default()
            };
            for flow in pair.track(&starts, &settings) {
                seen[flow.status as usize] += 1;
            }
            assert_equal(&TrackLaunch { settings, blocks: 1 + seed % 7, ..launch(&pair, &starts) });
        }
    }
    assert!(seen.iter().all(|&count| count > 0), "not every status occurs: {seen:?}");
}

/// Stripes two pixels wide, along both axes and the diagonal: gradients of full size everywhere, and the greatest sums.
#[test]
fn stripes_of_full_contrast() {
    let (width, height) = (72, 64);
    let stripes = [(1, 0), (0, 1), (1, 1)]
        .map(|(a, b)| GrayImage::from_fn(width, height, |x, y| if (a * x + b * y) % 4 < 2 { 255 } else { 0 }));
    let mut starts = corners(width, height);
    starts.extend((0..12).map(|k| FlowStart::resting([18.0 + 3.0 * k as f32, 20.0 + 2.0 * k as f32])));
    for (i, first) in stripes.iter().enumerate() {
        for (j, second) in stripes.iter().enumerate() {
            let pair = Pair::new(first.clone(), second.clone());
            for illumination in [false, true] {
                let settings = TrackSettings {
                    window: 31,
                    max_iter: [12, 40, 1000][i],
                    eps: [0.03, 0.0][j % 2],
                    min_eigenvalue: 0.0,
                    max_backward_error: Some(50.0),
                    illumination,
                    ..TrackSettings::default()
                };
                assert_equal(&TrackLaunch { settings, ..launch(&pair, &starts) });
            }
        }
    }
}

#[test]
fn no_access_is_out_of_bounds() {
    let mut emulator = Emulator::build(Sanitizer::Address).unwrap();
    for (width, height) in [(67, 43), (32, 32)] {
        let pair = moved(width, height, 1);
        let starts = [points(width, height, 24, 2), corners(width, height)].concat();
        for (window, refine_window, illumination) in [(21, 11, false), (31, 5, true), (5, 31, true)] {
            let settings = TrackSettings { window, refine_window, illumination, ..TrackSettings::default() };
            assert_eq!(difference(&mut emulator, &TrackLaunch { settings, ..launch(&pair, &starts) }), None);
        }
    }
}

#[test]
fn there_is_no_data_race() {
    let mut emulator = Emulator::build(Sanitizer::Thread).unwrap();
    let pair = moved(67, 43, 1);
    let starts = [points(67, 43, 12, 2), corners(67, 43)].concat();
    for illumination in [false, true] {
        let settings = TrackSettings { illumination, ..TrackSettings::default() };
        assert_eq!(difference(&mut emulator, &TrackLaunch { settings, ..launch(&pair, &starts) }), None);
    }
}

/// Its synthetic twin is `every_size_on_every_grid`.
#[test]
fn real_frames() {
    let Some(data) = std::env::var_os("VIO_TEST_DATA") else {
        println!("VIO_TEST_DATA is not set: real frames left out");
        return;
    };
    for folder in ["tum_fr2_desk/rgb", "kitti_07/mav0/cam0/data", "euroc_micro/mav0/cam0/data"] {
        let folder = Path::new(&data).join(folder);
        let mut files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == "png"));
        files.sort();
        let images = files.iter().take(2).map(|path| GrayImage::decode(&std::fs::read(path).unwrap()).unwrap());
        let [previous, current]: [GrayImage; 2] = images.collect::<Vec<_>>().try_into().unwrap();
        let (width, height) = (previous.width(), previous.height());
        assert!(width.min(height) >= MIN_SIDE as usize);
        let pair = Pair::new(previous, current);
        assert_equal(&TrackLaunch { blocks: 16, ..launch(&pair, &points(width, height, 100, 7)) });
    }
}

/// `cargo test --test emulated speed -- --ignored --nocapture`
#[test]
#[ignore = "measures the time of 200 tracks"]
fn speed() {
    let mut emulator = Emulator::build(Sanitizer::Plain).unwrap();
    let pair = moved(640, 480, 1);
    let starts: Vec<_> = (0..200)
        .map(|k| FlowStart::resting([30.0 + 2.0 * f32::from(hash(k, 0, 1)), 30.0 + 1.6 * f32::from(hash(k, 1, 1))]))
        .collect();
    let launch = TrackLaunch { blocks: 16, ..launch(&pair, &starts) };
    run(&mut emulator, &launch).unwrap();
    let begin = Instant::now();
    let flows = run(&mut emulator, &launch).unwrap();
    let seconds = begin.elapsed().as_secs_f64();
    let tracked = flows.iter().filter(|flow| flow.is_some_and(|flow| flow.status == FlowStatus::Tracked)).count();
    let begin = Instant::now();
    pair.track(&starts, &launch.settings);
    println!("{tracked} of 200 tracked; emulated {seconds:.2} s, plain {:.4} s", begin.elapsed().as_secs_f64());
}
