//! The nodes and endpoints of others, known from their liveliness tokens.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hemiola_realtime::Wakeup;

use crate::endpoint::{Endpoint, EndpointKind};
use crate::token::Token;

/// The nodes and endpoints of others that exist now. Zenoh's threads write it.
pub struct Graph {
    state: Mutex<State>,
    wakeup: Arc<Wakeup>,
}

#[derive(Default)]
struct State {
    tokens: BTreeMap<String, Token>,
    is_changed: bool,
    /// The number of tokens that could not be parsed, or for which there was no room.
    ignored: u64,
}

/// The maximum number of tokens kept: a node has about ten.
const MOST_TOKENS: usize = 65_536;
/// The maximum length of a token: names are bounded.
const LONGEST_TOKEN: usize = 2048;

impl Graph {
    pub fn new(wakeup: Arc<Wakeup>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), wakeup })
    }

    /// Notes that a token has appeared or disappeared.
    pub fn note(&self, token: &str, is_there: bool) {
        let mut state = self.state();
        if !is_there {
            state.is_changed |= state.tokens.remove(token).is_some();
        } else if state.tokens.len() >= MOST_TOKENS || token.len() > LONGEST_TOKEN {
            state.ignored += 1;
        } else {
            match token.parse() {
                Ok(parsed) => {
                    state.tokens.insert(token.to_owned(), parsed);
                    state.is_changed = true;
                }
                Err(_) => state.ignored += 1,
            }
        }
        drop(state);
        self.wakeup.notify_all();
    }

    /// Returns the tokens if they have changed since the last call.
    pub fn take_changed(&self) -> Option<Seen> {
        let mut state = self.state();
        if !std::mem::take(&mut state.is_changed) {
            return None;
        }
        Some(Seen { tokens: state.tokens.values().cloned().collect(), ignored: state.ignored })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The map is consistent even if another thread has panicked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The nodes and endpoints that existed at one moment.
#[derive(Default)]
pub struct Seen {
    pub tokens: Vec<Token>,
    pub ignored: u64,
}

impl Seen {
    /// Returns the names of the nodes, sorted.
    pub fn nodes(&self) -> Vec<String> {
        let nodes = self.tokens.iter().filter_map(|token| match token {
            Token::Node(node) => Some(node.name.to_string()),
            Token::Endpoint(_) => None,
        });
        let mut nodes: Vec<_> = nodes.collect();
        nodes.sort();
        nodes
    }

    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.tokens.iter().filter_map(|token| match token {
            Token::Endpoint(endpoint) => Some(&**endpoint),
            Token::Node(_) => None,
        })
    }

    /// Returns the number of endpoints of that kind that have the key.
    pub fn count(&self, kind: EndpointKind, key: &str) -> usize {
        self.endpoints().filter(|endpoint| endpoint.kind == kind && endpoint.key() == key).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_come_and_go_and_garbage_is_counted() {
        let graph = Graph::new(Arc::new(Wakeup::new()));
        let token = "@ros2_lv/0/1ab2/3/3/NN/%/%rover/base";
        graph.note(token, true);
        graph.note("@ros2_lv/0/nonsense", true);
        let seen = graph.take_changed().expect("it has changed");
        assert_eq!((seen.nodes(), seen.ignored), (vec!["/rover/base".to_owned()], 1));
        assert!(graph.take_changed().is_none());
        graph.note(token, false);
        assert!(graph.take_changed().expect("it has changed").nodes().is_empty());
        graph.note(token, false);
        assert!(graph.take_changed().is_none());
    }
}
