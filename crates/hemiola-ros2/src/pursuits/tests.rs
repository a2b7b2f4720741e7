use std::collections::BTreeMap;

use hemiola_model::cdr::decode;
use proptest::prelude::*;

use super::*;

/// The number of the request whose answer is awaited.
type Answer = usize;

fn message(id: u8, rest: &[u8]) -> Vec<u8> {
    [&[0, 1, 0, 0], &[id; 16][..], rest].concat()
}

fn response(rest: &[u8]) -> Option<Outcome> {
    Some(Outcome::Answered(Ok([&[0, 1, 0, 0][..], rest].concat())))
}

/// Goals 1 to 3, which are 101 to 103 in the system.
fn pursuits() -> Pursuits<Answer> {
    let mut pursuits = Pursuits::default();
    for number in 1..=3 {
        let sent = pursuits.send(&message(number, &[8]), [100 + number; 16], |request| {
            assert_eq!(request, message(100 + number, &[8]));
            Ok(number.into())
        });
        assert_eq!(sent, Ok(()));
    }
    pursuits
}

#[test]
fn identities_are_those_of_the_system_outside_and_the_robots_own_inside() {
    let pursuits = pursuits();
    let canceled: CancelGoalRequest = decode(&pursuits.cancel(&message(2, &[])).unwrap()).unwrap();
    assert_eq!(canceled.goal_info.goal_id.uuid, [102; 16]);
    assert_eq!(pursuits.feedback(&message(103, &[5])), Some(message(3, &[5])));
    // Goals of nobody, and of another client; and messages that are too short.
    assert_eq!((pursuits.cancel(&message(9, &[])), pursuits.feedback(&message(3, &[5]))), (None, None));
    assert_eq!((pursuits.cancel(&[0; 9]), pursuits.feedback(&[0; 9])), (None, None));
}

#[test]
fn a_goal_ends_with_its_result_or_because_it_is_refused_or_the_server_is_gone() {
    let mut pursuits = pursuits();
    let mut asked = Vec::new();
    let outcomes = |answer: &mut Answer| match answer {
        1 => response(&[1]),
        2 => response(&[0]),
        _ => Some(Outcome::Over),
    };
    let ended = pursuits.advance(outcomes, |request| {
        asked.push(request.to_vec());
        Ok(11)
    });
    assert_eq!((asked, pursuits.running()), (vec![message(101, &[])], 1));
    assert_eq!(ended[0], Ended { own: [2; 16], response: Err("it was not accepted".to_owned()) });
    assert_eq!(ended[1], Ended { own: [3; 16], response: Ok(None) });
    // Without a result, the robot is told that of an unknown goal.
    let unknown = [0, 1, 0, 0, 0];
    assert_eq!(
        ended.iter().map(|ended| ended.message(Some(&unknown))).collect::<Vec<_>>(),
        [Ok(message(2, &[0])), Ok(message(3, &[0]))]
    );
    assert!(ended[0].message(None).is_err());
    let ended = pursuits.advance(|answer| response(&[4, *answer as u8]), |_| panic!("it is accepted already"));
    assert_eq!((ended[0].message(None), pursuits.running()), (Ok(message(1, &[4, 11])), 0));
}

#[test]
fn what_is_too_short_or_cannot_be_asked_ends_with_the_reason() {
    let mut pursuits = Pursuits::<Answer>::default();
    assert_eq!(pursuits.send(&[0; 9], [1; 16], |_| Ok(1)), Err("it has no identity".to_owned()));
    assert!(Ended::unsent(&[0; 9], "no".to_owned()).is_err());
    assert_eq!(pursuits.send(&message(1, &[]), [1; 16], |_| Err("closed".to_owned())), Err("closed".to_owned()));
    assert_eq!(pursuits.running(), 0);
    pursuits.send(&message(1, &[]), [1; 16], |_| Ok(1)).unwrap();
    let ended = pursuits.advance(|_| response(&[1]), |_| Err("closed".to_owned()));
    assert_eq!(ended[0].response, Err("closed".to_owned()));
    let short = Ended { own: [1; 16], response: Ok(Some(vec![0, 1])) };
    assert_eq!(short.message(Some(&[0; 5])), Err("the answer of the server is too short".to_owned()));
}

proptest! {
    /// Whatever the server answers, and in whatever order, each goal ends exactly once.
    #[test]
    fn each_goal_ends_once(goals in 1..20_u8, rounds in prop::collection::vec(prop::collection::vec(0..6_u8, 20), 0..30)) {
        let (mut pursuits, mut ends) = (Pursuits::default(), BTreeMap::<u8, usize>::new());
        for number in 1..=goals {
            pursuits.send(&message(number, &[]), [100 + number; 16], |_| Ok(Answer::from(number))).unwrap();
        }
        for round in rounds.iter().chain([&vec![5; 20]]) {
            let poll = |answer: &mut Answer| match round[*answer % 20] {
                0 | 1 => None,
                2 => response(&[1]),
                3 => response(&[0]),
                4 => Some(Outcome::Answered(Err("no".to_owned()))),
                _ => Some(Outcome::Over),
            };
            for ended in pursuits.advance(poll, |request| Ok(Answer::from(request[4]))) {
                *ends.entry(ended.own[0]).or_default() += 1;
            }
        }
        prop_assert_eq!(pursuits.running(), 0);
        prop_assert_eq!(ends, (1..=goals).map(|number| (number, 1)).collect());
    }
}
