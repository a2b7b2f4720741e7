//! Errors of requests that cannot be met at all, as opposed to those that the system merely refuses
//! (see [`Denial`](crate::Denial)).

/// A request that is not valid or that leaves nothing to run on.
///
/// ```
/// use hemiola_realtime::Priority;
///
/// let error = Priority::new(120).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "real-time priority 120 does not exist; choose 1 (lowest) to 99 (highest), better at most 98"
/// );
/// ```
#[derive(Debug, thiserror::Error)]
pub enum RealtimeError {
    /// The operating system could not create a thread.
    #[error(
        "could not start the thread `{name}`: {source}; the limit on threads (`ulimit -u`, cgroup pids.max) or on memory is \
         reached: raise it, or use fewer workers or a smaller stack"
    )]
    ThreadNotStarted {
        /// The thread's name.
        name: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A thread's name contains a zero byte, which the kernel cannot store.
    #[error("the thread name {name:?} contains a zero byte; leave it out")]
    NameWithZeroByte {
        /// The refused name.
        name: String,
    },
    /// A real-time priority outside 1 (lowest) to 99 (highest).
    #[error("real-time priority {level} does not exist; choose 1 (lowest) to 99 (highest), better at most 98")]
    NoSuchPriority {
        /// The refused level.
        level: u8,
    },
    /// A nice value outside -20 (most processor time) to 19 (least).
    #[error("nice value {level} does not exist; choose -20 (most processor time) to 19 (least)")]
    NoSuchNiceness {
        /// The refused level.
        level: i8,
    },
}
