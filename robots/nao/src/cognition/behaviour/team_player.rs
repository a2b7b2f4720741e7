//! The robot's part in the play of its team: who goes to the ball, who keeps the goal.

use glam::Vec2;
use hemiola::arrayvec::ArrayVec;
use hemiola::prelude::*;

use crate::field::{
    BALL_RADIUS, GOAL_AREA_LENGTH, GOAL_WIDTH, LENGTH, PENALTY_AREA_LENGTH, PENALTY_AREA_WIDTH, WIDTH, is_carpet,
};
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::behaviour::{Role, TeamRole};
use crate::representations::game::TeamReport;
use crate::representations::modeling::WorldModel;
use crate::representations::motion::{FallState, Uprightness};

/// A robot without a team: it goes to the ball.
#[derive(Module)]
pub struct LonePlayer {}

#[module]
impl LonePlayer {
    #[update]
    fn team_role(&self, _role: &mut TeamRole) {
        // The default is a striker who knows no other ball than its own.
    }
}

/// Shares out the parts in the team, by the messages of the mates: whoever is at the ball first
/// goes there, one keeps the goal, the others support.
///
/// Each robot decides for itself, from what it knows of all, by the same rule. So all agree as long
/// as messages arrive, and a robot that hears nobody plays as if it were alone. For a short time
/// two may go to the ball, or nobody. A robot that goes there keeps doing so until another one
/// would be clearly faster, so that two do not alternate.
#[derive(Module)]
pub struct TeamPlayer {
    #[parameters]
    parameters: TeamPlayerParameters,
    /// The number of the robot that goes to the ball; 0 at first.
    striker: u8,
}

/// Parameters of [`TeamPlayer`].
#[derive(Parameters)]
pub struct TeamPlayerParameters {
    /// The number of the robot that keeps the goal; 0 if nobody does.
    #[parameter(default = 1, range = 0..=20)]
    keeper: u8,
    /// The time after which a mate from which nothing was heard does not count: the league's budget
    /// is one message in 7 s for each robot.
    #[parameter(default = 20.0, range = 1.0..=120.0, unit = "s")]
    patience: f32,
    /// The age from which on the place of a ball is not believed.
    #[parameter(default = 10.0, range = 1.0..=60.0, unit = "s")]
    ball_age: f32,
    /// The velocity with which a robot walks.
    #[parameter(default = 0.2, range = 0.05..=1.0, unit = "m/s")]
    velocity: f32,
    /// The rate at which it turns.
    #[parameter(default = 0.6, range = 0.1..=3.0, unit = "rad/s")]
    turn: f32,
    /// The time that it takes a robot to get up.
    #[parameter(default = 6.0, range = 0.0..=30.0, unit = "s")]
    get_up: f32,
    /// The time by which another robot must be faster at the ball to take over.
    #[parameter(default = 3.0, range = 0.0..=20.0, unit = "s")]
    favour: f32,
}

/// A robot of the team, as this one knows it.
#[derive(Clone, Copy, Debug)]
struct Player {
    number: u8,
    pose: Pose2,
    fallen: bool,
}

#[module]
impl TeamPlayer {
    #[update]
    pub(crate) fn team_role(
        &mut self,
        world: &WorldModel,
        fall: &FallState,
        report: &TeamReport,
        clock: &Clock,
        debug: &Debug,
        role: &mut TeamRole,
    ) {
        role.ball = self.ball(world, report, clock.now());
        let own = Player { number: report.player, pose: world.robot, fallen: fall.state != Uprightness::Upright };
        let Some(ball) = role.ball.filter(|_| !report.mates.is_empty()) else {
            // Everybody who knows of no ball searches, but for the keeper, who stays.
            if own.number == self.parameters.keeper && !report.mates.is_empty() {
                (role.role, role.post) = (Role::Goalkeeper, Some(goal_post(Vec2::ZERO)));
            }
            return;
        };
        let mates = || self.mates(report, clock.now());
        let is_in_reach = is_in_penalty_area(ball);
        let goes = |player: &Player| player.number != self.parameters.keeper || is_in_reach;
        let team = || mates().chain([own]);
        let fastest = team().filter(goes).min_by(|one, other| {
            let time = |player: &Player| self.time_to(ball, player);
            time(one).total_cmp(&time(other)).then(one.number.cmp(&other.number))
        });
        // The keeper alone is not among those who go.
        let striker = fastest.map_or(0, |player| player.number);
        if striker == own.number {
            role.role = Role::Striker;
        } else if own.number == self.parameters.keeper {
            (role.role, role.post) = (Role::Goalkeeper, Some(goal_post(ball)));
        } else {
            let supports = |player: &Player| player.number != striker && player.number != self.parameters.keeper;
            let place = mates().filter(|mate| supports(mate) && mate.number < own.number).count();
            (role.role, role.post) = (Role::Supporter, Some(support(ball, place)));
        }
        self.striker = striker;
        if let Some(post) = role.post {
            debug.draw("field/post", |canvas| canvas.circle(post.translation, 0.15, Color::BLUE));
        }
    }

