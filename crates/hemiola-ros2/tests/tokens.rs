//! Checks that names, qualities, tokens and attachments survive a round trip, and that input from
//! others is never trusted.

use std::time::Duration;

use hemiola_ros2::{
    Attachment, Durability, Endpoint, EndpointKind, Gid, History, Interface, InterfaceKind, Liveliness, Node, NodeName,
    Quality, Reliability, Ros2Error, Token, TopicName, TypeHash, TypeName, token_pattern,
};
use proptest::prelude::*;

fn word() -> impl Strategy<Value = String> {
    "[A-Za-z_][A-Za-z0-9_]{0,9}"
}

fn path() -> impl Strategy<Value = String> {
    prop::collection::vec(word(), 1..4).prop_map(|words| format!("/{}", words.join("/")))
}

fn time() -> impl Strategy<Value = Option<Duration>> {
    // A time of which one part equals that of the unlimited time is written without that part.
    prop_oneof![
        Just(None),
        Just(Some(Duration::new(9_223_372_036, 5))),
        Just(Some(Duration::new(7, 854_775_807))),
        (any::<u64>(), 0..1_000_000_000_u32).prop_map(|(seconds, nanos)| Some(Duration::new(seconds, nanos))),
    ]
}

prop_compose! {
    fn quality()(
        policies in (0..6_u32, 0..6_u32, 0..6_u32, 0..6_u32),
        depth: usize,
        deadline in time(),
        lifespan in time(),
        lease in time(),
    ) -> Quality {
        let (reliability, durability, history, liveliness) = policies;
        Quality {
            reliability: match reliability {
                1 => Reliability::Reliable,
                2 => Reliability::BestEffort,
                other => Reliability::Other(other),
            },
            durability: match durability {
                1 => Durability::TransientLocal,
                2 => Durability::Volatile,
                other => Durability::Other(other),
            },
            history: match history {
                1 => History::KeepLast,
                2 => History::KeepAll,
                other => History::Other(other),
            },
            liveliness: match liveliness {
                1 => Liveliness::Automatic,
                3 => Liveliness::ManualByTopic,
                other => Liveliness::Other(other),
            },
            depth,
            deadline,
            lifespan,
            lease,
        }
    }
}

prop_compose! {
    fn node()(
        domain: u32,
        session in "[0-9a-f]{1,32}",
        id: u64,
        namespace in prop_oneof![Just(String::new()), path()],
        name in word(),
        enclave in prop_oneof![Just(String::new()), path()],
    ) -> Node {
        Node { domain, session, id, name: NodeName::new(&namespace, &name).expect("it is a name"), enclave }
    }
}

prop_compose! {
    fn endpoint()(
        node in node(),
        id: u64,
        kind in prop::sample::select(vec![
            EndpointKind::Publisher, EndpointKind::Subscriber, EndpointKind::Server, EndpointKind::Client,
        ]),
        topic in path(),
        folder in prop::sample::select(vec![InterfaceKind::Message, InterfaceKind::Service, InterfaceKind::Action]),
        package in "[a-z][a-z0-9_]{0,9}",
        name in "[A-Z][A-Za-z0-9_]{0,9}",
        hash in prop::option::of(any::<[u8; 32]>()),
        quality in quality(),
    ) -> Endpoint {
        let name = TypeName::new(&package, folder, &name).expect("it is a name");
        Endpoint {
            node,
            id,
            kind,
            topic: TopicName::new(&topic).expect("it is a name"),
            interface: Interface::new(name, hash.map(TypeHash::from_bytes)),
            quality,
        }
    }
}

