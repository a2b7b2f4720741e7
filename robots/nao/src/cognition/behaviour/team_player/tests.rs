use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::representations::game::Teammate;
use crate::representations::modeling::WorldBall;

/// A robot with its number, and what it knows.
struct Robot {
    player: TeamPlayer,
    number: u8,
    pose: Pose2,
    ball: Option<Vec2>,
}

impl Robot {
    fn new(number: u8, pose: Pose2, ball: Option<Vec2>) -> Self {
        Self { player: TeamPlayer::create(TeamPlayerParameters::default()), number, pose, ball }
    }

    /// Returns what it tells its mates at that time.
    fn message(&self, at: f64) -> Teammate {
        let (player, pose, ball, at) = (self.number, self.pose, self.ball, Time::from_seconds(at));
        Teammate { player, at, pose, ball, ..Teammate::default() }
    }

    fn decide(&mut self, mates: &[Teammate], seconds: f64) -> TeamRole {
        let ball = self.ball.map(|rest| WorldBall { rest, ..WorldBall::default() });
        let world = WorldModel { robot: self.pose, ball, ..WorldModel::default() };
        let mates = mates.iter().filter(|mate| mate.player != self.number).copied().collect();
        let report = TeamReport { player: self.number, mates, ..TeamReport::default() };
        let clock = Clock::new(Time::from_seconds(seconds), Duration::ZERO, 0);
        let mut role = TeamRole::default();
        self.player.team_role(&world, &FallState::default(), &report, &clock, &Debug::default(), &mut role);
        role
    }
}

/// Has all robots decide, each of which has just heard all others.
fn decide(robots: &mut [Robot]) -> Vec<TeamRole> {
    let messages: Vec<Teammate> = robots.iter().map(|robot| robot.message(10.0)).collect();
    robots.iter_mut().map(|robot| robot.decide(&messages, 10.0)).collect()
}

fn poses() -> impl Strategy<Value = Pose2> {
    (-4.5..4.5_f32, -3.0..3.0_f32, -3.0..3.0_f32).prop_map(|(x, y, rotation)| Pose2::new(x, y, rotation))
}

fn balls() -> impl Strategy<Value = Vec2> {
    // Also beyond the lines, as far as the carpet goes.
    (-5.2..5.2_f32, -3.7..3.7_f32).prop_map(Vec2::from)
}

proptest! {
    #[test]
    fn one_goes_to_the_ball_one_keeps_the_goal_and_no_two_have_the_same_place(
        poses in prop::collection::vec(poses(), 2..8),
        ball in balls(),
    ) {
        let robots = poses.iter().zip(1..).map(|(pose, number)| Robot::new(number, *pose, Some(ball)));
        let mut robots: Vec<Robot> = robots.collect();
        let roles = decide(&mut robots);
        let of = |role: Role| roles.iter().filter(|one| one.role == role).count();
        prop_assert_eq!(of(Role::Striker), 1, "{:?}", roles);
        prop_assert!(roles[0].role != Role::Supporter && (of(Role::Goalkeeper) == 1 || is_in_penalty_area(ball)));
        let posts: Vec<Pose2> = roles.iter().filter_map(|role| role.post).collect();
        prop_assert_eq!(posts.len(), roles.len() - 1, "all but the striker have a place");
        for (number, post) in posts.iter().enumerate() {
            prop_assert!(posts[..number].iter().all(|other| other.translation.distance(post.translation) > 0.8), "{posts:?}");
        }
        for role in roles.iter().filter(|role| role.role == Role::Supporter) {
            let post = role.post.unwrap();
            prop_assert!(post.translation.distance(ball) > 1.4, "{post:?}");
            prop_assert!(post.translation.abs().cmple(Vec2::new(LENGTH / 2.0, WIDTH / 2.0)).all(), "{post:?}");
        }
    }

    #[test]
    fn who_hears_nobody_any_more_goes_to_the_ball_and_the_keeper_stays(
        poses in prop::collection::vec(poses(), 2..8),
        ball in balls(),
    ) {
        let ball = if is_in_penalty_area(ball) { -ball } else { ball };
        let mut robots: Vec<Robot> =
            poses.iter().zip(1..).map(|(pose, number)| Robot::new(number, *pose, Some(ball))).collect();
        let messages: Vec<Teammate> = robots.iter().map(|robot| robot.message(10.0)).collect();
        for robot in &mut robots {
            let role = robot.decide(&messages, 60.0);
            let is_keeper = robot.number == 1;
            prop_assert_eq!(role.role, if is_keeper { Role::Goalkeeper } else { Role::Striker });
            // Who has never heard of anybody has no team.
            prop_assert_eq!(robot.decide(&[], 61.0), TeamRole { ball: Some(ball), ..TeamRole::default() });
        }
    }

    #[test]
    fn the_keeper_is_between_the_ball_and_its_goal(ball in balls()) {
        let post = goal_post(ball);
        prop_assert!(post.translation.x > OWN_GOAL.x && post.translation.x <= OWN_GOAL.x + GOAL_AREA_LENGTH + 1e-5);
        prop_assert!(post.translation.y.abs() < GOAL_WIDTH / 2.0 && post.translation.y * ball.y >= 0.0);
    }
}

