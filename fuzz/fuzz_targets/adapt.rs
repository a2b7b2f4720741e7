//! Of any two definitions, either messages of one become messages of the other that can be decoded,
//! or an error says why not.
#![no_main]

use std::sync::Arc;

use hemiola_log::{Adapter, Definition, FieldSource, Value};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str, &str, &str, &[u8], &[u8])| {
    let (from, to, field, path, default, message) = input;
    let parse = |text| Definition::parse("fuzz/msg/Root", text).map(Arc::new);
    let (Ok(from), Ok(to)) = (parse(from), parse(to)) else { return };
    for fields in [Vec::new(), vec![(field, FieldSource { path: path.to_owned(), scale: 2.0, offset: -1.0 })]] {
        let default = [&[0, 1, 0, 0], default, &[0; 64]].concat();
        // As much of it as the definition has a place for.
        let fitting = (4..default.len()).map(|end| &default[..end]).find(|bytes| Value::decode(&to, bytes).is_ok());
        let Some(default) = fitting else { return };
        let Ok(adapter) = Adapter::new(&from, &to, default, fields) else { continue };
        let message = [&[0, 1, 0, 0], message].concat();
        if let Ok(adapted) = adapter.adapt(&message, |_| {}) {
            Value::decode(&to, &adapted).expect("it fits the definition");
        }
    }
});
