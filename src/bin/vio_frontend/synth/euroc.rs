//! The files of an EuRoC folder. Numbers are the shortest decimals that read back to the same value.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use image::codecs::png::PngEncoder;
use image::{ExtendedColorType, ImageEncoder};
use nalgebra::{Rotation3, UnitQuaternion};
use vio_frontend::image::GrayImage;
use vio_frontend::params::CameraModel;
use vio_frontend::source::synth::{Pose, Synth};

use super::tracks;

/// Writes images, IMU samples, calibration, poses and true tracks below `mav0`.
///
/// Errors: a file that cannot be written; a folder that already holds images, which would mix with these.
pub fn write(synth: &Synth, mav0: &Path) -> anyhow::Result<()> {
    let images = mav0.join("cam0").join("data");
    ensure!(!images.exists(), "{} exists: two sequences must not mix; choose another folder", images.display());
    fs::create_dir_all(&images).with_context(|| format!("cannot create {}", images.display()))?;
    write_images(synth, &images)?;
    let file = |folder: &str, name: &str| mav0.join(folder).join(name);
    write_file(file("cam0", "data.csv"), |out| write_listing(synth, out))?;
    write_file(file("cam0", "sensor.yaml"), |out| write_camera(synth, out))?;
    write_file(file("imu0", "data.csv"), |out| write_imu(synth, out))?;
    write_file(file("imu0", "sensor.yaml"), |out| write!(out, "{IMU_YAML}"))?;
    write_file(file("state_groundtruth_estimate0", "data.csv"), |out| write_poses(synth, out))?;
    write_file(file("tracks0", "data.csv"), |out| tracks::write(synth, out))
}

const IMU_YAML: &str = "%YAML:1.0
sensor_type: imu
comment: simulated, the IMU is the body, no noise and no bias
T_BS:
  cols: 4
  rows: 4
  data: [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0]
rate_hz: 200
gyroscope_noise_density: 0.0
gyroscope_random_walk: 0.0
accelerometer_noise_density: 0.0
accelerometer_random_walk: 0.0
";

/// Creates `path` and its folder and fills it.
fn write_file(path: PathBuf, fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> anyhow::Result<()> {
    let write = || {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut out = BufWriter::new(File::create(&path)?);
        fill(&mut out)?;
        out.flush()
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

fn write_images(synth: &Synth, folder: &Path) -> anyhow::Result<()> {
    let mut image = GrayImage::default();
    for k in 0..synth.frames() {
        synth.render(k, &mut image);
        let path = folder.join(format!("{}.png", synth.stamp_ns(k)));
        let (width, height) = (image.width() as u32, image.height() as u32);
        let mut png = Vec::new();
        PngEncoder::new(&mut png).write_image(image.pixels(), width, height, ExtendedColorType::L8)?;
        fs::write(&path, png).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

fn write_listing(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "#timestamp [ns],filename")?;
    (0..synth.frames()).map(|k| synth.stamp_ns(k)).try_for_each(|stamp| writeln!(out, "{stamp},{stamp}.png"))
}

fn write_camera(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    let camera = synth.camera();
    let distortion_model = match camera.model() {
        CameraModel::Pinhole => "radial-tangential",
        CameraModel::Equidistant => "equidistant",
    };
    writeln!(out, "%YAML:1.0\nsensor_type: camera\ncomment: simulated scene {}", synth.name())?;
    writeln!(out, "T_BS:\n  cols: 4\n  rows: 4\n  data: {:?}", row_major(&synth.body_from_cam()))?;
    writeln!(out, "rate_hz: 20")?;
    if let Some(size) = camera.image_size() {
        writeln!(out, "resolution: {size:?}")?;
    }
    writeln!(out, "camera_model: pinhole\nintrinsics: {:?}", camera.intrinsics())?;
    writeln!(out, "distortion_model: {distortion_model}\ndistortion_coefficients: {:?}", camera.distortion())
}

/// The 4 x 4 matrix of a pose, row by row.
fn row_major(pose: &Pose) -> Vec<f64> {
    let mut rows = Vec::with_capacity(16);
    for i in 0..3 {
        rows.extend(pose.rotation.row(i).iter());
        rows.push(pose.translation[i]);
    }
    rows.extend([0.0, 0.0, 0.0, 1.0]);
    rows
}

fn write_imu(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    let names = ["w_RS_S_x", "w_RS_S_y", "w_RS_S_z"].map(|name| format!("{name} [rad s^-1]")).join(",");
    writeln!(out, "#timestamp [ns],{names},a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]")?;
    for sample in (0..synth.imu_samples()).map(|j| synth.imu(j)) {
        let ([wx, wy, wz], [ax, ay, az]) = (sample.gyro, sample.accel.unwrap_or_default());
        writeln!(out, "{},{wx},{wy},{wz},{ax},{ay},{az}", sample.stamp_ns)?;
    }
    Ok(())
}

/// The body's pose and velocity in the world at every image, in EuRoC's columns; the biases are zero.
fn write_poses(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "#timestamp [ns],p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z [],\
         v_RS_R_x [m s^-1],v_RS_R_y [m s^-1],v_RS_R_z [m s^-1],b_w_RS_S_x [rad s^-1],b_w_RS_S_y [rad s^-1],\
         b_w_RS_S_z [rad s^-1],b_a_RS_S_x [m s^-2],b_a_RS_S_y [m s^-2],b_a_RS_S_z [m s^-2]"
    )?;
    for stamp_ns in (0..synth.frames()).map(|k| synth.stamp_ns(k)) {
        let state = synth.body_state(stamp_ns);
        let (p, v) = (state.world_from_body.translation, state.velocity);
        let rotation = Rotation3::from_matrix_unchecked(state.world_from_body.rotation);
        let q = UnitQuaternion::from_rotation_matrix(&rotation);
        let pose = format!("{},{},{},{},{},{},{}", p.x, p.y, p.z, q.w, q.i, q.j, q.k);
        writeln!(out, "{stamp_ns},{pose},{},{},{},0,0,0,0,0,0", v.x, v.y, v.z)?;
    }
    Ok(())
}
