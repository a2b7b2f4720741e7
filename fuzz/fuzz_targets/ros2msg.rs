//! Any text is either a message definition, by which messages can be decoded, or an error that
//! names the line.
#![no_main]

use std::sync::Arc;

use hemiola_log::{Definition, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    match Definition::parse("fuzz/msg/Root", text) {
        Ok(definition) => {
            let definition = Arc::new(definition);
            for byte in [0, 1] {
                let mut message = [byte; 256];
                message[..4].copy_from_slice(&[0, 1, 0, 0]);
                if let Err(error) = Value::decode(&definition, &message) {
                    assert!(error.path.contains("byte "), "{error}");
                }
            }
        }
        Err(error) => assert!(error.line >= 1 && error.line <= text.lines().count().max(1), "{error}"),
    }
});
