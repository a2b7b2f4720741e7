//! Values from files in other formats than TOML.

use std::ops::Range;
use std::sync::Arc;

use crate::node::{Content, Node};
use crate::place::{Place, SourceText};

/// A file in another format than TOML, with the values in it that override those of robot.toml:
/// whoever can read the format has found them. Errors show the file.
///
/// ```
/// use hemiola_config::{Base, Catalog, ForeignFile, ForeignValue, LoadOptions, load};
///
/// let content = "main:\n  rate: sixty\n".to_owned();
/// let rate = ForeignValue { assignment: "cycle.main.rate=\"sixty\"".into(), span: 14..19 };
/// let yaml = ForeignFile { name: "robot.yaml".into(), content, values: vec![rate] };
/// let base = Base::Text { name: "robot.toml".into(), text: "[cycle.main]\nrate = 30.0\n".into() };
/// let options = LoadOptions { foreign: vec![yaml], ..LoadOptions::new(base) };
/// let error = load(&options, &Catalog::default()).unwrap_err().to_string();
/// assert!(error.contains("--> robot.yaml:2:9") && error.contains("2 |   rate: sixty"), "{error}");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ForeignFile {
    /// The path of the file as the user gave it.
    pub name: String,
    /// The whole text.
    pub content: String,
    /// The values, of which later ones override earlier ones.
    pub values: Vec<ForeignValue>,
}

/// A value in a file in another format.
///
/// See [`ForeignFile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignValue {
    /// The key and the value in TOML, as for `--set`: `module.Walk.gain=0.5`.
    pub assignment: String,
    /// The bytes of the content in which the value stands.
    pub span: Range<usize>,
}

/// Replaces all places in a tree by one in another text.
pub(crate) fn move_to(node: &mut Node, text: &Arc<SourceText>, span: &Range<usize>) {
    node.place = Place::new(text, span.clone());
    node.key = node.place.clone();
    match &mut node.content {
        Content::Table(table) => table.values_mut().for_each(|inner| move_to(inner, text, span)),
        Content::List(items) => items.iter_mut().for_each(|item| move_to(item, text, span)),
        Content::Scalar(_) | Content::Date => {}
    }
}
