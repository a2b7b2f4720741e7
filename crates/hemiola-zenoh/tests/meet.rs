//! Well-behaved programs: they come and go in any order, and their messages arrive in theirs.

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{FREE, Goal, Odometry, Side, address_of, connecting, listening, next, odometry, session, unused};
use hemiola::prelude::*;
use hemiola::realtime::ThreadSettings;
use hemiola_bus::{Bus, RobotClock};
use hemiola_link::{LinkHost, LinkStatistics, Links};
use hemiola_model::configuration::{Keep, LinkConfiguration, Sent};
use hemiola_zenoh::ZenohTransport;
use zenoh::Wait;

/// Returns the names of the peers that are there.
fn peers(link: &LinkStatistics) -> Vec<&str> {
    link.peers.iter().map(|peer| peer.name.as_str()).collect()
}

/// Lets two programs exchange messages, and the first one end.
fn pass(robot: Side, laptop: &Side) {
    let (mut driven, mut goals) = (robot.publisher("Odometry"), robot.queue::<Goal>("Goal"));
    let (mut wishes, mut seen) = (laptop.publisher("Goal"), laptop.queue::<Odometry>("Odometry"));
    [&robot, laptop].iter().for_each(|side| side.until_wanted());
    for number in 0..20 {
        driven.publish(odometry(number));
        wishes.publish(Goal { x: 0.5, number });
        assert_eq!(next(&mut seen), odometry(number));
        assert_eq!(next(&mut goals), Goal { x: 0.5, number });
    }
    let link = laptop.until(|link| link.sent[0].messages == 20 && link.received[0].messages == 20);
    assert_eq!((peers(&link), link.met, link.received[0].lost), (vec!["robot"], 1, 0));
    assert_eq!((link.ignored, link.refused, link.problem), (0, 0, None));
    // A side that closes its links says so.
    robot.links.close("it is evening");
    laptop.until(|link| link.parted == 1);
    let (told, goodbye) = (laptop.notes(), "`robot` has disconnected: it has said goodbye: it is evening");
    assert!(told.iter().any(|note| note.ends_with(goodbye)), "{told:?}");
}

#[test]
fn topics_pass_both_ways() {
    let robot = Side::open("robot", listening(FREE, &["Odometry"], &["Goal"]));
    let laptop = Side::open("laptop", connecting(&robot.address(), &["Goal"], &["Odometry"]));
    assert_eq!((robot.statistics().listens, laptop.statistics().listens), (true, false));
    assert!(robot.statistics().to_string().starts_with("link here listens at zenoh:tcp/127.0.0.1:"));
    pass(robot, &laptop);
}

#[test]
fn two_who_connect_to_a_router_meet_there() {
    let router = session("router", &[FREE], &[]);
    let address = address_of(&router);
    let robot = Side::open("robot", connecting(&address, &["Odometry"], &["Goal"]));
    let laptop = Side::open("laptop", connecting(&address, &["Goal"], &["Odometry"]));
    pass(robot, &laptop);
    router.close().wait().unwrap();
}

#[test]
fn links_of_one_program_do_not_meet_each_other() {
    let router = session("router", &[FREE], &[]);
    let link = || connecting(&address_of(&router), &["Odometry"], &["Odometry"]);
    let robot = Side::of("robot", &[link(), LinkConfiguration { name: "other".into(), ..link() }]);
    let laptop = Side::open("laptop", link());
    let met = laptop.until(|link| link.peers.len() == 2);
    assert_eq!(peers(&met), ["robot", "robot"]);
    for link in common::eventually(|| {
        Some(robot.links.statistics()).filter(|links| links.iter().all(|link| !link.peers.is_empty()))
    })
    .unwrap()
    {
        assert_eq!((peers(&link), link.ignored), (vec!["laptop"], 0));
    }
    router.close().wait().unwrap();
}

#[test]
fn it_does_not_matter_who_comes_first() {
    let address = unused();
    let laptop = Side::open("laptop", connecting(&address, &[], &["Odometry"]));
    let nobody =
        format!("no peer has been reached at zenoh:{address} yet: it does not respond; the link will try again");
    laptop.until(|link| link.problem.as_ref() == Some(&nobody));
    let robot = Side::open("robot", listening(&address, &["Odometry"], &[]));
    laptop.until(|link| link.met == 1);
    assert_eq!(laptop.statistics().problem, None);
    let (mut driven, mut seen) = (robot.publisher("Odometry"), laptop.queue::<Odometry>("Odometry"));
    robot.until_wanted();
    driven.publish(odometry(1));
    assert_eq!(next(&mut seen), odometry(1));
}

