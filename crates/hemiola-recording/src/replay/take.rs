//! Values of a representation that come from a log instead of being computed.

use hemiola_log::{LogError, LogTime, Selection};
use hemiola_model::{Time, ValueMut};
use hemiola_runtime::TakenValues;

use super::part::Part;
use super::remarks::Remarks;
use crate::split::{Kept, Messages, SplitLog};

/// The values of a representation in a log.
pub struct LogValues {
    log: Messages,
    origin: LogTime,
    part: Part,
    matching: Matching,
    next: Option<Kept>,
    /// The newest message that is due.
    last: Option<Kept>,
    /// Set once a run has begun: values before the first run belong to none.
    has_begun: bool,
    remarks: Remarks,
}

/// The rule by which a value belongs to a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// The value of the same run: runs are those of the log, so it has the run's time.
    OfSameRun,
    /// The newest value.
    Newest,
}

impl LogValues {
    /// Opens the values of a part that has examined all channels of its topic. Times of the log
    /// count from `origin`.
    pub fn open(
        log: &SplitLog,
        origin: LogTime,
        part: Part,
        matching: Matching,
        remarks: Remarks,
    ) -> Result<Self, LogError> {
        let log = log.messages(Selection::all().topic(part.topic()))?;
        let mut values = Self { log, origin, part, matching, next: None, last: None, has_begun: false, remarks };
        values.read_on();
        Ok(values)
    }

    fn read_on(&mut self) {
        self.next = None;
        while let Some(message) = self.log.next() {
            match message {
                Ok(message) => {
                    self.next = Some(message);
                    return;
                }
                Err(error) => {
                    self.remarks.unreadable(format!("a part of the log is left out: {error}"));
                    if matches!(error, LogError::Read { .. }) {
                        return;
                    }
                }
            }
        }
    }

    /// Returns the message that belongs to a run of that time, and how many were skipped before it.
    fn message(&mut self, wanted: LogTime) -> (Option<&Kept>, u64) {
        let mut left_over = 0;
        if self.matching == Matching::OfSameRun {
            self.last = None;
        }
        while self.next.as_ref().is_some_and(|next| next.log_time <= wanted) {
            let passed_over = std::mem::replace(&mut self.last, self.next.take());
            left_over += u64::from(passed_over.is_some() && self.matching == Matching::OfSameRun);
            self.read_on();
            // Two runs may have the same time.
            if self.matching == Matching::OfSameRun && self.last.as_ref().is_some_and(|last| last.log_time == wanted) {
                break;
            }
        }
        match self.matching {
            Matching::OfSameRun => {
                let is_other = self.last.as_ref().is_some_and(|last| last.log_time != wanted);
                (self.last.as_ref().filter(|_| !is_other), left_over + u64::from(is_other))
            }
            Matching::Newest => (self.last.as_ref(), 0),
        }
    }
}

impl TakenValues for LogValues {
    fn take(&mut self, _run: u32, now: Time, value: &mut ValueMut<'_>) -> Option<Time> {
        let origin = self.origin.nanoseconds();
        // Times before the origin are written as the origin.
        let wanted = LogTime::from_nanoseconds(origin.saturating_add(now.nanoseconds().max(0).unsigned_abs()));
        let (name, remarks) = (self.part.descriptor().name(), self.remarks.clone());
        let has_begun = std::mem::replace(&mut self.has_begun, true);
        let (message, left_over) = self.message(wanted);
        let left_over = if has_begun { left_over } else { 0 };
        let Some((channel, stamp, data)) = message.map(|it| (it.channel.clone(), it.publish_time, it.data.clone()))
        else {
            remarks.took(name, false, left_over);
            return None;
        };
        let read = self.part.read(&channel, &data, value);
        remarks.took(name, read.is_ok(), left_over);
        if let Err(problem) = read {
            value.reset();
            remarks.unreadable(problem.to_string());
            return None;
        }
        Some(Time::from_nanoseconds(i64::try_from(stamp.nanoseconds().saturating_sub(origin)).unwrap_or(i64::MAX)))
    }
}
