//! The comparison of schemas in logs with those of this program.

use hemiola_log::{Channel, Definition};
use hemiola_model::cdr::MessageSchema;

/// Returns whether the messages of a channel have the fields of `schema`, in the same order. The
/// comments of schemas do not count: they are the documentation of fields, which changes.
pub fn has_fields_of(channel: &Channel, schema: &MessageSchema) -> bool {
    if channel.schema.as_ref().is_some_and(|recorded| recorded.data == schema.text.as_bytes()) {
        return true;
    }
    let Ok(recorded) = channel.definition() else { return false };
    Definition::parse(&schema.name, &schema.text).is_ok_and(|wanted| **recorded == wanted)
}

#[cfg(test)]
mod tests {
    use hemiola_log::{LogCompression, LogReader, LogWriter};
    use hemiola_model::data::{Data, DataType, Field};

    use super::*;

    #[test]
    fn comments_may_differ_and_fields_may_not() {
        let of = |name: &str, comment: &str| {
            let fields = vec![Field::new(name, f64::data_type(), comment), Field::new("seen", bool::data_type(), "")];
            MessageSchema::of("Ball", &DataType::structure("soccer/Ball", fields))
        };
        let wanted = of("size", "The radius, in metres.");
        assert!(is_recorded_as(&wanted, &wanted));
        assert!(is_recorded_as(&of("size", "How large it is."), &wanted));
        assert!(is_recorded_as(&of("size", ""), &wanted));
        assert!(!is_recorded_as(&of("radius", "The radius, in metres."), &wanted));
    }

    /// Returns whether a log whose only channel has the schema `recorded` has the fields of
    /// `wanted`.
    fn is_recorded_as(recorded: &MessageSchema, wanted: &MessageSchema) -> bool {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ball.mcap");
        let mut log = LogWriter::create(&path, LogCompression::None).unwrap();
        log.channel("/vision/Ball", recorded).unwrap();
        log.finish().unwrap();
        let log = LogReader::open(&path).unwrap();
        let channel = log.summary().unwrap().channels.values().next().unwrap();
        has_fields_of(channel, wanted)
    }
}
