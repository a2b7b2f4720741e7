//! Chromium with pages of a robot in it: `tests/foreign/measure_page.cjs` drives it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{BenchError, EntryError};
use crate::program::Program;

/// A browser that has been started, without a page.
pub struct Browser {
    program: Program,
    pub version: String,
}

const LABEL: &str = "Chromium";
/// The time within which a page loads, on a machine that does something else as well.
const PATIENCE: Duration = Duration::from_secs(60);

impl Browser {
    /// Starts a browser; the error says what is missing.
    pub fn start() -> Result<Self, BenchError> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let modules = root.join("target/foreign/node_modules");
        if !modules.join("puppeteer-core").exists() {
            let message =
                "install -D -t target/foreign tests/foreign/package.json && npm install --prefix target/foreign"
                    .to_owned();
            return Err(EntryError::Failed { label: LABEL, message }.into());
        }
        let mut command: Command = Program::command(&PathBuf::from("node"));
        command.env("NODE_PATH", modules).arg(root.join("tests/foreign/measure_page.cjs"));
        let mut browser = Self { program: Program::start(LABEL, command)?, version: String::new() };
        let ready = browser.hear(PATIENCE)?;
        ready["ready"].as_str().unwrap_or_default().clone_into(&mut browser.version);
        Ok(browser)
    }

    /// Opens pages, each with an arrangement of views, in place of those that are open.
    pub fn open(&mut self, url: &str, pages: &[Value]) -> Result<(), BenchError> {
        self.ask(&json!({"do": "open", "url": url, "pages": pages}), PATIENCE).map(drop)
    }

    /// Closes all pages.
    pub fn close(&mut self) -> Result<(), BenchError> {
        self.ask(&json!({"do": "close"}), PATIENCE).map(drop)
    }

    /// Runs a measurement in the page, which takes that long.
    pub fn measure<T: DeserializeOwned>(&mut self, what: &Value, takes: Duration) -> Result<T, BenchError> {
        let answer = self.ask(what, takes + PATIENCE)?;
        serde_json::from_value(answer).map_err(|error| failed(&error))
    }

    fn ask(&mut self, what: &Value, limit: Duration) -> Result<Value, BenchError> {
        self.program.say(&what.to_string())?;
        self.hear(limit)
    }

    /// Reads the script's next line of JSON. Other lines come from the browser, and are reported if
    /// nothing else comes.
    fn hear(&mut self, limit: Duration) -> Result<Value, BenchError> {
        self.program.hear(limit, |line| serde_json::from_str::<Value>(line).ok().filter(Value::is_object))
    }
}

fn failed(error: &serde_json::Error) -> BenchError {
    EntryError::Failed { label: LABEL, message: error.to_string() }.into()
}

/// Returns views side by side.
pub fn row(children: &[Value]) -> Value {
    split("row", children)
}

/// Returns views below each other.
pub fn column(children: &[Value]) -> Value {
    split("column", children)
}

/// Returns one view.
pub fn view(name: &str, settings: Value) -> Value {
    json!({"tabs": [{"view": name, "settings": settings}], "active": 0})
}

fn split(how: &str, children: &[Value]) -> Value {
    json!({"split": how, "sizes": vec![1; children.len()], "children": children})
}
