//! The traffic on the bus, as lines for people.

use hemiola_words::{Column, Columns, duration};
use std::time::Duration;

use hemiola_bus::{ActorReport, Bus, EventLoopReport, ServiceReport, TopicReport};
use hemiola_trace::Summary;

use crate::top::Channel;

/// Messages, requests, calls and events up to one moment.
#[derive(Default)]
pub struct Traffic {
    rows: Vec<Row>,
}

/// A topic, a service, an actor or an event loop.
struct Row {
    name: String,
    /// The number of messages that were sent.
    count: u64,
    /// The number of messages that wait, and the maximum so far.
    depth: u64,
    deepest: u64,
    /// The number of messages that were sent but never arrived, or were refused.
    lost: u64,
    /// The latency of the slowest receiver.
    latency: Option<Summary>,
}

impl Traffic {
    pub fn of(bus: &Bus) -> Self {
        let mut rows: Vec<_> = bus.topics().iter().map(Row::topic).collect();
        rows.extend(bus.services().into_iter().map(Row::service));
        rows.extend(bus.actors().into_iter().map(Row::actor));
        rows.extend(bus.event_loops().iter().map(Row::event_loop));
        Self { rows }
    }

    /// Returns a heading, and a line for each channel through which anything was sent; no lines if
    /// there is none. Rates are over `elapsed`.
    pub fn table(&self, elapsed: Duration) -> Vec<String> {
        let used: Vec<_> = self.rows.iter().filter(|row| row.count + row.lost > 0).collect();
        let Some(width) = used.iter().map(|row| row.name.chars().count()).max() else { return Vec::new() };
        let heads = ["sent", "per s", "wait", "most", "lost", "mean", "p99", "maximum"];
        let mut lines = vec![line(width, "bus", heads.map(str::to_owned))];
        lines.extend(used.iter().map(|row| row.line(width, elapsed)));
        lines
    }

    /// Returns the channels for the live view.
    pub fn channels(self) -> impl Iterator<Item = Channel> {
        let channel = |row: Row| Channel { name: row.name, sent: row.count, waiting: row.depth, lost: row.lost };
        self.rows.into_iter().map(channel)
    }
}

impl Row {
    fn topic(report: &TopicReport) -> Self {
        let subscribers = &report.subscribers;
        Self {
            name: format!("topic {}", report.name),
            count: report.published,
            depth: subscribers.iter().map(|subscriber| subscriber.depth).sum(),
            deepest: subscribers.iter().map(|subscriber| subscriber.deepest).max().unwrap_or(0),
            lost: report.dropped,
            latency: longest(subscribers.iter().map(|subscriber| subscriber.latency)),
        }
    }

    fn service(report: ServiceReport) -> Self {
        let ServiceReport { name, requests, refused, depth, deepest, latency, .. } = report;
        Self { name: format!("service {name}"), count: requests, depth, deepest, lost: refused, latency }
    }

    fn actor(report: ActorReport) -> Self {
        let ActorReport { name, calls, refused, depth, largest_turn, latency, .. } = report;
        let (count, deepest) = (calls + depth, largest_turn.max(depth));
        Self { name: format!("actor {name}"), count, depth, deepest, lost: refused, latency }
    }

    fn event_loop(report: &EventLoopReport) -> Self {
        let consumers = &report.consumers;
        Self {
            name: format!("event loop {}", report.name),
            count: report.published,
            depth: consumers.iter().map(|consumer| consumer.depth).max().unwrap_or(0),
            deepest: consumers.iter().map(|consumer| consumer.deepest.max(consumer.depth)).max().unwrap_or(0),
            lost: report.refused,
            latency: longest(consumers.iter().map(|consumer| consumer.latency)),
        }
    }

    fn line(&self, width: usize, elapsed: Duration) -> String {
        let rate = self.count as f64 / elapsed.as_secs_f64().max(1e-9);
        let latency = self.latency.filter(|latency| latency.count > 0);
        let time = |figure: fn(&Summary) -> u64| {
            latency.as_ref().map_or_else(String::new, |latency| duration(Duration::from_nanos(figure(latency))))
        };
        let [count, depth, deepest, lost] =
            [self.count, self.depth, self.deepest, self.lost].map(|figure| figure.to_string());
        let decimals = usize::from(rate < 99.95);
        let [mean, p99, maximum] = [time(|of| of.mean), time(|of| of.p99), time(|of| of.maximum)];
        line(width, &self.name, [count, format!("{rate:.decimals$}"), depth, deepest, lost, mean, p99, maximum])
    }
}

fn longest(latencies: impl Iterator<Item = Option<Summary>>) -> Option<Summary> {
    latencies.flatten().max_by_key(|latency| latency.p99)
}

/// Returns a line with a name of at most `width` characters, then figures.
fn line(width: usize, name: &str, figures: [String; 8]) -> String {
    let figure_columns = [8, 8, 6, 6, 6, 9, 9, 9].map(Column::right);
    let columns = Columns::new([Column::left(width)].into_iter().chain(figure_columns));
    columns.line([name].into_iter().chain(figures.iter().map(String::as_str)))
}

#[cfg(test)]
mod tests {
    use hemiola_bus::{Actor, EventLoop, WaitStrategy, WhenFull};

    use super::*;

    #[test]
    fn everything_through_which_something_was_sent_has_a_line() {
        let bus = Bus::new();
        let whistles = bus.topic::<f32>("whistle").unwrap();
        let (_queue, mut referee) = (whistles.queue(2, WhenFull::DropOldest), whistles.publisher());
        (0..5).for_each(|_| referee.publish(1.0));
        let _unused = bus.topic::<u8>("unused").unwrap();
        let mut map = bus.client::<u8, u8>("map").unwrap();
        assert!(map.call_async(1).is_err());
        let (mut actor, mut scribe) = Actor::new(0, 4);
        bus.list_actor("scribe", &actor);
        (0..3).for_each(|_| scribe.send(|lines| *lines += 1).unwrap());
        actor.run(2);
        let mut events = EventLoop::<u8>::new(8);
        let _consumer = events.consumer(WaitStrategy::Park);
        let mut producer = events.producer();
        bus.list_event_loop("game", &producer);
        (0..6).for_each(|_| producer.publish(|_| ()).unwrap());

        let traffic = Traffic::of(&bus);
        let expected = [
            "bus                sent   per s  wait  most  lost     mean      p99  maximum",
            "topic whistle         5     2.5     2     2     3",
            "service map           0     0.0     0     0     1",
            "actor scribe          3     1.5     1     2     0",
            "event loop game       6     3.0     6     6     0",
        ];
        assert_eq!(traffic.table(Duration::from_secs(2)), expected);
        let channels: Vec<_> = traffic.channels().collect();
        let sum = |figure: fn(&Channel) -> u64| channels.iter().map(figure).sum::<u64>();
        assert_eq!([sum(|of| of.sent), sum(|of| of.waiting), sum(|of| of.lost)], [14, 9, 4]);
    }

    #[test]
    fn latencies_are_those_of_the_slowest_receiver() {
        let summary = |p99| Summary { count: 10, mean: 1_000, p99, maximum: 2_000_000, ..Summary::default() };
        let latencies = [None, Some(summary(50_000)), Some(summary(20_000))];
        let row = Row {
            name: "topic goal".into(),
            count: 1_000,
            depth: 0,
            deepest: 3,
            lost: 0,
            latency: longest(latencies.into_iter()),
        };
        let line = row.line(10, Duration::from_secs(4));
        assert_eq!(line, "topic goal    1000     250     0     3     0  1.00 µs  50.0 µs  2.00 ms");
    }
}
