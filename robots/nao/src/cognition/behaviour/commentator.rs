//! Comments on what the robot does.

use std::fmt::Write;

use hemiola::prelude::*;

use crate::representations::behaviour::{Activity, BallTarget, BehaviorState, Commentary, PlayKind};
use crate::representations::events::Remark;
use crate::representations::modeling::WorldModel;

/// Describes each change of activity in a sentence, for logs and for spectators.
#[derive(Module)]
pub struct Commentator {
    activity: Option<Activity>,
    text: String,
    count: u32,
}

#[module]
impl Commentator {
    #[update]
    pub(crate) fn commentary(
        &mut self,
        behavior: &BehaviorState,
        world: &WorldModel,
        target: &BallTarget,
        clock: &Clock,
        remarks: &mut Publisher<Remark>,
        commentary: &mut Commentary,
    ) -> Result<(), std::fmt::Error> {
        if self.activity != Some(behavior.activity) {
            self.activity = Some(behavior.activity);
            self.count += 1;
            self.text.clear();
            self.describe(behavior.activity, world, target)?;
            // Filled in place: the slot keeps its memory.
            let mut remark = remarks.loan();
            remark.at = clock.now();
            remark.text.clone_from(&self.text);
            remark.publish();
        }
        commentary.text.push_str(&self.text);
        commentary.count = self.count;
        Ok(())
    }

    fn describe(&mut self, activity: Activity, world: &WorldModel, target: &BallTarget) -> std::fmt::Result {
        let distance = world.ball.map_or(0.0, |ball| ball.relative.length());
        let play = target.play.unwrap_or_default();
        let end = play.end;
        match activity {
            Activity::Waits => self.text.write_str("waits"),
            Activity::IsDown => self.text.write_str("is down and gets up"),
            Activity::Searches => self.text.write_str("looks for the ball"),
            Activity::Approaches => {
                let plan = if play.kind == PlayKind::Kick { "kick" } else { "push" };
                write!(self.text, "walks {distance:.1} m to the ball to {plan} it to ({:.1}, {:.1})", end.x, end.y)
            }
            Activity::Dribbles => write!(self.text, "pushes the ball to ({:.1}, {:.1})", end.x, end.y),
            Activity::Kicks => write!(self.text, "kicks to ({:.1}, {:.1})", end.x, end.y),
            Activity::Celebrates => self.text.write_str("has scored"),
            Activity::TakesPlace => self.text.write_str("walks to its place"),
            Activity::Penalised => self.text.write_str("is penalised"),
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;
    use crate::representations::behaviour::Play;

    #[test]
    fn a_sentence_is_made_when_the_activity_changes_and_kept_until_then() {
        let mut commentator = Commentator::create(());
        let target = BallTarget { play: Some(Play { end: Vec2::new(4.6, 0.2), ..Default::default() }) };
        let mut say = |activity| {
            let mut commentary = Commentary::default();
            let behavior = BehaviorState { activity, lasts: 0.0 };
            let (world, remarks) = (WorldModel::default(), &mut Publisher::to_nobody());
            commentator.commentary(&behavior, &world, &target, &Clock::default(), remarks, &mut commentary).unwrap();
            (commentary.text, commentary.count)
        };
        assert_eq!(say(Activity::Kicks), ("kicks to (4.6, 0.2)".into(), 1));
        assert_eq!(say(Activity::Kicks).1, 1);
        assert_eq!(say(Activity::Celebrates), ("has scored".into(), 2));
    }
}
