//! Imports of directories of tables and pictures.

mod directory;

use std::fs;
use std::path::{Path, PathBuf};

use hemiola_log::{LogCompression, LogReader, TimeUnit, Timing, Value, import};

use directory::{Directory, messages, text};

const TIMELESS: Timing = Timing { column: None, rate: None };

#[test]
fn rows_of_all_tables_are_there_by_time_with_integers_numbers_and_texts() {
    let directory = Directory::new(&[
        ("imu.csv", b"t_s,Gyro X (deg/s),note\n0.1,1.5,\"a, b\"\n0.3,,\n"),
        ("below/ticks.csv", b"\xef\xbb\xbf#time [ns];ticks\r\n200000000;7\r\n\r\n"),
    ]);
    let imported = directory.import(&TIMELESS).unwrap();
    assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    let counts: Vec<_> = imported.channels.iter().map(|channel| (channel.topic.as_str(), channel.messages)).collect();
    assert_eq!(counts, [("/below/ticks", 1), ("/imu", 2)]);
    assert_eq!(
        text(&directory.messages()),
        [
            "/imu 100000000 {gyro_x_deg_s: 1.5, note: \"a, b\"}",
            "/below/ticks 200000000 {ticks: 7}",
            "/imu 300000000 {gyro_x_deg_s: NaN, note: \"\"}",
        ]
    );
}

#[test]
fn pictures_come_with_the_rows_that_name_them_unchanged() {
    let directory = Directory::new(&[
        ("index.csv", b"stamp_ms,file,speed\n40,img/a.jpg,1\n80,img/b.jpg,2\n120,img/gone.jpg,3\n"),
        ("img/a.jpg", b"\xff\xd8 first"),
        ("img/b.jpg", b"\xff\xd8 second"),
        ("img/spare.jpg", b"no row names it"),
    ]);
    let imported = directory.import(&TIMELESS).unwrap();
    assert_eq!(imported.problems.len(), 1);
    assert!(imported.problems[0].to_string().contains("gone.jpg"), "{}", imported.problems[0]);
    let messages = directory.messages();
    let pictures: Vec<_> = messages.iter().filter(|(topic, ..)| topic == "/index/file").collect();
    assert_eq!(pictures.len(), 2);
    assert_eq!(pictures[1].1, 80_000_000);
    assert_eq!(pictures[1].2.get("format").unwrap().to_string(), "\"jpeg\"");
    let data: Vec<u8> = b"\xff\xd8 second".to_vec();
    assert_eq!(*pictures[1].2.get("data").unwrap(), Value::Numbers(hemiola_log::Numbers::U8(data)));
    let schema = LogReader::open(&directory.log()).unwrap();
    let types: Vec<_> = schema.channels().filter_map(|channel| Some(channel.schema.as_ref()?.name.clone())).collect();
    assert_eq!(types, ["recording/msg/Index", "sensor_msgs/msg/CompressedImage"]);
}

#[test]
fn what_tells_no_time_has_a_rate_or_a_named_column() {
    let files: &[(&str, &[u8])] = &[
        ("a.csv", b"i,x\n0,1\n1,2\n"),
        ("b.csv", b"when,x\n0,1\n10,2\n"),
        ("img/1.png", b"one"),
        ("img/2.png", b"two"),
    ];
    let directory = Directory::new(files);
    let error = directory.import(&TIMELESS).unwrap_err().to_string();
    assert!(error.contains("3 reasons") && error.contains("`i`, `x`") && error.contains("--rate"), "{error}");
    let timing = Timing { column: Some(("when".to_owned(), TimeUnit::Microseconds)), rate: Some(10.0) };
    let imported = directory.import(&timing).unwrap();
    assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    let times = |wanted: &str| -> Vec<u64> {
        directory.messages().iter().filter(|(topic, ..)| topic == wanted).map(|&(_, time, _)| time).collect()
    };
    assert_eq!(times("/a"), [0, 100_000_000]);
    assert_eq!(times("/b"), [0, 10_000]);
    assert_eq!(times("/img"), [0, 100_000_000]);
}

