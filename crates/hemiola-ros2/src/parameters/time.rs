//! `use_sim_time`, a parameter that every node of ROS 2 has.

use hemiola_bus::RobotClock;
use hemiola_model::data::DataType;
use hemiola_model::{ParameterDescription, Time, Value};

use super::{Origin, ParameterTable};

const NAME: &str = "use_sim_time";

impl ParameterTable {
    /// Adds the parameter that says whether the robot goes by another time than that of the system,
    /// and why.
    pub(super) fn add_time(&mut self, clock: &RobotClock, is_published: bool) {
        let (value, why) = match (is_published, clock.is_real_time(), clock.due(Time::ZERO)) {
            (true, ..) => {
                (true, "true, as the robot publishes its clock as /clock (`clock` in `[ros2]` of robot.toml)")
            }
            (_, true, _) => (false, "false, as the robot's clock runs as that of the system does"),
            (_, _, Some(_)) => (true, "true, as the robot's clock runs at another speed than that of the system"),
            (_, _, None) => (true, "true, as the robot's clock is stepped"),
        };
        let documentation = format!("it says how the robot was started, and is {why}");
        let value = Value::Boolean(value);
        let description = ParameterDescription::new(NAME, DataType::Boolean, &documentation, "", value.clone(), None);
        self.add_entry(NAME.to_owned(), "", description, value, Origin::Node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rcl_interfaces::{Kind, ListParameters, Parameter};

    fn table(clock: &RobotClock, is_published: bool) -> ParameterTable {
        let mut table = ParameterTable::default();
        table.add_time(clock, is_published);
        table
    }

    #[test]
    fn it_is_true_unless_the_robot_goes_by_the_time_of_the_system() {
        let (real, slow, stepped) = (RobotClock::running(1.0), RobotClock::running(0.5), RobotClock::stepped());
        for (clock, is_published, expected, why) in [
            (&real, false, false, "runs as that of the system does"),
            (&real, true, true, "publishes its clock as /clock"),
            (&slow, false, true, "at another speed"),
            (&stepped, false, true, "is stepped"),
        ] {
            let table = table(clock, is_published);
            let value = table.value(NAME);
            assert_eq!((value.kind, value.bool_value), (Kind::Bool as u8, expected), "{why}");
            assert!(table.describe(NAME).description.contains(why), "{why}");
            let refused = table.accept(&Parameter { name: NAME.to_owned(), value }).map(drop).unwrap_err();
            assert!(refused.starts_with("`use_sim_time` cannot be set: it says") && refused.contains(why), "{refused}");
        }
    }

    #[test]
    fn it_is_listed_and_read_only() {
        let table = table(&RobotClock::running(1.0), false);
        assert_eq!(table.list(&ListParameters::default()).names, [NAME]);
        let described = table.describe(NAME);
        assert!(described.read_only && described.kind == Kind::Bool as u8);
    }
}
