//! Tests on recordings of other rovers: the estimates of this robot are better than the recorded
//! odometry, measured by the references that come with the recordings.
#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use hemiola::cdr;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::log::{Entry, LogReader};
use hemiola::runtime::Robot;
use hemiola_ros::nav_msgs::Odometry;
use hemiola_ros::sensor_msgs::NavSatFix;
use rover::geometry::{Pose2, normalize_angle};
use rover::recordings::CarmenScan;
use rover::representations::MapPose;

/// Returns the path of a recording of the shared data, if it exists.
fn shared(name: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(beside, PathBuf::from);
    let path = shared.join("data/recordings").join(name);
    if !path.exists() {
        eprintln!("SKIPPED: {} is not there; set HEMIOLA_SHARED to the folder of the shared data", path.display());
        return None;
    }
    Some(path)
}

/// Poses with their times, in seconds.
type Trajectory = Vec<(f64, Pose2)>;

/// Returns the poses by odometry and by scan matching at each scan in the first `seconds` of a log.
fn replayed(overlay: &str, file: &Path, seconds: f64) -> (Trajectory, Trajectory) {
    let assignments = vec![
        format!("source.RecordedCarmen.parameters.file={:?}", file.display().to_string()),
        format!("source.RecordedCarmen.parameters.seconds={seconds:?}"),
    ];
    let overlays = vec![overlay.into()];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let loaded = load(&LoadOptions { assignments, overlays, ..LoadOptions::new(path) }, &Catalog::linked());
    let configuration = loaded.unwrap_or_else(|error| panic!("{error}")).configuration;
    let mut robot = Robot::assemble(configuration).unwrap().into_stepper().unwrap();
    let (mut odometry, mut matched) = (Trajectory::new(), Trajectory::new());
    while let Some(step) = robot.step() {
        if !step.cycles.is_empty() {
            let now = robot.now().seconds();
            odometry.push((now, robot.with_value(|it: &Odometry| Pose2::from(&it.pose.pose)).unwrap()));
            matched.push((now, robot.with_value(MapPose::mean).unwrap()));
        }
    }
    (odometry, matched)
}

/// The pose of the robot relative to an earlier one.
struct Relation {
    from: f64,
    to: f64,
    pose: Pose2,
}

/// Returns the mean errors of relative poses, in metres and radians (Kümmerle et al.: On Measuring
/// the Accuracy of SLAM Algorithms, 2009).
fn errors(trajectory: &Trajectory, relations: &[Relation]) -> (f64, f64) {
    let at = |seconds: f64| {
        let next = trajectory.partition_point(|(time, _)| *time < seconds).min(trajectory.len() - 1);
        let near = |number: usize| (trajectory[number].0 - seconds).abs();
        trajectory[if next > 0 && near(next - 1) < near(next) { next - 1 } else { next }].1
    };
    let both = relations.iter().map(|relation| {
        let error = relation.pose.inverse() * (at(relation.from).inverse() * at(relation.to));
        (error.x.hypot(error.y), normalize_angle(error.heading).abs())
    });
    let (way, turn) = both.fold((0.0, 0.0), |sum, error| (sum.0 + error.0, sum.1 + error.1));
    (way / relations.len() as f64, turn / relations.len() as f64)
}

fn compare(name: &str, (odometry, matched): &(Trajectory, Trajectory), relations: &[Relation]) -> [(f64, f64); 2] {
    let [raw, matched] = [errors(odometry, relations), errors(matched, relations)];
    for (what, (way, turn)) in [("odometry", raw), ("scan matching", matched)] {
        println!("{name}: {what:13} {way:.3} m, {:.2}° of {} ways", turn.to_degrees(), relations.len());
    }
    [raw, matched]
}

/// The time of the first scan in the raw log of ACES, on the log's own clock.
const ACES_BEGIN: f64 = 70.289_900;

/// Returns the relations that people have made by hand, within the first seconds of the recording.
fn aces_relations(folder: &Path, seconds: f64) -> Vec<Relation> {
    let text = std::fs::read_to_string(folder.join("aces.relations")).unwrap();
    let relation = |line: &str| {
        let numbers: Vec<f64> = line.split_whitespace().map(|number| number.parse().unwrap()).collect();
        let pose = Pose2::new(numbers[2], numbers[3], numbers[7]);
        Relation { from: numbers[0] - ACES_BEGIN, to: numbers[1] - ACES_BEGIN, pose }
    };
    text.lines().map(relation).filter(|relation| relation.from.max(relation.to) < seconds).collect()
}

fn aces(seconds: f64) {
    let Some(folder) = shared("carmen-lidar-aces") else { return };
    let relations = aces_relations(&folder, seconds);
    let replayed = replayed("aces", &folder.join("aces.clf.bz2"), seconds);
    let [odometry, matched] = compare("ACES", &replayed, &relations);
    assert!(relations.len() > 100);
    // The relations span short distances, over which the odometry of that robot is good.
    assert!(matched.0 < odometry.0 && matched.1 < 0.5 * odometry.1, "{matched:?}, odometry {odometry:?}");
}

#[test]
fn in_aces_scan_matching_is_better_than_odometry_by_relations_made_by_hand() {
    aces(240.0);
}

#[test]
#[ignore = "takes minutes where the machine is slow"]
fn in_all_of_aces_scan_matching_is_better_than_odometry() {
    aces(1e6);
}

