//! The statistics of a link while it counts.

use std::ops::{Deref, DerefMut};

use crate::statistics::{LinkStatistics, ReceivedStatistics, SentStatistics};

/// The statistics of a link, with what has changed since they were last [shown](Self::show), so
/// that a message costs the copy of one row.
///
/// Whoever changes anything else than a row of [`sent`](Self::sent) or
/// [`received`](Self::received) changes all.
#[derive(Debug)]
pub struct Tally {
    now: LinkStatistics,
    /// The rows that have changed, unless everything may have.
    rows: Vec<Row>,
    has_all_changed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Sent(usize),
    Received(usize),
}

/// The most rows that are shown one by one.
const MOST_ROWS: usize = 4;

impl Tally {
    /// Returns the numbers of a topic or representation that is sent, to be changed.
    pub fn sent(&mut self, topic: usize) -> &mut SentStatistics {
        self.note(Row::Sent(topic));
        &mut self.now.sent[topic]
    }

    /// Returns the numbers of a topic or representation that is received, to be changed.
    pub fn received(&mut self, topic: usize) -> &mut ReceivedStatistics {
        self.note(Row::Received(topic));
        &mut self.now.received[topic]
    }

    /// Updates `shown`, which is what was shown last, to these statistics.
    pub fn show(&mut self, shown: &mut LinkStatistics) {
        let Self { now, rows, has_all_changed } = self;
        if std::mem::take(has_all_changed) {
            shown.update(now);
            return rows.clear();
        }
        rows.drain(..).for_each(|row| match row {
            Row::Sent(topic) => shown.sent[topic].update(&now.sent[topic]),
            Row::Received(topic) => shown.received[topic].update(&now.received[topic]),
        });
    }

    fn note(&mut self, row: Row) {
        if self.rows.len() == MOST_ROWS {
            self.has_all_changed = true;
        } else if !self.rows.contains(&row) {
            self.rows.push(row);
        }
    }
}

impl From<LinkStatistics> for Tally {
    fn from(now: LinkStatistics) -> Self {
        Self { now, rows: Vec::with_capacity(MOST_ROWS), has_all_changed: true }
    }
}

impl Deref for Tally {
    type Target = LinkStatistics;

    fn deref(&self) -> &LinkStatistics {
        &self.now
    }
}

impl DerefMut for Tally {
    fn deref_mut(&mut self) -> &mut LinkStatistics {
        self.has_all_changed = true;
        &mut self.now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_changed_is_shown_whether_it_is_one_row_or_any_other_number() {
        let first = LinkStatistics {
            sent: vec![SentStatistics::default(); 6],
            received: vec![ReceivedStatistics::default(); 2],
            ..Default::default()
        };
        let (mut tally, mut shown) = (Tally::from(first), LinkStatistics::default());
        let shows = |tally: &mut Tally, shown: &mut LinkStatistics| {
            tally.show(shown);
            assert_eq!(*shown, **tally);
        };
        shown.clone_from(&tally);
        shows(&mut tally, &mut shown);
        (tally.sent(1).messages, tally.received(1).bytes) = (7, 8);
        tally.sent(1).bytes += 1;
        shows(&mut tally, &mut shown);
        (0..6).for_each(|topic| tally.sent(topic).dropped = 9);
        shows(&mut tally, &mut shown);
        tally.problem = Some("it is late".to_owned());
        tally.received(0).lost = 1;
        shows(&mut tally, &mut shown);
    }
}
