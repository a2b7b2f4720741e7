//! Pictures of the live page: a Chromium without a window, driven by its DevTools protocol.

mod base64;
mod error;

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::protocol::WebSocketConfig;
use tungstenite::{Message, WebSocket};

pub use error::BrowserError;

/// The names under which the browser may be installed.
const NAMES: [&str; 5] = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome"];
/// The time within which the browser must start, answer, and show the page.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(50);
/// The largest message from the browser: a picture of a very large window.
const LARGEST_MESSAGE: usize = 256 << 20;

/// The size and colours with which the page is shown.
///
/// ```
/// use hemiola_live::Window;
///
/// let narrow = Window { width: 390, height: 844, ..Window::default() };
/// assert!(!narrow.is_light);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// True for the page's light colours.
    pub is_light: bool,
}

impl Default for Window {
    fn default() -> Self {
        Self { width: 1280, height: 720, is_light: false }
    }
}

/// A browser that shows the page, of which pictures can be taken. It ends when this is dropped.
///
/// ```no_run
/// use hemiola_live::{Browser, Window};
///
/// let mut browser = Browser::start(None, &Window::default())?;
/// browser.open("http://127.0.0.1:8765/")?;
/// std::fs::write("page.png", browser.picture()?)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Browser {
    process: Process,
    socket: WebSocket<TcpStream>,
    /// The tab of the page; empty before there is one.
    session: String,
    last_request: u64,
}

impl Browser {
    /// Starts this program, or the Chromium or Chrome that is in the `PATH`.
    ///
    /// # Errors
    /// Returns an error if there is no such program, or it does not start.
    pub fn start(program: Option<&Path>, window: &Window) -> Result<Self, BrowserError> {
        let program = match program {
            Some(program) => program.to_owned(),
            None => installed().ok_or(BrowserError::Missing)?,
        };
        let process = Process::start(&program, window)?;
        let address = process.address()?;
        let config =
            WebSocketConfig::default().max_message_size(Some(LARGEST_MESSAGE)).max_frame_size(Some(LARGEST_MESSAGE));
        let connect = || {
            let stream = TcpStream::connect(("127.0.0.1", address.0)).map_err(tungstenite::Error::Io)?;
            stream.set_read_timeout(Some(PATIENCE)).map_err(tungstenite::Error::Io)?;
            let url = format!("ws://127.0.0.1:{}{}", address.0, address.1);
            tungstenite::client::client_with_config(url, stream, Some(config)).map_err(|error| match error {
                tungstenite::HandshakeError::Failure(error) => error,
                tungstenite::HandshakeError::Interrupted(_) => {
                    tungstenite::Error::Io(std::io::ErrorKind::TimedOut.into())
                }
            })
        };
        let (socket, _) = connect().map_err(|error| BrowserError::Lost { reason: error.to_string() })?;
        let mut browser = Self { process, socket, session: String::new(), last_request: 0 };
        let tab = browser.ask("Target.createTarget", json!({"url": "about:blank"}))?;
        let attached = browser.ask("Target.attachToTarget", json!({"targetId": tab["targetId"], "flatten": true}))?;
        browser.session = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        let size = json!({"width": window.width, "height": window.height, "deviceScaleFactor": 1, "mobile": false});
        browser.ask("Emulation.setDeviceMetricsOverride", size)?;
        let colours = if window.is_light { "light" } else { "dark" };
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": colours}]});
        browser.ask("Emulation.setEmulatedMedia", media)?;
        Ok(browser)
    }

    /// Opens an address of the live page, and waits until the page is connected to its robot or
    /// log.
    ///
    /// # Errors
    /// Returns an error if that is not a live page, or it is not connected in time.
    pub fn open(&mut self, url: &str) -> Result<(), BrowserError> {
        let opened = self.ask("Page.navigate", json!({"url": url}))?;
        if let Some(reason) = opened["errorText"].as_str() {
            return Err(BrowserError::Page { url: url.to_owned(), reason: reason.to_owned() });
        }
        let end = Instant::now() + PATIENCE;
        let is_connected = "document.querySelector('#top .state.connected') !== null && document.querySelector('section.view') !== null";
        while self.evaluate(is_connected)? != json!(true) {
            if Instant::now() > end {
                let reason = "it shows no connected robot".to_owned();
                return Err(BrowserError::Page { url: url.to_owned(), reason });
            }
            thread::sleep(PAUSE);
        }
        Ok(())
    }

    /// Shows these views beside each other, in place of what the page shows.
    ///
    /// # Errors
    /// Returns an error if the browser does not answer.
    pub fn show(&mut self, views: &[String]) -> Result<(), BrowserError> {
        let tabs = |view: &String| json!({"tabs": [{"view": view, "settings": {}}], "active": 0});
        let layout = match views {
            [only] => tabs(only),
            _ => {
                json!({"split": "row", "sizes": vec![1; views.len()], "children": views.iter().map(tabs).collect::<Vec<_>>()})
            }
        };
        let layout = base64::encode_for_addresses(layout.to_string().as_bytes());
        self.evaluate(&format!("location.hash = 'l={layout}'; true"))?;
        Ok(())
    }