    /// Returns the ball that was seen last, by the robot itself or a mate.
    fn ball(&self, world: &WorldModel, report: &TeamReport, now: Time) -> Option<Vec2> {
        let own = world.ball.map(|ball| (ball.unseen_for, ball.rest));
        let of_mates = report.mates.iter().filter_map(|mate| {
            let age = mate.ball_age + now.since(mate.at).as_secs_f32();
            // A mate that is lost may see it anywhere.
            mate.ball.filter(|ball| is_carpet(*ball)).map(|ball| (age, ball))
        });
        // The robot's own ball is where it sees it: that of a mate must be a second younger.
        let balls = own.map(|(age, ball)| (age - 1.0, ball)).into_iter().chain(of_mates);
        let newest = balls.min_by(|one, other| one.0.total_cmp(&other.0));
        newest.filter(|(age, _)| *age < self.parameters.ball_age).map(|(_, ball)| ball)
    }

    /// Returns the mates that were heard of late.
    fn mates(&self, report: &TeamReport, now: Time) -> impl Iterator<Item = Player> {
        let patience = self.parameters.patience;
        report.mates.iter().filter(move |mate| now.since(mate.at).as_secs_f32() < patience).map(|mate| Player {
            number: mate.player,
            pose: mate.pose,
            fallen: mate.fallen,
        })
    }

    /// Returns the time that a robot needs to a place from which it can play the ball towards the
    /// opponent's goal, less for the one that is on its way there already.
    fn time_to(&self, ball: Vec2, player: &Player) -> f32 {
        let parameters = &self.parameters;
        let way = ball - player.pose.translation;
        let turn = normalize_angle(way.to_angle() - player.pose.rotation).abs();
        // Who is before the ball has to go round it.
        let detour = if way.x < 0.0 { 1.0 } else { 0.0 };
        let get_up = if player.fallen { parameters.get_up } else { 0.0 };
        let favour = if player.number == self.striker { parameters.favour } else { 0.0 };
        (way.length() + detour) / parameters.velocity + turn / parameters.turn + get_up - favour
    }
}

const OWN_GOAL: Vec2 = Vec2::new(-LENGTH / 2.0, 0.0);
/// The distance of supporters to the lines of the field, in metres.
const MARGIN: f32 = 0.4;

/// Returns whether the ball is so near to the own goal that the keeper goes to it, too.
fn is_in_penalty_area(ball: Vec2) -> bool {
    ball.x < OWN_GOAL.x + PENALTY_AREA_LENGTH && ball.y.abs() < PENALTY_AREA_WIDTH / 2.0
}

/// Returns the keeper's place: between the ball and the middle of the goal, in the goal area.
fn goal_post(ball: Vec2) -> Pose2 {
    let way = (ball - OWN_GOAL).try_normalize().unwrap_or(Vec2::X);
    let most = GOAL_WIDTH / 2.0 - BALL_RADIUS;
    let place = OWN_GOAL + way * GOAL_AREA_LENGTH;
    looking_at(ball, Vec2::new(place.x.max(OWN_GOAL.x + 0.2), place.y.clamp(-most, most)))
}

/// The places of supporters around the ball, the most important one first: the distance to it in
/// metres, and the angle in degrees from the direction to the own goal, to the side of the ball
/// with more room. The first one guards the way to the goal, the second one is beside the ball, the
/// third one where it shall go.
const PLACES: [(f32, f32); 4] = [(1.5, 0.0), (1.6, 100.0), (2.2, 160.0), (1.6, -100.0)];
/// The distances and angles of further ones.
const RINGS: [f32; 4] = [1.5, 2.5, 3.5, 4.5];
const ANGLES: [f32; 16] =
    [0.0, 22.5, -22.5, 45.0, -45.0, 67.5, -67.5, 90.0, -90.0, 112.5, -112.5, 135.0, -135.0, 157.5, -157.5, 180.0];
/// The least distance between two supporters, and between one and the keeper, in metres.
const APART: f32 = 0.9;

/// Returns the pose of the supporter that is the `number`th, from 0: that many of the places that
/// lie on the field, and apart from each other and the keeper's, are taken.
fn support(ball: Vec2, number: usize) -> Pose2 {
    // A ball that is out of play comes back at the lines.
    let lines = Vec2::new(LENGTH, WIDTH) / 2.0;
    let ball = ball.clamp(-lines, lines);
    let side = if ball.y > 0.0 { 1.0 } else { -1.0 };
    let to_goal = (OWN_GOAL - ball).try_normalize().unwrap_or(Vec2::NEG_X);
    let rings = RINGS.iter().flat_map(|&distance| ANGLES.map(|angle| (distance, angle)));
    let corner = Vec2::new(LENGTH / 2.0 - MARGIN, WIDTH / 2.0 - MARGIN);
    let mut taken: ArrayVec<Vec2, { PLACES.len() + RINGS.len() * ANGLES.len() + 1 }> = ArrayVec::new();
    taken.push(goal_post(ball).translation);
    for (distance, angle) in PLACES.into_iter().chain(rings) {
        let place = ball + Vec2::from_angle((side * angle).to_radians()).rotate(to_goal) * distance;
        let is_free = taken.iter().all(|other| other.distance(place) > APART);
        if is_free && place.abs().cmple(corner).all() {
            taken.push(place);
        }
    }
    // The keeper's place comes first. There are more places than robots in a team.
    let place = taken.get(number + 1).or(taken.last()).copied().unwrap_or(OWN_GOAL);
    looking_at(ball, place)
}

fn looking_at(ball: Vec2, place: Vec2) -> Pose2 {
    let way = ball - place;
    Pose2 { rotation: if way == Vec2::ZERO { 0.0 } else { way.to_angle() }, translation: place }
}

#[cfg(test)]
mod tests;
