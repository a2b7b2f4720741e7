//! Applies changes to a system.

use super::{Change, Takes, WhatIfError};
use crate::TimeSpan;
use crate::system::{Begin, Beginning, Chain, Span, System, Work};

/// Applies a change to a system.
pub(super) fn apply(change: &Change, system: &mut System) -> Result<(), WhatIfError> {
    match change {
        Change::Cores(cores) => system.cores = *cores,
        Change::Takes(name, takes) => {
            if let Some(link) = system.links.iter_mut().find(|link| link.name == *name) {
                link.takes = taking(*takes, link.takes);
                return Ok(());
            }
            for work in named(system, name)? {
                let span = system.takes_mut(work);
                *span = taking(*takes, *span);
            }
        }
        Change::Every(name, period) => set_period(system, name, *period)?,
        Change::Offset(name, offset) => set_offset(system, name, *offset)?,
        Change::Deadline(name, deadline) => {
            let found = deadline_of(system, name).map(|place| *place = Some(*deadline));
            found.ok_or_else(|| unknown("cycle, chain or path", name, parts(system, true)))?;
        }
        Change::Priority(name, priority) => match system.executors.iter_mut().find(|it| it.name == *name) {
            // A priority takes the place of a reservation.
            Some(executor) => (executor.priority, executor.reservation) = (*priority, None),
            None => cycle(system, name, "cycle or executor")?.priority = *priority,
        },
        Change::Workers(name, workers) => cycle(system, name, "cycle")?.workers = *workers,
        Change::On(name, cores) => match system.executors.iter_mut().find(|it| it.name == *name) {
            Some(_) if cores.len() > 1 => {
                let text = format!("{name} on {} cores", cores.len());
                let problems = "an executor stays on one core, or may use all".to_owned();
                return Err(WhatIfError::Nonsense { text, problems });
            }
            Some(executor) if executor.reservation.is_some() && !cores.is_empty() => {
                let text = format!("{name} on a core");
                let problems = "with a reservation a thread may use all cores: give it a priority first".to_owned();
                return Err(WhatIfError::Nonsense { text, problems });
            }
            Some(executor) => executor.core = cores.first().copied(),
            None => cycle(system, name, "cycle or executor")?.cores.clone_from(cores),
        },
    }
    Ok(())
}

/// Returns how long something takes after a change that took `span` before.
fn taking(takes: Takes, span: Span) -> Span {
    let span = match takes {
        Takes::Span(span) => span,
        Takes::Factor(factor) => Span { shortest: span.shortest, longest: scaled(span.longest, factor) },
    };
    Span { shortest: span.shortest.min(span.longest), ..span }
}

fn scaled(time: TimeSpan, factor: f64) -> TimeSpan {
    TimeSpan::nanoseconds((time.as_nanoseconds() as f64 * factor).ceil() as u64)
}

/// Returns everything that a name can mean: a task or callback, a module's tasks, or all work of a
/// cycle or chain.
fn named(system: &System, name: &str) -> Result<Vec<Work>, WhatIfError> {
    let module = format!("{name}.");
    let all = system.work();
    let ways: [&dyn Fn(&Work) -> bool; 3] =
        [&|&work| system.name(work) == name, &|&work| system.name(work).starts_with(&module), &|&work| {
            system.owner(work) == name
        }];
    let found = ways.iter().map(|is_meant| all.iter().copied().filter(|work| is_meant(work)).collect::<Vec<_>>());
    found.into_iter().find(|found| !found.is_empty()).ok_or_else(|| {
        let modules = all.iter().map(|&work| system.name(work)).map(|name| name.split('.').next().unwrap_or(name));
        let mut known: Vec<String> = modules.map(str::to_owned).chain(parts(system, false)).collect();
        known.sort_unstable();
        known.dedup();
        unknown("task, callback, module, cycle or chain", name, known)
    })
}

/// Sets the period of a chain or cycle, or that of what the cycle begins after.
fn set_period(system: &mut System, name: &str, period: TimeSpan) -> Result<(), WhatIfError> {
    if let Some(link) = system.link(name) {
        return set_period(system, &link.from.clone(), period);
    }
    if let Some(chain) = system.chains.iter_mut().find(|chain| chain.name == name) {
        if let Beginning::After(before) = chain.begins.clone() {
            return set_period(system, &before, period);
        }
        chain.period = period;
        return Ok(());
    }
    let found = cycle(system, name, "cycle or chain")?;
    match found.begins.clone() {
        Begin::Every { offset, .. } => found.begins = Begin::Every { period, offset },
        Begin::After(before) => set_period(system, &before, period)?,
    }
    Ok(())
}

fn set_offset(system: &mut System, name: &str, offset: TimeSpan) -> Result<(), WhatIfError> {
    let begins_itself = |chain: &&mut Chain| !matches!(chain.begins, Beginning::After(_));
    let chains = system.chains.iter_mut().filter(begins_itself).map(|chain| (&chain.name, &mut chain.offset));
    let cycles = system.cycles.iter_mut().filter_map(|cycle| match &mut cycle.begins {
        Begin::Every { offset, .. } => Some((&cycle.name, offset)),
        Begin::After(_) => None,
    });
    match chains.chain(cycles).find(|(known, _)| *known == name) {
        Some((_, known)) => *known = Some(offset),
        None => return Err(unknown("chain or cycle with a period", name, parts(system, false))),
    }
    Ok(())
}

fn deadline_of<'s>(system: &'s mut System, name: &str) -> Option<&'s mut Option<TimeSpan>> {
    let chains = system.chains.iter_mut().map(|chain| (&chain.name, &mut chain.deadline));
    let cycles = system.cycles.iter_mut().map(|cycle| (&cycle.name, &mut cycle.deadline));
    let paths = system.paths.iter_mut().map(|path| (&path.name, &mut path.deadline));
    chains.chain(cycles).chain(paths).find(|(known, _)| *known == name).map(|(_, deadline)| deadline)
}

fn cycle<'s>(
    system: &'s mut System,
    name: &str,
    kind: &'static str,
) -> Result<&'s mut crate::system::Cycle, WhatIfError> {
    match system.cycles.iter().position(|cycle| cycle.name == name) {
        Some(place) => Ok(&mut system.cycles[place]),
        None => Err(unknown(kind, name, parts(system, false))),
    }
}

fn unknown(kind: &'static str, name: &str, known: Vec<String>) -> WhatIfError {
    WhatIfError::Unknown { kind, name: name.to_owned(), known }
}

fn parts(system: &System, with_paths: bool) -> Vec<String> {
    let paths = system.paths.iter().filter(|_| with_paths).map(|path| path.name.as_str());
    system.parts().into_iter().chain(paths).map(str::to_owned).collect()
}
