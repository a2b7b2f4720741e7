//! What is known of a cycle's ends of topics.

use hemiola_model::data::DataType;

/// A subscription of a cycle.
pub struct SubscriptionEnd {
    /// Its topic.
    pub topic: &'static str,
    /// How many ends of the same topic the cycle has before it.
    pub number: u32,
    /// What its messages are, unless they are opaque.
    pub data_type: Option<DataType>,
}

/// A publisher of a cycle.
#[derive(Clone, Copy)]
pub struct PublisherEnd {
    /// Its topic.
    pub topic: &'static str,
    /// How many ends of the same topic the cycle has before it.
    pub number: u32,
    /// Its place among all publishers of the topic.
    pub place: u32,
}

/// The messages of one publisher that a subscription received in a run.
#[derive(Clone, Copy, Default)]
pub struct Received {
    /// Their topic.
    pub topic: &'static str,
    /// How many subscriptions of the same topic the cycle has before this one.
    pub subscriber: u32,
    /// How many publishers of the topic come before this one.
    pub publisher: u32,
    /// How many messages.
    pub count: u32,
}
