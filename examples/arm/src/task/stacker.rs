use std::fmt;

use hemiola::prelude::*;

use crate::kinematics;
use crate::representations::{Goal, Grip, Reference};

#[derive(Parameters)]
struct StackerParameters {
    /// The places of the boxes beside each other: forward and up from the shoulder.
    #[parameter(default = vec![[0.38, -0.10], [0.46, -0.10], [0.54, -0.10]], unit = "m")]
    row: Vec<[f64; 2]>,
    /// Their places on the stack, from below.
    #[parameter(default = vec![[0.22, -0.10], [0.22, -0.04], [0.22, 0.02]], unit = "m")]
    stack: Vec<[f64; 2]>,
    /// The height above a box at which the hand comes and goes.
    #[parameter(default = 0.1, range = 0.0..=0.3, unit = "m")]
    clearance: f64,
    /// The time that the gripper takes.
    #[parameter(default = 0.3, range = 0.0..=5.0, unit = "s")]
    gripping: f64,
}

/// Stacks the boxes, and when all are stacked puts them side by side again.
#[derive(Module)]
struct Stacker {
    #[parameters]
    parameters: StackerParameters,
    /// The steps that are done. Six of them move a box.
    done: u32,
    /// The moment at which the gripper got its command, in a step that has one.
    gripped: Option<Time>,
}

/// A part of moving a box.
#[derive(Clone, Copy)]
struct Step {
    hand: [f64; 2],
    /// At its end the gripper closes or opens.
    close: Option<bool>,
}

#[module]
impl Stacker {
    #[update]
    fn goal(
        &mut self,
        reference: &Reference,
        clock: &Clock,
        debug: &Debug,
        grips: &mut Publisher<Grip>,
        goal: &mut Goal,
    ) -> Result<(), OutOfReach> {
        let Some(step) = self.step() else { return Ok(()) }; // there are no boxes
        if reference.is_over && reference.goal == self.done + 1 && self.is_gripped(step, clock.now(), grips) {
            self.done += 1;
            self.gripped = None;
        }
        let step = self.step().unwrap_or(step);
        goal.number = self.done + 1;
        goal.angles = kinematics::angles(step.hand).ok_or(OutOfReach { hand: step.hand })?;
        debug.draw("arm/goal", |canvas| canvas.circle(step.hand.map(|place| place as f32), 0.02, Color::GREEN));
        debug.background("arm/places", |canvas| {
            for [x, z] in self.parameters.row.iter().chain(&self.parameters.stack) {
                let corners = [(-0.02, -0.06), (0.02, -0.06), (0.02, 0.0), (-0.02, 0.0)];
                canvas.polygon(corners.map(|(right, up)| [(x + right) as f32, (z + up) as f32]), Color::GRAY);
            }
        });
        Ok(())
    }

    /// Returns the step that is to be done; none if there are no boxes.
    fn step(&self) -> Option<Step> {
        let StackerParameters { row, stack, clearance, .. } = &self.parameters;
        let boxes = row.len().min(stack.len());
        let number = (self.done / 6) as usize % (2 * boxes).max(1);
        let (from, to) = match number.checked_sub(boxes) {
            None => (*row.get(number)?, *stack.get(number)?),
            // The topmost box first.
            Some(back) => (*stack.get(boxes.checked_sub(back + 1)?)?, *row.get(boxes - back - 1)?),
        };
        let above = |[x, z]: [f64; 2]| Step { hand: [x, z + clearance], close: None };
        Some(match self.done % 6 {
            0 | 2 => above(from),
            1 => Step { hand: from, close: Some(true) },
            4 => Step { hand: to, close: Some(false) },
            _ => above(to),
        })
    }

    /// Returns whether the gripper has done what this step asks it for; begins that if need be.
    fn is_gripped(&mut self, step: Step, now: Time, grips: &mut Publisher<Grip>) -> bool {
        let Some(close) = step.close else { return true };
        let begin = *self.gripped.get_or_insert_with(|| {
            grips.publish(Grip { close, at: step.hand });
            now
        });
        now.since(begin).as_secs_f64() >= self.parameters.gripping
    }
}

/// A place that the hand cannot reach.
#[derive(Debug)]
struct OutOfReach {
    hand: [f64; 2],
}

impl fmt::Display for OutOfReach {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, z] = self.hand;
        let reach = 2.0 * kinematics::LENGTH;
        write!(
            formatter,
            "({x}, {z}) is farther from the shoulder than the arm is long, {reach} m: see [module.Stacker] in robot.toml"
        )
    }
}
