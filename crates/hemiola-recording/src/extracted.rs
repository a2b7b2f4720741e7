//! Tests of modules on recorded runs: [`Extraction`] extracts a run of a module from a log, and
//! writes a test that repeats it ([`Extracted`]).
//!
//! ```no_run
//! use hemiola_recording::extracted::Extracted;
//!
//! let extracted = Extracted::open("tests/extracted/ball_filter_1234.mcap")?;
//! extracted.check()?; // the same state, parameters and inputs make the same outputs, bit for bit
//! # Ok::<(), hemiola_recording::extracted::ExtractedError>(())
//! ```

mod error;
mod extraction;
mod package;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hemiola_log::{Channel, Entry, LogReader, LogTime, Message};
use hemiola_model::cdr::CdrWriter;
use hemiola_model::module::{ArgumentKind, ModuleDescriptor, SafeState, registry};
use hemiola_model::{Clock, Time, Value};
use hemiola_runtime::{RunInput, RunResult, SingleRun};

use crate::checkpoints::adapted;

pub use error::ExtractedError;
pub use extraction::{ExtractedFiles, Extraction};

/// The name of the metadata, with everything that is not a value.
const RUN: &str = "hemiola/extracted";
/// The prefix of parameters in the metadata.
const PARAMETER: &str = "parameter/";
/// The topic of the module's state before the run.
const BEFORE: &str = "/before";
/// The topic of the module's state after the run.
const AFTER: &str = "/after";
/// The prefix of topics with what the module provides.
const OUTPUT: &str = "/output/";

/// Returns the prefix of the topic with what an argument of that kind reads.
fn input_topic(kind: ArgumentKind) -> Option<&'static str> {
    match kind {
        ArgumentKind::Requires => Some("/input/"),
        ArgumentKind::Uses => Some("/previous/"),
        ArgumentKind::Collects => Some("/samples/"),
        ArgumentKind::Port => Some("/messages/"),
        ArgumentKind::Provides | ArgumentKind::Service | ArgumentKind::SafeState => None,
    }
}

/// A run of a module that was extracted from a log.
///
/// The module is found by its name: the test's file contains `use my_robot as _;`, so that it is
/// linked.
///
/// ```no_run
/// # use hemiola_recording::extracted::{Extracted, ExtractedError};
/// let extracted = Extracted::open("tests/extracted/ball_filter_1234.mcap")?;
/// println!("run {} of {} at {}", extracted.clock().run(), extracted.module(), extracted.clock().now());
/// # Ok::<(), ExtractedError>(())
/// ```
pub struct Extracted {
    path: PathBuf,
    /// The metadata.
    facts: BTreeMap<String, String>,
    /// The recorded messages, by topic.
    messages: BTreeMap<String, Recorded>,
}

struct Recorded {
    channel: Arc<Channel>,
    data: Vec<u8>,
    offset: u64,
}

