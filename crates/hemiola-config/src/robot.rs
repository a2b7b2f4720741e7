//! Conversion of a checked tree of [`Node`]s into the typed [`Configuration`].

mod analysis;
mod cycles;
pub(crate) mod deploy;
mod executors;
pub(crate) mod hosts;
mod links;
mod log;
pub(crate) mod modules;
mod page;
mod parameters;
mod processes;
mod replay;
mod reservation;
mod ros2;
mod zenoh;

use hemiola_model::configuration::{
    Configuration, GuardConfiguration, OutputConfiguration, SafeStateConfiguration, Scheduling,
};

use crate::catalog::Catalog;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Section, choice, duration, file_name, text, whole};

/// Reads the configuration, as far as the tree is valid. All errors are added to `found`.
pub(crate) fn read_robot(root: &Node, catalog: &Catalog, found: &mut Diagnostics) -> Configuration {
    let mut configuration = Configuration::default();
    let Some(mut robot) = Section::open("", root, found) else { return configuration };
    let cycles = robot.entries("cycle", found);
    let sources = robot.entries("source", found);
    let providers = robot.entries("providers", found);
    let modules = robot.entries("module", found);
    let executors = robot.entries("executor", found);
    let replay = robot.take("replay");
    let safe_state = robot.take("safe_state");
    let guard = robot.take("guard");
    let page = robot.take("page");
    let links = robot.entries("link", found);
    let ros2 = robot.take("ros2");
    let hosts = robot.entries("host", found);
    let deployments = robot.entries("deploy", found);
    let processes = robot.entries("process", found);
    let output = robot.take("output");
    let log = robot.take("log");
    let chains = robot.entries("chain", found);
    let analysis = robot.take("analysis");
    robot.finish(found);

    configuration.links = links::read_links(&links, catalog, found);
    if let Some(node) = ros2 {
        configuration.ros2 = ros2::read_ros2(node, catalog, found);
    }
    let with_links = links::with_sources(catalog, &configuration.links);
    let with_incoming = ros2::with_sources(with_links, configuration.ros2.as_ref());
    let catalog = &*with_incoming;
    configuration.sources = modules::read_sources(&sources, catalog, found);
    configuration.modules = modules::read_modules(&modules, catalog, found);
    configuration.executors = executors::read_executors(&executors, found);
    configuration.cycles = cycles::read_cycles(&cycles, catalog, found);
    configuration.processes = processes::read_processes(&processes, found);
    let known: Vec<_> = catalog.sources.iter().map(|source| source.name.as_str()).collect();
    configuration.hosts = hosts::read_hosts(&hosts, found);
    // A running robot does not use them, so they are only checked.
    deploy::read_deployments(&deployments, &configuration.hosts, found);
    hosts::check_hosts(&hosts, &processes, &configuration, found);
    processes::check_processes(&processes, &configuration, &known, found);
    configuration.providers = modules::read_providers(&providers, catalog, found);
    if let Some(node) = replay {
        configuration.replay = replay::read_replay(node, catalog, found);
    }
    if let Some(node) = safe_state {
        configuration.safe_state = read_safe_state(node, found);
    }
    if let Some(node) = guard {
        configuration.guard = read_guard(node, found);
    }
    if let Some(node) = page {
        configuration.page = page::read_page(node, found);
    }
    if let Some(node) = output {
        configuration.output = read_output(node, found);
    }
    if let Some(node) = log {
        configuration.log = log::read_log(node, catalog, found);
    }
    configuration.chains = analysis::read_chains(&chains, catalog, found);
    if let Some(node) = analysis {
        configuration.analysis = analysis::read_analysis(node, catalog, found);
    }
    // Without `cores`, this may not be the computer that the robot runs on.
    if let Some(cores) = configuration.analysis.cores {
        let named = executors.iter().filter_map(|(name, node)| Some((*node, configuration.executors.get(*name)?)));
        reservation::check_admission(named, cores, found);
    }
    cycles::check_sources_are_enabled(&cycles, &sources, &configuration, found);
    if !found.has_errors() {
        cycles::warn_of_idle_modules(&configuration, catalog, found);
    }
    configuration
}

