//! What people are told beside what is printed.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes a line where errors go. Where nobody reads it, that is no reason to end.
pub fn tell(line: impl Display) {
    _ = writeln!(io::stderr(), "{line}");
}
