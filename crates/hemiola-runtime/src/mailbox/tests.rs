use std::time::Instant;

use hemiola_model::{Form, Representation, RepresentationDescriptor};
use proptest::prelude::*;

use super::*;

#[derive(Default)]
struct Count;

impl Representation for Count {
    const NAME: &'static str = "Count";

    fn form() -> Form<Self> {
        Form::opaque()
    }
}

fn release(change: u32) -> Command {
    Command::EndOverride { store: 0, change }
}

fn override_with(change: u32) -> Command {
    let value = RepresentationDescriptor::of::<Count>().create();
    Command::Override { store: 0, value, done: false, change }
}

/// Executes what was posted, as a cycle does before a run; what is overridden is in use if
/// `is_in_use`.
fn run(reader: &mut CommandReader, is_in_use: bool, executed: &mut Vec<u32>) {
    while let Some(mut command) = reader.next() {
        if let Command::Override { done, .. } = &mut command {
            *done = !is_in_use;
        }
        executed.extend(command.change());
        if !reader.give_back(command) {
            return;
        }
    }
}

#[test]
fn each_sender_gets_back_what_it_sent() {
    let (mailbox, mut reader) = mailbox("motion");
    let sent: Vec<Sent> = (0..5).map(|change| mailbox.post(release(change)).unwrap()).collect();
    assert!(sent[0].poll().is_none());
    run(&mut reader, false, &mut Vec::new());
    for (change, sent) in sent.iter().enumerate().rev() {
        assert_eq!(sent.wait_until(Instant::now(), || false).unwrap().change(), Some(change as u32));
        assert!(sent.poll().is_none(), "it is given once");
    }
}

#[test]
fn a_command_is_executed_when_nobody_waits_for_it() {
    let (mailbox, mut reader) = mailbox("motion");
    drop(mailbox.post(release(7)));
    let mut executed = Vec::new();
    run(&mut reader, false, &mut executed);
    assert_eq!(executed, [7]);
    assert!(mailbox.is_idle());
}

#[test]
fn a_cycle_that_does_not_run_gets_no_more_than_it_has_room_for() {
    let (mailbox, mut reader) = mailbox("motion");
    let sent: Vec<Sent> = (0..MOST_ON_THE_WAY as u32).map(|change| mailbox.post(release(change)).unwrap()).collect();
    let refused = mailbox.post(release(99)).err().unwrap().to_string();
    assert!(refused.contains("`motion` does not answer"), "{refused}");
    run(&mut reader, false, &mut Vec::new());
    assert!(mailbox.post(release(100)).is_ok());
    assert!(sent.iter().all(|sent| sent.poll().is_some()));
}

#[test]
fn what_is_in_use_for_long_comes_back_undone_and_holds_nothing_up() {
    let (mailbox, mut reader) = mailbox("motion");
    let (first, second) = (mailbox.post(override_with(0)).unwrap(), mailbox.post(release(1)).unwrap());
    let mut executed = Vec::new();
    (0..TRIES).for_each(|_| run(&mut reader, true, &mut executed));
    assert_eq!(executed, [1]);
    assert!(first.poll().unwrap().found_in_use());
    assert!(second.poll().is_some());
}

proptest! {
    /// Whatever is in use for a while, changes come into force in the order in which they were
    /// made.
    #[test]
    fn changes_keep_their_order(steps in prop::collection::vec((0..3_u32, any::<bool>()), 1..200)) {
        let (mailbox, mut reader) = mailbox("motion");
        let (mut posted, mut executed) = (0, Vec::new());
        for (kind, is_in_use) in steps {
            let command = match kind {
                0 => release(posted),
                1 => override_with(posted),
                _ => {
                    run(&mut reader, is_in_use && executed.len() as u32 + TRIES > posted, &mut executed);
                    continue;
                }
            };
            if mailbox.post(command).is_ok() {
                posted += 1;
            }
        }
        run(&mut reader, false, &mut executed);
        prop_assert!(executed.is_sorted(), "{executed:?}");
    }
}
