use std::fs::File;
use std::io::{BufReader, Chain, Cursor, Read};
use std::path::{Path, PathBuf};

use flac_codec::decode::{FlacSampleReader, Metadata};
use hound::{SampleFormat, WavReader};

use crate::error::LogError;

/// Reads sound, WAV or FLAC, from front to back: integers of 8 to 32 bits or numbers of 32, of any
/// number of microphones.
///
/// ```
/// use hemiola_log::SoundReader;
///
/// # let mut file = std::io::Cursor::new(Vec::new());
/// # let form = hound::WavSpec { channels: 2, sample_rate: 8000, bits_per_sample: 16, sample_format: hound::SampleFormat::Int };
/// # let mut writer = hound::WavWriter::new(&mut file, form).unwrap();
/// # [-16384_i16, 0, 16384, 8192].into_iter().for_each(|sample| writer.write_sample(sample).unwrap());
/// # writer.finalize().unwrap();
/// let mut sound = SoundReader::new("two.wav".as_ref(), &file.get_ref()[..])?;
/// assert_eq!((sound.sample_rate(), sound.channels()), (8000, 2));
/// let mut samples = Vec::new();
/// assert_eq!(sound.read(1024, &mut samples)?, 2);
/// assert_eq!(samples, [-0.5, 0.0, 0.5, 0.25]); // left, right, left, right
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
pub struct SoundReader<R = BufReader<File>> {
    path: PathBuf,
    decoder: Decoder<R>,
    sample_rate: u32,
    channels: u16,
    /// The factor from integers to numbers between -1 and 1.
    scale: f32,
    /// The number of samples of all channels that the file announces. `read` counts those that were
    /// read.
    announced: Option<u64>,
    read: u64,
    end: End,
}

enum Decoder<R> {
    Wav(WavReader<Whole<R>>),
    Flac(Box<FlacSampleReader<Whole<R>>>),
}

/// A file whose first bytes have been read already.
type Whole<R> = Chain<Cursor<Vec<u8>>, R>;

/// The way in which the sound ended.
#[derive(Clone, Debug, PartialEq, Eq)]
enum End {
    NotYet,
    AsAnnounced,
    Early(String),
}

/// The first bytes of a FLAC file.
const FLAC: &[u8] = b"fLaC";

/// Returns whether a file that begins like this is sound that can be read.
pub(crate) fn is_sound(first: &[u8]) -> bool {
    first.starts_with(FLAC) || first.starts_with(b"RIFF") && first.get(8..12) == Some(b"WAVE")
}

impl SoundReader {
    /// Opens a file.
    ///
    /// # Errors
    /// Fails if the file cannot be opened, or is not sound that can be read.
    pub fn open(path: &Path) -> Result<Self, LogError> {
        let file = File::open(path).map_err(|error| LogError::Open { path: path.to_owned(), error })?;
        Self::new(path, BufReader::new(file))
    }
}

impl<R: Read> SoundReader<R> {
    /// Creates a reader of any source of bytes; `path` is for messages.
    ///
    /// # Errors
    /// Fails if it is not sound that can be read.
    pub fn new(path: &Path, mut source: R) -> Result<Self, LogError> {
        let wrong = |reason: String| LogError::Import { path: path.to_owned(), line: None, reason };
        let mut first = Vec::new();
        let read = source.by_ref().take(4).read_to_end(&mut first);
        read.map_err(|error| LogError::Open { path: path.to_owned(), error })?;
        let is_flac = first == FLAC;
        let source = Cursor::new(first).chain(source);
        let remedy = "`ffmpeg -i IN -c:a pcm_s16le OUT.wav` makes a file that can be read";
        let mut sound = Self {
            path: path.to_owned(),
            decoder: if is_flac {
                let reader = FlacSampleReader::new(source);
                Decoder::Flac(Box::new(
                    reader.map_err(|error| wrong(format!("not a readable FLAC file: {error}; {remedy}")))?,
                ))
            } else {
                let reader = WavReader::new(source);
                Decoder::Wav(reader.map_err(|error| wrong(format!("not a readable WAV file: {error}; {remedy}")))?)
            },
            sample_rate: 0,
            channels: 0,
            scale: 1.0,
            announced: None,
            read: 0,
            end: End::NotYet,
        };
        sound.describe();
        if sound.sample_rate == 0 || sound.channels == 0 {
            return Err(wrong(format!("sound of {} channels at {} Hz", sound.channels, sound.sample_rate)));
        }
        Ok(sound)
    }

