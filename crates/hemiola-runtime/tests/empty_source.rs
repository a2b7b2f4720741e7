//! A source that ends before its first sample is reported, and makes the run of its robot an error.
#![forbid(unsafe_code)]

use std::time::Duration;

use hemiola::prelude::*;
use hemiola_model::Time;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Pace, Robot, RobotHandle, RuntimeError};

#[derive(Representation, Clone, Default)]
struct Picture {}

#[derive(Source)]
struct EmptyRecording {}

#[source]
impl EmptyRecording {
    #[sample]
    fn picture(&mut self, _picture: &mut Picture) -> Option<Time> {
        None
    }
}

#[derive(Module)]
struct Viewer {}

#[module]
impl Viewer {
    #[update]
    fn view(&self, _picture: &Picture) {}
}

fn robot() -> Robot {
    let cycle = CycleConfiguration::new("vision", Trigger::Source("EmptyRecording".into()));
    Robot::assemble(Configuration { cycles: vec![cycle], ..Configuration::default() }).unwrap()
}

fn is_told(handle: &RobotHandle) {
    let fault = handle.fault().expect("it is a fault");
    assert!(matches!(&fault, RuntimeError::NoSample { name } if name == "EmptyRecording"), "{fault}");
    let messages = handle.messages();
    assert!(messages.iter().any(|message| message.text.contains("without a single sample")), "{messages:?}");
}

#[test]
fn a_source_without_a_sample_is_a_fault_live_and_stepped() {
    is_told(&robot().start(Pace::RealTime).unwrap().wait());
    let mut stepper = robot().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    stepper.run_for(Duration::from_secs(1));
    is_told(&handle);
}
