//! Commands that take over the whole terminal, on a terminal of their own.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::cart::Cart;

/// A terminal with a program on it.
struct Screen {
    /// The user's end of the terminal; `None` if it was closed.
    keyboard: Option<Arc<File>>,
    /// The terminal is held open, so that it stays as the program leaves it.
    terminal: File,
    shown: Arc<Mutex<String>>,
    program: Child,
}

const PATIENCE: Duration = Duration::from_secs(60);
const LEFT: &str = "\x1b[?1049l";

impl Screen {
    /// Starts `hemiola` on a new terminal, as the shell of a user would.
    fn start(folder: &Path, arguments: &[&str]) -> Self {
        // The programs of other tests must not hold it open.
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&keyboard).unwrap();
        unlockpt(&keyboard).unwrap();
        let size = Winsize { ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&keyboard, size).unwrap();
        let name = ptsname(&keyboard, Vec::new()).unwrap();
        let terminal = File::options().read(true).write(true).open(OsStr::from_bytes(name.as_bytes())).unwrap();
        let end = || OwnedFd::from(terminal.try_clone().unwrap());
        let program = Command::new("setsid")
            .args(["--ctty", env!("CARGO_BIN_EXE_hemiola")])
            .args(arguments)
            .env("XDG_RUNTIME_DIR", folder)
            .env("TERM", "xterm-256color")
            .stdin(end())
            .stdout(end())
            .stderr(end())
            .spawn()
            .expect("util-linux is there");
        let shown = Arc::<Mutex<String>>::default();
        let keyboard = Arc::new(File::from(keyboard));
        let (end, kept) = (Arc::downgrade(&keyboard), shown.clone());
        thread::spawn(move || while keep_shown(&end, &kept).is_some() {});
        Self { keyboard: Some(keyboard), terminal, shown, program }
    }

    fn keyboard(&self) -> &File {
        self.keyboard.as_ref().expect("the terminal is open")
    }

    fn press(&mut self, keys: &str) {
        self.keyboard().write_all(keys.as_bytes()).unwrap();
    }

    /// Closes the terminal, as the end of an ssh connection does.
    fn hang_up(&mut self) {
        self.keyboard = None;
    }

    /// Waits until that was drawn, and forgets what was drawn before.
    #[track_caller]
    fn shows(&self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut shown = self.shown.lock().unwrap();
            if let Some(at) = shown.find(text) {
                shown.drain(..at);
                return;
            }
            let is_late = Instant::now() >= deadline;
            let last: String = shown.chars().rev().take(400).collect::<Vec<_>>().into_iter().rev().collect();
            drop(shown);
            assert!(!is_late, "there is no {text:?}; last was drawn {last:?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn takes_keys(&self) -> bool {
        !tcgetattr(&self.terminal).unwrap().local_modes.intersects(LocalModes::ICANON | LocalModes::ECHO)
    }

    fn ends(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.program.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "it does not end");
            thread::sleep(Duration::from_millis(20));
        }
    }

    fn process(&self) -> Pid {
        Pid::from_child(&self.program)
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        _ = self.program.kill();
        _ = self.program.wait();
    }
}

/// Keeps what is drawn within a moment. Returns `None` when the terminal is closed.
fn keep_shown(end: &Weak<File>, kept: &Mutex<String>) -> Option<()> {
    let mut bytes = [0; 4096];
    let end = end.upgrade()?;
    let mut ready = [PollFd::new(&*end, PollFlags::IN)];
    // The terminal stays open no longer than this after it was closed.
    if poll(&mut ready, Some(&Timespec { tv_sec: 0, tv_nsec: 10_000_000 })).is_ok_and(|ready| ready > 0) {
        let length = (&*end).read(&mut bytes).ok().filter(|length| *length > 0)?;
        kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..length]));
    }
    Some(())
}

/// Starts a view of that robot, and waits for its first picture.
fn view(cart: &Cart, arguments: &[&str], first: &str) -> Screen {
    let screen = Screen::start(&cart.folder, arguments);
    screen.shows(first);
    assert!(screen.takes_keys());
    screen
}

#[test]
fn the_terminal_is_given_back_however_a_view_ends() {
    let mut cart = Cart::start();
    type End = fn(&mut Screen);
    let ends: [(&str, End); 3] = [
        ("q", |screen| screen.press("q")),
        ("Ctrl-C", |screen| screen.press("\x03")),
        ("SIGTERM", |screen| kill_process(screen.process(), Signal::TERM).unwrap()),
    ];
    for (how, end) in ends {
        for (arguments, first) in [(&["top"][..], "drive"), (&["plot", "Drive.step"], "Drive.step")] {
            let mut screen = view(&cart, arguments, first);
            end(&mut screen);
            screen.shows(LEFT);
            assert!(screen.ends().success(), "{how}, {arguments:?}");
            assert!(!screen.takes_keys(), "{how}, {arguments:?}");
        }
    }
    let mut screen = view(&cart, &["top"], "drive");
    cart.prints(&["stop"]);
    screen.shows(LEFT);
    screen.shows("cart has ended");
    assert!(screen.ends().success() && !screen.takes_keys());
    assert!(cart.ends());
}

#[test]
fn a_view_ends_with_its_terminal() {
    let cart = Cart::start();
    for (arguments, first) in [(&["top"][..], "drive"), (&["plot", "Drive.step"], "Drive.step")] {
        let mut screen = view(&cart, arguments, first);
        screen.hang_up();
        screen.ends();
    }
    // The robot does not mind.
    assert!(cart.json(&["show", "Drive.step"])["value"].is_u64());
}

#[test]
fn top_shows_another_tab_at_a_key_and_another_size() {
    let cart = Cart::start();
    let mut screen = view(&cart, &["top"], "drive");
    screen.press("2");
    screen.shows("Pilot.drive");
    screen.press("\x1b[C\x1b[C");
    screen.shows("Honk");
    screen.press("?");
    // Words are drawn one by one, where they were not there before.
    screen.shows("quit;");
    screen.press("x1");
    let size = Winsize { ws_row: 10, ws_col: 40, ws_xpixel: 0, ws_ypixel: 0 };
    tcsetwinsize(screen.keyboard(), size).unwrap();
    // The foot of the smaller view stands in its last row.
    screen.shows("\x1b[10;1H");
    screen.press("q");
    assert!(screen.ends().success());
}
