//! The frame's journey through [`Frontend::process`]: restarts, refusals, masks, sizes, calibration, run-time changes.

use vio_frontend::camera::Camera;
use vio_frontend::error::Refusal;
use vio_frontend::frame::Frame;
use vio_frontend::frontend::{Calibration, FrameOutput, Frontend, FrontendError};
use vio_frontend::image::GrayImage;
use vio_frontend::params::{CameraModel, Device, Mode, Params};
use vio_frontend::stamps::RestartReason;

const MS: i64 = 1_000_000;

/// Blocks of hashed grey: corners everywhere.
fn scene(width: usize, height: usize) -> GrayImage {
    GrayImage::from_fn(width, height, |x, y| {
        let hash = (x / 7 * 73_856_093) ^ (y / 7 * 19_349_663);
        (hash.wrapping_mul(2_654_435_761) >> 13) as u8
    })
}

fn params() -> Params {
    Params { mode: Mode::Detect, max_cnt: 200, ..Params::default() }
}

fn run(frontend: &mut Frontend, stamp_ms: i64, image: &GrayImage) -> Result<FrameOutput, Refusal> {
    frontend.process(&Frame { stamp_ns: stamp_ms * MS, image: image.view() })
}

#[test]
fn ids_are_indices_and_the_wanted_number_comes() {
    let mut frontend = Frontend::new(params(), None).unwrap();
    let output = run(&mut frontend, 50, &scene(320, 240)).unwrap();
    assert_eq!(output.points.iter().map(|p| p.id).collect::<Vec<_>>(), (0..200).collect::<Vec<_>>());
    assert!(output.points.is_sorted_by_key(|p| p.feature.order_key()));
    assert!(output.offered > 400 && output.restart.is_none() && output.publish);
    assert_eq!(output.calibration, Calibration::Missing);
    assert!(output.points.iter().all(|p| p.normalised.is_none() && p.velocity == [0.0; 2] && p.age == 0));
}

#[test]
fn a_restart_forgets_the_gain() {
    let mut frontend = Frontend::new(params(), None).unwrap();
    let first = run(&mut frontend, 50, &scene(320, 240)).unwrap();
    for k in 2..20 {
        run(&mut frontend, 50 * k, &scene(320, 240)).unwrap();
    }
    let looped = run(&mut frontend, 40, &scene(320, 240)).unwrap();
    assert_eq!(looped.restart, Some(RestartReason::Backwards));
    assert_eq!(looped.points, first.points);
    frontend.request_restart();
    assert_eq!(run(&mut frontend, 90, &scene(320, 240)).unwrap().restart, Some(RestartReason::Requested));
    assert_eq!(run(&mut frontend, 140, &scene(200, 200)).unwrap().restart, Some(RestartReason::SizeChange));
    assert_eq!(run(&mut frontend, 190, &scene(200, 200)).unwrap().restart, None);
}

#[test]
fn a_refused_frame_costs_only_itself() {
    let mut frontend = Frontend::new(Params { image_size: vec![320, 240], ..params() }, None).unwrap();
    let first = run(&mut frontend, 50, &scene(320, 240)).unwrap();
    let refused = run(&mut frontend, 100, &scene(320, 241)).unwrap_err();
    assert_eq!(refused.to_string(), "image size is 320 x 241: parameter image_size says 320 x 240");
    assert_eq!(run(&mut frontend, 50, &scene(320, 240)).unwrap_err().reason(), "repeated_stamp");
    assert_eq!(run(&mut frontend, 0, &scene(320, 240)).unwrap_err().reason(), "no_stamp");
    let next = run(&mut frontend, 150, &scene(320, 240)).unwrap();
    assert_eq!((next.restart, next.points.len()), (None, first.points.len()));
}

#[test]
fn t09_masks_of_every_kind() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, width: u32, height: u32, value: fn(u32, u32) -> u8| {
        let path = folder.path().join(name);
        image::GrayImage::from_fn(width, height, |x, y| image::Luma([value(x, y)])).save(&path).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let with_mask = |mask_file: String| Params { mask_file, ..params() };
    let picture = scene(320, 240);

    let half = write("half.png", 320, 240, |x, _| if x < 160 { 0 } else { 255 });
    let output = run(&mut Frontend::new(with_mask(half.clone()), None).unwrap(), 50, &picture).unwrap();
    assert!(output.points.len() == 200 && output.points.iter().all(|p| p.feature.half_x + 1 >= 320));
    let polarity = Params { mask_polarity: vio_frontend::params::MaskPolarity::NonzeroExcludes, ..with_mask(half) };
    let output = run(&mut Frontend::new(polarity.clone(), None).unwrap(), 50, &picture).unwrap();
    assert!(output.points.len() == 200 && output.points.iter().all(|p| p.feature.half_x + 1 < 320));
    let unused = Params { use_mask: false, ..polarity };
    let output = run(&mut Frontend::new(unused, None).unwrap(), 50, &picture).unwrap();
    assert!(output.points.iter().any(|p| p.feature.half_x + 1 >= 320));

    let black = write("black.png", 320, 240, |_, _| 0);
    assert!(run(&mut Frontend::new(with_mask(black), None).unwrap(), 50, &picture).unwrap().points.is_empty());
    let small = write("small.png", 100, 80, |_, _| 255);
    let mut wrong_size = Frontend::new(with_mask(small), None).unwrap();
    let refused = run(&mut wrong_size, 50, &picture).unwrap_err();
    assert_eq!(refused.to_string(), "image size is 320 x 240: the image of parameter mask_file is 100 x 80");
    assert_eq!(run(&mut wrong_size, 100, &scene(100, 80)).unwrap().size, [100, 80]);
    let missing = Frontend::new(with_mask("nowhere.png".to_owned()), None).unwrap_err();
    assert!(missing.to_string().starts_with("parameter 'mask_file': 'nowhere.png': "), "{missing}");
}

