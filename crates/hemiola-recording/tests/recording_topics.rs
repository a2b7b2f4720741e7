//! `run --log`: what topics carry is in the log, too.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

use hemiola::prelude::*;
use hemiola::{Application, cdr};
use hemiola_log::{Entry, LogReader};
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Observation, Robot};

#[derive(Representation, Clone, Default)]
struct Count {
    number: u32,
}

/// Published in every tenth run.
#[derive(Representation, Clone, Default)]
struct Goal {
    number: u32,
    /// What the clock showed in that run.
    run: Time,
}

/// What cannot leave the process.
#[derive(Representation, Clone, Default)]
#[representation(opaque)]
struct Secret;

#[derive(Module)]
struct Striker {
    runs: u32,
}

#[module]
impl Striker {
    #[update]
    fn strike(
        &mut self,
        clock: &Clock,
        goals: &mut Publisher<Goal>,
        secrets: &mut Publisher<Secret>,
        count: &mut Count,
    ) {
        self.runs += 1;
        count.number = self.runs;
        if self.runs.is_multiple_of(10) {
            goals.publish(Goal { number: self.runs, run: clock.now() });
            secrets.publish(Secret);
        }
    }
}

const ROBOT: &str = "[cycle.main]\nrate = 100.0\nworkers = 1\n";

/// Number in the channel, milliseconds, and which goal.
type Seen = (u32, u64, u32);

/// The time that the clock showed in the run, and when it was sent.
type Sent = (Time, Time);

/// The content of a log: goals, how many values of counts, and what was said.
#[derive(Default)]
struct Content {
    goals: Vec<Seen>,
    sent: Vec<Sent>,
    counts: usize,
    said: Vec<String>,
    channels: BTreeMap<String, String>,
}

fn content(log: &Path) -> Content {
    let mut log = LogReader::open(log).unwrap();
    let mut content = Content::default();
    while let Some(entry) = log.next_entry() {
        match entry.unwrap() {
            Entry::Message(message) => match message.channel.topic.as_str() {
                "/topic/Goal" => {
                    let goal: Goal = cdr::decode(message.data).unwrap();
                    let sent = Time::from_nanoseconds(message.log_time.nanoseconds() as i64);
                    content.sent.push((goal.run, sent));
                    content.goals.push((message.sequence, message.log_time.nanoseconds() / 1_000_000, goal.number));
                }
                "/main/Count" => content.counts += 1,
                "/hemiola/log" => content.said.push(message.decode().unwrap().to_string()),
                "/main/_run" => {}
                state if state.starts_with("/main/_state") => {}
                other => panic!("a message of {other}"),
            },
            Entry::Metadata(metadata) if metadata.name == "hemiola/channels" => content.channels = metadata.entries,
            _ => {}
        }
    }
    content
}

fn record(arguments: &str, log: &Path) -> Content {
    let run = format!("robot run --headless --no-trace --log {} {arguments}", log.display());
    assert_eq!(Application::embedded(ROBOT).run_with(run.split_whitespace()), ExitCode::SUCCESS, "{arguments}");
    content(log)
}

#[test]
fn messages_of_a_stepped_robot_are_recorded_whole_with_the_time_of_their_run() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("goals.mcap");
    let Content { goals, counts, said, channels, .. } = record("--fast --duration 9990ms", &log);
    let expected: Vec<Seen> = (0..100).map(|goal| (goal, 90 + 100 * u64::from(goal), 10 + 10 * goal)).collect();
    assert_eq!(goals, expected);
    assert_eq!(counts, 1000);
    assert!(channels["/topic/Goal"].contains("\"dropped\":0"), "{channels:?}");
    assert!(said.iter().any(|text| text.contains("Secret") && text.contains("opaque")), "{said:?}");
}

#[test]
fn topics_are_chosen_as_representations_are() {
    let folder = tempfile::tempdir().unwrap();
    let record = |name: &str, arguments: &str| {
        record(&format!("--fast --duration 9990ms {arguments}"), &folder.path().join(name))
    };
    let goals = record("goals.mcap", "--log-only Goal");
    assert_eq!((goals.goals.len(), goals.counts), (100, 0));
    let counts = record("counts.mcap", "--log-only Count");
    assert_eq!((counts.goals.len(), counts.counts), (0, 1000));
    let some = record("some.mcap", "--log-only Goal@2");
    assert_eq!(some.goals.iter().map(|goal| goal.1).collect::<Vec<_>>()[..3], [90, 590, 1090]);
    let without = record("without.mcap", "--set log.channel.Goal.enabled=false");
    assert_eq!((without.goals.len(), without.counts), (0, 1000));
    let late = record("late.mcap", "--set log.channel.Goal.only_while=Count.number>=505");
    assert_eq!(late.goals.first().map(|goal| (goal.0, goal.2)), Some((0, 510)), "what is left out is no gap");
}

#[test]
fn a_live_robot_has_its_messages_recorded_with_their_time() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("goals.mcap");
    let run = |pace: &str| {
        _ = std::fs::remove_file(&log);
        let run = format!("robot run --headless --no-trace --duration 1s --speed {pace} --log {}", log.display());
        Application::embedded(ROBOT).run_with(run.split_whitespace())
    };
    // On a busy machine a recorder may come too late for some values.
    assert!(["1", "0.5", "0.2"].into_iter().any(|pace| run(pace) == ExitCode::SUCCESS));
    let Content { goals, sent, .. } = content(&log);
    assert!(!goals.is_empty(), "there were enough runs");
    assert!(sent.iter().all(|(run, sent)| run <= sent), "after their run has begun: {sent:?}");
    assert!(sent.windows(2).all(|pair| pair[0].1 < pair[1].0), "before the next one: {sent:?}");
}

#[test]
fn of_a_flood_the_newest_messages_are_kept_with_their_times() {
    let mut configuration = Configuration::default();
    configuration.cycles.push(CycleConfiguration::new("main", Trigger::Rate(100.0)));
    let running = Robot::assemble(configuration).unwrap().start(Default::default()).unwrap();
    let handle = running.handle().clone();
    let mut publisher = handle.bus().readable_topic::<Count>("flood").unwrap().publisher();
    let mut seen = handle.observe(Observation::default().with_topics_named(|name| name == "flood")).unwrap();
    assert_eq!(seen.topics().iter().map(|topic| topic.name.as_str()).collect::<Vec<_>>(), ["flood"]);
    let before = handle.now();
    (0..1000).for_each(|number| publisher.publish(Count { number }));
    let mut times = Vec::new();
    while let Some(message) = seen.next_message() {
        assert_eq!(message.topic(), 0);
        times.push(message.time());
    }
    assert_eq!((times.len(), seen.dropped_messages(0)), (64, 936), "the newest ones");
    // However long the machine took: not before they were sent, as exactly as two clocks go alike,
    // and not after they were read.
    let after = handle.now();
    let margin = after.since(before) / 100;
    assert!(times.iter().all(|time| before <= *time + margin && *time <= after), "{before} to {after}: {times:?}");
    running.stop();
}
