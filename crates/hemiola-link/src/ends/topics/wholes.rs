//! The representations of one cycle or source, which are sent together.

use std::collections::BTreeMap;

use hemiola_model::configuration::{self, Keep};

/// The indices of the representations of each cycle or source of which several are sent, but for
/// those of which more than the newest value is kept: these are sent one by one.
#[derive(Default)]
pub(crate) struct Wholes(Vec<Vec<usize>>);

impl Wholes {
    pub fn of(sent: &[configuration::Sent]) -> Self {
        let mut wholes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, sent) in sent.iter().enumerate().filter(|(_, sent)| sent.keep == Keep::Newest) {
            sent.provider.iter().for_each(|provider| wholes.entry(provider).or_default().push(index));
        }
        Self(wholes.into_values().filter(|whole| whole.len() > 1).collect())
    }

    /// Returns the number of the cycle or source with which a topic or representation is sent;
    /// `None` if it is sent by itself.
    pub fn number_of(&self, topic: usize) -> Option<usize> {
        self.0.iter().position(|whole| whole.contains(&topic))
    }

    pub fn iter(&self) -> impl Iterator<Item = &[usize]> {
        self.0.iter().map(Vec::as_slice)
    }

    /// Returns what is sent together with a topic or representation, which is among them.
    pub fn with(&self, topic: usize) -> impl Iterator<Item = usize> {
        let whole = self.number_of(topic).map(|number| &self.0[number][..]);
        whole.unwrap_or_default().iter().copied().chain(whole.is_none().then_some(topic))
    }
}
