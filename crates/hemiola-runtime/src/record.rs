//! Plain records: what runs, samples, messages and changes leave behind, and from what a replay
//! resumes. They depend on none of the other modules, so that all of them can use them: running,
//! observing and following meet here.

mod change;
mod exceedance;
mod part;
mod run;

pub use change::{Change, ChangeNumber, MOST_CHANGES, NewChanges};
pub use exceedance::{Bounded, Exceedance, ExceedanceCause};
pub use part::{CyclePart, Piece, PieceKind, Published, View};
pub use run::{InputRecord, MessageRecord, NO_SNAPSHOT, RunRecord, SampleRecord, SampleSpan};

/// The severity of a message.
///
/// ```
/// use hemiola_runtime::Severity;
/// assert!(Severity::Error > Severity::Warning);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The message is informative.
    Information,
    /// The robot continues, with reduced function.
    Warning,
    /// The robot has stopped doing something.
    Error,
}
