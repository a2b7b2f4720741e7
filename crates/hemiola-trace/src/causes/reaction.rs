//! The causes of a latency across cycles, from a sensor's sample to an output.

use super::history::{Arrived, History, Publisher, RunEvents};
use crate::{
    catalog::{source_of_messages, topic_of},
    clock::Ticks,
    ids::{CycleId, ExchangeId, SourceId, TaskId},
};

/// The kind of a chain's latency: see [`ChainStatistics`](crate::ChainStatistics).
///
/// ```
/// assert_eq!(hemiola_trace::causes::Latency::DataAge.to_string(), "data age");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Latency {
    /// The time from a change just after a sample to the first output that reflects it.
    Reaction,
    /// The time from the oldest sample that an output rests on to that output.
    DataAge,
}

impl std::fmt::Display for Latency {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Reaction => "reaction time",
            Self::DataAge => "data age",
        })
    }
}

/// An output of a chain, and the time that it took: [`History::reactions`].
///
/// ```
/// use hemiola_trace::{Ticks, causes::Reaction};
///
/// let reaction = Reaction { changed: Ticks(10), sampled: Ticks(43), output: Ticks(60) };
/// assert_eq!(reaction.ticks(), 50);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reaction {
    /// The time at which the world changed: that of the previous sample. For a data age, it equals
    /// `sampled`.
    pub changed: Ticks,
    /// The time at which the sample was acquired on which the output rests.
    pub sampled: Ticks,
    /// The time of the output.
    pub output: Ticks,
}

impl Reaction {
    /// Returns the length of the latency.
    pub const fn ticks(&self) -> u64 {
        self.output.since(self.changed)
    }
}

/// A part of the path from a sensor to an output: [`History::hops`].
///
/// ```
/// use hemiola_trace::{Ticks, causes::{Hop, Step}};
///
/// assert_eq!(Hop { begin: Ticks(10), end: Ticks(43), step: Step::Sample }.ticks(), 33);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hop {
    /// The begin of the hop.
    pub begin: Ticks,
    /// The end of the hop, which is the begin of the next one.
    pub end: Ticks,
    /// The step that took place in the hop.
    pub step: Step,
}

impl Hop {
    /// Returns the length of the hop.
    pub const fn ticks(&self) -> u64 {
        self.end.since(self.begin)
    }
}

/// A step of a change in the world on its way to an output.
///
/// See [`Hop`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The next sample of the sensor.
    Sample,
    /// The wait of available data until a run of the reading cycle is due.
    Release {
        /// The cycle.
        cycle: CycleId,
        /// The run of that cycle.
        run: u32,
    },
    /// The use of data by runs after the one that read it first, because nothing newer arrived.
    Kept {
        /// The reading cycle.
        cycle: CycleId,
        /// The run that read it first.
        first: u32,
        /// The run that used it here.
        run: u32,
    },
    /// A run, from its release until it published, or acted.
    Run {
        /// The cycle.
        cycle: CycleId,
        /// The run.
        run: u32,
    },
    /// Events of this time were lost.
    Unknown,
}

/// A run of a cycle as a station on the path of data.
#[derive(Clone, Copy, Debug)]
struct Station {
    cycle: CycleId,
    run: u32,
    /// The run that first read what this one uses: an earlier one if nothing newer arrived.
    first: u32,
    /// The time at which that run read it.
    taken: Ticks,
    /// The time at which this run published, or acted.
    done: Ticks,
    /// Set if it published messages instead of values.
    tells: bool,
}

/// The begin of a chain, and whether its first station reads messages.
struct ChainBegin {
    source: SourceId,
    by_messages: bool,
}

/// The maximum number of stations of a path; data that goes in circles passes the same ones again
/// and again.
const MOST_STATIONS: usize = 8;

impl History {
    /// Returns the outputs of a chain in the order of time, with their latencies.
    ///
    /// Sample times are on the robot's clock, which is assumed to run at the rate of the machine's
    /// clock, so this is only for robots that run in real time.
    pub fn reactions(&self, source: SourceId, output: TaskId, latency: Latency) -> Vec<Reaction> {
        let arrivals = self.arrivals.get(&(source, output)).map_or(&[][..], Vec::as_slice);
        let before = |arrived: &Arrived, age: u64| {
            Ticks(arrived.at.0.saturating_sub(self.scale.ticks_in(std::time::Duration::from_nanos(age))))
        };
        let ages = arrivals.iter().map(|arrived| {
            let sampled = before(arrived, arrived.oldest_age.nanoseconds());
            Reaction { changed: sampled, sampled, output: arrived.at }
        });
        let reactions = arrivals.windows(2).filter(|pair| pair[1].newest > pair[0].newest).map(|pair| {
            let age = pair[1].newest_age.nanoseconds();
            let sampled = before(&pair[1], age);
            let changed = before(&pair[1], age.saturating_add(pair[1].newest.0 - pair[0].newest.0));
            Reaction { changed, sampled, output: pair[1].at }
        });
        match latency {
            Latency::DataAge => ages.collect(),
            Latency::Reaction => reactions.collect(),
        }
    }

