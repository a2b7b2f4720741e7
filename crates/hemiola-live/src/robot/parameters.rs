//! The parameters of a robot: listing and saving them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use hemiola_model::module::registry;
use hemiola_model::{ParameterDescription, Value};
use serde_json::json;

use super::Shared;
use crate::door::errands::Outcome;

/// Lists the parameters of a module or source; with `None`, those of all.
pub fn list(shared: &Shared, module: Option<&str>) -> Result<serde_json::Value, String> {
    let mut known = BTreeSet::new();
    let mut found = Vec::new();
    for (owner, section, descriptions, values) in owners(shared) {
        known.insert(owner);
        if module.is_some_and(|module| module != owner) {
            continue;
        }
        for description in descriptions {
            found.push(describe(shared, owner, &section, &description, &values));
        }
    }
    match module.filter(|module| !known.contains(module)) {
        Some(module) => Err(hemiola_config::unknown("module or source", module, known)),
        None => Ok(found.into()),
    }
}

type Owner = (&'static str, String, Vec<ParameterDescription>, BTreeMap<String, Value>);

/// Returns the modules and sources, each with its section of `robot.toml` and the values set there.
fn owners(shared: &Shared) -> Vec<Owner> {
    shared.handle.with_robot(|robot| {
        let configuration = robot.configuration();
        let modules = registry::modules().into_iter().map(|module| {
            let values = configuration.modules.get(module.name()).map(|module| module.parameters.clone());
            (
                module.name(),
                format!("module.{}", module.name()),
                module.parameters().to_vec(),
                values.unwrap_or_default(),
            )
        });
        let sources = registry::sources().into_iter().map(|source| {
            let values = configuration.sources.get(source.name()).map(|source| source.parameters.clone());
            let section = format!("source.{}.parameters", source.name());
            (source.name(), section, source.parameters().to_vec(), values.unwrap_or_default())
        });
        modules.chain(sources).collect()
    })
}

fn describe(
    shared: &Shared,
    owner: &str,
    section: &str,
    description: &ParameterDescription,
    values: &BTreeMap<String, Value>,
) -> serde_json::Value {
    let origin = shared.facts.origins.of(&format!("{section}.{}", description.name));
    let configured = origin.map_or(&description.default, |origin| &origin.value);
    json!({
        "module": owner,
        "name": description.name,
        "type": description.data_type.to_string(),
        "unit": description.unit,
        "minimum": description.range.map(|range| range.minimum),
        "maximum": description.range.map(|range| range.maximum),
        "documentation": description.documentation,
        "default": description.default,
        "configured": configured,
        "value": values.get(&description.name).unwrap_or(configured),
        "origin": origin.map(|origin| origin.place.to_string()),
        // The parameters of sources cannot be changed while the robot is running.
        "live": section.starts_with("module."),
    })
}

/// Writes current values of parameters into a file: of the `chosen` ones, or of all that have been
/// changed.
pub fn save(shared: &Shared, overlay: Option<&str>, chosen: Option<Vec<String>>) -> Outcome {
    let base = shared.facts.file.as_deref().ok_or(
        "the configuration is part of the program: to save parameters, read it from a file (`Application::new(\"robot.toml\")`)",
    )?;
    let path = match overlay {
        Some(overlay) => overlay_path(base, overlay)?,
        None => base.to_owned(),
    };
    let mut saved = Vec::new();
    for (owner, section, descriptions, values) in owners(shared) {
        if !section.starts_with("module.") {
            continue;
        }
        for description in descriptions {
            let name = format!("{owner}.{}", description.name);
            let origin = shared.facts.origins.of(&format!("{section}.{}", description.name));
            let configured = origin.map_or(&description.default, |origin| &origin.value);
            let value = values.get(&description.name).unwrap_or(configured);
            let is_chosen = chosen.as_ref().map_or(value != configured, |chosen| chosen.contains(&name));
            if is_chosen {
                saved.push((owner, description.name.clone(), value.clone()));
            }
        }
    }
    if let Some(unknown) =
        chosen.iter().flatten().find(|name| !saved.iter().any(|(owner, own, _)| **name == format!("{owner}.{own}")))
    {
        return Err(format!("there is no parameter `{unknown}`: write Module.parameter"));
    }
    let mut file = path.clone();
    for (module, name, value) in &saved {
        file = hemiola_config::save_parameter(&path, module, name, value).map_err(|error| error.to_string())?;
    }
    let names: Vec<_> = saved.iter().map(|(module, name, _)| format!("{module}.{name}")).collect();
    Ok(json!({"file": file.display().to_string(), "saved": names}))
}

/// Returns the file of an overlay, in the folder `overlays` beside the robot's own file.
fn overlay_path(base: &Path, overlay: &str) -> Result<PathBuf, String> {
    let is_plain = !overlay.is_empty()
        && overlay.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    if !is_plain {
        return Err(format!("`{overlay}` is not a valid name of an overlay: use letters, digits, `-` and `_`"));
    }
    let path = base.with_file_name("overlays").join(format!("{overlay}.toml"));
    if !path.exists() {
        let made =
            path.parent().map(std::fs::create_dir_all).unwrap_or(Ok(())).and_then(|()| std::fs::write(&path, ""));
        made.map_err(|error| format!("{} cannot be created: {error}", path.display()))?;
    }
    Ok(path)
}
