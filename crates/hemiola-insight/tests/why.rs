//! The command `why`: a robot is late on purpose, and the answer names the culprit.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hemiola::Application;
use hemiola::prelude::*;
use hemiola::runtime::LatencyBounds;
use hemiola::trace::causes::{Because, Cause, Durations, Explanation, History, Latency, Reason, Step};
use hemiola::trace::perfetto::Trace;
use hemiola_insight::Traces;
use hemiola_insight::why::{Evidence, Question};
use serde_json::{Value, json};

const ROBOT: &str = "[cycle.control]\nrate = 100.0\ndeadline = \"30 ms\"\n[source.Eye]\n\
    [chain.sight-to-act]\nfrom = \"Eye\"\nto = \"Hand\"\nreaction = \"1 s\"\n";

#[derive(Representation, Clone, Default)]
struct Sight {
    number: u64,
}

#[derive(Source)]
struct Eye {}

#[source]
impl Eye {
    #[sample(rate = 50.0)]
    fn sight(&mut self, clock: &Clock, sight: &mut Sight) {
        sight.number = clock.run();
    }
}

#[derive(Representation, Clone, Default)]
struct Thought {
    number: u64,
}

/// Thinks long, once.
#[derive(Module)]
struct Brain {}

const SLOW_RUN: u64 = 60;
/// A time longer than anything else that happens to a run on a machine that others use, too.
const SLOW: Duration = Duration::from_millis(400);

#[module]
impl Brain {
    #[update]
    fn thought(&self, clock: &Clock, sight: &Sight, thought: &mut Thought) {
        let begin = Instant::now();
        while clock.run() == SLOW_RUN && begin.elapsed() < SLOW {
            std::hint::spin_loop();
        }
        thought.number = sight.number;
    }
}

#[derive(Module)]
struct Hand {}

