//! The readers of all rings, and the events in the rings at one moment.

use crate::{clock::Ticks, event::Event, ids::WorkerId, ring::RingReader};

/// A collector that drains the rings of all workers, in rounds: the one place that keeps their
/// readers.
///
/// ```
/// use hemiola_trace::{Collector, CycleId, Event, Ring, Ticks, WorkerId};
///
/// let mut ring = Ring::with_capacity(64);
/// let mut collector = Collector::default();
/// collector.add(WorkerId(0), ring.reader());
/// ring.push(Event::CycleEnd { cycle: CycleId(0), run: 0, at: Ticks::now() });
///
/// collector.drain(|worker, events, lost| assert_eq!((worker, events.len(), lost), (WorkerId(0), 1, 0)));
/// assert_eq!(collector.capture().events(WorkerId(0)).len(), 1, "a capture gets the past again");
/// ```
#[derive(Debug, Default)]
pub struct Collector {
    readers: Vec<(WorkerId, RingReader)>,
    events: Vec<Event>,
    /// The arrivals that were not handed out yet, because earlier ones may still come.
    arrivals: Vec<(Ticks, WorkerId, Event)>,
}

impl Collector {
    /// Adds the reader of a worker's ring. A worker that is restarted gets a new ring: both are
    /// drained until the old one is closed and empty.
    pub fn add(&mut self, worker: WorkerId, reader: RingReader) {
        self.readers.push((worker, reader));
    }

    /// Hands out the events since the last round, worker by worker, with the number of lost events.
    /// Workers without events are skipped. Then it hands out the arrivals of all workers, one by
    /// one in the order of their times, because any worker may record arrivals of a chain, and its
    /// reaction time is from one arrival to the next. Returns when the round began: everything that
    /// happened before has been handed out.
    ///
    /// An arrival is recorded before the next run of its cycle begins. So when a round begins, all
    /// arrivals earlier than those that have been drained have been drained as well; later ones
    /// wait for the next round.
    pub fn drain(&mut self, mut each: impl FnMut(WorkerId, &[Event], u64)) -> Ticks {
        let Self { readers, events, arrivals } = self;
        let begin = Ticks::now();
        readers.retain_mut(|(worker, reader)| {
            let closed = reader.is_closed();
            events.clear();
            let lost = reader.read(events);
            events.retain(|event| {
                let Event::Arrival { at, .. } = *event else { return true };
                arrivals.push((at, *worker, *event));
                false
            });
            if !events.is_empty() || lost > 0 {
                each(*worker, events, lost);
            }
            !closed
        });
        arrivals.sort_by_key(|(at, ..)| *at);
        let settled = arrivals.partition_point(|(at, ..)| *at <= begin);
        for (_, worker, event) in arrivals.drain(..settled) {
            each(worker, &[event], 0);
        }
        begin
    }

    /// Returns all events that the rings still hold, drained or not, without disturbing the writers
    /// or [`drain`](Self::drain).
    pub fn capture(&self) -> Capture {
        let mut capture = Capture::default();
        for (worker, reader) in &self.readers {
            let mut reader = reader.clone();
            reader.rewind();
            let mut events = Vec::new();
            // Events that a writer overwrites meanwhile are older than the capture.
            reader.read(&mut events);
            capture.insert(*worker, events);
        }
        capture
    }
}

/// The events of all workers in a time span, which can be written as a trace or drawn.
///
/// ```
/// use hemiola_trace::{Capture, CycleId, Event, Ticks, WorkerId};
///
/// let mut capture = Capture::default();
/// capture.insert(WorkerId(1), vec![Event::CycleEnd { cycle: CycleId(0), run: 0, at: Ticks(5) }]);
/// assert_eq!(capture.workers().count(), 1);
/// ```
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Capture {
    workers: Vec<(WorkerId, Vec<Event>)>,
}

impl Capture {
    /// Adds events of a worker, in the order of its ring and after its events so far.
    pub fn insert(&mut self, worker: WorkerId, events: Vec<Event>) {
        match self.workers.iter_mut().find(|(known, _)| *known == worker) {
            Some((_, known)) => known.extend(events),
            None => self.workers.push((worker, events)),
        }
    }

