//! `export ros-package` writes packages that tools of ROS 2 read, with the hashes that the robot's
//! types have here.
#![forbid(unsafe_code)]

#[path = "../../../tests/foreign/programs.rs"]
mod foreign;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Duration;

use hemiola::Application;
use hemiola::cdr::{ActionSchema, MessageSchema, ServiceSchema};
use hemiola::data::Data;
use hemiola::prelude::*;

#[derive(Data, Clone, Default, PartialEq)]
#[data(name = "geometry_msgs/Point")]
struct Point {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Data, Clone, Default, PartialEq)]
enum Role {
    #[default]
    Keeper,
    FieldPlayer,
}

#[derive(Data, Clone, Default, PartialEq)]
enum Action {
    #[default]
    Stand,
    Kick {
        /// In radians.
        angle: f32,
    },
}

#[derive(Data, Clone, Default, PartialEq)]
struct Player {
    role: Role,
    action: Action,
    position: Point,
}

/// Everything that a message may be made of.
#[allow(non_snake_case, reason = "names are spelled as ROS 2 does when they leave the process")]
#[derive(Representation, Clone, Default, PartialEq)]
struct WorldModel {
    /// When it was seen.
    since: Time,
    ball: Option<Point>,
    players: Vec<Player>,
    heights: [[f32; 2]; 3],
    names: Vec<String>,
    r#type: u16,
    lastSeen: bool,
}

/// Holds nothing.
#[derive(Representation, Clone, Default, PartialEq)]
struct Heartbeat;

#[derive(Representation, Clone, Default, PartialEq)]
struct Whistle {
    heard: bool,
    after: Duration,
}

/// A list of lists of the robot's own types: its definition cannot be in a package of its own.
#[derive(Representation, Clone, Default, PartialEq)]
struct Teams {
    teams: Vec<Vec<Player>>,
}

#[derive(Representation, Default)]
#[representation(opaque)]
struct Network;

#[derive(Representation, Clone, Default, PartialEq)]
struct SetGoalRequest {
    goal: Point,
    by: Role,
}

#[derive(Data, Clone, Default, PartialEq)]
struct Accepted;

/// The messages of an action of the robot: see docs/book/src/ros2.md.
#[derive(Representation, Clone, Default, PartialEq)]
struct DockGoal {
    goal_id: [u8; 16],
    goal: Dock,
}

#[derive(Data, Clone, Default, PartialEq)]
struct Dock {
    place: Point,
    by: Role,
}

#[derive(Representation, Clone, Default, PartialEq)]
struct DockResult {
    goal_id: [u8; 16],
    status: u8,
    result: Accepted,
}

#[derive(Representation, Clone, Default, PartialEq)]
struct DockFeedback {
    goal_id: [u8; 16],
    feedback: Whistle,
}

/// Has goals for another node.
#[derive(Module)]
struct Captain;

#[module]
impl Captain {
    #[update]
    fn dock(
        &self,
        _: &WorldModel,
        _: &mut Publisher<DockGoal>,
        _: &Subscription<DockFeedback>,
        _: &Subscription<DockResult>,
    ) {
    }
}

#[derive(Module)]
struct Modeler;

#[module]
impl Modeler {
    #[update]
    fn world_model(&self, world: &mut WorldModel, heartbeat: &mut Heartbeat, network: &mut Network) {
        let _ = (world, heartbeat, network);
    }

    #[update]
    fn whistles(&self, _: &WorldModel, whistles: &mut Publisher<Whistle>) {
        whistles.publish(Whistle::default());
    }
}

#[derive(Module)]
struct Grouper;

#[module]
impl Grouper {
    #[update]
    fn teams(&self, _: &WorldModel, teams: &mut Teams) {
        teams.teams.push(Vec::new());
    }
}

const ROBOT: &str = "[cycle.main]\nrate = 50.0\nmodules = [\"Modeler\"]\n";
const ROBOT_WITH_TEAMS: &str = "[cycle.main]\nrate = 50.0\nmodules = [\"Modeler\", \"Grouper\"]\n";

const ROBOT_WITH_ACTION: &str = "[cycle.main]\nrate = 50.0\nmodules = [\"Modeler\", \"Captain\"]\n\
    [ros2.action_client]\n\"/dock\" = \"Dock\"\n\"/nothing\" = \"World\"\n";