#[test]
fn a_striker_keeps_going_until_another_one_is_clearly_faster() {
    let ball = Some(Vec2::ZERO);
    let mut robots = [Robot::new(2, Pose2::new(-1.0, 0.0, 0.0), ball), Robot::new(3, Pose2::new(-1.1, 0.0, 0.0), ball)];
    let strikers = |robots: &mut [Robot]| decide(robots).iter().map(|role| role.role).collect::<Vec<_>>();
    assert_eq!(strikers(&mut robots), [Role::Striker, Role::Supporter]);
    robots[1].pose.translation.x = -0.8;
    assert_eq!(strikers(&mut robots), [Role::Striker, Role::Supporter], "the other one is a second faster");
    robots[1].pose.translation.x = -0.3;
    assert_eq!(strikers(&mut robots), [Role::Supporter, Role::Striker]);
    robots[0].pose.translation.x = -0.2;
    assert_eq!(strikers(&mut robots), [Role::Supporter, Role::Striker]);
}

#[test]
fn a_mate_that_lies_or_is_before_the_ball_is_slower() {
    let ball = Some(Vec2::ZERO);
    for (x, rotation, fallen) in [(1.0, 3.1, false), (-0.6, 0.0, true)] {
        let mut far = Robot::new(2, Pose2::new(-1.5, 0.0, 0.0), ball);
        let near = Robot::new(3, Pose2::new(x, 0.0, rotation), ball);
        let message = Teammate { fallen, ..near.message(10.0) };
        assert_eq!(far.decide(&[message], 10.0).role, Role::Striker, "{message:?}");
        let upright = Teammate { fallen: false, pose: Pose2::new(-0.6, 0.0, 0.0), ..message };
        far.player = TeamPlayer::create(TeamPlayerParameters::default());
        assert_eq!(far.decide(&[upright], 10.0).role, Role::Supporter);
    }
}

#[test]
fn a_ball_that_only_a_mate_sees_is_the_teams_ball_until_it_is_old() {
    let mut robot = Robot::new(2, Pose2::new(-1.0, 0.0, 0.0), None);
    let mate = Robot::new(3, Pose2::new(3.0, 0.0, 0.0), Some(Vec2::new(1.0, 1.0))).message(10.0);
    let role = robot.decide(&[mate], 11.0);
    assert_eq!((role.ball, role.role), (Some(Vec2::new(1.0, 1.0)), Role::Striker));
    let lost = Teammate { ball: Some(Vec2::new(400.0, 0.0)), ..mate };
    assert_eq!(robot.decide(&[lost], 11.0).ball, None, "there is no field");
    let later = robot.decide(&[mate], 25.0);
    assert_eq!((later.ball, later.role, later.post), (None, Role::Striker, None), "it searches");
    let mut keeper = Robot::new(1, Pose2::new(-4.0, 0.0, 0.0), None);
    assert_eq!(keeper.decide(&[mate], 25.0).role, Role::Goalkeeper);
}
