//! Commands of other programs: printed in the syntax of a shell, or run.

use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use crate::error::CommandError;
use crate::shell::quoted;

/// A command of another program.
pub struct Step {
    program: &'static str,
    arguments: Vec<String>,
    folder: Option<PathBuf>,
    variables: Vec<(String, String)>,
    input: Option<String>,
}

/// The result of a command that has ended.
#[derive(Debug)]
pub struct Ended {
    /// The exit code of the command; `None` if a signal has ended it.
    pub code: Option<i32>,
    /// The standard output.
    pub printed: String,
    /// The standard error output.
    pub said: String,
}

impl Step {
    pub fn new(program: &'static str) -> Self {
        Self { program, arguments: Vec::new(), folder: None, variables: Vec::new(), input: None }
    }

    pub fn with(mut self, arguments: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Makes the command run in a folder.
    pub fn within(self, folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), ..self }
    }

    /// Makes the command run with environment variables.
    pub fn under(self, variables: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { variables: variables.into_iter().collect(), ..self }
    }

    /// Makes the command read a text from its standard input.
    pub fn reading(self, input: String) -> Self {
        Self { input: Some(input), ..self }
    }

    /// Runs the command, and returns its output.
    pub fn run(&self) -> Result<Ended, CommandError> {
        let mut child = self
            .command()
            .stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.refused(&error))?;
        let (stdin, input) = (child.stdin.take(), self.input.clone().unwrap_or_default());
        // A command that ends early does not read it, which its exit code shows.
        let write = move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes()));
        let writing = thread::spawn(write);
        let output = child.wait_with_output().map_err(|error| self.refused(&error))?;
        _ = writing.join();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Ended { code: output.status.code(), printed: text(output.stdout), said: text(output.stderr) })
    }

    /// Runs the command on this terminal, and returns whether it succeeded.
    pub fn show(&self) -> Result<bool, CommandError> {
        self.command().status().map(|status| status.success()).map_err(|error| self.refused(&error))
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.args(&self.arguments).envs(self.variables.iter().cloned());
        self.folder.iter().for_each(|folder| _ = command.current_dir(folder));
        command
    }

    fn refused(&self, error: &io::Error) -> CommandError {
        let program = self.program;
        let remedy = match error.kind() {
            io::ErrorKind::NotFound => format!("install it here: Debian and Ubuntu have it in `{}`", package(program)),
            _ => format!("see the output of `{program} --version`"),
        };
        CommandError::Deploy { what: format!("`{program}` cannot be run here: {error}"), said: String::new(), remedy }
    }
}

/// Returns the Debian package of a program.
fn package(program: &str) -> &str {
    match program {
        "ssh" => "openssh-client",
        program => program,
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(folder) = &self.folder {
            write!(formatter, "cd {} && ", quoted(&folder.display().to_string()))?;
        }
        for (name, value) in &self.variables {
            write!(formatter, "{name}={} ", quoted(value))?;
        }
        formatter.write_str(self.program)?;
        self.arguments.iter().try_for_each(|argument| write!(formatter, " {}", quoted(argument)))?;
        match &self.input {
            Some(input) => write!(formatter, " <<'END'\n{input}END"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_printed_as_a_shell_takes_it() {
        let step =
            Step::new("ssh").with(["nao", "cat > 'my file'"]).reading("[Unit]\n".into()).within(Path::new("/a b"));
        assert_eq!(step.to_string(), "cd '/a b' && ssh nao 'cat > '\\''my file'\\''' <<'END'\n[Unit]\nEND");
    }

    #[test]
    fn what_it_prints_says_and_ends_with_is_kept() {
        let step = Step::new("sh").with(["-c", "cat; echo no >&2; exit 3"]).reading("yes\n".into());
        let ended = step.run().unwrap();
        assert_eq!((ended.code, ended.printed.as_str(), ended.said.as_str()), (Some(3), "yes\n", "no\n"));
    }

    #[test]
    fn a_program_that_is_not_there_is_named_with_its_package() {
        let error = Step::new("hemiola-has-no-such-program").run().unwrap_err().to_string();
        assert!(error.starts_with("error: `hemiola-has-no-such-program` cannot be run here"), "{error}");
        assert!(error.contains("remedy: install it here"), "{error}");
    }
}
