//! `[link.*]`: links to other programs.

use std::net::SocketAddr;

use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd, SentTopic};

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::{Content, Node};
use crate::section::{Reading, Refusal, Section, rate, text, whole};

/// The most messages of a topic that can wait for a peer.
const MOST_KEPT: usize = 10_000;
/// The most bytes of `sun_path` of Unix sockets, without the zero at its end.
const LONGEST_PATH: usize = 107;
/// The most topics that a link carries in each direction.
const MOST_TOPICS: usize = 1024;

pub(super) fn read_links(links: &[(&str, &Node)], found: &mut Diagnostics) -> Vec<LinkConfiguration> {
    links.iter().filter_map(|(name, node)| read_link(name, node, found)).collect()
}

fn read_link(name: &str, node: &Node, found: &mut Diagnostics) -> Option<LinkConfiguration> {
    let mut section = Section::open(&format!("link.{name}"), node, found)?;
    let (listen, connect) = (section.peek("listen"), section.peek("connect"));
    let listens = section.read("listen", address, found);
    let connects = section.read("connect", address, found);
    let send = topics(&mut section, "send", sent, |sent| &sent.topic, found);
    let receive = topics(&mut section, "receive", received, |topic| topic, found);
    section.finish(found);
    for (topic, node) in &receive {
        if let Some((_, sent)) = send.iter().find(|(sent, _)| sent.topic == *topic) {
            let message = format!("`[link.{name}]` both sends and receives `{topic}`");
            let error = Diagnostic::error(message).at(&node.place, "received here").related(&sent.place, "sent here");
            found.push(error.help("what came in would go out again: have each side send a topic of its own"));
        }
    }
    let end = match (listen, connect) {
        (Some(listen), Some(connect)) => {
            let message = format!("`[link.{name}]` says both `listen` and `connect`");
            let error = Diagnostic::error(message).at(&connect.place, "").related(&listen.place, "");
            found.push(error.help("one of two programs listens, the other one connects: keep one of them"));
            return None;
        }
        (None, None) => {
            let error = Diagnostic::error(format!("`[link.{name}]` does not say where to meet the other side"));
            let help = "add `listen = \"tcp:127.0.0.1:7400\"` here and `connect` with the same address there, or the other \
                        way round";
            found.push(error.at(&node.key, "").help(help));
            return None;
        }
        (Some(_), None) => LinkEnd::Listen(listens?),
        (None, Some(_)) => LinkEnd::Connect(connects?),
    };
    if let LinkEnd::Connect(LinkAddress::Tcp(address) | LinkAddress::Udp(address)) = &end
        && let Some(node) = connect
        && (address.ip().is_unspecified() || address.port() == 0)
    {
        let error = Diagnostic::error(format!("nobody can be reached at {address}"));
        found.push(error.at(&node.place, "").help("say the address and the port at which the other side listens"));
        return None;
    }
    if let Some(warning) = listen.or(connect).and_then(|node| beyond_this_computer(name, &end, node)) {
        found.push(warning);
    }
    let send = send.into_iter().map(|(sent, _)| sent).collect();
    let receive = receive.into_iter().map(|(topic, _)| topic).collect();
    Some(LinkConfiguration { name: name.to_owned(), end, send, receive })
}

/// Returns a warning for a link over which others of a network may read and write.
fn beyond_this_computer(name: &str, end: &LinkEnd, node: &Node) -> Option<Diagnostic> {
    let address = match end.address() {
        LinkAddress::Unix(_) => return None,
        LinkAddress::Tcp(address) | LinkAddress::Udp(address) => address,
    };
    if address.ip().to_canonical().is_loopback() {
        return None;
    }
    let message = format!("`[link.{name}]` goes beyond this computer: it has no password, no encryption");
    let port = address.port();
    let help = format!(
        "this is for networks whose members you trust; elsewhere meet at `tcp:127.0.0.1:{port}`, through \
         `ssh -L {port}:127.0.0.1:{port} HOST`"
    );
    Some(Diagnostic::warning(message).at(&node.place, "").help(help))
}

