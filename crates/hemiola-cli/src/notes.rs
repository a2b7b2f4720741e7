//! Notes and warnings on the standard error output.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line to the standard error output. A failure to write it is ignored.
pub fn tell(line: impl Display) {
    _ = writeln!(io::stderr(), "{line}");
}

/// Reports how the configuration of a robot differs from that in a log, which is the purpose of
/// some replays and a surprise in others.
pub fn note_differences(differences: &[String]) {
    if !differences.is_empty() {
        tell("note: the configuration of this robot differs from the recorded one");
        differences.iter().take(MOST_DIFFERENCES).for_each(|difference| tell(format_args!("  {difference}")));
        if differences.len() > MOST_DIFFERENCES {
            tell(format_args!("  and {} more", differences.len() - MOST_DIFFERENCES));
        }
        tell("");
    }
}

/// The number of differences that are reported.
const MOST_DIFFERENCES: usize = 20;
