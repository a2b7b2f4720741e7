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

const CARMEN: &str = "a log of CARMEN in text, which nothing here reads: write what you need of it into tables (CSV) with a column of \
                      times, such as t_s, and give their directory to `log import`";

const FORMS: [(&[u8], &str); 15] = [
    (b"#ROSBAG", "a bag of ROS 1; `log import IN.bag OUT.mcap` makes a log of it"),
    (b"SQLite", "a bag of ROS 2 in SQLite; `ros2 bag convert` makes MCAP of it"),
    (b"ULog\x01\x12\x35", "a log of PX4 (ULog); `log import IN.ulg OUT.mcap` makes a log of it"),
    (b"\x1f\x8b", "packed by gzip; `gunzip` unpacks it"),
    (b"BZh", "packed by bzip2; `bunzip2` unpacks it"),
    (b"\xfd7zXZ\0", "packed by xz; `unxz` unpacks it"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd; `unzstd` unpacks it"),
    (b"PK\x03\x04", "a zip archive; `unzip` unpacks it"),
    (b"PARAM ", CARMEN),
    (b"FLASER ", CARMEN),
    (b"ROBOTLAS", CARMEN),
    (b"# CARMEN", CARMEN),
    // CARMEN's own logger and the tools that correct its logs begin with these.
    (b"# message_name [", CARMEN),
    (
        b"RIFF",
        "sound or video (RIFF); sound (WAV) becomes a log with `log import IN.wav OUT.mcap`, video first has to be taken apart into pictures",
    ),
    (b"fLaC", "sound (FLAC); `log import IN.flac OUT.mcap` makes a log of it"),
];
