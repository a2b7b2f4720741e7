use proptest::prelude::*;

use super::*;
use crate::field::{LINES, POSTS};
use crate::geometry::normalize_angle;
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
    let told = (PlaceByRules::default(), MirrorVerdict::default());
    run_told(locator, &seen_from(pose), step, fall, kept, &told)
}

fn run_told(
    locator: &mut SelfLocator,
    (lines, landmarks): &(LinePercept, LandmarkPercept),
    step: Pose2,
    fall: Uprightness,
    kept: &KeptBelief,
    (rules, mirror): &(PlaceByRules, MirrorVerdict),
) -> PoseParticles {
    let mut particles = PoseParticles::default();
    locator.particles(
        &OdometryStep { step },
        lines,
        landmarks,
        &FallState { state: fall },
        kept,
        rules,
        mirror,
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

/// A robot that has found itself, for a test that carries it elsewhere.
fn settled(seed: u64) -> SelfLocator {
    let mut locator = SelfLocator::create(SelfLocatorParameters { seed, ..Default::default() });
    for _ in 0..40 {
        run(&mut locator, &START, Pose2::default(), Uprightness::Upright);
    }
    locator
}

const START: Pose2 = Pose2::new(-1.3, 3.0, -FRAC_PI_2);

/// Returns what is seen from `pose` with errors as images have them: of the direction, and false
/// and missing landmarks.
fn seen_badly(pose: &Pose2, random: &mut Random) -> (LinePercept, LandmarkPercept) {
    let (mut lines, mut landmarks) = seen_from(pose);
    let error = Pose2 { rotation: 0.015 * random.normal(), translation: Vec2::ZERO };
    let stretch = 1.0 + 0.02 * random.normal();
    let shift = |point: Vec2| error.transform(point) * stretch;
    lines.lines.iter_mut().for_each(|line| (line.from, line.to) = (shift(line.from), shift(line.to)));
    landmarks.landmarks.retain_mut(|landmark| {
        landmark.position = shift(landmark.position);
        random.index(3) > 0
    });
    if random.index(10) == 0 {
        let position = Vec2::new(random.uniform(0.5, 3.0), random.uniform(-1.5, 1.5));
        landmarks.landmarks.push(SeenLandmark { kind: LandmarkShape::Tee, position });
    }
    (lines, landmarks)
}

/// Returns the particles after so many runs in which the robot turns on the spot, and its pose.
fn look_around(
    locator: &mut SelfLocator,
    mut pose: Pose2,
    runs: u32,
    random: &mut Random,
    told: &(PlaceByRules, MirrorVerdict),
) -> (PoseParticles, Pose2) {
    let mut particles = PoseParticles::default();
    for _ in 0..runs {
        let step = Pose2::new(0.0, 0.0, 0.02);
        pose = pose * step;
        let seen = seen_badly(&pose, random);
        particles = run_told(locator, &seen, step, Uprightness::Upright, &KeptBelief::default(), told);
    }
    (particles, pose)
}

/// Returns whether most particles are around `pose`, or around its mirror image.
fn has_found(particles: &PoseParticles, pose: &Pose2, mirrored: bool) -> bool {
    let close = |pose: &Pose2| -> f32 {
        let is_close = |particle: &&PoseParticle| {
            let turn = normalize_angle(particle.pose.rotation - pose.rotation).abs();
            particle.pose.translation.distance(pose.translation) < 0.4 && turn < 0.3
        };
        particles.particles.iter().filter(is_close).map(|particle| particle.weight).sum()
    };
    close(pose) > 0.6 || mirrored && close(&pose.mirrored()) > 0.6
}

proptest! {
    #[test]
    fn a_mirrored_robot_finds_itself_by_its_mates_and_a_penalised_one_by_the_rules(
        x in -0.5_f32..0.5,
        is_left: bool,
        seed in 1..1_000_000_u64,
    ) {
        let mut random = Random::new(seed);
        let mut locator = settled(seed);
        // It stands where it does not believe to be: in the other half.
        let mirrored = (PlaceByRules::default(), MirrorVerdict { mirrored: 1, evidence: 0.0 });
        let (particles, pose) = look_around(&mut locator, START.mirrored(), 60, &mut random, &mirrored);
        prop_assert!(has_found(&particles, &pose, false), "{:?} is not found: {:?}", pose, mean(&particles));
        // The referee puts it back into its own half, of which it knows by the rules.
        let side = if is_left { 1.0 } else { -1.0 };
        let back = Pose2::new(RETURN_X + 0.4 * x, side * WIDTH / 2.0, -side * FRAC_PI_2);
        let told = (PlaceByRules { carried: CarriedTo::Return, times: 1, in_own_half: false }, mirrored.1);
        let (particles, pose) = look_around(&mut locator, back, 100, &mut random, &told);
        prop_assert!(has_found(&particles, &pose, false), "{:?} is not found: {:?}", pose, mean(&particles));
    }
}

#[test]
fn a_robot_in_the_wrong_half_is_in_its_own_if_the_rules_say_so() {
    let mut random = Random::new(9);
    let mut locator = settled(9);
    let elsewhere = Pose2::new(1.5, -3.0, FRAC_PI_2);
    let told = |in_own_half| (PlaceByRules { in_own_half, ..Default::default() }, MirrorVerdict::default());
    let (particles, pose) = look_around(&mut locator, elsewhere, 500, &mut random, &told(false));
    assert_found(&particles, &pose, true);
    let (particles, pose) = look_around(&mut locator, pose.mirrored(), 10, &mut random, &told(true));
    assert_found(&particles, &pose, false);
}

fn assert_found(particles: &PoseParticles, pose: &Pose2, mirrored: bool) {
    assert!(has_found(particles, pose, mirrored), "{pose:?} is not found: {:?}", mean(particles));
}

proptest! {
    #[test]
    fn a_robot_in_its_own_half_finds_its_place_of_entry_and_not_the_mirror_image(
        x in -2.3_f32..-0.6,
        is_left: bool,
        seed in 1..1_000_000_u64,
    ) {
        let mut random = Random::new(seed);
        let side = if is_left { 1.0 } else { -1.0 };
        let entry = Pose2::new(x, side * WIDTH / 2.0, -side * FRAC_PI_2);
        let told = (PlaceByRules { in_own_half: true, ..Default::default() }, MirrorVerdict::default());
        let mut locator = SelfLocator::create(SelfLocatorParameters { seed, ..Default::default() });
        let (particles, pose) = look_around(&mut locator, entry, 200, &mut random, &told);
        prop_assert!(has_found(&particles, &pose, false), "{:?} is not found: {:?}", pose, mean(&particles));
    }

    #[test]
    fn a_robot_that_knows_where_it_is_stays_there_whatever_false_landmarks_it_sees(seed in 1..1_000_000_u64) {
        let mut random = Random::new(seed);
        let told = (PlaceByRules::default(), MirrorVerdict::default());
        let (particles, pose) = look_around(&mut settled(seed), START, 600, &mut random, &told);
        prop_assert!(has_found(&particles, &pose, false), "{:?} is lost: {:?}", pose, mean(&particles));
    }
}
