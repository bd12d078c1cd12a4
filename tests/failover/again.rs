//! A GPU that fails in mid-frame, when its detection is out and points are tracked once more: the gyroscope was wrong.

use nalgebra::Isometry3;
use vio_frontend::camera::{CamImu, Camera};
use vio_frontend::frame::ImuSample;
use vio_frontend::frontend::{Backend, Frontend};
use vio_frontend::params::{CameraModel, Device, Params};
use vio_frontend::track::predict::NoPrediction;

use crate::fakecuda::FakeCuda;
use crate::{AT_ONCE, images, options, params, process, results};

const MS: i64 = 1_000_000;

/// Its IMU says that the camera turns by 13 degrees from frame to frame, which it does not.
fn misled(params: Params, fake: &FakeCuda) -> Frontend {
    let camera = Camera::new(CameraModel::Pinhole, [100.0, 100.0, 48.0, 37.0], &[], Some([97, 75])).unwrap();
    let mut frontend = Frontend::with_gpu(params, Some(camera), options(fake), AT_ONCE).unwrap();
    frontend.set_cam_imu(Some(CamImu { cam_from_imu: Isometry3::identity(), timeshift_s: 0.0 }));
    for k in 0..60 {
        frontend.add_imu(ImuSample { stamp_ns: 5 * MS * k, gyro: [3.2, 3.2, 0.0], accel: None });
    }
    frontend
}

#[test]
fn a_failure_when_points_are_tracked_again_changes_no_bit() {
    let images = images((97, 75), 3);
    for profile in ["orin", "discrete", "tx2"] {
        for fault in ["fail cuLaunchKernel 2 2", "lose cuLaunchKernel 2 719", "hang cuLaunchKernel 2"] {
            let fake = FakeCuda::new(profile);
            let mut plain = misled(params(Device::Cpu), &fake);
            let mut frontend = misled(params(Device::Cuda), &fake);
            for (k, image) in images.iter().enumerate() {
                if k == 1 {
                    fake.control(&[&format!("profile {profile}"), fault]);
                }
                let (expected, output) = (process(&mut plain, k, image), process(&mut frontend, k, image));
                assert_eq!(results(&frontend, &output), results(&plain, &expected), "{profile}, {fault}, frame {k}");
                if k == 1 {
                    let prediction = output.tracking.as_ref().map(|tracking| tracking.prediction);
                    assert_eq!(prediction, Some(Err(NoPrediction::NotFound)));
                    assert!(output.fallback.is_some() && output.backend == Backend::Cpu, "{profile}, {fault}");
                }
            }
        }
    }
}
