//! `[deploy.*]`: the machines that a robot is copied to.

use hemiola_model::configuration::HostConfiguration;

use super::processes::{LONGEST_NAME, is_plain};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Reading, Refusal, Section, text};

/// A machine that a robot is copied to and started on, from `[deploy.NAME]` and `[host.NAME]`.
///
/// ```no_run
/// use hemiola_config::{LoadOptions, deployments};
///
/// for deployment in deployments(&LoadOptions::new("robot.toml"))? {
///     println!("{} is {}", deployment.name, deployment.destination);
/// }
/// # Ok::<(), hemiola_config::ConfigError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// The name of the table.
    pub name: String,
    /// The machine, as ssh takes it: `nao@10.0.0.2`, or a name of `~/.ssh/config`.
    pub destination: String,
    /// Set if the robot has a host of that name, whose processes run there.
    pub is_host: bool,
    /// The folder on that machine, absolute or from the user's home; `None`: the program's name.
    pub folder: Option<String>,
    /// The target that the program is built for, as rustc calls it; `None`: that of the machine.
    pub target: Option<String>,
    /// The overlays that the robot runs with there.
    pub overlays: Vec<String>,
    /// The files and folders that the robot reads, besides its configuration, from the folder of
    /// robot.toml.
    pub files: Vec<String>,
    /// The processor cores that all of the robot's threads may use; empty: all.
    pub cores: Vec<usize>,
}

impl Deployment {
    /// Creates the deployment to a machine that robot.toml does not name.
    pub fn to(destination: impl Into<String>) -> Self {
        let (is_host, folder, target, overlays, files, cores) = Default::default();
        let destination = destination.into();
        Self { name: destination.clone(), destination, is_host, folder, target, overlays, files, cores }
    }
}

/// Reads the tables, and adds the hosts that have none.
pub(crate) fn read_deployments(
    deployments: &[(&str, &Node)],
    hosts: &[HostConfiguration],
    found: &mut Diagnostics,
) -> Vec<Deployment> {
    let mut read: Vec<Deployment> =
        deployments.iter().filter_map(|(name, node)| read_deployment(name, node, hosts, found)).collect();
    for host in hosts {
        if !read.iter().any(|deployment| deployment.name == host.name) {
            let destination = host.address.to_string();
            read.push(Deployment { name: host.name.clone(), is_host: true, ..Deployment::to(destination) });
        }
    }
    read
}

fn read_deployment(
    name: &str,
    node: &Node,
    hosts: &[HostConfiguration],
    found: &mut Diagnostics,
) -> Option<Deployment> {
    let mut section = Section::open(&format!("deploy.{name}"), node, found)?;
    let machine = section.read("host", destination, found);
    let user = section.read("user", destination, found);
    let host = hosts.iter().find(|host| host.name == name);
    let machine = machine.or(host.map(|host| host.address.to_string())).unwrap_or_else(|| name.to_owned());
    let deployment = Deployment {
        name: name.to_owned(),
        destination: user.map_or_else(|| machine.clone(), |user| format!("{user}@{machine}")),
        is_host: host.is_some(),
        folder: section.read("folder", text, found),
        target: section.read("target", destination, found),
        overlays: section.list("overlays", "a list of overlays, such as [\"outdoor\"]", text, found),
        files: section.list("files", "a list of files and folders, such as [\"maps\"]", file_below, found),
        cores: super::read_cores(&mut section, found),
    };
    section.finish(found);
    if !is_plain(&name.replace('.', "-")) {
        let error = Diagnostic::error(format!("`{name}` cannot be the name of a machine"));
        let help =
            format!("it has up to {LONGEST_NAME} letters, digits, `-`, `_` and `.`; `host` is the destination of ssh");
        found.push(error.at(&node.key, "").help(help));
    }
    Some(deployment)
}

/// Reads a word that is an argument of another program: one that begins with `-` would be an
/// option there.
fn destination(node: &Node) -> Reading<'_, String> {
    let is_word = |text: &&str| !text.is_empty() && !text.starts_with('-') && !text.contains(char::is_whitespace);
    let word = node.text().filter(is_word).map(str::to_owned);
    word.ok_or_else(|| Refusal::new(node, "a word without spaces that does not begin with `-`"))
}

fn file_below(node: &Node) -> Reading<'_, String> {
    let is_below = |text: &&str| {
        !text.is_empty() && !text.starts_with(['/', '-']) && !text.split('/').any(|component| component == "..")
    };
    let file = node.text().filter(is_below).map(str::to_owned);
    file.ok_or_else(|| Refusal::new(node, "a file or folder below that of robot.toml, such as \"maps\""))
}
