use std::path::{Path, PathBuf};

use hemiola::prelude::*;

use super::directory::{files_with, read_bounded};
use super::sound::Sound;
use super::timeline::Timeline;
use super::{MicrophoneRecording, RecordingReport};
use crate::NaoError;
use crate::representations::sensing::AudioBlock;

/// The number of samples in a block, as the NAO's audio device delivers them.
const BLOCK: usize = 1024;

/// Plays the sound files (WAV, FLAC) of a directory in the order of their names, in blocks of 1024
/// samples of their first channel.
///
/// The end of a file that does not fill a block is dropped. A file may have any sample rate; each
/// block has its own.
#[derive(Source)]
pub struct RecordedMicrophone {
    #[parameters]
    parameters: RecordedMicrophoneParameters,
    playback: Playback,
    report: RecordingReport,
}

/// Parameters of [`RecordedMicrophone`].
#[derive(Parameters)]
pub struct RecordedMicrophoneParameters {
    /// A file of sound (WAV, FLAC) or a directory of them; empty for no microphone at all.
    #[parameter(default = String::new())]
    pub directory: String,
    /// The number of blocks per second; 0 for the sample rate of the files.
    #[parameter(default = 0.0, range = 0.0..=10000.0, unit = "Hz")]
    pub rate: f64,
    /// Starts again at the end.
    #[parameter(default = false)]
    pub repeat: bool,
}

#[derive(Default)]
enum Playback {
    #[default]
    Unopened,
    Open(Tape),
    Ended,
}

#[source]
impl RecordedMicrophone {
    #[sample]
    pub(crate) fn sample(
        &mut self,
        audio: &mut AudioBlock,
        recording: &mut MicrophoneRecording,
    ) -> Result<Option<Time>, NaoError> {
        let result = self.next(audio);
        if let Err(error) = &result {
            self.report.count(error);
        }
        recording.report.clone_from(&self.report);
        result
    }

    fn next(&mut self, audio: &mut AudioBlock) -> Result<Option<Time>, NaoError> {
        if let Playback::Unopened = self.playback {
            self.playback = Playback::Ended;
            if !self.parameters.directory.is_empty() {
                self.report.directory.clone_from(&self.parameters.directory);
                let tape = Tape::open(Path::new(&self.parameters.directory), self.parameters.rate)?;
                self.playback = Playback::Open(tape);
            }
        }
        let Playback::Open(tape) = &mut self.playback else { return Ok(None) };
        while tape.position + BLOCK > tape.sound.samples.len() {
            if tape.next_file >= tape.files.len() {
                if !self.parameters.repeat || self.report.samples == 0 {
                    self.playback = Playback::Ended;
                    return Ok(None);
                }
                tape.next_file = 0;
            }
            tape.load()?;
        }
        Ok(Some(tape.block(audio, &mut self.report)))
    }
}

/// The files of a directory as a single stream of sound.
struct Tape {
    files: Vec<PathBuf>,
    next_file: usize,
    sound: Sound,
    position: usize,
    /// The length played so far, in seconds.
    played: f64,
    timeline: Timeline,
}

impl Tape {
    fn open(path: &Path, rate: f64) -> Result<Self, NaoError> {
        let files = if path.is_file() { vec![path.to_owned()] } else { files_with(path, &[".wav", ".flac"])? };
        if files.is_empty() {
            return Err(NaoError::NothingFound { directory: path.to_owned(), expected: "sound (wav, flac)" });
        }
        let sound = Sound { samples: Vec::new(), sample_rate: 48_000.0, ends_early: false };
        let timeline = if rate > 0.0 { Timeline::at_rate(rate) } else { Timeline::of_stamps(std::iter::empty()) };
        Ok(Self { files, next_file: 0, sound, position: 0, played: 0.0, timeline })
    }

    /// Opens the next file. A file that ends early is reported as an error, and played as far as it
    /// goes.
    fn load(&mut self) -> Result<(), NaoError> {
        let file = &self.files[self.next_file];
        self.next_file += 1;
        self.position = 0;
        self.sound.samples.clear();
        self.sound = Sound::decode(file, &read_bounded(file)?)?;
        if self.sound.ends_early {
            let length = self.sound.samples.len();
            return Err(NaoError::EndsEarly { file: file.clone(), length });
        }
        Ok(())
    }

    /// Returns the next block, stamped with the end of its last sample, when a microphone would
    /// deliver it.
    fn block(&mut self, audio: &mut AudioBlock, report: &mut RecordingReport) -> Time {
        audio.samples.clear();
        audio.samples.extend_from_slice(&self.sound.samples[self.position..self.position + BLOCK]);
        audio.sample_rate = self.sound.sample_rate;
        self.position += BLOCK;
        self.played += BLOCK as f64 / f64::from(self.sound.sample_rate);
        self.timeline.next(self.played, report)
    }
}
