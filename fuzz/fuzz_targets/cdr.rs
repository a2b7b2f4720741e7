//! Any bytes are either a message of a type that is known only as text, which can be shown, or an
//! error that names the byte.
#![no_main]

use std::sync::{Arc, LazyLock};

use hemiola_log::{Definition, Value};
use libfuzzer_sys::fuzz_target;

/// The first byte of the input says which.
static DEFINITIONS: LazyLock<Vec<Arc<Definition>>> = LazyLock::new(|| {
    let parse = |text: &&str| Arc::new(Definition::parse("fuzz/msg/Root", text).expect("it is a definition"));
    TEXTS.iter().map(parse).collect()
});

const TEXTS: [&str; 4] = [
    "uint8[] data\n",
    "bool a\nint16[3] b\nfloat64[<=4] c\nstring<=5[] d\nbuiltin_interfaces/Time[] e\nstring f\n",
    "Part[] parts\n===\nMSG: fuzz/Part\nPoint[2] points\nPoint[<=1] maybe\nstring[] names\nEmpty[] none\n===\nMSG: fuzz/Point\nfloat32 x\n\
     uint64 y\n===\nMSG: fuzz/Empty\n",
    "bool[] flags\nuint64[2] big\nint8[] small\nfloat32[] q\nint64[] r\nuint16[] s\nuint32[4] t\nwstring u\n",
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, bytes)) = input.split_first() else { return };
    let definition = &DEFINITIONS[usize::from(*choice) % TEXTS.len()];
    match Value::decode(definition, bytes) {
        Ok(value) => {
            assert!(!value.to_string().is_empty());
            serde_json::to_string(&value).expect("every value is JSON");
        }
        Err(error) => assert!(error.path.contains("byte ") && !error.message.is_empty(), "{error}"),
    }
});
