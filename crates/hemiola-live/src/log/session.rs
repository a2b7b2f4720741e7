//! The session of one client of a log: its requests, and the messages that it is sent.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use hemiola_recording::split::Kept;
use serde_json::{Value, json};

use super::answers;
use super::contents::{Contents, nanoseconds};
use super::feed::{Fed, Feed};
use super::journal::{JournalFeed, damaged};
use super::shown::{Seen, Shown};
use super::transport::Transport;
use super::values::LogStream;
use crate::door::DoorClient;
use crate::door::errands::{Lane, Outcome};
use crate::door::outbox::Outbox;
use crate::door::session::Session;
use crate::protocol::{Form, Request, Watched, parse};

/// The most subscriptions of a client.
const MOST_SUBSCRIPTIONS: usize = 256;
/// The period at which values are polled.
const FAST: Duration = Duration::from_millis(16);
/// The period at which a client is sent the time while it plays.
const TOLD: Duration = Duration::from_millis(250);
/// The period at which a client is sent the number of dropped messages.
const DROPPED_PERIOD: Duration = Duration::from_secs(1);
/// The most messages that are sent at once, so that other clients get their turn.
const MOST_AT_ONCE: usize = 512;

/// The session of one client of a log.
pub struct LogSession {
    contents: Arc<Contents>,
    client: DoorClient,
    transport: Transport,
    told: Instant,
    values: Vec<LogStream>,
    /// The drawings that the client watches.
    drawn: Vec<Shown>,
    /// The names that the client watches.
    drawn_names: Vec<String>,
    /// The number of drawings that were dropped because the client was too slow, and have not been
    /// reported yet.
    undrawn: u64,
    plots: Vec<u32>,
    feed: Option<Feed>,
    /// Set if the feed must be restarted, for other topics or from another time.
    is_stale: bool,
    /// The time up to which the client has been sent everything.
    reached: i64,
    /// The number of the next journal entry; `None` until the client watches the journal.
    journal: Option<u64>,
    /// The journal entries that the client has not received yet.
    past: Option<JournalFeed>,
    /// The damage that has been reported to the client.
    damage: BTreeSet<String>,
    loaded: (Sender<Loaded>, Receiver<Loaded>),
    told_dropped: Instant,
}

/// The results of an errand besides its answer.
enum Loaded {
    Points(u32, Vec<u8>),
    Damage(String),
}

impl LogSession {
    pub fn new(contents: Arc<Contents>, client: DoorClient) -> Self {
        let now = Instant::now();
        let transport = Transport::new(contents.begin, contents.end, now);
        Self {
            reached: contents.begin,
            contents,
            client,
            transport,
            told: now,
            values: Vec::new(),
            drawn: Vec::new(),
            drawn_names: Vec::new(),
            undrawn: 0,
            plots: Vec::new(),
            feed: None,
            is_stale: false,
            journal: None,
            past: None,
            damage: BTreeSet::new(),
            loaded: channel(),
            told_dropped: now,
        }
    }

    /// Executes a request. Returns its answer, or `None` if [`done`](Session::done) will send it
    /// later.
    fn perform(&mut self, number: &Value, request: Request, out: &mut Outbox) -> Result<Option<Value>, String> {
        let now = Instant::now();
        Ok(Some(match request {
            Request::Describe {} => self.contents.describe(),
            Request::Subscribe { form: Form::Jpeg, .. } => {
                return Err("the images of a log are sent as they were recorded: omit `as`".to_owned());
            }
            Request::Subscribe { subscription, value, topic, rate, .. } => {
                self.check_free(subscription)?;
                let channel = self.contents.channel(value.as_deref(), topic.as_deref())?;
                let stream = LogStream::new(subscription, channel.clone(), rate);
                let answer = stream.answer();
                self.values.push(stream);
                self.is_stale = true;
                answer
            }
            Request::Plot { subscription, fields, .. } => {
                self.check_free(subscription)?;
                let loaded = self.loaded.0.clone();
                self.later(number, move |contents| {
                    // Sending fails only if the client has disconnected.
                    let on_damage = |text| _ = loaded.send(Loaded::Damage(text));
                    let (answer, points) = answers::plot(contents, subscription, &fields, on_damage)?;
                    _ = loaded.send(Loaded::Points(subscription, points));
                    Ok(answer)
                })?;
                self.plots.push(subscription);
                return Ok(None);
            }
            Request::Unsubscribe { subscription } => {
                self.values.retain(|stream| stream.subscription() != subscription);
                self.plots.retain(|plot| *plot != subscription);
                json!({})
            }
            Request::Watch { what: Watched::Journal, .. } => {
                self.journal = Some(0);
                self.past = Some(JournalFeed::start(self.contents.clone())?);
                json!({})
            }
            Request::Watch { what: Watched::Statistics, .. } => return Err(only_robots("watch statistics")),
            Request::Watch { what: Watched::Debug, names, .. } => {
                let names = names.unwrap_or_default();
                self.drawn = self.contents.shown.iter().filter(|shown| shown.is_wanted(&names)).cloned().collect();
                self.drawn_names = names;
                self.is_stale = true;
                let names: Vec<_> = self.contents.shown.iter().filter_map(Shown::describe).collect();
                out.send(&json!({"event": "debug", "names": names, "records": [], "dropped": 0}));
                json!({})
            }
            Request::Unwatch { what } => {
                match what {
                    Watched::Journal => (self.journal, self.past) = (None, None),
                    Watched::Debug => self.drawn.clear(),
                    Watched::Statistics => {}
                }
                json!({})
            }
            Request::Read { value } => {
                let time = self.transport.time(now);
                self.later(number, move |contents| answers::read(contents, &value, time))?;
                return Ok(None);
            }
            Request::Fields { value, topic } => answers::fields(&self.contents, value.as_deref(), topic.as_deref())?,
            Request::Play { speed } => {
                let before = self.transport.time(now);
                self.transport.play(speed, now)?;
                if self.transport.time(now) != before {
                    self.jumped(now);
                }
                self.tell(now, out);
                json!({})
            }
            Request::Pause {} => {
                self.transport.pause(now);
                self.tell(now, out);
                json!({})
            }
            Request::Seek { time } => {
                self.transport.seek(time, now);
                self.jumped(now);
                self.tell(now, out);
                json!({})
            }
            of_robots => return Err(only_robots(&of_robots.name())),
        }))
    }

