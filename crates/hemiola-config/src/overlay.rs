//! Merging of trees, in which one overrides the other key by key.

use std::sync::Arc;

use hemiola_model::Value;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::document::parse_text;
use crate::node::{Content, Node, Table};
use crate::place::{Place, SourceText};
use crate::suggest::nearest;

/// Applies `over` to `base`: tables are merged, everything else is replaced, and `{ unset = true }`
/// removes a value.
///
/// Removing what is not there is a warning: it is a mistake, or an overlay made for another robot.
pub(crate) fn put_over(base: &mut Table, over: Table, path: &str, found: &mut Diagnostics) {
    for (name, node) in over {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        if is_unset(&node) {
            if base.remove(&name).is_none() {
                let meant = nearest(&name, base.keys().map(String::as_str));
                let label = meant.map(|meant| format!("did you mean `{meant}`?")).unwrap_or_default();
                found.push(
                    Diagnostic::warning(format!("`{path}` is not set, so it cannot be unset")).at(&node.key, label),
                );
            }
            continue;
        }
        let Node { content, key, place, .. } = node;
        let old = base.remove(&name);
        let merged = match (content, old) {
            (Content::Table(over), Some(Node { content: Content::Table(mut table), key, place, overrides })) => {
                put_over(&mut table, over, &path, found);
                Node { content: Content::Table(table), key, place, overrides }
            }
            (Content::Table(over), old) => {
                let mut table = Table::new();
                put_over(&mut table, over, &path, found);
                Node { content: Content::Table(table), key, place, overrides: overridden(old) }
            }
            (content, old) => Node { content, key, place, overrides: overridden(old) },
        };
        base.insert(name, merged);
    }
}

fn overridden(old: Option<Node>) -> Vec<Place> {
    old.map_or_else(Vec::new, |mut old| {
        old.overrides.push(old.place);
        old.overrides
    })
}

fn is_unset(node: &Node) -> bool {
    let Some(table) = node.table().filter(|table| table.len() == 1) else { return false };
    table.get("unset").is_some_and(|unset| matches!(unset.content, Content::Scalar(Value::Boolean(true))))
}

/// Parses a `--set` assignment such as `cycle.motion.workers=2`. A value that is not TOML is read
/// as a text, so that users need not quote for both the shell and TOML:
/// `cycle.motion.deadline=12 ms`.
pub(crate) fn parse_assignment(text: &Arc<SourceText>, found: &mut Diagnostics) -> Option<Node> {
    let whole = Place::new(text, 0..text.content.len());
    let wrong = |found: &mut Diagnostics, message: &str| {
        found.push(
            Diagnostic::error(message)
                .at(&whole, "")
                .help("write `--set KEY=VALUE`, such as `--set cycle.motion.workers=2`"),
        );
        None
    };
    let Some((key, value)) = text.content.split_once('=').filter(|(key, _)| !key.trim().is_empty()) else {
        return wrong(found, "an assignment needs a key and a value");
    };
    if text.content.contains(['\n', '\r']) {
        return wrong(found, "an assignment is one line");
    }
    let mut problems = Diagnostics::default();
    let is_empty = |root: &Node| root.table().is_some_and(Table::is_empty);
    if let Some(root) = parse_text(text, &mut problems) {
        return if is_empty(&root) { wrong(found, "an assignment needs a key and a value") } else { Some(root) };
    }
    // The same key with a value that is certainly valid shows whether the key is valid.
    let key_alone = SourceText::new(text.name.clone(), format!("{key}=0"), text.order);
    let mut root = parse_text(&key_alone, found)?;
    if is_empty(&root) {
        return wrong(found, "an assignment needs a key and a value");
    }
    let start = key.len() + 1 + (value.len() - value.trim_start().len());
    let place = Place::new(text, start..start + value.trim().len());
    set_leaf(&mut root, Value::Text(value.trim().to_owned()), text, &place);
    Some(root)
}

/// Sets the value at the end of a chain of tables, and replaces the places in the text that was
/// parsed by places in `text`.
fn set_leaf(node: &mut Node, value: Value, text: &Arc<SourceText>, place: &Place) {
    node.key = Place::new(text, node.key.start()..node.key.end());
    node.place = place.clone();
    match &mut node.content {
        Content::Table(table) if !table.is_empty() => {
            for child in table.values_mut() {
                set_leaf(child, value.clone(), text, place);
            }
        }
        content => *content = Content::Scalar(value),
    }
}