/// Returns the relations by a SLAM program between every tenth key scan of the recording.
fn intel_relations(folder: &Path, seconds: f64) -> Vec<Relation> {
    /// The times of the first scans of the raw log and of the corrected one, on the raw log's
    /// clock.
    const RAW: f64 = 976_052_857.337_530;
    const CORRECTED: f64 = 976_052_857.337;
    let file = std::fs::File::open(folder.join("intel-corrected.log.gz")).unwrap();
    let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines().map(Result::unwrap);
    let scans = lines.filter_map(|line| CarmenScan::parse(&line).unwrap());
    let poses: Trajectory = scans.map(|scan| (scan.seconds + CORRECTED - RAW, scan.odometry)).collect();
    let pairs = poses.iter().zip(poses.iter().skip(10));
    let relation = |((from, before), (to, after)): (&(f64, Pose2), &(f64, Pose2))| Relation {
        from: *from,
        to: *to,
        pose: before.inverse() * *after,
    };
    pairs.map(relation).filter(|relation| relation.from.max(relation.to) < seconds && relation.from >= 0.0).collect()
}

fn intel(seconds: f64) {
    let Some(folder) = shared("carmen-lidar-intel") else { return };
    let relations = intel_relations(&folder, seconds);
    let replayed = replayed("intel", &folder.join("intel.clf.bz2"), seconds);
    let [odometry, matched] = compare("Intel", &replayed, &relations);
    assert!(relations.len() > 50);
    assert!(matched.0 < 0.7 * odometry.0 && matched.1 < 0.7 * odometry.1, "{matched:?}, odometry {odometry:?}");
}

#[test]
fn in_intels_lab_scan_matching_is_better_than_odometry_by_a_slam_program() {
    intel(240.0);
}

#[test]
#[ignore = "takes minutes where the machine is slow"]
fn in_all_of_intels_lab_scan_matching_is_better_than_odometry() {
    intel(1e6);
}

/// Returns the messages of a topic, with their times in seconds since the first message of the log.
fn messages<T: hemiola::data::Data>(log: &Path, topic: &str) -> Vec<(f64, T)> {
    let mut log = LogReader::open(log).unwrap();
    let (mut begin, mut all) = (None, Vec::new());
    while let Some(entry) = log.next_entry() {
        let Entry::Message(message) = entry.unwrap() else { continue };
        let nanoseconds = message.log_time.nanoseconds();
        let seconds = (nanoseconds - *begin.get_or_insert(nanoseconds)) as f64 * 1e-9;
        if message.channel.topic == topic {
            all.push((seconds, cdr::decode(message.data).unwrap()));
        }
    }
    all
}

/// Returns the root mean square distance between two tracks after the best rotation and translation
/// of one onto the other (Umeyama 1991, in the plane).
fn apart(track: &[[f64; 2]], reference: &[[f64; 2]]) -> f64 {
    let count = track.len() as f64;
    let middle = |points: &[[f64; 2]]| [0, 1].map(|axis| points.iter().map(|point| point[axis]).sum::<f64>() / count);
    let (from, to) = (middle(track), middle(reference));
    let pairs = || {
        track
            .iter()
            .zip(reference)
            .map(|(point, other)| ([point[0] - from[0], point[1] - from[1]], [other[0] - to[0], other[1] - to[1]]))
    };
    let (sine, cosine) = pairs().fold((0.0, 0.0), |(sine, cosine), ([x, y], [to_x, to_y])| {
        (sine + x * to_y - y * to_x, cosine + x * to_x + y * to_y)
    });
    let turn = Pose2::new(0.0, 0.0, f64::atan2(sine, cosine));
    let squares = pairs().map(|(point, [to_x, to_y])| {
        let [x, y] = turn.transform(point);
        (x - to_x).powi(2) + (y - to_y).powi(2)
    });
    (squares.sum::<f64>() / count).sqrt()
}

#[test]
fn the_huskys_way_is_nearer_to_gps_with_its_gyroscope_than_without() {
    let Some(log) = shared("husky-gps-imu-odom/test1.mcap") else { return };
    let folder = tempfile::tempdir().unwrap();
    let made = folder.path().join("husky.mcap");
    let output = Command::new(env!("CARGO_BIN_EXE_rover"))
        .args(["run", "--overlay", "husky", "--fast", "--headless", "--no-trace", "--log-only", "Odometry", "--log"])
        .arg(&made)
        .arg("--replay")
        .arg(&log)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );

    let fixes = messages::<NavSatFix>(&log, "/fix");
    // The distances east and north of the first fix, on a sphere.
    let (latitude, longitude) = (fixes[0].1.latitude, fixes[0].1.longitude);
    let metres = 6_371_000.0_f64.to_radians();
    let gps = |fix: &NavSatFix| {
        [(fix.longitude - longitude) * metres * latitude.to_radians().cos(), (fix.latitude - latitude) * metres]
    };
    let gps: Vec<(f64, [f64; 2])> = fixes.iter().map(|(time, fix)| (*time, gps(fix))).collect();
    let off = |name: &str, poses: Vec<(f64, Odometry)>| {
        let at = |time: f64| {
            let number = poses.partition_point(|(stamp, _)| *stamp < time).min(poses.len() - 1);
            Pose2::from(&poses[number].1.pose.pose).position()
        };
        let (track, reference): (Vec<_>, Vec<_>) = gps.iter().map(|(time, place)| (at(*time), *place)).unzip();
        let off = apart(&track, &reference);
        println!("Husky: {name:16} {off:.2} m from GPS");
        off
    };
    let raw = off("its own odometry", messages(&log, "/husky_velocity_controller/odom"));
    let filtered = off("with gyroscope", messages(&made, "/drive/Odometry"));
    assert!(filtered < 0.7 * raw, "{filtered} m, its own odometry {raw} m");
}
