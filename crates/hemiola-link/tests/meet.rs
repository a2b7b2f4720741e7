//! Well-behaved programs: they connect in any order, and their messages arrive.

mod common;

use std::sync::Arc;

use common::{Side, connecting, free_tcp, free_udp, free_unix, listening, lossy, next};
use hemiola::prelude::*;
use hemiola_bus::{Bus, RobotClock};
use hemiola_link::{LinkHost, Links};
use hemiola_model::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd, LinkGroup, Received, Sent, Subject};

#[derive(Representation, Clone, Default, PartialEq)]
struct Odometry {
    x: f64,
    y: f64,
    names: Vec<String>,
}

#[derive(Representation, Clone, Default, PartialEq)]
struct Goal {
    x: f32,
    number: u32,
}

/// The same topic in another version of the program.
mod newer {
    use super::*;

    #[derive(Representation, Clone, PartialEq)]
    pub struct Goal {
        pub number: u64,
        pub x: f64,
        pub haste: f32,
    }

    impl Default for Goal {
        fn default() -> Self {
            Self { number: 0, x: 0.0, haste: 0.5 }
        }
    }
}

/// The same topic in a program whose type does not fit.
mod other {
    use super::*;

    #[derive(Representation, Clone, Default, PartialEq)]
    pub struct Goal {
        pub x: String,
        pub number: u32,
    }
}

fn odometry(x: f64) -> Odometry {
    Odometry { x, y: -x, names: vec!["left".into(), "right".into()] }
}

fn pass_both_ways(address: LinkAddress) {
    pass(address, |listens| listens);
}

/// Makes a robot listen, and a laptop connect at the address that `reach` returns.
fn pass(address: LinkAddress, reach: impl FnOnce(LinkAddress) -> LinkAddress) {
    let robot = Side::open("robot", listening(address, &["Odometry"], &["Goal"]));
    let laptop = Side::open("laptop", connecting(reach(robot.address()), &["Goal"], &["Odometry"]));
    let (mut driven, mut goals) = (robot.publisher("Odometry"), robot.queue::<Goal>("Goal"));
    let (mut wishes, mut seen) = (laptop.publisher("Goal"), laptop.queue::<Odometry>("Odometry"));
    [&robot, &laptop].iter().for_each(|side| side.until_wanted());
    for number in 0..20 {
        driven.publish(odometry(f64::from(number)));
        wishes.publish(Goal { x: 0.5, number });
        assert!(next(&mut seen) == odometry(f64::from(number)));
        assert!(next(&mut goals) == Goal { x: 0.5, number });
    }
    let link = laptop.until(|link| link.sent[0].messages == 20 && link.received[0].messages == 20);
    let peers: Vec<_> = link.peers.iter().map(|peer| peer.name.as_str()).collect();
    assert_eq!((peers, link.met, link.received[0].lost), (vec!["robot"], 1, 0));
    assert!(link.peers[0].since > Time::ZERO);
    assert_eq!((link.listens, robot.statistics().listens), (false, true));
    assert_eq!((link.ignored, link.refused, link.problem), (0, 0, None));
    // A side that closes its links says so.
    robot.links.close("it is evening");
    laptop.until(|link| link.parted == 1);
    let told = laptop.notes();
    assert!(
        told.iter().any(|note| note.ends_with("`robot` has disconnected: it has said goodbye: it is evening")),
        "{told:?}"
    );
}

#[test]
fn topics_pass_both_ways_over_unix_sockets() {
    pass_both_ways(free_unix());
}

#[test]
fn topics_pass_both_ways_over_tcp() {
    pass_both_ways(free_tcp());
}

#[test]
fn topics_pass_both_ways_where_programs_choose_the_way_themselves() {
    let auto = || LinkAddress::Auto(([127, 0, 0, 1], 0).into());
    pass_both_ways(auto());
    // A program on another host, or of another user, can use only TCP.
    pass(auto(), |listens| match listens {
        LinkAddress::Auto(address) => LinkAddress::Tcp(address),
        other => panic!("{other}"),
    });
}

#[test]
fn topics_pass_both_ways_over_udp() {
    pass_both_ways(free_udp());
}

