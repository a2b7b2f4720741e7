use std::cmp::Reverse;
use std::collections::BinaryHeap;

use hemiola_analysis::TimeSpan;

/// A strictly periodic task.
///
/// See [`fixed_priority_schedule`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PeriodicTask {
    /// The distance of two releases.
    pub period: TimeSpan,
    /// The first release.
    pub phase: TimeSpan,
    /// The execution time.
    pub cost: TimeSpan,
}

/// A run of a task.
///
/// See [`fixed_priority_schedule`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Job {
    /// The time of its release.
    pub release: TimeSpan,
    /// The time at which it reads.
    pub read: TimeSpan,
    /// The time at which it writes.
    pub write: TimeSpan,
}

/// Schedules tasks that share a core by preemptive fixed priorities, the most important one first,
/// and returns all jobs of each task that are released before `end`. They read when they begin to
/// run and write when they end.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{PeriodicTask, fixed_priority_schedule};
/// let ns = TimeSpan::nanoseconds;
/// let task = |period, cost| PeriodicTask { period: ns(period), phase: ns(0), cost: ns(cost) };
/// let jobs = fixed_priority_schedule(&[task(5, 2), task(20, 4)], ns(20));
/// assert_eq!((jobs[1][0].read, jobs[1][0].write), (ns(2), ns(8))); // interrupted from 5 to 7
/// ```
pub fn fixed_priority_schedule(tasks: &[PeriodicTask], end: TimeSpan) -> Vec<Vec<Job>> {
    let mut jobs: Vec<Vec<Job>> = tasks.iter().map(|task| released(task, end)).collect();
    let mut releases: Vec<(TimeSpan, usize, usize)> = Vec::new();
    for (task, jobs) in jobs.iter().enumerate() {
        releases.extend(jobs.iter().enumerate().map(|(number, job)| (job.release, task, number)));
    }
    releases.sort_unstable();
    let mut releases = releases.into_iter().peekable();
    // Each entry is (task, job, remaining time, whether it has begun).
    let mut ready: BinaryHeap<Reverse<(usize, usize, TimeSpan, bool)>> = BinaryHeap::new();
    let mut now = TimeSpan::ZERO;
    loop {
        while let Some(&(release, task, number)) = releases.peek()
            && release <= now
        {
            releases.next();
            ready.push(Reverse((task, number, tasks[task].cost, false)));
        }
        let next_release = releases.peek().map(|&(release, ..)| release);
        let Some(Reverse((task, number, left, begun))) = ready.pop() else {
            match next_release {
                Some(release) => now = release,
                None => return jobs,
            }
            continue;
        };
        if !begun {
            jobs[task][number].read = now;
        }
        match next_release {
            Some(release) if release < now + left => {
                ready.push(Reverse((task, number, left - (release - now), true)));
                now = release;
            }
            _ => {
                now += left;
                jobs[task][number].write = now;
            }
        }
    }
}

/// Returns the jobs of tasks that read at their release and write a period later, whenever they
/// run.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{PeriodicTask, logical_execution};
/// let ns = TimeSpan::nanoseconds;
/// let jobs = logical_execution(&[PeriodicTask { period: ns(5), phase: ns(1), cost: ns(2) }], ns(20));
/// assert_eq!((jobs[0][1].read, jobs[0][1].write), (ns(6), ns(11)));
/// ```
pub fn logical_execution(tasks: &[PeriodicTask], end: TimeSpan) -> Vec<Vec<Job>> {
    let of_task = |task: &PeriodicTask| {
        let mut jobs = released(task, end);
        for job in &mut jobs {
            (job.read, job.write) = (job.release, job.release + task.period);
        }
        jobs
    };
    tasks.iter().map(of_task).collect()
}

fn released(task: &PeriodicTask, end: TimeSpan) -> Vec<Job> {
    let releases = (0..).map(|number| task.phase + task.period.max(TimeSpan::TICK) * number);
    releases.take_while(|&release| release < end).map(|release| Job { release, ..Job::default() }).collect()
}
