use hemiola_bus::{Bus, WhenFull};
use hemiola_runtime::SafeStateCause;
use hemiola_trace::{Summary, TaskReport};

use super::*;

fn summary(mean: u64, p99: u64, maximum: u64) -> Summary {
    Summary { count: 100, mean, p99, maximum, ..Summary::default() }
}

fn report(runs: u64) -> Report {
    let task = TaskReport {
        name: "Walk.joints".into(),
        execution: Summary { count: runs, mean: 2_000_000, ..Summary::default() },
        workers: [("motion 0".to_owned(), runs), ("motion 1".to_owned(), 7)].into(),
        ..TaskReport::default()
    };
    let motion = CycleReport {
        name: "motion".into(),
        deadline: Some(12_000_000),
        response: summary(3_000_000, 5_000_000, 8_000_000),
        tasks: vec![task],
        ..CycleReport::default()
    };
    let cognition = CycleReport {
        name: "cognition".into(),
        deadline: Some(33_000_000),
        response: summary(30_000_000, 32_000_000, 40_000_000),
        missed_deadlines: 3,
        ..CycleReport::default()
    };
    Report { cycles: vec![motion, cognition], ..Report::default() }
}

fn frame(report: &Report, seconds: f64) -> Frame<'_> {
    let now = Time::from_seconds(seconds);
    let traffic = Traffic::default();
    Frame { robot: "nao", pace: "real time", now, report, safe_state: None, traffic, lines: &[], messages: &[] }
}

fn plain(lines: &[String]) -> Vec<String> {
    let without = |line: &String| {
        let mut text = line.clone();
        for code in [PLAIN, BOLD, QUIET, RED, GREEN, YELLOW, ALARM] {
            text = text.replace(code, "");
        }
        text
    };
    lines.iter().map(without).collect()
}

#[test]
fn a_wide_terminal_shows_everything_in_columns() {
    let report = report(80);
    let mut view = LiveView::default();
    let shown = plain(&view.lines(&frame(&report, 1.0), Size { columns: 110, rows: 24 }));
    let expected = [
        "",
        " nao  1.0 s  real time, Ctrl-C ends it",
        "",
        "            of the deadline                          mean ms   p0.99     max   missed  dropped  workers   CPU",
        " motion    ▕███████▌─────      •          ▏    3.00 of  12.0    5.00    8.00        0        0        2  16 %",
        " cognition ▕███████████████████████████▎─▶▏    30.0 of  33.0    32.0    40.0        3        0        0   0 %",
    ];
    assert_eq!(shown, expected);
}

fn stopped() -> SafeStateEntry {
    SafeStateEntry { since: Time::from_seconds(9.3), cause: SafeStateCause::Silence { cycle: "motion".into() } }
}

#[test]
fn the_safe_state_stands_above_all_figures() {
    let (report, entry) = (report(80), stopped());
    let frame = Frame { safe_state: Some(&entry), ..frame(&report, 12.0) };
    for columns in [80, 120] {
        let lines = LiveView::default().lines(&frame, Size { columns, rows: 24 });
        assert!(lines[2].contains(ALARM));
        let alarm = "  SAFE STATE  since 9.3 s, because cycle `motion` stopped; it stays until";
        assert!(plain(&lines)[2].starts_with(alarm), "{lines:?}");
    }
}

#[test]
fn effort_is_what_happened_since_the_frame_before() {
    let mut view = LiveView::default();
    let size = Size { columns: 120, rows: 24 };
    view.lines(&frame(&report(80), 1.0), size);
    let shown = plain(&view.lines(&frame(&report(160), 2.0), size));
    // 80 runs of 2 ms in a second, all on worker 0.
    assert!(shown[4].ends_with("        1  16 %"), "{}", shown[4]);
}

#[test]
fn what_passes_through_the_bus_is_told_by_the_second() {
    let (report, bus) = (report(80), Bus::new());
    let whistles = bus.topic::<f32>("whistle").unwrap();
    let (_queue, mut referee) = (whistles.queue(2, WhenFull::DropOldest), whistles.publisher());
    let mut view = LiveView::default();
    let mut show = |seconds| {
        let frame = Frame { traffic: Traffic::of(&bus), ..frame(&report, seconds) };
        plain(&view.lines(&frame, Size { columns: 110, rows: 24 })).pop().unwrap()
    };
    assert_eq!(show(1.0), " bus  0 per second, 0 wait, 0 lost");
    (0..5).for_each(|_| referee.publish(1.0));
    assert_eq!(show(1.5), " bus  10 per second, 2 wait, 3 lost");
    assert_eq!(show(2.0), " bus  0 per second, 2 wait, 3 lost");
}

#[test]
fn no_terminal_is_too_narrow_or_too_low() {
    let report = report(80);
    let lines = vec!["a line of the robot's own that is rather long for a narrow terminal".to_owned()];
    let messages: Vec<_> =
        (0..20).map(|number| Message { text: format!("message {number}\nof two lines"), count: 1 }).collect();
    let entry = stopped();
    for columns in 0..140 {
        for rows in [0, 1, 5, 24] {
            let frame = Frame { safe_state: Some(&entry), lines: &lines, messages: &messages, ..frame(&report, 1.0) };
            let shown = LiveView::default().lines(&frame, Size { columns, rows });
            assert!(shown.len() <= rows);
            for line in &shown {
                assert!(visible(line) <= columns, "{columns}: {line:?}");
            }
        }
    }
}

#[test]
fn many_messages_are_counted() {
    let report = report(80);
    let messages: Vec<_> = (0..20).map(|number| Message { text: format!("message {number}"), count: 1 }).collect();
    let frame = Frame { messages: &messages, ..frame(&report, 1.0) };
    let shown = plain(&LiveView::default().lines(&frame, Size { columns: 80, rows: 40 }));
    assert!(shown.contains(&" 14 earlier messages are shown at the end".to_owned()), "{shown:?}");
    assert_eq!(shown.last().unwrap(), " ! message 19");
}

#[test]
fn clipping_keeps_whole_escape_sequences() {
    assert_eq!(clip("\x1b[1mabcdef\x1b[0m", 4), "\x1b[1mabc…\x1b[0m");
    assert_eq!(clip("\x1b[1mabcd\x1b[0m", 4), "\x1b[1mabcd\x1b[0m");
    assert_eq!(clip("abc", 0), PLAIN);
}
