//! The sections `[module.*]`, `[source.*]` and `[providers]`.

use std::collections::BTreeMap;

use hemiola_model::configuration::{FailurePolicy, ModuleConfiguration, SourceConfiguration};

use super::parameters::read_parameter;
use super::{read_cores, read_scheduling};
use crate::catalog::{Catalog, Component};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Section, boolean, choice, rate, suggest, suggest_at, text};

const FAILURE_POLICIES: &[(&str, FailurePolicy)] = &[
    ("keep-last", FailurePolicy::KeepLast),
    ("restart", FailurePolicy::Restart),
    ("safe-state", FailurePolicy::SafeState),
];

pub(super) fn read_modules(
    modules: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> BTreeMap<String, ModuleConfiguration> {
    let mut read = BTreeMap::new();
    for (name, node) in modules {
        let Some(component) = catalog.module(name) else {
            found.push_error(|| unknown_module(name, node, catalog));
            continue;
        };
        let Some(mut section) = Section::open(&format!("module.{name}"), node, found) else { continue };
        let parameters = read_parameters(component, &mut section, found);
        let on_failure = section.read("on_failure", choice(FAILURE_POLICIES), found).unwrap_or_default();
        section.finish(found);
        read.insert(
            (*name).to_owned(),
            ModuleConfiguration { parameters, on_failure, place: Some(node.key.to_string()) },
        );
    }
    read
}

/// Creates the error for a table or a parameters file of a module that does not exist.
pub(crate) fn unknown_module(name: &str, node: &Node, catalog: &Catalog) -> Diagnostic {
    if catalog.source(name).is_some() {
        return Diagnostic::error(format!("`{name}` is a source, not a module"))
            .at(&node.key, "")
            .help(format!("write `[source.{name}]`, and its parameters in `[source.{name}.parameters]`"));
    }
    let error = Diagnostic::error(format!("unknown module `{name}`"));
    suggest(error, node, name, catalog.modules.iter().map(|module| module.name.as_str()), "modules are")
}

pub(super) fn read_sources(
    sources: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> BTreeMap<String, SourceConfiguration> {
    let mut read = BTreeMap::new();
    for (name, node) in sources {
        let Some(component) = catalog.source(name) else {
            found.push_error(|| {
                let error = Diagnostic::error(format!("unknown source `{name}`"));
                let names = catalog.sources.iter().map(|source| source.name.as_str());
                suggest(error, node, name, names, "sources are")
            });
            continue;
        };
        let path = format!("source.{name}");
        let Some(mut section) = Section::open(&path, node, found) else { continue };
        let mut source = SourceConfiguration {
            rate: section.read("rate", rate, found),
            scheduling: read_scheduling(&mut section, found),
            cores: read_cores(&mut section, found),
            enabled: section.read("enabled", boolean, found),
            place: Some(node.key.to_string()),
            ..SourceConfiguration::default()
        };
        if let Some(node) = section.take("parameters")
            && let Some(mut parameters) = Section::open(&format!("{path}.parameters"), node, found)
        {
            source.parameters = read_parameters(component, &mut parameters, found);
            parameters.finish(found);
        }
        for parameter in &component.parameters {
            if let Some(node) = section.leftover(&parameter.name) {
                found.push(
                    Diagnostic::error(format!(
                        "`{}` is a parameter of `{name}`, but is not in their table",
                        parameter.name
                    ))
                    .at(&node.key, "")
                    .help(format!("move it to `[{path}.parameters]`")),
                );
            }
        }
        section.finish(found);
        read.insert((*name).to_owned(), source);
    }
    read
}

fn read_parameters(
    component: &Component,
    section: &mut Section<'_>,
    found: &mut Diagnostics,
) -> BTreeMap<String, hemiola_model::Value> {
    let mut values = BTreeMap::new();
    for description in &component.parameters {
        if let Some(node) = section.take(&description.name)
            && let Some(value) = read_parameter(description, node, found)
        {
            values.insert(description.name.clone(), value);
        }
    }
    values
}

pub(super) fn read_providers(
    providers: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> BTreeMap<String, String> {
    let mut read = BTreeMap::new();
    for (representation, node) in providers {
        if !catalog.representations.contains(*representation) {
            found.push_error(|| {
                let error = Diagnostic::error(format!("unknown representation `{representation}`"));
                let names = catalog.representations.iter().map(String::as_str);
                suggest(error, node, representation, names, "representations are")
            });
            continue;
        }
        let name = match text(node) {
            Ok(name) => name,
            Err(refusal) => {
                found.push(refusal.into_diagnostic(representation));
                continue;
            }
        };
        let able = catalog.modules.iter().chain(&catalog.sources).filter(|one| one.provides.contains(*representation));
        let names = able.map(|one| one.name.as_str());
        match catalog.module(&name).or_else(|| catalog.source(&name)) {
            Some(component) if component.provides.contains(*representation) => {
                read.insert((*representation).to_owned(), name);
            }
            Some(_) => {
                let error = Diagnostic::error(format!("`{name}` does not provide `{representation}`"));
                found.push(suggest_at(error, &node.place, &name, names, "those that do"));
            }
            None => {
                let error = Diagnostic::error(format!("unknown module or source `{name}`"));
                let known = format!("those that provide `{representation}`");
                found.push(suggest_at(error, &node.place, &name, names, &known));
            }
        }
    }
    read
}
