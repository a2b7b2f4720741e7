//! The section `[ros2]`: the robot's node in a ROS 2 system.

use std::borrow::Cow;
use std::time::Duration;

use hemiola_model::configuration::{
    Keep, Received, Ros2Action, Ros2Configuration, Ros2History, Ros2Liveliness, Ros2Published, Ros2Quality, Ros2Router,
    Ros2SafeState, Ros2Service, Ros2Subscribed, Sent, Subject, SubjectKind,
};

use super::links::{check_received, check_sent, item, subject};
use super::read_cores;
use super::zenoh::ZenohAddress;
use crate::catalog::{Catalog, Component};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::{Content, Node};
use crate::section::{Reading, Refusal, Section, choice, duration_within, rate, text, whole};

/// The values of `quality`.
const QUALITIES: &[(&str, Ros2Quality)] = &[
    ("reliable", Ros2Quality::Reliable),
    ("best effort", Ros2Quality::BestEffort),
    ("transient local", Ros2Quality::TransientLocal),
];
/// The values of `liveliness`.
const LIVELINESS: &[(&str, Ros2Liveliness)] =
    &[("automatic", Ros2Liveliness::Automatic), ("manual by topic", Ros2Liveliness::ManualByTopic)];
/// The maximum number of messages of a topic that are kept.
const MOST_KEPT: usize = 10_000;
/// The bounds on the times of a quality of service.
const SHORTEST_TIME: Duration = Duration::from_millis(1);
const LONGEST_TIME: Duration = Duration::from_secs(3600);
/// The highest domain of ROS 2.
const HIGHEST_DOMAIN: usize = 232;
/// The longest name of a topic or service (`RMW_TOPIC_MAX_NAME_LENGTH`).
const LONGEST_NAME: usize = 247;

pub(super) fn read_ros2(node: &Node, catalog: &Catalog, found: &mut Diagnostics) -> Option<Ros2Configuration> {
    let mut section = Section::open("ros2", node, found)?;
    let name = section.read("node", word, found);
    let namespace = section.read("namespace", namespace, found).unwrap_or_default();
    let domain = section.read("domain", whole(0..=HIGHEST_DOMAIN), found).map(|domain| domain as u32);
    let both = section.peek("connect").zip(section.peek("router"));
    let connect = section.read("connect", locator, found).map(Ros2Router::At);
    let router = section.read("router", router, found).flatten();
    let cores = read_cores(&mut section, found);
    let remap = section.entries("remap", found);
    let clock = section.read("clock", rate, found);
    let publish = section.entries("publish", found);
    let subscribe = section.entries("subscribe", found);
    let (serve, call) = (section.entries("serve", found), section.entries("call", found));
    let [action_server, action_client] = ["action_server", "action_client"].map(|key| section.entries(key, found));
    section.finish(found);
    if let (Some((connect, node)), Some(_)) = (both, &router) {
        let error = Diagnostic::error("`[ros2]` says both `connect` and `router`");
        let error = error.at(&node.place, "the robot is the router").related(&connect.place, "another one is");
        found.push(error.help("a system has one router: keep one of them"));
    }
    warn_beyond_this_computer(router.as_ref(), node, found);
    check_directions(&publish, &subscribe, ["publishes", "subscribes to"], found);
    check_directions(&serve, &call, ["serves", "calls"], found);
    check_directions(&action_server, &action_client, ["serves", "uses"], found);
    let remap = remap.iter().filter_map(|(from, node)| remapped(from, node, found)).collect();
    let published = publish.iter().filter_map(|(name, node)| published(name, node, catalog, found)).collect();
    let subscribed = read_subscribed(&subscribe, catalog, found);
    let serve = serve.iter().filter_map(|(name, node)| service("serve", name, node, found)).collect();
    let call = read_called(&call, found);
    let action_server = read_actions("action_server", &action_server, found);
    let action_client = read_actions("action_client", &action_client, found);
    Some(Ros2Configuration {
        node: name,
        process: None,
        namespace,
        remap,
        domain,
        router: router.or(connect).unwrap_or_default(),
        cores,
        clock,
        publish: published,
        subscribe: subscribed,
        serve,
        call,
        action_server,
        action_client,
    })
}