    /// Returns the events of a worker.
    pub fn events(&self, worker: WorkerId) -> &[Event] {
        self.workers.iter().find(|(known, _)| *known == worker).map_or(&[], |(_, events)| events)
    }

    /// Returns all workers and their events.
    pub fn workers(&self) -> impl Iterator<Item = (WorkerId, &[Event])> {
        self.workers.iter().map(|(worker, events)| (*worker, events.as_slice()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Age, CycleId, Ring, SourceId, Stamp, TaskId};

    fn event(run: u32) -> Event {
        Event::CycleEnd { cycle: CycleId(0), run, at: Ticks(u64::from(run)) }
    }

    fn drained(collector: &mut Collector) -> Vec<(WorkerId, usize, u64)> {
        let mut rounds = Vec::new();
        collector.drain(|worker, events, lost| rounds.push((worker, events.len(), lost)));
        rounds
    }

    #[test]
    fn a_round_hands_each_event_once_and_tells_the_losses() {
        let mut rings = [Ring::with_capacity(8), Ring::with_capacity(8)];
        let mut collector = Collector::default();
        rings.iter().zip(0..).for_each(|(ring, id)| collector.add(WorkerId(id), ring.reader()));
        (0..3).for_each(|run| rings[0].push(event(run)));
        (0..10).for_each(|run| rings[1].push(event(run)));
        assert_eq!(drained(&mut collector), [(WorkerId(0), 3, 0), (WorkerId(1), 7, 3)]);
        assert_eq!(drained(&mut collector), []);
    }

    #[test]
    fn arrivals_of_a_chain_come_in_order_whoever_tells_of_them() {
        let mut rings = [Ring::with_capacity(16), Ring::with_capacity(16)];
        let mut collector = Collector::default();
        rings.iter().zip(0..).for_each(|(ring, id)| collector.add(WorkerId(id), ring.reader()));
        let arrival = |at: Ticks, sample| {
            let (age, sample) = (Age(0), Stamp(sample));
            Event::Arrival {
                output: TaskId(0),
                source: SourceId(0),
                at,
                newest: sample,
                newest_age: age,
                oldest_age: age,
            }
        };
        (0..8).for_each(|run| rings[run as usize % 2].push(arrival(Ticks(run), run)));
        let coming = Ticks(u64::MAX);
        rings[0].push(arrival(coming, 9));
        rings[1].push(event(3));
        let mut told = Vec::new();
        collector.drain(|worker, events, _| told.push((worker, events.to_vec())));
        let in_order = (0..8).map(|run| (WorkerId(run as u16 % 2), vec![arrival(Ticks(run), run)]));
        let of_workers = (WorkerId(1), vec![event(3)]);
        assert_eq!(told, std::iter::once(of_workers).chain(in_order).collect::<Vec<_>>());
        assert_eq!(drained(&mut collector), [], "it is still to come");
    }

    #[test]
    fn the_last_events_of_a_worker_that_is_gone_are_not_lost() {
        let mut collector = Collector::default();
        let mut ring = Ring::with_capacity(8);
        collector.add(WorkerId(0), ring.reader());
        ring.push(event(0));
        drop(ring);
        assert_eq!(drained(&mut collector), [(WorkerId(0), 1, 0)]);
        assert!(collector.readers.is_empty());
    }

    #[test]
    fn a_capture_takes_nothing_from_the_next_round() {
        let mut collector = Collector::default();
        let mut ring = Ring::with_capacity(8);
        collector.add(WorkerId(0), ring.reader());
        ring.push(event(0));
        assert_eq!(collector.capture().events(WorkerId(0)), [event(0)]);
        assert_eq!(drained(&mut collector), [(WorkerId(0), 1, 0)]);
        assert_eq!(collector.capture().events(WorkerId(0)), [event(0)]);
        assert_eq!(collector.capture().events(WorkerId(7)), []);
    }
}
