//! `topic`: the traffic through topics, and publishing.

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use hemiola_live::client::{Incoming, WholeRobot};
use hemiola_live::protocol::binary::{Frame, ValueMessage};
use hemiola_live::protocol::{Form, Request, Watched};
use hemiola_words::{Column, Columns, duration, grouped};
use serde_json::{Value, json};

use super::connect::connect;
use super::decoder::Decoder;
use super::limit::Limit;
use super::text::{document, longest_list, print_json_line, typed};
use super::{complete, say};
use crate::command_line::live::{
    OutputArguments, TopicCommand, TopicEchoArguments, TopicHzArguments, TopicPubArguments,
};
use crate::commands::{print, print_json};
use crate::error::CommandError;

pub fn topic(own: Option<&str>, command: &TopicCommand) -> Result<ExitCode, CommandError> {
    match command {
        TopicCommand::List(arguments) => list(own, arguments),
        TopicCommand::Hz(arguments) => hz(own, arguments),
        TopicCommand::Echo(arguments) => echo(own, arguments),
        TopicCommand::Pub(arguments) => publish(own, arguments),
    }
}

fn list(own: Option<&str>, arguments: &OutputArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.robot)?;
    let statistics = statistics(&mut robot)?;
    let described = robot.request(Request::Describe {})?;
    let schema = |name: &Value| {
        let topics = described["topics"].as_array().into_iter().flatten();
        topics.into_iter().find(|topic| topic["name"] == *name).map(|topic| topic["schema_name"].clone())
    };
    let mut topics = statistics["topics"].as_array().cloned().unwrap_or_default();
    for topic in &mut topics {
        topic["schema_name"] = schema(&topic["name"]).unwrap_or_default();
    }
    if arguments.json {
        return complete(&robot, print_json(&topics.into())?);
    }
    if topics.is_empty() {
        return complete(&robot, print("this robot has no topics\n")?);
    }
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let count = |value: &Value| grouped(value.as_u64().unwrap_or_default());
    let row = |topic: &Value| {
        let [publishers, subscribers, sent, waiting, lost] =
            ["publishers", "subscribers", "sent", "waiting", "lost"].map(|key| count(&topic[key]));
        [text(&topic["name"]), publishers, subscribers, sent, waiting, lost, text(&topic["schema_name"])]
    };
    let heading = ["topic", "publishers", "subscribers", "sent", "waiting", "lost", "type"].map(str::to_owned);
    let rows: Vec<_> = std::iter::once(heading).chain(topics.iter().map(row)).collect();
    let figure = Column::right(0).after(2);
    let columns = [Column::left(0), figure, figure, figure, figure, figure, Column::left(0).after(2)];
    complete(&robot, print(&Columns::new(columns).table(&rows))?)
}

/// Returns the current statistics.
pub fn statistics(robot: &mut WholeRobot) -> Result<Value, CommandError> {
    robot.request(Request::Watch { what: Watched::Statistics, period: None, names: None })?;
    let statistics = loop {
        match robot.next(Duration::from_secs(5))? {
            Some(Incoming::Event { name, content }) if name == "statistics" => break content,
            Some(_) => {}
            None => return Err(CommandError::Usage("the robot has sent no statistics for 5 s".to_owned())),
        }
    };
    robot.request(Request::Unwatch { what: Watched::Statistics })?;
    Ok(statistics)
}

