//! Compares the bound of a chain by messages over a link with all that is published, carried and
//! received in simulated runs: news arrives late, in order, and replaces news that has not left.

use hemiola_analysis::system::{Begin, Cycle, Link, Path, Span, System, Task};
use hemiola_analysis::{Analysis, TimeSpan};
use proptest::prelude::*;

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

/// A cycle with one task on a core of its own.
fn cycle(name: &str, begins: Begin, takes: u64) -> Cycle {
    let tasks = vec![Task::new("task", Span::upto(ns(takes)))];
    Cycle { name: name.into(), begins, deadline: None, workers: 1, cores: Vec::new(), priority: 50, tasks }
}

#[derive(Clone, Copy, Debug)]
struct Described {
    /// The period of the sensor, and of the cycle that receives.
    periods: [u64; 2],
    phases: [u64; 2],
    /// The longest times of sensor, publisher, link and receiver.
    takes: [u64; 4],
}

fn described() -> impl Strategy<Value = Described> {
    let periods = [10..60_u64, 10..60_u64];
    (periods, [0..60_u64, 0..60_u64], [1..5_u64, 1..5_u64, 1..150_u64, 1..9_u64])
        .prop_map(|(periods, phases, takes)| Described { periods, phases, takes })
}

fn bound(Described { periods, takes, .. }: Described) -> TimeSpan {
    let every = |period| Begin::every(ns(period));
    let through = ["ear", "audio", "whistle", "motion"].map(str::to_owned).to_vec();
    let system = System {
        cores: 3,
        cycles: vec![
            cycle("ear", every(periods[0]), takes[0]),
            cycle("audio", Begin::After("ear".into()), takes[1]),
            cycle("motion", every(periods[1]), takes[3]),
        ],
        links: vec![Link {
            name: "whistle".into(),
            from: "audio".into(),
            takes: Span::upto(ns(takes[2])),
            clock_error: TimeSpan::ZERO,
        }],
        paths: vec![Path { through, ..Path::named("whistle to legs") }],
        ..System::default()
    };
    system.check().unwrap();
    Analysis::of(&system).find("whistle to legs").unwrap().bound.clone().unwrap()
}

/// Returns the longest reaction time and data age. `draws` decide how long everything takes.
fn seen(Described { periods, phases, takes }: Described, draws: &[u64]) -> [u64; 2] {
    let mut draws = draws.iter().copied().cycle();
    let mut upto = |longest: u64| draws.next().map_or(longest, |draw| draw % longest + 1);
    // When each sample was taken, and when the run ended that derives from it.
    let mut ended: Vec<(u64, u64)> = Vec::new();
    for number in 0..200 {
        let stamp = phases[0] + number * periods[0];
        ended.push((stamp, stamp + upto(takes[0]) + upto(takes[1])));
    }
    // News waits for the link, which always has the newest, and counts from the first that waits.
    let mut arrived: Vec<(u64, u64)> = Vec::new();
    let (mut next, mut free) = (0, 0);
    while next < ended.len() {
        let first = ended[next].1;
        let leaves = first.max(free);
        let told = ended.iter().take_while(|(_, end)| *end <= leaves).count();
        let arrives = (first + upto(takes[2])).max(leaves);
        assert!(arrives <= first + takes[2], "it takes no longer than the link does");
        arrived.push((ended[told - 1].0, arrives));
        (next, free) = (told, arrives);
    }
    let (mut reaction, mut age, mut before) = (0, 0, None);
    for number in 0.. {
        let begin = phases[1] + number * periods[1];
        if begin + 1000 > ended[ended.len() - 1].1 {
            break;
        }
        let output = begin + upto(takes[3]);
        let heard = arrived.iter().take_while(|(_, at)| *at <= begin).last().map(|(stamp, _)| *stamp);
        let Some(newest) = heard else { continue };
        age = age.max(output - newest);
        if let Some(before) = before.replace(newest).filter(|before| *before < newest) {
            reaction = reaction.max(output - before);
        }
    }
    [reaction, age]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_message_reacts_later_than_the_bound_of_its_chain(
        described in described(), draws in prop::collection::vec(0..10_000_u64, 211),
    ) {
        let bound = bound(described).as_nanoseconds();
        let [reaction, age] = seen(described, &draws);
        prop_assert!(reaction <= bound, "{reaction} > {bound}");
        prop_assert!(age <= bound, "{age} > {bound}");
    }
}

#[test]
fn the_bound_is_nearly_reached() {
    // Everything takes as long as it may, and the receiver has just begun when news arrives.
    let described = Described { periods: [40, 30], phases: [0, 0], takes: [2, 3, 20, 5] };
    let longest = (0..30).map(|phase| seen(Described { phases: [0, phase], ..described }, &[59])[0]).max();
    let bound = bound(described).as_nanoseconds();
    // It includes that the sensor, which is as important, may be in the way of the receiver.
    assert!(longest.is_some_and(|longest| 10 * longest >= 9 * bound), "{longest:?} of {bound}");
}
