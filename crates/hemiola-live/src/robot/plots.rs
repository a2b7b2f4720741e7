//! Numbers over time, and their way to a client.
//!
//! | field | value |
//! |---|---|
//! | `Ball.position.x` | a number within a representation, once per value |
//! | `topic:goals.count` | a number within the messages of a topic |
//! | `plot:ball.score` | a value that an update plots |
//! | `timing:motion.response` | a figure of each run of a cycle, in seconds: `response`, `execution`, `jitter` |
//! | `timing:Walk.joints` | the duration of each execution of an update, in seconds |
//!
//! If more values arrive than a client draws, all values within one step of time are reduced to
//! their minimum and maximum.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hemiola_model::RepresentationDescriptor;
use hemiola_model::module::DebugContent;
use hemiola_runtime::{Observation, Observer, RobotHandle};
use hemiola_trace::{CycleId, Event, TaskId, Ticks};
use serde_json::{Value, json};

use super::fields::{FieldPath, MOST_PATHS, Picker};
use super::session::FAST;
use super::traced::Traced;
use super::values::{schema_of, unknown, unknown_topic};
use crate::door::outbox::Outbox;
use crate::protocol::binary::{self, Point};

/// One subscription to plots.
pub struct PlotStream {
    subscription: u32,
    /// The reason why a field cannot be plotted, for each field; `None` if it can.
    errors: Vec<Option<String>>,
    observed: Vec<Observed>,
    timed: Option<Timed>,
    /// The observer of the plots of updates, and the number of the field for each plot.
    plotted: Option<(Observer, BTreeMap<String, usize>)>,
    points: Vec<Points>,
    /// The time between two messages, which is measured in real time: the results of a stepped
    /// robot are sent even while it pauses.
    period: Duration,
    due: Instant,
}

/// The paths within one representation or topic, and the numbers of their fields.
type Chosen = (Vec<FieldPath>, Vec<usize>);

/// The fields of one representation or topic.
struct Observed {
    seen: Observer,
    is_topic: bool,
    paths: Vec<FieldPath>,
    /// The numbers of the fields.
    fields: Vec<usize>,
}

/// The fields with the robot's timing.
struct Timed {
    traced: Traced,
    figures: Vec<(usize, Figure)>,
    /// The time of the trigger and the begin of each run that has not ended.
    begun: BTreeMap<CycleId, (u32, Ticks, Ticks)>,
}

/// A figure of the robot's timing.
enum Figure {
    Response(String),
    Execution(String),
    Jitter(String),
    Task(String),
}

/// The values of one field that have not been sent yet, in steps.
#[derive(Default)]
struct Points {
    steps: Vec<Step>,
    /// The number of values in a step.
    per_step: usize,
}

/// The values of one step.
struct Step {
    time: f64,
    minimum: f64,
    maximum: f64,
    count: usize,
}

/// The default number of messages per second.
const RATE: f64 = 30.0;
/// The most steps that are sent at once; if there are more, pairs of them are joined.
const MOST_STEPS: usize = 64;

