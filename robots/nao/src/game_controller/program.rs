//! `nao referee`: a game for any number of robots, conducted by a clock and by lines of text.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};
use std::net::{Ipv4Addr, UdpSocket};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use super::packet::number_of;
use super::referee::{Referee, Rules, Side};
use super::status::StatusPacket;
use super::{CONTROL_PORT, STATUS_PORT};
use crate::NaoError;
use crate::representations::game::{MatchState, Penalty};

/// The explanation of the command.
pub const USAGE: &str = "\
Conducts a game of two teams by the protocol of the league's GameController.

usage: nao referee [OPTION VALUE]..

  --teams A,B          the numbers of both teams; A kicks off first (12,7)
  --players N          robots of each team that play at a time (7)
  --robots ADDRESS,..  where control packets go (255.255.255.255:3838, which is every robot of the network)
  --status PORT        the port at which robots report (3939)
  --initial, --standby, --ready, --set, --kick-off, --half, --half-time SECONDS
                       how long each state lasts (30, 10, 45, 5, 10, 600, 600)

Lines on its input, while the game goes on:
  goal TEAM                      a goal of that team: the other one kicks off
  penalty TEAM PLAYER [SECONDS]  takes a robot out of the game (45 s)
  end                            ends the half that is played
";

/// The time between two control packets.
const PERIOD: Duration = Duration::from_millis(500);
/// The longest wait for a report before lines are read.
const LOOK: Duration = Duration::from_millis(20);
/// The length of a penalty without a time.
const PENALTY: Duration = Duration::from_secs(45);

/// The arguments of the command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// The rules of the game.
    pub rules: Rules,
    /// The numbers of both teams.
    pub teams: [u8; 2],
    /// The addresses to which control packets go.
    pub robots: Vec<String>,
    /// The port at which robots report.
    pub status_port: u16,
}

impl Default for Arguments {
    fn default() -> Self {
        let robots = vec![format!("{}:{CONTROL_PORT}", Ipv4Addr::BROADCAST)];
        Self { rules: Rules::default(), teams: [12, 7], robots, status_port: STATUS_PORT }
    }
}

impl Arguments {
    /// Reads the arguments of the command.
    ///
    /// ```
    /// use nao::game_controller::program::Arguments;
    /// use std::time::Duration;
    ///
    /// let words = ["--teams", "5,9", "--half", "90.5"].map(str::to_owned);
    /// let arguments = Arguments::read(&words)?;
    /// assert_eq!((arguments.teams, arguments.rules.half), ([5, 9], Duration::from_millis(90_500)));
    /// # Ok::<(), String>(())
    /// ```
    ///
    /// # Errors
    /// Returns what is wrong, in words.
    pub fn read(words: &[String]) -> Result<Self, String> {
        let mut arguments = Self::default();
        let rules = &mut arguments.rules;
        for pair in words.chunks(2) {
            let [option, value] = pair else { return Err(format!("`{}` has no value", pair[0])) };
            let time =
                || seconds(value).ok_or_else(|| format!("{option}: `{value}` is no number of seconds up to a day"));
            let number = |what: &str| format!("{option}: `{value}` is not {what}");
            match option.as_str() {
                "--teams" => {
                    let teams: Option<Vec<u8>> = value.split(',').map(|team| team.parse().ok()).collect();
                    arguments.teams = match teams.as_deref() {
                        Some(&[first, second]) if first != second && first.max(second) < 255 => [first, second],
                        _ => return Err(number("two different numbers of teams, such as 12,7")),
                    };
                }
                "--players" => {
                    rules.players = match value.parse() {
                        Ok(players @ 1..=20) => players,
                        _ => return Err(number("a number from 1 to 20")),
                    }
                }
                "--robots" => arguments.robots = value.split(',').map(str::to_owned).collect(),
                "--status" => arguments.status_port = value.parse().map_err(|_| number("a port"))?,
                "--initial" => rules.initial = time()?,
                "--standby" => rules.standby = time()?,
                "--ready" => rules.ready = time()?,
                "--set" => rules.set = time()?,
                "--kick-off" => rules.kick_off = time()?,
                "--half" => rules.half = time()?,
                "--half-time" => rules.half_time = time()?,
                _ => return Err(format!("`{option}` is no option of it")),
            }
        }
        Ok(arguments)
    }
}

fn seconds(text: &str) -> Option<Duration> {
    let seconds: f64 = text.parse().ok().filter(|seconds| (0.0..=86_400.0).contains(seconds))?;
    Duration::try_from_secs_f64(seconds).ok()
}

/// A line that a person writes while the game goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Goal(Side),
    Penalty(Side, u8, Duration),
    EndHalf,
}

