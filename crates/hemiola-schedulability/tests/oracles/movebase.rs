//! The navigation case study of Casini et al.: from odometry to velocity commands, on a default executor in a reservation.

use serde::Deserialize;

use super::ros2::Reservation;
use super::{Tally, cases, ticks};
use hemiola_analysis::{Arrivals, Bound, NoBound, TimeSpan};
use hemiola_schedulability::Supply;
use hemiola_schedulability::ros2::casini_2019::{self, Chain};
use hemiola_schedulability::ros2::{Callback, Kind};

#[derive(Deserialize)]
struct Case {
    model: Model,
    chain_aware: bool,
    alpha_pct: u64,
    /// Of the sweep over reservations.
    reservation0: Option<Reservation>,
    /// Of the sweep over the odometry's jitter.
    #[serde(default)]
    jitter_ticks: Vec<u64>,
    e2e_ticks: Results,
}

#[derive(Deserialize, Debug, Clone, Copy)]
enum Model {
    #[serde(rename = "time-driven")]
    TimeDriven,
    #[serde(rename = "event-driven")]
    EventDriven,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Results {
    Many(Vec<Option<u64>>),
    One(Option<u64>),
}

/// All inputs and timers of the local executor have this period.
const PERIOD: TimeSpan = ticks_of(800);
const POSE: TimeSpan = ticks_of(2);
const SENSOR: TimeSpan = ticks_of(2);
const COSTMAP: TimeSpan = ticks_of(20);
const PLANNER: TimeSpan = ticks_of(180);
/// No bound above this counts.
const HORIZON: TimeSpan = ticks_of(10_000);
/// Of all inputs, where nothing else is said.
const JITTER: TimeSpan = ticks_of(2);

const fn ticks_of(count: u64) -> TimeSpan {
    TimeSpan::nanoseconds(count)
}

pub(super) fn cases_of_the_study(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    for case in cases::<Case>(text)? {
        tally.case(format!(
            "{:?}, chains {}, {} %",
            case.model,
            if case.chain_aware { "known" } else { "cut" },
            case.alpha_pct
        ));
        let ticks_of = |bound: Bound| bound.ok().map(TimeSpan::as_nanoseconds);
        match case.e2e_ticks {
            Results::One(expected) => {
                let Some(reservation) = case.reservation0 else {
                    tally.same("reservation0", "a reservation", "none");
                    continue;
                };
                let got = end_to_end(case.model, case.chain_aware, reservation.supply(), JITTER);
                tally.same("e2e_ticks", expected, ticks_of(got));
            }
            Results::Many(expected) => {
                // That of 45 % in the other sweep.
                let supply = Reservation { budget: 18, period: 40 }.supply();
                let got = |&jitter: &u64| ticks_of(end_to_end(case.model, case.chain_aware, supply, ticks(jitter)));
                tally.same("e2e_ticks", expected, case.jitter_ticks.iter().map(got).collect());
            }
        }
    }
    Ok(())
}

fn end_to_end(model: Model, chain_aware: bool, supply: Supply, jitter: TimeSpan) -> Bound {
    let odometry = Arrivals::periodic(PERIOD).late_by(jitter);
    let sensor = Arrivals::periodic(PERIOD).late_by(JITTER);
    let timer = Arrivals::periodic(PERIOD);
    let chain = |costs: &[TimeSpan], arrivals| Chain { costs: costs.to_vec(), arrivals };
    let polled = |cost, arrivals| Callback { kind: Kind::Subscription, cost, arrivals };
    match (model, chain_aware) {
        (Model::EventDriven, true) => {
            let own = chain(&[POSE, COSTMAP, PLANNER], odometry);
            first(casini_2019::chains(&[own, chain(&[SENSOR], sensor), chain(&[SENSOR], sensor)], supply, HORIZON))
        }
        (Model::EventDriven, false) => {
            let mut bounds = [TimeSpan::ZERO; 3];
            loop {
                let mut callbacks = Vec::new();
                let mut late = jitter;
                for (cost, bound) in [POSE, COSTMAP, PLANNER].into_iter().zip(bounds) {
                    callbacks.push(polled(cost, Arrivals::periodic(PERIOD).late_by(late)));
                    late += bound;
                }
                callbacks.extend([polled(SENSOR, sensor); 2]);
                let mut next = bounds;
                for (next, bound) in next.iter_mut().zip(casini_2019::callbacks(&callbacks, supply, HORIZON)) {
                    *next = bound?;
                }
                if next.iter().any(|&bound| bound > HORIZON) {
                    return Err(NoBound::BeyondHorizon { horizon: HORIZON });
                }
                if next == bounds {
                    return Ok(bounds.into_iter().sum());
                }
                bounds = next;
            }
        }
        // Timers sample what arrived: a period more, unless it arrives in step with them.
        (Model::TimeDriven, true) => {
            let sensors = [sensor, sensor, odometry].map(|arrivals| chain(&[SENSOR], arrivals));
            let mut chains = vec![chain(&[PLANNER], timer), chain(&[COSTMAP], timer), chain(&[POSE], timer)];
            chains.extend(sensors);
            first(casini_2019::chains(&chains, supply, HORIZON)).map(|bound| bound + sampling(jitter))
        }
        (Model::TimeDriven, false) => {
            let timer = |cost| Callback { kind: Kind::Timer, cost, arrivals: timer };
            let mut callbacks = vec![timer(POSE), timer(PLANNER), timer(COSTMAP)];
            callbacks.extend([sensor, sensor, odometry].map(|arrivals| polled(SENSOR, arrivals)));
            // Where something in the executor has no bound, the file has none at all.
            let bounds: Result<Vec<TimeSpan>, NoBound> =
                casini_2019::callbacks(&callbacks, supply, HORIZON).into_iter().collect();
            bounds.map(|bounds| bounds[1] + sampling(jitter))
        }
    }
}

fn sampling(jitter: TimeSpan) -> TimeSpan {
    if jitter > TimeSpan::ZERO { PERIOD } else { TimeSpan::ZERO }
}

fn first(bounds: Vec<Bound>) -> Bound {
    bounds.into_iter().next().unwrap_or(Ok(TimeSpan::ZERO))
}
