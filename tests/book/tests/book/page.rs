//! Pages of Markdown: their text with included files, code blocks, links and headings.

use std::fs;
use std::path::{Path, PathBuf};

/// A page, as its readers see it.
pub struct Page {
    pub path: PathBuf,
    /// The lines of the file itself.
    pub source: String,
    /// The text with all included files.
    pub text: String,
}

/// A fenced block of code.
pub struct Block {
    /// The number of the line on which it begins, from 1.
    pub line: usize,
    /// The word after the fence, such as `console`.
    pub language: String,
    /// The comment on the line above: `<!-- not run: it needs a robot -->`.
    pub remark: String,
    pub text: String,
}

/// Returns the folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the chapters of the book, and its summary.
pub fn book() -> Vec<Page> {
    pages(&root().join("docs/book/src"))
}

/// Returns all pages of the repository that people read.
pub fn all_pages() -> Vec<Page> {
    let root = root();
    let mut all = book();
    let folders = ["", "bench", "robots/nao", "robots/rover", "examples", "tests/logs"].map(|folder| root.join(folder));
    let examples = fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let examples = examples.filter(|path| path.is_dir());
    let crates = fs::read_dir(root.join("crates")).unwrap().map(|entry| entry.unwrap().path());
    all.extend(folders.into_iter().chain(crates).chain(examples).flat_map(|folder| pages(&folder)));
    all
}

/// Returns the pages in a folder.
pub fn pages(folder: &Path) -> Vec<Page> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<_> = entries.filter(|path| path.extension().is_some_and(|end| end == "md")).collect();
    paths.sort();
    paths.iter().map(|path| Page::read(path)).collect()
}

impl Page {
    pub fn read(path: &Path) -> Self {
        let source = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let folder = path.parent().unwrap();
        let text = source.lines().map(|line| match included(line) {
            Some(file) => fs::read_to_string(folder.join(file)).unwrap_or_default(),
            None => format!("{line}\n"),
        });
        Self { path: path.to_owned(), text: text.collect(), source }
    }

    pub fn name(&self) -> &str {
        self.path.file_name().unwrap().to_str().unwrap()
    }

    /// Returns whether it is a chapter of the book.
    pub fn is_chapter(&self) -> bool {
        self.path.starts_with(root().join("docs/book"))
    }

    /// Returns the path of the file in the repository, for messages.
    pub fn place(&self) -> String {
        self.path.strip_prefix(root()).unwrap_or(&self.path).display().to_string()
    }

    /// Returns the blocks of the file itself, without those of included files.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        let mut remark = String::new();
        for (index, line) in self.source.lines().enumerate() {
            let trimmed = line.trim();
            match (&mut open, trimmed.strip_prefix("```")) {
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (Some(block), None) => block.text += &format!("{line}\n"),
                (None, Some(language)) => {
                    let (language, remark) = (language.to_owned(), std::mem::take(&mut remark));
                    open = Some(Block { line: index + 1, language, remark, text: String::new() });
                }
                (None, None) => {
                    let comment = trimmed.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
                    remark = comment.unwrap_or_default().trim().to_owned();
                }
            }
        }
        assert!(open.is_none(), "{}: a block does not end", self.name());
        blocks
    }

    /// Returns the paragraphs without blocks, each split at its backticks: every second part is
    /// code.
    fn paragraphs(&self) -> Vec<Vec<String>> {
        let mut is_code = false;
        let mut prose = String::new();
        for line in self.text.lines() {
            let is_fence = line.trim_start().starts_with("```");
            is_code ^= is_fence;
            prose += if is_code || is_fence { "" } else { line };
            prose += "\n";
        }
        prose.split("\n\n").map(|paragraph| paragraph.split('`').map(str::to_owned).collect()).collect()
    }

    /// Returns the text without blocks and code.
    fn prose(&self) -> String {
        let texts = self.paragraphs().into_iter().map(|parts| {
            let parts: Vec<_> = parts.into_iter().step_by(2).collect();
            parts.join("code")
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }

    /// Returns the code within sentences and tables.
    pub fn code(&self) -> Vec<String> {
        let parts = self.paragraphs().into_iter().flat_map(|parts| parts.into_iter().skip(1).step_by(2));
        parts.map(|code| code.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    /// Returns the targets of its links and pictures.
    pub fn links(&self) -> Vec<String> {
        let prose = self.prose();
        let ends = prose.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        ends.map(|(link, _)| link.to_owned()).collect()
    }

    /// Returns the anchors of its headings, as mdBook and GitHub generate them.
    pub fn anchors(&self) -> Vec<String> {
        let mut is_code = false;
        let headings = self.text.lines().filter(|line| {
            is_code ^= line.trim_start().starts_with("```");
            !is_code && line.starts_with('#')
        });
        let anchor = |heading: &str| {
            let text = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = text.chars().filter(|&one| one.is_alphanumeric() || matches!(one, ' ' | '-' | '_'));
            kept.map(|one| if one == ' ' { '-' } else { one }).collect()
        };
        headings.map(anchor).collect()
    }
}

/// Returns the file that a line includes: `{{#include FILE}}`.
fn included(line: &str) -> Option<&str> {
    line.trim().strip_prefix("{{#include ")?.strip_suffix("}}")
}
