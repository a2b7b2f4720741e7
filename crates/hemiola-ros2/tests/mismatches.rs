//! Checks that endpoints that do not exchange messages are found, and reported in a sentence that a
//! person can act on.

use std::time::Duration;

use hemiola_ros2::{
    Durability, Endpoint, EndpointKind, Interface, Liveliness, MismatchKind, Node, Quality, Reliability, TopicName,
    TypeHash, mismatches,
};

/// An endpoint of a node for messages of a type whose hash has this byte everywhere.
fn endpoint(node: &str, kind: EndpointKind, topic: &str, type_name: &str, hash: Option<u8>) -> Endpoint {
    let hash = hash.map(|byte| TypeHash::from_bytes([byte; 32]));
    Endpoint {
        node: Node { domain: 0, session: "a1".into(), id: 0, name: node.parse().unwrap(), enclave: String::new() },
        id: 1,
        kind,
        topic: TopicName::new(topic).unwrap(),
        interface: Interface::new(type_name.parse().unwrap(), hash),
        quality: Quality::default(),
    }
}

fn publisher(node: &str, type_name: &str, hash: Option<u8>) -> Endpoint {
    endpoint(node, EndpointKind::Publisher, "/ball", type_name, hash)
}

fn subscriber(node: &str, type_name: &str, hash: Option<u8>) -> Endpoint {
    endpoint(node, EndpointKind::Subscriber, "/ball", type_name, hash)
}

fn sentences(endpoints: &[Endpoint]) -> Vec<String> {
    mismatches(endpoints).iter().map(ToString::to_string).collect()
}

#[test]
fn equal_types_and_fitting_qualities_are_no_mismatch() {
    let mut endpoints = vec![
        publisher("/nao", "nao/msg/Ball", Some(1)),
        subscriber("/viewer", "nao/msg/Ball", Some(1)),
        // Two publishers of different types do not concern each other.
        publisher("/other", "nao/msg/Ball", Some(1)),
        endpoint("/nao", EndpointKind::Publisher, "/image", "sensor_msgs/msg/Image", Some(2)),
        endpoint("/nao", EndpointKind::Publisher, "/image", "sensor_msgs/msg/CompressedImage", Some(3)),
    ];
    // The publisher offers more than the subscriber requests.
    endpoints[1].quality = Quality { reliability: Reliability::BestEffort, ..Quality::default() };
    endpoints[0].quality = Quality { durability: Durability::TransientLocal, ..Quality::default() };
    assert_eq!(sentences(&endpoints), [""; 0]);
}

#[test]
fn domains_do_not_meet() {
    let mut endpoints = [publisher("/nao", "nao/msg/Ball", Some(1)), subscriber("/viewer", "nao/msg/Ball", Some(2))];
    assert_eq!(mismatches(&endpoints).len(), 1);
    endpoints[1].node.domain = 7;
    assert_eq!(mismatches(&endpoints).len(), 0);
}

#[test]
fn unequal_hashes_are_said_with_both_nodes_and_both_hashes() {
    let endpoints = [subscriber("/viewer", "nao/msg/Ball", Some(0x2b)), publisher("/nao", "nao/msg/Ball", Some(0x1a))];
    let (ours, theirs) = ("1a".repeat(32), "2b".repeat(32));
    assert_eq!(
        sentences(&endpoints),
        [format!(
            "`/ball`: /nao publishes nao/msg/Ball with the hash RIHS01_{ours} and /viewer expects it with the hash \
             RIHS01_{theirs}, so that nothing arrives: their definitions differ (build both from one; that of a robot is \
             written by `export ros-package`)"
        )]
    );
    assert_eq!(mismatches(&endpoints)[0].kind, MismatchKind::Hash);
}

#[test]
fn unequal_types_are_said_before_hashes_and_qualities() {
    let mut endpoints = [publisher("/nao", "nao/msg/Ball", Some(1)), subscriber("/viewer", "soccer/msg/Ball", Some(2))];
    endpoints[0].quality.reliability = Reliability::BestEffort;
    assert_eq!(
        sentences(&endpoints),
        [
            "`/ball`: /nao publishes nao/msg/Ball and /viewer expects soccer/msg/Ball, so that nothing arrives (let both use \
          one type, or rename one of the topics)"
        ]
    );
}

