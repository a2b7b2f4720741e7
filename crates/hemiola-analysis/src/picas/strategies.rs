//! The six rules that keep a chain from delaying itself, or a more important one.
//!
//! - **Inside an executor.** I, II: of one chain, later callbacks have higher priority than earlier
//!   ones, and any callback than the timer. III, IV: of several chains, every callback of the more
//!   important one has higher priority.
//! - **Across executors of a core.** V: of one chain, an executor that runs later callbacks has no
//!   lower priority than one that runs earlier ones. VI: of several chains, an executor that runs
//!   callbacks of the more important one has no lower priority.
//! - **Complexity.** Quadratic in callbacks.
//! - **Source.** Choi, Xiang and Kim, RTAS 2021, section IV; the rules' contents as in the tables
//!   of the talk.

use crate::picas::{Callback, Deployment};

/// One of the six rules, or two that are checked together.
///
/// ```
/// use hemiola_analysis::picas::strategies::Strategy;
/// assert_eq!(Strategy::ChainOrderInExecutor.to_string(), "strategy I/II");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// Rules I and II.
    ChainOrderInExecutor,
    /// Rules III and IV.
    ImportanceInExecutor,
    /// Rule V.
    ChainOrderOnCore,
    /// Rule VI.
    ImportanceOnCore,
}

impl std::fmt::Display for Strategy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::ChainOrderInExecutor => "strategy I/II",
            Self::ImportanceInExecutor => "strategy III/IV",
            Self::ChainOrderOnCore => "strategy V",
            Self::ImportanceOnCore => "strategy VI",
        })
    }
}

/// Two callbacks of which one should have precedence over the other, and has not. Each is (chain,
/// position in it).
///
/// ```
/// use hemiola_analysis::picas::strategies::{Strategy, Violation};
/// let violation = Violation { strategy: Strategy::ChainOrderOnCore, held_up: (0, 2), by: (0, 1) };
/// assert_eq!(violation.held_up, (0, 2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Violation {
    /// The rule that is violated.
    pub strategy: Strategy,
    /// The callback that should have precedence.
    pub held_up: (usize, usize),
    /// The callback that may delay it.
    pub by: (usize, usize),
}

/// Returns every pair of callbacks for which a rule does not hold.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation, strategies}};
/// let ms = TimeSpan::milliseconds;
/// let mut deployment = allocation::allocate(&[Chain::new(ms(80), [ms(2), ms(16)])], 1, 90).unwrap();
/// assert!(strategies::violations(&deployment).is_empty());
/// deployment.chains[0].callbacks[0].priority = 7; // the timer goes first: a new instance overtakes the one before
/// assert_eq!(strategies::violations(&deployment).len(), 1);
/// ```
pub fn violations(deployment: &Deployment) -> Vec<Violation> {
    let mut all: Vec<((usize, usize), &Callback)> = Vec::new();
    for (chain, one) in deployment.chains.iter().enumerate() {
        all.extend(one.callbacks.iter().enumerate().map(|(place, callback)| ((chain, place), callback)));
    }
    let mut found = Vec::new();
    for &(first, before) in &all {
        for &(second, after) in &all {
            let same_chain = first.0 == second.0;
            // `first` should have precedence: it is later in its chain, or of a more important one.
            let should = if same_chain { first.1 > second.1 } else { first.0 < second.0 };
            if !should {
                continue;
            }
            let (one, other) = (deployment.executor(before), deployment.executor(after));
            let broken = if before.executor == after.executor {
                (before.priority <= after.priority).then_some(match same_chain {
                    true => Strategy::ChainOrderInExecutor,
                    false => Strategy::ImportanceInExecutor,
                })
            } else {
                (one.core == other.core && one.priority < other.priority).then_some(match same_chain {
                    true => Strategy::ChainOrderOnCore,
                    false => Strategy::ImportanceOnCore,
                })
            };
            found.extend(broken.map(|strategy| Violation { strategy, held_up: first, by: second }));
        }
    }
    found
}
