//! The server of Foxglove's SDK with the channels of a log: it publishes the log's messages at
//! their times, again and again, until its standard input ends.
//!
//! `hemiola-bench-foxglove LOG`; the first line that it prints is its address.

use std::collections::HashMap;
use std::error::Error;
use std::io::Read;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use foxglove::{ChannelBuilder, PartialMetadata, RawChannel, Schema, WebSocketServer};

/// A message of the log: its channel, and the time from the beginning at which it is due.
struct Due {
    after: Duration,
    channel: Arc<RawChannel>,
    bytes: Vec<u8>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a log")?;
    let messages = read(&std::fs::read(path)?)?;
    let server = WebSocketServer::new().name("recorded").bind("127.0.0.1", 0).start_blocking()?;
    println!("ws://127.0.0.1:{}/", server.port());
    thread::Builder::new().name("publisher".to_owned()).spawn(move || publish(&messages))?;
    // The bench holds the other end of the input, and writes nothing to it.
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

fn read(log: &[u8]) -> Result<Vec<Due>, Box<dyn Error>> {
    let mut channels = HashMap::new();
    let mut messages = Vec::new();
    let mut begin = None;
    for message in mcap::MessageStream::new(log)? {
        let message = message?;
        let channel = match channels.get(&message.channel.id) {
            Some(channel) => Arc::clone(channel),
            None => {
                let schema = message.channel.schema.as_ref().ok_or("a channel without a schema")?;
                let schema = Schema::new(&schema.name, &schema.encoding, schema.data.to_vec());
                let builder = ChannelBuilder::new(&message.channel.topic).schema(schema);
                let made = builder.message_encoding(&message.channel.message_encoding).build_raw()?;
                channels.insert(message.channel.id, Arc::clone(&made));
                made
            }
        };
        let begin = *begin.get_or_insert(message.log_time);
        let after = Duration::from_nanos(message.log_time.saturating_sub(begin));
        messages.push(Due { after, channel, bytes: message.data.into_owned() });
    }
    Ok(messages)
}

/// Publishes all messages at the pace of the log, and checks for due ones as often as Hemiola's
/// door does.
fn publish(messages: &[Due]) {
    const LOOK: Duration = Duration::from_millis(16);
    loop {
        let begin = Instant::now();
        let mut rest = messages;
        while !rest.is_empty() {
            let now = begin.elapsed();
            let (due, later) = rest.split_at(rest.partition_point(|message| message.after <= now));
            for Due { after, channel, bytes } in due {
                let time = PartialMetadata::with_log_time(after.as_nanos() as u64);
                channel.log_with_meta(bytes, time);
            }
            rest = later;
            thread::sleep(LOOK);
        }
    }
}
