//! The sections `[chain.*]` and `[analysis]`: the deadlines of chains, and the assumptions of
//! bounds.

use hemiola_model::configuration::{Admission, AnalysisConfiguration, ChainConfiguration};

use crate::catalog::Catalog;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Reading, Refusal, Section, choice, duration, number, suggest, suggest_at, text, whole};

const ADMISSIONS: &[(&str, Admission)] =
    &[("off", Admission::Off), ("warn", Admission::Warn), ("refuse", Admission::Refuse)];

/// The largest number of cores of a computer that is accepted.
const MOST_CORES: usize = 1024;

pub(super) fn read_chains(
    chains: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> Vec<ChainConfiguration> {
    chains.iter().filter_map(|(name, node)| read_chain(name, node, catalog, found)).collect()
}

fn read_chain(name: &str, node: &Node, catalog: &Catalog, found: &mut Diagnostics) -> Option<ChainConfiguration> {
    let path = format!("chain.{name}");
    let mut section = Section::open(&path, node, found)?;
    let ends = (section.peek("from"), section.peek("to"));
    let (from, to) = (section.read("from", text, found), section.read("to", text, found));
    let reaction = section.read("reaction", duration, found);
    let data_age = section.read("data_age", duration, found);
    section.finish(found);
    for (key, meaning) in [("from", "the source of its samples"), ("to", "a source or an update that ends it")] {
        if (key == "from" && ends.0.is_none()) || (key == "to" && ends.1.is_none()) {
            let error = Diagnostic::error(format!("`[{path}]` does not say `{key}`: {meaning}"));
            found.push(error.at(&node.key, "").help(format!("add `{key} = \"...\"`")));
        }
    }
    if let (Some(from), Some(place)) = (&from, ends.0)
        && catalog.source(from).is_none()
    {
        let sources = catalog.sources.iter().map(|source| source.name.as_str());
        let error = Diagnostic::error(format!("unknown source `{from}`"));
        found.push(suggest_at(error, &place.place, from, sources, "sources are"));
    }
    if reaction.or(data_age).is_none() {
        let help = "add `reaction = \"150 ms\"`, from a change in the world to the first output that reflects it, or `data_age`";
        found.push(Diagnostic::error(format!("`[{path}]` has no deadline")).at(&node.key, "").help(help));
    }
    Some(ChainConfiguration { name: name.to_owned(), from: from?, to: to?, reaction, data_age })
}

pub(super) fn read_analysis(node: &Node, catalog: &Catalog, found: &mut Diagnostics) -> AnalysisConfiguration {
    let Some(mut section) = Section::open("analysis", node, found) else { return AnalysisConfiguration::default() };
    let periods = section.entries("period", found);
    let mut analysis = AnalysisConfiguration {
        admission: section.read("admission", choice(ADMISSIONS), found).unwrap_or_default(),
        quantile: section.read("quantile", share, found),
        cores: section.read("cores", whole(1..=MOST_CORES), found),
        ..AnalysisConfiguration::default()
    };
    section.finish(found);
    for (name, node) in periods {
        let known = || catalog.sources.iter().map(|source| &source.name).chain(&catalog.topics).map(String::as_str);
        if !known().any(|known| known == name) {
            found.push_error(|| {
                let error = Diagnostic::error(format!("there is no source and no topic `{name}`"));
                suggest(error, node, name, known().collect::<Vec<_>>().into_iter(), "there are")
            });
            continue;
        }
        match duration(node) {
            Ok(period) => _ = analysis.periods.insert(name.to_owned(), period),
            Err(refusal) => found.push(refusal.into_diagnostic(name)),
        }
    }
    analysis
}

/// Reads a share of all runs.
fn share(node: &Node) -> Reading<'_, f64> {
    match number(node) {
        Ok(share) if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err(Refusal::new(node, "a number above 0 and up to 1, such as 0.999")),
    }
}