    /// Returns what an output waited for since the world changed, hop by hop, without gaps. If the
    /// sample may have taken several paths, the path on which it was read first is returned.
    pub fn hops(&self, source: SourceId, output: TaskId, reaction: Reaction) -> Vec<Hop> {
        let mut hops = Vec::new();
        let mut at = reaction.changed;
        let mut advance = |to: Ticks, step| {
            let to = to.clamp(at, reaction.output.max(at));
            if to > at {
                hops.push(Hop { begin: at, end: to, step });
            }
            at = to;
        };
        advance(reaction.sampled, Step::Sample);
        for Station { cycle, run, first, taken, done, .. } in self.way(source, output, reaction).unwrap_or_default() {
            let begin = |run| self.runs.get(&(cycle, run)).and_then(|events: &RunEvents| events.begin);
            let due = |run| begin(run).map_or(taken, |(.., due, _)| due);
            advance(due(first), Step::Release { cycle, run: first });
            if first != run {
                advance(due(run), Step::Kept { cycle, first, run });
            }
            advance(done, Step::Run { cycle, run });
        }
        advance(reaction.output, Step::Unknown);
        hops
    }

    fn begin_of(&self, source: SourceId) -> ChainBegin {
        let names = self.catalog.read();
        let told = names.source(source).and_then(source_of_messages);
        let told = told.and_then(|told| names.sources().find(|(_, name)| *name == told));
        ChainBegin { source: told.map_or(source, |(told, _)| told), by_messages: told.is_some() }
    }

    fn is_of_topic(&self, exchange: ExchangeId) -> bool {
        self.catalog.read().exchange(exchange).is_some_and(|exchange| topic_of(&exchange.name).is_some())
    }

    /// Returns the stations of a sample, beginning with the one that read it first.
    fn way(&self, source: SourceId, output: TaskId, reaction: Reaction) -> Option<Vec<Station>> {
        let cycle = self.catalog.read().task(output)?.cycle;
        let put_out =
            |events: &RunEvents| events.tasks.iter().any(|slice| slice.task == output && slice.end == reaction.output);
        let mut runs = self.runs.range((cycle, 0)..=(cycle, u32::MAX));
        let (&(_, run), events) = runs.find(|(_, events)| put_out(events))?;
        let (.., taken) = events.begin?;
        let mut found = Vec::new();
        let last = Station { cycle, run, first: run, taken, done: reaction.output, tells: false };
        let begin = self.begin_of(source);
        self.follow(&begin, reaction.sampled, &mut vec![last], &mut found);
        // Of the paths on which the sample was read first, the shortest one counts; the stations
        // were found from the output backwards.
        let mut way = found.into_iter().min_by_key(|way| (way.last().map(|first| first.taken), way.len()))?;
        way.reverse();
        Some(way)
    }

    /// Continues backwards from the last station.
    fn follow(&self, begin: &ChainBegin, sampled: Ticks, way: &mut Vec<Station>, found: &mut Vec<Vec<Station>>) {
        let Some(&Station { cycle, run, .. }) = way.last() else { return };
        let reader = way.len() - 1;
        let exchanges = (cycle, ExchangeId(0))..=(cycle, ExchangeId(u16::MAX));
        for (&(_, exchange), takes) in self.takes.range(exchanges) {
            let Some((&first, &(published, at))) = takes.range(..=run).next_back() else { continue };
            if at < sampled {
                continue;
            }
            (way[reader].first, way[reader].taken) = (first, at);
            match self.publisher(exchange, cycle) {
                Publisher::Source(publisher) if publisher == begin.source => {
                    let by_messages = self.is_of_topic(exchange) || way.iter().any(|station| station.tells);
                    if by_messages == begin.by_messages {
                        found.push(way.clone());
                    }
                }
                Publisher::Cycle(publisher) if publisher != cycle && way.len() < MOST_STATIONS => {
                    let tells = self.is_of_topic(exchange);
                    if tells && !begin.by_messages {
                        continue;
                    }
                    let Some(&done) = self.publications.get(&(exchange, published)) else { continue };
                    let taken = self.runs.get(&(publisher, published)).and_then(|events| events.begin);
                    let Some((.., taken)) = taken else { continue };
                    way.push(Station { cycle: publisher, run: published, first: published, taken, done, tells });
                    self.follow(begin, sampled, way, found);
                    way.pop();
                }
                _ => {}
            }
        }
    }
}
