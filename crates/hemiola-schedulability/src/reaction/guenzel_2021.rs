//! Reaction time and data age from schedules: exact for given execution times, a bound for all
//! between best and worst case.
//!
//! - **Model.** Strictly periodic tasks with phases on one core, preemptive fixed priorities (or
//!   logical execution time), read when they begin and write when they end.
//! - **Formula.** Reads happen no earlier than in the schedule of the shortest execution times,
//!   writes no later than in that of the longest. From each job, the next task's first job that
//!   reads at or after the write (or is released after a more important job, which then has ended
//!   before): reaction time is that path's end less the read of the job before its first. Backwards
//!   for data age.
//! - **How far to look.** Two hyperperiods after all tasks have begun.
//! - **Complexity.** Jobs in that time times tasks.
//! - **Source.** Günzel, Chen, Ueter, von der Brüggen, Dürr and Chen, RTAS 2021 and IEEE
//!   Transactions on Computers 2022.

use crate::reaction::Job;
use hemiola_analysis::TimeSpan;

/// A task of a chain, in both schedules.
///
/// See [`Ages`].
#[derive(Debug, Clone, Copy)]
pub struct Stage<'j> {
    /// The jobs of the task if all execution times are the shortest.
    pub fastest: &'j [Job],
    /// The jobs of the task if all execution times are the longest.
    pub slowest: &'j [Job],
    /// Set if a job of the next task cannot begin while one of this task is released and has not
    /// ended.
    pub precedes_next: bool,
}

/// The reaction times and data ages of a chain in its schedules.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{PeriodicTask, guenzel_2021::{self, Stage}, logical_execution};
/// let ns = TimeSpan::nanoseconds;
/// let tasks = [8, 24].map(|period| PeriodicTask { period: ns(period), phase: ns(0), cost: ns(1) });
/// let jobs = logical_execution(&tasks, ns(200));
/// let stage = |task: usize| Stage { fastest: &jobs[task], slowest: &jobs[task], precedes_next: false };
/// let ages = guenzel_2021::ages(&[stage(0), stage(1)], ns(48));
/// assert_eq!((ages.reaction_time, ages.reduced_data_age), (ns(56), ns(32)));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ages {
    /// The longest time from an event to the first output that is based on it.
    pub reaction_time: TimeSpan,
    /// The longest time from the read of an event to the first output that is based on it.
    pub reduced_reaction_time: TimeSpan,
    /// The longest time from a read to the last moment at which an output based on it is the
    /// newest.
    pub data_age: TimeSpan,
    /// The longest time from a read to the last output that is based on it.
    pub reduced_data_age: TimeSpan,
}

/// Follows all jobs of the first task that are released before `end` through a chain. The schedules
/// must go on for as long as the chain takes.
pub fn ages(chain: &[Stage<'_>], end: TimeSpan) -> Ages {
    let mut ages = Ages::default();
    let (Some(first), Some(last)) = (chain.first(), chain.last()) else { return ages };
    for number in 0..first.fastest.len().saturating_sub(1) {
        let missed = &first.fastest[number];
        if missed.release >= end {
            break;
        }
        let Some(job) = forward(chain, number + 1) else { continue };
        let written = last.slowest[job].write;
        ages.reaction_time = ages.reaction_time.max(written - missed.read);
        ages.reduced_reaction_time = ages.reduced_reaction_time.max(written - first.fastest[number + 1].read);
    }
    for number in 0..last.slowest.len().saturating_sub(1) {
        let Some(job) = backward(chain, number) else { continue };
        if first.fastest[job].release >= end {
            break;
        }
        let read = first.fastest[job].read;
        ages.reduced_data_age = ages.reduced_data_age.max(last.slowest[number].write - read);
        ages.data_age = ages.data_age.max(last.slowest[number + 1].write - read);
    }
    ages
}

/// Returns the job of the last task that first sees what a job of the first one read.
fn forward(chain: &[Stage<'_>], mut job: usize) -> Option<usize> {
    for pair in chain.windows(2) {
        let (from, to) = (&pair[0], &pair[1]);
        let producer = from.slowest[job];
        job = to.fastest.partition_point(|consumer| !sees(from, &producer, consumer));
        if job == to.fastest.len() {
            return None;
        }
    }
    Some(job)
}

/// Returns the job of the first task on whose read a job of the last one is based, in the worst
/// case.
fn backward(chain: &[Stage<'_>], mut job: usize) -> Option<usize> {
    for pair in chain.windows(2).rev() {
        let (from, to) = (&pair[0], &pair[1]);
        let consumer = to.fastest[job];
        job = from.slowest.partition_point(|producer| sees(from, producer, &consumer)).checked_sub(1)?;
    }
    Some(job)
}

fn sees(from: &Stage<'_>, producer: &Job, consumer: &Job) -> bool {
    consumer.read >= producer.write || (from.precedes_next && consumer.read >= producer.release)
}
