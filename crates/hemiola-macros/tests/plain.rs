//! Derived data that takes as many bytes in CDR whatever it is is read and written in one piece,
//! with the same result as field by field.

use hemiola::cdr::{CdrReader, CopiedBytes, decode, encode};
use hemiola::data::{Data, ReadError};
use hemiola::prelude::*;

#[derive(Data, Clone, Copy, PartialEq, Debug)]
enum Phase {
    KickOff,
    Playing,
    Over,
}

#[derive(Data, Clone, Copy, PartialEq, Debug)]
#[data(transparent)]
struct Meters(f32);

#[derive(Data, Clone, Copy, PartialEq, Debug)]
struct Pair<T> {
    left: T,
    right: T,
}

#[derive(Data, Clone, PartialEq, Debug)]
struct Game {
    phase: Phase,
    stamp: Time,
    distances: [Meters; 3],
    balls: Pair<Pair<f64>>,
    is_over: bool,
}

#[derive(Data, Clone, PartialEq, Debug)]
struct Nothing;

#[derive(Data, Clone, PartialEq, Debug)]
struct Named {
    name: String,
    games: Vec<Game>,
    nothing: Nothing,
    pair: Pair<u16>,
}

/// Bytes that are not borrowed, and so are read field by field.
#[derive(Debug)]
struct Copied<'b>(&'b [u8]);

impl CopiedBytes for Copied<'_> {
    fn length(&self) -> usize {
        self.0.len()
    }

    fn copy_to(&self, begin: usize, into: &mut [u8]) {
        into.copy_from_slice(&self.0[begin..begin + into.len()]);
    }
}

fn by_field<T: Data>(bytes: &[u8]) -> Result<T, ReadError> {
    let copied = Copied(bytes);
    let mut reader = CdrReader::copying(&copied)?;
    let value = T::read(&mut reader)?;
    reader.finish().map(|()| value)
}

fn game(phase: Phase, nanoseconds: i64) -> Game {
    let ball = Pair { left: 0.5, right: -1.5 };
    let distances = [Meters(0.25), Meters(4.0), Meters(-0.0)];
    Game {
        phase,
        stamp: Time::from_nanoseconds(nanoseconds),
        distances,
        balls: Pair { left: ball, right: ball },
        is_over: true,
    }
}

#[test]
fn derived_values_are_the_same_in_one_piece_as_field_by_field() {
    let game = game(Phase::Playing, -1);
    let bytes = encode(&game);
    assert_eq!(bytes[4..12], [1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(bytes.len(), 4 + 1 + 3 + 8 + 3 * 4 + 4 * 8 + 1);
    assert_eq!((decode(&bytes), by_field(&bytes)), (Ok(game.clone()), Ok(game.clone())));
    let mut over = self::game(Phase::Over, 7);
    over.read_over(&mut CdrReader::new(&bytes).unwrap()).unwrap();
    assert_eq!(over, game);

    let named =
        Named { name: "final".to_owned(), games: vec![game; 3], nothing: Nothing, pair: Pair { left: 3, right: 4 } };
    let bytes = encode(&named);
    assert_eq!((decode(&bytes), by_field(&bytes)), (Ok(named.clone()), Ok(named)));
}

#[test]
fn what_is_no_value_is_the_same_error_in_one_piece_as_field_by_field() {
    let bytes = encode(&game(Phase::KickOff, 0));
    // The variant, the nanoseconds, the truth value, and the end.
    for (place, byte, said) in [(4, 3, "variant 3"), (15, 0xff, "nanoseconds"), (bytes.len() - 1, 2, "no truth value")]
    {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        let error = decode::<Game>(&bytes).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert_eq!(by_field::<Game>(&bytes), Err(error));
    }
    for end in 0..bytes.len() {
        assert_eq!(decode::<Game>(&bytes[..end]), by_field::<Game>(&bytes[..end]), "{end} bytes");
        assert!(decode::<Game>(&bytes[..end]).is_err(), "{end} bytes");
    }
}
