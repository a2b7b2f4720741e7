use std::sync::Arc;

use crate::sync::{AtomicU32, Ordering};

/// The word that all cycles share: see [the module](super).
pub struct CutWord {
    /// The number of checkpoints that there should be, as raised by the first cycle that comes.
    wanted: AtomicU32,
    /// The number of cycles that have not looked at it yet, where that matters.
    absent: AtomicU32,
}

impl CutWord {
    /// Creates the word of cycles that have not begun: each run reads it before it does anything
    /// else.
    pub fn before_the_beginning() -> Arc<Self> {
        Arc::new(Self { wanted: AtomicU32::new(0), absent: AtomicU32::new(0) })
    }

    /// Creates the word of that many running cycles. It is not raised before all of them have read
    /// it, because the proof uses the order of the changes of the word, and a cycle that has not
    /// read it yet has made none.
    pub fn while_running(cycles: usize) -> Arc<Self> {
        Arc::new(Self { wanted: AtomicU32::new(0), absent: AtomicU32::new(cycles as u32) })
    }
}

/// One cycle's view of the word.
pub struct Cut {
    word: Arc<CutWord>,
    /// The number of the last checkpoint in which this cycle took part.
    taken: u32,
    has_looked: bool,
}

impl Cut {
    pub fn new(word: Arc<CutWord>) -> Self {
        Self { word, taken: 0, has_looked: false }
    }

    /// Returns whether the run that begins is the first after a cut, if there should be `wanted`
    /// checkpoints by its clock. Called at the beginning of each run, before it reads its inputs.
    pub fn is_due(&mut self, wanted: u32) -> bool {
        let CutWord { wanted: word, absent } = &*self.word;
        // Acquire: all have made their first change of the word before.
        let wanted = if absent.load(Ordering::Acquire) == 0 { wanted } else { 0 };
        // The word is changed even if its value stays, because the order of the changes matters.
        let raised = word.fetch_max(wanted, Ordering::AcqRel).max(wanted);
        if !std::mem::replace(&mut self.has_looked, true) {
            // Cycles that were there before the beginning are not waited for.
            _ = absent.fetch_update(Ordering::Release, Ordering::Relaxed, |absent| absent.checked_sub(1));
        }
        let is_due = raised > self.taken;
        self.taken = raised;
        is_due
    }

    /// Returns the number of the last checkpoint.
    pub fn number(&self) -> u32 {
        self.taken
    }
}

#[cfg(all(test, loom))]
mod tests {
    use hemiola_bus::exchange::latest;
    use loom::thread;

    use super::*;

    #[test]
    fn loom_after_a_cut_only_the_last_run_before_it_is_under_way() {
        let mut model = loom::model::Builder::new();
        // Without a bound the model takes ten minutes.
        model.preemption_bound = Some(3);
        model.check(|| {
            let word = CutWord::before_the_beginning();
            let (mut writer, mut reader) = latest(|| 0_u32);
            let publisher = {
                let mut cut = Cut::new(word.clone());
                thread::spawn(move || {
                    let mut first = 4;
                    for run in 1..=3 {
                        if cut.is_due(0) {
                            first = run;
                        }
                        writer.with_back(|value| *value = run);
                        writer.publish();
                    }
                    first
                })
            };
            let clock = thread::spawn({
                let word = word.clone();
                move || _ = Cut::new(word).is_due(1)
            });
            let mut cut = Cut::new(word);
            let (mut at_cut, mut later) = (None, Vec::new());
            for _ in 0..3 {
                let is_first = cut.is_due(0);
                let is_new = reader.take();
                let run = reader.with_front(|value| *value);
                if is_first {
                    at_cut = Some(run);
                } else if at_cut.is_some() && is_new {
                    later.push(run);
                }
            }
            clock.join().unwrap();
            let first = publisher.join().unwrap();
            if let Some(seen) = at_cut {
                assert!(seen + 2 >= first, "run {seen} was seen, and the first after the cut is {first}");
                assert!(later.iter().all(|&run| run + 1 >= first), "{later:?} came before {first}");
            }
        });
    }
}
