use std::path::Path;

use glam::Vec2;

use super::camera_fit::{CameraFit, Sighting, explain, fit};
use super::{Measure, Score};
use crate::NaoError;
use crate::cognition::perception::landmark_score::{LandmarkClass, LandmarkScore, Tally};
use crate::cognition::perception::landmarks::{FIELD_RECORDING_CIRCLE, FieldCamera, LandmarkDetector};
use crate::geometry::Pose2;
use crate::recordings::picture::Picture;
use crate::recordings::table::Table;
use crate::recordings::{read_bounded, read_table};
use crate::representations::sensing::Image;

/// The maximum distance of a found landmark from a marked one, in pixels of a picture that is 320
/// wide: twice the error that remains after fitting the camera, and the width of a line in the
/// middle of the picture.
const RADIUS: f32 = 10.0;

/// Scores line landmarks and goal posts on annotated pictures of a NAO with known head joints.
///
/// Each recording (a folder of pictures) is scored with the camera that was fitted to the *other*
/// recordings, so that no data is both fitted and scored. For comparison everything is also scored
/// with the camera that was once fitted to the shared recordings.
pub fn evaluate(directory: &Path) -> Result<Score, NaoError> {
    let pictures = Pictures::read(directory)?;
    let (mut left_out, mut known) = (LandmarkScore::default(), LandmarkScore::default());
    let (mut measures, mut details, mut cameras) = (Vec::new(), Vec::new(), Vec::new());
    for recording in pictures.recordings() {
        let (own, others) = pictures.split(&recording);
        let camera = fit(&others);
        cameras.push(camera_note(&recording, camera.as_ref(), &own));
        let camera = camera.map_or(FieldCamera::OF_2012, |fit| fit.camera);
        let mut sum = LandmarkScore::default();
        for picture in pictures.of(&recording) {
            let single = picture.score(&camera);
            details.push(measure(&picture.file, &single.lines()));
            sum.add(&single);
            known.add(&picture.score(&FieldCamera::OF_2012));
        }
        measures.extend(of_classes(&sum, &format!("{recording}: ")));
        left_out.add(&sum);
    }
    measures.push(measure("X, L, T, camera of 2012", &known.lines()));
    measures.extend(of_classes(&left_out, ""));
    measures.insert(measures.len() - 1, measure("X, L, T by place only", &left_out.places));
    Ok(Score {
        title: "Landmarks, each recording with the camera fitted to the others".into(),
        directory: directory.display().to_string(),
        measures,
        details,
        notes: vec![
            format!(
                "A hit lies within {RADIUS} pixels (of 320) of a clicked landmark of its class. Of the detector only the camera \
                 is fitted; its thresholds are the same for all recordings, and were chosen by people who had seen those of \
                 2012. Skipped for lack of head joints: {}.",
                pictures.without_joints
            ),
            cameras.join("\n"),
        ],
    })
}

/// An annotated picture.
struct Annotated {
    file: String,
    image: Image,
    head: [f32; 2],
    /// The pose at which it was taken, if that is known.
    place: Option<Pose2>,
    marked: Vec<(LandmarkClass, Vec2)>,
}

impl Annotated {
    /// Returns the folder of the picture.
    fn recording(&self) -> &str {
        self.file.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    fn score(&self, camera: &FieldCamera) -> LandmarkScore {
        let [pitch, yaw] = self.head;
        let view = camera.view(pitch, yaw, self.image.width, self.image.height);
        let found = LandmarkDetector::for_circle(FIELD_RECORDING_CIRCLE).find(&self.image, &view);
        let mut score = LandmarkScore::default();
        score.add_image(&self.marked, &found.landmarks, RADIUS * self.image.width as f32 / 320.0);
        score
    }

    fn sighting(&self) -> Option<Sighting> {
        let ([head_pitch, head_yaw], size) = (self.head, [self.image.width, self.image.height]);
        Some(Sighting { place: self.place?, head_pitch, head_yaw, size, marked: self.marked.clone() })
    }
}

/// All annotated pictures of a directory.
struct Pictures {
    pictures: Vec<Annotated>,
    without_joints: usize,
}

impl Pictures {
    fn read(directory: &Path) -> Result<Self, NaoError> {
        let missing = |expected| NaoError::NothingFound { directory: directory.to_owned(), expected };
        let poses = read_table(directory, "poses.csv")?.ok_or_else(|| missing("poses.csv"))?;
        let landmarks = read_table(directory, "landmarks.csv")?.ok_or_else(|| missing("landmarks.csv"))?;
        let [file, pitch, yaw] = poses.columns(["file", "head_pitch_rad", "head_yaw_rad"])?;
        let place = poses.columns(["x_cm", "y_cm", "theta_deg"]).ok();
        let annotated = poses.find("annotated");
        let mut all = Self { pictures: Vec::new(), without_joints: 0 };
        for row in poses.rows().filter(|row| annotated.is_none_or(|column| row.text(column) == "1")) {
            if row.text(pitch).is_empty() || row.text(yaw).is_empty() {
                all.without_joints += 1;
                continue;
            }
            let path = directory.join(row.path(file)?);
            let mut image = Image::default();
            Picture::decode(&path, &read_bounded(&path)?)?.fill(&mut image);
            let place = place.and_then(|columns| row.numbers(columns).ok());
            all.pictures.push(Annotated {
                file: row.text(file).to_owned(),
                image,
                head: row.numbers([pitch, yaw])?,
                place: place.map(|[x, y, theta]| Pose2::new(0.01 * x, 0.01 * y, theta.to_radians())),
                marked: marked(&landmarks, row.text(file))?,
            });
        }
        Ok(all)
    }

