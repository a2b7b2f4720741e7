//! Debug output of updates reaches whoever requests it, and costs nobody else anything.

use std::time::Duration;

use hemiola::module::{DebugContent, DebugKind, DebugRecord, ImageFormat, PixelFormat, Shape};
use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Change, Observation, Observer, Stepper};
use hemiola_trace::perfetto::Trace;

#[derive(Representation, Clone, Default)]
struct Shown {
    /// How often something was computed to be shown: what no update but that of a test may provide.
    computed: u32,
}

#[derive(Module)]
struct Shower {
    computed: u32,
}

#[module]
impl Shower {
    #[update]
    fn shown(&mut self, clock: &Clock, debug: &Debug, shown: &mut Shown) {
        let run = clock.run();
        debug.plot("run", run);
        debug.plot("costly", || {
            self.computed += 1;
            run as f32 * 0.5
        });
        debug.background("field/lines", |canvas| canvas.line([[0.0, 0.0], [1.0, 0.0]], Color::WHITE));
        debug.draw("field/ball", |canvas| {
            if run.is_multiple_of(2) {
                canvas.circle([run as f32, 0.0], 0.05, Color::ORANGE);
            }
        });
        debug.text("state", format_args!("run {run}"));
        if run.is_multiple_of(4) {
            debug.annotate("fourth", run);
        }
        let format = ImageFormat { width: 4, height: 1, pixels: PixelFormat::Mono8 };
        debug.image("mask", format, |pixels| pixels[0] = run as u8);
        shown.computed = self.computed;
    }
}

fn robot() -> Stepper {
    let mut cycle = CycleConfiguration::new("shows", Trigger::Rate(100.0));
    cycle.modules = vec!["Shower".into()];
    let configuration = Configuration { cycles: vec![cycle], ..Configuration::default() };
    crate::assemble(module_path!(), configuration).unwrap().into_stepper().unwrap()
}

fn watch(stepper: &Stepper, names: &[&str]) -> Observer {
    stepper.handle().observe(Observation::default().with_debug(names.iter().copied())).unwrap()
}

fn seen(observer: &mut Observer) -> Vec<DebugRecord> {
    std::iter::from_fn(|| observer.next_debug()).collect()
}

fn computed(stepper: &Stepper) -> u32 {
    stepper.with_value(|shown: &Shown| shown.computed).unwrap()
}

fn names(records: &[DebugRecord]) -> Vec<&'static str> {
    let mut names: Vec<_> = records.iter().map(|record| record.name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn each_observer_sees_what_it_wants_and_nothing_else_is_computed() {
    let mut stepper = robot();
    stepper.run_for(Duration::from_secs(1));
    let mut field = watch(&stepper, &["field"]);
    let mut plots = watch(&stepper, &["ru*"]);
    stepper.run_for(Duration::from_secs(1));
    let (field, plots) = (seen(&mut field), seen(&mut plots));
    assert_eq!(names(&field), ["field/ball", "field/lines"]);
    assert_eq!(names(&plots), ["run"]);
    assert!(plots.len() >= 99, "{}", plots.len());
    assert_eq!(computed(&stepper), 0);
    for record in &plots {
        assert_eq!(record.content, DebugContent::Plot(record.run.into()));
        assert_eq!((&*record.update, record.time.nanoseconds()), ("Shower.shown", i64::from(record.run) * 10_000_000));
    }
    assert!(plots.windows(2).all(|pair| pair[0].run + 1 == pair[1].run));
    // Lines stay: they are drawn at the beginning, and once a second.
    let lines: Vec<_> = field.iter().filter(|record| record.content.kind() == DebugKind::Background).collect();
    assert!((1..=2).contains(&lines.len()), "{}", lines.len());
    // A ball that is no longer drawn disappears.
    for record in field.iter().filter(|record| record.name == "field/ball") {
        let DebugContent::Draw { shape, .. } = record.content else { panic!("{record:?}") };
        let is_drawn = matches!(shape, Shape::Circle { center: [x, _], .. } if x == record.run as f32);
        assert_eq!((is_drawn, shape == Shape::Nothing), (record.run % 2 == 0, record.run % 2 == 1));
    }
    // The records of one run are counted, including the plot that the other observer sees.
    let first: Vec<_> =
        field.iter().filter(|record| record.run == field[0].run).map(|record| record.sequence).collect();
    assert_eq!(first, [1, 2]);

    let mut costly = watch(&stepper, &["costly"]);
    stepper.step();
    assert_eq!(computed(&stepper), 1);
    stepper.run_for(Duration::from_secs(1));
    assert_eq!(names(&seen(&mut costly)), ["costly"]);
    drop(costly);
    // Lost records are counted when events are gathered.
    stepper.run_for(Duration::from_secs(1));
    let before = computed(&stepper);
    stepper.run_for(Duration::from_secs(1));
    assert_eq!(computed(&stepper), before, "nobody is there any more");
}

#[test]
fn images_come_in_buffers_that_go_round() {
    let mut stepper = robot();
    let mut images = watch(&stepper, &["mask"]);
    let mut shown = Vec::new();
    for _ in 0..50 {
        stepper.run_for(Duration::from_millis(100));
        shown.extend(seen(&mut images));
    }
    assert!(shown.len() > 50, "{} of 500", shown.len());
    let runs = stepper.handle().health()["shows"].runs;
    assert_eq!(shown.len() as u64 + images.dropped().debug, runs, "what found no buffer is counted");
    for record in &shown {
        let DebugContent::Image(image) = &record.content else { panic!("{record:?}") };
        assert_eq!(image.pixels(), [record.run as u8, 0, 0, 0]);
    }
}

#[test]
fn who_wants_nothing_learns_what_there_is() {
    let mut stepper = robot();
    assert_eq!(stepper.handle().debug_names(), []);
    let mut menu = watch(&stepper, &[]);
    stepper.run_for(Duration::from_secs(1));
    assert_eq!(seen(&mut menu), []);
    let known = stepper.handle().debug_names();
    let known: Vec<_> = known.iter().map(|known| (known.name, known.kind, &*known.update)).collect();
    let of = |name, kind| (name, kind, "Shower.shown");
    let expected = [
        of("costly", DebugKind::Plot),
        of("field/ball", DebugKind::Drawing),
        of("field/lines", DebugKind::Background),
        of("fourth", DebugKind::Annotation),
        of("mask", DebugKind::Image),
        of("run", DebugKind::Plot),
        of("state", DebugKind::Text),
    ];
    assert_eq!(known, expected);
}

#[test]
fn a_trace_has_plots_and_annotations_although_nobody_else_watches() {
    let mut stepper = robot();
    let file = std::env::temp_dir().join(format!("shows-{}.pftrace", std::process::id()));
    let trace = |stepper: &Stepper, file| stepper.handle().change(Change::Trace { file }).wait().unwrap();
    trace(&stepper, Some(file.clone()));
    stepper.run_for(Duration::from_secs(1));
    trace(&stepper, None);
    let bytes = std::fs::read(&file).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("costly") && has("fourth") && has("annotations"));
    assert!(!has("state") && !has("field/ball"), "that is not for traces");
    Trace::read(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    // Afterwards nobody watches.
    stepper.run_for(Duration::from_secs(1));
    assert_eq!(seen(&mut watch(&stepper, &[])), []);
}
