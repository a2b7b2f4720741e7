//! The beliefs of cognition, kept by what walks: cognition that begins anew goes on from there.

use std::time::Duration;

use hemiola::prelude::*;

use crate::geometry::Pose2;
use crate::representations::behaviour::{GamePhase, GameState};
use crate::representations::modeling::RobotPose;
use crate::representations::motion::{KeptBelief, Odometry};

/// Keeps the pose and the phase of the game, and advances the pose by odometry (dead reckoning).
///
/// Cognition may run in a process of its own that crashes and is restarted. What it had found out
/// is gone then, but motion has walked on, and knows how far. A belief is taken over when it has
/// lasted for a while, so that the guesses of a beginning are not.
#[derive(Module)]
pub struct BeliefKeeper {
    #[parameters]
    parameters: BeliefKeeperParameters,
    /// The pose on the field of the place where the odometry began.
    origin: Option<Pose2>,
    /// The time since which poses have fitted without a break.
    fits_since: Option<Time>,
    phase: Option<GamePhase>,
}

/// Parameters of [`BeliefKeeper`].
#[derive(Parameters)]
pub struct BeliefKeeperParameters {
    /// The least quality of a pose that is taken over.
    #[parameter(default = 0.5, range = 0.0..=1.0)]
    smallest_quality: f32,
    /// The time for which a belief has to last before it is taken over.
    #[parameter(default = 1.0, range = 0.0..=10.0, unit = "s")]
    settled: f32,
}

#[module]
impl BeliefKeeper {
    #[update]
    pub(super) fn belief(
        &mut self,
        found: Fresh<RobotPose>,
        game: Fresh<GameState>,
        odometry: &Odometry,
        clock: &Clock,
        belief: &mut KeptBelief,
    ) {
        if found.is_stale() || found.quality < self.parameters.smallest_quality {
            self.fits_since = None;
        } else {
            let since = *self.fits_since.get_or_insert(clock.now());
            if clock.now().since(since) >= Duration::from_secs_f32(self.parameters.settled) {
                self.origin = Some(found.pose * odometry.pose.inverse());
            }
        }
        if !game.is_stale() && game.lasts >= self.parameters.settled {
            self.phase = Some(game.phase);
        }
        belief.pose = self.origin.map(|origin| origin * odometry.pose);
        belief.phase = self.phase;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Duration = Duration::from_millis(12);

    struct Trial {
        module: BeliefKeeper,
        run: u32,
    }

    impl Trial {
        fn run(&mut self, found: RobotPose, game: GameState, odometry: Pose2) -> KeptBelief {
            let now = Time::ZERO + RUN * self.run;
            let clock = Clock::new(now, RUN, self.run.into());
            self.run += 1;
            let (found, game) = (Fresh::new(&found, now, now), Fresh::new(&game, now, now));
            let mut belief = KeptBelief::default();
            self.module.belief(found, game, &Odometry { pose: odometry }, &clock, &mut belief);
            belief
        }

        fn see(&mut self, pose: Pose2, quality: f32, odometry: Pose2) -> Option<Pose2> {
            self.run(RobotPose { pose, quality }, GameState::default(), odometry).pose
        }
    }

    fn trial() -> Trial {
        Trial { module: BeliefKeeper::create(BeliefKeeperParameters::default()), run: 0 }
    }

    fn is_close(pose: Option<Pose2>, expected: Pose2) -> bool {
        pose.is_some_and(|pose| {
            pose.translation.abs_diff_eq(expected.translation, 1e-5) && (pose.rotation - expected.rotation).abs() < 1e-5
        })
    }

    #[test]
    fn a_pose_that_has_settled_goes_on_by_odometry_while_nobody_finds_one() {
        let mut trial = trial();
        let (found, start) = (Pose2::new(-1.0, 2.0, 0.5), Pose2::new(0.3, 0.1, -0.2));
        assert_eq!(trial.see(found, 0.9, start), None, "it may be the guess of a beginning");
        let kept = (0..100).map(|_| trial.see(found, 0.9, start)).last().flatten();
        assert!(is_close(kept, found), "{kept:?}");
        let step = Pose2::new(0.4, 0.0, 0.3);
        let kept = trial.see(Pose2::default(), 0.0, start * step);
        assert!(is_close(kept, found * step), "{kept:?}");
    }

    #[test]
    fn the_guesses_of_a_beginning_replace_nothing() {
        let mut trial = trial();
        let (found, guess) = (Pose2::new(-1.0, 2.0, 0.5), Pose2::new(-1.3, 3.0, -1.5));
        let playing = GameState { phase: GamePhase::Playing, lasts: 3.0 };
        (0..100)
            .for_each(|_| _ = trial.run(RobotPose { pose: found, quality: 0.9 }, playing.clone(), Pose2::default()));
        trial.see(Pose2::default(), 0.0, Pose2::default());
        for run in 0..40_u8 {
            let ready = GameState { phase: GamePhase::Ready, lasts: f32::from(run) * 0.012 };
            let belief = trial.run(RobotPose { pose: guess, quality: 0.9 }, ready, Pose2::default());
            assert!(is_close(belief.pose, found) && belief.phase == Some(GamePhase::Playing), "{belief:?}");
        }
    }
}
