//! Any bytes are a log of PX4 that becomes a log, or an error: behind the header, or as formats and
//! the data of messages in a log that is whole. Nothing panics, and no claim of a length takes
//! memory.
#![no_main]

mod imported;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some(([choice, length], rest)) = input.split_first_chunk::<2>() else { return };
    let mut log = b"ULog\x01\x12\x35\x01\0\0\0\0\0\0\0\0".to_vec();
    if choice % 2 == 0 {
        log.extend_from_slice(rest);
    } else {
        let (formats, data) = rest.split_at(usize::from(*length).min(rest.len()));
        let formats: Vec<_> = formats.split(|&byte| byte == b'\n').collect();
        formats.iter().for_each(|format| record(&mut log, b'F', format));
        for (number, format) in formats.iter().enumerate() {
            let name = format.split(|&byte| byte == b':').next().unwrap_or_default();
            record(&mut log, b'A', &[&[0, number as u8, 0], name].concat());
        }
        for (number, _) in formats.iter().enumerate() {
            record(&mut log, b'D', &[&[number as u8, 0], data].concat());
        }
    }
    imported::check("fuzz.ulg", &log);
});

fn record(log: &mut Vec<u8>, kind: u8, body: &[u8]) {
    log.extend((body.len() as u16).to_le_bytes());
    log.push(kind);
    log.extend(&body[..body.len().min(usize::from(u16::MAX))]);
}
