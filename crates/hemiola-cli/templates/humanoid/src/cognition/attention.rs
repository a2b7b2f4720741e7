use hemiola::prelude::*;

use crate::representations::{Ball, HeadRequest};

/// Looks at the ball, or to and fro when the ball has not been seen for a while.
#[derive(Module)]
struct Attention {
    /// The number of images since the ball was last seen.
    missed: u32,
}

/// The number of images without the ball after which the search for it begins.
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
