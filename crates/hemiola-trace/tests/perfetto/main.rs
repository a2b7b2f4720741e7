//! Checks that traces are what Perfetto's definitions require, and show what happened.

mod decoder;
#[path = "../scenario/mod.rs"]
mod scenario;

use decoder::{Kind, Trace};
use hemiola_trace::{
    Callback, Capture, Catalog, Core, Event, FailureKind, PlanId, SourceId, TaskId, TickScale, Ticks, WorkerId,
    perfetto,
};
use scenario::Scenario;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

const SCALE: TickScale = TickScale::nanoseconds_per_tick_one();

fn written(scenario: &Scenario, capture: &Capture) -> Trace {
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", scenario.catalog.clone(), SCALE).unwrap();
    for (worker, events) in capture.workers() {
        writer.append(worker, events).unwrap();
    }
    Trace::decode(&writer.finish().unwrap())
}

/// Writes the events as a thread that drains the rings every `period` hands them over.
fn streamed(scenario: &Scenario, period: u64) -> Trace {
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", scenario.catalog.clone(), SCALE).unwrap();
    let mut rest: Vec<(WorkerId, &[Event])> = scenario.capture.workers().collect();
    let mut now = 0;
    while rest.iter().any(|(_, events)| !events.is_empty()) {
        now += period;
        for (worker, events) in &mut rest {
            let (batch, later) = events.split_at(events.partition_point(|event| event.at().0 < now));
            if !batch.is_empty() {
                writer.append(*worker, batch).unwrap();
            }
            *events = later;
        }
    }
    Trace::decode(&writer.finish().unwrap())
}

fn task_runs(capture: &Capture) -> usize {
    capture.workers().flat_map(|(_, events)| events).filter(|event| matches!(event, Event::TaskRun { .. })).count()
}

#[test]
fn every_run_of_a_task_is_a_slice_on_its_workers_track() {
    let scenario = Scenario::of(Duration::from_millis(300));
    let trace = written(&scenario, &scenario.capture);
    trace.assert_sound();
    let on_threads =
        trace.events.iter().filter(|event| event.kind == Kind::Begin && trace.tracks[&event.track].thread).count();
    assert_eq!(on_threads, task_runs(&scenario.capture));
    assert!(on_threads > 400, "the scenario is no toy: {on_threads}");
    let names: Vec<&str> =
        trace.tracks.values().filter(|track| track.thread).map(|track| track.name.as_str()).collect();
    assert_eq!(names, ["motion 0", "motion 1", "audio 0", "cognition 0", "cognition 1"]);
}

#[test]
fn a_slice_tells_its_queueing_delay_and_the_ready_instant_stands_that_far_before_it() {
    let scenario = Scenario::of(Duration::from_millis(100));
    let trace = written(&scenario, &scenario.capture);
    let of = |kind, on_thread| {
        let mut times: Vec<u64> = trace
            .events
            .iter()
            .filter(|event| event.name == "InverseKinematics.legs" && event.kind == kind)
            .filter(|event| trace.tracks[&event.track].thread == on_thread)
            .map(|event| event.time - event.annotations.get("queueing_ns").unwrap_or(&0))
            .collect();
        times.sort_unstable();
        times
    };
    assert!(!of(Kind::Begin, true).is_empty());
    assert_eq!(of(Kind::Begin, true), of(Kind::Instant, false));
}

#[test]
fn dependencies_are_flows_from_the_provider_to_the_reader() {
    let scenario = Scenario::of(Duration::from_millis(200));
    let trace = written(&scenario, &scenario.capture);
    let flows: usize =
        trace.events.iter().filter(|event| event.kind == Kind::Begin).map(|event| event.flows.len()).sum();
    let edges = (0..3).map(|plan| scenario.catalog.read().plan(PlanId(plan)).unwrap().edges.len()).sum::<usize>();
    assert!(flows > edges * 5, "each edge in each run: {flows}");
    let begins: BTreeMap<u64, &str> =
        trace.events.iter().flat_map(|event| event.flows.iter().map(|&flow| (flow, event.name.as_str()))).collect();
    let readers =
        trace.events.iter().filter(|event| event.name == "InverseKinematics.legs" && event.kind == Kind::Begin);
    for reader in readers {
        let mut from: Vec<&str> = reader.terminating_flows.iter().map(|flow| begins[flow]).collect();
        from.sort_unstable();
        assert_eq!(from, ["PatternGenerator.com", "SwingFoot.swing_foot"]);
    }
}

