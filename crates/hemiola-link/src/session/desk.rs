//! What the conversations of a link have in common.

use std::collections::BTreeSet;
use std::sync::Arc;

use hemiola_model::configuration::LinkAddress;

use super::Parting;
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

    /// Counts and tells that a conversation is over: with a robot that was met, or with nobody,
    /// `sought` at an address or come from anywhere.
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
