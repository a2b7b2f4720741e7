use std::path::{Path, PathBuf};

use hemiola::prelude::*;

use super::directory::{files_with, read_bounded, read_table};
use super::picture::Picture;
use super::table::{Column, Stamps, Table};
use super::timeline::Timeline;
use super::{CameraRecording, RecordingReport};
use crate::NaoError;
use crate::representations::sensing::{LowerImage, UpperImage};

/// Plays a directory of pictures as the upper camera; the lower one stays dark.
///
/// The frames are, in this order, the column of `index.csv`, of `poses.csv` or of another table
/// (each may be gzipped) that names pictures, or all JPEG and PNG files by name. Their stamps are
/// the column of times: `t_s`, `time [ns]`, `stamp_ms`. A frame whose stamp steps back is delivered
/// with the previous stamp. A frame that cannot be read, or ends early, is skipped: half a picture
/// would be seen as a wall.
#[derive(Source)]
pub struct RecordedCamera {
    #[parameters]
    parameters: RecordedCameraParameters,
    playback: Playback,
    report: RecordingReport,
}

/// Parameters of [`RecordedCamera`].
#[derive(Parameters)]
pub struct RecordedCameraParameters {
    /// The directory of the pictures; empty for no camera at all.
    #[parameter(default = String::new())]
    pub directory: String,
    /// The number of frames per second; 0 for the recorded stamps, or 30 if there are none.
    #[parameter(default = 0.0, range = 0.0..=1000.0, unit = "Hz")]
    pub rate: f64,
    /// Starts again at the end.
    #[parameter(default = false)]
    pub repeat: bool,
}

/// The rate of pictures without stamps.
const USUAL_RATE: f64 = 30.0;

#[derive(Default)]
enum Playback {
    #[default]
    Unopened,
    Open(Box<Film>),
    Ended,
}

#[source]
impl RecordedCamera {
    #[sample]
    pub(crate) fn sample(
        &mut self,
        upper: &mut UpperImage,
        lower: &mut LowerImage,
        recording: &mut CameraRecording,
    ) -> Result<Option<Time>, NaoError> {
        lower.image.resize(0, 0);
        let result = self.next(upper);
        if let Err(error) = &result {
            self.report.count(error);
        }
        recording.report.clone_from(&self.report);
        result
    }

    fn next(&mut self, upper: &mut UpperImage) -> Result<Option<Time>, NaoError> {
        if let Playback::Unopened = self.playback {
            self.playback = Playback::Ended;
            if !self.parameters.directory.is_empty() {
                self.report.directory.clone_from(&self.parameters.directory);
                let film = Film::open(Path::new(&self.parameters.directory), self.parameters.rate)?;
                self.playback = Playback::Open(Box::new(film));
            }
        }
        let Playback::Open(film) = &mut self.playback else { return Ok(None) };
        if film.at_end() && self.parameters.repeat && film.delivered > 0 {
            film.rewind();
        }
        match film.next()? {
            None => {
                self.playback = Playback::Ended;
                Ok(None)
            }
            Some((picture, seconds)) => {
                picture.fill(&mut upper.image);
                Ok(Some(film.timeline.next(seconds, &mut self.report)))
            }
        }
    }
}

/// The frames of a directory, in order.
struct Film {
    directory: PathBuf,
    frames: Frames,
    position: usize,
    /// The number of frames delivered in this round.
    delivered: usize,
    timeline: Timeline,
}

enum Frames {
    /// A table with the column of files, and with that of stamps and the first of them if there are
    /// any.
    Listed(Table, Column, Option<(Stamps, f64)>),
    ByName(Vec<PathBuf>),
}

impl Film {
    fn open(directory: &Path, rate: f64) -> Result<Self, NaoError> {
        let table = match read_table(directory, "index.csv")? {
            Some(table) => Some(table),
            None => match read_table(directory, "poses.csv")? {
                Some(table) => Some(table),
                None => Self::table_of_pictures(directory)?,
            },
        };
        let frames = match table {
            Some(table) => {
                let first = table.find_stamps().map(|stamps| {
                    let first = table.rows().find_map(|row| row.stamp(stamps).ok());
                    (stamps, first.unwrap_or_default())
                });
                let files = match table.find("file").or_else(|| table.find_pictures()) {
                    Some(pictures) => pictures,
                    None => table.column("file")?,
                };
                Frames::Listed(table, files, first)
            }
            None => Frames::ByName(files_with(directory, &[".jpg", ".jpeg", ".png"])?),
        };
        if frames.len() == 0 {
            return Err(NaoError::NothingFound {
                directory: directory.to_owned(),
                expected: "index.csv, poses.csv or pictures (jpg, png)",
            });
        }
        let timeline = match &frames {
            Frames::Listed(table, _, Some((stamps, _))) if rate <= 0.0 => {
                Timeline::of_stamps(table.rows().filter_map(|row| row.stamp(*stamps).ok()))
            }
            _ => Timeline::at_rate(if rate > 0.0 { rate } else { USUAL_RATE }),
        };
        Ok(Self { directory: directory.to_owned(), frames, position: 0, delivered: 0, timeline })
    }

    /// Returns another table that names pictures.
    fn table_of_pictures(directory: &Path) -> Result<Option<Table>, NaoError> {
        for file in files_with(directory, &[".csv", ".csv.gz"])? {
            let table = Table::parse(&file, &read_bounded(&file)?).whole()?;
            if table.find_pictures().is_some() {
                return Ok(Some(table));
            }
        }
        Ok(None)
    }

    fn at_end(&self) -> bool {
        self.position >= self.frames.len()
    }

    fn rewind(&mut self) {
        (self.position, self.delivered) = (0, 0);
        self.timeline.restart();
    }

    /// Returns the next frame and its time since the first one.
    fn next(&mut self) -> Result<Option<(Picture, f64)>, NaoError> {
        if self.at_end() {
            return Ok(None);
        }
        let index = self.position;
        self.position += 1;
        let (file, seconds) = self.frames.frame(&self.directory, index)?;
        let picture = Picture::decode(&file, &read_bounded(&file)?)?;
        self.delivered += 1;
        Ok(Some((picture, seconds)))
    }
}

impl Frames {
    fn len(&self) -> usize {
        match self {
            Self::Listed(table, ..) => table.len(),
            Self::ByName(files) => files.len(),
        }
    }

    fn frame(&self, directory: &Path, index: usize) -> Result<(PathBuf, f64), NaoError> {
        match self {
            Self::Listed(table, files, stamps) => {
                let Some(row) = table.row(index) else { return Ok((directory.to_owned(), 0.0)) };
                let seconds = match stamps {
                    Some((column, first)) => row.stamp(*column)? - first,
                    None => 0.0,
                };
                Ok((directory.join(row.path(*files)?), seconds))
            }
            Self::ByName(files) => Ok((files[index].clone(), 0.0)),
        }
    }
}