/// Reads the topics of a list, each with its place. A topic that is wrong or named twice is an
/// error, and left out.
fn topics<'n, T>(
    section: &mut Section<'n>,
    key: &str,
    read: fn(&'n Node, &str, &mut Diagnostics) -> Option<T>,
    name: fn(&T) -> &String,
    found: &mut Diagnostics,
) -> Vec<(T, &'n Node)> {
    let Some(node) = section.take(key) else { return Vec::new() };
    let Some(items) = node.list().filter(|items| items.len() <= MOST_TOPICS) else {
        let expected =
            format!("a list of up to {MOST_TOPICS} topics, such as [\"/goal\"] or [{{ topic = \"/goal\" }}]");
        found.push(Refusal::new(node, expected).into_diagnostic(key));
        return Vec::new();
    };
    let mut topics: Vec<(T, &Node)> = Vec::new();
    for (index, node) in items.iter().enumerate() {
        let Some(topic) = read(node, &format!("{}.{key}[{index}]", section.path()), found) else { continue };
        if let Some((_, before)) = topics.iter().find(|(before, _)| name(before) == name(&topic)) {
            let message = format!("`{key}` names `{}` twice", name(&topic));
            found.push(Diagnostic::error(message).at(&node.place, "").related(&before.place, "named before"));
        } else {
            topics.push((topic, node));
        }
    }
    topics
}

fn sent(node: &Node, path: &str, found: &mut Diagnostics) -> Option<SentTopic> {
    if let Some(topic) = node.text().filter(|topic| !topic.is_empty()) {
        return Some(SentTopic::new(topic));
    }
    let mut section = item(node, path, found)?;
    let (topic, rate) = (section.read("topic", text, found), section.read("rate", rate, found));
    let keep = section.read("keep", keep, found).unwrap_or_default();
    finish(section, node, topic, found).map(|topic| SentTopic { topic, rate, keep })
}

fn received(node: &Node, path: &str, found: &mut Diagnostics) -> Option<String> {
    if let Some(topic) = node.text().filter(|topic| !topic.is_empty()) {
        return Some(topic.to_owned());
    }
    let mut section = item(node, path, found)?;
    let topic = section.read("topic", text, found);
    finish(section, node, topic, found)
}

fn item<'n>(node: &'n Node, path: &str, found: &mut Diagnostics) -> Option<Section<'n>> {
    match node.content {
        Content::Table(_) => Section::open(path, node, found),
        _ => {
            let refusal = Refusal::new(node, "the name of a topic, or a table that says it");
            found.push(refusal.help("such as \"/goal\" or { topic = \"/goal\" }").into_diagnostic(path));
            None
        }
    }
}

fn finish(section: Section<'_>, node: &Node, topic: Option<String>, found: &mut Diagnostics) -> Option<String> {
    if topic.is_none() && node.table().is_some_and(|table| !table.contains_key("topic")) {
        let error = Diagnostic::error(format!("`{}` does not say which topic", section.path()));
        found.push(error.at(&node.place, "").help("add `topic = \"/goal\"`"));
    }
    section.finish(found);
    topic
}

fn keep(node: &Node) -> Reading<'_, Keep> {
    match node.text() {
        Some("newest") => Ok(Keep::Newest),
        Some(_) => Err(Refusal::new(node, keeps()).meant("\"newest\"")),
        None => whole(1..=MOST_KEPT)(node).map(Keep::Last).map_err(|_| Refusal::new(node, keeps())),
    }
}

fn keeps() -> String {
    format!("\"newest\", or how many messages wait, from 1 to {MOST_KEPT}")
}

fn address(node: &Node) -> Reading<'_, LinkAddress> {
    const EXAMPLES: &str = "such as \"unix:/run/robot.sock\", \"tcp:127.0.0.1:7400\" or \"udp:127.0.0.1:7400\"";
    let refusal = |expected: &str| Refusal::new(node, expected).help(EXAMPLES);
    let (kind, place) = node.text().and_then(|text| text.split_once(':')).unwrap_or_default();
    let socket = || -> Reading<'_, SocketAddr> {
        place.parse().map_err(|_| refusal(&format!("`{kind}:`, an IP address, `:` and a port")))
    };
    match kind {
        "tcp" => socket().map(LinkAddress::Tcp),
        "udp" => socket().map(LinkAddress::Udp),
        "unix" if place.starts_with('/') && place.len() <= LONGEST_PATH && !place.contains('\0') => {
            Ok(LinkAddress::Unix(place.into()))
        }
        "unix" => Err(refusal(&format!("`unix:` and an absolute file name of at most {LONGEST_PATH} bytes"))),
        _ => Err(refusal("an address that begins with `unix:`, `tcp:` or `udp:`")),
    }
}
