//! The parameters: one typed struct is the only home of names, defaults, ranges, units and meanings.
//!
//! The table below declares [`Params`] and [`Params::table`]. ROS 2 declarations, the YAML files under `params/`,
//! `vio_frontend params print` and the documentation are made from it or checked against it by a test.

mod check;
mod error;
mod file;
mod print;
mod schema;
mod types;
mod value;
mod yaml;

pub use error::ParamError;
pub use file::{FileEntry, ParamFileError, parse_value, read_param_file};
pub use schema::{Apply, ParamInfo};
pub use types::ParamType;
pub use value::Value;

pub(crate) use schema::nearest;
use schema::{choice, parameters};

use crate::detections::objects::MOVING;

choice! {
    /// What a frame yields.
    Mode { Track = "track", Detect = "detect" }
}
choice! {
    /// Where frames are processed.
    Device { Auto = "auto", Cuda = "cuda", Cpu = "cpu" }
}
choice! {
    /// Quality of service asked of a publisher.
    QosProfile { SensorData = "sensor_data", Reliable = "reliable", SystemDefault = "system_default" }
}
choice! {
    /// Which message type carries the images.
    ImageTransport { Raw = "raw", Compressed = "compressed" }
}
choice! {
    /// When a received image is processed.
    Trigger { EveryFrame = "every_frame", ImuInterval = "imu_interval" }
}
choice! {
    /// Projection model of the camera.
    CameraModel { Pinhole = "pinhole", Equidistant = "equidistant", Omni = "omni" }
}
choice! {
    /// Contrast of the grey image, spread before every other stage.
    HistogramMethod { None = "none", Histogram = "histogram", Clahe = "clahe" }
}
choice! {
    /// Smoothing of the grey image before every other stage.
    Prefilter { None = "none", Binomial3 = "binomial3" }
}
choice! {
    /// Which back end the `feature` topic is laid out for.
    OutputLayout { None = "none", VinsMono = "vins_mono", VinsFusion = "vins_fusion" }
}
choice! {
    /// Which mask value excludes features.
    MaskPolarity { ZeroExcludes = "zero_excludes", NonzeroExcludes = "nonzero_excludes" }
}

choice! {
    /// How a detector orders its output; see [`crate::detections::Layout`].
    DetectorLayout { Yolov5 = "yolov5", Yolov8 = "yolov8", Yolov8Rows = "yolov8_rows" }
}

