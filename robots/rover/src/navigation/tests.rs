//! Tests of the modules of navigation, each called directly in a room whose walls are known.

use std::time::Duration;

use hemiola::bus::{Bus, Queue, WhenFull};
use hemiola::prelude::*;
use hemiola_ros::action_msgs::GoalStatus;
use hemiola_ros::geometry_msgs::{PoseStamped, Twist};
use hemiola_ros::nav_msgs::{MapMetaData, OccupancyGrid, Path};
use hemiola_ros::nav2_msgs::{
    NavigateToPoseCancel, NavigateToPoseFeedback, NavigateToPoseGoal, NavigateToPoseOutcome, NavigateToPoseResult,
};
use hemiola_ros::sensor_msgs::LaserScan;
use hemiola_ros::unique_identifier_msgs::UUID;
use proptest::prelude::*;

use super::cells::Cells;
use super::inflation::{Inflation, InflationParameters, OCCUPIED};
use super::mapping::{Mapping, MappingParameters};
use super::navigator::{Navigator, NavigatorParameters};
use super::path_follower::{PathFollower, PathFollowerParameters};
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::{Costmap, GoalPose, MapPose, Navigation, NavigationResult, Outcome};
use crate::simulator::walls::{Wall, distance};
use crate::simulator::{LidarParameters, SimulatedLidar, SimulatedWorld};

/// A room of 4 m by 3 m with a niche and a box, so that scans from all positions differ.
pub const ROOM: [Wall; 9] = [
    [0.0, 0.0, 4.0, 0.0],
    [4.0, 0.0, 4.0, 3.0],
    [4.0, 3.0, 2.5, 3.0],
    [2.5, 3.0, 2.5, 3.8],
    [2.5, 3.8, 1.6, 3.8],
    [1.6, 3.8, 1.6, 3.0],
    [1.6, 3.0, 0.0, 3.0],
    [0.0, 3.0, 0.0, 0.0],
    [3.4, 0.0, 3.4, 0.5],
];

/// Returns the scan of the room from a pose.
pub fn scan_at(robot: Pose2, seed: u64) -> LaserScan {
    let world = SimulatedWorld { is_there: true, robot, walls: ROOM.to_vec() };
    let (mut scan, mut truth) = (LaserScan::default(), crate::simulator::truth::ScanTruth::default());
    SimulatedLidar::create(LidarParameters { seed, ..LidarParameters::default() }).sample(
        &Clock::default(),
        &world,
        &mut scan,
        &mut truth,
    );
    scan
}

/// Returns a map with exact walls on which all else is free. Walls lie in the centres of cells.
pub fn drawn_map(walls: &[Wall]) -> OccupancyGrid {
    let info = MapMetaData {
        resolution: 0.05,
        width: 240,
        height: 240,
        origin: Pose2::new(-4.025, -4.025, 0.0).to_message(),
        ..MapMetaData::default()
    };
    let cells = Cells::of(&info);
    let percent = |cell| if distance(walls, cells.middle(cell)) < 0.02 { 100 } else { 0 };
    OccupancyGrid { data: (0..cells.len()).map(percent).collect(), info, ..OccupancyGrid::default() }
}

fn pose(at: Pose2) -> MapPose {
    let mut pose = MapPose::default();
    pose.pose.pose.pose = at.to_message();
    pose
}

