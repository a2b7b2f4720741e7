use proptest::array::uniform20;
use proptest::prelude::*;

use super::*;

/// A packet of a game of the teams 7 and 12 as the league's C structure lays it out (written by
/// Python's `struct`, from the header): playing, first half, 412 s to go, kick-off of team 12 with
/// the ball free in 9 s; 2 to 1; 7's number 3 has pushed; 12's number 2 is inactive for 41 s more,
/// and its number 5 was picked up; numbers from 8 on are substitutes.
const REAL: &str = "52476d65 12 4d 07 00 00 00 03 00 01 0c 9c01 0900
    07 00 03 01 02 00 0000 a304 0000 0000 0226 0000 0000 0000 0000 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00
    0c 01 04 01 01 00 0000 1304 0000 0429 0000 0000 0700 0000 0000 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00 0e00";

fn real() -> Vec<u8> {
    let digits: Vec<_> = REAL.chars().filter(|letter| !letter.is_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&String::from_iter(pair), 16).expect("hexadecimal")).collect()
}

#[test]
fn a_packet_of_the_real_form_is_read_field_by_field() {
    let bytes = real();
    let packet = ControlPacket::read(&bytes).expect("it is of this version");
    assert_eq!((packet.number, packet.players_per_team), (0x4d, 7));
    assert_eq!((packet.phase, packet.state, packet.set_play), (MatchPhase::Normal, MatchState::Playing, SetPlay::None));
    assert_eq!((packet.first_half, packet.kicking_team), (true, Some(12)));
    assert_eq!((packet.seconds_remaining, packet.secondary_seconds), (412, 9));
    let [seven, twelve] = &packet.teams;
    assert_eq!((seven.number, seven.field_player_colour, seven.goalkeeper_colour, seven.goalkeeper), (7, 0, 3, 1));
    assert_eq!((seven.score, seven.message_budget, twelve.score, twelve.message_budget), (2, 1187, 1, 1043));
    assert_eq!(seven.players[2], PlayerInfo { penalty: 2, seconds: 38 });
    assert_eq!(packet.to_bytes()[..], bytes);
}

#[test]
fn each_robot_sees_the_game_from_its_own_side() {
    let packet = ControlPacket::read(&real()).unwrap();
    let ours = packet.seen_by(12, 1).unwrap();
    assert_eq!((ours.kicking_team, ours.penalty), (KickingTeam::Own, Penalty::None));
    assert_eq!((ours.own_score, ours.opponent_score, ours.message_budget), (1, 2, 1043));
    let second = packet.seen_by(12, 2).unwrap();
    assert_eq!((second.penalty, second.penalty_seconds), (Penalty::Inactive, 41));
    assert_eq!(packet.seen_by(12, 5).unwrap().penalty, Penalty::RequestForPickup);
    assert_eq!(packet.seen_by(12, 8).unwrap().penalty, Penalty::Substitute);
    let theirs = packet.seen_by(7, 3).unwrap();
    assert_eq!((theirs.kicking_team, theirs.penalty), (KickingTeam::Opponent, Penalty::PlayerPushing));
    assert_eq!((theirs.own_score, theirs.opponent_score), (2, 1));
    for nobody in [0, 21, 255] {
        assert_eq!(packet.seen_by(12, nobody).unwrap().penalty, Penalty::Substitute, "number {nobody}");
    }
    assert_eq!(packet.seen_by(13, 1), Err(Refusal::Team { ours: 13, playing: [7, 12] }));
}

#[test]
fn what_is_no_control_packet_is_refused_with_its_reason() {
    let changed = |place: usize, value: u8| {
        let mut bytes = real();
        bytes[place] = value;
        ControlPacket::read(&bytes).unwrap_err()
    };
    assert_eq!(ControlPacket::read(&real()[..117]), Err(Refusal::Length { found: 117 }));
    assert_eq!(ControlPacket::read(&[real(), vec![0]].concat()), Err(Refusal::Length { found: 119 }));
    // The true state of the game, which is for monitors and not for robots.
    let mut monitor = real();
    monitor[..4].copy_from_slice(b"RGTD");
    assert_eq!(ControlPacket::read(&monitor), Err(Refusal::Magic { found: *b"RGTD" }));
    for version in [0, 15, 17, 19, 255] {
        assert_eq!(changed(4, version), Refusal::Version { found: version });
    }
    let contents = [
        (6, 21, "players per team"),
        (9, 4, "game phase"),
        (10, 6, "state"),
        (11, 6, "set play"),
        (12, 2, "first half"),
        (13, 9, "kicking team"),
    ];
    for (place, found, field) in contents {
        assert_eq!(changed(place, found), Refusal::Content { field, found });
    }
}

