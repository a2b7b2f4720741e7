//! The connection graphs of all processes, as one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::whole::holdings::{Holdings, items, text_of};

/// The lists of a connection graph, and the keys of the owners in their items.
const LISTS: [(&str, &str); 3] =
    [("publishedTopics", "publisherIds"), ("subscribedTopics", "subscriberIds"), ("advertisedServices", "providerIds")];

/// The newest graph of each process: for each list, the owners of each thing.
#[derive(Default)]
pub struct Graphs(BTreeMap<usize, [BTreeMap<String, BTreeSet<String>>; 3]>);

impl Graphs {
    /// Notes the graph of a process. Returns the graph of the whole robot, which lacks the sources
    /// over which processes receive something from each other.
    pub fn join(&mut self, process: usize, holdings: &Holdings, graph: &Value) -> Value {
        let own = LISTS.map(|(list, ids)| {
            let of = |item: &Value| {
                let owners = items(&item[ids]).map(text_of).filter(|owner| !holdings.is_link(owner));
                (text_of(&item["name"]).to_owned(), owners.map(str::to_owned).collect::<BTreeSet<_>>())
            };
            items(&graph[list]).map(of).filter(|(_, owners)| !owners.is_empty()).collect()
        });
        self.0.insert(process, own);
        let mut joined = Map::new();
        for (place, (list, ids)) in LISTS.into_iter().enumerate() {
            let mut all: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
            for (name, owners) in self.0.values().flat_map(|lists| &lists[place]) {
                all.entry(name).or_default().extend(owners.iter().map(String::as_str));
            }
            let all = all.into_iter().map(|(name, owners)| json!({"name": name, ids: owners}));
            joined.insert(list.to_owned(), all.collect());
        }
        let mut joined = Value::Object(joined);
        joined["op"] = "connectionGraphUpdate".into();
        (joined["removedTopics"], joined["removedServices"]) = (json!([]), json!([]));
        joined
    }
}
