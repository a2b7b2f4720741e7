//! The logs of a robot's processes, combined as those of one robot.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Seek};
use std::time::Duration;

use hemiola_log::{Entry, Joining, LogReader, Metadata};

use crate::checkpoints::is_checkpoint;
use crate::names::{ABOUT, CLOCK, PARTIAL, PROCESS, PROCESSES, RECEIVED};
use crate::senders::is_sender;
use crate::transcript::is_transcript;

/// The logs of a robot that is divided into processes, to be merged into one on one clock.
///
/// Each value and message comes from the process that has it; the copies that others received are
/// skipped, and so is what a replay needs: the parts are replayed, each by itself.
///
/// ```no_run
/// use hemiola_log::{LogReader, merge_joined};
/// use hemiola_recording::parts::PartLogs;
///
/// let mut logs = [LogReader::open("game-main.mcap".as_ref())?, LogReader::open("game-vision.mcap".as_ref())?];
/// let beginnings = [LogReader::open("game-main.mcap".as_ref())?, LogReader::open("game-vision.mcap".as_ref())?];
/// if let Some(parts) = PartLogs::of(beginnings) {
///     merge_joined(&mut logs, &parts, "game.mcap".as_ref(), |_, _| {})?;
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
pub struct PartLogs {
    logs: Vec<Part>,
    /// The facts about the robot in the new log.
    about: BTreeMap<String, String>,
    /// The clock of the new log, that of the process which began first.
    clock: BTreeMap<String, String>,
}

/// The log of one process.
struct Part {
    process: String,
    later: Duration,
    /// The topics that come from other processes whose logs are there, too.
    received: BTreeSet<String>,
}

/// The facts about its robot and clock with which a log begins.
#[derive(Default)]
struct Beginning {
    about: BTreeMap<String, String>,
    clock: BTreeMap<String, String>,
}

impl PartLogs {
    /// Determines the processes of these logs. Returns `None` if they are not those of several
    /// processes of one robot.
    pub fn of<R: Read + Seek>(logs: impl IntoIterator<Item = LogReader<R>>) -> Option<Self> {
        Self::from_beginnings(logs.into_iter().map(Beginning::read).collect())
    }

    fn from_beginnings(beginnings: Vec<Beginning>) -> Option<Self> {
        let processes: Option<Vec<&String>> = beginnings.iter().map(|it| it.about.get(PROCESS)).collect();
        let processes = processes?;
        let robots: Option<BTreeSet<_>> = beginnings.iter().map(Beginning::robot).collect();
        let runs: BTreeSet<_> = beginnings.iter().map(|it| (it.about.get(PROCESS), it.origin())).collect();
        let (true, true) = (robots.as_ref().is_some_and(|robots| robots.len() == 1), runs.len() > 1) else {
            return None;
        };
        // Clocks of one start of the host are compared exactly, others by the time of day.
        let boots: BTreeSet<_> = beginnings.iter().map(|it| it.clock.get("boot")).collect();
        let is_one_boot = boots.len() == 1 && !boots.contains(&None);
        let origins: Option<Vec<u128>> =
            beginnings.iter().map(|it| if is_one_boot { it.monotonic() } else { it.origin() }).collect();
        let origins = origins?;
        let (first, begin) = origins.iter().copied().enumerate().min_by_key(|(_, origin)| *origin)?;
        let known: BTreeSet<&str> = processes.iter().map(|process| process.as_str()).collect();
        let part = |(beginning, origin): (&Beginning, &u128)| Part {
            process: beginning.about.get(PROCESS).cloned().unwrap_or_default(),
            later: Duration::from_nanos(u64::try_from(origin - begin).unwrap_or(u64::MAX)),
            received: beginning
                .received()
                .filter(|(_, from)| known.contains(from))
                .map(|(topic, _)| topic.to_owned())
                .collect(),
        };
        let parts: Vec<_> = beginnings.iter().zip(&origins).map(part).collect();
        let mut about = beginnings[first].about.clone();
        about.retain(|key, _| key != PROCESS && !key.starts_with(RECEIVED));
        for beginning in &beginnings {
            let shared = |key: &str| key.starts_with("provider/") || key.starts_with(PARTIAL);
            about.extend(
                beginning.about.iter().filter(|(key, _)| shared(key)).map(|(key, it)| (key.clone(), it.clone())),
            );
        }
        about.extend(robots.into_iter().flatten().map(|robot| ("robot".to_owned(), robot.to_owned())));
        let names: BTreeSet<_> = parts.iter().map(|part| part.process.as_str()).collect();
        about.insert(PROCESSES.to_owned(), names.into_iter().collect::<Vec<_>>().join(", "));
        Some(Self { about, clock: beginnings[first].clock.clone(), logs: parts })
    }

    /// Returns the process of each log, and the duration that is added to its times.
    pub fn processes(&self) -> impl Iterator<Item = (&str, Duration)> {
        self.logs.iter().map(|part| (part.process.as_str(), part.later))
    }
}

impl Joining for PartLogs {
    fn later(&self, log: usize) -> Duration {
        self.logs[log].later
    }

    fn has(&self, log: usize, topic: &str) -> bool {
        let is_for_replays = is_transcript(topic) || is_checkpoint(topic) || is_sender(topic);
        !self.logs[log].received.contains(topic) && !is_for_replays
    }

