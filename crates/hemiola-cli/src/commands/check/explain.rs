//! `check --explain`: the origins of values.

use std::fmt::Write;

use hemiola_config::Origins;
use hemiola_model::Value;
use hemiola_model::configuration::Configuration;
use serde_json::json;

use super::raised;
use crate::error::CommandError;

/// A value and its origin.
pub struct Explained {
    key: String,
    value: Value,
    /// The place where it is written, or the reason for a value that is written nowhere.
    from: String,
    /// The places of the values that it overrides, the newest first, and these values.
    over: Vec<(String, String)>,
}

/// Returns the origin of a value, or of every value below a key.
pub fn explain(key: &str, configuration: &Configuration, origins: &Origins) -> Result<Vec<Explained>, CommandError> {
    let below = format!("{key}.");
    let is_asked = |path: &str| path == key || path.starts_with(&below);
    let written = origins.iter().filter(|(path, _)| is_asked(path)).map(|(path, origin)| Explained {
        key: path.to_owned(),
        value: origin.value.clone(),
        from: origin.place.to_string(),
        over: origin.overrides.iter().rev().map(|place| (place.to_string(), place.text().to_owned())).collect(),
    });
    let mut explained: Vec<_> = written.collect();
    for (source, cycle) in raised(configuration) {
        let key = format!("source.{source}.priority");
        if let Some(priority) = configuration.source_scheduling(source).priority().filter(|_| is_asked(&key)) {
            let place = origins.at(&["cycle", &cycle.name, "priority"]).map(|origin| origin.place.to_string());
            let place = place.as_deref().unwrap_or("the cycle's priority");
            let from = format!("{place}, because it triggers `{}` and nothing else is written", cycle.name);
            explained.push(Explained { key, value: Value::Integer(priority.into()), from, over: Vec::new() });
        }
    }
    if explained.is_empty() {
        let advice = format!("`{key}` is not written anywhere: its default applies (see `parameters` and `check`)");
        return Err(CommandError::Usage(advice));
    }
    Ok(explained)
}

/// Returns the explanation for people.
pub fn text(explained: &[Explained]) -> String {
    let mut text = String::new();
    for Explained { key, value, from, over } in explained {
        let _ = writeln!(text, "{key} = {value}\n    from  {from}");
        for (place, written) in over {
            let _ = writeln!(text, "    over  {place}  {written}");
        }
    }
    text
}

/// Returns the explanation as JSON.
pub fn as_json(explained: &[Explained]) -> serde_json::Value {
    let one = |Explained { key, value, from, over }: &Explained| {
        let over: Vec<_> = over.iter().map(|(place, text)| json!({ "place": place, "text": text })).collect();
        json!({ "key": key, "value": value, "from": from, "over": over })
    };
    explained.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use hemiola_config::{Catalog, Component, Loaded, parse};

    use super::*;

    fn loaded(text: &str) -> Loaded {
        parse(text, "robot.toml", &Catalog::new([], [Component::new("Body", "nao"), Component::new("Lidar", "nao")]))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    const MOTION: &str = "[cycle.'left leg']\ntrigger = \"Body\"\npriority = 80\n";

    #[test]
    fn a_priority_that_a_source_has_for_its_cycle_is_explained_by_that_cycle() {
        let Loaded { configuration, origins, .. } = loaded(MOTION);
        let said = text(&explain("source", &configuration, &origins).unwrap());
        assert!(
            said.starts_with("source.Body.priority = 81\n    from  robot.toml:3:12, because it triggers `left leg`"),
            "{said}"
        );
        assert_eq!(text(&explain("source.Body.priority", &configuration, &origins).unwrap()), said);
        let Loaded { configuration, origins, .. } = loaded(&format!("{MOTION}[source.Body]\npriority = 30\n"));
        let said = text(&explain("source", &configuration, &origins).unwrap());
        assert!(said.starts_with("source.Body.priority = 30\n    from  robot.toml:5:12\n"), "{said}");
    }
}
