//! Programs of one user and one executable that share memory: bytes that a module writes there are
//! sent to others from where they are.
#![cfg(target_os = "linux")]

mod common;

use common::{Side, connecting, free_path, listening, next};
use hemiola::prelude::*;
use hemiola_bus::{Publisher, Queue, WhenFull};
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};

#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    number: u32,
    pixels: SharedBytes,
    name: String,
}

const LENGTH: usize = 200_000;

fn sending(topics: &[&str]) -> LinkConfiguration {
    let send = topics.iter().map(|&topic| Sent { keep: Keep::Last(8), ..Sent::topic(topic) }).collect();
    LinkConfiguration { send, ..listening(LinkAddress::Shm(free_path()), &[], &[]) }
}

fn receiving(robot: &Side, topic: &str) -> (Side, Queue<Image>) {
    let side = Side::open("laptop", connecting(robot.address(), &[], &[topic]));
    let queue = side.bus.readable_topic(topic).unwrap().queue(2, WhenFull::DropOldest);
    (side, queue)
}

/// Publishes an image whose pixels are written in place, and returns where they are.
fn publish(images: &mut Publisher<Image>, number: u32) -> usize {
    let mut image = images.loan();
    (image.number, image.name) = (number, format!("image {number}"));
    image.pixels.overwrite(LENGTH, |pixels| pixels.fill(number as u8));
    let place = image.pixels.as_ptr() as usize;
    image.publish();
    place
}

fn is_whole(image: &Image, number: u32) -> bool {
    let is_named = image.number == number && image.name == format!("image {number}");
    is_named && image.pixels.len() == LENGTH && image.pixels.iter().all(|pixel| *pixel == number as u8)
}

/// Returns how far behind the beginning of its mapping a place is, in which file; mappings of one
/// file show the same memory.
fn place_in_memory(place: usize) -> Option<(String, usize)> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    maps.lines().filter(|line| line.contains("/memfd:hemiola")).find_map(|line| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let (begin, end) = columns[0].split_once('-')?;
        let [begin, end] = [begin, end].map(|number| usize::from_str_radix(number, 16).unwrap());
        let offset = usize::from_str_radix(columns[2], 16).unwrap();
        (begin..end).contains(&place).then(|| (columns[4].to_owned(), offset + place - begin))
    })
}

#[test]
fn bytes_that_are_written_in_place_are_read_there_by_all_peers_of_all_links() {
    let bus = hemiola_bus::Bus::new();
    let [first, second] = ["first", "second"].map(|name| Side::with(&bus, name, &[sending(&["Image"])], |host| host));
    let mut images = first.publisher::<Image>("Image");
    let mut seen = [&first, &second, &second].map(|robot| receiving(robot, "Image"));
    first.until(|link| link.sent[0].peers == 1);
    second.until(|link| link.sent[0].peers == 2);
    let mut in_place = 0;
    for number in 0..200 {
        let place = publish(&mut images, number);
        let mut read_there = seen.each_mut().map(|(_, queue)| {
            let image = next(queue);
            assert!(is_whole(&image, number), "image {number}");
            let read = place_in_memory(image.pixels.as_ptr() as usize);
            usize::from(read.is_some() && read == place_in_memory(place))
        });
        in_place += read_there.iter().sum::<usize>();
        // The length of the first message is not known, so it is not written where others can read
        // it. Of two links that complete the message at the same moment, one copies it.
        read_there[1] = read_there[1].min(read_there[2]);
        assert!(number == 0 || read_there[0] + read_there[1] > 0, "image {number}");
    }
    assert!(in_place > 3 * 199 / 2, "{in_place} of {}", 3 * 199);
    // What was sent is counted afterwards, when peers may have read it.
    first.until(|link| link.lent == 199);
    second.until(|link| link.lent == 2 * 199);
}

#[test]
fn what_is_kept_stays_as_it_is_although_its_link_is_gone_and_others_go_on() {
    let bus = hemiola_bus::Bus::new();
    let staying = Side::with(&bus, "staying", &[sending(&["Image"])], |host| host);
    let leaving = Side::with(&bus, "leaving", &[sending(&["Image"])], |host| host);
    let mut images = staying.publisher::<Image>("Image");
    let (_laptop, mut seen) = receiving(&staying, "Image");
    let (other, mut seen_there) = receiving(&leaving, "Image");
    [&staying, &leaving].iter().for_each(|side| side.until_wanted());
    let kept: Vec<Image> = (0..20)
        .map(|number| {
            publish(&mut images, number);
            next(&mut seen);
            next(&mut seen_there)
        })
        .collect();
    drop(leaving);
    for number in 20..600 {
        publish(&mut images, number);
        assert!(is_whole(&next(&mut seen), number), "image {number}");
    }
    assert!(kept.iter().zip(0..).all(|(image, number)| is_whole(image, number)));
    drop((other, seen_there));
    assert!(kept.iter().zip(0..).all(|(image, number)| is_whole(image, number)));
}

#[test]
fn one_image_in_two_topics_arrives_in_both() {
    let robot = Side::open("robot", sending(&["Image", "Again"]));
    let (mut images, mut again) = (robot.publisher::<Image>("Image"), robot.publisher::<Image>("Again"));
    let (laptop, mut seen) = receiving(&robot, "Image");
    let (tablet, mut seen_again) = receiving(&robot, "Again");
    robot.until(|link| link.sent.iter().all(|topic| topic.peers == 1));
    for number in 0..50 {
        publish(&mut images, number);
        let image = next(&mut seen);
        // Its number is another one, so the pixels have to be copied.
        again.publish(Image {
            number: number + 1,
            pixels: image.pixels.clone(),
            name: format!("image {}", number + 1),
        });
        let other = next(&mut seen_again);
        assert!(is_whole(&image, number) && other.pixels == image.pixels && other.number == number + 1);
    }
    [laptop, tablet].iter().for_each(|side| assert_eq!(side.statistics().problem, None));
}
