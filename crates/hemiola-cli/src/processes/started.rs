//! One process of a robot, as the process that has started it sees it.

use std::collections::VecDeque;
use std::io;
use std::process::Child;
use std::time::{Duration, Instant};

use hemiola_model::configuration::{ProcessConfiguration, RestartLimit};

use super::hub::Line;
use crate::notes::tell;

/// One process of the robot.
pub struct Member {
    pub name: String,
    pub restart: Option<RestartLimit>,
    pub begin_within: Duration,
    pub child: Option<Child>,
    /// The time by which the process must have begun; `None` once it has, or that was reported.
    pub begins_by: Option<Instant>,
    /// The number of restarts.
    pub restarts: u32,
    /// The times of the restarts that count for the limit.
    pub recent: VecDeque<Instant>,
    /// The connection to the process, once it has begun.
    pub line: Option<Line>,
    /// Set if there was a change that is not kept.
    pub is_full: bool,
}

impl Member {
    pub fn of(process: &ProcessConfiguration) -> Self {
        Self {
            name: process.name.clone(),
            restart: process.restart,
            begin_within: process.begin_within,
            child: None,
            begins_by: None,
            restarts: 0,
            recent: VecDeque::new(),
            line: None,
            is_full: false,
        }
    }

    /// Returns whether the process may be restarted now, and counts the restart.
    pub fn may_start(&mut self, limit: RestartLimit, now: Instant) -> bool {
        self.recent.retain(|earlier| now.duration_since(*earlier) < limit.within);
        let may = self.recent.len() < limit.count as usize;
        if may {
            self.recent.push_back(now);
        }
        may
    }

    /// Reports that the process has not begun in time, if that is so. If it may be restarted, it is
    /// killed.
    pub fn note_late(&mut self, now: Instant) -> io::Result<()> {
        if self.begins_by.take_if(|due| *due <= now).is_none() {
            return Ok(());
        }
        let (name, within) = (&self.name, hemiola_words::duration(self.begin_within));
        let late = format!("process `{name}` has not begun within {within}: a constructor may hang");
        match (&mut self.child, self.restart) {
            (Some(child), Some(_)) => {
                tell(format_args!("{late}; it is killed"));
                child.kill()?;
            }
            _ => tell(late),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_started_again_as_often_as_its_limit_says() {
        let mut member = Member::of(&ProcessConfiguration::new("vision", []));
        let limit = RestartLimit { count: 2, within: Duration::from_secs(60) };
        let begin = Instant::now();
        let mut at = |seconds| member.may_start(limit, begin + Duration::from_secs(seconds));
        assert_eq!([at(0), at(30), at(59), at(61), at(62)], [true, true, false, true, false]);
    }
}