fn export(robot: &str, folder: &Path, options: &[&str]) -> ExitCode {
    let folder = folder.display().to_string();
    let arguments = [&["robot", "export", "ros-package", &folder], options].concat();
    Application::embedded(robot).service::<SetGoalRequest, Accepted>("SetGoal").run_with(arguments)
}

/// Returns the files below a folder, by their paths in it.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).expect("it is a folder") {
            let path = entry.expect("it can be listed").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(folder).expect("it is below it").display().to_string());
            }
        }
    }
    found.sort();
    found
}

/// The package of this test's types.
fn package() -> String {
    let name = MessageSchema::of("", &WorldModel::data_type()).name;
    name.split('/').next().expect("it has a package").to_owned()
}

#[test]
fn the_package_has_a_file_for_each_type_and_the_robots_comments() {
    let folder = tempfile::tempdir().expect("there is room");
    let options = ["--maintainer", "Ada & Co <ada@example.com>", "--license", "Apache-2.0"];
    assert_eq!(export(ROBOT, folder.path(), &options), ExitCode::SUCCESS);
    let ours = package();
    let of = |paths: &[&str]| paths.iter().map(|path| format!("{ours}/{path}")).collect::<Vec<_>>();
    let mut expected = of(&[
        "CMakeLists.txt",
        "msg/Action.msg",
        "msg/ActionKick.msg",
        "msg/Heartbeat.msg",
        "msg/Player.msg",
        "msg/Whistle.msg",
        "msg/WorldModel.msg",
        "package.xml",
        "srv/SetGoal.srv",
    ]);
    // Arrays in arrays have a message in between, which is part of no package of the user's.
    expected
        .extend(["hemiola/CMakeLists.txt", "hemiola/msg/Float32Array2.msg", "hemiola/package.xml"].map(str::to_owned));
    expected.sort();
    assert_eq!(files(folder.path()), expected);

    let read = |path: &str| fs::read_to_string(folder.path().join(&ours).join(path)).expect("it was written");
    assert_eq!(
        read("msg/WorldModel.msg"),
        format!(
            "# When it was seen.\nbuiltin_interfaces/Time since\ngeometry_msgs/Point[<=1] ball\n{ours}/Player[] players\n\
             hemiola/Float32Array2[3] heights\nstring[] names\nuint16 type\nbool last_seen\n"
        )
    );
    assert_eq!(read("msg/Heartbeat.msg"), "");
    assert_eq!(
        read("srv/SetGoal.srv"),
        "geometry_msgs/Point goal\nuint8 BY_KEEPER=0\nuint8 BY_FIELD_PLAYER=1\nuint8 by\n---\n"
    );
    let manifest = read("package.xml");
    for part in [
        "<maintainer email=\"ada@example.com\">Ada &amp; Co</maintainer>",
        "<license>Apache-2.0</license>",
        "<depend>builtin_interfaces</depend>\n  <depend>geometry_msgs</depend>\n  <depend>hemiola</depend>",
    ] {
        assert!(manifest.contains(part), "{manifest}");
    }
    assert!(read("CMakeLists.txt").contains("  DEPENDENCIES builtin_interfaces geometry_msgs hemiola\n"));

    // It may be written again, and over nothing that is somebody else's.
    assert_eq!(export(ROBOT, folder.path(), &[]), ExitCode::SUCCESS);
    fs::write(folder.path().join("hemiola/package.xml"), "<package/>").expect("it can be written");
    assert_eq!(export(ROBOT, folder.path(), &[]), ExitCode::from(2));
    assert_eq!(read("msg/Heartbeat.msg"), "");
}

#[test]
fn an_action_is_a_definition_of_three_messages() {
    let folder = tempfile::tempdir().expect("there is room");
    // There are no topics of an action `World`.
    assert_eq!(export(ROBOT_WITH_ACTION, folder.path(), &[]), ExitCode::from(1));
    let read = |path: &str| fs::read_to_string(folder.path().join(package()).join(path)).expect("it was written");
    assert_eq!(
        read("action/Dock.action"),
        "geometry_msgs/Point place\nuint8 BY_KEEPER=0\nuint8 BY_FIELD_PLAYER=1\nuint8 by\n---\n---\nbool heard\n\
         builtin_interfaces/Duration after\n"
    );
    assert!(read("package.xml").contains("<depend>action_msgs</depend>"));
    assert!(read("CMakeLists.txt").contains("  \"action/Dock.action\"\n"));

    let Some(python) = python_with_rosbags() else { return };
    let parts = [Dock::data_type(), Accepted::data_type(), Whistle::data_type()];
    let [goal, result, feedback] = &parts;
    let schema = ActionSchema::called(&package(), "Dock", [goal, result, feedback]);
    let hashes = folder.path().join("hashes.txt");
    let expected =
        [schema.goal, schema.result, schema.feedback].map(|part| format!("{} {}\n", part.name, part.type_hash));
    fs::write(&hashes, expected.concat()).expect("it can be written");
    let (agrees, text) = checked(&python, folder.path(), &hashes);
    assert!(agrees, "{text}");
}

