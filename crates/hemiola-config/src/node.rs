use std::collections::BTreeMap;

use hemiola_model::Value;

use crate::Place;

/// A value of a configuration that remembers where it comes from.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub content: Content,
    /// Where its key stands; for an item of a list, the item.
    pub key: Place,
    /// Where its value stands; for a table, its header.
    pub place: Place,
    /// Where the values stand that it was put over, oldest first.
    pub overrides: Vec<Place>,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A truth value, a number or a text.
    Scalar(Value),
    /// TOML has dates; configurations have no use for them.
    Date,
    List(Vec<Node>),
    Table(Table),
}

/// Entries by name; [`in_order`] tells their order in the files.
pub(crate) type Table = BTreeMap<String, Node>;

impl Node {
    pub fn table(&self) -> Option<&Table> {
        match &self.content {
            Content::Table(table) => Some(table),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(Value::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Node]> {
        match &self.content {
            Content::List(items) => Some(items),
            _ => None,
        }
    }

    /// What this is, with an article, for messages.
    pub fn describe(&self) -> String {
        match &self.content {
            Content::Scalar(Value::Text(text)) if text.chars().count() > 40 => "a long text".into(),
            Content::Scalar(value) => value.describe(),
            Content::Date => "a date".into(),
            Content::List(items) if items.len() == 1 => "a list of 1 item".into(),
            Content::List(items) => format!("a list of {} items", items.len()),
            Content::Table(_) => "a table".into(),
        }
    }

    /// Without the places.
    pub fn to_value(&self) -> Value {
        match &self.content {
            Content::Scalar(value) => value.clone(),
            Content::Date => Value::Text(self.place.text().to_owned()),
            Content::List(items) => Value::List(items.iter().map(Self::to_value).collect()),
            Content::Table(table) => {
                Value::Table(table.iter().map(|(name, node)| (name.clone(), node.to_value())).collect())
            }
        }
    }
}

/// The entries of a table in the order in which the files first name them.
pub(crate) fn in_order(table: &Table) -> Vec<(&str, &Node)> {
    let mut entries: Vec<_> = table.iter().map(|(name, node)| (name.as_str(), node)).collect();
    entries.sort_by_key(|(_, node)| &node.key);
    entries
}
