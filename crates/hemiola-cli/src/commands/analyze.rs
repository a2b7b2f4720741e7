//! `analyze`: whether everything meets its deadline, and the evidence for that.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola_analysis::sensitivity::{self, Relief, Room};
use hemiola_analysis::{System, TimeSpan, WhatIfError};
use hemiola_runtime::Robot;
use hemiola_trace::{HeldUp, Known};
use hemiola_words::duration;
use serde_json::{Value, json};

use super::print_or_write;
use crate::command_line::{AnalyzeArguments, AnalyzeFormat, ConfigurationArguments};
use crate::error::CommandError;
use crate::program::Program;
use crate::session::{Session, histories};
use hemiola_insight::profile;
use hemiola_insight::{
    Burst, Derived, Findings, Knowledge, Origin, OverLinks, Verdict, What, as_json, basis, derive, side_by_side, table,
};

pub fn analyze(program: &Program, arguments: &AnalyzeArguments) -> Result<ExitCode, CommandError> {
    let subject = match &arguments.system {
        Some(path) => Subject::of_file(path)?,
        None => Subject::of_robot(program, arguments)?,
    };
    let now = subject.findings(&subject.system);
    if arguments.format() == AnalyzeFormat::Toml {
        return print_or_write(&subject.system.to_toml(), arguments.output.as_deref());
    }
    let relief = sensitivity::relief(&subject.system, &now.analysis);
    let rooms = if arguments.tasks { rooms(&subject.system) } else { Vec::new() };
    let mut changed = Vec::new();
    for change in &arguments.what_if {
        let system =
            change.applied_to(&subject.system).map_err(|error: WhatIfError| CommandError::Usage(error.to_string()))?;
        changed.push((change.text(), subject.findings(&system), system));
    }
    if arguments.format() == AnalyzeFormat::Json {
        print_or_write(&(subject.json(&now, &relief, &rooms, &changed) + "\n"), arguments.output.as_deref())?;
    } else {
        let changed: Vec<_> = changed.into_iter().map(|(text, findings, _)| (text, findings)).collect();
        let mut text = match changed.as_slice() {
            [] => table(&now),
            changed => side_by_side(&now, changed),
        };
        if let Some((derived, knowledge)) = &subject.robot {
            let _ = write!(text, "\n{}", basis(derived, knowledge));
        }
        if changed.is_empty() {
            text += &shorten_first(&subject.system, &now, &relief);
        }
        text += &room_table(&subject.system, &rooms);
        let _ = writeln!(text, "\nVERDICT: {}", subject.verdict(&now, &relief));
        print_or_write(&text, arguments.output.as_deref())?;
    }
    let all_count = |derived: &Derived| {
        derived.unmeasured.is_empty() && derived.estimated.is_empty() && !derived.callbacks.leaves_out_important
    };
    let is_sure = now.holds() && subject.robot.as_ref().is_none_or(|(derived, _)| all_count(derived));
    Ok(if arguments.fail && !is_sure { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

/// The robot that is analysed, or the system from a file.
struct Subject {
    system: System,
    robot: Option<(Derived, Knowledge)>,
    over_links: OverLinks,
}

impl Subject {
    fn of_file(path: &Path) -> Result<Self, CommandError> {
        Ok(Self { system: read_system(path)?, robot: None, over_links: OverLinks::default() })
    }

    fn of_robot(program: &Program, arguments: &AnalyzeArguments) -> Result<Self, CommandError> {
        let session = Session::open(program, &arguments.configuration)?;
        let (derived, knowledge) = known(session, arguments.profile.as_ref(), arguments.quantile)?;
        let over_links = over_links(program, &arguments.configuration);
        Ok(Self { system: derived.system.clone(), robot: Some((derived, knowledge)), over_links })
    }

    fn findings(&self, system: &System) -> Findings {
        match &self.robot {
            Some((derived, knowledge)) => {
                let mut findings = Findings::of_robot(system, derived, &knowledge.known.profile);
                self.over_links.fill(derived, &mut findings);
                findings
            }
            None => Findings::of_system(system),
        }
    }

    fn verdict(&self, findings: &Findings, relief: &[Option<Relief>]) -> Verdict {
        let verdict = match &self.robot {
            Some((derived, knowledge)) => of_robot(findings, derived, knowledge),
            None => Verdict::of(findings, None),
        };
        verdict.with_relief(&self.system, findings, relief)
    }

    fn json(
        &self,
        now: &Findings,
        relief: &[Option<Relief>],
        rooms: &[Room],
        changed: &[(&str, Findings, System)],
    ) -> String {
        let mut all = as_json(now, &self.system, relief);
        all["verdict"] = self.verdict(now, relief).to_string().into();
        if let Some((derived, knowledge)) = &self.robot {
            let (fewest, most) = knowledge.samples().unzip();
            let held_up = knowledge
                .held_up()
                .into_iter()
                .map(|(name, HeldUp { count, longest })| json!({ "of": name, "count": count, "longest": longest }));
            all["execution_times"] = json!({
                "statistic": knowledge.quantile.map_or(json!("maximum"), Value::from),
                "fewest_samples": fewest,
                "most_samples": most,
                "held_up": held_up.collect::<Vec<_>>(),
                "of_this_program": knowledge.is_of_this_program(),
                "unmeasured": derived.unmeasured,
                "estimated": derived.estimated,
                "without_priority": derived.sharing,
                "left_out": derived.callbacks.left_out,
            });
            let burst = |burst: &Burst| json!({ "callback": burst.name, "at_most": burst.messages, "within": burst.within.as_nanoseconds() });
            all["messages"] = derived.callbacks.bursts.iter().map(burst).collect();
        }
        let room = |room: &Room| {
            json!({
                "of": self.system.owner(room.work),
                "task": self.system.name(room.work),
                "takes": room.takes.as_nanoseconds(),
                "at_most": room.at_most.as_nanoseconds(),
                "fails": room.fails,
            })
        };
        if !rooms.is_empty() {
            all["tasks"] = rooms.iter().map(room).collect();
        }
        let what_if = changed.iter().map(|(text, findings, system)| {
            let mut value = as_json(findings, system, &[]);
            value["change"] = json!(text);
            value
        });
        if !changed.is_empty() {
            all["what_if"] = what_if.collect();
        }
        serde_json::to_string_pretty(&all).unwrap_or_default()
    }
}

/// Reads the description of a system from a file.
pub fn read_system(path: &Path) -> Result<System, CommandError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| CommandError::Usage(format!("cannot read {}: {error}", path.display())))?;
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let name = path.display().to_string();
    let system = if is_json { System::from_json(&text) } else { System::from_toml(&text, &name) };
    system.map_err(|problems| CommandError::Usage(problems.to_string()))
}

/// Describes a robot as a system, with the execution times of the given profile or log, or those
/// that the robot keeps itself.
pub fn known(
    session: Session,
    path: Option<&PathBuf>,
    quantile: Option<f64>,
) -> Result<(Derived, Knowledge), CommandError> {
    let configured = session.robot.configuration().output.profile.clone();
    let origin = path.cloned().or(configured).map_or(Origin::Nowhere, Origin::File);
    let (robot, known) = match path {
        // A named file represents its own program and machine, with this configuration.
        Some(path) => of_file(session, path)?,
        None => (session.robot, session.known),
    };
    let robot = robot.with_profile(known.profile.clone());
    let quantile = quantile.or(robot.configuration().analysis.quantile);
    let knowledge = Knowledge { known, quantile, origin };
    Ok((derive(&robot, &knowledge)?, knowledge))
}

/// Returns what a profile or log knows about a robot, or those of its processes: of `game.mcap`,
/// `game-main.mcap` and so on.
fn of_file(session: Session, path: &Path) -> Result<(Robot, Known), CommandError> {
    let Session { robot, origins, .. } = session;
    let parts = if path.exists() { Vec::new() } else { histories(&robot, path)? };
    let Some((_, first)) = parts.first() else {
        return Ok(profile::recall_from_elsewhere(robot, &origins, &profile::read(path)?));
    };
    let (robot, of_first) = profile::recall_from_elsewhere(robot, &origins, first);
    let mut known = Known::default();
    known.profile.conditions = of_first.profile.conditions;
    profile::add_parts(&mut known, &robot, parts.iter().map(|(name, history)| (name.as_str(), history)));
    Ok((robot, known))
}

/// Returns a line for each cycle and chain with the task that helps most if it gets shorter, and by
/// how much.
fn shorten_first(system: &System, findings: &Findings, relief: &[Option<Relief>]) -> String {
    let mut text = String::new();
    for row in findings.rows.iter().filter(|row| !matches!(row.what, What::Source | What::DataAge | What::NewestAge)) {
        let Some(Some(relief)) = row.decided_by.and_then(|number| relief.get(number)) else { continue };
        let to = relief.bound.as_ref().map_or_else(|_| "no bound".to_owned(), |bound| duration((*bound).into()));
        let from = row.bound.as_ref().map_or_else(|_| "no bound".to_owned(), |bound| duration((*bound).into()));
        let (owner, task, takes) = (system.owner(relief.work), system.name(relief.work), duration(relief.takes.into()));
        let _ = writeln!(text, "  {}: {owner} {task} ({takes}); half of that gives {to} instead of {from}", row.name);
    }
    if text.is_empty() { text } else { format!("\nTo shorten first\n{text}") }
}

fn rooms(system: &System) -> Vec<Room> {
    let mut rooms: Vec<Room> = system.work().into_iter().map(|work| sensitivity::room(system, work)).collect();
    // Sorts by the factor by which a task may grow: those with the least room come first.
    let factor = |room: &Room| room.at_most.as_nanoseconds() as f64 / room.takes.as_nanoseconds().max(1) as f64;
    rooms.sort_by(|one, other| factor(one).total_cmp(&factor(other)));
    rooms
}

fn room_table(system: &System, rooms: &[Room]) -> String {
    if rooms.is_empty() {
        return String::new();
    }
    let label = |room: &Room| format!("{}: {}", system.owner(room.work), system.name(room.work));
    let width = rooms.iter().map(|room| label(room).chars().count()).max().unwrap_or(0);
    let mut text =
        format!("\n{:width$}{:>10}{:>10}  and then fails\n", "Longest allowed time of each task", "takes", "at most");
    for room in rooms {
        let time = |time: TimeSpan| duration(time.into());
        let fails = room.fails.as_deref().unwrap_or("nothing");
        let _ = writeln!(text, "{:width$}{:>10}{:>10}  {fails}", label(room), time(room.takes), time(room.at_most));
    }
    text
}

fn of_robot(findings: &Findings, derived: &Derived, knowledge: &Knowledge) -> Verdict {
    let verdict = Verdict::of(findings, Some((derived, knowledge)));
    match knowledge.known.profile.conditions.has_priorities {
        Some(false) => verdict.with_refused_priorities(),
        _ => verdict,
    }
}

/// Returns the bounds of the chains that end in the process that the arguments name, from the
/// analysis of the whole robot; none if they name no process, or if that analysis fails.
pub fn over_links(program: &Program, arguments: &ConfigurationArguments) -> OverLinks {
    let Some(process) = &arguments.process else { return OverLinks::default() };
    let of_all = || -> Result<OverLinks, CommandError> {
        let whole = ConfigurationArguments { process: None, ..arguments.clone() };
        let (derived, knowledge) = known(Session::open(program, &whole)?, None, None)?;
        let findings = Findings::of_robot(&derived.system, &derived, &knowledge.known.profile);
        Ok(OverLinks::of(&derived, &findings, process))
    };
    of_all().unwrap_or_default()
}

/// Returns the bounds that follow from the measurements of a run, as text, and the verdict;
/// `changes` are those that were made meanwhile. Fails if something that the bounds need is not
/// known.
pub fn after_run(
    session: Session,
    known: &Known,
    over_links: &OverLinks,
    changes: &[String],
) -> Result<(String, Verdict), CommandError> {
    let quantile = session.robot.configuration().analysis.quantile;
    let robot = session.robot.with_profile(known.profile.clone());
    let origin = if changes.is_empty() { Origin::Run } else { Origin::ChangedRun(changes.to_vec()) };
    let knowledge = Knowledge { known: known.clone(), quantile, origin };
    let derived = derive(&robot, &knowledge)?;
    let mut findings = Findings::of_robot(&derived.system, &derived, &known.profile);
    over_links.fill(&derived, &mut findings);
    let text = format!("{}{}", table(&findings), basis(&derived, &knowledge));
    Ok((text, of_robot(&findings, &derived, &knowledge)))
}
