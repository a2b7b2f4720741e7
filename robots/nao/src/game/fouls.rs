//! The fouls that the referee penalises, and robots that cannot play on.
//!
//! | penalty | for | time |
//! |---|---|---|
//! | player pushing | a robot that runs into one of the other team, which falls | 45 s, and more |
//! | leaving the field | a robot that walks into the boards around the carpet for 3 s | 45 s, and more |
//! | inactive | a robot that has lain for 20 s | 45 s |
//! | illegal position in set | a robot in the other half, or in the centre circle at a kick-off of the other team | 15 s |
//!
//! Where it says "and more", each earlier such penalty of the team adds 10 s. Times are those of
//! the GameController of the Champions Cup, 2024 and 2025.

use std::time::Duration;

use crate::field::{BORDER, CENTER_CIRCLE_RADIUS, LENGTH, PENALTY_MARK_DISTANCE, WIDTH};
use crate::game_controller::referee::Side;
use crate::geometry::Pose2;
use crate::representations::game::Penalty;
use crate::simulator::OtherRobot;
use crate::simulator::arena::Arena;

/// The time for which a robot may lie.
const LIES: Duration = Duration::from_secs(20);
/// The time for which a robot may walk into the boards.
const LEAVES: Duration = Duration::from_secs(3);
/// The distance from the boards at which a robot touches them, in metres.
const AT_BOARDS: f32 = 0.03;
/// The distance of robots that wait for the end of their penalty from the touch line, in metres.
const ASIDE: f32 = 0.45;
/// The distance that robots which are put somewhere have from all others, in metres.
const FREE: f32 = 3.0 * OtherRobot::RADIUS;

/// A robot to be penalised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foul {
    /// The robot, by its index in the arena.
    pub robot: usize,
    /// The reason.
    pub penalty: Penalty,
}

/// Sees the fouls on a field.
#[derive(Clone, Debug, Default)]
pub struct FoulWatch {
    /// The time for which each robot has lain.
    lies: Vec<Duration>,
    /// The time for which each robot has been at the boards.
    leaves: Vec<Duration>,
    /// The number of pushes that were decided on.
    pushes: usize,
}

impl FoulWatch {
    /// Returns what has happened in a step of play. `plays` says of each robot whether it is in the
    /// game: the others commit no fouls.
    pub fn watch(&mut self, step: Duration, arena: &Arena, plays: impl Fn(usize) -> bool) -> Vec<Foul> {
        let mut fouls = Vec::new();
        let mut call = |robot, penalty| {
            if plays(robot) && fouls.iter().all(|foul: &Foul| foul.robot != robot) {
                fouls.push(Foul { robot, penalty });
            }
        };
        for push in &arena.pushes()[self.pushes..] {
            // Those of one team only hinder each other.
            if arena.shirt(push.by).0 != arena.shirt(push.pushed).0 {
                call(push.by, Penalty::PlayerPushing);
            }
        }
        self.pushes = arena.pushes().len();
        self.lies.resize(arena.len(), Duration::ZERO);
        self.leaves.resize(arena.len(), Duration::ZERO);
        for robot in 0..arena.len() {
            let count = |time: &mut Duration, counts: bool| {
                *time = if counts && plays(robot) { *time + step } else { Duration::ZERO };
                *time
            };
            if count(&mut self.lies[robot], arena.is_fallen(robot)) >= LIES {
                call(robot, Penalty::Inactive);
            }
            if count(&mut self.leaves[robot], is_at_boards(&arena.pose(robot))) >= LEAVES {
                call(robot, Penalty::LeavingTheField);
            }
        }
        fouls
    }

    /// Ignores pushes while nobody plays.
    pub fn skip(&mut self, arena: &Arena) {
        self.pushes = arena.pushes().len();
    }
}

/// Returns the robots that stand where they must not in the state set.
pub fn illegal_positions(arena: &Arena, kicking: Side, plays: impl Fn(usize) -> bool) -> Vec<Foul> {
    let is_illegal = |robot: &usize| {
        let side = arena.shirt(*robot).0;
        let place = side.pose(&arena.pose(*robot)).translation;
        let is_in_circle = place.length() < CENTER_CIRCLE_RADIUS;
        place.x > 0.0 || is_in_circle && Side::from(side) != kicking
    };
    let robots = (0..arena.len()).filter(|robot| plays(*robot)).filter(is_illegal);
    robots.map(|robot| Foul { robot, penalty: Penalty::IllegalPositionInSet }).collect()
}

/// Returns the time of a penalty, of which the team has had that many that grow.
#[must_use]
pub fn duration(penalty: Penalty, earlier: u32) -> Duration {
    match penalty {
        Penalty::IllegalPositionInSet | Penalty::MotionInSet => Duration::from_secs(15),
        _ if grows(penalty) => Duration::from_secs(45 + 10 * u64::from(earlier)),
        _ => Duration::from_secs(45),
    }
}