    fn describe(&mut self) {
        let bits = match &self.decoder {
            Decoder::Wav(reader) => {
                let form = reader.spec();
                (self.sample_rate, self.channels) = (form.sample_rate, form.channels);
                self.announced = Some(u64::from(reader.len()));
                (form.sample_format == SampleFormat::Int).then_some(u32::from(form.bits_per_sample))
            }
            Decoder::Flac(reader) => {
                (self.sample_rate, self.channels) = (reader.sample_rate(), u16::from(reader.channel_count()));
                self.announced = reader.total_samples().map(|frames| frames.saturating_mul(u64::from(self.channels)));
                Some(reader.bits_per_sample())
            }
        };
        if let Some(bits) = bits {
            self.scale = 1.0 / (1_i64 << (bits.clamp(1, 32) - 1)) as f32;
        }
    }

    /// Returns the sample rate in hertz.
    pub fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    /// Returns how many microphones were recorded.
    pub fn channels(&self) -> u16 {
        self.channels
    }

    /// Returns how many samples of each microphone the file announces; `None` if it does not.
    pub fn frames(&self) -> Option<u64> {
        self.announced.map(|samples| samples / u64::from(self.channels))
    }

    /// Returns the reason why the sound ended earlier than the file announces, if it did.
    pub fn ends_early(&self) -> Option<&str> {
        match &self.end {
            End::Early(reason) => Some(reason),
            End::NotYet | End::AsAnnounced => None,
        }
    }

    /// Appends at most `frames` frames, each with a sample from -1 to 1 of each channel, and
    /// returns how many. Returns 0 at the end, or where the file can no longer be read: see
    /// [`ends_early`](Self::ends_early).
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn read(&mut self, frames: usize, samples: &mut Vec<f32>) -> Result<usize, LogError> {
        let channels = usize::from(self.channels);
        let begin = samples.len();
        let wanted = frames.saturating_mul(channels);
        while self.end == End::NotYet && samples.len() - begin < wanted {
            let left = wanted - (samples.len() - begin);
            if self.announced.is_some_and(|announced| self.read >= announced) {
                self.end = End::AsAnnounced;
            } else if let Err(reason) = self.decode(left, samples) {
                self.end = End::Early(reason);
            }
        }
        // Samples that are not there for all channels are not a frame.
        let found = (samples.len() - begin) / channels;
        samples.truncate(begin + found * channels);
        Ok(found)
    }

    /// Appends at least one sample and at most `most`.
    fn decode(&mut self, most: usize, samples: &mut Vec<f32>) -> Result<(), String> {
        let before = samples.len();
        let scale = self.scale;
        match &mut self.decoder {
            Decoder::Wav(reader) => {
                let float = reader.spec().sample_format == SampleFormat::Float;
                for _ in 0..most.min(BLOCK) {
                    let sample = match float {
                        true => reader.samples::<f32>().next(),
                        false => {
                            reader.samples::<i32>().next().map(|sample| sample.map(|sample| sample as f32 * scale))
                        }
                    };
                    match sample {
                        Some(Ok(sample)) => samples.push(within(sample)),
                        Some(Err(error)) if samples.len() == before => return Err(error.to_string()),
                        _ => break,
                    }
                }
            }
            Decoder::Flac(reader) => {
                let mut block = [0; BLOCK];
                let count = reader.read(&mut block[..most.min(BLOCK)]).map_err(|error| error.to_string())?;
                samples.extend(block[..count].iter().map(|&sample| within(sample as f32 * scale)));
            }
        }
        self.read += (samples.len() - before) as u64;
        match (samples.len() > before, self.announced) {
            (true, _) => Ok(()),
            (false, None) => {
                self.end = End::AsAnnounced;
                Ok(())
            }
            (false, Some(_)) => Err("the file ends".to_owned()),
        }
    }

    /// Returns the path of the file, for messages.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The number of samples that are decoded at once.
const BLOCK: usize = 4096;

/// Limits a sample to what a converter can deliver; one that is not a number becomes silence.
fn within(sample: f32) -> f32 {
    if sample.is_nan() { 0.0 } else { sample.clamp(-1.0, 1.0) }
}