#[test]
fn services_of_unequal_types_are_called_services() {
    let server = endpoint("/nao", EndpointKind::Server, "/kick", "std_srvs/srv/SetBool", Some(1));
    let client = endpoint("/coach", EndpointKind::Client, "/kick", "std_srvs/srv/Trigger", Some(2));
    assert_eq!(
        sentences(&[server, client]),
        [
            "`/kick`: /nao serves std_srvs/srv/SetBool and /coach calls std_srvs/srv/Trigger, so that nothing arrives (let \
          both use one type, or rename one of the services)"
        ]
    );
}

#[test]
fn a_system_without_hashes_is_named() {
    let endpoints = [publisher("/nao", "nao/msg/Ball", Some(0x1a)), subscriber("/old", "nao/msg/Ball", None)];
    let [sentence] = &sentences(&endpoints)[..] else { panic!("one does not fit") };
    assert!(sentence.contains("but /old has no hashes of types and /nao has RIHS01_1a1a"), "{sentence}");
    let endpoints = [publisher("/old", "nao/msg/Ball", None), subscriber("/nao", "nao/msg/Ball", Some(0x1a))];
    let [sentence] = &sentences(&endpoints)[..] else { panic!("one does not fit") };
    assert!(sentence.contains("but /old has no hashes of types and /nao has RIHS01_1a1a"), "{sentence}");
}

#[test]
fn qualities_that_do_not_fit_are_said_each() {
    let mut endpoints = [publisher("/nao", "nao/msg/Ball", Some(1)), subscriber("/viewer", "nao/msg/Ball", Some(1))];
    endpoints[0].quality = "best effort, volatile".parse().unwrap();
    endpoints[1].quality = "reliable, transient local".parse().unwrap();
    assert_eq!(
        sentences(&endpoints),
        [
            "`/ball`: /nao publishes nao/msg/Ball best effort and /viewer expects it reliable: what is lost is not \
             repeated, and over DDS nothing arrives (make the publisher `reliable`, or the subscriber `best effort`)",
            "`/ball`: /nao publishes nao/msg/Ball volatile and /viewer expects it transient local: what was published \
             before /viewer came does not arrive, and over DDS nothing does (make the publisher `transient local`, or the \
             subscriber `volatile`)"
        ]
    );
}

#[test]
fn a_deadline_that_is_longer_than_the_requested_one_is_said() {
    let mut endpoints = [publisher("/nao", "nao/msg/Ball", Some(1)), subscriber("/viewer", "nao/msg/Ball", Some(1))];
    let mut said = |offered, requested| {
        endpoints[0].quality.deadline = offered;
        endpoints[1].quality.deadline = requested;
        sentences(&endpoints)
    };
    let [short, long] = [100, 250].map(|milliseconds| Some(Duration::from_millis(milliseconds)));
    let expected = |offer| {
        [format!(
            "`/ball`: /nao publishes nao/msg/Ball {offer} and /viewer expects one of 100ms: it may miss that, and over \
             DDS nothing arrives (give the publisher a `deadline` of at most 100ms, or the subscriber a longer one)"
        )]
    };
    assert_eq!(said(long, short), expected("with a deadline of 250ms"));
    assert_eq!(said(None, short), expected("without a deadline"));
    for (offered, requested) in
        [(short, short), (short, long), (short, None), (None, None), (None, Some(Duration::ZERO))]
    {
        assert_eq!(said(offered, requested), [""; 0]);
    }
}

