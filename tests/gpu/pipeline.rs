//! A stream of frames through the pipeline on the stub gives the bits of the plain paths, and every failure is told.

use std::sync::Arc;
use std::time::Duration;

use vio_frontend::detect::plain::PlainDetector;
use vio_frontend::detect::pyramid::Pyramid;
use vio_frontend::detect::{DetectSettings, Detection, Gain};
use vio_frontend::gpu::kernels::Kernels;
use vio_frontend::gpu::pipeline::{Pipeline, Transfers};
use vio_frontend::gpu::program::Sources;
use vio_frontend::gpu::{GpuError, Severity};
use vio_frontend::image::GrayImage;
use vio_frontend::mask::Mask;
use vio_frontend::params::Params;
use vio_frontend::track::{Flow, FlowStart, TrackSettings, plain};

use crate::fakecuda::FakeCuda;
use crate::kernels::{context, without_compiler};
use crate::motion::{bits, shifted_texture};

pub const LIMIT: Duration = Duration::from_millis(50);

/// A frame and what is asked of it.
#[derive(Clone, Debug)]
pub struct Frame {
    pub image: GrayImage,
    pub mask: Option<Mask>,
    pub detect: DetectSettings,
    pub track: TrackSettings,
    pub prefilter: bool,
}

/// What a device makes of a frame.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub detection: Detection,
    pub flows: Vec<[u32; 6]>,
}

pub fn frame(size: (usize, usize), step: usize) -> Frame {
    Frame {
        image: shifted_texture(size.0, size.1, 5, (3 * step, step)),
        mask: None,
        detect: DetectSettings { target: 120, describe: true, ..DetectSettings::from(&Params::default()) },
        track: TrackSettings::from(&Params::default()),
        prefilter: false,
    }
}

/// Every kind of change between two frames.
pub fn sequence() -> Vec<Frame> {
    let size = (97, 75);
    let mut frames: Vec<Frame> = (0..8).map(|step| frame(size, step)).collect();
    let mut mask = Mask::all(97, 75);
    mask.exclude_where(|x, _| x < 40);
    frames[2].mask = Some(mask.clone());
    mask.exclude_where(|_, y| y < 20);
    frames[3].mask = Some(mask);
    frames[3].prefilter = true;
    frames[4].detect.levels = 1;
    frames[4].detect.target = 300;
    frames[5].detect.levels = 2;
    frames[5].detect.describe = false;
    frames[6].track.illumination = true;
    frames[6].track.max_backward_error = None;
    frames.extend((8..10).map(|step| frame((120, 64), step)));
    frames
}

/// The starts of the next frame: where the features were.
pub fn starts(detection: &Detection) -> Vec<FlowStart> {
    detection.features.iter().map(|feature| FlowStart::resting([feature.u, feature.v])).collect()
}

pub fn on_the_cpu(frames: &[Frame]) -> Vec<Outcome> {
    let mut gain = Gain::default();
    let mut before: Option<(GrayImage, Pyramid, Vec<FlowStart>)> = None;
    let mut outcomes = Vec::new();
    for frame in frames {
        let mut image = frame.image.clone();
        if frame.prefilter {
            frame.image.binomial3(&mut image);
        }
        let detection = PlainDetector::new().detect(&image, frame.mask.as_ref(), &frame.detect, &mut gain);
        let mut pyramid = Pyramid::default();
        pyramid.build(&image, frame.detect.levels as usize);
        let same_size = |(other, ..): &(GrayImage, Pyramid, Vec<FlowStart>)| {
            (other.width(), other.height()) == (image.width(), image.height())
        };
        let flows = before.take().filter(same_size).map_or(Vec::new(), |(previous, levels, starts)| {
            let previous: Vec<&GrayImage> = levels.levels(&previous).collect();
            let current: Vec<&GrayImage> = pyramid.levels(&image).collect();
            plain::track(&previous, &current, &starts, &frame.track)
        });
        let starts = starts(&detection);
        before = Some((image, pyramid, starts));
        outcomes.push(Outcome { flows: flows.iter().map(bits).collect(), detection });
    }
    outcomes
}

/// The same on the stub, until something fails. Copies are not measured: the calls are the same every time.
fn on_the_stub(fake: &FakeCuda, frames: &[Frame]) -> Result<Vec<Outcome>, GpuError> {
    let context = context(fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None)?;
    let transfers = Transfers::of(context.device().memory);
    in_pipeline(&mut Pipeline::with_transfers(&context, &kernels, LIMIT, transfers)?, frames)
}

/// What a pipeline makes of the frames, until something fails.
pub fn in_pipeline(pipeline: &mut Pipeline, frames: &[Frame]) -> Result<Vec<Outcome>, GpuError> {
    let (mut gain, mut outcomes): (Gain, Vec<Outcome>) = (Gain::default(), Vec::new());
    let mut size = (0, 0);
    for frame in frames {
        let now = (frame.image.width(), frame.image.height());
        let from = outcomes.last().filter(|_| now == size).map_or(Vec::new(), |last| starts(&last.detection));
        size = now;
        pipeline.load(&frame.image.view(), &frame.detect)?;
        let detection = pipeline.queue_detection(frame.mask.as_ref(), gain, frame.prefilter)?;
        let tracks = pipeline.queue_tracks(&from, &frame.track)?;
        let detection = pipeline.detection(detection, &mut gain)?;
        let flows: Vec<Flow> = pipeline.flows(tracks)?;
        outcomes.push(Outcome { detection, flows: flows.iter().map(bits).collect() });
    }
    Ok(outcomes)
}

