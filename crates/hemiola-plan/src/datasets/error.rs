//! What can be wrong with a task graph in a file. Who reads the file puts its name before it.

use crate::{GraphError, Problem};

/// Why a data set could not be read.
///
/// ```
/// use hemiola_plan::datasets;
/// let error = datasets::workload(r#"{"name": "gap", "tasks": [{"id": 7, "duration_ns": 1, "predecessors": []}]}"#).unwrap_err();
/// assert!(error.to_string().starts_with("`tasks[0].id` is 7; tasks are numbered 0, 1, 2, ... in this order"));
/// ```
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// Not JSON, or not of the expected form.
    #[error(
        "{0}; it has to be JSON with `tasks` (each with `id`, `duration_ns`, `predecessors`) or with `cycles` \
         (each with `name` and `modules`, and these with `name`, `requires`, `uses`, `provides`)"
    )]
    Json(#[from] serde_json::Error),
    /// None of the keys by which a form is known.
    #[error(
        "neither `tasks` nor `cycles` is there; a workload has `tasks`, each with `id`, `duration_ns` and \
         `predecessors`; a module graph has `cycles`, each with `name` and `modules`"
    )]
    NoForm,
    /// The keys of both forms.
    #[error("both `tasks` and `cycles` are there; make two files of it, a workload and a module graph")]
    BothForms,
    /// Chains of callbacks.
    #[error(
        "`chains` of callbacks on executors, each with a period of its own, are no task graph that runs as one; \
         describe them in a system.toml, and `analyze --system` bounds them"
    )]
    Chains,
    /// Nodes that send each other messages.
    #[error(
        "`nodes` that run when a message or a timer of their own comes are no task graph that runs as one; \
         describe them in a system.toml, and `analyze --system` bounds them"
    )]
    Nodes,
    /// There is nothing to be planned.
    #[error("`{key}` is empty; there is nothing to plan, simulate or draw")]
    Empty {
        /// The key.
        key: String,
    },
    /// More than can be planned with.
    #[error("`{key}` has {count} entries; {most} can be planned with: split the graph")]
    TooMany {
        /// The key.
        key: String,
        /// How many there are.
        count: usize,
        /// How many there may be.
        most: usize,
    },
    /// A number that cannot be.
    #[error("`{key}` is {value}; {expected}")]
    Value {
        /// Where it stands.
        key: String,
        /// What stands there.
        value: String,
        /// What could.
        expected: &'static str,
    },
    /// Ids are expected to be the positions of the tasks.
    #[error(
        "`tasks[{position}].id` is {id}; tasks are numbered 0, 1, 2, ... in this order: number them anew, in \
         `predecessors` too"
    )]
    Numbering {
        /// Where the task stands.
        position: usize,
        /// The id that it has.
        id: usize,
    },
    /// A task waits for one that is not there.
    #[error(
        "`tasks[{task}].predecessors` names {predecessor}; there are the tasks 0 to {last}: add it, or remove that"
    )]
    Predecessor {
        /// The task.
        task: usize,
        /// For which it waits.
        predecessor: usize,
        /// The last one that is there.
        last: usize,
    },
    /// The tasks do not make a graph.
    #[error("`tasks`: {0}; remove one of these from `predecessors` of the next")]
    Graph(#[from] GraphError),
    /// Several modules of a cycle provide the same.
    #[error(
        "cycle `{cycle}`: `provides` of {} name `{representation}`, which has one provider in a cycle; leave it in \
         `provides` of the one that is active", modules.join(" and ")
    )]
    ProvidedTwice {
        /// The cycle.
        cycle: String,
        /// What is provided twice.
        representation: String,
        /// By whom.
        modules: Vec<String>,
    },
    /// An entry of `shared` that cannot be.
    #[error("`shared[{position}]` (`{representation}`): {problem}")]
    Shared {
        /// Where it stands.
        position: usize,
        /// What the reader calls it.
        representation: String,
        /// What is wrong with it, and the remedy.
        problem: String,
    },
    /// A module requires what no one provides.
    #[error(
        "cycle `{cycle}`: `requires` of `{module}` names `{representation}`, which no module of the cycle provides and \
         which is not shared with it; {remedy}"
    )]
    NotProvided {
        /// The cycle.
        cycle: String,
        /// Who requires it.
        module: String,
        /// What.
        representation: String,
        /// What to do.
        remedy: String,
    },
    /// The modules do not make a robot.
    #[error("{}", .0.iter().map(Problem::to_string).collect::<Vec<_>>().join("\n"))]
    Unresolved(Vec<Problem>),
}
