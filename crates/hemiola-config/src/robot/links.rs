//! The section `[link.*]`: links to other programs.

mod meeting;
mod services;

use std::borrow::Cow;
use std::net::IpAddr;

use hemiola_model::configuration::{Keep, LinkConfiguration, LossPolicy, Received, Sent, Subject, SubjectKind};

use crate::catalog::{Catalog, Component};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::{Content, Node};
use crate::section::{Reading, Refusal, Section, boolean, choice, rate, suggest_at, text, whole};
use meeting::Meeting;
use services::Named;

/// The maximum number of messages of a topic that can wait for a peer.
const MOST_KEPT: usize = 10_000;
/// The maximum number of items of each list: topics and representations, or services.
const MOST_SUBJECTS: usize = 1024;

/// The values of `on_loss`.
pub(super) const LOSS_POLICIES: &[(&str, LossPolicy)] =
    &[("keep-last", LossPolicy::KeepLast), ("safe-state", LossPolicy::SafeState)];

/// The representations and services that the preceding links bring into the program.
#[derive(Default)]
struct Before<'n> {
    /// The representations that they receive.
    provided: Vec<(String, &'n Node)>,
    /// The services that they call.
    called: Vec<Named<'n>>,
}

pub(super) fn read_links(
    links: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> Vec<LinkConfiguration> {
    let mut before = Before::default();
    links.iter().filter_map(|(name, node)| read_link(name, node, catalog, &mut before, found)).collect()
}

/// Returns the catalog with the sources by which links provide the representations that they
/// receive.
pub(super) fn with_sources<'c>(catalog: &'c Catalog, links: &[LinkConfiguration]) -> Cow<'c, Catalog> {
    let mut catalog = Cow::Borrowed(catalog);
    for (link, received) in
        links.iter().flat_map(|link| link.receive.iter().map(move |received| (&link.name, received)))
    {
        let Subject { kind, name } = &received.subject;
        if *kind == SubjectKind::Representation && catalog.representations.contains(name) {
            let source = Component::new(received.source(link), "link").providing([name]);
            catalog.to_mut().sources.push(source);
        }
    }
    catalog
}

/// Reads a link.
fn read_link<'n>(
    name: &str,
    node: &'n Node,
    catalog: &Catalog,
    before: &mut Before<'n>,
    found: &mut Diagnostics,
) -> Option<LinkConfiguration> {
    let mut section = Section::open(&format!("link.{name}"), node, found)?;
    let meeting = Meeting::read(&mut section, found);
    let send = subjects(&mut section, "send", sent, |sent| &sent.subject, found);
    let receive = subjects(&mut section, "receive", received, |received| &received.subject, found);
    let (serve, call) = (services::read(&mut section, "serve", found), services::read(&mut section, "call", found));
    let on_loss = section.read("on_loss", choice(LOSS_POLICIES), found).unwrap_or_default();
    let is_trusted = section.read("trusted_network", boolean, found).unwrap_or(false);
    refuse_reliable(&mut section, found);
    section.finish(found);
    meeting.check_reliable(name, &send, found);
    meeting.check_services(name, "serve", &serve, found);
    meeting.check_services(name, "call", &call, found);
    services::check(name, &serve, &call, &mut before.called, catalog, found);
    for (index, (received, node)) in receive.iter().enumerate() {
        let subject = &received.subject;
        if let Some((_, sent)) = send.iter().find(|(sent, _)| sent.subject == *subject) {
            let message = format!("`[link.{name}]` both sends and receives `{}`", subject.name);
            let error = Diagnostic::error(message).at(&node.place, "received here").related(&sent.place, "sent here");
            let help = "what is received would be sent again: give it another name here, such as \
                        { topic = \"/goal\", as = \"/their_goal\" }";
            found.push(error.help(help));
        }
        let is_same = |(other, _): &&(Received, &Node)| {
            (other.subject.kind, other.name_there()) == (subject.kind, received.name_there())
        };
        if let Some((_, earlier)) = receive[..index].iter().find(is_same) {
            let message = format!("`receive` names `{}` of the other side twice", received.name_there());
            found.push(Diagnostic::error(message).at(&node.place, "").related(&earlier.place, "named before"));
        }
        if subject.kind == SubjectKind::Representation {
            if let Some((_, earlier)) = before.provided.iter().find(|(known, _)| *known == subject.name) {
                let message = format!("two links receive the {subject}, which can have one provider");
                let error = Diagnostic::error(message).at(&node.place, "received here");
                found.push(error.related(&earlier.place, "and here").help("leave one of them out"));
            }
            before.provided.push((subject.name.clone(), *node));
            check_received(&subject.name, node, catalog, found);
        }
    }
    let sent = send.iter().filter(|(sent, _)| sent.subject.kind == SubjectKind::Representation);
    sent.for_each(|(sent, node)| check_sent(&sent.subject.name, node, catalog, found));
    let end = meeting.end(name, node, is_trusted, found)?;
    let send = send.into_iter().map(|(sent, _)| sent).collect();
    let receive = receive.into_iter().map(|(received, _)| received).collect();
    let [serve, call] = [serve, call].map(|services| services.into_iter().map(|(name, _)| name).collect());
    Some(LinkConfiguration { name: name.to_owned(), end, send, receive, serve, call, on_loss })
}

