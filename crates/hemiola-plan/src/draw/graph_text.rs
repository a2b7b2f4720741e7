//! A task graph as text, for people on a terminal and for Graphviz.

use std::collections::BTreeSet;
use std::fmt::Write;

use hemiola_words::{counted, duration};

use crate::durations::{Durations, from_nanos};
use crate::graph::{Reason, TaskGraph};
use crate::paths::tails;
use crate::task::TaskId;

/// The columns before a task's name: a number, and the mark of the critical path.
const BEFORE_NAME: usize = 7;
/// The columns that must be left so that the tasks for which a task waits are listed beside it.
const NARROWEST_WAITS: usize = 32;

/// Lists a graph in an order in which it can run, `columns` wide: each task with its duration, its
/// longest remaining path where durations are known, and the tasks for which it waits directly. A
/// star marks the critical path.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, TaskGraph, draw};
/// let graph = TaskGraph::plain("pair", 2, [(0, 1)]).unwrap();
/// let text = draw::graph_text(&graph, &Durations::constant([1, 2].map(Duration::from_millis)), 80);
/// assert_eq!(text, "\
/// pair: 2 tasks, 1 dependency (1 direct), at most 1 at once
/// critical path (*): 2 tasks, 3.00 ms of 3.00 ms of work
///
///        task     takes   remaining   waits for
///    1 * 0      1.00 ms     3.00 ms
///    2 * 1      2.00 ms     2.00 ms   0
/// ");
/// ```
pub fn graph_text(graph: &TaskGraph, durations: &Durations, columns: usize) -> String {
    let count = graph.tasks().len();
    let order = graph.order_indices();
    let expected = durations.expected_nanos(count);
    let remaining = tails(&order, &graph.successors(), &expected);
    let critical = graph.critical_path(durations);
    let on_path: BTreeSet<TaskId> = critical.tasks.iter().copied().collect();
    let reduced = graph.reduced();
    let known = durations.any_known();

    let edges: BTreeSet<_> = graph.edges().map(|edge| (edge.from, edge.to)).collect();
    let mut text = format!(
        "{}: {}, {} ({} direct), at most {} at once\ncritical path (*): {}",
        graph.name(),
        counted(count as u64, "task"),
        counted(edges.len() as u64, "dependency"),
        reduced.len(),
        graph.width(),
        counted(critical.tasks.len() as u64, "task")
    );
    if known {
        let work = expected.iter().sum();
        let _ = write!(text, ", {} of {} of work", duration(critical.duration), duration(from_nanos(work)));
    }
    let widest = graph.tasks().iter().map(|task| task.name.chars().count()).max().unwrap_or(0).max(4);
    let times = if known { "     takes   remaining" } else { "" };
    let used = BEFORE_NAME + widest + times.len() + 3;
    // Where these tasks have no room beside a task, they are listed below it.
    let beside = columns >= used + NARROWEST_WAITS;
    let waits = if beside { "   waits for" } else { "" };
    let _ = writeln!(text, "\n\n{:BEFORE_NAME$}{:widest$}{times}{waits}", "", "task");
    for (number, &index) in order.iter().enumerate() {
        let task = TaskId(index as u32);
        let mark = if on_path.contains(&task) { '*' } else { ' ' };
        let mut line = format!("{:4} {mark} {:widest$}", number + 1, graph.task(task).name);
        if known {
            let takes = durations.get(task).mean().map_or("?".into(), duration);
            let _ = write!(line, " {takes:>9}   {:>9}", duration(from_nanos(remaining[index].nanos)));
        }
        let waits = reduced.iter().filter(|(_, to)| *to == task).map(|&(from, _)| graph.task(from).name.as_str());
        let waits = waits.collect::<Vec<_>>().join(", ");
        match (beside, waits.as_str()) {
            (_, "") => {}
            (true, waits) => push_wrapped(&mut line, "   ", waits, used, columns),
            (false, waits) => {
                line.push('\n');
                let label = format!("{:BEFORE_NAME$}after ", "");
                push_wrapped(&mut line, &label, waits, label.len(), columns);
            }
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Adds names after a label, wrapped between two of them; further lines begin in column `indent`.
fn push_wrapped(line: &mut String, label: &str, names: &str, indent: usize, columns: usize) {
    *line += label;
    let mut column = indent;
    for (index, name) in names.split_inclusive(", ").enumerate() {
        let length = name.trim_end().chars().count();
        if index > 0 && column + length > columns {
            line.truncate(line.trim_end().len());
            let _ = write!(line, "\n{:indent$}", "");
            column = indent;
        }
        *line += name;
        column += name.chars().count();
    }
}

/// Writes a graph in the DOT language of Graphviz: only edges that are not implied by others; those
/// that only order the updates of a module are dashed.
///
/// ```
/// use hemiola_plan::{TaskGraph, draw};
/// let graph = TaskGraph::plain("pair", 2, [(0, 1)]).unwrap();
/// assert!(draw::graph_dot(&graph).contains("\"0\" -> \"1\""));
/// ```
pub fn graph_dot(graph: &TaskGraph) -> String {
    let mut text = format!(
        "digraph {} {{\n  rankdir=LR\n  node [shape=box, style=rounded, fontname=Helvetica]\n",
        quote(graph.name())
    );
    for task in graph.tasks() {
        let shape = if task.is_output { " [shape=cds]" } else { "" };
        let _ = writeln!(text, "  {}{shape}", quote(&task.name));
    }
    for (from, to) in graph.reduced() {
        let why: Vec<String> = (graph.edges())
            .filter(|edge| (edge.from, edge.to) == (from, to) && edge.reason != Reason::SameModule)
            .map(|edge| edge.reason.to_string())
            .collect();
        let style =
            if why.is_empty() { "style=dashed".to_string() } else { format!("tooltip={}", quote(&why.join(", "))) };
        let _ = writeln!(text, "  {} -> {} [{style}]", quote(&graph.task(from).name), quote(&graph.task(to).name));
    }
    text + "}\n"
}

/// Returns a text as an identifier of DOT.
pub(super) fn quote(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_waits_for_stays_within_the_columns() {
        let graph = TaskGraph::plain("fork", 60, (0..59).map(|task| (task, 59))).unwrap();
        let narrow = graph_text(&graph, &Durations::unknown(60), 40);
        let wide = graph_text(&graph, &Durations::unknown(60), 70);
        assert!(
            narrow.contains("\n       after 0, 1, 2, ") && wide.contains("  60 * 59     0, 1, 2, "),
            "{narrow}{wide}"
        );
        for (text, columns) in [(narrow, 40), (wide, 70)] {
            let mut listed = text.lines().skip_while(|line| !line.starts_with("  60"));
            assert!(listed.all(|line| line.chars().count() <= columns), "{text}");
        }
    }
}
