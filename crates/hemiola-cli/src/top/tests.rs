use hemiola_link::LinkStatistics;
use hemiola_trace::{CallbackReport, ChainReport, CycleReport, Report, SourceReport, Summary, TaskReport};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::json;

use super::notes::Kind;
use super::*;

fn summary(count: u64, mean: u64, p99: u64, maximum: u64) -> Summary {
    Summary { count, mean, p99, maximum, ..Summary::default() }
}

fn report(runs: u64) -> Report {
    let task = |name: &str, mean| TaskReport {
        name: name.into(),
        execution: summary(runs, mean, mean * 2, mean * 3),
        workers: [("motion 0".to_owned(), runs), ("motion 1".to_owned(), 7)].into(),
        ..TaskReport::default()
    };
    let motion = CycleReport {
        name: "motion".into(),
        deadline: Some(12_000_000),
        response: summary(runs, 3_000_000, 5_000_000, 8_000_000),
        tasks: vec![task("Walk.joints", 2_000_000), task("Balance.tilt", 100_000)],
        dropped_inputs: [("Body".to_owned(), 3)].into(),
        ..CycleReport::default()
    };
    let cognition = CycleReport {
        name: "cognition".into(),
        deadline: Some(33_000_000),
        response: summary(30, 30_000_000, 32_000_000, 40_000_000),
        missed_deadlines: 3,
        ..CycleReport::default()
    };
    let chain = ChainReport {
        source: "Cameras".into(),
        output: "Legs.request".into(),
        reaction: summary(30, 50_000_000, 60_000_000, 70_000_000),
        data_age: summary(30, 20_000_000, 30_000_000, 40_000_000),
        ..ChainReport::default()
    };
    let callback = CallbackReport { executor: "arm".into(), name: "Reach".into(), ..CallbackReport::default() };
    let source = SourceReport { name: "Body".into(), execution: summary(runs, 90_000, 100_000, 200_000) };
    Report {
        cycles: vec![motion, cognition],
        chains: vec![chain],
        callbacks: vec![callback],
        sources: vec![source],
        lost_events: 0,
    }
}

fn links() -> Vec<LinkStatistics> {
    let links = json!([
        {
            "name": "laptop", "address": "tcp:127.0.0.1:7400", "listens": true,
            "peers": [{"name": "rover", "since": 100_000_000}, {"name": "arm", "since": 200_000_000}],
            "sent": [
                {"name": "Odometry", "messages": 1200, "bytes": 9000, "skipped": 7, "dropped": 3, "unsendable": 2},
            ],
            "received": [{"name": "Goal", "messages": 2, "bytes": 16, "lost": 3, "late": 1, "unreadable": 1}],
            "served": [{"name": "SaveMap", "calls": 9, "answers": 5, "unanswered": 1, "refused": 2, "in_flight": 1}],
        },
        {
            "name": "base", "address": "tcp:127.0.0.1:7401", "problem": "nobody is met there yet",
            "received": [{"name": "Map"}],
        },
    ]);
    serde_json::from_value(links).unwrap()
}

fn frame(runs: u64, seconds: f64) -> Frame {
    Frame {
        robot: "nao".into(),
        pace: "real time".into(),
        now: hemiola_model::Time::from_seconds(seconds),
        report: report(runs),
        ..Frame::default()
    }
}

/// Returns what is on a terminal of that size, without spaces at the ends of lines.
fn shown(top: &mut Top, columns: u16, rows: u16) -> Vec<String> {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|canvas| top.draw(canvas)).unwrap();
    let cells = terminal.backend().buffer().content().chunks(usize::from(columns.max(1)));
    cells.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()).collect()
}

fn view(frame: Frame) -> Top {
    let mut top = Top::new(Ends::View, Vec::new());
    top.update(frame);
    top
}

