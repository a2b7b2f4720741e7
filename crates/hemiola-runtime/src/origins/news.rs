//! The provenance of messages, and of silence, for whoever passes messages on to another process.
//!
//! # Protocol
//! How long news takes counts from the end of the first run of a publisher that was not heard of.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | publisher | if its run before was heard of, notes that this one ends now | the end of the run, which is released, comes after it |
//! | publisher | notes that the run has ended | |
//! | publisher | notifies, unless the listener has heard of the first of the latest runs that were all the same | |
//! | listener | looks which run has ended | acquire: whoever sees the end sees the time |
//! | listener | has heard of a run: reads the time, then notes that it has heard | release: the time is read before it is written again |
//!
//! A run that ends between a look and that last step may not be seen to be the first one: then the
//! time is of an earlier run. No run that was not seen at a look had ended by then, so the time of
//! that look counts if it is the later one. So no time is later than the end of the first run, but
//! for the moment that it takes until another processor sees a store.
//!
//! Two runs are the same for a listener if the later one has published nothing, and derives from no
//! newer sample: then it is no news, and the publisher, which is on a real-time thread, wakes
//! nobody for it. A run without a message that derives from a newer sample is news, because it says
//! how far the silence reaches: it makes the system call by which a sleeping listener is woken. A
//! listener that learned nothing, because it was held up, has not noted that it has heard of a run,
//! and is notified of the next one, whatever that is.
//!
//! The loom models below run this code.

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_realtime::Wakeup;
use hemiola_trace::Ticks;

use super::{OriginReader, PUBLISHERS, TopicOrigins};
use crate::blackboard::feedback::{Entrance, Shape};
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// The end of a topic that reports from which samples its messages derive, for whoever passes them
/// on to another process, such as a link:
/// [`RobotHandle::topic_news`](crate::RobotHandle::topic_news).
///
/// Whoever has this looks, receives all messages that are there, and then hears from which samples
/// these, and the absence of others, derive.
///
/// ```
/// use hemiola_realtime::Wakeup;
/// use std::sync::Arc;
///
/// # fn pass_on(robot: &hemiola_runtime::RobotHandle) {
/// let event = Arc::new(Wakeup::new()); // notified when a run has ended that may have published
/// if let Some(mut news) = robot.topic_news("Whistle", event) {
///     news.want(true);
///     news.look();
///     // ... receives and sends all messages ...
///     let stamp = news.hear().map(|news| news.stamp); // they reflect the world up to this time
/// }
/// # }
/// ```
pub struct TopicNews {
    reader: OriginReader,
    listener: Arc<Listener>,
    /// The time of the present look.
    looked: Ticks,
    /// The last run of each publisher that was heard of, and the time of that look.
    heard: [(u64, Option<Ticks>); PUBLISHERS],
    told: Option<Time>,
}

/// News about a topic: see [`TopicNews`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct News {
    /// The time of the newest sample from which messages, or silence, derive.
    pub stamp: Time,
    /// The time at which the first run ended to which this applies, if it is known.
    pub since: Option<Ticks>,
}

impl TopicNews {
    /// Creates the end of a topic that is notified by `event`; returns `None` if there are too
    /// many. Allocates.
    pub(crate) fn new(topic: Arc<TopicOrigins>, shape: Shape, event: Arc<Wakeup>) -> Option<Self> {
        let listener = Arc::new(Listener { event, is_wanted: AtomicBool::new(false), runs: Default::default() });
        let reader = OriginReader::new(topic.clone(), shape, Entrance::default());
        let news = Self { reader, listener, looked: Ticks(0), heard: [(0, None); PUBLISHERS], told: None };
        topic.add(&news.listener).then_some(news)
    }

    /// Sets whether anybody wants news; at first nobody does.
    pub fn want(&mut self, is_wanted: bool) {
        self.listener.is_wanted.store(is_wanted, Ordering::Relaxed);
        // Nobody has noted when runs ended meanwhile.
        self.heard.iter_mut().for_each(|(_, looked)| *looked = None);
        self.told = None;
    }

