//! Any bytes are a bag of ROS 1 that becomes a log, or an error: behind the first line, or as the
//! definition and the bytes of a message in a bag that is whole. Nothing panics, and no claim of a
//! length takes memory.
#![no_main]

mod imported;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(([choice, length], rest)) = input.split_first_chunk::<2>() else { return };
    let bytes = match choice % 3 {
        0 => rest.to_vec(),
        choice => {
            let (definition, message) = rest.split_at(usize::from(*length).min(rest.len()));
            let connection = [field("type", b"a/B"), field("message_definition", definition)].concat();
            let header = [field("op", &[7]), field("conn", &[0; 4]), field("topic", b"t")].concat();
            let written = [field("op", &[2]), field("conn", &[0; 4]), field("time", &[1, 0, 0, 0, 2, 0, 0, 0])].concat();
            let records = [record(&header, &connection), record(&written, message), record(&written, &[])].concat();
            if choice == 1 {
                records
            } else {
                let size = (records.len() as u32).to_le_bytes();
                let chunk = [field("compression", b"none"), field("op", &[5]), field("size", &size)].concat();
                record(&chunk, &records)
            }
        }
    };
    imported::check("fuzz.bag", &[b"#ROSBAG V2.0\n", &bytes[..]].concat());
});

fn field(name: &str, value: &[u8]) -> Vec<u8> {
    let length = (name.len() + 1 + value.len()) as u32;
    [&length.to_le_bytes()[..], name.as_bytes(), b"=", value].concat()
}

fn record(header: &[u8], data: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u32).to_le_bytes();
    [&length(header)[..], header, &length(data), data].concat()
}