parameters! {
    /// `track` follows features through the frames and publishes the tracks, ordered by id; `detect` publishes every
    /// feature of each frame, ordered by response, for back ends that track themselves.
    mode: Mode = Mode::Track, unit "", range .., apply Start;
    /// Most tracks, or the number of features wanted per frame in `mode: detect`.
    max_cnt: u32 = 200, unit "features", range 1.0..=65535.0, apply NextFrame;
    /// Least distance of a new track from all others; a track that comes nearer than half of it to an older one ends.
    min_dist: f64 = 20.0, unit "px", range 0.0..=1000.0, apply NextFrame;
    /// Features detected per frame in `mode: track`, from which tracks are begun and found again; 0 takes the greater of
    /// 8 `max_cnt` and 500.
    detect_cnt: u32 = 0, unit "features", range 0.0..=65535.0, apply NextFrame;
    /// Upper limit of the publishing rate; 0 publishes every frame. Every frame is processed.
    freq: f64 = 0.0, unit "Hz", range 0.0..=1000.0, apply NextFrame;
    /// Spreads the contrast of the grey image before `prefilter` and every other stage, for dark or hazy scenes:
    /// `histogram` over the whole image, `clahe` over 8 x 8 tiles, limited to 3 times an even histogram. Noise grows
    /// with the contrast.
    histogram_method: HistogramMethod = HistogramMethod::None, unit "", range .., apply NextFrame;
    /// `binomial3` smooths the grey image with 3 x 3 binomial weights before every other stage, against noise.
    prefilter: Prefilter = Prefilter::None, unit "", range .., apply NextFrame;
    /// Least FAST threshold; a corner's score V must exceed it.
    fast_threshold_min: u32 = 5, unit "grey levels", range 1.0..=254.0, apply NextFrame;
    /// Greatest FAST threshold that a tile may adapt to.
    fast_threshold_max: u32 = 60, unit "grey levels", range 1.0..=254.0, apply NextFrame;
    /// FAST threshold of a tile over the median gradient of its surroundings. 0 keeps the least threshold everywhere: the
    /// strongest corners then come first, which are found again most often; more prefers corners of smooth surroundings.
    threshold_ratio: f64 = 0.0, unit "", range 0.0..=64.0, apply NextFrame;
    /// Columns of the uniformity grid.
    grid_x: u32 = 8, unit "cells", range 1.0..=64.0, apply NextFrame;
    /// Rows of the uniformity grid.
    grid_y: u32 = 6, unit "cells", range 1.0..=64.0, apply NextFrame;
    /// Levels of the image pyramid, each half the size of the one before.
    pyramid_levels: u32 = 3, unit "levels", range 1.0..=3.0, apply NextFrame;
    /// Side of the window that is tracked, pixels of each pyramid level; odd.
    klt_win_size: u32 = 21, unit "px", range 5.0..=31.0, apply NextFrame;
    /// Side of the window of a last search at full resolution for tracks that moved a pixel or more, odd; 0 leaves it out.
    /// A small window keeps a track on its point when the scene grows or shrinks.
    klt_refine_size: u32 = 11, unit "px", range 0.0..=31.0, apply NextFrame;
    /// Most iterations of tracking at a pyramid level.
    klt_max_iter: u32 = 12, unit "iterations", range 1.0..=1000.0, apply NextFrame;
    /// A step at most this long ends the iterations at a level.
    klt_eps: f64 = 0.03, unit "px", range 0.0001..=1.0, apply NextFrame;
    /// Least smaller eigenvalue of a track's gradient matrix per pixel of the window, in the unit of OpenCV's
    /// `minEigThreshold` (1024 squared grey levels per px); below it the track ends.
    klt_min_eigenvalue: f64 = 0.0001, unit "", range 0.0..=1000.0, apply NextFrame;
    /// Greatest root mean square difference between a track's surroundings in two images; beyond it the track ends.
    klt_max_residual: f64 = 255.0, unit "grey levels", range 0.0..=255.0, apply NextFrame;
    /// Whether each track is tracked back to the image before, and ends if it does not return to its place.
    flow_back: bool = true, unit "", range .., apply NextFrame;
    /// Greatest distance from its place at which a track may return.
    flow_back_px: f64 = 0.5, unit "px", range 0.01..=100.0, apply NextFrame;
    /// Whether tracking estimates how brightness changed about each track (gain and offset). For lights that switch and
    /// cameras whose exposure jumps; in steady light tracks that move far are found more often without.
    illumination: bool = false, unit "", range .., apply NextFrame;
    /// Frames in which a lost track is looked for by its descriptor, so that it comes back under its id; 0 never looks.
    reacquire_frames: u32 = 5, unit "frames", range 0.0..=255.0, apply NextFrame;
    /// Greatest distance of a track from its epipolar line, pixels at the camera's own focal length.
    F_threshold: f64 = 0.6, unit "px", range 0.01..=100.0, apply NextFrame;
    /// Seed of everything that is drawn at random: the same input and seed give the same output.
    seed: u32 = 0, unit "", range 0.0..=4294967295.0, apply NextFrame;
    /// Whether `mask_file` and the `mask` topic exclude features. Borders always do.
    use_mask: bool = true, unit "", range .., apply NextFrame;
    /// Image (PNG or JPEG, of the camera's size) that excludes features; empty for none.
    mask_file: String = String::new(), unit "path", range .., apply NextFrame;
    /// Which value of a mask excludes features.
    mask_polarity: MaskPolarity = MaskPolarity::ZeroExcludes, unit "", range .., apply NextFrame;
    /// Rows at the top of the image without features.
    mask_border_top: u32 = 0, unit "px", range 0.0..=65535.0, apply NextFrame;
    /// Rows at the bottom of the image without features.
    mask_border_bottom: u32 = 0, unit "px", range 0.0..=65535.0, apply NextFrame;
    /// Columns at the left of the image without features.
    mask_border_left: u32 = 0, unit "px", range 0.0..=65535.0, apply NextFrame;
    /// Columns at the right of the image without features.
    mask_border_right: u32 = 0, unit "px", range 0.0..=65535.0, apply NextFrame;
    /// Camera model of `intrinsics` and `distortion`.
    camera_model: CameraModel = CameraModel::Pinhole, unit "", range .., apply Start;
    /// Focal lengths and principal point `[fx, fy, cx, cy]`, for `omni` `[xi, fx, fy, cx, cy]`; empty takes
    /// `calibration_file`, else `camera_info`.
    intrinsics: Vec<f64> = Vec::new(), unit "px", range .., apply Start;
    /// `[k1, k2, p1, p2]`, perhaps `k3`, perhaps `k4, k5, k6` behind it (pinhole), `[k1, k2, k3, k4]` (equidistant),
    /// `[k1, k2, p1, p2]` (omni); empty means none.
    distortion: Vec<f64> = Vec::new(), unit "", range .., apply Start;
    /// Size `[width, height]` that the calibration holds for; empty accepts every size.
    image_size: Vec<i64> = Vec::new(), unit "px", range .., apply Start;
    /// EuRoC `sensor.yaml` or Kalibr `camchain.yaml` with the calibration; empty for none.
    calibration_file: String = String::new(), unit "path", range .., apply Start;
    /// Which camera of a Kalibr `camchain.yaml`.
    calibration_camera: String = String::from("cam0"), unit "", range .., apply Start;
    /// Pose of the IMU in the camera frame, 4 x 4, row-major, as Kalibr's `T_cam_imu`, translation in m; empty takes
    /// that of `calibration_file`, else the data set's.
    t_cam_imu: Vec<f64> = Vec::new(), unit "", range .., apply Start;
    /// Bias of the gyroscope `[x, y, z]`, subtracted from its rates; empty means none.
    gyro_bias: Vec<f64> = Vec::new(), unit "rad/s", range -1.0..=1.0, apply NextFrame;
    /// Time offset of the camera: a frame stamped t shows the world at the IMU's t + td.
    td: f64 = 0.0, unit "s", range -1.0..=1.0, apply NextFrame;
    /// A gap between image stamps longer than this, or a stamp that goes back, restarts the front end.
    restart_gap_s: f64 = 1.0, unit "s", range 0.01..=3600.0, apply NextFrame;
    /// Warn when the interval between two images differs by more than this from the usual one; 0 never warns.
    image_jitter_threshold_ms: f64 = 0.0, unit "ms", range 0.0..=10000.0, apply NextFrame;
    /// `imu_interval` processes an image only when the IMU has advanced by 0.9 / `trigger_hz`.
    trigger: Trigger = Trigger::EveryFrame, unit "", range .., apply NextFrame;
    /// Rate at which `trigger: imu_interval` processes images.
    trigger_hz: f64 = 20.0, unit "Hz", range 0.1..=1000.0, apply NextFrame;
    /// Longest wait for IMU samples that cover an image; without them tracks are looked for where they were.
    imu_wait_ms: f64 = 50.0, unit "ms", range 0.0..=1000.0, apply NextFrame;
    /// Quality of service of the `image` subscription.
    image_qos: QosProfile = QosProfile::SensorData, unit "", range .., apply Start;
    /// Quality of service of the `imu` subscription.
    imu_qos: QosProfile = QosProfile::SensorData, unit "", range .., apply Start;
    /// Message type of the images: `raw` (sensor_msgs/Image) or `compressed` (sensor_msgs/CompressedImage).
    image_transport: ImageTransport = ImageTransport::Raw, unit "", range .., apply Start;
    /// Images that may wait for processing; the oldest is dropped and counted.
    image_queue_size: u32 = 2, unit "images", range 1.0..=64.0, apply Start;
    /// Whether features carry their descriptors of 128 bytes, in the field `descriptor`.
    publish_descriptors: bool = false, unit "", range .., apply NextFrame;
    /// Back end that the topic `feature` is laid out for; `none` publishes no such topic. VINS has room for `max_cnt` up
    /// to 500.
    output_layout: OutputLayout = OutputLayout::None, unit "", range .., apply Start;
    /// Folder of compiled CUDA kernels; empty takes `vio_frontend/kernels` in the user's cache folder.
    cache_dir: String = String::new(), unit "path", range .., apply Start;
    /// Folder of CUDA kernel sources in place of those built in; empty for none.
    kernels_dir: String = String::new(), unit "path", range .., apply Start;
    /// `auto` takes the GPU where there is one; `cuda` insists on it; `cpu` never looks.
    device: Device = Device::Auto, unit "", range .., apply Start;
    /// Threads that help to copy images to a GPU and results back: some microseconds less a frame, for some 2 % of a core
    /// each at 60 Hz.
    upload_threads: u32 = 0, unit "", range 0.0..=3.0, apply Start;
    /// Whether the node ends once the GPU is lost for this process, as soon as nothing is lost with it: when the tracks
    /// start anew, or the camera has stood still for a second. With the launch argument of this name it is started again.
    respawn_after_gpu_loss: bool = false, unit "", range .., apply NextFrame;
    /// Whether no feature is kept where the detector behind `predictions` sees something of
    /// `detector.classes`.
    detector_mask as "detector.mask": bool = true, unit "", range .., apply NextFrame;
    /// Names of the classes that may move on their own.
    detector_classes as "detector.classes": Vec<String> = MOVING.map(str::to_owned).to_vec(), unit "", range ..,
        apply NextFrame;
    /// Names of all classes of the network, in its order; empty means the 80 of COCO.
    detector_class_names as "detector.class_names": Vec<String> = Vec::new(), unit "", range .., apply NextFrame;
    /// Layout of `predictions`: `yolov5` [B, N, 5 + C] with an objectness; `yolov8` [B, 4 + C, N] and `yolov8_rows`
    /// [B, N, 4 + C] without. B is 1.
    detector_layout as "detector.layout": DetectorLayout = DetectorLayout::Yolov5, unit "", range .., apply NextFrame;
    /// Whether the values are raw heads of YOLOv5 with its published anchors, before the last decoding.
    detector_raw as "detector.raw": bool = false, unit "", range .., apply NextFrame;
    /// Size `[width, height]` of the network's input, into which the image was fitted with its sides in proportion and
    /// centred; empty takes the square that has as many anchors at strides of 8, 16 and 32.
    detector_input_size as "detector.input_size": Vec<i64> = Vec::new(), unit "px", range .., apply NextFrame;
    /// Least score of a box, exclusive.
    detector_conf as "detector.conf": f64 = 0.25, unit "", range 0.0..=1.0, apply NextFrame;
    /// Greatest overlap (intersection over union) of a box with a better one.
    detector_iou as "detector.iou": f64 = 0.45, unit "", range 0.0..=1.0, apply NextFrame;
    /// Whether boxes of different classes suppress each other.
    detector_agnostic as "detector.agnostic": bool = false, unit "", range .., apply NextFrame;
    /// Most candidates of an image among which boxes suppress each other: the best.
    detector_max_candidates as "detector.max_candidates": u32 = 2048, unit "boxes", range 1.0..=8192.0, apply NextFrame;
    /// Most boxes of an image: the best.
    detector_max_detections as "detector.max_detections": u32 = 300, unit "boxes", range 1.0..=8192.0, apply NextFrame;
    /// How much wider the boxes are made on each side, for what they leave out and how far it moves until the frame.
    detector_dilate_px as "detector.dilate_px": f64 = 16.0, unit "px", range 0.0..=1000.0, apply NextFrame;
    /// Greatest time between the image of the boxes and a frame that they hold for. Between the two they turn with the
    /// camera as the gyroscope says; without it they stay where they were.
    detector_max_age_s as "detector.max_age_s": f64 = 0.5, unit "s", range 0.0..=10.0, apply NextFrame;
    /// Where boxes are made of `predictions`: as `device`, on its own.
    detector_device as "detector.device": Device = Device::Auto, unit "", range .., apply Start;
}
