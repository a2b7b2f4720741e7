//! The times at which a player that waits for its next step attends to what is requested of its
//! robot: values are read, changes and observers are admitted, output is gathered.
//!
//! Whoever requests something brings news of the robot, and ends the player's sleep. However much
//! is requested, the player attends to it at most once per [`LOOK_PERIOD`], and not at all while
//! steps follow each other that closely: they attend to it themselves.

use std::time::{Duration, Instant};

use hemiola_realtime::Generation;

/// The shortest time between a step or an attendance, and the next attendance.
pub(super) const LOOK_PERIOD: Duration = Duration::from_millis(20);

/// The last attendance since a step, and the time of the next one.
pub(super) struct Attendance {
    /// The news that were attended to; `None` since the step.
    attended: Option<Generation>,
    not_before: Instant,
    /// The time at which it must be done again, whatever happens until then.
    again: Option<Instant>,
}

impl Attendance {
    /// Begins with the end of a step.
    pub fn after_step(now: Instant) -> Self {
        Self { attended: None, not_before: now + LOOK_PERIOD, again: None }
    }

    /// Returns whether there is something to attend to, with these news.
    pub fn is_pending(&self, news: Generation) -> bool {
        self.attended != Some(news)
    }

    /// Returns the time of the next attendance with these news; `None` if there is nothing to
    /// attend to.
    pub fn due(&self, news: Generation) -> Option<Instant> {
        let pending = self.is_pending(news).then_some(self.not_before);
        pending.into_iter().chain(self.again.map(|again| again.max(self.not_before))).min()
    }

    /// Notes an attendance to these news. It must be done again at that time, whatever happens.
    pub fn note(&mut self, news: Generation, now: Instant, again: Option<Instant>) {
        *self = Self { attended: Some(news), not_before: now + LOOK_PERIOD, again };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use hemiola_realtime::Wakeup;

    use super::*;

    #[test]
    fn a_player_at_rest_attends_once_after_a_step_and_then_to_news_only() {
        let (news, begin) = (Wakeup::new(), Instant::now());
        let after = |periods: u32| begin + LOOK_PERIOD * periods;
        let mut attendance = Attendance::after_step(begin);
        assert_eq!(attendance.due(news.generation()), Some(after(1)));
        attendance.note(news.generation(), after(1), None);
        assert_eq!(attendance.due(news.generation()), None, "nothing is requested");
        news.notify_all();
        assert_eq!(attendance.due(news.generation()), Some(after(2)), "news that follow closely wait");
    }

    #[test]
    fn what_is_not_done_is_tried_again_but_not_at_once() {
        let (news, begin) = (Wakeup::new(), Instant::now());
        let mut attendance = Attendance::after_step(begin);
        attendance.note(news.generation(), begin, Some(begin));
        assert_eq!(attendance.due(news.generation()), Some(begin + LOOK_PERIOD));
        attendance.note(news.generation(), begin, Some(begin + LOOK_PERIOD * 9));
        assert_eq!(attendance.due(news.generation()), Some(begin + LOOK_PERIOD * 9));
    }
}
