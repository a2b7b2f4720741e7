use super::*;
use crate::field::{LINES, POSTS};
use crate::representations::perception::{LandmarkShape, SeenLandmark, SeenLine};

/// Returns what a robot sees from `pose`, without errors: the parts of lines within reach and
/// ahead, posts and corners.
fn seen_from(pose: &Pose2) -> (LinePercept, LandmarkPercept) {
    let is_seen = |point: &Vec2| point.x > 0.3 && point.length() < 3.5 && point.y.abs() < 1.5 * point.x;
    let mut lines = LinePercept::default();
    for line in &LINES {
        let pieces = (line.length() / 0.25) as usize;
        let at = |index: usize| pose.relative(line.from.lerp(line.to, index as f32 / pieces as f32));
        let ends = (0..pieces).map(|index| (at(index), at(index + 1)));
        lines
            .lines
            .extend(ends.filter(|(from, to)| is_seen(from) && is_seen(to)).map(|(from, to)| SeenLine { from, to }));
    }
    let kinds = [LandmarkShape::Corner, LandmarkShape::Tee, LandmarkShape::Cross, LandmarkShape::GoalPost];
    let places = kinds.into_iter().flat_map(|kind| features::places(kind).iter().map(move |place| (kind, *place)));
    let landmarks = places
        .map(|(kind, place)| SeenLandmark { kind, position: pose.relative(place) })
        .filter(|landmark| is_seen(&landmark.position))
        .collect();
    (lines, LandmarkPercept { landmarks })
}

fn run(locator: &mut SelfLocator, pose: &Pose2, step: Pose2, fall: Uprightness) -> PoseParticles {
    run_with(locator, pose, step, fall, &KeptBelief::default())
}

fn run_with(
    locator: &mut SelfLocator,
    pose: &Pose2,
    step: Pose2,
    fall: Uprightness,
    kept: &KeptBelief,
) -> PoseParticles {
    let (lines, landmarks) = seen_from(pose);
    let mut particles = PoseParticles::default();
    locator.particles(
        &OdometryStep { step },
        &lines,
        &landmarks,
        &FallState { state: fall },
        kept,
        &Clock::new(Time::ZERO, Duration::ZERO, 0),
        &Scope::default(),
        &Debug::default(),
        &mut particles,
    );
    particles
}

fn mean(particles: &PoseParticles) -> Pose2 {
    let particles = &particles.particles;
    let forward: Vec2 = particles.iter().map(|particle| particle.pose.forward() * particle.weight).sum();
    let translation = particles.iter().map(|particle| particle.pose.translation * particle.weight).sum();
    Pose2 { rotation: forward.to_angle(), translation }
}

fn assert_close(found: &Pose2, pose: &Pose2) {
    let turn = normalize_angle(found.rotation - pose.rotation).abs();
    assert!(found.translation.distance(pose.translation) < 0.15 && turn < 0.1, "{found:?}, not {pose:?}");
}

#[test]
fn the_side_of_entry_is_found_by_what_is_seen() {
    for side in [1.0, -1.0] {
        let pose = Pose2::new(-1.3, side * 3.0, -side * FRAC_PI_2);
        let mut locator = SelfLocator::create(SelfLocatorParameters::default());
        let last = (0..40).map(|_| run(&mut locator, &pose, Pose2::default(), Uprightness::Upright)).last();
        assert_close(&mean(&last.unwrap()), &pose);
    }
}

#[test]
fn a_walk_with_wrong_odometry_is_followed() {
    let mut locator = SelfLocator::create(SelfLocatorParameters::default());
    let mut pose = Pose2::new(-1.3, 3.0, -FRAC_PI_2);
    for _ in 0..40 {
        run(&mut locator, &pose, Pose2::default(), Uprightness::Upright);
    }
    for _ in 0..400 {
        pose = pose * Pose2::new(0.008, 0.0, 0.003);
        // Odometry measures ten percent more distance and a third less turn.
        let particles = run(&mut locator, &pose, Pose2::new(0.0088, 0.0, 0.002), Uprightness::Upright);
        assert!(mean(&particles).translation.distance(pose.translation) < 0.3);
        assert!((particles.particles.iter().map(|particle| particle.weight).sum::<f32>() - 1.0).abs() < 1e-3);
    }
}

#[test]
fn a_robot_that_was_carried_away_finds_itself_by_landmarks() {
    let mut locator = SelfLocator::create(SelfLocatorParameters::default());
    let start = Pose2::new(-1.3, 3.0, -FRAC_PI_2);
    for _ in 0..40 {
        run(&mut locator, &start, Pose2::default(), Uprightness::Upright);
    }
    let elsewhere = Pose2::new(2.0, 0.5, -1.2);
    let last = (0..600).map(|_| run(&mut locator, &elsewhere, Pose2::default(), Uprightness::Upright)).last().unwrap();
    assert!(POSTS.iter().any(|post| elsewhere.relative(*post).length() < 3.5), "something has to be in sight");
    assert_close(&mean(&last), &elsewhere);
}

#[test]
fn a_locator_that_begins_while_the_robot_plays_goes_on_from_the_kept_pose() {
    let pose = Pose2::new(2.0, 0.5, -1.2);
    let kept = KeptBelief { pose: Some(pose * Pose2::new(0.1, -0.05, 0.1)), ..KeptBelief::default() };
    let mut locator = SelfLocator::create(SelfLocatorParameters::default());
    for kept in [&KeptBelief::default(), &kept] {
        run_with(&mut locator, &pose, Pose2::default(), Uprightness::Upright, kept);
    }
    // Later ones are its own, and no news.
    let other = KeptBelief { pose: Some(Pose2::default()), ..KeptBelief::default() };
    let still = |_| run_with(&mut locator, &pose, Pose2::default(), Uprightness::Upright, &other);
    assert_close(&mean(&(0..20).map(still).last().unwrap()), &pose);
}

#[test]
fn after_a_fall_the_heading_is_found_again() {
    let mut locator = SelfLocator::create(SelfLocatorParameters::default());
    let pose = Pose2::new(-1.3, 3.0, -FRAC_PI_2);
    for _ in 0..40 {
        run(&mut locator, &pose, Pose2::default(), Uprightness::Upright);
    }
    run(&mut locator, &pose, Pose2::default(), Uprightness::Fallen);
    let turned = Pose2 { rotation: pose.rotation + 0.35, ..pose };
    let last = (0..60).map(|_| run(&mut locator, &turned, Pose2::default(), Uprightness::Upright)).last().unwrap();
    assert_close(&mean(&last), &turned);
}

#[test]
fn the_same_inputs_give_the_same_bits_and_another_seed_does_not() {
    let particles = |seed| {
        let mut locator = SelfLocator::create(SelfLocatorParameters { seed, ..Default::default() });
        let pose = Pose2::new(-1.3, 3.0, -FRAC_PI_2);
        (0..20).map(|_| run(&mut locator, &pose, Pose2::new(0.01, 0.0, 0.0), Uprightness::Upright)).last().unwrap()
    };
    assert_eq!(particles(1), particles(1));
    assert_ne!(particles(1), particles(2));
}
