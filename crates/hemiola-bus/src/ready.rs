//! The set of an executor's callbacks that have something to do: any thread adds to it, the
//! executor takes from it.
//!
//! # Protocol
//! A bit per callback, 63 of them to a word; the word's last bit is set while the executor sleeps.
//!
//! | who | step | effect |
//! |---|---|---|
//! | sender | S1 | numbers its message, and puts it where the callback finds it |
//! | | S2 | sets the callback's bit, then checks whether the executor sleeps |
//! | | S3 | if so, and nobody has woken it from this sleep: wakes it, then notes that this sleep is over |
//! | executor | E1 | takes all bits of a word (swaps in zero), looks for messages, runs callbacks |
//! | | E2 | nothing left: reads the wake-up's generation, gives the sleep a number |
//! | | E3 | sets the sleeping bit of every word, and sees in the same instruction whether a callback's bit is set: if so, E5 |
//! | | E4 | sleeps, unless the generation has moved |
//! | | E5 | E1: which clears the sleeping bits, too |
//!
//! S2 releases and E1 acquires: a message is there when its bit is. No wake-up is lost, because S2
//! and E3 change the same word: if S2 came first, E3 sees its bit; if E3 did, S2 sees the sleeping
//! bit. Then S3 reads the number that E2 gave (or a later one), and if it is noted as over,
//! somebody has woken the executor after E2 read the generation: E4 ends, and E1 finds the bit. A
//! thread that is preempted between S2 and S3 delays only itself: the next sender sees the sleeping
//! bit as well, and wakes.
//!
//! So a send costs two additions to words of one line while the executor is awake (the second is
//! for its place in the order of arrival), and all sends together one system call per sleep.
//!
//! # Order of arrival
//! One counter per executor numbers whatever arrives, from whichever thread: the number is a place
//! in line. A queue of a topic keeps the number beside each message, a mailbox beside each call or
//! request, written before S1 and so seen with the message. What else raises a signal shares one
//! number, that of the oldest time it was raised since its callback began to look
//! ([`Ready::oldest`]). The numbers only choose among what is there: a thread that took one and is
//! preempted before S2 delays nobody. So all of this is relaxed.

use std::fmt;
use std::hint::spin_loop;

use hemiola_realtime::{Generation, MonotonicTime, Reason, Wakeup, monotonic_now};

use crate::sync::{Arc, AtomicU64, Ordering};

/// The number of callbacks that an executor has at most. Those of one topic that share a priority
/// count as one.
pub(crate) const CAPACITY: usize = PER_WORD * WORDS - 1;

/// The bit that is set while there are commands.
pub(crate) const COMMANDS: usize = CAPACITY;

const PER_WORD: usize = 63;
const WORDS: usize = if cfg!(loom) { 1 } else { 4 };
const ASLEEP: u64 = 1 << 63;

/// The executor's end of the set.
pub(crate) struct ReadySet {
    shared: Arc<Shared>,
}

/// Notifies an executor that one of its callbacks has something to do. A clone notifies the same
/// callback. Only executors create it.
///
/// ```
/// use hemiola_bus::{Ready, Signal};
///
/// fn signal(ready: Ready) -> Signal {
///     Signal::Ready(ready) // a publisher raises it after each message
/// }
/// ```
#[derive(Clone)]
pub struct Ready {
    shared: Arc<Shared>,
    word: usize,
    bit: u64,
    /// The number of the oldest arrival, where nothing keeps a number beside what arrived, or
    /// [`NONE`].
    oldest: Arc<AtomicU64>,
}

/// The number that stands for no arrival.
const NONE: u64 = u64::MAX;

#[repr(align(128))]
struct Shared {
    words: [AtomicU64; WORDS],
    /// The number of messages, calls and ticks that have arrived.
    arrivals: AtomicU64,
    /// The number of the executor's latest sleep. `woken` is the number of the latest sleep from
    /// which it was woken.
    sleep: AtomicU64,
    woken: AtomicU64,
    /// The wake-up that ends the executor's sleep. It is shared with the clock, which notifies it
    /// when it is set.
    wakeup: std::sync::Arc<Wakeup>,
}

impl ReadySet {
    pub(crate) fn new() -> Self {
        Self {
            shared: Arc::new(Shared {
                words: std::array::from_fn(|_| AtomicU64::new(0)),
                arrivals: AtomicU64::new(0),
                sleep: AtomicU64::new(0),
                woken: AtomicU64::new(0),
                wakeup: std::sync::Arc::new(Wakeup::new()),
            }),
        }
    }

    /// Returns the end that sets the bit of callback `index`.
    pub(crate) fn ready(&self, index: usize) -> Ready {
        Ready::new(&self.shared, index)
    }

    /// Returns the number of what arrives now.
    #[inline]
    pub(crate) fn arrive(&self) -> u64 {
        self.shared.arrive()
    }