/// Reads a name that replaces another one.
fn remapped(from: &str, node: &Node, found: &mut Diagnostics) -> Option<(String, String)> {
    check_name("remap", from, node, found)?;
    match node.text() {
        Some(to) if flaw(to).is_none() => Some((from.to_owned(), to.to_owned())),
        _ => {
            let refusal = Refusal::new(node, "a name of ROS 2").help("such as \"/front/scan\"");
            found.push(refusal.into_diagnostic(&format!("ros2.remap.\"{from}\"")));
            None
        }
    }
}

/// Returns the catalog with the sources of the representations to which the node subscribes.
pub(super) fn with_sources<'c>(catalog: Cow<'c, Catalog>, node: Option<&Ros2Configuration>) -> Cow<'c, Catalog> {
    let mut catalog = catalog;
    for Subject { kind, name } in
        node.into_iter().flat_map(|node| &node.subscribe).map(|subscribed| &subscribed.received.subject)
    {
        if *kind == SubjectKind::Representation && catalog.representations.contains(name) {
            let source = Component::new(Ros2Configuration::source(name), "ros2").providing([name]);
            catalog.to_mut().sources.push(source);
        }
    }
    catalog
}

fn published(name: &str, node: &Node, catalog: &Catalog, found: &mut Diagnostics) -> Option<Ros2Published> {
    check_name("publish", name, node, found)?;
    let mut section = item(node, &format!("ros2.publish.\"{name}\""), found)?;
    let subject = subject(&mut section, found);
    let rate = section.read("rate", rate, found);
    let safe_state = section.read("safe_state", safe_state, found).unwrap_or_default();
    let Delivery { quality, depth, history, deadline, lifespan, liveliness, lease } =
        Delivery::read(&mut section, node, found);
    let subject = super::links::finish(section, node, subject, found)?;
    if subject.kind == SubjectKind::Representation {
        check_sent(&subject.name, node, catalog, found);
    }
    let sent = Sent { rate, ..Sent::new(subject, Keep::Last(depth)) };
    let name = name.to_owned();
    Some(Ros2Published { name, sent, quality, depth, history, deadline, lifespan, liveliness, lease, safe_state })
}

fn read_subscribed(entries: &[(&str, &Node)], catalog: &Catalog, found: &mut Diagnostics) -> Vec<Ros2Subscribed> {
    let mut all: Vec<(Ros2Subscribed, &Node)> = Vec::new();
    for (name, node) in entries {
        let Some(subscribed) = subscribed(name, node, found) else { continue };
        let Subject { kind, name } = &subscribed.received.subject;
        if *kind == SubjectKind::Representation {
            if let Some((_, before)) = all.iter().find(|(it, _)| it.received.subject == subscribed.received.subject) {
                let message = format!("two topics provide the representation `{name}`, which can have one provider");
                let error = Diagnostic::error(message).at(&node.place, "received here");
                found.push(error.related(&before.place, "and here").help("leave one of them out"));
            }
            check_received(name, node, catalog, found);
        }
        all.push((subscribed, node));
    }
    all.into_iter().map(|(subscribed, _)| subscribed).collect()
}

fn subscribed(name: &str, node: &Node, found: &mut Diagnostics) -> Option<Ros2Subscribed> {
    check_name("subscribe", name, node, found)?;
    let mut section = item(node, &format!("ros2.subscribe.\"{name}\""), found)?;
    let subject = subject(&mut section, found);
    let Delivery { quality, depth, history, deadline, lifespan, liveliness, lease } =
        Delivery::read(&mut section, node, found);
    let subject = super::links::finish(section, node, subject, found)?;
    let received = Received { place: Some(node.place.to_string()), ..Received::new(subject) };
    let name = name.to_owned();
    Some(Ros2Subscribed { name, received, quality, depth, history, deadline, lifespan, liveliness, lease })
}