/// Returns whether a penalty makes the next ones of the team longer, and is longer itself.
#[must_use]
pub fn grows(penalty: Penalty) -> bool {
    matches!(penalty, Penalty::PlayerPushing | Penalty::LeavingTheField | Penalty::IllegalPosition)
}

/// Returns where a penalised robot waits, in the frame of its team: beside the field, level with
/// its penalty mark.
pub fn waiting_place(arena: &Arena, robot: usize) -> Pose2 {
    free_place(arena, robot, WIDTH / 2.0 + ASIDE, &[0.0, 0.45, -0.45, 0.9, -0.9, 1.35, 1.8])
}

/// Returns where a robot comes back after a penalty, in the frame of its team: at the touch line
/// that is farther from the ball, level with its penalty mark, looking at the field.
pub fn return_place(arena: &Arena, robot: usize) -> Pose2 {
    free_place(arena, robot, WIDTH / 2.0, &[0.0, 0.4, -0.4])
}

/// Returns the first place of those along both touch lines where nobody is, that farther from the
/// ball first.
fn free_place(arena: &Arena, robot: usize, beside: f32, along: &[f32]) -> Pose2 {
    let team = arena.shirt(robot).0;
    let side = if team.turn(arena.ball()).y > 0.0 { -1.0 } else { 1.0 };
    let places = [side, -side].into_iter().flat_map(|side| {
        let at = move |x: &f32| {
            Pose2::new(PENALTY_MARK_DISTANCE - LENGTH / 2.0 + x, side * beside, -side * std::f32::consts::FRAC_PI_2)
        };
        along.iter().map(at)
    });
    let is_free = |pose: &Pose2| {
        let place = team.turn(pose.translation);
        let mut others = (0..arena.len()).filter(|other| *other != robot);
        others.all(|other| arena.pose(other).translation.distance(place) > FREE)
    };
    let mut places = places.peekable();
    let first = places.peek().copied().unwrap_or_default();
    places.find(is_free).unwrap_or(first)
}

fn is_at_boards(pose: &Pose2) -> bool {
    let most = glam::Vec2::new(LENGTH, WIDTH) / 2.0 + (BORDER - OtherRobot::RADIUS - AT_BOARDS);
    pose.translation.abs().cmpgt(most).any()
}

#[cfg(test)]
mod tests {
    use glam::Vec2;
    use proptest::prelude::*;

    use super::*;
    use crate::game::official::Official;
    use crate::game_controller::referee::{Referee, Rules};
    use crate::representations::game::{MatchState, SetPlay};
    use crate::representations::sensing::JointRequest;
    use crate::robot::JOINTS;
    use crate::simulator::arena::{Entry, Push, TeamSide};
    use crate::simulator::standing_positions;

    const STEP: Duration = Duration::from_millis(12);

    /// Two robots of each team, each at a place in the frame of its team.
    fn arena(places: [(f32, f32); 4]) -> Arena {
        let sides = [TeamSide::Home, TeamSide::Home, TeamSide::Away, TeamSide::Away];
        let entry = |(index, (x, y)): (usize, (f32, f32))| Entry {
            side: sides[index],
            number: index as u8 % 2 + 1,
            pose: Pose2::new(x, y, 0.0),
        };
        Arena::new(1, &places.into_iter().enumerate().map(entry).collect::<Vec<_>>())
    }

    fn entries() -> Vec<Pose2> {
        [-1.0, -1.5, -1.0, -1.5].map(|x| Pose2::new(x, 3.0, -1.57)).to_vec()
    }

    /// A game whose robots stand where they are.
    struct Game {
        arena: Arena,
        official: Official,
    }

    impl Game {
        fn new(places: [(f32, f32); 4]) -> Self {
            let soon = Duration::from_millis(100);
            let half = Duration::from_secs(600);
            let rules = Rules {
                initial: soon,
                standby: soon,
                ready: soon,
                set: soon,
                half_time: soon,
                half,
                ..Rules::default()
            };
            Self { arena: arena(places), official: Official::new(Referee::new(rules, [12, 7]), entries()) }
        }

        fn stand(&mut self, seconds: f32) {
            let request = JointRequest { positions: standing_positions(), stiffness: [1.0; JOINTS] };
            for _ in 0..(seconds / STEP.as_secs_f32()) as u32 {
                self.arena.step(STEP.as_secs_f32(), &vec![request.clone(); 4]);
                self.official.watch(STEP, &mut self.arena);
            }
        }

        fn decisions(&self) -> Vec<(TeamSide, u8, Penalty, u64)> {
            let decisions = self.official.decisions().iter();
            decisions.map(|one| (one.side, one.number, one.penalty, one.lasts.as_secs())).collect()
        }
    }

    const LEGAL: [(f32, f32); 4] = [(-1.0, 1.0), (-3.0, 0.0), (-1.0, 1.5), (-3.0, 0.5)];