    fn metadata(&self, _: usize, metadata: Metadata) -> Option<Metadata> {
        // That of several logs is the same then, and is written once.
        match metadata.name.as_str() {
            ABOUT => Some(Metadata { entries: self.about.clone(), ..metadata }),
            CLOCK => Some(Metadata { entries: self.clock.clone(), ..metadata }),
            _ => Some(metadata),
        }
    }
}

impl Beginning {
    /// Reads a log up to its first value, or to its end if it has none.
    fn read<R: Read + Seek>(mut log: LogReader<R>) -> Self {
        let mut beginning = Self::default();
        while let Some(entry) = log.next_entry() {
            // Damage is reported when the log is merged.
            if let Ok(Entry::Metadata(metadata)) = entry {
                match metadata.name.as_str() {
                    ABOUT => beginning.about = metadata.entries,
                    CLOCK => {
                        beginning.clock = metadata.entries;
                        break;
                    }
                    _ => {}
                }
            }
        }
        beginning
    }

    /// Returns the name of the whole robot.
    fn robot(&self) -> Option<&str> {
        let name = self.about.get("robot")?;
        let process = self.about.get(PROCESS)?;
        Some(name.strip_suffix(process.as_str()).and_then(|name| name.strip_suffix('-')).unwrap_or(name))
    }

    fn monotonic(&self) -> Option<u128> {
        self.clock.get("origin_monotonic_ns")?.parse().ok()
    }

    /// Returns when the robot's clock showed zero, in nanoseconds since 1970.
    fn origin(&self) -> Option<u128> {
        self.clock.get("origin_unix_ns").or_else(|| self.about.get("clock_origin_unix_ns"))?.parse().ok()
    }

    /// Returns the topics that come from other processes, with the names of these.
    fn received(&self) -> impl Iterator<Item = (&str, &str)> {
        self.about.iter().filter_map(|(key, process)| Some((key.strip_prefix(RECEIVED)?, process.as_str())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn beginning(process: &str, boot: &str, monotonic: u64, unix: u64) -> Beginning {
        let text = |pairs: &[(&str, String)]| pairs.iter().map(|(key, it)| ((*key).to_owned(), it.clone())).collect();
        let received = format!("{RECEIVED}/topic/horn");
        let provider = format!("provider/{process}/Thing");
        Beginning {
            about: text(&[
                ("robot", format!("nao-{process}")),
                (PROCESS, process.to_owned()),
                (if process == "main" { "version" } else { &received }, "main".to_owned()),
                (&provider, "Maker".to_owned()),
            ]),
            clock: text(&[
                ("boot", boot.to_owned()),
                ("origin_monotonic_ns", monotonic.to_string()),
                ("origin_unix_ns", unix.to_string()),
            ]),
        }
    }

    #[test]
    fn the_clock_is_that_of_the_process_that_began_first() {
        let parts = PartLogs::from_beginnings(vec![beginning("main", "a", 130, 7), beginning("vision", "a", 100, 9)]);
        let parts = parts.unwrap();
        let expected = [("main", Duration::from_nanos(30)), ("vision", Duration::ZERO)];
        assert_eq!(parts.processes().collect::<Vec<_>>(), expected);
        // After another start of the host, only the time of day is common.
        let parts = PartLogs::from_beginnings(vec![beginning("main", "a", 130, 7), beginning("vision", "b", 100, 9)]);
        let expected = [("main", Duration::ZERO), ("vision", Duration::from_nanos(2))];
        assert_eq!(parts.unwrap().processes().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_topic_is_taken_from_the_process_that_has_it_and_the_robot_is_said_once() {
        let parts =
            PartLogs::from_beginnings(vec![beginning("main", "a", 1, 1), beginning("vision", "a", 2, 2)]).unwrap();
        assert!(parts.has(0, "/topic/horn") && !parts.has(1, "/topic/horn") && parts.has(1, "/cognition/Ball"));
        assert!(!parts.has(0, "/motion/_run"));
        let about = |log| {
            let entries = BTreeMap::from([("robot".to_owned(), log)]);
            parts.metadata(0, Metadata { name: ABOUT.to_owned(), entries }).unwrap().entries
        };
        assert_eq!(about("nao-main".to_owned()), about("nao-vision".to_owned()));
        let about = about("nao-main".to_owned());
        assert_eq!((about["robot"].as_str(), about[PROCESSES].as_str()), ("nao", "main, vision"));
        assert!(about.contains_key("provider/main/Thing") && about.contains_key("provider/vision/Thing"));
        assert!(!about.contains_key(PROCESS));
    }

    #[test]
    fn logs_of_one_process_or_of_other_robots_are_no_parts_of_one() {
        let split = vec![beginning("main", "a", 1, 1), beginning("main", "a", 1, 1)];
        assert!(PartLogs::from_beginnings(split).is_none());
        let restarted = vec![beginning("main", "a", 1, 1), beginning("main", "a", 2, 2)];
        assert!(PartLogs::from_beginnings(restarted).is_some());
        let mut other = beginning("vision", "a", 2, 2);
        other.about.insert("robot".to_owned(), "rover-vision".to_owned());
        assert!(PartLogs::from_beginnings(vec![beginning("main", "a", 1, 1), other]).is_none());
        let whole =
            Beginning { about: BTreeMap::from([("robot".to_owned(), "nao".to_owned())]), ..Beginning::default() };
        assert!(PartLogs::from_beginnings(vec![beginning("main", "a", 1, 1), whole]).is_none());
    }
}
