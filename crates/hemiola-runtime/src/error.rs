use thiserror::Error;

/// What can go wrong when a robot is built, started or changed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RuntimeError {
    /// More workers than a cycle can have.
    #[error("a cycle has at most {maximum} workers; set `workers` in robot.toml to fewer")]
    TooManyWorkers {
        /// The most that there can be.
        maximum: usize,
    },
    /// A cycle with more independent pieces than the executor can hold.
    #[error("cycle `{cycle}` has {units} units of work, and the executor holds {maximum}: split it into two cycles")]
    TooManyUnits {
        /// The cycle.
        cycle: String,
        /// How many units its plan has.
        units: usize,
        /// The most that there can be.
        maximum: usize,
    },
    /// The operating system refused.
    #[error(transparent)]
    Realtime(#[from] hemiola_realtime::RealtimeError),
}