fn read_called(entries: &[(&str, &Node)], found: &mut Diagnostics) -> Vec<Ros2Service> {
    let mut all: Vec<(Ros2Service, &Node)> = Vec::new();
    for (name, node) in entries {
        let Some(called) = service("call", name, node, found) else { continue };
        if let Some((_, before)) = all.iter().find(|(it, _)| it.service == called.service) {
            let message = format!("two services of ROS 2 are `{}` here, which can have one server", called.service);
            let error = Diagnostic::error(message).at(&node.place, "called here");
            found.push(error.related(&before.place, "and here").help("leave one of them out"));
        }
        all.push((called, node));
    }
    all.into_iter().map(|(called, _)| called).collect()
}

/// Reads a service: its name in this robot, or a table with that and its type in ROS 2.
fn service(key: &str, name: &str, node: &Node, found: &mut Diagnostics) -> Option<Ros2Service> {
    let (service, service_type) = named(key, name, node, &SERVICE, found)?;
    Some(Ros2Service { name: name.to_owned(), service, service_type })
}

/// Reads actions, no two of which may have the same name in this robot.
fn read_actions(key: &str, entries: &[(&str, &Node)], found: &mut Diagnostics) -> Vec<Ros2Action> {
    let mut all: Vec<(Ros2Action, &Node)> = Vec::new();
    for (name, node) in entries {
        let Some((action, action_type)) = named(key, name, node, &ACTION, found) else { continue };
        if let Some((_, before)) = all.iter().find(|(it, _)| it.action == action) {
            let error = Diagnostic::error(format!("two actions of ROS 2 are `{action}` here, whose topics are one"));
            let error = error.at(&node.place, "").related(&before.place, "and here");
            found.push(error.help("leave one of them out"));
        }
        all.push((Ros2Action { name: (*name).to_owned(), action, action_type }, node));
    }
    all.into_iter().map(|(action, _)| action).collect()
}

