//! The findings of a replay about its log.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_model::data::ReadError;

use hemiola_words::counted;

/// The findings of a replay in its log that users should know: each is reported once when it is
/// found, and with its count at the end. They are found on the thread that steps the robot, and
/// reported by another one.
///
/// See [`Replay`](super::Replay).
#[derive(Clone, Default)]
pub struct Remarks(Arc<Mutex<Found>>);

#[derive(Default)]
struct Found {
    new: Vec<String>,
    /// The counts of values that do not fit their field, by topic and field.
    misfits: BTreeMap<(String, String), u64>,
    /// The counts of values that are taken from the log, by representation.
    taken: BTreeMap<String, TakenCounts>,
}

#[derive(Clone, Copy, Default)]
struct TakenCounts {
    /// The number of runs that had a value in the log.
    given: u64,
    /// The number of runs that had none.
    missing: u64,
    /// The number of values that belong to no run of the replay.
    left_over: u64,
}

impl Remarks {
    /// Records that a value does not fit its field.
    pub fn misfit(&self, topic: &str, misfit: &ReadError) {
        let mut found = self.found();
        let count = found.misfits.entry((topic.to_owned(), misfit.path.clone())).or_default();
        *count += 1;
        if *count == 1 {
            found.new.push(format!("{topic}: {misfit}; such values have their default"));
        }
    }

    /// Records that a message cannot be read.
    pub fn unreadable(&self, problem: String) {
        self.found().new.push(problem);
    }

    /// Records whether a run has found a value of a representation in the log, and how many values
    /// of the log were skipped before it.
    pub fn took(&self, representation: &str, is_there: bool, left_over: u64) {
        let mut found = self.found();
        if !found.taken.contains_key(representation) {
            found.taken.insert(representation.to_owned(), TakenCounts::default());
        }
        let Some(counts) = found.taken.get_mut(representation) else { return };
        *(if is_there { &mut counts.given } else { &mut counts.missing }) += 1;
        counts.left_over += left_over;
    }

    /// Returns the findings since the last call.
    pub fn take_new(&self) -> Vec<String> {
        std::mem::take(&mut self.found().new)
    }

    /// Returns the counts, for the end.
    pub fn totals(&self) -> Vec<String> {
        let found = self.found();
        let misfits = found.misfits.iter().filter(|(_, count)| **count > 1).map(|((topic, field), &count)| {
            format!("{topic}: {} of `{field}` did not fit, and have their default", counted(count, "value"))
        });
        let taken = found.taken.iter().map(|(name, counts)| {
            let &TakenCounts { given, missing, left_over } = counts;
            let missing = match missing {
                0 => String::new(),
                1 => "; 1 run has none there, and kept the last one, marked as stale".to_owned(),
                _ => format!("; {} have none there, and kept the last one, marked as stale", counted(missing, "run")),
            };
            let left_over = match left_over {
                0 => String::new(),
                _ => format!("; {} of runs that were not repeated", counted(left_over, "value")),
            };
            format!("{name}: {} from the log{missing}{left_over}", counted(given, "value"))
        });
        misfits.chain(taken).collect()
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
