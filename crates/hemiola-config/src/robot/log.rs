//! The section `[log]`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::time::Duration;

use hemiola_model::configuration::{Condition, LogChannelConfiguration, LogCompression, LogConfiguration, LogExtent};

use crate::catalog::Catalog;
use crate::condition::{Fault, parse_condition};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::place::Place;
use crate::section::{
    Reading, Section, boolean, choice, duration_within, extent, folder_name, rate, size, suggest_at, text,
};

const COMPRESSIONS: &[(&str, LogCompression)] =
    &[("none", LogCompression::None), ("lz4", LogCompression::Lz4), ("zstd", LogCompression::Zstd)];

/// The times between flushes: more frequent ones cost without benefit, and with rarer ones too much
/// is lost with the process.
const FLUSHES: RangeInclusive<Duration> = Duration::from_millis(10)..=Duration::from_secs(60);

/// The times between checkpoints: more frequent ones would fill most of the log, and rarer ones are
/// useless.
const SNAPSHOTS: RangeInclusive<Duration> = Duration::from_millis(100)..=Duration::from_secs(3600);
/// The word that replaces a time.
const NEVER: &str = "never";

pub(super) fn read_log(node: &Node, catalog: &Catalog, found: &mut Diagnostics) -> LogConfiguration {
    let mut log = LogConfiguration::default();
    let Some(mut section) = Section::open("log", node, found) else { return log };
    log.folder = section.read("folder", folder_name, found);
    log.compression = section.read("compression", choice(COMPRESSIONS), found).unwrap_or_default();
    if let Some(flush) = section.read("flush", duration_within(FLUSHES, "from 10 ms to 1 min"), found) {
        log.flush = flush;
    }
    let (split, keep) = (section.peek("split"), section.peek("keep"));
    log.split = section.read("split", extent, found);
    log.keep = section.read("keep", extent, found);
    if let (Some(split), Some(keep)) = (split, keep)
        && is_longer(log.split, log.keep)
    {
        found.push(
            Diagnostic::error("`split` cannot be longer than `keep`, because only whole files are removed")
                .at(&split.place, "the length of a file")
                .related(&keep.place, "the part to keep")
                .help("make `split` a fraction of `keep`, or remove it: then it is a quarter"),
        );
    }
    if let Some(reserve) = section.read("reserve", size, found) {
        log.reserve = reserve;
    }
    if let Some(snapshot) = section.read("snapshot", snapshot_period, found) {
        log.snapshot = snapshot;
    }
    let only = section.peek("only");
    log.only = section.list("only", "a list of representations, such as [\"Ball\"]", text, found);
    for entry in only.and_then(Node::list).unwrap_or_default().iter().filter(|_| !log.only.is_empty()) {
        if let Some(name) = entry.text().filter(|name| !name.is_empty()) {
            check_recordable(name, &entry.place, catalog, found);
        }
    }
    log.debug = section.list("debug", "a list of names, such as [\"ball.*\", \"field\"]", text, found);
    let channels = section.entries("channel", found);
    section.finish(found);
    log.channels = read_channels(&channels, catalog, found);
    log
}

fn snapshot_period(node: &Node) -> Reading<'_, Option<Duration>> {
    match node.text() {
        Some(NEVER) => Ok(None),
        _ => duration_within(SNAPSHOTS, "from 100 ms to 60 min, or \"never\"")(node).map(Some),
    }
}

fn is_longer(split: Option<LogExtent>, keep: Option<LogExtent>) -> bool {
    match (split, keep) {
        (Some(LogExtent::Time(split)), Some(LogExtent::Time(keep))) => split > keep,
        (Some(LogExtent::Size(split)), Some(LogExtent::Size(keep))) => split > keep,
        _ => false,
    }
}

fn read_channels(
    channels: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> BTreeMap<String, LogChannelConfiguration> {
    let mut read = BTreeMap::new();
    for (name, node) in channels {
        check_recordable(name, &node.key, catalog, found);
        let Some(mut section) = Section::open(&format!("log.channel.{name}"), node, found) else { continue };
        let channel = LogChannelConfiguration {
            enabled: section.read("enabled", boolean, found),
            rate: section.read("rate", rate, found),
            only_while: read_condition(&mut section, catalog, found),
        };
        section.finish(found);
        read.insert((*name).to_owned(), channel);
    }
    read
}

fn read_condition(section: &mut Section<'_>, catalog: &Catalog, found: &mut Diagnostics) -> Option<Condition> {
    let node = section.peek("only_while");
    let written = section.read("only_while", text, found)?;
    match parse_condition(&written, &catalog.schemas) {
        Ok(condition) => Some(condition),
        Err(Fault { message, span, meant, help }) => {
            let place = node?.place.within(&written, span);
            let label = meant.map(|meant| format!("did you mean `{meant}`?")).unwrap_or_default();
            let error = Diagnostic::error(message).at(&place, label);
            found.push(help.into_iter().fold(error, Diagnostic::help));
            None
        }
    }
}

/// Reports an error unless `name` is a representation that can leave the process, or a topic.
fn check_recordable(name: &str, place: &Place, catalog: &Catalog, found: &mut Diagnostics) {
    if catalog.schemas.contains_key(name) || catalog.topics.contains(name) {
        return;
    }
    if catalog.representations.contains(name) {
        found.push(Diagnostic::error(format!("`{name}` is opaque, so it cannot be recorded")).at(place, "").help(
            "leave it out, or make it data: without `#[representation(opaque)]`, and `#[derive(Data)]` for all in it",
        ));
        return;
    }
    found.push_error(|| {
        let (error, known) = match catalog.topics.is_empty() {
            true => (format!("unknown representation `{name}`"), "representations that can be recorded are"),
            false => (format!("unknown representation or topic `{name}`"), "what can be recorded"),
        };
        let names: BTreeSet<_> = catalog.schemas.keys().chain(&catalog.topics).map(String::as_str).collect();
        suggest_at(Diagnostic::error(error), place, name, names.iter().copied(), known)
    });
}
