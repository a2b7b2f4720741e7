//! The keys that say where a link meets the other side: `listen`, `connect` or `join`.

use std::fmt;
use std::net::{IpAddr, SocketAddr};

use hemiola_model::configuration::{LinkAddress, LinkEnd, LinkGroup, Sent};

use super::services::Named;
use super::{beyond_this_computer, warning_of_network};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::robot::zenoh::ZenohAddress;
use crate::section::{Reading, Refusal, Section, text, whole};

/// The maximum number of bytes of `sun_path` of Unix sockets, without the zero at its end.
const LONGEST_PATH: usize = 107;
/// The maximum number of bytes of the name of a network interface.
const LONGEST_INTERFACE: usize = 15;

/// The keys of a link that say where it meets the other side.
pub(super) struct Meeting<'n> {
    listen: Said<'n, LinkAddress>,
    connect: Said<'n, LinkAddress>,
    join: Said<'n, SocketAddr>,
    interface: Said<'n, String>,
    ttl: Said<'n, usize>,
}

/// The value of a key that may be there; it is `None` if it could not be read, too.
struct Said<'n, T> {
    key: &'static str,
    node: Option<&'n Node>,
    value: Option<T>,
}

impl<'n, T> Said<'n, T> {
    fn read(
        section: &mut Section<'n>,
        key: &'static str,
        read: impl FnOnce(&'n Node) -> Reading<'n, T>,
        found: &mut Diagnostics,
    ) -> Self {
        Self { key, node: section.peek(key), value: section.read(key, read, found) }
    }

    fn place(&self) -> Option<(&'static str, &'n Node)> {
        Some((self.key, self.node?))
    }
}

impl<'n> Meeting<'n> {
    pub(super) fn read(section: &mut Section<'n>, found: &mut Diagnostics) -> Self {
        Self {
            listen: Said::read(section, "listen", address, found),
            connect: Said::read(section, "connect", address, found),
            join: Said::read(section, "join", group, found),
            interface: Said::read(section, "interface", interface, found),
            ttl: Said::read(section, "ttl", whole(0..=255), found),
        }
    }

    /// Reports what is reliable of a link that joins a group.
    pub(super) fn check_reliable(&self, name: &str, send: &[(Sent, &Node)], found: &mut Diagnostics) {
        let reliable = send.iter().find(|(sent, _)| sent.is_reliable);
        if let (Some(join), Some((sent, node))) = (self.join.node, reliable) {
            let message = format!(
                "`[link.{name}]` joins a group, which acknowledges nothing: `{}` cannot be reliable",
                sent.subject.name
            );
            let error = Diagnostic::error(message).at(&node.place, "").related(&join.place, "joined here");
            found.push(error.help("send it over another link, to one robot"));
        }
    }

