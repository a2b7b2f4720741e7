use std::path::Path;

use glam::Vec2;

use super::{Measure, Score};
use crate::NaoError;
use crate::cognition::perception::landmark_score::{LandmarkClass, LandmarkScore, Tally};
use crate::cognition::perception::landmarks::{FIELD_RECORDING_CIRCLE, LandmarkDetector, field_recording_camera};
use crate::recordings::picture::Picture;
use crate::recordings::table::Table;
use crate::recordings::{read_bounded, read_table};
use crate::representations::sensing::Image;

/// How far a found landmark may lie from a clicked one, in pixels of a picture that is 320 wide: twice what remains after
/// the camera was fitted, and the width of a line in the middle of the picture.
const RADIUS: f32 = 10.0;

/// Scores line landmarks and goal posts on annotated pictures of a NAO with known head joints.
pub fn evaluate(directory: &Path) -> Result<Score, NaoError> {
    let missing = |expected| NaoError::NothingFound { directory: directory.to_owned(), expected };
    let poses = read_table(directory, "poses.csv")?.ok_or_else(|| missing("poses.csv"))?;
    let landmarks = read_table(directory, "landmarks.csv")?.ok_or_else(|| missing("landmarks.csv"))?;
    let [file, pitch, yaw] = poses.columns(["file", "head_pitch_rad", "head_yaw_rad"])?;
    let annotated = poses.find("annotated");

    let detector = LandmarkDetector::for_circle(FIELD_RECORDING_CIRCLE);
    let mut image = Image::default();
    let mut sum = LandmarkScore::default();
    let mut details = Vec::new();
    let mut without_pose = 0;
    for row in poses.rows().filter(|row| annotated.is_none_or(|column| row.text(column) == "1")) {
        if row.text(pitch).is_empty() || row.text(yaw).is_empty() {
            without_pose += 1;
            continue;
        }
        let path = directory.join(row.path(file)?);
        Picture::decode(&path, &read_bounded(&path)?)?.fill(&mut image);
        let [pitch, yaw] = row.numbers([pitch, yaw])?;
        let view = field_recording_camera(pitch, yaw, image.width, image.height);
        let found = detector.find(&image, &view);
        let truth = truth(&landmarks, row.text(file))?;
        let radius = RADIUS * image.width as f32 / 320.0;
        let mut single = LandmarkScore::default();
        single.add_image(&truth, &found.landmarks, radius);
        sum.add_image(&truth, &found.landmarks, radius);
        details.push(measure(row.text(file), &single.lines()));
    }
    let mut measures: Vec<_> = LandmarkClass::ALL
        .into_iter()
        .zip(["X crossings, marks", "L corners", "T junctions", "G goal posts"])
        .map(|(class, name)| measure(name, sum.class(class)))
        .collect();
    measures.push(measure("X, L, T by place only", &sum.places));
    measures.push(measure("X, L, T", &sum.lines()));
    Ok(Score {
        title: "Landmarks".into(),
        directory: directory.display().to_string(),
        measures,
        details,
        notes: vec![format!(
            "A hit lies within {RADIUS} pixels (of 320) of a clicked landmark of its class. The camera was fitted to these \
             recordings' poses; the robot, the field and the light are those of 2012. Left out for want of head joints: \
             {without_pose}."
        )],
    })
}

fn truth(landmarks: &Table, picture: &str) -> Result<Vec<(LandmarkClass, Vec2)>, NaoError> {
    let [file, kind, u, v] = landmarks.columns(["file", "type", "u_px", "v_px"])?;
    let mut truth = Vec::new();
    for row in landmarks.rows().filter(|row| row.text(file) == picture) {
        if let Some(class) = LandmarkClass::from_letter(row.text(kind)) {
            truth.push((class, Vec2::from(row.numbers([u, v])?)));
        }
    }
    Ok(truth)
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
