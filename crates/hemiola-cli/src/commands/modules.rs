//! `modules`: cycles, their modules, and what each update reads and provides.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;

use hemiola_model::module::{PortRole, Update, registry};
use hemiola_plan::{CycleDescription, ModuleDescription, ResolvedCycle, UpdateDescription, UpdateId};

use super::check::trigger;
use super::{print, wrapped};
use crate::command_line::ModulesArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;

pub fn modules(program: &Program, arguments: &ModulesArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(program, &arguments.configuration)?;
    let robot = &session.robot;
    let mut text = String::new();
    for ((described, resolved), configured) in
        robot.description().cycles.iter().zip(&robot.resolved().cycles).zip(&robot.configuration().cycles)
    {
        let _ = writeln!(text, "{}  {}", described.name, trigger(configured));
        list_cycle(&mut text, described, resolved);
    }
    list_sources(&mut text, &session);
    for module in &robot.description().spare {
        let place = module.location.as_deref().unwrap_or_default();
        let _ = writeln!(text, "in no cycle: {}  {place}", module.name);
    }
    print(&text)
}

fn list_cycle(text: &mut String, described: &CycleDescription, resolved: &ResolvedCycle) {
    for (index, module) in described.modules.iter().enumerate() {
        let is_idle = |update: usize| resolved.idle.contains(&UpdateId { module: index, update });
        list_module(text, module, is_idle);
    }
    text.push('\n');
}

fn list_module(text: &mut String, module: &ModuleDescription, is_idle: impl Fn(usize) -> bool) {
    let linked = registry::modules().into_iter().find(|linked| linked.name() == module.name);
    let ports = |update: usize| linked.as_ref().and_then(|linked| linked.updates().get(update)).map(Ports::of);
    let _ = writeln!(text, "  {}  {}", module.name, module.location.as_deref().unwrap_or_default());
    let width = module.updates.iter().map(|update| update.name.chars().count()).max().unwrap_or(0);
    for (index, update) in module.updates.iter().enumerate() {
        let idle = if is_idle(index) { "  (idle: another module provides it)" } else { "" };
        let signature = wrapped(&(signature(update, &ports(index).unwrap_or_default()) + idle), width + 6);
        let _ = writeln!(text, "    {:width$}  {signature}", update.name);
    }
}

/// The ends of topics and services that an update has, in the words of its signature.
#[derive(Default)]
struct Ports {
    hears: Vec<String>,
    tells: Vec<String>,
}

impl Ports {
    fn of(update: &Update) -> Self {
        let mut ports = Self::default();
        for port in update.arguments().iter().filter_map(|argument| argument.port()) {
            match port.role() {
                PortRole::Subscribes => ports.hears.push(format!("Subscription<{}>", port.name())),
                PortRole::Publishes => ports.tells.push(format!("Publisher<{}>", port.name())),
                PortRole::Calls => ports.tells.push(format!("Requests<{}>", port.name())),
            }
        }
        ports
    }
}

/// Returns what an update reads and provides, in the words of its signature:
/// `Imu, Previous<Pose>, Samples<Joints> → Pose, Publisher<Fell>`.
fn signature(update: &UpdateDescription, ports: &Ports) -> String {
    let wrapped = |form: &str, names: &[String]| -> Vec<String> {
        names.iter().map(|name| if form.is_empty() { name.clone() } else { format!("{form}<{name}>") }).collect()
    };
    let reads =
        [wrapped("", &update.requires), wrapped("Previous", &update.uses), wrapped("Samples", &update.collects)];
    let reads = [reads.concat(), ports.hears.clone()].concat().join(", ");
    let provides = [&*update.provides, &*ports.tells].concat().join(", ");
    match (reads.is_empty(), provides.is_empty()) {
        (true, true) => "reads and provides nothing".to_owned(),
        (true, false) => format!("→ {provides}"),
        (false, true) => reads,
        (false, false) => format!("{reads} → {provides}"),
    }
}

fn list_sources(text: &mut String, session: &Session) {
    let sources = &session.robot.description().sources;
    if sources.is_empty() {
        return;
    }
    text.push_str("sources\n");
    for source in sources {
        let provides: Vec<_> = source.samples.iter().flat_map(|sample| &sample.provides).cloned().collect();
        let reads: BTreeSet<_> = source.samples.iter().flat_map(|sample| &sample.reads).cloned().collect();
        let update = UpdateDescription { requires: reads.into_iter().collect(), provides, ..Default::default() };
        let linked = registry::sources().into_iter().find(|linked| linked.name() == source.name);
        let ports = linked.map(|linked| Ports::of(linked.sample())).unwrap_or_default();
        let indent = source.name.chars().count() + 4;
        let _ = writeln!(text, "  {}  {}", source.name, wrapped(&signature(&update, &ports), indent));
    }
    text.push('\n');
}
