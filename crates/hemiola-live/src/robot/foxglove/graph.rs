//! The connection graph of Foxglove's protocol.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::module::PortRole;
use serde_json::json;

use crate::robot::Shared;

/// Returns the message that shows a client who provides and reads what.
pub fn connection_graph(shared: &Shared) -> serde_json::Value {
    let (mut published, mut subscribed) = (BTreeMap::new(), BTreeMap::new());
    shared.handle.with_robot(|robot| {
        let add = |map: &mut BTreeMap<String, BTreeSet<String>>, name: &str, who: &str| {
            map.entry(name.to_owned()).or_default().insert(who.to_owned());
        };
        for (number, cycle) in robot.resolved().cycles.iter().enumerate() {
            for update in &cycle.updates {
                update.provides.iter().for_each(|name| add(&mut published, name, &update.module));
                let reads = update.requires.iter().chain(&update.uses).chain(&update.collects);
                reads.for_each(|name| add(&mut subscribed, name, &update.module));
                let ends = robot.topic_ends();
                for end in ends.iter().filter(|end| end.cycle == number && end.update == update.id) {
                    match end.role {
                        PortRole::Publishes => add(&mut published, end.topic, &update.module),
                        _ => add(&mut subscribed, end.topic, &update.module),
                    }
                }
            }
        }
        for source in &robot.description().sources {
            for sample in &source.samples {
                sample.provides.iter().for_each(|name| add(&mut published, name, &source.name));
                sample.reads.iter().for_each(|name| add(&mut subscribed, name, &source.name));
            }
        }
    });
    let list = |map: BTreeMap<String, BTreeSet<String>>, ids: &str| -> Vec<_> {
        map.into_iter().map(|(name, who)| json!({"name": name, ids: who})).collect()
    };
    let services = shared.handle.bus().services().into_iter();
    let services: Vec<_> =
        services.map(|service| json!({"name": service.name, "providerIds": [service.name]})).collect();
    json!({
        "op": "connectionGraphUpdate",
        "publishedTopics": list(published, "publisherIds"),
        "subscribedTopics": list(subscribed, "subscriberIds"),
        "advertisedServices": services,
        "removedTopics": [],
        "removedServices": [],
    })
}
