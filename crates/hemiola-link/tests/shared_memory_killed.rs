//! Processes that share memory and are killed: the other process does not hang, receives no damaged
//! value, and keeps none of their memory.
#![cfg(target_os = "linux")]

mod common;

use std::time::{Duration, Instant};

use common::{Other, PATIENCE, Side, connecting, eventually, free_path, listening, mappings};
use hemiola::prelude::*;
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};

/// An image whose content shows whether it is whole: each pixel follows from its number.
#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    number: u64,
    pixels: Vec<u64>,
}

impl Image {
    fn of(number: u64) -> Self {
        let length = 20_000 + number % 1000;
        Self { number, pixels: (0..length).map(|pixel| pixel.wrapping_mul(number)).collect() }
    }

    fn is_whole(&self) -> bool {
        *self == Self::of(self.number)
    }
}

const IMAGES: &str = "Image";
const ANSWERS: &str = "Answer";
/// The number of times that a process is killed.
const TIMES: u64 = 20;

/// Returns the link of a program that sends one topic and receives another one.
fn link(link: LinkConfiguration) -> LinkConfiguration {
    let send = link.send.into_iter().map(|sent| Sent { keep: Keep::Last(4), ..sent }).collect();
    LinkConfiguration { send, ..link }
}

/// The other process: sends images as fast as possible, and receives those of this process.
#[test]
#[ignore = "it is the process that another test starts and kills"]
fn other_process() {
    let Some(path) = Other::socket() else { return };
    let address = LinkAddress::Shm(path);
    let side = Side::open("other", link(connecting(address, &[IMAGES], &[ANSWERS])));
    let (mut images, mut answers) = (side.publisher::<Image>(IMAGES), side.queue::<Image>(ANSWERS));
    for number in 0.. {
        images.publish(Image::of(number));
        while let Some(answer) = answers.receive() {
            assert!(answer.is_whole(), "answer {}", answer.number);
        }
        std::thread::yield_now();
    }
}

#[test]
fn who_is_killed_leaves_nothing_behind_and_nothing_damaged() {
    let path = free_path();
    let here = Side::open("here", link(listening(LinkAddress::Shm(path.clone()), &[ANSWERS], &[IMAGES])));
    let (mut seen, mut answers) = (here.queue::<Image>(IMAGES), here.publisher::<Image>(ANSWERS));
    let mut number = 0;
    for time in 1..=TIMES {
        let other = Other::start(&std::env::current_exe().unwrap(), &path);
        let (mut wanted, begin) = (10 + (time * 7) % 23, Instant::now());
        // It is killed at some point between two images, or while one is sent.
        while wanted > 0 {
            assert!(begin.elapsed() < PATIENCE, "no images come: {}", here.statistics());
            number += 1;
            answers.publish(Image::of(number));
            match seen.receive() {
                Some(image) => {
                    assert!(image.is_whole(), "image {}", image.number);
                    wanted -= 1;
                }
                None => std::thread::sleep(Duration::from_micros(100)),
            }
        }
        drop(other);
        here.until(|link| link.parted == time && link.peers.is_empty());
        while let Some(image) = seen.receive() {
            assert!(image.is_whole(), "image {}", image.number);
        }
        // The system may need a moment to end it.
        eventually(|| (mappings() == 1).then_some(())).expect("of the other process nothing is left but its end");
    }
    let link = here.statistics();
    assert_eq!((link.met, link.refused, link.received[0].unreadable), (TIMES, 0, 0), "{link}");
    // The blocks lent to the killed processes are free again: there is room for more than they have
    // left behind.
    assert!(link.lent > 2 * TIMES, "{link}");
    drop(here);
    // Nobody waits for the links' thread for long.
    eventually(|| (mappings() == 0).then_some(())).expect("its own memory is gone, too");
}
