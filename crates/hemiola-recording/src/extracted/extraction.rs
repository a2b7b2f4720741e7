//! The extraction of a module's run from a log.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use hemiola_log::{LogCompression, LogWriter, Origin};
use hemiola_model::Time;
use hemiola_model::cdr::MessageSchema;
use hemiola_model::module::{ArgumentDescriptor, ArgumentKind, ModuleDescriptor, PortRole, registry};
use hemiola_plan::{TaskGraph, TaskKind};
use hemiola_runtime::{CyclePart, Observation, Piece, PieceKind, Robot, RunRecord, Script, Stepper};

use super::package::Package;
use super::{AFTER, BEFORE, Extracted, ExtractedError, OUTPUT, PARAMETER, RUN, input_topic};
use crate::recorder::as_json;
use crate::replay::{Beginning, Fidelity, Replay, ReplayLog};

/// A run of a module that is to be extracted from a log.
///
/// ```no_run
/// use hemiola_recording::extracted::{ExtractedError, Extraction};
/// use hemiola_recording::replay::ReplayLog;
///
/// # fn show(robot: hemiola_runtime::Robot) -> Result<(), ExtractedError> {
/// let wanted = Extraction::of("BallFilter", "cognition", 1234)?;
/// let log = ReplayLog::read("game.mcap".as_ref())?;
/// let files = wanted.write(robot, &log, "tests".as_ref(), |warning| eprintln!("warning: {warning}"))?;
/// println!("cargo test runs {} from now on", files.test.display());
/// # Ok(())
/// # }
/// ```
pub struct Extraction {
    module: ModuleDescriptor,
    cycle: String,
    run: u32,
    /// Set if the files of an earlier extraction are replaced.
    replaces: bool,
}

/// The files of a run that was extracted from a log.
pub struct ExtractedFiles {
    /// The path of the test.
    pub test: PathBuf,
    /// The path of the data that the test reads.
    pub data: PathBuf,
    /// The record of the inputs with which the run began.
    pub run: RunRecord,
}

impl Extraction {
    /// Selects a run of a module that is linked into this program.
    ///
    /// # Errors
    /// Returns an error if there is no such module, or if it calls services, whose answers no log
    /// contains.
    pub fn of(module: &str, cycle: impl Into<String>, run: u32) -> Result<Self, ExtractedError> {
        let mut modules = registry::modules();
        let Some(index) = modules.iter().position(|known| known.name() == module) else {
            let known = modules.iter().map(|module| module.name().to_owned()).collect();
            return Err(ExtractedError::UnknownModule { name: module.to_owned(), known });
        };
        let module = modules.swap_remove(index);
        let ports = || arguments_of(&module).filter_map(|(_, _, argument)| argument.port());
        if let Some(port) = ports().find(|port| port.role() == PortRole::Calls) {
            let service = port.name().to_owned();
            return Err(ExtractedError::AsksService { module: module.name().to_owned(), service });
        }
        Ok(Self { module, cycle: cycle.into(), run, replaces: false })
    }

    /// Makes [`write`](Self::write) replace the files of an earlier extraction of the run.
    #[must_use]
    pub fn replacing(self) -> Self {
        Self { replaces: true, ..self }
    }

