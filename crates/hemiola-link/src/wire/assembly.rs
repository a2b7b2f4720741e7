use std::collections::{BTreeMap, VecDeque};

use super::{Fragment, LONGEST_FRAME, PIECE};

/// The messages of a peer of which some fragments have arrived, and not all.
///
/// Fragments may come in any order, twice, or never. What they claim takes no memory, only what has
/// arrived does, and there is a limit to that: the oldest messages are dropped for newer ones. They
/// are missing in the sequence of their topic then, as any message that was lost.
///
/// ```
/// use hemiola_link::wire::{Assembly, Fragment, PIECE};
///
/// let message = vec![7; PIECE + 100];
/// let (topic, sequence, length) = (3, 1, message.len() as u32);
/// let (front, back) = message.split_at(PIECE);
/// let mut assembly = Assembly::default();
/// assert_eq!(assembly.add(&Fragment { topic, sequence, length, index: 1, bytes: back }), None);
/// let whole = assembly.add(&Fragment { topic, sequence, length, index: 0, bytes: front });
/// assert_eq!(whole, Some(message));
/// ```
#[derive(Debug, Default)]
pub struct Assembly {
    /// The one that was begun first comes first.
    unfinished: VecDeque<Unfinished>,
    /// The bytes that all of them hold.
    held: usize,
}

/// A message of which some fragments have arrived.
#[derive(Debug)]
struct Unfinished {
    topic: u32,
    sequence: u64,
    length: usize,
    /// The bytes from the beginning on: pieces that came in their order are copied once.
    front: Vec<u8>,
    /// Pieces behind a gap, by their numbers.
    ahead: BTreeMap<u32, Vec<u8>>,
    held: usize,
}

/// The most unfinished messages of a topic: fragments of one may come behind the first of the next.
const MOST_OF_A_TOPIC: usize = 2;
/// The most bytes of unfinished messages of a peer, so that the longest message has room.
const MOST_HELD: usize = LONGEST_FRAME;

impl Assembly {
    /// Adds a fragment that has arrived. Returns the whole frame of its message with the last one.
    pub fn add(&mut self, fragment: &Fragment<'_>) -> Option<Vec<u8>> {
        let place = match self.unfinished.iter().position(|unfinished| unfinished.is_of(fragment)) {
            Some(place) => place,
            None => self.begin(fragment),
        };
        let unfinished = self.unfinished.get_mut(place)?;
        self.held += unfinished.add(fragment);
        if unfinished.front.len() == unfinished.length {
            return self.remove(place).map(|finished| finished.front);
        }
        self.make_room(place);
        None
    }

    /// Drops what is unfinished of a topic up to this message: it would come too late.
    pub fn forget(&mut self, topic: u32, sequence: u64) {
        self.unfinished.retain(|unfinished| {
            let is_late = unfinished.topic == topic && unfinished.sequence <= sequence;
            self.held -= if is_late { unfinished.held } else { 0 };
            !is_late
        });
    }

    /// Begins a message, and drops the oldest one of its topic if there are too many. Returns its
    /// place.
    fn begin(&mut self, fragment: &Fragment<'_>) -> usize {
        let mut of_topic = self.unfinished.iter().enumerate().filter(|(_, other)| other.topic == fragment.topic);
        let oldest = of_topic.next().map(|(place, _)| place);
        if of_topic.count() + 1 >= MOST_OF_A_TOPIC
            && let Some(oldest) = oldest
        {
            self.remove(oldest);
        }
        self.unfinished.push_back(Unfinished {
            topic: fragment.topic,
            sequence: fragment.sequence,
            length: fragment.length as usize,
            front: Vec::new(),
            ahead: BTreeMap::new(),
            held: 0,
        });
        self.unfinished.len() - 1
    }

    /// Drops the oldest messages but the one at this place until there are few enough bytes.
    fn make_room(&mut self, mut place: usize) {
        while self.held > MOST_HELD && self.unfinished.len() > 1 {
            self.remove(usize::from(place == 0));
            place = place.saturating_sub(1);
        }
    }

    fn remove(&mut self, place: usize) -> Option<Unfinished> {
        let removed = self.unfinished.remove(place)?;
        self.held -= removed.held;
        Some(removed)
    }
}

impl Unfinished {
    fn is_of(&self, fragment: &Fragment<'_>) -> bool {
        let of = (fragment.topic, fragment.sequence, fragment.length as usize);
        (self.topic, self.sequence, self.length) == of
    }

    /// Adds a piece, unless it is there. Returns how many bytes are new.
    fn add(&mut self, fragment: &Fragment<'_>) -> usize {
        let Fragment { index, bytes, .. } = *fragment;
        let next = self.next();
        if index < next || self.ahead.contains_key(&index) {
            return 0;
        }
        self.held += bytes.len();
        if index > next {
            self.ahead.insert(index, bytes.to_vec());
            return bytes.len();
        }
        self.append(bytes);
        while let Some(following) = self.ahead.remove(&self.next()) {
            self.append(&following);
        }
        bytes.len()
    }

    /// Returns the number of the first piece that is missing.
    fn next(&self) -> u32 {
        self.front.len().div_ceil(PIECE) as u32
    }

    /// Appends a piece. There is room for as many bytes as have arrived, whatever length they
    /// claim.
    fn append(&mut self, piece: &[u8]) {
        if self.front.capacity() - self.front.len() < piece.len() {
            let room = self.front.len().max(piece.len()).min(self.length - self.front.len());
            self.front.reserve_exact(room);
        }
        self.front.extend_from_slice(piece);
    }
}

#[cfg(test)]
mod tests;
