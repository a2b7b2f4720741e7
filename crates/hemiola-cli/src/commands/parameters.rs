//! `parameters`: the parameters of modules and sources, with their values.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::ExitCode;

use hemiola_config::Origins;
use hemiola_model::module::registry;
use hemiola_model::{ParameterDescription, Value};
use serde_json::json;

use super::{live, own_name, print, print_json, wrapped};
use crate::command_line::ParametersArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::configuration;

pub fn parameters(program: &Program, name: &str, arguments: &ParametersArguments) -> Result<ExitCode, CommandError> {
    if let Some(command) = &arguments.command {
        return live::parameters::parameters(own_name(program, name), command);
    }
    let (loaded, _) = configuration(program, &arguments.configuration)?;
    let mut tuned: Vec<Tuned> = Vec::new();
    for module in registry::modules() {
        let values = loaded.configuration.modules.get(module.name()).map(|module| module.parameters.clone());
        let section = format!("module.{}", module.name());
        tuned.push(Tuned::new(module.name(), section, module.parameters().to_vec(), values));
    }
    for source in registry::sources() {
        let values = loaded.configuration.sources.get(source.name()).map(|source| source.parameters.clone());
        let section = format!("source.{}.parameters", source.name());
        tuned.push(Tuned::new(source.name(), section, source.parameters().to_vec(), values));
    }
    let chosen: Vec<&Tuned> = match &arguments.module {
        None => tuned.iter().filter(|tuned| !tuned.parameters.is_empty()).collect(),
        Some(name) => {
            let found = tuned.iter().find(|tuned| tuned.name == name);
            let known = || tuned.iter().map(|tuned| tuned.name);
            vec![found.ok_or_else(|| CommandError::unknown("module or source", name, known()))?]
        }
    };
    if arguments.json {
        let all: Vec<_> = chosen.into_iter().flat_map(|tuned| tuned.as_json(&loaded.origins)).collect();
        return print_json(&all.into());
    }
    if chosen.is_empty() {
        return print("no module or source has parameters");
    }
    let listed: Vec<_> = chosen.into_iter().map(|tuned| tuned.list(&loaded.origins)).collect();
    print(&listed.join("\n"))
}

/// A module or source with the values of its parameters.
struct Tuned {
    name: &'static str,
    /// The key of the table in `robot.toml`.
    section: String,
    parameters: Vec<ParameterDescription>,
    values: BTreeMap<String, Value>,
}

impl Tuned {
    fn new(
        name: &'static str,
        section: String,
        parameters: Vec<ParameterDescription>,
        values: Option<BTreeMap<String, Value>>,
    ) -> Self {
        Self { name, section, parameters, values: values.unwrap_or_default() }
    }

    /// Returns an object for each parameter, with the keys that `parameters get` has for those of a
    /// running robot.
    fn as_json(&self, origins: &Origins) -> Vec<serde_json::Value> {
        let described = |parameter: &ParameterDescription| {
            json!({
                "module": self.name,
                "name": parameter.name,
                "type": parameter.data_type.to_string(),
                "unit": parameter.unit,
                "minimum": parameter.range.map(|range| range.minimum),
                "maximum": parameter.range.map(|range| range.maximum),
                "documentation": parameter.documentation,
                "default": parameter.default,
                "value": self.values.get(&parameter.name).unwrap_or(&parameter.default),
                "origin": origins.of(&format!("{}.{}", self.section, parameter.name)).map(|origin| origin.place.to_string()),
            })
        };
        self.parameters.iter().map(described).collect()
    }

    fn list(&self, origins: &Origins) -> String {
        let mut text = format!("[{}]\n", self.section);
        if self.parameters.is_empty() {
            text += "  no parameters\n";
        }
        let width = |text: fn(&ParameterDescription) -> String| {
            self.parameters.iter().map(|parameter| text(parameter).chars().count()).max().unwrap_or(0)
        };
        let (name_width, type_width) = (width(|of| of.name.clone()), width(|of| of.data_type.to_string()));
        for parameter in &self.parameters {
            let value = self.values.get(&parameter.name).unwrap_or(&parameter.default);
            let (name, data_type) = (&parameter.name, parameter.data_type.to_string());
            let _ = write!(text, "  {name:name_width$} = {value}");
            if !parameter.unit.is_empty() {
                let _ = write!(text, " {}", parameter.unit);
            }
            let origin = origins.of(&format!("{}.{name}", self.section));
            match origin {
                Some(origin) => {
                    let _ = write!(text, "   # {}; default {}", origin.place, parameter.default);
                }
                None if *value != parameter.default => {
                    let _ = write!(text, "   # default {}", parameter.default);
                }
                None => {}
            }
            let indent = name_width + 5;
            let range = parameter.range.map(|range| range.to_string()).unwrap_or_default();
            let facts = format!("{data_type:type_width$}  {range}");
            let _ = writeln!(text, "\n{:indent$}{}", "", facts.trim_end());
            if !parameter.documentation.is_empty() {
                let _ = writeln!(text, "{:indent$}{}", "", wrapped(&parameter.documentation, indent));
            }
        }
        text
    }
}
