//! The path to the goal.

use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::PoseStamped;
use hemiola_ros::nav_msgs::{OccupancyGrid, Path};

use super::a_star::{AStar, factor};
use super::cells::Cells;
use super::inflation::LETHAL;
use crate::geometry::{Pose2, drawn};
use crate::representations::{Costmap, MAP, MapPose, Navigation};

/// Parameters of [`Planner`].
#[derive(Parameters)]
pub struct PlannerParameters {
    /// The additional cost of a path beside an obstacle: with 3 it costs four times as much.
    #[parameter(default = 3.0, range = 0.0..=100.0)]
    dislike: f64,
    /// The additional cost of a path through unknown cells.
    #[parameter(default = 1.0, range = 0.0..=100.0)]
    unknown: f64,
    /// The distance that a robot may drive to leave an obstacle that is too near.
    #[parameter(default = 0.15, range = 0.0..=1.0, unit = "m")]
    leave: f64,
    /// The period at which the path is planned anew, as the map grows.
    #[parameter(default = 1.0, range = 0.05..=60.0, unit = "s")]
    period: f64,
}

/// Plans by A* on the costs around obstacles, periodically and whenever the goal changes or the
/// path is blocked. Unknown cells are assumed to be free: the robot will see when it drives there.
#[derive(Module)]
pub struct Planner {
    #[parameters]
    parameters: PlannerParameters,
    /// The cells of the path, from the robot to the goal.
    way: Vec<usize>,
    /// The number of the goal for which the path was planned.
    planned_for: u32,
    /// The time since the path was planned, in seconds.
    age: f64,
    #[stateless]
    search: AStar,
}

#[module]
impl Planner {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "a way depends on all of them")]
    pub(super) fn path(
        &mut self,
        map: &OccupancyGrid,
        costmap: &Costmap,
        pose: &MapPose,
        navigation: &Navigation,
        clock: &Clock,
        debug: &Debug,
        path: &mut Path,
    ) {
        let cells = Cells::of(&map.info);
        let Some(goal) = navigation.goal else {
            self.way.clear();
            return;
        };
        self.age += f64::from(clock.step_seconds());
        let is_blocked = self.way.iter().any(|cell| costmap.costs[*cell] == LETHAL);
        if self.planned_for != navigation.number || self.age >= self.parameters.period || is_blocked {
            (self.planned_for, self.age) = (navigation.number, 0.0);
            self.plan(&cells, map, costmap, pose.mean(), goal);
        }
        path.header.stamp = clock.now();
        path.header.frame_id.push_str(MAP);
        path.poses.extend(self.way.iter().map(|cell| {
            let [x, y] = cells.middle(*cell);
            PoseStamped { pose: Pose2::new(x, y, 0.0).to_message(), ..PoseStamped::default() }
        }));
        debug.draw("map/path", |canvas| {
            canvas.line(self.way.iter().map(|cell| drawn(cells.middle(*cell))), Color::YELLOW);
            canvas.circle(goal.drawn(0.0, 0.0), 0.1, Color::MAGENTA);
            canvas.arrow(goal.drawn(0.0, 0.0), goal.drawn(0.35, 0.0), Color::MAGENTA);
        });
    }

    fn plan(&mut self, cells: &Cells, map: &OccupancyGrid, costmap: &Costmap, from: Pose2, to: Pose2) {
        self.way.clear();
        let (Some(start), Some(goal)) = (cells.at(from.position()), cells.at(to.position())) else { return };
        let known = factor(cells, &costmap.costs, start, self.parameters.dislike, self.parameters.leave);
        let unknown = self.parameters.unknown;
        let factor = |cell: usize| known(cell).map(|factor| if map.data[cell] < 0 { factor + unknown } else { factor });
        self.search.search(cells, start, goal, factor, &mut self.way);
    }
}