#[test]
fn what_is_asked_for_is_written_alone() {
    let folder = tempfile::tempdir().expect("there is room");
    assert_eq!(export(ROBOT, folder.path(), &["--only", "Whistle"]), ExitCode::SUCCESS);
    let ours = package();
    assert_eq!(
        files(folder.path()),
        ["CMakeLists.txt", "msg/Whistle.msg", "package.xml"].map(|path| format!("{ours}/{path}"))
    );
    for unknown in ["Whistel", "Network"] {
        assert_eq!(export(ROBOT, folder.path(), &["--only", unknown]), ExitCode::from(2), "{unknown}");
    }
}

#[test]
fn a_type_that_ros_2_cannot_have_is_left_out_and_the_exit_code_says_so() {
    let folder = tempfile::tempdir().expect("there is room");
    assert_eq!(export(ROBOT_WITH_TEAMS, folder.path(), &[]), ExitCode::from(1));
    let written = files(folder.path());
    assert!(written.iter().any(|path| path.ends_with("msg/WorldModel.msg")), "{written:?}");
    assert!(!written.iter().any(|path| path.contains("Teams")), "{written:?}");
}

#[test]
fn tools_of_ros_2_read_the_packages_and_compute_the_same_hashes() {
    let Some(python) = python_with_rosbags() else {
        _ = writeln!(
            std::io::stderr(),
            "SKIPPED: no Python with the package `rosbags`; install tests/foreign/requirements.txt into target/foreign or \
             set HEMIOLA_PYTHON"
        );
        return;
    };
    let folder = tempfile::tempdir().expect("there is room");
    assert_eq!(export(ROBOT, folder.path(), &[]), ExitCode::SUCCESS);
    let service = ServiceSchema::of("SetGoal", &SetGoalRequest::data_type(), &Accepted::data_type());
    let schemas = [
        MessageSchema::of("", &WorldModel::data_type()),
        MessageSchema::of("", &Heartbeat::data_type()),
        MessageSchema::of("", &Whistle::data_type()),
        MessageSchema::of("", &Player::data_type()),
        MessageSchema::of("", &Action::data_type()),
        service.request,
        service.response,
    ];
    let mut expected: Vec<String> =
        schemas.iter().map(|schema| format!("{} {}\n", schema.name, schema.type_hash)).collect();
    expected.push(format!("{} {}\n", service.name, service.type_hash));
    let hashes = folder.path().join("hashes.txt");
    fs::write(&hashes, expected.concat()).expect("it can be written");
    let (agrees, text) = checked(&python, folder.path(), &hashes);
    assert!(agrees, "{text}");
    println!("{text}");

    // The check can fail: by another hash, and by a file that CMake does not know.
    fs::write(&hashes, str::replace(&expected.concat(), "RIHS01_", "RIHS01_0")).expect("it can be written");
    assert!(!checked(&python, folder.path(), &hashes).0);
    fs::write(&hashes, expected.concat()).expect("it can be written");
    fs::write(folder.path().join(package()).join("msg/Other.msg"), "bool other\n").expect("it can be written");
    assert!(!checked(&python, folder.path(), &hashes).0);
}

fn checked(python: &Path, folder: &Path, hashes: &Path) -> (bool, String) {
    let check = foreign::script("check_ros_package.py");
    let output = Command::new(python).arg(check).args([folder, hashes]).output().expect("Python starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

fn python_with_rosbags() -> Option<PathBuf> {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let installed = foreign::installed().map(|folder| folder.join("bin/python"));
    named.into_iter().chain(installed).find(|python| {
        Command::new(python).args(["-c", "import rosbags"]).output().is_ok_and(|output| output.status.success())
    })
}