/// A kind of interface, with a name in ROS 2, and a name in this robot or a table with it and a
/// type in ROS 2.
struct Named {
    /// The word for it, which is also the key of its name in this robot.
    what: &'static str,
    examples: [&'static str; 2],
    /// The text between the package and the name of its type: `/srv/`.
    folder: &'static str,
    type_example: &'static str,
}

const SERVICE: Named = Named {
    what: "service",
    examples: ["\"Reset\"", "{ service = \"Reset\", type = \"std_srvs/srv/Trigger\" }"],
    folder: "/srv/",
    type_example: "std_srvs/srv/Trigger",
};
const ACTION: Named = Named {
    what: "action",
    examples: ["\"Dock\"", "{ action = \"Dock\", type = \"nav2_msgs/action/DockRobot\" }"],
    folder: "/action/",
    type_example: "nav2_msgs/action/NavigateToPose",
};

/// Reads a name in this robot, or a table with that and a type in ROS 2.
fn named(
    key: &str,
    name: &str,
    node: &Node,
    named: &'static Named,
    found: &mut Diagnostics,
) -> Option<(String, Option<String>)> {
    check_name(key, name, node, found)?;
    let (path, Named { what, examples: [short, long], .. }) = (format!("ros2.{key}.\"{name}\""), named);
    if let Some(here) = node.text().filter(|here| !here.is_empty()) {
        return Some((here.to_owned(), None));
    }
    if !matches!(node.content, Content::Table(_)) {
        let refusal =
            Refusal::new(node, format!("the name of {} of this robot, or a table that says it", with_article(what)));
        found.push(refusal.help(format!("such as {short}, or {long}")).into_diagnostic(&path));
        return None;
    }
    let mut section = Section::open(&path, node, found)?;
    let is_said = section.peek(what).is_some();
    let here = section.read(what, text, found);
    let of_type = section.read("type", |node| interface_type(node, named), found);
    section.finish(found);
    if !is_said {
        let error = Diagnostic::error(format!("`{path}` does not say which {what} of this robot it is"));
        found.push(error.at(&node.place, "").help(format!("add `{what} = {short}`")));
    }
    Some((here?, of_type))
}

fn with_article(what: &str) -> String {
    format!("{} {what}", if what.starts_with('a') { "an" } else { "a" })
}

/// The quality of service of a topic.
struct Delivery {
    quality: Ros2Quality,
    depth: usize,
    history: Ros2History,
    deadline: Option<Duration>,
    lifespan: Option<Duration>,
    liveliness: Ros2Liveliness,
    lease: Option<Duration>,
}

impl Delivery {
    /// Reads the keys of the quality of service.
    fn read(section: &mut Section<'_>, node: &Node, found: &mut Diagnostics) -> Self {
        let quality = section.read("quality", choice(QUALITIES), found).unwrap_or_default();
        let (depth, history) = section.read("depth", depth, found).unwrap_or_default();
        let has_lease = section.peek("lease").is_some();
        let mut time =
            |key| section.read(key, duration_within(SHORTEST_TIME..=LONGEST_TIME, "from 1 ms to 1 h"), found);
        let [deadline, lifespan, lease] = ["deadline", "lifespan", "lease"].map(&mut time);
        let liveliness = section.read("liveliness", choice(LIVELINESS), found).unwrap_or_default();
        if liveliness == Ros2Liveliness::ManualByTopic && !has_lease {
            let error = Diagnostic::error("`liveliness = \"manual by topic\"` needs a `lease`").at(&node.place, "");
            found.push(error.help("add the longest time between two signs of life, such as `lease = \"1 s\"`"));
        }
        let depth = depth.unwrap_or(Ros2Published::DEPTH);
        Self { quality, depth, history, deadline, lifespan, liveliness, lease }
    }
}

/// Reads how many messages are kept: a number, or `"all"`, which are as many as may be.
fn depth(node: &Node) -> Reading<'_, (Option<usize>, Ros2History)> {
    if node.text() == Some("all") {
        return Ok((Some(MOST_KEPT), Ros2History::KeepAll));
    }
    whole(1..=MOST_KEPT)(node).map(|depth| (Some(depth), Ros2History::KeepLast))
}

/// Reads what is published in the safe state. Each type that can be published has a default.
fn safe_state(node: &Node) -> Reading<'_, Ros2SafeState> {
    match node.text() {
        Some("default") => Ok(Ros2SafeState::Default),
        _ => Err(Refusal::new(node, "\"default\", the default value of the topic's type")
            .help("without this key the node publishes what the robot does, also in its safe state")),
    }
}

/// Reports names that are used in both directions: the node would receive its own messages.
fn check_directions(
    out: &[(&str, &Node)],
    back: &[(&str, &Node)],
    [does, does_too]: [&str; 2],
    found: &mut Diagnostics,
) {
    for (name, node) in back {
        if let Some((_, before)) = out.iter().find(|(known, _)| known == name) {
            let error = Diagnostic::error(format!("`[ros2]` both {does} and {does_too} `{name}`"));
            let error = error.at(&node.key, "").related(&before.key, "");
            found.push(error.help("within a robot, modules reach each other without ROS 2: keep one of them"));
        }
    }
}

/// Warns of a router that others of a network may reach.
fn warn_beyond_this_computer(router: Option<&Ros2Router>, section: &Node, found: &mut Diagnostics) {
    let Some(Ros2Router::Here(address)) = router else { return };
    if ZenohAddress::read(address).is_some_and(|address| address.is_of_this_computer()) {
        return;
    }
    let warning =
        Diagnostic::warning("`[ros2] router` goes beyond this computer: it has neither a password nor encryption");
    let place = section.table().and_then(|table| table.get("router")).map_or(&section.place, |node| &node.place);
    found.push(warning.at(place, "").help("use it in networks whose members you trust"));
}