fn read_safe_state(node: &Node, found: &mut Diagnostics) -> SafeStateConfiguration {
    let mut safe_state = SafeStateConfiguration::default();
    let Some(mut section) = Section::open("safe_state", node, found) else { return safe_state };
    if let Some(within) = section.read("within", duration, found) {
        safe_state.within = within;
    }
    section.finish(found);
    safe_state
}

fn read_guard(node: &Node, found: &mut Diagnostics) -> Option<GuardConfiguration> {
    const MOST_RESTARTS: usize = 1000;
    let mut section = Section::open("guard", node, found)?;
    let is_there = section.peek("command").is_some();
    let command = section.list("command", "a program and its arguments, such as [\"./stop-motors\"]", text, found);
    let beat = section.read("beat", duration, found);
    let restarts = section.read("restarts", whole(0..=MOST_RESTARTS), found);
    section.finish(found);
    if command.is_empty() {
        if !is_there {
            let error =
                Diagnostic::error("`[guard]` does not say `command`: what stops the robot when its process dies");
            found
                .push(error.at(&node.key, "").help("add `command = [\"./stop-motors\"]`, a program and its arguments"));
        }
        return None;
    }
    let mut guard = GuardConfiguration::new(command);
    guard.beat = beat.unwrap_or(guard.beat);
    guard.restarts = restarts.map_or(guard.restarts, |restarts| restarts as u32);
    Some(guard)
}

fn read_output(node: &Node, found: &mut Diagnostics) -> OutputConfiguration {
    let Some(mut section) = Section::open("output", node, found) else { return OutputConfiguration::default() };
    let output = OutputConfiguration {
        trace: section.read("trace", file_name, found),
        profile: section.read("profile", file_name, found),
        statistics: section.read("statistics", file_name, found),
    };
    section.finish(found);
    output
}

#[derive(Clone, Copy)]
enum Policy {
    Fifo,
    RoundRobin,
    TimeSharing,
}

const POLICIES: &[(&str, Policy)] =
    &[("fifo", Policy::Fifo), ("round-robin", Policy::RoundRobin), ("time-sharing", Policy::TimeSharing)];

/// Reads `policy` and `priority`: a priority alone means SCHED_FIFO. `None` if neither is written.
fn read_scheduling(section: &mut Section<'_>, found: &mut Diagnostics) -> Option<Scheduling> {
    let (policy_node, priority_node) = (section.peek("policy"), section.peek("priority"));
    let policy = section.read("policy", choice(POLICIES), found);
    let priority = section.read("priority", whole(1..=99), found).map(|priority| priority as u8);
    let scheduling = match (policy, priority) {
        (None, None) | (Some(Policy::TimeSharing), None) => Scheduling::TimeSharing,
        (None | Some(Policy::Fifo), Some(priority)) => Scheduling::Fifo(priority),
        (Some(Policy::RoundRobin), Some(priority)) => Scheduling::RoundRobin(priority),
        (Some(Policy::TimeSharing), Some(_)) => {
            if let (Some(policy), Some(priority)) = (policy_node, priority_node) {
                let message =
                    format!("`[{}]`: a priority has no meaning with the policy \"time-sharing\"", section.path());
                found.push(
                    Diagnostic::error(message)
                        .at(&priority.place, "this priority")
                        .related(&policy.place, "this policy")
                        .help("leave out the priority, or use the policy \"fifo\" or \"round-robin\""),
                );
            }
            Scheduling::TimeSharing
        }
        (Some(Policy::Fifo | Policy::RoundRobin), None) => {
            // A priority that is there and wrong has been reported already.
            if let (Some(policy), None) = (policy_node, priority_node) {
                let message = format!("`[{}]`: the policy {} needs a priority", section.path(), policy.place.text());
                found.push(
                    Diagnostic::error(message)
                        .at(&policy.place, "")
                        .help("add `priority = 80`: 1 is the lowest, 99 the highest"),
                );
            }
            Scheduling::TimeSharing
        }
    };
    policy_node.or(priority_node).map(|_| scheduling)
}

/// Reads `cores`: processor cores by number.
fn read_cores(section: &mut Section<'_>, found: &mut Diagnostics) -> Vec<usize> {
    const HIGHEST: usize = 1023;
    section.list("cores", "a list of processor cores, such as [0, 1]", whole(0..=HIGHEST), found)
}
