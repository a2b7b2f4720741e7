use std::collections::BTreeMap;
use std::fmt;

use hemiola_model::Value;

use crate::Place;
use crate::node::{Content, Node};
use crate::toml_value::to_toml;

/// The origins of all values of a configuration.
///
/// ```
/// use hemiola_config::{Catalog, parse};
///
/// let loaded = parse("[cycle.main]\nrate = 30.0\n", "robot.toml", &Catalog::default())?;
/// let rate = loaded.origins.of("cycle.main.rate").unwrap();
/// assert_eq!((rate.place.file(), rate.place.line()), ("robot.toml", 2));
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Origins(BTreeMap<String, Origin>);

/// The origin of one value.
///
/// ```
/// use hemiola_config::{Catalog, parse};
/// use hemiola_model::Value;
///
/// let loaded = parse("[cycle.main]\nrate = 30.0\n", "robot.toml", &Catalog::default())?;
/// let origin = loaded.origins.of("cycle.main.rate").unwrap();
/// assert_eq!(origin.value, Value::Float(30.0));
/// assert!(origin.overrides.is_empty()); // no overlay, no `--set`
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Origin {
    /// The value as it was written.
    pub value: Value,
    /// The place where it was written.
    pub place: Place,
    /// The places of the values that it overrides, oldest first.
    pub overrides: Vec<Place>,
}

impl Origins {
    pub(crate) fn collect(root: &Node) -> Self {
        let mut origins = BTreeMap::new();
        visit(root, String::new(), &mut origins);
        Self(origins)
    }

    /// Returns the origin of the value at this path: `cycle.motion.workers`,
    /// `module.BallFinder.threshold`. `None` if it is not written anywhere, so that its default
    /// applies.
    pub fn of(&self, path: &str) -> Option<&Origin> {
        self.0.get(path)
    }

    /// Returns the origin of the value at these keys, one for each table on the way. Keys that need
    /// quotes in a path are given without them.
    ///
    /// ```
    /// use hemiola_config::{Catalog, parse};
    ///
    /// let loaded = parse("[cycle.'left arm']\nrate = 30.0\n", "robot.toml", &Catalog::default())?;
    /// assert_eq!(loaded.origins.at(&["cycle", "left arm", "rate"]).unwrap().place.line(), 2);
    /// # Ok::<(), hemiola_config::ConfigError>(())
    /// ```
    pub fn at(&self, keys: &[&str]) -> Option<&Origin> {
        self.of(&keys.iter().map(|key| in_path(key)).collect::<Vec<_>>().join("."))
    }

    /// Returns every value that is written somewhere, by path.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Origin)> {
        self.0.iter().map(|(path, origin)| (path.as_str(), origin))
    }
}

/// Returns the text of a configuration with these values, each by its path as in [`Origins`].
///
/// ```
/// use hemiola_config::{Catalog, parse, text_of};
///
/// let written = parse("[cycle.'left arm']\nrate = 30.0\n", "robot.toml", &Catalog::default())?.origins;
/// let text = text_of(written.iter().map(|(path, origin)| (path, &origin.value)));
/// assert_eq!(text, "cycle.\"left arm\".rate = 30.0\n");
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
pub fn text_of<'v>(values: impl IntoIterator<Item = (&'v str, &'v Value)>) -> String {
    let line = |(path, value)| Some(format!("{path} = {}\n", to_toml(value)?));
    values.into_iter().filter_map(line).collect()
}

/// Formats a line per value:
/// `cycle.motion.workers = 2    overlays/outdoor.toml:3:11 over robot.toml:9:11`.
impl fmt::Display for Origins {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<_> = self.iter().map(|(path, origin)| (format!("{path} = {}", origin.value), origin)).collect();
        let width = lines.iter().map(|(text, _)| text.chars().count()).filter(|&width| width <= 60).max().unwrap_or(0);
        for (text, origin) in lines {
            write!(formatter, "{text:width$}  {}", origin.place)?;
            for (index, place) in origin.overrides.iter().rev().enumerate() {
                write!(formatter, "{}{place}", if index == 0 { " over " } else { ", " })?;
            }
            writeln!(formatter)?;
        }
        Ok(())
    }
}

fn visit(node: &Node, path: String, origins: &mut BTreeMap<String, Origin>) {
    match &node.content {
        Content::Table(table) => {
            for (name, child) in table {
                let name = in_path(name);
                visit(child, if path.is_empty() { name } else { format!("{path}.{name}") }, origins);
            }
        }
        _ => {
            let origin =
                Origin { value: node.to_value(), place: node.place.clone(), overrides: node.overrides.clone() };
            origins.insert(path, origin);
        }
    }
}

/// Returns a key as it is written in a path.
fn in_path(name: &str) -> String {
    if is_bare(name) { name.to_owned() } else { format!("{name:?}") }
}

/// Returns whether TOML allows the key without quotes.
fn is_bare(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'))
}
