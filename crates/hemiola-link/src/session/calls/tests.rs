//! Calls over a network that loses, delays and repeats frames.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use hemiola_bus::{AnswerError, AnswerFuture, Client, Server};
use hemiola_model::configuration::LinkConfiguration;
use proptest::prelude::*;

use super::made::LONGEST_PAUSE;
use super::*;
use crate::session::tests::{Count, Fate, Side, bring, fates, nothing};

/// A time after which the network loses nothing any more.
const PATIENCE: Duration = Duration::from_secs(100);

/// A side that calls, and one that serves.
struct Pair {
    near: Side,
    far: Side,
    server: Server<Count, Count>,
    client: Client<Count, Count>,
    /// The number of times that each request was served.
    served: BTreeMap<u32, u32>,
}

impl Pair {
    fn new() -> Self {
        let service = || vec!["Double".to_owned()];
        let mut near = Side::of(&LinkConfiguration { call: service(), ..nothing() });
        let mut far = Side::of(&LinkConfiguration { serve: service(), ..nothing() });
        [&mut near, &mut far].into_iter().for_each(|side| side.desk.answer_patience = Some(PATIENCE));
        [&near, &far].iter().for_each(|side| side.bus.allow_calls::<Count, Count>("Double"));
        let server = far.bus.server("Double", 64).unwrap();
        let client = near.bus.client("Double").unwrap();
        [&mut near, &mut far].into_iter().for_each(|side| side.desk.services.look());
        Self { near, far, server, client, served: BTreeMap::new() }
    }

    /// Lets both sides exchange frames, and the server answer.
    fn talk(&mut self, fates: &mut impl Iterator<Item = Fate>) {
        let Self { near, far, server, served, .. } = self;
        while near.session.has_room(0)
            && let Some(asked) = near.desk.services.next(0)
        {
            near.session.ask(0, asked, near.now, &mut near.desk);
        }
        bring(near, far, fates);
        server.run(64, |count| {
            *served.entry(count.0).or_default() += 1;
            Count(2 * count.0)
        });
        far.session.pass_answers(&mut far.desk);
        bring(far, near, fates);
    }

    /// Lets both sides exchange offers, so that calls are answered.
    fn meet(&mut self, fates: &mut impl Iterator<Item = Fate>) -> bool {
        for _ in 0..60 {
            self.near.session.repeat(&mut self.near.desk);
            self.far.session.repeat(&mut self.far.desk);
            self.talk(fates);
            if self.near.session.answers(0, &self.near.desk) {
                return self.near.desk.services.serve(0, true) == Ok(());
            }
        }
        false
    }
}

fn poll(answer: &mut AnswerFuture<Count>) -> Poll<Result<Count, AnswerError>> {
    Pin::new(answer).poll(&mut Context::from_waker(Waker::noop()))
}

proptest! {
    #[test]
    fn whatever_the_network_does_a_call_is_served_once_at_most_and_has_one_end(fates in fates(), calls in 1..60_u32, repeats in prop_oneof![0..6, Just(64)]) {
        let (mut pair, mut fates) = (Pair::new(), fates.into_iter());
        prop_assert!(pair.meet(&mut fates), "they do not meet");
        let mut answers = Vec::new();
        for call in 1..=calls {
            answers.push(pair.client.call_async(Count(call)).unwrap());
            if call % 3 == 0 {
                pair.talk(&mut fates);
            }
        }
        pair.talk(&mut fates);
        // Some requests are repeated and answered; the calls of those that are lost are given up at
        // last.
        for _ in 0..repeats {
            pair.near.now += LONGEST_PAUSE;
            pair.near.session.remind(pair.near.now, &mut pair.near.desk);
            pair.talk(&mut fates);
        }
        let is_sure = repeats == 64;
        pair.near.session.remind(pair.near.now + PATIENCE, &mut pair.near.desk);
        let (mut answered, mut lost) = (0, 0);
        for (call, answer) in (1..).zip(&mut answers) {
            match poll(answer) {
                Poll::Ready(Ok(count)) => {
                    prop_assert_eq!(count, Count(2 * call));
                    prop_assert_eq!(pair.served.get(&call), Some(&1));
                    answered += 1;
                }
                Poll::Ready(Err(AnswerError::TimedOut)) if !is_sure => lost += 1,
                other => prop_assert!(false, "{:?}", other),
            }
        }
        prop_assert!(pair.served.values().all(|times| *times == 1), "{:?}", pair.served);
        let count = &pair.near.desk.statistics.called[0];
        prop_assert_eq!((count.calls, count.answers, count.unanswered), (u64::from(calls), answered, lost));
        prop_assert_eq!(pair.near.session.calls_made(0), 0);
    }
}

#[test]
fn what_is_in_flight_is_bounded_and_ends_with_the_conversation() {
    let mut pair = Pair::new();
    assert!(pair.meet(&mut std::iter::empty()));
    let mut clients: Vec<_> = (0..10).map(|_| pair.client.clone()).collect();
    let mut asked: Vec<_> = clients
        .iter_mut()
        .flat_map(|client| (0..16).map(|_| client.call_async(Count(1)).unwrap()).collect::<Vec<_>>())
        .collect();
    // The frames that are sent are lost.
    let Side { session, desk, now, .. } = &mut pair.near;
    while session.has_room(0)
        && let Some(asked) = desk.services.next(0)
    {
        session.ask(0, asked, *now, desk);
    }
    assert_eq!(session.calls_made(0), MOST_CALLS);
    session.end_calls(desk);
    let over = |asked: &mut Vec<AnswerFuture<Count>>| {
        asked.iter_mut().map(poll).filter(|answer| *answer == Poll::Ready(Err(AnswerError::Ended))).count()
    };
    assert_eq!(over(&mut asked), MOST_CALLS);
    assert_eq!((desk.statistics.called[0].unanswered, session.calls_made(0)), (MOST_CALLS as u64, 0));
    asked.retain_mut(|answer| poll(answer).is_pending());
    desk.services.serve(0, false).unwrap();
    assert_eq!(over(&mut asked), 160 - MOST_CALLS);
}

#[test]
fn a_server_that_goes_and_comes_is_noticed() {
    let mut pair = Pair::new();
    assert!(pair.meet(&mut std::iter::empty()));
    pair.server = Pair::new().server; // the server here is gone, and nobody knows yet
    let mut late = pair.client.call_async(Count(3)).unwrap();
    pair.talk(&mut std::iter::empty());
    assert_eq!(poll(&mut late), Poll::Ready(Err(AnswerError::Ended)));
    assert!(!pair.near.session.answers(0, &pair.near.desk), "it is not asked any more");
    pair.server = pair.far.bus.server("Double", 64).unwrap();
    pair.far.desk.services.look();
    pair.far.session.look(&mut pair.far.desk);
    assert!(pair.meet(&mut std::iter::empty()));
    let mut answer = pair.client.call_async(Count(3)).unwrap();
    pair.talk(&mut std::iter::empty());
    assert_eq!(poll(&mut answer), Poll::Ready(Ok(Count(6))));
    assert_eq!(pair.far.desk.statistics.served[0].unanswered, 1);
}
