//! The logistic function of our own beside that of the standard library.

use vio_frontend::detections::sigmoid::sigmoid;

#[test]
fn it_is_the_logistic_function_to_three_parts_in_ten_million() {
    let mut worst = 0.0f64;
    for step in -80_000..=80_000 {
        let x = step as f32 * 1e-3;
        let exact = 1.0 / (1.0 + (-f64::from(x)).exp());
        worst = worst.max((f64::from(sigmoid(x)) / exact - 1.0).abs());
    }
    assert!(worst < 3e-7, "{worst:e}");
}

#[test]
fn it_stays_a_probability_for_every_finite_value() {
    for x in [0.0, -0.0, 80.0, 81.0, 1e6, f32::MAX, f32::MIN_POSITIVE, 1e-40] {
        let (up, down) = (sigmoid(x), sigmoid(-x));
        assert!((0.0..=1.0).contains(&up) && (0.0..=1.0).contains(&down) && up >= down, "{x}: {up}, {down}");
    }
    assert_eq!([sigmoid(0.0), sigmoid(f32::MAX)], [0.5, 1.0]);
    assert_eq!(sigmoid(-f32::MAX), sigmoid(-80.0));
}
