//! The messages between the processes of a robot and the one that has started them: a line of JSON
//! each, over a Unix socket in their folder; and those between the hosts of a robot, over TCP.

use std::io::{self, BufRead, BufReader, Read, Write};

use hemiola_live::protocol::{ChangeText, RobotHosts};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::entries::Entries;

/// The name of the socket in the folder.
pub const SOCKET: &str = "started-by.sock";

/// A line from a process.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    /// The process is about to begin, and requests its state. This is the first line.
    Begins { process: String },
    /// The process was changed.
    Changed(ChangeText),
    /// The process has entered its safe state by itself.
    Safe { reason: String },
    /// The process has left its safe state by itself. It had been notified `heard` times that
    /// others are in theirs.
    Left { heard: u64 },
}

/// A line to a process.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The state with which the process begins: the answer to [`Said::Begins`].
    Begin { changes: Vec<ChangeText>, safe: Option<SafeCause>, waits: Option<String> },
    /// The process must wait for this in its safe state, instead of what it was told before;
    /// `None`: for nothing any more.
    Waits(Option<String>),
    /// The robot has entered its safe state.
    Safe(SafeCause),
    /// The robot has left its safe state, because `process` has. The receiver has reported `heard`
    /// times so far that it is in its own.
    Left { process: String, heard: u64 },
    /// The hosts of the robot, if they act as one: before [`Begin`](Self::Begin), and when they
    /// come, go, or know each other's clocks better.
    Hosts(RobotHosts),
}

/// A line from a host to another one.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HostSaid {
    Knows(HostKnows),
    /// A request for the time of the other host's monotonic clock; it leaves at this time of the
    /// own one, in nanoseconds.
    Ping {
        left: i64,
    },
}

/// The state of a host that the other hosts have to know.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct HostKnows {
    /// Everything that the host knows of the safe state.
    pub entries: Entries,
    /// The names of its processes that have begun.
    pub begun: Vec<String>,
}

/// The answer to [`HostSaid::Ping`]: the times at which it left, arrived, and is answered.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
pub struct Pong {
    pub left: i64,
    pub arrived: i64,
    pub answered: i64,
}

/// The cause of the safe state of a robot.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct SafeCause {
    /// The first process that entered it.
    pub process: String,
    /// The cause there, in words.
    pub reason: String,
}

/// The length of the longest line, in bytes; a longer one closes the connection.
pub const LONGEST: u64 = 1 << 20;

/// Writes a line; returns [`io::ErrorKind::FileTooLarge`] for one that is too long.
pub fn write(mut to: impl Write, line: &impl Serialize) -> io::Result<()> {
    let mut text = serde_json::to_vec(line)?;
    text.push(b'\n');
    if text.len() as u64 > LONGEST {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    to.write_all(&text)
}

/// Reads lines until the other side is gone, or sends something that is not valid.
pub struct Lines<S>(BufReader<S>);

impl<S: Read> Lines<S> {
    pub fn of(stream: S) -> Self {
        Self(BufReader::new(stream))
    }

    /// Reads lines, and nothing of what follows them, which is for somebody else.
    pub fn only(stream: S) -> Self {
        Self(BufReader::with_capacity(1, stream))
    }

    pub fn next<T: DeserializeOwned>(&mut self) -> Option<T> {
        self.next_within(LONGEST)
    }

    /// Returns the next line, if it is not longer than that.
    pub fn next_within<T: DeserializeOwned>(&mut self, longest: u64) -> Option<T> {
        let mut line = Vec::new();
        (&mut self.0).take(longest).read_until(b'\n', &mut line).ok()?;
        serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use hemiola_model::Value;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_arrive_as_they_were_written_until_one_cannot_be_understood() {
        let (here, there) = UnixStream::pair().unwrap();
        let value = Value::Float(0.1 + 0.2);
        let said = [
            Said::Begins { process: "vision".into() },
            Said::Changed(ChangeText::Parameter { module: "Walk".into(), name: "gain".into(), value }),
            Said::Left { heard: 3 },
        ];
        said.iter().for_each(|line| write(&here, line).unwrap());
        (&here).write_all(b"{\"safe\": 1}\n").unwrap();
        write(&here, &said[0]).unwrap();
        let mut lines = Lines::of(&there);
        for line in said {
            assert_eq!(lines.next(), Some(line));
        }
        assert_eq!(lines.next::<Said>(), None);
    }

    /// Returns bytes a few at a time, as a network does.
    struct Pieces<'b>(&'b [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let length = self.1.min(buffer.len());
            self.0.read(&mut buffer[..length])
        }
    }

    fn host_said() -> impl Strategy<Value = HostSaid> {
        let step = (any::<bool>(), ".{0,8}", ".{0,20}");
        let knows = (prop::collection::vec(step, 0..6), prop::collection::vec(".{0,8}", 0..4));
        let knows = knows.prop_map(|(steps, begun)| {
            let mut entries = Entries::default();
            for (is_left, name, reason) in steps {
                match is_left {
                    true => entries.leave(&name),
                    false => entries.enter(&name.clone(), SafeCause { process: name, reason }),
                }
            }
            HostSaid::Knows(HostKnows { entries, begun })
        });
        prop_oneof![knows, any::<i64>().prop_map(|left| HostSaid::Ping { left })]
    }

    proptest! {
        #[test]
        fn lines_of_hosts_arrive_in_pieces_of_any_length_until_the_connection_ends(
            said in prop::collection::vec(host_said(), 0..5),
            (piece, kept) in (1..100_usize, any::<prop::sample::Index>()),
        ) {
            let mut written = Vec::new();
            let mut ends = Vec::new();
            for line in &said {
                write(&mut written, line).unwrap();
                ends.push(written.len());
            }
            let kept = kept.index(written.len() + 1);
            let mut lines = Lines::of(Pieces(&written[..kept], piece));
            for (line, _) in said.iter().zip(ends).take_while(|(_, end)| *end <= kept) {
                let arrived = lines.next::<HostSaid>();
                prop_assert_eq!(arrived.as_ref(), Some(line));
            }
            prop_assert_eq!(lines.next::<HostSaid>(), None);
        }
    }

    #[test]
    fn a_line_without_an_end_is_none() {
        let (mut here, there) = UnixStream::pair().unwrap();
        here.write_all(b"{\"left\": {\"heard\": 1}}").unwrap();
        drop(here);
        assert_eq!(Lines::of(&there).next::<Said>(), None);
    }
}
