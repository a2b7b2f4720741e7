use std::collections::BTreeMap;

use hemiola_model::Value;

use crate::Place;

/// A value of a configuration with the places from which it comes.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub content: Content,
    /// The place of its key; for an item of a list, that of the item.
    pub key: Place,
    /// The place of its value; for a table, that of its header.
    pub place: Place,
    /// The places of the values that it overrides, oldest first.
    pub overrides: Vec<Place>,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// A truth value, a number or a text.
    Scalar(Value),
    /// A date, which TOML has and configurations do not use.
    Date,
    List(Vec<Node>),
    Table(Table),
}

/// Entries by name; [`in_order`] returns them in the order of the files.
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

    /// Describes the value for messages, with an article.
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

    /// Returns the value without the places.
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

/// Returns the entries of a table in the order in which the files first name them.
pub(crate) fn in_order(table: &Table) -> Vec<(&str, &Node)> {
    let mut entries: Vec<_> = table.iter().map(|(name, node)| (name.as_str(), node)).collect();
    entries.sort_by_key(|(_, node)| &node.key);
    entries
}
