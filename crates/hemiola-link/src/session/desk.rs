//! The state that the conversations of a link share.

use std::collections::BTreeSet;
use std::sync::Arc;

use hemiola_model::configuration::LinkAddress;

use super::Parting;
use crate::statistics::LinkStatistics;
use crate::topics::Topics;
use crate::wire;

/// Where remarks of a link go.
pub type Note = Arc<dyn Fn(String) + Send + Sync>;

/// The state that the conversations of a link share: its ends of the robot, its statistics, and the
/// remarks that it has made.
pub struct Desk {
    /// The name of this robot.
    pub robot: String,
    pub topics: Topics,
    pub statistics: LinkStatistics,
    /// The length of the longest offer.
    pub longest_offer: usize,
    note: Note,
    told: BTreeSet<String>,
}

/// A link makes at most that many different remarks; later ones are not reported.
const MOST_TOLD: usize = 64;

impl Desk {
    pub fn new(robot: String, topics: Topics, statistics: LinkStatistics, note: Note) -> Self {
        Self { robot, topics, statistics, longest_offer: wire::LONGEST_OFFER, note, told: BTreeSet::new() }
    }

    /// Reports a remark, unless it was reported before.
    pub fn tell(&mut self, text: String) {
        if self.told.len() < MOST_TOLD && !self.told.contains(&text) {
            (self.note)(format!("link `{}`: {text}", self.statistics.name));
            self.told.insert(text);
        }
    }

    /// Counts and reports the end of a conversation: with the robot that was met, or with nobody,
    /// either `sought` at an address or one who has connected to this link.
    pub fn part(&mut self, robot: Option<&str>, sought: Option<&LinkAddress>, parting: &Parting) {
        let is_refusal = parting.is_refusal();
        self.statistics.refused += u64::from(is_refusal);
        match (robot, sought) {
            (Some(robot), _) => {
                self.statistics.parted += 1;
                let text = format!("`{robot}` is gone: {parting}");
                if is_refusal { self.complain(text) } else { self.tell(text) }
            }
            (None, Some(address)) => {
                self.complain(format!("nobody is met at {address} yet: {parting}; it is tried again and again"));
            }
            (None, None) if is_refusal => self.complain(format!("somebody was sent away: {parting}")),
            (None, None) => {}
        }
    }

    /// Reports a problem, and keeps it for the statistics.
    pub fn complain(&mut self, text: String) {
        self.statistics.problem = Some(text.clone());
        self.tell(text);
    }
}

/// Returns a text of a peer on one line, without control characters and not too long.
pub fn plain(text: &str) -> String {
    const LONGEST: usize = 300;
    let letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    letters.take(LONGEST).collect()
}
