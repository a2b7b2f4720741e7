use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use flate2::Compression;
use flate2::write::GzEncoder;
use glam::Vec3;
use hemiola::prelude::*;
use proptest::prelude::*;

use super::picture::Picture;
use super::sound::Sound;
use super::table::Table;
use super::*;
use crate::representations::sensing::{AudioBlock, FootPressure, ImuSample, JointAngles, LowerImage, UpperImage};
use crate::robot::Joint;

/// A temporary directory that is removed at the end of the test.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("nao-recordings-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn with(self, name: &str, bytes: impl AsRef<[u8]>) -> Self {
        fs::write(self.0.join(name), bytes).unwrap();
        self
    }

    fn path(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the folder of recordings of other robots, on machines that have them.
fn shared(name: &str) -> Option<PathBuf> {
    let recordings = crate::score::shared_recordings().map(|directory| directory.join(name));
    let found = recordings.filter(|directory| directory.is_dir());
    if found.is_none() {
        eprintln!("SKIPPED: {name} is not on this machine");
    }
    found
}

/// Returns a picture of 4 x 2 pixels in one colour.
fn png(color: [u8; 3]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, 4, 2);
    encoder.set_color(::png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&color.repeat(8)).unwrap();
    bytes
}

fn wav(samples: &[i16], sample_rate: u32) -> Vec<u8> {
    let form =
        hound::WavSpec { channels: 1, sample_rate, bits_per_sample: 16, sample_format: hound::SampleFormat::Int };
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = hound::WavWriter::new(&mut bytes, form).unwrap();
    samples.iter().for_each(|&sample| writer.write_sample(sample).unwrap());
    writer.finalize().unwrap();
    bytes.into_inner()
}

fn camera(directory: String, rate: f64, repeat: bool) -> RecordedCamera {
    RecordedCamera::create(RecordedCameraParameters { directory, rate, repeat })
}

/// Reads at most `limit` samples; returns their stamps in seconds and brightness, and the report.
fn film(mut source: RecordedCamera, limit: usize) -> (Vec<(f64, u8)>, RecordingReport) {
    let (mut upper, mut lower) = (UpperImage::default(), LowerImage::default());
    let mut recording = CameraRecording::default();
    let mut frames = Vec::new();
    for _ in 0..limit {
        match source.sample(&mut upper, &mut lower, &mut recording) {
            Ok(Some(time)) => frames.push((time.seconds(), upper.image.y(0, 0))),
            Ok(None) => break,
            Err(_) => {}
        }
    }
    (frames, recording.report)
}

type Felt = (f64, ImuSample, JointAngles, FootPressure);

fn felt(directory: String, rate: f64, repeat: bool, limit: usize) -> (Vec<Felt>, RecordingReport) {
    let mut source = RecordedBody::create(RecordedBodyParameters { directory, rate, repeat });
    let mut recording = BodyRecording::default();
    let mut all = Vec::new();
    for _ in 0..limit {
        let (mut imu, mut joints, mut feet) = Default::default();
        match source.sample(&mut imu, &mut joints, &mut feet, &mut recording) {
            Ok(Some(time)) => all.push((time.seconds(), imu, joints, feet)),
            Ok(None) => break,
            Err(_) => {}
        }
    }
    (all, recording.report)
}

fn heard(directory: String, repeat: bool, limit: usize) -> (Vec<(f64, AudioBlock)>, RecordingReport) {
    let mut source = RecordedMicrophone::create(RecordedMicrophoneParameters { directory, rate: 0.0, repeat });
    let mut recording = MicrophoneRecording::default();
    let mut blocks = Vec::new();
    for _ in 0..limit {
        let mut audio = AudioBlock::default();
        match source.sample(&mut audio, &mut recording) {
            Ok(Some(time)) => blocks.push((time.seconds(), audio)),
            Ok(None) => break,
            Err(_) => {}
        }
    }
    (blocks, recording.report)
}

