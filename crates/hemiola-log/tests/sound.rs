//! Imports of sound, in the form in which the example robot records it.

mod directory;

use std::io::Cursor;

use flac_codec::byteorder::LittleEndian;
use flac_codec::encode::{FlacByteWriter, Options};
use hemiola_log::{Numbers, SoundReader, Timing, Value};
use hound::{SampleFormat, WavSpec, WavWriter};
use proptest::prelude::*;

use directory::Directory;

/// Makes a file of so many bits, of samples of all channels.
fn wav(channels: u16, bits: u16, samples: &[i32]) -> Vec<u8> {
    let form = WavSpec { channels, sample_rate: 16_000, bits_per_sample: bits, sample_format: SampleFormat::Int };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes, form).unwrap();
    samples.iter().for_each(|&sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    bytes.into_inner()
}

fn float_wav(samples: &[f32]) -> Vec<u8> {
    let form = WavSpec { channels: 1, sample_rate: 16_000, bits_per_sample: 32, sample_format: SampleFormat::Float };
    let mut bytes = Cursor::new(Vec::new());
    let mut writer = WavWriter::new(&mut bytes, form).unwrap();
    samples.iter().for_each(|&sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    bytes.into_inner()
}

/// Makes a FLAC file of 16 bits.
fn flac(channels: u8, samples: &[i16]) -> Vec<u8> {
    use std::io::Write;
    let mut bytes = Cursor::new(Vec::new());
    let mut writer =
        FlacByteWriter::endian(&mut bytes, LittleEndian, Options::default(), 16_000, 16, channels, None).unwrap();
    let pcm: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    writer.write_all(&pcm).unwrap();
    writer.finalize().unwrap();
    bytes.into_inner()
}

fn samples(bytes: &[u8]) -> Vec<f32> {
    let mut sound = SoundReader::new("sound".as_ref(), bytes).unwrap();
    let mut samples = Vec::new();
    while sound.read(7, &mut samples).unwrap() > 0 {}
    assert_eq!(sound.ends_early(), None);
    samples
}

#[test]
fn samples_of_all_widths_are_between_minus_one_and_one() {
    for bits in [8, 16, 24, 32] {
        let full = 1_i64 << (bits - 1);
        let written: Vec<_> = [-full, -full / 2, 0, full / 4].map(|sample| sample as i32).to_vec();
        assert_eq!(samples(&wav(1, bits, &written)), [-1.0, -0.5, 0.0, 0.25], "{bits} bits");
    }
    assert_eq!(samples(&float_wav(&[0.5, -0.125, 3.0, f32::NAN])), [0.5, -0.125, 1.0, 0.0]);
    assert_eq!(samples(&flac(1, &[-32768, 16384, 0])), [-1.0, 0.5, 0.0]);
}

#[test]
fn each_microphone_is_a_topic_of_blocks_that_are_stamped_with_their_end() {
    let stereo: Vec<i16> = (0..3000).flat_map(|number| [number, -number]).collect();
    let directory = Directory::new(&[
        ("ears/both.flac", &flac(2, &stereo)),
        ("one.wav", &wav(1, 16, &[16384; 1025])),
        ("six.wav", &wav(6, 24, &[0; 12])),
    ]);
    let imported = directory.import(&Timing::default()).unwrap();
    assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    let counts: Vec<_> = imported.channels.iter().map(|channel| (channel.topic.as_str(), channel.messages)).collect();
    assert_eq!(counts[..3], [("/ears/both/channel_1", 3), ("/ears/both/channel_2", 3), ("/one", 2)]);
    assert_eq!(counts[8], ("/six/channel_6", 1));
    let messages = directory.messages();
    let of = |topic: &str| -> Vec<_> { messages.iter().filter(|(of, ..)| of == topic).collect() };
    let times: Vec<_> = of("/one").iter().map(|(_, time, _)| *time).collect();
    assert_eq!(times, [64_000_000, 64_062_500]);
    assert_eq!(of("/one")[0].2.get("sample_rate").as_deref(), Some(&Value::Float32(16_000.0)));
    assert_eq!(of("/one")[1].2.get("samples").as_deref(), Some(&Value::Numbers(Numbers::F32(vec![0.5]))));
    let right = of("/ears/both/channel_2")[1].2.get("samples[3]").unwrap().number();
    assert_eq!(right, Some(f64::from(-1027.0_f32 / 32768.0)));
}

#[test]
fn sound_that_is_cut_off_is_imported_as_far_as_it_goes_and_told_of() {
    let mut cut = wav(2, 16, &[100; 6000]);
    cut.truncate(cut.len() - 2001);
    let mut packed = flac(1, &(0..9000).map(|number| (number * number % 8191) as i16).collect::<Vec<_>>());
    packed.truncate(packed.len() * 2 / 3);
    for (name, bytes, all) in [("cut.wav", cut, 3000), ("cut.flac", packed, 9000)] {
        let directory = Directory::new(&[(name, &bytes)]);
        let imported = directory.import_file(name).unwrap();
        let problem = imported.problems[0].to_string();
        assert!(problem.contains(name) && problem.contains(&format!("of {all} samples")), "{problem}");
        assert!(imported.channels.iter().all(|channel| channel.messages > 0));
    }
}

#[test]
fn what_is_no_sound_that_can_be_read_says_what_to_do() {
    let mut packed = wav(1, 16, &[1, 2]);
    // This is A-law, which no robot's microphone delivers.
    packed[20] = 6;
    for (bytes, expected) in [(&packed[..], "ffmpeg"), (b"fLaC\0\0", "ffmpeg"), (&wav(1, 16, &[])[..], "nothing")] {
        let directory = Directory::new(&[("sound.wav", bytes)]);
        let error = directory.import_file("sound.wav").unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains("sound.wav"), "{error}");
    }
}

#[test]
fn a_rate_for_sound_is_refused() {
    let directory = Directory::new(&[("sound.wav", &wav(1, 16, &[1, 2]))]);
    let timing = Timing { column: None, rate: Some(5.0) };
    let file = directory.0.join("in/sound.wav");
    let error = hemiola_log::import(&file, &directory.log(), hemiola_log::LogCompression::None, &timing, |_, _| {});
    let error = error.unwrap_err().to_string();
    assert!(error.contains("16000 Hz: remove --time and --rate"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes_are_sound_or_an_error(
        at in 0_usize..200, bytes in proptest::collection::vec(any::<u8>(), 1..20), cut in 0_usize..100, is_flac: bool,
    ) {
        let mut sound = if is_flac { flac(2, &[7; 300]) } else { wav(2, 16, &[7; 300]) };
        let at = at % sound.len();
        for (place, byte) in sound[at..].iter_mut().zip(&bytes) {
            *place = *byte;
        }
        sound.truncate(sound.len() - cut.min(sound.len()));
        if let Ok(mut sound) = SoundReader::new("sound".as_ref(), &sound[..]) {
            let mut samples = Vec::new();
            while sound.read(64, &mut samples).unwrap() > 0 {}
            prop_assert!(samples.iter().all(|sample| (-1.0..=1.0).contains(sample)));
        }
    }
}