#[test]
fn it_does_not_matter_who_comes_first() {
    for address in [free_unix(), free_tcp(), free_udp()] {
        // The address is free, because a program has just stopped using it.
        let address = Side::open("nobody", listening(address, &[], &[])).address();
        let laptop = Side::open("laptop", connecting(address.clone(), &[], &["Odometry"]));
        if !matches!(address, LinkAddress::Udp(_)) {
            laptop.until(|link| link.problem.as_ref().is_some_and(|problem| problem.contains("will try again")));
        }
        let robot = Side::open("robot", listening(address, &["Odometry"], &[]));
        laptop.until(|link| link.met == 1);
        assert_eq!(laptop.statistics().problem, None);
        // It also does not matter whether the topic exists before its receiver.
        let mut driven = robot.publisher("Odometry");
        let mut seen = laptop.queue::<Odometry>("Odometry");
        robot.until_wanted();
        driven.publish(odometry(1.0));
        assert!(next(&mut seen) == odometry(1.0));
    }
}

#[test]
fn who_comes_back_is_met_again() {
    for address in [free_unix(), free_tcp(), free_udp()] {
        let robot = Side::open("robot", listening(address, &["Odometry"], &[]));
        let mut driven = robot.publisher("Odometry");
        let bus = Bus::new();
        for time in 1..=3 {
            let laptop = Side::on(&bus, "laptop", connecting(robot.address(), &[], &["Odometry"]));
            let mut seen = laptop.queue::<Odometry>("Odometry");
            robot.until(|link| link.met == time && link.sent[0].peers == 1);
            driven.publish(odometry(1.0));
            assert!(next(&mut seen) == odometry(1.0));
            drop(laptop);
            robot.until(|link| link.parted == time && link.peers.is_empty() && link.sent[0].peers == 0);
        }
        // The robot has not repeated its remarks.
        assert_eq!(robot.notes().len(), 2, "{:?}", robot.notes());
    }
}

#[test]
fn several_are_served_at_a_time() {
    let robot = Side::open("robot", listening(free_unix(), &["Odometry"], &[]));
    let sides = ["a", "b", "c"].map(|name| Side::open(name, connecting(robot.address(), &[], &["Odometry"])));
    let mut queues = [0, 1, 2].map(|side: usize| sides[side].queue::<Odometry>("Odometry"));
    let mut driven = robot.publisher("Odometry");
    let link = robot.until(|link| link.sent[0].peers == 3);
    assert_eq!(link.peers.len(), 3);
    driven.publish(odometry(2.0));
    assert!(queues.iter_mut().all(|queue| next(queue) == odometry(2.0)));
}

#[test]
fn fields_go_by_their_names_where_types_differ() {
    let robot = Side::open("robot", listening(free_tcp(), &[], &["Goal"]));
    let laptop = Side::open("laptop", connecting(robot.address(), &["Goal"], &[]));
    let mut goals = robot.queue::<newer::Goal>("Goal");
    let mut wishes = laptop.publisher::<Goal>("Goal");
    laptop.until_wanted();
    wishes.publish(Goal { x: 1.5, number: 7 });
    assert!(next(&mut goals) == newer::Goal { number: 7, x: 1.5, haste: 0.5 });
    let told = robot.notes();
    let remark = "link `here`: `Goal` of `laptop`: `haste` is not sent, so it has its default";
    assert!(told.iter().any(|note| note == remark), "{told:?}");
}

#[test]
fn both_sides_learn_which_field_does_not_fit() {
    let robot = Side::open("robot", listening(free_unix(), &[], &["Goal"]));
    let laptop = Side::open("laptop", connecting(robot.address(), &["Goal"], &[]));
    let (_goals, _wishes) = (robot.queue::<other::Goal>("Goal"), laptop.publisher::<Goal>("Goal"));
    let misfit = |side: &Side| side.until(|link| link.problem.is_some()).problem.unwrap();
    let said = misfit(&robot);
    assert!(said.starts_with("`Goal` of `laptop` is not received: `x` has another type in "), "{said}");
    let said = misfit(&laptop);
    assert!(said.starts_with("`robot` does not receive `Goal`: `x` has another type in "), "{said}");
    assert_eq!(laptop.statistics().sent[0].peers, 0);
}

#[test]
fn what_nobody_receives_is_not_even_subscribed_to() {
    let robot = Side::open("robot", listening(free_unix(), &["Odometry"], &[]));
    let laptop = Side::open("laptop", connecting(robot.address(), &[], &["Goal"]));
    let driven = robot.publisher::<Odometry>("Odometry");
    let told = |side: &Side| side.notes().iter().any(|note| note.ends_with("`laptop` does not receive `Odometry`"));
    robot.until(|_| told(&robot));
    assert_eq!(robot.bus.topics()[0].subscribers.len(), 0);
    drop((laptop, driven));
}

