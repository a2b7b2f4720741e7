//! The images of a camera.

use super::{IMAGE_BYTES, Messages, ONE_WAY, RECEIVER, SENDER, UDP, case, contestants, goals, one_way_columns};
use crate::contest::discipline::Effort;
use crate::messages::workload::{Goal, Limit, Workload};

pub fn workload(effort: Effort) -> Workload {
    let count = match effort {
        Effort::Full => 45,
        Effort::Quick => 5,
    };
    let messages = Messages {
        bytes: IMAGE_BYTES,
        count,
        period_ns: 1_000_000_000 / 30,
        window: 8,
        cores: 2,
        idle: 0,
        spins: false,
    };
    let case = case("614 kB at 30 Hz".to_owned(), &messages, UDP);
    let names = [case.name.clone()];
    let mut goals = goals(&names, ONE_WAY);
    goals.push(Goal {
        what: "shm copies nothing: the receiver takes no longer than iceoryx2's, within 15 %",
        cases: names.into(),
        id: "hemiola-shm",
        figure: RECEIVER,
        limit: Limit::Within { of: "iceoryx2", tolerance: 0.15 },
    });
    Workload {
        name: "image",
        what: "An image thirty times a second, measured like small messages. Sockets that preserve message boundaries take it in pieces of \
               60,000 bytes; UDP, which may lose some of them, is excluded.",
        contestants: contestants(),
        cases: vec![case],
        columns: one_way_columns(),
        plotted: vec![ONE_WAY, SENDER, RECEIVER],
        goals,
    }
}
