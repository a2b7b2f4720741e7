#![expect(unsafe_code, reason = "making a witness is a promise")]

use std::marker::PhantomData;

/// A witness that no task of a cycle is running: the data that its updates see may be changed.
///
/// Values, frames and ports of a cycle are shared by all its workers without locks. Between two
/// runs they belong to worker 0 alone, or to whoever steps the cycle; for a source, to its thread
/// while no sample is taken. The holder of the witness is that thread: reading data of the cycle
/// takes a reference to the witness, changing it an exclusive one. The witness has no size, cannot
/// leave its thread, and lives no longer than the time between the two runs.
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
    /// Creates the witness of one cycle or source.
    ///
    /// # Safety
    /// While it lives, no task of the cycle (or call of the source) runs, and it is passed only to
    /// functions of that cycle or source. There is no other such witness of it, unless all holders
    /// only read.
    #[inline]
    pub const unsafe fn assume() -> Self {
        Self { cycle: PhantomData, thread: PhantomData }
    }
}
