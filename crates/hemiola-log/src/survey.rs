use std::collections::BTreeMap;
use std::io::{Read, Seek};
use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;

use crate::channel::{Channel, LogTime};
use crate::entry::{Attachment, Entry, Message, Metadata};
use crate::error::LogError;
use crate::reader::LogReader;

/// The content of a log. All of the log was read for it, so what is not reported as a problem is
/// readable.
///
/// ```no_run
/// use hemiola_log::{LogReader, Survey};
///
/// let survey = Survey::of(&mut LogReader::open("run.mcap".as_ref())?, |_, _| {})?;
/// for channel in &survey.channels {
///     println!("{}: {} messages, {:.1} Hz", channel.channel.topic, channel.messages, channel.rate());
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug, Default)]
pub struct Survey {
    /// The channels with messages and those without, by topic.
    pub channels: Vec<ChannelSurvey>,
    /// The times of the first and the last message.
    pub span: Option<(LogTime, LogTime)>,
    /// The chunks by compression.
    pub chunks: BTreeMap<String, ChunkTotals>,
    /// The attachments.
    pub attachments: Vec<Attachment>,
    /// The metadata.
    pub metadata: Vec<Metadata>,
    /// The problems with what cannot be read; of very many, the first.
    pub problems: Vec<LogError>,
    /// The number of all problems.
    pub problem_count: u64,
}

/// The content of a channel.
///
/// ```no_run
/// # fn show(channel: &hemiola_log::ChannelSurvey) {
/// println!("a message every {:?}, at worst after {:?}", channel.median_step, channel.longest_step);
/// # }
/// ```
#[derive(Debug)]
pub struct ChannelSurvey {
    /// The channel.
    pub channel: Arc<Channel>,
    /// The number of messages.
    pub messages: u64,
    /// The number of bytes of all messages.
    pub bytes: u64,
    /// The times of the first and the last message.
    pub span: Option<(LogTime, LogTime)>,
    /// The time between two messages that half of them do not exceed.
    pub median_step: Duration,
    /// The time between two messages that 99 % of them do not exceed.
    pub p99_step: Duration,
    /// The longest time without a message.
    pub longest_step: Duration,
    /// The beginning of the longest time without a message.
    pub longest_step_from: LogTime,
    /// The number of messages that are missing between the numbers that senders gave to their
    /// messages, if they number them one by one.
    pub missing: u64,
    /// The number of messages that are earlier than the one before.
    pub backwards: u64,
}

/// The chunks of a compression.
///
/// See [`Survey`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChunkTotals {
    /// The number of chunks.
    pub chunks: u64,
    /// The number of bytes in the file.
    pub compressed: u64,
    /// The number of bytes in memory.
    pub uncompressed: u64,
}

/// The longest time between two messages that the quantiles can show.
const LONGEST_STEP: Duration = Duration::from_secs(3600);
/// The number of problems that are kept.
const MOST_PROBLEMS: usize = 1000;

