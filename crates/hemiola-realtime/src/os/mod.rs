//! All calls of the C library and the kernel, each function with a safe interface.
//!
//! `linux` has all of it. `portable` serves the other Unixes with what POSIX has, and returns
//! `Unsupported` for the rest.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(all(target_os = "linux", not(loom)))]
mod mapping;
#[cfg(all(target_os = "linux", not(loom)))]
pub(crate) use mapping::Mapping;

#[cfg(not(target_os = "linux"))]
mod portable;
#[cfg(not(target_os = "linux"))]
pub(crate) use portable::*;

use std::io;

/// Converts the result of a call that returns zero on success and sets `errno` otherwise.
fn check(status: impl Into<i64>) -> io::Result<()> {
    if status.into() == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
