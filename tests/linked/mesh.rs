//! A robot whose modules read what all modules before them provide, wherever these are: a test
//! distributes them over cycles, and the cycles over processes.
#![allow(missing_docs, reason = "a robot of a test")]
#![forbid(unsafe_code)]
use std::collections::BTreeMap;

use hemiola::prelude::*;

/// A sample that may start cycles.
#[derive(Representation, Clone, Default)]
pub struct Beat {
    pub number: u64,
}

#[derive(Source)]
struct Drum {
    number: u64,
}

#[source]
impl Drum {
    #[sample(rate = 80.0)]
    fn beat(&mut self, beat: &mut Beat) {
        self.number += 1;
        beat.number = self.number;
    }
}

/// The run of the cycle in which something was provided.
#[derive(Data, Clone, Copy, Default)]
pub struct Mark {
    /// The cycle, by its number from 1 on; 0: nothing has been provided yet.
    pub cycle: u32,
    pub run: u64,
}

/// What a module has found in the values that it reads.
#[derive(Data, Clone, Default)]
pub struct Found {
    /// The number of runs in which something of another cycle was new.
    pub new: u32,
    /// The number of runs that have read values of different runs of one cycle.
    pub torn: u32,
}

#[derive(Parameters)]
pub struct MemberParameters {
    /// The number of the cycle.
    #[parameter(default = 1)]
    cycle: u32,
    /// The number of bytes that each of its values has.
    #[parameter(default = 0)]
    bytes: u32,
}

#[derive(Data, Clone, Default)]
struct Reader {
    last: BTreeMap<u32, u64>,
    found: Found,
}

impl Reader {
    fn read(&mut self, own: u32, marks: &[Mark]) -> Found {
        // At the beginning, some values have come and others have not.
        if marks.iter().all(|mark| mark.cycle > 0) {
            let seen: BTreeMap<_, _> = marks.iter().map(|mark| (mark.cycle, mark.run)).collect();
            let is_new = seen.iter().any(|(cycle, run)| *cycle != own && self.last.get(cycle) != Some(run));
            self.found.new += u32::from(is_new);
            self.found.torn += u32::from(marks.iter().any(|mark| seen[&mark.cycle] != mark.run));
            self.last = seen;
        }
        self.found.clone()
    }
}

/// Defines a module with the two representations that it provides, and those that it reads.
macro_rules! member {
    ($module:ident: $value:ident $twin:ident, $($name:ident: $read:ident),*) => {
        #[derive(Representation, Clone, Default)]
        pub struct $value {
            pub mark: Mark,
            pub found: Found,
            pub beat: u64,
            pub bytes: Vec<u8>,
        }

        #[derive(Representation, Clone, Default)]
        pub struct $twin {
            pub mark: Mark,
            pub bytes: Vec<u8>,
        }

        #[derive(Module)]
        struct $module {
            #[parameters]
            parameters: MemberParameters,
            reader: Reader,
        }

        #[module]
        impl $module {
            #[update]
            #[allow(clippy::too_many_arguments, reason = "it reads all that there is")]
            fn value(&mut self, clock: &Clock, beat: &Beat, $($name: &$read,)* value: &mut $value) {
                let MemberParameters { cycle, bytes } = self.parameters;
                value.mark = Mark { cycle, run: clock.run() };
                value.found = self.reader.read(cycle, &[$($name.mark),*]);
                value.beat = beat.number;
                value.bytes.resize(bytes as usize, clock.run() as u8);
            }

            #[update]
            fn twin(&self, clock: &Clock, twin: &mut $twin) {
                let MemberParameters { cycle, bytes } = self.parameters;
                twin.mark = Mark { cycle, run: clock.run() };
                twin.bytes.resize(bytes as usize, clock.run() as u8);
            }
        }
    };
}

member!(First: FirstValue FirstTwin, );
member!(Second: SecondValue SecondTwin, a: FirstValue, b: FirstTwin);
member!(Third: ThirdValue ThirdTwin, a: FirstValue, b: FirstTwin, c: SecondValue, d: SecondTwin);
member!(Fourth: FourthValue FourthTwin,
    a: FirstValue, b: FirstTwin, c: SecondValue, d: SecondTwin, e: ThirdValue, f: ThirdTwin);
member!(Fifth: FifthValue FifthTwin,
    a: FirstValue, b: FirstTwin, c: SecondValue, d: SecondTwin, e: ThirdValue, f: ThirdTwin,
    g: FourthValue, h: FourthTwin);

fn main() -> std::process::ExitCode {
    hemiola::Application::new("robot.toml").run()
}
