//! Lifespans and liveliness, between two nodes and with others that write the same tokens and
//! attachments.

mod common;

use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use common::{Side, eventually, next, publishing, subscribing};
use hemiola_model::configuration::{Ros2Configuration, Ros2Liveliness, Ros2Quality};
use hemiola_ros::geometry_msgs::Point;
use hemiola_ros2::{
    Attachment, Durability, Endpoint, EndpointKind, Interface, Liveliness, Node, Quality, Token, TopicName,
    token_pattern,
};
use zenoh::{Config, Session, Wait};
use zenoh_ext::{AdvancedPublisherBuilderExt, AdvancedSubscriberBuilderExt, CacheConfig, HistoryConfig};

const SECOND: Duration = Duration::from_secs(1);
/// A lifespan or lease that is over soon.
const SHORT: Duration = Duration::from_millis(50);

fn point(x: f64) -> Point {
    Point { x, y: -x, z: 0.5 }
}

/// Returns the configuration of a node that publishes a map with these times.
fn map(lifespan: Option<Duration>, lease: Option<Duration>) -> Ros2Configuration {
    let mut map = publishing("/map", "Map", Ros2Quality::TransientLocal);
    (map.publish[0].lifespan, map.publish[0].lease, map.publish[0].depth) = (lifespan, lease, 3);
    map.publish[0].liveliness = if lease.is_some() { Ros2Liveliness::ManualByTopic } else { Ros2Liveliness::Automatic };
    map
}

/// A program that speaks as `rmw_zenoh` does, and is no robot.
struct Foreign {
    session: Session,
}

impl Foreign {
    fn of(router: &Side) -> Self {
        let mut config = Config::default();
        let connect = format!("[{:?}]", router.address());
        let settings = [
            ("mode", "\"peer\""),
            ("connect/endpoints", &connect),
            ("listen/endpoints", "[]"),
            ("timestamping/enabled", "true"),
        ];
        settings.iter().for_each(|(key, value)| config.insert_json5(key, value).unwrap());
        config.insert_json5("scouting/multicast/enabled", "false").unwrap();
        Self { session: zenoh::open(config).wait().unwrap() }
    }

    fn endpoint(&self, kind: EndpointKind, quality: Quality) -> Endpoint {
        let session = self.session.zid().to_string();
        let (topic, name) = (TopicName::new("/map").unwrap(), "/foreign".parse().unwrap());
        let schema = hemiola_model::cdr::MessageSchema::of("Point", &<Point as hemiola_model::data::Data>::data_type());
        let interface = Interface::new(schema.name.parse().unwrap(), Some(schema.type_hash.parse().unwrap()));
        let node = Node { domain: 7, session, id: 0, name, enclave: String::new() };
        Endpoint { node, id: 1, kind, topic, interface, quality }
    }

    /// Publishes points of these ages, which it keeps for those who come later, and says that it
    /// does. It does so as long as what is returned is kept.
    fn publishes(&self, quality: Quality, ages: &[Duration]) -> impl Sized + use<> {
        let endpoint = self.endpoint(EndpointKind::Publisher, quality);
        let builder =
            self.session.declare_publisher(endpoint.key()).cache(CacheConfig::default().max_samples(ages.len()));
        let publisher = builder.publisher_detection().wait().unwrap();
        let token = self.session.liveliness().declare_token(endpoint.token()).wait().unwrap();
        for (number, age) in (1..).zip(ages) {
            let published = SystemTime::now().duration_since(UNIX_EPOCH).unwrap() - *age;
            let attachment = Attachment { sequence: number, time_ns: published.as_nanos() as i64, gid: endpoint.gid() };
            let cdr = hemiola_model::cdr::encode(&point(number as f64));
            publisher.put(cdr).attachment(&attachment.to_bytes()[..]).wait().unwrap();
        }
        (publisher, token)
    }

    /// Returns the numbers of the messages that come to a subscriber that asks for earlier ones.
    fn hears(&self, quality: Quality) -> (Receiver<i64>, impl Sized + use<>) {
        let (heard, numbers) = channel();
        let hear = move |sample: zenoh::sample::Sample| {
            let bytes = sample.attachment().unwrap().to_bytes();
            _ = heard.send(Attachment::from_bytes(&bytes).unwrap().sequence);
        };
        let endpoint = self.endpoint(EndpointKind::Subscriber, quality);
        let builder = self.session.declare_subscriber(endpoint.key()).callback(hear);
        let history = HistoryConfig::default().detect_late_publishers().max_samples(quality.depth);
        let subscriber = builder.history(history).wait().unwrap();
        (numbers, subscriber)
    }

