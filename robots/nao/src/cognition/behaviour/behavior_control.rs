//! The choice of what the body does.

use hemiola::prelude::*;

use crate::representations::behaviour::{
    Activity, Approach, ApproachStage, BallSearch, BehaviorState, GamePhase, GameState, KickDecision, Motion,
    MotionRequest, Place, Role, SearchStage, TeamRole, WalkVelocity,
};
use crate::representations::motion::{FallState, Uprightness};

/// Chooses the activity, and with it the motion: the game comes first, then the robot's part in its
/// team, then the ball.
///
/// Getting up is up to the motion cycle: a robot that is down gets no other requests.
#[derive(Module)]
pub struct BehaviorControl {
    activity: Activity,
    since: Option<Time>,
}

#[module]
impl BehaviorControl {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "an update lists all that it exchanges")]
    pub(crate) fn behavior_state(
        &mut self,
        fall: &FallState,
        game: &GameState,
        role: &TeamRole,
        place: &Place,
        search: &BallSearch,
        approach: &Approach,
        kick: &KickDecision,
        clock: &Clock,
        state: &mut BehaviorState,
    ) {
        let activity = if fall.state != Uprightness::Upright {
            Activity::IsDown
        } else {
            match game.phase {
                GamePhase::Ready | GamePhase::Stopped => Activity::Waits,
                GamePhase::Penalised => Activity::Penalised,
                GamePhase::OwnKickOff | GamePhase::TheirKickOff | GamePhase::Yields if place.target.is_some() => {
                    Activity::TakesPlace
                }
                GamePhase::OwnKickOff | GamePhase::TheirKickOff | GamePhase::Yields => Activity::Waits,
                GamePhase::Scored => Activity::Celebrates,
                GamePhase::Playing if role.role != Role::Striker && place.target.is_some() => Activity::TakesPlace,
                GamePhase::Playing if role.role != Role::Striker => Activity::Waits,
                GamePhase::Playing if search.stage != SearchStage::Known => Activity::Searches,
                GamePhase::Playing if kick.foot.is_some() => Activity::Kicks,
                GamePhase::Playing if approach.target.is_none() => Activity::Waits,
                GamePhase::Playing if approach.stage == ApproachStage::Push => Activity::Dribbles,
                GamePhase::Playing => Activity::Approaches,
            }
        };
        if activity != self.activity || self.since.is_none() {
            self.activity = activity;
            self.since = Some(clock.now());
        }
        state.activity = activity;
        state.lasts = self.since.map_or(0.0, |since| clock.now().since(since).as_secs_f32());
    }

    #[update]
    pub(crate) fn motion_request(
        &self,
        state: &BehaviorState,
        search: &BallSearch,
        walk: &WalkVelocity,
        kick: &KickDecision,
        request: &mut MotionRequest,
    ) {
        let walk = Motion::Walk { velocity: walk.velocity, turn: walk.turn };
        request.motion = match state.activity {
            Activity::Waits | Activity::Celebrates | Activity::IsDown | Activity::Penalised => Motion::Stand,
            Activity::TakesPlace => walk,
            Activity::Searches if search.stage == SearchStage::Look => Motion::Stand,
            Activity::Searches | Activity::Approaches | Activity::Dribbles => walk,
            Activity::Kicks => kick.foot.map_or(walk, |foot| Motion::Kick { foot }),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use glam::Vec2;

    use super::*;
    use crate::geometry::Pose2;
    use crate::representations::behaviour::KickFoot;

    fn request(fall: Uprightness, phase: GamePhase, stage: SearchStage, foot: Option<KickFoot>) -> Motion {
        request_with(fall, phase, &Place::default(), stage, foot)
    }

    fn request_with(
        fall: Uprightness,
        phase: GamePhase,
        place: &Place,
        stage: SearchStage,
        foot: Option<KickFoot>,
    ) -> Motion {
        request_as(&TeamRole::default(), fall, phase, place, stage, foot)
    }

    fn request_as(
        role: &TeamRole,
        fall: Uprightness,
        phase: GamePhase,
        place: &Place,
        stage: SearchStage,
        foot: Option<KickFoot>,
    ) -> Motion {
        let mut control = BehaviorControl::create(());
        let (mut state, mut request) = (BehaviorState::default(), MotionRequest::default());
        let (search, kick) = (BallSearch { stage, ..Default::default() }, KickDecision { foot });
        let approach = Approach { target: Some(Pose2::default()), ..Default::default() };
        let clock = Clock::new(Time::from_seconds(1.0), Duration::ZERO, 0);
        let game = GameState { phase, lasts: 0.0 };
        let fall = FallState { state: fall };
        control.behavior_state(&fall, &game, role, place, &search, &approach, &kick, &clock, &mut state);
        let walk = WalkVelocity { velocity: Vec2::X, turn: 0.1 };
        control.motion_request(&state, &search, &walk, &kick, &mut request);
        request.motion
    }

    #[test]
    fn every_situation_has_its_motion() {
        use GamePhase::{Playing, Ready, Scored};
        use Uprightness::{Fallen, Upright};
        let walk = Motion::Walk { velocity: Vec2::X, turn: 0.1 };
        let foot = Some(KickFoot::Right);
        assert_eq!(request(Upright, Ready, SearchStage::Known, None), Motion::Stand);
        assert_eq!(request(Upright, Playing, SearchStage::Known, None), walk);
        assert_eq!(request(Upright, Playing, SearchStage::Known, foot), Motion::Kick { foot: KickFoot::Right });
        assert_eq!(request(Upright, Playing, SearchStage::Look, foot), Motion::Stand);
        assert_eq!(request(Upright, Playing, SearchStage::Turn, None), walk);
        assert_eq!(request(Upright, Scored, SearchStage::Known, foot), Motion::Stand);
        assert_eq!(request(Fallen, Playing, SearchStage::Known, foot), Motion::Stand);
    }

    #[test]
    fn who_is_not_the_striker_takes_its_place_and_leaves_the_ball() {
        let walk = Motion::Walk { velocity: Vec2::X, turn: 0.1 };
        let place = Place { target: Some(Pose2::new(-1.0, 0.0, 0.0)), clearance: 0.3 };
        for role in [Role::Goalkeeper, Role::Supporter] {
            let role = TeamRole { role, ..TeamRole::default() };
            let request = |place: &Place, stage| {
                request_as(&role, Uprightness::Upright, GamePhase::Playing, place, stage, Some(KickFoot::Left))
            };
            for stage in [SearchStage::Known, SearchStage::Walk] {
                assert_eq!(request(&place, stage), walk);
                assert_eq!(request(&Place::default(), stage), Motion::Stand);
            }
        }
    }

    #[test]
    fn the_referee_is_obeyed_whatever_the_ball_does() {
        use GamePhase::{OwnKickOff, Penalised, Stopped, TheirKickOff, Yields};
        use Uprightness::{Fallen, Upright};
        let walk = Motion::Walk { velocity: Vec2::X, turn: 0.1 };
        let place = Place { target: Some(Pose2::new(-1.0, 0.0, 0.0)), clearance: 0.3 };
        for stage in [SearchStage::Known, SearchStage::Look, SearchStage::Turn, SearchStage::Walk] {
            for foot in [None, Some(KickFoot::Left)] {
                for phase in [Stopped, Penalised, OwnKickOff, TheirKickOff, Yields] {
                    assert_eq!(request(Upright, phase, stage, foot), Motion::Stand, "{phase:?}: there is no place");
                }
                for phase in [Stopped, Penalised] {
                    assert_eq!(request_with(Upright, phase, &place, stage, foot), Motion::Stand, "{phase:?}");
                }
                for phase in [OwnKickOff, TheirKickOff, Yields] {
                    assert_eq!(request_with(Upright, phase, &place, stage, foot), walk, "{phase:?}");
                    assert_eq!(request_with(Fallen, phase, &place, stage, foot), Motion::Stand, "{phase:?}");
                }
            }
        }
    }
}