    /// Runs `work` on a thread that may wait for a disk.
    fn later(&self, number: &Value, work: impl FnOnce(&Contents) -> Outcome + Send + 'static) -> Result<(), String> {
        let contents = self.contents.clone();
        self.client.runner.run(Lane::Questions, number.clone(), move || work(&contents))
    }

    fn check_free(&self, subscription: u32) -> Result<(), String> {
        let has_it = self.values.iter().any(|stream| stream.subscription() == subscription);
        if has_it || self.plots.contains(&subscription) {
            return Err(format!("subscription {subscription} exists already: choose another number"));
        }
        if self.values.len() + self.plots.len() >= MOST_SUBSCRIPTIONS {
            return Err(format!(
                "there are {MOST_SUBSCRIPTIONS} subscriptions already, which is the limit: end some of them"
            ));
        }
        Ok(())
    }

    /// Handles a jump of the client's time.
    fn jumped(&mut self, now: Instant) {
        self.reached = self.transport.time(now);
        self.values.iter_mut().for_each(LogStream::reset);
        self.is_stale = true;
    }

    fn tell(&mut self, now: Instant, out: &mut Outbox) {
        self.told = now;
        out.send(&self.transport.event(now));
    }

    /// Restarts the feed at the client's time, for the topics that it is subscribed to now.
    fn refresh(&mut self, out: &mut Outbox) {
        self.is_stale = false;
        let drawn = self.drawn.iter().map(|shown| shown.topic.clone());
        let topics: BTreeSet<String> =
            self.values.iter().map(|stream| stream.topic().to_owned()).chain(drawn).collect();
        self.feed = None;
        if topics.is_empty() {
            return;
        }
        match Feed::start(self.contents.clone(), topics.into_iter().collect(), self.reached) {
            Ok(feed) => self.feed = Some(feed),
            Err(error) => self.damaged(error, self.reached, out),
        }
    }

    /// Sends the items that are due. Returns whether there may be more.
    fn feed(&mut self, time: i64, out: &mut Outbox) -> bool {
        let mut records = Vec::new();
        let is_more = self.feed_at_most(MOST_AT_ONCE, time, &mut records, out);
        if !records.is_empty() || self.undrawn > 0 {
            let dropped = std::mem::take(&mut self.undrawn);
            out.send(&json!({"event": "debug", "records": records, "dropped": dropped}));
        }
        is_more
    }

    fn feed_at_most(&mut self, most: usize, time: i64, records: &mut Vec<Value>, out: &mut Outbox) -> bool {
        for _ in 0..most {
            let Some(fed) = self.feed.as_mut().and_then(|feed| feed.next(time)) else { return false };
            let speed = self.transport.speed();
            match fed {
                Fed::Newest(message) => {
                    let streams = self.values.iter_mut().filter(|stream| stream.topic() == message.channel.topic);
                    streams.for_each(|stream| stream.send_newest(&message, out));
                    self.draw(&message, time, records, out);
                }
                Fed::Message(message) => {
                    let streams = self.values.iter_mut().filter(|stream| stream.topic() == message.channel.topic);
                    streams.for_each(|stream| stream.send(&message, speed, out));
                    self.draw(&message, time, records, out);
                }
                Fed::Damage(text) => self.damaged(text, time, out),
            }
        }
        true
    }

    /// Sends as many journal entries as the client can receive now.
    fn send_past(&mut self, out: &mut Outbox) {
        let (Some(past), Some(number)) = (&mut self.past, &mut self.journal) else { return };
        while !out.is_congested()
            && let Some(entry) = past.next()
        {
            out.send(&answers::numbered(entry, *number));
            *number += 1;
        }
        self.past.take_if(|past| !past.goes_on());
    }