    /// Returns the record of the inputs with which the run began.
    ///
    /// # Errors
    /// Returns an error that lists the runs of the log if this one is not among them.
    pub fn find<'r>(&self, log: &'r ReplayLog) -> Result<&'r RunRecord, ExtractedError> {
        let path = || log.split().first().to_owned();
        let script = log.script().map_err(|reason| ExtractedError::WithoutRuns { log: path(), reason })?;
        let runs = || Script::written(script).iter().filter(|run| *run.cycle == self.cycle);
        if let Some(found) = runs().find(|run| run.run == self.run) {
            return Ok(found);
        }
        match (runs().next(), runs().next_back()) {
            (Some(first), Some(last)) => {
                let (first, last) = (first.run, last.run);
                Err(ExtractedError::NoSuchRun { run: self.run, cycle: self.cycle.clone(), first, last })
            }
            _ => {
                let known: BTreeSet<_> = script.written().iter().map(|run| run.cycle.to_string()).collect();
                Err(ExtractedError::UnknownCycle { name: self.cycle.clone(), known: known.into_iter().collect() })
            }
        }
    }

    /// Replays the log with `robot` up to the run, and writes the module's inputs and outputs, and
    /// a test that repeats the run, into a folder of tests, if the test passes.
    ///
    /// # Errors
    /// Returns an error if tests in that folder cannot use the module's crate, the log does not
    /// have the run, the run cannot be repeated, a file cannot be written, or exists already and is
    /// not to be replaced, or the present module computes something else. No file is changed then.
    pub fn write(
        &self,
        robot: Robot,
        log: &ReplayLog,
        tests: &Path,
        mut on_warning: impl FnMut(&str),
    ) -> Result<ExtractedFiles, ExtractedError> {
        let run = self.find(log)?.clone();
        let package = Package::around(tests)?;
        match &package {
            Some(package) => {
                package.can_use("hemiola")?;
                package.can_use(self.crate_name())?;
            }
            None => on_warning(&format!(
                "{} is in no package (there is no Cargo.toml above it), so that no `cargo test` finds the test",
                tests.display()
            )),
        }
        let way = package.map_or_else(|| PathBuf::from("tests"), |package| package.way_to(tests));
        let stem = format!("{}_{}", snake_case(self.module.name()), run.run);
        let data = tests.join("extracted").join(format!("{stem}.mcap"));
        let test = tests.join(format!("{stem}.rs"));
        if let (false, Some(path)) = (self.replaces, [&data, &test].into_iter().find(|path| path.exists())) {
            return Err(ExtractedError::Exists { path: path.clone() });
        }
        let met = self.meet(robot, log, &run, on_warning)?;
        // The data of an earlier extraction stays until the new one is known to be good.
        let new = data.with_extension("new");
        _ = fs::remove_file(&new);
        met.write(&new)?;
        if let Err(error) = Extracted::open(&new).and_then(|extracted| extracted.check()) {
            // A file that cannot be removed is harmless, because no test reads it.
            _ = fs::remove_file(&new);
            return Err(ExtractedError::FailsAlready(Box::new(error)));
        }
        fs::rename(&new, &data).map_err(|error| ExtractedError::Write { path: data.clone(), error })?;
        let text = self.text(&run, log.split().first(), &way.join("extracted").join(format!("{stem}.mcap")));
        fs::write(&test, text).map_err(|error| ExtractedError::Write { path: test.clone(), error })?;
        Ok(ExtractedFiles { test, data, run })
    }

    /// Returns the crate of the module.
    fn crate_name(&self) -> &'static str {
        let path = self.module.path();
        path.split("::").next().unwrap_or(path)
    }

    /// Returns the text of the test; `data` is relative to its package.
    fn text(&self, run: &RunRecord, log: &Path, data: &Path) -> String {
        let (package, module) = (self.crate_name(), self.module.name());
        let (name, file) = (snake_case(module), log.file_name().unwrap_or_default().to_string_lossy());
        let (number, cycle, now, data) = (run.run, &run.cycle, run.now, format!("/{}", data.display()));
        format!(
            r#"//! Run {number} of {cycle}, at {now} of {file}: {module} does what it did. Written by `log extract-cycle`.

use hemiola::testing::Extracted;
use {package} as _; // its modules

#[test]
fn {name}_does_in_run_{number}_what_it_did() {{
    let path = concat!(env!("CARGO_MANIFEST_DIR"), {data:?});
    Extracted::open(path).unwrap().check().unwrap();
}}
"#
        )
    }

    /// Replays the log up to the run, and returns what the module received and computed.
    fn meet(
        &self,
        robot: Robot,
        log: &ReplayLog,
        run: &RunRecord,
        mut on_warning: impl FnMut(&str),
    ) -> Result<Met, ExtractedError> {
        let module = &self.module;
        let Replay { robot, fidelity, warnings, .. } = Replay::of(robot, log, Beginning::Before(run.now), &[])?;
        warnings.iter().for_each(|warning| on_warning(warning));
        if let Fidelity::DueTimes(reason) = fidelity {
            return Err(ExtractedError::NotRepeatable(reason));
        }
        let order = order(&robot, &run.cycle, module)?;
        let parameters = robot.configuration().modules.get(module.name()).map(|module| module.parameters.clone());
        let mut stepper = robot.into_stepper()?;
        let (before, after) = parts(&mut stepper, run)?;

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
                // A value that the cycle itself provides is the one that this update received.
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
                ArgumentKind::Service | ArgumentKind::SafeState => continue,
            };
            let piece = piece
                .ok_or_else(|| ExtractedError::Opaque { module: module.name().to_owned(), name: name.to_owned() })?;
            let topic = input_topic(argument.kind()).unwrap_or(OUTPUT);
            facts.insert(format!("views{topic}{name}"), views(&piece));
            pieces.push((format!("{topic}{name}"), piece));
        }
        facts.insert("failed".to_owned(), failed.join(" "));
        Ok(Met { facts, pieces })
    }
}

