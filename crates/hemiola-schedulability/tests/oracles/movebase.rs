//! The navigation case study of Casini et al.: from odometry to velocity commands, on a default
//! executor in a reservation.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::ros2::Reservation;
use super::{Tally, each_case, ticks};
use hemiola_analysis::{Arrivals, Bound, NoBound, TimeSpan};
use hemiola_schedulability::Supply;
use hemiola_schedulability::ros2::casini_2019::{self, Chain};
use hemiola_schedulability::ros2::{Callback, Kind};

#[derive(Deserialize)]
struct Case {
    /// The sweep that the case belongs to, which follows from the values that it has.
    #[serde(default, rename = "kind")]
    _kind: Option<String>,
    model: Model,
    chain_aware: bool,
    alpha_pct: u64,
    /// The reservation, in the sweep over reservations.
    reservation0: Option<Reservation>,
    /// The jitters, in the sweep over the odometry's jitter.
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

#[derive(Deserialize)]
struct Study {
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    model: Option<System>,
}

/// The system of the study: execution times, inputs with period and jitter, the period of all
/// timers of the local executor.
#[derive(Deserialize)]
struct System {
    wcet_ticks: BTreeMap<String, u64>,
    inputs: BTreeMap<String, Input>,
    timed_period: u64,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    Periodic(u64, u64),
    /// A description in words: the input is on the other executor.
    Other(serde::de::IgnoredAny),
}

/// The system as it is published.
impl Default for System {
    fn default() -> Self {
        let costs = [("sensor2mem", 2), ("pose_estimator", 2), ("local_costmap", 20), ("local_planner", 180)];
        let inputs = ["scan", "tF", "odom"].map(|input| (input.to_owned(), Input::Periodic(800, 2)));
        Self {
            wcet_ticks: costs.into_iter().map(|(name, cost)| (name.to_owned(), cost)).collect(),
            inputs: inputs.into(),
            timed_period: 800,
        }
    }
}

/// The horizon: no bound above it counts, because null means not schedulable.
const HORIZON: TimeSpan = TimeSpan::nanoseconds(10_000);

/// Returns the supply of that share of the processor, as the cases of the other sweep define it.
fn supply(reservations: &[(u64, Reservation)], share: u64) -> Option<Supply> {
    reservations.iter().find(|(other, _)| *other == share).map(|(_, reservation)| reservation.supply())
}

pub(super) fn cases_of_the_study(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    let study: Study = serde_json::from_str(text)?;
    let study = study.meta.and_then(|meta| meta.model).unwrap_or_default();
    let reservations = reservations(text)?;
    each_case(text, tally, |tally, case: Case| {
        let chains = if case.chain_aware { "known" } else { "cut" };
        tally.name(format!("{:?}, chains {chains}, {} %", case.model, case.alpha_pct));
        let ticks_of = |bound: Bound| bound.ok().map(TimeSpan::as_nanoseconds);
        match case.e2e_ticks {
            Results::One(expected) => {
                let supply = case.reservation0.ok_or("there is no reservation")?.supply();
                let got = study.end_to_end(case.model, case.chain_aware, supply, study.jitter_of("odom"));
                tally.same("e2e_ticks", expected, ticks_of(got));
            }
            Results::Many(expected) => {
                let own = case.reservation0.map(|reservation| reservation.supply());
                let supply = own.or_else(|| supply(&reservations, case.alpha_pct));
                let supply = supply.ok_or("no case of the file says what reservation that share is")?;
                let got =
                    |&jitter: &u64| ticks_of(study.end_to_end(case.model, case.chain_aware, supply, ticks(jitter)));
                tally.same("e2e_ticks", expected, case.jitter_ticks.iter().map(got).collect());
            }
        }
        Ok(())
    })
}

/// Returns the reservations by which the cases of the file define shares of the processor.
fn reservations(text: &str) -> Result<Vec<(u64, Reservation)>, serde_json::Error> {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<serde_json::Value>,
    }
    let file: File = serde_json::from_str(text)?;
    let reservation = |case: &serde_json::Value| {
        Some((case["alpha_pct"].as_u64()?, Reservation::deserialize(case.get("reservation0")?).ok()?))
    };
    Ok(file.cases.iter().filter_map(reservation).collect())
}

