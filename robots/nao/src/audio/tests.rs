use std::f32::consts::TAU;

use hemiola::module::Module;
use hemiola::prelude::*;

use super::*;
use crate::representations::audio::{AudioBands, AudioLevel, AudioSpectrum, Whistle};
use crate::representations::sensing::AudioBlock;
use crate::score::WhistleEar;

const RATE: f32 = 48_000.0;
const LENGTH: usize = 1024;

/// Runs the modules on `seconds` of a sound, a function of time, and returns the result of each
/// block.
fn listen(rate: f32, seconds: f32, sound: impl Fn(f32) -> f32) -> Vec<Whistle> {
    let mut ear = WhistleEar::new(Default::default());
    let blocks = (seconds * rate / LENGTH as f32) as usize;
    (0..blocks)
        .map(|block| {
            let samples = (block * LENGTH..(block + 1) * LENGTH).map(|i| sound(i as f32 / rate)).collect();
            ear.hear(&AudioBlock { samples, sample_rate: rate })
        })
        .collect()
}

/// Returns white noise without state: a hash of the sample's number.
fn noise(time: f32) -> f32 {
    let mut bits = (time * 96_000.0) as u32;
    for _ in 0..2 {
        bits = (bits ^ (bits >> 16)).wrapping_mul(0x7feb_352d);
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x846c_a68b);
    }
    bits as f32 / u32::MAX as f32 * 2.0 - 1.0
}

/// Returns the sound of a pea whistle, whose frequency wavers by 3 %, thirty times a second.
fn whistle(time: f32, frequency: f32) -> f32 {
    (TAU * frequency * time + 0.03 * frequency / 30.0 * (TAU * 30.0 * time).sin()).sin()
}

#[test]
fn the_level_of_a_sine_is_three_decibel_below_full_scale() {
    let samples = (0..LENGTH).map(|i| (TAU * i as f32 / 64.0).sin()).collect();
    let mut level = AudioLevel::default();
    let meter = LevelMeter::create(Default::default());
    meter.level(&AudioBlock { samples, sample_rate: RATE }, &Debug::default(), &mut level);
    assert!((level.root_mean_square + 3.01).abs() < 0.01, "{level:?}");
    assert!(level.peak.abs() < 0.01 && level.clipped > 0.0 && level.clipped < 0.1, "{level:?}");
}

#[test]
fn silence_and_an_empty_block_have_a_level() {
    for samples in [vec![], vec![0.0; LENGTH]] {
        let mut level = AudioLevel::default();
        let meter = LevelMeter::create(Default::default());
        meter.level(&AudioBlock { samples, sample_rate: RATE }, &Debug::default(), &mut level);
        assert_eq!(level, AudioLevel::default());
    }
}

#[test]
fn a_spectrum_has_the_power_of_the_signal_where_its_frequency_is() {
    for (rate, frequency) in [(48_000.0, 3000.0), (16_000.0, 1000.0), (44_100.0, 4000.0)] {
        let mut analyzer = SpectrumAnalyzer::create(());
        let mut spectrum = AudioSpectrum::default();
        for block in 0..2 {
            let samples =
                (0..LENGTH).map(|i| 0.5 * (TAU * frequency * (block * LENGTH + i) as f32 / rate).sin()).collect();
            analyzer.spectrum(&AudioBlock { samples, sample_rate: rate }, &mut spectrum);
        }
        let total: f32 = spectrum.power.iter().sum();
        let tone: f32 = spectrum.power[spectrum.bins(frequency - 60.0, frequency + 60.0)].iter().sum();
        assert!((total - 0.125).abs() < 0.001, "half of the squared amplitude, not {total}");
        assert!(tone > 0.999 * total, "{tone} of {total}");
    }
}

