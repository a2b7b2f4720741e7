use serde::Deserialize;

use super::{Tally, each_case, ticks};
use hemiola_analysis::TimeSpan;
use hemiola_schedulability::compositional::{Chain, Propagation, Scheduling, Task, once_more, response_times};

/// The horizon is far above all bounds in the file.
const HORIZON: TimeSpan = TimeSpan::nanoseconds(1_000_000);

const NO_FIXED_POINT: &str = "jitter, jitter_dmin: the file's bounds grow when its own equations are applied to them once more, so they are no \
                              bounds, and ours have to be larger";
const SHORT_CUT: &str = "busy_window: ours may be up to the jitter_dmin bound where a chain comes back to a resource: the file's tool \
                         looks at a task again when the results of the one before it change, but not when only what arrives there \
                         does, so that its bound is no fixed point of its own equations";

#[derive(Deserialize)]
struct Case {
    resources: Vec<Resource>,
    chains: Vec<OracleChain>,
    expected: Expected,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Resource {
    Spp,
    Spnp,
}

#[derive(Deserialize)]
struct OracleChain {
    period: u64,
    #[serde(default)]
    jitter: u64,
    tasks: Vec<OracleTask>,
}

#[derive(Deserialize)]
struct OracleTask {
    res: usize,
    wcet: u64,
    /// The shortest time; the longest if it is missing.
    bcet: Option<u64>,
    prio: u32,
}

#[derive(Deserialize)]
struct Expected {
    jitter: Option<Bounds>,
    jitter_dmin: Option<Bounds>,
    busy_window: Option<Bounds>,
}

#[derive(Deserialize)]
struct Bounds {
    wcrt: Vec<Vec<u64>>,
    bcrt: Option<Vec<Vec<u64>>>,
    e2e: Option<Vec<(u64, u64)>>,
}

pub(super) fn chains(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    each_case(text, tally, |tally, Case { resources, chains, expected }| {
        if chains.iter().flat_map(|chain| &chain.tasks).any(|task| task.res >= resources.len()) {
            return Err("a task is on a resource that is not there".into());
        }
        let resources: Vec<Scheduling> = resources
            .into_iter()
            .map(|resource| match resource {
                Resource::Spp => Scheduling::Preemptive,
                Resource::Spnp => Scheduling::NonPreemptive,
            })
            .collect();
        let task = |task: &OracleTask| Task {
            resource: task.res,
            shortest: ticks(task.bcet.unwrap_or(task.wcet)),
            longest: ticks(task.wcet),
            rank: task.prio,
        };
        let chains: Vec<Chain> = chains
            .iter()
            .map(|chain| Chain {
                period: ticks(chain.period),
                jitter: ticks(chain.jitter),
                tasks: chain.tasks.iter().map(task).collect(),
            })
            .collect();
        for (name, expected, propagation) in [
            ("jitter", expected.jitter, Propagation::Jitter),
            ("jitter_dmin", expected.jitter_dmin, Propagation::JitterAndDistance),
            ("busy_window", expected.busy_window, Propagation::BusyWindow),
        ] {
            let Some(expected) = expected else { continue };
            let bounds = response_times(&resources, &chains, propagation, HORIZON).unwrap_or_default();
            let numbers = |times: &[TimeSpan]| times.iter().map(|time| time.as_nanoseconds()).collect::<Vec<u64>>();
            let wcrt: Vec<Vec<u64>> = bounds.iter().map(|chain| numbers(chain)).collect();
            if wcrt != expected.wcrt && may_be_larger(&resources, &chains, &expected.wcrt, propagation) {
                tally.remark_case(if propagation == Propagation::BusyWindow { SHORT_CUT } else { NO_FIXED_POINT });
                let all = bounds.iter().flatten().map(|bound| bound.as_nanoseconds());
                for (&expected, bound) in expected.wcrt.iter().flatten().zip(all) {
                    tally.at_least(&format!("{name} wcrt"), expected, bound);
                }
                let widest = response_times(&resources, &chains, Propagation::JitterAndDistance, HORIZON);
                if propagation == Propagation::BusyWindow {
                    tally.at_most("busy_window wcrt", widest.unwrap_or_default(), bounds);
                }
                continue;
            }
            let shortest = |chain: &Chain| chain.tasks.iter().map(|task| task.shortest.as_nanoseconds()).collect();
            let bcrt: Vec<Vec<u64>> = chains.iter().map(shortest).collect();
            let e2e: Vec<(u64, u64)> =
                bcrt.iter().zip(&wcrt).map(|(best, worst)| (best.iter().sum(), worst.iter().sum())).collect();
            tally.same(&format!("{name} wcrt"), expected.wcrt, wcrt);
            tally.same_if(&format!("{name} bcrt"), expected.bcrt, || bcrt);
            tally.same_if(&format!("{name} e2e"), expected.e2e, || e2e);
        }
        Ok(())
    })
}

/// Returns whether the file's bounds are not a fixed point of its own equations, or of equations
/// that are never below them, so that ours may be larger.
fn may_be_larger(resources: &[Scheduling], chains: &[Chain], bounds: &[Vec<u64>], propagation: Propagation) -> bool {
    let bounds: Vec<Vec<TimeSpan>> = bounds.iter().map(|chain| chain.iter().copied().map(ticks).collect()).collect();
    let comes_back = |chain: &Chain| {
        let mut resources: Vec<usize> = chain.tasks.iter().map(|task| task.resource).collect();
        resources.dedup();
        (1..resources.len()).any(|place| resources[..place].contains(&resources[place]))
    };
    let grows = once_more(resources, chains, &bounds, propagation, HORIZON).is_ok_and(|after| after != bounds);
    grows && (propagation != Propagation::BusyWindow || chains.iter().any(comes_back))
}
