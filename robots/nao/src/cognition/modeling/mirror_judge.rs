//! Judges whether the robot takes one half of the field for the other.

use glam::Vec2;
use hemiola::prelude::*;

use crate::field::{LENGTH, PENALTY_AREA_LENGTH, is_carpet};
use crate::geometry::Pose2;
use crate::representations::game::{GameControl, KickingTeam, SetPlay, TeamReport};
use crate::representations::modeling::{BallModel, MirrorVerdict, RobotPose};

/// A robot without mates: nobody tells it.
#[derive(Module)]
pub struct LoneWitness {}

#[module]
impl LoneWitness {
    #[update]
    fn verdict(&self, _verdict: &mut MirrorVerdict) {
        // The default is a robot that is not mirrored.
    }
}

/// Compares the ball that the robot sees with that of its mates and that of the referee.
///
/// The field looks the same from the other half, and only the ball tells them apart. If those who
/// see it at the mirror image of the robot's own ball outweigh those who see it there, and the
/// robot itself, for some time, then the robot's pose is the mirror image of the true one. The
/// goalkeeper counts for two: it hardly leaves its goal. Where a goal kick or corner kick is taken,
/// the referee decides.
#[derive(Module)]
pub struct MirrorJudge {
    #[parameters]
    parameters: MirrorJudgeParameters,
    evidence: f32,
    mirrored: u32,
}

/// Parameters of [`MirrorJudge`].
#[derive(Parameters)]
pub struct MirrorJudgeParameters {
    /// The number of the goalkeeper; 0 if there is none.
    #[parameter(default = 1, range = 0..=20)]
    keeper: u8,
    /// The distance within which two balls are the same.
    #[parameter(default = 1.2, range = 0.1..=3.0, unit = "m")]
    same: f32,
    /// The distance beyond which they are not.
    #[parameter(default = 2.0, range = 0.5..=5.0, unit = "m")]
    different: f32,
    /// The age up to which a mate's ball counts.
    #[parameter(default = 5.0, range = 0.5..=30.0, unit = "s")]
    age: f32,
    /// The speed up to which a ball counts.
    #[parameter(default = 0.3, range = 0.0..=5.0, unit = "m/s")]
    speed: f32,
    /// The time for which the others must outweigh the robot.
    #[parameter(default = 2.0, range = 0.1..=60.0, unit = "s")]
    time: f32,
}

/// The weights of a goalkeeper, another mate, and the referee.
const KEEPER: i32 = 2;
const MATE: i32 = 1;
const REFEREE: i32 = 4;
/// The time within which the robot has seen its ball, in seconds.
const SEES: f32 = 0.5;

#[module]
impl MirrorJudge {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update lists all that it exchanges")]
    pub(crate) fn verdict(
        &mut self,
        pose: Previous<RobotPose>,
        ball: &BallModel,
        report: &TeamReport,
        control: &GameControl,
        clock: &Clock,
        debug: &Debug,
        verdict: &mut MirrorVerdict,
    ) {
        let seen = self.seen_ball(&pose.pose, ball, clock.now());
        if let Some(balance) = seen.and_then(|seen| self.balance(seen, report, control, clock.now())) {
            let step = clock.step_seconds();
            self.evidence = if balance > 0 { self.evidence + step } else { (self.evidence - step).max(0.0) };
        }
        if self.evidence >= self.parameters.time {
            self.evidence = 0.0;
            self.mirrored = self.mirrored.wrapping_add(1);
        }
        verdict.mirrored = self.mirrored;
        verdict.evidence = self.evidence;
        debug.plot("pose.mirror evidence", self.evidence);
    }

    /// Returns where on the field the robot sees a ball that rests.
    fn seen_ball(&self, pose: &Pose2, ball: &BallModel, now: Time) -> Option<Vec2> {
        let seen = ball.last_seen.filter(|seen| now.since(*seen).as_secs_f32() < SEES)?;
        let position = ball.position.filter(|_| now >= seen && ball.velocity.length() <= self.parameters.speed)?;
        Some(pose.transform(position))
    }

    /// Returns by how much those who see the ball mirrored outweigh the others and the robot;
    /// `None` if nobody can tell.
    fn balance(&self, seen: Vec2, report: &TeamReport, control: &GameControl, now: Time) -> Option<i32> {
        let weight = |player| if player == self.parameters.keeper { KEEPER } else { MATE };
        let mates = report.mates.iter().filter_map(|mate| {
            let age = mate.ball_age + now.since(mate.at).as_secs_f32();
            let ball = mate.ball.filter(|ball| age < self.parameters.age && is_carpet(*ball))?;
            let is_mirrored = self.is_mirrored(seen, ball)?;
            Some(if is_mirrored { weight(mate.player) } else { -weight(mate.player) })
        });
        let referee = ball_side(control).filter(|_| seen.x.abs() > LENGTH / 2.0 - PENALTY_AREA_LENGTH);
        let referee = referee.map(|side| if side * seen.x < 0.0 { REFEREE } else { -REFEREE });
        let votes = mates.chain(referee).fold(None, |sum: Option<i32>, vote| Some(sum.unwrap_or(0) + vote));
        votes.map(|votes| votes - weight(report.player))
    }