#[test]
fn a_publication_flows_to_every_run_that_took_it() {
    let scenario = Scenario::of(Duration::from_millis(200));
    let trace = written(&scenario, &scenario.capture);
    let takes: Vec<_> = trace.events.iter().filter(|event| event.name == "take cognition").collect();
    assert!(takes.len() > 5);
    assert!(takes.iter().all(|take| take.terminating_flows.len() == 1 && trace.track_of(take) == "motion"));
    let flows: usize =
        trace.events.iter().filter(|event| event.name == "publish cognition").map(|event| event.flows.len()).sum();
    assert_eq!(flows, takes.len());
}

#[test]
fn each_run_has_its_trigger_and_its_deadline() {
    let scenario = Scenario::of(Duration::from_millis(250));
    let trace = written(&scenario, &scenario.capture);
    let runs = scenario
        .capture
        .workers()
        .flat_map(|(_, events)| events)
        .filter(|event| matches!(event, Event::CycleBegin { .. }))
        .count();
    assert_eq!(trace.count(Kind::Instant, "trigger"), runs);
    assert_eq!(trace.count(Kind::Instant, "deadline"), runs);
    let motion = trace.count(Kind::Begin, "motion");
    assert_eq!(motion, 21);
    for counter in ["motion cycle time", "motion jitter", "motion longest queueing"] {
        let values = trace.events.iter().filter(|event| trace.track_of(event) == counter).count();
        assert_eq!(values, motion, "{counter}");
    }
}

/// However the events arrive, the trace contains the same: no flow is lost because a run was
/// written too early.
#[test]
fn a_streamed_trace_holds_what_a_captured_one_holds() {
    let scenario = Scenario::of(Duration::from_millis(400));
    let contents = |trace: &Trace| {
        trace.assert_sound();
        let mut events: Vec<_> = trace
            .events
            .iter()
            .map(|event| {
                let flows = (event.flows.len(), event.terminating_flows.len());
                (event.time, event.track, event.name.clone(), event.kind as u8, event.value, flows)
            })
            .collect();
        events.sort();
        events
    };
    let captured = contents(&written(&scenario, &scenario.capture));
    for period in [700_000, 5_000_000, 50_000_000] {
        assert!(contents(&streamed(&scenario, period)) == captured, "drained every {period} ns");
    }
}

#[test]
fn what_went_wrong_is_an_instant_and_a_counter() {
    let scenario = Scenario::of(Duration::from_millis(30));
    let (motion, priority) = {
        let names = scenario.catalog.read();
        let (id, cycle) = names.cycles().next().unwrap();
        (id, cycle.priority)
    };
    assert_eq!(priority, 80);
    let (task, at, run) = (TaskId(0), Ticks(29_000_000), 2);
    let battery = scenario.catalog.counter("battery", "%").unwrap();
    let mut capture = scenario.capture.clone();
    capture.insert(
        WorkerId(0),
        vec![
            Event::Overrun { cycle: motion, run, at },
            Event::InputDropped { cycle: motion, source: SourceId(0), count: 2, at },
            Event::InputDropped { cycle: motion, source: SourceId(0), count: 3, at },
            Event::TriggersSkipped { cycle: motion, count: 4, at },
            Event::Failure { task, kind: FailureKind::Panic, run, at },
            Event::Stale { task, run, at },
            Event::Woken { cycle: motion, run, asked: Ticks(at.0 - 4_000), at },
            Event::Counter { counter: battery, value: 81.5, at },
        ],
    );
    let trace = written(&scenario, &capture);
    trace.assert_sound();
    for name in ["overrun", "triggers skipped", "failure", "stale", "woken"] {
        assert_eq!(trace.count(Kind::Instant, name), 1, "{name}");
    }
    let values = |track: &str| -> Vec<u64> {
        trace.events.iter().filter(|event| trace.track_of(event) == track).filter_map(|event| event.value).collect()
    };
    assert_eq!(values("motion dropped inputs"), [2, 5]);
    assert_eq!(values("battery"), [81.5f64.to_bits()]);
    let woken = trace.events.iter().find(|event| event.name == "woken").unwrap();
    assert_eq!(woken.annotations["latency_ns"], 4_000);
}

