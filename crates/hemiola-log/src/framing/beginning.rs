//! The first bytes of a file, which show whether it is MCAP.

use std::io::{self, Read, Seek};

use crate::foreign;
use crate::format::MAGIC;
use crate::source::Source;

#[derive(PartialEq, Eq)]
pub enum Beginning {
    Whole,
    Damaged,
    /// The file is in another form, which this text describes.
    Foreign(String),
}

/// Reads the first bytes of a file, and, where they are wrong, the last.
pub fn read_beginning<R: Read + Seek>(source: &mut Source<R>) -> io::Result<Beginning> {
    let length = MAGIC.len() as u64;
    let (mut first, mut last) = (Vec::new(), Vec::new());
    source.by_ref().take(length).read_to_end(&mut first)?;
    if first == MAGIC {
        return Ok(Beginning::Whole);
    }
    source.by_ref().take(foreign::LONGEST_BEGINNING - length).read_to_end(&mut first)?;
    source.seek(source.length.saturating_sub(length))?;
    source.by_ref().take(length).read_to_end(&mut last)?;
    let right = first.iter().zip(&MAGIC).filter(|(byte, expected)| byte == expected).count();
    let is_ours = source.length > 2 * length && (last == MAGIC || right >= MAGIC.len() - 2);
    Ok(if is_ours { Beginning::Damaged } else { Beginning::Foreign(foreign::describe(&first)) })
}