impl Order {
    fn read(line: &str, teams: [u8; 2]) -> Result<Self, String> {
        let words: Vec<_> = line.split_whitespace().collect();
        let side = |word: &str| match word.parse::<u8>() {
            Ok(number) if number == teams[0] => Ok(Side::First),
            Ok(number) if number == teams[1] => Ok(Side::Second),
            _ => Err(format!("`{word}` does not play: the teams are {} and {}", teams[0], teams[1])),
        };
        let player = |word: &str| match word.parse() {
            Ok(player @ 1..=20) => Ok(player),
            _ => Err(format!("`{word}` is no number of a robot, from 1 to 20")),
        };
        match words[..] {
            ["goal", team] => Ok(Self::Goal(side(team)?)),
            ["penalty", team, robot] => Ok(Self::Penalty(side(team)?, player(robot)?, PENALTY)),
            ["penalty", team, robot, time] => {
                let time = seconds(time).ok_or_else(|| format!("`{time}` is no number of seconds"))?;
                Ok(Self::Penalty(side(team)?, player(robot)?, time))
            }
            ["end"] => Ok(Self::EndHalf),
            _ => {
                Err(format!("`{line}` is not understood: write `goal TEAM`, `penalty TEAM PLAYER [SECONDS]` or `end`"))
            }
        }
    }
}

