//! Programs of one user and one executable that share memory: what has fields of shared bytes is
//! read where its sender has written it, and stays as it is for as long as somebody keeps it.
#![cfg(target_os = "linux")]

mod common;

use std::collections::VecDeque;

use common::{Side, connecting, eventually, free_path, listening, next};
use hemiola::prelude::*;
use hemiola_bus::{Queue, WhenFull};
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};

#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    number: u64,
    pixels: SharedBytes,
    name: String,
}

/// The same message in a program that copies its pixels.
mod copied {
    use super::*;

    #[derive(Representation, Clone, Default)]
    pub struct Image {
        pub number: u64,
        pub pixels: Vec<u8>,
        pub name: String,
    }
}

fn pixels(number: u64, length: usize) -> Vec<u8> {
    vec![(number % 251) as u8 + 1; length]
}

fn image(number: u64, length: usize) -> Image {
    Image { number, pixels: pixels(number, length).into(), name: format!("image {number}") }
}

/// Returns the link of a program that sends images.
fn sending() -> LinkConfiguration {
    let send = vec![Sent { keep: Keep::Last(100), ..Sent::topic("Image") }];
    LinkConfiguration { send, ..listening(LinkAddress::Shm(free_path()), &[], &[]) }
}

fn receiving(robot: &Side) -> LinkConfiguration {
    connecting(robot.address(), &[], &["Image"])
}

/// Returns a queue that keeps few messages, so that few blocks are kept by old ones.
fn few<T: Representation>(side: &Side) -> Queue<T> {
    side.bus.readable_topic("Image").unwrap().queue(4, WhenFull::DropOldest)
}

/// Returns the places of other processes' memory in this one: it is mapped to be read only.
fn mappings() -> Vec<std::ops::Range<usize>> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let of_peers = maps.lines().filter(|line| line.contains("/memfd:hemiola") && line.contains("r--s"));
    let place = |line: &str| {
        let (begin, end) = line.split(' ').next()?.split_once('-')?;
        Some(usize::from_str_radix(begin, 16).ok()?..usize::from_str_radix(end, 16).ok()?)
    };
    of_peers.filter_map(place).collect()
}

fn is_in_place(image: &Image) -> bool {
    mappings().iter().any(|mapping| mapping.contains(&(image.pixels.as_ptr() as usize)))
}

#[test]
fn what_is_large_is_kept_where_it_was_written_and_what_is_small_is_not() {
    let robot = Side::open("robot", sending());
    let laptop = Side::open("laptop", receiving(&robot));
    let (mut images, mut seen) = (robot.publisher::<Image>("Image"), few::<Image>(&laptop));
    robot.until_wanted();
    for number in 0..40 {
        let length = [600_000, 600_000, 100, 5_000, 5_000][number as usize % 5];
        images.publish(image(number, length));
        let arrived = next(&mut seen);
        assert!(arrived == image(number, length), "image {number}");
        // The length of a message is that of the last one, as far as anybody knows.
        assert_eq!(is_in_place(&arrived), [1, 4].contains(&(number % 5)), "image {number}");
    }
    let link = laptop.until(|link| link.received[0].messages == 40);
    let lent = robot.until(|link| link.sent[0].messages == 40).lent;
    assert_eq!(link.kept + link.copied, lent, "{link}");
    assert_eq!(link.kept, 16, "{link}");
}

#[test]
fn what_is_kept_for_long_stays_as_it_is_and_comes_back_in_any_order() {
    let robot = Side::open("robot", sending());
    let laptop = Side::open("laptop", receiving(&robot));
    let (mut images, mut seen) = (robot.publisher::<Image>("Image"), few::<Image>(&laptop));
    robot.until_wanted();
    let (mut for_long, mut for_short) = (Vec::new(), VecDeque::new());
    for number in 0..300 {
        images.publish(image(number, 600_000));
        let arrived = next(&mut seen);
        assert!(number == 0 || is_in_place(&arrived), "image {number}");
        if number % 50 == 1 {
            for_long.push((number, arrived.pixels.clone()));
        }
        for_short.push_back((number, arrived.pixels.clone()));
        if for_short.len() > 4 {
            let (number, kept) = for_short.swap_remove_back(number as usize % 4).unwrap();
            assert!(kept[..] == pixels(number, 600_000));
        }
    }
    // Three times as much was sent as the memory has room for.
    assert!(for_long.iter().all(|(number, kept)| kept[..] == pixels(*number, 600_000)));
    let link = laptop.until(|link| link.received[0].messages == 300);
    assert_eq!((link.kept, link.copied, link.problem), (299, 0, None), "all but the first, whose length was not known");
}

