//! Counts how often jobs with known distances can be ready, for [`super::palencia_1998`].

use crate::TimeSpan;

/// Converts a time to signed nanoseconds, so that it can lie before a release; a longer one counts
/// as 36 years.
pub(super) fn nanoseconds(time: TimeSpan) -> i64 {
    time.as_nanoseconds().min(1 << 60) as i64
}

/// Returns the number of periods that begin in a distance, rounded up; it is zero or negative if
/// the distance is.
fn periods(distance: i64, period: i64) -> i64 {
    -(-distance).div_euclid(period)
}

/// A job of every instance of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Job {
    pub(super) cost: TimeSpan,
    pub(super) period: i64,
    /// The earliest time at which it is ready, after the release of its instance. One instance is
    /// released at time zero.
    pub(super) earliest: i64,
    /// The latest time at which it is ready, after the release of its instance.
    pub(super) latest: i64,
}

impl Job {
    /// Returns the job released later by a distance.
    pub(super) fn later_by(self, distance: i64) -> Self {
        Self { earliest: self.earliest + distance, latest: self.latest + distance, ..self }
    }

    /// Returns the latest moments at which the job is ready, backwards from this one, until all
    /// repeats.
    pub(super) fn begins(self, hyperperiod: i64) -> impl Iterator<Item = i64> {
        (0..hyperperiod / self.period).map(move |instance| self.latest - instance * self.period)
    }

    /// Returns the work of all instances that can be ready from one time until before another.
    fn work(&self, from: i64, until: i64) -> TimeSpan {
        let ready = periods(until - self.earliest, self.period) - periods(from - self.latest, self.period);
        self.cost * ready.max(0) as u64
    }
}

/// Jobs with known distances.
#[derive(Debug, Clone)]
pub(super) struct Transaction {
    /// The time after which all repeats.
    pub(super) hyperperiod: i64,
    pub(super) jobs: Vec<Job>,
}

impl Transaction {
    /// Returns the work of all jobs that can be ready from one time until before another.
    pub(super) fn work(&self, from: i64, until: i64) -> TimeSpan {
        self.jobs.iter().map(|job| job.work(from, until)).sum()
    }

    /// Returns the largest such work in a window of this length, wherever it begins. It suffices to
    /// try the latest moments at which some job can be ready, because until then a later window has
    /// no job less.
    pub(super) fn most_work(&self, window: i64) -> TimeSpan {
        let begins = self.jobs.iter().flat_map(|job| job.begins(self.hyperperiod));
        begins.map(|from| self.work(from, from + window)).max().unwrap_or(TimeSpan::ZERO)
    }

    /// Splits the jobs of one chain into parts of which each has the most work if instances are as
    /// close as they can be, also if these need not be.
    pub(super) fn split(mut jobs: Vec<Job>) -> impl Iterator<Item = Self> {
        jobs.sort_by_key(|job| job.earliest);
        std::iter::from_fn(move || {
            let first = *jobs.first()?;
            let later = jobs.split_off(jobs.partition_point(|job| job.earliest <= first.earliest + first.period));
            Some(Self { hyperperiod: first.period, jobs: std::mem::replace(&mut jobs, later) })
        })
    }
}

/// A job of the chain that is analysed, whose release is time zero.
#[derive(Debug, Clone, Copy)]
pub(super) struct Own {
    pub(super) job: Job,
    pub(super) same: Same,
    /// Set if the job of a later instance can precede the analysed one.
    pub(super) of_later: bool,
}

/// The relation of a job of the analysed instance to the analysed stretch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    Counts,
    /// The job precedes the stretch if it can be ready in the window.
    CountsIfReady,
    Never,
}

impl Own {
    /// Returns how much of the job lies between two times, if no two instances are closer than a
    /// period.
    pub(super) fn work(&self, from: i64, until: i64) -> TimeSpan {
        let Job { cost, period, earliest, latest } = self.job;
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
    use hemiola_plan::SplitMix64;

    fn random_jobs(random: &mut SplitMix64) -> Vec<Job> {
        let period = 1 + random.below(20) as i64;
        let mut earliest = 0;
        let job = |_| {
            earliest += random.below(2 * period as u64) as i64;
            let latest = earliest + random.below(2 * period as u64) as i64;
            Job { cost: TimeSpan::nanoseconds(1 + random.below(9)), period, earliest, latest }
        };
        (0..1 + period % 4).map(job).collect()
    }

    /// Tries all begins of a window, and all sets of releases: those that count in it must be a
    /// period apart.
    fn tried(jobs: &[Job], window: i64) -> u64 {
        let latest = jobs.iter().map(|job| job.latest).max().unwrap_or(0);
        let worth = |release: i64| -> u64 {
            let counts = |job: &&Job| release + job.latest >= 0 && release + job.earliest < window;
            jobs.iter().filter(counts).map(|job| job.cost.as_nanoseconds()).sum()
        };
        let mut best: Vec<u64> = Vec::new();
        for (place, release) in (-latest..=window).enumerate() {
            let before = place.checked_sub(jobs[0].period as usize).map_or(0, |place| best[place]);
            let without = best.last().copied().unwrap_or(0);
            best.push(without.max(before + worth(release)));
        }
        best.last().copied().unwrap_or(0)
    }

    #[test]
    fn no_releases_a_period_apart_give_more_work_than_counted_and_some_give_as_much() {
        let (mut reached, mut less_than_each_alone) = (0, 0);
        for seed in 0..3000 {
            let jobs = random_jobs(&mut SplitMix64::new(seed));
            let period = jobs[0].period;
            for window in [1, period / 2 + 1, period, 3 * period + 1] {
                let tried = TimeSpan::nanoseconds(tried(&jobs, window));
                let most = |jobs| Transaction::split(jobs).map(|part| part.most_work(window)).sum::<TimeSpan>();
                let counted = most(jobs.clone());
                let each_alone: TimeSpan = jobs.iter().map(|&job| most(vec![job])).sum();
                assert!(tried <= counted && counted <= each_alone, "seed {seed}, window {window}");
                reached += u32::from(tried == counted);
                less_than_each_alone += u32::from(counted < each_alone);
            }
        }
        assert!(reached > 10_000 && less_than_each_alone > 1000, "{reached}, {less_than_each_alone}");
    }
}
