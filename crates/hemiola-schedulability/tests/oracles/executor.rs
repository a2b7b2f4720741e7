use std::collections::BTreeMap;

use serde::Deserialize;

use super::{Tally, each_case, ticks};
use hemiola_analysis::TimeSpan;
use hemiola_analysis::system::Span;
use hemiola_schedulability::simulation::{
    self, Callback, Dispatch, Executor, Missed, Model, Observer, Options, Source,
};

#[derive(Deserialize)]
struct Case {
    horizon: u64,
    callbacks: Vec<OracleCallback>,
    #[serde(default)]
    picas_priority: Vec<u32>,
    expected: BTreeMap<String, Expected>,
}

#[derive(Deserialize)]
struct OracleCallback {
    #[serde(rename = "type")]
    kind: Kind,
    c: u64,
    #[serde(rename = "pub", default)]
    publishes: Vec<String>,
    period: Option<u64>,
    topic: Option<String>,
    #[serde(default = "one")]
    depth: usize,
    #[serde(default)]
    ext: Vec<u64>,
}

fn one() -> usize {
    1
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Timer,
    Sub,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Expected {
    start: Vec<(u64, usize)>,
    dropped: Vec<u64>,
}

impl Observer for Expected {
    fn callback_started(&mut self, callback: usize, _released: TimeSpan, now: TimeSpan) {
        self.start.push((now.as_nanoseconds(), callback));
    }

    fn dropped(&mut self, callback: usize) {
        self.dropped[callback] += 1;
    }
}

pub(super) fn semantics(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    each_case(text, tally, |tally, case: Case| {
        let is_whole = |callback: &OracleCallback| !matches!(callback.kind, Kind::Timer) || callback.period.is_some();
        if !case.callbacks.iter().all(is_whole) {
            return Err("a timer has no period".into());
        }
        for (name, expected) in &case.expected {
            let dispatch = match name.as_str() {
                "wait_set" => Dispatch::WaitSet,
                "crystal" => Dispatch::TimersAlways,
                "picas" => Dispatch::Priority,
                // The value is counted as compared with nothing.
                _ => continue,
            };
            let mut got = Expected { start: Vec::new(), dropped: vec![0; case.callbacks.len()] };
            let options = Options { end: ticks(case.horizon), ..Options::default() };
            simulation::run(&model(&case, dispatch), &options, &mut got);
            tally.same(name, expected, &got);
        }
        Ok(())
    })
}

fn model(case: &Case, dispatch: Dispatch) -> Model {
    let subscribed = |topic: &String| -> Vec<usize> {
        let receives = |&number: &usize| case.callbacks[number].topic.as_ref() == Some(topic);
        (0..case.callbacks.len()).filter(receives).collect()
    };
    let callback = |(number, callback): (usize, &OracleCallback)| Callback {
        executor: 0,
        source: match callback.kind {
            Kind::Timer => {
                let period = ticks(callback.period.unwrap_or(u64::MAX));
                Source::Timer { first: period, period, missed: Missed::Skip }
            }
            Kind::Sub => {
                let arrivals = callback.ext.iter().copied().map(ticks).collect();
                Source::Messages { depth: callback.depth, arrivals }
            }
        },
        takes: Span::upto(ticks(callback.c)),
        priority: case.picas_priority.get(number).copied().unwrap_or(0),
        publishes: callback.publishes.iter().flat_map(subscribed).collect(),
        releases: Vec::new(),
        joins: Vec::new(),
    };
    Model {
        cores: 1,
        executors: vec![Executor { core: Some(0), priority: 1, reservation: None, dispatch }],
        callbacks: case.callbacks.iter().enumerate().map(callback).collect(),
        ..Model::default()
    }
}