/// Reports `reliable` in the table of a link.
fn refuse_reliable(section: &mut Section<'_>, found: &mut Diagnostics) {
    if let Some(node) = section.leftover("reliable") {
        let message = format!("`reliable` is not about all of `[{}]`", section.path());
        let help = "write it where something is sent: send = [{ topic = \"/goal\", reliable = true }]";
        found.push(Diagnostic::error(message).at(&node.key, "").help(help));
    }
}

/// Returns a warning for an address that is reached over a network, whose members may read and
/// write; `None` for one of this computer.
pub(super) fn beyond_this_computer(table: &str, address: IpAddr, elsewhere: &str, node: &Node) -> Option<Diagnostic> {
    let is_beyond = !address.to_canonical().is_loopback();
    is_beyond.then(|| warning_of_network(table, elsewhere, node))
}

/// Returns a warning for an address that is reached over a network.
fn warning_of_network(table: &str, elsewhere: &str, node: &Node) -> Diagnostic {
    let message = format!("`[{table}]` goes beyond this computer: it has neither a password nor encryption");
    let help = format!("for a network whose members you trust, write `trusted_network = true`; otherwise {elsewhere}");
    Diagnostic::warning(message).at(&node.place, "").help(help)
}

/// Reports an error unless the representation can leave the program.
pub(super) fn check_sent(name: &str, node: &Node, catalog: &Catalog, found: &mut Diagnostics) {
    if catalog.schemas.contains_key(name) {
        return;
    }
    if catalog.representations.contains(name) {
        return found.push(opaque(name, node));
    }
    found.push_error(|| {
        let error = Diagnostic::error(format!("unknown representation `{name}`"));
        suggest_at(error, &node.place, name, catalog.schemas.keys().map(String::as_str), "what can be sent")
    });
}

/// Reports an error if the representation cannot come into the program, and a warning if nothing in
/// it has such a representation.
pub(super) fn check_received(name: &str, node: &Node, catalog: &Catalog, found: &mut Diagnostics) {
    if catalog.schemas.contains_key(name) {
        return;
    }
    if catalog.representations.contains(name) {
        return found.push(opaque(name, node));
    }
    let warning = Diagnostic::warning(format!("no module of this program has a representation `{name}`"));
    let known = catalog.schemas.keys().map(String::as_str);
    found.push(suggest_at(warning, &node.place, name, known, "what can be received"));
}

fn opaque(name: &str, node: &Node) -> Diagnostic {
    Diagnostic::error(format!("`{name}` is opaque, so no link can carry it"))
        .at(&node.place, "")
        .help("leave it out, or make it data: without `#[representation(opaque)]`, and `#[derive(Data)]` for all in it")
}

/// Reads the subjects of a list, each with its place. A subject that is wrong or named twice is an
/// error, and skipped.
fn subjects<'n, T>(
    section: &mut Section<'n>,
    key: &str,
    read: fn(&'n Node, &str, &mut Diagnostics) -> Option<T>,
    subject: fn(&T) -> &Subject,
    found: &mut Diagnostics,
) -> Vec<(T, &'n Node)> {
    let Some(node) = section.take(key) else { return Vec::new() };
    let Some(items) = node.list().filter(|items| items.len() <= MOST_SUBJECTS) else {
        let expected =
            format!("a list of up to {MOST_SUBJECTS} topics, such as [\"/goal\"] or [{{ topic = \"/goal\" }}]");
        found.push(Refusal::new(node, expected).into_diagnostic(key));
        return Vec::new();
    };
    let mut subjects: Vec<(T, &Node)> = Vec::new();
    for (index, node) in items.iter().enumerate() {
        let Some(item) = read(node, &format!("{}.{key}[{index}]", section.path()), found) else { continue };
        if let Some((_, before)) = subjects.iter().find(|(before, _)| subject(before) == subject(&item)) {
            let message = format!("`{key}` names `{}` twice", subject(&item).name);
            found.push(Diagnostic::error(message).at(&node.place, "").related(&before.place, "named before"));
        } else {
            subjects.push((item, node));
        }
    }
    subjects
}

