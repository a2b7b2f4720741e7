//! The session of one client of a running robot: its requests, and the messages that it is sent.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::Time;
use hemiola_runtime::Change;
use serde_json::{Value, json};

use super::Shared;
use super::events::EventStream;
use super::opening::Opening;
use super::plots::PlotStream;
use super::replayed::{Replayed, Stride, TransportStream};
use super::shown::ShownStream;
use super::values::ValueStream;
use super::watched::{JournalStream, StatisticsStream};
use super::{answers, describe, layouts, parameters};
use crate::door::DoorClient;
use crate::door::errands::{Lane, Outcome};
use crate::door::outbox::Outbox;
use crate::door::session::Session;
use crate::protocol::binary::Head;
use crate::protocol::{ChangeText, Request, Watched, parse};

/// The most subscriptions of a client.
const MOST_SUBSCRIPTIONS: usize = 256;
/// The longest period at which values are polled: half of the time between two frames of a page.
pub const FAST: Duration = Duration::from_nanos(1_000_000_000 / 120);
/// The longest time between two polls of drawings.
pub const SLOW: Duration = Duration::from_millis(50);
/// The period at which the journal is polled, which is read by people.
const JOURNAL_PERIOD: Duration = Duration::from_millis(200);
/// The period at which a client is sent the number of dropped values.
const DROPPED_PERIOD: Duration = Duration::from_secs(1);

/// A stream that is opened by an errand.
enum Stream {
    Value(Box<ValueStream>),
    Plot(Box<PlotStream>),
}

/// The session of one client of a running robot.
pub struct RobotSession {
    shared: Arc<Shared>,
    client: DoorClient,
    values: Vec<ValueStream>,
    plots: Vec<PlotStream>,
    opening: Opening<Stream>,
    events: Option<EventStream>,
    statistics: Option<StatisticsStream>,
    journal: Option<JournalStream>,
    shown: Option<ShownStream>,
    /// The state of a replay's transport that was last sent to the client.
    transport: TransportStream,
    told_dropped: Instant,
}

impl RobotSession {
    pub fn new(shared: Arc<Shared>, client: DoorClient) -> Self {
        Self {
            shared,
            client,
            values: Vec::new(),
            plots: Vec::new(),
            opening: Opening::default(),
            events: None,
            statistics: None,
            journal: None,
            shown: None,
            transport: TransportStream::default(),
            told_dropped: Instant::now(),
        }
    }