impl PlotStream {
    /// Opens a subscription. A field that cannot be plotted does not affect the others.
    pub fn open(handle: &RobotHandle, subscription: u32, fields: &[String], rate: Option<f64>) -> Result<Self, String> {
        if fields.len() > MOST_PATHS {
            return Err(format!("a subscription plots at most {MOST_PATHS} fields"));
        }
        let rate = rate.filter(|rate| rate.is_finite() && *rate > 0.0).unwrap_or(RATE);
        let mut by_owner: BTreeMap<(bool, &str), Chosen> = BTreeMap::new();
        let (mut figures, mut plots) = (Vec::new(), BTreeMap::new());
        let mut errors = vec![None; fields.len()];
        for (number, field) in fields.iter().enumerate() {
            if let Some(name) = field.strip_prefix("plot:") {
                plots.insert(name.to_owned(), number);
                continue;
            }
            if let Some(name) = field.strip_prefix("timing:") {
                match Figure::parse(handle, name) {
                    Ok(figure) => figures.push((number, figure)),
                    Err(error) => errors[number] = Some(error),
                }
                continue;
            }
            match split(handle, field) {
                Ok((is_topic, owner, path)) => {
                    let (paths, numbers) = by_owner.entry((is_topic, owner)).or_default();
                    paths.push(path);
                    numbers.push(number);
                }
                Err(error) => errors[number] = Some(error),
            }
        }
        let mut observed = Vec::new();
        for ((is_topic, owner), (paths, numbers)) in by_owner {
            let observation = if is_topic {
                let owner = owner.to_owned();
                Observation::default().with_topics_named(move |topic| topic == owner)
            } else {
                Observation::of([hemiola_runtime::ValueRequest::all(owner)])
            };
            match handle.observe(observation) {
                Ok(seen) => observed.push(Observed { seen, is_topic, paths, fields: numbers }),
                Err(error) => numbers.iter().for_each(|number| errors[*number] = Some(error.to_string())),
            }
        }
        let timed = match figures.is_empty() {
            true => None,
            false => Some(Timed { traced: Traced::open(handle)?, figures, begun: BTreeMap::new() }),
        };
        let plotted = match plots.is_empty() {
            true => None,
            false => {
                let observation = Observation::default().with_debug(plots.keys());
                Some((handle.observe(observation).map_err(|error| error.to_string())?, plots))
            }
        };
        let points = fields.iter().map(|_| Points::default()).collect();
        let period = Duration::try_from_secs_f64(1.0 / rate).unwrap_or(Duration::MAX);
        Ok(Self { subscription, errors, observed, timed, plotted, points, period, due: Instant::now() })
    }

    /// Returns the answer to the client's request.
    pub fn answer(&self) -> Value {
        let fields = self.errors.iter().map(|error| match error {
            Some(error) => json!({"error": error}),
            None => json!({"unit": ""}),
        });
        json!({"fields": fields.collect::<Vec<_>>()})
    }

    /// Returns the number of the subscription.
    pub fn subscription(&self) -> u32 {
        self.subscription
    }

    /// Returns 0: dropped values are missing in plots, but are not counted.
    pub fn take_dropped(&mut self) -> u64 {
        0
    }

    /// Returns the time until [`send`](Self::send) must be called again: exactly when the next
    /// message is due, because points that wait longer are seen a frame later, and before that
    /// often enough that no queue overflows.
    pub fn wait(&self) -> Duration {
        let left = self.due.saturating_duration_since(Instant::now());
        let parts = left.div_duration_f64(FAST).ceil().max(1.0);
        if left.is_zero() { FAST } else { left.div_f64(parts) }
    }

    /// Receives what has arrived, and sends it if a message is due.
    pub fn send(&mut self, out: &mut Outbox) {
        let Self { observed, timed, plotted, points, .. } = self;
        for observed in observed {
            observed.take(|time, field, value| points[field].add(time as f64 * 1e-9, value));
        }
        if let Some(timed) = timed {
            timed.take(|time, field, value| points[field].add(time as f64 * 1e-9, value));
        }
        if let Some((seen, fields)) = plotted {
            while let Some(record) = seen.next_debug() {
                if let (DebugContent::Plot(value), Some(field)) = (&record.content, fields.get(record.name)) {
                    points[*field].add(record.time.seconds(), *value);
                }
            }
        }
        let now = Instant::now();
        let is_empty = points.iter().all(|points| points.steps.is_empty());
        if is_empty || now < self.due || out.is_congested() {
            return;
        }
        // The next message is due one period after this one was due, even if this one is slightly
        // late.
        self.due = self.due.checked_add(self.period).map_or(now, |due| due.max(now));
        let mut bytes = binary::begin(binary::POINTS, self.subscription);
        for (number, points) in points.iter_mut().enumerate().filter(|(_, points)| !points.steps.is_empty()) {
            let steps = points.steps.drain(..);
            let steps = steps.map(|Step { time, minimum, maximum, .. }| Point { time, minimum, maximum });
            binary::Points { field: number as u32, points: steps.collect() }.append_to(&mut bytes);
            points.per_step = 1;
        }
        out.send_bytes(bytes);
    }
}