    /// Returns the folders, in the order of the table.
    fn recordings(&self) -> Vec<String> {
        let mut folders: Vec<String> = Vec::new();
        for picture in &self.pictures {
            if !folders.iter().any(|folder| folder == picture.recording()) {
                folders.push(picture.recording().to_owned());
            }
        }
        folders
    }

    fn of(&self, recording: &str) -> impl Iterator<Item = &Annotated> {
        self.pictures.iter().filter(move |picture| picture.recording() == recording)
    }

    /// Returns the sightings of a recording, and those of the others.
    fn split(&self, recording: &str) -> (Vec<Sighting>, Vec<Sighting>) {
        let sightings =
            |own: bool| self.pictures.iter().filter(move |picture| (picture.recording() == recording) == own);
        let [own, others] = [true, false].map(|own| sightings(own).filter_map(Annotated::sighting).collect());
        (own, others)
    }
}

fn marked(landmarks: &Table, picture: &str) -> Result<Vec<(LandmarkClass, Vec2)>, NaoError> {
    let [file, kind, u, v] = landmarks.columns(["file", "type", "u_px", "v_px"])?;
    let mut marked = Vec::new();
    for row in landmarks.rows().filter(|row| row.text(file) == picture) {
        if let Some(class) = LandmarkClass::from_letter(row.text(kind)) {
            marked.push((class, Vec2::from(row.numbers([u, v])?)));
        }
    }
    Ok(marked)
}

/// Returns a note on how well the camera of the other recordings explains this one.
fn camera_note(recording: &str, camera: Option<&CameraFit>, own: &[Sighting]) -> String {
    let Some(CameraFit { camera, landmarks, error }) = camera else {
        return format!("{recording}: the other recordings do not determine the camera; that of 2012 is used");
    };
    let here = explain(camera, own);
    let [lean, roll, across, down] =
        [camera.lean, camera.roll, camera.field_of_view.x, camera.field_of_view.y].map(f32::to_degrees);
    format!(
        "{recording}: camera from {landmarks} landmarks of the others, {error:.1} pixels off there and {:.1} here: torso at \
         {:.3} m, lean {lean:.1} degrees, roll {roll:.1}, field of view {across:.1} x {down:.1}",
        here.error, camera.torso_height
    )
}

/// Returns a line for each class, and one for X, L and T together.
fn of_classes(score: &LandmarkScore, prefix: &str) -> Vec<Measure> {
    let names = ["X crossings, marks", "L corners", "T junctions", "G goal posts"];
    let classes = LandmarkClass::ALL.into_iter().zip(names);
    let single = classes.map(|(class, name)| measure(&format!("{prefix}{name}"), score.class(class)));
    single.chain([measure(&format!("{prefix}X, L, T"), &score.lines())]).collect()
}

fn measure(subject: &str, tally: &Tally) -> Measure {
    Measure::new(
        subject,
        vec![
            ("precision", tally.precision().into(), 2),
            ("recall", tally.recall().into(), 2),
            ("F1", tally.f1().into(), 2),
            ("pixels", tally.pixel_error().into(), 1),
            ("hits", tally.hits.into(), 0),
            ("misses", tally.misses.into(), 0),
            ("false", tally.false_alarms.into(), 0),
        ],
    )
}
