//! iceoryx2: samples in shared memory, and an event that wakes the receiver.

use std::process::Stdio;

use hemiola_bench_contestant::links::{self, Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::prelude::*;
use iceoryx2::service::port_factory::{event, publish_subscribe};

use crate::{Outcome, note, write_head};

pub fn run(assignment: &Assignment) -> Outcome {
    // The remaining state of a killed process is harmless, and log messages are for people.
    set_log_level(LogLevel::Error);
    if assignment.receives() { receive(assignment) } else { send(assignment) }
}

/// The line with the name of the service from which the receiving process gets samples.
const READY: &str = "ready";

type Samples = publish_subscribe::PortFactory<ipc::Service, [u8], ()>;
type Events = event::PortFactory<ipc::Service>;

fn send(assignment: &Assignment) -> Outcome {
    let mut partner = Partner::start(Stdio::null());
    let name = partner.hear(READY);
    let node = node()?;
    let (samples, events) = open(&node, &name, assignment)?;
    let bytes = assignment.number("bytes") as usize;
    let publisher = samples
        .publisher_builder()
        .initial_max_slice_len(bytes)
        .backpressure_strategy(BackpressureStrategy::RetryUntilDelivered)
        .create()?;
    let notifier = events.notifier_builder().create()?;
    measure(assignment, partner, &mut Publishing { publisher, notifier, bytes, spins: spins(assignment) });
    Ok(())
}

struct Publishing {
    publisher: Publisher<ipc::Service, [u8], ()>,
    notifier: Notifier<ipc::Service>,
    bytes: usize,
    /// The receiver looks without being woken.
    spins: bool,
}

impl links::Sender for Publishing {
    fn send(&mut self, number: u64) {
        let mut sample = self.publisher.loan_slice(self.bytes).expect("a sample");
        write_head(sample.payload_mut(), number);
        sample.send().expect("the partner is there");
        if !self.spins {
            self.notifier.notify().expect("the partner is there");
        }
    }
}

fn receive(assignment: &Assignment) -> Outcome {
    let name = format!("hemiola-bench-links-{}", std::process::id());
    let node = node()?;
    let (samples, events) = open(&node, &name, assignment)?;
    let subscriber = samples.subscriber_builder().create()?;
    let listener = events.listener_builder().create()?;
    let mut arrivals = Arrivals::expected(assignment);
    println!("{READY} {name}");
    loop {
        if !spins(assignment) {
            listener.blocking_wait(|_| ())?;
        }
        while let Some(sample) = subscriber.receive()? {
            if note(&mut arrivals, &sample)? {
                return Ok(());
            }
        }
    }
}

fn spins(assignment: &Assignment) -> bool {
    assignment.number("spins") == 1
}

fn node() -> Result<Node<ipc::Service>, iceoryx2::node::NodeCreationFailure> {
    NodeBuilder::new().signal_handling_mode(SignalHandlingMode::Disabled).create::<ipc::Service>()
}

/// Opens the services for samples and wake-ups, with room for all messages that are under way.
fn open(
    node: &Node<ipc::Service>,
    name: &str,
    assignment: &Assignment,
) -> Result<(Samples, Events), Box<dyn std::error::Error + Send + Sync>> {
    let name = ServiceName::new(name)?;
    let samples = node
        .service_builder(&name)
        .publish_subscribe::<[u8]>()
        .enable_safe_overflow(false)
        .subscriber_max_buffer_size(assignment.number("window") as usize)
        .open_or_create()?;
    let events = node.service_builder(&name).event().open_or_create()?;
    Ok((samples, events))
}