    /// Returns whether `other` is the mirror image of `seen`, and not the same place; `None` if it
    /// is neither or both.
    fn is_mirrored(&self, seen: Vec2, other: Vec2) -> Option<bool> {
        let (same, mirrored) = (seen.distance(other), seen.distance(-other));
        let MirrorJudgeParameters { same: near, different: far, .. } = self.parameters;
        (same.min(mirrored) < near && same.max(mirrored) > far).then_some(mirrored < same)
    }
}

/// Returns the sign of x where the ball of a set play lies, if the rules say so.
fn ball_side(control: &GameControl) -> Option<f32> {
    let own = match control.kicking_team {
        KickingTeam::Own => 1.0,
        KickingTeam::Opponent => -1.0,
        KickingTeam::Nobody => return None,
    };
    match control.set_play {
        SetPlay::GoalKick => Some(-own),
        SetPlay::CornerKick => Some(own),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;

    use super::*;
    use crate::representations::game::Teammate;

    const STEP: Duration = Duration::from_millis(100);

    struct Team {
        judge: MirrorJudge,
        runs: u32,
    }

    impl Team {
        fn new() -> Self {
            Self { judge: MirrorJudge::create(MirrorJudgeParameters::default()), runs: 100 }
        }

        /// Returns how often a robot of that number finds itself mirrored in ten seconds in which
        /// it sees the ball at `own`, and mates see it where it says.
        fn judges(&mut self, player: u8, own: Vec2, mates: &[(u8, Vec2)], control: &GameControl) -> u32 {
            let mut verdict = MirrorVerdict::default();
            for _ in 0..100 {
                self.runs += 1;
                let now = Time::ZERO + STEP * self.runs;
                let mates = mates.iter().map(|(player, ball)| Teammate {
                    player: *player,
                    at: now,
                    ball: Some(*ball),
                    ..Teammate::default()
                });
                let report = TeamReport { player, mates: mates.collect(), ..TeamReport::default() };
                let pose = RobotPose { pose: Pose2::new(0.5, 0.5, 0.0), quality: 1.0 };
                let pose =
                    if verdict.mirrored % 2 == 1 { RobotPose { pose: pose.pose.mirrored(), ..pose } } else { pose };
                let ball = BallModel {
                    position: Some(own - Vec2::new(0.5, 0.5)),
                    last_seen: Some(now),
                    ..BallModel::default()
                };
                self.judge.verdict(
                    Previous::new(&pose),
                    &ball,
                    &report,
                    control,
                    &Clock::new(now, STEP, u64::from(self.runs)),
                    &Debug::default(),
                    &mut verdict,
                );
            }
            verdict.mirrored
        }
    }

    #[test]
    fn two_mates_or_the_keeper_outweigh_a_robot_and_one_mate_does_not() {
        let (ball, none) = (Vec2::new(2.0, 1.0), GameControl::default());
        let judges = |player, mates: &[(u8, Vec2)]| Team::new().judges(player, ball, mates, &none);
        assert_eq!(judges(2, &[(3, -ball), (4, -ball)]), 1);
        assert_eq!(judges(2, &[(1, -ball)]), 1);
        assert_eq!(judges(2, &[(3, -ball)]), 0);
        assert_eq!(judges(2, &[(3, -ball), (4, ball)]), 0);
        assert_eq!(judges(1, &[(3, -ball), (4, -ball)]), 0, "the keeper");
        assert_eq!(judges(1, &[(2, -ball), (3, -ball), (4, -ball)]), 1, "the keeper");
        // Around the centre nobody can tell.
        let (near, mates) = (Vec2::new(0.3, 0.2), [(1, Vec2::new(-0.3, -0.2)), (3, Vec2::new(-0.3, -0.2))]);
        assert_eq!(Team::new().judges(2, near, &mates, &none), 0);
    }

    #[test]
    fn the_referee_says_in_which_half_a_goal_kick_is() {
        use KickingTeam::{Opponent, Own};
        use SetPlay::{CornerKick, GoalKick, KickIn};
        for (set_play, kicking_team, x, expected) in [
            (GoalKick, Own, 3.9, 1),
            (GoalKick, Own, -3.9, 0),
            (GoalKick, Opponent, 3.9, 0),
            (CornerKick, Own, -4.5, 1),
            (CornerKick, Opponent, 4.5, 1),
            (KickIn, Own, 3.9, 0),
        ] {
            let control = GameControl { set_play, kicking_team, ..GameControl::default() };
            let mirrored = Team::new().judges(3, Vec2::new(x, 1.1), &[], &control);
            assert_eq!(mirrored, expected, "{set_play:?} of {kicking_team:?} at {x}");
        }
    }

    proptest! {
        #[test]
        fn of_a_team_that_sees_one_ball_only_mirrored_robots_are_found_once(
            x in -4.5_f32..4.5,
            y in -3.0_f32..3.0,
            is_mirrored: bool,
            others in 2..6_u8,
            error in -0.3_f32..0.3,
        ) {
            let ball = Vec2::new(x, y);
            prop_assume!(ball.length() > 1.3);
            let own = if is_mirrored { -ball } else { ball };
            let mates: Vec<_> = (0..others).map(|mate| (mate + 3, ball + Vec2::splat(error))).collect();
            let found = Team::new().judges(2, own, &mates, &GameControl::default());
            prop_assert_eq!(found, u32::from(is_mirrored));
        }
    }
}
