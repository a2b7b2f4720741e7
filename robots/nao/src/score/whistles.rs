use std::path::Path;
use std::time::Duration;

use hemiola::module::Module;
use hemiola::prelude::*;

use super::{Measure, Score};
use crate::NaoError;
use crate::audio::{
    NoiseFloorEstimator, SpectrumAnalyzer, WhistleDetector, WhistleDetectorParameters, WhistleFeatureExtractor,
};
use crate::recordings::sound::Sound;
use crate::recordings::{files_with, read_bounded};
use crate::representations::audio::{AudioBands, AudioSpectrum, Whistle, WhistleFeatures};
use crate::representations::sensing::AudioBlock;

/// The number of samples in a block, as the robot's microphones deliver them.
const BLOCK: usize = 1024;

/// The modules of the audio cycle in order, without a robot around them.
pub struct WhistleEar {
    analyzer: SpectrumAnalyzer,
    floor: NoiseFloorEstimator,
    extractor: WhistleFeatureExtractor,
    detector: WhistleDetector,
    runs: u64,
    now: Time,
}

impl WhistleEar {
    /// Creates an ear whose detector has these parameters.
    #[must_use]
    pub fn new(parameters: WhistleDetectorParameters) -> Self {
        Self {
            analyzer: SpectrumAnalyzer::create(()),
            floor: NoiseFloorEstimator::create(Default::default()),
            extractor: WhistleFeatureExtractor::create(Default::default()),
            detector: WhistleDetector::create(parameters),
            runs: 0,
            now: Time::ZERO,
        }
    }

    /// Runs all modules on the next block.
    pub fn hear(&mut self, audio: &AudioBlock) -> Whistle {
        let (mut spectrum, mut bands) = (AudioSpectrum::default(), AudioBands::default());
        let (mut features, mut whistle) = (WhistleFeatures::default(), Whistle::default());
        let step = Duration::from_secs_f32(audio.samples.len() as f32 / audio.sample_rate.max(1.0));
        let (debug, clock) = (Debug::default(), Clock::new(self.now, step, self.runs));
        self.analyzer.spectrum(audio, &mut spectrum);
        self.floor.bands(&spectrum, &debug, &mut bands);
        self.extractor.features(&spectrum, &bands, &debug, &mut features);
        self.detector.whistle(&features, &clock, &debug, &mut Publisher::to_nobody(), &mut whistle);
        self.now = self.now + step;
        self.runs += 1;
        whistle
    }

    /// Returns the time in a sound, in seconds, at which the first detected whistle begins. The ear
    /// must not have been used before.
    pub fn first_whistle(&mut self, sound: &Sound) -> Option<f64> {
        sound.samples.chunks_exact(BLOCK).find_map(|samples| {
            let block = AudioBlock { samples: samples.to_vec(), sample_rate: sound.sample_rate };
            self.hear(&block).last_heard.map(Time::seconds)
        })
    }
}

/// Scores the detector on clips with (`whistle_yes`) and without (`whistle_no`) a whistle.
pub fn evaluate(directory: &Path) -> Result<Score, NaoError> {
    let mut score = evaluate_with(directory, &WhistleDetectorParameters::default())?;
    score.notes.push(
        "A clip counts as detected if a whistle is detected anywhere in it; each clip starts with new modules.".into(),
    );
    Ok(score)
}

/// Does the same as [`evaluate`], with other thresholds.
pub fn evaluate_with(directory: &Path, parameters: &WhistleDetectorParameters) -> Result<Score, NaoError> {
    let mut measures = Vec::new();
    let mut details = Vec::new();
    for (folder, subject) in [("whistle_yes", "whistles heard"), ("whistle_no", "false alarms")] {
        let files = files_with(&directory.join(folder), &[".wav"])?;
        let mut heard = 0.0;
        for file in &files {
            let sound = Sound::decode(file, &read_bounded(file)?)?;
            let began = WhistleEar::new(parameters.clone()).first_whistle(&sound);
            heard += f64::from(u8::from(began.is_some()));
            let name = file.file_stem().unwrap_or_default().to_string_lossy();
            let at = began.unwrap_or(f64::NAN);
            details.push(Measure::new(format!("{folder}/{name}"), vec![("begins, s", at, 2)]));
        }
        let count = files.len() as f64;
        measures.push(Measure::new(subject, vec![("count", heard, 0), ("of", count, 0), ("share", heard / count, 2)]));
    }
    Ok(Score {
        title: "Whistle detection".into(),
        directory: directory.display().to_string(),
        measures,
        details,
        notes: Vec::new(),
    })
}