#[test]
fn the_map_of_a_room_is_the_room() {
    let mut mapping = Mapping::create(MappingParameters::default());
    let mut map = OccupancyGrid::default();
    for step in 0..60 {
        let along = f64::from(step) / 60.0;
        let at = Pose2::new(0.6 + 2.4 * along, 0.8 + 1.2 * along, 3.0 * along);
        map = OccupancyGrid::default();
        mapping.map(&scan_at(at, step as u64), &pose(at), &Clock::default(), &Debug::default(), &mut map);
    }
    let cells = Cells::of(&map.info);
    let occupied: Vec<usize> = (0..cells.len()).filter(|cell| map.data[*cell] > OCCUPIED).collect();
    let on_walls = occupied.iter().filter(|cell| distance(&ROOM, cells.middle(**cell)) < 0.06).count();
    assert!(occupied.len() > 250 && on_walls == occupied.len(), "{on_walls} of {} are on walls", occupied.len());
    // Every 5 cm of the walls that the robot has seen, that is, not those behind the panel.
    let seen: Vec<[f64; 2]> = ROOM[..8]
        .iter()
        .flat_map(|[x, y, to_x, to_y]| {
            (1..20)
                .map(move |part| f64::from(part) / 20.0)
                .map(move |part| [x + part * (to_x - x), y + part * (to_y - y)])
        })
        .filter(|[x, y]| !(*x > 3.2 && *y < 0.7))
        .collect();
    let near = |[x, y]: [f64; 2]| {
        occupied.iter().any(|cell| {
            let [at_x, at_y] = cells.middle(*cell);
            (at_x - x).hypot(at_y - y) < 0.06
        })
    };
    let found = seen.iter().filter(|point| near(**point)).count();
    assert!(found * 100 >= seen.len() * 97, "{found} of {} points of walls are on the map", seen.len());
    // Cells inside are known to be free, and cells outside are unknown.
    assert!(cells.at([2.0, 1.5]).is_some_and(|cell| (0..20).contains(&map.data[cell])));
    assert!(cells.at([6.0, 6.0]).is_some_and(|cell| map.data[cell] == -1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn costs_follow_from_the_distance_to_the_nearest_obstacle(obstacles in proptest::collection::vec(0..1600_usize, 1..12)) {
        let info = MapMetaData { resolution: 0.05, width: 40, height: 40, ..MapMetaData::default() };
        let mut map = OccupancyGrid { data: vec![0; 1600], info, ..OccupancyGrid::default() };
        obstacles.iter().for_each(|cell| map.data[*cell] = 100);
        let mut costmap = Costmap::default();
        Inflation::create(InflationParameters::default()).costs(&map, &mut costmap);
        let cells = Cells::of(&map.info);
        for cell in 0..cells.len() {
            let [x, y] = cells.middle(cell);
            let away = obstacles.iter().map(|other| { let [at_x, at_y] = cells.middle(*other); (at_x - x).hypot(at_y - y) });
            let nearest = away.fold(f64::INFINITY, f64::min);
            let cost = costmap.costs[cell];
            prop_assert_eq!(cost == 255, nearest <= 0.23, "{} at {} m", cost, nearest);
            prop_assert_eq!(cost == 0, nearest > 0.5985, "{} at {} m", cost, nearest);
        }
    }
}

/// Returns a path along x.
fn straight(length: f64) -> Path {
    let place = |number: i32| PoseStamped {
        pose: Pose2::new(f64::from(number) * 0.05, 0.0, 0.0).to_message(),
        ..PoseStamped::default()
    };
    Path { poses: (0..=(length / 0.05) as i32).map(place).collect(), ..Path::default() }
}

fn follow(path: &Path, at: Pose2, goal: Pose2, scan: &LaserScan) -> Twist {
    let follower = PathFollower::create(PathFollowerParameters::default());
    let (navigation, mut twist) = (Navigation { goal: Some(goal), ..Navigation::default() }, Twist::default());
    follower.twist(path, &pose(at), &navigation, scan, &Debug::default(), &mut twist);
    twist
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn whoever_starts_beside_the_path_gets_onto_it_and_to_its_end(offset in -0.4..0.4, heading in -3.1..3.1) {
        let (path, goal) = (straight(4.0), Pose2::new(4.0, 0.0, 1.0));
        let mut at = Pose2::new(0.0, offset, heading);
        for _ in 0..300 {
            let twist = follow(&path, at, goal, &LaserScan::default());
            prop_assert!(twist.linear.x <= 0.5 && twist.angular.z.abs() <= 1.2 + 1e-9);
            let turn = twist.angular.z * 0.1;
            at = at * Pose2::new(0.0, 0.0, turn / 2.0) * Pose2::new(twist.linear.x * 0.1, 0.0, turn / 2.0);
            prop_assert!(at.x < 2.0 || at.y.abs() < 0.05, "{at:?} is beside the path");
        }
        prop_assert!(at.distance([4.0, 0.0]) < 0.1 && normalize_angle(at.heading - 1.0).abs() < 0.05, "{at:?}");
    }
}

#[test]
fn nobody_drives_faster_than_it_can_stop() {
    let scan = |range: f32| LaserScan { range_max: 8.0, ranges: vec![range], ..LaserScan::default() };
    let speed = |range: f32| follow(&straight(4.0), Pose2::default(), Pose2::new(4.0, 0.0, 0.0), &scan(range)).linear.x;
    assert!(speed(5.0) == 0.5 && speed(0.28) < 1e-3 && speed(0.1) == 0.0);
    // From there it takes 0.1 m to stop at 0.4 m/s².
    assert!((speed(0.38) - 0.283).abs() < 0.001, "{}", speed(0.38));
}

#[test]
fn without_a_goal_or_a_path_the_robot_stands() {
    let follower = PathFollower::create(PathFollowerParameters::default());
    let mut twist = Twist::default();
    let (scan, debug) = (LaserScan::default(), Debug::default());
    follower.twist(&straight(4.0), &pose(Pose2::default()), &Navigation::default(), &scan, &debug, &mut twist);
    assert_eq!(twist, Twist::default());
    assert_eq!(follow(&Path::default(), Pose2::default(), Pose2::new(4.0, 0.0, 0.0), &scan), Twist::default());
}

/// Runs the navigator at a pose for some seconds, with some goals and a path, which may be empty.
fn navigate(at: Pose2, path: &Path, goals: usize, seconds: u32) -> (Navigation, Vec<NavigationResult>) {
    let goal = GoalPose::on_map(Pose2::new(4.0, 0.0, 0.0), Time::ZERO);
    let mut navigator = ByHand::new();
    let mut navigation = Navigation::default();
    for run in 0..seconds * 10 {
        let poses = Subscription::of((run < goals as u32).then(|| goal.clone()));
        navigation = navigator.run(&poses, &Subscription::of([]), &Subscription::of([]), at, path);
    }
    (navigation, navigator.all(|it| &mut it.results))
}

/// A navigator whose topics the test reads and writes.
struct ByHand {
    navigator: Navigator,
    run: u32,
    publishers: (Publisher<NavigationResult>, Publisher<NavigateToPoseResult>, Publisher<NavigateToPoseFeedback>),
    results: Queue<NavigationResult>,
    answers: Queue<NavigateToPoseResult>,
    feedback: Queue<NavigateToPoseFeedback>,
}

impl ByHand {
    fn new() -> Self {
        fn ends<T: Representation>(bus: &Bus, name: &str) -> (Publisher<T>, Queue<T>) {
            let topic = bus.topic::<T>(name).unwrap();
            (topic.publisher(), topic.queue(8, WhenFull::DropOldest))
        }
        let bus = Bus::default();
        let (to_results, results) = ends(&bus, "NavigationResult");
        let (to_answers, answers) = ends(&bus, "NavigateToPoseResult");
        let (to_feedback, feedback) = ends(&bus, "NavigateToPoseFeedback");
        let navigator = Navigator::create(NavigatorParameters::default());
        Self { navigator, run: 0, publishers: (to_results, to_answers, to_feedback), results, answers, feedback }
    }

    fn run(
        &mut self,
        poses: &Subscription<GoalPose>,
        goals: &Subscription<NavigateToPoseGoal>,
        cancels: &Subscription<NavigateToPoseCancel>,
        at: Pose2,
        path: &Path,
    ) -> Navigation {
        let (at, path, mut navigation) = (pose(at), Previous::new(path), Navigation::default());
        let now = Time::from_seconds(f64::from(self.run) * 0.1);
        let clock = Clock::new(now, Duration::from_millis(100), self.run.into());
        self.run += 1;
        let (results, answers, feedback) = &mut self.publishers;
        self.navigator.navigation(
            poses,
            goals,
            cancels,
            &at,
            path,
            &clock,
            results,
            answers,
            feedback,
            &mut navigation,
        );
        navigation
    }

    fn all<T: Representation + Clone>(&mut self, queue: impl Fn(&mut Self) -> &mut Queue<T>) -> Vec<T> {
        std::iter::from_fn(|| queue(self).receive().map(|message| (*message).clone())).collect()
    }

    /// Runs once with these goals of the action, and a request to cancel one. Returns the results
    /// of goals, and the goal with feedback.
    fn act(
        &mut self,
        goals: &[(u64, &str)],
        cancel: Option<u64>,
        at: Pose2,
    ) -> (Vec<(UUID, GoalStatus, u16)>, Option<UUID>) {
        let goal = |(number, frame): &(u64, &str)| {
            let mut goal = NavigateToPoseGoal { goal_id: UUID::numbered(*number), ..NavigateToPoseGoal::default() };
            goal.goal.pose.header.frame_id = (*frame).to_owned();
            goal.goal.pose.pose = Pose2::new(4.0, 0.0, 0.0).to_message();
            goal
        };
        let cancel = cancel.map(|number| NavigateToPoseCancel { goal_id: UUID::numbered(number) });
        let goals = Subscription::of(goals.iter().map(goal));
        self.run(&Subscription::of([]), &goals, &Subscription::of(cancel), at, &straight(4.0));
        let ended = self.all(|it| &mut it.answers).into_iter().map(|it| (it.goal_id, it.status, it.result.error_code));
        (ended.collect(), self.all(|it| &mut it.feedback).last().map(|told| told.goal_id))
    }
}

#[test]
fn a_goal_of_the_action_is_reached_canceled_replaced_or_in_a_frame_that_nobody_knows() {
    let [one, two, three] = [1, 2, 3].map(UUID::numbered);
    let mut navigator = ByHand::new();
    let (far, there) = (Pose2::default(), Pose2::new(3.95, 0.0, 0.05));
    assert_eq!(navigator.act(&[(1, "map")], None, far), (vec![], Some(one)));
    // Of two goals at once, the last one is followed.
    let replaced = vec![(one, GoalStatus::Aborted, 0), (two, GoalStatus::Aborted, 0)];
    assert_eq!(navigator.act(&[(2, "map"), (3, "")], None, far), (replaced, Some(three)));
    // A goal that is no longer followed cannot be canceled.
    assert_eq!(navigator.act(&[], Some(1), far), (vec![], Some(three)));
    assert_eq!(navigator.act(&[], Some(3), far), (vec![(three, GoalStatus::Canceled, 0)], None));
    let unknown = vec![(one, GoalStatus::Aborted, NavigateToPoseOutcome::TF_ERROR)];
    assert_eq!(navigator.act(&[(1, "moon")], None, far), (unknown, None));
    assert_eq!(navigator.act(&[(2, "map")], None, there), (vec![(two, GoalStatus::Succeeded, 0)], None));
}

#[test]
fn a_goal_is_reached_replaced_unreachable_or_out_of_reach_for_too_long() {
    let (far, there) = (Pose2::default(), Pose2::new(3.95, 0.0, 0.05));
    let outcomes = |at, path: &Path, goals, seconds| {
        let (navigation, results) = navigate(at, path, goals, seconds);
        (navigation.goal.is_some(), results.iter().map(|result| result.outcome).collect::<Vec<_>>())
    };
    assert_eq!(outcomes(far, &straight(4.0), 1, 10), (true, vec![]));
    assert_eq!(outcomes(there, &straight(4.0), 1, 1), (false, vec![Outcome::Reached]));
    assert_eq!(outcomes(far, &straight(4.0), 2, 1), (true, vec![Outcome::Replaced]));
    assert_eq!(outcomes(far, &Path::default(), 1, 6), (false, vec![Outcome::Unreachable]));
    assert_eq!(outcomes(far, &straight(4.0), 1, 21), (false, vec![Outcome::Stuck]));
    let (navigation, _) = navigate(there, &straight(4.0), 1, 1);
    assert_eq!((navigation.number, navigation.reached, navigation.failed), (1, 1, 0));
}
