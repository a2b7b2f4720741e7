//! `log extract-cycle`: a run of a module, as a test.

use hemiola_words::bytes;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use hemiola_log::{LogCompression, LogWriter, Origin};
use hemiola_model::Time;
use hemiola_model::cdr::MessageSchema;
use hemiola_model::module::{ArgumentDescriptor, ArgumentKind, ModuleDescriptor, PortRole, registry};
use hemiola_plan::{TaskGraph, TaskKind};
use hemiola_runtime::{CyclePart, Observation, Piece, PieceKind, Robot, RunRecord, Script, Stepper};

use super::progress::read_log;
use crate::command_line::log::ExtractArguments;
use crate::commands::{check, print};
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;
use hemiola_recording::extracted::{AFTER, BEFORE, Extracted, OUTPUT, PARAMETER, RUN, input_topic};
use hemiola_recording::recorder::as_json;
use hemiola_recording::replay::{Beginning, Fidelity, Replay, ReplayLog};

pub fn extract(program: &Program, arguments: &ExtractArguments) -> Result<ExitCode, CommandError> {
    let path = &arguments.log;
    let modules = registry::modules();
    let module = modules.iter().find(|module| module.name() == arguments.module);
    let names = modules.iter().map(|module| module.name());
    let module = module.ok_or_else(|| CommandError::unknown("module", &arguments.module, names))?;
    check_ports(module)?;
    let recording = read_log(path)?;
    let run = wanted(path, &recording, arguments)?.clone();
    let Session { robot, warnings, .. } = Session::open(program, &arguments.configuration)?;
    check::warn(&warnings, &[]);
    let Replay { robot, fidelity, warnings, .. } = Replay::of(robot, &recording, Beginning::Before(run.now), &[])?;
    warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
    if let Fidelity::DueTimes(reason) = fidelity {
        return Err(CommandError::Usage(format!("its runs cannot be repeated: {reason}")));
    }
    let order = order(&robot, &run.cycle, module)?;
    let parameters = robot.configuration().modules.get(module.name()).map(|module| module.parameters.clone());
    let mut stepper = robot.into_stepper()?;
    let (before, after) = parts(&mut stepper, &run)?;

    let mut facts = BTreeMap::from([
        ("module".to_owned(), module.name().to_owned()),
        ("cycle".to_owned(), (*run.cycle).to_owned()),
        ("run".to_owned(), run.run.to_string()),
        ("now_ns".to_owned(), run.now.nanoseconds().to_string()),
        ("step_ns".to_owned(), before.before.map_or(0, |last| run.now.since(last).as_nanos()).to_string()),
        ("safe_state".to_owned(), run.safe_state.is_active().to_string()),
        ("order".to_owned(), order.join(" ")),
    ]);
    let parameters = parameters.unwrap_or_default();
    facts.extend(parameters.iter().map(|(name, value)| (format!("{PARAMETER}{name}"), as_json(value))));
    let mut pieces = Vec::new();
    let state = |part: &CyclePart| part.piece(PieceKind::Module, module.name()).cloned();
    pieces.extend(state(&before).map(|piece| (BEFORE.to_owned(), piece)));
    pieces.extend(state(&after).map(|piece| (AFTER.to_owned(), piece)));
    let mut failed = Vec::new();
    for (update, index, argument) in arguments_of(module) {
        let end = argument.port().filter(|port| port.role() == PortRole::Subscribes);
        let read = argument.representation().map(|representation| representation.name());
        let Some(name) = read.or(end.map(|port| port.name())) else { continue };
        let own = |part: &CyclePart| part.piece(PieceKind::Value, name).cloned();
        let other = |kind| before.piece(kind, name).cloned();
        let piece = match argument.kind() {
            ArgumentKind::Provides => match own(&after) {
                Some(piece) if piece.views.iter().any(|view| view.is_stale) => {
                    failed.push(name);
                    continue;
                }
                piece => piece,
            },
            // What the cycle provides, its last run left as this update saw it.
            ArgumentKind::Requires => own(&after).or_else(|| other(PieceKind::Input)),
            ArgumentKind::Uses => own(&before).or_else(|| other(PieceKind::Input)),
            ArgumentKind::Collects => other(PieceKind::Samples),
            ArgumentKind::Port => {
                let number = stepper.end_number(&run.cycle, module.name(), update, index);
                let is_own = |piece: &&Piece| {
                    piece.kind == PieceKind::Messages && *piece.name == *name && Some(piece.number) == number
                };
                before.pieces.iter().find(is_own).cloned()
            }
            ArgumentKind::Service => continue,
        };
        let piece = piece.ok_or_else(|| {
            CommandError::Usage(format!("{} cannot be taken out of the log: {name} is opaque", module.name()))
        })?;
        let topic = input_topic(argument.kind()).unwrap_or(OUTPUT);
        facts.insert(format!("views{topic}{name}"), views(&piece));
        pieces.push((format!("{topic}{name}"), piece));
    }
    facts.insert("failed".to_owned(), failed.join(" "));

    let stem = format!("{}_{}", snake_case(module.name()), run.run);
    let data = arguments.output.join("extracted").join(format!("{stem}.mcap"));
    let test = arguments.output.join(format!("{stem}.rs"));
    write(&data, facts, &pieces)?;
    fs::write(&test, text(module, &run, path, &stem))
        .map_err(|error| CommandError::Write { path: test.clone(), error })?;
    let size = fs::metadata(&data).map(|data| data.len()).unwrap_or_default();
    print(&format!(
        "{}: run {} of {}, at {}, with {} ({})\n",
        test.display(),
        run.run,
        run.cycle,
        run.now,
        data.display(),
        bytes(size)
    ))?;
    let repeated = Extracted::open(&data).and_then(|extracted| extracted.check());
    repeated.map_err(|error| CommandError::Usage(format!("the test fails already: {error}")))?;
    Ok(ExitCode::SUCCESS)
}

