//! Compares the published analysis of PiCAS with one that holds.

mod shared;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::picas::{Chain, allocation, holistic};
use hemiola_schedulability::picas::{published, random_sets};
use hemiola_schedulability::simulation::{Observer, Options, Source, deployed, run};
use serde_json::Value;

/// The sets (of utilisation 3.5) in which simulated chains exceed their published latencies; the
/// data has three of them.
const EXCEEDED: [&str; 6] =
    ["picas-u35-283", "picas-u35-352", "picas-u35-428", "picas-u35-461", "picas-u35-797", "picas-u35-989"];

/// The sets of our own random ones in which this happens, in the place of those that the data
/// lacks: the authors' cannot be drawn again without their seed.
const EXCEEDED_OF_OURS: [u64; 3] = [438, 818, 1020];

struct Longest {
    chain_of: Vec<usize>,
    longest: [TimeSpan; 9],
}

impl Observer for Longest {
    fn callback_ended(&mut self, callback: usize, released: TimeSpan, now: TimeSpan) {
        let chain = self.chain_of[callback];
        if self.chain_of.get(callback + 1) != Some(&chain) {
            self.longest[chain] = self.longest[chain].max(now - released);
        }
    }
}

/// Returns how often a chain took longer than its period although the published analysis excludes
/// it. No chain exceeds our bounds.
fn broken_promises(name: &str, chains: &[Chain]) -> usize {
    let deployment = allocation::allocate(chains, 4, 90).expect("they fit");
    let horizon = TimeSpan::milliseconds(10_000_000);
    let (paper, ours) = (published::latencies(&deployment, horizon), holistic::latencies(&deployment, horizon));
    let mut broken = 0;
    // Several beginnings are tried, the same on every machine.
    for offset in 0..6 {
        let (mut model, chain_of) = deployed(&deployment, 4);
        for (number, callback) in model.callbacks.iter_mut().enumerate() {
            if let Source::Timer { first, period, .. } = &mut callback.source {
                *first = TimeSpan::nanoseconds(period.as_nanoseconds() / 7 * (offset * number as u64 % 7));
            }
        }
        let mut longest = Longest { chain_of, longest: [TimeSpan::ZERO; 9] };
        run(&model, &Options { end: TimeSpan::milliseconds(30_000), ..Options::default() }, &mut longest);
        for (chain, &observed) in longest.longest.iter().enumerate() {
            let period = chains[chain].period;
            broken += usize::from(paper[chain].as_ref().is_ok_and(|&bound| bound <= period && observed > period));
            assert!(ours[chain].as_ref().is_ok_and(|&bound| observed <= bound), "{name} chain {chain}");
        }
    }
    broken
}

#[test]
fn where_simulation_exceeds_the_published_latency_it_does_not_exceed_ours() {
    let Some(text) = shared::data_file("oracles/picas-schedulability-sets.json") else { return };
    let file: Value = serde_json::from_str(&text).expect("it is JSON");
    let cases = file["cases"].as_array().expect("it has cases");
    let (mut sets, mut broken) = (0, 0);
    for case in cases.iter().filter(|case| EXCEEDED.iter().any(|id| case["id"] == *id)) {
        sets += 1;
        let numbers = |value: &Value| -> Vec<f64> {
            value.as_array().expect("a list").iter().map(|number| number.as_f64().expect("a number")).collect()
        };
        let costs = case["wcet_ms"].as_array().expect("a list").iter().map(numbers);
        let time = |ms: f64| TimeSpan::microseconds((ms * 1000.0).round() as u64);
        let chains: Vec<Chain> = numbers(&case["periods_ms"])
            .iter()
            .zip(costs)
            .map(|(&period, costs)| Chain::new(time(period), costs.into_iter().map(time)))
            .collect();
        broken += broken_promises(&case["id"].to_string(), &chains);
    }
    assert!(sets > 0 && broken > 0, "{sets} sets, {broken} chains late against the published analysis");
}

#[test]
fn in_each_of_three_random_sets_a_chain_is_late_that_the_published_analysis_calls_punctual() {
    for seed in EXCEEDED_OF_OURS {
        assert!(broken_promises(&format!("seed {seed}"), &random_sets::chains(3.5, seed)) > 0, "seed {seed}");
    }
}
