use hemiola_analysis::TimeSpan;

/// What callbacks do beside taking time: the same in a simulation and on real threads.
pub trait Application: Send + Sync + 'static {
    /// What they send each other.
    type Message: Default + Clone + Send + Sync + 'static;

    /// A callback is called. Tells whether it computes and publishes, as its model says, or is done
    /// at once.
    fn begin(&self, callback: usize, cause: Cause<'_, Self::Message>, now: TimeSpan) -> bool;

    /// A callback has computed. What does it publish?
    fn end(&self, callback: usize, now: TimeSpan) -> Self::Message;
}

/// Why a callback is called.
pub enum Cause<'m, M> {
    /// Its timer expired then.
    Expired(TimeSpan),
    /// A message came.
    Received(&'m M),
}
