//! A real fisheye on a head that turns.

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::pyramid::Pyramid;
use vio_frontend::detect::{DetectSettings, Gain};
use vio_frontend::image::GrayImage;
use vio_frontend::imu::ImuRing;
use vio_frontend::params::{Mode, Params};
use vio_frontend::source::{self, Event};
use vio_frontend::track::predict::{GyroPredictor, predict};
use vio_frontend::track::{FlowStart, FlowStatus, TrackSettings, plain};

use crate::common;

/// Corners of the first image of each pair are predicted with the gyroscope, then found by Lucas-Kanade from there and
/// back again; how far the prediction was off, and how far the corners moved, px (medians over all pairs).
#[test]
fn a_real_fisheye_is_predicted_within_a_pixel() {
    let Some(data) = common::test_data() else { return };
    let mut source = source::open(&data.join("aria_gen2_front").display().to_string()).expect("a EuRoC folder");
    let camera = source.camera().cloned().expect("a calibration");
    let predictor = GyroPredictor::new(&source.cam_imu().expect("T_BS"), &Params::default());
    let (mut imu, mut images) = (ImuRing::default(), Vec::new());
    while let Some(event) = source.next_event() {
        match event {
            Event::Imu(sample) => {
                imu.push(sample);
            }
            Event::Image { stamp_ns, image } => images.push((stamp_ns, image)),
            Event::Unreadable { message, .. } => panic!("{message}"),
        }
    }
    assert_eq!(images.len(), 9);
    let (mut errors, mut moves) = (Vec::new(), Vec::new());
    for pair in images.windows(2) {
        let [(t0, before), (t1, after)] = pair else { panic!("two images") };
        let turn = predictor.rotation(&imu, *t0, *t1).expect("covered");
        let size = [before.width() as u32, before.height() as u32];
        let corners = corners(before);
        let predicted = predict(&camera, size, &turn, &corners).expect("plausible");
        let starts: Vec<FlowStart> = corners
            .iter()
            .zip(&predicted.pixels)
            .filter_map(|(from, to)| {
                Some(FlowStart { from: from.map(|c| c as f32), guess: (*to)?.map(|c| c as f32), trusted: false })
            })
            .collect();
        let (mut coarser0, mut coarser1) = (Pyramid::default(), Pyramid::default());
        let flows = plain::track(
            &levels(before, &mut coarser0),
            &levels(after, &mut coarser1),
            &starts,
            &TrackSettings::default(),
        );
        for (start, flow) in starts.iter().zip(flows).filter(|(_, flow)| flow.status == FlowStatus::Tracked) {
            let off = |[x, y]: [f32; 2]| f64::from(flow.position[0] - x).hypot(f64::from(flow.position[1] - y));
            errors.push(off(start.guess));
            moves.push(off(start.from));
        }
    }
    let (count, error, moved) = (errors.len(), median(errors), median(moves));
    println!("{count} corners moved by {moved:.2} px, the gyroscope's prediction is off by {error:.3} px (medians)");
    assert!(count > 800 && moved > 12.0, "{count} corners, {moved} px");
    assert!(error <= 0.9, "{error} px");
}

/// The 300 best corners by the detector's order.
fn corners(image: &GrayImage) -> Vec<[f64; 2]> {
    let params = Params { mode: Mode::Detect, max_cnt: 300, ..Params::default() };
    let found = PlainDetector::new().detect(image, None, &DetectSettings::from(&params), &mut Gain::default());
    found.features.iter().map(|f| [f64::from(f.u), f64::from(f.v)]).collect()
}

fn levels<'a>(image: &'a GrayImage, coarser: &'a mut Pyramid) -> Vec<&'a GrayImage> {
    coarser.build(image, 3);
    coarser.levels(image).collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
