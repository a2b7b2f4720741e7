//! Tests of several robots and the ball: repeatability, energy, and that nothing ends within
//! something else.

use proptest::prelude::*;

use super::*;
use crate::robot::{JOINTS, Joint};

const DT: f32 = 0.012;

fn standing() -> JointRequest {
    JointRequest { positions: standing_positions(), stiffness: [1.0; JOINTS] }
}

fn player(side: TeamSide, x: f32, y: f32, rotation: f32) -> Entry {
    Entry { side, number: 1, pose: Pose2::new(x, y, rotation) }
}

fn truth(arena: &Arena, robot: usize) -> GroundTruth {
    let mut truth = GroundTruth::default();
    arena.ground_truth(robot, &mut truth);
    truth
}

/// Returns a request that swings the right leg forth and back at the hip.
fn kicking(time: f32, phase: f32) -> JointRequest {
    let mut request = standing();
    request.positions[Joint::RightHipPitch.index()] += 0.5 * (8.0 * time + phase).sin();
    request
}

fn run(arena: &mut Arena, steps: u16, request: impl Fn(f32, usize) -> JointRequest) {
    for _ in 0..steps {
        let time = arena.time();
        let requests: Vec<JointRequest> = (0..arena.robots.len()).map(|robot| request(time, robot)).collect();
        arena.step(DT, &requests);
    }
}

