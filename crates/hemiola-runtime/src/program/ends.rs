//! The ends of topics that a cycle has.

use hemiola_model::data::DataType;

/// A subscription of a cycle.
pub struct SubscriptionEnd {
    /// The topic.
    pub topic: &'static str,
    /// The number of ends of the same topic that the cycle has before it.
    pub number: u32,
    /// The type of its messages, unless they are opaque.
    pub data_type: Option<DataType>,
}

/// A publisher of a cycle.
#[derive(Clone, Copy)]
pub struct PublisherEnd {
    /// The topic.
    pub topic: &'static str,
    /// The number of ends of the same topic that the cycle has before it.
    pub number: u32,
    /// The place among all publishers of the topic.
    pub place: u32,
}

/// The messages of one publisher that a subscription received in a run.
#[derive(Clone, Copy, Default)]
pub struct Received {
    /// The topic.
    pub topic: &'static str,
    /// The number of subscriptions of the same topic that the cycle has before this one.
    pub subscriber: u32,
    /// The number of publishers of the topic that come before this one.
    pub publisher: u32,
    /// The number of messages.
    pub count: u32,
}
