use hemiola::trace::{Distribution, Profile};

use super::*;

const ROBOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");

/// Returns a workload in which every task takes the same time.
fn workload(microseconds: u64) -> Workload {
    let configuration = configuration(ROBOT, &[]).unwrap();
    let robot = Robot::assemble(configuration).unwrap();
    let mut profile = Profile::default();
    for plan in robot.plans(NonZeroUsize::MIN) {
        for task in plan.graph().tasks() {
            let mut execution = Distribution::new();
            execution.record(microseconds * 1000);
            profile.insert(plan.graph().name(), &task.name, &execution);
        }
    }
    Workload::of(ROBOT, &[], profile, 1.0).unwrap()
}

/// Plays a short game with tasks of so many microseconds.
fn play_briefly(microseconds: u64, condition: &Condition, seed: u64) -> Outcome {
    let workload = workload(microseconds);
    let setup = Setup { robot: ROBOT, settings: &[], workload: &workload, length: Duration::from_millis(1200) };
    play(&setup, condition, seed).unwrap()
}

#[test]
fn a_game_is_the_same_to_the_bit_for_its_seed_and_another_one_for_another_seed() {
    let condition = Condition { camera_rate: 10.0, cores: 2, loss: 0.3, ..Condition::base() };
    let game = play_briefly(20, &condition, 7);
    assert_eq!(play_briefly(20, &condition, 7), game);
    assert_ne!(play_briefly(20, &condition, 8).fingerprint, game.fingerprint);
}

#[test]
fn latency_ages_images_and_loss_takes_them() {
    let soon = Condition { camera_rate: 10.0, ..Condition::base() };
    let base = play_briefly(1, &soon, 3).images;
    assert_eq!((base.taken, base.lost, base.dropped), (12, 0, 0));
    assert!(base.age < Duration::from_millis(3), "{base:?}");

    let late = play_briefly(1, &Condition { latency: Duration::from_millis(50), ..soon.clone() }, 3).images;
    let more = late.age.as_secs_f64() - base.age.as_secs_f64();
    assert!((more - 0.05).abs() < 0.001, "{late:?}");

    let lossy = play_briefly(1, &Condition { loss: 0.5, ..soon }, 3).images;
    assert!((1..12).contains(&lossy.lost) && lossy.processed == 12 - lossy.lost, "{lossy:?}");
}

#[test]
fn slow_tasks_on_few_cores_make_images_older_and_drop_some() {
    let base = Condition { camera_rate: 60.0, ..Condition::base() };
    let one = Condition { cores: 1, ..base.clone() };
    let (fast, slow) = (play_briefly(300, &base, 3).images, play_briefly(300, &one, 3).images);
    assert!(fast.processed > 60 && fast.age < Duration::from_millis(20), "{fast:?}");
    assert!(slow.processed > 10 && slow.age > fast.age && slow.dropped > fast.dropped, "{slow:?}");
}
