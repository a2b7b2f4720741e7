//! How often jobs with known distances can be ready: what [`super::palencia_1998`] counts.

use crate::Time;

/// Times before and after a release, in nanoseconds; what is longer than 36 years counts as that.
pub(super) fn nanoseconds(time: Time) -> i64 {
    time.as_nanoseconds().min(1 << 60) as i64
}

/// How many periods begin in a distance, rounded up; none and less than none before its begin.
fn periods(distance: i64, period: i64) -> i64 {
    -(-distance).div_euclid(period)
}

/// A job of every instance of a transaction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job {
    pub(super) cost: Time,
    /// When it is ready, after the instance's release.
    pub(super) earliest: i64,
    /// The same, at the latest.
    pub(super) latest: i64,
}

impl Job {
    /// Released that much later.
    pub(super) fn later_by(self, distance: i64) -> Self {
        Self { earliest: self.earliest + distance, latest: self.latest + distance, ..self }
    }
}

/// Jobs of which each instance has one each. Instances are released once per period.
#[derive(Debug)]
pub(super) struct Transaction {
    pub(super) period: i64,
    pub(super) jobs: Vec<Job>,
}

impl Transaction {
    pub(super) fn new(period: Time, jobs: Vec<Job>) -> Self {
        Self { period: nanoseconds(period).max(1), jobs }
    }

    /// The work of all jobs that can be ready from one time until before another, if an instance is released at time zero.
    pub(super) fn work(&self, from: i64, until: i64) -> Time {
        let ready = |job: &Job| {
            periods(until - job.earliest, self.period).saturating_sub(periods(from - job.latest, self.period)).max(0)
        };
        self.jobs.iter().map(|job| job.cost * ready(job) as u64).sum()
    }

    /// The largest such work in a window of this length, wherever it begins: at the latest moment at which some job can be ready, for
    /// until then a later window has no job less.
    pub(super) fn most_work(&self, window: i64) -> Time {
        let from = |job: &Job| self.work(job.latest, job.latest + window);
        self.jobs.iter().map(from).max().unwrap_or(Time::ZERO)
    }

    /// In parts of which each has the most work if instances are as close as they can be, also if these need not be.
    pub(super) fn split(self) -> impl Iterator<Item = Self> {
        let Self { period, mut jobs } = self;
        jobs.sort_by_key(|job| job.earliest);
        std::iter::from_fn(move || {
            let end = jobs.first()?.earliest + period;
            let later = jobs.split_off(jobs.partition_point(|job| job.earliest <= end));
            Some(Self { period, jobs: std::mem::replace(&mut jobs, later) })
        })
    }
}

/// A job of the chain of which one is looked at, whose release is time zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own {
    pub(super) job: Job,
    pub(super) same: Same,
    /// Whether that of a later instance can go before the one that is looked at.
    pub(super) of_later: bool,
}

/// Whether a job of the instance that is looked at goes before, or belongs to what is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    Counts,
    /// If it can be ready in the window.
    CountsIfReady,
    Never,
}

impl Own {
    /// How much of it lies between two times, if no two instances are closer than a period.
    pub(super) fn work(&self, period: i64, from: i64, until: i64) -> Time {
        let Job { cost, earliest, latest } = self.job;
        let same = match self.same {
            Same::Counts => true,
            Same::CountsIfReady => latest >= from,
            Same::Never => false,
        };
        let earlier = (latest - from).div_euclid(period).max(0);
        let later = match self.of_later {
            true => periods(until - earliest - (from - latest).max(period), period).max(0),
            false => 0,
        };
        cost * (i64::from(same) + earlier + later) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::SplitMix64;

    fn random_transaction(random: &mut SplitMix64) -> Transaction {
        let period = random.between(1, 20) as i64;
        let mut earliest = 0;
        let job = |_| {
            earliest += random.below(2 * period as u64) as i64;
            let latest = earliest + random.below(2 * period as u64) as i64;
            Job { cost: Time::nanoseconds(random.between(1, 9)), earliest, latest }
        };
        let jobs = (0..random_count(period)).map(job).collect();
        Transaction { period, jobs }
    }

    fn random_count(period: i64) -> i64 {
        1 + period % 4
    }

    /// Tries all begins of a window, and all sets of releases: those that count in it must be a period apart.
    fn tried(transaction: &Transaction, window: i64) -> u64 {
        let (earliest, latest) = (0, transaction.jobs.iter().map(|job| job.latest).max().unwrap_or(0));
        let worth = |release: i64| -> u64 {
            let counts = |job: &&Job| release + job.latest >= 0 && release + job.earliest < window;
            transaction.jobs.iter().filter(counts).map(|job| job.cost.as_nanoseconds()).sum()
        };
        let mut best: Vec<u64> = Vec::new();
        for (place, release) in (-latest..=window - earliest).enumerate() {
            let before = place.checked_sub(transaction.period as usize).map_or(0, |place| best[place]);
            let without = best.last().copied().unwrap_or(0);
            best.push(without.max(before + worth(release)));
        }
        best.last().copied().unwrap_or(0)
    }

    #[test]
    fn no_releases_a_period_apart_give_more_work_than_counted_and_some_give_as_much() {
        let (mut reached, mut less_than_each_alone) = (0, 0);
        for seed in 0..3000 {
            let transaction = random_transaction(&mut SplitMix64::new(seed));
            let (period, jobs) = (transaction.period, transaction.jobs.clone());
            for window in [1, period / 2 + 1, period, 3 * period + 1] {
                let tried = Time::nanoseconds(tried(&transaction, window));
                let parts = Transaction { period, jobs: jobs.clone() }.split();
                let counted: Time = parts.map(|part| part.most_work(window)).sum();
                let each_alone: Time =
                    jobs.iter().map(|&job| Transaction { period, jobs: vec![job] }.most_work(window)).sum();
                assert!(tried <= counted && counted <= each_alone, "seed {seed}, window {window}");
                reached += u32::from(tried == counted);
                less_than_each_alone += u32::from(counted < each_alone);
            }
        }
        assert!(reached > 10_000 && less_than_each_alone > 1000, "{reached}, {less_than_each_alone}");
    }
}