#[test]
fn without_a_directory_a_source_ends_at_once_and_complains_of_nothing() {
    let nothing = RecordingReport::default();
    assert_eq!(film(camera(String::new(), 0.0, true), 10), (vec![], nothing.clone()));
    assert_eq!(felt(String::new(), 0.0, true, 10), (vec![], nothing.clone()));
    assert_eq!(heard(String::new(), true, 10), (vec![], nothing));
}

#[test]
fn a_directory_that_does_not_exist_or_is_empty_is_told_once_and_ends_the_source() {
    let empty = Folder::new();
    for directory in ["/there/is/no/such/directory".to_owned(), empty.path()] {
        for report in [
            film(camera(directory.clone(), 0.0, true), 10).1,
            felt(directory.clone(), 0.0, true, 10).1,
            heard(directory.clone(), true, 10).1,
        ] {
            assert_eq!((report.samples, report.unreadable), (0, 1), "{report}");
            assert!(report.last_error.contains(&directory), "{report}");
        }
    }
}

#[test]
fn frames_come_in_recorded_order_with_stamps_that_never_step_back() {
    let index = "t_s,file\n10.0,a.png\n10.1,b.png\n10.05,c.png\n10.2,d.png\n10.3,a.png\n12.3,b.png\n";
    let folder = Folder::new().with("index.csv", index);
    let folder = ["a", "b", "c", "d"]
        .iter()
        .zip([10_u8, 20, 30, 40])
        .fold(folder, |folder, (name, grey)| folder.with(&format!("{name}.png"), png([grey; 3])));
    let (frames, report) = film(camera(folder.path(), 0.0, false), 100);
    let brightness: Vec<u8> = frames.iter().map(|frame| frame.1).collect();
    let stamps: Vec<i64> = frames.iter().map(|frame| (frame.0 * 1000.0).round() as i64).collect();
    assert_eq!(brightness, [10, 20, 30, 40, 10, 20]);
    assert_eq!(stamps, [0, 100, 100, 200, 300, 2300]);
    assert_eq!((report.samples, report.steps_back, report.gaps), (6, 1, 1), "{report}");
    assert_eq!(report.longest_gap.as_millis(), 2000);
    assert_eq!(report.farthest_back.as_millis(), 50);
}

#[test]
fn broken_frames_and_rows_are_left_out_and_counted() {
    let whole = png([50; 3]);
    let folder = Folder::new()
        .with(
            "index.csv",
            "t_s,file\n0,a.png\n0.1,cut.png\n0.2,gone.png\nx,a.png\n0.4,../a.png\n0.5,noise.png\n0.6,a.png\n",
        )
        .with("cut.png", &whole[..whole.len() / 2])
        .with("noise.png", b"no picture")
        .with("a.png", &whole);
    let (frames, report) = film(camera(folder.path(), 0.0, false), 100);
    assert_eq!(frames.len(), 2);
    assert_eq!((report.samples, report.truncated, report.unreadable), (2, 1, 4), "{report}");
}

#[test]
fn pictures_without_stamps_come_at_a_fixed_rate_and_may_repeat() {
    let folder = Folder::new()
        .with("poses.csv", "file,x_cm\nb.png,0\na.png,0\n")
        .with("a.png", png([10; 3]))
        .with("b.png", png([20; 3]));
    let (frames, report) = film(camera(folder.path(), 10.0, true), 5);
    let brightness: Vec<u8> = frames.iter().map(|frame| frame.1).collect();
    assert_eq!(brightness, [20, 10, 20, 10, 20]);
    assert!((frames[4].0 - 0.4).abs() < 1e-9);
    assert_eq!(report.steps_back, 0);
}

#[test]
fn a_repeated_recording_that_has_nothing_readable_ends() {
    let folder = Folder::new().with("a.png", "nothing").with("b.jpg", "nothing");
    let (frames, report) = film(camera(folder.path(), 0.0, true), 1000);
    assert_eq!((frames.len(), report.unreadable), (0, 2));
}

