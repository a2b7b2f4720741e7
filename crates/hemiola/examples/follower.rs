//! A program that receives where the cart of `leader` is, and wishes for circles for which it says
//! that there is room: see there.
#![allow(missing_docs, reason = "an example explains itself")]
use hemiola::prelude::*;

/// A topic that comes in. The leader's has a heading, too: fields go by their names.
#[derive(Representation, Clone, Default)]
pub struct Odometry {
    pub x: f64,
    pub y: f64,
}

/// A representation that comes in: the link is the source that provides it.
#[derive(Representation, Clone, Default)]
pub struct Drive {
    pub radius: f64,
    pub heading: f64,
}

/// A topic that goes out.
#[derive(Representation, Clone, Default)]
pub struct Wish {
    pub radius: f64,
}

/// A service of the leader, which is asked with this and answers with a truth value.
#[derive(Representation, Clone, Default)]
pub struct IsRoom {
    pub radius: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Leader {
    pub x: f64,
    pub y: f64,
    pub heard: u32,
    pub radius: f64,
    /// How long ago it drove so, in seconds.
    pub age: f64,
    /// The circle that the leader was asked about last.
    pub asked: f64,
}

#[derive(Module)]
struct Follower {}

#[module]
impl Follower {
    /// Wishes for a larger circle on the right and a smaller one on the left, if there is room.
    #[update]
    fn leader(
        &self,
        last: Previous<Leader>,
        heard: &Subscription<Odometry>,
        drive: Fresh<Drive>,
        rooms: &mut Requests<IsRoom, bool>,
        wishes: &mut Publisher<Wish>,
        leader: &mut Leader,
    ) {
        *leader = (*last).clone();
        (leader.radius, leader.age) = (drive.radius, drive.age().as_secs_f64());
        for odometry in heard.iter() {
            (leader.x, leader.y) = (odometry.x, odometry.y);
            leader.heard += 1;
        }
        if rooms.answers().any(|answer| answer == Ok(&true)) {
            wishes.publish(Wish { radius: leader.asked });
        }
        if !heard.is_empty() && rooms.waiting() == 0 {
            let radius = 1.25 + leader.x.signum() * 0.75;
            // This waits for nobody, and fails while the leader is not there.
            if rooms.send(IsRoom { radius }).is_ok() {
                leader.asked = radius;
            }
        }
    }
}

const ROBOT: &str = "
[cycle.control]
rate = 50.0
[link.leader]
connect = 'tcp:127.0.0.1:7400'
send = ['Wish']
receive = ['Odometry', { representation = 'Drive' }]
call = ['IsRoom']
";

fn main() -> std::process::ExitCode {
    let place = |leader: &Leader| match leader.heard {
        0 => "the leader says nothing".to_owned(),
        heard => format!(
            "the leader is at ({:.2}, {:.2}) m, heard {heard} times; {:.1} s ago its circle had {:.2} m",
            leader.x, leader.y, leader.age, leader.radius
        ),
    };
    hemiola::Application::embedded(ROBOT)
        // A link has to know what it carries.
        .started(|robot| robot.bus().allow_calls::<IsRoom, bool>(IsRoom::NAME))
        .live(move |robot| robot.with_value(place).into_iter().collect())
        .run()
}
