//! Any bytes are either sound (WAV, FLAC) between -1 and 1, or an error; nothing panics.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use nao::recordings::sound::Sound;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(sound) = Sound::decode(Path::new("sound.wav"), bytes) {
        assert!(!sound.samples.is_empty() && sound.sample_rate > 0.0);
        assert!(sound.samples.iter().all(|sample| (-1.0..=1.0).contains(sample)));
    }
});
