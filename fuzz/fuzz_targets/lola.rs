//! Any bytes are a frame of LoLA's wire or the reason why they are none: nothing panics, what is
//! read lies within them, and a frame that was read is the same when it is written and read again.
//!
//! Random bytes seldom get far, so every second input changes bytes of a whole state: places, and
//! what stands there instead.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nao::lola::wire::{ActuatorFrame, LARGEST_FRAME, SensorFrame};

fuzz_target!(|input: &[u8]| {
    let Some((kind, input)) = input.split_first() else { return };
    if kind % 2 == 0 {
        read(input);
        return;
    }
    let mut whole = [0; LARGEST_FRAME];
    let length = SensorFrame::default().encode(&mut whole).expect("a frame fits");
    for change in input.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]]));
        whole[place % length] = change[2];
    }
    read(&whole[..length]);
});

fn read(bytes: &[u8]) {
    let mut buffer = [0; LARGEST_FRAME];
    let mut sensors = SensorFrame::default();
    match sensors.decode(bytes) {
        Ok(length) => {
            assert!(length <= bytes.len());
            // Texts may be longer than those of a robot.
            if let Ok(length) = sensors.encode(&mut buffer) {
                let mut again = SensorFrame::default();
                assert_eq!(again.decode(&buffer[..length]), Ok(length));
                assert_eq!(again, sensors);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    let mut actuators = ActuatorFrame::default();
    if let Ok(length) = actuators.decode(bytes) {
        assert!(length <= bytes.len());
        let length = actuators.encode(&mut buffer).expect("a frame fits");
        let mut again = ActuatorFrame::default();
        assert_eq!(again.decode(&buffer[..length]), Ok(length));
        assert_eq!(again, actuators);
    }
}
