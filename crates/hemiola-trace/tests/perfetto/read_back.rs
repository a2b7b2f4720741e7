//! Traces are read back as they were written, as far as they are whole.

use std::time::Duration;

use hemiola_trace::{Capture, Catalog, Core, Event, Ticks, WorkerId, perfetto};

use super::decoder::Trace;
use super::scenario::Scenario;
use super::{SCALE, bytes, task_runs, written};

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
    let bytes = bytes(&scenario.catalog, &scenario.capture);
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
    let read = perfetto::Trace::decode(&bytes(&scenario.catalog, &capture), "memory").unwrap();
    let counted = |capture: &Capture, catalog: &Catalog| {
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
    assert_eq!(counted(&read.capture, &read.catalog), counted(&capture, &scenario.catalog));

    // In a short piece nothing may come before its first event.
    let mut alone = Capture::default();
    alone.insert(service, looks(20_000_000).to_vec());
    scenario.capture.workers().for_each(|(worker, events)| alone.insert(worker, events.to_vec()));
    let read = perfetto::Trace::decode(&bytes(&scenario.catalog, &alone), "memory").unwrap();
    assert_eq!(counted(&read.capture, &read.catalog).len(), 3);
}

#[test]
fn a_damaged_trace_is_read_up_to_there_or_refused() {
    let scenario = Scenario::of(Duration::from_millis(60));
    let bytes = bytes(&scenario.catalog, &scenario.capture);
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
