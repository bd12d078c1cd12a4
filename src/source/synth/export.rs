//! A simulated sequence as an EuRoC (ASL) folder, with its truth.
//!
//! | file under `mav0/` | content |
//! |---|---|
//! | `cam0/data.csv`, `cam0/data/*.png`, `cam0/sensor.yaml` | stamps, images, calibration with T_BS |
//! | `tracks0/data.csv` | stamp, id, u, v (px), depth (m), moving (1 on a surface that moves on its own): a point for each 20 x 20 pixels, followed exactly |
//! | `imu0/data.csv`, `imu0/sensor.yaml` | stamp, angular velocity (rad/s), specific force (m/s^2); no noise, no bias |
//! | `state_groundtruth_estimate0/data.csv` | stamp, p, q (w x y z), v of the IMU in the world at each image, biases 0 |

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use super::tracks::Tracks;
use super::{BodyState, FRAME_PERIOD_NS, IMU_PERIOD_NS, Pose, Synth};
use crate::frame::StampNs;
use crate::image::GrayImage;
use crate::params::CameraModel;

/// Why a sequence was not written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// No space, no permission.
    #[error("{}: cannot be written: {error}", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("{} exists: two sequences must not mix; choose another folder", path.display())]
    Exists { path: PathBuf },
}

/// Writes all images of `synth` and its truth below `folder`, which is made if need be. `progress` hears the number
/// of images written after each.
///
/// Errors: a file that cannot be written; a folder that already holds images.
pub fn export(synth: &Synth, folder: &Path, mut progress: impl FnMut(usize)) -> Result<(), ExportError> {
    let mav0 = folder.join("mav0");
    let cam0 = mav0.join("cam0");
    let images = cam0.join("data");
    if images.exists() {
        return Err(ExportError::Exists { path: images });
    }
    write(&cam0.join("sensor.yaml"), |out| out.write_all(camera_yaml(synth).as_bytes()))?;
    write(&mav0.join("imu0/sensor.yaml"), |out| out.write_all(imu_yaml().as_bytes()))?;
    write(&mav0.join("imu0/data.csv"), |out| imu_csv(synth, out))?;
    write(&mav0.join("state_groundtruth_estimate0/data.csv"), |out| states_csv(synth, out))?;
    write(&cam0.join("data.csv"), |out| images_csv(synth, out))?;
    write(&mav0.join("tracks0/data.csv"), |out| tracks_csv(synth, out))?;
    let mut image = GrayImage::default();
    for k in 0..synth.frames() {
        synth.render(k, &mut image);
        write(&images.join(image_name(synth, k)), |out| png(&image, out))?;
        progress(k + 1);
    }
    Ok(())
}

/// Makes the file and its folder, and sees that all of it is written.
fn write(path: &Path, fill: impl FnOnce(&mut BufWriter<std::fs::File>) -> io::Result<()>) -> Result<(), ExportError> {
    let written = || {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let mut out = BufWriter::new(std::fs::File::create(path)?);
        fill(&mut out)?;
        out.flush()
    };
    written().map_err(|error| ExportError::Write { path: path.to_owned(), error })
}

fn image_name(synth: &Synth, k: usize) -> String {
    format!("{}.png", synth.stamp_ns(k))
}

fn images_csv(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "#timestamp [ns],filename")?;
    (0..synth.frames()).try_for_each(|k| writeln!(out, "{},{}", synth.stamp_ns(k), image_name(synth, k)))
}

fn imu_csv(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    write!(out, "#timestamp [ns],w_RS_S_x [rad s^-1],w_RS_S_y [rad s^-1],w_RS_S_z [rad s^-1],")?;
    writeln!(out, "a_RS_S_x [m s^-2],a_RS_S_y [m s^-2],a_RS_S_z [m s^-2]")?;
    (0..synth.imu_samples()).map(|j| synth.imu(j)).try_for_each(|sample| {
        let values = sample.gyro.into_iter().chain(sample.accel.unwrap_or_default());
        row(out, sample.stamp_ns, values)
    })
}

