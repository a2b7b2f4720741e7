//! The time from publishing to the callback.

use hemiola_bench_contestant::messages::hand_over::Place;

use super::workload::{Case, Column, Contestant, Cores, Figure, Goal, Limit, Workload, picoseconds};
use crate::contest::discipline::Effort;

const HAND_OVER: Figure = Figure::median("hand_over_ps", picoseconds);
const WAKE_UPS: Figure = Figure::median("wake_ups_per_100", |value| format!("{:.2}", value / 100.0));
const PLACES: [Place; 3] = [Place::SameThread, Place::Spinning, Place::Sleeping];

pub fn workload(effort: Effort) -> Workload {
    let goal = |what, place, limit| Goal { what, cases: vec![name(place)], id: "hemiola", figure: HAND_OVER, limit };
    Workload {
        name: "hand-over",
        what: "A number is published, and its callback called: on the same thread, or on another core's, which spins (it goes there and \
               back, and half of that is shown) or has been asleep. A wake-up is a thread that slept.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola, executor"),
            Contestant::rust("rtrb", "rtrb"),
            Contestant::rust("crossbeam-channel", "crossbeam-channel"),
            Contestant::rust("std-channel", "std sync_channel"),
        ],
        cases: PLACES.map(|place| case(place, effort)).into(),
        columns: vec![
            Column { head: "hand-over", figure: HAND_OVER },
            Column { head: "wake-ups per cycle", figure: WAKE_UPS },
        ],
        plotted: vec![HAND_OVER],
        goals: vec![
            goal("on the same thread", Place::SameThread, Limit::AtMost(100e3)),
            goal("on another core, which spins", Place::Spinning, Limit::AtMost(350e3)),
        ],
    }
}

fn name(place: Place) -> String {
    match place {
        Place::SameThread => "same thread".to_owned(),
        Place::Spinning => "another core, spinning".to_owned(),
        Place::Sleeping => "another core, sleeping".to_owned(),
    }
}

fn case(place: Place, effort: Effort) -> Case {
    let round_trips = match (place, effort) {
        (Place::SameThread, _) => 200_000,
        (Place::Spinning, Effort::Full) => 50_000,
        (Place::Sleeping, Effort::Full) => 1_000,
        (_, Effort::Quick) => 500,
    };
    Case {
        name: name(place),
        arguments: vec![("place", place as u64), ("round-trips", round_trips), ("repetitions", 3)],
        cores: if place == Place::SameThread { Cores::One } else { Cores::Two },
        without: if place == Place::Sleeping { &["rtrb"] } else { &[] },
    }
}
