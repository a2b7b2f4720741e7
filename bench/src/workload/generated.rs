//! Graphs that a line describes. Where the tasks are empty, all that is measured is what
//! dispatching costs.

use std::fmt::Write as _;

/// Two tasks that are just worth a second worker.
pub const PAIR: &str = "# two tasks side by side\n0 20000\n1 20000\n";

/// Returns a chain: each task waits for the one before.
pub fn chain(tasks: usize) -> String {
    let mut text = format!("# a chain of {tasks} empty tasks\n0 0\n");
    for task in 1..tasks {
        // Writing to a string cannot fail.
        _ = writeln!(text, "{task} 0 {}", task - 1);
    }
    text
}

/// Returns one task, then all but two side by side, then one.
pub fn fork_join(tasks: usize) -> String {
    let mut text = format!("# fork and join: 1, {}, 1 empty tasks\n0 0\n", tasks - 2);
    for task in 1..tasks - 1 {
        _ = writeln!(text, "{task} 0 0");
    }
    let branches: Vec<String> = (1..tasks - 1).map(|task| task.to_string()).collect();
    _ = writeln!(text, "{} 0 {}", tasks - 1, branches.join(" "));
    text
}
