//! The first bytes of a file: whether it is ours.

use std::io::{self, Read, Seek};

use crate::format::MAGIC;

use crate::source::Source;

#[derive(PartialEq, Eq)]
pub enum Beginning {
    Whole,
    Damaged,
    /// And what it seems to be.
    Foreign(String),
}

/// The first bytes of a file, and, where they are wrong, the last.
pub fn read_beginning<R: Read + Seek>(source: &mut Source<R>) -> io::Result<Beginning> {
    let length = MAGIC.len() as u64;
    let (mut first, mut last) = (Vec::new(), Vec::new());
    source.by_ref().take(length).read_to_end(&mut first)?;
    if first == MAGIC {
        return Ok(Beginning::Whole);
    }
    source.seek(source.length.saturating_sub(length))?;
    source.by_ref().take(length).read_to_end(&mut last)?;
    let right = first.iter().zip(&MAGIC).filter(|(byte, expected)| byte == expected).count();
    let is_ours = source.length > 2 * length && (last == MAGIC || right >= MAGIC.len() - 2);
    Ok(if is_ours { Beginning::Damaged } else { Beginning::Foreign(describe_foreign(&first)) })
}

/// What a file is that is not ours.
fn describe_foreign(first: &[u8]) -> String {
    match first {
        [] => "the file is empty: the recorder ended before it wrote anything".to_owned(),
        [b'#', b'R', b'O', b'S', b'B', b'A', b'G', ..] => {
            "a bag of ROS 1; `rosbags-convert --src IN.bag --dst OUT --dst-storage mcap` makes MCAP of it".to_owned()
        }
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => {
            "a bag of ROS 2 in SQLite; `ros2 bag convert` makes MCAP of it".to_owned()
        }
        _ if first.iter().all(|&byte| byte == 0) => {
            "it begins with zeros: its first bytes did not reach the disk, and with them the schemas".to_owned()
        }
        _ => format!("it begins with {}, not with MCAP's eight bytes", first.escape_ascii()),
    }
}