/// A ring that was overwritten starts in the middle of a run, and a running robot ends in one.
#[test]
fn a_trace_cut_at_any_event_is_sound() {
    let scenario = Scenario::of(Duration::from_millis(60));
    let longest = scenario.capture.workers().map(|(_, events)| events.len()).max().unwrap();
    for skipped in 0..longest {
        let (mut head, mut tail) = (Capture::default(), Capture::default());
        for (worker, events) in scenario.capture.workers() {
            let cut = skipped.min(events.len());
            head.insert(worker, events[..cut].to_vec());
            tail.insert(worker, events[cut..].to_vec());
        }
        written(&scenario, &head).assert_sound();
        written(&scenario, &tail).assert_sound();
    }
}

/// A task that runs others while it waits contains them.
#[test]
fn nested_tasks_are_nested_slices() {
    let scenario = Scenario::of(Duration::ZERO);
    let slice = |task, begin, end| Event::TaskRun {
        task: TaskId(task),
        core: Core(0),
        run: 0,
        ready: Ticks(begin),
        begin: Ticks(begin),
        end: Ticks(end),
    };
    let mut capture = Capture::default();
    // The events are in the order of pushing: the inner ones end first. The last one claims to
    // outlive its host, which no stack allows.
    capture.insert(WorkerId(0), vec![slice(1, 20, 30), slice(2, 30, 30), slice(0, 10, 50), slice(3, 40, 70)]);
    let trace = written(&scenario, &capture);
    trace.assert_sound();
    let order: Vec<(u64, Kind)> = trace
        .events
        .iter()
        .filter(|event| trace.tracks[&event.track].thread && event.kind != Kind::Instant)
        .map(|event| (event.time, event.kind))
        .collect();
    use Kind::{Begin, End};
    let expected = [(10, Begin), (20, Begin), (30, End), (30, Begin), (30, End), (40, Begin), (50, End), (50, End)];
    assert_eq!(order, expected);
}

#[test]
fn what_updates_show_of_themselves_is_counters_and_instants_and_does_not_disturb_the_rest() {
    let scenario = Scenario::of(Duration::from_millis(100));
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", scenario.catalog.clone(), SCALE).unwrap();
    for (worker, events) in scenario.capture.workers() {
        writer.append(worker, events).unwrap();
        writer.plot(Ticks(10), "ball.score", 0.5).unwrap();
        writer.plot(Ticks(20), "ball.score", f64::NAN).unwrap();
        writer.plot(Ticks(20), "pose.quality", -1.5).unwrap();
        // This annotation has the same name as one of the trace's own instants.
        writer.annotate(Ticks(30), "Whistle.detect", "failure", "a whistle").unwrap();
    }
    let bytes = writer.finish().unwrap();
    let trace = Trace::decode(&bytes);
    trace.assert_sound();
    let workers = scenario.capture.workers().count();
    let on = |name: &str| trace.events.iter().filter(|event| trace.track_of(event) == name).count();
    assert_eq!([on("ball.score"), on("pose.quality"), on("annotations")], [workers; 3]);
    let (known, read) =
        (told(&scenario.capture, &scenario.catalog), perfetto::Trace::decode(&bytes, "memory").unwrap());
    assert_eq!(told(&read.capture, &read.catalog), known);
}