    /// Reports services of a link that joins a group.
    pub(super) fn check_services(&self, name: &str, key: &str, services: &[Named<'_>], found: &mut Diagnostics) {
        if let (Some(join), Some((_, service))) = (self.join.node, services.first()) {
            let error =
                Diagnostic::error(format!("`[link.{name}]` joins a group, in which no service can be: `{key}`"));
            let error = error.at(&service.place, "").related(&join.place, "joined here");
            found.push(error.help("a call has one server, and a group has many members: write another link for it"));
        }
    }

    /// Returns the end that the link is; `None`, with an error, if it does not say one.
    pub(super) fn end(self, name: &str, node: &Node, is_trusted: bool, found: &mut Diagnostics) -> Option<LinkEnd> {
        let said = [self.listen.place(), self.connect.place(), self.join.place()];
        let said: Vec<_> = said.into_iter().flatten().collect();
        let (key, place) = match said.as_slice() {
            [one] => *one,
            [(first, before), (second, place), ..] => {
                let error = Diagnostic::error(format!("`[link.{name}]` says both `{first}` and `{second}`"));
                let help = match *second {
                    "join" => "the members of a group all `join` it, and nobody listens or connects: keep one of them",
                    _ => "one of two programs listens, the other one connects: keep one of them",
                };
                found.push(error.at(&place.place, "").related(&before.place, "").help(help));
                return None;
            }
            [] => {
                let error = Diagnostic::error(format!("`[link.{name}]` does not say where to meet the other side"));
                let help = "add `listen = \"tcp:127.0.0.1:7400\"` here and `connect` with the same address there, or the \
                            other way round";
                found.push(error.at(&node.key, "").help(help));
                return None;
            }
        };
        if self.join.node.is_none() {
            for (key, place) in [self.interface.place(), self.ttl.place()].into_iter().flatten() {
                let error = Diagnostic::error(format!("`[link.{name}]` says `{key}`, and joins no group"));
                let help =
                    "leave it out, or write `join` with the address of a group, such as \"udp:239.255.74.1:7400\"";
                found.push(error.at(&place.key, "").help(help));
            }
        }
        let end = match key {
            "listen" => LinkEnd::Listen(self.listen.value?),
            "connect" => LinkEnd::Connect(self.connect.value?),
            _ => {
                let ttl = self.ttl.value.and_then(|ttl| u8::try_from(ttl).ok());
                let alone = LinkGroup::new(self.join.value?);
                LinkEnd::Join(LinkGroup { interface: self.interface.value, ttl: ttl.unwrap_or(alone.ttl), ..alone })
            }
        };
        check(&format!("link.{name}"), &end, (key, place), is_trusted, found)?;
        Some(end)
    }
}

/// Checks the address of a link; `None`, with an error, if nobody can be met there.
fn check(
    table: &str,
    end: &LinkEnd,
    (key, node): (&str, &Node),
    is_trusted: bool,
    found: &mut Diagnostics,
) -> Option<()> {
    let address = match end.address() {
        LinkAddress::Tcp(address) | LinkAddress::Auto(address) | LinkAddress::Udp(address) => address,
        LinkAddress::Unix(_) | LinkAddress::Shm(_) => return Some(()),
        LinkAddress::Zenoh(address) => return check_zenoh(table, end, &address, node, is_trusted, found),
    };
    let (ip, port) = (address.ip(), address.port());
    let elsewhere = match end {
        LinkEnd::Join(group) => {
            let stays = group.ttl == 0 || group.interface.as_deref() == Some("lo");
            if stays {
                return Some(());
            }
            "write `ttl = 0`, and nothing leaves this computer".to_owned()
        }
        LinkEnd::Listen(_) | LinkEnd::Connect(_) if ip.is_multicast() => {
            let error = Diagnostic::error(format!("`{key}` names {ip}, which is a group of many programs"));
            let help = format!("write `join = \"udp:{address}\"`, as all members of the group do");
            found.push(error.at(&node.place, "").help(help));
            return None;
        }
        LinkEnd::Connect(_) if ip.is_unspecified() || port == 0 => {
            found.push(not_reachable(&address, node));
            return None;
        }
        LinkEnd::Listen(_) | LinkEnd::Connect(_) => {
            format!("meet at `tcp:127.0.0.1:{port}`, through `ssh -L {port}:127.0.0.1:{port} HOST`")
        }
    };
    let warning = beyond_this_computer(table, ip, &elsewhere, node).filter(|_| !is_trusted);
    warning.into_iter().for_each(|warning| found.push(warning));
    Some(())
}

/// Checks an address of Zenoh; `None`, with an error, if nobody can be met there.
fn check_zenoh(
    table: &str,
    end: &LinkEnd,
    address: &str,
    node: &Node,
    is_trusted: bool,
    found: &mut Diagnostics,
) -> Option<()> {
    let place = ZenohAddress::read(address)?;
    if matches!(end, LinkEnd::Connect(_)) && (place.is_any() || place.port == 0) {
        found.push(not_reachable(&address, node));
        return None;
    }
    if !is_trusted && !place.is_of_this_computer() {
        let port = place.port;
        let elsewhere = format!("meet at `zenoh:tcp/127.0.0.1:{port}`, through `ssh -L {port}:127.0.0.1:{port} HOST`");
        found.push(warning_of_network(table, &elsewhere, node));
    }
    Some(())
}

fn not_reachable(address: &dyn fmt::Display, node: &Node) -> Diagnostic {
    let error = Diagnostic::error(format!("{address} cannot be reached"));
    error.at(&node.place, "").help("write the address and the port at which the other side listens")
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
        "auto" => socket().map(LinkAddress::Auto),
        "udp" => socket().map(LinkAddress::Udp),
        "zenoh" if ZenohAddress::read(place).is_some() => Ok(LinkAddress::Zenoh(place.to_owned())),
        "zenoh" => Err(Refusal::new(node, "`zenoh:` and an address of Zenoh over TCP")
            .help("such as \"zenoh:tcp/127.0.0.1:7447\" or \"zenoh:tcp/robot.local:7447\"")),
        "unix" | "shm" if place.starts_with('/') && place.len() <= LONGEST_PATH && !place.contains('\0') => {
            let place = place.into();
            Ok(if kind == "shm" { LinkAddress::Shm(place) } else { LinkAddress::Unix(place) })
        }
        "unix" | "shm" => Err(refusal(&format!("`{kind}:` and an absolute file name of at most {LONGEST_PATH} bytes"))),
        _ => Err(refusal("an address that begins with `unix:`, `shm:`, `tcp:`, `auto:`, `udp:` or `zenoh:`")),
    }
}

/// Reads the address of a group.
fn group(node: &Node) -> Reading<'_, SocketAddr> {
    let address = node.text().and_then(|text| text.strip_prefix("udp:")).and_then(|text| text.parse().ok());
    address.filter(|address: &SocketAddr| address.ip().is_multicast() && address.port() != 0).ok_or_else(|| {
        let expected = "`udp:`, the address of a group (224.0.0.0 to 239.255.255.255, or ff00::/8), `:` and a port";
        Refusal::new(node, expected).help("such as \"udp:239.255.74.1:7400\", or \"udp:[ff15::7a]:7400\"")
    })
}

/// Reads the name of a network interface.
fn interface(node: &Node) -> Reading<'_, String> {
    let is_name = |name: &String| {
        let is_address = name.parse::<IpAddr>().is_ok();
        !is_address && name.len() <= LONGEST_INTERFACE && !name.contains(['/', '\0'])
    };
    let name = text(node).ok().filter(is_name);
    name.ok_or_else(|| {
        let refusal =
            Refusal::new(node, format!("the name of a network interface, of at most {LONGEST_INTERFACE} bytes"));
        refusal.help("such as \"wlan0\" or \"eth0\"; `ip address` lists them")
    })
}
