//! Models that try every interleaving of the pool, the lane, the word, and of those who join and
//! leave.

mod copies;
mod lanes;
mod topics;

/// Runs a model of many steps with at most three preemptions.
fn bounded(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(model);
}

/// Asserts that messages come in order; some may be missing.
fn assert_ascending(received: impl IntoIterator<Item = u64>) {
    let mut last = 0;
    for value in received {
        assert!(value > last);
        last = value;
    }
}