#[test]
fn who_keeps_too_many_gets_copies_until_it_has_let_go_of_some() {
    let robot = Side::open("robot", sending());
    let laptop = Side::open("laptop", receiving(&robot));
    let (mut images, mut seen) = (robot.publisher::<Image>("Image"), few::<Image>(&laptop));
    robot.until_wanted();
    let mut hold = |count: u64, length: usize| -> Vec<SharedBytes> {
        let numbers = 0..count;
        let held = numbers.map(|number| {
            images.publish(image(number, length));
            let arrived = next(&mut seen);
            assert!(arrived == image(number, length), "image {number}");
            arrived.pixels.clone()
        });
        held.collect()
    };
    // Many are kept, or large ones.
    for length in [5_000, 1_000_000] {
        let held = hold(100, length);
        assert!(held.iter().zip(0..).all(|(held, number)| held[..] == pixels(number, length)));
    }
    let (many, messages) = (laptop.until(|link| link.received[0].messages == 200), 200);
    assert!(many.copied > 2 * 36 - 20 && many.kept > 64 + 20, "{many}");
    hold(100, 10_000);
    drop(hold(1, 10_000));
    let copied = laptop.until(|link| link.received[0].messages == messages + 101).copied;
    for number in 0..20 {
        drop(hold(1, 10_000));
        laptop.until(|link| link.received[0].messages == messages + 102 + number);
    }
    assert_eq!(laptop.statistics().copied, copied, "there is room again");
    assert_eq!(laptop.statistics().problem, None);
}

#[test]
fn several_peers_keep_one_message_and_who_leaves_keeps_what_it_has() {
    let robot = Side::open("robot", sending());
    let mut images = robot.publisher::<Image>("Image");
    let (near, far) = (Side::open("near", receiving(&robot)), Side::open("far", receiving(&robot)));
    let mut seen = few::<Image>(&near);
    let kept = {
        let mut seen_too = few::<Image>(&far);
        robot.until(|link| link.sent[0].peers == 2);
        let both = (0..8).map(|number| {
            images.publish(image(number, 300_000));
            let (one, other) = (next(&mut seen), next(&mut seen_too));
            (number, one.pixels.clone(), other.pixels.clone())
        });
        both.collect::<Vec<_>>()
    };
    drop(far);
    robot.until(|link| link.sent[0].peers == 1);
    for number in 8..300 {
        images.publish(image(number, 300_000));
        assert!(next(&mut seen) == image(number, 300_000), "image {number}");
    }
    for (number, one, other) in &kept {
        assert!(one[..] == pixels(*number, 300_000) && other[..] == pixels(*number, 300_000), "image {number}");
    }
}

#[test]
fn what_is_kept_outlives_its_sender_and_the_links() {
    let robot = Side::open("robot", sending());
    let laptop = Side::open("laptop", receiving(&robot));
    let (mut images, mut seen) = (robot.publisher::<Image>("Image"), few::<Image>(&laptop));
    robot.until_wanted();
    let kept = (0..5).map(|number| {
        images.publish(image(number, 600_000));
        next(&mut seen)
    });
    let kept: Vec<_> = kept.collect();
    assert!(kept[1..].iter().all(is_in_place));
    drop((robot, images));
    laptop.until(|link| link.peers.is_empty());
    assert!(kept.iter().zip(0..).all(|(kept, number)| *kept == image(number, 600_000)));
    drop((laptop, seen));
    assert!(kept.iter().zip(0..).all(|(kept, number)| *kept == image(number, 600_000)));
    let places: Vec<_> = kept[1..].iter().map(|kept| kept.pixels.as_ptr() as usize).collect();
    drop(kept);
    let is_gone = || (!mappings().iter().any(|mapping| mapping.contains(&places[0]))).then_some(());
    eventually(is_gone).expect("the last one has taken the memory with it");
}

#[test]
fn a_vector_at_one_side_is_shared_bytes_at_the_other() {
    let robot = Side::open("robot", sending());
    let laptop = Side::open("laptop", receiving(&robot));
    let (mut images, mut seen) = (robot.publisher::<copied::Image>("Image"), few::<Image>(&laptop));
    robot.until_wanted();
    for number in 0..5 {
        let pixels = pixels(number, 50_000);
        images.publish(copied::Image { number, pixels, name: format!("image {number}") });
        assert!(next(&mut seen) == image(number, 50_000));
    }
    assert_eq!(laptop.until(|link| link.received[0].messages == 5).kept, 4);

    let robot = Side::open("robot", sending());
    let laptop = Side::open("laptop", receiving(&robot));
    let (mut images, mut seen) = (robot.publisher::<Image>("Image"), few::<copied::Image>(&laptop));
    robot.until_wanted();
    for number in 0..5 {
        images.publish(image(number, 50_000));
        assert!(next(&mut seen).pixels == pixels(number, 50_000));
    }
    let link = laptop.until(|link| link.received[0].messages == 5);
    assert_eq!((link.kept, link.copied), (0, 4), "nothing refers to what was read");
}
