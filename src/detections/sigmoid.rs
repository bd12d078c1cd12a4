//! The logistic function from IEEE operations alone, so that every side has the same bits.

/// 1 / (1 + exp(-x)), f32; x must be finite. Relative error below 3e-7 for |x| <= 80, constant beyond.
pub fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + exp(-x))
}

/// exp(x) with x clamped to +-80: 2^n times a polynomial on +-ln(2) / 2 (coefficients of the Cephes library's expf).
#[expect(clippy::excessive_precision, reason = "the digits of the published coefficients")]
fn exp(x: f32) -> f32 {
    let raised = if x < -80.0 { -80.0 } else { x };
    let x = if 80.0 < raised { 80.0 } else { raised };
    let n = (x * std::f32::consts::LOG2_E).round_ties_even();
    // ln 2 = 355 / 512 - 2.1219e-4: the first product is exact.
    let r = (x - n * 0.693_359_375) - n * -2.121_944_4e-4;
    let mut p = 1.987_569_15e-4;
    for coefficient in [1.398_199_95e-3, 8.333_451_9e-3, 4.166_579_59e-2, 1.666_666_55e-1, 5.000_000_12e-1] {
        p = p * r + coefficient;
    }
    let y = (p * (r * r) + r) + 1.0;
    y * f32::from_bits(((n as i32 + 127) as u32) << 23)
}
