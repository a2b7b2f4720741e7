use std::fmt::{self, Write};

use super::text::NO_DEADLINE;
use super::{Begin, Beginning, Order, Reservation, Start, System};
use crate::{Costs, TimeSpan};

/// Writes a system as people would: a table for each part, a line for each callback or task.
pub(super) fn to_toml(system: &System) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write_system(system, &mut text);
    text
}

fn write_system(system: &System, text: &mut String) -> fmt::Result {
    writeln!(text, "cores = {}", system.cores)?;
    write_costs(&system.costs, text)?;
    for executor in &system.executors {
        writeln!(text, "\n[[executor]]\nname = {}", quoted(&executor.name))?;
        if let Some(core) = executor.core {
            writeln!(text, "core = {core}")?;
        }
        match executor.reservation {
            Some(Reservation { budget, period }) => {
                writeln!(text, "reservation = {{ budget = \"{budget}\", period = \"{period}\" }}")?;
            }
            None => writeln!(text, "priority = {}", executor.priority)?,
        }
        if executor.order == Order::Registration {
            writeln!(text, "order = \"registration\"")?;
        }
    }
    for chain in &system.chains {
        writeln!(text, "\n[[chain]]\nname = {}", quoted(&chain.name))?;
        match &chain.begins {
            Beginning::Timer => writeln!(text, "period = \"{}\"", chain.period)?,
            Beginning::WakeUp => writeln!(text, "period = \"{}\"\nbegins = \"wake_up\"", chain.period)?,
            Beginning::After(name) => writeln!(text, "begins = {{ after = {} }}", quoted(name))?,
        }
        if let Some(offset) = chain.offset {
            writeln!(text, "offset = \"{offset}\"")?;
        }
        match chain.deadline {
            Some(TimeSpan::MAX) => writeln!(text, "deadline = \"{NO_DEADLINE}\"")?,
            Some(deadline) => writeln!(text, "deadline = \"{deadline}\"")?,
            None => {}
        }
        writeln!(text, "callbacks = [")?;
        for callback in &chain.callbacks {
            write!(text, "    {{ name = {}, takes = \"{}\"", quoted(&callback.name), callback.takes)?;
            if let Some(node) = &callback.node {
                write!(text, ", node = {}", quoted(node))?;
            }
            if let Some(executor) = &callback.executor {
                write!(text, ", executor = {}", quoted(executor))?;
            }
            if let Some(priority) = callback.priority {
                write!(text, ", priority = {priority}")?;
            }
            writeln!(text, " }},")?;
        }
        writeln!(text, "]")?;
    }
    for cycle in &system.cycles {
        let begins = match &cycle.begins {
            Begin::Every { period, offset: None } => format!("{{ every = \"{period}\" }}"),
            Begin::Every { period, offset: Some(offset) } => {
                format!("{{ every = \"{period}\", offset = \"{offset}\" }}")
            }
            Begin::After(name) => format!("{{ after = {} }}", quoted(name)),
        };
        writeln!(text, "\n[[cycle]]\nname = {}\nbegins = {begins}", quoted(&cycle.name))?;
        if let Some(deadline) = cycle.deadline {
            writeln!(text, "deadline = \"{deadline}\"")?;
        }
        writeln!(text, "workers = {}", cycle.workers)?;
        if !cycle.cores.is_empty() {
            writeln!(text, "cores = {:?}", cycle.cores)?;
        }
        writeln!(text, "priority = {}\ntasks = [", cycle.priority)?;
        for task in &cycle.tasks {
            write!(text, "    {{ name = {}, takes = \"{}\"", quoted(&task.name), task.takes)?;
            if !task.after.is_empty() {
                write!(text, ", after = [{}]", list(&task.after))?;
            }
            if let Some(priority) = task.priority {
                write!(text, ", priority = {priority}")?;
            }
            if task.kept {
                write!(text, ", kept = true")?;
            }
            writeln!(text, " }},")?;
        }
        writeln!(text, "]")?;
    }
    for link in &system.links {
        writeln!(text, "\n[[link]]\nname = {}\nfrom = {}", quoted(&link.name), quoted(&link.from))?;
        writeln!(text, "takes = \"{}\"", link.takes)?;
        if link.clock_error > TimeSpan::ZERO {
            writeln!(text, "clock_error = \"{}\"", link.clock_error)?;
        }
    }
    for path in &system.paths {
        writeln!(text, "\n[[path]]\nname = {}\nthrough = [{}]", quoted(&path.name), list(&path.through))?;
        if let Some(deadline) = path.deadline {
            writeln!(text, "deadline = \"{deadline}\"")?;
        }
        if path.from == Start::Sample {
            writeln!(text, "from = \"sample\"")?;
        }
    }
    Ok(())
}

fn write_costs(costs: &Costs, text: &mut String) -> fmt::Result {
    if *costs == Costs::default() {
        return Ok(());
    }
    let Costs { dispatch, hand_over, wake_up, timer_lateness, spin, earliness, preemption, budget_overrun } = costs;
    writeln!(text, "\n[costs]\ndispatch = \"{dispatch}\"\nhand_over = \"{hand_over}\"\nwake_up = \"{wake_up}\"")?;
    writeln!(text, "timer_lateness = \"{timer_lateness}\"\nspin = \"{spin}\"\nearliness = \"{earliness}\"")?;
    writeln!(text, "preemption = \"{preemption}\"\nbudget_overrun = \"{budget_overrun}\"")
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

/// Writes a TOML string.
fn quoted(name: &str) -> String {
    let mut text = String::from('"');
    for letter in name.chars() {
        match letter {
            '"' | '\\' => text.extend(['\\', letter]),
            letter if letter.is_control() => text += &format!("\\u{:04x}", u32::from(letter)),
            letter => text.push(letter),
        }
    }
    text.push('"');
    text
}