#[test]
fn trials_are_played_one_after_the_other_also_packed() {
    let text = "i,gyr_x,gyr_y,gyr_z,acc_x,acc_y,acc_z\n5,1,2,3,0,0,9.8\n6,1,2,x,0,0,9.8\n7,4,5,6,0,0,9.8\n";
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    let folder = Folder::new().with("a.csv", text).with("b.csv.gz", packed.finish().unwrap());
    let (samples, report) = felt(folder.path(), 0.0, false, 100);
    let stamps: Vec<i64> = samples.iter().map(|sample| (sample.0 * 2000.0).round() as i64).collect();
    assert_eq!(stamps, [0, 14, 21, 35], "in steps of 7/2000 s");
    assert_eq!(samples[3].1.angular_velocity, Vec3::new(4.0, 5.0, 6.0));
    assert_eq!((report.samples, report.unreadable), (4, 2), "{report}");
    assert!(report.last_error.contains("b.csv.gz:3: `x` in column `gyr_z`"), "{report}");
}

#[test]
fn a_humanoids_joints_and_feet_are_this_robots() {
    let urdf = r#"<robot><gazebo><sensor name="root_link_imu_acc"><pose>0 0 0 0 0 0</pose></sensor></gazebo>
        <sensor name="root_link_imu_acc"><origin rpy="0 1.5707963 0" xyz="0 0 0"/></sensor></robot>"#;
    let folder = Folder::new()
        .with("robot.urdf", urdf)
        .with("imu.csv", "t_s,acc_x,acc_y,acc_z,gyr_x,gyr_y,gyr_z\n0,9.8,0,0,0,0,1\n0.01,9.8,0,0,0,0,1\n")
        .with("joints.csv", "t_s,q.l_knee,q.neck_yaw\n0,-0.5,0.2\n0.005,-0.6,0.1\n")
        .with("feet.csv", "t_s,left_fz,right_fz\n0,100,-1\n");
    let (samples, _) = felt(folder.path(), 0.0, false, 10);
    let (_, imu, joints, feet) = &samples[1];
    assert!(imu.acceleration.abs_diff_eq(Vec3::new(0.0, 0.0, -9.8), 1e-5), "{imu:?}");
    assert!(imu.angular_velocity.abs_diff_eq(Vec3::new(-1.0, 0.0, 0.0), 1e-5), "{imu:?}");
    assert_eq!(joints.positions[Joint::LeftKneePitch.index()], 0.6);
    assert_eq!(joints.positions[Joint::HeadYaw.index()], 0.1);
    assert_eq!((feet.left, feet.right), ([25.0; 4], [0.0; 4]));
}

#[test]
fn sound_comes_in_blocks_of_each_files_own_sample_rate() {
    let mut cut = wav(&[7; 3000], 16_000);
    cut.truncate(44 + 2 * 1100);
    let folder = Folder::new()
        .with("a.wav", wav(&[16384; 2500], 48_000))
        .with("b.wav", cut)
        .with("c.wav", "no sound")
        .with("d.wav", wav(&[-32768; 1024], 8_000));
    let (blocks, report) = heard(folder.path(), false, 100);
    let rates: Vec<f32> = blocks.iter().map(|(_, block)| block.sample_rate).collect();
    assert_eq!(rates, [48_000.0, 48_000.0, 16_000.0, 8_000.0]);
    assert_eq!((blocks[0].1.samples[0], blocks[3].1.samples[1023]), (0.5, -1.0));
    assert!((blocks[2].0 - (2048.0 / 48_000.0 + 1024.0 / 16_000.0)).abs() < 1e-6);
    assert_eq!((report.samples, report.truncated, report.unreadable), (4, 1, 1), "{report}");
    assert_eq!(heard(folder.path(), true, 60).1.samples, 40, "again and again; each round costs two errors");
}