#[module]
impl Hand {
    #[update]
    fn act(&self, thought: &Thought) {
        std::hint::black_box(thought.number);
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hemiola-why-{name}-{}", std::process::id()));
    _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn robot(words: &[&str]) -> ExitCode {
    Application::embedded(ROBOT).run_with([&["robot"], words].concat())
}

/// Returns the reason of a run, and whether its chain shows that the hand needed what the brain
/// thought.
fn reason(trace: &Trace, run: u32) -> (String, bool) {
    let names = trace.catalog.read();
    let (cycle, _) = names.cycles().next().unwrap();
    let brain = names.tasks().find(|(_, task)| task.name == "Brain.thought").unwrap().0;
    let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
    let chain = history.blocking_chain(cycle, run).unwrap();
    let needed = |cause| matches!(cause, Cause::Executed { task, because: Because::Needed, .. } if task == brain);
    let is_needed = chain.stretches.iter().any(|stretch| needed(stretch.cause));
    let durations = Durations::of(&trace.capture, &trace.catalog, &trace.scale, (cycle, run));
    let explanation = Explanation::of(chain, &durations, &trace.scale);
    let Reason::LongExecution(task) = explanation.reason else { panic!("{:?}", explanation.reason) };
    assert!(explanation.excess >= Duration::from_millis(350).as_nanos() as u64, "{}", explanation.table(&names));
    (names.task_name(task), is_needed)
}

#[test]
fn the_update_that_took_long_is_named_with_one_worker_and_with_two() {
    let folder = folder("long");
    for workers in ["1", "2"] {
        let file = folder.join(format!("{workers}.pftrace"));
        let path = file.to_str().unwrap();
        let set = format!("cycle.control.workers={workers}");
        let run = ["run", "--fast", "--headless", "--duration", "1s", "--trace", path, "--set", &set];
        assert_eq!(robot(&run), ExitCode::SUCCESS);
        let trace = Trace::read(&file).unwrap();
        assert_eq!(reason(&trace, SLOW_RUN as u32), ("Brain.thought".to_owned(), true));
    }
    let (trace, slice) = (folder.join("2.pftrace"), folder.join("slice.pftrace"));
    let [trace, slice] = [&trace, &slice].map(|path| path.to_str().unwrap());
    let chain = "Eye -> Hand.act";
    for words in [
        &["why", "--trace", trace][..],
        &["why", "control", "--worst", "3", "--trace", trace],
        &["why", chain, "--trace", trace],
        &["why", chain, "--age", "--trace", trace],
        &["why", "sight-to-act", "--trace", trace],
        &["why", "control", "--run", "60", "--trace", trace, "--slice", slice],
        &["why", "control", "--json", "--trace", trace],
    ] {
        assert_eq!(robot(words), ExitCode::SUCCESS, "{words:?}");
    }
    let slice = Trace::read(slice).unwrap();
    assert_eq!(reason_of_slice(&slice), "Brain.thought");
    for words in [
        &["why", "motion", "--trace", trace][..],
        &["why", "sight-to-hand", "--trace", trace],
        &["why", "control", "--run", "4711", "--trace", trace],
    ] {
        assert_eq!(robot(words), ExitCode::from(2), "{words:?}");
    }
    assert_eq!(robot(&["why", "--trace", "/nowhere.pftrace"]), ExitCode::from(1));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Returns the answer to a question about a trace as JSON, of which the text is that for people.
fn facts(question: &Question) -> Value {
    let evidence = Evidence::find(question, Default::default(), &Traces::new("/nowhere", "robot")).unwrap();
    let answer = json!(evidence.answer(question).unwrap());
    assert_eq!(answer["from"], question.trace.as_ref().unwrap().to_str().unwrap());
    assert!(answer["text"].as_str().unwrap().starts_with(answer["from"].as_str().unwrap()), "{answer:#}");
    answer
}

/// Returns the sum of the lengths of the parts of a path.
fn length(path: &Value) -> u64 {
    path.as_array().unwrap().iter().map(|part| part["takes"].as_u64().unwrap()).sum()
}

#[test]
fn programs_get_the_facts_of_an_answer() {
    let folder = folder("json");
    let trace = folder.join("robot.pftrace");
    let run = ["run", "--fast", "--headless", "--duration", "1s", "--trace", trace.to_str().unwrap()];
    assert_eq!(robot(&run), ExitCode::SUCCESS);
    let of = |subject: Option<&str>| Question {
        subject: subject.map(str::to_owned),
        trace: Some(trace.clone()),
        ..Question::default()
    };

    let overview = facts(&of(None));
    let [cycle, chain] = ["cycles", "chains"].map(|key| &overview[key][0]);
    assert_eq!((&cycle["cycle"], &cycle["longest_run"]), (&json!("control"), &json!(SLOW_RUN)), "{overview:#}");
    assert_eq!((&chain["chain"], &chain["name"]), (&json!("Eye -> Hand.act"), &Value::Null), "{overview:#}");

    let runs = facts(&of(Some("control")));
    let run = &runs["runs"][0];
    assert_eq!((&runs["cycle"], &run["run"], &run["deadline"]), (&json!("control"), &json!(SLOW_RUN), &Value::Null));
    // A simulated clock stands still during a run, and knows no deadlines.
    assert_eq!((&run["time"], &run["late"]), (&json!(10_000_000 * SLOW_RUN), &json!(0)), "{run:#}");
    let response = run["response"].as_u64().unwrap();
    assert_eq!(length(&run["path"]), response, "{run:#}");
    assert_eq!((cycle["longest"].as_u64(), &cycle["missed"]), (Some(response), &json!(0)), "{overview:#}");
    let at = facts(&Question { at: Some(Duration::from_nanos(10_000_000 * SLOW_RUN)), ..of(Some("control")) });
    assert_eq!(at["runs"][0]["run"], json!(SLOW_RUN), "{at:#}");
    let reason = &run["reason"];
    assert_eq!((&reason["kind"], &reason["of"]), (&json!("long_execution"), &json!("Brain.thought")), "{run:#}");
    assert!(runs["text"].as_str().unwrap().contains(reason["text"].as_str().unwrap()), "{runs:#}");

    let outputs = facts(&of(Some("Eye -> Hand.act")));
    let reaction = &outputs["reactions"][0];
    assert_eq!((&outputs["latency"], &outputs["in_real_time"]), (&json!("reaction time"), &json!(false)));
    assert_eq!(length(&reaction["path"]), reaction["takes"].as_u64().unwrap(), "{outputs:#}");
    let hop = reaction["reason"]["hop"].as_u64().unwrap() as usize;
    assert!(reaction["path"][hop]["takes"].as_u64() >= reaction["reason"]["excess"].as_u64(), "{outputs:#}");
    std::fs::remove_dir_all(folder).unwrap();
}

/// Returns the reason of a slice, which holds few other runs to compare with: the longest of its
/// run is enough.
fn reason_of_slice(trace: &Trace) -> String {
    let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
    let cycle = trace.catalog.read().cycles().next().unwrap().0;
    let chain = history.blocking_chain(cycle, SLOW_RUN as u32).unwrap();
    let explanation = Explanation::of(chain, &Durations::default(), &trace.scale);
    trace.catalog.read().task_name(explanation.executions[0].task)
}

#[test]
fn a_log_holds_the_trace_of_its_longest_run() {
    let folder = folder("log");
    let log = folder.join("all.mcap");
    let path = log.to_str().unwrap();
    let run = ["run", "--fast", "--headless", "--no-trace", "--duration", "1s", "--log", path];
    assert_eq!(robot(&run), ExitCode::SUCCESS);
    assert_eq!(robot(&["why", "control", "--log", path]), ExitCode::SUCCESS);
    let question = Question { subject: Some("control".to_owned()), log: Some(log.clone()), ..Question::default() };
    let evidence = Evidence::find(&question, Default::default(), &Traces::new("/nowhere", "robot")).unwrap();
    let text = evidence.answer(&question).unwrap().text;
    let said = format!("control, run {SLOW_RUN} at 0.600 s: ");
    assert!(
        text.contains(&said) && text.contains(", not in real time: its deadline of 30.0 ms does not apply"),
        "{text}"
    );
    let trace = worst(&log);
    assert_eq!(reason_of_slice(&trace), "Brain.thought");
    std::fs::remove_dir_all(folder).unwrap();
}

fn worst(log: &Path) -> Trace {
    let mut log = hemiola::log::LogReader::open(log).unwrap();
    let mut found = None;
    while let Some(entry) = log.next_entry() {
        if let hemiola::log::Entry::Attachment(attachment) = entry.unwrap() {
            found = Some(attachment).filter(|attachment| attachment.name == "worst/control.pftrace").or(found);
        }
    }
    let mut bytes = Vec::new();
    log.read_attachment(&found.unwrap(), &mut bytes).unwrap();
    Trace::decode(&bytes, "worst/control.pftrace").unwrap()
}

#[test]
fn a_bound_that_is_exceeded_is_in_the_log_with_its_cause() {
    let folder = folder("bounds");
    let log = folder.join("all.mcap");
    let run = |pace: &str| {
        let robot = Application::embedded(ROBOT).started(|handle| {
            let bounds = LatencyBounds::default().response("control", SLOW / 2);
            handle.watch_bounds(bounds.execution("control", "Brain.thought", Duration::from_millis(1)));
        });
        _ = std::fs::remove_file(&log);
        let path = log.to_str().unwrap();
        let run = ["robot", "run", "--headless", "--no-trace", "--duration", "2s", "--speed", pace, "--log", path];
        robot.run_with(run)
    };
    // On a busy machine a recorder may come too late for some values.
    assert!(["1", "0.5", "0.2"].into_iter().any(|pace| run(pace) == ExitCode::SUCCESS));
    let mut log = hemiola::log::LogReader::open(&log).unwrap();
    let (mut exceedances, mut warnings) = (Vec::new(), Vec::new());
    while let Some(entry) = log.next_entry() {
        let hemiola::log::Entry::Message(message) = entry.unwrap() else { continue };
        let text = || message.decode().unwrap().to_string();
        match message.channel.topic.as_str() {
            "/hemiola/exceedances" => exceedances.push(text()),
            "/hemiola/log" => warnings.push(text()),
            _ => {}
        }
    }
    let told = |texts: &[String], words: &[&str]| texts.iter().any(|text| words.iter().all(|word| text.contains(word)));
    // Of the causes, an execution time comes first.
    let why = ["cause: 0, culprit: \"Brain.thought\"", "Brain.thought ran ", "was assumed to run 1.00 ms at most"];
    assert!(told(&exceedances, &why), "{exceedances:?}");
    assert!(told(&warnings, &["the response time of control exceeded its bound of 200 ms"]), "{warnings:?}");
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_chain_is_taken_apart_through_the_run_that_carried_it() {
    let folder = folder("chain");
    let file = folder.join("robot.pftrace");
    // The run is in real time, for sample times and events are compared.
    let run = ["run", "--headless", "--duration", "1s", "--trace", file.to_str().unwrap()];
    assert_eq!(robot(&run), ExitCode::SUCCESS);
    let trace = Trace::read(&file).unwrap();
    let history = History::of(&trace.capture, &trace.catalog, &trace.scale);
    let (eye, hand) = history.chains().next().unwrap();
    let reactions = history.reactions(eye, hand, Latency::Reaction);
    let worst = *reactions.iter().max_by_key(|reaction| reaction.ticks()).unwrap();
    let hops = history.hops(eye, hand, worst);
    assert_eq!(hops.iter().map(|hop| hop.ticks()).sum::<u64>(), worst.ticks());
    assert_eq!(hops.first().unwrap().step, Step::Sample, "{hops:?}");
    assert!(matches!(hops.last().unwrap().step, Step::Run { .. }), "{hops:?}");
    let question = Question { subject: Some("control".to_owned()), trace: Some(file), ..Question::default() };
    let run = facts(&question)["runs"][0].clone();
    let [deadline, response] = ["deadline", "response"].map(|key| run[key].as_u64().unwrap());
    // Traces hold ticks, which are not quite nanoseconds.
    assert!(deadline.abs_diff(30_000_000) <= 1, "{run:#}");
    assert_eq!(run["late"], json!(response.saturating_sub(deadline)), "{run:#}");
    std::fs::remove_dir_all(folder).unwrap();
}
