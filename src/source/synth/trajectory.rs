//! Where the body is: sums of sines, whose derivatives the IMU measures exactly.
//!
//! World: z up. Body, which is the IMU: x forward, y left, z up; its attitude is yaw, pitch, roll about z, y, x.

use nalgebra::{Matrix3, Vector3};

/// Gravity in the world, m/s^2.
pub(super) const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);

/// A rotation and a translation that take points of one frame to another: `world_from_body` of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    pub rotation: Matrix3<f64>,
    /// m.
    pub translation: Vector3<f64>,
}

impl Pose {
    /// `self` after `inner`: `a_from_b.compose(b_from_c)` is `a_from_c`.
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose { rotation: self.rotation * inner.rotation, translation: self.apply(inner.translation) }
    }

    /// The point in the frame that the pose leads to.
    pub fn apply(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.rotation * point + self.translation
    }

    /// The point in the frame that the pose comes from.
    pub fn apply_inverse(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.rotation.transpose() * (point - self.translation)
    }
}

/// The direction in the frame that `rotation` leads to.
pub(super) fn rotate(rotation: &Matrix3<f64>, [x, y, z]: &[f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| rotation[(i, 0)] * x + rotation[(i, 1)] * y + rotation[(i, 2)] * z)
}

/// The direction in the frame that `rotation` comes from.
pub(super) fn rotate_back(rotation: &Matrix3<f64>, [x, y, z]: &[f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| rotation[(0, i)] * x + rotation[(1, i)] * y + rotation[(2, i)] * z)
}

/// State of the body at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyState {
    pub world_from_body: Pose,
    /// World, m/s.
    pub velocity: Vector3<f64>,
    /// Body, rad/s.
    pub angular_velocity: Vector3<f64>,
    /// Acceleration less gravity, body, m/s^2: what an accelerometer measures.
    pub specific_force: Vector3<f64>,
}

/// amplitude * sin(frequency * t + phase); frequency in rad/s.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wave {
    pub amplitude: f64,
    pub frequency: f64,
    pub phase: f64,
}

/// offset + rate * t + waves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coordinate {
    pub offset: f64,
    pub rate: f64,
    pub waves: &'static [Wave],
}

/// Value, first and second derivative.
pub(super) type Jet = [f64; 3];

impl Coordinate {
    pub fn at(&self, t: f64) -> Jet {
        self.waves.iter().fold([self.offset + self.rate * t, self.rate, 0.0], |[x, v, a], wave| {
            let angle = wave.frequency * t + wave.phase;
            let (sin, cos) = (wave.amplitude * libm::sin(angle), wave.amplitude * libm::cos(angle));
            [x + sin, v + wave.frequency * cos, a - wave.frequency * wave.frequency * sin]
        })
    }
}

/// Position and attitude over time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trajectory {
    /// World x, y, z, m.
    pub position: [Coordinate; 3],
    /// rad.
    pub yaw: Coordinate,
    pub pitch: Coordinate,
    pub roll: Coordinate,
}

impl Trajectory {
    /// The state at `t` seconds.
    pub fn at(&self, t: f64) -> BodyState {
        let [x, y, z] = self.position.map(|coordinate| coordinate.at(t));
        let [yaw, yaw_rate, _] = self.yaw.at(t);
        let [pitch, pitch_rate, _] = self.pitch.at(t);
        let [roll, roll_rate, _] = self.roll.at(t);
        let (sp, cp) = (libm::sin(pitch), libm::cos(pitch));
        let (sr, cr) = (libm::sin(roll), libm::cos(roll));
        let (sy, cy) = (libm::sin(yaw), libm::cos(yaw));
        let rotation = Matrix3::new(
            cy * cp,
            cy * sp * sr - sy * cr,
            cy * sp * cr + sy * sr,
            sy * cp,
            sy * sp * sr + cy * cr,
            sy * sp * cr - cy * sr,
            -sp,
            cp * sr,
            cp * cr,
        );
        let acceleration = Vector3::new(x[2], y[2], z[2]);
        BodyState {
            world_from_body: Pose { rotation, translation: Vector3::new(x[0], y[0], z[0]) },
            velocity: Vector3::new(x[1], y[1], z[1]),
            angular_velocity: Vector3::new(
                roll_rate - yaw_rate * sp,
                pitch_rate * cr + yaw_rate * cp * sr,
                yaw_rate * cp * cr - pitch_rate * sr,
            ),
            specific_force: rotation.transpose() * (acceleration - GRAVITY),
        }
    }
}
