//! Tests of the whole rover in its flat, from the lidar to the wheels, in simulated time.
#![forbid(unsafe_code)]

use std::path::Path;
use std::time::Duration;

use hemiola::configuration::{Catalog, LoadOptions, Ros2Configuration, Ros2Router, load};
use hemiola::runtime::{Change, Robot, Stepper};
use hemiola_ros::geometry_msgs::Twist;
use hemiola_ros::nav_msgs::{OccupancyGrid, Odometry};
use hemiola_ros::sensor_msgs::LaserScan;
use rover::geometry::Pose2;
use rover::representations::{MapPose, MapToOdom, Navigation, OdomToBase, ScanMatch};
use rover::simulator::SimulatedWorld;
use rover::simulator::truth::{ScanTruth, TruthReport};
use rover::simulator::walls::{distance, range};

/// Returns the robot of `robot.toml`, with noise that follows from the seed.
fn robot(seed: u64, assignments: &[&str]) -> Stepper {
    let seeds = ["SimulatedBody", "SimulatedLidar"].map(|source| format!("source.{source}.parameters.seed={seed}"));
    let assignments = seeds.into_iter().chain(assignments.iter().map(|&one| one.to_owned())).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let loaded = load(&LoadOptions { assignments, ..LoadOptions::new(path) }, &Catalog::linked());
    let configuration = loaded.unwrap_or_else(|error| panic!("{error}")).configuration;
    Robot::assemble(configuration).expect("the robot is complete").into_stepper().expect("the robot can be made")
}

/// In two processes the rover is two nodes of a ROS 2 system, each of which publishes its own
/// values.
#[test]
fn each_process_is_a_node_with_what_it_has() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let overlays = ["processes", "ros2"].map(str::to_owned).to_vec();
    let loaded = load(&LoadOptions { overlays, ..LoadOptions::new(path) }, &Catalog::linked());
    let whole = Robot::assemble(loaded.unwrap_or_else(|error| panic!("{error}")).configuration).unwrap();
    let node = |process| {
        let part = whole.part(process, Path::new("/run/rover")).unwrap_or_else(|error| panic!("{error}"));
        // The part of the robot in a process is a robot, too.
        let part = Robot::assemble(part).unwrap_or_else(|error| panic!("{error}"));
        part.configuration().ros2.clone().expect("a node")
    };
    let published = |node: &Ros2Configuration| node.publish.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
    let (main, navigation) = (node("main"), node("navigation"));
    assert_eq!((&main.process, navigation.process.as_deref()), (&None, Some("navigation")));
    assert!(matches!(main.router, Ros2Router::Here(_)) && matches!(navigation.router, Ros2Router::At(_)));
    assert_eq!(published(&main), ["/imu", "/odom"]);
    assert_eq!(published(&navigation), ["/scan", "/tf", "/pose", "/map", "/plan", "/cmd_vel", "/navigation_result"]);
    assert_eq!((main.action_server.len(), main.subscribe.len(), main.clock), (0, 0, Some(100.0)));
    assert_eq!((navigation.action_server.len(), navigation.subscribe.len(), navigation.clock), (1, 1, None));
}

/// Drives a round through all rooms for five seeds; `--nocapture` shows the figures.
#[test]
fn the_rover_reaches_its_goals_and_knows_where_it_is() {
    println!("seed  goals  driven   rms    most  odometry alone  nearest wall");
    for seed in 1..=5 {
        let mut stepper = robot(seed, &[]);
        let mut room = f64::INFINITY;
        for _ in 0..440 {
            stepper.run_for(Duration::from_millis(250));
            let away = |world: &SimulatedWorld| distance(&world.walls, world.robot.position());
            room = room.min(stepper.with_value(away).unwrap());
        }
        let navigation = stepper.with_value(Navigation::clone).unwrap();
        let truth = stepper.with_value(TruthReport::clone).unwrap();
        let TruthReport { driven, position_rms, position_maximum, odometry_error, .. } = truth;
        let [rms, most, alone] = [position_rms, position_maximum, odometry_error].map(|metres| 100.0 * metres);
        let reached = navigation.reached;
        println!(
            "{seed:4}  {reached:5}  {driven:4.1} m  {rms:4.1}  {most:5.1} cm  {alone:11.0} cm  {:9.0} cm",
            100.0 * room
        );
        assert!(room > 0.18, "seed {seed}: the robot has touched a wall: {room} m");
        assert!(navigation.reached >= 5 && navigation.failed == 0, "seed {seed}: {navigation:?}");
        assert!(position_rms < 0.05 && position_maximum < 0.08, "seed {seed}: {truth:?}");
    }
}

