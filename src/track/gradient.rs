//! Gradients: Scharr, H. "Optimal Operators in Digital Image Processing", 2000; 32 times grey levels / px.

use super::patch::Patch;

/// Gradients along x and y of the row of pixels between the first and the last of three rows of a patch; the first and
/// the last column have none. Within +-4080.
pub fn scharr(patch: &Patch, y: usize, gx: &mut [i16], gy: &mut [i16]) {
    let rows = [y - 1, y, y + 1].map(|y| patch.row(y));
    let at = |row: usize, x: usize| i16::from(rows[row][x]);
    for (x, (gx, gy)) in gx.iter_mut().zip(gy).enumerate() {
        let across = |row| at(row, x + 2) - at(row, x);
        let along = |column| at(2, column) - at(0, column);
        *gx = 3 * across(0) + 10 * across(1) + 3 * across(2);
        *gy = 3 * along(x) + 10 * along(x + 1) + 3 * along(x + 2);
    }
}