    /// Returns the quality of service in the token of the robot's publisher of the map.
    fn quality_of_the_map(&self) -> Option<(Quality, String)> {
        let tokens = self.session.liveliness().get(token_pattern(7)).wait().unwrap();
        let tokens = tokens.into_iter().filter_map(|reply| Some(reply.result().ok()?.key_expr().to_string()));
        let endpoints = tokens.filter_map(|token| match token.parse() {
            Ok(Token::Endpoint(endpoint)) if endpoint.topic.as_str() == "/map" => Some((endpoint.quality, token)),
            _ => None,
        });
        endpoints.last()
    }
}

fn transient_local(lifespan: Option<Duration>) -> Quality {
    Quality { durability: Durability::TransientLocal, lifespan, ..Quality::default() }
}

#[test]
fn others_read_lifespan_and_liveliness_in_the_token() {
    let slam = Side::router("slam", map(Some(Duration::from_millis(2500)), Some(SECOND)));
    let _maps = slam.publisher::<Point>("Map");
    slam.until(|node| node.sent[0].is_there);
    let foreign = Foreign::of(&slam);
    let (quality, token) = eventually(|| foreign.quality_of_the_map()).expect("it has a token");
    assert!(token.ends_with("/:1:,3:,:2,500000000:3,1,0"), "{token}");
    assert_eq!((quality.lifespan, quality.lease), (Some(Duration::from_millis(2500)), Some(SECOND)));
    assert_eq!(quality.liveliness, Liveliness::ManualByTopic);
}

#[test]
fn what_has_expired_by_what_its_publisher_says_is_not_delivered() {
    let viewer = Side::router("viewer", subscribing("/map", "Map", Ros2Quality::TransientLocal));
    let foreign = Foreign::of(&viewer);
    let _published = foreign.publishes(transient_local(Some(30 * SECOND)), &[60 * SECOND, 45 * SECOND, 2 * SECOND]);
    // The subscriber comes with its type, after all that was published.
    let mut seen = viewer.queue::<Point>("Map");
    assert_eq!(next(&mut seen), point(3.0));
    let received = viewer.until(|node| node.received[0].messages == 1).received.remove(0);
    // What has expired is not lost.
    assert_eq!((received.expired, received.lost, received.late), (2, 0, 0));
    assert!(viewer.notes().is_empty(), "{:?}", viewer.notes());
}

#[test]
fn what_has_expired_by_what_the_subscriber_says_is_not_delivered() {
    for (lifespan, first) in [(Some(30 * SECOND), 3.0), (None, 1.0)] {
        let mut subscribing = subscribing("/map", "Map", Ros2Quality::TransientLocal);
        subscribing.subscribe[0].lifespan = lifespan;
        let viewer = Side::router("viewer", subscribing);
        let foreign = Foreign::of(&viewer);
        let _published = foreign.publishes(transient_local(None), &[60 * SECOND, 45 * SECOND, 2 * SECOND]);
        let mut seen = viewer.queue::<Point>("Map");
        assert_eq!(next(&mut seen), point(first));
    }
}

#[test]
fn whoever_comes_late_gets_nothing_that_has_expired() {
    let slam = Side::router("slam", map(Some(SHORT), None));
    let mut maps = slam.publisher::<Point>("Map");
    slam.until(|node| node.sent[0].is_there);
    (1..=3).for_each(|number| maps.publish(point(f64::from(number))));
    slam.until(|node| node.sent[0].messages + node.sent[0].expired == 3);
    thread::sleep(2 * SHORT);
    let late = Side::of(&slam, "late", subscribing("/map", "Map", Ros2Quality::TransientLocal));
    let mut seen = late.queue::<Point>("Map");
    slam.until_wanted();
    // One of these may take longer than it lives, on a busy machine.
    let first = eventually(|| {
        maps.publish(point(4.0));
        thread::sleep(SHORT / 10);
        seen.receive().map(|message| message.x)
    });
    assert_eq!(first, Some(4.0));
}

#[test]
fn others_get_nothing_from_the_cache_when_all_in_it_has_expired() {
    let slam = Side::router("slam", map(Some(SHORT), None));
    let mut maps = slam.publisher::<Point>("Map");
    slam.until(|node| node.sent[0].is_there);
    let foreign = Foreign::of(&slam);
    let mut last = 0;
    // Nobody sees the cache from outside: when it is empty, the first message that comes to a new
    // subscriber is one that was published after it had come.
    let is_first = eventually(|| {
        maps.publish(point(0.0));
        last += 1;
        let sent = slam.until(|node| node.sent[0].messages + node.sent[0].expired == last);
        let before = sent.sent[0].messages as i64;
        thread::sleep(2 * SHORT);
        let (numbers, _subscriber) = foreign.hears(transient_local(None));
        // What the cache has comes before this wait is over, or is not asked for any more.
        thread::sleep(2 * SHORT);
        maps.publish(point(1.0));
        last += 1;
        let first = numbers.recv_timeout(SECOND).ok()?;
        (first == before + 1).then_some(())
    });
    assert!(is_first.is_some());
}

