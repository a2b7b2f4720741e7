//! The feedback between cycles, where values return to a cycle from which they derive, so that ages
//! are those of paths without feedback.
//!
//! Where cycles read each other, as odometry and scan matcher do, every value derives from all
//! samples there ever were: the filter's state never forgets. The age of the oldest of them is
//! meaningless. The literature defines data ages of *chains*, which are sequences of different
//! tasks: "the maximum time for which the output depends on data from the input" (Feiertag,
//! Richter, Nordlander, Jonsson, "A compositional framework for end-to-end path delay calculation
//! of automotive systems under different path semantics", CRTS 2008; Becker, Dasari, Mubeen,
//! Behnam, Nolte, "End-to-end timing analysis of cause-effect chains in automotive embedded
//! systems", Journal of Systems Architecture 80, 2017; Günzel, Chen, Ueter, von der Brüggen, Dürr,
//! Chen, "Timing analysis of asynchronized distributed cause-effect chains", RTAS 2021). So a
//! sample's path ends where it would enter a cycle again in which it has been: the oldest sample of
//! a value is the oldest of those that came by paths that do not return to themselves. A value that
//! derives from a source by other paths only is state, and has no age.
//!
//! How this is counted without knowing all paths: a cycle that reads something that derives from
//! itself has a *mark*. Samples that enter it get the mark, and those that would bring it back do
//! not count. Samples with different marks are counted separately (`Provenance`), which takes as
//! many places as there are sets of marks: robots without feedback have none, and pay nothing.
//!
//! The stamps of the newest samples are not affected: values are stamped with them.

use std::collections::{BTreeMap, BTreeSet};

/// The number of samples that are counted separately: for each source, and for each set of marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub sources: usize,
    pub ways: usize,
}

impl From<usize> for Shape {
    fn from(sources: usize) -> Self {
        Self { sources, ways: 1 }
    }
}

/// The treatment of samples that enter a cycle by one of its imports or subscriptions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entrance {
    /// The bit of the cycle's mark; 0 if it reads nothing that derives from itself.
    pub mark: usize,
    /// Set if samples with the mark do not count.
    pub refuses: bool,
}

/// The marks of a robot's cycles, and the entrances at which samples with them do not count.
#[derive(Debug, Default)]
pub struct Feedback {
    marks: BTreeMap<String, usize>,
    circular: BTreeSet<(String, Taken<String>)>,
}

/// The maximum number of marks: more would take too many places. Cycles beyond that share the last
/// one, and samples that went through one of them do not count for the others either.
const MOST_MARKS: usize = 3;

/// Something that a cycle reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Taken<N> {
    /// A representation.
    Value(N),
    /// Messages of a topic.
    Messages(N),
}

impl Feedback {
    /// Creates the marks of cycles, given by name with everything that they read and that derives
    /// from themselves.
    pub fn new(circular: impl IntoIterator<Item = (String, Taken<String>)>) -> Self {
        let (mut marks, circular) = (BTreeMap::new(), circular.into_iter().collect::<BTreeSet<_>>());
        for (cycle, _) in &circular {
            let number = marks.len().min(MOST_MARKS - 1);
            marks.entry(cycle.clone()).or_insert(1 << number);
        }
        Self { marks, circular }
    }

    /// Returns the number of sets of marks.
    pub fn ways(&self) -> usize {
        1 << self.marks.len().min(MOST_MARKS)
    }

    /// Returns the entrance of a representation that a cycle imports.
    pub fn values(&self, cycle: &str, representation: &str) -> Entrance {
        self.entrance(cycle, Taken::Value(representation.to_owned()))
    }

    /// Returns the entrance of a topic that a cycle subscribes to.
    pub fn messages(&self, cycle: &str, topic: &str) -> Entrance {
        self.entrance(cycle, Taken::Messages(topic.to_owned()))
    }

    fn entrance(&self, cycle: &str, taken: Taken<String>) -> Entrance {
        let mark = self.marks.get(cycle).copied().unwrap_or_default();
        Entrance { mark, refuses: self.circular.contains(&(cycle.to_owned(), taken)) }
    }
}
