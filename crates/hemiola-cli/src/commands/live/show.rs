//! `show`: values, once or again and again.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use hemiola_live::client::Connection;
use serde_json::{Value, json};

use super::connect::connect;
use super::text::{document, longest_list, print_json, print_json_line};
use crate::command_line::live::ShowArguments;
use crate::commands::print;
use crate::error::CommandError;
use crate::terminal::Over;

pub fn show(own: Option<&str>, arguments: &ShowArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    if arguments.watch {
        return watch(&mut robot, arguments);
    }
    let read: Vec<_> = read(&mut robot, &arguments.values)?;
    match (read.as_slice(), arguments.output.json) {
        ([only], true) => print_json(&json!({ "time": only.1["time"], "value": only.1["value"] })),
        (several, true) => print_json(&several.iter().map(as_json).collect()),
        (several, false) => print(&as_text(several)),
    }
}

/// Until Ctrl-C, or as often as was asked for.
fn watch(robot: &mut Connection, arguments: &ShowArguments) -> Result<ExitCode, CommandError> {
    let period = Duration::from_secs_f64(1.0 / arguments.rate);
    let is_drawn = io::stdout().is_terminal() && !arguments.output.json;
    let mut drawn = Over::default();
    let mut shown = 0;
    let mut before = Vec::new();
    while arguments.count.is_none_or(|count| shown < count) {
        let begin = Instant::now();
        let read = read(robot, &arguments.values)?;
        // A value that nobody has provided anew is the same.
        if read != before || shown == 0 {
            shown += 1;
            if is_drawn {
                let time = read.first().and_then(|(_, answer)| answer["time"].as_i64()).unwrap_or_default();
                drawn.show(&format!("# at {:.3} s\n{}", time as f64 / 1e9, as_text(&read)));
            } else if arguments.output.json {
                read.iter().try_for_each(|read| print_json_line(&as_json(read)).map(drop))?;
            } else {
                print(&(as_text(&read) + if as_text(&read).lines().count() > 1 { "\n" } else { "" }))?;
            }
            before = read;
        }
        thread::sleep(period.saturating_sub(begin.elapsed()));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(robot: &mut Connection, names: &[String]) -> Result<Vec<(String, Value)>, CommandError> {
    let read = |name: &String| Ok((name.clone(), robot.request("read", json!({ "value": name }))?));
    names.iter().map(read).collect()
}

fn as_json((name, answer): &(String, Value)) -> Value {
    json!({ "name": name, "time": answer["time"], "value": answer["value"] })
}

/// Several as a file with a table for each.
fn as_text(read: &[(String, Value)]) -> String {
    let longest = longest_list();
    let part = |(name, answer): &(String, Value)| match &answer["value"] {
        value if read.len() == 1 => document(value, longest),
        value @ Value::Object(_) => format!("[{name}]\n{}", document(value, longest)),
        value => format!("{name} = {}", document(value, longest)),
    };
    read.iter().map(part).collect::<Vec<_>>().join("")
}