#[test]
fn a_liveliness_that_promises_less_than_the_requested_one_is_said() {
    let mut endpoints = [publisher("/nao", "nao/msg/Ball", Some(1)), subscriber("/viewer", "nao/msg/Ball", Some(1))];
    let mut said = |offered: (Liveliness, Option<Duration>), requested: (Liveliness, Option<Duration>)| {
        (endpoints[0].quality.liveliness, endpoints[0].quality.lease) = offered;
        (endpoints[1].quality.liveliness, endpoints[1].quality.lease) = requested;
        sentences(&endpoints)
    };
    use Liveliness::{Automatic, ManualByTopic};
    let [short, long] = [100, 250].map(|milliseconds| Some(Duration::from_millis(milliseconds)));
    assert_eq!(
        said((Automatic, short), (ManualByTopic, short)),
        [
            "`/ball`: /nao publishes nao/msg/Ball with automatic liveliness and /viewer expects it manual by topic: what its \
          program does is not seen, and over DDS nothing arrives (give the publisher `liveliness = \"manual by topic\"`, or \
          the subscriber `\"automatic\"`)"
        ]
    );
    let expected = |offer| {
        [format!(
            "`/ball`: /nao publishes nao/msg/Ball {offer} and /viewer expects one of 100ms: its liveliness may be lost \
             before, and over DDS nothing arrives (give the publisher a `lease` of at most 100ms, or the subscriber a longer \
             one)"
        )]
    };
    assert_eq!(said((ManualByTopic, long), (ManualByTopic, short)), expected("with a lease of 250ms"));
    assert_eq!(said((Automatic, None), (Automatic, short)), expected("without a lease"));
    for (offered, requested) in [
        ((ManualByTopic, short), (Automatic, long)),
        ((Automatic, short), (Automatic, short)),
        ((Automatic, None), (Automatic, Some(Duration::ZERO))),
        // What later versions of ROS 2 may have is not judged.
        ((Liveliness::Other(5), short), (ManualByTopic, short)),
    ] {
        assert_eq!(said(offered, requested), [""; 0]);
    }
}

#[test]
fn services_are_compared_by_type_and_hash_only() {
    let service = |node, kind, hash| endpoint(node, kind, "/plan", "nav_demo/srv/Plan", Some(hash));
    let mut endpoints = [service("/nao", EndpointKind::Server, 1), service("/panel", EndpointKind::Client, 2)];
    let [sentence] = &sentences(&endpoints)[..] else { panic!("one does not fit") };
    assert!(sentence.starts_with("`/plan`: /nao serves nav_demo/srv/Plan with the hash RIHS01_0101"), "{sentence}");
    assert!(sentence.contains("and /panel calls it with the hash RIHS01_0202"), "{sentence}");
    endpoints[1] = service("/panel", EndpointKind::Client, 1);
    endpoints[0].quality.reliability = Reliability::BestEffort;
    assert_eq!(sentences(&endpoints), [""; 0]);
}

#[test]
fn the_order_in_which_tokens_were_seen_makes_no_difference() {
    let mut endpoints = vec![
        publisher("/c", "nao/msg/Ball", Some(1)),
        subscriber("/b", "nao/msg/Ball", Some(2)),
        subscriber("/a", "nao/msg/Ball", Some(3)),
        endpoint("/d", EndpointKind::Publisher, "/arm", "nao/msg/Arm", Some(1)),
        endpoint("/e", EndpointKind::Subscriber, "/arm", "nao/msg/Arm", Some(2)),
    ];
    let before = sentences(&endpoints);
    assert_eq!(before.len(), 3);
    assert!(
        before[0].starts_with("`/arm`: /d ") && before[1].contains("/a expects") && before[2].contains("/b expects")
    );
    endpoints.reverse();
    assert_eq!(sentences(&endpoints), before);
}

#[test]
fn what_is_said_of_many_endpoints_is_bounded() {
    // A hundred million pairs: those that match are not visited, and of the others a thousand are
    // reported.
    let crowd = |hash: fn(usize) -> u8| -> Vec<Endpoint> {
        let ends = (0..20_000).map(|index| {
            let node = format!("/node{index}");
            let end = if index % 2 == 0 { publisher } else { subscriber };
            end(&node, "nao/msg/Ball", Some(hash(index)))
        });
        ends.collect()
    };
    assert_eq!(mismatches(&crowd(|_| 1)).len(), 0);
    assert_eq!(mismatches(&crowd(|index| index as u8)).len(), 1000);
    // The same holds for deadlines: each one that is requested is longer than all that are offered.
    let mut hasty = crowd(|_| 1);
    for (index, endpoint) in hasty.iter_mut().enumerate() {
        let extra = if index % 2 == 0 { 0 } else { 1_000_000 };
        endpoint.quality.deadline = Some(Duration::from_millis(1 + index as u64 + extra));
    }
    assert_eq!(mismatches(&hasty).len(), 0);
    hasty[1].quality.deadline = Some(Duration::from_millis(3));
    // All publishers but two offer less than this subscriber requests.
    assert_eq!(mismatches(&hasty).len(), 1000);
}
