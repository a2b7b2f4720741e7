//! The section `[executor.*]`.

use std::collections::BTreeMap;

use hemiola_model::configuration::ExecutorConfiguration;

use super::reservation::read_reservation;
use super::{read_cores, read_scheduling};
use crate::diagnostic::Diagnostics;
use crate::node::Node;
use crate::section::{Section, whole};

/// Reads the configuration of executors. Programs create these while they run, so their names
/// cannot be checked before a run.
pub(super) fn read_executors(
    executors: &[(&str, &Node)],
    found: &mut Diagnostics,
) -> BTreeMap<String, ExecutorConfiguration> {
    let read =
        executors.iter().filter_map(|(name, node)| Some(((*name).to_owned(), read_executor(name, node, found)?)));
    read.collect()
}

fn read_executor(name: &str, node: &Node, found: &mut Diagnostics) -> Option<ExecutorConfiguration> {
    let path = format!("executor.{name}");
    let mut section = Section::open(&path, node, found)?;
    let mut executor = ExecutorConfiguration {
        scheduling: read_reservation(&mut section, found).or_else(|| read_scheduling(&mut section, found)),
        cores: read_cores(&mut section, found),
        callbacks: BTreeMap::new(),
    };
    if let Some(node) = section.take("callbacks")
        && let Some(mut callbacks) = Section::open(&format!("{path}.callbacks"), node, found)
    {
        for name in node.table().into_iter().flat_map(|table| table.keys()) {
            let priority = callbacks.read(name, whole(0..=usize::from(u16::MAX)), found);
            executor.callbacks.extend(priority.map(|priority| (name.clone(), priority as u16)));
        }
    }
    section.finish(found);
    Some(executor)
}
