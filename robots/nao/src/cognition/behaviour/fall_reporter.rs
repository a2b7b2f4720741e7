//! Captures of the robot's beliefs when it falls, to find out why.

use std::fmt::Write;

use hemiola::prelude::*;

use crate::captures::{CaptureReason, CaptureSaved, SaveSnapshot};
use crate::representations::events::{Fell, Remark};

/// Requests a capture of each fall, and remarks on the result some runs later, without waiting.
#[derive(Module)]
pub struct FallReporter {}

#[module]
impl FallReporter {
    #[update]
    pub(crate) fn report(
        &self,
        falls: &Subscription<Fell>,
        clock: &Clock,
        captures: &mut Requests<SaveSnapshot, CaptureSaved>,
        remarks: &mut Publisher<Remark>,
    ) -> Result<(), std::fmt::Error> {
        let mut remark = |words: &mut dyn FnMut(&mut String) -> std::fmt::Result| {
            // Filled in place: the slot keeps its memory.
            let mut remark = remarks.loan();
            remark.at = clock.now();
            remark.text.clear();
            words(&mut remark.text)?;
            remark.publish();
            Ok(())
        };
        if !falls.is_empty()
            && let Err(error) = captures.send(SaveSnapshot { reason: CaptureReason::Fell })
        {
            remark(&mut |text| write!(text, "nobody writes down why it fell: {error}"))?;
        }
        for answer in captures.answers() {
            remark(&mut |text| match answer {
                Ok(Ok(path)) => write!(text, "was down: {}", path.display()),
                Ok(Err(reason)) => text.write_str(reason),
                Err(error) => write!(text, "was down, and lacks a capture of it: {error}"),
            })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use hemiola::bus::Bus;
    use hemiola::module::Port;

    use super::*;

    #[test]
    fn a_fall_is_reported_once_and_its_capture_when_it_is_there() {
        let bus = Bus::new();
        let mut server = bus.server::<SaveSnapshot, CaptureSaved>("SaveSnapshot", 4).unwrap();
        let mut captures = Requests::new(&bus).unwrap();
        let topic = bus.topic::<Remark>("Remark").unwrap();
        let (mut remarks, mut heard) = (topic.publisher(), Subscription::new(&topic));
        let mut run = |falls: &[Fell], captures: &mut Requests<SaveSnapshot, CaptureSaved>| {
            captures.begin_run();
            let falls = Subscription::of(falls.iter().cloned());
            FallReporter::create(()).report(&falls, &Clock::default(), captures, &mut remarks).unwrap();
            heard.begin_run();
            heard.iter().map(|remark| remark.text.clone()).collect::<Vec<_>>()
        };
        assert!(run(&[Fell::default()], &mut captures).is_empty());
        assert!(run(&[], &mut captures).is_empty());
        server.run(8, |_| Ok(PathBuf::from("1.json")));
        assert_eq!(run(&[], &mut captures), ["was down: 1.json"]);
        drop(server);
        assert_eq!(
            run(&[Fell::default()], &mut captures),
            ["nobody writes down why it fell: not sent: there is no receiver"]
        );
    }
}
