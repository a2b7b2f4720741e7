//! A robot that walks, looks and talks: three cycles that read values, samples and topics from each
//! other in all directions, at rates that are no multiples of each other, and modules that keep
//! state of every kind.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};

use hemiola::prelude::*;

/// The configuration: three cycles that read from each other in all directions.
pub const ROBOT: &str = r#"
[cycle.motion]
trigger = "Gyroscope"
modules = ["Walk"]

[cycle.cognition]
trigger = "Camera"
modules = ["Localize", "Decide"]

[cycle.voice]
rate = 37.0
modules = ["Speak"]
"#;

#[derive(Representation, Clone, Default)]
pub struct Rotation {
    pub speed: f64,
}

#[derive(Representation, Clone, Default)]
pub struct Picture {
    pub brightness: Vec<u8>,
}

#[derive(Representation, Clone, Default)]
pub struct Step {
    pub number: u64,
    pub length: f64,
    /// The number of the decision that it follows; its age is `age`.
    pub decision: u64,
    pub age: f64,
    /// A fold of all remarks received, in their order.
    pub remarks: u64,
}

#[derive(Representation, Clone, Default)]
pub struct Pose {
    pub x: f64,
    pub steps: u64,
    pub newest_step: u64,
    pub said: u64,
}

/// A decision of cognition, which not every run provides.
#[derive(Representation, Clone, Default)]
pub struct Decision {
    pub number: u64,
    pub speed: f64,
    pub words: u64,
    pub remarks: u64,
}

/// A topic that motion and voice publish, and cognition and motion receive.
#[derive(Representation, Clone, Default)]
pub struct Remark {
    pub number: u64,
    pub text: String,
}

#[derive(Representation, Clone, Default)]
pub struct Words {
    pub count: u64,
    pub text: String,
}

#[derive(Source)]
pub struct Gyroscope {
    count: u32,
}

#[source]
impl Gyroscope {
    #[sample(rate = 200.0)]
    fn sample(&mut self, rotation: &mut Rotation) {
        self.count += 1;
        rotation.speed = f64::from(self.count).sin();
    }
}

#[derive(Source)]
pub struct Camera {
    count: u8,
}

#[source]
impl Camera {
    #[sample(rate = 60.0)]
    fn sample(&mut self, picture: &mut Picture) {
        self.count = self.count.wrapping_add(1);
        picture.brightness.extend((0..1000).map(|pixel| self.count.wrapping_mul(pixel as u8)));
    }
}

#[derive(Data, Clone, Default)]
pub enum Gait {
    #[default]
    Standing,
    Walking {
        since: Time,
        speeds: VecDeque<f64>,
    },
}

#[derive(Module)]
pub struct Walk {
    memory: f64,
    gait: Gait,
    #[stateless]
    sorted: Vec<f64>,
}

#[module]
impl Walk {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "it has an argument of every kind")]
    fn step(
        &mut self,
        rotation: &Rotation,
        decision: Fresh<Decision>,
        words: &Words,
        last: Previous<Step>,
        heard: &Subscription<Remark>,
        remark: &mut Publisher<Remark>,
        clock: &Clock,
        step: &mut Step,
    ) {
        let speeds = match &mut self.gait {
            Gait::Walking { since, speeds } if clock.now().since(*since).as_millis() < 130 => speeds,
            gait => {
                *gait = Gait::Walking { since: clock.now(), speeds: VecDeque::new() };
                let Gait::Walking { speeds, .. } = gait else { return };
                speeds
            }
        };
        speeds.push_back(rotation.speed * decision.speed);
        self.sorted.clear();
        self.sorted.extend(speeds.iter());
        self.sorted.sort_by(f64::total_cmp);
        self.memory = 0.9 * self.memory + self.sorted[self.sorted.len() / 2] + 1e-3 * words.count as f64;
        step.number = last.number + 1;
        step.length = self.memory + if decision.is_stale() { 0.5 } else { 0.0 } + f64::from(clock.step_seconds());
        step.decision = decision.number;
        step.age = decision.age().as_secs_f64();
        step.remarks = fold(heard, last.remarks);
        for number in 0..step.number % 3 {
            remark.publish(Remark { number: 3 * step.number + number, text: "step".into() });
        }
    }
}

