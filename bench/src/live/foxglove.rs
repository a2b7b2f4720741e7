//! All channels through `foxglove.sdk.v1`: the door of the NAO, and the server of Foxglove's SDK,
//! which publishes what the door has sent before.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::door::is_of_the_door;
use super::median;
use super::robot::{LiveRobot, RobotProgram};
use super::threads::{ThreadTimes, sum};
use super::viewer::{Channel, Viewer};
use crate::bar::{Bar, Limit};
use crate::contest::peers::build_crates;
use crate::error::BenchError;
use crate::program::Program;

/// The time that one server has used, and what it sent.
struct Used {
    /// The time of its threads, in percent of a core.
    server: f64,
    /// The time of the thread that hands messages to the SDK's server. There is none in Hemiola.
    publisher: f64,
    messages: f64,
    megabytes: f64,
}

const SETTLE: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(30);

/// Builds the peer, measures both servers in turn, and returns a table, or the reason why there is
/// no peer.
pub fn measure(nao: &RobotProgram, folder: &Path, length: Duration, rounds: usize) -> Result<String, BenchError> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/foxglove");
    let target = folder.join("foxglove");
    if let Err(problem) = build_crates(&sources, &target) {
        return Ok(format!("Left out: Foxglove's SDK (cargo: {problem}).\n"));
    }
    let peer = target.join("release/hemiola-bench-foxglove");
    let log = nao.folder.join("channels.mcap");
    let (mut own, mut theirs, mut channels, mut agreement) = (Vec::new(), Vec::new(), 0, String::new());
    for round in 0..rounds {
        let running = LiveRobot::start(nao, 3 * length + PATIENCE)?;
        let mut viewer = Viewer::open(nao.label, running.page())?;
        channels = viewer.channels.len();
        viewer.subscribe_to_all()?;
        viewer.take(Instant::now() + SETTLE, |_| ())?;
        if round == 0 {
            record(&mut viewer, &log, length)?;
        }
        own.push(watch(&mut viewer, running.process(), is_of_the_door, length)?);
        let offered = std::mem::take(&mut viewer.channels);
        drop((viewer, running));
        let mut command: Command = Program::command(&peer);
        command.arg(&log);
        let mut server = Program::start("Foxglove's SDK", command)?;
        let address = server.hear(PATIENCE, |line| line.starts_with("ws://").then(|| line.to_owned()))?;
        let mut viewer = Viewer::open("Foxglove's SDK", &address)?;
        agreement = compared(&offered, &viewer.channels);
        viewer.subscribe_to_all()?;
        viewer.take(Instant::now() + SETTLE, |_| ())?;
        theirs.push(watch(&mut viewer, server.id(), |thread| thread != PUBLISHER, length)?);
    }
    Ok(text(&own, &theirs, channels, length) + &agreement)
}

/// Says whether the SDK's server advertises the channels of the log as the door does. The door
/// advertises more: those on which nothing came while the log was recorded.
fn compared(door: &[Channel], sdk: &[Channel]) -> String {
    let differs = |theirs: &&Channel| !door.iter().any(|own| own.describes_the_same_as(theirs));
    let different: Vec<&str> = sdk.iter().filter(differs).map(|channel| channel.topic.as_str()).collect();
    match &different[..] {
        [] => format!("  the SDK's server advertises its {} channels exactly as the door does\n", sdk.len()),
        topics => format!("  DIFFERENT: the SDK's server advertises {} otherwise than the door\n", topics.join(", ")),
    }
}

/// The name of the peer's thread that publishes.
const PUBLISHER: &str = "publisher";

