//! Runs a robot: blackboards, executors, cycles, triggers, exchange, and changes while it runs.
//!
//! On a real-time thread nothing here allocates, locks, formats or calls the system between two tasks. Files are not read here,
//! except by who asks for a trace.
//!
//! | file | what |
//! |---|---|
//! | `robot` | puts modules and configuration together and checks them |
//! | `launch` | makes all parts of a robot |
//! | `running`, `source`, `cycle` | the threads: sources deliver, cycles run when triggered |
//! | `stepper` | the same without threads of their own, by the clock alone |
//! | `player` | a stepper at a pace, which can be paused |
//! | `program`, `executor` | a cycle's tasks, and how workers share them |
//! | `blackboard` | where values live, and how they get from cycle to cycle |
//! | `handle`, `values`, `controls`, `command`, `monitor`, `journal` | looking at a running robot and changing it |
//! | `observe` | hands to a recorder values, messages, what each run began with, and snapshots of all that later runs depend on |
//! | `feed`, `taken`, `script`, `checkpoint` | takes samples and other values from a recording, follows its runs, goes on from a snapshot |
//! | `single_run` | one run of one module, without a robot |
//! | `watchdog`, `safe_state` | when a cycle stops |

mod blackboard;
mod checkpoint;
mod command;
mod controls;
mod cycle;
mod error;
pub mod executor;
mod feed;
mod handle;
mod journal;
mod launch;
mod module_instance;
mod monitor;
mod observe;
mod origins;
mod player;
mod ports;
mod program;
mod robot;
mod robot_state;
mod running;
mod safe_state;
mod script;
mod single_run;
mod source;
mod stepper;
mod sync;
mod taken;
mod values;
mod watchdog;
mod worker;

pub use blackboard::provenance::Provenance;
pub use checkpoint::{CyclePart, Piece, PieceKind, Published, View};
pub use error::RuntimeError;
pub use feed::Feed;
pub use handle::{CycleHealth, RobotHandle};
pub use journal::{Change, JournalEntry, JournalEvent, Severity};
pub use monitor::{Bounded, DebugRecords, Exceedance, ExceedanceCause, LatencyBounds, Message};
pub use observe::runs::{InputRecord, MessageRecord, RunRecord, SampleRecord, SampleSpan};
pub use observe::topics::{TappedMessage, TappedTopic, TopicTap};
pub use observe::values::{Tap, TapChannel, TapRequest, TappedValue};
pub use player::{Played, Player, Tempo, Transport};
pub use robot::{Provider, Robot, TopicEnd};
pub use running::{Pace, PreparedRobot, RunningRobot};
pub use safe_state::{SafeStateCause, SafeStateEntry};
pub use script::{BreakOff, BreakOffReason, Transcript};
pub use single_run::{RunInput, RunResult, SingleRun};
pub use stepper::{Step, Stepper};
pub use taken::TakenValues;
pub use values::Snapshot;
