//! How a camera moved between two images, what that says of a point, and the least squares over many.

use nalgebra::{Matrix3, Quaternion, SMatrix, SVector, UnitQuaternion, Vector3};

use super::BearingPair;

/// A turn and a direction of translation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Motion {
    /// after_from_before.
    pub rotation: UnitQuaternion<f64>,
    /// Unit vector of the camera frame after the motion; zero for a turn alone.
    pub translation: Vector3<f64>,
}

impl Motion {
    pub fn turn(rotation: UnitQuaternion<f64>) -> Self {
        Self { rotation, translation: Vector3::zeros() }
    }

    /// Distance of the point from the model, rad; infinite for a point that is no number.
    ///
    /// Of a turn alone the chord between the turned bearing and the one seen. With translation the distance of a
    /// bearing from the epipolar plane of the other, to first order, of both images together (Sampson's distance on the
    /// sphere, times the square root of two, so that it is one of an image and not the share of each).
    pub fn residual(&self, point: &BearingPair) -> f64 {
        let turned = self.rotation * point.before;
        let distance = if self.translation == Vector3::zeros() {
            (turned - point.after).norm()
        } else {
            let (error, weight) = self.epipolar(&turned, &point.after);
            if weight > 0.0 { error.abs() / weight } else { (turned - point.after).norm() }
        };
        if distance.is_finite() { distance } else { f64::INFINITY }
    }

    /// The triple product of translation and both bearings, and the root mean square of its gradients in either.
    fn epipolar(&self, turned: &Vector3<f64>, after: &Vector3<f64>) -> (f64, f64) {
        let plane_after = self.translation.cross(turned);
        let plane_before = after.cross(&self.translation);
        let error = after.dot(&plane_after);
        // On the sphere only what is perpendicular to the bearing moves it.
        let along = plane_after.norm_squared() + plane_before.norm_squared() - 2.0 * error * error;
        (error, (0.5 * along.max(0.0)).sqrt())
    }

    /// The direction on which the epipolar planes of two points meet, given the turn.
    pub fn from_two(rotation: UnitQuaternion<f64>, a: &BearingPair, b: &BearingPair) -> Option<Self> {
        let normal = |point: &BearingPair| (rotation * point.before).cross(&point.after);
        let translation = normal(a).cross(&normal(b)).try_normalize(1e-14)?;
        Some(Self { rotation, translation })
    }

    /// The turn that takes two bearings to two others as well as it can.
    pub fn turn_from_two(a: &BearingPair, b: &BearingPair) -> Option<Self> {
        let frame = |a: Vector3<f64>, b: Vector3<f64>| {
            let (x, y) = ((a + b).try_normalize(1e-6)?, a.cross(&b).try_normalize(1e-6)?);
            Some(Matrix3::from_columns(&[x, y, x.cross(&y)]))
        };
        let matrix = frame(a.after, b.after)? * frame(a.before, b.before)?.transpose();
        let rotation = nalgebra::Rotation3::from_matrix_unchecked(matrix);
        Some(Self::turn(UnitQuaternion::from_rotation_matrix(&rotation)))
    }

    /// One Gauss-Newton step of a turn alone over `points`.
    pub fn step_turn<'a>(&self, points: impl Iterator<Item = &'a BearingPair>) -> Option<Self> {
        let (mut normal, mut right) = (Matrix3::zeros(), Vector3::zeros());
        for point in points {
            let turned = self.rotation * point.before;
            normal += Matrix3::identity() - turned * turned.transpose();
            right += turned.cross(&point.after);
        }
        let step = normal.cholesky()?.solve(&right);
        Some(Self::turn(turned_by(&self.rotation, &step)))
    }

    /// One Gauss-Newton step of turn and direction over `points`, with the weights of Sampson's distance held.
    pub fn step<'a>(&self, points: impl Iterator<Item = &'a BearingPair>) -> Option<Self> {
        let t = self.translation;
        let least = if t.x.abs() < 0.6 { Vector3::x() } else { Vector3::y() };
        let first = t.cross(&least).try_normalize(1e-6)?;
        let second = t.cross(&first);
        let mut normal = SMatrix::<f64, 5, 5>::zeros();
        let mut right = SVector::<f64, 5>::zeros();
        for point in points {
            let turned = self.rotation * point.before;
            let (error, weight) = self.epipolar(&turned, &point.after);
            if weight <= 0.0 {
                continue;
            }
            let plane = turned.cross(&point.after);
            // d error / d turn: after . (t x (w x turned)) is linear in w.
            let turn = point.after * t.dot(&turned) - t * point.after.dot(&turned);
            let row = SVector::<f64, 5>::new(turn.x, turn.y, turn.z, first.dot(&plane), second.dot(&plane)) / weight;
            normal += row * row.transpose();
            right -= row * (error / weight);
        }
        // Against directions that the points do not determine.
        let damping = 1e-9 * normal.trace() + 1e-18;
        let step = (normal + SMatrix::<f64, 5, 5>::identity() * damping).cholesky()?.solve(&right);
        let translation = (t + first * step[3] + second * step[4]).try_normalize(1e-9)?;
        let rotation = turned_by(&self.rotation, &Vector3::new(step[0], step[1], step[2]));
        Some(Self { rotation, translation })
    }
}

/// A small turn by `step` (rad) after `rotation`, to first order.
fn turned_by(rotation: &UnitQuaternion<f64>, step: &Vector3<f64>) -> UnitQuaternion<f64> {
    let small = UnitQuaternion::new_normalize(Quaternion::from_parts(1.0, step * 0.5));
    UnitQuaternion::new_normalize((small * rotation).into_inner())
}
