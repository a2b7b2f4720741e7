//! The names that traces give to the paths of messages. Chains that a topic is part of are distinct
//! from those of values alone, because messages may be faster or slower; data that goes through a
//! topic is an exchange like others.

const BY_MESSAGES: &str = " by messages";
const TO_TOPIC: &str = " to topic ";

/// Returns the name of a source at the start of chains to which messages of a topic belong.
///
/// ```
/// assert_eq!(hemiola_trace::by_messages("Microphone"), "Microphone by messages");
/// ```
pub fn by_messages(source: &str) -> String {
    format!("{source}{BY_MESSAGES}")
}

/// Returns the source from which [`by_messages`] made a name.
///
/// ```
/// assert_eq!(hemiola_trace::source_of_messages("Microphone by messages"), Some("Microphone"));
/// assert_eq!(hemiola_trace::source_of_messages("Microphone"), None);
/// ```
pub fn source_of_messages(begin: &str) -> Option<&str> {
    begin.strip_suffix(BY_MESSAGES)
}

/// Returns the name of the exchange through which a cycle publishes to a topic.
///
/// ```
/// assert_eq!(hemiola_trace::to_topic("audio", "Whistle"), "audio to topic Whistle");
/// ```
pub fn to_topic(cycle: &str, topic: &str) -> String {
    format!("{cycle}{TO_TOPIC}{topic}")
}

/// Returns the topic from which [`to_topic`] made a name.
///
/// ```
/// assert_eq!(hemiola_trace::topic_of("audio to topic Whistle"), Some("Whistle"));
/// assert_eq!(hemiola_trace::topic_of("motion to cognition"), None);
/// ```
pub fn topic_of(exchange: &str) -> Option<&str> {
    exchange.split_once(TO_TOPIC).map(|(_, topic)| topic)
}