impl Survey {
    /// Reads a log to its end. `progress` is called with the number of bytes that have been read,
    /// and the number of all.
    ///
    /// # Errors
    /// Fails if the disk fails. Damage of the file is not an error.
    pub fn of<R: Read + Seek>(log: &mut LogReader<R>, mut progress: impl FnMut(u64, u64)) -> Result<Self, LogError> {
        let mut survey = Self::default();
        let mut tallies: BTreeMap<u16, Tally> = BTreeMap::new();
        while let Some(entry) = log.next_entry() {
            match entry {
                Ok(Entry::Message(message)) => tallies.entry(message.channel.id).or_default().add(&message),
                Ok(Entry::Attachment(attachment)) => survey.attachments.push(attachment),
                Ok(Entry::Metadata(metadata)) => survey.metadata.push(metadata),
                Ok(Entry::Private(_)) => {}
                Ok(Entry::Chunk(chunk)) => {
                    let totals = survey.chunks.entry(chunk.compression).or_default();
                    totals.chunks += 1;
                    totals.compressed = totals.compressed.saturating_add(chunk.compressed);
                    totals.uncompressed = totals.uncompressed.saturating_add(chunk.uncompressed);
                    let (read, length) = log.progress();
                    progress(read, length);
                }
                Err(error @ LogError::Read { .. }) => return Err(error),
                Err(error) => {
                    survey.problem_count += 1;
                    if survey.problems.len() < MOST_PROBLEMS {
                        survey.problems.push(error);
                    }
                }
            }
        }
        let mut channels: Vec<_> = log.channels().cloned().collect();
        channels.sort_by(|a, b| (&a.topic, a.id).cmp(&(&b.topic, b.id)));
        survey.channels = channels
            .into_iter()
            .map(|channel| tallies.remove(&channel.id).unwrap_or_default().finish(channel))
            .collect();
        let spans = || survey.channels.iter().filter_map(|channel| channel.span);
        survey.span = spans().map(|(first, _)| first).min().zip(spans().map(|(_, last)| last).max());
        Ok(survey)
    }

    /// Returns the number of messages of all channels.
    pub fn messages(&self) -> u64 {
        self.channels.iter().map(|channel| channel.messages).sum()
    }
}

impl ChannelSurvey {
    /// Returns the messages per second between the first and the last.
    pub fn rate(&self) -> f64 {
        let seconds = self.span.map_or(0.0, |(first, last)| last.seconds_since(first));
        if seconds > 0.0 { self.messages.saturating_sub(1) as f64 / seconds } else { 0.0 }
    }
}

/// The counts while a channel is read.
#[derive(Default)]
struct Tally {
    messages: u64,
    bytes: u64,
    span: Option<(LogTime, LogTime)>,
    last: Option<(LogTime, u32)>,
    /// The times between messages, with three digits, from a microsecond on.
    steps: Option<Histogram<u32>>,
    longest: (u64, LogTime),
    missing: u64,
    /// The number of messages whose number is the one before plus one.
    consecutive: u64,
    backwards: u64,
}

impl Tally {
    fn add(&mut self, message: &Message<'_>) {
        let time = message.log_time;
        self.messages += 1;
        self.bytes += message.data.len() as u64;
        let (first, last) = self.span.unwrap_or((time, time));
        self.span = Some((first.min(time), last.max(time)));
        if let Some((before, sequence)) = self.last.replace((time, message.sequence)) {
            if time < before {
                self.backwards += 1;
            }
            let step = time.nanoseconds().saturating_sub(before.nanoseconds());
            if step > self.longest.0 {
                self.longest = (step, before);
            }
            if self.steps.is_none() {
                self.steps = Histogram::new_with_bounds(1000, LONGEST_STEP.as_nanos() as u64, 3).ok();
            }
            if let Some(steps) = &mut self.steps {
                steps.saturating_record(step);
            }
            match message.sequence.wrapping_sub(sequence) {
                1 => self.consecutive += 1,
                jump @ 2..0x8000_0000 => self.missing += u64::from(jump - 1),
                _ => {}
            }
        }
    }

    fn finish(self, channel: Arc<Channel>) -> ChannelSurvey {
        let quantile = |quantile| {
            let steps = self.steps.as_ref().map_or(0, |steps| steps.value_at_quantile(quantile));
            Duration::from_nanos(steps.min(self.longest.0))
        };
        // The numbers only show gaps if the sender numbers its messages one by one.
        let counts = self.consecutive * 2 > self.messages;
        ChannelSurvey {
            median_step: quantile(0.5),
            p99_step: quantile(0.99),
            longest_step: Duration::from_nanos(self.longest.0),
            longest_step_from: self.longest.1,
            missing: if counts { self.missing } else { 0 },
            channel,
            messages: self.messages,
            bytes: self.bytes,
            span: self.span,
            backwards: self.backwards,
        }
    }
}
