//! The summary at the end of a run.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use hemiola_bus::{ActorReport, Bus, EventLoopReport, ServiceReport, TopicReport};
use hemiola_insight::Verdict;
use hemiola_model::Time;
use hemiola_runtime::{Message, SafeStateEntry};
use hemiola_trace::{Report, Style};

use crate::traffic::Traffic;
use hemiola_recording::recorder::Recorded;

/// The facts that are printed at the end.
pub struct Summary<'a> {
    pub report: &'a Report,
    /// The safe state, if the robot ended in it.
    pub safe_state: Option<&'a SafeStateEntry>,
    pub messages: &'a [Message],
    /// The bus with the messages, requests and calls.
    pub bus: &'a Bus,
    /// The lines that the robot adds.
    pub lines: &'a [String],
    /// The bounds and the observed times.
    pub bounds: Option<&'a str>,
    /// The verdict on the run.
    pub verdict: &'a Verdict,
    pub robot_time: Time,
    /// Set if it ran less long than it was asked to.
    pub cut_short: Option<&'a CutShort>,
    pub elapsed: Duration,
    pub trace: Option<&'a Path>,
    pub profile: Option<&'a Path>,
    pub recorded: &'a [Recorded],
}

/// The end that a run was to have, and why it came earlier.
pub struct CutShort {
    /// The time on the robot's clock at which it was to end.
    pub end: Time,
    /// A sentence without its full stop.
    pub why: &'static str,
}

impl Summary<'_> {
    /// Returns the summary for people; for a terminal, with colours and fitted to its width.
    pub fn text(&self, is_for_terminal: bool) -> String {
        let columns = crate::terminal::terminal_size().map(|size| size.columns);
        let style = match columns.filter(|_| is_for_terminal) {
            Some(columns) => Style::terminal(columns).tasks(TASKS),
            None => Style::plain().tasks(TASKS),
        };
        let mut text = format!("\n{}\n", self.report.table(&style).trim_end());
        if let Some(bounds) = self.bounds {
            text += "\nbounds\n";
            add_indented(&mut text, bounds);
        }
        if let Some(entry) = self.safe_state {
            let _ = writeln!(text, "\nTHE ROBOT ENDED IN ITS SAFE STATE: {entry}");
        }
        if !self.messages.is_empty() {
            text += "\nmessages\n";
            self.messages.iter().for_each(|message| add_indented(&mut text, &message.to_string()));
        }
        let traffic = Traffic::of(self.bus).table(self.elapsed);
        if !traffic.is_empty() {
            text.push('\n');
            traffic.iter().for_each(|line| _ = writeln!(text, "{line}"));
        }
        let losses = losses(self.bus);
        if !losses.is_empty() {
            text += "\nlosses\n";
            losses.iter().for_each(|loss| add_indented(&mut text, loss));
        }
        if !self.lines.is_empty() {
            text.push('\n');
            self.lines.iter().for_each(|line| add_indented(&mut text, line));
        }
        let (robot, elapsed) = (self.robot_time.seconds(), self.elapsed.as_secs_f64());
        let short = self.cut_short.map(|CutShort { end, why }| format!(", not until {:.1} s: {why}", end.seconds()));
        let short = short.unwrap_or_default();
        let _ = writeln!(text, "\n{robot:.1} s on the robot's clock in {elapsed:.1} s{short}");
        if let Some(path) = self.trace {
            let _ = writeln!(
                text,
                "trace    {}: open it in https://ui.perfetto.dev, it stays on your machine",
                path.display()
            );
        }
        for recorded in self.recorded {
            let _ = writeln!(text, "{}", recorded.line());
        }
        if let Some(path) = self.profile {
            let _ = writeln!(text, "profile  {}: the next run plans with these durations", path.display());
        }
        // People look for the verdict, so that it is the last line.
        let _ = writeln!(text, "\nVERDICT: {}", self.verdict);
        text
    }
}

/// The number of tasks that are shown, the slowest ones; all are in the JSON and in the trace.
const TASKS: usize = 8;

/// Returns lines about messages that did not arrive, or made a receiver panic.
fn losses(bus: &Bus) -> Vec<String> {
    let mut losses = Vec::new();
    let mut add = |count: u64, text: String| {
        if count > 0 {
            losses.push(text);
        }
    };
    for topic in bus.topics() {
        let TopicReport { name, dropped, published, .. } = topic;
        add(dropped, format!("topic {name}: {dropped} of {published} messages found no room in a queue"));
    }
    for service in bus.services() {
        let ServiceReport { name, requests, refused, panics, .. } = service;
        add(refused, format!("service {name}: refused {refused} of {} requests", requests + refused));
        add(panics, format!("service {name}: {panics} of {requests} requests made the server panic"));
    }
    for actor in bus.actors() {
        let ActorReport { name, calls, refused, panics, .. } = actor;
        add(refused, format!("actor {name}: refused {refused} of {} calls", calls + refused));
        add(panics, format!("actor {name}: {panics} of {calls} calls panicked"));
    }
    for events in bus.event_loops() {
        let EventLoopReport { name, published, refused, .. } = events;
        add(refused, format!("event loop {name}: {refused} of {} events found no room", published + refused));
    }
    losses
}

fn add_indented(text: &mut String, paragraph: &str) {
    for line in paragraph.lines() {
        let _ = writeln!(text, "  {line}");
    }
}

#[cfg(test)]
mod tests {
    use hemiola_bus::{Actor, WhenFull};

    use super::*;

    #[test]
    fn what_was_lost_is_told_and_nothing_else() {
        let bus = Bus::new();
        let whistles = bus.topic::<f32>("whistle").unwrap();
        let (_queue, mut referee) = (whistles.queue(2, WhenFull::DropOldest), whistles.publisher());
        (0..2).for_each(|_| referee.publish(1.0));
        let (mut actor, mut scribe) = Actor::new(0, 1);
        bus.list_actor("scribe", &actor);
        let mut map = bus.client::<u8, u8>("map").unwrap();
        assert!(losses(&bus).is_empty());

        (0..3).for_each(|_| referee.publish(1.0));
        assert!(map.call_async(1).is_err());
        assert!(scribe.send(|_| panic!("on purpose")).is_ok() && scribe.send(|lines| *lines += 1).is_err());
        actor.run(1);
        let expected = [
            "topic whistle: 3 of 5 messages found no room in a queue",
            "service map: refused 1 of 1 requests",
            "actor scribe: refused 1 of 2 calls",
            "actor scribe: 1 of 1 calls panicked",
        ];
        assert_eq!(losses(&bus), expected);
    }
}