    /// Executes a request. Returns its answer, or `None` if [`done`](Session::done) will send it
    /// later.
    fn perform(&mut self, number: &Value, request: Request) -> Result<Option<Value>, String> {
        if request.changes() && !self.client.access.may_change() {
            return Err(
                "this connection is read-only: use the address with the token that the robot printed when it started"
                    .to_owned(),
            );
        }
        let shared = self.shared.clone();
        let handle = &shared.handle;
        let lane = lane(&request);
        let later = |work: Box<dyn FnOnce(&Shared) -> Outcome + Send>| {
            let shared = shared.clone();
            self.client.runner.run(lane, number.clone(), move || work(&shared)).map(|()| None)
        };
        Ok(Some(match request {
            Request::Describe {} => describe::describe(&shared),
            Request::Subscribe { subscription, value, topic, rate, form } => {
                self.check_free(subscription)?;
                let open = move || {
                    let handle = &shared.handle;
                    let stream = ValueStream::open(handle, subscription, value, topic, rate, form)?;
                    let answer = stream.answer();
                    Ok((Stream::Value(Box::new(stream)), answer))
                };
                self.opening.begin(&self.client.runner, number.clone(), subscription, open)?;
                return Ok(None);
            }
            Request::Plot { subscription, fields, rate } => {
                self.check_free(subscription)?;
                let open = move || {
                    let stream = PlotStream::open(&shared.handle, subscription, &fields, rate)?;
                    let answer = stream.answer();
                    Ok((Stream::Plot(Box::new(stream)), answer))
                };
                self.opening.begin(&self.client.runner, number.clone(), subscription, open)?;
                return Ok(None);
            }
            Request::Events { subscription } => {
                self.check_free(subscription)?;
                let stream = EventStream::open(handle, subscription)?;
                let answer = stream.answer();
                self.events = Some(stream);
                answer
            }
            Request::Unsubscribe { subscription } => {
                self.remove_subscription(subscription);
                json!({})
            }
            Request::Watch { what: Watched::Statistics, period, .. } => {
                self.statistics = Some(StatisticsStream::open(handle, period)?);
                json!({})
            }
            Request::Watch { what: Watched::Journal, .. } => {
                self.journal = Some(JournalStream::open(handle)?);
                json!({})
            }
            Request::Watch { what: Watched::Debug, names, .. } => {
                self.shown = Some(ShownStream::open(handle, names.unwrap_or_default())?);
                json!({})
            }
            Request::Unwatch { what } => {
                match what {
                    Watched::Statistics => self.statistics = None,
                    Watched::Journal => self.journal = None,
                    Watched::Debug => self.shown = None,
                }
                json!({})
            }
            Request::Fields { value, topic } => describe::fields(&shared, value, topic)?,
            Request::Parameters { module } => parameters::list(&shared, module.as_deref())?,
            // Entering the safe state does not wait for errands.
            Request::Change { change: ChangeText::SafeState(enter) } => {
                let change = if enter { Change::EnterSafeState } else { Change::LeaveSafeState };
                handle.change_by(change, &self.client.name).wait().map_err(|error| error.to_string())?;
                json!({})
            }
            Request::Stop {} => {
                handle.note(format!("{} stops the robot", self.client.name));
                handle.stop();
                json!({})
            }
            Request::Mark { text } => {
                handle.mark(text, Some(self.client.name.clone()));
                json!({})
            }
            Request::Change { change } => {
                let name = self.client.name.clone();
                return later(Box::new(move |shared| {
                    let pending = shared.handle.change_by(change.into(), &name);
                    pending.wait().map(|()| json!({})).map_err(|error| error.to_string())
                }));
            }
            Request::Read { value } => return later(Box::new(move |shared| answers::read(shared, &value))),
            Request::Save { overlay, parameters } => {
                return later(Box::new(move |shared| parameters::save(shared, overlay.as_deref(), parameters)));
            }
            Request::Publish { topic, message } => {
                return later(Box::new(move |shared| answers::publish(shared, &topic, &message).map(|()| json!({}))));
            }
            Request::Call { service, request } => {
                let asked = Instant::now();
                return later(Box::new(move |shared| answers::call(shared, &service, &request, asked)));
            }
            Request::Record { file, stop } => {
                return later(Box::new(move |shared| match stop {
                    true => shared.recording.stop(),
                    false => shared.recording.start(shared, file),
                }));
            }
            Request::Capture {} => return later(Box::new(|shared| Ok(answers::capture(shared)))),
            Request::Why { subject, worst, run, age } => {
                return later(Box::new(move |shared| answers::why(shared, subject, worst, run, age)));
            }
            Request::Bounds {} => return later(Box::new(answers::bounds)),
            Request::Play { speed } => self.transported("play", |replayed, _| replayed.play(speed))?,
            Request::Pause {} => self.transported("pause", |replayed, _| {
                replayed.pause();
                Ok(())
            })?,
            Request::Step { runs, cycle, event } => {
                let stride = match (event, runs, cycle) {
                    (false, runs, cycle) => Stride::Runs(runs.unwrap_or(1), cycle),
                    (true, None, None) => Stride::Event,
                    (true, ..) => return Err("`event` cannot be combined with `runs` or `cycle`".to_owned()),
                };
                self.transported("step", |replayed, now| replayed.step(now, &stride))?
            }
            Request::Seek { time } => {
                let time = Time::from_nanoseconds(time);
                self.transported("seek", |replayed, now| replayed.seek(now, time))?
            }
            Request::Recorded {} => replay(&shared, "recorded")?.recorded(),
            Request::Layouts { save, remove } => {
                return later(Box::new(move |shared| layouts::perform(&shared.facts, save, remove.as_deref())));
            }
        }))
    }

    /// Applies `act` to the transport of a replay, and makes its state be sent to the client again.
    fn transported(
        &mut self,
        verb: &str,
        act: impl FnOnce(&Replayed, Time) -> Result<(), String>,
    ) -> Result<Value, String> {
        act(replay(&self.shared, verb)?, self.shared.handle.now())?;
        self.transport.forget();
        Ok(json!({}))
    }

    fn tell_transport(&mut self, out: &mut Outbox) {
        if let Some(replayed) = &self.shared.replayed {
            self.transport.send(replayed, &self.shared.handle, out);
        }
    }

    fn check_free(&self, subscription: u32) -> Result<(), String> {
        let has_it = self.values.iter().any(|stream| stream.subscription() == subscription)
            || self.opening.has(subscription)
            || self.plots.iter().any(|stream| stream.subscription() == subscription)
            || self.events.as_ref().is_some_and(|stream| stream.subscription() == subscription);
        if has_it {
            return Err(format!("subscription {subscription} exists already: choose another number"));
        }
        let count = self.values.len() + self.plots.len() + self.opening.count() + usize::from(self.events.is_some());
        if count >= MOST_SUBSCRIPTIONS {
            return Err(format!(
                "there are {MOST_SUBSCRIPTIONS} subscriptions already, which is the limit: end some of them"
            ));
        }
        Ok(())
    }

    fn remove_subscription(&mut self, subscription: u32) {
        self.values.retain(|stream| stream.subscription() != subscription);
        self.plots.retain(|stream| stream.subscription() != subscription);
        self.opening.cancel(subscription);
        self.events.take_if(|stream| stream.subscription() == subscription);
    }