/// Returns whether a field belongs to a topic, the name of the topic or representation, and the
/// path within it.
fn split<'f>(handle: &RobotHandle, field: &'f str) -> Result<(bool, &'f str, FieldPath), String> {
    let parse = |path: &str| FieldPath::parse(path.trim_start_matches('.'));
    if let Some(field) = field.strip_prefix("topic:") {
        let topics = handle.bus().readable_topics();
        // The names of topics may contain dots themselves: the longest matching name is used.
        let names = topics.iter().map(|(name, _)| name.as_str()).filter(|name| begins_with(field, name));
        let name = names.max_by_key(|name| name.len()).ok_or_else(|| unknown_topic(handle, field))?;
        let descriptor = topics.iter().find(|(known, _)| known == name).map(|(_, descriptor)| *descriptor);
        let path = parse(&field[name.len()..])?;
        check(descriptor, &path)?;
        return Ok((true, &field[..name.len()], path));
    }
    let end = field.find(['.', '[']).unwrap_or(field.len());
    let name = &field[..end];
    let descriptor = handle.with_robot(|robot| robot.representation(name)).ok_or_else(|| unknown(handle, name))?;
    schema_of(descriptor)?;
    let path = parse(&field[end..])?;
    check(Some(descriptor), &path)?;
    Ok((false, name, path))
}

/// Checks that there can be a number at this path.
fn check(descriptor: Option<&'static RepresentationDescriptor>, path: &FieldPath) -> Result<(), String> {
    descriptor.and_then(RepresentationDescriptor::data_type).map_or(Ok(()), |data_type| path.check(&data_type))
}

/// Returns whether a field belongs to the topic or representation `name`.
fn begins_with(field: &str, name: &str) -> bool {
    field.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

impl Observed {
    /// Calls `put` for the numbers in all values that have arrived, with the time, the number of
    /// the field, and the number itself.
    fn take(&mut self, mut put: impl FnMut(i64, usize, f64)) {
        let Self { seen, is_topic, paths, fields } = self;
        let mut hand_over = |time: i64, picker: Picker<'_>| {
            for (field, value) in fields.iter().zip(picker.finish()) {
                if let Some(value) = value {
                    put(time, *field, value);
                }
            }
        };
        if *is_topic {
            while let Some(message) = seen.next_message() {
                let mut picker = Picker::new(paths);
                message.write(&mut picker);
                hand_over(message.time().nanoseconds(), picker);
            }
        } else {
            while let Some(value) = seen.next_value() {
                let mut picker = Picker::new(paths);
                value.value().write(&mut picker);
                hand_over(value.now().nanoseconds(), picker);
            }
        }
    }
}

impl Figure {
    fn parse(handle: &RobotHandle, name: &str) -> Result<Self, String> {
        let cycles =
            handle.with_robot(|robot| robot.resolved().cycles.iter().map(|cycle| cycle.name.clone()).collect());
        let cycles: Vec<String> = cycles;
        if let Some((cycle, figure)) = name.rsplit_once('.')
            && cycles.iter().any(|known| known == cycle)
        {
            return match figure {
                "response" => Ok(Self::Response(cycle.to_owned())),
                "execution" => Ok(Self::Execution(cycle.to_owned())),
                "jitter" => Ok(Self::Jitter(cycle.to_owned())),
                _ => Err(hemiola_config::unknown("figure of a cycle", figure, ["response", "execution", "jitter"])),
            };
        }
        let tasks: Vec<String> = handle.with_robot(|robot| {
            let updates = robot.resolved().cycles.iter().flat_map(|cycle| &cycle.updates);
            updates.map(|update| format!("{}.{}", update.module, update.name)).collect()
        });
        match tasks.iter().any(|task| task == name) {
            true => Ok(Self::Task(name.to_owned())),
            false => Err(hemiola_config::unknown("update", name, tasks.iter().map(String::as_str))),
        }
    }
}