#[test]
fn who_comes_back_is_met_again_whichever_side_it_is() {
    let address = unused();
    let laptop = Side::open("laptop", connecting(&address, &[], &["Odometry"]));
    let mut seen = laptop.queue::<Odometry>("Odometry");
    for time in 1..=3 {
        let robot = Side::open("robot", listening(&address, &["Odometry"], &[]));
        let mut driven = robot.publisher("Odometry");
        robot.until_wanted();
        driven.publish(odometry(time));
        assert_eq!(next(&mut seen), odometry(time));
        drop(robot);
        laptop.until(|link| link.parted == time && link.peers.is_empty());
    }
    let robot = Side::open("robot", listening(&address, &["Odometry"], &[]));
    robot.until(|link| link.met == 1);
    drop(laptop);
    robot.until(|link| link.parted == 1 && link.sent[0].peers == 0);
    let _laptop = Side::open("laptop", connecting(&address, &[], &["Odometry"]));
    robot.until(|link| link.met == 2);
}

#[test]
fn who_comes_late_hears_what_is_said_from_then_on_and_all_meet_each_other() {
    let robot = Side::open("robot", listening(FREE, &["Odometry"], &[]));
    let link = || connecting(&robot.address(), &[], &["Odometry"]);
    let early = Side::open("early", link());
    let (mut driven, mut seen) = (robot.publisher("Odometry"), early.queue::<Odometry>("Odometry"));
    robot.until_wanted();
    driven.publish(odometry(1));
    assert_eq!(next(&mut seen), odometry(1));
    let late = Side::open("late", link());
    let mut seen_late = late.queue::<Odometry>("Odometry");
    robot.until(|link| link.sent[0].peers == 2);
    driven.publish(odometry(2));
    assert_eq!([next(&mut seen), next(&mut seen_late)], [odometry(2), odometry(2)]);
    for (side, other) in [(&early, "late"), (&late, "early")] {
        let link = side.until(|link| link.peers.len() == 2);
        assert!([other, "robot"].iter().all(|peer| peers(&link).contains(peer)), "{link}");
        assert_eq!((link.met, link.received[0].lost), (2, 0));
    }
}

#[derive(Representation, Clone, Debug, Default, PartialEq)]
struct Image {
    number: u64,
    pixels: Vec<u8>,
}

#[test]
fn large_messages_come_whole_and_in_order_and_more_of_them_than_may_be_on_their_way() {
    let send = vec![Sent { keep: Keep::Last(1000), ..Sent::topic("Image") }];
    let robot = Side::open("robot", LinkConfiguration { send, ..listening(FREE, &[], &[]) });
    let laptop = Side::open("laptop", connecting(&robot.address(), &[], &["Image"]));
    let (mut images, mut seen) = (robot.publisher::<Image>("Image"), laptop.queue::<Image>("Image"));
    robot.until_wanted();
    let image = |number: u64| Image { number, pixels: vec![number as u8; 300_000] };
    // There is room for less than two of them at a time on each part of the way.
    for number in 0..32 {
        images.publish(image(number));
    }
    for number in 0..32 {
        assert_eq!(next(&mut seen), image(number));
    }
    let [sent, received] = [&robot, &laptop].map(Side::statistics);
    assert_eq!((sent.sent[0].dropped, received.received[0].lost, received.met), (0, 0, 1));
}

#[test]
fn services_are_called_as_if_they_were_at_home() {
    let name = || vec!["SaveMap".to_owned()];
    let robot = Side::open("robot", LinkConfiguration { serve: name(), ..listening(FREE, &[], &[]) });
    let laptop = Side::open("laptop", LinkConfiguration { call: name(), ..connecting(&robot.address(), &[], &[]) });
    [&robot, &laptop].iter().for_each(|side| side.bus.allow_calls::<Goal, u64>("SaveMap"));
    let server = robot.bus.server::<Goal, u64>("SaveMap", 4).unwrap();
    let _server = server.spawn(ThreadSettings::new("maps"), |goal: &Goal| goal.number + 1).unwrap();
    laptop.until(|link| link.called[0].peers > 0);
    let mut maps = laptop.bus.client::<Goal, u64>("SaveMap").unwrap();
    let answers = [1, 2, 3].map(|number| maps.call(Goal { x: 0.0, number }, Duration::from_secs(30)).unwrap());
    assert_eq!(answers, [2, 3, 4]);
}

#[test]
fn an_address_that_is_in_use_cannot_be_listened_at_and_the_error_says_what_helps() {
    let robot = Side::open("robot", listening(FREE, &[], &[]));
    let host = LinkHost::new("other", Bus::new(), Arc::new(RobotClock::running(1.0)), |_| {});
    let host = host.with_transport(Arc::new(ZenohTransport::new()));
    let error = Links::open(&[listening(&robot.address(), &[], &[])], host).unwrap_err().to_string();
    let begin = format!("link `here` cannot be opened at zenoh:{}: ", robot.address());
    assert!(error.starts_with(&begin) && error.contains("whose port is free"), "{error}");
}