    /// Returns the wake-up that ends the executor's sleep.
    pub(crate) fn wakeup(&self) -> &std::sync::Arc<Wakeup> {
        &self.shared.wakeup
    }

    /// The number of words to be taken.
    pub(crate) const WORDS: usize = WORDS;

    /// Takes the bits of a word and returns the numbers of the callbacks to which they belong (step
    /// E1).
    #[inline]
    pub(crate) fn take(&self, number: usize) -> impl Iterator<Item = usize> + use<> {
        let word = &self.shared.words[number];
        let mut bits = match word.load(Ordering::Relaxed) {
            0 => 0,
            _ => word.swap(0, Ordering::AcqRel) & !ASLEEP,
        };
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(number * PER_WORD + bit)
        })
    }

    /// Returns whether there are bits to be taken, other than that of callback `index`.
    #[inline]
    pub(crate) fn has_others_than(&self, index: usize) -> bool {
        self.is_touched() && self.has_set(index)
    }

    #[inline(never)]
    fn has_set(&self, except: usize) -> bool {
        let others = |number| if number == except / PER_WORD { !(1 << (except % PER_WORD)) } else { !0 };
        let mut words = self.shared.words.iter().enumerate();
        words.any(|(number, word)| word.load(Ordering::Relaxed) & others(number) != 0)
    }

    /// Returns whether any word is not zero, so that there may be something to take.
    #[inline]
    pub(crate) fn is_touched(&self) -> bool {
        // Relaxed: it decides only whether to check further. A bit that is set a moment later is
        // seen at the next check, or by E3.
        self.shared.words.iter().fold(0, |bits, word| bits | word.load(Ordering::Relaxed)) != 0
    }

    /// Spins until a bit is set or the wake-up is notified after `seen`, but not beyond `until`.
    /// Returns whether there is something.
    pub(crate) fn spin(&self, seen: Generation, until: MonotonicTime) -> bool {
        const LOOKS_PER_CLOCK: u32 = 16;
        loop {
            for _ in 0..LOOKS_PER_CLOCK {
                let any = self.shared.words.iter().any(|word| word.load(Ordering::Relaxed) & !ASLEEP != 0);
                if any || self.generation() != seen {
                    return true;
                }
                spin_loop();
            }
            if monotonic_now() >= until {
                return false;
            }
        }
    }

    /// Returns the generation that [`ReadySet::sleep`] needs. It must be read before the last check
    /// of what else could end the sleep, such as the clock.
    pub(crate) fn generation(&self) -> Generation {
        self.shared.wakeup.generation()
    }

    /// Sleeps until a bit is set, the wake-up is notified after `seen`, or `deadline` has passed
    /// (steps E2 to E4).
    pub(crate) fn sleep(&self, seen: Generation, deadline: Option<MonotonicTime>) -> Reason {
        let Shared { words, sleep, wakeup, .. } = &*self.shared;
        // Only the executor writes it. Relaxed: whoever sees a sleeping bit sees this, for E3
        // releases.
        let number = sleep.load(Ordering::Relaxed) + 1;
        sleep.store(number, Ordering::Relaxed);
        for word in words {
            if word.fetch_or(ASLEEP, Ordering::AcqRel) & !ASLEEP != 0 {
                return Reason::Signalled;
            }
        }
        wakeup.wait(seen, deadline)
    }
}

impl fmt::Debug for Ready {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self.word * PER_WORD + self.bit.trailing_zeros() as usize;
        formatter.debug_tuple("Ready").field(&index).finish()
    }
}

impl Shared {
    #[inline]
    fn arrive(&self) -> u64 {
        self.arrivals.fetch_add(1, Ordering::Relaxed)
    }
}

impl Ready {
    fn new(shared: &Arc<Shared>, index: usize) -> Self {
        Self {
            shared: shared.clone(),
            word: index / PER_WORD,
            bit: 1 << (index % PER_WORD),
            oldest: Arc::new(AtomicU64::new(NONE)),
        }
    }

    /// Marks the callback as one that has something to do. Must be called after its message is
    /// where the callback finds it. Wait-free.
    #[inline]
    pub fn raise(&self) {
        self.note_arrival();
        self.tell();
    }

    /// Returns the number of what arrives now, to be kept beside what arrived.
    #[inline]
    pub(crate) fn arrive(&self) -> u64 {
        self.shared.arrive()
    }

    /// Numbers what arrives now, and keeps the number if it is the oldest.
    #[inline]
    pub(crate) fn note_arrival(&self) {
        if self.oldest.load(Ordering::Relaxed) == NONE {
            self.note_oldest(self.arrive());
        }
    }

    /// Keeps the number of an arrival if it is the oldest.
    #[inline]
    pub(crate) fn note_oldest(&self, arrival: u64) {
        self.oldest.fetch_min(arrival, Ordering::Relaxed);
    }