#[test]
fn a_rate_counts_more_than_a_column_that_only_sounds_like_a_time() {
    let directory = Directory::new(&[("t.csv", b"t_s,x\n7,1\n9,2\n")]);
    directory.import(&Timing { column: None, rate: Some(2.0) }).unwrap();
    assert_eq!(text(&directory.messages()), ["/t 0 {t_s: 7, x: 1}", "/t 500000000 {t_s: 9, x: 2}"]);
}

#[test]
fn a_table_of_which_no_row_can_be_used_is_one_message_and_no_log() {
    let rows = "soon,1\n".repeat(50_989);
    let directory = Directory::new(&[("t.csv", format!("t_s,x\n{rows}").as_bytes())]);
    let error = directory.import(&TIMELESS).unwrap_err().to_string();
    assert!(error.contains("t.csv, line 2: `soon`") && error.contains("50989 of 50989 rows"), "{error}");
    assert!(!directory.log().exists(), "an empty log would be taken for a recording of nothing");
}

#[test]
fn a_file_in_the_place_of_a_directory_is_known_by_its_beginning() {
    let cases: [(&str, &[u8], &str); 7] = [
        ("a.bag", b"#ROSBAG V1.2\n", "rosbag fix"),
        ("a.ulg", b"ULog\x01\x12\x35\x01", "ends after 8 bytes"),
        ("a.log.gz", b"\x1f\x8b\x08\0", "gunzip"),
        ("a.log", b"PARAM robot_length 1\n", "CARMEN"),
        ("a.clf", b"# message_name [message contents] ipc_timestamp", "CARMEN"),
        ("a.db3", b"SQLite format 3\0", "ros2 bag convert"),
        ("a.txt", b"", "not supported by `log import`, which imports: tables"),
    ];
    for (name, content, expected) in cases {
        let directory = Directory::new(&[(name, content)]);
        let file = directory.0.join("in").join(name);
        let error =
            import(&file, &directory.log(), LogCompression::None, &TIMELESS, |_, _| {}).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(name), "{name}: {error}");
    }
}

#[test]
fn forms_that_nothing_reads_are_told_alike_by_import_and_by_who_opens_them_as_logs() {
    let forms: [&[u8]; 6] = [
        b"\x1f\x8b\x08\0\0\0\0\0packed by gzip",
        b"SQLite format 3\0",
        b"PARAM robot_length 1\n",
        b"BZh91AY&SY packed",
        b"\x28\xb5\x2f\xfd packed by zstd",
        b"RIFF\0\0\0\0AVI LIST",
    ];
    for form in forms {
        let directory = Directory::new(&[("recording", form)]);
        let imported = directory.import_file("recording").unwrap_err().to_string();
        let opened = LogReader::open(&directory.0.join("in/recording")).err().unwrap().to_string();
        let told = opened.split("byte 0: ").nth(1).unwrap();
        assert!(imported.ends_with(told), "{imported}\n{opened}");
    }
}

#[test]
fn a_folder_of_folders_is_walked_in_order_and_what_is_not_known_is_a_line_for_each_kind() {
    let directory = Directory::new(&[
        ("b/deep/er/x.csv", b"t_s,x\n0,1\n"),
        ("a/x.csv", b"t_s,x\n0,2\n"),
        ("a/.cache/x.csv", b"t_s,x\n0,3\n"),
        ("a/one.txt", b"words"),
        ("b/two.txt", b"more words"),
        ("b/other.log", b"FLASER 180 1.0\n"),
        ("b/game.mcap", b"\x89MCAP0\r\n"),
        ("LICENSE", b"free"),
    ]);
    let imported = directory.import(&TIMELESS).unwrap();
    assert!(imported.problems.is_empty(), "{:?}", imported.problems);
    assert_eq!(text(&directory.messages()), ["/a/x 0 {x: 2}", "/b/deep/er/x 0 {x: 1}"]);
    let told: Vec<_> = [
        "other.log is left out: a log of CARMEN",
        "game.mcap is left out: already a log",
        "LICENSE is left out",
        "a/one.txt and 1 more like it",
    ]
    .into();
    assert_eq!(imported.notes.len(), told.len(), "{:?}", imported.notes);
    for (note, told) in imported.notes.iter().zip(told) {
        assert!(note.contains(told), "{note}");
    }
}

