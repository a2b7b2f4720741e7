//! The names that a crate can have.

use std::path::Path;

use crate::error::CommandError;

/// Returns the name of the crate in a folder: the folder's.
pub fn of(folder: &Path) -> Result<String, CommandError> {
    let name = folder.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
        CommandError::Usage(format!("{} has no name for a crate: write, for example, new my-robot", folder.display()))
    })?;
    match problem(name) {
        Some(problem) => Err(CommandError::Usage(format!("a crate cannot be named `{name}`: {problem}"))),
        None => Ok(name.to_owned()),
    }
}

/// Returns what is wrong with a name.
fn problem(name: &str) -> Option<&'static str> {
    let is_allowed = |character: char| character.is_ascii_alphanumeric() || character == '-' || character == '_';
    let library = name.replace('-', "_");
    if !name.chars().all(is_allowed) {
        Some("a name has only letters (a to z), digits, - and _")
    } else if !name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        Some("a name begins with a letter")
    } else if name.len() > LONGEST {
        Some("a name has at most 64 characters")
    } else if KEYWORDS.contains(&library.as_str()) {
        Some("it is a keyword of Rust")
    } else if TAKEN.contains(&library.as_str()) {
        Some("Rust or cargo uses that name")
    } else if library == "hemiola" || library.starts_with("hemiola_") {
        Some("Hemiola's own crates have such names")
    } else {
        None
    }
}

/// The maximum length of names on crates.io.
const LONGEST: usize = 64;

/// The keywords of Rust 2024, reserved ones included.
const KEYWORDS: [&str; 51] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro", "match", "mod",
    "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true",
    "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Crates that every program has, and folders that cargo makes beside a program.
const TAKEN: [&str; 9] = ["alloc", "build", "core", "deps", "examples", "incremental", "proc_macro", "std", "test"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates_are_taken() {
        for name in ["cart", "my-robot", "Robot_7", "r"] {
            assert_eq!(of(Path::new("robots").join(name).as_path()).unwrap(), name);
        }
    }

    #[test]
    fn what_no_crate_can_be_called_is_refused_with_the_reason() {
        for (name, reason) in [
            ("my robot", "only"),
            ("räder", "only"),
            ("7up", "begins with a letter"),
            ("_cart", "begins with a letter"),
            ("-cart", "begins with a letter"),
            ("match", "keyword"),
            ("yield", "keyword"),
            ("proc-macro", "uses that name"),
            ("test", "uses that name"),
            ("hemiola", "Hemiola's own"),
            ("hemiola-bus", "Hemiola's own"),
        ] {
            let error = of(Path::new(name)).expect_err(name).to_string();
            assert!(error.contains(reason) && error.contains(name), "{error}");
        }
        assert!(of(Path::new(&"x".repeat(65))).unwrap_err().to_string().contains("at most"));
        for folder in ["..", "/", "robots/.."] {
            assert!(of(Path::new(folder)).unwrap_err().to_string().contains("new my-robot"));
        }
    }
}
