//! Chains that a topic is part of: found, measured, bounded, explained.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola::Application;
use hemiola::prelude::*;
use hemiola::trace::causes::{History, Latency, Step};
use hemiola::trace::perfetto::Trace;
use hemiola::trace::{Distribution, Event, Measured, Profile, ProfileHistory, by_messages};

#[derive(Representation, Clone, Default)]
struct Sound {
    number: u64,
}

#[derive(Source)]
struct Ear;

#[source]
impl Ear {
    #[sample(rate = 100.0)]
    fn sound(&mut self, clock: &Clock, sound: &mut Sound) {
        sound.number = clock.run();
    }
}

#[derive(Representation, Clone, Default)]
struct Whistle {
    sound: u64,
}

/// Twice a second there is something to tell.
#[derive(Module)]
struct Detector;

#[module]
impl Detector {
    #[update]
    fn listen(&self, sound: &Sound, heard: &mut Publisher<Whistle>) {
        if sound.number.is_multiple_of(50) {
            heard.publish(Whistle { sound: sound.number });
        }
    }
}

/// A source that has nothing but messages.
#[derive(Source)]
struct Button;

#[source]
impl Button {
    #[sample(rate = 100.0)]
    fn pressed(&mut self, clock: &Clock, pressed: &mut Publisher<Pressed>) {
        if clock.run().is_multiple_of(30) {
            pressed.publish(Pressed::default());
        }
    }
}

#[derive(Representation, Clone, Default)]
struct Pressed {}

#[derive(Representation, Clone, Default)]
struct Order {
    goes: bool,
}

#[derive(Module)]
struct Referee;

#[module]
impl Referee {
    #[update]
    fn order(
        &self,
        heard: &Subscription<Whistle>,
        pressed: &Subscription<Pressed>,
        last: Previous<Order>,
        order: &mut Order,
    ) {
        order.goes = last.goes ^ !(heard.is_empty() && pressed.is_empty());
    }
}

#[derive(Module)]
struct Legs;

#[module]
impl Legs {
    #[update]
    fn go(&self, order: &Order) {
        std::hint::black_box(order.goes);
    }
}

const ROBOT: &str = r#"
[cycle.audio]
trigger = "Ear"
modules = ["Detector"]

[cycle.cognition]
rate = 20.0
modules = ["Referee"]

[cycle.motion]
rate = 50.0
modules = ["Legs"]

[source.Ear]

[source.Button]

[chain.ear-to-legs]
from = "Ear"
to = "Legs"
reaction = "200 ms"
"#;

const CHAIN: &str = "Ear by messages -> Legs.go";