/// What a service answers is not in the data.
fn check_ports(module: &ModuleDescriptor) -> Result<(), CommandError> {
    let mut ports = arguments_of(module).filter_map(|(_, _, argument)| argument.port());
    match ports.find(|port| port.role() == PortRole::Calls) {
        None => Ok(()),
        Some(port) => Err(CommandError::Usage(format!(
            "a run of {} cannot be repeated alone: it asks service {}, whose answers are not in the log",
            module.name(),
            port.name()
        ))),
    }
}

/// With the index of the update, and that of the argument.
fn arguments_of(module: &ModuleDescriptor) -> impl Iterator<Item = (usize, usize, &ArgumentDescriptor)> {
    let updates = module.updates().iter().enumerate();
    updates.flat_map(|(update, of)| {
        of.arguments().iter().enumerate().map(move |(index, argument)| (update, index, argument))
    })
}

fn wanted<'r>(
    path: &Path,
    recording: &'r ReplayLog,
    arguments: &ExtractArguments,
) -> Result<&'r RunRecord, CommandError> {
    let script = recording.script().map_err(|reason| CommandError::Usage(format!("{}: {reason}", path.display())))?;
    let runs = || Script::written(script).iter().filter(|run| *run.cycle == arguments.cycle);
    let found = runs().find(|run| run.run == arguments.run);
    found.map(AsRef::as_ref).ok_or_else(|| {
        let cycles: std::collections::BTreeSet<_> = script.written().iter().map(|run| &*run.cycle).collect();
        match (runs().next(), runs().next_back()) {
            (Some(first), Some(last)) => CommandError::Usage(format!(
                "there is no run {} of {}; there are {} to {}",
                arguments.run, arguments.cycle, first.run, last.run
            )),
            _ => CommandError::unknown("cycle", &arguments.cycle, cycles),
        }
    })
}

