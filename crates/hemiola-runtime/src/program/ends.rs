//! The ends of topics of a cycle.

use hemiola_model::data::DataType;
use hemiola_model::module::Inlet;

/// A subscription of a cycle.
pub struct SubscriptionEnd {
    /// The topic.
    pub topic: &'static str,
    /// The number of earlier ends of the same topic in the cycle.
    pub number: u32,
    /// The type of its messages, unless they are opaque.
    pub data_type: Option<DataType>,
}

/// A publisher of a cycle.
#[derive(Clone, Copy)]
pub struct PublisherEnd {
    /// The topic.
    pub topic: &'static str,
    /// The number of earlier ends of the same topic in the cycle.
    pub number: u32,
    /// The number of publishers of the topic in cycles and sources that precede it.
    pub place: u32,
}

/// The messages of one publisher that a subscription received in a run.
#[derive(Clone, Copy, Default)]
pub struct Received {
    /// The topic.
    pub topic: &'static str,
    /// The number of earlier subscriptions to the same topic in the cycle.
    pub subscriber: u32,
    /// The publisher, and which of its messages.
    pub inlet: Inlet,
}
