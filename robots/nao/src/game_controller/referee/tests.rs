use proptest::prelude::*;

use super::*;

const TEAMS: [u8; 2] = [12, 7];

fn rules() -> Rules {
    let seconds = Duration::from_secs;
    Rules {
        initial: seconds(2),
        standby: seconds(1),
        ready: seconds(5),
        set: seconds(3),
        kick_off: seconds(4),
        half: seconds(20),
        half_time: seconds(6),
        ..Rules::default()
    }
}

/// Returns the states, each with the number of half seconds for which it is told.
fn course(referee: &mut Referee, until: impl Fn(&Referee) -> bool) -> Vec<(MatchState, bool, u32)> {
    let mut course: Vec<(MatchState, bool, u32)> = Vec::new();
    while !until(referee) {
        let packet = referee.packet();
        match course.last_mut() {
            Some((state, first_half, count)) if (*state, *first_half) == (packet.state, packet.first_half) => {
                *count += 1
            }
            _ => course.push((packet.state, packet.first_half, 1)),
        }
        referee.advance(Duration::from_millis(500));
    }
    course
}

#[test]
fn a_game_without_goals_is_as_long_as_the_rules_say() {
    use MatchState::{Finished, Initial, Playing, Ready, Set, Standby};
    let mut referee = Referee::new(rules(), TEAMS);
    let half =
        |first| [(Initial, first, 4), (Standby, first, 2), (Ready, first, 10), (Set, first, 6), (Playing, first, 40)];
    let expected = [half(true).to_vec(), vec![(Finished, true, 12)], half(false).to_vec()].concat();
    assert_eq!(course(&mut referee, Referee::is_over), expected);
    let last = referee.packet();
    assert_eq!((last.state, last.first_half, last.seconds_remaining), (Finished, false, 0));
}

#[test]
fn a_goal_counts_and_the_other_team_kicks_off() {
    let mut referee = Referee::new(rules(), TEAMS);
    assert!(!referee.goal(Side::First), "nobody plays");
    referee.advance(Duration::from_secs(11));
    assert_eq!((referee.state(), referee.packet().kicking_team), (MatchState::Playing, Some(12)));
    referee.advance(Duration::from_secs(5));
    assert!(referee.goal(Side::First));
    assert!(!referee.goal(Side::First), "it counts once");
    let packet = referee.packet();
    assert_eq!((packet.state, packet.kicking_team, packet.secondary_seconds), (MatchState::Ready, Some(7), 5));
    assert_eq!((packet.teams[0].score, packet.teams[1].score, packet.seconds_remaining), (1, 0, 15));
    referee.advance(Duration::from_secs(8));
    assert_eq!((referee.state(), referee.packet().seconds_remaining), (MatchState::Playing, 15), "its clock stood");
    assert!(referee.goal(Side::Second));
    assert_eq!((referee.packet().kicking_team, referee.score()), (Some(12), [1, 1]));
}

#[test]
fn the_ball_of_a_kick_off_is_free_after_a_time() {
    let mut referee = Referee::new(rules(), TEAMS);
    referee.advance(Duration::from_secs(11));
    let mut told = Vec::new();
    for _ in 0..10 {
        told.push(referee.packet().secondary_seconds);
        referee.advance(Duration::from_millis(500));
    }
    assert_eq!(told, [4, 4, 3, 3, 2, 2, 1, 1, 0, 0]);
}