#[test]
fn borders_and_received_masks_combine() {
    let borders =
        Params { mask_border_top: 30, mask_border_bottom: 40, mask_border_left: 50, mask_border_right: 60, ..params() };
    let mut frontend = Frontend::new(borders, None).unwrap();
    let inside = |p: &vio_frontend::frontend::OutputPoint, right: i32| {
        let (x, y) = ((p.feature.half_x + 1) / 2, (p.feature.half_y + 1) / 2);
        (50..right).contains(&x) && (30..200).contains(&y)
    };
    let output = run(&mut frontend, 50, &scene(320, 240)).unwrap();
    assert!(!output.points.is_empty() && output.points.iter().all(|p| inside(p, 260)));
    frontend.set_mask(GrayImage::from_fn(320, 240, |x, _| u8::from(x < 100)));
    let output = run(&mut frontend, 100, &scene(320, 240)).unwrap();
    assert!(!output.points.is_empty() && output.points.iter().all(|p| inside(p, 100)));
    // A received mask survives a change of parameters, and holds for images of its own size only.
    frontend.set_params(Params { max_cnt: 10, ..frontend.params().clone() }).unwrap();
    let output = run(&mut frontend, 150, &scene(320, 240)).unwrap();
    assert!(output.points.len() == 10 && output.points.iter().all(|p| inside(p, 100)));
    let output = run(&mut frontend, 200, &scene(640, 480)).unwrap();
    assert!(output.points.iter().any(|p| p.feature.half_x > 200));
    // Borders wider than the image exclude everything, quietly.
    frontend.set_params(Params { mask_border_left: 65535, ..frontend.params().clone() }).unwrap();
    assert!(run(&mut frontend, 250, &scene(640, 480)).unwrap().points.is_empty());
}

#[test]
fn bearings_come_from_a_calibration_of_the_right_size() {
    let camera = |size| Camera::new(CameraModel::Pinhole, [200.0, 210.0, 160.5, 120.25], &[], Some(size)).unwrap();
    let mut frontend = Frontend::new(params(), Some(camera([320, 240]))).unwrap();
    let output = run(&mut frontend, 50, &scene(320, 240)).unwrap();
    assert_eq!(output.calibration, Calibration::Valid);
    for p in &output.points {
        let [x, y] = p.normalised.unwrap();
        assert!((x - (f64::from(p.feature.u) - 160.5) / 200.0).abs() < 1e-12);
        assert!((y - (f64::from(p.feature.v) - 120.25) / 210.0).abs() < 1e-12);
    }
    frontend.set_camera(Some(camera([640, 480])));
    let output = run(&mut frontend, 100, &scene(320, 240)).unwrap();
    assert!(matches!(output.calibration, Calibration::OtherSize(_)));
    assert!(output.points.iter().all(|p| p.normalised.is_none()));
}

#[test]
fn refused_parameters_leave_everything_as_it_was() {
    let mut frontend = Frontend::new(params(), None).unwrap();
    let contradictory = Params { fast_threshold_min: 70, ..params() };
    assert!(frontend.set_params(contradictory.clone()).is_err());
    assert_eq!(frontend.params(), &params());
    assert!(matches!(Frontend::new(contradictory, None), Err(FrontendError::Param(_))));
    let cuda = Frontend::new(Params { device: Device::Cuda, ..params() }, None).unwrap_err();
    assert!(cuda.to_string().contains("'device'"), "{cuda}");
}

#[test]
fn freq_throttles_publishing_only() {
    let mut frontend = Frontend::new(Params { freq: 10.0, ..params() }, None).unwrap();
    let published: Vec<bool> = (1..=8).map(|k| run(&mut frontend, 50 * k, &scene(64, 64)).unwrap().publish).collect();
    assert_eq!(published, [true, false].repeat(4));
}
