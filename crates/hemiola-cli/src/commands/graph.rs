//! `graph`: the task graph of a cycle as text, for Graphviz, or as a picture.

use std::process::ExitCode;

use hemiola_plan::TaskGraph;
use hemiola_plan::draw::{Colour, graph_dot, graph_svg, graph_text};

use super::{columns, print_or_write};
use crate::command_line::{GraphArguments, GraphFormat};
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;

pub fn graph(program: &Program, arguments: &GraphArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(program, &arguments.configuration)?;
    let robot = &session.robot;
    let cycles = match arguments.format {
        GraphFormat::Text => session.cycles(arguments.cycle.as_deref())?,
        GraphFormat::Dot | GraphFormat::Svg => vec![session.cycle(arguments.cycle.as_deref(), "this format")?],
    };
    let drawn = cycles.into_iter().map(|index| {
        let graph = TaskGraph::of(&robot.resolved().cycles[index]);
        let durations = robot.durations(&graph);
        let graph = graph.ordered_by(&durations);
        match arguments.format {
            GraphFormat::Text => graph_text(&graph, &durations, columns(usize::MAX)),
            GraphFormat::Dot => graph_dot(&graph),
            GraphFormat::Svg => graph_svg(&graph, &durations, Colour::Module),
        }
    });
    print_or_write(&drawn.collect::<Vec<_>>().join("\n"), arguments.output.as_deref())
}
