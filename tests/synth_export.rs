//! A simulated sequence written as an EuRoC folder is the sequence itself.
#![allow(clippy::expect_used, clippy::panic)] // helper functions of tests

use std::collections::HashMap;

use nalgebra::{Quaternion, UnitQuaternion};
use vio_frontend::camera::{Camera, SensorYaml};
use vio_frontend::params::CameraModel;
use vio_frontend::source::synth::{Synth, SynthOptions, SynthSource, Tracks, export};
use vio_frontend::source::{self, Event, Source};

fn synth(name: &str, frames: usize) -> Synth {
    let camera =
        Camera::new(CameraModel::Pinhole, [98.0, 97.0, 79.1, 59.3], &[-0.28, 0.07, 0.001, 0.0], Some([160, 120]));
    let options = SynthOptions { frames, camera: Some(camera.expect("valid")), ..SynthOptions::default() };
    Synth::new(name, &options).expect("a known scene")
}

fn events(source: &mut dyn Source) -> Vec<String> {
    let mut events = Vec::new();
    while let Some(event) = source.next_event() {
        events.push(match event {
            Event::Image { stamp_ns, image } => format!("{stamp_ns} {:?}", image.pixels()),
            other => format!("{other:?}"),
        });
    }
    events
}

/// The numbers of a CSV file, by line.
fn numbers(path: &std::path::Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split(',').map(|n| n.parse().expect("a number")).collect()).collect()
}

#[test]
fn a_written_sequence_reads_back_to_the_same_images_imu_and_calibration() {
    let (synth, folder) = (synth("corridor", 4), tempfile::tempdir().expect("a folder"));
    let mut heard = Vec::new();
    export(&synth, folder.path(), |done| heard.push(done)).expect("written");
    assert_eq!(heard, [1, 2, 3, 4]);
    let mut read = source::open(&folder.path().display().to_string()).expect("an EuRoC folder");
    assert_eq!(read.camera(), Some(synth.camera()));
    let (read, made) = (events(read.as_mut()), events(&mut SynthSource::new(synth)));
    let is_image = |event: &&String| !event.starts_with("Imu");
    assert!(read.iter().filter(is_image).eq(made.iter().filter(is_image)));
    assert!(read.iter().filter(|event| !is_image(event)).eq(made.iter().filter(|event| !is_image(event))));
}

#[test]
fn written_states_are_those_of_the_body_and_extrinsics_lead_to_the_camera() {
    let (synth, folder) = (synth("corridor", 3), tempfile::tempdir().expect("a folder"));
    export(&synth, folder.path(), |_| {}).expect("written");
    let mav0 = folder.path().join("mav0");
    let rows = numbers(&mav0.join("state_groundtruth_estimate0/data.csv"));
    assert_eq!(rows.len(), synth.frames());
    for row in rows {
        assert_eq!(row.len(), 17);
        let state = synth.body_state(row[0] as i64);
        assert_eq!(&row[1..4], state.world_from_body.translation.as_slice());
        let q = UnitQuaternion::from_quaternion(Quaternion::new(row[4], row[5], row[6], row[7]));
        let rotation = q.to_rotation_matrix().into_inner();
        assert!((rotation - state.world_from_body.rotation).norm() < 1e-12);
        assert_eq!(&row[8..11], state.velocity.as_slice());
    }
    let sensor = SensorYaml::read(&mav0.join("cam0/sensor.yaml")).expect("its own file");
    let t_bs = sensor.body_from_cam.expect("T_BS");
    let expected = synth.body_from_cam();
    assert!((t_bs.rotation.to_rotation_matrix().into_inner() - expected.rotation).norm() < 1e-15);
    assert_eq!(t_bs.translation.vector, expected.translation);
    assert_eq!(sensor.rate_hz, Some(20.0));
}

#[test]
fn written_tracks_are_the_flow() {
    let (synth, folder) = (synth("moving_objects", 6), tempfile::tempdir().expect("a folder"));
    export(&synth, folder.path(), |_| {}).expect("written");
    let rows = numbers(&folder.path().join("mav0/tracks0/data.csv"));
    let mut last: HashMap<u64, (usize, [f64; 2])> = HashMap::new();
    let (mut followed, mut on_movers) = (0, 0);
    for row in &rows {
        let &[stamp, id, u, v, depth, moving] = row.as_slice() else { panic!("six columns: {row:?}") };
        let k = (0..6).find(|&k| synth.stamp_ns(k) == stamp as i64).expect("the stamp of an image");
        assert!((synth.depth(k, [u, v]).expect("a surface") - depth).abs() < 1e-6 * depth);
        if let Some((before, pixel)) = last.insert(id as u64, (k, [u, v])) {
            assert_eq!(before + 1, k, "track {id} has a gap");
            let [fu, fv] = synth.flow(before, k, pixel).expect("seen in both");
            assert!((fu - u).abs() < 1e-6 && (fv - v).abs() < 1e-6);
            followed += 1;
        }
        assert_eq!(moving == 1.0, synth.moving(k, [u, v]), "{row:?}");
        on_movers += usize::from(moving == 1.0);
    }
    // 8 x 6 cells; few points leave within six images.
    assert!(rows.len() >= 6 * 40 && followed > 5 * 35, "{} {followed}", rows.len());
    assert!(on_movers > 6, "{on_movers}");
}

#[test]
fn tracks_keep_one_point_a_cell() {
    let (synth, mut tracks) = (synth("corridor", 1), Tracks::default());
    for k in [0, 1, 2, 600, 700, 800] {
        let mut cells: Vec<_> =
            tracks.advance(&synth, k).iter().map(|track| track.pixel.map(|c| c as u32 / 20)).collect();
        cells.sort_unstable();
        let all = cells.len();
        cells.dedup();
        assert_eq!((cells.len(), all), (48, 48), "image {k}");
    }
}

#[test]
fn a_written_sequence_says_how_it_was_made() {
    let (synth, folder) = (synth("room?light=ramp&noise=2", 1), tempfile::tempdir().expect("a folder"));
    export(&synth, folder.path(), |_| {}).expect("written");
    let text = std::fs::read_to_string(folder.path().join("mav0/cam0/sensor.yaml")).expect("a file");
    assert!(text.contains("# Simulated scene 'room?light=ramp&noise=2'."), "{text}");
}

#[test]
fn two_sequences_do_not_mix() {
    let (synth, folder) = (synth("corridor", 1), tempfile::tempdir().expect("a folder"));
    export(&synth, folder.path(), |_| {}).expect("written");
    let error = export(&synth, folder.path(), |_| {}).expect_err("images are there").to_string();
    assert!(error.contains("mav0/cam0/data exists"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let error = export(&synth("corridor", 1), &file, |_| {}).expect_err("a file is in the way").to_string();
    assert!(error.contains("file/mav0/cam0/sensor.yaml: cannot be written: "), "{error}");
}
