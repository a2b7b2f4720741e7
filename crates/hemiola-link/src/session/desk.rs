//! What the conversations of a link have in common.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::statistics::LinkStatistics;
use crate::topics::Topics;
use crate::wire;

/// Where what is to be told goes.
pub type Note = Arc<dyn Fn(String) + Send + Sync>;

/// What the conversations of a link have in common: its ends of the bus, what is counted, and what
/// is told.
pub struct Desk {
    /// The name of the robot that this is.
    pub robot: String,
    pub topics: Topics,
    pub statistics: LinkStatistics,
    /// So long may an offer be.
    pub longest_offer: usize,
    note: Note,
    told: BTreeSet<String>,
}

/// A link tells so many different things; what comes then is only counted.
const MOST_TOLD: usize = 64;

impl Desk {
    pub fn new(robot: String, topics: Topics, statistics: LinkStatistics, note: Note) -> Self {
        Self { robot, topics, statistics, longest_offer: wire::LONGEST_OFFER, note, told: BTreeSet::new() }
    }

    /// Tells something, unless it was told before.
    pub fn tell(&mut self, text: String) {
        if self.told.len() < MOST_TOLD && !self.told.contains(&text) {
            (self.note)(format!("link `{}`: {text}", self.statistics.name));
            self.told.insert(text);
        }
    }

    /// Tells what is wrong.
    pub fn complain(&mut self, text: String) {
        self.statistics.problem = Some(text.clone());
        self.tell(text);
    }
}

/// What others say, on one line and not too long.
pub fn plain(text: &str) -> String {
    const LONGEST: usize = 300;
    let letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    letters.take(LONGEST).collect()
}