    /// Prepares for receiving messages.
    pub fn look(&mut self) {
        self.looked = Ticks::now();
        self.reader.look();
    }

    /// Returns what all messages until now derive from, after all of them were received; `None` if
    /// that is no news.
    pub fn hear(&mut self) -> Option<News> {
        // Only runs that have ended count.
        self.reader.hear(|_| 0, &mut |_, _| {});
        let since = self.note_heard();
        let stamp = self.reader.heard().latest()?;
        (self.told.replace(stamp) != Some(stamp)).then_some(News { stamp, since })
    }

    /// Notes which runs were heard of, and returns the time at which the first of these ended that
    /// were not heard of before.
    fn note_heard(&mut self) -> Option<Ticks> {
        let mut first: Option<Ticks> = None;
        for ((heard, looked), (latest, run)) in
            self.heard.iter_mut().zip(self.reader.latest.iter().zip(&self.listener.runs))
        {
            if latest <= heard {
                continue;
            }
            let noted = Ticks(run.ends.load(Ordering::Relaxed));
            let since = looked.replace(self.looked).map(|looked| looked.max(noted));
            first = first.into_iter().chain(since).min();
            *heard = *latest;
            run.heard.store(*latest, Ordering::Release);
        }
        first
    }
}

/// A party that is notified when a run has ended that may have published to a topic. Notifying it
/// makes a system call only if a thread sleeps on the event.
pub struct Listener {
    event: Arc<Wakeup>,
    is_wanted: AtomicBool,
    /// The runs of each publisher.
    runs: [Heard; PUBLISHERS],
}

/// The runs of a publisher that a listener has heard of.
#[derive(Default)]
struct Heard {
    /// The last of them.
    heard: AtomicU64,
    /// The time, in ticks, at which the run after that ended.
    ends: AtomicU64,
}

impl Listener {
    /// Notes that this run of the publisher at that place ends now, before that can be seen.
    pub fn note_end(&self, place: usize, run: u64) {
        let known = self.runs.get(place).filter(|_| self.is_wanted.load(Ordering::Relaxed));
        if let Some(Heard { heard, ends }) = known
            && heard.load(Ordering::Acquire) + 1 >= run
        {
            ends.store(Ticks::now().0, Ordering::Relaxed);
        }
    }

    /// Notifies of a run that has ended, of the publisher at that place: all of its runs from
    /// `first` to this one were the same.
    pub fn notify(&self, place: usize, first: u64) {
        // Relaxed: a listener that has just heard is notified once more than necessary.
        let has_heard = |known: &Heard| known.heard.load(Ordering::Relaxed) >= first;
        if self.is_wanted.load(Ordering::Relaxed) && !self.runs.get(place).is_some_and(has_heard) {
            self.event.notify_one();
        }
    }
}

/// The latest runs of a publisher that were the same for a listener. Only for the publisher.
#[derive(Default)]
pub struct Monotony {
    /// The newest sample from which the run derives that has begun, and that from which these runs
    /// derive.
    present: AtomicU64,
    newest: AtomicU64,
    /// The number of the message after these runs.
    next: AtomicU64,
    /// The first of these runs; 0 if there was none yet.
    first: AtomicU64,
}

impl Monotony {
    /// Notes the newest sample from which a run derives that begins.
    pub fn begin(&self, newest: Option<Time>) {
        let newest = newest.map_or(i64::MIN, Time::nanoseconds);
        self.present.store(newest as u64, Ordering::Relaxed);
    }

