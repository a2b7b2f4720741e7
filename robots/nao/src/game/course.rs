//! The course of a game: all robots, the field, the referee and the network, tick by tick.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::thread;
use std::time::Duration;

use glam::Vec2;
use hemiola::Time;

use super::ball_comparison::{BallComparison, BallWatch};
use super::official::Official;
use super::player::{Player, Start};
use super::radio::{Link, Radio};
use super::summary::{Localisation, RobotSummary, Summary};
use crate::NaoError;
use crate::game_controller::referee::{Referee, Rules, Side};
use crate::geometry::Pose2;
use crate::representations::sensing::JointRequest;
use crate::simulator::arena::{Arena, Entry, TeamSide};
use crate::simulator::{BODY_RATE, Random};
use crate::team::message::TeamMessage;

/// The numbers of both teams in the league's list: the first one is blue, and plays towards
/// positive x.
pub const TEAMS: [u8; 2] = [12, 7];
/// The maximum number of robots in a team.
pub const MOST_PLAYERS: u8 = 7;
/// The number of ticks from one note of where the ball is, and robots believe to be, to the next.
const NOTE_TICKS: u64 = 8;
/// The number of places of the ball that are remembered.
const TRAIL_LENGTH: usize = (Course::TRAIL_SECONDS as f64 * BODY_RATE) as usize / NOTE_TICKS as usize;
/// The number of messages of robots that are remembered.
const MOST_SAID: usize = 16;
/// The time between two control packets.
const CONTROL_PERIOD: Duration = Duration::from_millis(500);

/// The conditions of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Conditions {
    /// The number of robots in each team, from 1 to 7.
    pub players: u8,
    /// The seed of everything that is random.
    pub seed: u64,
    /// The rules, which are also those of the referee.
    pub rules: Rules,
    /// The quality of the network between mates.
    pub link: Link,
    /// The settings of every robot, as `--set` takes them.
    pub settings: Vec<String>,
    /// The file of the robot, beside which its overlays are.
    pub robot: String,
}

/// A game that is going on.
///
/// ```no_run
/// use nao::game::course::{Conditions, Course};
///
/// let mut game = Course::begin(&Conditions::of("robot.toml"))?;
/// game.play(60.0);
/// println!("{:?}", game.summary().score);
/// # Ok::<(), nao::NaoError>(())
/// ```
pub struct Course {
    arena: Arena,
    players: Vec<Player>,
    official: Official,
    radio: Radio,
    /// The number of ticks so far.
    ticks: u64,
    next_packet: Duration,
    /// The last places of the ball, oldest first.
    trail: VecDeque<Vec2>,
    /// The last messages of robots to their mates, oldest first.
    said: VecDeque<Said>,
}

/// A message of a robot to its mates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Said {
    /// The number of the message among those of all robots, from 1.
    pub number: u32,
    /// The team of the robot.
    pub side: TeamSide,
    /// The message, in the frame of the team.
    pub message: TeamMessage,
}

impl Conditions {
    /// Creates a game of two against two with short breaks and otherwise the league's rules.
    #[must_use]
    pub fn of(robot: impl Into<String>) -> Self {
        let rules = Rules {
            initial: Duration::from_secs(1),
            standby: Duration::ZERO,
            ready: Duration::from_secs(20),
            set: Duration::from_secs(3),
            half_time: Duration::from_secs(5),
            ..Rules::default()
        };
        Self { players: 2, seed: 1, rules, link: Link::default(), settings: Vec::new(), robot: robot.into() }
    }
}

impl Course {
    /// The time for which the ball's way is remembered, in seconds.
    pub const TRAIL_SECONDS: f32 = 10.0;

