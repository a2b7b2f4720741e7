//! Checks that the picture of a schedule shows what happened, and that any viewer can read it.

#[path = "scenario/mod.rs"]
mod scenario;

use hemiola_trace::{Capture, Catalog, Event, TickScale, Ticks, Timeline};
use scenario::Scenario;
use std::{path::Path, time::Duration};

const SCALE: TickScale = TickScale::nanoseconds_per_tick_one();

fn milliseconds(count: u64) -> Duration {
    Duration::from_millis(count)
}

fn picture(scenario: &Scenario, capture: &Capture) -> String {
    Timeline::of(capture, &scenario.catalog, &SCALE)
        .window(Duration::from_micros(35_300), milliseconds(30))
        .to_svg(1200)
}

#[test]
fn the_picture_shows_every_cycle_worker_and_core() {
    let scenario = Scenario::of(milliseconds(150));
    let svg = picture(&scenario, &scenario.capture);
    std::fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("timeline.svg"), &svg).unwrap();
    for name in [">motion<", ">audio<", ">cognition<", ">worker 0<", ">worker 1<", ">core 0<", ">core 1<"] {
        assert!(svg.contains(name), "{name}");
    }
    let lanes = [">motion<", ">audio<", ">cognition<"].map(|name| svg.find(name).unwrap());
    assert!(lanes.is_sorted(), "the highest priority on top");
}

#[test]
fn tasks_are_labelled_and_explained() {
    let scenario = Scenario::of(milliseconds(150));
    let svg = picture(&scenario, &scenario.capture);
    assert!(svg.contains(">BallClassifier.percept</text>"), "a wide slice carries its whole name");
    assert!(svg.contains(">ScanLines</text>") && svg.contains(">upper</text>"), "a narrower one has two lines");
    assert!(svg.contains("<title>BallClassifier.percept: "), "and explains itself");
    assert!(svg.contains("of queueing, preempted"), "the preempted ones say so");
}

#[test]
fn preemption_is_hatched_only_where_a_higher_priority_had_the_core() {
    let scenario = Scenario::of(milliseconds(150));
    let hatched = |svg: &str| svg.matches("url(#preempted)").count() - 1; // one in the legend
    let svg = picture(&scenario, &scenario.capture);
    assert!(hatched(&svg) > 4, "motion preempts cognition");
    let mut alone = Capture::default();
    for (worker, events) in scenario.capture.workers() {
        if scenario.catalog.read().worker_name(worker).starts_with("cognition") {
            alone.insert(worker, events.to_vec());
        }
    }
    assert_eq!(hatched(&picture(&scenario, &alone)), 0);
}

#[test]
fn a_late_run_is_red() {
    let scenario = Scenario::of(milliseconds(150));
    let late = r##"stroke="#dc2626" stroke-width="3""##;
    assert!(!picture(&scenario, &scenario.capture).contains(late));
    let mut capture = Capture::default();
    for (worker, events) in scenario.capture.workers() {
        let postponed = |event: &Event| match *event {
            Event::CycleEnd { cycle, run, at } if cycle.0 == 0 => {
                Event::CycleEnd { cycle, run, at: Ticks(at.0 + 11_000_000) }
            }
            other => other,
        };
        capture.insert(worker, events.iter().map(postponed).collect());
    }
    let svg = picture(&scenario, &capture);
    assert!(svg.contains(late) && svg.contains(", late</title>"));
}

#[test]
fn the_document_is_well_formed_and_needs_nothing_else() {
    let scenario = Scenario::of(milliseconds(150));
    let svg = picture(&scenario, &scenario.capture);
    let mut open: Vec<&str> = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').expect("a tag is closed");
        let name = tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap();
        match tag {
            _ if tag.starts_with('/') => assert_eq!(open.pop(), Some(name)),
            _ if tag.ends_with('/') => {}
            _ => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert_eq!(svg.matches("http").count(), 1, "only the name space");
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
}

#[test]
fn a_window_shows_the_part_that_was_asked_for() {
    let scenario = Scenario::of(milliseconds(150));
    let whole = || Timeline::of(&scenario.capture, &scenario.catalog, &SCALE);
    assert!(whole().length() > milliseconds(140));
    assert_eq!(whole().window(milliseconds(20), milliseconds(30)).length(), milliseconds(30));
    assert_eq!(whole().last(milliseconds(30)).length(), milliseconds(30));
    assert_eq!(whole().last(Duration::from_secs(9)).length(), whole().length());
    let slices = |timeline: Timeline| timeline.to_svg(1200).matches("of queueing").count();
    assert!(slices(whole().last(milliseconds(30))) < slices(whole()) / 3);
}

#[test]
fn the_labels_of_short_runs_do_not_overlap() {
    let scenario = Scenario::of(milliseconds(150));
    let narrow = Timeline::of(&scenario.capture, &scenario.catalog, &SCALE).to_svg(600);
    for svg in [picture(&scenario, &scenario.capture), narrow] {
        let mut before = (0.0, String::new());
        let mut count = 0;
        for label in svg.split(r#"<text class="span" x=""#).skip(1) {
            let (x, rest) = label.split_once(r#"" y=""#).unwrap();
            let (y, rest) = rest.split_once('"').unwrap();
            let text = rest.split(['>', '<']).nth(1).unwrap();
            let x: f64 = x.parse().unwrap();
            assert!(before.1 != y || x >= before.0, "{text} at {x} overlaps the label that ends at {}", before.0);
            before = (x + 6.0 * text.len() as f64, y.to_owned());
            count += 1;
        }
        assert!(count > 0, "where there is room, there are labels");
    }
}

#[test]
fn a_remark_stands_in_the_heading() {
    let timeline = Timeline::of(&Capture::default(), &Catalog::new("robot"), &SCALE);
    assert!(timeline.remark("times are wall time").to_svg(600).contains("of its schedule · times are wall time<"));
}

#[test]
fn names_cannot_break_the_document() {
    let catalog = Catalog::new("a < b & \"c\"");
    let svg = Timeline::of(&Capture::default(), &catalog, &SCALE).to_svg(600);
    assert!(svg.contains("a &lt; b &amp; &quot;c&quot;"));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let timeline = Timeline::of(&Capture::default(), &Catalog::new("robot"), &SCALE);
    let message = timeline.save("/nowhere/timeline.svg").unwrap_err().to_string();
    assert!(message.starts_with("cannot write the timeline /nowhere/timeline.svg: "), "{message}");
}
