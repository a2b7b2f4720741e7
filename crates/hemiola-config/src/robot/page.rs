//! The section `[page]`: the address at which people and tools reach the running robot.

use std::net::IpAddr;

use hemiola_model::configuration::PageConfiguration;

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Reading, Refusal, Section, boolean, folder_name, text, whole};

/// The length of the shortest token; a shorter one could be guessed.
const SHORTEST_TOKEN: usize = 16;

pub(crate) fn read_page(node: &Node, found: &mut Diagnostics) -> PageConfiguration {
    let mut page = PageConfiguration::default();
    let Some(mut section) = Section::open("page", node, found) else { return page };
    page.enabled = section.read("enabled", boolean, found).unwrap_or(page.enabled);
    page.address = section.read("address", address, found).unwrap_or(page.address);
    page.port = section.read("port", whole(1..=usize::from(u16::MAX)), found).map(|port| port as u16);
    page.hosts = section.list("hosts", "a list of names, such as [\"nao.local\"]", host, found);
    page.origins = section.list("origins", "a list of origins, such as [\"https://tools.example.org\"]", origin, found);
    let token = section.peek("token");
    page.token = section.read("token", text, found);
    if let (Some(node), Some(text)) = (token, &page.token)
        && text.len() < SHORTEST_TOKEN
    {
        let error = Diagnostic::error(format!("`token` has {} characters, so that it can be guessed", text.len()));
        found.push(
            error
                .at(&node.place, "")
                .help("remove it: then each run has a random one; or write at least 16 characters"),
        );
    }
    page.folder = section.read("folder", folder_name, found);
    section.finish(found);
    page
}

fn address(node: &Node) -> Reading<'_, IpAddr> {
    let refusal = || {
        let refusal = Refusal::new(node, "an address of this computer, such as \"127.0.0.1\"");
        refusal
            .help("\"0.0.0.0\" stands for all of its addresses: then the page can be reached over the network, with the token")
    };
    node.text().and_then(|text| text.parse().ok()).ok_or_else(refusal)
}

/// Reads a name as it is written in an address, without port and without slashes.
fn host(node: &Node) -> Reading<'_, String> {
    let is_name = |text: &&str| !text.is_empty() && !text.contains(['/', ':', ' ']);
    let name = node.text().filter(is_name).map(str::to_owned);
    name.ok_or_else(|| Refusal::new(node, "a name without port, such as \"nao.local\""))
}

fn origin(node: &Node) -> Reading<'_, String> {
    let is_origin = |text: &&str| {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        rest.is_some_and(|host| !host.is_empty() && !host.contains(['/', ' ', '*']))
    };
    let origin = node.text().filter(is_origin).map(str::to_owned);
    origin.ok_or_else(|| Refusal::new(node, "an origin as browsers send it, such as \"https://tools.example.org\""))
}
