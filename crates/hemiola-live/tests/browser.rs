//! The page in a browser: a person sees what the robot sends, and changes the robot.

mod common;

use std::path::Path;
use std::sync::Arc;

use common::{Beat, House, Rerun, TOKEN, foreign};
use hemiola_bus::{Bus, RobotClock, WhenFull};
use hemiola_link::{LinkHost, Links};
use hemiola_live::{Door, LogSubject};
use hemiola_model::configuration::Keep;
use hemiola_runtime::{Change, JournalEvent};

#[test]
fn the_transport_of_a_replay_is_in_the_page() {
    let Some(mut node) = foreign::browser("check_replay.cjs") else { return };
    let rerun = Rerun::open("page");
    node.arg(format!("http://{}/?token={TOKEN}", rerun.address()));
    foreign::is_content(node);
    assert!(rerun.transport.is_at_rest(), "nobody has let it go on");
}

#[test]
fn what_modules_have_shown_is_seen_in_their_log() {
    let Some(mut node) = foreign::browser("check_log.cjs") else { return };
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-log-{}.mcap", std::process::id()));
    common::record(&log, 3.0, &["*"]);
    let subject = LogSubject::open(&log).unwrap();
    let door = Door::open("log", common::settings(), Box::new(subject)).unwrap();
    node.arg(format!("http://{}/?token={TOKEN}", door.address().unwrap()));
    foreign::is_content(node);
    std::fs::remove_file(log).unwrap();
}

#[test]
fn the_page_shows_the_robot_and_changes_it() {
    let Some(mut node) = foreign::browser("check_page.cjs") else { return };
    // At most one message waits for the peer, so that others are lost when many come at once.
    let link = common::sending("laptop", Keep::Last(1));
    let (house, links) = House::linked("cart", common::configuration(), link);
    let desk = Bus::new();
    let _beats = desk.readable_topic::<Beat>("Beat").unwrap().queue(64, WhenFull::DropOldest);
    let host = LinkHost::new("desk", desk.clone(), Arc::new(RobotClock::running(1.0)), |_| ());
    let _desk_links = Links::open(&[common::receiving("robot", &links)], host).unwrap();
    let mut beater = house.robot.handle().bus().readable_topic::<Beat>("Beat").unwrap().publisher();
    common::wait_until(|| {
        (0..100).for_each(|_| beater.publish(Beat::default()));
        links.statistics()[0].sent[0].dropped > 0
    });
    drop(beater);
    let log = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{}.mcap", std::process::id()));
    node.arg(format!("http://{}/?token={TOKEN}", house.address())).arg(&log);
    foreign::is_content(node);
    std::fs::remove_file(log).expect("a log was recorded");

    // The robot's journal contains the changes made in the page, and who made them.
    let mut steps = Vec::new();
    let mut done = Vec::new();
    for entry in house.robot.handle().journal(0) {
        match entry.event {
            JournalEvent::Change { change, by, .. } => {
                assert!(by.is_some(), "nobody has made {change:?}");
                done.push(match change {
                    Change::Parameter { module, parameter, value } => {
                        steps.push((format!("{module}.{parameter}"), format!("{value:?}")));
                        "parameter"
                    }
                    Change::Provider { .. } => "provider",
                    Change::Override { .. } => "override",
                    Change::Release { .. } => "release",
                    _ => "other",
                });
            }
            JournalEvent::Mark { text, .. } if text == "the cart was lost" => done.push("mark"),
            _ => {}
        }
    }
    assert_eq!(steps.len(), 1, "{steps:?}");
    assert!(steps[0].0 == "Pilot.step" && steps[0].1.contains("1.25"), "{steps:?}");
    for expected in ["parameter", "provider", "override", "release", "mark"] {
        assert!(done.contains(&expected), "there is no {expected} among {done:?}");
    }
    house.runs_on();
}
