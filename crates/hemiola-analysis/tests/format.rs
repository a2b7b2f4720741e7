//! Checks that what FORMAT.md states about `system.toml` is true.

use hemiola_analysis::{Analysis, System, TimeSpan};

const FORMAT: &str = include_str!("../FORMAT.md");

fn example() -> &'static str {
    let (_, after) = FORMAT.split_once("```toml\n").expect("there is an example");
    after.split_once("```").expect("it ends").0
}

#[test]
fn the_example_is_read_bounded_and_written_back() {
    let system = System::from_toml(example(), "system.toml").expect("it is a system");
    let analysis = Analysis::of(&system);
    assert!(analysis.verdicts.len() == 6 && analysis.holds(), "{analysis}");
    assert_eq!(System::from_toml(&system.to_toml(), "system.toml"), Ok(system));
}

#[test]
fn the_reservation_takes_as_long_as_stated() {
    let (_, after) = FORMAT.split_once("### Reservations\n\n```toml\n").expect("there is an example");
    let (example, _) = after.split_once("```").expect("it ends");
    let system = System::from_toml(example, "system.toml").expect("it is a system");
    assert_eq!(Analysis::of(&system).find("plan").unwrap().bound, Ok(TimeSpan::milliseconds(73)));
    assert_eq!(System::from_toml(&system.to_toml(), "system.toml"), Ok(system));
}

#[test]
fn the_chains_that_go_on_are_read_bounded_and_written_back() {
    let (_, after) = FORMAT.split_once("### Chains that go on\n\n```toml\n").expect("there is an example");
    let (example, _) = after.split_once("```").expect("it ends");
    let system = System::from_toml(example, "system.toml").expect("it is a system");
    let analysis = Analysis::of(&system);
    let bounded = analysis.verdicts.iter().filter(|verdict| verdict.bound.is_ok()).count();
    assert_eq!((bounded, analysis.verdicts.len()), (6, 6), "{analysis}");
    assert_eq!(System::from_toml(&system.to_toml(), "system.toml"), Ok(system));
}

#[test]
fn every_key_is_explained() {
    // A table that refuses a key names all keys that it knows.
    let of_table = |text: &str| -> Vec<String> {
        let message = System::from_toml(text, "system.toml").expect_err("there is no such key").to_string();
        let (_, known) = message.split_once("expected").unwrap_or_else(|| panic!("{message}"));
        known.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let chain = "cores = 1\n[[chain]]\nname = \"a\"\nperiod = \"1 ms\"\n";
    let cycle = "cores = 1\n[[cycle]]\nname = \"a\"\nbegins = { every = \"1 ms\" }\npriority = 1\n";
    for text in [
        "cores = 1\nwrong = 1".to_owned(),
        "cores = 1\n[costs]\nwrong = 1".to_owned(),
        "cores = 1\n[[executor]]\nwrong = 1".to_owned(),
        "cores = 1\n[[chain]]\nwrong = 1".to_owned(),
        format!("{chain}callbacks = [{{ wrong = 1 }}]"),
        "cores = 1\n[[cycle]]\nwrong = 1".to_owned(),
        "cores = 1\n[[cycle]]\nname = \"a\"\nbegins = { wrong = 1 }".to_owned(),
        format!("{cycle}tasks = [{{ wrong = 1 }}]"),
        "cores = 1\n[[link]]\nwrong = 1".to_owned(),
        "cores = 1\n[[path]]\nwrong = 1".to_owned(),
    ] {
        for key in of_table(&text) {
            let explained = [
                format!("| `{key}` |"),
                format!("`{{ {key} = "),
                format!("`{key}`, below"),
                format!("| `[{key}]` |"),
                format!("| `[[{key}]]` |"),
            ];
            assert!(explained.iter().any(|row| FORMAT.contains(row)), "`{key}` is not explained");
        }
    }
}
