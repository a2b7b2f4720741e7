use hemiola::prelude::*;

use super::weight;
use crate::representations::audio::{Whistle, WhistleFeatures};
use crate::representations::events::WhistleHeard;

/// Detects a whistle that is blown on this field.
///
/// Each feature is evidence from 0 to 1 for a whistle; the weakest counts, because each of the
/// other sounds lacks one of them. Its mean over the last blocks must exceed a threshold for a
/// minimum duration; a lower threshold ends the whistle, so that a wavering one is detected once.
#[derive(Module)]
pub struct WhistleDetector {
    #[parameters]
    parameters: WhistleDetectorParameters,
    belief: f32,
    state: State,
    last_heard: Option<Time>,
}

/// Parameters of the [`WhistleDetector`].
#[derive(Parameters, Clone, Debug)]
pub struct WhistleDetectorParameters {
    /// The prominence that is neither evidence for nor against a whistle. A whistle on another
    /// field has less.
    #[parameter(default = 25.0, range = 0.0..=100.0, unit = "dB")]
    pub prominence: f32,
    /// The dominance that is neither evidence for nor against a whistle.
    #[parameter(default = 0.65, range = 0.0..=1.0)]
    pub dominance: f32,
    /// The tonality that is neither evidence for nor against a whistle.
    #[parameter(default = 10.5, range = 0.0..=100.0, unit = "dB")]
    pub tonality: f32,
    /// The stability that is neither evidence for nor against a whistle.
    #[parameter(default = 0.35, range = 0.0..=1.0)]
    pub stability: f32,
    /// The time constant of the belief.
    #[parameter(default = 0.074, range = 0.001..=1.0, unit = "s")]
    pub memory: f32,
    /// The belief from which on a whistle may be detected.
    #[parameter(default = 0.5, range = 0.0..=1.0)]
    pub begin: f32,
    /// The belief below which a whistle has ended.
    #[parameter(default = 0.25, range = 0.0..=1.0)]
    pub end: f32,
    /// The minimum time for which the belief must stay that high.
    #[parameter(default = 0.02, range = 0.0..=2.0, unit = "s")]
    pub shortest: f32,
}

#[derive(Data, Clone, Copy, Default)]
enum State {
    #[default]
    Quiet,
    /// The belief has been high enough for this number of seconds, since this time.
    Suspected(f32, Time),
    Heard,
}

/// Half of the range in which a feature is uncertain.
mod doubt {
    pub const PROMINENCE: f32 = 4.0;
    pub const DOMINANCE: f32 = 0.3;
    pub const TONALITY: f32 = 2.5;
    pub const STABILITY: f32 = 0.25;
}

#[module]
impl WhistleDetector {
    #[update]
    pub(crate) fn whistle(
        &mut self,
        features: &WhistleFeatures,
        clock: &Clock,
        debug: &Debug,
        heard: &mut Publisher<WhistleHeard>,
        whistle: &mut Whistle,
    ) {
        let evidence = self.evidence(features);
        self.belief += weight(features.hop, self.parameters.memory) * (evidence - self.belief);
        let before = self.last_heard;
        self.state = self.next(features.hop, clock.now());
        whistle.heard = matches!(self.state, State::Heard);
        if let Some(began) = self.last_heard.filter(|_| self.last_heard != before) {
            heard.publish(WhistleHeard { began });
        }
        whistle.last_heard = self.last_heard;
        debug.plot("whistle evidence", evidence);
        debug.plot("whistle belief", self.belief);
    }

    fn evidence(&self, features: &WhistleFeatures) -> f32 {
        let WhistleDetectorParameters { prominence, dominance, tonality, stability, .. } = self.parameters;
        certainty(features.prominence, prominence, doubt::PROMINENCE)
            .min(certainty(features.dominance, dominance, doubt::DOMINANCE))
            .min(certainty(features.tonality, tonality, doubt::TONALITY))
            .min(certainty(features.stability, stability, doubt::STABILITY))
    }

    fn next(&mut self, hop: f32, now: Time) -> State {
        let WhistleDetectorParameters { begin, end, shortest, .. } = self.parameters;
        match self.state {
            State::Quiet if self.belief >= begin => State::Suspected(0.0, now),
            State::Suspected(duration, began) if self.belief >= begin => {
                if duration + hop < shortest {
                    return State::Suspected(duration + hop, began);
                }
                self.last_heard = Some(began);
                State::Heard
            }
            State::Heard if self.belief >= end => State::Heard,
            _ => State::Quiet,
        }
    }
}

/// Returns 0 far below `middle`, 1 far above it, and a linear transition in between.
fn certainty(value: f32, middle: f32, doubt: f32) -> f32 {
    ((value - middle) / (2.0 * doubt) + 0.5).clamp(0.0, 1.0)
}
