//! Processes of one program that read each other's messages in place, and are killed; and one of
//! another program.
#![cfg(target_os = "linux")]

mod common;

use std::path::PathBuf;
use std::process::Command;

use common::{Other, Side, connecting, eventually, free_path, listening, mappings, next};
use hemiola::prelude::*;
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, Sent};

#[derive(Representation, Clone, Default)]
struct Picture {
    number: u64,
    pixels: SharedBytes,
}

const PICTURES: &str = "Picture";
const LENGTH: usize = 100_000;

impl Picture {
    fn is_whole(&self) -> bool {
        self.pixels.len() == LENGTH && self.pixels.iter().all(|&pixel| u64::from(pixel) == self.number % 256)
    }
}

/// Another process: sends pictures as fast as possible.
#[test]
#[ignore = "it is the process that another test starts and kills"]
fn other_process() {
    let Some(path) = Other::socket() else { return };
    let send = vec![Sent { keep: Keep::Last(4), ..Sent::topic(PICTURES) }];
    let link = LinkConfiguration { send, ..connecting(LinkAddress::Shm(path), &[], &[]) };
    let side = Side::open("other", link);
    let mut pictures = side.publisher::<Picture>(PICTURES);
    for number in 0_u64.. {
        pictures.publish(Picture { number, pixels: vec![number as u8; LENGTH].into() });
        std::thread::yield_now();
    }
}

fn receiving_pictures() -> (PathBuf, Side) {
    let path = free_path();
    let here = Side::open("here", listening(LinkAddress::Shm(path.clone()), &[], &[PICTURES]));
    (path, here)
}

#[test]
fn what_is_kept_of_a_killed_process_is_whole_until_it_is_dropped() {
    let (path, here) = receiving_pictures();
    let mut kept = Vec::new();
    let mut seen = here.queue::<Picture>(PICTURES);
    for time in 1..=3 {
        let other = Other::start(&std::env::current_exe().unwrap(), &path);
        kept.extend((0..20).map(|_| next(&mut seen)));
        drop(other);
        here.until(|link| link.parted == time && link.peers.is_empty());
        assert!(kept.iter().all(Picture::is_whole));
    }
    let link = here.statistics();
    assert!(link.kept > 3, "{link}");
    drop((kept, seen));
    drop(here);
    eventually(|| (mappings() == 0).then_some(())).expect("nothing is left of the memory");
}

#[test]
fn a_process_of_another_program_is_copied_from() {
    let (path, here) = receiving_pictures();
    let mut seen = here.queue::<Picture>(PICTURES);
    // Another file is another program, whatever is in it. This process must not write it itself: a
    // process that the other test starts at this moment would hold it open for a while, and what is
    // open for writing cannot be started.
    let program = path.with_extension("program");
    let copy = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&program).status();
    assert!(copy.unwrap().success());
    let other = Other::start(&program, &path);
    assert!((0..20).all(|_| next(&mut seen).is_whole()));
    drop(other);
    std::fs::remove_file(program).unwrap();
    let link = here.until(|link| link.peers.is_empty());
    assert!(link.kept == 0 && link.copied > 10, "{link}");
}
