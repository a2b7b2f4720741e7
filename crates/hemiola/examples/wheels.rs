//! A cart whose motors are commanded over a bus, here a file with a line for each command. However
//! its program ends, the last line is a stop:
//! `cargo run -p hemiola --example wheels -- run`, then Ctrl-C, and `tail -1 wheels.bus`.
#![allow(missing_docs, reason = "an example explains itself")]
use std::fs::File;
use std::io::{self, Write};

use hemiola::prelude::*;

#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub metres_per_second: f32,
}

#[derive(Module)]
struct Pilot {}

#[module]
impl Pilot {
    #[update]
    fn drive(&self, clock: &Clock, drive: &mut Drive) {
        drive.metres_per_second = 0.4 + 0.1 * clock.now().seconds().sin() as f32;
    }
}

#[derive(Parameters)]
struct MotorParameters {
    /// The file that stands for a bus.
    #[parameter(default = "wheels.bus".to_owned())]
    bus: String,
}

#[derive(Module)]
struct Motors {
    #[parameters]
    parameters: MotorParameters,
    #[stateless]
    bus: Option<File>,
}

// ANCHOR: motors
#[module]
impl Motors {
    #[update]
    fn send(&mut self, drive: &Drive) -> io::Result<()> {
        self.write(&format!("speed {:.3}", drive.metres_per_second))
    }

    /// Called when the robot enters its safe state and when it ends; no `send` comes after it.
    #[safe_state]
    fn stop(&mut self) -> io::Result<()> {
        self.write("stop")
    }

    fn write(&mut self, command: &str) -> io::Result<()> {
        if self.bus.is_none() {
            self.bus = Some(File::options().create(true).append(true).open(&self.parameters.bus)?);
        }
        self.bus.as_mut().map_or(Ok(()), |bus| writeln!(bus, "{command}"))
    }
}
// ANCHOR_END: motors

pub const ROBOT: &str = "
[cycle.motion]
rate = 100.0
deadline = '8 ms'
priority = 60
watchdog = '100 ms'

[safe_state]
within = '200 ms'
";

fn main() -> std::process::ExitCode {
    hemiola::Application::embedded(ROBOT).run()
}