#[test]
fn a_stream_of_frames_equals_the_plain_path_on_every_profile() {
    let frames = sequence();
    let expected = on_the_cpu(&frames);
    assert!(expected.iter().all(|outcome| outcome.detection.features.len() > 60));
    assert_eq!(expected.iter().filter(|outcome| outcome.flows.len() > 60).count(), frames.len() - 2);
    for profile in ["tx2", "orin", "discrete"] {
        let fake = FakeCuda::new(profile);
        let outcomes = on_the_stub(&fake, &frames).unwrap();
        for (i, (found, expected)) in outcomes.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "{profile}, frame {i}");
        }
        assert_eq!(outcomes.len(), frames.len());
        assert_eq!(fake.leaks(), Vec::<String>::new());
        assert_eq!(fake.count("cuLaunchCooperativeKernel"), frames.len());
        assert_eq!(fake.count("cuLaunchKernel"), frames.len() - 2, "the first frame of each size has no tracks");
    }
}

#[test]
fn a_frame_like_the_one_before_is_two_launches_and_nothing_else() {
    let frames: Vec<Frame> = (0..5).map(|step| frame((97, 75), step)).collect();
    let fake = FakeCuda::new("tx2");
    on_the_stub(&fake, &frames).unwrap();
    let calls = fake.calls();
    let launches = calls.iter().enumerate().filter(|(_, (name, _))| name == "cuLaunchCooperativeKernel");
    let at: Vec<usize> = launches.map(|(at, _)| at).collect();
    let names: Vec<&str> = calls[at[3]..at[4]].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["cuLaunchCooperativeKernel", "cuCtxSetCurrent", "cuLaunchKernel", "cuCtxSetCurrent"]);
}

#[test]
fn every_call_that_fails_is_told_and_leaks_nothing() {
    let mut frames: Vec<Frame> = (0..2).map(|step| frame((49, 41), step)).collect();
    frames.iter_mut().for_each(|frame| frame.detect.target = 10);
    let fake = FakeCuda::new("orin");
    fake.control(&["profile orin"]);
    on_the_stub(&fake, &frames).unwrap();
    let calls = fake.numbered_calls();
    let first = calls.iter().position(|(name, _)| name == "cuModuleLoadDataEx").unwrap();
    let mut failed = 0;
    for (name, nth) in &calls[first..] {
        if ["Destroy", "Free", "Unload"].iter().any(|release| name.contains(release)) {
            continue;
        }
        let code = [2, 719][nth % 2];
        fake.control(&["profile orin", &format!("fail {name} {nth} {code}")]);
        let error = match on_the_stub(&fake, &frames) {
            // Made current for a release, or asked whether all is done before one.
            Ok(_) => continue,
            Err(error) => error,
        };
        let (GpuError::Cuda(cuda) | GpuError::Load { error: cuda, .. }) = &error else { panic!("{name}: {error}") };
        assert_eq!((cuda.call, cuda.code), (name.as_str(), code));
        let expected = if code == 719 { Severity::Sticky } else { Severity::Transient };
        assert_eq!(error.severity(), expected);
        if code == 2 {
            assert_eq!(fake.leaks(), Vec::<String>::new(), "{name} {nth}");
        }
        assert_eq!(fake.count("cuCtxCreate_v2"), fake.count("cuCtxDestroy_v2"), "{name} {nth} {code}");
        failed += 1;
    }
    assert!(failed > 60, "{failed}");
}

#[test]
fn work_that_is_lost_or_hangs_is_told_within_the_limit() {
    let frames: Vec<Frame> = (0..3).map(|step| frame((65, 49), step)).collect();
    for (line, sticky) in [
        ("lose cuLaunchCooperativeKernel 2 719", true),
        ("lose cuLaunchKernel 1 2", false),
        ("lose cuLaunchKernel 1 0", false),
        ("hang cuLaunchCooperativeKernel 2", false),
        ("hang cuLaunchKernel 2", false),
    ] {
        let fake = FakeCuda::new("discrete");
        fake.control(&["profile discrete", line]);
        let error = on_the_stub(&fake, &frames).unwrap_err();
        match (&error, line.starts_with("hang")) {
            (GpuError::Timeout { limit }, true) => assert_eq!(*limit, LIMIT),
            (GpuError::Cuda(cuda), false) => assert_eq!(cuda.call, "cuStreamQuery", "{line}"),
            (GpuError::Unwritten { .. }, false) => assert!(line.ends_with(" 0")),
            _ => panic!("{line}: {error}"),
        }
        assert_eq!(error.severity() == Severity::Sticky, sticky, "{line}");
    }
}

#[test]
fn what_is_asked_out_of_turn_is_refused() {
    let fake = FakeCuda::new("tx2");
    let context = context(&fake);
    let kernels = Kernels::load(&context, without_compiler(), Sources::Embedded, None).unwrap();
    let mut pipeline = Pipeline::new(&Arc::clone(&context), &kernels, LIMIT).unwrap();
    let Frame { image, detect, track, .. } = frame((97, 75), 0);
    assert_eq!(pipeline.queue_detection(None, Gain::default(), false).err(), Some(GpuError::NothingLoaded));
    assert_eq!(pipeline.queue_tracks(&[], &track).err(), Some(GpuError::NothingLoaded));
    pipeline.load(&image.view(), &detect).unwrap();
    let start = [FlowStart::resting([5.0, 5.0])];
    assert_eq!(pipeline.queue_tracks(&start, &track).err(), Some(GpuError::NothingLoaded), "no image before");
}