#[test]
fn lost_events_are_shown_where_the_next_ones_begin() {
    let scenario = Scenario::of(Duration::from_millis(20));
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", scenario.catalog.clone(), SCALE).unwrap();
    for (worker, events) in scenario.capture.workers() {
        writer.lost(worker, 7);
        writer.append(worker, events).unwrap();
    }
    let trace = Trace::decode(&writer.finish().unwrap());
    assert_eq!(trace.count(Kind::Instant, "events lost"), scenario.capture.workers().count());
}

#[test]
fn a_full_disk_is_reported_with_the_path() {
    let scenario = Scenario::of(Duration::from_millis(200));
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("SKIPPED: this system has no {}", full.display());
        return;
    }
    let message = scenario.capture.write_perfetto(full, &scenario.catalog, &SCALE).unwrap_err().to_string();
    assert!(message.starts_with("cannot write the trace /dev/full: "), "{message}");
}

/// Perfetto's own definitions parse the file and know every field of it.
#[test]
fn the_official_definitions_accept_the_trace() {
    let Some(python) = python_with_perfetto() else {
        eprintln!(
            "SKIPPED: no Python with the package `perfetto`; install tests/foreign/requirements.txt into \
             target/foreign or set HEMIOLA_PYTHON"
        );
        return;
    };
    let scenario = Scenario::of(Duration::from_secs(1));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenario.pftrace");
    scenario.capture.write_perfetto(&path, &scenario.catalog, &SCALE).unwrap();
    let (sound, text) = checked(&python, &path);
    assert!(sound, "{text}");
    println!("{text}");

    // The check can fail: the same trace without its last packets leaves slices and flows open.
    let bytes = std::fs::read(&path).unwrap();
    let cut = path.with_extension("cut");
    std::fs::write(&cut, &bytes[..decoder::packet_boundary_before(&bytes, bytes.len() * 99 / 100)]).unwrap();
    let (sound, text) = checked(&python, &cut);
    assert!(!sound && text.contains("flow"), "{text}");
}

