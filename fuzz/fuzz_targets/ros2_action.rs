//! Whatever other nodes of a ROS 2 system send of an action, to its server and to its client, and
//! in whatever order: it is read or refused, whoever waits for a result is answered once and not
//! before the end, and each goal of a client ends once.
#![no_main]

mod patched;

use std::collections::BTreeSet;

use hemiola_model::Time;
use hemiola_ros2::{Asked, Ended, Goals, Outcome, Pursuits};
use libfuzzer_sys::fuzz_target;
use patched::patched;

/// The header of each message in CDR.
const HEADER: [u8; 4] = [0, 1, 0, 0];

fuzz_target!(|input: &[u8]| {
    serve(input);
    pursue(input);
});

/// Steps of a fuzzer: of which kind, for which goal, and with which changes of its message.
fn steps(mut input: &[u8]) -> impl Iterator<Item = (u8, Vec<u8>, &[u8])> {
    std::iter::from_fn(move || {
        let [kind, number, length, rest @ ..] = input else { return None };
        let (changes, rest) = rest.split_at(usize::from(*length).min(rest.len()));
        input = rest;
        Some((*kind, [&HEADER, &[*number; 16][..]].concat(), changes))
    })
}

fn serve(input: &[u8]) {
    let mut goals = Goals::default();
    let (mut waiting, mut who) = (BTreeSet::new(), 0_u64);
    for (kind, goal, changes) in steps(input) {
        match kind % 4 {
            0 => {
                let request = patched(&[&goal[..], b"any goal"].concat(), changes);
                // The robot takes all goals but one.
                let start = |goal: &[u8]| if goal.ends_with(b"!") { Err("no".to_owned()) } else { Ok(()) };
                let before = goals.running();
                let (response, started) = goals.send_goal(&request, Time::from_nanoseconds(who as i64), start);
                assert_eq!((response.len(), response[4] == 1), (16, started.is_ok()));
                assert_eq!(goals.running() - before, usize::from(started.is_ok()));
            }
            1 => {
                let request = patched(&[&goal[..], &[0; 8]].concat(), changes);
                let mut told = 0;
                let response = goals.cancel_goal(&request, |wish| {
                    assert_eq!(wish.len(), 20);
                    told += 1;
                    told % 3 != 0
                });
                let count =
                    response.map_or(0, |response| u32::from_le_bytes(response[8..12].try_into().expect("4 bytes")));
                assert_eq!(count, told - told / 3);
            }
            2 => {
                who += 1;
                match goals.get_result(&patched(&goal, changes), who) {
                    Asked::Waits => assert!(waiting.insert(who)),
                    Asked::Ended(asked, result) => assert!(asked == who && (4..=6).contains(&result[4])),
                    Asked::Unknown(asked) | Asked::Full(asked) | Asked::Unreadable(asked) => assert_eq!(asked, who),
                }
            }
            _ => {
                // A status of a goal that has ended, unless the fuzzer changes it.
                let result = patched(&[&goal[..], &[kind / 4 % 3 + 4, 7]].concat(), changes);
                if let Ok((answered, response)) = goals.finish(&result) {
                    assert_eq!(response, [&result[..4], &result[20..]].concat());
                    assert!(answered.iter().all(|who| waiting.remove(who)));
                }
            }
        }
        let status = goals.status();
        let shown = u32::from_le_bytes(status[4..8].try_into().expect("4 bytes")) as usize;
        assert!(goals.running() <= 64 && shown <= 64 + 16 && shown >= goals.running());
    }
}

fn pursue(input: &[u8]) {
    let mut pursuits = Pursuits::<usize>::default();
    let (mut sent, mut ended) = (0, 0);
    for (kind, goal, changes) in steps(input) {
        match kind % 4 {
            0 => {
                let id = [sent as u8; 16];
                let goal = patched(&goal, changes);
                match pursuits.send(&goal, id, |request| Ok(usize::from(request[4]))) {
                    Ok(()) => sent += 1,
                    Err(reason) => assert_eq!(Ended::unsent(&goal, String::new()).unwrap_err(), reason),
                }
            }
            1 => {
                let request = pursuits.cancel(&patched(&goal, changes));
                assert!(request.is_none_or(|request| request.len() == 28));
            }
            2 => {
                let feedback = patched(&[&goal[..], b"any feedback"].concat(), changes);
                let message = pursuits.feedback(&feedback);
                assert!(message.is_none_or(|message| message[20..] == feedback[20..]));
            }
            // What has come says which goal is answered; the same bytes are the answer to all of
            // them.
            _ => {
                let response = patched(&[&HEADER[..], &[1, 0, 0, 0, 0, 0, 0, 0]].concat(), changes);
                let poll = |answer: &mut usize| match (kind as usize / 4 + *answer) % 8 {
                    0..3 => Some(Outcome::Answered(Ok(response.clone()))),
                    3 => Some(Outcome::Answered(Err("no".to_owned()))),
                    4 => Some(Outcome::Over),
                    _ => None,
                };
                for end in pursuits.advance(poll, |request| Ok(usize::from(request[4]))) {
                    ended += 1;
                    match end.message(Some(&[&HEADER[..], &[0]].concat()[..])) {
                        Ok(message) => {
                            let is_servers = response.get(..4) == Some(&message[..4]);
                            assert!(is_servers || message[20..] == [0]);
                        }
                        Err(_) => assert!(response.len() < 4),
                    }
                }
            }
        }
        assert_eq!(pursuits.running(), sent - ended);
    }
}
