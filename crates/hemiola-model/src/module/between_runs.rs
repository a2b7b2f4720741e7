#![expect(unsafe_code, reason = "making a witness is a promise")]

use std::marker::PhantomData;

/// A witness that no task of a cycle runs: what its updates see may be changed.
///
/// Values, frames and ports of a cycle are shared by all its workers without locks. Between two
/// runs they belong to worker 0 alone, or to whoever steps the cycle; for a source, to its thread
/// while no sample is taken. Whoever holds the witness is that thread: to look at what belongs to
/// the cycle takes a reference to the witness, to change it takes an exclusive one. It has no size,
/// cannot leave its thread, and lives no longer than the time between the two runs.
///
/// ```
/// use hemiola_model::module::{BetweenRuns, Port, PortCell};
///
/// struct Horn;
/// impl Port for Horn {}
///
/// let cell = PortCell::new(Box::new(Horn));
/// // SAFETY: nothing runs here, and this is the only thread that has the cell.
/// let mut between = unsafe { BetweenRuns::assume() };
/// cell.begin_run(&mut between);
/// ```
#[derive(Debug)]
pub struct BetweenRuns<'c> {
    cycle: PhantomData<&'c mut ()>,
    thread: PhantomData<*mut ()>,
}

impl BetweenRuns<'_> {
    /// The witness of one cycle or source.
    ///
    /// # Safety
    /// While it lives, no task of the cycle (or call of the source) runs, and it is passed only to
    /// what belongs to that cycle or source. Nobody else has such a witness of it, unless all who
    /// do only look.
    #[inline]
    pub const unsafe fn assume() -> Self {
        Self { cycle: PhantomData, thread: PhantomData }
    }
}
