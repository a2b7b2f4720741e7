//! Tests of where feet may and may not step.

use super::*;
use crate::geometry::normalize_angle;
use crate::representations::behaviour::KickFoot;
use proptest::prelude::*;

fn planner() -> StepPlanner {
    StepPlanner::create(StepPlannerParameters::default())
}

fn walk(forward: f32, left: f32, turn: f32) -> Motion {
    Motion::Walk { velocity: Vec2::new(forward, left), turn }
}

/// Returns all plans of some runs.
fn run(planner: &mut StepPlanner, motion: Motion, runs: u32) -> Vec<StepPlan> {
    let run = |_| {
        let mut plan = StepPlan::default();
        planner.step_plan(
            &MotionRequest { motion },
            &FallState::default(),
            &SafeState::default(),
            &mut plan,
            &Debug::default(),
        );
        plan
    };
    (0..runs).map(run).collect()
}

fn swings(plans: &[StepPlan]) -> Vec<Swing> {
    plans.iter().filter(|plan| plan.frame == 0).filter_map(|plan| plan.now.swing).collect()
}

fn between(feet: &[Pose2; 2]) -> Vec2 {
    (feet[0].translation + feet[1].translation) / 2.0
}

#[test]
fn a_steady_walk_goes_as_fast_as_requested() {
    for (motion, expected) in [
        (walk(0.2, 0.0, 0.0), Vec2::new(0.2, 0.0)),
        (walk(-0.1, 0.0, 0.0), Vec2::new(-0.1, 0.0)),
        (walk(0.0, 0.1, 0.0), Vec2::new(0.0, 0.1)),
        (walk(0.1, -0.05, 0.0), Vec2::new(0.1, -0.05)),
    ] {
        let mut planner = planner();
        run(&mut planner, motion, 200);
        let start = between(&planner.walker.feet);
        run(&mut planner, motion, 21 * 20);
        let velocity = (between(&planner.walker.feet) - start) / (21.0 * 20.0 * FRAME);
        assert!(velocity.abs_diff_eq(expected, 0.005), "{velocity}, not {expected}");
    }
}

#[test]
fn a_steady_turn_goes_as_fast_as_requested() {
    for turn in [0.6, -0.6] {
        let mut planner = planner();
        run(&mut planner, walk(0.0, 0.0, turn), 200);
        let start = planner.walker.feet[0].rotation;
        run(&mut planner, walk(0.0, 0.0, turn), 21 * 8);
        let turned = normalize_angle(planner.walker.feet[0].rotation - start);
        assert!((turned - turn * 21.0 * 8.0 * FRAME).abs() < 0.01, "{turned}");
    }
}

#[test]
fn a_robot_that_shall_stand_makes_no_step_and_one_that_walked_ends_with_its_feet_side_by_side() {
    let mut planner = planner();
    assert!(swings(&run(&mut planner, Motion::Stand, 100)).is_empty());
    run(&mut planner, walk(0.25, 0.0, 0.3), 300);
    let stopping = run(&mut planner, Motion::Stand, 200);
    assert!(swings(&stopping).len() < 8, "{:?}", swings(&stopping));
    assert!(stopping.last().unwrap().now.swing.is_none() && planner.walker.stands_neutrally());
}

#[test]
fn the_foot_on_the_side_that_the_robot_goes_to_steps_first() {
    for (motion, first) in [
        (walk(0.0, 0.1, 0.0), Foot::Left),
        (walk(0.0, -0.1, 0.0), Foot::Right),
        (walk(0.1, 0.0, -0.5), Foot::Right),
        (Motion::Kick { foot: KickFoot::Left }, Foot::Right),
    ] {
        assert_eq!(swings(&run(&mut planner(), motion, 60))[0].foot, first, "{motion:?}");
    }
}

#[test]
fn a_kick_follows_a_step_on_the_spot_and_is_foreseen_by_it() {
    for (before, foot) in
        [(Motion::Stand, Foot::Left), (walk(0.25, 0.0, 0.0), Foot::Right), (walk(0.0, 0.1, 0.5), Foot::Left)]
    {
        let mut planner = planner();
        run(&mut planner, before, 300);
        let kick = Motion::Kick { foot: if foot == Foot::Left { KickFoot::Left } else { KickFoot::Right } };
        let plans = run(&mut planner, kick, 200);
        let start = plans.iter().position(|plan| plan.now.swing.is_some_and(|swing| swing.kind == SwingKind::Kick));
        let start = start.expect("a kick within 200 runs");
        assert_eq!(plans[start].now.swing.unwrap().foot, foot);
        let step_before = plans[start - 21].clone();
        assert_eq!(step_before.upcoming[0], plans[start].now, "{before:?}");
    }
}

#[test]
fn a_fallen_robot_plans_nothing_and_starts_anew() {
    let mut planner = planner();
    run(&mut planner, walk(0.25, 0.0, 0.0), 300);
    let mut plan = StepPlan::default();
    let fallen = FallState { state: Uprightness::Fallen };
    planner.step_plan(
        &MotionRequest { motion: walk(0.2, 0.0, 0.0) },
        &fallen,
        &SafeState::default(),
        &mut plan,
        &Debug::default(),
    );
    assert!(plan.restarted && plan.now.swing.is_none() && plan.now.feet == neutral_feet());
}

fn any_motion() -> impl Strategy<Value = Motion> {
    prop_oneof![
        Just(Motion::Stand),
        prop_oneof![Just(KickFoot::Left), Just(KickFoot::Right)].prop_map(|foot| Motion::Kick { foot }),
        (-2.0f32..2.0, -2.0f32..2.0, -4.0f32..4.0).prop_map(|(forward, left, turn)| walk(forward, left, turn)),
        Just(walk(f32::NAN, 0.0, 0.0)),
    ]
}

proptest! {
    #[test]
    fn whatever_is_requested_the_feet_stay_apart_and_the_next_step_is_what_was_foreseen(
        motions in proptest::collection::vec((any_motion(), 1u32..150), 1..8)
    ) {
        let mut planner = planner();
        for (motion, runs) in motions {
            let plans = run(&mut planner, motion, runs);
            for (plan, next) in plans.iter().zip(&plans[1..]) {
                if next.frame == 0 && !plan.restarted {
                    prop_assert_eq!(next.now, plan.upcoming[0]);
                }
            }
            for plan in plans {
                prop_assert!(plan.frame < plan.now.frames);
                let Some(swing) = plan.now.swing else { continue };
                let standing = plan.now.feet[swing.foot.other().index()];
                let place = standing.relative(swing.target.translation);
                let apart = place.y * swing.foot.side().sign();
                prop_assert!((0.094..0.2).contains(&apart), "{:?}", plan.now);
                prop_assert!(place.x.abs() < 0.09, "{:?}", plan.now);
                let turned = normalize_angle(swing.target.rotation - standing.rotation) * swing.foot.side().sign();
                prop_assert!((-1e-3..0.45).contains(&turned), "{:?}", plan.now);
            }
        }
    }
}
