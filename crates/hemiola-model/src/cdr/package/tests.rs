use super::*;
use crate::data::{Data, DataType, Field};

fn structure(name: &str, fields: &[(&str, DataType)]) -> DataType {
    let fields = fields.iter().map(|(name, data_type)| Field::new(name, data_type.clone(), "")).collect();
    DataType::structure(name, fields)
}

fn point() -> DataType {
    structure("geometry_msgs/Point", &[("x", DataType::Float64)])
}

fn paths(packages: &RosPackages) -> Vec<String> {
    packages.files(&PackageAuthor::default()).into_keys().collect()
}

#[test]
fn packages_of_ros_are_named_and_not_written() {
    let mut packages = RosPackages::default();
    packages.add_message(&MessageSchema::of("Point", &point())).unwrap();
    assert_eq!(paths(&packages), [""; 0]);
    let ball = structure("soccer/Ball", &[("at", point()), ("since", DataType::Time)]);
    packages.add_message(&MessageSchema::of("Ball", &ball)).unwrap();
    assert_eq!(paths(&packages), ["soccer/CMakeLists.txt", "soccer/msg/Ball.msg", "soccer/package.xml"]);
    let files = packages.files(&PackageAuthor::default());
    assert!(files["soccer/CMakeLists.txt"].contains(
        "find_package(builtin_interfaces REQUIRED)\nfind_package(geometry_msgs REQUIRED)\n\nrosidl_generate_interfaces(${PROJECT_NAME}\n  \
         \"msg/Ball.msg\"\n  DEPENDENCIES builtin_interfaces geometry_msgs\n)\n"
    ));
}

#[test]
fn a_type_is_written_once_however_many_have_it() {
    let player = |documentation: &str| {
        DataType::structure("soccer/Player", vec![Field::new("number", u8::data_type(), documentation)])
    };
    let mut packages = RosPackages::default();
    packages
        .add_message(&MessageSchema::of("Own", &structure("soccer/Own", &[("player", player("From 1."))])))
        .unwrap();
    packages.add_message(&MessageSchema::of("Other", &structure("soccer/Other", &[("player", player(""))]))).unwrap();
    let files = packages.files(&PackageAuthor::default());
    assert_eq!(files["soccer/msg/Player.msg"], "# From 1.\nuint8 number\n");
}

#[test]
fn two_types_of_one_name_are_an_error_and_add_nothing() {
    let goal = |data_type| structure("soccer/Goal", &[("at", data_type)]);
    let mut packages = RosPackages::default();
    packages.add_message(&MessageSchema::of("Goal", &goal(DataType::Float32))).unwrap();
    let before = paths(&packages);
    let plan = structure("soccer/Plan", &[("way", structure("soccer/Way", &[])), ("goal", goal(DataType::Text))]);
    let error = packages.add_message(&MessageSchema::of("Plan", &plan)).unwrap_err();
    assert_eq!(error, PackageError::TwoTypes { name: "soccer/msg/Goal".into() });
    assert_eq!(packages.add_service(&ServiceSchema::of("plan", &plan, &DataType::Boolean)), Err(error));
    assert_eq!(paths(&packages), before);
}

#[test]
fn two_fields_of_one_name_are_an_error() {
    let ball = structure("soccer/Ball", &[("last_seen", DataType::Float32), ("lastSeen", DataType::Boolean)]);
    let error = RosPackages::default().add_message(&MessageSchema::of("Ball", &ball)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`soccer/msg/Ball` has two fields that are called `last_seen` in ROS 2 (rename one of them)"
    );
    let error = RosPackages::default().add_service(&ServiceSchema::of("Track", &ball, &ball)).unwrap_err();
    assert_eq!(error, PackageError::TwoFields { name: "soccer/srv/Ball_Request".into(), field: "last_seen".into() });
}

#[test]
fn packages_that_would_need_each_other_are_an_error() {
    let sequence = |inner| DataType::Sequence(Box::new(inner));
    let ball = structure("soccer/Ball", &[("radius", DataType::Float32)]);
    let paths_of_ball = structure("soccer/Paths", &[("balls", sequence(sequence(ball)))]);
    let error = RosPackages::default().add_message(&MessageSchema::of("Paths", &paths_of_ball)).unwrap_err();
    let expected = PackageError::Circle { name: "hemiola/msg/BallSequence".into(), inner: "soccer/msg/Ball".into() };
    assert_eq!(error, expected);
    // Types of ROS 2 and numbers need nothing of ours.
    let paths_of_points = structure("soccer/Paths", &[("points", sequence(sequence(point())))]);
    let mut packages = RosPackages::default();
    packages.add_message(&MessageSchema::of("Paths", &paths_of_points)).unwrap();
    assert_eq!(packages.names().collect::<Vec<_>>(), ["hemiola", "soccer"]);
}

#[test]
fn a_service_has_its_two_parts_in_one_file() {
    let request = structure("soccer/SetGoalRequest", &[("goal", point()), ("by", structure("soccer/Player", &[]))]);
    let mut packages = RosPackages::default();
    let service = ServiceSchema::of("set goal", &request, &structure("soccer/None", &[]));
    assert_eq!((service.name.as_str(), packages.add_service(&service)), ("soccer/srv/SetGoal", Ok(())));
    // One that ROS 2 brings is not written, whatever the robot's types are called.
    packages.add_service(&ServiceSchema::called("std_srvs", "Empty", &request, &request)).unwrap();
    let files = packages.files(&PackageAuthor::default());
    assert_eq!(files["soccer/srv/SetGoal.srv"], "geometry_msgs/Point goal\nsoccer/Player by\n---\n");
    assert_eq!(files["soccer/msg/Player.msg"], "");
    assert!(!files.contains_key("soccer/msg/None.msg"));
    assert!(files["soccer/package.xml"].contains("<depend>geometry_msgs</depend>"));
    assert!(
        files["soccer/CMakeLists.txt"]
            .contains("  \"msg/Player.msg\"\n  \"srv/SetGoal.srv\"\n  DEPENDENCIES geometry_msgs\n")
    );
}

#[test]
fn what_people_write_is_escaped() {
    let mut packages = RosPackages::default();
    packages.add_message(&MessageSchema::of("Ball", &structure("soccer/Ball", &[]))).unwrap();
    let author = PackageAuthor { name: "Ada & <Co>".into(), email: "a\"b".into(), license: "<MIT>".into() };
    let manifest = &packages.files(&author)["soccer/package.xml"];
    assert!(manifest.contains("<maintainer email=\"a&quot;b\">Ada &amp; &lt;Co&gt;</maintainer>"), "{manifest}");
    assert!(manifest.contains("<license>&lt;MIT&gt;</license>"), "{manifest}");
}