#[test]
fn messages_come_no_more_often_than_they_are_wanted_and_the_last_one_comes() {
    let topic = Sent { rate: Some(200.0), keep: Keep::Newest, ..Sent::topic("Goal") };
    let link = LinkConfiguration { send: vec![topic], ..listening(free_unix(), &[], &[]) };
    let robot = Side::open("robot", link);
    let laptop = Side::open("laptop", connecting(robot.address(), &[], &["Goal"]));
    let (mut goals, mut seen) = (robot.publisher::<Goal>("Goal"), laptop.queue::<Goal>("Goal"));
    robot.until_wanted();
    let begin = std::time::Instant::now();
    (1..=1000).for_each(|number| goals.publish(Goal { x: 0.0, number }));
    let (mut last, mut count) = (0, 0_u32);
    while last < 1000 {
        let goal = next(&mut seen);
        assert!(goal.number > last);
        (last, count) = (goal.number, count + 1);
    }
    let most = begin.elapsed().as_secs_f64() * 200.0 + 2.0;
    assert!(f64::from(count) <= most, "{count} of at most {most}");
    robot.until(|link| link.sent[0].messages == u64::from(count));
}

#[test]
fn over_udp_that_loses_a_fifth_the_rest_comes_in_order_and_losses_are_counted() {
    let robot = Side::open("robot", listening(free_udp(), &["Goal"], &[]));
    let LinkAddress::Udp(address) = robot.address() else { panic!("it is UDP") };
    let laptop = Side::open("laptop", connecting(LinkAddress::Udp(lossy(address)), &[], &["Goal"]));
    let (mut goals, mut seen) = (robot.publisher::<Goal>("Goal"), laptop.queue::<Goal>("Goal"));
    robot.until_wanted();
    let mut last = 0;
    for number in 1..=200 {
        goals.publish(Goal { x: 0.0, number });
        robot.until(|link| link.sent[0].messages == u64::from(number));
        while let Some(goal) = seen.receive() {
            assert!(goal.number > last);
            last = goal.number;
        }
    }
    let link = laptop.until(|link| link.received[0].messages + link.received[0].lost >= 199);
    let received = &link.received[0];
    assert!((30..=50).contains(&received.lost), "{received:?}");
    assert_eq!((link.met, received.late, received.unreadable), (1, 0, 0));
}

#[derive(Representation, Clone, Default, PartialEq)]
struct Image {
    number: u32,
    pixels: Vec<u8>,
}

#[test]
fn over_udp_that_loses_a_fifth_long_messages_come_exactly_or_are_counted_as_lost() {
    for lossy in [false, true] {
        let robot = Side::open("robot", listening(free_udp(), &["Image"], &[]));
        let LinkAddress::Udp(address) = robot.address() else { panic!("it is UDP") };
        let address = LinkAddress::Udp(if lossy { common::lossy(address) } else { address });
        let laptop = Side::open("laptop", connecting(address, &[], &["Image"]));
        let (mut images, mut seen) = (robot.publisher::<Image>("Image"), laptop.queue::<Image>("Image"));
        robot.until_wanted();
        // Each has three fragments, so that some come whole where each fifth datagram is lost.
        let image = |number: u32| Image { number, pixels: vec![number as u8; 90_000] };
        let (mut last, mut count) = (0, 0);
        for number in 1.. {
            images.publish(image(number));
            robot.until(|link| link.sent[0].messages == u64::from(number));
            while let Some(come) = seen.receive() {
                assert!(come.number > last && *come == image(come.number));
                (last, count) = (come.number, count + 1);
            }
            if count >= 5 {
                break;
            }
        }
        let received = laptop.until(|link| link.received[0].messages >= count).received.remove(0);
        assert_eq!((received.late, received.unreadable), (0, 0));
        assert!(received.messages + received.lost >= u64::from(last));
    }
}

