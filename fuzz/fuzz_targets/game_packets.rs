//! Any bytes are a packet of the GameController, a status or a message of the team, or refused with
//! a reason; what is read is written as the same bytes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nao::game_controller::packet::{self, ControlPacket};
use nao::game_controller::status::{self, StatusPacket};
use nao::team::message::{self, TeamMessage};

fuzz_target!(|input: &[u8]| {
    any_bytes(input);
    // What begins as it should comes farther.
    for (magic, length) in [
        ([&packet::MAGIC[..], &[packet::VERSION]].concat(), packet::LENGTH),
        ([&status::MAGIC[..], &[status::VERSION]].concat(), status::LENGTH),
        (message::MAGIC.to_vec(), message::LENGTH),
    ] {
        let mut bytes = [&magic[..], input].concat();
        bytes.resize(length, 0);
        any_bytes(&bytes);
    }
});

fn any_bytes(bytes: &[u8]) {
    match ControlPacket::read(bytes) {
        Ok(packet) => {
            assert_eq!(packet.to_bytes()[..], *bytes);
            let [first, second] = [0, 1].map(|team: usize| packet.teams[team].number);
            for player in 0..=21 {
                assert!(packet.seen_by(first, player).is_ok() && packet.seen_by(second, player).is_ok());
            }
        }
        Err(refusal) => assert!(refusal.to_string().contains("it is ignored")),
    }
    if let Some(status) = StatusPacket::read(bytes) {
        assert!(StatusPacket::read(&status.to_bytes()).is_some());
    }
    if let Some(message) = TeamMessage::read(bytes) {
        assert_eq!(TeamMessage::read(&message.to_bytes()), Some(message));
    }
}