    fn tell_dropped(&mut self, out: &mut Outbox) {
        if self.told_dropped.elapsed() < DROPPED_PERIOD {
            return;
        }
        self.told_dropped = Instant::now();
        let values = self.values.iter_mut().map(|stream| (stream.subscription(), stream.take_dropped()));
        let plots = self.plots.iter_mut().map(|stream| (stream.subscription(), stream.take_dropped()));
        for (subscription, dropped) in values.chain(plots).filter(|(_, dropped)| *dropped > 0) {
            out.send(&json!({"event": "dropped", "subscription": subscription, "count": dropped}));
        }
    }
}

/// Returns the lane for a request that takes time.
fn lane(request: &Request) -> Lane {
    match request {
        Request::Change { change: ChangeText::Trace { .. } }
        | Request::Save { .. }
        | Request::Record { .. }
        | Request::Layouts { .. } => Lane::Files,
        Request::Change { .. } => Lane::Changes,
        Request::Publish { .. } => Lane::Messages,
        Request::Call { .. } => Lane::Calls,
        _ => Lane::Questions,
    }
}

impl Session for RobotSession {
    fn begin(&mut self, out: &mut Outbox) {
        let Shared { handle, facts, replayed, .. } = &*self.shared;
        let hosts = facts.hosts.hosts();
        let (part, parts) = self.shared.part();
        let mut welcome = json!({
            "event": "welcome",
            "protocol": 1,
            "kind": "robot",
            "name": facts.name,
            "robot": self.shared.whole(),
            "part": part,
            "parts": parts,
            "host": hosts.own,
            "hosts": hosts.others,
            "process": std::process::id(),
            "program": facts.program,
            "time": handle.now().nanoseconds(),
            "clock_origin": self.shared.clock_origin(),
            "pace": facts.pace,
            "may_change": self.client.access.may_change(),
        });
        replayed.iter().for_each(|replayed| replayed.add_to(&mut welcome));
        out.send(&welcome);
        self.tell_transport(out);
    }

    fn text(&mut self, text: &str, out: &mut Outbox) {
        let (number, request) = match parse::<Request>(text) {
            Ok(parsed) => parsed,
            Err((number, error)) => return out.send(&json!({"id": number, "error": error})),
        };
        match self.perform(&number, request) {
            Ok(Some(result)) => out.send(&json!({"id": number, "result": result})),
            Ok(None) => {}
            Err(error) => out.send(&json!({"id": number, "error": error})),
        }
    }

    fn bytes(&mut self, _: &[u8], out: &mut Outbox) {
        out.send(&json!({"error": "requests must be text messages: see docs/book/src/door.md"}));
    }

    fn done(&mut self, request: Value, outcome: Outcome, out: &mut Outbox) {
        for stream in self.opening.take() {
            match stream {
                Stream::Value(stream) => self.values.push(*stream),
                Stream::Plot(stream) => self.plots.push(*stream),
            }
        }
        out.send(&match outcome {
            Ok(result) => json!({"id": request, "result": result}),
            Err(error) => json!({"id": request, "error": error}),
        });
    }

    fn poll(&mut self, out: &mut Outbox) -> Option<Duration> {
        self.tell_transport(out);
        self.journal.iter_mut().for_each(|stream| stream.send(out));
        self.statistics.iter_mut().for_each(|stream| stream.send(&self.shared, out));
        self.values.iter_mut().for_each(|stream| stream.send(out, Head::to_bytes));
        self.shown.iter_mut().for_each(|stream| stream.send(&self.shared.handle, out));
        self.plots.iter_mut().for_each(|stream| stream.send(out));
        self.events.iter_mut().for_each(|stream| stream.send(out));
        self.tell_dropped(out);
        let plots = self.plots.iter().map(PlotStream::wait).min();
        let values = self.values.iter().map(ValueStream::wait).min();
        let is_drawn = self.shared.replayed.is_some() || self.events.is_some() || self.shown.is_some();
        let drawn = is_drawn.then_some(SLOW);
        let journal = self.journal.is_some().then_some(JOURNAL_PERIOD);
        // Every wake-up of the thread takes time from a robot at full load.
        let statistics = self.statistics.as_ref().map(StatisticsStream::wait);
        [plots, values, drawn, journal, statistics].into_iter().flatten().min()
    }

    fn end(&mut self, reason: &str, out: &mut Outbox) {
        self.poll(out);
        out.send(&json!({"event": "ended", "reason": reason}));
    }
}

/// Returns the replay that the robot runs.
///
/// # Errors
/// Returns an error if the robot is not replaying a log, and so has no transport.
fn replay<'s>(shared: &'s Shared, verb: &str) -> Result<&'s Replayed, String> {
    let none = || format!("`{verb}` needs a replay or a log: this robot is running live");
    shared.replayed.as_ref().ok_or_else(none)
}
