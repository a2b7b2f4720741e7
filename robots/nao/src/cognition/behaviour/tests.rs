//! Tests of the second half of the cognition cycle in an ideal world: from noisy percepts to goals.

use std::sync::LazyLock;
use std::time::Duration;

use hemiola::prelude::*;

use crate::field::{POST_RADIUS, POSTS};
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::behaviour::{ApproachStage, GamePhase};

mod eyes;
mod mind;
mod pitch;

use eyes::Eyes;
use mind::{Mind, Thoughts};
use pitch::{Conditions, Pitch};

const STEP: f32 = 1.0 / 30.0;
const SEEDS: u64 = 10;

/// The modules on a pitch.
struct Game {
    pitch: Pitch,
    eyes: Eyes,
    mind: Mind,
    moved: Pose2,
    run: u64,
}

impl Game {
    fn new(seed: u64, conditions: Conditions) -> Self {
        let (pitch, eyes) = (Pitch::new(seed, conditions), Eyes::new(seed, conditions));
        Self { pitch, eyes, mind: Mind::new(), moved: Pose2::default(), run: 0 }
    }

    fn step(&mut self) -> &Thoughts {
        let head = self.mind.thoughts.head.clone();
        self.eyes.look(&self.pitch, &self.moved, &head, STEP);
        let now = Time::from_seconds(f64::from(self.pitch.time));
        self.mind.run(&self.eyes.senses, &Clock::new(now, Duration::from_secs_f32(STEP), self.run));
        self.moved = self.pitch.step(STEP, &self.mind.thoughts.motion.motion);
        self.run += 1;
        &self.mind.thoughts
    }

    /// Steps until the goal or the time limit in seconds.
    fn play(&mut self, time_limit: f32) -> Played {
        let mut played = Played::default();
        while self.pitch.time < time_limit && self.pitch.goal_time.is_none() {
            self.step();
            played.note(&self.pitch, &self.mind.thoughts);
        }
        played.goal_time = self.pitch.goal_time;
        played.kicks = self.pitch.kicks;
        played
    }
}

/// The record of a game.
#[derive(Default)]
struct Played {
    goal_time: Option<f32>,
    kicks: u32,
    said: Vec<(f32, String)>,
    /// The errors of every run after the first second: of the pose in metres and radians, of the
    /// ball as a share of its distance.
    ways: Vec<f32>,
    turns: Vec<f32>,
    balls: Vec<f32>,
    /// The minimum distance of the robot from others and from posts, in metres.
    nearest_other: Option<f32>,
    nearest_post: Option<f32>,
    /// The number of runs on the way around a resting ball, and of those that touched it.
    runs_around: u32,
    touches_around: u32,
}

impl Played {
    fn note(&mut self, pitch: &Pitch, thoughts: &Thoughts) {
        if self.said.len() < thoughts.commentary.count as usize {
            self.said.push((pitch.time, thoughts.commentary.text.clone()));
        }
        let ball = pitch.robot.relative(pitch.ball);
        if pitch.time > 1.0 {
            let pose = &thoughts.pose.pose;
            self.ways.push(pose.translation.distance(pitch.robot.translation));
            self.turns.push(normalize_angle(pose.rotation - pitch.robot.rotation).abs());
            self.balls.extend(thoughts.ball.position.map(|seen| seen.distance(ball) / ball.length().max(0.3)));
        }
        let place = pitch.robot.translation;
        let nearer = |known: Option<f32>, now: f32| Some(known.map_or(now, |known| known.min(now)));
        let other = pitch.others().map(|other| other.distance(place)).fold(f32::MAX, f32::min);
        let post = POSTS.iter().map(|post| post.distance(place)).fold(f32::MAX, f32::min);
        self.nearest_other = nearer(self.nearest_other, other);
        self.nearest_post = nearer(self.nearest_post, post);
        if thoughts.approach.stage == ApproachStage::Around && pitch.ball_velocity.length() == 0.0 {
            self.runs_around += 1;
            self.touches_around += u32::from(ball.length() < 0.15);
        }
    }
}

/// One game per seed, played once for all tests.
static GAMES: LazyLock<Vec<Played>> =
    LazyLock::new(|| (0..SEEDS).map(|seed| Game::new(seed, Conditions::GOOD).play(60.0)).collect());

