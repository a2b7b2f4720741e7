//! Notes and warnings on the standard error output.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line to the standard error output. That nobody reads it is no reason to end.
pub fn tell(line: impl Display) {
    _ = writeln!(io::stderr(), "{line}");
}
