use hemiola_analysis::TimeSpan;

/// An application: what its callbacks do beside taking time, the same in a simulation and on real
/// threads.
pub trait Application: Send + Sync + 'static {
    /// The messages between callbacks.
    type Message: Default + Clone + Send + Sync + 'static;

    /// Begins a call of a callback. Returns whether it computes and publishes, as its model says,
    /// or is done at once.
    fn begin(&self, callback: usize, cause: Cause<'_, Self::Message>, now: TimeSpan) -> bool;

    /// Ends a call that has computed, and returns the message that it publishes.
    fn end(&self, callback: usize, now: TimeSpan) -> Self::Message;
}

/// The reason why a callback is called.
pub enum Cause<'m, M> {
    /// The callback's timer expired at that time.
    Expired(TimeSpan),
    /// A message arrived.
    Received(&'m M),
}