#[test]
fn lost_liveliness_is_counted_and_reported_at_both_ends() {
    let slam = Side::router("slam", map(None, Some(SHORT)));
    let mut requesting = subscribing("/map", "Map", Ros2Quality::TransientLocal);
    (requesting.subscribe[0].lease, requesting.subscribe[0].liveliness) = (Some(SECOND), Ros2Liveliness::ManualByTopic);
    let viewer = Side::of(&slam, "viewer", requesting);
    let (mut maps, mut seen) = (slam.publisher::<Point>("Map"), viewer.queue::<Point>("Map"));
    slam.until_wanted();
    viewer.until(|node| node.received[0].peers == 1);
    // Supervision begins with the first message.
    thread::sleep(2 * SHORT);
    assert_eq!((slam.node.statistics().sent[0].lapsed, viewer.node.statistics().received[0].lapsed), (0, 0));
    for count in 1..=2 {
        maps.publish(point(f64::from(count)));
        assert_eq!(next(&mut seen), point(f64::from(count)));
        let sent = slam.until(|node| node.sent[0].lapsed == u64::from(count as u32));
        let received = viewer.until(|node| node.received[0].lapsed == u64::from(count as u32));
        let said = "`/map` does not show that it is alive: nothing was published for 50ms";
        assert_eq!(sent.problem.as_deref(), Some(said));
        let said = "`/map`: the liveliness of /slam is lost: it has published nothing for 50ms";
        assert_eq!(received.problem.as_deref(), Some(said));
    }
    assert_eq!((slam.notes().len(), viewer.notes().len()), (1, 1), "{:?} {:?}", slam.notes(), viewer.notes());
}

#[test]
fn a_publisher_that_is_gone_has_lost_its_liveliness_where_that_is_supervised() {
    let viewer = |lease| {
        let mut requesting = subscribing("/map", "Map", Ros2Quality::Reliable);
        requesting.subscribe[0].lease = lease;
        requesting
    };
    let router = Side::router("router", viewer(None));
    let supervising = Side::of(&router, "supervising", viewer(Some(10 * SECOND)));
    let _queues = [&router, &supervising].map(|side| side.queue::<Point>("Map"));
    let mut offering = publishing("/map", "Map", Ros2Quality::Reliable);
    offering.publish[0].lease = Some(SECOND);
    for count in 1..=2 {
        let slam = Side::of(&router, "slam", offering.clone());
        let _maps = slam.publisher::<Point>("Map");
        [&router, &supervising].iter().for_each(|side| _ = side.until(|node| node.received[0].peers == 1));
        drop(slam);
        let node = supervising.until(|node| node.received[0].lapsed == count);
        let said = "`/map`: the liveliness of /slam is lost: its publisher is gone";
        assert_eq!(node.problem.as_deref(), Some(said));
        router.until(|node| node.received[0].peers == 0);
    }
    assert_eq!(router.node.statistics().received[0].lapsed, 0);
}

#[test]
fn a_liveliness_that_is_not_offered_is_reported_on_both_sides() {
    let rover = Side::router("rover", publishing("/odom", "Odometry", Ros2Quality::Reliable));
    let mut requesting = subscribing("/odom", "Odometry", Ros2Quality::Reliable);
    (requesting.subscribe[0].lease, requesting.subscribe[0].liveliness) = (Some(SECOND), Ros2Liveliness::ManualByTopic);
    let laptop = Side::of(&rover, "laptop", requesting);
    let (_driven, _seen) = (rover.publisher::<Point>("Odometry"), laptop.queue::<Point>("Odometry"));
    for side in [&rover, &laptop] {
        let told = eventually(|| Some(side.notes()).filter(|notes| notes.len() == 2));
        let notes = told.unwrap_or_else(|| panic!("{:?}", side.notes()));
        for said in [
            "with automatic liveliness and /laptop expects it manual by topic",
            "without a lease and /laptop expects one of 1s",
        ] {
            assert!(notes.iter().any(|note| note.contains(said)), "{notes:?}");
        }
    }
}