proptest! {
    #[test]
    fn a_token_comes_back(endpoint in endpoint(), node in node()) {
        let token = endpoint.token();
        // Zenoh permits none of these characters, and no empty part.
        prop_assert!(!token.contains(['*', '$', '?', '#']) && token.split('/').all(|part| !part.is_empty()), "{}", token);
        prop_assert_eq!(token.parse(), Ok(Token::Endpoint(Box::new(endpoint))));
        prop_assert_eq!(node.token().parse(), Ok(Token::Node(node)));
    }

    #[test]
    fn a_key_is_that_of_all_endpoints_with_the_same_topic_type_and_hash(one in endpoint(), other in endpoint()) {
        let same = Endpoint { topic: one.topic.clone(), interface: one.interface.clone(), ..other.clone() };
        let same = Endpoint { node: Node { domain: one.node.domain, ..same.node }, ..same };
        prop_assert_eq!(one.key(), same.key());
        prop_assert_eq!(one.key() == other.key(), one.topic == other.topic
            && one.interface == other.interface && one.node.domain == other.node.domain);
        prop_assert_eq!(one.gid() == other.gid(), one.token() == other.token());
    }

    #[test]
    fn names_come_back(package in "[a-z][a-z0-9_]{0,9}", name in "[A-Z][A-Za-z0-9]{0,9}", namespace in path(), node in word()) {
        let name = TypeName::new(&package, InterfaceKind::Service, &name)?;
        prop_assert_eq!(name.to_string().parse(), Ok(name.clone()));
        prop_assert_eq!(TypeName::from_dds(&name.dds()), Ok(name));
        let node = NodeName::new(&namespace, &node)?;
        prop_assert_eq!(node.to_string().parse(), Ok(node));
    }

    #[test]
    fn a_quality_comes_back(quality in quality(), depth in 1..1000_usize) {
        prop_assert_eq!(Quality::from_token(&quality.to_token()), Ok(quality));
        let named = Quality { depth, ..Quality::default() };
        for reliability in [Reliability::Reliable, Reliability::BestEffort] {
            for durability in [Durability::Volatile, Durability::TransientLocal] {
                let quality = Quality { reliability, durability, ..named };
                prop_assert_eq!(quality.to_string().parse(), Ok(quality));
            }
        }
    }

    #[test]
    fn an_attachment_comes_back(sequence: i64, time_ns: i64, gid: [u8; 16], bytes in prop::collection::vec(any::<u8>(), 0..50)) {
        let attachment = Attachment { sequence, time_ns, gid: Gid(gid) };
        prop_assert_eq!(Attachment::from_bytes(&attachment.to_bytes()), Ok(attachment));
        if let Ok(read) = Attachment::from_bytes(&bytes) {
            prop_assert_eq!(&read.to_bytes()[..], &bytes[..]);
        }
    }

    #[test]
    fn what_others_write_is_read_or_refused_with_what_is_wrong(
        endpoint in endpoint(),
        at in any::<prop::sample::Index>(),
        with in "\\PC{0,3}|[/%:,]",
    ) {
        // A token in which one place is changed.
        let token = endpoint.token();
        let (before, after) = token.split_at(at.index(token.len()));
        let token = format!("{before}{with}{}", after.get(1..).unwrap_or_default());
        match token.parse::<Token>() {
            Ok(read) => {
                // What is parsed is written in a way that parses to the same value, however it was
                // written.
                prop_assert_eq!(read.to_string().parse(), Ok(read));
            }
            Err(Ros2Error::Token { token: named, why }) => prop_assert!(named == token && !why.is_empty()),
            Err(other) => prop_assert!(false, "{other}"),
        }
    }
}

#[test]
fn tokens_of_other_programs_are_read() {
    // Tokens as rmw_zenoh writes them: a node in the root namespace, and a server whose quality is
    // the default.
    let node = "@ros2_lv/0/aac3178e146ba6f1fc6e6a4085e77f21/0/0/NN/%/%/listener";
    let Ok(Token::Node(listener)) = node.parse() else { panic!("it is a node") };
    assert_eq!((listener.name.to_string().as_str(), listener.id, listener.enclave.as_str()), ("/listener", 0, ""));

    let hash = "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a";
    let server = format!(
        "@ros2_lv/2/8b20917502ee955ac4476e0266340d5c/0/10/SS/%/%demo/server/%demo%add_two_ints/example_interfaces::srv::dds_::AddTwoInts_/{hash}/::,10:,:,:,,"
    );
    let Ok(Token::Endpoint(server)) = server.parse() else { panic!("it is a server") };
    assert_eq!((server.kind, server.node.name.to_string().as_str()), (EndpointKind::Server, "/demo/server"));
    assert_eq!(server.key(), format!("2/demo/add_two_ints/example_interfaces::srv::dds_::AddTwoInts_/{hash}"));
    assert_eq!(server.quality, Quality::default());
    assert_eq!(token_pattern(2), "@ros2_lv/2/**");
}