/// Checks the full name of a topic or service.
fn check_name(key: &str, name: &str, node: &Node, found: &mut Diagnostics) -> Option<()> {
    let Some(why) = flaw(name) else { return Some(()) };
    let error = Diagnostic::error(format!("`{name}` is not a name of ROS 2: {why}")).at(&node.key, "");
    let example = match key {
        "remap" => "\"/scan\" = \"/front/scan\"",
        "publish" | "subscribe" => "\"/scan\" = { representation = \"Scan\" }",
        "action_server" | "action_client" => "\"/navigate_to_pose\" = \"NavigateToPose\"",
        _ => "\"/rover/reset\" = \"Reset\"",
    };
    found.push(error.help(format!("such as `{example}`")));
    None
}

/// Returns why a name is not one of ROS 2.
fn flaw(name: &str) -> Option<&'static str> {
    // `/scan` is a full name, `scan` one in the node's namespace, and `~/scan` one below its name.
    let words = name.strip_prefix("~/").or_else(|| name.strip_prefix('/')).unwrap_or(name);
    if name.len() > LONGEST_NAME {
        return Some("it is longer than 247 characters");
    }
    let is_name = words.split('/').all(is_word);
    (!is_name).then_some("its parts between `/` are words of letters, digits and `_` that do not begin with a digit")
}

fn is_word(word: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    !word.is_empty() && !word.starts_with(|letter: char| letter.is_ascii_digit()) && word.chars().all(is_letter)
}

fn word(node: &Node) -> Reading<'_, String> {
    match node.text() {
        Some(name) if is_word(name) => Ok(name.to_owned()),
        _ => Err(Refusal::new(node, "a name of letters, digits and `_` that does not begin with a digit")
            .help("such as \"rover\"")),
    }
}

fn namespace(node: &Node) -> Reading<'_, String> {
    let named = node.text().map(|text| text.trim_matches('/'));
    match named {
        Some(name) if name.is_empty() || name.split('/').all(is_word) => Ok(name.to_owned()),
        _ => Err(Refusal::new(node, "a namespace of ROS 2").help("such as \"/team/rover\"")),
    }
}

fn interface_type<'n>(node: &'n Node, Named { what, folder, type_example, .. }: &Named) -> Reading<'n, String> {
    let name = node.text().unwrap_or_default();
    match name.split_once(folder) {
        Some((package, name)) if is_word(package) && is_word(name) => Ok(format!("{package}{folder}{name}")),
        _ => {
            let expected = format!("the type of {} in ROS 2", with_article(what));
            Err(Refusal::new(node, expected).help(format!("such as \"{type_example}\"")))
        }
    }
}

/// Reads `router`: `true`, or the address at which the robot listens.
fn router(node: &Node) -> Reading<'_, Option<Ros2Router>> {
    if let Ok(is_here) = crate::section::boolean(node) {
        return Ok(is_here.then(Ros2Router::here));
    }
    let expected = "true, or an address of Zenoh at which the robot listens";
    match locator(node) {
        Ok(address) => Ok(Some(Ros2Router::Here(address))),
        Err(_) => Err(Refusal::new(node, expected).help("such as `router = true` or `router = \"tcp/0.0.0.0:7447\"`")),
    }
}

fn locator(node: &Node) -> Reading<'_, String> {
    let text = node.text().unwrap_or_default();
    match ZenohAddress::read(text) {
        Some(_) => Ok(text.to_owned()),
        None => Err(Refusal::new(node, "an address of Zenoh")
            .help("such as \"tcp/localhost:7447\" or \"tcp/192.168.1.2:7447\"")),
    }
}
