//! Files of other programs, which are recognised by their first bytes.

/// Describes a file that is not MCAP, and what can be done with it.
pub fn describe(first: &[u8]) -> String {
    match (first, known(first)) {
        (_, Some(known)) => known.to_owned(),
        ([], _) => "the file is empty: the recorder ended before it wrote anything".to_owned(),
        _ if first.iter().all(|&byte| byte == 0) => {
            "it begins with zeros: its first bytes did not reach the disk, and with them the schemas".to_owned()
        }
        _ => format!("it begins with {}, not with MCAP's eight bytes", first[..first.len().min(8)].escape_ascii()),
    }
}

/// The number of first bytes that suffice to recognise all forms.
pub const LONGEST_BEGINNING: u64 = 16;

/// Recognises the forms that robots' recordings often have.
pub fn known(first: &[u8]) -> Option<&'static str> {
    FORMS.iter().find_map(|(beginning, description)| first.starts_with(beginning).then_some(*description))
}

const CARMEN: &str = "a log of CARMEN in text, which is not supported: convert what you need of it to tables (CSV) with a column of \
                      times, such as t_s, and give their directory to `log import`";

const FORMS: [(&[u8], &str); 15] = [
    (b"#ROSBAG", "a bag of ROS 1; `log import IN.bag OUT.mcap` converts it to a log"),
    (b"SQLite", "a bag of ROS 2 in SQLite; `ros2 bag convert` converts it to MCAP"),
    (b"ULog\x01\x12\x35", "a log of PX4 (ULog); `log import IN.ulg OUT.mcap` converts it to a log"),
    (b"\x1f\x8b", "compressed with gzip; `gunzip` decompresses it"),
    (b"BZh", "compressed with bzip2; `bunzip2` decompresses it"),
    (b"\xfd7zXZ\0", "compressed with xz; `unxz` decompresses it"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; `unzstd` decompresses it"),
    (b"PK\x03\x04", "a zip archive; `unzip` unpacks it"),
    (b"PARAM ", CARMEN),
    (b"FLASER ", CARMEN),
    (b"ROBOTLAS", CARMEN),
    (b"# CARMEN", CARMEN),
    // CARMEN's own logger and the tools that correct its logs begin with these.
    (b"# message_name [", CARMEN),
    (
        b"RIFF",
        "sound or video (RIFF); `log import IN.wav OUT.mcap` converts sound (WAV) to a log; video has to be split into pictures first",
    ),
    (b"fLaC", "sound (FLAC); `log import IN.flac OUT.mcap` converts it to a log"),
];
