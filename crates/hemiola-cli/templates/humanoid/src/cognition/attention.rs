use hemiola::prelude::*;

use crate::representations::{Ball, BallSighted, HeadRequest};

/// Looks at the ball, or to and fro when the ball has not been seen for a while.
#[derive(Module)]
struct Attention {
    /// The number of images since the ball was last seen.
    missed: u32,
    /// Set from when the ball came in sight until the search for it begins.
    is_tracking: bool,
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
        sighted: &mut Publisher<BallSighted>,
        request: &mut HeadRequest,
    ) {
        self.missed = if ball.seen {
            0
        } else {
            self.missed.saturating_add(1)
        };
        if ball.seen && !self.is_tracking {
            let bearing = ball.bearing;
            sighted.publish(BallSighted { bearing });
        }
        self.is_tracking = ball.seen || (self.is_tracking && self.missed < PATIENCE);
        request.angle = match self.missed {
            0 => ball.bearing,
            missed if missed < PATIENCE => last.angle,
            _ => clock.now().seconds().sin(),
        };
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hemiola::bus::{Bus, WhenFull};

    use super::*;

    #[test]
    fn the_ball_is_announced_when_it_comes_in_sight_and_again_when_it_was_lost() {
        let topic = Bus::new().topic::<BallSighted>("BallSighted").unwrap();
        let mut messages = topic.queue(4, WhenFull::DropOldest);
        let mut attention = Attention {
            missed: 0,
            is_tracking: false,
        };
        let clock = Clock::new(Time::from_seconds(1.0), Duration::from_millis(33), 30);
        let mut announced = |seen: bool, images: u32| {
            for _ in 0..images {
                let ball = Ball { seen, bearing: 0.3 };
                let last = HeadRequest::default();
                let mut request = HeadRequest::default();
                let publisher = &mut topic.publisher();
                attention.head_request(
                    &ball,
                    Previous::new(&last),
                    &clock,
                    publisher,
                    &mut request,
                );
            }
            let mut count = 0;
            while messages.receive().is_some() {
                count += 1;
            }
            count
        };
        assert_eq!(announced(true, 10), 1);
        announced(false, PATIENCE - 1);
        assert_eq!(announced(true, 1), 0, "it was away for a moment");
        announced(false, PATIENCE);
        assert_eq!(announced(true, 1), 1);
    }
}
