use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// The reason why there is no picture of the page.
///
/// ```
/// use hemiola_live::BrowserError;
///
/// assert!(BrowserError::Missing.to_string().contains("apt-get install chromium"));
/// ```
#[derive(Debug, Error)]
pub enum BrowserError {
    /// There is no browser.
    #[error(
        "there is no Chromium or Chrome in the PATH, which takes the pictures: install one (`apt-get install chromium`), \
         or name its program by --browser"
    )]
    Missing,
    /// The browser cannot be started.
    #[error("the browser {} cannot be started: {error}; name another one by --browser", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The browser has started, but is not ready.
    #[error("the browser {program} is not ready after {seconds} s; try `{program} --headless --dump-dom about:blank`", program = program.display())]
    Silent {
        /// The program.
        program: PathBuf,
        /// The time for which it was waited.
        seconds: u64,
    },
    /// The connection to the browser is lost.
    #[error("the browser no longer answers: {reason}; try again")]
    Lost {
        /// The reason.
        reason: String,
    },
    /// The browser refuses a request.
    #[error("the browser refuses `{method}`: {reason}; a newer Chromium may know it")]
    Refused {
        /// The request.
        method: String,
        /// The browser's words.
        reason: String,
    },
    /// The address shows no live page.
    #[error("{url} shows no live page: {reason}; give the address that a robot or `view` has printed")]
    Page {
        /// The address.
        url: String,
        /// A description of what it shows instead.
        reason: String,
    },
}
