//! Programs on one host that share memory: large messages are passed in it, whatever happens to the
//! other side.
#![cfg(target_os = "linux")]

mod common;

use common::{Side, connecting, free_path, listening, next};
use hemiola::prelude::*;
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};

#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    number: u64,
    pixels: Vec<u8>,
    name: String,
}

fn image(number: u64, length: usize) -> Image {
    let pixels = (0..length).map(|pixel| (pixel as u64 * 31 + number) as u8).collect();
    Image { number, pixels, name: format!("image {number}") }
}

fn shm() -> LinkAddress {
    LinkAddress::Shm(free_path())
}

/// Returns the link of a program that sends images and keeps this many of them.
fn sending(address: LinkAddress, keep: usize) -> LinkConfiguration {
    let send = vec![Sent { keep: Keep::Last(keep), ..Sent::topic("Image") }];
    LinkConfiguration { send, ..listening(address, &[], &[]) }
}

#[test]
fn what_is_large_is_lent_and_arrives_as_it_was_sent() {
    for address in [shm(), LinkAddress::Auto(([127, 0, 0, 1], 0).into())] {
        let robot = Side::open("robot", sending(address, 100));
        let laptop = Side::open("laptop", connecting(robot.address(), &[], &["Image"]));
        let (mut images, mut seen) = (robot.publisher::<Image>("Image"), laptop.queue::<Image>("Image"));
        robot.until_wanted();
        for number in 0..50 {
            // The lengths vary: some images are small, and some are larger than the one before.
            let sent = image(number, [600_000, 10, 5_000, 700_000][number as usize % 4]);
            images.publish(sent.clone());
            assert!(next(&mut seen) == sent, "image {number}");
        }
        let link = robot.until(|link| link.sent[0].messages == 50);
        assert!((12..40).contains(&link.lent), "{link}");
        assert_eq!((link.refused, link.sent[0].dropped, link.problem), (0, 0, None));
    }
}

#[test]
fn who_reads_slowly_is_lent_no_more_than_waits_in_a_socket_and_gets_all_in_order() {
    let robot = Side::open("robot", sending(shm(), 300));
    let laptop = Side::open("laptop", connecting(robot.address(), &[], &["Image"]));
    let (mut images, mut seen) = (robot.publisher::<Image>("Image"), laptop.queue::<Image>("Image"));
    robot.until_wanted();
    for burst in 0..4 {
        // More images are published at once than may be lent.
        (0..15).for_each(|number| images.publish(image(burst * 15 + number, 300_000)));
        (0..15).for_each(|number| assert!(next(&mut seen) == image(burst * 15 + number, 300_000)));
    }
    let link = robot.until(|link| link.sent[0].messages == 60);
    assert_eq!((link.lent, link.sent[0].dropped), (59, 0), "all but the first, whose length was not known");
}

#[test]
fn several_read_one_message_where_it_is_and_who_goes_leaves_it_to_the_others() {
    let robot = Side::open("robot", sending(shm(), 100));
    let mut images = robot.publisher::<Image>("Image");
    let mut sides: Vec<_> = ["a", "b", "c"]
        .map(|name| {
            let side = Side::open(name, connecting(robot.address(), &[], &["Image"]));
            let seen = side.queue::<Image>("Image");
            (side, seen)
        })
        .into();
    while !sides.is_empty() {
        robot.until(|link| link.sent[0].peers == sides.len());
        for number in 0..10 {
            images.publish(image(number, 100_000));
            sides.iter_mut().for_each(|(_, seen)| assert!(next(seen) == image(number, 100_000)));
        }
        sides.pop();
    }
    // The first image was written before its length was known.
    assert_eq!(robot.until(|link| link.peers.is_empty()).lent, 3 * 10 - 3 + 2 * 10 + 10);
}

#[test]
fn both_sides_say_that_they_share_memory_or_learn_why_they_cannot() {
    let path = free_path();
    let robot = Side::open("robot", listening(LinkAddress::Unix(path.clone()), &[], &[]));
    let laptop = Side::open("laptop", connecting(LinkAddress::Shm(path), &[], &[]));
    let why = "its shared memory cannot be used: this side has none; use `shm:` on both sides";
    // By reference: a side that is dropped ends the connection before the other has learnt why.
    for side in [&robot, &laptop] {
        side.until(|link| {
            link.problem.as_ref().is_some_and(|problem| problem.contains(why)) || {
                side.notes().iter().any(|note| note.contains(why))
            }
        });
    }
}
