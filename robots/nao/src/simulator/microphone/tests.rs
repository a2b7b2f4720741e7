use super::*;

fn world(whistles: &[f32], activity: f32) -> SimulatedWorld {
    SimulatedWorld { whistles: whistles.to_vec(), activity, ..SimulatedWorld::default() }
}

fn record(seed: u64, world: &SimulatedWorld, blocks: usize) -> Vec<f32> {
    let mut microphone = Microphone::new(seed);
    let mut block = AudioBlock::default();
    let mut samples = Vec::new();
    for _ in 0..blocks {
        microphone.record(world, &mut block);
        samples.extend_from_slice(&block.samples);
    }
    samples
}

fn effective(samples: &[f32]) -> f32 {
    (samples.iter().map(|sample| sample * sample).sum::<f32>() / samples.len() as f32).sqrt()
}

/// Returns the effective value of the part of `samples` around `frequency` hertz (Goertzel 1958).
fn strength(samples: &[f32], frequency: f32) -> f32 {
    let coefficient = 2.0 * (TAU * frequency / SAMPLE_RATE as f32).cos();
    let (mut before, mut now) = (0.0, 0.0);
    for sample in samples {
        (before, now) = (now, sample + coefficient * now - before);
    }
    let power = now * now + before * before - coefficient * now * before;
    power.max(0.0).sqrt() * 2.0_f32.sqrt() / samples.len() as f32
}

#[test]
fn a_block_has_the_promised_length_and_rate() {
    let mut block = AudioBlock::default();
    let mut microphone = Microphone::new(1);
    microphone.record(&world(&[], 0.0), &mut block);
    assert_eq!((block.samples.len(), block.sample_rate), (1024, 48_000.0));
    assert!((microphone.time() - 1024.0 / 48_000.0).abs() < 1e-7);
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_seed_does_not() {
    let world = world(&[0.1], 3.0);
    assert!(record(4, &world, 20) == record(4, &world, 20));
    assert!(record(4, &world, 20) != record(5, &world, 20));
}

#[test]
fn a_whistle_is_heard_from_its_start_until_it_ends() {
    for seed in 0..5 {
        let whistle = Whistle::new(seed, 0, 0.5);
        assert!((3000.0..4200.0).contains(&whistle.frequency));
        let samples = record(seed, &world(&[0.5], 0.0), 100);
        // The pea spreads the tone over a few dozen hertz; short pieces are wide enough to hold it.
        let at = |time: f32| strength(&samples[(time * SAMPLE_RATE as f32) as usize..][..512], whistle.frequency);
        assert!(at(0.48) < 0.005, "{}", at(0.48));
        assert!(at(0.7) > 0.03, "{}", at(0.7));
        let silence = 0.5 + whistle.duration + 0.1;
        assert!(at(silence) < 0.005, "{}", at(silence));
    }
}

#[test]
fn a_whistle_does_not_jump_between_blocks() {
    let whistle = Whistle::new(3, 0, 0.0);
    let step = 1.0 / SAMPLE_RATE as f32;
    // The highest part is the third harmonic of at most 4.3 kHz: no sample differs from the next by
    // more than that allows.
    let steepest = TAU * 4300.0 * (1.0 + 0.5 + 0.3) * 1.35 * step;
    for index in 0..24_000_u16 {
        let age = f32::from(index) * step;
        assert!((whistle.at(age + step) - whistle.at(age)).abs() < steepest * 1.05, "at {age} s");
    }
}

#[test]
fn moving_joints_hum_and_resting_ones_do_not() {
    let hum = |activity| strength(&record(2, &world(&[], activity), 47)[24_000..], 620.0);
    assert!(hum(20.0) > 5.0 * hum(0.0), "{} {}", hum(20.0), hum(0.0));
}

#[test]
fn the_hall_is_never_silent_and_never_too_loud() {
    let samples = record(6, &world(&[0.2, 3.0], 10.0), 300);
    for block in samples.chunks_exact(BLOCK_LENGTH) {
        let level = effective(block);
        assert!((0.005..0.4).contains(&level), "{level}");
    }
    assert!(samples.iter().all(|sample| sample.abs() <= 1.0));
    assert!(samples.iter().filter(|sample| sample.abs() == 1.0).count() < 100, "the microphone is overdriven");
}

#[test]
fn the_crowd_is_loud_at_times() {
    let samples = record(6, &world(&[], 0.0), 47 * 30);
    let mut levels: Vec<f32> = samples.chunks_exact(BLOCK_LENGTH).map(effective).collect();
    levels.sort_unstable_by(f32::total_cmp);
    let (quiet, loud) = (levels[levels.len() / 10], levels[levels.len() - levels.len() / 50]);
    assert!(loud > 1.8 * quiet, "{quiet} {loud}");
}
