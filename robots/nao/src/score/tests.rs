use std::path::PathBuf;

use super::*;
use crate::audio::WhistleDetectorParameters;
use crate::recordings::sound::Sound;
use crate::recordings::{files_with, read_bounded};

/// Returns the folder of recordings of other robots, on machines that have them.
fn shared(name: &str) -> Option<PathBuf> {
    let found = shared_recordings().map(|directory| directory.join(name)).filter(|directory| directory.is_dir());
    if found.is_none() {
        eprintln!("SKIPPED: {name} is not on this machine");
    }
    found
}

fn show(score: &Score) {
    let mut text = Vec::new();
    score.write(Format::Table, &mut text).unwrap();
    eprintln!("{}", String::from_utf8(text).unwrap());
}

fn heard(score: &Score) -> (f64, f64) {
    (score.measures[0].get("count"), score.measures[1].get("count"))
}

#[test]
fn whistles_are_heard_better_than_by_energy_alone() {
    let Some(directory) = shared("nao-whistles") else { return };
    let score = evaluate(&directory).unwrap();
    let mut text = Vec::new();
    score.write(Format::Details, &mut text).unwrap();
    eprintln!("{}", String::from_utf8(text).unwrap());
    let (hits, false_alarms) = heard(&score);
    assert!(hits >= 19.0 && false_alarms <= 2.0, "{hits} of 20, {false_alarms} of 15");
}

#[test]
fn no_single_threshold_carries_the_whistle_score() {
    let Some(directory) = shared("nao-whistles") else { return };
    let usual = WhistleDetectorParameters::default;
    for parameters in [
        WhistleDetectorParameters { prominence: 23.5, ..usual() },
        WhistleDetectorParameters { prominence: 26.5, ..usual() },
        WhistleDetectorParameters { dominance: 0.5, ..usual() },
        WhistleDetectorParameters { dominance: 0.75, ..usual() },
        WhistleDetectorParameters { tonality: 9.5, ..usual() },
        WhistleDetectorParameters { tonality: 11.5, ..usual() },
        WhistleDetectorParameters { memory: 0.06, ..usual() },
        WhistleDetectorParameters { memory: 0.09, ..usual() },
    ] {
        let (hits, false_alarms) = heard(&whistles::evaluate_with(&directory, &parameters).unwrap());
        assert!(hits >= 18.0 && false_alarms <= 3.0, "{hits} of 20, {false_alarms} of 15 with {parameters:?}");
    }
}

#[test]
fn speech_that_no_threshold_was_chosen_on_is_no_whistle() {
    let Some(directory) = shared("speech-pocketsphinx") else { return };
    for file in files_with(&directory, &[".wav"]).unwrap() {
        let sound = Sound::decode(&file, &read_bounded(&file).unwrap()).unwrap();
        let began = WhistleEar::new(WhistleDetectorParameters::default()).first_whistle(&sound);
        assert_eq!(began, None, "{}", file.display());
    }
}

/// This recording was missed at first: its whistle begins 0.2 s after the start, and its three
/// tones alternate. The settling time of the background and the maximum change of a frequency were
/// set to detect it, so that it guards these and is no independent measure.
#[test]
fn a_whistle_of_several_tones_soon_after_the_start_is_heard() {
    let Some(directory) = shared("nao-whistle-4mic") else { return };
    let file = directory.join("demo_4ch.wav");
    let sound = Sound::decode(&file, &read_bounded(&file).unwrap()).unwrap();
    assert_eq!(sound.sample_rate, 44_100.0);
    let began = WhistleEar::new(WhistleDetectorParameters::default()).first_whistle(&sound);
    assert!(began.is_some(), "{} samples", sound.samples.len());
}

#[test]
fn inclination_is_as_good_as_published_filters_have_it() {
    let Some(directory) = shared("imu-broad") else { return };
    let score = evaluate(&directory).unwrap();
    show(&score);
    let limits = [("07_undisturbed_fast_rotation_B", 1.3), ("16_undisturbed_fast_translation_B", 0.75)];
    for (name, limit) in limits {
        let trial = score.measures.iter().find(|measure| measure.subject == name).unwrap();
        assert!(trial.get("RMSE") < limit, "{trial:?}");
        assert!(trial.get("rows") > 20_000.0, "{trial:?}");
    }
}

#[test]
fn a_walking_humanoid_knows_its_roll_and_pitch() {
    let Some(directory) = shared("icub-walking") else { return };
    let score = evaluate(&directory).unwrap();
    show(&score);
    assert!(score.overall().get("RMSE") < 3.0, "{score:?}");
}

#[test]
fn landmarks_of_a_recording_are_found_with_the_camera_that_the_others_tell() {
    let Some(directory) = shared("nao-field-landmarks") else { return };
    let score = evaluate(&directory).unwrap();
    show(&score);
    let lines = score.overall();
    assert!(lines.get("hits") + lines.get("misses") > 200.0, "{lines:?}");
    assert!(lines.get("precision") >= 0.93 && lines.get("recall") >= 0.62, "{lines:?}");
    let crosses = score.measures.iter().find(|measure| measure.subject == "X crossings, marks").unwrap();
    assert!(crosses.get("F1") >= 0.8, "{crosses:?}");
}

#[test]
fn a_recording_without_truth_tells_what_could_be_read() {
    let Some(directory) = shared("nao-wander") else { return };
    let score = evaluate(&directory.join("truncated")).unwrap();
    assert_eq!((score.overall().get("samples"), score.overall().get("truncated")), (0.0, 1.0));
}

#[test]
fn a_directory_of_no_known_kind_is_told_what_is_known() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/score");
    let message = run(&directory, Format::Table, &mut Vec::new()).unwrap_err().to_string();
    assert!(message.contains("landmarks.csv") && message.contains("whistle_yes"), "{message}");
}

#[test]
fn a_score_is_a_table_and_json() {
    let measure = |name: &str| Measure::new(name, vec![("RMSE", 1.234, 2), ("rows", 7.0, 0)]);
    let score = Score {
        title: "Filter".into(),
        directory: "walk".into(),
        measures: vec![measure("first"), measure("overall")],
        details: vec![],
        notes: vec!["Note.".into()],
    };
    let written = |format| {
        let mut text = Vec::new();
        score.write(format, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    };
    let table = "Filter: walk\n\n               RMSE        rows\nfirst          1.23           7\noverall        1.23           7\n\nNote.\n";
    assert_eq!(written(Format::Table), table);
    let json: serde_json::Value = serde_json::from_str(&written(Format::Json)).unwrap();
    assert_eq!(json["measures"][1]["RMSE"], 1.234);
    assert_eq!(json["measures"][1]["subject"], "overall");
}
