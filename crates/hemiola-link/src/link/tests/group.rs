//! Links that have joined a group on the loopback interface.

use std::io;
use std::net::SocketAddr;

use hemiola_bus::Queue;
use hemiola_model::configuration::LinkGroup;

use super::*;
use crate::multicast::GroupSockets;
use crate::wire::{Frame, Message, VERSION_WITH_FRAGMENTS, datagram_head};

/// A member of a group, which says something and hears what others say.
struct Member<T: Representation> {
    rig: Rig,
    said: Publisher<T>,
    heard: Queue<T>,
}

impl<T: Representation> Member<T> {
    fn join(group: &LinkGroup) -> Self {
        let bus = Bus::new();
        let said = bus.readable_topic("Said").unwrap().publisher();
        let heard = bus.readable_topic("Heard").unwrap().queue(16, WhenFull::DropOldest);
        let link = LinkConfiguration {
            send: vec![Sent::topic("Said")],
            receive: vec![Received { name_there: Some("Said".into()), ..Received::new(Subject::topic("Heard")) }],
            ..LinkConfiguration::new("team", LinkEnd::Join(group.clone()))
        };
        Self { rig: Rig::of(link, &bus), said, heard }
    }

    fn say(&mut self, message: T) {
        self.said.publish(message);
        self.rig.link.note_published(0);
    }

    fn met(&self) -> usize {
        self.rig.statistics().peers.len()
    }
}

impl Member<Counted> {
    fn heard(&mut self) -> Vec<u32> {
        std::iter::from_fn(|| self.heard.receive().map(|message| message.0)).collect()
    }
}

/// Returns a group on the loopback interface that no other test is in; `None` where there is no
/// such thing.
fn group(port: u16) -> Option<LinkGroup> {
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let group = LinkGroup { interface: Some("lo".into()), ..LinkGroup::new(([239, 255, high, low], port).into()) };
    let comes_back = || -> io::Result<()> {
        let GroupSockets { own, shared, group } = GroupSockets::open(&group)?;
        own.send_to(b"hello", group)?;
        shared.recv(&mut [0; 5]).map(drop)
    };
    match comes_back() {
        Ok(()) => Some(group),
        Err(error) => {
            eprintln!("SKIPPED: there is no multicast over the loopback interface here: {error}");
            None
        }
    }
}

const HELLO: Frame<'_> = Frame::Hello { version: VERSION_WITH_FRAGMENTS, robot: "stranger" };

/// Has somebody send a frame, with these numbers of who sends it and who receives it.
fn say(stranger: &GroupSockets, [from, to]: [u64; 2], frame: &Frame<'_>, address: SocketAddr) {
    let mut datagram = datagram_head(from, to).to_vec();
    frame.write(&mut datagram);
    stranger.own.send_to(&datagram, address).unwrap();
}

/// Has all members handle what is due at this time, in milliseconds, until they know of each other.
fn at<T: Representation>(members: &mut [Member<T>], milliseconds: u64) {
    for _ in 0..5 {
        members.iter_mut().for_each(|member| _ = member.rig.at(milliseconds));
    }
}

#[test]
fn two_talk_and_a_third_that_joins_late_hears_and_is_heard() {
    let Some(group) = group(7401) else { return };
    let mut members: Vec<_> = (0..2).map(|_| Member::<Counted>::join(&group)).collect();
    at(&mut members, 0);
    assert_eq!([0, 1].map(|member: usize| members[member].met()), [1, 1]);
    for number in 1..=3 {
        members[0].say(Counted(number));
        members[1].say(Counted(10 * number));
        at(&mut members, number.into());
    }
    assert_eq!([0, 1].map(|member: usize| members[member].heard()), [vec![10, 20, 30], vec![1, 2, 3]]);

    members.push(Member::join(&group));
    at(&mut members, 4);
    assert_eq!([0, 1, 2].map(|member: usize| members[member].met()), [2, 2, 2]);
    (0..3).for_each(|member| members[member].say(Counted(100 + member as u32)));
    at(&mut members, 5);
    let heard = [0, 1, 2].map(|member: usize| {
        let mut heard = members[member].heard();
        heard.sort_unstable();
        heard
    });
    assert_eq!(heard, [[101, 102], [100, 102], [100, 101]]);
    for member in &members {
        let link = member.rig.statistics();
        assert_eq!((link.received[0].lost, link.received[0].late, link.ignored, link.refused), (0, 0, 0, 0));
        assert_eq!((link.sent[0].peers, &link.problem), (2, &None));
    }
    // A message is sent once, whatever the number of members.
    assert_eq!([0, 1, 2].map(|member: usize| members[member].rig.statistics().sent[0].messages), [4, 4, 1]);

    members.pop().unwrap().rig.link.end("it is evening");
    at(&mut members, 6);
    assert_eq!([0, 1].map(|member: usize| members[member].met()), [1, 1]);
    // They know of each other by their hellos, each second.
    for second in 1..20 {
        at(&mut members, 1000 * second);
    }
    assert_eq!([0, 1].map(|member: usize| members[member].rig.statistics().parted), [1, 1]);
    // One of them is killed.
    members.pop();
    for second in 20..26 {
        at(&mut members, 1000 * second);
    }
    assert_eq!((members[0].met(), members[0].rig.statistics().parted), (0, 2));
}