impl Timed {
    fn take(&mut self, mut put: impl FnMut(i64, usize, f64)) {
        let pieces = self.traced.take();
        let Self { traced: Traced { clock, catalog, .. }, figures, begun } = self;
        let names = catalog.read();
        let mut note = |at: Ticks, seconds: f64, is_it: &dyn Fn(&Figure) -> bool| {
            for (field, _) in figures.iter().filter(|(_, figure)| is_it(figure)) {
                put(clock.nanoseconds(at), *field, seconds);
            }
        };
        for event in pieces.iter().flat_map(|piece| &piece.events) {
            match *event {
                Event::TaskRun { task, begin, end, .. } => {
                    let name = |id: TaskId| names.task(id).map_or("", |task| task.name.as_str());
                    let is_it = |figure: &Figure| matches!(figure, Figure::Task(known) if known == name(task));
                    note(end, clock.seconds(begin, end), &is_it);
                }
                Event::CycleBegin { cycle, run, trigger, begin, .. } => {
                    let of = names.cycle(cycle).map_or("", |cycle| cycle.name.as_str());
                    begun.insert(cycle, (run, trigger, begin));
                    note(
                        begin,
                        clock.seconds(trigger, begin),
                        &|figure| matches!(figure, Figure::Jitter(name) if name == of),
                    );
                }
                Event::CycleEnd { cycle, run, at } => {
                    let of = names.cycle(cycle).map_or("", |cycle| cycle.name.as_str());
                    let Some((_, trigger, begin)) = begun.remove(&cycle).filter(|(number, ..)| *number == run) else {
                        continue;
                    };
                    note(
                        at,
                        clock.seconds(trigger, at),
                        &|figure| matches!(figure, Figure::Response(name) if name == of),
                    );
                    note(
                        at,
                        clock.seconds(begin, at),
                        &|figure| matches!(figure, Figure::Execution(name) if name == of),
                    );
                }
                _ => {}
            }
        }
    }
}

impl Points {
    fn add(&mut self, time: f64, value: f64) {
        self.per_step = self.per_step.max(1);
        match self.steps.last_mut() {
            Some(step) if step.count < self.per_step => {
                step.minimum = step.minimum.min(value);
                step.maximum = step.maximum.max(value);
                step.count += 1;
            }
            _ => {
                if self.steps.len() == MOST_STEPS {
                    self.join();
                }
                self.steps.push(Step { time, minimum: value, maximum: value, count: 1 });
            }
        }
    }

    /// Joins pairs of steps.
    fn join(&mut self) {
        let mut joined: Vec<Step> = Vec::with_capacity(MOST_STEPS);
        for (number, step) in self.steps.drain(..).enumerate() {
            match joined.last_mut() {
                Some(last) if number % 2 == 1 => {
                    last.minimum = last.minimum.min(step.minimum);
                    last.maximum = last.maximum.max(step.maximum);
                    last.count += step.count;
                }
                _ => joined.push(step),
            }
        }
        self.steps = joined;
        self.per_step *= 2;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_extreme_is_lost_and_few_points_stay_as_they_are(values in prop::collection::vec(-1e6..1e6, 1..2000)) {
            let mut points = Points::default();
            values.iter().enumerate().for_each(|(time, value)| points.add(time as f64, *value));
            prop_assert!(points.steps.len() <= MOST_STEPS);
            prop_assert_eq!(points.steps.iter().map(|step| step.count).sum::<usize>(), values.len());
            let minimum = points.steps.iter().map(|step| step.minimum).fold(f64::MAX, f64::min);
            let maximum = points.steps.iter().map(|step| step.maximum).fold(f64::MIN, f64::max);
            prop_assert_eq!(minimum, values.iter().copied().fold(f64::MAX, f64::min));
            prop_assert_eq!(maximum, values.iter().copied().fold(f64::MIN, f64::max));
            if values.len() <= MOST_STEPS {
                prop_assert_eq!(points.steps.len(), values.len());
            }
        }
    }
}
