//! The coherence of values that several sources receive from one cycle of another process.
//!
//! Within a process, a cycle reads all values of another one in one snapshot. Over a link the
//! values of one run come one by one, each for a source of its own. So that cycles see them
//! together all the same, these sources have one thread, and three parties take turns without ever
//! waiting for each other:
//!
//! | who | does | is kept from |
//! |---|---|---|
//! | the feeder | delivers the values of a run | nothing |
//! | the sources' thread | takes what was delivered, then shows it | showing only a part of a delivery |
//! | a cycle that reads | acquires what is shown | reading only a part of it |
//!
//! DDS calls this coherent access. What the first two do is counted in a word each:
//!
//! | bits | count |
//! |---|---|
//! | 0 to 31 | what is being delivered or shown at present |
//! | 32 to 63 | whatever has begun; it wraps around |
//!
//! Whoever reads looks at the word, takes what is there, and looks again. If nothing was going on
//! at first and the word is the same, then nothing has begun in between, and what was taken belongs
//! together. Otherwise the sources' thread tries again when the feeder has ended, and a cycle keeps
//! the values that it has, as if the run of the other cycle had ended a little later. To show
//! values that were taken before is a few stores for each, so that this is rare. Only a reader for
//! which four billion runs arrive between its two looks could take one word for another.
//!
//! - Whoever ends something has made it visible before (release), and each change of the word
//!   belongs to the same release sequence. A reader that finds nothing going on (acquire) therefore
//!   acquires all of it.
//! - Whoever begins something does so before anything of it is visible. A reader that acquires some
//!   of it can find no older word when it looks again: both are ordered by what the value passes
//!   through, so the second look and the beginning can be relaxed.

use std::sync::{Arc, OnceLock};

use hemiola_realtime::{Generation, Wakeup};

use crate::sync::{AtomicU64, Ordering};

/// The values of one cycle of another process.
#[derive(Default)]
pub struct Coherence {
    delivering: Activity,
    showing: Activity,
    /// The event that is notified when the feeder has ended a delivery.
    wakeup: Arc<Wakeup>,
    /// The events on which the cycles sleep that wait for one of these values.
    triggers: OnceLock<Vec<Arc<Wakeup>>>,
}

impl Coherence {
    /// Sets the events that are notified when values have been shown.
    pub fn notify(&self, triggers: Vec<Arc<Wakeup>>) {
        _ = self.triggers.set(triggers);
    }

    /// Returns the event on which the sources' thread sleeps.
    pub fn wakeup(&self) -> &Arc<Wakeup> {
        &self.wakeup
    }

    /// Notes that something is going to be delivered.
    pub fn begin_delivery(&self) {
        self.delivering.begin();
    }

    /// Notes that it was delivered.
    pub fn end_delivery(&self) {
        if self.delivering.end() {
            self.wakeup.notify_all();
        }
    }

    /// Returns the state of deliveries, if nothing is being delivered at present.
    pub fn delivered(&self) -> Option<Settled> {
        self.delivering.settled()
    }

    /// Returns whether nothing has been delivered since.
    pub fn is_all(&self, delivered: Settled) -> bool {
        self.delivering.is_still(delivered)
    }

    /// Shows values: all that `show` publishes is read together. The cycles that wait for one of
    /// them are notified afterwards.
    pub fn show(&self, show: impl FnOnce()) {
        self.showing.begin();
        show();
        self.showing.end();
        self.triggers.get().into_iter().flatten().for_each(|trigger| trigger.notify_all());
    }

    /// Sleeps until something has been delivered since that generation.
    pub fn wait(&self, seen: Generation) {
        self.wakeup.wait(seen, None);
    }
}

/// Each is equal to itself only.
impl PartialEq for Coherence {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

/// A word that counts what is going on, and what has begun.
#[derive(Default)]
struct Activity(AtomicU64);

/// The word of an activity while nothing is going on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settled(u64);

/// The change of the word by a beginning: one more has begun, and one more is going on.
const BEGINNING: u64 = (1 << 32) + 1;
const GOING_ON: u64 = (1 << 32) - 1;

impl Activity {
    fn begin(&self) {
        self.0.fetch_add(BEGINNING, Ordering::Relaxed);
    }

    /// Returns whether nothing is going on any more.
    fn end(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Release) & GOING_ON == 1
    }

    fn settled(&self) -> Option<Settled> {
        Some(self.0.load(Ordering::Acquire)).filter(|word| word & GOING_ON == 0).map(Settled)
    }