    /// Notes that this run has ended, and the number of the next message. Returns the first of the
    /// runs that were the same as this one.
    pub fn end(&self, run: u64, next: u64) -> u64 {
        let (newest, first) = (self.present.load(Ordering::Relaxed), self.first.load(Ordering::Relaxed));
        if first != 0 && (newest, next) == (self.newest.load(Ordering::Relaxed), self.next.load(Ordering::Relaxed)) {
            return first;
        }
        self.newest.store(newest, Ordering::Relaxed);
        self.next.store(next, Ordering::Relaxed);
        self.first.store(run, Ordering::Relaxed);
        run
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use hemiola_model::module::Place;
    use hemiola_trace::ExchangeId;

    use super::*;
    use crate::blackboard::provenance::Provenance;
    use crate::origins::{OriginWriter, Origins};

    fn sampled(second: i64) -> Provenance {
        let mut provenance = Provenance::none(2);
        provenance.include(1, Time::from_nanoseconds(second * 1_000_000_000));
        provenance
    }

    #[test]
    fn every_run_with_a_newer_sample_is_news_and_counts_from_the_first_that_was_not_told() {
        let origins = Origins::default();
        let writer = OriginWriter::new(origins.of("Whistle"), Place::Cycle(0), 2, ExchangeId(3)).unwrap();
        let event = Arc::new(Wakeup::new());
        let before_all = event.generation();
        let mut news = TopicNews::new(origins.of("Whistle"), 2_usize.into(), event.clone()).unwrap();
        let run = |second| {
            writer.begin(70, 0, &sampled(second));
            writer.end(0);
        };
        run(1);
        assert_eq!(event.generation(), before_all, "nobody wants news");
        news.want(true);
        let mut heard = || {
            news.look();
            news.hear().map(|News { stamp, since }| (stamp.nanoseconds() / 1_000_000_000, since))
        };
        assert_eq!(heard(), Some((1, None)), "it was not noted when that run ended");
        assert_eq!(heard(), None);
        let before = Ticks::now();
        run(2);
        let between = Ticks::now();
        run(3);
        let (stamp, since) = heard().unwrap();
        assert_eq!(stamp, 3);
        assert!(since.is_some_and(|since| before <= since && since <= between), "{since:?}");
        run(3);
        assert_eq!(heard(), None, "the same sample");
        let before = Ticks::now();
        run(4);
        assert!(heard().unwrap().1.is_some_and(|since| since >= before), "the run without news does not count");
        assert!(event.generation() != before_all);
    }

    #[test]
    fn nobody_is_woken_by_a_run_that_is_the_same_as_one_that_was_heard_of() {
        let origins = Origins::default();
        let writer = OriginWriter::new(origins.of("Whistle"), Place::Cycle(0), 2, ExchangeId(3)).unwrap();
        let event = Arc::new(Wakeup::new());
        let mut news = TopicNews::new(origins.of("Whistle"), 2_usize.into(), event.clone()).unwrap();
        news.want(true);
        // Each run begins with message `first`, and ends before message `next`.
        let is_notified = |second, first, next| {
            let before = event.generation();
            writer.begin(70, first, &sampled(second));
            writer.end(next);
            event.generation() != before
        };
        let mut hear = || {
            news.look();
            _ = news.hear();
        };
        assert!(is_notified(1, 0, 0));
        assert!(is_notified(1, 0, 0), "it was not heard of yet");
        hear();
        assert!(!is_notified(1, 0, 0) && !is_notified(1, 0, 0));
        assert!(is_notified(2, 0, 0), "a newer sample");
        hear();
        assert!(!is_notified(2, 0, 0));
        assert!(is_notified(2, 0, 1), "a message");
        hear();
        assert!(!is_notified(2, 1, 1));
        let silent = Provenance::none(2);
        writer.begin(70, 1, &silent);
        let before = event.generation();
        writer.end(1);
        assert!(event.generation() != before, "nothing is known any more");
    }

    #[test]
    fn there_is_a_limited_number_of_listeners() {
        let origins = Origins::default();
        let add = || TopicNews::new(origins.of("Whistle"), 1_usize.into(), Arc::new(Wakeup::new()));
        assert!((0..crate::origins::LISTENERS).all(|_| add().is_some()));
        assert!(add().is_none());
    }
}

/// Tries every interleaving of the protocol, up to a number of preemptions:
/// `RUSTFLAGS="--cfg loom" cargo test -p hemiola-runtime --lib origins`
#[cfg(all(test, loom))]
mod tests {
    use hemiola_model::module::Place;
    use hemiola_trace::ExchangeId;
    use loom::sync::Mutex;
    use loom::thread;

