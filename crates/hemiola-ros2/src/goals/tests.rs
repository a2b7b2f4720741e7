use proptest::prelude::*;

use super::*;

fn id(number: u8) -> GoalId {
    [number; 16]
}

fn at(seconds: i64) -> Time {
    Time::from_nanoseconds(seconds * 1_000_000_000)
}

fn wish(number: u8, seconds: i64) -> CancelGoalRequest {
    CancelGoalRequest { goal_info: GoalInfo { goal_id: Uuid { uuid: id(number) }, stamp: at(seconds) } }
}

/// Goals 1 to 4, accepted at 1 s to 4 s; goal 2 has ended.
fn goals() -> Goals<u32> {
    let mut goals = Goals::default();
    (1..=4).for_each(|number| goals.accept(id(number), at(number.into())));
    assert_eq!(goals.end(&id(2), Status::Succeeded, vec![2]), Some(Vec::new()));
    goals
}

#[test]
fn who_asks_before_the_end_is_answered_by_it_and_later_at_once() {
    let mut goals = goals();
    assert!(matches!(goals.ask(&id(1), 7), Asked::Waits));
    assert!(matches!(goals.ask(&id(2), 8), Asked::Ended(8, &[2])));
    assert!(matches!(goals.ask(&id(9), 9), Asked::Unknown(9)));
    assert_eq!(goals.end(&id(1), Status::Canceled, vec![1]), Some(vec![7]));
    assert!(matches!(goals.ask(&id(1), 7), Asked::Ended(7, &[1])));
    // A goal ends only once.
    assert_eq!(goals.end(&id(1), Status::Aborted, vec![3]), None);
}

#[test]
fn a_wish_to_cancel_means_one_goal_or_all_up_to_a_time() {
    let goals = goals();
    let canceled = |number, seconds| {
        let CancelGoalResponse { return_code, goals_canceling } = goals.cancel(&wish(number, seconds));
        (return_code, goals_canceling.iter().map(|info| info.goal_id.uuid[0]).collect::<Vec<_>>())
    };
    assert_eq!(canceled(3, 0), (Canceled::None as i8, vec![3]));
    assert_eq!(canceled(0, 0), (Canceled::None as i8, vec![1, 3, 4]));
    assert_eq!(canceled(0, 3), (Canceled::None as i8, vec![1, 3]));
    assert_eq!(canceled(4, 1), (Canceled::None as i8, vec![1, 4]));
    assert_eq!(canceled(2, 0), (Canceled::Terminated as i8, vec![]));
    assert_eq!(canceled(9, 0), (Canceled::UnknownGoal as i8, vec![]));
    assert_eq!(Goals::<()>::default().cancel(&wish(0, 0)).return_code, Canceled::Rejected as i8);
}

#[test]
fn goals_are_bounded_and_have_one_identity() {
    let mut goals = Goals::<()>::default();
    (1..=64).for_each(|number| {
        assert!(goals.check(&id(number)).is_ok());
        goals.accept(id(number), at(1));
        assert!(goals.check(&id(number)).is_err());
    });
    assert!(goals.check(&id(65)).is_err());
    (1..=64).for_each(|number| assert!(goals.end(&id(number), Status::Aborted, vec![]).is_some()));
    assert_eq!((goals.running(), goals.statuses().status_list.len()), (0, MOST_ENDED));
    // The oldest ones are forgotten.
    assert!(goals.check(&id(1)).is_ok() && goals.check(&id(64)).is_err());
}

#[derive(Clone, Debug)]
enum Step {
    Accept(u8),
    Cancel(u8, i64),
    End(u8),
    Ask(u8),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0..20_u8).prop_map(Step::Accept),
        (0..20_u8, 0..3_i64).prop_map(|(number, seconds)| Step::Cancel(number, seconds)),
        (0..20_u8).prop_map(Step::End),
        (0..20_u8).prop_map(Step::Ask),
    ]
}

proptest! {
    /// Whatever the order of requests, whoever waits is answered exactly once, and not before the
    /// end.
    #[test]
    fn nobody_is_forgotten_and_nobody_is_answered_twice(steps in prop::collection::vec(step(), 0..300)) {
        let mut goals = Goals::default();
        let (mut waiting, mut answered) = (Vec::new(), Vec::new());
        for (who, step) in steps.into_iter().enumerate() {
            match step {
                Step::Accept(number) if goals.check(&id(number)).is_ok() => goals.accept(id(number), at(1)),
                Step::Accept(_) => {}
                Step::Cancel(number, seconds) => {
                    let canceled = goals.cancel(&wish(number, seconds));
                    prop_assert_eq!(canceled.return_code == 0, !canceled.goals_canceling.is_empty());
                    canceled.goals_canceling.iter().for_each(|info| goals.note_canceling(&info.goal_id.uuid));
                }
                Step::End(number) => {
                    let ended = goals.end(&id(number), Status::Succeeded, vec![number]);
                    for who in ended.into_iter().flatten() {
                        prop_assert!(waiting.contains(&(number, who)));
                        answered.push(who);
                        waiting.retain(|(_, other)| *other != who);
                    }
                    prop_assert!(waiting.iter().all(|(other, _)| *other != number));
                }
                Step::Ask(number) => if matches!(goals.ask(&id(number), who), Asked::Waits) {
                    waiting.push((number, who));
                }
            }
            prop_assert!(goals.running() <= MOST_RUNNING && goals.statuses().status_list.len() <= MOST_RUNNING + MOST_ENDED);
        }
        let mut once = answered.clone();
        once.dedup();
        prop_assert_eq!(once, answered);
    }
}