#[test]
fn a_robot_of_several_processes_says_where_cycles_run_and_what_is_gone() {
    let processes =
        [("motion", "main"), ("cognition", "vision")].map(|(cycle, process)| (cycle.into(), process.into()));
    let missing = vec!["audio".to_owned()];
    let frame = Frame { processes: processes.into(), missing, ..frame(100, 2.0) };
    let lines = shown(&mut view(frame), 140, 12);
    assert_eq!(lines[0], " nao  2.0 s  real time  without audio");
    assert!(lines[2].starts_with(" cycle      process  of the deadline"), "{lines:#?}");
    assert!(
        lines[3].starts_with(" motion     main     ") && lines[4].starts_with(" cognition  vision   "),
        "{lines:#?}"
    );
}

#[test]
fn a_wide_terminal_shows_every_figure_of_the_cycles() {
    let mut top = view(frame(0, 1.0));
    top.update(frame(83, 2.0));
    let expected = [
        " nao  2.0 s  real time",
        " 1 cycles  2 tasks  3 chains  4 topics  5 sources  6 links  7 messages",
        " cycle      of the deadline                    mean   p99   max  deadline  bound  missed  dropped  skipped  runs/s  workers    CPU",
        " motion     ▕███████▊─────       •          ▏  3.00  5.00  8.00      12.0              0        3        0    83.0        1   17 %",
        " cognition  ▕████████████████████████████▏─▶▏  30.0  32.0  40.0      33.0              3        0        0     0.0        0  0.0 %",
    ];
    let lines = shown(&mut top, 130, 12);
    assert_eq!(lines[..5], expected, "{lines:#?}");
    assert_eq!(lines[11], " ?: help   tab, 1-7: another tab   s: sort   q: quit");
}

#[test]
fn a_narrow_terminal_shows_what_matters_most() {
    let mut top = view(frame(83, 2.0));
    let lines = shown(&mut top, 57, 8);
    assert_eq!(lines[1], " cycles  tasks  chains  topics  sources  links  messages");
    assert_eq!(lines[2], " cycle      of the deadline      mean   p99   max  missed");
    assert_eq!(lines[3], " motion     ▕████▎──    •     ▏  3.00  5.00  8.00       0");
    let lines = shown(&mut top, 40, 8);
    assert_eq!(lines[2], " cycle      mean   p99   max  missed");
}

#[test]
fn the_safe_state_stands_above_all_figures() {
    let reason = "since 9.3 s, because cycle `motion` stopped".to_owned();
    let mut top = view(Frame { safe_state: Some(reason), ..frame(80, 12.0) });
    for tab in 0..Tab::ALL.len() {
        top.press(Key::Character(char::from(b'1' + tab as u8)));
        let lines = shown(&mut top, 80, 24);
        assert!(
            lines[1].starts_with("  SAFE STATE  since 9.3 s, because cycle `motion` stopped; it lasts"),
            "{lines:#?}"
        );
    }
}

#[test]
fn every_tab_shows_its_figures() {
    let mut top = view(Frame {
        channels: vec![Channel { name: "whistle".into(), sent: 5, waiting: 2, lost: 3 }],
        links: links(),
        bounds: Bounds {
            reactions: [(("Cameras".to_owned(), "Legs.request".to_owned()), 65_000_000)].into(),
            ..Bounds::default()
        },
        ..frame(80, 1.0)
    });
    let mut rows = |tab: char| {
        top.press(Key::Character(tab));
        let lines = shown(&mut top, 110, 20);
        lines[2..7].iter().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect::<Vec<_>>()
    };
    for (tab, expected) in [
        ('2', &["motion Walk.joints 2.00 4.00 6.00 0.0 0.0 % 0 0", "arm Reach 0.0 0.0 % 0 0"][..]),
        ('3', &["Cameras Legs.request 50.0 60.0 70.0 65.0 20.0 30.0 40.0 0.0"]),
        ('4', &["whistle 0.0 5 2 3"]),
        ('5', &["Body 0.0 80 3 0.090 0.100 0.200"]),
        ('6', &["laptop rover, arm sent Odometry 0.0 1,200 9,000 7 5", "laptop rover, arm received Goal 0.0 2 16 0 4"]),
        ('6', &["laptop rover, arm served SaveMap 0.0 9 0 0 3", "base nobody received Map 0.0 0 0 0 0"]),
    ] {
        let shown = rows(tab);
        expected.iter().for_each(|line| assert!(shown.iter().any(|row| row == line), "{line}: {shown:#?}"));
    }
}

