use serde::Deserialize;

use super::{Tally, each_case, horizon, if_present, numbers, ticks};
use hemiola_analysis::{Arrivals, NoBound, TimeSpan};
use hemiola_schedulability::Supply;
use hemiola_schedulability::ros2::blass_2021::{self, Order};
use hemiola_schedulability::ros2::casini_2019::{self, Chain};
use hemiola_schedulability::ros2::{Callback, Kind};

#[derive(Deserialize, Clone, Copy)]
pub(super) struct Reservation {
    pub budget: u64,
    pub period: u64,
    /// The deadline; the period if it is missing.
    pub deadline: Option<u64>,
}

impl Reservation {
    pub fn supply(&self) -> Supply {
        Supply::Reservation {
            budget: ticks(self.budget),
            period: ticks(self.period),
            deadline: ticks(self.deadline.unwrap_or(self.period)),
        }
    }
}

#[derive(Deserialize)]
struct Case {
    /// The reservation; a core of its own if it is missing.
    reservation: Option<Reservation>,
    callbacks: Vec<OracleCallback>,
    expected: Expected,
}

#[derive(Deserialize)]
struct OracleCallback {
    #[serde(rename = "type")]
    kind: OracleKind,
    wcet: u64,
    period: u64,
    #[serde(default)]
    jitter: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum OracleKind {
    Timer,
    Polled,
}

#[derive(Deserialize)]
struct Expected {
    ecrts19: Option<Vec<Option<u64>>>,
    #[serde(default, deserialize_with = "if_present")]
    rtss21_round_robin: Option<Option<Vec<u64>>>,
    #[serde(default, deserialize_with = "if_present")]
    rtss21_round_robin_known_prio: Option<Option<Vec<u64>>>,
    #[serde(default, deserialize_with = "if_present")]
    rtss21_busy_window: Option<Option<Vec<u64>>>,
    #[serde(default, deserialize_with = "if_present")]
    rtss21_busy_window_known_prio: Option<Option<Vec<u64>>>,
}

/// The horizon: beyond it the files have no bounds, unless they state another.
const HORIZON: u64 = 100_000;

pub(super) fn callbacks(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    let horizon = horizon(text, HORIZON);
    each_case(text, tally, |tally, Case { reservation, callbacks, expected }| {
        let supply = reservation.map_or(Supply::Dedicated, |reservation| reservation.supply());
        let callbacks: Vec<Callback> = callbacks
            .iter()
            .map(|callback| Callback {
                kind: match callback.kind {
                    OracleKind::Timer => Kind::Timer,
                    OracleKind::Polled => Kind::Subscription,
                },
                cost: ticks(callback.wcet),
                arrivals: Arrivals::periodic(ticks(callback.period)).late_by(ticks(callback.jitter)),
            })
            .collect();
        tally.same_if("ecrts19", expected.ecrts19, || numbers(&casini_2019::callbacks(&callbacks, supply, horizon)));
        let together = |bounds: Result<Vec<TimeSpan>, NoBound>| {
            bounds.ok().map(|bounds| bounds.into_iter().map(TimeSpan::as_nanoseconds).collect::<Vec<_>>())
        };
        let round_robin = |order| together(blass_2021::round_robin(&callbacks, supply, order, horizon));
        let busy_window = |order| together(blass_2021::busy_window(&callbacks, supply, order, horizon));
        tally.same_if("rtss21_round_robin", expected.rtss21_round_robin, || round_robin(Order::Unknown));
        let known = expected.rtss21_round_robin_known_prio;
        tally.same_if("rtss21_round_robin_known_prio", known, || round_robin(Order::AsListed));
        tally.same_if("rtss21_busy_window", expected.rtss21_busy_window, || busy_window(Order::Unknown));
        let known = expected.rtss21_busy_window_known_prio;
        tally.same_if("rtss21_busy_window_known_prio", known, || busy_window(Order::AsListed));
        Ok(())
    })
}

#[derive(Deserialize)]
struct ChainCase {
    reservation: Option<Reservation>,
    chains: Vec<OracleChain>,
    expected: ChainExpected,
}

#[derive(Deserialize)]
struct OracleChain {
    wcets: Vec<u64>,
    period: u64,
    #[serde(default)]
    jitter: u64,
}

#[derive(Deserialize)]
struct ChainExpected {
    ecrts19_lemma8: Option<Vec<Option<u64>>>,
}

pub(super) fn chains(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    let horizon = horizon(text, HORIZON);
    each_case(text, tally, |tally, ChainCase { reservation, chains, expected }| {
        let supply = reservation.map_or(Supply::Dedicated, |reservation| reservation.supply());
        let chains: Vec<Chain> = chains
            .iter()
            .map(|chain| Chain {
                costs: chain.wcets.iter().copied().map(ticks).collect(),
                arrivals: Arrivals::periodic(ticks(chain.period)).late_by(ticks(chain.jitter)),
            })
            .collect();
        let bounds = || numbers(&casini_2019::chains(&chains, supply, horizon));
        tally.same_if("ecrts19_lemma8", expected.ecrts19_lemma8, bounds);
        Ok(())
    })
}
