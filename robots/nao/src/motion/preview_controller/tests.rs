//! Tests of what Kajita's controller promises.

use super::*;

fn controller() -> PreviewController {
    PreviewController::create(())
}

/// Returns a reference of the zero moment point that steps from side to side, 21 runs each, after
/// half a second in the middle.
fn swaying(run: usize) -> Vec2 {
    match run {
        0..42 => Vec2::ZERO,
        _ if ((run - 42) / 21).is_multiple_of(2) => Vec2::new(0.0, 0.05),
        _ => Vec2::new(0.0, -0.05),
    }
}

fn follow(controller: &mut PreviewController, reference: impl Fn(usize) -> Vec2, runs: usize) -> Vec<Vec2> {
    (0..runs)
        .map(|run| {
            controller.step(&std::array::from_fn(|ahead| reference(run + ahead)));
            controller.zero_moment_point()
        })
        .collect()
}

#[test]
fn the_zero_moment_point_follows_steps_from_side_to_side() {
    let points = follow(&mut controller(), swaying, 400);
    let mut square = 0.0;
    for (run, point) in points.iter().enumerate() {
        // Around a step the reference jumps and the point cannot.
        if run >= 42 && (5..16).contains(&((run - 42) % 21)) {
            assert!((point.y - swaying(run).y).abs() < 0.015, "{point} in run {run}");
        }
        square += (point.y - swaying(run).y).powi(2) / 400.0;
    }
    assert!(square.sqrt() < 0.02, "{}", square.sqrt());
}

#[test]
fn the_centre_of_mass_leaves_before_the_zero_moment_point_does() {
    let mut controller = controller();
    follow(&mut controller, swaying, 42);
    assert!(
        controller.position.y > 0.005 && controller.velocity.y > 0.05,
        "{} {}",
        controller.position,
        controller.velocity
    );
}

#[test]
fn a_reference_that_moves_far_away_is_reached_and_kept() {
    let mut controller = controller();
    let far = Vec2::new(3.0, -2.0);
    follow(&mut controller, |_| far, 600);
    assert!(controller.position.abs_diff_eq(far, 1e-3), "{}", controller.position);
    assert!(controller.velocity.length() < 1e-3 && controller.summed_error.is_finite());
}

#[test]
fn it_does_not_matter_where_the_origin_is() {
    let shift = Vec2::new(8.0, -5.0);
    let (mut here, mut there) = (controller(), controller());
    there.rest_at(shift);
    follow(&mut here, swaying, 300);
    follow(&mut there, |run| swaying(run) + shift, 300);
    assert!((here.position + shift).abs_diff_eq(there.position, 1e-3), "{} {}", here.position, there.position);
}

#[test]
fn a_longer_preview_would_add_little() {
    let gains = Gains::default();
    let largest = gains.preview.iter().fold(0.0_f32, |largest, gain| largest.max(gain.abs()));
    assert!(gains.preview[PREVIEW_FRAMES - 1].abs() < 0.01 * largest, "{gains:?}");
}
