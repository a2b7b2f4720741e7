//! The gallery of messages: what a person sees when the parts of a robot do not fit together.

mod robot;

use hemiola_plan::{RobotDescription, resolve};
use robot::{choosing, cycle, module, robot, source, triggered, with_sources};

/// Returns everything that resolving reports about a robot, as it would be printed.
fn messages(system: &RobotDescription) -> String {
    let lines: Vec<String> = match resolve(system) {
        Ok(resolved) => resolved.warnings.iter().map(|warning| format!("warning: {warning}")).collect(),
        Err(problems) => problems.iter().map(ToString::to_string).collect(),
    };
    lines.join("\n")
}

#[test]
fn a_misspelt_representation_is_recognised() {
    let robot = robot([
        cycle(
            "cognition",
            [
                module("BallFinder", &["-> BallPercept"]).at("src/ball_finder.rs:12"),
                module("BallFilter", &["&BallPrecept -> BallModel"]),
            ],
        ),
        cycle("motion", [module("Head", &["&BallModel"])]),
    ]);
    let expected = r#"cycle `cognition`: nobody provides `BallPrecept`; `BallFilter.update` requires it.
  Did you mean `BallPercept`, which `BallFinder.update` (src/ball_finder.rs:12) in cycle `cognition` provides?"#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_linked_module_that_would_help_is_named() {
    let robot = RobotDescription {
        spare: vec![module("YoloBall", &["-> BallPercept"]).at("src/yolo.rs:31")],
        ..robot([cycle(
            "cognition",
            [module("BallFilter", &["&BallPercept -> BallModel", "Previous<BallPercept>"]).at("src/ball_filter.rs:9")],
        )])
    };
    let expected = r#"cycle `cognition`: nobody provides `BallPercept`; `BallFilter.update` (src/ball_filter.rs:9) requires it and `BallFilter.update2` (src/ball_filter.rs:9) uses it.
  Module `YoloBall` (src/yolo.rs:31) would provide it, but runs in no cycle: add it to one."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn what_nobody_could_provide_is_said_plainly() {
    let robot = robot([cycle("cognition", [module("Whistle", &["Samples<Microphone> -> Whistle"])])]);
    let expected = r#"cycle `cognition`: nobody provides `Microphone`; `Whistle.update` collects it.
  Add a module or a source that provides it, or remove its readers."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_source_may_miss_something_too() {
    let robot = with_sources(robot([]), [source("body", &[("joints", "&JointRequest -> JointAngles")])]);
    let expected = r#"source `body`: nobody provides `JointRequest`; sample `joints` of source `body` reads it.
  Add a module or a source that provides it, or remove its readers."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn several_providers_are_settled_by_lines_to_copy() {
    let robot = robot([cycle(
        "cognition",
        [
            module("BallFinder", &["-> BallPercept"]).at("src/ball_finder.rs:12"),
            module("YoloBall", &["-> BallPercept"]),
            module("GroundTruth", &["-> BallPercept"]),
            module("BallFilter", &["&BallPercept -> BallModel"]),
        ],
    )]);
    let expected = r#"cycle `cognition`: `BallPercept` has 3 providers: `BallFinder.update` (src/ball_finder.rs:12), `YoloBall.update` and `GroundTruth.update`.
  Choose one in robot.toml:
    [providers]
    BallPercept = "BallFinder"   # or "YoloBall" or "GroundTruth""#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_choice_that_runs_elsewhere_settles_nothing_here() {
    let robot = choosing(
        robot([
            cycle("upper", [module("A", &["-> Ball"]), module("B", &["-> Ball"])]),
            cycle("lower", [module("C", &["-> Ball"]), module("D", &["-> Ball"])]),
        ]),
        "Ball",
        "A",
    );
    let expected = r#"cycle `lower`: `Ball` has 2 providers: `C.update` and `D.update`.
  [providers] chooses `A`, which does not run in this cycle: remove all of them but one from it."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_module_competes_with_the_sample_that_triggers_it() {
    let robot = with_sources(
        robot([triggered("cognition", "camera", "upper", [module("Debayer", &["-> Image"])])]),
        [source("camera", &[("upper", "-> Image")])],
    );
    let expected = r#"cycle `cognition`: `Image` has 2 providers: `Debayer.update` and sample `upper` of source `camera`.
  Choose one in robot.toml:
    [providers]
    Image = "Debayer"   # or "camera""#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_module_cannot_provide_something_twice() {
    let robot = robot([cycle("cognition", [module("Vision", &["-> Ball", "-> Ball"])])]);
    let expected = r#"module `Vision` provides `Ball` twice, in `update` and `update2`.
  A representation has one provider: let one of them fill something else, or split the module."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn several_outsiders_are_settled_by_lines_to_copy() {
    let robot = with_sources(
        robot([
            cycle("cognition", [module("BallFinder", &["-> Ball"])]),
            cycle("motion", [module("Head", &["&Ball"])]),
        ]),
        [source("simulator", &[("truth", "-> Ball")])],
    );
    let expected = r#"cycle `motion`: `Ball` has to come from outside (`Head.update` requires it), and 2 provide it: sample `truth` of source `simulator` and `BallFinder.update` in cycle `cognition`.
  Choose one in robot.toml:
    [providers]
    Ball = "simulator"   # or "BallFinder""#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn one_module_in_two_cycles_cannot_be_chosen_between() {
    let robot = robot([
        cycle("upper", [module("BallFinder", &["-> Ball"])]),
        cycle("lower", [module("BallFinder", &["-> Ball"])]),
        cycle("motion", [module("Head", &["&Ball"])]),
    ]);
    let expected = r#"cycle `motion`: `Ball` has to come from outside (`Head.update` requires it), and 2 provide it: `BallFinder.update` in cycle `upper` and `BallFinder.update` in cycle `lower`.
  They have the same name, so [providers] cannot distinguish them: let one of them provide it under another name."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_circle_is_shown_with_the_ways_to_cut_it() {
    let robot = robot([cycle(
        "motion",
        [
            module("Balance", &["&Gait -> Correction"]).at("src/balance.rs:5"),
            module("Walk", &["&Correction &Imu -> Gait"]),
            module("ImuFilter", &["-> Imu"]),
        ],
    )]);
    let expected = r#"cycle `motion`: updates wait for each other in a circle:
    Balance.update -(Correction)-> Walk.update -(Gait)-> Balance.update
  One of them has to use the value of the previous run. To cut the circle:
    - in `Walk.update`, `&Correction` becomes `Previous<Correction>`
    - or in `Balance.update` (src/balance.rs:5), `&Gait` becomes `Previous<Gait>`"#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn the_cheapest_cut_of_a_circle_comes_first() {
    let robot = robot([cycle(
        "cognition",
        [module("Field", &["&Pose -> Lines Colour"]), module("Pose", &["&Lines &Colour -> Pose"])],
    )]);
    let expected = r#"cycle `cognition`: updates wait for each other in a circle:
    Field.update -(Lines, Colour)-> Pose.update -(Pose)-> Field.update
  One of them has to use the value of the previous run. To cut the circle:
    - in `Field.update`, `&Pose` becomes `Previous<Pose>`
    - or in `Pose.update`, `&Lines` becomes `Previous<Lines>` and `&Colour` becomes `Previous<Colour>`"#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn circles_that_share_an_edge_are_cut_there() {
    let robot = robot([cycle(
        "cognition",
        [
            module("Ball", &["&Pose -> Ball"]),
            module("Robots", &["&Pose -> Robots"]),
            module("World", &["&Ball &Robots -> World"]),
            module("Pose", &["&World -> Pose"]),
        ],
    )]);
    let expected = r#"cycle `cognition`: updates wait for each other in a circle:
    Ball.update -(Ball)-> World.update -(World)-> Pose.update -(Pose)-> Ball.update
  It is the shortest of several circles; 4 updates are caught in them.
  One of them has to use the value of the previous run. To cut all circles at once:
    - in `Pose.update`, `&World` becomes `Previous<World>`"#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn circles_without_a_common_edge_are_cut_together() {
    let robot = robot([cycle(
        "cognition",
        [
            module("Left", &["&Middle -> Left"]),
            module("Middle", &["&Left &Right -> Middle"]),
            module("Right", &["&Middle -> Right"]),
        ],
    )]);
    let expected = r#"cycle `cognition`: updates wait for each other in a circle:
    Left.update -(Left)-> Middle.update -(Middle)-> Left.update
  It is the shortest of several circles; 3 updates are caught in them.
  One of them has to use the value of the previous run. To cut all circles at once:
    - in `Middle.update`, `&Left` becomes `Previous<Left>`, and in `Right.update`, `&Middle` becomes `Previous<Middle>`"#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn an_update_cannot_wait_for_itself() {
    let robot = robot([cycle("cognition", [module("Filter", &["&Pose -> Pose"])])]);
    let expected = r#"cycle `cognition`: `Filter.update` requires `Pose` and provides it.
  It would wait for itself. If it refines its last value, read `Previous<Pose>`; if it refines another module's value, give the result a name of its own."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn samples_come_from_outside_the_cycle() {
    let robot =
        robot([cycle("motion", [module("Imu", &["-> Imu"]), module("Filter", &["Samples<Imu> -> Orientation"])])]);
    let expected = r#"cycle `motion`: `Filter.update` collects `Samples<Imu>`, but `Imu.update` provides it in the same cycle.
  Within a cycle there is exactly one value per run: use `&Imu` (or `Previous<Imu>` for the value of the previous run)."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_misspelt_choice_is_recognised() {
    let robot = choosing(robot([cycle("cognition", [module("BallFinder", &["-> Ball"])])]), "Ball", "BalFinder");
    let expected = r#"robot.toml: [providers] says `Ball = "BalFinder"`, but no module or source is named `BalFinder`.
  Did you mean `BallFinder`?
  `Ball` is provided by `BallFinder.update` in cycle `cognition`."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_chosen_module_that_runs_nowhere_is_told_from_a_misspelt_one() {
    let robot = RobotDescription {
        spare: vec![module("YoloBall", &["-> Ball"])],
        ..choosing(robot([cycle("cognition", [module("BallFinder", &["-> Ball"])])]), "Ball", "YoloBall")
    };
    let expected = r#"robot.toml: [providers] says `Ball = "YoloBall"`, but `YoloBall` runs in no cycle.
  The module exists: add it to a cycle.
  `Ball` is provided by `BallFinder.update` in cycle `cognition`."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_choice_that_does_not_provide_says_what_it_does() {
    let robot = choosing(
        robot([cycle(
            "cognition",
            [module("BallFinder", &["-> BallPercept"]), module("BallFilter", &["&BallPercept -> BallModel"])],
        )]),
        "BallModell",
        "BallFilter",
    );
    let expected = r#"robot.toml: [providers] says `BallModell = "BallFilter"`, but `BallFilter` does not provide it; it provides `BallModel`.
  Did you mean the representation `BallModel`?
  Nobody provides `BallModell`."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_misspelt_trigger_is_recognised() {
    let robot = with_sources(
        robot([triggered("cognition", "camera", "uper", [])]),
        [source("camera", &[("upper", "-> UpperImage"), ("lower", "-> LowerImage")])],
    );
    let expected = r#"cycle `cognition` is triggered by `camera.uper`, which no source delivers.
  Did you mean `camera.upper`?
  Known samples: `camera.upper` and `camera.lower`."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_trigger_needs_a_source() {
    let robot = robot([triggered("cognition", "camera", "upper", [])]);
    let expected = r#"cycle `cognition` is triggered by `camera.upper`, which no source delivers.
  This robot has no sources: give the cycle a rate, or link a source."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn names_are_unique() {
    let robot = robot([cycle("motion", [module("Walk", &[]), module("Walk", &[])]), cycle("motion", [])]);
    let expected = r#"the robot: two cycles are named `motion`.
  Names have to be unique there: rename or remove one of them.
cycle `motion`: two modules are named `Walk`.
  Names have to be unique there: rename or remove one of them."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn all_problems_are_reported_at_once() {
    let robot = choosing(
        robot([cycle(
            "motion",
            [module("Walk", &["&Imu -> Gait"]), module("OtherWalk", &["-> Gait"]), module("Head", &["&Ball"])],
        )]),
        "Pose",
        "Nobody",
    );
    let expected = r#"cycle `motion`: `Gait` has 2 providers: `Walk.update` and `OtherWalk.update`.
  Choose one in robot.toml:
    [providers]
    Gait = "Walk"   # or "OtherWalk"
robot.toml: [providers] says `Pose = "Nobody"`, but no module or source is named `Nobody`.
  Nobody provides `Pose`.
cycle `motion`: nobody provides `Ball`; `Head.update` requires it.
  Add a module or a source that provides it, or remove its readers."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn what_nobody_reads_is_a_warning() {
    let robot = robot([cycle(
        "cognition",
        [module("BallFinder", &["-> BallPercept Candidates"]), module("Head", &["&BallPercept"])],
    )]);
    let expected =
        r#"warning: cycle `cognition`: `BallFinder.update` provides `Candidates`, which no module or source reads."#;
    assert_eq!(messages(&robot), expected);
}

#[test]
fn a_needless_choice_is_a_warning() {
    let robot = choosing(
        robot([cycle("cognition", [module("BallFinder", &["-> BallPercept"]), module("Head", &["&BallPercept"])])]),
        "BallPercept",
        "BallFinder",
    );
    let expected = r#"warning: robot.toml: `BallPercept = "BallFinder"` in [providers] is unnecessary: there is no other provider. Remove the line."#;
    assert_eq!(messages(&robot), expected);
}
