//! What a replay finds on its way.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_model::data::ReadError;

use hemiola_words::counted;

/// What a replay finds in its log on the way that people should know: once, when it is found, and
/// how often, at the end. Found on the thread that steps the robot, told by who shows it.
///
/// ```
/// let remarks = hemiola_recording::replay::Remarks::default();
/// assert!(remarks.take_new().is_empty() && remarks.totals().is_empty()); // nothing yet
/// ```
#[derive(Clone, Default)]
pub struct Remarks(Arc<Mutex<Found>>);

#[derive(Default)]
struct Found {
    new: Vec<String>,
    /// By topic and field: values that had no place.
    misfits: BTreeMap<(String, String), u64>,
    /// By representation.
    taken: BTreeMap<String, TakenCounts>,
}

#[derive(Clone, Copy, Default)]
struct TakenCounts {
    /// Runs that had a value in the log.
    given: u64,
    /// Runs that had none.
    missing: u64,
    /// Values of runs that there were not.
    left_over: u64,
}

impl Remarks {
    /// A value has no place in its field.
    pub fn misfit(&self, topic: &str, misfit: &ReadError) {
        let mut found = self.found();
        let count = found.misfits.entry((topic.to_owned(), misfit.path.clone())).or_default();
        *count += 1;
        if *count == 1 {
            found.new.push(format!("{topic}: {misfit}; such values have their default"));
        }
    }

    /// A message cannot be read.
    pub fn unreadable(&self, problem: String) {
        self.found().new.push(problem);
    }

    /// A run took a value of a representation from the log, or there was none for it; so many of
    /// the log were passed over.
    pub fn took(&self, representation: &str, is_there: bool, left_over: u64) {
        let mut found = self.found();
        if !found.taken.contains_key(representation) {
            found.taken.insert(representation.to_owned(), TakenCounts::default());
        }
        let Some(counts) = found.taken.get_mut(representation) else { return };
        *(if is_there { &mut counts.given } else { &mut counts.missing }) += 1;
        counts.left_over += left_over;
    }

    /// What was found since the last time.
    pub fn take_new(&self) -> Vec<String> {
        std::mem::take(&mut self.found().new)
    }

    /// How often, for the end.
    pub fn totals(&self) -> Vec<String> {
        let found = self.found();
        let misfits = found.misfits.iter().filter(|(_, count)| **count > 1).map(|((topic, field), &count)| {
            format!("{topic}: {} of `{field}` had no place, and have their default", counted(count, "value"))
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
