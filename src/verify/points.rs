//! All points coordinate by coordinate, so that a hypothesis is judged several points at a time.

use nalgebra::{Matrix3, Vector3};

use super::BearingPair;
use super::model::Motion;

/// Points judged before it is asked whether the rest matters.
const CHUNK: usize = 16;

/// One coordinate of a chunk of points.
type Lanes = [f64; CHUNK];

/// Bearings before and after of a chunk. What a chunk has too many is no number.
#[derive(Clone, Debug)]
struct Chunk {
    before: [Lanes; 3],
    after: [Lanes; 3],
    count: usize,
}

/// The points of one verification.
#[derive(Clone, Debug)]
pub(super) struct Points(Vec<Chunk>);

/// What a motion explains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Score {
    /// Points within the threshold.
    pub count: usize,
    /// Sum over all points of the squared residual, at most the squared threshold; rad^2.
    pub cost: f64,
}

impl Points {
    pub fn new(points: &[BearingPair]) -> Self {
        let lanes = |points: &[BearingPair], coordinate: &dyn Fn(&BearingPair) -> f64| {
            let mut lanes = [f64::NAN; CHUNK];
            lanes.iter_mut().zip(points).for_each(|(lane, point)| *lane = coordinate(point));
            lanes
        };
        let chunks = points.chunks(CHUNK).map(|points| Chunk {
            before: [0, 1, 2].map(|i| lanes(points, &|point| point.before[i])),
            after: [0, 1, 2].map(|i| lanes(points, &|point| point.after[i])),
            count: points.len(),
        });
        Self(chunks.collect())
    }

    /// What `motion` explains; `None` once it costs as much as `limit`. `threshold` in rad.
    pub fn score(&self, motion: &Motion, threshold: f64, limit: f64) -> Option<Score> {
        let rotation = motion.rotation.to_rotation_matrix().into_inner();
        let most = threshold * threshold;
        let mut score = Score { count: 0, cost: 0.0 };
        for chunk in &self.0 {
            let squares = chunk.squares(&rotation, &motion.translation);
            for square in &squares[..chunk.count] {
                // What is no number is an outlier.
                let within = *square <= most;
                score.count += usize::from(within);
                score.cost += if within { *square } else { most };
            }
            if score.cost >= limit {
                return None;
            }
        }
        Some(score)
    }
}

impl Chunk {
    /// Squared residuals, as of [`Motion::residual`].
    fn squares(&self, rotation: &Matrix3<f64>, translation: &Vector3<f64>) -> Lanes {
        let mut squares = [0.0; CHUNK];
        let ([bx, by, bz], [ax, ay, az]) = (&self.before, &self.after);
        let [tx, ty, tz] = [translation.x, translation.y, translation.z];
        let row = |i: usize| [rotation[(i, 0)], rotation[(i, 1)], rotation[(i, 2)]];
        let [rx, ry, rz] = [0, 1, 2].map(row);
        for (i, square) in squares.iter_mut().enumerate() {
            let turn = |r: [f64; 3]| r[0] * bx[i] + r[1] * by[i] + r[2] * bz[i];
            let [x, y, z] = [turn(rx), turn(ry), turn(rz)];
            let (ax, ay, az) = (ax[i], ay[i], az[i]);
            let chord = (x - ax) * (x - ax) + (y - ay) * (y - ay) + (z - az) * (z - az);
            // The planes of either bearing and the translation; those of a turn alone are zero.
            let [px, py, pz] = [ty * z - tz * y, tz * x - tx * z, tx * y - ty * x];
            let [qx, qy, qz] = [ay * tz - az * ty, az * tx - ax * tz, ax * ty - ay * tx];
            let error = ax * px + ay * py + az * pz;
            let along = (px * px + py * py + pz * pz) + (qx * qx + qy * qy + qz * qz) - 2.0 * error * error;
            *square = if along > 0.0 { error * error / (0.5 * along) } else { chord };
        }
        squares
    }
}