impl System {
    fn cost(&self, name: &str) -> TimeSpan {
        ticks(self.wcet_ticks.get(name).copied().unwrap_or(0))
    }

    fn input(&self, name: &str) -> (TimeSpan, TimeSpan) {
        match self.inputs.get(name) {
            Some(&Input::Periodic(period, jitter)) => (ticks(period), ticks(jitter)),
            _ => (ticks(self.timed_period), TimeSpan::ZERO),
        }
    }

    fn jitter_of(&self, input: &str) -> TimeSpan {
        self.input(input).1
    }

    fn end_to_end(&self, model: Model, chain_aware: bool, supply: Supply, jitter: TimeSpan) -> Bound {
        end_to_end(self, model, chain_aware, supply, jitter)
    }
}

fn end_to_end(system: &System, model: Model, chain_aware: bool, supply: Supply, jitter: TimeSpan) -> Bound {
    let late = |input: &str| {
        let (period, jitter) = system.input(input);
        Arrivals::periodic(period).late_by(jitter)
    };
    let odometry = Arrivals::periodic(system.input("odom").0).late_by(jitter);
    let (scan, transforms) = (late("scan"), late("tF"));
    let timer = Arrivals::periodic(ticks(system.timed_period));
    let [pose, sensor_cost, costmap, planner] =
        ["pose_estimator", "sensor2mem", "local_costmap", "local_planner"].map(|name| system.cost(name));
    let sampling = if jitter > TimeSpan::ZERO { ticks(system.timed_period) } else { TimeSpan::ZERO };
    let chain = |costs: &[TimeSpan], arrivals| Chain { costs: costs.to_vec(), arrivals };
    let polled = |cost, arrivals| Callback { kind: Kind::Subscription, cost, arrivals };
    match (model, chain_aware) {
        (Model::EventDriven, true) => {
            let own = chain(&[pose, costmap, planner], odometry);
            first(casini_2019::chains(
                &[own, chain(&[sensor_cost], scan), chain(&[sensor_cost], transforms)],
                supply,
                HORIZON,
            ))
        }
        (Model::EventDriven, false) => {
            let mut bounds = [TimeSpan::ZERO; 3];
            loop {
                let mut callbacks = Vec::new();
                let mut late = jitter;
                for (cost, bound) in [pose, costmap, planner].into_iter().zip(bounds) {
                    callbacks.push(polled(cost, Arrivals::periodic(system.input("odom").0).late_by(late)));
                    late += bound;
                }
                callbacks.extend([scan, transforms].map(|arrivals| polled(sensor_cost, arrivals)));
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
        // Timers sample what arrived, which takes a period more unless it arrives in step with
        // them.
        (Model::TimeDriven, true) => {
            let sensors = [scan, transforms, odometry].map(|arrivals| chain(&[sensor_cost], arrivals));
            let mut chains = vec![chain(&[planner], timer), chain(&[costmap], timer), chain(&[pose], timer)];
            chains.extend(sensors);
            first(casini_2019::chains(&chains, supply, HORIZON)).map(|bound| bound + sampling)
        }
        (Model::TimeDriven, false) => {
            let timer = |cost| Callback { kind: Kind::Timer, cost, arrivals: timer };
            let mut callbacks = vec![timer(pose), timer(planner), timer(costmap)];
            callbacks.extend([scan, transforms, odometry].map(|arrivals| polled(sensor_cost, arrivals)));
            // The file has no bound at all where something in the executor has none.
            let bounds: Result<Vec<TimeSpan>, NoBound> =
                casini_2019::callbacks(&callbacks, supply, HORIZON).into_iter().collect();
            bounds.map(|bounds| bounds[1] + sampling)
        }
    }
}

fn first(bounds: Vec<Bound>) -> Bound {
    bounds.into_iter().next().unwrap_or(Ok(TimeSpan::ZERO))
}
