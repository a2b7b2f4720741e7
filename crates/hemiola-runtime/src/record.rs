//! Plain records: what runs, samples, messages and changes leave behind, and what a replay resumes
//! from. They know of no room, so every room may know them: running, observing and following meet
//! here.

mod change;
mod exceedance;
mod part;
mod run;

pub use change::{Change, ChangeNumber, MOST_CHANGES, NewChanges};
pub use exceedance::{Bounded, Exceedance, ExceedanceCause};
pub use part::{CyclePart, Piece, PieceKind, Published, View};
pub use run::{InputRecord, MessageRecord, NO_SNAPSHOT, RunRecord, SampleRecord, SampleSpan};

/// How bad a message is.
///
/// ```
/// use hemiola_runtime::Severity;
/// assert!(Severity::Error > Severity::Warning);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Good to know.
    Information,
    /// The robot goes on, with less.
    Warning,
    /// It has stopped doing something.
    Error,
}