fn sent(node: &Node, path: &str, found: &mut Diagnostics) -> Option<Sent> {
    if let Some(topic) = node.text().filter(|topic| !topic.is_empty()) {
        return Some(Sent::topic(topic));
    }
    let mut section = item(node, path, found)?;
    let subject = subject(&mut section, found);
    let (rate, keep) = (section.read("rate", rate, found), section.read("keep", keep, found));
    let is_reliable = section.read("reliable", boolean, found).unwrap_or(false);
    let subject = finish(section, node, subject, found)?;
    let keep = keep.unwrap_or(match subject.kind {
        SubjectKind::Topic => Keep::default(),
        SubjectKind::Representation => Keep::Newest,
    });
    Some(Sent { rate, is_reliable, ..Sent::new(subject, keep) })
}

fn received(node: &Node, path: &str, found: &mut Diagnostics) -> Option<Received> {
    let place = Some(node.place.to_string());
    if let Some(topic) = node.text().filter(|topic| !topic.is_empty()) {
        return Some(Received { place, ..Received::new(Subject::topic(topic)) });
    }
    let mut section = item(node, path, found)?;
    let subject = subject(&mut section, found);
    let name_here = section.read("as", text, found);
    let subject = finish(section, node, subject, found)?;
    Some(match name_here {
        Some(name) => Received { place, name_there: Some(subject.name), ..Received::new(Subject { name, ..subject }) },
        None => Received { place, ..Received::new(subject) },
    })
}

pub(super) fn item<'n>(node: &'n Node, path: &str, found: &mut Diagnostics) -> Option<Section<'n>> {
    match node.content {
        Content::Table(_) => Section::open(path, node, found),
        _ => {
            let refusal = Refusal::new(node, "the name of a topic, or a table that says it");
            let help = "such as \"/goal\", { topic = \"/goal\" } or { representation = \"Ball\" }";
            found.push(refusal.help(help).into_diagnostic(path));
            None
        }
    }
}

/// Reads `topic` or `representation`, of which there must be one.
pub(super) fn subject(section: &mut Section<'_>, found: &mut Diagnostics) -> Option<Subject> {
    let both = section.peek("topic").zip(section.peek("representation"));
    let topic = section.read("topic", text, found).map(Subject::topic);
    let representation = section.read("representation", text, found).map(Subject::representation);
    if let Some((topic, representation)) = both {
        let message = format!("`{}` says both `topic` and `representation`", section.path());
        let error = Diagnostic::error(message).at(&representation.place, "").related(&topic.place, "");
        found.push(error.help("keep one of them, or write a table for each"));
        return None;
    }
    topic.or(representation)
}

pub(super) fn finish(
    section: Section<'_>,
    node: &Node,
    subject: Option<Subject>,
    found: &mut Diagnostics,
) -> Option<Subject> {
    let is_said = |table: &crate::node::Table| table.contains_key("topic") || table.contains_key("representation");
    if node.table().is_some_and(|table| !is_said(table)) {
        let error = Diagnostic::error(format!("`{}` does not say which topic", section.path()));
        found.push(error.at(&node.place, "").help("add `topic = \"/goal\"` or `representation = \"Ball\"`"));
    }
    section.finish(found);
    subject
}

fn keep(node: &Node) -> Reading<'_, Keep> {
    match node.text() {
        Some("newest") => Ok(Keep::Newest),
        Some(_) => Err(Refusal::new(node, keeps()).meant("\"newest\"")),
        None => whole(1..=MOST_KEPT)(node).map(Keep::Last).map_err(|_| Refusal::new(node, keeps())),
    }
}

fn keeps() -> String {
    format!("\"newest\", or the number of messages that are kept, from 1 to {MOST_KEPT}")
}