#[test]
fn the_map_is_the_flat_and_messages_are_as_ros_has_them() {
    let mut stepper = robot(1, &[]);
    stepper.run_for(Duration::from_secs(100));
    let world = stepper.with_value(SimulatedWorld::clone).unwrap();
    let map = stepper.with_value(OccupancyGrid::clone).unwrap();
    assert_eq!((map.header.frame_id.as_str(), map.data.len()), ("map", (map.info.width * map.info.height) as usize));
    let corner = &map.info.origin.position;
    let middle = |cell: usize| {
        let (column, row) = (cell as u32 % map.info.width, cell as u32 / map.info.width);
        let at = |number: u32, from: f64| from + (f64::from(number) + 0.5) * f64::from(map.info.resolution);
        [at(column, corner.x), at(row, corner.y)]
    };
    let percents = &map.data;
    let cells = |is: fn(i8) -> bool| (0..percents.len()).filter(move |cell| is(percents[*cell])).map(middle);
    let (occupied, free) = (cells(|percent| percent > 60), cells(|percent| (0..40).contains(&percent)));
    // The pose was up to half a cell off when a wall was added to the map.
    let occupied: Vec<f64> = occupied.map(|at| distance(&world.walls, at)).collect();
    let on_walls = occupied.iter().filter(|distance| **distance < 0.11).count();
    println!("{} occupied cells, {on_walls} of them on walls", occupied.len());
    assert!(occupied.len() > 1000 && on_walls * 100 >= occupied.len() * 97, "{on_walls} of {}", occupied.len());
    let free: Vec<f64> = free.map(|at| distance(&world.walls, at)).collect();
    assert!(free.len() > 25_000, "only {} m² are known to be free", free.len() / 400);

    // The scan agrees with the walls, and the transforms between frames agree with the poses.
    let scan = stepper.with_value(LaserScan::clone).unwrap();
    assert_eq!((scan.header.frame_id.as_str(), scan.ranges.len()), ("base_link", 360));
    let truth = stepper.with_value(ScanTruth::clone).unwrap();
    let ahead = range(&truth.walls, truth.robot.position(), truth.robot.heading).unwrap();
    assert!((f64::from(scan.ranges[180]) - ahead).abs() < 0.06, "{} m instead of {ahead}", scan.ranges[180]);
    let pose = stepper.with_value(MapPose::mean).unwrap();
    let (map_to_odom, odom_to_base) =
        (stepper.with_value(MapToOdom::clone).unwrap(), stepper.with_value(OdomToBase::clone).unwrap());
    let placed = |tf: &hemiola_ros::tf2_msgs::TFMessage| {
        let branch = &tf.transforms[0];
        let heading = 2.0 * branch.transform.rotation.z.atan2(branch.transform.rotation.w);
        let at = &branch.transform.translation;
        (branch.header.frame_id.clone(), branch.child_frame_id.clone(), Pose2::new(at.x, at.y, heading))
    };
    let (one, other) = (placed(&map_to_odom.tf), placed(&odom_to_base.tf));
    assert_eq!([&one.0, &one.1, &other.0, &other.1], ["map", "odom", "odom", "base_link"]);
    // Odometry is newer than the scan, by a tenth of a second at most.
    assert!((one.2 * other.2).distance(pose.position()) < 0.06);
    let odometry = stepper.with_value(Odometry::clone).unwrap();
    assert_eq!((odometry.header.frame_id.as_str(), odometry.child_frame_id.as_str()), ("odom", "base_link"));
}

/// Returns the fingerprints of all representations of every cycle, run by run.
fn history(workers: usize) -> Vec<(usize, Vec<(&'static str, u64)>)> {
    let workers = ["drive", "navigation"].map(|cycle| format!("cycle.{cycle}.workers={workers}"));
    let mut stepper = robot(3, &workers.each_ref().map(String::as_str));
    let mut history = Vec::new();
    while stepper.now().seconds() < 20.0 {
        let step = stepper.step().expect("a simulation does not end");
        history.extend(step.cycles.into_iter().map(|cycle| (cycle, stepper.fingerprints(cycle))));
    }
    history
}

#[test]
fn the_same_seed_gives_the_same_bits_with_any_number_of_workers() {
    let expected = history(1);
    let values: usize = expected.iter().map(|(_, values)| values.len()).sum();
    assert!(values > 7000, "only {values} values were compared");
    for workers in [2, 3] {
        let found = history(workers);
        assert_eq!(found.len(), expected.len(), "{workers} workers: another number of runs");
        let difference = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(difference, None, "{workers} workers: a run differs");
    }
}

#[test]
fn the_safe_state_stops_the_robot_at_once() {
    let mut stepper = robot(1, &[]);
    stepper.run_for(Duration::from_secs(12));
    let speed = stepper.with_value(|odometry: &Odometry| odometry.twist.twist.linear.x).unwrap();
    assert!(speed > 0.3, "it drives with {speed} m/s");
    let before = stepper.with_value(|world: &SimulatedWorld| world.robot).unwrap();
    stepper.handle().change(Change::EnterSafeState).wait().unwrap();
    stepper.run_for(Duration::from_secs(5));
    let after = stepper.with_value(|world: &SimulatedWorld| world.robot).unwrap();
    let way = before.distance(after.position());
    println!("it went on for {:.1} cm", 100.0 * way);
    assert!(way < 0.06, "it went on for {way} m");
    // Navigation still requests a velocity.
    assert!(stepper.with_value(|twist: &Twist| twist.linear.x).unwrap() > 0.3);
}

/// The lidar sees nothing from the start, so that no scan can be matched; the robot does not drive
/// into walls that it cannot see either, because there is no map to plan on.
#[test]
fn a_blind_robot_goes_by_odometry() {
    let mut stepper =
        robot(1, &["source.SimulatedLidar.parameters.range=0.5", "source.SimulatedBody.parameters.walls=[]"]);
    stepper.run_for(Duration::from_secs(30));
    let truth = stepper.with_value(TruthReport::clone).unwrap();
    let matched = stepper.with_value(ScanMatch::clone).unwrap();
    let Pose2 { x, y, heading } = matched.correction;
    assert!(matched.quality == 0.0 && x.abs() + y.abs() + heading.abs() < 1e-9, "{matched:?}");
    assert!(truth.driven > 5.0 && (truth.position_error - truth.odometry_error).abs() < 0.02, "{truth:?}");
}