    /// Creates all robots, at the touch lines of their halves.
    ///
    /// # Errors
    /// Returns an error if a robot cannot be configured or made.
    pub fn begin(conditions: &Conditions) -> Result<Self, NaoError> {
        let rules = Rules { players: conditions.players, ..conditions.rules };
        let mut random = Random::for_purpose(conditions.seed, 1 << 32);
        let (mut players, mut entries) = (Vec::new(), Vec::new());
        for side in [TeamSide::Home, TeamSide::Away] {
            for number in 1..=conditions.players {
                let pose = entry(number, conditions.players, &mut random);
                entries.push(Entry { side, number, pose });
                let start = Start { side, number, seed: random.next_u64() };
                players.push(Player::new(&start, &rules, conditions)?);
            }
        }
        Ok(Self {
            arena: Arena::new(conditions.seed, &entries),
            players,
            official: Official::new(Referee::new(rules, TEAMS), entries.iter().map(|entry| entry.pose).collect()),
            radio: Radio::new(conditions.link, Random::for_purpose(conditions.seed, (1 << 32) + 1)),
            ticks: 0,
            next_packet: Duration::ZERO,
            trail: VecDeque::new(),
            said: VecDeque::new(),
        })
    }

    /// Lets all ball models see from now on what each robot sees, beside the one with which it
    /// plays.
    pub fn compare_balls(&mut self) {
        self.players.iter_mut().for_each(|player| player.watch = Some(Box::new(BallWatch::of(&player.stepper))));
    }

    /// Returns how far off the ball models were so far; empty without
    /// [`compare_balls`](Self::compare_balls).
    #[must_use]
    pub fn ball_comparison(&self) -> BallComparison {
        let mut comparison = BallComparison::default();
        self.players.iter().filter_map(|player| player.watch.as_ref()).for_each(|watch| comparison.add(watch.noted()));
        comparison
    }

    /// Plays until the game has lasted that many seconds, or both halves are over.
    pub fn play(&mut self, seconds: f64) {
        while self.time().seconds() < seconds && !self.official.referee().is_over() {
            self.tick();
        }
    }

    /// Advances everybody by one period of the body: first the robots up to this time, then the
    /// field by what their joints were told, then referee and network. What a robot does reaches
    /// the others in the next tick, so that their order does not matter.
    pub fn tick(&mut self) {
        let time = self.time();
        self.step_players(time);
        let period = Duration::from_secs_f64(1.0 / BODY_RATE);
        let requests: Vec<JointRequest> = self.players.iter().map(Player::joint_request).collect();
        self.arena.step(period.as_secs_f32(), &requests);
        self.official.watch(period, &mut self.arena);
        self.exchange(time);
        for (index, player) in self.players.iter().enumerate() {
            player.sense(&mut self.arena, index);
        }
        if self.ticks.is_multiple_of(NOTE_TICKS) {
            for (index, player) in self.players.iter_mut().enumerate() {
                // A robot that is off the field has no place to know.
                if !self.official.is_out(index) {
                    player.note_errors();
                }
            }
            if self.trail.len() == TRAIL_LENGTH {
                self.trail.pop_front();
            }
            self.trail.push_back(self.arena.ball());
        }
        self.ticks += 1;
    }

    /// Returns the time of the next tick.
    #[must_use]
    pub fn time(&self) -> Time {
        Time::from_nanoseconds((self.ticks as f64 * 1e9 / BODY_RATE).round() as i64)
    }

    /// Returns the ball's way in the last [`TRAIL_SECONDS`](Self::TRAIL_SECONDS).
    #[must_use]
    pub fn trail(&self) -> &VecDeque<Vec2> {
        &self.trail
    }

    /// Returns the last messages of robots to their mates, oldest first.
    #[must_use]
    pub fn said(&self) -> &VecDeque<Said> {
        &self.said
    }

    /// Returns the field.
    #[must_use]
    pub fn arena(&self) -> &Arena {
        &self.arena
    }

    /// Returns the robots: those of the first team, then those of the second.
    #[must_use]
    pub(super) fn players(&self) -> &[Player] {
        &self.players
    }