#[test]
fn a_robot_that_is_penalised_for_an_unknown_reason_is_penalised() {
    for (number, expected) in
        [(0, Penalty::None), (11, Penalty::MotionInStandby), (12, Penalty::Unknown), (99, Penalty::Unknown)]
    {
        let mut packet = ControlPacket::of_teams([1, 2]);
        packet.teams[0].players[0].penalty = number;
        assert_eq!(packet.seen_by(1, 1).unwrap().penalty, expected);
    }
    for (number, penalty) in PENALTIES {
        assert_eq!(number_of(penalty), number);
    }
}

fn player() -> impl Strategy<Value = PlayerInfo> {
    any::<(u8, u8)>().prop_map(|(penalty, seconds)| PlayerInfo { penalty, seconds })
}

fn team() -> impl Strategy<Value = TeamInfo> {
    let numbers = any::<(u8, u8, u8, u8, u8, u8, u16, u16)>();
    (numbers, uniform20(player())).prop_map(|(numbers, players)| {
        let (
            number,
            field_player_colour,
            goalkeeper_colour,
            goalkeeper,
            score,
            penalty_shot,
            single_shots,
            message_budget,
        ) = numbers;
        TeamInfo {
            number,
            field_player_colour,
            goalkeeper_colour,
            goalkeeper,
            score,
            penalty_shot,
            single_shots,
            message_budget,
            players,
        }
    })
}

prop_compose! {
    fn packet()(
        teams in [team(), team()],
        head in any::<(u8, u8, u8)>(),
        players_per_team in 0..=20_u8,
        state in (prop::sample::select(&PHASES), prop::sample::select(&STATES), prop::sample::select(&SET_PLAYS)),
        first_half in any::<bool>(),
        kicks in prop::option::of(0..2_usize),
        times in any::<(i16, i16)>(),
    ) -> ControlPacket {
        let kicking_team = kicks.map(|index| teams[index].number).filter(|number| *number != NOBODY);
        ControlPacket {
            number: head.0,
            players_per_team,
            competition_phase: head.1,
            competition_type: head.2,
            phase: state.0,
            state: state.1,
            set_play: state.2,
            first_half,
            kicking_team,
            seconds_remaining: times.0,
            secondary_seconds: times.1,
            teams,
        }
    }
}

proptest! {
    #[test]
    fn every_packet_comes_back_as_it_was(packet in packet()) {
        prop_assert_eq!(ControlPacket::read(&packet.to_bytes()), Ok(packet));
    }

    /// One byte or more of a good packet is changed: it is refused, or read as exactly these bytes.
    #[test]
    fn what_is_read_is_what_was_sent(packet in packet(), changes in prop::collection::vec((0..LENGTH, any::<u8>()), 1..6)) {
        let mut bytes = packet.to_bytes();
        changes.iter().for_each(|(place, value)| bytes[*place] = *value);
        if let Ok(read) = ControlPacket::read(&bytes) {
            prop_assert_eq!(read.to_bytes(), bytes);
        }
    }

    #[test]
    fn bytes_of_another_length_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let is_refused = ControlPacket::read(&bytes) == Err(Refusal::Length { found: bytes.len() });
        prop_assert!(bytes.len() == LENGTH || is_refused);
    }

    #[test]
    fn a_robot_of_neither_team_takes_nothing_from_a_packet(packet in packet(), team in any::<u8>(), player in any::<u8>()) {
        let plays = packet.teams.iter().any(|playing| playing.number == team);
        prop_assert_eq!(packet.seen_by(team, player).is_ok(), plays);
    }
}
