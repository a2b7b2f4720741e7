//! The sound of a microphone in the robot's head: the hall, the robot's own motors, and the
//! referee.

use std::f32::consts::TAU;

use super::random::Random;
use super::world::SimulatedWorld;
use crate::representations::sensing::AudioBlock;

#[cfg(test)]
mod tests;

/// The sample rate, in hertz.
pub const SAMPLE_RATE: u32 = 48_000;
/// The number of samples in a block.
pub const BLOCK_LENGTH: usize = 1024;

/// The effective value of the hall's noise; full scale is 1.
const HALL_LEVEL: f32 = 0.012;
const CROWD_LEVEL: f32 = 0.05;
/// The effective value of the motors' noise, per rad/s of all joints together.
const MOTOR_LEVEL: f32 = 0.0008;
const LOUDEST_MOTORS: f32 = 0.02;
const WHISTLE_LEVEL: f32 = 0.16;
/// The echoes of the hall's walls: delay in seconds and share of the loudness.
const ECHOES: [(f32, f32); 3] = [(0.0, 1.0), (0.043, 0.3), (0.071, 0.2)];

/// A microphone with its own clock: block after block without a gap.
///
/// Whistles start at the times in the snapshot, on a clock that starts at 0 with the first block.
/// The same seed and the same snapshots give the same bits. Recording does not allocate once the
/// block has its size.
#[derive(Clone, Debug)]
pub struct Microphone {
    seed: u64,
    random: Random,
    blocks: u64,
    hall: Rumble,
    crowd: Rumble,
    /// The current and the next loudness of the crowd, from 0 to 1.
    excitement: [f32; 2],
    motor_level: f32,
}

impl Microphone {
    /// Creates a microphone that starts to record.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            random: Random::for_purpose(seed, 3),
            blocks: 0,
            hall: Rumble::new(400.0),
            crowd: Rumble::new(1600.0),
            excitement: [0.0; 2],
            motor_level: 0.0,
        }
    }

    /// Returns when the next block begins, in seconds since the first.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.first_sample() as f32 / SAMPLE_RATE as f32
    }

    /// Records the next [`BLOCK_LENGTH`] samples. Takes about 0.1 ms, 0.3 ms while the referee
    /// whistles.
    pub fn record(&mut self, world: &SimulatedWorld, block: &mut AudioBlock) {
        block.sample_rate = SAMPLE_RATE as f32;
        block.samples.resize(BLOCK_LENGTH, 0.0);
        self.record_surroundings(world.activity, &mut block.samples);
        for (number, start) in world.whistles.iter().enumerate() {
            let whistle = Whistle::new(self.seed, number as u64, *start);
            for (delay, part) in ECHOES {
                self.record_whistle(&whistle, delay, part * WHISTLE_LEVEL, &mut block.samples);
            }
        }
        for sample in &mut block.samples {
            *sample = sample.clamp(-1.0, 1.0);
        }
        self.blocks += 1;
    }

    /// Records the noise of the hall, bursts of the crowd, and the motors, each of which changes
    /// gradually within a block.
    fn record_surroundings(&mut self, activity: f32, samples: &mut [f32]) {
        self.excite();
        let [crowd_before, crowd_after] = self.excitement.map(|excitement| CROWD_LEVEL * excitement);
        let motor_before = self.motor_level;
        self.motor_level += 0.3 * ((MOTOR_LEVEL * activity).min(LOUDEST_MOTORS) - self.motor_level);
        let first = self.first_sample();
        for (index, sample) in samples.iter_mut().enumerate() {
            let part = index as f32 / BLOCK_LENGTH as f32;
            let crowd = crowd_before + part * (crowd_after - crowd_before);
            let motors = motor_before + part * (self.motor_level - motor_before);
            *sample = HALL_LEVEL * self.hall.next(self.random.normal())
                + crowd * self.crowd.next(self.random.normal())
                + motors * hum(first + index as u64);
        }
    }

    /// Lets the crowd calm down, or shout about every eight seconds.
    fn excite(&mut self) {
        let [_, now] = self.excitement;
        let shouts = self.random.uniform(0.0..1.0) < BLOCK_LENGTH as f32 / SAMPLE_RATE as f32 / 8.0;
        let next = if shouts { self.random.uniform(0.4..1.0) } else { 0.97 * now };
        self.excitement = [now, next];
    }

    fn record_whistle(&self, whistle: &Whistle, delay: f32, level: f32, samples: &mut [f32]) {
        let begin = ((whistle.start + delay) * SAMPLE_RATE as f32) as u64;
        let end = begin + (whistle.duration * SAMPLE_RATE as f32) as u64;
        let first = self.first_sample();
        let within = |sample: u64| (sample.clamp(first, first + BLOCK_LENGTH as u64) - first) as usize;
        for (index, sample) in samples.iter_mut().enumerate().take(within(end)).skip(within(begin)) {
            let age = (first + index as u64 - begin) as f32 / SAMPLE_RATE as f32;
            *sample += level * whistle.at(age);
        }
    }

    fn first_sample(&self) -> u64 {
        self.blocks * BLOCK_LENGTH as u64
    }
}

