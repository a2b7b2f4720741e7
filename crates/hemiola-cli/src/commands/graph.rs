//! `graph`: the task graph of a cycle as text, for Graphviz, as a picture or as JSON, and a map of
//! the whole robot.

mod json;
mod map;

use std::process::ExitCode;

use hemiola_plan::draw::{Colour, graph_dot, graph_svg, graph_text, map_dot, map_svg, map_text};

use super::check::processes;
use super::subject::{Subject, only, subjects};
use super::{columns, print_or_write};
use crate::command_line::{GraphArguments, GraphFormat};
use crate::error::CommandError;
use crate::program::Program;
use crate::session::{Session, configuration as loaded_configuration};

pub fn graph(program: &Program, name: &str, arguments: &GraphArguments) -> Result<ExitCode, CommandError> {
    let GraphArguments { configuration, file, cycle, output, .. } = arguments;
    let format = arguments.format();
    let mut whole = String::new();
    if format == GraphFormat::Json {
        let map = match (file, cycle) {
            (None, None) => {
                Some(map::map(program, name, configuration, &Session::open(program, configuration)?.robot)?)
            }
            _ => None,
        };
        let (cycles, _) = subjects(program, configuration, file.as_deref(), cycle.as_deref())?;
        let text = serde_json::to_string_pretty(&json::graphs(map.as_ref(), &cycles)).unwrap_or_default();
        return print_or_write(&(text + "\n"), output.as_deref());
    }
    if let (None, None) = (file, cycle) {
        let robot = Session::open(program, configuration)?.robot;
        let map = map::map(program, name, configuration, &robot)?;
        match format {
            GraphFormat::Text => whole = map_text(&map) + "\n",
            // A picture of a robot with one cycle shows more as its task graph.
            _ if robot.resolved().cycles.len() < 2 => {}
            GraphFormat::Dot => return print_or_write(&map_dot(&map), output.as_deref()),
            _ => return print_or_write(&map_svg(&map), output.as_deref()),
        }
    }
    let (mut cycles, _) = subjects(program, configuration, file.as_deref(), cycle.as_deref())?;
    if format != GraphFormat::Text {
        cycles = vec![only(cycles, "this format")?];
    }
    let drawn = cycles.into_iter().map(|Subject { graph, durations, .. }| {
        let graph = graph.ordered_by(&durations);
        // Tasks without modules are coloured by their share of the work.
        let has_modules = graph.tasks().iter().any(|task| task.module.is_some());
        match format {
            GraphFormat::Text => graph_text(&graph, &durations, columns(usize::MAX)),
            GraphFormat::Dot => graph_dot(&graph),
            _ if has_modules => graph_svg(&graph, &durations, Colour::Module),
            _ => graph_svg(&graph, &durations, Colour::Share),
        }
    });
    let drawn = drawn.collect::<Vec<_>>().join("\n");
    // The lines say where each cycle runs, and what crosses processes.
    let is_whole = file.is_none() && cycle.is_none() && configuration.process.is_none();
    let processes = match format == GraphFormat::Text && is_whole {
        true => {
            processes::lines(program, configuration, &loaded_configuration(program, configuration)?.0.configuration)?
        }
        false => Vec::new(),
    };
    let processes: String = processes.into_iter().map(|line| line + "\n").collect();
    let gap = if processes.is_empty() { "" } else { "\n" };
    print_or_write(&format!("{whole}{processes}{gap}{drawn}"), output.as_deref())
}
