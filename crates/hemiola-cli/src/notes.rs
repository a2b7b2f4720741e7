//! Notes and warnings on the standard error output.

use std::fmt::Display;
use std::io::{self, Write};

/// Prints a line to the standard error output. A failure to write it is ignored.
pub fn tell(line: impl Display) {
    _ = writeln!(io::stderr(), "{line}");
}