    /// Sends the drawing or image in a message, if the client watches it.
    fn draw(&mut self, message: &Kept, time: i64, records: &mut Vec<Value>, out: &mut Outbox) {
        let Some(shown) = self.drawn.iter().find(|shown| shown.topic == message.channel.topic) else { return };
        if out.is_congested() {
            self.undrawn += 1;
            return;
        }
        match shown.read(message, nanoseconds(message.log_time), time, &self.drawn_names) {
            Ok(seen) => seen.into_iter().for_each(|seen| match seen {
                Seen::Record(record) => records.push(record),
                Seen::Image(bytes) => out.send_bytes(bytes),
            }),
            Err(damage) => self.damaged(damage, time, out),
        }
    }

    /// Reports damage to the client, unless it has been reported before.
    fn damaged(&mut self, text: String, time: i64, out: &mut Outbox) {
        if let Some(number) = &mut self.journal
            && !self.damage.contains(&text)
        {
            out.send(&answers::numbered(damaged(text.clone(), time), *number));
            *number += 1;
            self.damage.insert(text);
        }
    }

    fn loaded(&mut self, loaded: Loaded, out: &mut Outbox) {
        match loaded {
            Loaded::Points(subscription, bytes) if self.plots.contains(&subscription) => out.send_bytes(bytes),
            Loaded::Points(..) => {}
            Loaded::Damage(text) => self.damaged(text, self.transport.time(Instant::now()), out),
        }
    }

    fn tell_dropped(&mut self, now: Instant, out: &mut Outbox) {
        if now.saturating_duration_since(self.told_dropped) < DROPPED_PERIOD {
            return;
        }
        self.told_dropped = now;
        let dropped = self.values.iter_mut().map(|stream| (stream.subscription(), stream.take_dropped()));
        for (subscription, dropped) in dropped.filter(|(_, dropped)| *dropped > 0) {
            out.send(&json!({"event": "dropped", "subscription": subscription, "count": dropped}));
        }
    }
}

impl Session for LogSession {
    fn begin(&mut self, out: &mut Outbox) {
        let Contents { files, begin, end, about, damage, .. } = &*self.contents;
        let said = |key: &str| about.get(key).cloned().unwrap_or_default();
        out.send(&json!({
            "event": "welcome",
            "protocol": 1,
            "kind": "log",
            "name": files.first().file_name().map(|name| name.to_string_lossy()),
            "process": std::process::id(),
            "program": said("program"),
            "robot": said("robot"),
            "time": begin,
            "begin": begin,
            "end": end,
            "pace": "log",
            "damage": damage,
            "may_change": false,
        }));
        self.tell(Instant::now(), out);
    }

    fn text(&mut self, text: &str, out: &mut Outbox) {
        let (number, request) = match parse::<Request>(text) {
            Ok(parsed) => parsed,
            Err((number, error)) => return out.send(&json!({"id": number, "error": error})),
        };
        match self.perform(&number, request, out) {
            Ok(Some(result)) => out.send(&json!({"id": number, "result": result})),
            Ok(None) => {}
            Err(error) => out.send(&json!({"id": number, "error": error})),
        }
    }

    fn bytes(&mut self, _: &[u8], out: &mut Outbox) {
        out.send(&json!({"error": "requests must be text messages: see docs/book/src/door.md"}));
    }

    fn done(&mut self, request: Value, outcome: Outcome, out: &mut Outbox) {
        out.send(&match outcome {
            Ok(result) => json!({"id": request, "result": result}),
            Err(error) => json!({"id": request, "error": error}),
        });
        while let Ok(loaded) = self.loaded.1.try_recv() {
            self.loaded(loaded, out);
        }
    }

    fn poll(&mut self, out: &mut Outbox) -> Option<Duration> {
        let now = Instant::now();
        let has_ended = self.transport.ends(now);
        let is_playing = self.transport.is_playing();
        if has_ended || is_playing && now.saturating_duration_since(self.told) >= TOLD {
            self.tell(now, out);
        }
        let time = self.transport.time(now);
        if self.is_stale {
            self.refresh(out);
        }
        self.reached = time;
        let is_more = self.feed(time, out);
        self.send_past(out);
        self.tell_dropped(now, out);
        let is_behind = self.past.is_some() || self.feed.as_ref().is_some_and(Feed::is_behind);
        match (is_more, is_behind || is_playing && self.feed.is_some()) {
            (true, _) => Some(Duration::ZERO),
            (false, true) => Some(FAST),
            (false, false) => is_playing.then_some(TOLD),
        }
    }

    fn end(&mut self, reason: &str, out: &mut Outbox) {
        out.send(&json!({"event": "ended", "reason": reason}));
    }
}

/// Returns the error for a request that only a running robot can fulfil.
fn only_robots(what: &str) -> String {
    format!("`{what}` needs a running robot: this is a log, which can only be viewed and played")
}
