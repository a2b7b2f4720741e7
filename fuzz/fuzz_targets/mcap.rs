//! Any bytes are a log, damaged or not, that is read to its end, or no log; every error says at
//! which byte of the file; nothing panics, nothing is read forever, and no claim of a length takes
//! memory.
#![no_main]

use std::io::Cursor;

use hemiola_log::{Doubt, Entry, LogReader, LogTime, Selection};
use libfuzzer_sys::fuzz_target;

const MEMORY_LIMIT: u64 = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    for doubt in [Doubt::Skip, Doubt::Deliver] {
        let Ok(log) = LogReader::with(Cursor::new(bytes), "fuzz.mcap".into(), doubt, MEMORY_LIMIT) else { return };
        read(log, bytes.len());
    }
    let Ok(log) = LogReader::new(Cursor::new(bytes), "fuzz.mcap") else { return };
    read(log.select(Selection::all().topic("/a*").before(LogTime::from_nanoseconds(1 << 40))), bytes.len());
});

fn read(mut log: LogReader<Cursor<&[u8]>>, length: usize) {
    // A record takes nine bytes, a chunk's records may be compressed by a thousand.
    let mut steps = 10_000 + 1000 * length;
    let mut attachments = Vec::new();
    while let Some(entry) = log.next_entry() {
        steps = steps.checked_sub(1).expect("there is an end");
        match entry {
            Ok(Entry::Message(message)) => {
                if let Ok(value) = message.decode() {
                    assert!(!value.to_string().is_empty());
                }
            }
            Ok(Entry::Attachment(attachment)) => attachments.push(attachment),
            Ok(_) => {}
            Err(error) => {
                assert!(error.to_string().contains("fuzz.mcap: byte "), "{error}");
                assert!(error.damage().is_none_or(|damage| damage.offset <= length as u64), "{error}");
            }
        }
    }
    for attachment in attachments.iter().take(10) {
        let mut data = Vec::new();
        log.read_attachment(attachment, &mut data).expect("it has been read before");
        assert_eq!(data.len() as u64, attachment.data_length);
    }
}