#[test]
fn the_last_problem_of_a_link_stands_below_what_went_over_it() {
    let mut top = view(Frame { links: links(), ..frame(80, 1.0) });
    top.update(Frame { links: links(), ..frame(80, 2.0) });
    top.press(Key::Character('6'));
    let lines = shown(&mut top, 80, 10);
    assert_eq!(lines[2], " link    peers                 what      per s  messages  bytes  skipped  lost");
    assert_eq!(lines[8], " base: nobody is met there yet", "{lines:#?}");
}

#[test]
fn keys_lead_through_the_tabs_and_sort_rows() {
    let mut top = view(frame(80, 1.0));
    assert_eq!(top.press(Key::NextTab), Pressed::Shown);
    let first = |top: &mut Top| shown(top, 100, 10)[3].clone();
    assert!(first(&mut top).contains("Walk.joints"));
    // Rows are sorted by cycle, then by task, alphabetically.
    (0..2).for_each(|_| _ = top.press(Key::Character('s')));
    assert!(first(&mut top).contains("Balance.tilt"));
    top.press(Key::Character('S'));
    assert!(first(&mut top).contains("Walk.joints"));
    // After the last column, rows are as before.
    (0..9).for_each(|_| _ = top.press(Key::Character('s')));
    assert!(first(&mut top).contains("Walk.joints"));
    assert_eq!(top.press(Key::Character('+')), Pressed::Other(Key::Character('+')));
    top.press(Key::PreviousTab);
    top.press(Key::PreviousTab);
    assert_eq!(shown(&mut top, 80, 10)[2], " none yet");
}

#[test]
fn a_robot_is_ended_by_the_second_q_only() {
    let mut top = Top::new(Ends::Robot, vec![("space", "pause or resume the replay")]);
    top.update(frame(80, 1.0));
    assert_eq!(top.press(Key::Character('q')), Pressed::Shown);
    assert_eq!(shown(&mut top, 80, 10)[9], " q again: end the robot, any other key: continue");
    assert_eq!(top.press(Key::Down), Pressed::Shown);
    assert_eq!(top.press(Key::Character('q')), Pressed::Shown);
    assert_eq!(top.press(Key::Character('q')), Pressed::Quit);
    assert_eq!(view(frame(80, 1.0)).press(Key::Character('q')), Pressed::Quit);

    top.press(Key::Character('?'));
    let help = shown(&mut top, 80, 24).join("\n");
    assert!(help.contains("pause or resume the replay") && help.contains("end the robot"), "{help}");
    top.press(Key::Character('?'));
    assert!(!shown(&mut top, 80, 24).join("\n").contains("pause or resume the replay"));
}

#[test]
fn rates_are_of_the_last_seconds_and_begin_anew_with_the_clock() {
    let mut rates = Rates::default();
    let motion = rates::Counted::Runs { cycle: "motion".into() };
    for second in 0..10_u32 {
        rates.add(&frame(u64::from(second * second), second.into()));
    }
    // There were 81 runs after 9 s, and 49 after 7 s.
    assert_eq!(rates.rate(&motion), 16.0);
    rates.add(&frame(5, 1.0));
    assert_eq!(rates.rate(&motion), 0.0);
    rates.add(&frame(10, 2.0));
    assert_eq!(rates.rate(&motion), 5.0);
}

