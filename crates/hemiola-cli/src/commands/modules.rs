//! `modules`: cycles, their modules, and what each update reads and provides.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::ExitCode;

use hemiola_model::module::{PortRole, Update, registry};
use hemiola_plan::{
    CycleDescription, ModuleDescription, ResolvedCycle, SourceDescription, UpdateDescription, UpdateId,
};

use serde_json::{Value, json};

use super::check::{runs, trigger};
use super::{print, print_json, wrapped};
use crate::command_line::ModulesArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;

pub fn modules(program: &Program, arguments: &ModulesArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(program, &arguments.configuration)?;
    if arguments.json {
        return print_json(&as_json(&session));
    }
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
    let ports = ports_of(module);
    let _ = writeln!(text, "  {}  {}", module.name, module.location.as_deref().unwrap_or_default());
    let width = module.updates.iter().map(|update| update.name.chars().count()).max().unwrap_or(0);
    for (index, update) in module.updates.iter().enumerate() {
        let idle = if is_idle(index) { "  (idle: another module provides it)" } else { "" };
        let signature = wrapped(&(signature(update, &ports(index)) + idle), width + 6);
        let _ = writeln!(text, "    {:width$}  {signature}", update.name);
    }
}

/// Returns the ends of topics and services that each update of a module has.
fn ports_of(module: &ModuleDescription) -> impl Fn(usize) -> Ports {
    let linked = registry::modules().into_iter().find(|linked| linked.name() == module.name);
    move |update| linked.as_ref().and_then(|linked| linked.updates().get(update)).map(Ports::of).unwrap_or_default()
}

/// The names of the topics and services of which an update has ends.
#[derive(Default)]
struct Ports {
    hears: Vec<String>,
    tells: Vec<String>,
    asks: Vec<String>,
}

impl Ports {
    fn of(update: &Update) -> Self {
        let mut ports = Self::default();
        for port in update.arguments().iter().filter_map(|argument| argument.port()) {
            match port.role() {
                PortRole::Subscribes => ports.hears.push(port.name().to_owned()),
                PortRole::Publishes => ports.tells.push(port.name().to_owned()),
                PortRole::Calls => ports.asks.push(port.name().to_owned()),
            }
        }
        ports
    }
}

/// Returns what an update reads and provides, in the notation of its signature: `Imu,
/// Previous<Pose>, Samples<Joints> → Pose, Publisher<Fell>`.
fn signature(update: &UpdateDescription, ports: &Ports) -> String {
    let wrapped = |form: &str, names: &[String]| -> Vec<String> {
        names.iter().map(|name| if form.is_empty() { name.clone() } else { format!("{form}<{name}>") }).collect()
    };
    let reads =
        [wrapped("", &update.requires), wrapped("Previous", &update.uses), wrapped("Samples", &update.collects)];
    let reads = [reads.concat(), wrapped("Subscription", &ports.hears)].concat().join(", ");
    let sends = [wrapped("Publisher", &ports.tells), wrapped("Requests", &ports.asks)].concat();
    let provides = [&*update.provides, &*sends].concat().join(", ");
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
        let (update, ports) = sample_of(source);
        let indent = source.name.chars().count() + 4;
        let _ = writeln!(text, "  {}  {}", source.name, wrapped(&signature(&update, &ports), indent));
    }
    text.push('\n');
}

/// Returns what a source reads and provides, as if its sample were an update.
fn sample_of(source: &SourceDescription) -> (UpdateDescription, Ports) {
    let provides: Vec<_> = source.samples.iter().flat_map(|sample| &sample.provides).cloned().collect();
    let reads: BTreeSet<_> = source.samples.iter().flat_map(|sample| &sample.reads).cloned().collect();
    let update = UpdateDescription { requires: reads.into_iter().collect(), provides, ..Default::default() };
    let linked = registry::sources().into_iter().find(|linked| linked.name() == source.name);
    (update, linked.map(|linked| Ports::of(linked.sample())).unwrap_or_default())
}

fn as_json(session: &Session) -> Value {
    let robot = &session.robot;
    let cycles = robot.description().cycles.iter().zip(&robot.resolved().cycles).zip(&robot.configuration().cycles);
    let cycles = cycles.map(|((described, resolved), configured)| {
        let modules = described.modules.iter().enumerate().map(|(module, description)| {
            let ports = ports_of(description);
            let updates = description.updates.iter().enumerate().map(|(update, description)| {
                let mut json = update_as_json(description, &ports(update));
                json["name"] = description.name.as_str().into();
                json["access"] = json!(description.access);
                json["idle"] = resolved.idle.contains(&UpdateId { module, update }).into();
                json
            });
            let updates: Vec<_> = updates.collect();
            json!({ "name": description.name, "location": description.location, "updates": updates })
        });
        let modules: Vec<_> = modules.collect();
        let deadline = configured.deadline.map(|deadline| deadline.as_nanos() as u64);
        json!({ "name": described.name, "runs": runs(configured), "deadline_ns": deadline, "modules": modules })
    });
    let sources = robot.description().sources.iter().map(|source| {
        let (update, ports) = sample_of(source);
        let mut json = update_as_json(&update, &ports);
        json["name"] = source.name.as_str().into();
        json
    });
    let spare = robot.description().spare.iter();
    let spare = spare.map(|module| json!({ "name": module.name, "location": module.location }));
    json!({
        "cycles": cycles.collect::<Vec<_>>(),
        "sources": sources.collect::<Vec<_>>(),
        "in_no_cycle": spare.collect::<Vec<_>>(),
    })
}

fn update_as_json(update: &UpdateDescription, ports: &Ports) -> Value {
    json!({
        "requires": update.requires,
        "uses": update.uses,
        "collects": update.collects,
        "provides": update.provides,
        "subscribes": ports.hears,
        "publishes": ports.tells,
        "calls": ports.asks,
    })
}
