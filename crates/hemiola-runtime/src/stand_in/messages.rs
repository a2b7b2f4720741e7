use hemiola_model::module::Place;

/// Messages of a topic that no cycle publishes, from a recording: those of sources, links,
/// callbacks and other threads ([`Course::carrying`](crate::Course::carrying)).
///
/// ```
/// use hemiola_model::cdr;
/// use hemiola_model::module::Place;
/// use hemiola_runtime::RecordedMessages;
///
/// /// A link whose every message is its own number.
/// struct Counting;
///
/// impl RecordedMessages for Counting {
///     fn message(&mut self, publisher: Place, number: u64) -> Result<Option<Vec<u8>>, String> {
///         Ok((publisher == Place::Outside(0)).then(|| cdr::encode(&number)))
///     }
/// }
///
/// assert_eq!(Counting.message(Place::Outside(0), 7), Ok(Some(cdr::encode(&7_u64))));
/// assert_eq!(Counting.message(Place::Source(0), 7), Ok(None));
/// ```
pub trait RecordedMessages: Send {
    /// Returns the message of the publisher with that number, in CDR, as the topic's messages are
    /// now; `None` if the recording lacks it. Of each publisher, messages are asked for in the
    /// order of their numbers.
    ///
    /// # Errors
    /// Returns an error with the reason if it cannot be read.
    fn message(&mut self, publisher: Place, number: u64) -> Result<Option<Vec<u8>>, String>;
}
