//! The message of a robot to its mates.

use glam::Vec2;

use super::allowance::MOST_BYTES;
use crate::geometry::Pose2;

/// The first bytes of each message, the last of which is the version.
pub const MAGIC: [u8; 4] = *b"Hem1";
/// The length of a message, in bytes.
pub const LENGTH: usize = 36;

const _: () = assert!(LENGTH <= MOST_BYTES, "the league allows no more");

/// The pose of a robot and the ball that it sees.
///
/// ```
/// use nao::team::message::TeamMessage;
///
/// let message = TeamMessage { team: 12, player: 3, ..TeamMessage::default() };
/// assert_eq!(TeamMessage::read(&message.to_bytes()), Some(message));
/// assert_eq!(TeamMessage::read(b"hello"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TeamMessage {
    /// The number of the team.
    pub team: u8,
    /// The number of the robot that sends it, from 1.
    pub player: u8,
    /// Goes up by one with each message, and from 65,535 to 0.
    pub number: u16,
    /// True if the robot lies, falls or gets up.
    pub fallen: bool,
    /// The pose on the field, x towards the opponent's goal.
    pub pose: Pose2,
    /// The ball on the field; `None` if its place is not known.
    pub ball: Option<Vec2>,
    /// The time since the robot saw the ball, in seconds; 0 without one.
    pub ball_age: f32,
}

const IS_FALLEN: u8 = 1;
const HAS_BALL: u8 = 2;

impl TeamMessage {
    /// Returns the message as it goes over the network. Numbers that are not finite are zero.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..4].copy_from_slice(&MAGIC);
        let flags = if self.fallen { IS_FALLEN } else { 0 } | if self.ball.is_some() { HAS_BALL } else { 0 };
        let [low, high] = self.number.to_le_bytes();
        // Three bytes are zero, so that numbers are aligned.
        bytes[4..9].copy_from_slice(&[self.team, self.player, low, high, flags]);
        let (place, ball) = (self.pose.translation, self.ball.unwrap_or_default());
        let numbers = [place.x, place.y, self.pose.rotation, ball.x, ball.y, self.ball_age];
        for (number, bytes) in numbers.iter().zip(bytes[12..].chunks_exact_mut(4)) {
            let number = if number.is_finite() { *number } else { 0.0 };
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads a message; returns `None` if the bytes are none.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
        let [a, b, c, d, team, player, low, high, flags, 0, 0, 0, numbers @ ..] = bytes else { return None };
        let mut numbers = numbers.chunks_exact(4).map(|bytes| bytes.try_into().map_or(f32::NAN, f32::from_le_bytes));
        let [x, y, rotation, ball_x, ball_y, ball_age] = std::array::from_fn(|_| numbers.next().unwrap_or(f32::NAN));
        let is_whole = [*a, *b, *c, *d] == MAGIC && (1..=20).contains(player) && *flags <= (IS_FALLEN | HAS_BALL);
        let is_finite = [x, y, rotation, ball_x, ball_y, ball_age].iter().all(|number| number.is_finite());
        (is_whole && is_finite).then(|| Self {
            team: *team,
            player: *player,
            number: u16::from_le_bytes([*low, *high]),
            fallen: flags & IS_FALLEN != 0,
            pose: Pose2::new(x, y, rotation),
            ball: (flags & HAS_BALL != 0).then_some(Vec2::new(ball_x, ball_y)),
            ball_age,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = f32> {
        -1e6_f32..1e6
    }

    prop_compose! {
        fn message()(
            (team, player, number, fallen) in (any::<u8>(), 1..=20_u8, any::<u16>(), any::<bool>()),
            (x, y, rotation, ball_age) in (number(), number(), number(), number()),
            ball in prop::option::of((number(), number())),
        ) -> TeamMessage {
            let (pose, ball) = (Pose2::new(x, y, rotation), ball.map(Vec2::from));
            TeamMessage { team, player, number, fallen, pose, ball, ball_age }
        }
    }

    proptest! {
        #[test]
        fn every_message_comes_back_as_it_was(message in message()) {
            prop_assert_eq!(TeamMessage::read(&message.to_bytes()), Some(message));
        }

        #[test]
        fn what_is_read_is_finite_and_of_this_form(bytes in prop::collection::vec(any::<u8>(), 0..64), magic in any::<bool>()) {
            let mut bytes = bytes;
            if magic {
                bytes.resize(LENGTH, 0);
                bytes[..4].copy_from_slice(&MAGIC);
            }
            if let Some(message) = TeamMessage::read(&bytes) {
                prop_assert_eq!(bytes.len(), LENGTH);
                prop_assert!(message.pose.translation.is_finite() && message.ball_age.is_finite());
                prop_assert_eq!(TeamMessage::read(&message.to_bytes()), Some(message));
            }
        }
    }
}