/// Receives all messages for that long, and measures what the threads of the server use meanwhile.
fn watch(
    viewer: &mut Viewer,
    process: u32,
    is_server: impl Fn(&str) -> bool,
    length: Duration,
) -> Result<Used, BenchError> {
    let before = ThreadTimes::of(process)?;
    let (mut messages, mut bytes) = (0_u64, 0);
    viewer.take(Instant::now() + length, |message| {
        messages += 1;
        bytes += message.bytes.len();
    })?;
    let used = ThreadTimes::of(process)?.since(&before);
    let seconds = length.as_secs_f64();
    Ok(Used {
        server: sum(&used, is_server),
        publisher: sum(&used, |thread| thread == PUBLISHER),
        messages: messages as f64 / seconds,
        megabytes: bytes as f64 / 1e6 / seconds,
    })
}

/// Writes received messages into a log, which the peer publishes.
fn record(viewer: &mut Viewer, path: &Path, length: Duration) -> Result<(), BenchError> {
    let failed = |error: std::io::Error| BenchError::Write { path: path.to_owned(), error };
    let channels: BTreeMap<u32, Arc<mcap::Channel<'static>>> =
        viewer.channels.iter().map(|channel| (channel.id, Arc::new(as_recorded(channel)))).collect();
    let file = BufWriter::new(File::create(path).map_err(failed)?);
    // The log is read at once, so that nothing is compressed.
    let options = mcap::WriteOptions::new().compression(None);
    let mut log = options.create(file).map_err(|error| failed(std::io::Error::other(error)))?;
    let mut outcome = Ok(());
    viewer.take(Instant::now() + length, |message| {
        let Some(channel) = channels.get(&message.channel) else { return };
        let (log_time, publish_time) = (message.time, message.time);
        let message = mcap::Message {
            channel: channel.clone(),
            sequence: 0,
            log_time,
            publish_time,
            data: Cow::Borrowed(message.bytes),
        };
        outcome = std::mem::replace(&mut outcome, Ok(())).and_then(|()| log.write(&message));
    })?;
    outcome.and_then(|()| log.finish()).map_err(|error| failed(std::io::Error::other(error)))?;
    Ok(())
}

fn as_recorded(channel: &Channel) -> mcap::Channel<'static> {
    let schema = mcap::Schema {
        // Schemas are numbered by channel: one that two channels share is written twice.
        id: channel.id as u16,
        name: channel.schema_name.clone(),
        encoding: channel.schema_encoding.clone().unwrap_or_default(),
        data: Cow::Owned(channel.schema.clone().into_bytes()),
    };
    mcap::Channel {
        id: channel.id as u16,
        topic: channel.topic.clone(),
        schema: Some(Arc::new(schema)),
        message_encoding: channel.encoding.clone(),
        metadata: BTreeMap::new(),
    }
}

fn text(own: &[Used], theirs: &[Used], channels: usize, length: Duration) -> String {
    let mut text = format!(
        "all {channels} channels of the NAO through foxglove.sdk.v1, one viewer (medians of {} rounds of {} s)\n  {:36}{:>14}{:>14}{:>14}{:>10}\n",
        own.len(),
        length.as_secs(),
        "",
        "server, %",
        "publisher, %",
        "messages/s",
        "MB/s"
    );
    let of = |rounds: &[Used], pick: fn(&Used) -> f64| median(rounds.iter().map(pick));
    for (label, rounds) in [("the door, which encodes as well", own), ("Foxglove's SDK, encoded before", theirs)] {
        let (server, publisher) = (of(rounds, |used| used.server), of(rounds, |used| used.publisher));
        let (messages, megabytes) = (of(rounds, |used| used.messages), of(rounds, |used| used.megabytes));
        text += &format!("  {label:36}{server:>14.2}{publisher:>14.2}{messages:>14.0}{megabytes:>10.2}\n");
    }
    let ratio = |pick: fn(&Used) -> f64| {
        let pairs = own.iter().zip(theirs);
        median(pairs.map(|(own, theirs)| own.server / pick(theirs)))
    };
    let bar = |what, is| Bar { what, limit: Limit::AtMost(1.0), is, unit: "" }.to_string();
    text + &bar("the door, relative to the SDK with its publisher", ratio(|used| used.server + used.publisher))
        + &bar("the door, relative to the SDK's own threads", ratio(|used| used.server))
}
