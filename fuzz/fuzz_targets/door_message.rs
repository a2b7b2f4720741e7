//! What comes from a robot's door as bytes, read by the commands.
#![no_main]

use hemiola_live::client::Address;
use hemiola_live::protocol::binary::Frame;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    _ = Frame::read(bytes);
    if let Ok(text) = std::str::from_utf8(bytes) {
        _ = Address::tcp(text, None);
    }
});