fn report(games: &[Played]) -> (usize, f32) {
    for (seed, game) in games.iter().enumerate() {
        println!("seed {seed}: goal after {:?} s with {} kicks", game.goal_time, game.kicks);
        game.said.iter().for_each(|(time, text)| println!("  {time:5.1} s: {text}"));
    }
    let goals = games.iter().filter(|game| game.goal_time.is_some()).count();
    let times = games.iter().map(|game| game.goal_time.unwrap_or(f32::INFINITY));
    let time = quantile(times, 0.5);
    println!("{goals} goals of {}, median time {time:.1} s", games.len());
    (goals, time)
}

fn quantile(values: impl Iterator<Item = f32>, part: f32) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_unstable_by(f32::total_cmp);
    values[((values.len() - 1) as f32 * part) as usize]
}

#[test]
fn the_ball_is_in_the_goal_in_time_from_nine_of_ten_starts() {
    let (goals, time) = report(&GAMES);
    assert!(goals >= 9, "{goals} goals");
    assert!(time < 45.0, "{time} s");
}

#[test]
fn an_ill_calibrated_robot_with_worn_legs_scores_too() {
    let games: Vec<_> = (0..5).map(|seed| Game::new(seed, Conditions::BAD).play(120.0)).collect();
    let (goals, _) = report(&games);
    let way = quantile(games.iter().flat_map(|game| game.ways.iter().copied()), 0.5);
    println!("pose: median {way:.3} m");
    assert!(goals >= 4, "{goals} goals");
    assert!(way < 0.3, "{way}");
}

#[test]
fn the_robot_knows_where_it_is() {
    let ways = |part| quantile(GAMES.iter().flat_map(|game| game.ways.iter().copied()), part);
    let turns = |part| quantile(GAMES.iter().flat_map(|game| game.turns.iter().copied()), part);
    println!(
        "pose: median {:.3} m, {:.3} rad; 95 %: {:.3} m, {:.3} rad",
        ways(0.5),
        turns(0.5),
        ways(0.95),
        turns(0.95)
    );
    assert!(ways(0.5) < 0.15 && ways(0.95) < 0.4);
    assert!(turns(0.5) < 0.05 && turns(0.95) < 0.15);
}

#[test]
fn the_robot_knows_where_the_ball_is() {
    let errors = |part| quantile(GAMES.iter().flat_map(|game| game.balls.iter().copied()), part);
    let (known, runs) =
        GAMES.iter().fold((0, 0), |(known, runs), game| (known + game.balls.len(), runs + game.ways.len()));
    println!("ball: median {:.1} % of its distance, 95 %: {:.1} %", 100.0 * errors(0.5), 100.0 * errors(0.95));
    println!("ball: known in {known} of {runs} runs");
    assert!(errors(0.5) < 0.1 && errors(0.95) < 0.3);
    assert!(known * 10 > runs * 9);
}

#[test]
fn the_robot_walks_into_nobody() {
    for (seed, game) in GAMES.iter().enumerate() {
        assert!(game.nearest_other.unwrap() > 0.2601, "seed {seed}: touched another robot");
        assert!(game.nearest_post.unwrap() > POST_RADIUS + 0.1301, "seed {seed}: touched a post");
    }
}

#[test]
fn the_ball_is_not_touched_on_the_way_around_it() {
    let (touches, runs) =
        GAMES.iter().fold((0, 0), |sum, game| (sum.0 + game.touches_around, sum.1 + game.runs_around));
    println!("{touches} touches in {runs} runs");
    assert!(touches * 100 < runs, "{touches} of {runs} runs");
}

#[test]
fn the_goal_whistle_ends_the_game() {
    let mut game = Game::new(1, Conditions::GOOD);
    assert!(game.play(60.0).goal_time.is_some());
    let phases: Vec<_> = (0..60).map(|_| game.step().game.phase).collect();
    assert_eq!(phases.last(), Some(&GamePhase::Scored));
}

#[test]
fn the_same_game_is_played_the_same_way_to_the_last_bit() {
    let play = || {
        let mut game = Game::new(3, Conditions::GOOD);
        for _ in 0..400 {
            game.step();
        }
        game.mind.thoughts
    };
    assert_eq!(play(), play());
}
