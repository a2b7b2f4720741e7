//! Tests of what each program in `src/bin` must do.
#![forbid(unsafe_code)]

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;

/// The exit code and the output of a program that has ended.
struct Ending {
    code: Option<i32>,
    text: String,
}

impl Ending {
    /// Asserts that the program ended well, and that no thread saw a value that it must not see.
    fn is_well(&self) -> &Self {
        assert_eq!(self.code, Some(0), "{}", self.text);
        self.is_sound()
    }

    /// Asserts that the program was refused before anything ran, for these reasons.
    fn is_refused(&self, reasons: &[&str]) {
        assert!(self.code.is_some_and(|code| code != 0), "it ended with {:?}: {}", self.code, self.text);
        assert!(!self.text.contains("read after it was freed"), "it ran: {}", self.text);
        self.is_sound().says(reasons);
    }

    /// Asserts that the program ended as a robot may: not by a signal, a sanitizer's report or a
    /// panic of `main`.
    fn is_sound(&self) -> &Self {
        for word in ["AddressSanitizer", "a value changed while it was read", "thread 'main'", "overflowed its stack"] {
            assert!(!self.text.contains(word), "{}", self.text);
        }
        assert!(self.code.is_some(), "it was ended by a signal: {}", self.text);
        self
    }

    fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.text.contains(word), "`{word}` is not in: {}", self.text);
        }
    }
}

/// The text that a program prints when what was to be shown has happened and its robot still runs.
const HAS_GONE_ON: &str = "the others have gone on";

/// Runs a program for a duration on its robot's clock.
fn run(program: &str, duration: &str) -> Ending {
    run_with(program, duration, "")
}

fn run_with(program: &str, duration: &str, fault: &str) -> Ending {
    end(start(program, duration, fault), |_, _| ())
}

/// Runs a program until it has gone on, however long that takes here, and interrupts it then as
/// Ctrl-C does.
fn run_until_it_has_gone_on(program: &str) -> Ending {
    let ending = end(start(program, "100s", ""), |process, line| {
        if line.contains(HAS_GONE_ON) {
            let interrupted = Command::new("kill").args(["-INT", &process.to_string()]).status();
            assert!(interrupted.is_ok_and(|status| status.success()), "`kill` is there, and so is the program");
        }
    });
    ending.says(&[HAS_GONE_ON]);
    ending
}

/// Starts a program that is ended if it takes two minutes, or one minute after it was interrupted
/// (`timeout` counts from the first signal that it passes on).
fn start(program: &str, duration: &str, fault: &str) -> Child {
    Command::new("timeout")
        .args(["--kill-after=60", "120", program, "run", "--headless", "--no-trace", "--duration", duration])
        .env("FAULT", fault)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("`timeout` of coreutils is there")
}

/// Shows each line of a program's standard output with the ID of its process, and waits for its
/// end.
fn end(mut program: Child, mut see: impl FnMut(u32, &str)) -> Ending {
    let output = program.stdout.take().expect("it is a pipe");
    let mut errors = program.stderr.take().expect("it is a pipe");
    let errors = thread::spawn(move || {
        let mut bytes = Vec::new();
        _ = errors.read_to_end(&mut bytes);
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let mut text = String::new();
    for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line);
        see(program.id(), &line);
        text = text + &line + "\n";
    }
    text += &errors.join().expect("nothing in it panics");
    let status = program.wait().expect("it is a child of this process");
    assert_ne!(status.code(), Some(124), "it hangs: {text}");
    Ending { code: status.code(), text }
}

#[test]
fn a_reader_sees_no_value_that_is_being_written_whatever_is_switched() {
    run(env!("CARGO_BIN_EXE_switch"), "2s").is_well();
}

#[test]
fn a_reader_sees_no_value_that_is_being_written_when_the_writers_cycle_comes_first() {
    run(env!("CARGO_BIN_EXE_switch_reordered"), "2s").is_well();
}

#[test]
fn cycles_in_a_ring_see_whole_values_while_providers_are_switched_and_values_overridden() {
    run(env!("CARGO_BIN_EXE_ring"), "3s").is_well();
}

#[test]
fn a_representation_with_two_names_is_not_filled_twice_by_an_update() {
    run(env!("CARGO_BIN_EXE_aliases"), "1s").is_refused(&["Numbers", "Twice", "first", "second", "aliases.rs"]);
}

#[test]
fn an_associated_type_is_the_representation_that_it_stands_for() {
    run(env!("CARGO_BIN_EXE_associated"), "1s").is_refused(&["Numbers", "Twice", "first", "second", "associated.rs"]);
}

#[test]
fn an_update_does_not_read_what_it_fills_under_another_name() {
    run(env!("CARGO_BIN_EXE_reexported"), "1s").is_refused(&["Numbers", "ReadsItself", "reexported.rs"]);
}

#[test]
fn a_representation_with_two_names_is_not_filled_twice_by_a_sample() {
    run(env!("CARGO_BIN_EXE_source_aliases"), "1s").is_refused(&[
        "Numbers",
        "Twice",
        "first",
        "second",
        "source_aliases.rs",
    ]);
}

#[test]
fn payloads_that_panic_when_they_are_dropped_fail_their_update_only() {
    run_until_it_has_gone_on(env!("CARGO_BIN_EXE_payloads")).is_well().says(&["Thrower.broken"]);
}

#[test]
fn a_value_that_cannot_be_reset_fails_its_update_only() {
    run_until_it_has_gone_on(env!("CARGO_BIN_EXE_resets")).is_well().says(&["no default value"]);
}

#[test]
fn a_sample_that_cannot_be_reset_does_not_end_its_source() {
    run_until_it_has_gone_on(env!("CARGO_BIN_EXE_source_resets")).is_well().says(&["no default value"]);
}

#[test]
fn an_error_that_cannot_be_shown_is_reported_and_so_are_those_after_it() {
    run_until_it_has_gone_on(env!("CARGO_BIN_EXE_display")).is_well().says(&["Counter.count", "the second reason"]);
}

#[test]
fn a_value_may_be_looked_at_within_another() {
    run_until_it_has_gone_on(env!("CARGO_BIN_EXE_reentrant")).is_well().says(&["the sum is 3"]);
}

#[test]
fn a_constructor_that_panics_is_an_error_that_names_the_module() {
    let ending = run_with(env!("CARGO_BIN_EXE_lifetimes"), "1s", "create");
    ending.is_refused(&["Faulty", "no such device"]);
}

#[test]
fn a_destructor_that_panics_is_an_error_that_names_the_module() {
    let ending = run_with(env!("CARGO_BIN_EXE_lifetimes"), "1s", "drop");
    ending.is_refused(&["Faulty", "the device has gone"]);
}

#[test]
fn a_large_value_costs_no_thread_its_stack() {
    run_until_it_has_gone_on(env!("CARGO_BIN_EXE_large")).is_well();
}