#[test]
fn the_quality_of_others_stays_readable() {
    let read = |text| Quality::from_token(text).map(|quality| quality.to_string());
    assert_eq!(read("::,:,:,:,,").as_deref(), Ok("reliable, volatile, depth 42"));
    assert_eq!(read("1:2:1,10:,:,:1,,").as_deref(), Ok("reliable, volatile, depth 10"));
    assert_eq!(read("2:1:2,:,:,:,,").as_deref(), Ok("best effort, transient local, keep all"));
    assert_eq!(
        read("4:4:,5:0,100000000:1,0:5,,").as_deref(),
        Ok("reliability 4, durability 4, depth 5, deadline 100ms, lifespan 1s, liveliness 5")
    );
    for (text, why) in [
        ("", "it has 1 parts instead of 6"),
        ("::,:,:,", "it has 5 parts instead of 6"),
        ("x::,:,:,:,,", "its reliability is `x`, which is not a number"),
        ("::,-1:,:,:,,", "its depth is `-1`, which is not a number"),
        ("::10:,:,:,,", "its history has no `,`"),
        ("::,:,:,:,18446744073709551615,18446744073709551615", "which is not a time"),
    ] {
        let error = Quality::from_token(text).expect_err(text).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_wrong_quality_is_an_error_with_the_words_that_are_known() {
    for (text, why) in [
        ("", "`` is unknown (use `reliable`, `best effort`"),
        ("relaible", "`relaible` is unknown (use `reliable`, `best effort`"),
        ("reliable, best effort", "`best effort` comes after another reliability (remove one of them)"),
        ("depth 5, keep all", "`keep all` comes after another history"),
        ("depth 0", "`depth 0` is not a depth (use `depth 1` or more)"),
    ] {
        let error = text.parse::<Quality>().expect_err(text).to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_wrong_name_is_an_error_with_the_rule_and_the_remedy() {
    let topic = |name: &str| TopicName::new(name).map(|_| ());
    let node = |name: &str| name.parse::<NodeName>().map(|_| ());
    let of_type = |name: &str| name.parse::<TypeName>().map(|_| ());
    let long = format!("/{}", "a".repeat(300));
    for (refused, text) in [
        (topic(""), "`` is not a valid ROS 2 topic name: it is empty (as in `/camera/image`)"),
        (topic("scan"), "`scan` is not a valid ROS 2 topic name: it does not begin with `/`"),
        (topic("/scan/"), "it ends with `/` (remove the last `/`)"),
        (topic("/a//b"), "it has `//` (remove one `/`)"),
        (topic("/camera/2d"), "`2d` begins with a digit (begin each part with a letter or `_`)"),
        (topic("/kamera/größe"), "it has a `ö`"),
        (topic(&long), "it has 301 letters, and 247 are permitted (use a shorter one)"),
        (node("/a b/c"), "`/a b` is not a valid ROS 2 namespace: it has a ` `"),
        (node("2nao"), "`2nao` is not a valid ROS 2 node name: begins with a digit"),
        (node("/nao/"), "`` is not a valid ROS 2 node name: is empty"),
        (
            of_type("Imu"),
            "`Imu` is not a valid ROS 2 type name: it does not consist of a package, a kind and a name (as in",
        ),
        (of_type("sensor_msgs/message/Imu"), "it does not consist of a package, a kind and a name"),
        (of_type("Sensors/msg/Imu"), "its package has a `S` (use lower-case letters"),
        (of_type("sensor_msgs/msg/I-mu"), "its last part has a `-`"),
    ] {
        let error = refused.expect_err(text).to_string();
        assert!(error.contains(text), "{error}");
    }
}

#[test]
fn attachments_of_earlier_versions_are_refused() {
    // In 2024 a name preceded each value.
    let mut bytes = b"\x0fsequence_number".to_vec();
    bytes.extend([1, 0, 0, 0, 0, 0, 0, 0]);
    let error = Attachment::from_bytes(&bytes).expect_err("it is another form").to_string();
    assert!(error.starts_with("the attachment of a message has 24 bytes, beginning with [0f, 73, 65"), "{error}");
    let mut bytes = Attachment { sequence: 1, time_ns: 2, gid: Gid([3; 16]) }.to_bytes();
    assert_eq!(bytes[..17], [1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 16]);
    bytes[16] = 15;
    let error = Attachment::from_bytes(&bytes).expect_err("the GID is too short").to_string();
    assert!(error.ends_with("the length of the sender's GID is not 16"), "{error}");
}
