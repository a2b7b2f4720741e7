//! `graph`: the task graph of a cycle as text, for Graphviz, or as a picture.

use std::process::ExitCode;

use hemiola_plan::draw::{Colour, graph_dot, graph_svg, graph_text};

use super::check::processes;
use super::subject::{Subject, only, subjects};
use super::{columns, print_or_write};
use crate::command_line::{GraphArguments, GraphFormat};
use crate::error::CommandError;
use crate::program::Program;
use crate::session::configuration as loaded_configuration;

pub fn graph(program: &Program, arguments: &GraphArguments) -> Result<ExitCode, CommandError> {
    let GraphArguments { configuration, file, cycle, format, output } = arguments;
    let (mut cycles, _) = subjects(program, configuration, file.as_deref(), cycle.as_deref())?;
    if *format != GraphFormat::Text {
        cycles = vec![only(cycles, "this format")?];
    }
    let drawn = cycles.into_iter().map(|Subject { graph, durations, .. }| {
        let graph = graph.ordered_by(&durations);
        // Tasks without modules are coloured by their share of the work.
        let has_modules = graph.tasks().iter().any(|task| task.module.is_some());
        match format {
            GraphFormat::Text => graph_text(&graph, &durations, columns(usize::MAX)),
            GraphFormat::Dot => graph_dot(&graph),
            GraphFormat::Svg if has_modules => graph_svg(&graph, &durations, Colour::Module),
            GraphFormat::Svg => graph_svg(&graph, &durations, Colour::Share),
        }
    });
    let drawn = drawn.collect::<Vec<_>>().join("\n");
    // Where each cycle runs, and what crosses.
    let is_whole = file.is_none() && cycle.is_none() && configuration.process.is_none();
    let processes = match *format == GraphFormat::Text && is_whole {
        true => {
            processes::lines(program, configuration, &loaded_configuration(program, configuration)?.0.configuration)?
        }
        false => Vec::new(),
    };
    let processes: String = processes.into_iter().map(|line| line + "\n").collect();
    let gap = if processes.is_empty() { "" } else { "\n" };
    print_or_write(&format!("{processes}{gap}{drawn}"), output.as_deref())
}
