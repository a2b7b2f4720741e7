//! A task graph and its text form.

use std::fmt;

/// Tasks with durations, each after its predecessors.
///
/// The text has a line per task: its number (0, 1, 2, ...), its duration in nanoseconds, the
/// numbers of its predecessors, which are smaller than its own. So the order of the lines is an
/// order in which the tasks can run. `#` begins a comment.
///
/// ```
/// use hemiola_bench_contestant::Graph;
/// let graph = Graph::parse("# a fork\n0 1000\n1 500 0\n2 700 0\n").unwrap();
/// assert_eq!((graph.len(), graph.successors(0)), (3, [1, 2].as_slice()));
/// assert_eq!(graph.predecessors(2), [0]);
/// assert_eq!(graph.duration_ns(1), 500);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    durations_ns: Vec<u64>,
    predecessors: Vec<Vec<usize>>,
    successors: Vec<Vec<usize>>,
}

/// The reason why a text is no graph.
///
/// ```
/// use hemiola_bench_contestant::Graph;
/// assert_eq!(Graph::parse("0 10\n2 10 0").unwrap_err().to_string(), "line 2: task 1 is expected here, not `2`");
/// assert_eq!(Graph::parse("0 10 0").unwrap_err().to_string(), "line 1: predecessor `0` is not the number of an earlier task");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphError {
    line: usize,
    problem: String,
}

impl fmt::Display for GraphError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {}: {}", self.line, self.problem)
    }
}

impl std::error::Error for GraphError {}

impl Graph {
    /// Reads the text form.
    ///
    /// # Errors
    /// If the text is not of that form.
    pub fn parse(text: &str) -> Result<Self, GraphError> {
        let mut graph = Graph { durations_ns: Vec::new(), predecessors: Vec::new(), successors: Vec::new() };
        for (index, line) in text.lines().enumerate() {
            let mut words = line.split('#').next().unwrap_or_default().split_whitespace();
            let Some(number) = words.next() else { continue };
            let wrong = |problem: String| GraphError { line: index + 1, problem };
            let task = graph.len();
            if number.parse() != Ok(task) {
                return Err(wrong(format!("task {task} is expected here, not `{number}`")));
            }
            let duration = words.next().unwrap_or_default();
            let duration =
                duration.parse().map_err(|_| wrong(format!("`{duration}` is no duration in nanoseconds")))?;
            let mut before = Vec::new();
            for word in words {
                let earlier = word.parse().ok().filter(|&earlier| earlier < task);
                before.push(
                    earlier
                        .ok_or_else(|| wrong(format!("predecessor `{word}` is not the number of an earlier task")))?,
                );
            }
            before.iter().for_each(|&earlier: &usize| graph.successors[earlier].push(task));
            graph.durations_ns.push(duration);
            graph.predecessors.push(before);
            graph.successors.push(Vec::new());
        }
        Ok(graph)
    }

    /// Returns the number of tasks.
    pub fn len(&self) -> usize {
        self.durations_ns.len()
    }

    /// Returns whether there is no task.
    pub fn is_empty(&self) -> bool {
        self.durations_ns.is_empty()
    }

    /// Returns how long a task takes, in nanoseconds of the machine that the workload was made for.
    pub fn duration_ns(&self, task: usize) -> u64 {
        self.durations_ns[task]
    }

    /// Returns the tasks that have to end before a task may begin.
    pub fn predecessors(&self, task: usize) -> &[usize] {
        &self.predecessors[task]
    }

    /// Returns the tasks that wait for a task.
    pub fn successors(&self, task: usize) -> &[usize] {
        &self.successors[task]
    }

    /// Returns the tasks that wait for no other.
    pub fn roots(&self) -> Vec<usize> {
        (0..self.len()).filter(|&task| self.predecessors[task].is_empty()).collect()
    }

    /// Returns for each task the longest path by duration from its begin to the end of the graph,
    /// in nanoseconds.
    ///
    /// ```
    /// use hemiola_bench_contestant::Graph;
    /// assert_eq!(Graph::parse("0 5\n1 3 0\n2 4 0").unwrap().remaining_ns(), [9, 3, 4]);
    /// ```
    pub fn remaining_ns(&self) -> Vec<u64> {
        let mut remaining = self.durations_ns.clone();
        for task in (0..self.len()).rev() {
            remaining[task] += self.successors[task].iter().map(|&next| remaining[next]).max().unwrap_or(0);
        }
        remaining
    }
}
