//! The coherence of values that several sources receive from one cycle of another process.
//!
//! Within a process, a cycle reads all values of another one in one snapshot. Over a link the
//! values of one run come one by one, each to a source with a thread of its own. Here it is counted
//! how many of them are on their way: from before the first one is handed to its source until the
//! last source has published. A cycle that begins a run meanwhile keeps the values that it has, as
//! if the run of the other cycle had ended a little later. DDS calls this coherent access.
//!
//! All of it is one word:
//!
//! | bits | count |
//! |---|---|
//! | 0 to 31 | what is on its way: values, and the promise that others follow |
//! | 32 to 63 | whatever has begun; it wraps around |
//!
//! A reader looks at the word, acquires what each of these sources has published, and looks again.
//! If nothing was on its way at first and the word is the same, then nothing has begun in between,
//! and what it has acquired belongs together. Nobody waits, whatever is on its way for however
//! long. Only a reader for which four billion values arrive between its two looks could take one
//! word for another.
//!
//! - Whoever ends something has published before (release), and each change of the word belongs to
//!   the same release sequence. A reader that finds nothing on its way (acquire) therefore acquires
//!   all that was published.
//! - Whoever begins something does so before handing it over. A reader that acquires a value which
//!   was handed over afterwards can find no older word when it looks again: both are ordered by
//!   what the value passes through, so the second look and the beginning can be relaxed.

use std::sync::{Arc, OnceLock};

use crate::run::Trigger;
use crate::sync::{AtomicU64, Ordering};

/// The values of one cycle of another process that are on their way.
#[derive(Default)]
pub struct Coherence {
    word: AtomicU64,
    /// The triggers of the cycles that wait for one of these values.
    triggers: OnceLock<Vec<Arc<Trigger>>>,
}

/// The change of the word by a beginning: one more has begun, and one more is on its way.
const BEGINNING: u64 = (1 << 32) + 1;
const ON_THE_WAY: u64 = (1 << 32) - 1;

impl Coherence {
    /// Sets the triggers that are notified when nothing is on its way any more.
    pub fn notify(&self, triggers: Vec<Arc<Trigger>>) {
        _ = self.triggers.set(triggers);
    }

    /// Notes that something is on its way, before it is handed over.
    pub fn begin(&self) {
        self.word.fetch_add(BEGINNING, Ordering::Relaxed);
    }

    /// Notes that so many have arrived, and lets the cycles run that wait for them, if they were
    /// the last ones.
    pub fn end(&self, count: u32) {
        let before = self.word.fetch_sub(u64::from(count), Ordering::Release);
        if count > 0 && before & ON_THE_WAY == u64::from(count) {
            self.triggers.get().into_iter().flatten().for_each(|trigger| trigger.wakeup.notify_all());
        }
    }

    /// Returns the word, if nothing is on its way.
    fn settled(&self) -> Option<u64> {
        Some(self.word.load(Ordering::Acquire)).filter(|word| word & ON_THE_WAY == 0)
    }

    fn is_still(&self, word: u64) -> bool {
        self.word.load(Ordering::Relaxed) == word
    }
}

/// One reader's views of everything that is to be coherent for it.
#[derive(Default)]
pub struct Views(Vec<View>);

struct View {
    coherence: Arc<Coherence>,
    /// The word, if nothing was on its way.
    seen: Option<u64>,
}

impl Views {
    /// Returns the number of the view of this coherence, which is added if there is none yet.
    pub fn number_of(&mut self, coherence: &Arc<Coherence>) -> usize {
        let known = self.0.iter().position(|view| Arc::ptr_eq(&view.coherence, coherence));
        known.unwrap_or_else(|| {
            self.0.push(View { coherence: coherence.clone(), seen: None });
            self.0.len() - 1
        })
    }

    /// Begins to acquire values: those of settled views are to be acquired, and then
    /// [`close`](Self::close) determines which of them belong together.
    pub fn open(&mut self) {
        self.0.iter_mut().for_each(|view| view.seen = view.coherence.settled());
    }

    /// Ends acquiring values.
    pub fn close(&mut self) {
        for view in &mut self.0 {
            view.seen = view.seen.filter(|&word| view.coherence.is_still(word));
        }
    }

    /// Returns whether the values of a view belong together, as far as is known by now.
    pub fn is_settled(&self, view: usize) -> bool {
        self.0.get(view).is_none_or(|view| view.seen.is_some())
    }

    /// Gives up coherence, where one thread delivers all values and runs all cycles, in turn.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_settled_while_nothing_is_on_its_way_and_nothing_has_begun_since_it_was_opened() {
        let coherence = Arc::new(Coherence::default());
        let mut views = Views::default();
        let view = views.number_of(&coherence);
        assert_eq!(views.number_of(&coherence), view);
        let mut look = |between: &dyn Fn()| {
            views.open();
            between();
            views.close();
            views.is_settled(view)
        };
        assert!(look(&|| ()));
        (0..3).for_each(|_| coherence.begin());
        assert!(!look(&|| ()));
        coherence.end(2);
        assert!(!look(&|| ()));
        assert!(!look(&|| coherence.end(1)), "what was acquired may be older");
        assert!(look(&|| ()));
        let passes_by = || {
            coherence.begin();
            coherence.end(1);
        };
        assert!(!look(&passes_by), "what was acquired may be of before and after");
        assert!(look(&|| ()));
    }

    #[test]
    fn who_waits_is_notified_once_when_the_last_one_has_arrived() {
        let (coherence, trigger) = (Coherence::default(), Arc::new(Trigger::default()));
        coherence.notify(vec![trigger.clone()]);
        let mut before = trigger.wakeup.generation();
        let mut is_notified = || {
            let now = trigger.wakeup.generation();
            std::mem::replace(&mut before, now) != now
        };
        (0..3).for_each(|_| coherence.begin());
        coherence.end(2);
        assert!(!is_notified());
        coherence.end(1);
        assert!(is_notified());
        coherence.end(0);
        assert!(!is_notified(), "nothing has arrived");
    }

    #[test]
    fn the_count_of_beginnings_wraps_around_without_a_trace() {
        let coherence = Coherence { word: AtomicU64::new(!ON_THE_WAY), ..Coherence::default() };
        coherence.begin();
        assert_eq!(coherence.settled(), None);
        coherence.end(1);
        assert_eq!(coherence.settled(), Some(0));
    }
}