/// The switch that makes `Localize` behave as if its code had been changed.
pub static IS_CHANGED: AtomicBool = AtomicBool::new(false);

#[derive(Module)]
pub struct Localize {
    /// The number of times that each text was said.
    said: BTreeMap<String, u64>,
    last: Option<(u64, f32)>,
}

#[module]
impl Localize {
    #[update]
    fn pose(
        &mut self,
        picture: &Picture,
        steps: Samples<Step>,
        turns: Samples<Rotation>,
        words: &Words,
        last: Previous<Pose>,
        pose: &mut Pose,
    ) {
        let turned: f64 = turns.iter().map(|turn| turn.speed).sum();
        pose.x = last.x + steps.iter().map(|step| step.length).sum::<f64>() + f64::from(picture.brightness[7]) * 1e-6;
        pose.x += turned * 1e-3 + f64::from(self.last.map_or(0.0, |(_, fraction)| fraction));
        pose.steps = last.steps + steps.len() as u64;
        pose.newest_step = steps.iter().next_back().map_or(last.newest_step, |step| step.number);
        let ending = words.text.len().to_string();
        *self.said.entry(ending).or_default() += 1;
        pose.said = self.said.values().fold(0, |all: u64, count| all.wrapping_mul(31).wrapping_add(*count));
        self.last = Some((pose.steps, pose.x.fract() as f32));
        if IS_CHANGED.load(Ordering::Relaxed) {
            pose.x += 1e-9;
        }
    }
}

#[derive(Parameters)]
pub struct DecideParameters {
    #[parameter(default = 10.0)]
    goal: f64,
}

#[derive(Module)]
pub struct Decide {
    #[parameters]
    parameters: DecideParameters,
    attempts: u64,
}

#[module]
impl Decide {
    #[update]
    fn decision(
        &mut self,
        pose: &Pose,
        words: &Words,
        heard: &Subscription<Remark>,
        last: Previous<Decision>,
        decision: &mut Decision,
    ) -> Result<(), String> {
        self.attempts += 1;
        if pose.newest_step % 5 == 3 {
            return Err("no idea".into());
        }
        decision.number = last.number + self.attempts;
        decision.speed = (self.parameters.goal - pose.x).tanh();
        decision.words = words.count;
        decision.remarks = fold(heard, last.remarks);
        Ok(())
    }
}

#[derive(Module)]
pub struct Speak {}

#[module]
impl Speak {
    #[update]
    fn words(
        &self,
        decisions: Samples<Decision>,
        step: &Step,
        last: Previous<Words>,
        clock: &Clock,
        remark: &mut Publisher<Remark>,
        words: &mut Words,
    ) {
        remark.publish(Remark { number: 1_000_000 + clock.run(), text: format!("word {}", clock.run()) });
        words.count = last.count + decisions.len() as u64;
        words.text = format!("{} at {} after {}", decisions.len(), clock.now(), step.number);
    }
}

/// Folds remarks into a number that depends on each of them and on their order.
fn fold(heard: &Subscription<Remark>, before: u64) -> u64 {
    heard.iter().fold(before, |all, remark| {
        all.wrapping_mul(31).wrapping_add(remark.number).wrapping_add(remark.text.len() as u64)
    })
}

/// A module whose state cannot be recorded.
#[derive(Module)]
pub struct Dream {
    #[opaque]
    weights: [f64; 2],
}

#[derive(Representation, Clone, Default)]
pub struct Thought {
    pub depth: f64,
}

#[module]
impl Dream {
    #[update]
    fn thought(&mut self, step: &Step, thought: &mut Thought) {
        self.weights = [self.weights[1], 0.5 * self.weights[0] + step.length];
        thought.depth = self.weights[1];
    }
}
