//! The comparison of bounds with simulations.

use std::ops::AddAssign;

use super::{Durations, Observed, Options, simulate};
use hemiola_analysis::system::System;
use hemiola_analysis::{Analysis, TimeSpan, Verdict};

/// The result of comparing a system's bounds with simulations.
///
/// ```
/// use hemiola_schedulability::simulation::{Comparison, random_system};
/// let mut all = Comparison::default();
/// for seed in 0..20 {
///     all += Comparison::of(&random_system(seed));
/// }
/// assert!(all.exceeded.is_empty() && all.compared > 0);
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Comparison {
    /// The number of chains, cycles and paths that had a bound and ran.
    pub compared: u64,
    /// The number of those that had no bound.
    pub without_bound: u64,
    /// The number of those that reached their bound to within a percent.
    pub reached: u64,
    /// The number of those that reached each twentieth of their bound: the first up to 5 %, the
    /// last all of it.
    pub by_twentieth: [u64; 20],
    /// The number of events that were simulated.
    pub events: u64,
    /// The chains, cycles and paths that took longer than their bound.
    pub exceeded: Vec<Exceeded>,
    shares: f64,
}

/// A chain, cycle or path that took longer than its bound.
///
/// ```
/// use hemiola_analysis::{Part, TimeSpan, Verdict};
/// use hemiola_schedulability::simulation::{Exceeded, Observed, Options};
/// let ms = TimeSpan::milliseconds;
/// let (part, name) = (Part::Chain, "brake".into());
/// let verdict = Verdict { part, name, deadline: None, bound: Ok(ms(3)), method: None };
/// let mut observed = Observed::default();
/// observed.add(ms(4));
/// let exceeded = Exceeded { verdict, observed, options: Options::default() };
/// assert_eq!(exceeded.to_string(), "chain `brake` took 4 ms (seed 0, Longest), and its bound is 3 ms");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Exceeded {
    /// The bound.
    pub verdict: Verdict,
    /// The observed times.
    pub observed: Observed,
    /// The options of the simulation.
    pub options: Options,
}

impl std::fmt::Display for Exceeded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { verdict: Verdict { part, name, bound, .. }, observed, options: Options { seed, durations, .. } } =
            self;
        let bound = bound.as_ref().map_or_else(ToString::to_string, TimeSpan::to_string);
        write!(
            formatter,
            "{part} `{name}` took {} (seed {seed}, {durations:?}), and its bound is {bound}",
            observed.maximum
        )
    }
}

impl Comparison {
    /// Simulates a system several times: with the longest durations from different beginnings, and
    /// with durations that are drawn.
    pub fn of(system: &System) -> Self {
        let analysis = Analysis::of(system);
        let mut comparison = Self::default();
        let longest_period = system.chains.iter().map(|chain| chain.period).max().unwrap_or_default();
        let end = (longest_period * 12).max(TimeSpan::milliseconds(300));
        let mut simulated = Vec::new();
        for (seed, durations) in
            [(0, Durations::Longest), (1, Durations::Extremes), (2, Durations::Uniform), (3, Durations::Longest)]
        {
            let options = Options { end, seed, durations };
            simulated.push((options, simulate(system, &options)));
        }
        comparison.events = simulated.iter().map(|(_, simulated)| simulated.events).sum();
        for verdict in &analysis.verdicts {
            let of_run = |(options, run): &(Options, super::Simulated)| {
                run.latencies.get(&verdict.name).map(|observed| (*options, *observed))
            };
            let worst = simulated.iter().filter_map(of_run).max_by_key(|(_, observed)| observed.maximum);
            match (&verdict.bound, worst) {
                (Err(_), _) => comparison.without_bound += 1,
                (Ok(_), None) => {}
                (Ok(bound), Some((options, observed))) => comparison.add(verdict, *bound, options, observed),
            }
        }
        comparison
    }

    fn add(&mut self, verdict: &Verdict, bound: TimeSpan, options: Options, observed: Observed) {
        let share = observed.maximum.as_nanoseconds() as f64 / bound.as_nanoseconds().max(1) as f64;
        self.compared += 1;
        self.shares += share;
        self.reached += u64::from(share >= 0.99);
        self.by_twentieth[((share * 20.0) as usize).min(19)] += 1;
        if observed.maximum > bound {
            self.exceeded.push(Exceeded { verdict: verdict.clone(), observed, options });
        }
    }

    /// Returns the mean share of their bounds that was reached, from 0 to 1.
    pub fn mean_share(&self) -> f64 {
        self.shares / self.compared.max(1) as f64
    }
}

impl AddAssign for Comparison {
    fn add_assign(&mut self, other: Self) {
        self.compared += other.compared;
        self.without_bound += other.without_bound;
        self.reached += other.reached;
        self.by_twentieth.iter_mut().zip(other.by_twentieth).for_each(|(mine, theirs)| *mine += theirs);
        self.events += other.events;
        self.shares += other.shares;
        self.exceeded.extend(other.exceeded);
    }
}