    /// Returns the oldest arrival that was noted and not forgotten since.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<u64> {
        Some(self.oldest.load(Ordering::Relaxed)).filter(|&arrival| arrival != NONE)
    }

    /// Forgets the oldest arrival. Only for the receiver, before it checks what has arrived.
    #[inline]
    pub(crate) fn forget_oldest(&self) {
        self.oldest.store(NONE, Ordering::Relaxed);
    }

    /// Marks the callback as one that has something to do whose arrival is noted already.
    #[inline]
    pub(crate) fn tell(&self) {
        let word = &self.shared.words[self.word];
        word.fetch_or(self.bit, Ordering::AcqRel);
        // The instruction before does not use the old word, which would make it a loop. An executor
        // that has woken up since needs no waking; one that has gone to sleep since has seen the
        // bit, and is woken needlessly.
        if word.load(Ordering::Acquire) & ASLEEP != 0 {
            self.wake();
        }
    }

    /// Returns the end that sets the bit of callback `index` of the same executor.
    pub(crate) fn of(&self, index: usize) -> Self {
        Self::new(&self.shared, index)
    }

    /// Wakes the executor unless somebody has woken it from this sleep (step S3).
    #[cold]
    fn wake(&self) {
        let Shared { sleep, woken, wakeup, .. } = &*self.shared;
        let number = sleep.load(Ordering::Relaxed);
        if woken.load(Ordering::Acquire) != number {
            wakeup.notify_one();
            woken.store(number, Ordering::Release);
        }
    }
}

#[cfg(all(test, loom))]
mod model {
    use super::*;
    use crate::sync::AtomicUsize;

    /// Takes `messages` messages of two callbacks as an executor does, sleeping in between.
    fn drain(set: &ReadySet, queues: [&AtomicUsize; 2], messages: usize) {
        let mut taken = 0;
        while taken < messages {
            (0..WORDS)
                .flat_map(|word| set.take(word))
                .for_each(|index| taken += queues[index].swap(0, Ordering::Relaxed));
            if taken < messages {
                // There is no deadline: a lost wake-up is a deadlock, which the model reports.
                set.sleep(set.generation(), None);
            }
        }
    }

    #[test]
    fn loom_no_sender_leaves_the_executor_asleep() {
        // There are three threads and a lock in the wake-up: the model tries all interleavings with
        // at most three preemptions.
        let mut model = loom::model::Builder::new();
        model.preemption_bound = Some(3);
        model.check(|| {
            let set = ReadySet::new();
            let queues: [Arc<AtomicUsize>; 2] = std::array::from_fn(|_| Arc::new(AtomicUsize::new(0)));
            let senders: Vec<_> = (0..2)
                .map(|index| {
                    let (ready, queue) = (set.ready(index), queues[index].clone());
                    loom::thread::spawn(move || {
                        queue.fetch_add(1, Ordering::Relaxed);
                        ready.raise();
                    })
                })
                .collect();
            drain(&set, [&queues[0], &queues[1]], 2);
            senders.into_iter().for_each(|sender| sender.join().unwrap());
        });
    }

    #[test]
    fn loom_a_sender_that_comes_again_wakes_from_every_sleep() {
        loom::model(|| {
            let set = ReadySet::new();
            let queue = Arc::new(AtomicUsize::new(0));
            let sender = {
                let (ready, queue) = (set.ready(0), queue.clone());
                loom::thread::spawn(move || {
                    for _ in 0..2 {
                        queue.fetch_add(1, Ordering::Relaxed);
                        ready.raise();
                    }
                })
            };
            drain(&set, [&queue, &queue], 2);
            sender.join().unwrap();
        });
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn all(set: &ReadySet) -> impl Iterator<Item = usize> {
        (0..WORDS).flat_map(|word| set.take(word))
    }

    #[test]
    fn what_was_raised_is_taken_once_and_in_order() {
        let set = ReadySet::new();
        [200, 3, CAPACITY - 1, 3].into_iter().for_each(|index| set.ready(index).raise());
        let mut taken = Vec::new();
        taken.extend(all(&set));
        assert_eq!(taken, [3, 200, CAPACITY - 1]);
        assert_eq!(all(&set).next(), None, "taken before");
    }

    #[test]
    fn one_wake_up_ends_a_sleep_however_many_send() {
        let set = ReadySet::new();
        let before = set.generation();
        set.ready(0).raise();
        assert_eq!(set.generation(), before, "nobody sleeps: no wake-up");
        all(&set).for_each(|_| ());

        let seen = set.generation();
        std::thread::scope(|scope| {
            scope.spawn(|| set.sleep(seen, None));
            while set.shared.words[0].load(Ordering::Relaxed) & ASLEEP == 0 {
                std::thread::yield_now();
            }
            (0..5).for_each(|index| set.ready(index).raise());
        });
        let once = set.generation();
        assert_ne!(once, seen);
        set.ready(5).raise();
        assert_eq!(set.generation(), once, "the executor is on its way: it needs no second wake-up");
    }
}