#[test]
fn robots_of_a_group_meet_and_who_comes_late_hears_what_is_said_from_then_on() {
    let Some(group) = common::free_group() else { return };
    let join = |send: &[&str], receive: &[&str]| LinkConfiguration {
        end: LinkEnd::Join(group.clone()),
        ..listening(free_udp(), send, receive)
    };
    let robot = Side::open("robot", join(&["Odometry"], &["Goal"]));
    let laptop = Side::open("laptop", join(&["Goal"], &["Odometry"]));
    let (mut driven, mut goals) = (robot.publisher("Odometry"), robot.queue::<Goal>("Goal"));
    let (mut wishes, mut seen) = (laptop.publisher("Goal"), laptop.queue::<Odometry>("Odometry"));
    [&robot, &laptop].iter().for_each(|side| side.until_wanted());
    for number in 0..20 {
        driven.publish(odometry(f64::from(number)));
        wishes.publish(Goal { x: 0.5, number });
        assert!(next(&mut seen) == odometry(f64::from(number)));
        assert!(next(&mut goals) == Goal { x: 0.5, number });
    }
    let late = Side::open("late", join(&[], &["Odometry", "Goal"]));
    let (mut seen_late, mut goals_late) = (late.queue::<Odometry>("Odometry"), late.queue::<Goal>("Goal"));
    [&robot, &laptop].iter().for_each(|side| drop(side.until(|link| link.sent[0].peers == 2)));
    driven.publish(odometry(100.0));
    wishes.publish(Goal { x: 0.5, number: 100 });
    assert!([next(&mut seen), next(&mut seen_late)].iter().all(|it| *it == odometry(100.0)));
    assert!([next(&mut goals), next(&mut goals_late)].iter().all(|it| *it == Goal { x: 0.5, number: 100 }));
    let link = late.until(|link| link.received.iter().all(|received| received.messages == 1));
    assert!(link.joins && !link.listens && link.to_string().starts_with("link here joins udp:239.255."), "{link}");
    assert_eq!((link.received[0].lost, link.ignored, link.refused, link.peers.len()), (0, 0, 0, 2));
    robot.until(|link| link.sent[0].messages == 21);
    robot.links.close("it is evening");
    [&laptop, &late].iter().for_each(|side| drop(side.until(|link| link.parted == 1)));
}

#[test]
fn a_group_on_a_network_that_is_not_there_cannot_be_joined_and_the_error_says_what_to_write() {
    let group = LinkGroup { interface: Some("nowhere0".into()), ..LinkGroup::new(([239, 255, 0, 1], 7400).into()) };
    let link = LinkConfiguration { end: LinkEnd::Join(group), ..listening(free_udp(), &[], &[]) };
    let host = LinkHost::new("robot", Bus::new(), Arc::new(RobotClock::running(1.0)), |_| {});
    let error = Links::open(&[link], host).unwrap_err().to_string();
    let begin = "link `here` cannot join udp:239.255.0.1:7400: there is no network interface `nowhere0`: ";
    assert!(error.starts_with(begin) && error.contains("such as `interface = \"wlan0\"`"), "{error}");
}

#[test]
fn a_topic_may_have_another_name_here_than_there() {
    let robot = Side::open("robot", listening(free_unix(), &["Goal"], &[]));
    let received = Received { name_there: Some("Goal".into()), ..Received::new(Subject::topic("Theirs")) };
    let link = LinkConfiguration { receive: vec![received], ..connecting(robot.address(), &[], &[]) };
    let laptop = Side::open("laptop", link);
    let (mut goals, mut theirs) = (robot.publisher::<Goal>("Goal"), laptop.queue::<Goal>("Theirs"));
    robot.until_wanted();
    goals.publish(Goal { x: 1.0, number: 7 });
    assert!(next(&mut theirs) == Goal { x: 1.0, number: 7 });
    assert_eq!(laptop.statistics().received[0].name, "Theirs");
}

/// A type that cannot leave the process.
#[derive(Representation, Clone, Default)]
#[representation(opaque)]
struct Secret {
    _number: u32,
}

#[test]
fn it_is_said_which_topics_cannot_be_had() {
    let robot = Side::open("robot", listening(free_unix(), &["Secret", "Odometri"], &["Gaol"]));
    let _secrets = robot.publisher::<Secret>("Secret");
    let link = robot.until(|link| link.problem.is_some());
    assert!(link.problem.as_ref().is_some_and(|problem| problem.starts_with("`Secret` cannot be sent: ")), "{link:?}");
    let text = link.to_string();
    assert_eq!(text.matches(": this robot has no topic of that name").count(), 3, "{text}");
}