#[test]
fn the_background_does_not_notice_a_short_sound_but_follows_a_lasting_one() {
    let mut floor = NoiseFloorEstimator::create(Default::default());
    let mut spectrum = AudioSpectrum { power: vec![1e-6; 1025], resolution: 23.4, hop: 0.0213 };
    let mut bands = AudioBands::default();
    let mut run = |power: f32, blocks: usize| {
        spectrum.power.fill(power);
        (0..blocks).for_each(|_| floor.bands(&spectrum, &Debug::default(), &mut bands));
        bands.clone()
    };
    let quiet = run(1e-6, 100);
    assert!(quiet.settled);
    assert_eq!(run(1e-2, 40).floor, quiet.floor, "0.85 s");
    assert!(run(1e-2, 20).floor[10] > 1000.0 * quiet.floor[10], "1.3 s");
}

#[test]
fn a_wavering_whistle_in_noise_is_heard_at_its_beginning_at_any_sample_rate() {
    for rate in [16_000.0, 44_100.0, 48_000.0] {
        for frequency in [2500.0, 3000.0, 4200.0] {
            let blown = 1.0..1.6;
            let heard = listen(rate, 2.5, |time| {
                let amplitude = if blown.contains(&time) { 0.2 } else { 0.0 };
                0.01 * noise(time) + amplitude * whistle(time, frequency)
            });
            let began = heard.last().unwrap().last_heard.unwrap_or_default().seconds();
            assert!((1.0..1.3).contains(&began), "{frequency} Hz at {rate} Hz: {began}");
            assert!(!heard.last().unwrap().heard, "it has ended");
            let changes = heard.windows(2).filter(|pair| pair[0].heard != pair[1].heard).count();
            assert_eq!(changes, 2, "one whistle is heard once");
        }
    }
}

#[test]
fn noise_clicks_and_low_tones_are_no_whistles() {
    type Sound = fn(f32) -> f32;
    let sounds: [(&str, Sound); 5] = [
        ("noise", |time| 0.1 * noise(time)),
        ("noise that starts", |time| if time < 1.0 { 0.001 } else { 0.3 } * noise(time)),
        ("clicks", |time| 0.01 * noise(time) + if time.fract() < 0.002 { 0.9 } else { 0.0 }),
        ("a voice", |time| {
            let voiced = (1..20).map(|k| (TAU * 180.0 * k as f32 * time).sin() / k as f32).sum::<f32>();
            0.01 * noise(time) + if time > 1.0 { 0.1 * voiced } else { 0.0 }
        }),
        ("a hum", |time| 0.01 * noise(time) + if time > 1.0 { 0.5 * (TAU * 700.0 * time).sin() } else { 0.0 }),
    ];
    for (name, sound) in sounds {
        assert!(listen(RATE, 2.5, sound).iter().all(|whistle| !whistle.heard), "{name}");
    }
}

#[test]
fn a_tone_that_has_always_been_there_is_background() {
    let heard = listen(RATE, 3.0, |time| 0.01 * noise(time) + 0.2 * (TAU * 3000.0 * time).sin());
    assert!(heard.iter().all(|whistle| !whistle.heard));
}

#[test]
fn what_is_heard_does_not_depend_on_the_gain() {
    let sound = |gain: f32| {
        move |time: f32| gain * (0.01 * noise(time) + if time > 1.0 { 0.2 * whistle(time, 3000.0) } else { 0.0 })
    };
    let loud = listen(RATE, 2.0, sound(1.0));
    let quiet = listen(RATE, 2.0, sound(1.0 / 64.0));
    assert_eq!(loud, quiet);
}

#[test]
fn a_block_of_another_form_starts_afresh() {
    let mut ear = WhistleEar::new(Default::default());
    for (length, rate) in
        [(1024, 48_000.0), (0, 48_000.0), (512, 48_000.0), (512, 0.0), (7, 16_000.0), (1024, 44_100.0)]
    {
        for _ in 0..3 {
            assert!(!ear.hear(&AudioBlock { samples: vec![0.1; length], sample_rate: rate }).heard);
        }
    }
}
