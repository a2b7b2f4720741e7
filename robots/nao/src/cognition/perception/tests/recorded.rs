use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use glam::Vec2;

use super::super::landmark_score::{LandmarkClass, LandmarkScore};
use super::super::landmarks::{FIELD_RECORDING_CIRCLE, FieldCamera, LandmarkDetector};
use crate::representations::sensing::Image;

/// The maximum distance of a found landmark from a marked one, in pixels.
const RADIUS: f32 = 10.0;

/// Returns the folder of the recorded frames, if they are on this machine.
fn frames() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(beside, PathBuf::from);
    let frames = shared.join("data/recordings/nao-field-landmarks");
    frames.join("poses.csv").exists().then_some(frames)
}

fn read(path: &Path) -> Image {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap())).read_info().unwrap();
    let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut rgb).unwrap();
    Image::from_rgb(info.width, info.height, &rgb)
}

/// Returns head pitch and yaw. One frame has a single number, in the place of the yaw, which must
/// be the pitch by its size.
fn head(row: &[&str]) -> (f32, f32) {
    let angles: Vec<f32> = row[4..6].iter().filter_map(|text| text.parse().ok()).collect();
    (angles[0], angles.get(1).copied().unwrap_or(0.0))
}

#[test]
fn landmarks_of_recorded_frames_are_found() {
    let Some(frames) = frames() else {
        eprintln!("SKIPPED: no recorded frames; set HEMIOLA_SHARED to the folder that holds data/recordings");
        return;
    };
    let table = |name: &str| std::fs::read_to_string(frames.join(name)).unwrap();
    let (poses, truth) = (table("poses.csv"), table("landmarks.csv"));
    let detector = LandmarkDetector::for_circle(FIELD_RECORDING_CIRCLE);
    let mut score = LandmarkScore::default();
    for row in poses.lines().skip(1).map(|row| row.split(',').collect::<Vec<_>>()).filter(|row| row[6] == "1") {
        let image = read(&frames.join(row[0]));
        let (pitch, yaw) = head(&row);
        let view = FieldCamera::OF_2012.view(pitch, yaw, image.width, image.height);
        let marked: Vec<_> = truth
            .lines()
            .map(|line| line.split(',').collect::<Vec<_>>())
            .filter(|line| line[0] == row[0])
            .filter_map(|line| {
                let place = Vec2::new(line[2].parse().ok()?, line[3].parse().ok()?);
                Some((LandmarkClass::from_letter(line[1])?, place))
            })
            .collect();
        score.add_image(&marked, &detector.find(&image, &view).landmarks, RADIUS);
    }
    for class in LandmarkClass::ALL {
        eprintln!("{class:?}: {:?} f1 {:.3}", score.class(class), score.class(class).f1());
    }
    eprintln!("X, L and T: {:?} f1 {:.3}", score.lines(), score.lines().f1());
    assert!(score.lines().f1() >= 0.74, "{:?}", score.lines());
    assert!(score.lines().precision() >= 0.92, "{:?}", score.lines());
    assert!(score.class(LandmarkClass::G).f1() >= 0.95, "{:?}", score.class(LandmarkClass::G));
}
