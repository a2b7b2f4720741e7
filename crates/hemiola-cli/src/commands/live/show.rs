//! `show`: values, once or repeatedly.

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use hemiola_live::client::{ClientError, Incoming, WholeRobot};
use hemiola_live::protocol::binary::{Frame, Head};
use hemiola_live::protocol::{Form, Request};
use serde_json::{Value, json};

use super::connect::connect;
use super::decoder::Decoder;
use super::limit::Limit;
use super::text::{document, longest_list, print_json_line};
use crate::command_line::live::ShowArguments;
use crate::commands::{print, print_json};
use crate::error::CommandError;
use crate::terminal::Over;

pub fn show(own: Option<&str>, arguments: &ShowArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    let mut sought = Sought::begin(&mut robot, arguments)?;
    if arguments.watch {
        return watch(&mut robot, &mut sought, arguments);
    }
    let read = sought.read(&mut robot)?;
    match (read.as_slice(), arguments.output.json) {
        ([only], true) => print_json(&json!({ "time": only.1["time"], "value": only.1["value"] })),
        (several, true) => print_json(&several.iter().map(as_json).collect()),
        (several, false) => print(&as_text(several)),
    }
}

/// Shows values until Ctrl-C, or up to the given limit.
fn watch(robot: &mut WholeRobot, sought: &mut Sought, arguments: &ShowArguments) -> Result<ExitCode, CommandError> {
    let period = Duration::from_secs_f64(1.0 / arguments.rate);
    let is_drawn = io::stdout().is_terminal() && !arguments.output.json;
    let mut drawn = Over::default();
    let mut shown = 0;
    let mut before = Vec::new();
    let limit = Limit::new(arguments.count, arguments.duration);
    while !limit.is_reached(shown) {
        let begin = Instant::now();
        let read = sought.read(robot)?;
        // A value is printed again only when it has been provided anew.
        if read != before || shown == 0 {
            shown += 1;
            let text = as_text(&read);
            if is_drawn {
                let time = read.first().and_then(|(_, answer)| answer["time"].as_i64()).unwrap_or_default();
                drawn.show(&format!("# at {:.3} s\n{text}", time as f64 / 1e9));
            } else if arguments.output.json {
                read.iter().try_for_each(|read| print_json_line(&as_json(read)).map(drop))?;
            } else {
                // An empty line follows a value of several lines.
                print(&if text.lines().count() > 1 { text + "\n" } else { text })?;
            }
            before = read;
        }
        thread::sleep(limit.left(period.saturating_sub(begin.elapsed())));
    }
    Ok(ExitCode::SUCCESS)
}

/// The values to show, each with the way in which it is obtained.
struct Sought(Vec<(String, Way)>);

enum Way {
    /// The value is requested each time.
    Read,
    /// The robot sends samples of a source when there are new ones.
    Subscribed { decoder: Decoder, path: String, last: Option<Value> },
}

/// The time after which a source that has provided no sample is an error.
const PATIENCE: Duration = Duration::from_secs(10);

impl Sought {
    fn begin(robot: &mut WholeRobot, arguments: &ShowArguments) -> Result<Self, CommandError> {
        let mut sought = Vec::new();
        for (number, name) in arguments.values.iter().enumerate() {
            let way = match robot.request(Request::Read { value: name.clone() }) {
                Ok(_) => Way::Read,
                Err(refused @ ClientError::Refused(_)) => {
                    let (head, path) = name.split_at(name.find(['.', '[']).unwrap_or(name.len()));
                    // The first error says more about a part that does not exist, and about unknown
                    // names.
                    if robot.request(Request::Read { value: head.to_owned() }).is_ok() {
                        return Err(refused.into());
                    }
                    let asked = Request::Subscribe {
                        subscription: number as u32,
                        value: Some(head.to_owned()),
                        topic: None,
                        rate: Some(arguments.rate),
                        form: Form::Json,
                    };
                    let Ok(answer) = robot.request(asked) else { return Err(refused.into()) };
                    let path = path.trim_start_matches('.').to_owned();
                    Way::Subscribed { decoder: Decoder::of(&answer)?, path, last: None }
                }
                Err(error) => return Err(error.into()),
            };
            sought.push((name.clone(), way));
        }
        Ok(Self(sought))
    }

    /// Returns the name of each value, with the value and its time.
    fn read(&mut self, robot: &mut WholeRobot) -> Result<Vec<(String, Value)>, CommandError> {
        self.receive(robot)?;
        let read = self.0.iter().map(|(name, way)| {
            let answer = match way {
                Way::Read => robot.request(Request::Read { value: name.clone() })?,
                Way::Subscribed { last, .. } => last.clone().unwrap_or_default(),
            };
            Ok((name.clone(), answer))
        });
        read.collect()
    }

    /// Drains the messages that have arrived, and waits for the first sample of each source.
    fn receive(&mut self, robot: &mut WholeRobot) -> Result<(), CommandError> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut lacking = self.0.iter().filter(|(_, way)| matches!(way, Way::Subscribed { last: None, .. }));
            let lacking = lacking.next().map(|(name, _)| name);
            let left = lacking.map_or(Duration::ZERO, |_| deadline.saturating_duration_since(Instant::now()));
            let message = match (lacking, robot.next(left)?) {
                (_, Some(Incoming::Binary(Frame::Value(message)))) => message,
                (_, Some(_)) => continue,
                (None, None) => return Ok(()),
                (Some(name), None) => {
                    let text = format!("`{name}` was not provided for {} s", PATIENCE.as_secs());
                    return Err(CommandError::Usage(text));
                }
            };
            let Head { subscription, time, .. } = message.head;
            if let Some((_, Way::Subscribed { decoder, path, last })) = self.0.get_mut(subscription as usize) {
                let value = decoder.decode_part(&message, path)?;
                *last = Some(json!({ "time": time, "value": value }));
            }
        }
    }
}

fn as_json((name, answer): &(String, Value)) -> Value {
    json!({ "name": name, "time": answer["time"], "value": answer["value"] })
}

/// Returns several values as a file with a table for each.
fn as_text(read: &[(String, Value)]) -> String {
    let longest = longest_list();
    let part = |(name, answer): &(String, Value)| match &answer["value"] {
        value if read.len() == 1 => document(value, longest),
        value @ Value::Object(_) => format!("[{name}]\n{}", document(value, longest)),
        value => format!("{name} = {}", document(value, longest)),
    };
    read.iter().map(part).collect::<Vec<_>>().join("")
}
