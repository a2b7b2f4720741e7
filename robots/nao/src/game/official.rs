//! The referee of a simulated game, who sees the field: kick-offs, goals, a ball that is out, and
//! fouls.

use std::time::Duration;

use glam::Vec2;

use super::fouls::{self, Foul, FoulWatch};
use crate::field::{BALL_RADIUS, GOAL_AREA_LENGTH, GOAL_AREA_WIDTH, GOAL_WIDTH, LENGTH, LINE_WIDTH, WIDTH};
use crate::game_controller::packet::ControlPacket;
use crate::game_controller::referee::{Referee, Side};
use crate::geometry::Pose2;
use crate::representations::game::{MatchState, Penalty, SetPlay};
use crate::simulator::arena::{Arena, TeamSide};
use crate::team::allowance::MOST_BYTES;

/// The distance in metres by which the ball must move to have been played.
const PLAYED: f32 = 0.1;
/// The time after which the game begins anew if nobody touches the ball.
const STUCK: Duration = Duration::from_secs(45);

/// The distance of a push from the ball within which the other team has a free kick, in metres.
const NEAR_BALL: f32 = 1.0;

/// A penalty that the referee has given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision {
    /// The time, in seconds of simulated time.
    pub time: f32,
    /// The team of the robot.
    pub side: TeamSide,
    /// The number on its shirt.
    pub number: u8,
    /// The reason.
    pub penalty: Penalty,
    /// The time for which the robot is off the field.
    pub lasts: Duration,
}

/// A goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// The team that scored.
    pub side: TeamSide,
    /// The time, in seconds of simulated time.
    pub time: f32,
    /// The robot that touched the ball last, as its team and number; it may be an own goal.
    pub by: Option<(TeamSide, u8)>,
}

/// The number of messages of a team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MessageCount {
    /// The number of messages that the team sent.
    pub sent: u32,
    /// The number of those that the rules forbid: too long, or beyond the budget.
    pub illegal: u32,
}

/// Conducts a game by what happens on the field.
#[derive(Debug)]
pub struct Official {
    referee: Referee,
    state: MatchState,
    goals: Vec<Goal>,
    /// The goals that the field has counted.
    seen: [u32; 2],
    /// The place from which the ball has to be played, while it is not free.
    spot: Option<Vec2>,
    /// The time since somebody touched the ball.
    untouched: Duration,
    restarts: u32,
    messages: [MessageCount; 2],
    statuses: u64,
    /// The place at which each robot enters the field, in the frame of its team.
    entries: Vec<Pose2>,
    fouls: FoulWatch,
    /// The robots that are off the field.
    out: Vec<bool>,
    decisions: Vec<Decision>,
}

impl Official {
    /// Creates a referee for a game that has not begun, whose robots enter the field at the given
    /// places before each half.
    #[must_use]
    pub fn new(referee: Referee, entries: Vec<Pose2>) -> Self {
        Self {
            out: vec![false; entries.len()],
            entries,
            fouls: FoulWatch::default(),
            decisions: Vec::new(),
            state: referee.state(),
            referee,
            goals: Vec::new(),
            seen: [0; 2],
            spot: None,
            untouched: Duration::ZERO,
            restarts: 0,
            messages: [MessageCount::default(); 2],
            statuses: 0,
        }
    }

    /// Lets time pass, decides on what has happened, and puts ball and robots where they belong.
    pub fn watch(&mut self, step: Duration, arena: &mut Arena) {
        self.referee.advance(step);
        self.bring_back(arena);
        if self.referee.state() == MatchState::Playing {
            self.watch_play(step, arena);
            let fouls = self.fouls.watch(step, arena, |robot| !self.out[robot]);
            fouls.into_iter().for_each(|foul| self.penalise(foul, arena));
        } else {
            self.fouls.skip(arena);
        }
        // What goes in while nobody plays does not count.
        self.seen = goals(arena);
        let state = self.referee.state();
        if std::mem::replace(&mut self.state, state) != state {
            match state {
                MatchState::Initial => self.line_up(arena),
                MatchState::Set => {
                    self.put(Vec2::ZERO, arena);
                    let kicking = self.referee.kicking();
                    let fouls = fouls::illegal_positions(arena, kicking, |robot| !self.out[robot]);
                    fouls.into_iter().for_each(|foul| self.penalise(foul, arena));
                }
                MatchState::Playing => arena.whistle(),
                MatchState::Ready | MatchState::Standby | MatchState::Finished => {}
            }
            self.untouched = Duration::ZERO;
        }
    }

