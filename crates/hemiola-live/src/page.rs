//! The page. Its files are part of the program, or are read from a folder during development.

mod shrink;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::door::head::{RequestHead, answer, answer_text};

/// A file of the page.
struct File {
    name: &'static str,
    content: &'static [u8],
}

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(File { name: $name, content: include_bytes!(concat!("../page/", $name)) }),*]
    };
}

/// All files that are served; a test compares them with the folder.
const FILES: &[File] = files![
    "app.js",
    "bars.js",
    "blocking.js",
    "captions.js",
    "cdr.js",
    "chart.js",
    "dom.js",
    "drawings.js",
    "event-store.js",
    "field.js",
    "format.js",
    "gestures.js",
    "graph-layout.js",
    "graph-model.js",
    "graph.js",
    "icon.svg",
    "images.js",
    "index.html",
    "journal.js",
    "layout-model.js",
    "layout.js",
    "log.js",
    "menu.js",
    "overview.js",
    "parameters.js",
    "pixels.js",
    "places.js",
    "plots.js",
    "plottable.js",
    "recorder.js",
    "robot.js",
    "scene.js",
    "series.js",
    "solids.js",
    "statistics.js",
    "style.css",
    "subscriptions.js",
    "theme.js",
    "time-link.js",
    "timeline-names.js",
    "timeline-paint.js",
    "timeline.js",
    "timing-bar.js",
    "transport.js",
    "value-tree.js",
    "values.js",
    "view.js",
    "views.css",
];

/// Serves the page.
pub struct Page {
    folder: Option<PathBuf>,
}

impl From<Option<PathBuf>> for Page {
    fn from(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }
}

impl Page {
    /// Answers a request for a file.
    pub fn answer(&self, head: &RequestHead) -> Vec<u8> {
        let name = head.path.trim_start_matches('/');
        let name = if name.is_empty() { "index.html" } else { name };
        let not_found = || answer_text("404 Not Found", "file not found");
        let Some((index, file)) = FILES.iter().enumerate().find(|(_, file)| file.name == name) else {
            return not_found();
        };
        let kind = [("Content-Type", content_type(name))];
        if let Some(folder) = &self.folder {
            let Ok(content) = std::fs::read(folder.join(file.name)) else { return not_found() };
            return answer("200 OK", &[kind[0], ("Cache-Control", "no-store")], &content);
        }
        let packed = &compressed()[index];
        let fresh = [("Cache-Control", "no-cache"), ("ETag", packed.tag.as_str()), ("Vary", "Accept-Encoding")];
        if head.known.as_deref() == Some(packed.tag.as_str()) {
            return answer("304 Not Modified", &fresh, b"");
        }
        let headers: Vec<_> = kind.into_iter().chain(fresh).collect();
        if head.takes_gzip {
            let headers: Vec<_> = headers.into_iter().chain([("Content-Encoding", "gzip")]).collect();
            return answer("200 OK", &headers, &packed.gzip);
        }
        answer("200 OK", &headers, &packed.content)
    }
}

/// A file in the forms in which it is sent.
struct Packed {
    content: Vec<u8>,
    gzip: Vec<u8>,
    tag: String,
}

/// Returns all files, which are compressed when the first one is requested.
fn compressed() -> &'static [Packed] {
    static PACKED: OnceLock<Vec<Packed>> = OnceLock::new();
    PACKED.get_or_init(|| {
        let scripts = FILES.iter().filter(|file| content_type(file.name) == JAVASCRIPT);
        let sources: Vec<_> = scripts.filter_map(|file| std::str::from_utf8(file.content).ok()).collect();
        let shared = shrink::shared(&sources);
        FILES.iter().map(|file| pack(for_browsers(file, &shared))).collect()
    })
}

/// Returns a file in the form for browsers.
fn for_browsers(file: &File, shared: &shrink::Shared) -> Vec<u8> {
    match (std::str::from_utf8(file.content), content_type(file.name)) {
        (Ok(source), JAVASCRIPT) => shrink::script_of(source, shared).into_bytes(),
        (Ok(source), CSS) => shrink::styles(source).into_bytes(),
        _ => file.content.to_vec(),
    }
}

fn pack(content: Vec<u8>) -> Packed {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing into a vector does not fail.
    let gzip = encoder.write_all(&content).and_then(|()| encoder.finish()).unwrap_or_default();
    // The end of a gzip stream is the checksum and the length of the content.
    let tag: String = gzip.iter().rev().take(8).map(|byte| format!("{byte:02x}")).collect();
    Packed { content, gzip, tag: format!("\"{tag}\"") }
}

const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";

fn content_type(name: &str) -> &'static str {
    match Path::new(name).extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => JAVASCRIPT,
        Some("css") => CSS,
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files of the folder that are not served, but serve development.
    const NOT_SERVED: &[&str] = &["tsconfig.json", "package.json", "README.md"];

    #[test]
    fn every_file_of_the_folder_is_served_and_all_together_are_small() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("page");
        let mut there = Vec::new();
        let mut folders = vec![folder.clone()];
        while let Some(next) = folders.pop() {
            for entry in std::fs::read_dir(next).unwrap().map(Result::unwrap) {
                let name = entry.path().strip_prefix(&folder).unwrap().to_str().unwrap().to_owned();
                if entry.path().is_dir() {
                    if name != "tests" && name != "node_modules" {
                        folders.push(entry.path());
                    }
                } else if !NOT_SERVED.contains(&name.as_str()) {
                    there.push(name);
                }
            }
        }
        there.sort();
        let mut served: Vec<_> = FILES.iter().map(|file| file.name.to_owned()).collect();
        served.sort();
        assert_eq!(served, there);
        let bytes: usize = compressed().iter().map(|packed| packed.content.len()).sum();
        println!("{bytes} bytes");
        assert!(bytes <= 220_000, "the page has {bytes} bytes, but at most 220,000 are allowed");
    }

    #[test]
    fn node_reads_what_browsers_get() {
        let folder = std::env::temp_dir().join(format!("hemiola-page-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (file, packed) in FILES.iter().zip(compressed()).filter(|(file, _)| file.name.ends_with(".js")) {
            let path = folder.join(file.name).with_extension("mjs");
            std::fs::write(&path, &packed.content).unwrap();
            let Ok(output) = std::process::Command::new("node").arg("--check").arg(&path).output() else {
                eprintln!("SKIPPED: `node` is not available to check the page's scripts");
                break;
            };
            assert!(output.status.success(), "{}: {}", file.name, String::from_utf8_lossy(&output.stderr));
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_path_leads_out_of_the_page() {
        let page = Page::from(Some(PathBuf::from("/")));
        for path in ["/../etc/passwd", "/etc/passwd", "//etc/passwd", "/index.html/../../etc/passwd"] {
            let head = RequestHead { path: path.to_owned(), ..RequestHead::default() };
            assert!(page.answer(&head).starts_with(b"HTTP/1.1 404"), "{path}");
        }
    }
}