/// The inputs of a module in a run, and what it has computed.
struct Met {
    /// The metadata: everything that is not a value.
    facts: BTreeMap<String, String>,
    /// The values, each with its topic.
    pieces: Vec<(String, Piece)>,
}

impl Met {
    fn write(self, path: &Path) -> Result<(), ExtractedError> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| ExtractedError::Write { path: folder.to_owned(), error })?;
        }
        let mut log = LogWriter::create(path, LogCompression::Zstd)?;
        log.metadata(RUN, self.facts)?;
        let mut written = BTreeSet::new();
        for (topic, piece) in self.pieces.iter().filter(|(topic, _)| written.insert(topic.clone())) {
            let channel = log.channel(topic, &MessageSchema::of(&piece.name, &piece.data_type))?;
            log.write(channel, Origin { sequence: 0, logged: Time::ZERO, published: Time::ZERO }, &piece.bytes)?;
        }
        log.finish()?;
        Ok(())
    }
}

/// Returns all arguments of a module, with the indices of the update and the argument.
fn arguments_of(module: &ModuleDescriptor) -> impl Iterator<Item = (usize, usize, &ArgumentDescriptor)> {
    let updates = module.updates().iter().enumerate();
    updates.flat_map(|(update, of)| {
        of.arguments().iter().enumerate().map(move |(index, argument)| (update, index, argument))
    })
}

/// Returns the updates of a module in the order in which its cycle runs them.
fn order(robot: &Robot, cycle: &str, module: &ModuleDescriptor) -> Result<Vec<&'static str>, ExtractedError> {
    let not_there = || ExtractedError::NotInCycle { module: module.name().to_owned(), cycle: cycle.to_owned() };
    let resolved = robot.resolved().cycles.iter().find(|resolved| resolved.name == cycle).ok_or_else(not_there)?;
    let graph = TaskGraph::of(resolved);
    let order = graph.topological_order();
    let mut updates: Vec<_> = resolved.updates.iter().filter(|update| update.module == module.name()).collect();
    if updates.is_empty() {
        return Err(not_there());
    }
    updates.sort_by_key(|update| {
        let task = graph.find(TaskKind::Update(update.id));
        order.iter().position(|&next| Some(next) == task)
    });
    Ok(updates.iter().filter_map(|update| Some(module.updates().get(update.id.update)?.name())).collect())
}

/// Returns the parts at the beginning of the run, and of the next run of the cycle.
fn parts(stepper: &mut Stepper, run: &RunRecord) -> Result<(CyclePart, CyclePart), ExtractedError> {
    let around = Observation::default().with_checkpoints_around(&*run.cycle, run.run).complete();
    let mut seen = stepper.handle().observe(around)?;
    let mut found = Vec::new();
    while found.len() < 2 && stepper.step().is_some() {
        found.extend(std::iter::from_fn(|| seen.next_part()));
    }
    let mut found = found.into_iter();
    let (Some(before), Some(after)) = (found.next(), found.next()) else {
        let reason = stepper.failure().map_or_else(|| "the log ends with it".to_owned(), str::to_owned);
        return Err(ExtractedError::NotReached { run: run.run, cycle: run.cycle.to_string(), reason });
    };
    match before.missing.first().or(after.missing.first()) {
        Some(missing) => Err(ExtractedError::NoRoom { name: missing.to_string() }),
        None => Ok((before, after)),
    }
}

fn views(piece: &Piece) -> String {
    let views = piece.views.iter().map(|view| {
        let stale = if view.is_stale { "!" } else { "" };
        format!("{}{stale}", view.stamp.nanoseconds())
    });
    views.collect::<Vec<_>>().join(" ")
}

/// Converts `BallFilter` to `ball_filter`.
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
