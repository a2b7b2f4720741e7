//! Messages that were recorded with another version of their type.
#![forbid(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use hemiola::cdr::{self, MessageSchema};
use hemiola::data::Data;
use hemiola::prelude::*;
use hemiola_log::{Adapter, Definition, Entry, FieldChange, LogCompression, LogReader, LogWriter, Origin};

#[derive(Data, Clone, Debug, Default, PartialEq)]
struct OldBall {
    radius: f32,
    gone: Vec<String>,
    count: u8,
    seen: bool,
    place: OldPlace,
    trail: Vec<OldPlace>,
    text: String,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
struct OldPlace {
    x: f64,
    y: f64,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
struct Ball {
    place: Place,
    count: i64,
    radius: f64,
    fresh: u32,
    trail: Vec<Place>,
    seen: Option<bool>,
    text: f32,
}

#[derive(Data, Clone, Debug, Default, PartialEq)]
struct Place {
    x: f64,
    z: f32,
    y: f64,
}

/// Each has a file of its own.
static TESTS: AtomicU32 = AtomicU32::new(0);

/// Returns what the adapter makes of a message, and its remarks.
fn adapted<From: Data, To: Data>(recorded: &From, default: &To) -> (To, Vec<FieldChange>) {
    let path = std::env::temp_dir().join(format!(
        "hemiola-adapter-{}-{}.mcap",
        std::process::id(),
        TESTS.fetch_add(1, Ordering::Relaxed)
    ));
    _ = std::fs::remove_file(&path);
    let mut log = LogWriter::create(&path, LogCompression::None).unwrap();
    let channel = log.channel("/ball", &MessageSchema::of("Ball", &From::data_type())).unwrap();
    let origin = Origin { sequence: 0, logged: Time::ZERO, published: Time::ZERO };
    log.write(channel, origin, &cdr::encode(recorded)).unwrap();
    log.finish().unwrap();
    let mut log = LogReader::open(&path).unwrap();
    let result = loop {
        if let Entry::Message(message) = log.next_entry().unwrap().unwrap() {
            let schema = MessageSchema::of("Ball", &To::data_type());
            let today = Arc::new(Definition::parse(&schema.name, &schema.text).unwrap());
            let then = Arc::new(message.channel.definition().unwrap().renamed(&To::data_type()));
            let adapter = Adapter::new(&then, &today, &cdr::encode(default), []).unwrap();
            let adapted = adapter.adapt(message.data, |_| {}).unwrap();
            break (cdr::decode(&adapted).unwrap(), adapter.changes().to_vec());
        }
    };
    std::fs::remove_file(&path).unwrap();
    result
}

#[test]
fn fields_keep_their_values_by_name_and_new_ones_have_their_default() {
    let place = |x: f64| OldPlace { x, y: -x };
    let old = OldBall {
        radius: 0.05,
        gone: vec!["much".into()],
        count: 200,
        seen: true,
        place: place(1.5),
        trail: vec![place(1.0), place(2.0)],
        text: "red".into(),
    };
    let default = Ball { fresh: 7, text: 2.5, place: Place { z: 9.0, ..Place::default() }, ..Ball::default() };
    let (ball, changes) = adapted(&old, &default);
    let expected = Ball {
        place: Place { x: 1.5, z: 9.0, y: -1.5 },
        count: 200,
        radius: f64::from(0.05_f32),
        fresh: 7,
        // Items of a sequence have no default of their own.
        trail: vec![Place { x: 1.0, z: 0.0, y: -1.0 }, Place { x: 2.0, z: 0.0, y: -2.0 }],
        seen: Some(true),
        text: 2.5,
    };
    assert_eq!(ball, expected);
    let changes: Vec<_> = changes.iter().map(ToString::to_string).collect();
    assert_eq!(
        changes,
        [
            "`place.z` was not recorded and has its default",
            "`fresh` was not recorded and has its default",
            "`trail.z` was not recorded and has its default",
            "`text` was of another type and has its default",
            "`gone` was recorded but no longer exists",
        ]
    );
}

#[test]
fn a_number_that_does_not_fit_is_the_default() {
    #[derive(Data, Clone, Debug, Default, PartialEq)]
    struct Wide {
        height: i64,
    }

    #[derive(Data, Clone, Debug, Default, PartialEq)]
    struct Narrow {
        height: u8,
    }

    assert_eq!(adapted(&Wide { height: 255 }, &Narrow { height: 3 }).0.height, 255);
    assert_eq!(adapted(&Wide { height: -1 }, &Narrow { height: 3 }).0.height, 3);
}

#[test]
fn a_variant_keeps_its_name_when_others_come_before_it() {
    #[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
    enum OldPhase {
        #[default]
        Ready,
        KickOff,
        Gone,
    }
    #[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
    enum Phase {
        Initial,
        Ready,
        #[default]
        Set,
        KickOff,
    }
    #[derive(Data, Default)]
    struct Before {
        phase: OldPhase,
    }
    #[derive(Data, Default)]
    struct Now {
        phase: Phase,
    }
    let now = |phase| adapted(&Before { phase }, &Now::default()).0.phase;
    let phases = [OldPhase::Ready, OldPhase::KickOff, OldPhase::Gone].map(now);
    assert_eq!(phases, [Phase::Ready, Phase::KickOff, Phase::Set], "what is not there any more is the default");
}

#[test]
fn what_was_renamed_is_found_by_its_former_name() {
    #[derive(Data, Clone, Debug, Default, PartialEq)]
    struct OldPart {
        x: f32,
        hits: u8,
    }
    #[derive(Data, Clone, Debug, PartialEq)]
    enum OldAction {
        Stand,
        Shoot { angle: f32 },
    }
    #[derive(Data, Clone, Copy, Debug, PartialEq)]
    enum OldState {
        Ready,
        Started,
    }
    #[derive(Data, Clone, Debug, PartialEq)]
    struct OldRobot {
        part: OldPart,
        all: Vec<Option<OldPart>>,
        action: OldAction,
        state: OldState,
        size: u8,
    }

    #[derive(Data, Clone, Debug, Default, PartialEq)]
    struct Part {
        #[data(was = "x")]
        forward: f32,
        #[data(was = "count", was = "hits")]
        seen: u8,
    }
    #[derive(Data, Clone, Debug, Default, PartialEq)]
    enum Action {
        #[default]
        Stand,
        #[data(was = "Shoot")]
        Kick {
            #[data(was = "angle")]
            direction: f32,
        },
    }
    #[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
    enum Phase {
        #[default]
        Initial,
        Ready,
        #[data(was = "Started")]
        Playing,
    }
    #[derive(Data, Clone, Debug, Default, PartialEq)]
    struct Robot {
        #[data(was = "part")]
        limb: Part,
        #[data(was = "all")]
        limbs: Vec<Option<Part>>,
        action: Action,
        #[data(was = "state")]
        phase: Phase,
        // Another one has come in its place, and it has moved.
        size: f64,
    }

    let part = OldPart { x: 1.5, hits: 3 };
    let old = OldRobot {
        part: part.clone(),
        all: vec![None, Some(part)],
        action: OldAction::Shoot { angle: 0.25 },
        state: OldState::Started,
        size: 7,
    };
    let (robot, changes) = adapted(&old, &Robot::default());
    let limb = Part { forward: 1.5, seen: 3 };
    let expected = Robot {
        limb: limb.clone(),
        limbs: vec![None, Some(limb)],
        action: Action::Kick { direction: 0.25 },
        phase: Phase::Playing,
        size: 7.0,
    };
    assert_eq!((robot, changes), (expected, vec![]));
    let still = OldRobot { action: OldAction::Stand, state: OldState::Ready, ..old };
    assert_eq!(adapted(&still, &Robot::default()).0.phase, Phase::Ready);
}