impl Extracted {
    /// Reads an extracted run.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, or contains no extracted run.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ExtractedError> {
        let path = path.as_ref();
        let mut log = LogReader::open(path)?;
        let (mut facts, mut messages) = (None, BTreeMap::new());
        while let Some(entry) = log.next_entry() {
            match entry? {
                Entry::Metadata(metadata) if metadata.name == RUN => facts = Some(metadata.entries),
                Entry::Message(message) => {
                    let recorded = Recorded {
                        channel: message.channel.clone(),
                        data: message.data.to_vec(),
                        offset: message.offset,
                    };
                    messages.insert(message.channel.topic.clone(), recorded);
                }
                _ => {}
            }
        }
        let reason = || "it is not a run of a module that `log extract-cycle` wrote".to_owned();
        let facts = facts.ok_or_else(|| ExtractedError::Unfit { path: path.to_owned(), reason: reason() })?;
        Ok(Self { path: path.to_owned(), facts, messages })
    }

    /// Returns the name of the module.
    pub fn module(&self) -> &str {
        self.fact("module")
    }

    /// Returns the cycle's clock in the run.
    pub fn clock(&self) -> Clock {
        let number = |name| self.fact(name).parse::<i64>().unwrap_or_default();
        let step = Duration::from_nanos(number("step_ns").unsigned_abs());
        Clock::new(Time::from_nanoseconds(number("now_ns")), step, number("run").unsigned_abs())
    }

    /// Repeats the run with the present version of the module, and compares everything that it
    /// provides and remembers, bit for bit.
    ///
    /// # Errors
    /// Returns an error that lists the differences, if there are any; or one if the module is not
    /// linked, or reads what the file does not contain.
    pub fn check(&self) -> Result<(), ExtractedError> {
        let modules = registry::modules();
        let module = modules.iter().find(|module| module.name() == self.module()).ok_or_else(|| {
            self.unfit(format!("module {} is not linked: write `use my_robot as _;` into the test", self.module()))
        })?;
        let result = self.run(module)?.of(module).map_err(|reason| self.unfit(reason))?;
        let differences = self.differences(module, &result)?;
        if differences.is_empty() {
            return Ok(());
        }
        let (cycle, module) = (self.fact("cycle").to_owned(), self.module().to_owned());
        Err(ExtractedError::Different { cycle, module, run: self.clock().run(), differences })
    }

    fn run(&self, module: &ModuleDescriptor) -> Result<SingleRun, ExtractedError> {
        let parameters = self.facts.iter().filter_map(|(key, value)| Some((key.strip_prefix(PARAMETER)?, value)));
        let parameters = parameters.map(|(name, json)| match serde_json::from_str::<Value>(json) {
            Ok(value) => Ok((name.to_owned(), value)),
            Err(error) => Err(self.unfit(format!("parameter {name}: {error}"))),
        });
        let mut run = SingleRun {
            clock: self.clock(),
            safe_state: if self.fact("safe_state") == "true" { SafeState::Active } else { SafeState::Inactive },
            parameters: parameters.collect::<Result<_, _>>()?,
            state: None,
            inputs: Vec::new(),
            order: self.fact("order").split_whitespace().map(str::to_owned).collect(),
        };
        if let (Some(recorded), Some(data_type)) = (self.messages.get(BEFORE), module.state().data_type()) {
            let mut default = CdrWriter::default();
            let made = module.create(&run.parameters).map_err(|errors| self.unfit(format!("{errors:?}")))?;
            made.into_state(&mut default);
            run.state = Some(self.as_now(recorded, module.name(), data_type, default.bytes())?);
        }
        for argument in module.updates().iter().flat_map(|update| update.arguments()) {
            let read = argument.representation().or(argument.port().and_then(|port| port.message()));
            let (Some(descriptor), Some(topic)) = (read, input_topic(argument.kind())) else { continue };
            let name = descriptor.name();
            let (Some(recorded), Some(data_type)) =
                (self.messages.get(&format!("{topic}{name}")), descriptor.data_type())
            else {
                continue;
            };
            let bytes = if matches!(argument.kind(), ArgumentKind::Collects | ArgumentKind::Port) {
                recorded.data.clone()
            } else {
                let mut default = CdrWriter::default();
                descriptor.create().write(&mut default);
                self.as_now(recorded, name, &data_type, default.bytes())?
            };
            let views = self.fact(&format!("views{topic}{name}")).split_whitespace().filter_map(view).collect();
            run.inputs.push(RunInput { kind: argument.kind(), representation: name.to_owned(), views, bytes });
        }
        Ok(run)
    }

    /// Converts a recorded message to the present type.
    fn as_now(
        &self,
        recorded: &Recorded,
        name: &str,
        data_type: &hemiola_model::data::DataType,
        default: &[u8],
    ) -> Result<Vec<u8>, ExtractedError> {
        let schema = hemiola_model::cdr::MessageSchema::of(name, data_type);
        let bytes = adapted(&recorded.channel, &recorded.data, (&schema, data_type), default, &mut |_| {});
        bytes.map_err(|reason| self.unfit(reason.to_string()))
    }

    fn differences(&self, module: &ModuleDescriptor, result: &RunResult) -> Result<Vec<String>, ExtractedError> {
        let mut differences = Vec::new();
        for (topic, recorded) in &self.messages {
            let (what, computed) = match topic.strip_prefix(OUTPUT) {
                Some(name) => (name, result.outputs.get(name).cloned().flatten()),
                None if topic == AFTER => (module.name(), result.state.clone()),
                None => continue,
            };
            let Some(computed) = computed else {
                differences.push(format!("{what} is not provided"));
                continue;
            };
            let message = Message {
                channel: recorded.channel.clone(),
                sequence: 0,
                log_time: LogTime::default(),
                publish_time: LogTime::default(),
                data: &recorded.data,
                offset: recorded.offset,
            };
            let what = if topic == AFTER { format!("what {what} remembers") } else { what.to_owned() };
            differences.extend(message.difference(&computed).map(|difference| format!("{what}: {difference}")));
        }
        for name in self.fact("failed").split_whitespace() {
            if result.outputs.get(name).is_some_and(Option::is_some) {
                differences.push(format!("{name} is provided, and its update failed then"));
            }
        }
        Ok(differences)
    }

    fn fact(&self, name: &str) -> &str {
        self.facts.get(name).map_or("", String::as_str)
    }

    fn unfit(&self, reason: String) -> ExtractedError {
        ExtractedError::Unfit { path: self.path.clone(), reason }
    }
}

/// Parses a stamp in nanoseconds, with `!` after it if the value is stale.
fn view(text: &str) -> Option<(Time, bool)> {
    let (stamp, stale) = text.strip_suffix('!').map_or((text, false), |stamp| (stamp, true));
    Some((Time::from_nanoseconds(stamp.parse().ok()?), stale))
}
