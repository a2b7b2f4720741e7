//! Choices that a system leaves open: drawn at random, or tried from the first possibility to the
//! last.

use hemiola_plan::SplitMix64;

/// The source of the answers.
pub enum Choices {
    /// Random answers, the same for the same seed.
    Random(SplitMix64),
    /// One answer after the other: for each question its answer, and how many answers there are.
    InTurn { answers: Vec<(u64, u64)>, next: usize },
}

impl Choices {
    pub fn random(seed: u64) -> Self {
        Self::Random(SplitMix64::new(seed))
    }

    /// Runs `run` with every sequence of answers, but at most so often; returns whether those were
    /// all.
    #[allow(dead_code, reason = "not every test can run through everything")]
    pub fn each(at_most: usize, mut run: impl FnMut(&mut Self)) -> bool {
        let mut answers = Vec::new();
        for _ in 0..at_most {
            let mut choices = Self::InTurn { answers, next: 0 };
            run(&mut choices);
            let Self::InTurn { answers: given, .. } = choices else { unreachable!("answers are given in turn") };
            answers = given;
            // The last question that has another answer gets it; those after it are asked anew.
            while answers.last().is_some_and(|&(answer, count)| answer + 1 == count) {
                answers.pop();
            }
            match answers.last_mut() {
                Some((answer, _)) => *answer += 1,
                None => return true,
            }
        }
        false
    }

    /// Chooses a number below `count`, which is not 0.
    pub fn below(&mut self, count: u64) -> u64 {
        match self {
            Self::Random(random) => random.below(count),
            Self::InTurn { answers, next } => {
                if *next == answers.len() {
                    answers.push((0, count));
                }
                *next += 1;
                answers[*next - 1].0
            }
        }
    }

    /// Chooses a number from `first` to `last`.
    #[allow(dead_code, reason = "not every test has such ranges")]
    pub fn between(&mut self, first: u64, last: u64) -> u64 {
        first + self.below(last - first + 1)
    }

    /// Chooses an order of `count` things: for each its place.
    #[allow(dead_code, reason = "not every test orders something")]
    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut left: Vec<usize> = (0..count).collect();
        (0..count).map(|_| left.remove(self.below(left.len() as u64) as usize)).collect()
    }
}
