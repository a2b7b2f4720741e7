//! `[host.*]`: the computers that a robot's processes run on.

use std::collections::BTreeSet;
use std::net::IpAddr;

use hemiola_model::configuration::{Configuration, HostConfiguration};

use super::links::beyond_this_computer;
use super::processes::{LONGEST_NAME, is_plain};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Reading, Refusal, Section, boolean, suggest_at, whole};

/// The highest first port: each pair of processes needs one of the ports that follow.
const HIGHEST_PORT: usize = 65_000;

pub(crate) fn read_hosts(hosts: &[(&str, &Node)], found: &mut Diagnostics) -> Vec<HostConfiguration> {
    hosts.iter().filter_map(|(name, node)| read_host(name, node, found)).collect()
}

fn read_host(name: &str, node: &Node, found: &mut Diagnostics) -> Option<HostConfiguration> {
    let mut section = Section::open(&format!("host.{name}"), node, found)?;
    let place = section.peek("address");
    let address = section.read("address", address, found);
    let port = section.read("port", whole(1..=HIGHEST_PORT), found).map(|port| port as u16);
    let is_trusted = section.read("trusted_network", boolean, found).unwrap_or(false);
    section.finish(found);
    if !is_plain(&name.replace('.', "-")) {
        let error = Diagnostic::error(format!("`{name}` cannot be the name of a host"));
        let help = format!("it has up to {LONGEST_NAME} letters, digits, `-`, `_` and `.`");
        found.push(error.at(&node.key, "").help(help));
    }
    let Some(place) = place else {
        let error = Diagnostic::error(format!("`[host.{name}]` does not say where others reach it"));
        found.push(error.at(&node.key, "").help("add `address = \"10.0.0.2\"`"));
        return None;
    };
    let mut host = HostConfiguration::new(name, address?);
    host.port = port.unwrap_or(host.port);
    if !is_trusted {
        let elsewhere = "give the hosts a network of their own, such as a cable or a VPN";
        let warning = beyond_this_computer(&format!("host.{name}"), host.address, elsewhere, place);
        warning.into_iter().for_each(|warning| found.push(warning));
    }
    Some(host)
}

fn address(node: &Node) -> Reading<'_, IpAddr> {
    let refusal = || {
        let refusal = Refusal::new(node, "an IP address of that host, such as \"10.0.0.2\"");
        refusal.help("names are not resolved, because they would have to be before the robot can begin")
    };
    let address = node.text().and_then(|text| text.parse().ok());
    address.filter(|address: &IpAddr| !address.is_unspecified()).ok_or_else(refusal)
}

/// Checks that processes run on hosts that exist, and that no two hosts share an address and ports.
pub(super) fn check_hosts(
    hosts: &[(&str, &Node)],
    processes: &[(&str, &Node)],
    configuration: &Configuration,
    found: &mut Diagnostics,
) {
    let names: BTreeSet<&str> = hosts.iter().map(|(name, _)| *name).collect();
    for (_, process) in processes {
        let Some(node) = process.table().and_then(|table| table.get("host")) else { continue };
        if let Some(name) = node.text().filter(|name| !names.contains(name)) {
            let error = Diagnostic::error(format!("unknown host `{name}`"));
            let error = match names.is_empty() {
                true => error.at(&node.place, "").help(format!("add `[host.{name}]` with its `address`")),
                false => suggest_at(error, &node.place, name, names.iter().copied(), "there are"),
            };
            found.push(error);
        }
    }
    if let Some((name, node)) = hosts.first().filter(|_| processes.is_empty()) {
        let error = Diagnostic::error(format!("there is `[host.{name}]`, but the robot is a single process"));
        let help = "write which of its cycles run elsewhere: `[process.NAME]` with `cycles` and `host`";
        found.push(error.at(&node.key, "").help(help));
    }
    for (at, host) in configuration.hosts.iter().enumerate() {
        let is_same = |other: &&HostConfiguration| (other.address, other.port) == (host.address, host.port);
        if let Some(other) = configuration.hosts[..at].iter().find(is_same)
            && let Some((_, node)) = hosts.iter().find(|(name, _)| *name == host.name)
        {
            let message = format!("the hosts `{}` and `{}` have the same address", other.name, host.name);
            found.push(Diagnostic::error(message).at(&node.key, "").help("leave one of them out, or correct it"));
        }
    }
}