/// Noise that falls by 6 dB per octave above a frequency, with an effective value of 1.
#[derive(Clone, Debug)]
struct Rumble {
    /// The share of the old value that each sample keeps.
    keep: f32,
    value: f32,
}

impl Rumble {
    fn new(frequency: f32) -> Self {
        Self { keep: (-TAU * frequency / SAMPLE_RATE as f32).exp(), value: 0.0 }
    }

    fn next(&mut self, noise: f32) -> f32 {
        // The scale keeps the variance of `value` at that of `noise`, which is 1.
        self.value = self.keep * self.value + (1.0 - self.keep * self.keep).sqrt() * noise;
        self.value
    }
}

/// Returns the sound of gears under load: three dissonant tones.
fn hum(sample: u64) -> f32 {
    [(380.0, 0.8), (620.0, 0.5), (1130.0, 0.35)].map(|(frequency, part)| part * tone(frequency, sample)).iter().sum()
}

/// Returns a sine at an integer frequency in hertz, exact after any number of samples.
fn tone(frequency: f32, sample: u64) -> f32 {
    let within_second = (sample % u64::from(SAMPLE_RATE)) as f32 / SAMPLE_RATE as f32;
    (TAU * (frequency * within_second).fract()).sin()
}

/// One blow into a whistle with a pea: a tone that the pea makes flutter, its harmonics, and
/// breath.
#[derive(Clone, Copy, Debug)]
struct Whistle {
    /// The start, in seconds.
    start: f32,
    /// The duration, in seconds.
    duration: f32,
    /// The frequency of the tone, in hertz.
    frequency: f32,
    /// The revolutions of the pea per second.
    flutter: f32,
}

impl Whistle {
    fn new(seed: u64, number: u64, start: f32) -> Self {
        let mut random = Random::for_purpose(seed, 0x100 + number);
        Self {
            start,
            duration: random.uniform(0.5..1.1),
            frequency: random.uniform(3000.0..4200.0),
            flutter: random.uniform(25.0..40.0),
        }
    }

    /// Returns the sound `age` seconds after the start, between about -1.5 and 1.5.
    fn at(&self, age: f32) -> f32 {
        let attack = (age / 0.02).min(1.0) * ((self.duration - age) / 0.05).clamp(0.0, 1.0);
        // The blow begins a little low. The phase is the integral of the frequency, so that it
        // never jumps.
        let (rise, rise_time) = (-150.0, 0.05);
        let vibrato = 40.0;
        let cycles = self.frequency * age
            + rise * rise_time * (1.0 - (-age / rise_time).exp())
            + vibrato / (TAU * self.flutter) * (1.0 - (TAU * self.flutter * age).cos());
        let angle = TAU * cycles.fract();
        let loudness = 1.0 + 0.35 * (TAU * self.flutter * age).sin();
        attack * loudness * (angle.sin() + 0.25 * (2.0 * angle).sin() + 0.1 * (3.0 * angle).sin())
    }
}
