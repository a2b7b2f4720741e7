//! The sections `[replay]`, for what a replay takes from the log, and `[replay.*]`, for the place
//! in foreign logs of what sources provide.

use std::collections::{BTreeMap, BTreeSet};

use hemiola_model::configuration::{FieldMapping, ReplayConfiguration, ReplayMapping};

use crate::catalog::Catalog;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::{Node, in_order};
use crate::section::{Refusal, Section, number, suggest, suggest_at, text};

pub(super) fn read_replay(node: &Node, catalog: &Catalog, found: &mut Diagnostics) -> ReplayConfiguration {
    let Some(mut section) = Section::open("replay", node, found) else { return ReplayConfiguration::default() };
    let names = section.peek("take").and_then(Node::list).unwrap_or_default();
    let take = section.list("take", "a list of representations, such as [\"Ball\"]", text, found);
    for node in names.iter().filter(|_| !take.is_empty()) {
        check_takeable(node, catalog, found);
    }
    let entries: Vec<_> =
        node.table().map(in_order).unwrap_or_default().into_iter().filter(|(name, _)| *name != "take").collect();
    ReplayConfiguration { take, mappings: read_mappings(&entries, catalog, found) }
}

/// Reports an error unless a module provides the representation, and logs can contain it.
fn check_takeable(node: &Node, catalog: &Catalog, found: &mut Diagnostics) {
    let Some(name) = node.text().filter(|name| !name.is_empty()) else { return };
    let provided: BTreeSet<_> =
        catalog.modules.iter().flat_map(|module| module.provides.iter().map(String::as_str)).collect();
    if !provided.contains(name) {
        found.push_error(|| match catalog.sources.iter().find(|source| source.provides.contains(name)) {
            Some(source) => {
                let message = format!(
                    "`{name}` comes from source `{}`, of which a replay reads everything from the log",
                    source.name
                );
                Diagnostic::error(message).at(&node.place, "").help("leave it out")
            }
            None => {
                let error = Diagnostic::error(format!("no module provides a representation `{name}`"));
                suggest_at(error, &node.place, name, provided.iter().copied(), "modules provide")
            }
        });
    } else if !catalog.schemas.contains_key(name) {
        found.push(
            Diagnostic::error(format!("`{name}` is opaque, so no log has it")).at(&node.place, "").help("leave it out"),
        );
    }
}

fn read_mappings(
    entries: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> BTreeMap<String, ReplayMapping> {
    let mut read = BTreeMap::new();
    let provided = || catalog.sources.iter().flat_map(|source| source.provides.iter().map(String::as_str));
    for (representation, node) in entries {
        if !provided().any(|provided| provided == *representation) {
            found.push_error(|| {
                let error = Diagnostic::error(format!("no source provides a representation `{representation}`"));
                suggest(error, node, representation, provided(), "sources provide")
            });
            continue;
        }
        let path = format!("replay.{representation}");
        let Some(mut section) = Section::open(&path, node, found) else { continue };
        if section.peek("topic").is_none() {
            found.push(
                Diagnostic::error(format!("`[{path}]` has no topic"))
                    .at(&node.key, "")
                    .help("add the topic of the log that it comes from: `topic = \"/imu/data\"`"),
            );
        }
        let topic = section.read("topic", text, found);
        let fields = section.take("fields").map(|node| read_fields(&path, node, found)).unwrap_or_default();
        section.finish(found);
        if let Some(topic) = topic {
            read.insert((*representation).to_owned(), ReplayMapping { topic, fields });
        }
    }
    read
}

fn read_fields(path: &str, node: &Node, found: &mut Diagnostics) -> BTreeMap<String, FieldMapping> {
    let mut read = BTreeMap::new();
    let Some(table) = node.table() else {
        found.push(Refusal::new(node, "a table").into_diagnostic(&format!("{path}.fields")));
        return read;
    };
    for (field, node) in in_order(table) {
        let mapping = match node.table() {
            None => match text(node) {
                Ok(from) => Some(FieldMapping { from, scale: 1.0, offset: 0.0 }),
                Err(_) => {
                    let expected = "a field of the log's messages, or a table with `from`, `scale` and `offset`";
                    let refusal = Refusal::new(node, expected).help(format!("such as {field} = \"pose.position.x\""));
                    found.push(refusal.into_diagnostic(field));
                    None
                }
            },
            Some(_) => read_field(&format!("{path}.fields.{field}"), node, found),
        };
        read.extend(mapping.map(|mapping| (field.to_owned(), mapping)));
    }
    read
}

fn read_field(path: &str, node: &Node, found: &mut Diagnostics) -> Option<FieldMapping> {
    let mut section = Section::open(path, node, found)?;
    if section.peek("from").is_none() {
        found.push(Diagnostic::error(format!("`{path}` does not say where it comes from")).at(&node.key, "").help(
            "write a field with a dot in its name in quotes, `\"position.x\" = \"x\"`; or add `from = \"a.field\"`",
        ));
    }
    let from = section.read("from", text, found);
    let scale = section.read("scale", number, found).unwrap_or(1.0);
    let offset = section.read("offset", number, found).unwrap_or(0.0);
    section.finish(found);
    Some(FieldMapping { from: from?, scale, offset })
}