#[test]
fn rows_without_a_time_are_left_out_and_told_of_with_the_first_line() {
    let directory = Directory::new(&[("t.csv", b"t_s,x\n0,1\nsoon,2\n-1,3\n0.5,4,5\n0.7\n")]);
    let imported = directory.import(&TIMELESS).unwrap();
    let problems: Vec<_> = imported.problems.iter().map(ToString::to_string).collect();
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("t.csv, line 3: `soon`") && problems[0].contains("2 of 5 rows"), "{}", problems[0]);
    assert_eq!(text(&directory.messages()), ["/t 0 {x: 1.0}", "/t 500000000 {x: 4.0}", "/t 700000000 {x: NaN}"]);
}

#[test]
fn a_picture_that_is_none_for_its_size_is_left_out_and_told_of() {
    let directory =
        Directory::new(&[("index.csv", b"t_s,file\n0,a.png\n1,b.png\n"), ("a.png", b"one"), ("b.png", b"")]);
    // The file takes no room on the disk.
    let huge = fs::File::options().write(true).open(directory.0.join("in/b.png")).unwrap();
    huge.set_len(1 << 30).unwrap();
    let imported = directory.import(&TIMELESS).unwrap();
    assert_eq!(imported.problems.len(), 1);
    assert!(imported.problems[0].to_string().contains("b.png: 1073741824 bytes"), "{}", imported.problems[0]);
    assert_eq!(directory.messages().iter().filter(|(topic, ..)| topic == "/index/file").count(), 1);
}

#[test]
fn a_cell_never_names_what_is_outside_the_directory() {
    let directory = Directory::new(&[("in/t.csv", b"t_s,file\n0,../secret.jpg\n"), ("secret.jpg", b"secret")]);
    let directory = Directory(directory.0.clone());
    let imported =
        import(&directory.0.join("in/in"), &directory.log(), LogCompression::None, &TIMELESS, |_, _| {}).unwrap();
    assert_eq!(imported.channels.len(), 1);
    assert_eq!(text(&directory.messages()), ["/t 0 {file: \"../secret.jpg\"}"]);
}

#[test]
fn what_is_no_table_is_an_error_that_says_so() {
    let endless = [b"t_s,x\n0,".as_slice(), &vec![b'1'; 3 << 20]].concat();
    let cases: [(&str, &[u8], &str); 5] = [
        ("empty.csv", b"", "none of the columns"),
        ("header.csv", b"t_s,x\n", "no rows"),
        ("endless.csv", &endless, "more than a megabyte"),
        ("packed.csv.gz", b"not packed at all", "packed.csv.gz"),
        ("note.txt", b"nothing", "note.txt is left out"),
    ];
    for (name, content, expected) in cases {
        let directory = Directory::new(&[(name, content)]);
        let error = directory.import(&TIMELESS).unwrap_err().to_string();
        assert!(error.contains(expected), "{name}: {error}");
        assert!(!directory.log().exists(), "{name}");
    }
}

#[test]
fn real_recordings_become_logs_with_every_row_and_picture() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(default, PathBuf::from);
    let recordings = shared.join("data/recordings");
    if !recordings.exists() {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", recordings.display());
        return;
    }
    let rate = |rate| Timing { column: None, rate: Some(rate) };
    for (name, timing, least) in [
        ("euroc-v1-01-mini", TIMELESS, 5),
        ("nao-wander", rate(1.0), 3),
        ("icub-walking", TIMELESS, 5),
        ("imu-xio", TIMELESS, 1),
        ("imu-broad", rate(286.0), 2),
        ("donkey-car-track", TIMELESS, 2),
        ("road-lane-video", rate(25.0), 1),
        ("nao-field-landmarks", rate(30.0), 4),
    ] {
        let directory = Directory::new(&[]);
        let imported = import(&recordings.join(name), &directory.log(), LogCompression::Lz4, &timing, |_, _| {});
        let imported = imported.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(imported.problems.is_empty(), "{name}: {:?}", imported.problems.first());
        assert!(imported.channels.len() >= least, "{name}: {:?}", imported.channels);
        let written: u64 = imported.channels.iter().map(|channel| channel.messages).sum();
        assert_eq!(messages(&directory.log()).len() as u64, written, "{name}");
    }
}
