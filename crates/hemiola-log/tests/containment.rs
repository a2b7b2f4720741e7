//! The code that writes a type may be the user's; a log survives its panics.
#![forbid(unsafe_code)]

use hemiola_log::{Entry, LogCompression, LogError, LogReader, LogWriter, Origin};
use hemiola_model::cdr::MessageSchema;
use hemiola_model::{Data, Time};

#[test]
fn a_log_goes_on_behind_a_value_whose_writing_panics() {
    for compression in [LogCompression::None, LogCompression::Lz4] {
        let path = std::env::temp_dir().join(format!("hemiola-log-panic-{compression:?}-{}.mcap", std::process::id()));
        let mut log = LogWriter::create(&path, compression).unwrap();
        let heights = log.channel("/heights", &MessageSchema::of("Heights", &<Vec<f64>>::data_type())).unwrap();
        let at = |sequence| Origin { sequence, logged: Time::ZERO, published: Time::ZERO };
        assert!(log.encode(heights, at(0), |bytes| vec![0.5; 100].write(bytes)).unwrap());
        let refused = log.encode(heights, at(1), |bytes| {
            vec![0.25; 50].write(bytes);
            panic!("no height at all");
        });
        let Err(LogError::Panicked { panicked, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(panicked.message(), "no height at all");
        assert!(log.encode(heights, at(2), |bytes| vec![0.75; 100].write(bytes)).unwrap());
        assert_eq!(log.finish().unwrap().messages, 2);

        let mut log = LogReader::open(&path).unwrap();
        let mut sequences = Vec::new();
        while let Some(entry) = log.next_entry() {
            if let Entry::Message(message) = entry.unwrap() {
                sequences.push(message.sequence);
            }
        }
        assert_eq!(sequences, [0, 2]);
        std::fs::remove_file(&path).unwrap();
    }
}
