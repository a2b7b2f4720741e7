//! A module with parameters of every type that ROS 2 supports, for tests and the fuzz target.

use hemiola::prelude::*;

#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub enum Gait {
    #[default]
    Walk,
    Trot,
}

/// Parameters of every type that ROS 2 supports.
#[derive(Parameters)]
pub struct WalkParameters {
    /// How eagerly it follows.
    #[parameter(default = 0.5, range = 0.0..=2.0, unit = "m/s")]
    gain: f64,
    #[parameter(default = 3, range = 1..=9)]
    steps: i32,
    #[parameter(default = true)]
    careful: bool,
    #[parameter(default = "ada".to_owned())]
    name: String,
    #[parameter(default = Gait::Walk)]
    gait: Gait,
    #[parameter(default = vec![1, 2, 255])]
    bytes: Vec<u8>,
    #[parameter(default = [true, false])]
    feet: [bool; 2],
    #[parameter(default = vec![-1, 5])]
    offsets: Vec<i64>,
    #[parameter(default = [0.5, 1.5])]
    corner: [f32; 2],
    #[parameter(default = vec!["a".to_owned()])]
    names: Vec<String>,
    /// A type that ROS 2 does not support.
    #[parameter(default = vec![[0.0, 1.0]])]
    walls: Vec<[f64; 2]>,
}

#[derive(Module)]
pub struct Walk {
    #[parameters]
    parameters: WalkParameters,
}

#[derive(Representation, Clone, Default, Debug)]
pub struct Steps {
    pub gain: f64,
    /// Uses every parameter.
    pub all: u64,
}

#[module]
impl Walk {
    #[update]
    fn steps(&self, steps: &mut Steps) {
        let WalkParameters { gain, careful, name, gait, bytes, feet, offsets, corner, names, walls, .. } =
            &self.parameters;
        steps.gain = *gain;
        let lengths =
            [name.len(), bytes.len(), offsets.len(), names.len(), walls.len(), self.parameters.steps as usize];
        let flags = [*careful, feet[0], *gait == Gait::Trot, corner[0] > 0.0];
        steps.all = lengths.iter().sum::<usize>() as u64 + flags.iter().filter(|flag| **flag).count() as u64;
    }
}