#[test]
fn messages_are_counted_and_the_newest_are_at_the_end() {
    let mut notes = Notes::default();
    let time = hemiola_model::Time::from_seconds;
    (0..30)
        .for_each(|number| notes.add(time(number.into()), Kind::Warning, &format!("message {number}\nof two lines")));
    notes.add(time(31.0), Kind::Warning, "message 3\nof two lines");
    let mut top = view(Frame { notes, ..frame(80, 1.0) });
    let lines = shown(&mut top, 80, 24);
    assert_eq!(lines[22], " 31.0 s ! message 3 of two lines (2 times)");
    assert!(lines.iter().any(|line| line.ends_with(" earlier: press 7")), "{lines:#?}");
    top.press(Key::Character('7'));
    let lines = shown(&mut top, 80, 24);
    assert!(lines[22].starts_with("31.0 s  warning  message 3 of two lines"), "{lines:#?}");
    assert!(lines[22].ends_with('2'));
}

#[test]
fn no_terminal_is_too_narrow_or_too_low() {
    let mut notes = Notes::default();
    (0..20).for_each(|number| notes.add(hemiola_model::Time::ZERO, Kind::Error, &format!("message {number}")));
    let mut top = view(Frame {
        safe_state: Some("since 9.3 s, because it was asked to".into()),
        lines: vec!["a line of the robot's own that is rather long for a narrow terminal".into()],
        recording: Some("logs/nao-1.mcap".into()),
        links: links(),
        notes,
        ..frame(80, 1.0)
    });
    for columns in [0, 1, 7, 20, 41, 80, 139] {
        for rows in [0, 1, 2, 5, 24] {
            for key in ['1', '2', '3', '4', '6', '7', '?', '?'] {
                top.press(Key::Character(key));
                top.press(Key::Down);
                shown(&mut top, columns, rows);
            }
        }
    }
}

#[test]
fn a_frame_of_a_door_is_the_one_of_the_robot() {
    let event = json!({
        "event": "statistics", "time": 2_000_000_000_i64, "report": report(83), "health": {},
        "topics": [{"name": "whistle", "sent": 5, "waiting": 2, "lost": 3}],
        "links": links(),
        "safe_state": {"since": 1_500_000_000, "cause": "it was asked to"},
        "exceedances": 4, "recording": {"file": "logs/nao-3.mcap"},
    });
    let frame = Frame::of_event(&event);
    assert_eq!(frame.report, report(83));
    assert_eq!(frame.now.seconds(), 2.0);
    assert_eq!(frame.safe_state.as_deref(), Some("since 1.5 s, because it was asked to"));
    assert_eq!(frame.channels, [Channel { name: "whistle".into(), sent: 5, waiting: 2, lost: 3 }]);
    assert_eq!(frame.links, links());
    assert_eq!((frame.exceedances, frame.recording.as_deref()), (4, Some("logs/nao-3.mcap")));
    // Whatever a door sends, a frame is shown.
    assert_eq!(Frame::of_event(&json!(["nonsense"])).exceedances, 0);

    let bounds = Bounds::of_answer(&json!({ "rows": [
        {"what": "cycle", "name": "motion", "bound": 9},
        {"what": "reaction time", "name": "seen: Cameras → Legs.request", "bound": 10},
        {"what": "data age", "name": "Cameras → Legs.request", "bound": 11},
        {"what": "cycle", "name": "cognition", "bound": null},
        {"what": "callback", "name": "arm: Reach", "bound": 12},
    ]}));
    let chain = ("Cameras".to_owned(), "Legs.request".to_owned());
    assert_eq!((bounds.reactions[&chain], bounds.data_ages[&chain]), (10, 11));
    assert_eq!((bounds.responses.len(), bounds.responses["motion"]), (1, 9));
    assert_eq!(bounds.callbacks[&("arm".to_owned(), "Reach".to_owned())], 12);
}