    /// Counts a message of a team.
    pub fn count_message(&mut self, side: TeamSide, length: usize) {
        let is_allowed = self.referee.count_message(side.into()) && length <= MOST_BYTES;
        let count = &mut self.messages[side as usize];
        count.sent += 1;
        count.illegal += u32::from(!is_allowed);
    }

    /// Counts status packets of robots.
    pub fn count_statuses(&mut self, count: usize) {
        self.statuses += count as u64;
    }

    /// Returns the next control packet.
    #[must_use]
    pub fn packet(&mut self) -> ControlPacket {
        self.referee.packet()
    }

    /// Returns the course of the game.
    #[must_use]
    pub fn referee(&self) -> &Referee {
        &self.referee
    }

    /// Returns the goals in their order.
    #[must_use]
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Returns how often the game began anew because nobody touched the ball.
    #[must_use]
    pub fn restarts(&self) -> u32 {
        self.restarts
    }

    /// Returns the messages of both teams.
    #[must_use]
    pub fn messages(&self) -> [MessageCount; 2] {
        self.messages
    }

    /// Returns the number of status packets of robots.
    #[must_use]
    pub fn statuses(&self) -> u64 {
        self.statuses
    }

    /// Returns the penalties in their order.
    #[must_use]
    pub fn decisions(&self) -> &[Decision] {
        &self.decisions
    }

    /// Returns whether a robot is off the field.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn is_out(&self, robot: usize) -> bool {
        self.out[robot]
    }

    /// Takes a robot off the field.
    fn penalise(&mut self, Foul { robot, penalty }: Foul, arena: &mut Arena) {
        let (side, number) = arena.shirt(robot);
        let of_team = self.decisions.iter().filter(|decision| decision.side == side && fouls::grows(decision.penalty));
        let lasts = fouls::duration(penalty, u32::try_from(of_team.count()).unwrap_or(u32::MAX));
        self.referee.penalise(side.into(), number, penalty, lasts);
        self.decisions.push(Decision { time: arena.time(), side, number, penalty, lasts });
        self.out[robot] = true;
        let ball = arena.ball();
        let is_near_ball = arena.pose(robot).translation.distance(ball) < NEAR_BALL;
        arena.place_robot(robot, &fouls::waiting_place(arena, robot));
        let is_free = penalty == Penalty::PlayerPushing && is_near_ball;
        if is_free && self.referee.award(side.other().into(), SetPlay::PushingFreeKick) {
            self.spot = Some(ball);
        }
    }

    /// Puts robots back on the field whose penalty is over.
    fn bring_back(&mut self, arena: &mut Arena) {
        for robot in 0..self.out.len() {
            let (side, number) = arena.shirt(robot);
            let is_over = self.out[robot] && self.referee.penalty(side.into(), number) == Penalty::None;
            // A half that begins has places of its own.
            if is_over && self.referee.state() != MatchState::Initial {
                self.out[robot] = false;
                arena.place_robot(robot, &fouls::return_place(arena, robot));
            }
        }
    }

    /// Puts all robots at the touch lines, where they enter the field before a half.
    fn line_up(&mut self, arena: &mut Arena) {
        for (robot, entry) in self.entries.iter().enumerate() {
            arena.place_robot(robot, entry);
        }
        self.out.fill(false);
    }

    fn watch_play(&mut self, step: Duration, arena: &mut Arena) {
        let ball = arena.ball();
        self.untouched = if arena.is_touched() { Duration::ZERO } else { self.untouched + step };
        if self.spot.is_some_and(|spot| spot.distance(ball) > PLAYED) {
            self.referee.free();
            self.spot = None;
        }
        let now = goals(arena);
        if let Some(side) =
            [TeamSide::Home, TeamSide::Away].into_iter().find(|&side| now[side as usize] > self.seen[side as usize])
        {
            self.referee.goal(side.into());
            let by = arena.last_touch().map(|robot| arena.shirt(robot));
            self.goals.push(Goal { side, time: arena.time(), by });
            arena.whistle();
        } else if let Some((side, set_play, spot)) = out(ball, arena.last_touch().map(|robot| arena.shirt(robot).0)) {
            self.referee.award(side.into(), set_play);
            self.put(spot, arena);
        } else if self.untouched >= STUCK {
            self.restarts += 1;
            // The teams take turns.
            let kicking = if self.restarts.is_multiple_of(2) { Side::First } else { Side::Second };
            self.referee.restart(kicking);
            arena.whistle();
        }
    }

    fn put(&mut self, spot: Vec2, arena: &mut Arena) {
        arena.place_ball(spot);
        self.spot = Some(spot);
        self.untouched = Duration::ZERO;
    }
}

