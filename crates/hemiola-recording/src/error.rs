use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use hemiola_log::{LogError, LogTime};
use hemiola_runtime::RuntimeError;
use thiserror::Error;

/// The reason why a robot cannot be recorded, or a log cannot be replayed.
///
/// ```
/// use hemiola_recording::replay::ReplayLog;
///
/// let error = ReplayLog::read("/nowhere.mcap".as_ref()).err().expect("there is no such log");
/// assert!(error.to_string().starts_with("cannot open /nowhere.mcap: "));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordingError {
    /// A log cannot be read or written.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The robot refuses a request.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// A log of that name is there already.
    #[error("{} exists already, and a log overwrites nothing: choose another name", path.display())]
    Exists {
        /// The file, or the pattern of the names of all files of the log.
        path: PathBuf,
    },
    /// The operating system has refused a thread.
    #[error("cannot create a thread for the recorder: {0}")]
    Thread(io::Error),
    /// Options are given for a log that is not written.
    #[error("the run is not recorded, so there is nothing to choose: add --log FILE, or `folder` to `[log]`")]
    NotRecorded,
    /// A folder has no log.
    #[error("{} has no log: no file in it ends in .mcap", folder.display())]
    NoLog {
        /// The folder.
        folder: PathBuf,
    },
    /// A folder has the files of more than one log.
    #[error("{} has several logs; choose one of them by its first file: {}", folder.display(), list(firsts))]
    SeveralLogs {
        /// The folder.
        folder: PathBuf,
        /// The first file of each log.
        firsts: Vec<PathBuf>,
    },
    /// A representation cannot be written into any log.
    #[error("{representation} of `{owner}` cannot be replayed: it is opaque, so no log has it")]
    Opaque {
        /// The representation.
        representation: String,
        /// The cycle or source that provides it.
        owner: String,
    },
    /// A channel of the log does not fit the representation that is read from it.
    #[error("{}: {problem}", log.display())]
    Unfit {
        /// The log.
        log: PathBuf,
        /// The reason why it does not fit.
        problem: Box<RecordingError>,
    },
    /// Messages of a topic cannot become values of a representation.
    #[error(
        "{topic} cannot become {representation}: {reason} (`[replay.{representation}.fields]` of the configuration can say \
         where fields come from)"
    )]
    CannotBecome {
        /// The topic.
        topic: String,
        /// The representation.
        representation: String,
        /// The reason.
        reason: String,
    },
    /// A message of a topic does not have the form that its channel promises.
    #[error("{topic}: {reason}")]
    Unreadable {
        /// The topic.
        topic: String,
        /// The reason.
        reason: String,
    },
    /// A part of a sample is not in the log.
    #[error(
        "{}: the sample of {time} s is skipped: {} was lost (the recorder was too slow, or the file is damaged: \
         `log info` says what is missing)",
        log.display(),
        missing.join(", ")
    )]
    SampleLost {
        /// The log.
        log: PathBuf,
        /// The time at which the sample was taken.
        time: LogTime,
        /// The topics that are missing.
        missing: Vec<String>,
    },
    /// The log has no transcript of runs.
    #[error("it does not contain what each run began with: it was recorded by an older version of Hemiola")]
    WithoutTranscript,
    /// A part of the log has the form of another version.
    #[error("its {what} was written by another version of Hemiola")]
    OtherVersion {
        /// The part.
        what: &'static str,
    },
    /// A part of the log cannot be decoded.
    #[error("its {what} is damaged: {reason}")]
    Damaged {
        /// The part.
        what: &'static str,
        /// The reason.
        reason: String,
    },
    /// The samples come from another robot's log, which has no runs of this one.
    #[error("{representation} comes from another robot's log")]
    Foreign {
        /// A representation that comes from that log.
        representation: String,
    },
    /// The log has only some samples, and does not show which of them each run received.
    #[error("not all samples of source `{source_name}` were recorded")]
    PartialSource {
        /// The source.
        source_name: String,
    },
    /// The replay is to begin at a time before which there is no checkpoint.
    #[error("it has no checkpoint")]
    NoCheckpoint,
    /// None of the existing checkpoints can be used.
    #[error("none of its checkpoints can be used: {0}")]
    NoUsableCheckpoint(Arc<RecordingError>),
    /// A module's state, a value or a message cannot be written into a log.
    #[error("the state of {of} is opaque, so that no log has it")]
    OpaqueState {
        /// The name of the module, representation or topic.
        of: String,
    },
    /// A module, value or message was too large for the checkpoint.
    #[error("there was no room for the state of {of}")]
    NoRoom {
        /// The name of the module, representation or topic.
        of: String,
    },
    /// The log lacks the part of a cycle that continued after the checkpoint.
    #[error("the part of {cycle} was lost")]
    PartLost {
        /// The cycle.
        cycle: String,
    },
    /// Messages were published before the checkpoint and received after it.
    #[error("messages of {topic} were in transit")]
    UnderWay {
        /// The topic.
        topic: String,
    },
    /// A checkpoint contains a piece of a kind that this version does not know.
    #[error("a checkpoint has a piece of another kind: {kind}")]
    UnknownPiece {
        /// The kind.
        kind: String,
    },
    /// A checkpoint names a piece that is not in the log.
    #[error("{topic} of checkpoint {number} is not in the log")]
    PieceLost {
        /// The topic of the piece.
        topic: String,
        /// The number of the checkpoint.
        number: u32,
    },
    /// The log lacks some of the representations of a source that modules read.
    #[error(
        "{} has a part of what source `{source_name}` provides, and lacks {}, which modules read: record them as well, say in \
         `[replay.*]` of the configuration where they are, or disable the source",
        log.display(),
        missing.join(", ")
    )]
    IncompleteSource {
        /// The log.
        log: PathBuf,
        /// The source.
        source_name: String,
        /// The topics that are missing.
        missing: Vec<String>,
    },
    /// The log has no source of the robot.
    #[error(
        "{} has nothing that a source of this robot provides{}; it has: {}",
        log.display(),
        if *has_mappings { "" } else { "; if it was recorded by another robot, `[replay.*]` of the configuration says what is where" },
        topics.join(", ")
    )]
    NothingToReplay {
        /// The log.
        log: PathBuf,
        /// The topics of the log.
        topics: Vec<String>,
        /// Set if the configuration has `[replay.*]`.
        has_mappings: bool,
    },
    /// A representation of a source is to be taken from the log separately.
    #[error(
        "`--take {representation}`: source `{source_name}` provides it, of which a replay reads everything from the log"
    )]
    TakenFromSource {
        /// The representation.
        representation: String,
        /// The source.
        source_name: String,
    },
    /// A representation that no cycle provides is to be taken from the log.
    #[error("{}", hemiola_config::unknown("representation of a cycle", name, known))]
    UnknownRepresentation {
        /// The requested name.
        name: String,
        /// The existing representations.
        known: Vec<String>,
    },
    /// A representation is to be taken from a log that does not have it.
    #[error(
        "`--take {representation}`: {} has no {topic}; of cycle `{cycle}` it has: {}",
        log.display(),
        if there.is_empty() { "nothing".to_owned() } else { there.join(", ") }
    )]
    NotInLog {
        /// The representation.
        representation: String,
        /// The cycle that provides it.
        cycle: String,
        /// The topic that it would have in the log.
        topic: String,
        /// The log.
        log: PathBuf,
        /// The representations of the cycle that the log has.
        there: Vec<String>,
    },
}

fn list(paths: &[PathBuf]) -> String {
    paths.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(", ")
}
