//! The league's referee: the protocol of the GameController of the Standard Platform League, the
//! robot's end of it, and a referee of our own for the simulator.
//!
//! | file | contents |
//! |---|---|
//! | [`packet`] | control packets, from the GameController to all robots, twice a second |
//! | [`status`] | status packets, from a robot to the GameController, once a second |
//! | [`source`] | the source [`GameController`](source::GameController), which receives the ones and sends the others |
//! | [`referee`] | the course of a game by its times and goals, without sockets |
//! | [`simulated`] | a referee for the simulator, which sees its goals |
//! | [`program`] | `nao referee`, a referee for any number of robots |
//!
//! The protocol is that of version 18 (2024 and 2025), as the struct `RoboCupGameControlData` of
//! [RoboCup-SPL/GameController3](https://github.com/RoboCup-SPL/GameController3) lays it out:
//! little-endian, without padding. Behaviour reads
//! [`GameControl`](crate::representations::game::GameControl).

pub mod packet;
pub mod program;
pub mod referee;
pub mod simulated;
pub mod source;
pub mod status;

/// The UDP port at which robots receive control packets.
pub const CONTROL_PORT: u16 = 3838;
/// The UDP port at which the GameController receives status packets.
pub const STATUS_PORT: u16 = 3939;