/// Runs the command until the game is over.
#[must_use]
pub fn referee(words: &[String]) -> ExitCode {
    if words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let arguments = match Arguments::read(words) {
        Ok(arguments) => arguments,
        Err(problem) => {
            eprintln!("nao referee: {problem}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let (lines, orders) = channel();
    // It ends with the process: nobody else reads the input.
    let reader = move || io::stdin().lock().lines().map_while(Result::ok).try_for_each(|line| lines.send(line).ok());
    thread::spawn(reader);
    match conduct(&arguments, &orders, &mut io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Conducts a game until it is over, and writes what happens.
///
/// # Errors
/// Returns an error if a socket cannot be opened, robots cannot be reached, or the text cannot be
/// written.
pub fn conduct(arguments: &Arguments, orders: &Receiver<String>, output: &mut impl Write) -> Result<(), NaoError> {
    let open = |port: u16| {
        let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, port))?;
        socket.set_broadcast(true).and_then(|()| socket.set_read_timeout(Some(LOOK))).map(|()| socket)
    };
    let network = |address: String| move |error| NaoError::Network { address, error };
    let controls = open(0).map_err(network("a port of its own".to_owned()))?;
    let port = arguments.status_port;
    let statuses = open(port).map_err(network(format!("port {port}")))?;
    let mut scene =
        Scene { referee: Referee::new(arguments.rules, arguments.teams), state: None, robots: BTreeMap::new() };
    let (mut last, mut due) = (Instant::now(), Instant::now());
    loop {
        let now = Instant::now();
        scene.referee.advance(now - last);
        last = now;
        if now >= due {
            // One that was late goes on from now.
            due = if now - due > PERIOD { now + PERIOD } else { due + PERIOD };
            let bytes = scene.referee.packet().to_bytes();
            for robot in &arguments.robots {
                match controls.send_to(&bytes, robot) {
                    // A robot on this computer has not started yet.
                    Err(error) if error.kind() != io::ErrorKind::ConnectionRefused => {
                        return Err(network(robot.clone())(error));
                    }
                    _ => {}
                }
            }
            scene.tell(arguments.teams, output)?;
            if scene.referee.is_over() {
                return Ok(());
            }
        }
        scene.listen(&statuses, output)?;
        for line in orders.try_iter().filter(|line| !line.trim().is_empty()) {
            match Order::read(&line, arguments.teams) {
                Ok(order) => scene.execute(order, output)?,
                Err(problem) => writeln!(output, "{problem}")?,
            }
        }
    }
}

/// The game, and what was said of it.
struct Scene {
    referee: Referee,
    state: Option<(MatchState, bool, [u8; 2])>,
    /// The robots that have reported, by team and number, and whether each has fallen.
    robots: BTreeMap<(u8, u8), bool>,
}

impl Scene {
    /// Writes a line if state or score have changed.
    fn tell(&mut self, [first, second]: [u8; 2], output: &mut impl Write) -> io::Result<()> {
        let now = (self.referee.state(), self.referee.is_first_half(), self.referee.score());
        if self.state.replace(now) == Some(now) {
            return Ok(());
        }
        let (state, is_first_half, [ours, theirs]) = now;
        let half = if is_first_half { "first" } else { "second" };
        let state = state.name();
        writeln!(output, "{half} half, {state}: {ours} to {theirs} ({first} against {second})")
    }

    /// Receives a report, and writes a line if it is a robot's first one, or it fell or got up.
    fn listen(&mut self, statuses: &UdpSocket, output: &mut impl Write) -> io::Result<()> {
        let mut bytes = [0; 64];
        // Anything may arrive there, and nothing is no error.
        let Ok((length, from)) = statuses.recv_from(&mut bytes) else { return Ok(()) };
        let Some(status) = StatusPacket::read(&bytes[..length]) else { return Ok(()) };
        let StatusPacket { team, player, fallen, .. } = status;
        match self.robots.insert((team, player), fallen) {
            None => writeln!(output, "robot {player} of team {team} reports from {}", from.ip()),
            Some(before) if before != fallen => {
                writeln!(output, "robot {player} of team {team} {}", if fallen { "is down" } else { "is up again" })
            }
            Some(_) => Ok(()),
        }
    }

    fn execute(&mut self, order: Order, output: &mut impl Write) -> io::Result<()> {
        match order {
            Order::Goal(side) if !self.referee.goal(side) => writeln!(output, "no goal: nobody plays"),
            Order::Goal(_) => Ok(()),
            Order::Penalty(side, player, time) => {
                self.referee.penalise(side, player, Penalty::Manual, time);
                writeln!(
                    output,
                    "robot {player} is penalised ({}) for {:.0} s",
                    number_of(Penalty::Manual),
                    time.as_secs_f64()
                )
            }
            Order::EndHalf => {
                self.referee.end_half();
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Arguments, String> {
        Arguments::read(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn arguments_are_read_or_explained() {
        assert_eq!(read(""), Ok(Arguments::default()));
        let arguments =
            read("--robots 127.0.0.1:1,127.0.0.1:2 --status 4 --ready 0 --half-time 1.5 --players 5").unwrap();
        assert_eq!((arguments.robots.len(), arguments.status_port, arguments.rules.players), (2, 4, 5));
        assert_eq!((arguments.rules.ready, arguments.rules.half_time), (Duration::ZERO, Duration::from_millis(1500)));
        for (line, expected) in [
            ("--half", "`--half` has no value"),
            ("--half long", "`long` is no number of seconds"),
            ("--half -1", "`-1` is no number of seconds"),
            ("--half NaN", "`NaN` is no number of seconds"),
            ("--half 1e300", "`1e300` is no number of seconds"),
            ("--teams 5", "two different numbers"),
            ("--teams 5,5", "two different numbers"),
            ("--teams 5,255", "two different numbers"),
            ("--players 0", "from 1 to 20"),
            ("--status x", "not a port"),
            ("--speed 2", "`--speed` is no option"),
        ] {
            let problem = read(line).unwrap_err();
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }

    #[test]
    fn orders_are_read_or_explained() {
        let order = |line| Order::read(line, [12, 7]);
        assert_eq!(order("goal 7"), Ok(Order::Goal(Side::Second)));
        assert_eq!(order(" penalty 12  3 "), Ok(Order::Penalty(Side::First, 3, PENALTY)));
        assert_eq!(order("penalty 12 3 9"), Ok(Order::Penalty(Side::First, 3, Duration::from_secs(9))));
        assert_eq!(order("end"), Ok(Order::EndHalf));
        for (line, expected) in [
            ("goal 8", "`8` does not play"),
            ("penalty 7 21", "no number of a robot"),
            ("penalty 7 1 soon", "no number of seconds"),
            ("gaol 7", "is not understood"),
        ] {
            let problem = order(line).unwrap_err();
            assert!(problem.contains(expected), "{line}: {problem}");
        }
    }

    /// A game of two short halves, over the network of this computer, with a robot that reports.
    #[test]
    fn a_game_is_sent_to_every_robot_until_it_is_over() {
        use crate::game_controller::packet::ControlPacket;
        let robots = [(); 2].map(|()| UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap());
        let times = "--initial 0 --standby 0.1 --ready 0.6 --set 0.6 --half 0.7 --half-time 0.6";
        let status = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
        let addresses = [0, 1].map(|index: usize| robots[index].local_addr().unwrap().to_string()).join(",");
        let arguments = read(&format!("{times} --teams 12,7 --robots {addresses} --status {}", status.port())).unwrap();
        let (lines, orders) = channel();
        lines.send("goal 7".to_owned()).unwrap();
        let report = StatusPacket { team: 12, player: 2, ..StatusPacket::default() }.to_bytes();
        let game = thread::spawn(move || {
            let mut output = Vec::new();
            conduct(&arguments, &orders, &mut output).map(|()| String::from_utf8(output).unwrap())
        });
        let mut states = Vec::new();
        for robot in &robots {
            robot.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        }
        loop {
            let mut both = [(); 2].map(|()| [0; 200]);
            let lengths = [0, 1].map(|index: usize| robots[index].recv(&mut both[index]).expect("the game goes on"));
            assert_eq!(both[0], both[1]);
            let packet = ControlPacket::read(&both[0][..lengths[0]]).unwrap();
            robots[0].send_to(&report, status).unwrap();
            let is_over = packet.state == MatchState::Finished && !packet.first_half;
            states.push(packet.state);
            if is_over {
                break;
            }
        }
        let output = game.join().unwrap().unwrap();
        assert!(states.contains(&MatchState::Playing) && states.contains(&MatchState::Ready), "{states:?}");
        assert!(output.contains("no goal: nobody plays") && output.contains("robot 2 of team 12 reports"), "{output}");
        assert!(output.contains("second half, finished: 0 to 0 (12 against 7)"), "{output}");
    }
}
