//! Tests of the filter on synthetic and on recorded motion.

use std::f32::consts::PI;
use std::fs::File;
use std::io::Read;
use std::path::PathBuf;

use super::*;

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, 9.81);

fn inclination_error(estimate: Quat, truth: Quat) -> f32 {
    let error = estimate * truth.inverse();
    2.0 * error.w.hypot(error.z).clamp(0.0, 1.0).acos()
}

/// Runs the filter on a sensor that turns with a constant bias, at `rate` hertz.
fn turning(rate: f32, seconds: f32, motion: impl Fn(f32) -> Vec3, bias: Vec3) -> (OrientationEstimator, Quat) {
    let mut estimator = OrientationEstimator::default();
    let mut truth = Quat::from_rotation_x(0.3);
    for index in 0..(seconds * rate) as u32 {
        let angular_velocity = motion(index as f32 / rate);
        truth = (truth * Quat::from_scaled_axis(angular_velocity / rate)).normalize();
        estimator.update(angular_velocity + bias, truth.inverse() * GRAVITY, 1.0 / rate);
    }
    (estimator, truth)
}

/// Returns a motion as by hand, in all directions.
fn waving(time: f32) -> Vec3 {
    Vec3::new(0.8 * (0.7 * time).sin(), 0.6 * (0.4 * time).cos(), 0.5 * (0.3 * time).sin())
}

#[test]
fn a_turning_sensor_is_followed_at_any_rate() {
    for rate in [83.333, 285.714, 1000.0] {
        let (estimator, truth) = turning(rate, 20.0, waving, Vec3::ZERO);
        let error = inclination_error(estimator.attitude(), truth);
        assert!(error < 2e-3, "{error} rad at {rate} Hz");
    }
}

#[test]
fn a_bias_is_learned_at_rest_at_once_and_in_motion_with_time() {
    let bias = Vec3::new(0.01, -0.008, 0.006);
    let (resting, _) = turning(83.333, 6.0, |_| Vec3::ZERO, bias);
    assert!(resting.is_resting() && resting.bias().abs_diff_eq(bias, 5e-4), "{}", resting.bias());
    let (moving, truth) = turning(83.333, 120.0, waving, bias);
    assert!(!moving.is_resting() && moving.bias().distance(bias) < bias.length() / 3.0, "{}", moving.bias());
    assert!(inclination_error(moving.attitude(), truth) < 0.01);
}

#[test]
fn shaking_does_not_tilt_the_estimate() {
    let mut estimator = OrientationEstimator::default();
    for index in 0..2000_u16 {
        let time = f32::from(index) * 0.01;
        let shaking = Vec3::X * 4.0 * (2.0 * PI * 2.0 * time).sin();
        estimator.update(Vec3::ZERO, GRAVITY + shaking, 0.01);
    }
    let error = inclination_error(estimator.attitude(), Quat::IDENTITY);
    assert!(error < 0.01, "{error} rad");
}

#[test]
fn what_no_sensor_can_have_measured_is_ignored_and_a_gap_is_survived() {
    let (mut estimator, truth) = turning(100.0, 5.0, waving, Vec3::ZERO);
    let before = estimator.attitude();
    estimator.update(Vec3::NAN, GRAVITY, 0.01);
    estimator.update(Vec3::ZERO, GRAVITY, -1.0);
    estimator.update(Vec3::ZERO, GRAVITY, f32::NAN);
    assert_eq!(estimator.attitude(), before);
    // Two seconds later the sensor has been turned by hand.
    let truth = truth * Quat::from_rotation_y(1.0);
    estimator.update(Vec3::ZERO, truth.inverse() * GRAVITY, 2.0);
    assert!(inclination_error(estimator.attitude(), truth) < 1e-3);
}

/// Returns a recording of BROAD (Laidig et al. 2021), CC-BY-4.0; reports it and returns `None`
/// without the data.
fn recording(name: &str) -> Option<String> {
    let shared = std::env::var_os("HEMIOLA_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"), PathBuf::from);
    let path = shared.join("data/recordings/imu-broad").join(name);
    let Ok(file) = File::open(&path) else {
        eprintln!("SKIPPED: {} is not there; set HEMIOLA_SHARED to the folder of the shared data", path.display());
        return None;
    };
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("a readable recording");
    Some(text)
}

/// Returns the root mean square of the inclination's error over the rows that count, in degrees.
fn score(recording: &str) -> f32 {
    let mut estimator = OrientationEstimator::default();
    let (mut squares, mut count) = (0.0_f64, 0_u32);
    for row in recording.lines().skip(1) {
        let cells: Vec<Option<f32>> = row.split(',').map(|cell| cell.parse().ok()).collect();
        let vector = |from: usize| Some(Vec3::new(cells[from]?, cells[from + 1]?, cells[from + 2]?));
        let (Some(gyroscope), Some(acceleration)) = (vector(1), vector(4)) else { continue };
        estimator.update(gyroscope, acceleration, 7.0 / 2000.0);
        let [Some(w), Some(x), Some(y), Some(z)] = cells[10..14] else { continue };
        if cells[17] == Some(1.0) {
            let truth = Quat::from_xyzw(x, y, z, w).normalize();
            squares += f64::from(inclination_error(estimator.attitude(), truth)).powi(2);
            count += 1;
        }
    }
    assert!(count > 10_000, "only {count} rows count");
    (squares / f64::from(count)).sqrt().to_degrees() as f32
}

#[test]
fn recorded_fast_motion_is_followed_as_well_as_by_the_best_filters() {
    // The reference implementation of VQF reaches 1.02 and 0.54 degrees.
    for (name, threshold) in
        [("07_undisturbed_fast_rotation_B.csv.gz", 1.1), ("16_undisturbed_fast_translation_B.csv.gz", 0.6)]
    {
        let Some(recording) = recording(name) else { continue };
        let error = score(&recording);
        println!("{name}: inclination RMSE {error:.2} degrees");
        assert!(error < threshold, "{name}: {error} degrees");
    }
}