#[test]
fn sources_and_imported_logs_have_the_same_times_sound_and_columns() {
    use hemiola::log::{Entry, LogCompression, LogReader, Numbers, Timing, Value, import};
    let body = "Stamp (ms),Gyroscope X (deg/s),Gyroscope Y (deg/s),Gyroscope Z (deg/s),Accelerometer X (g),Accelerometer Y (g),\
                Accelerometer Z (g)\n1602421393803,180,0,0,0,0,1\n1602421393813,0,90,0,0,0,1\n";
    let folder = Folder::new()
        .with("whistle.wav", wav(&[8192; 2048], 16_000))
        .with("body.csv", body)
        .with("drive.csv", "picture,when_time_ms\na.png,40\na.png,80\n")
        .with("a.png", png([200; 3]));
    let log = folder.0.join("out.mcap");
    let imported = import(&folder.0, &log, LogCompression::None, &Timing::default(), |_, _| {}).unwrap();
    assert_eq!(imported.problem_count, 0, "{:?}", imported.problems);
    let mut messages = Vec::new();
    let mut log = LogReader::open(&log).unwrap();
    while let Some(entry) = log.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            let time = message.log_time.nanoseconds() as f64 / 1e9;
            messages.push((message.channel.topic.clone(), time, message.decode().unwrap()));
        }
    }
    let of = |topic: &str| messages.iter().filter(|message| message.0 == topic).collect::<Vec<_>>();
    for (played, logged) in heard(folder.path(), false, 9).0.iter().zip(of("/whistle")) {
        let samples = Value::Numbers(Numbers::F32(played.1.samples.clone()));
        assert_eq!((played.0, Some(&samples)), (logged.1, logged.2.get("samples").as_deref()));
    }
    let (felt, report) = felt(folder.path() + "/body.csv", 0.0, false, 9);
    assert_eq!((felt.len(), of("/body").len()), (2, 2), "{report}");
    assert!((felt[1].0 - felt[0].0 - 0.01).abs() < 1e-6);
    assert!((of("/body")[1].1 - of("/body")[0].1 - 0.01).abs() < 1e-6);
    assert_eq!(of("/body")[0].2.get("gyroscope_x_deg_s").unwrap().number(), Some(180.0));
    assert!((felt[0].1.angular_velocity.x - std::f32::consts::PI).abs() < 1e-6);
    assert!((felt[1].1.acceleration.z - 9.806_65).abs() < 1e-6);
    let (frames, report) = film(camera(folder.path(), 0.0, false), 9);
    assert_eq!((frames.len(), of("/drive/picture").len()), (2, 2), "{report}");
    assert!((frames[1].0 - 0.04).abs() < 1e-9 && (of("/drive/picture")[1].1 - 0.08).abs() < 1e-9);
}

#[test]
fn messages_name_file_line_value_and_remedy() {
    let table = Table::parse(Path::new("walk/imu.csv"), b"t_s, gyr\r\n\r\n0.5,nan\r\n1e300,/etc\r\n");
    let [stamp, gyroscope] = table.columns(["t_s", "gyr"]).unwrap();
    assert_eq!(
        table.row(0).unwrap().number(gyroscope).unwrap_err().to_string(),
        "walk/imu.csv:3: `nan` in column `gyr` is not a number; correct or remove the row"
    );
    assert_eq!(
        table.row(1).unwrap().seconds(stamp).unwrap_err().to_string(),
        "walk/imu.csv:4: `1e300` in column `t_s` is not a time in seconds since the start of the recording; correct or remove the row"
    );
    assert!(table.row(1).unwrap().path(gyroscope).is_err());
    assert_eq!(
        table.column("acc").unwrap_err().to_string(),
        "walk/imu.csv: has no column `acc`, only t_s, gyr; rename one of them"
    );
    let report = RecordingReport { directory: "walk".into(), samples: 3, truncated: 1, ..Default::default() };
    assert_eq!(report.to_string(), "walk: 3 samples, 1 truncated");
}

#[test]
fn an_odd_picture_loses_its_last_column() {
    let picture = Picture { width: 3, height: 2, rgb: [[10; 9], [20; 9]].concat() };
    let mut image = crate::representations::sensing::Image::default();
    picture.fill(&mut image);
    assert_eq!((image.width, image.height, image.y(1, 1)), (2, 2, 20));
}

