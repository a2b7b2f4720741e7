//! The receiving process, as seen by the sending one.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};

use crate::messages::{Assignment, end_with_the_first_panic};
use crate::system;

/// The receiving process. It is stopped when this is dropped.
pub struct Partner {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Partner {
    /// Starts the receiving process, with this standard input. From now on, this process keeps to
    /// the first core that it may use; to be called before any other thread is made.
    ///
    /// # Panics
    /// If it cannot be started.
    pub fn start(input: impl Into<Stdio>) -> Self {
        let program = std::env::current_exe().expect("the path of this program");
        let mut command = Command::new(program);
        command.args(std::env::args_os().skip(1)).args(["--receives", "1"]);
        let mut child = command.stdin(input).stdout(Stdio::piped()).spawn().expect("a second process");
        let output = child.stdout.take().expect("it is piped");
        // The partner has inherited all cores by now.
        system::keep_to_core(0);
        Self { child, lines: BufReader::new(output).lines() }
    }

    /// Reads the next line of the partner's output, which must begin with a word, and returns the
    /// rest of it.
    ///
    /// # Panics
    /// If it ends instead, or prints something else.
    pub fn hear(&mut self, word: &str) -> String {
        let line = self.lines.next().and_then(Result::ok).unwrap_or_else(|| panic!("{word}: the partner has ended"));
        let rest = line.strip_prefix(word).unwrap_or_else(|| panic!("{word}: the partner prints `{line:.80}`"));
        rest.trim_start().to_owned()
    }

    /// Waits until the partner ends, and returns what it prints until then.
    ///
    /// # Panics
    /// If it ends with an error.
    pub(super) fn finish(mut self) -> Vec<String> {
        let lines = self.lines.by_ref().map_while(Result::ok).collect();
        let status = self.child.wait().expect("its status");
        assert!(status.success(), "the partner has ended: {status}");
        lines
    }
}

impl Drop for Partner {
    fn drop(&mut self) {
        // Both calls fail only if the process has ended meanwhile.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Makes this process the receiving one: it keeps to its core, and ends with the process that has
/// started it, or when any thread panics. To be called before any other thread is made.
///
/// # Panics
/// If a number is missing in the assignment.
pub fn join(assignment: &Assignment) {
    end_with_the_first_panic();
    system::end_with_parent();
    system::keep_to_core(assignment.number("cores") as usize - 1);
}
