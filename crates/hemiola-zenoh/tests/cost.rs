//! What a link over Zenoh costs beside one over TCP: `cargo test --release -p hemiola-zenoh --test
//! cost -- --ignored --nocapture`.

mod common;

use std::thread;
use std::time::{Duration, Instant};

use common::{Goal, Side, connecting, listening};
use hemiola::prelude::*;
use hemiola_bus::Queue;
use hemiola_model::Representation;
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd};

#[derive(Representation, Clone, Debug, Default, PartialEq)]
struct Image {
    number: u64,
    pixels: Vec<u8>,
}

const FREE_TCP: &str = "127.0.0.1:0";

fn tcp(link: LinkConfiguration, end: impl Fn(LinkAddress) -> LinkEnd, address: &str) -> LinkConfiguration {
    LinkConfiguration { end: end(LinkAddress::Tcp(address.parse().unwrap())), ..link }
}

/// Opens two programs that exchange a topic both ways.
fn pair(over_zenoh: bool, there: &str, back: &str) -> [Side; 2] {
    let listening = listening(common::FREE, &[there], &[back]);
    let connecting = |address: &str| connecting(address, &[back], &[there]);
    if over_zenoh {
        let here = Side::open("here", listening);
        let other = Side::open("there", connecting(&here.address()));
        return [here, other];
    }
    let here = Side::open("here", tcp(listening, LinkEnd::Listen, FREE_TCP));
    let address = here.statistics().address;
    let address = address.strip_prefix("tcp:").unwrap();
    let other = Side::open("there", tcp(connecting(address), LinkEnd::Connect, address));
    [here, other]
}

fn wait<T: Representation + Clone>(queue: &mut Queue<T>) -> T {
    loop {
        match queue.receive() {
            Some(message) => return (*message).clone(),
            None => thread::yield_now(),
        }
    }
}

/// Returns the median time of a message there and another one back, divided by two.
fn one_way<T: Representation + Clone>(over_zenoh: bool, times: u32, message: impl Fn(u64) -> T) -> Duration {
    let name = T::NAME;
    let back = format!("{name}Back");
    let [here, other] = pair(over_zenoh, name, &back);
    let (mut asks, mut answers) = (here.publisher::<T>(name), here.queue::<T>(&back));
    let (mut heard, mut says) = (other.queue::<T>(name), other.publisher::<T>(&back));
    [&here, &other].iter().for_each(|side| side.until_wanted());
    let echo = thread::spawn(move || (0..times).for_each(|_| says.publish(wait(&mut heard))));
    let mut took: Vec<_> = (0..u64::from(times))
        .map(|number| {
            let begin = Instant::now();
            asks.publish(message(number));
            wait(&mut answers);
            begin.elapsed() / 2
        })
        .collect();
    echo.join().unwrap();
    took.sort();
    took[took.len() / 2]
}

#[test]
#[ignore = "it measures"]
fn a_message_takes_as_long() {
    for _ in 0..3 {
        for (over_zenoh, name) in [(false, "tcp"), (true, "zenoh")] {
            let small = one_way(over_zenoh, 2000, |number| Goal { x: 0.0, number });
            let large = one_way(over_zenoh, 200, |number| Image { number, pixels: vec![7; 614_400] });
            println!("{name:>5}: {small:?} one way, {large:?} of 614,400 bytes");
        }
    }
}
