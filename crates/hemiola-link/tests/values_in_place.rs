//! Two robots in one process, one of which reads the pixels of the other one's images where they
//! were written.
#![cfg(target_os = "linux")]

mod common;

use common::{connecting, eventually, free_path, listening};
use hemiola::prelude::*;
use hemiola_link::{LinkHost, Links};
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, LinkAddress, LinkConfiguration, Received, Sent, Subject, Trigger,
};
use hemiola_model::module::registry;
use hemiola_runtime::{Pace, Robot, RunningRobot};

#[derive(Representation, Clone, Default)]
struct Photo {
    number: u64,
    pixels: SharedBytes,
}

const LENGTH: usize = 200_000;

impl Photo {
    fn is_whole(&self) -> bool {
        self.pixels.len() == LENGTH && self.pixels.iter().all(|&pixel| u64::from(pixel) == self.number % 256)
    }
}

#[derive(Module)]
struct Painter {}

#[module]
impl Painter {
    #[update]
    fn photo(&self, clock: &Clock, photo: &mut Photo) {
        photo.number = clock.run() + 1;
        photo.pixels.refill(|pixels| {
            pixels.clear();
            pixels.resize(LENGTH, photo.number as u8);
        });
    }
}

/// How many photos were whole, and how many were not.
#[derive(Representation, Clone, Default)]
struct Seen {
    whole: u64,
    damaged: u64,
    newest: u64,
}

/// Looks at each photo, and once more at those before it.
#[derive(Module)]
struct Viewer {
    seen: Seen,
    last: Vec<Photo>,
}

#[module]
impl Viewer {
    #[update]
    fn seen(&mut self, photo: &Photo, seen: &mut Seen) {
        if photo.number > self.seen.newest {
            self.last.push(photo.clone());
            if self.last.len() > 4 {
                self.last.remove(0);
            }
            let whole = self.last.iter().filter(|photo| photo.is_whole()).count();
            self.seen.whole += whole as u64;
            self.seen.damaged += (self.last.len() - whole) as u64;
            self.seen.newest = photo.number;
        }
        *seen = self.seen.clone();
    }
}

fn start(name: &str, module: &str, trigger: Trigger, link: LinkConfiguration) -> (RunningRobot, Links) {
    let cycle = CycleConfiguration { modules: vec![module.to_owned()], ..CycleConfiguration::new("main", trigger) };
    let configuration = Configuration { cycles: vec![cycle], links: vec![link.clone()], ..Configuration::default() };
    let robot = Robot::assemble_from(configuration, registry::modules(), Vec::new()).unwrap();
    let running = robot.start(Pace::RealTime).unwrap();
    let links = common::open(&[link], &LinkHost::of(name, running.handle()));
    (running, links)
}

#[test]
fn a_module_reads_pixels_where_another_robot_has_written_them() {
    let address = LinkAddress::Shm(free_path());
    let sent = vec![Sent::representation("Photo")];
    let sending = LinkConfiguration { send: sent, ..listening(address.clone(), &[], &[]) };
    let received = vec![Received::new(Subject::representation("Photo"))];
    let receiving = LinkConfiguration { receive: received, ..connecting(address, &[], &[]) };
    let (head, _links) = start("head", "Painter", Trigger::Rate(100.0), sending);
    let (legs, links) = start("legs", "Viewer", Trigger::Source("link.there.Photo".to_owned()), receiving);
    let seen = || legs.handle().with_value(|seen: &Seen| seen.clone()).unwrap_or_default();
    let seen = eventually(|| Some(seen()).filter(|seen| seen.whole > 100)).expect("photos come");
    assert_eq!(seen.damaged, 0);
    let link = links.statistics().remove(0);
    assert!(link.kept > 20 && link.copied <= 2, "{link}");
    legs.stop();
    head.stop();
}
