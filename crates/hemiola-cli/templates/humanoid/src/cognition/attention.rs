use hemiola::prelude::*;

use crate::representations::{Ball, HeadRequest};

/// Looks at the ball, and, when it is not seen for a while, to and fro.
#[derive(Module)]
struct Attention {
    /// For how many images the ball was not seen.
    missed: u32,
}

/// So many images without the ball are chance.
const PATIENCE: u32 = 15;

#[module]
impl Attention {
    #[update]
    fn head_request(
        &mut self,
        ball: &Ball,
        last: Previous<HeadRequest>,
        clock: &Clock,
        request: &mut HeadRequest,
    ) {
        self.missed = if ball.seen {
            0
        } else {
            self.missed.saturating_add(1)
        };
        request.angle = match self.missed {
            0 => ball.bearing,
            missed if missed < PATIENCE => last.angle,
            _ => clock.now().seconds().sin(),
        };
    }
}