    /// Returns the referee.
    #[must_use]
    pub fn official(&self) -> &Official {
        &self.official
    }

    /// Returns the result so far.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let robots = self.players.iter().enumerate();
        Summary {
            seconds: self.arena.time(),
            score: self.official.referee().score(),
            goals: self.official.goals().to_vec(),
            decisions: self.official.decisions().to_vec(),
            restarts: self.official.restarts(),
            messages: self.official.messages(),
            localisation: Localisation::of(
                self.players.iter().flat_map(|player| &player.errors.position).copied().collect(),
            ),
            robots: robots
                .map(|(index, player)| RobotSummary::of(player, self.arena.falls(index), self.radio.lost(index)))
                .collect(),
        }
    }

    /// Returns a fingerprint of every value of every robot, and of where ball and robots are.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (index, player) in self.players.iter().enumerate() {
            for cycle in 0..player.stepper.cycle_names().len() {
                player.stepper.fingerprints(cycle).hash(&mut hasher);
            }
            self.arena.pose(index).translation.to_array().map(f32::to_bits).hash(&mut hasher);
        }
        self.arena.ball().to_array().map(f32::to_bits).hash(&mut hasher);
        hasher.finish()
    }

    /// Lets all robots do what comes before `time`, on all cores.
    fn step_players(&mut self, time: Time) {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let share = self.players.len().div_ceil(cores);
        let step = |players: &mut [Player]| players.iter_mut().for_each(|player| player.run_until(time));
        thread::scope(|scope| {
            let mut shares = self.players.chunks_mut(share);
            let own = shares.next();
            for players in shares {
                scope.spawn(move || step(players));
            }
            own.into_iter().for_each(step);
        });
    }

    fn note_said(&mut self, side: TeamSide, bytes: &[u8]) {
        let Some(message) = TeamMessage::read(bytes) else { return };
        let number = self.said.back().map_or(1, |last| last.number.saturating_add(1));
        if self.said.len() == MOST_SAID {
            self.said.pop_front();
        }
        self.said.push_back(Said { number, side, message });
    }

    /// Passes on what was sent: messages to mates, and control packets to everybody.
    fn exchange(&mut self, time: Time) {
        let now = Duration::from_nanos(time.nanoseconds().unsigned_abs());
        for sender in 0..self.players.len() {
            let Player { side, number, .. } = self.players[sender];
            for message in self.players[sender].team.collect() {
                self.official.count_message(side, message.len());
                self.note_said(side, &message);
                for (receiver, mate) in self.players.iter().enumerate() {
                    if mate.side == side && mate.number != number {
                        self.radio.send(now, sender, receiver, &message);
                    }
                }
            }
            self.official.count_statuses(self.players[sender].control.collect().len());
        }
        for (receiver, packet) in self.radio.due(now) {
            self.players[receiver].team.deliver(packet);
        }
        if now >= self.next_packet {
            self.next_packet += CONTROL_PERIOD;
            let packet = self.official.packet().to_bytes();
            self.players.iter().for_each(|player| player.control.deliver(packet.to_vec()));
        }
    }
}

impl From<TeamSide> for Side {
    fn from(side: TeamSide) -> Self {
        match side {
            TeamSide::Home => Self::First,
            TeamSide::Away => Self::Second,
        }
    }
}

/// Returns where a robot enters the field: at a touch line of its own half, looking inwards; the
/// goalkeeper is the farthest from the middle.
fn entry(number: u8, players: u8, random: &mut Random) -> Pose2 {
    let place = f32::from((players - number) / 2);
    let left = if number % 2 == 1 { 1.0 } else { -1.0 };
    let inwards = -left * std::f32::consts::FRAC_PI_2;
    let y = left * crate::field::WIDTH / 2.0;
    Pose2::new(-0.8 - 0.45 * place + random.uniform(-0.05..0.05), y, inwards + random.uniform(-0.1..0.1))
}
