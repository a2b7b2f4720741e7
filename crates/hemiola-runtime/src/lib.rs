//! Runs a robot: blackboards, executors, cycles, triggers, exchange, and changes while it runs.
//!
//! On a real-time thread nothing here allocates, locks, formats or calls the system between two
//! tasks. Files are not accessed here, except where somebody asks for a trace.
//!
//! | file | what |
//! |---|---|
//! | `assemble` | assembles modules and configuration, checks them, and creates all parts of a robot |
//! | `running`, `source`, `cycle` | the threads: sources deliver, cycles run when triggered |
//! | `stepper`, `stage` | the same without threads of their own, driven by the clock alone |
//! | `player` | a stepper at a pace, which can be paused |
//! | `program`, `executor` | a cycle's tasks, and how workers share them |
//! | `blackboard` | the stores of values, and the channels from cycle to cycle |
//! | `handle`, `values`, `controls`, `mailbox`, `command`, `pending`, `monitor`, `journal` | observing and changing a running robot |
//! | `record`, `run` | plain data that all of them use: what runs leave behind, and what they begin with |
//! | `observe` | hands a recorder values, what each run began with, and all that later runs depend on |
//! | `inlet` | values from outside, to sources that have no samples of their own |
//! | `script`, `stand_in`, `follow` | the course of a replay, the stand-ins for sources, providers and publishers, and the follower of the course |
//! | `single_run` | one run of one module, without a robot |
//! | `watchdog`, `safe_state` | the reaction to a cycle that stops |

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod actuators;
mod assemble;
mod blackboard;
mod coherence;
mod command;
mod containment;
mod controls;
mod cycle;
mod debug;
mod ending;
mod error;
pub mod executor;
mod faults;
mod follow;
mod gate;
mod handle;
mod inlet;
mod journal;
mod lock;
mod made;
mod mailbox;
mod module_instance;
mod monitor;
mod observe;
mod origins;
mod pending;
mod player;
mod ports;
mod present;
mod program;
mod record;
mod robot_state;
mod run;
mod running;
mod safe_state;
mod script;
mod single_run;
mod source;
mod stage;
mod stand_in;
mod stepper;
mod stop_cause;
mod sync;
mod values;
mod watchdog;
mod worker;

pub use assemble::{LinkBetweenParts, Provider, Robot, TopicEnd};
pub use blackboard::provenance::Provenance;
pub use debug::DebugName;
pub use error::RuntimeError;
pub use handle::{CycleHealth, RobotHandle, SafeStateWait};
pub use inlet::{SourceInlet, Together};
pub use journal::{JournalEntry, JournalEvent};
pub use monitor::{LatencyBounds, Message};
pub use observe::{
    Dropped, Observation, Observer, Seen, SeenEvents, SeenMessage, SeenTopic, SeenValue, ValueChannel, ValueRequest,
};
pub use origins::{News, TopicInlet, TopicNews};
pub use pending::Pending;
pub use player::{Played, Player, Tempo, Transport};
pub use record::{
    Bounded, Change, CyclePart, Exceedance, ExceedanceCause, InputRecord, MessageRecord, Piece, PieceKind, Published,
    RunRecord, SampleRecord, SampleSpan, Severity, View,
};
pub use running::{Pace, PreparedRobot, RunningRobot};
pub use safe_state::{SafeStateCause, SafeStateEntry};
pub use script::{BreakOff, BreakOffReason, Carried, Script};
pub use single_run::{RunInput, RunResult, SingleRun};
pub use stage::Step;
pub use stand_in::{Course, Feed, RecordedMessages, TakenValues};
pub use stepper::Stepper;
pub use stop_cause::StopCause;
pub use values::CapturedValues;