/// The updates of a module as its cycle runs them.
fn order(robot: &Robot, cycle: &str, module: &ModuleDescriptor) -> Result<Vec<&'static str>, CommandError> {
    let mut resolved = robot.resolved().cycles.iter();
    let cycle = resolved.find(|resolved| resolved.name == cycle);
    let cycle = cycle.ok_or_else(|| CommandError::Usage("there is no such cycle any more".to_owned()))?;
    let graph = TaskGraph::of(cycle);
    let order = graph.topological_order();
    let mut updates: Vec<_> = cycle.updates.iter().filter(|update| update.module == module.name()).collect();
    if updates.is_empty() {
        return Err(CommandError::Usage(format!("{} does not run in cycle `{}`", module.name(), cycle.name)));
    }
    updates.sort_by_key(|update| {
        let task = graph.find(TaskKind::Update(update.id));
        order.iter().position(|&next| Some(next) == task)
    });
    Ok(updates.iter().filter_map(|update| Some(module.updates().get(update.id.update)?.name())).collect())
}

/// What the cycle's run began with, and what the next one did.
fn parts(stepper: &mut Stepper, run: &RunRecord) -> Result<(CyclePart, CyclePart), CommandError> {
    let around = Observation::default().with_checkpoints_around(&*run.cycle, run.run).complete();
    let mut seen = stepper.handle().observe(around)?;
    let mut found = Vec::new();
    while found.len() < 2 && stepper.step().is_some() {
        found.extend(std::iter::from_fn(|| seen.next_part()));
    }
    let reason = stepper.failure().map_or_else(|| "the log ends with it".to_owned(), str::to_owned);
    let mut found = found.into_iter();
    match (found.next(), found.next()) {
        (Some(before), Some(after)) => match before.missing.first().or(after.missing.first()) {
            Some(missing) => Err(CommandError::Usage(format!("{missing} found no room"))),
            None => Ok((before, after)),
        },
        _ => Err(CommandError::Usage(format!("run {} of {} cannot be taken out: {reason}", run.run, run.cycle))),
    }
}

fn views(piece: &Piece) -> String {
    let views = piece.views.iter().map(|view| {
        let stale = if view.is_stale { "!" } else { "" };
        format!("{}{stale}", view.stamp.nanoseconds())
    });
    views.collect::<Vec<_>>().join(" ")
}

fn write(path: &Path, facts: BTreeMap<String, String>, pieces: &[(String, Piece)]) -> Result<(), CommandError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|error| CommandError::Write { path: folder.to_owned(), error })?;
    }
    let mut log = LogWriter::create(path, LogCompression::Zstd)?;
    log.metadata(RUN, facts)?;
    let mut written = std::collections::BTreeSet::new();
    for (topic, piece) in pieces.iter().filter(|(topic, _)| written.insert(topic.clone())) {
        let channel = log.channel(topic, &MessageSchema::of(&piece.name, &piece.data_type))?;
        log.write(channel, Origin { sequence: 0, logged: Time::ZERO, published: Time::ZERO }, &piece.bytes)?;
    }
    log.finish()?;
    Ok(())
}

fn text(module: &ModuleDescriptor, run: &RunRecord, log: &Path, stem: &str) -> String {
    let package = module.path().split("::").next().unwrap_or(module.path());
    let (name, file) = (snake_case(module.name()), log.file_name().unwrap_or_default().to_string_lossy());
    let (number, cycle, now) = (run.run, &run.cycle, run.now);
    format!(
        r#"//! Run {number} of {cycle}, at {now} of {file}: {module} does what it did. Written by `log extract-cycle`.

use hemiola::testing::Extracted;
use {package} as _; // its modules

#[test]
fn {name}_does_in_run_{number}_what_it_did() {{
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/extracted/{stem}.mcap");
    Extracted::open(path).unwrap().check().unwrap();
}}
"#,
        module = module.name()
    )
}

/// `BallFilter` to `ball_filter`.
fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}