fn hz(own: Option<&str>, arguments: &TopicHzArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    robot.request(messages_of(&arguments.topic, None, Form::Cdr))?;
    let limit = Limit::new(None, arguments.duration);
    let mut second = Instant::now() + Duration::from_secs(1);
    let mut arrivals = Arrivals::default();
    while !limit.is_reached(0) {
        let left = second.saturating_duration_since(Instant::now());
        match robot.next(limit.left(left))? {
            Some(Incoming::Binary(Frame::Value(message))) => arrivals.add(&message),
            Some(Incoming::Event { name, content }) if name == "dropped" => {
                arrivals.dropped += content["count"].as_u64().unwrap_or_default();
            }
            _ => {}
        }
        if Instant::now() >= second {
            second += Duration::from_secs(1);
            if arguments.output.json {
                print_json_line(&arrivals.as_json())?;
            } else {
                print(&format!("{}\n", arrivals.line()))?;
            }
            arrivals.begin_anew();
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the request for a topic's messages; it is the only subscription of a command.
fn messages_of(topic: &str, rate: Option<f64>, form: Form) -> Request {
    Request::Subscribe { subscription: 1, value: None, topic: Some(topic.to_owned()), rate, form }
}

/// The messages of a second on the robot's clock.
#[derive(Default)]
struct Arrivals {
    last: Option<i64>,
    gaps: Vec<i64>,
    count: u64,
    dropped: u64,
}

impl Arrivals {
    fn add(&mut self, message: &ValueMessage) {
        self.count += 1;
        self.gaps.extend(self.last.map(|last| message.head.time - last));
        self.last = Some(message.head.time);
    }

    /// Returns the messages per second.
    fn rate(&self) -> f64 {
        let span: i64 = self.gaps.iter().sum();
        if span > 0 { self.gaps.len() as f64 * 1e9 / span as f64 } else { 0.0 }
    }

    fn line(&self) -> String {
        let lost = if self.dropped > 0 {
            format!(", {} lost on the way to this program", self.dropped)
        } else {
            String::new()
        };
        let gap = |gap: Option<&i64>| duration(Duration::from_nanos(gap.copied().unwrap_or_default().unsigned_abs()));
        match self.gaps.len() {
            0 => format!("{} messages{lost}", self.count),
            _ => format!(
                "{:.1} per second, {} to {} apart{lost}",
                self.rate(),
                gap(self.gaps.iter().min()),
                gap(self.gaps.iter().max())
            ),
        }
    }

    fn as_json(&self) -> Value {
        json!({
            "messages": self.count,
            "rate": self.rate(),
            "shortest": self.gaps.iter().min(),
            "longest": self.gaps.iter().max(),
            "lost": self.dropped,
        })
    }

    /// Begins the next second. The distance to its first message counts there.
    fn begin_anew(&mut self) {
        *self = Self { last: self.last, ..Self::default() };
    }
}

fn echo(own: Option<&str>, arguments: &TopicEchoArguments) -> Result<ExitCode, CommandError> {
    let mut robot = connect(own, &arguments.output.robot)?;
    let decoder = Decoder::of(&robot.request(messages_of(&arguments.topic, arguments.rate, Form::Json))?)?;
    let mut shown = 0;
    let limit = Limit::new(arguments.count, arguments.duration);
    while !limit.is_reached(shown) {
        let next = robot.next(limit.left(Duration::from_secs(1)))?;
        let Some(Incoming::Binary(Frame::Value(message))) = next else { continue };
        shown += 1;
        let (head, value) = (message.head, decoder.decode(&message)?);
        if arguments.output.json {
            print_json_line(&json!({ "time": head.time, "sequence": head.sequence, "message": value }))?;
        } else {
            let time = head.time as f64 / 1e9;
            print(&format!("# at {time:.3} s\n{}\n", document(&value, longest_list())))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn publish(own: Option<&str>, arguments: &TopicPubArguments) -> Result<ExitCode, CommandError> {
    let TopicPubArguments { topic, message, rate, count, duration, output } = arguments;
    let message = typed(message)?;
    let mut robot = connect(own, &output.robot)?;
    let mut send = || robot.request(Request::Publish { topic: topic.clone(), message: message.clone() });
    let Some(rate) = rate else {
        send()?;
        return say(output, &json!({ "published": 1 }), &format!("published to {topic}"));
    };
    let period = Duration::from_secs_f64(1.0 / rate);
    let mut sent = 0;
    let begin = Instant::now();
    let limit = Limit::new(*count, *duration);
    while !limit.is_reached(sent) {
        send()?;
        sent += 1;
        let due = begin + period.mul_f64(sent as f64);
        thread::sleep(limit.left(due.saturating_duration_since(Instant::now())));
    }
    say(output, &json!({ "published": sent }), &format!("published {sent} times to {topic}"))
}

#[cfg(test)]
mod tests {
    use hemiola_live::protocol::binary::Head;

    use super::*;

    #[test]
    fn regularity_is_that_of_the_robots_clock() {
        let message = |time| ValueMessage { head: Head { time, ..Head::default() }, data: Vec::new() };
        let mut arrivals = Arrivals::default();
        [0, 10, 30, 40].iter().for_each(|milliseconds| arrivals.add(&message(milliseconds * 1_000_000)));
        assert_eq!(arrivals.line(), "75.0 per second, 10.0 ms to 20.0 ms apart");
        arrivals.begin_anew();
        assert_eq!(arrivals.line(), "0 messages");
        arrivals.add(&message(50_000_000));
        assert_eq!(arrivals.line(), "100.0 per second, 10.0 ms to 10.0 ms apart");
    }
}