fn robot(folder: &str, words: &[&str]) -> ExitCode {
    let profile = format!("output.profile=\"{folder}/profile.json\"");
    Application::embedded(ROBOT).run_with([&["robot"], words, &["--set", &profile]].concat())
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-message-chains-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn silence_is_news_too() {
    let folder = folder("stepped");
    let (text, file) = (folder.to_str().unwrap(), folder.join("run.pftrace"));
    let trace = file.to_str().unwrap();
    let run = ["run", "--fast", "--headless", "--duration", "3s", "--trace", trace];
    assert_eq!(robot(text, &run), ExitCode::SUCCESS);
    assert_eq!(robot(text, &["why", "ear-to-legs", "--trace", trace]), ExitCode::SUCCESS);
    assert_eq!(robot(text, &["why", CHAIN, "--trace", trace]), ExitCode::SUCCESS);

    let trace = Trace::read(&file).unwrap();
    let names = trace.catalog.read();
    let (ear, _) = names.sources().find(|(_, name)| *name == "Ear by messages").unwrap();
    let (go, _) = names.tasks().find(|(_, task)| task.name == "Legs.go").unwrap();
    let events = trace.capture.workers().flat_map(|(_, events)| events);
    let arrivals: Vec<(u64, u64)> = events
        .filter_map(|event| match *event {
            Event::Arrival { output, source, newest, newest_age, .. } if (output, source) == (go, ear) => {
                Some((newest.0, newest_age.nanoseconds()))
            }
            _ => None,
        })
        .collect();
    // Each of cognition's runs brings newer sounds, not only those in which there was a whistle.
    let newest: BTreeSet<u64> = arrivals.iter().map(|&(newest, _)| newest).collect();
    assert!(newest.len() >= 55, "{}", newest.len());
    // The age is at most that of the sound before cognition's run, which is every 50 ms, and the
    // longest time from there to motion's.
    assert!(arrivals.iter().all(|&(_, age)| age <= 10_000_000 + 50_000_000 + 20_000_000), "{arrivals:?}");

    let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
    assert!(!history.reactions(ear, go, Latency::Reaction).is_empty());
    let by_values = names.sources().find(|(_, name)| *name == "Ear").unwrap().0;
    assert_eq!(history.reactions(by_values, go, Latency::Reaction), [], "there is no way of values alone");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn it_is_measured_bounded_and_taken_apart() {
    let folder = folder("live");
    let text = folder.to_str().unwrap();
    let file = folder.join("run.pftrace");
    let run = ["run", "--headless", "--duration", "2s", "--trace", file.to_str().unwrap()];
    let mut profile = measured(&folder, || assert_eq!(robot(text, &run), ExitCode::SUCCESS));
    with_known_times(&mut profile);
    ProfileHistory::from(profile).save(folder.join("profile.json")).unwrap();

    let findings = folder.join("findings.json");
    let output = findings.to_str().unwrap();
    assert_eq!(robot(text, &["analyze", "--format", "json", "--output", output]), ExitCode::SUCCESS);
    let findings: serde_json::Value = serde_json::from_slice(&std::fs::read(&findings).unwrap()).unwrap();
    let rows = findings["rows"].as_array().unwrap();
    let row = rows.iter().find(|row| row["name"].as_str().unwrap().contains("ear-to-legs")).unwrap();
    let bound = row["bound"].as_u64().unwrap();
    // The bound consists of the distances of two sounds, two runs of cognition and two of motion,
    // and the execution times of all.
    assert!((80_000_000..200_000_000).contains(&bound), "{row}");

    let row = rows.iter().find(|row| row["name"].as_str().unwrap().contains("Button by messages → Legs.go")).unwrap();
    assert!((80_000_000..200_000_000).contains(&row["bound"].as_u64().unwrap()), "{row}");

    let trace = Trace::read(&file).unwrap();
    for (source, through) in [("Ear", &["audio", "cognition", "motion"][..]), ("Button", &["cognition", "motion"])] {
        let ways = ways(&trace, source);
        // A part of no length is skipped.
        let whole = ways.iter().filter(|way| *way == through).count();
        assert!(2 * whole > ways.len(), "{whole} of {}: {ways:?}", ways.len());
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Returns the profile of a robot that ran until both chains were completed often enough: a profile
/// adds up what runs measured, and a machine that does other work needs more of them.
fn measured(folder: &Path, run: impl Fn()) -> Profile {
    let is_enough = |profile: &Profile| {
        ["Ear by messages", "Button by messages"].iter().all(|source| {
            let chain = profile.chain(source, "motion", "Legs.go");
            chain.is_some_and(|chain| chain.reaction.count() > 10 && chain.data_age.count() > 50)
        })
    };
    for _ in 0..20 {
        run();
        let profile = ProfileHistory::load(folder.join("profile.json")).unwrap().profiles().last().unwrap().clone();
        if is_enough(&profile) {
            return profile;
        }
    }
    panic!("the chains are not measured");
}

/// Sets all measured times to those on a machine that does nothing else, so that bounds do not
/// depend on what this one does.
fn with_known_times(profile: &mut Profile) {
    let mut time = Distribution::new();
    (0..100).for_each(|_| time.record(20_000));
    let tasks = profile.cycles.values_mut().flat_map(|cycle| cycle.tasks.values_mut());
    tasks.chain(profile.sources.values_mut()).for_each(|measured| *measured = Measured::from(&time));
    profile.costs.clear();
}

/// Returns the cycles through which each output learned of a source.
fn ways(trace: &Trace, source: &str) -> Vec<Vec<String>> {
    let names = trace.catalog.read();
    let (source, _) = names.sources().find(|(_, name)| *name == by_messages(source)).unwrap();
    let (go, _) = names.tasks().find(|(_, task)| task.name == "Legs.go").unwrap();
    let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
    let cycles_of = |reaction| -> Vec<String> {
        let hops = history.hops(source, go, reaction);
        let cycles = hops.iter().filter_map(|hop| match hop.step {
            Step::Run { cycle, .. } => Some(names.cycle_name(cycle)),
            _ => None,
        });
        cycles.collect()
    };
    history.reactions(source, go, Latency::Reaction).into_iter().map(cycles_of).collect()
}