fn states_csv(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    write!(out, "#timestamp,p_RS_R_x [m],p_RS_R_y [m],p_RS_R_z [m],q_RS_w [],q_RS_x [],q_RS_y [],q_RS_z [],")?;
    write!(out, "v_RS_R_x [m s^-1],v_RS_R_y [m s^-1],v_RS_R_z [m s^-1],")?;
    write!(out, "b_w_RS_S_x [rad s^-1],b_w_RS_S_y [rad s^-1],b_w_RS_S_z [rad s^-1],")?;
    writeln!(out, "b_a_RS_S_x [m s^-2],b_a_RS_S_y [m s^-2],b_a_RS_S_z [m s^-2]")?;
    (0..synth.frames()).map(|k| synth.stamp_ns(k)).try_for_each(|stamp_ns| {
        let BodyState { world_from_body, velocity, .. } = synth.body_state(stamp_ns);
        let q = quaternion(&world_from_body.rotation);
        let p = world_from_body.translation;
        let values = [p.x, p.y, p.z, q.w, q.i, q.j, q.k, velocity.x, velocity.y, velocity.z];
        row(out, stamp_ns, values.into_iter().chain([0.0; 6]))
    })
}

fn tracks_csv(synth: &Synth, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "#timestamp [ns],id,u [px],v [px],depth [m],moving")?;
    let mut tracks = Tracks::default();
    for k in 0..synth.frames() {
        let pose = synth.world_from_cam(k);
        for track in tracks.advance(synth, k) {
            let ([u, v], depth) = (track.pixel, pose.apply_inverse(track.point).z);
            let moving = u8::from(track.on.moving);
            writeln!(out, "{},{},{u},{v},{depth},{moving}", synth.stamp_ns(k), track.id)?;
        }
    }
    Ok(())
}

/// The shortest decimals that read back to the same numbers.
fn row(out: &mut impl Write, stamp_ns: StampNs, values: impl Iterator<Item = f64>) -> io::Result<()> {
    write!(out, "{stamp_ns}")?;
    for value in values {
        write!(out, ",{value}")?;
    }
    writeln!(out)
}

fn png(image: &GrayImage, out: &mut impl Write) -> io::Result<()> {
    use image::{ExtendedColorType, ImageEncoder as _, codecs::png::PngEncoder};
    PngEncoder::new(out)
        .write_image(image.pixels(), image.width() as u32, image.height() as u32, ExtendedColorType::L8)
        .map_err(|error| match error {
            image::ImageError::IoError(error) => error,
            other => io::Error::other(other),
        })
}

fn camera_yaml(synth: &Synth) -> String {
    let camera = synth.camera();
    let [width, height] = camera.image_size().unwrap_or_default();
    let (model, distortion_model) = match camera.model() {
        CameraModel::Pinhole => ("pinhole", "radial-tangential"),
        CameraModel::Equidistant => ("pinhole", "equidistant"),
        CameraModel::Omni => ("omni", "radial-tangential"),
    };
    let intrinsics: Vec<f64> = camera.xi().into_iter().chain(camera.intrinsics()).collect();
    let order = if camera.xi().is_some() { "xi, fu, fv, cu, cv" } else { "fu, fv, cu, cv" };
    format!(
        "%YAML:1.0\n# Simulated scene '{}'.\nsensor_type: camera\n\n{}\nrate_hz: {}\nresolution: [{width}, {height}]\n\
         camera_model: {model}\nintrinsics: {intrinsics:?} # {order}\ndistortion_model: {distortion_model}\n\
         distortion_coefficients: {:?}\n",
        synth.line(),
        t_bs(&synth.body_from_cam()),
        rate_hz(FRAME_PERIOD_NS),
        camera.distortion(),
    )
}

/// The noise densities are those that filters want to be told; the samples have none.
fn imu_yaml() -> String {
    let identity = Pose { rotation: Matrix3::identity(), translation: nalgebra::Vector3::zeros() };
    format!(
        "%YAML:1.0\n# Exact: no noise, no bias. The densities are typical of MEMS sensors.\nsensor_type: imu\n\n{}\n\
         rate_hz: {}\ngyroscope_noise_density: 1.7e-04\ngyroscope_random_walk: 2.0e-05\n\
         accelerometer_noise_density: 2.0e-03\naccelerometer_random_walk: 3.0e-03\n",
        t_bs(&identity),
        rate_hz(IMU_PERIOD_NS),
    )
}

/// Sensor to body, row-major.
fn t_bs(pose: &Pose) -> String {
    let (r, t) = (&pose.rotation, &pose.translation);
    let rows: Vec<String> = (0..3)
        .map(|i| format!("{:?}, {:?}, {:?}, {:?},", r[(i, 0)], r[(i, 1)], r[(i, 2)], t[i]))
        .chain(["0.0, 0.0, 0.0, 1.0]".to_owned()])
        .collect();
    format!("T_BS:\n  cols: 4\n  rows: 4\n  data: [{}", rows.join("\n         "))
}

fn rate_hz(period_ns: StampNs) -> f64 {
    1e9 / period_ns as f64
}

fn quaternion(rotation: &Matrix3<f64>) -> UnitQuaternion<f64> {
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation))
}