#[test]
fn a_long_message_comes_to_all_members_in_fragments() {
    let Some(group) = group(7402) else { return };
    let mut members: Vec<_> = (0..3).map(|_| Member::<Long>::join(&group)).collect();
    at(&mut members, 0);
    let message = Long((0..500_000).map(|place| (place % 251) as u8).collect());
    members[1].say(message.clone());
    (1..20).for_each(|milliseconds| at(&mut members, milliseconds));
    for (number, member) in members.iter_mut().enumerate() {
        let heard = member.heard.receive();
        assert_eq!(heard.is_some_and(|heard| *heard == message), number != 1);
        assert!(member.heard.receive().is_none());
    }
}

#[test]
fn there_are_no_more_peers_than_there_may_be_and_that_is_told() {
    let Some(group) = group(7403) else { return };
    let mut member = Member::<Counted>::join(&group);
    let strangers: Vec<_> = (0..=MOST_PEERS).map(|_| GroupSockets::open(&group).unwrap()).collect();
    member.rig.at(0);
    for (stranger, number) in strangers.iter().zip(1..) {
        say(stranger, [number, 0], &HELLO, stranger.group);
        member.rig.at(0);
        let mut answer = [0; 1000];
        let Ok((_, address)) = stranger.own.recv_from(&mut answer) else {
            assert_eq!(number, MOST_PEERS as u64 + 1);
            continue;
        };
        let theirs = u64::from_le_bytes(answer[..8].try_into().unwrap());
        say(stranger, [number, theirs], &HELLO, address);
        member.rig.at(0);
        assert_eq!(member.met() as u64, number);
    }
    let link = member.rig.statistics();
    assert_eq!((link.peers.len(), link.ignored), (MOST_PEERS, 1));
    assert_eq!(link.problem.as_deref(), Some("a peer was refused: as many peers are connected as may be"));
}

#[test]
fn members_of_other_types_and_strangers_disturb_nobody() {
    let Some(group) = group(7404) else { return };
    let mut others = vec![Member::<Long>::join(&group)];
    let mut members: Vec<_> = (0..2).map(|_| Member::<Counted>::join(&group)).collect();
    for _ in 0..3 {
        at(&mut others, 0);
        at(&mut members, 0);
    }
    assert_eq!((others[0].met(), members[0].met(), members[0].rig.statistics().sent[0].peers), (2, 2, 1));
    let problem = members[0].rig.statistics().problem.clone().unwrap_or_default();
    assert!(problem.contains("`data` has another type"), "{problem}");
    let stranger = GroupSockets::open(&group).unwrap();
    let cdr = &[0, 1, 0, 0, 9, 0, 0, 0];
    let message = Frame::Message(Message { topic: 0, sequence: 7, time: 0, stamp: None, cdr });
    say(&stranger, [5, 0], &message, stranger.group);
    say(&stranger, [0, 0], &HELLO, stranger.group);
    say(&stranger, [5, 7], &Frame::Goodbye { reason: "nobody" }, stranger.group);
    stranger.own.send_to(b"garbage", stranger.group).unwrap();
    members[0].say(Counted(1));
    at(&mut others, 1);
    at(&mut members, 1);
    assert_eq!((members[1].heard(), others[0].heard.receive().is_none()), (vec![1], true));
    let link = members[1].rig.statistics();
    assert_eq!((link.ignored, link.refused, link.met, link.received[0].messages), (3, 0, 2, 1));
}

#[test]
fn a_group_has_no_services() {
    let link = LinkConfiguration {
        serve: vec!["SaveMap".to_owned()],
        ..LinkConfiguration::new("team", LinkEnd::Join(LinkGroup::new(([239, 255, 0, 1], 7405).into())))
    };
    let (bus, clock, wakeup) = (Bus::new(), Arc::new(RobotClock::stepped()), Arc::new(Wakeup::new()));
    let ends = Ends { bus: bus.clone(), clock, scale: None, robot: None };
    let services = Services::new(&link.serve, &link.call, bus, wakeup);
    let topics = Topics::of_link(&link, ends, &[]);
    let desk = Desk::new("robot".into(), topics, services, LinkStatistics::of(&link), Arc::new(|_| {}));
    let refused = Link::open(&link, desk, None, (Tokens::of(0), Poll::new().unwrap().registry()));
    assert!(refused.is_err_and(|error| error.to_string().contains("`serve` and `call` belong in another link")));
}