    use super::*;
    use crate::blackboard::provenance::Provenance;
    use crate::origins::{OriginWriter, Origins};

    const PLACE: usize = 0;

    fn sampled(second: u64) -> Provenance {
        let mut provenance = Provenance::none(1);
        provenance.include(0, Time::from_nanoseconds(second as i64));
        provenance
    }

    fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(preemptions);
        model.check(check);
    }

    /// Creates both ends of a topic whose news somebody wants.
    fn ends() -> (OriginWriter, TopicNews) {
        let origins = Origins::default();
        let writer = OriginWriter::new(origins.of("Whistle"), Place::Cycle(0), 1, ExchangeId(0)).unwrap();
        let mut news = TopicNews::new(origins.of("Whistle"), 1_usize.into(), Arc::new(Wakeup::new())).unwrap();
        news.want(true);
        (writer, news)
    }

    /// The listener is told the latest run that had ended when it looked, of runs that are all
    /// news: the time that it reads is not later than the end of the first run that it had not
    /// heard of. (The time of its last look may be: the end of a run is seen a moment after it.)
    #[test]
    fn loom_no_news_counts_from_later_than_the_end_of_its_first_run() {
        model(3, || {
            let (writer, mut news) = ends();
            // The time before which each run ended.
            let ended = loom::sync::Arc::new(Mutex::new(vec![0; 4]));
            let publisher = {
                let ended = ended.clone();
                thread::spawn(move || {
                    for run in 1..=2 {
                        writer.begin(run, 0, &sampled(u64::from(run)));
                        writer.end(0);
                        ended.lock().unwrap()[run as usize] = Ticks::now().0;
                    }
                    writer
                })
            };
            let (mut first, mut last_look) = (1, None);
            for _ in 0..2 {
                news.look();
                let Some(News { stamp, since }) = news.hear() else { continue };
                let run = stamp.nanoseconds() as usize;
                assert!(run >= first, "run {run} was told before");
                let end = ended.lock().unwrap()[first];
                // A run that was seen to have ended may not have noted that here yet.
                let is_right = |since: Ticks| end == 0 || since.0 <= end || Some(since) == last_look;
                assert!(since.is_none_or(is_right), "run {first} ended at {end}, not at {since:?}");
                (first, last_look) = (run + 1, Some(news.looked));
            }
            drop(publisher.join().unwrap());
        });
    }

    /// A publisher whose runs become the same wakes the listener until that has heard of the first
    /// of these: nothing new is ever left untold.
    #[test]
    fn loom_whoever_sleeps_has_heard_of_everything_new() {
        model(2, || {
            let (writer, mut news) = ends();
            let (event, listener) = (news.listener.event.clone(), news.listener.clone());
            let publisher = thread::spawn(move || {
                for (run, second) in [(1, 1), (2, 2), (3, 2)] {
                    writer.begin(run, 0, &sampled(second));
                    writer.end(0);
                }
                writer
            });
            // A lost notification is a sleep without end, which loom reports.
            let mut told = 0;
            while told < 2 {
                let seen = event.generation();
                news.look();
                match news.hear() {
                    Some(News { stamp, .. }) => told = stamp.nanoseconds(),
                    None => _ = event.wait(seen, None),
                }
            }
            let heard = listener.runs[PLACE].heard.load(Ordering::Relaxed);
            assert!(heard >= 2, "{heard}");
            drop(publisher.join().unwrap());
        });
    }
}