#[test]
fn a_real_wandering_robot_is_played_with_its_odd_stamps() {
    let Some(directory) = shared("nao-wander") else { return };
    let directory = directory.to_string_lossy().into_owned();
    let (frames, report) = film(camera(directory.clone(), 0.0, false), 1000);
    eprintln!("{report}");
    assert_eq!(frames.len(), 312);
    assert!(frames.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    assert!(report.steps_back > 0 && report.gaps > 0, "{report}");
    assert!((report.farthest_back.as_secs_f64() - 2.97).abs() < 0.01, "{report}");
    assert_eq!(report.longest_gap.as_secs(), 49, "{report}");
    let (broken, report) = film(camera(format!("{directory}/truncated"), 0.0, false), 10);
    assert_eq!((broken.len(), report.truncated), (0, 1), "{report}");
}

#[test]
fn a_real_walking_humanoid_stands_upright_on_bent_knees() {
    let Some(directory) = shared("icub-walking") else { return };
    let (samples, report) = felt(directory.to_string_lossy().into_owned(), 0.0, false, 5000);
    assert_eq!((report.samples, report.unreadable), (1188, 0), "{report}");
    for (_, imu, joints, feet) in &samples[..50] {
        assert!((imu.acceleration.normalize().z - 1.0).abs() < 0.02, "{imu:?}");
        assert!(joints.positions[Joint::LeftKneePitch.index()] > 0.4, "{joints:?}");
        assert!((250.0..450.0).contains(&feet.total()), "{feet:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_make_a_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..600), kind in 0..4_usize) {
        let start: &[u8] = [&b"\xff\xd8\xff"[..], b"\x89PNG\r\n\x1a\n", b"RIFF\xff\xff\x00\x00WAVEfmt ", b""][kind];
        let bytes = [start, &bytes].concat();
        let file = Path::new("random");
        let _ = Picture::decode(file, &bytes);
        let _ = Picture::decode(file, &[&bytes[..], &[0xff, 0xd9]].concat());
        let _ = Sound::decode(file, &bytes);
        let _ = imu_rotation(file, &String::from_utf8_lossy(&bytes));
        read_everything(&Table::parse(file, &bytes));
    }

    #[test]
    fn no_damage_to_a_whole_file_makes_a_reader_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
    ) {
        let file = Path::new("damaged");
        let sound = wav(&[100; 200], 48_000);
        for whole in [png([1, 2, 3]), sound, JPEG.to_vec()] {
            let mut bytes = whole.clone();
            for (place, value) in &changes {
                bytes[place.index(whole.len())] = *value;
            }
            let _ = Picture::decode(file, &bytes);
            let _ = Sound::decode(file, &bytes);
            bytes.truncate(cut.index(whole.len()));
            let _ = Picture::decode(file, &[&bytes[..], &[0xff, 0xd9]].concat());
            let _ = Sound::decode(file, &bytes);
        }
    }

    #[test]
    fn stamps_never_step_back_whatever_is_recorded(stamps in prop::collection::vec(-1e9..1e9_f64, 1..40)) {
        let mut timeline = timeline::Timeline::of_stamps(stamps.iter().copied());
        let mut report = RecordingReport::default();
        let mut last = Time::ZERO;
        for round in 0..3 {
            for stamp in &stamps {
                let time = timeline.next(*stamp, &mut report);
                prop_assert!(time >= last, "round {}", round);
                last = time;
            }
            timeline.restart();
        }
    }
}

fn read_everything(table: &Table) {
    for name in table.header().to_vec() {
        let column = table.column(&name).unwrap();
        for row in table.rows() {
            let _ = (row.text(column), row.number(column), row.seconds(column), row.path(column));
        }
    }
}

/// A grey picture of 8 x 8 pixels: the smallest complete JPEG (baseline, one component).
const JPEG: &[u8] = include_bytes!("tests/grey.jpg");