#[test]
fn a_penalty_ends_after_its_time_which_stands_while_nobody_plays() {
    let mut referee = Referee::new(rules(), TEAMS);
    referee.penalise(Side::Second, 2, Penalty::PlayerPushing, Duration::from_secs(9));
    let info = |referee: &mut Referee| referee.packet().seen_by(7, 2).map(|seen| (seen.penalty, seen.penalty_seconds));
    referee.advance(Duration::from_secs(3));
    assert_eq!(info(&mut referee), Ok((Penalty::PlayerPushing, 9)), "nobody plays");
    referee.advance(Duration::from_secs(8));
    assert_eq!(info(&mut referee), Ok((Penalty::PlayerPushing, 1)));
    assert_eq!(referee.packet().seen_by(7, 1).unwrap().penalty, Penalty::None);
    assert_eq!(referee.packet().seen_by(12, 2).unwrap().penalty, Penalty::None);
    referee.advance(Duration::from_secs(1));
    assert_eq!(info(&mut referee), Ok((Penalty::None, 0)));
    assert_eq!(referee.packet().seen_by(7, 8).unwrap().penalty, Penalty::Substitute);
    referee.penalise(Side::Second, 200, Penalty::Manual, Duration::from_secs(9));
    assert_eq!(ControlPacket::read(&referee.packet().to_bytes()), Ok(referee.clone_packet()));
}

#[test]
fn a_team_has_no_more_messages_than_its_budget() {
    let mut referee = Referee::new(Rules { messages: 2, ..rules() }, TEAMS);
    let allowed: Vec<_> = (0..3).map(|_| referee.count_message(Side::First)).collect();
    assert_eq!(allowed, [true, true, false]);
    let packet = referee.packet();
    assert_eq!([packet.teams[0].message_budget, packet.teams[1].message_budget], [0, 2]);
}

#[test]
fn a_half_can_be_ended() {
    let mut referee = Referee::new(rules(), TEAMS);
    referee.end_half();
    assert_eq!(referee.state(), MatchState::Initial, "none has begun");
    referee.advance(Duration::from_secs(12));
    referee.end_half();
    assert_eq!((referee.state(), referee.is_over()), (MatchState::Finished, false));
    referee.advance(Duration::from_secs(6 + 11));
    referee.end_half();
    assert!(referee.is_over());
}

impl Referee {
    /// Returns the packet that was returned last.
    fn clone_packet(&self) -> ControlPacket {
        let mut again = self.clone();
        again.packets = again.packets.wrapping_sub(1);
        again.packet()
    }
}

proptest! {
    /// However time is cut, packets at the same time are the same.
    #[test]
    fn the_length_of_steps_makes_no_difference(steps in prop::collection::vec(0..3000_u64, 1..60), goal_at in 0..60_usize) {
        let (mut fine, mut coarse) = (Referee::new(rules(), TEAMS), Referee::new(rules(), TEAMS));
        for (index, step) in steps.iter().enumerate() {
            coarse.advance(Duration::from_millis(*step));
            (0..*step).for_each(|_| fine.advance(Duration::from_millis(1)));
            if index == goal_at {
                prop_assert_eq!(fine.goal(Side::Second), coarse.goal(Side::Second));
            }
            prop_assert_eq!(fine.packet(), coarse.packet());
        }
    }
}

#[test]
fn a_set_play_is_told_until_the_ball_is_free_or_its_time_is_over() {
    let mut referee = Referee::new(Rules { set_play: Duration::from_secs(6), ..rules() }, TEAMS);
    assert!(!referee.award(Side::Second, SetPlay::KickIn), "nobody plays");
    course(&mut referee, |referee| referee.state() == MatchState::Playing);
    let told = |referee: &mut Referee| {
        let packet = referee.packet();
        (packet.set_play, packet.kicking_team, packet.secondary_seconds)
    };
    let none = (SetPlay::None, Some(12), 0);
    assert!(referee.award(Side::Second, SetPlay::KickIn));
    assert_eq!(told(&mut referee), (SetPlay::KickIn, Some(7), 6));
    referee.advance(Duration::from_secs(5));
    assert_eq!(told(&mut referee), (SetPlay::KickIn, Some(7), 1));
    referee.advance(Duration::from_secs(1));
    assert_eq!(told(&mut referee), none);
    referee.award(Side::Second, SetPlay::GoalKick);
    referee.free();
    assert_eq!(told(&mut referee), none);
    referee.award(Side::First, SetPlay::CornerKick);
    referee.goal(Side::First);
    assert_eq!((referee.packet().set_play, referee.state()), (SetPlay::None, MatchState::Ready));
}
