//! Status packets: `RoboCupGameControlReturnData`, version 4.

use glam::Vec2;

use crate::geometry::Pose2;

/// The first bytes of each status packet.
pub const MAGIC: [u8; 4] = *b"RGrt";
/// The version of status packets.
pub const VERSION: u8 = 4;
/// The length of a packet, in bytes.
pub const LENGTH: usize = 32;

/// The state of a robot, as it reports it to the GameController.
///
/// ```
/// use nao::game_controller::status::StatusPacket;
///
/// let packet = StatusPacket { team: 12, player: 2, ball_age: Some(0.5), ..StatusPacket::default() };
/// assert_eq!(StatusPacket::read(&packet.to_bytes()), Some(packet));
/// assert_eq!(StatusPacket::read(b"RGrt"), None);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StatusPacket {
    /// The number of the robot, from 1.
    pub player: u8,
    /// The number of the robot's team.
    pub team: u8,
    /// True if the robot lies, falls or gets up.
    pub fallen: bool,
    /// The pose on the field, x towards the opponent's goal.
    pub pose: Pose2,
    /// The time since the robot saw the ball, in seconds; `None` if it never has.
    pub ball_age: Option<f32>,
    /// The ball relative to the robot, in metres.
    pub ball: Vec2,
}

/// The number of millimetres in a metre: the protocol counts in millimetres.
const MILLIMETRES: f32 = 1000.0;

impl StatusPacket {
    /// Returns the packet as it goes over the network. Numbers that are not finite, which a
    /// GameController would refuse, are zero.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..8].copy_from_slice(&[VERSION, self.player, self.team, u8::from(self.fallen)]);
        let (place, ball) = (self.pose.translation * MILLIMETRES, self.ball * MILLIMETRES);
        let age = self.ball_age.unwrap_or(-1.0);
        let numbers = [place.x, place.y, self.pose.rotation, age, ball.x, ball.y];
        for (number, bytes) in numbers.iter().zip(bytes[8..].chunks_exact_mut(4)) {
            let number = if number.is_finite() { *number } else { 0.0 };
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads a packet; returns `None` if the bytes are none.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; LENGTH] = bytes.try_into().ok()?;
        let [a, b, c, d, version, player, team, fallen, numbers @ ..] = bytes;
        let mut numbers = numbers.chunks_exact(4).map(|bytes| bytes.try_into().map_or(f32::NAN, f32::from_le_bytes));
        let [x, y, rotation, age, ball_x, ball_y] = std::array::from_fn(|_| numbers.next().unwrap_or(f32::NAN));
        let is_whole = [*a, *b, *c, *d] == MAGIC && *version == VERSION && *fallen <= 1 && (1..=20).contains(player);
        let is_finite = [x, y, rotation, age, ball_x, ball_y].iter().all(|number| number.is_finite());
        (is_whole && is_finite).then(|| Self {
            player: *player,
            team: *team,
            fallen: *fallen == 1,
            pose: Pose2::new(x / MILLIMETRES, y / MILLIMETRES, rotation),
            ball_age: (age >= 0.0).then_some(age),
            ball: Vec2::new(ball_x, ball_y) / MILLIMETRES,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_laid_out_as_the_league_s_header_says() {
        let packet = StatusPacket {
            player: 3,
            team: 12,
            fallen: true,
            pose: Pose2::new(-1.5, 0.25, 0.5),
            ball_age: None,
            ball: Vec2::new(2.0, -1.0),
        };
        let expected = "52477274 04 03 0c 01 0080bbc4 00007a43 0000003f 000080bf 0000fa44 00007ac4";
        let bytes: String = packet.to_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(bytes, expected.replace(' ', ""));
        assert_eq!(StatusPacket::read(&packet.to_bytes()), Some(packet));
    }

    #[test]
    fn what_the_game_controller_would_refuse_is_not_sent() {
        let lost = StatusPacket { player: 1, pose: Pose2::new(f32::NAN, f32::INFINITY, 0.0), ..Default::default() };
        let read = StatusPacket::read(&lost.to_bytes()).expect("all of it is finite");
        assert_eq!(read.pose, Pose2::default());
    }

    #[test]
    fn other_bytes_are_no_status() {
        let good = StatusPacket { player: 1, ..Default::default() }.to_bytes();
        for (place, value) in [(0, 0), (4, 3), (5, 0), (5, 21), (7, 2), (11, 0x7f)] {
            let mut bytes = good;
            bytes[place] = value;
            bytes[10] = if place == 11 { 0xc0 } else { bytes[10] };
            assert_eq!(StatusPacket::read(&bytes), None, "byte {place} is {value}");
        }
        assert_eq!(StatusPacket::read(&good[..31]), None);
    }
}
