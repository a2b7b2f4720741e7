//! The errors of a task graph in a file. A caller that reads the file puts its name before the
//! message.

use crate::{GraphError, Problem};

/// The reason why a data set could not be read.
///
/// ```
/// use hemiola_plan::datasets;
/// let error = datasets::workload(r#"{"name": "gap", "tasks": [{"id": 7, "duration_ns": 1, "predecessors": []}]}"#).unwrap_err();
/// assert!(error.to_string().starts_with("`tasks[0].id` is 7; tasks are numbered 0, 1, 2, ... in this order"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The text is not JSON, or not of the expected form.
    #[error(
        "{0}; it has to be JSON with `tasks` (each with `id`, `duration_ns`, `predecessors`) or with `cycles` \
         (each with `name` and `modules`, and these with `name`, `requires`, `uses`, `provides`)"
    )]
    Json(#[from] serde_json::Error),
    /// The text has none of the keys by which a form is known.
    #[error(
        "there is neither `tasks` nor `cycles`; a workload has `tasks`, each with `id`, `duration_ns` and \
         `predecessors`; a module graph has `cycles`, each with `name` and `modules`"
    )]
    NoForm,
    /// The text has the keys of both forms.
    #[error("there are both `tasks` and `cycles`; split the file into a workload and a module graph")]
    BothForms,
    /// The text describes chains of callbacks.
    #[error(
        "`chains` of callbacks on executors, each with a period of its own, are not a task graph that runs as one; \
         describe them in a system.toml, and `analyze --system` bounds them"
    )]
    Chains,
    /// The text describes nodes that send each other messages.
    #[error(
        "`nodes` that run when a message or a timer of their own comes are not a task graph that runs as one; \
         describe them in a system.toml, and `analyze --system` bounds them"
    )]
    Nodes,
    /// Nothing is left to plan.
    #[error("`{key}` is empty; there is nothing to plan, simulate or draw")]
    Empty {
        /// The key that is empty.
        key: String,
    },
    /// A list has more entries than can be planned with.
    #[error("`{key}` has {count} entries; at most {most} are supported: split the graph")]
    TooMany {
        /// The key of the list.
        key: String,
        /// The number of entries.
        count: usize,
        /// The largest number of entries that is accepted.
        most: usize,
    },
    /// A number is not possible where it stands.
    #[error("`{key}` is {value}; {expected}")]
    Value {
        /// The key of the number.
        key: String,
        /// The value in the file.
        value: String,
        /// The value that was expected instead.
        expected: &'static str,
    },
    /// The id of a task is not its position.
    #[error(
        "`tasks[{position}].id` is {id}; tasks are numbered 0, 1, 2, ... in this order: renumber them, in \
         `predecessors` too"
    )]
    Numbering {
        /// The position of the task.
        position: usize,
        /// The id that it has.
        id: usize,
    },
    /// A task waits for one that does not exist.
    #[error(
        "`tasks[{task}].predecessors` names {predecessor}; there are the tasks 0 to {last}: add the task, or remove the entry"
    )]
    Predecessor {
        /// The task that waits.
        task: usize,
        /// The task for which it waits.
        predecessor: usize,
        /// The last task that exists.
        last: usize,
    },
    /// The tasks do not make a graph.
    #[error("`tasks`: {0}; remove one of these from `predecessors` of the next")]
    Graph(#[from] GraphError),
    /// Several modules of a cycle provide the same representation.
    #[error(
        "cycle `{cycle}`: `provides` of {} name `{representation}`, which has one provider in a cycle; leave it in \
         `provides` of the one that is active", modules.join(" and ")
    )]
    ProvidedTwice {
        /// The cycle.
        cycle: String,
        /// The representation that is provided twice.
        representation: String,
        /// The modules that provide it.
        modules: Vec<String>,
    },
    /// An entry of `shared` is not possible.
    #[error("`shared[{position}]` (`{representation}`): {problem}")]
    Shared {
        /// The position of the entry.
        position: usize,
        /// The name of the representation in the reading cycle.
        representation: String,
        /// The problem with the entry, and the remedy.
        problem: String,
    },
    /// A module requires a representation that no one provides.
    #[error(
        "cycle `{cycle}`: `requires` of `{module}` names `{representation}`, which no module of the cycle provides and \
         which is not shared with it; {remedy}"
    )]
    NotProvided {
        /// The cycle.
        cycle: String,
        /// The module that requires it.
        module: String,
        /// The representation that is missing.
        representation: String,
        /// The remedy.
        remedy: String,
    },
    /// The modules do not make a robot.
    #[error("{}", .0.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
    Unresolved(Vec<Problem>),
}