fn goals(arena: &Arena) -> [u32; 2] {
    [TeamSide::Home, TeamSide::Away].map(|side| arena.goals(side))
}

/// Returns how the game goes on if the whole ball is beyond a line and not in a goal: the team that
/// has it, the kind of set play, and the place of the ball, in the home team's frame.
fn out(ball: Vec2, touched: Option<TeamSide>) -> Option<(TeamSide, SetPlay, Vec2)> {
    let (goal_line, touch_line) = (LENGTH / 2.0, WIDTH / 2.0);
    let beyond = LINE_WIDTH / 2.0 + BALL_RADIUS;
    // Nobody touched it: it is of those whose half it is in.
    let defender = if ball.x > 0.0 { TeamSide::Away } else { TeamSide::Home };
    let touched = touched.unwrap_or(defender.other());
    if ball.y.abs() > touch_line + beyond {
        let x = ball.x.clamp(-goal_line, goal_line);
        return Some((touched.other(), SetPlay::KickIn, Vec2::new(x, touch_line.copysign(ball.y))));
    }
    if ball.x.abs() > goal_line + beyond && ball.y.abs() > GOAL_WIDTH / 2.0 {
        let corner = Vec2::new(goal_line.copysign(ball.x), touch_line.copysign(ball.y));
        if touched == defender {
            return Some((defender.other(), SetPlay::CornerKick, corner));
        }
        let spot = Vec2::new(goal_line - GOAL_AREA_LENGTH, GOAL_AREA_WIDTH / 2.0);
        return Some((defender, SetPlay::GoalKick, spot.copysign(corner)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_controller::referee::Rules;

    #[test]
    fn a_ball_that_is_out_is_given_to_those_who_did_not_touch_it_last() {
        use TeamSide::{Away, Home};
        assert_eq!(out(Vec2::new(4.4, 2.9), Some(Home)), None);
        // In a goal.
        assert_eq!(out(Vec2::new(4.7, 0.0), Some(Home)), None);
        assert_eq!(out(Vec2::new(1.0, -3.2), Some(Home)), Some((Away, SetPlay::KickIn, Vec2::new(1.0, -3.0))));
        assert_eq!(out(Vec2::new(4.7, 2.0), Some(Home)), Some((Away, SetPlay::GoalKick, Vec2::new(3.9, 1.1))));
        assert_eq!(out(Vec2::new(4.7, 2.0), Some(Away)), Some((Home, SetPlay::CornerKick, Vec2::new(4.5, 3.0))));
        assert_eq!(out(Vec2::new(-4.7, -2.0), Some(Away)), Some((Home, SetPlay::GoalKick, Vec2::new(-3.9, -1.1))));
        assert_eq!(out(Vec2::new(-4.7, 2.0), None), Some((Home, SetPlay::GoalKick, Vec2::new(-3.9, 1.1))));
    }
    /// Plays without robots: the ball is where the test puts it.
    #[test]
    fn the_ball_comes_back_to_where_the_rules_say() {
        let rules = Rules {
            initial: Duration::ZERO,
            standby: Duration::ZERO,
            ready: Duration::from_millis(100),
            set: Duration::from_millis(100),
            ..Rules::default()
        };
        let mut official = Official::new(Referee::new(rules, [12, 7]), Vec::new());
        let mut arena = Arena::new(1, &[]);
        let watch_until = |state: MatchState, official: &mut Official, arena: &mut Arena| {
            for _ in 0..100 {
                arena.step(0.012, &[]);
                official.watch(Duration::from_millis(12), arena);
                if official.referee().state() == state {
                    return;
                }
            }
            panic!("the state {state:?} does not come");
        };
        watch_until(MatchState::Playing, &mut official, &mut arena);
        arena.place_ball(Vec2::new(1.0, 3.3));
        watch_until(MatchState::Playing, &mut official, &mut arena);
        assert_eq!(arena.ball(), Vec2::new(1.0, 3.0));
        assert_eq!(official.packet().set_play, SetPlay::KickIn);
        // The ball is played.
        arena.place_ball(Vec2::new(1.0, 2.5));
        watch_until(MatchState::Playing, &mut official, &mut arena);
        assert_eq!(official.packet().set_play, SetPlay::None);
        arena.place_ball(Vec2::new(4.7, 0.1));
        watch_until(MatchState::Ready, &mut official, &mut arena);
        assert_eq!((official.referee().score(), official.goals()[0].side), ([1, 0], TeamSide::Home));
        watch_until(MatchState::Playing, &mut official, &mut arena);
        assert_eq!((arena.ball(), official.goals().len()), (Vec2::ZERO, 1));
    }
}