/// Checks that robots, posts and the ball are outside of each other, and the ball is on the carpet.
fn check_places(arena: &Arena) {
    for (index, robot) in arena.robots.iter().enumerate() {
        for other in &arena.robots[..index] {
            let distance = robot.place().distance(other.place());
            assert!(distance > 2.0 * OtherRobot::RADIUS - 0.01, "robots are {distance} m apart");
        }
        let limit = Vec2::new(LENGTH, WIDTH) / 2.0 + BORDER;
        assert!(robot.place().abs().cmple(limit).all(), "{} is beyond the boards", robot.place());
        for post in POSTS {
            assert!(robot.place().distance(post) > OtherRobot::RADIUS + POST_RADIUS - 0.01, "{}", robot.place());
        }
    }
    let ball = arena.physics.ball();
    for post in POSTS {
        assert!(ball.truncate().distance(post) > POST_RADIUS + BALL_RADIUS - 0.01, "{ball} is in a post");
    }
    let limit = Vec2::new(LENGTH, WIDTH) / 2.0 + Vec2::splat(BORDER - BALL_RADIUS + 0.01);
    assert!(ball.truncate().abs().cmple(limit).all() && ball.z > BALL_RADIUS - 0.01, "{ball} is off the field");
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_others() {
    let players = [player(TeamSide::Home, -0.16, 0.05, 0.0), player(TeamSide::Away, -0.4, 0.1, 0.0)];
    let course = |seed| {
        let mut arena = Arena::new(seed, &players);
        let mut bits = Vec::new();
        for _ in 0..200 {
            run(&mut arena, 1, |time, robot| kicking(time, robot as f32));
            let mut imu = ImuSample::default();
            arena.sense(0, &mut imu, &mut JointAngles::default(), &mut FootPressure::default());
            bits.push((
                arena.physics.ball().to_array().map(f32::to_bits),
                imu.angular_velocity.to_array().map(f32::to_bits),
            ));
        }
        bits
    };
    assert_eq!(course(7), course(7));
    assert_ne!(course(7), course(8));
}

#[test]
fn a_swinging_leg_kicks_the_ball_and_is_remembered() {
    let mut arena = Arena::new(1, &[player(TeamSide::Home, -0.16, 0.05, 0.0)]);
    run(&mut arena, 60, |time, _| kicking(time, std::f32::consts::PI));
    assert!(arena.ball().x > 0.1, "{}", arena.ball());
    assert_eq!(arena.last_touch(), Some(0));
}

#[test]
fn a_ball_rolls_about_as_far_as_friction_lets_it() {
    let mut arena = Arena::new(1, &[]);
    // Without slip from the beginning, as after some rolling.
    arena.physics.place_ball(Vec2::new(-2.0, 0.5), Vec3::X);
    run(&mut arena, 300, |_, _| standing());
    // The carpet first makes it turn, which costs it two sevenths of its speed.
    let expected = (5.0_f32 / 7.0).powi(2) / 1.2;
    let way = arena.ball().x + 2.0;
    assert!((expected..expected + 0.25).contains(&way), "{way}");
    assert_eq!(arena.physics.ball_velocity().truncate(), Vec2::ZERO);
}

#[test]
fn a_goal_counts_once_for_the_team_that_plays_towards_it() {
    let players = [player(TeamSide::Home, 0.0, 1.0, 0.0), player(TeamSide::Away, 0.0, 1.0, 0.0)];
    let mut arena = Arena::new(1, &players);
    arena.physics.place_ball(Vec2::new(-4.0, 0.2), Vec3::X * -3.0);
    run(&mut arena, 200, |_, _| standing());
    assert_eq!((arena.goals(TeamSide::Home), arena.goals(TeamSide::Away)), (0, 1));
    assert!(arena.ball().x > -LENGTH / 2.0 - 0.5, "the net keeps it: {}", arena.ball());
    assert_eq!((truth(&arena, 0).goals_against, truth(&arena, 1).score), (1, 1));
}

#[test]
fn each_team_sees_the_field_from_its_own_goal() {
    let players = [player(TeamSide::Home, -2.0, 1.0, 0.3), player(TeamSide::Away, -3.0, 0.5, -0.2)];
    let mut arena = Arena::new(1, &players);
    arena.place_ball(Vec2::new(1.0, 2.0));
    let mut home = SimulatedWorld::default();
    let mut away = SimulatedWorld::default();
    arena.snapshot(0, &mut home);
    arena.snapshot(1, &mut away);
    assert_eq!((home.ball, away.ball), (Vec2::new(1.0, 2.0), Vec2::new(-1.0, -2.0)));
    let own = away.torso.on_ground();
    assert!(own.translation.distance(Vec2::new(-3.0, 0.5)) < 0.03 && (own.rotation + 0.2).abs() < 0.01, "{own:?}");
    let seen = home.others[0];
    assert_eq!((seen.team, home.others.len()), (Team::Opponent, 1));
    assert!(seen.pose.translation.distance(Vec2::new(3.0, -0.5)) < 0.03, "{seen:?}");
    assert!((away.others[0].pose.translation - Vec2::new(2.0, -1.0)).length() < 0.03, "{:?}", away.others);
}

#[test]
fn a_hard_push_makes_a_robot_fall_and_a_soft_one_does_not() {
    let falls = |speed: f32| {
        let mut arena = Arena::new(1, &[player(TeamSide::Home, 0.0, 1.0, 0.0)]);
        run(&mut arena, 1, |_, _| standing());
        arena.robots[0].body.shove(Vec2::X * speed);
        run(&mut arena, 200, |_, _| standing());
        arena.falls(0)
    };
    assert_eq!((falls(0.1), falls(1.0)), (0, 1));
}

#[test]
fn who_was_faster_has_pushed_and_who_falls_long_after_a_push_was_not_pushed() {
    assert_eq!(runner(0.5, 0.1), Some(Runner::First));
    assert_eq!(runner(-0.1, 0.4), Some(Runner::Second));
    assert_eq!(runner(0.3, 0.25), None, "both");
    let push = Push { by: 1, pushed: 0 };
    let pushes = |wait: u16| {
        let players = [player(TeamSide::Home, 0.0, 1.0, 0.0), player(TeamSide::Away, 2.0, 1.0, 0.0)];
        let mut arena = Arena::new(1, &players);
        arena.robots[0].shoved = Some((push.by, arena.time));
        run(&mut arena, wait, |_, _| standing());
        arena.hit(0, Vec2::X);
        run(&mut arena, 100, |_, _| standing());
        arena.pushes().to_vec()
    };
    assert_eq!(pushes(1), [push]);
    assert_eq!(pushes(200), []);
}

#[test]
fn who_is_carried_feels_nothing_of_the_way() {
    let mut arena = Arena::new(1, &[player(TeamSide::Home, 0.0, 1.0, 0.0)]);
    run(&mut arena, 20, |_, _| standing());
    arena.place_robot(0, &Pose2::new(-2.0, -3.0, 1.5));
    run(&mut arena, 1, |_, _| standing());
    let mut imu = ImuSample::default();
    arena.sense(0, &mut imu, &mut JointAngles::default(), &mut FootPressure::default());
    assert!(imu.angular_velocity.length() < 0.5 && (imu.acceleration.length() - 9.81).abs() < 2.0, "{imu:?}");
}

#[test]
fn a_robot_that_is_put_elsewhere_stands_there() {
    let mut arena = Arena::new(1, &[player(TeamSide::Away, 0.0, 1.0, 0.0)]);
    arena.place_robot(0, &Pose2::new(-2.0, -1.0, 0.5));
    run(&mut arena, 20, |_, _| standing());
    let truth = truth(&arena, 0);
    assert!(truth.robot.translation.distance(Vec2::new(-2.0, -1.0)) < 0.03 && !truth.fallen, "{truth:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_ball_among_robots_at_rest_never_gains_energy(
        x in -4.0_f32..4.0, y in -2.5_f32..2.5, speed in 0.0_f32..5.0, angle in 0.0_f32..6.3, up in 0.0_f32..2.0,
    ) {
        let players = [player(TeamSide::Home, 4.3, 3.2, 0.0), player(TeamSide::Away, 4.3, 3.2, 1.0)];
        let mut arena = Arena::new(3, &players);
        let direction = Vec2::from_angle(angle) * speed;
        arena.physics.place_ball(Vec2::new(x, y), direction.extend(up));
        run(&mut arena, 1, |_, _| standing());
        let mut energy = arena.physics.ball_energy();
        for _ in 0..250 {
            run(&mut arena, 1, |_, _| standing());
            let now = arena.physics.ball_energy();
            prop_assert!(now <= energy * 1.02 + 2e-3, "{energy} J became {now} J at {}", arena.physics.ball());
            energy = energy.min(now);
            check_places(&arena);
        }
    }

    #[test]
    fn nothing_ends_within_something_else(
        seed in 0_u64..1000, places in prop::collection::vec((-4.4_f32..4.4, -2.9_f32..2.9, -3.1_f32..3.1), 2..14),
        speed in 0.0_f32..4.0, angle in 0.0_f32..6.3,
    ) {
        let sides = [TeamSide::Home, TeamSide::Away].into_iter().cycle();
        let players: Vec<Entry> = places.iter().zip(sides).map(|((x, y, turn), side)| player(side, *x, *y, *turn)).collect();
        let mut arena = Arena::new(seed, &players);
        arena.physics.place_ball(Vec2::ZERO, (Vec2::from_angle(angle) * speed).extend(0.0));
        run(&mut arena, 20, |time, robot| kicking(time, robot as f32));
        for _ in 0..80 {
            run(&mut arena, 1, |time, robot| kicking(time, robot as f32));
            check_places(&arena);
        }
    }
}
