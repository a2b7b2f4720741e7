use std::time::Duration;

use hemiola::prelude::*;

use crate::representations::body::{BodyLine, PowerPhase, PowerState, TouchSensors};
use crate::representations::sensing::JointAngles;

/// Decides whether the joints have power.
///
/// A robot lies or sits when its program starts, so its joints stay limp until the chest button is
/// pressed. Then they go from where they are to where they are requested, slowly. They do the same
/// when the line to the body was lost for longer than a moment: the robot is no longer where it
/// was. In the safe state nothing gets power; what has it keeps it to crouch, unless the line is
/// lost.
#[derive(Module)]
pub struct PowerSwitch {
    #[parameters]
    parameters: PowerSwitchParameters,
    phase: PowerPhase,
    /// The positions of the joints when the phase began.
    from: [f32; crate::robot::JOINTS],
    /// The time since the phase began, in seconds.
    lasts: f32,
    /// The connection of the last run.
    connection: u32,
}

/// Parameters of [`PowerSwitch`].
#[derive(Parameters)]
pub struct PowerSwitchParameters {
    /// The joints wait for the chest button. Without it they get power at once.
    #[parameter(default = true)]
    pub button: bool,
    /// The duration of the way from where the joints are to where they are requested.
    #[parameter(default = 2.0, range = 0.2..=10.0, unit = "s")]
    pub rise: f32,
    /// The silence of the body after which the joints are not where they were.
    #[parameter(default = Duration::from_millis(100), unit = "s")]
    pub gap: Duration,
}

#[module]
impl PowerSwitch {
    #[update]
    pub(super) fn power(
        &mut self,
        line: &BodyLine,
        touch: &TouchSensors,
        joints: &JointAngles,
        clock: &Clock,
        safe: &SafeState,
        power: &mut PowerState,
    ) {
        let is_lost = line.connection != self.connection && clock.step() > self.parameters.gap;
        self.connection = line.connection;
        self.lasts += clock.step_seconds();
        let is_wanted = touch.chest || !self.parameters.button;
        let next = match (self.phase, safe.is_active()) {
            (PowerPhase::Off, false) if is_wanted => PowerPhase::Rising,
            (PowerPhase::Off, _) => PowerPhase::Off,
            (_, true) if is_lost => PowerPhase::Off,
            (_, false) if is_lost => PowerPhase::Rising,
            (PowerPhase::Rising, _) if self.lasts >= self.parameters.rise => PowerPhase::On,
            (phase, _) => phase,
        };
        if next != self.phase || is_lost {
            (self.phase, self.from, self.lasts) = (next, joints.positions, 0.0);
        }
        power.phase = self.phase;
        power.from = self.from;
        power.progress = match self.phase {
            PowerPhase::Off => 0.0,
            PowerPhase::Rising => (self.lasts / self.parameters.rise).clamp(0.0, 1.0),
            PowerPhase::On => 1.0,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::JOINTS;

    struct Trial {
        module: PowerSwitch,
        now: Time,
        connection: u32,
        safe: SafeState,
    }

    impl Trial {
        fn new() -> Self {
            let module = PowerSwitch::create(PowerSwitchParameters::default());
            Self { module, now: Time::ZERO, connection: 1, safe: SafeState::Inactive }
        }

        fn run(&mut self, step: Duration, chest: bool) -> PowerState {
            self.now = self.now + step;
            let mut power = PowerState::default();
            self.module.power(
                &BodyLine { connection: self.connection, ..Default::default() },
                &TouchSensors { chest, ..Default::default() },
                &JointAngles { positions: [0.5; JOINTS] },
                &Clock::new(self.now, step, 1),
                &self.safe,
                &mut power,
            );
            power
        }

        fn phase_after(&mut self, seconds: f32, chest: bool) -> PowerPhase {
            let runs = (seconds / 0.012) as u32;
            (0..runs).map(|_| self.run(RUN, chest).phase).last().unwrap_or_default()
        }

        fn standing() -> Self {
            let mut trial = Self::new();
            trial.phase_after(0.1, true);
            assert_eq!(trial.phase_after(2.1, false), PowerPhase::On);
            trial
        }
    }

    const RUN: Duration = Duration::from_millis(12);

    #[test]
    fn joints_are_limp_until_the_button_is_pressed_and_then_begin_where_they_are() {
        let mut trial = Trial::new();
        assert_eq!(trial.phase_after(5.0, false), PowerPhase::Off);
        let begun = trial.run(RUN, true);
        assert_eq!((begun.phase, begun.progress, begun.from), (PowerPhase::Rising, 0.0, [0.5; JOINTS]));
        assert_eq!(trial.phase_after(1.9, false), PowerPhase::Rising);
        assert_eq!(trial.phase_after(0.2, false), PowerPhase::On);
    }

    #[test]
    fn after_a_long_loss_joints_rise_again_and_after_a_short_one_they_go_on() {
        let mut trial = Trial::standing();
        trial.connection += 1;
        assert_eq!(trial.run(2 * RUN, false).phase, PowerPhase::On);
        assert_eq!(trial.run(20 * RUN, false).phase, PowerPhase::On, "this computer was busy");
        trial.connection += 1;
        let power = trial.run(20 * RUN, false);
        assert_eq!((power.phase, power.progress), (PowerPhase::Rising, 0.0));
    }

    #[test]
    fn in_the_safe_state_nothing_gets_power_and_what_has_it_may_crouch_unless_the_line_is_lost() {
        let mut trial = Trial::new();
        trial.safe = SafeState::Active;
        assert_eq!(trial.phase_after(1.0, true), PowerPhase::Off);
        let mut trial = Trial::standing();
        trial.safe = SafeState::Active;
        assert_eq!(trial.phase_after(1.0, false), PowerPhase::On);
        trial.connection += 1;
        assert_eq!(trial.run(50 * RUN, true).phase, PowerPhase::Off);
        assert_eq!(trial.phase_after(1.0, true), PowerPhase::Off);
        trial.safe = SafeState::Inactive;
        assert_eq!(trial.phase_after(1.0, false), PowerPhase::Off, "it waits for the button again");
        assert_eq!(trial.run(RUN, true).phase, PowerPhase::Rising);
    }
}