/// Returns whether the official definitions find the trace sound, and the output of the check.
fn checked(python: &Path, trace: &Path) -> (bool, String) {
    let check = workspace_root().join("tests/foreign/check_perfetto.py");
    let output = Command::new(python).arg(check).arg(trace).output().unwrap();
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

fn python_with_perfetto() -> Option<PathBuf> {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign/bin/python");
    [named, Some(workspace_root().join("target/foreign/bin/python")), Some(installed)].into_iter().flatten().find(
        |python| {
            Command::new(python).args(["-c", "import perfetto"]).output().is_ok_and(|output| output.status.success())
        },
    )
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Two executors run callbacks for the first message, one for the second, and a timer for none.
#[test]
fn a_flow_leads_from_a_message_to_every_callback_that_was_called_for_it() {
    let catalog = Catalog::new("robot");
    let topic = catalog.topic("pose").unwrap();
    let executors = ["control", "logging"].map(|name| catalog.executor(name).unwrap());
    let on_pose = executors.map(|executor| catalog.callback(Callback::of(executor, "pose").topic(topic)).unwrap());
    let timer = catalog.callback(Callback::of(executors[0], "every 10 ms")).unwrap();
    let call = |callback, sequence, published, begin| Event::Callback {
        callback,
        core: Core(0),
        sequence,
        published: Ticks(published),
        begin: Ticks(begin),
        end: Ticks(begin + 500),
    };
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", catalog, SCALE).unwrap();
    let control = [call(on_pose[0], 7, 1_000, 1_200), call(timer, 1, 2_000, 2_100), call(on_pose[0], 8, 3_000, 3_200)];
    writer.append(executors[0], &control).unwrap();
    let panic = Event::CallbackPanic { callback: on_pose[1], sequence: 7, at: Ticks(1_900) };
    writer.append(executors[1], &[call(on_pose[1], 7, 1_000, 1_300), panic]).unwrap();
    let trace = Trace::decode(&writer.finish().unwrap());
    trace.assert_sound();

    let messages: Vec<_> = trace.events.iter().filter(|event| event.name == "publish pose").collect();
    assert_eq!(
        messages.iter().map(|message| (message.time, message.flows.len())).collect::<Vec<_>>(),
        [(1_000, 2), (3_000, 1)]
    );
    assert!(messages.iter().all(|message| trace.track_of(message) == "topic pose"));
    let called = |name: &str| -> Vec<(u64, usize)> {
        let slices = trace.events.iter().filter(|event| event.kind == Kind::Begin && event.name == name);
        slices.map(|slice| (slice.annotations["latency_ns"], slice.terminating_flows.len())).collect()
    };
    assert_eq!(called("pose"), [(200, 1), (200, 1), (300, 1)]);
    assert_eq!(called("every 10 ms"), [(100, 0)]);
    assert_eq!(trace.count(Kind::Instant, "panic"), 1);
}

/// Returns events of complete runs, with names instead of numbers, sorted.
fn told(capture: &Capture, catalog: &Catalog) -> Vec<String> {
    let names = catalog.read();
    let ended: Vec<(String, u32)> = capture
        .workers()
        .flat_map(|(_, events)| events)
        .filter_map(|event| match *event {
            Event::CycleEnd { cycle, run, .. } => Some((names.cycle_name(cycle), run)),
            _ => None,
        })
        .collect();
    let exchange = |id| names.exchange(id).unwrap().name.clone();
    let edges = |plan| {
        let edges = &names.plan(plan).unwrap().edges;
        let mut edges: Vec<_> = edges.iter().map(|&(from, to)| (names.task_name(from), names.task_name(to))).collect();
        edges.sort();
        edges
    };
    let tell = |worker: WorkerId, event: &Event| {
        match *event {
            Event::TaskRun { task, core, run, ready, begin, end } => {
                Some(format!("{} {core:?} {run} {ready:?} {begin:?} {end:?}", names.task_name(task)))
            }
            Event::CycleBegin { cycle, plan, run, trigger, begin } => {
                let cycle = names.cycle_name(cycle);
                ended
                    .contains(&(cycle.clone(), run))
                    .then(|| format!("{cycle} {run} {trigger:?} {begin:?} {:?}", edges(plan)))
            }
            Event::Publish { exchange: id, run, at } => Some(format!("{} {run} {at:?}", exchange(id))),
            Event::Take { exchange: id, cycle, run, published, at } => {
                Some(format!("{} {} {run} {published} {at:?}", exchange(id), names.cycle_name(cycle)))
            }
            Event::Arrival { output, source, at, newest, newest_age, oldest_age } => {
                let (output, source) = (names.task_name(output), names.source_name(source));
                Some(format!("{output} {source} {at:?} {newest:?} {newest_age:?} {oldest_age:?}"))
            }
            Event::CycleEnd { cycle, run, at } => Some(format!("{} {run} {at:?}", names.cycle_name(cycle))),
            _ => None,
        }
        .map(|text| format!("{}: {text}", names.worker_name(worker)))
    };
    let mut told: Vec<_> = capture
        .workers()
        .flat_map(|(worker, events)| events.iter().filter_map(move |event| tell(worker, event)))
        .collect();
    told.sort();
    told
}

#[test]
fn a_trace_is_read_back_as_it_was_written() {
    let scenario = Scenario::of(Duration::from_millis(400));
    let bytes = bytes(&scenario);
    let read = perfetto::Trace::decode(&bytes, "memory").unwrap();
    let (before, after) = (told(&scenario.capture, &scenario.catalog), told(&read.capture, &read.catalog));
    let missing: Vec<_> = before.iter().filter(|line| !after.contains(line)).collect();
    assert_eq!(missing, Vec::<&String>::new());
    // A run that has not ended is drawn as long as its tasks, so it has two more events.
    assert!(after.len() <= before.len() + 2 * 3, "{} events of {}", after.len(), before.len());
    let (names, read) = (scenario.catalog.read(), read.catalog.read());
    for ((_, before), (_, after)) in names.cycles().zip(read.cycles()) {
        assert_eq!((&before.name, before.priority, before.deadline), (&after.name, after.priority, after.deadline));
    }
}

#[test]
fn what_the_kernel_counted_is_read_back() {
    let scenario = Scenario::of(Duration::from_millis(60));
    let service = scenario.catalog.service().unwrap();
    let looks = |at: u64| {
        let worker = |worker: u16| Event::ThreadTime {
            worker: WorkerId(worker),
            running: 7 * at + u64::from(worker),
            waiting: at / 3,
            at: Ticks(at),
        };
        [Event::StolenTime { core: Core(1), nanoseconds: at * 2, at: Ticks(at) }, worker(0), worker(1)]
    };
    let mut capture = scenario.capture.clone();
    capture.insert(service, [20_000_000, 50_000_000].into_iter().flat_map(looks).collect());
    let trace = written(&scenario, &capture);
    trace.assert_sound();
    let worker = |worker| scenario.catalog.read().worker_name(WorkerId(worker));
    let values = |track: &str| -> Vec<u64> {
        trace.events.iter().filter(|event| trace.track_of(event) == track).filter_map(|event| event.value).collect()
    };
    assert_eq!(values(&format!("{} on a core", worker(1))), [140_000_001, 350_000_001]);
    assert_eq!(values(&format!("{} waiting for a core", worker(1))), [6_666_666, 16_666_666]);
    assert_eq!(values("core 1 taken by the host"), [40_000_000, 100_000_000]);
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", scenario.catalog.clone(), SCALE).unwrap();
    capture.workers().for_each(|(worker, events)| writer.append(worker, events).unwrap());
    let read = perfetto::Trace::decode(&writer.finish().unwrap(), "memory").unwrap();
    let told = |capture: &Capture, catalog: &Catalog| {
        let names = catalog.read();
        let told = capture.workers().flat_map(|(_, events)| events).filter_map(|event| match *event {
            Event::ThreadTime { worker, running, waiting, at } => {
                Some(format!("{} {running} {waiting} {at:?}", names.worker_name(worker)))
            }
            Event::StolenTime { .. } => Some(format!("{event:?}")),
            _ => None,
        });
        let mut told: Vec<_> = told.collect();
        told.sort();
        told
    };
    assert_eq!(told(&read.capture, &read.catalog), told(&capture, &scenario.catalog));

    // In a short piece nothing may come before its first event.
    let mut alone = Capture::default();
    alone.insert(service, looks(20_000_000).to_vec());
    scenario.capture.workers().for_each(|(worker, events)| alone.insert(worker, events.to_vec()));
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", scenario.catalog.clone(), SCALE).unwrap();
    alone.workers().for_each(|(worker, events)| writer.append(worker, events).unwrap());
    let read = perfetto::Trace::decode(&writer.finish().unwrap(), "memory").unwrap();
    assert_eq!(told(&read.capture, &read.catalog).len(), 3);
}

#[test]
fn a_damaged_trace_is_read_up_to_there_or_refused() {
    let scenario = Scenario::of(Duration::from_millis(60));
    let bytes = bytes(&scenario);
    for end in (0..bytes.len()).step_by(97) {
        if let Ok(trace) = perfetto::Trace::decode(&bytes[..end], "cut") {
            assert!(task_runs(&trace.capture) <= task_runs(&scenario.capture));
        }
    }
    for place in (0..bytes.len()).step_by(53) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x55;
        _ = perfetto::Trace::decode(&damaged, "damaged");
    }
    let message = perfetto::Trace::decode(b"no trace at all", "letter.txt").unwrap_err().to_string();
    assert!(message.starts_with("letter.txt is not a trace of a robot: 0 of its 15 bytes are"), "{message}");
}

fn bytes(scenario: &Scenario) -> Vec<u8> {
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", scenario.catalog.clone(), SCALE).unwrap();
    for (worker, events) in scenario.capture.workers() {
        writer.append(worker, events).unwrap();
    }
    writer.finish().unwrap()
}
