//! Finds the chains that begin at known distances from each other: those with offsets, if their
//! releases repeat soon.

use super::transaction::{Job, Transaction, nanoseconds};
use crate::TimeSpan;
use crate::picas::{Beginning, Chain};

/// The jobs that can run beside a chain, grouped by what is known of their distances.
pub(super) struct Distances {
    /// The jobs of chains at known distances from this one, for each of its instances until all
    /// repeats, with its release at time zero.
    pub(super) beside: Vec<Transaction>,
    /// The jobs of this chain and of those.
    pub(super) own_wherever: Vec<Transaction>,
    pub(super) others: Vec<Transaction>,
}

impl Distances {
    /// Computes the distances between one of the chains and all others, with their jobs.
    pub(super) fn between(chains: &[Chain], mut jobs: Vec<Vec<Job>>, own: usize) -> Self {
        let (period, offset) = (nanoseconds(chains[own].period).max(1), chains[own].offset.map(nanoseconds));
        let mut distances = Self { beside: Vec::new(), own_wherever: Vec::new(), others: Vec::new() };
        for group in groups(chains) {
            let mut transaction = Transaction { hyperperiod: nanoseconds(group.hyperperiod).max(1), jobs: Vec::new() };
            for &chain in group.chains.iter().filter(|&&chain| chain != own) {
                let offset = chains[chain].offset.map_or(0, nanoseconds);
                transaction.jobs.extend(std::mem::take(&mut jobs[chain]).into_iter().map(|job| job.later_by(offset)));
            }
            match offset.filter(|_| group.chains.contains(&own)) {
                None => distances.others.push(transaction),
                Some(offset) => {
                    let releases = (0..transaction.hyperperiod / period).map(|instance| offset + instance * period);
                    let seen_from = |release: i64| Transaction {
                        jobs: transaction.jobs.iter().map(|job| job.later_by(-release)).collect(),
                        ..transaction
                    };
                    distances.beside = releases.map(seen_from).collect();
                    transaction.jobs.extend(std::mem::take(&mut jobs[own]).into_iter().map(|job| job.later_by(offset)));
                    distances.own_wherever.push(transaction);
                }
            }
        }
        if distances.beside.is_empty() {
            distances.beside.push(Transaction { hyperperiod: period, jobs: Vec::new() });
            distances.own_wherever.extend(Transaction::split(std::mem::take(&mut jobs[own])));
        }
        distances.others.extend(jobs.into_iter().flat_map(Transaction::split));
        distances
    }
}

/// The largest number of periods of its fastest chain until a group repeats itself: each makes
/// bounds take longer to compute.
const PERIODS: u64 = 8;

/// Chains with offsets, and the time after which their releases repeat.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) chains: Vec<usize>,
    /// The least common multiple of the periods.
    pub(super) hyperperiod: TimeSpan,
}

/// Returns all chains with offsets, grouped so that their periods have a small common multiple.
pub(super) fn groups(chains: &[Chain]) -> Vec<Group> {
    let has_releases = |&chain: &usize| {
        let Chain { period, begins, offset, .. } = chains[chain];
        offset.is_some() && begins == Beginning::Timer && period > TimeSpan::ZERO
    };
    let mut with_offset: Vec<usize> = (0..chains.len()).filter(has_releases).collect();
    with_offset.sort_by_key(|&chain| chains[chain].period);
    let mut groups: Vec<Group> = Vec::new();
    for chain in with_offset {
        let period = chains[chain].period;
        let fitting = groups.iter_mut().find_map(|group| {
            let longest = chains[group.chains[0]].period * PERIODS;
            let together = common_multiple(group.hyperperiod, period).filter(|&multiple| multiple <= longest)?;
            Some((group, together))
        });
        match fitting {
            Some((group, hyperperiod)) => {
                group.hyperperiod = hyperperiod;
                group.chains.push(chain);
            }
            None => groups.push(Group { chains: vec![chain], hyperperiod: period }),
        }
    }
    groups
}

fn common_multiple(a: TimeSpan, b: TimeSpan) -> Option<TimeSpan> {
    let (mut divisor, mut rest) = (a.as_nanoseconds(), b.as_nanoseconds());
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    let factor = a.as_nanoseconds().checked_div(divisor)?;
    factor.checked_mul(b.as_nanoseconds()).map(TimeSpan::nanoseconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_together_if_their_releases_soon_repeat() {
        let ms = TimeSpan::milliseconds;
        let chain = |period, offset| Chain { offset, ..Chain::new(ms(period), []) };
        let (known, unknown) = (Some(ms(1)), None);
        let chains = [chain(20, known), chain(5, known), chain(33, known), chain(10, unknown), chain(15, known)];
        let found: Vec<(Vec<usize>, TimeSpan)> =
            groups(&chains).into_iter().map(|group| (group.chains, group.hyperperiod)).collect();
        // 5 and 15 fit together, and 20 does not fit with both: 60 ms are 12 periods.
        assert_eq!(found, [(vec![1, 4], ms(15)), (vec![0], ms(20)), (vec![2], ms(33))]);
    }
}