    /// Presses a key on the page, as `KeyboardEvent.key` names it.
    ///
    /// # Errors
    /// Returns an error if the browser does not answer.
    pub fn press(&mut self, key: &str, with_shift: Shift) -> Result<(), BrowserError> {
        let event = json!({"key": key, "shiftKey": with_shift == Shift::Held, "bubbles": true, "cancelable": true});
        self.evaluate(&format!("document.body.dispatchEvent(new KeyboardEvent('keydown', {event})); true"))?;
        Ok(())
    }

    /// Returns what the page shows now, as PNG.
    ///
    /// # Errors
    /// Returns an error if the browser does not answer.
    pub fn picture(&mut self) -> Result<Vec<u8>, BrowserError> {
        let answer = self.ask("Page.captureScreenshot", json!({"format": "png"}))?;
        let picture = answer["data"].as_str().and_then(base64::decode);
        picture.ok_or_else(|| BrowserError::Lost { reason: "its picture is damaged".to_owned() })
    }

    fn evaluate(&mut self, script: &str) -> Result<Value, BrowserError> {
        let mut answer = self.ask("Runtime.evaluate", json!({"expression": script, "returnByValue": true}))?;
        Ok(answer["result"]["value"].take())
    }

    /// Sends a request, and returns its result. Events are not needed here.
    fn ask(&mut self, method: &str, values: Value) -> Result<Value, BrowserError> {
        self.last_request += 1;
        let mut request = json!({"id": self.last_request, "method": method, "params": values});
        if !self.session.is_empty() {
            request["sessionId"] = self.session.as_str().into();
        }
        let lost = |error: tungstenite::Error| BrowserError::Lost { reason: error.to_string() };
        self.socket.send(Message::text(request.to_string())).map_err(lost)?;
        loop {
            let Message::Text(text) = self.socket.read().map_err(lost)? else { continue };
            let mut answer: Value = serde_json::from_str(&text)
                .map_err(|error| BrowserError::Lost { reason: format!("what it sends is no JSON: {error}") })?;
            if answer["id"] == self.last_request {
                return match answer["error"]["message"].as_str() {
                    Some(reason) => Err(BrowserError::Refused { method: method.to_owned(), reason: reason.to_owned() }),
                    None => Ok(answer["result"].take()),
                };
            }
        }
    }
}

/// The state of the shift key while another key is pressed.
///
/// See [`Browser::press`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shift {
    /// The key is held.
    Held,
    /// The key is not held.
    Free,
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It ends by itself, with all its processes; otherwise it is killed.
        _ = self.ask("Browser.close", json!({}));
        self.process.wait();
    }
}

/// The browser's process, with a folder of its own for what it keeps.
struct Process {
    program: PathBuf,
    child: Child,
    folder: PathBuf,
}

impl Process {
    fn start(program: &Path, window: &Window) -> Result<Self, BrowserError> {
        let failed = |error| BrowserError::Start { program: program.to_owned(), error };
        let folder = fresh_folder().map_err(failed)?;
        let mut command = Command::new(program);
        command
            .args(["--headless", "--remote-debugging-port=0", "--no-first-run", "--hide-scrollbars", "--disable-gpu"])
            .args(["--disable-dev-shm-usage", "--force-device-scale-factor=1"])
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg(format!("--window-size={},{}", window.width, window.height));
        if rustix::process::geteuid().is_root() {
            // As root, Chromium's sandbox cannot be set up.
            command.arg("--no-sandbox");
        }
        let child = command.arg("about:blank").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let child = child.map_err(|error| {
            _ = fs::remove_dir_all(&folder);
            failed(error)
        })?;
        Ok(Self { program: program.to_owned(), child, folder })
    }

    /// Waits until the browser has written down the port and the path of its protocol.
    fn address(&self) -> Result<(u16, String), BrowserError> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let written = fs::read_to_string(self.folder.join("DevToolsActivePort")).unwrap_or_default();
            let mut lines = written.lines();
            if let (Some(Ok(port)), Some(path)) = (lines.next().map(str::parse), lines.next()) {
                return Ok((port, path.to_owned()));
            }
            thread::sleep(PAUSE);
        }
        Err(BrowserError::Silent { program: self.program.clone(), seconds: PATIENCE.as_secs() })
    }

    /// Waits a while for the end.
    fn wait(&mut self) {
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail if it has ended.
        _ = self.child.kill();
        _ = self.child.wait();
        _ = fs::remove_dir_all(&self.folder);
    }
}

/// Creates a folder that only this user can read.
fn fresh_folder() -> std::io::Result<PathBuf> {
    use std::os::unix::fs::DirBuilderExt;
    let mut number = 0;
    loop {
        let folder = std::env::temp_dir().join(format!("hemiola-browser-{}-{number}", std::process::id()));
        match fs::DirBuilder::new().mode(0o700).create(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            created => return created.map(|()| folder),
        }
    }
}

/// Returns the first browser in the `PATH`.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES.iter().find_map(|name| folders.iter().map(|folder| folder.join(name)).find(|program| program.is_file()))
}
