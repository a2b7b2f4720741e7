//! The updates and samples that provide and read representations.

use std::fmt::{self, Display};

use serde::{Deserialize, Serialize};

/// A provider or reader of a representation, as a person would look for it.
///
/// ```
/// use hemiola_plan::Party;
/// let party = Party::Update {
///     cycle: "cognition".into(), module: "BallFinder".into(), update: "ball_percept".into(), location: Some("src/ball.rs:7".into()),
/// };
/// assert_eq!(party.to_string(), "`BallFinder.ball_percept` (src/ball.rs:7)");
/// assert_eq!(party.choice(), "BallFinder");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Party {
    /// An update of a module in a cycle.
    Update {
        /// The cycle in which it runs.
        cycle: String,
        /// The module of the update.
        module: String,
        /// The name of the update within the module.
        update: String,
        /// The place where the module is declared.
        location: Option<String>,
    },
    /// A sample of a source.
    Sample {
        /// The name of the source.
        source: String,
        /// The name of the sample.
        sample: String,
    },
}

impl Party {
    /// Returns the name by which `[providers]` chooses this party: that of its module or its
    /// source.
    pub fn choice(&self) -> &str {
        match self {
            Party::Update { module, .. } => module,
            Party::Sample { source, .. } => source,
        }
    }

    /// Returns the party together with its cycle, if it has one.
    pub(crate) fn place(&self) -> String {
        match self {
            Party::Update { cycle, .. } => format!("{self} in cycle `{cycle}`"),
            Party::Sample { .. } => self.to_string(),
        }
    }
}

impl Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Party::Update { module, update, location: Some(location), .. } => {
                write!(f, "`{module}.{update}` ({location})")
            }
            Party::Update { module, update, location: None, .. } => write!(f, "`{module}.{update}`"),
            Party::Sample { source, sample } => write!(f, "sample `{sample}` of source `{source}`"),
        }
    }
}
