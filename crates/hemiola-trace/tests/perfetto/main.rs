//! Checks that traces are what Perfetto's definitions require, and show what happened.

mod decoder;
mod official;
mod read_back;
#[path = "../scenario/mod.rs"]
mod scenario;

use decoder::{Kind, Trace};
use hemiola_trace::{
    Callback, Capture, Catalog, Core, Event, FailureKind, PlanId, SourceId, TaskId, TickScale, Ticks, WorkerId,
    perfetto,
};
use scenario::Scenario;
use std::{collections::BTreeMap, path::Path, time::Duration};

const SCALE: TickScale = TickScale::nanoseconds_per_tick_one();

fn bytes(catalog: &Catalog, capture: &Capture) -> Vec<u8> {
    let mut writer = perfetto::Writer::new(Vec::new(), "memory", catalog.clone(), SCALE).unwrap();
    for (worker, events) in capture.workers() {
        writer.append(worker, events).unwrap();
    }
    writer.finish().unwrap()
}

fn written(scenario: &Scenario, capture: &Capture) -> Trace {
    Trace::decode(&bytes(&scenario.catalog, capture))
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
