//! C10: how near the kernel's estimate of a root is, on which its choice between two integers rests.

#![allow(clippy::unwrap_used, reason = "a constant that is not found is a failure")]

use std::str::FromStr;

const SHARES: &str = include_str!("../../kernels/detect/shares.cuh");

/// What stands between two words of the kernel.
fn between(before: &str, after: &str) -> &'static str {
    let (_, rest) = SHARES.split_once(before).unwrap();
    rest.split_once(after).unwrap().0
}

/// The error repeats with every factor of 4 in x.
#[test]
fn estimated_roots_are_as_near_as_they_must_be() {
    let magic = u32::from_str_radix(between("__uint_as_float(0x", "u -"), 16).unwrap();
    let factor = f32::from_str(between("root * (", "f - root")).unwrap();
    let scale = f64::from_str(between("SHARE_SCALE = ", "f;")).unwrap() / 65025.0;
    for bits in 1.0_f32.to_bits()..4.0_f32.to_bits() {
        let x = f32::from_bits(bits);
        let inverse = f32::from_bits(magic - (bits >> 1));
        let root = x * inverse;
        let estimate = f64::from(root * (factor - root * inverse));
        let error = estimate / (f64::from(x) / scale).sqrt() - 1.0;
        assert!(error.abs() <= 7e-4, "root of {x}: {estimate}, {error} off");
    }
}
