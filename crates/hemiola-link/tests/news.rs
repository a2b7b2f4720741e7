//! Messages between two processes of a robot, which come with what they, and silence, derive from.

mod common;

use std::sync::atomic::{AtomicBool, Ordering};

use common::{connecting, eventually, free_unix, listening};
use hemiola::prelude::*;
use hemiola_link::{LinkHost, Links};
use hemiola_model::configuration::{Configuration, CycleConfiguration, LinkConfiguration, Trigger};
use hemiola_model::module::registry;
use hemiola_runtime::{Pace, Robot, RobotHandle, RunningRobot};
use hemiola_trace::ChainReport;

#[derive(Representation, Clone, Default)]
struct Sound {
    number: u64,
}

#[derive(Representation, Clone, Default)]
struct Whistle {
    sound: u64,
}

#[derive(Source)]
struct Ear {}

#[source]
impl Ear {
    #[sample(rate = 200.0)]
    fn sound(&mut self, clock: &Clock, sound: &mut Sound) {
        sound.number = clock.run();
    }
}

/// Set once somebody listens to whistles.
static MAY_WHISTLE: AtomicBool = AtomicBool::new(false);

/// Hears a whistle once.
#[derive(Module)]
struct Detector {
    has_heard: bool,
}

#[module]
impl Detector {
    #[update]
    fn listen(&mut self, sound: &Sound, heard: &mut Publisher<Whistle>) {
        if MAY_WHISTLE.load(Ordering::Relaxed) && !std::mem::replace(&mut self.has_heard, true) {
            heard.publish(Whistle { sound: sound.number });
        }
    }
}

#[derive(Representation, Clone, Default)]
struct Count {
    whistles: u64,
}

/// Counts whistles, and acts on silence.
#[derive(Module)]
struct Referee {}

#[module]
impl Referee {
    #[update]
    fn count(&self, heard: &Subscription<Whistle>, before: Previous<Count>, count: &mut Count) {
        count.whistles = before.whistles + heard.iter().count() as u64;
    }

    #[update]
    fn show(&self, _count: &Count) {}
}

/// Returns one of the two processes, whose link has the name of the other one.
fn part(module: &str, trigger: Trigger, link: LinkConfiguration) -> Robot {
    let cycle = CycleConfiguration { modules: vec![module.to_owned()], ..CycleConfiguration::new("main", trigger) };
    let parts = ["here", "there"].map(str::to_owned).to_vec();
    let configuration = Configuration { cycles: vec![cycle], links: vec![link], parts, ..Configuration::default() };
    let is_ear = |source: &hemiola_model::SourceDescriptor| module == "Detector" || source.name() != "Ear";
    let sources = registry::sources().into_iter().filter(is_ear).collect();
    Robot::assemble_from(configuration, registry::modules(), sources).unwrap()
}

fn start(name: &str, robot: Robot) -> (RunningRobot, Links) {
    let links = robot.configuration().links.clone();
    let running = robot.start(Pace::RealTime).unwrap();
    let links = common::open(&links, &LinkHost::of(name, running.handle()));
    (running, links)
}

fn chain(legs: &RobotHandle) -> Option<ChainReport> {
    let chains = legs.report().chains;
    chains.into_iter().find(|it| it.source == "link.there.Whistle by messages" && it.output.contains("Referee.show"))
}

#[test]
fn a_chain_goes_on_with_messages_and_with_silence_and_ends_with_the_process() {
    let address = free_unix();
    let referee = part("Referee", Trigger::Rate(200.0), connecting(address.clone(), &[], &["Whistle"]));
    assert_eq!(referee.received_topics(), [("link.there.Whistle".to_owned(), "Whistle")]);
    let (legs, there) = start("legs", referee);
    let audio = part("Detector", Trigger::Source("Ear".into()), listening(address, &["Whistle"], &[]));
    assert_eq!(audio.received_topics(), []);
    let (head, here) = start("head", audio);
    let link = |links: &Links| links.statistics().remove(0);
    eventually(|| (link(&here).sent[0].peers == 1).then_some(())).expect("they meet");
    MAY_WHISTLE.store(true, Ordering::Relaxed);
    let whistles = || legs.handle().with_value(|count: &Count| count.whistles);
    eventually(|| (whistles().ok() == Some(1)).then_some(())).expect("the whistle comes");
    // There is news of each sound, and one message.
    let reacted = || chain(legs.handle()).map_or(0, |chain| chain.reaction.count);
    eventually(|| (reacted() > 20).then_some(())).expect("silence is news");
    assert_eq!((link(&here).sent[0].messages, link(&there).received[0].messages), (1, 1));
    assert_eq!((link(&there).ignored, link(&there).received[0].lost), (0, 0));
    let measured = || legs.handle().measured().links["link.there.Whistle"].clone();
    let is_enough = || measured().delay.count() > 20 && measured().delay.maximum() > 0;
    eventually(|| is_enough().then_some(())).unwrap_or_else(|| panic!("{:?}", measured()));
    // Nothing derives from a process that is gone.
    head.stop();
    drop(here);
    eventually(|| (link(&there).parted == 1).then_some(())).expect("the end is noticed");
    let aged = || chain(legs.handle()).map_or(0, |chain| chain.data_age.count);
    let quiet = || {
        let before = aged();
        std::thread::sleep(std::time::Duration::from_millis(50));
        (aged() == before).then_some(())
    };
    eventually(quiet).expect("there are no ages");
    legs.stop();
}
