//! The whole terminal, redrawn for each frame.

use std::io::{self, IsTerminal, Stdin, Stdout};
use std::thread;
use std::time::Duration;

use ratatui::Frame;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::Terminal;

/// The terminal while a view holds it. It is released when this is dropped, at a panic, and when
/// the program ends by a signal.
pub struct Screen {
    drawn: ratatui::Terminal<CrosstermBackend<Stdout>>,
    terminal: Terminal,
    keys: Keys,
}

/// The keyboard of a screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    /// The standard input is a terminal.
    Here,
    /// The standard input is something else.
    None,
    /// The terminal was closed.
    Gone,
}

/// A key as it was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    Character(char),
    Enter,
    Escape,
    NextTab,
    PreviousTab,
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    First,
    Last,
    /// Ctrl-L: everything is to be redrawn.
    Redraw,
}

impl Screen {
    /// Takes over the terminal.
    ///
    /// # Errors
    /// Returns an error if the terminal cannot be drawn on.
    pub fn open(terminal: &Terminal) -> io::Result<Self> {
        restore_at_panics(terminal);
        terminal.take()?;
        let drawn = ratatui::Terminal::new(CrosstermBackend::new(io::stdout())).inspect_err(|_| terminal.restore())?;
        let keys = if io::stdin().is_terminal() { Keys::Here } else { Keys::None };
        Ok(Self { drawn, terminal: terminal.clone(), keys })
    }

    /// Returns whether the terminal was closed, which is noticed while keys are awaited.
    pub fn is_gone(&self) -> bool {
        self.keys == Keys::Gone
    }

    /// Draws a frame. Errors of a terminal that is gone are ignored.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame<'_>)) {
        _ = self.drawn.draw(draw);
    }

    /// Returns what can be read when a key is pressed or the terminal closes, if keys are awaited.
    pub fn input(&self) -> Option<Stdin> {
        (self.keys == Keys::Here).then(io::stdin)
    }

    /// Returns the next key that was pressed. Never waits. The terminal is not left to crossterm
    /// alone, which would read one that closes meanwhile for ever.
    pub fn key(&mut self) -> Option<Key> {
        let stdin = self.input()?;
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        _ = poll(&mut ready, Some(&Timespec::default()));
        if ready[0].revents().intersects(PollFlags::HUP | PollFlags::ERR) {
            self.keys = Keys::Gone;
            return None;
        }
        match event::poll(Duration::ZERO) {
            Ok(true) => match event::read() {
                Ok(Event::Key(key)) if key.kind != KeyEventKind::Release => self.pressed(key),
                _ => None,
            },
            _ => None,
        }
    }

    fn pressed(&mut self, key: KeyEvent) -> Option<Key> {
        if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) {
            if key.code == KeyCode::Char('l') {
                _ = self.drawn.clear();
                return Some(Key::Redraw);
            }
            return None;
        }
        Some(match key.code {
            KeyCode::Char(character) => Key::Character(character),
            KeyCode::Enter => Key::Enter,
            KeyCode::Esc => Key::Escape,
            KeyCode::Tab => Key::NextTab,
            KeyCode::BackTab => Key::PreviousTab,
            KeyCode::Up => Key::Up,
            KeyCode::Down => Key::Down,
            KeyCode::Left => Key::Left,
            KeyCode::Right => Key::Right,
            KeyCode::PageUp => Key::PageUp,
            KeyCode::PageDown => Key::PageDown,
            KeyCode::Home => Key::First,
            KeyCode::End => Key::Last,
            _ => return None,
        })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        self.terminal.restore();
    }
}

/// Restores the terminal at a panic, so that its message can be read afterwards.
fn restore_at_panics(terminal: &Terminal) {
    let (terminal, viewer, before) = (terminal.clone(), thread::current().id(), std::panic::take_hook());
    std::panic::set_hook(Box::new(move |panic| {
        // Panics of a robot's modules are contained, and the view continues.
        if thread::current().id() == viewer {
            terminal.restore();
        }
        before(panic);
    }));
}