    #[test]
    fn who_pushes_an_opponent_over_is_out_for_45_seconds_and_comes_back_at_the_touch_line() {
        let mut game = Game::new(LEGAL);
        game.stand(1.0);
        assert_eq!(game.official.referee().state(), MatchState::Playing);
        game.arena.place_ball(Vec2::new(-1.5, 1.0));
        game.arena.push_over(Push { by: 0, pushed: 2 });
        game.stand(2.0);
        assert_eq!(game.decisions(), [(TeamSide::Home, 1, Penalty::PlayerPushing, 45)]);
        let packet = game.official.packet();
        assert_eq!(packet.teams[0].players[0].seconds.div_ceil(10), 5);
        assert_eq!((packet.set_play, packet.kicking_team), (SetPlay::PushingFreeKick, Some(7)));
        let waits = game.arena.pose(0).translation;
        assert!(waits.y.abs() > WIDTH / 2.0 + 0.3 && game.official.is_out(0), "{waits}");
        game.stand(45.0);
        let back = game.arena.pose(0);
        assert!(!game.official.is_out(0) && !game.arena.is_fallen(0));
        let side = back.translation.y.signum();
        assert!(back.translation.distance(Vec2::new(-3.2, 3.0 * side)) < 0.1, "{back:?}");
        assert!((back.rotation + 1.57 * side).abs() < 0.1, "it looks at the field: {back:?}");
        for ball in [1.0, -1.0] {
            game.arena.place_ball(Vec2::new(-1.5, ball));
            let place = return_place(&game.arena, 1).translation;
            assert!(place.y * ball < -2.9, "{place} is not far from the ball");
        }
        assert_eq!(game.official.packet().teams[0].players[0].penalty, 0);
        // The next one takes longer, and pushes among mates are nobody's business.
        game.arena.push_over(Push { by: 1, pushed: 3 });
        game.stand(2.0);
        assert_eq!(game.decisions()[1], (TeamSide::Home, 2, Penalty::PlayerPushing, 55));
        game.arena.push_over(Push { by: 3, pushed: 2 });
        game.stand(2.0);
        assert_eq!(game.decisions().len(), 2);
    }

    #[test]
    fn who_lies_for_twenty_seconds_is_taken_off() {
        let mut game = Game::new(LEGAL);
        game.stand(1.0);
        // Without power in the joints it stays where it is.
        game.arena.hit(3, Vec2::X);
        let limp = JointRequest::default();
        let request = JointRequest { positions: standing_positions(), stiffness: [1.0; JOINTS] };
        let requests = [request.clone(), request.clone(), request, limp];
        for step in 0..25 * 83 {
            game.arena.step(STEP.as_secs_f32(), &requests);
            game.official.watch(STEP, &mut game.arena);
            assert!(game.decisions().is_empty() || step > 20 * 83, "{step}");
        }
        assert_eq!(game.decisions(), [(TeamSide::Away, 2, Penalty::Inactive, 45)]);
    }

    #[test]
    fn who_walks_into_the_boards_has_left_the_field() {
        let mut game = Game::new([(-1.0, 1.0), (-3.0, 3.569), (-1.0, 1.5), (-3.0, 0.5)]);
        game.stand(8.0);
        assert_eq!(game.decisions(), [(TeamSide::Home, 2, Penalty::LeavingTheField, 45)]);
    }

    #[test]
    fn at_their_kick_off_the_centre_circle_is_theirs() {
        // The first team kicks off: its robot may be in the circle. The others' may not, and one is
        // in the other half.
        let mut game = Game::new([(-0.5, 0.0), (-3.0, 0.0), (-0.5, 0.3), (0.4, 2.0)]);
        game.stand(0.5);
        let position = Penalty::IllegalPositionInSet;
        assert_eq!(game.decisions(), [(TeamSide::Away, 1, position, 15), (TeamSide::Away, 2, position, 15)]);
        let places = [2, 3].map(|robot| game.arena.pose(robot).translation);
        assert!(places[0].distance(places[1]) > FREE, "{places:?}");
        assert!(places.iter().all(|place| place.x > 0.0), "in their own half: {places:?}");
        game.stand(16.0);
        assert!(!game.official.is_out(2) && !game.official.is_out(3));
    }

    proptest! {
        #[test]
        fn only_places_in_the_own_half_are_legal(
            places in prop::array::uniform4((-4.4_f32..4.4, -2.9_f32..2.9)),
        ) {
            let arena = arena(places);
            for kicking in [Side::First, Side::Second] {
                let fouls = illegal_positions(&arena, kicking, |_| true);
                for robot in 0..4 {
                    let place = arena.shirt(robot).0.pose(&arena.pose(robot)).translation;
                    let is_kicking = (robot < 2) == (kicking == Side::First);
                    let is_legal = place.x <= 0.0 && (is_kicking || place.length() >= CENTER_CIRCLE_RADIUS);
                    prop_assert_eq!(fouls.iter().all(|foul| foul.robot != robot), is_legal, "{}", place);
                }
            }
        }
    }
}