    fn is_still(&self, settled: Settled) -> bool {
        self.0.load(Ordering::Relaxed) == settled.0
    }
}

/// One reader's views of everything that is to be coherent for it.
#[derive(Default)]
pub struct Views(Vec<View>);

struct View {
    coherence: Arc<Coherence>,
    /// The state, if nothing was being shown.
    seen: Option<Settled>,
}

impl Views {
    /// Returns the number of the view of this coherence, which is added if there is none yet.
    pub fn number_of(&mut self, coherence: &Arc<Coherence>) -> usize {
        let known = self.0.iter().position(|view| view.coherence == *coherence);
        known.unwrap_or_else(|| {
            self.0.push(View { coherence: coherence.clone(), seen: None });
            self.0.len() - 1
        })
    }

    /// Begins to acquire values: those of settled views are to be acquired, and then
    /// [`close`](Self::close) determines which of them belong together.
    pub fn open(&mut self) {
        self.0.iter_mut().for_each(|view| view.seen = view.coherence.showing.settled());
    }

    /// Ends acquiring values.
    pub fn close(&mut self) {
        for view in &mut self.0 {
            view.seen = view.seen.filter(|&seen| view.coherence.showing.is_still(seen));
        }
    }

    /// Returns whether the values of a view belong together, as far as is known by now.
    pub fn is_settled(&self, view: usize) -> bool {
        self.0[view].seen.is_some()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_settled_while_nothing_is_shown_and_nothing_has_been_since_it_was_opened() {
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
        assert!(!look(&|| coherence.show(|| ())), "what was acquired may be of before and after");
        assert!(look(&|| ()));
        coherence.show(|| assert!(!look(&|| ())));
        assert!(look(&|| ()));
    }

    #[test]
    fn the_sources_are_notified_when_the_last_delivery_has_ended_and_the_cycles_when_all_is_shown() {
        let (coherence, trigger) = (Coherence::default(), Arc::new(Wakeup::new()));
        coherence.notify(vec![trigger.clone()]);
        let generations = || [coherence.wakeup.generation(), trigger.generation()];
        let before = generations();
        coherence.begin_delivery();
        coherence.begin_delivery();
        assert_eq!(coherence.delivered(), None);
        coherence.end_delivery();
        assert_eq!((coherence.delivered(), generations()), (None, before));
        coherence.end_delivery();
        let (delivered, after) = (coherence.delivered().unwrap(), generations());
        assert!(after[0] != before[0] && after[1] == before[1] && coherence.is_all(delivered));
        coherence.show(|| assert_eq!(generations(), after));
        assert!(generations()[0] == after[0] && generations()[1] != after[1]);
        coherence.begin_delivery();
        assert!(!coherence.is_all(delivered));
    }

    #[test]
    fn the_count_of_beginnings_wraps_around_without_a_trace() {
        let activity = Activity(AtomicU64::new(!GOING_ON));
        activity.begin();
        assert_eq!(activity.settled(), None);
        assert!(activity.end());
        assert_eq!(activity.settled(), Some(Settled(0)));
    }
}

/// Run with `RUSTFLAGS="--cfg loom" cargo test -p hemiola-runtime --lib coherence`. What is shown
/// is checked with real snapshots, in `blackboard/model.rs`.
#[cfg(all(test, loom))]
mod model {
    use hemiola_bus::exchange::latest;
    use loom::thread;

    use super::*;

    #[test]
    fn loom_what_is_delivered_together_is_taken_together() {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let coherence = Arc::new(Coherence::default());
            let [(mut pose, mut pose_taken), (mut ball, mut ball_taken)] = [(); 2].map(|()| latest(|| 0));
            let feeder = coherence.clone();
            let feeding = thread::spawn(move || {
                for run in 1..=2 {
                    feeder.begin_delivery();
                    for value in [&mut pose, &mut ball] {
                        feeder.begin_delivery();
                        value.with_back(|value| *value = run);
                        value.publish();
                        feeder.end_delivery();
                    }
                    feeder.end_delivery();
                }
            });
            for _ in 0..3 {
                let Some(delivered) = coherence.delivered() else { continue };
                let taken = [&mut pose_taken, &mut ball_taken].map(|value| {
                    value.take();
                    value.with_front(|value| *value)
                });
                if coherence.is_all(delivered) {
                    assert_eq!(taken[0], taken[1]);
                }
            }
            feeding.join().unwrap();
        });
    }
}
