//! A rover that is a node of ROS 2: it drives as `/cmd_vel` says, publishes `/odom`, and serves
//! `/rover/reset`. It is the router of its system, so that nothing else has to run:
//! `cargo run -p hemiola --features ros2 --example rover`, and then, where ROS 2 is,
//! `ros2 topic echo /odom` with `RMW_IMPLEMENTATION=rmw_zenoh_cpp`. See `docs/book/src/ros2.md`.
#![allow(missing_docs, reason = "an example explains itself")]
use std::cell::RefCell;

use hemiola::bus::RunningServer;
use hemiola::prelude::*;
use hemiola::realtime::ThreadSettings;
use hemiola::{Application, RobotHandle};
use hemiola_ros::geometry_msgs::Twist;
use hemiola_ros::nav_msgs::Odometry;

const ROBOT: &str = r#"
[cycle.control]
rate = 50.0

[ros2]
router = true

[ros2.publish]
"/odom" = { representation = "Odometry", rate = 20.0 }

[ros2.subscribe]
"/cmd_vel" = { representation = "Twist", quality = "best effort" }

[ros2.serve]
"/rover/reset" = { service = "Reset", type = "std_srvs/srv/Trigger" }
"#;

/// Has the odometry begin anew.
#[derive(Representation, Clone, Default)]
pub struct Reset {}

/// The answer of `std_srvs/srv/Trigger`.
#[derive(Data)]
pub struct Triggered {
    pub success: bool,
    pub message: String,
}

#[derive(Module)]
struct Chassis {
    x: f64,
    y: f64,
    heading: f64,
}

#[module]
impl Chassis {
    #[update]
    fn drive(&mut self, clock: &Clock, command: &Twist, resets: &Subscription<Reset>, odometry: &mut Odometry) {
        if resets.last().is_some() {
            (self.x, self.y, self.heading) = (0.0, 0.0, 0.0);
        }
        let step = 1.0 / 50.0;
        self.heading += command.angular.z * step;
        self.x += command.linear.x * self.heading.cos() * step;
        self.y += command.linear.x * self.heading.sin() * step;
        odometry.header.stamp = clock.now();
        odometry.header.frame_id = "odom".to_owned();
        odometry.child_frame_id = "base_link".to_owned();
        (odometry.pose.pose.position.x, odometry.pose.pose.position.y) = (self.x, self.y);
        (odometry.pose.pose.orientation.z, odometry.pose.pose.orientation.w) = (self.heading / 2.0).sin_cos();
        odometry.twist.twist = command.clone();
    }
}

/// Answers on a thread of its own.
fn serve(robot: &RobotHandle) -> Result<RunningServer, Box<dyn std::error::Error>> {
    let mut resets = robot.bus().readable_topic::<Reset>(Reset::NAME)?.publisher();
    let reset = move |_: &Reset| {
        resets.publish(Reset {});
        Triggered { success: true, message: "the odometry begins anew".to_owned() }
    };
    Ok(robot.bus().server("Reset", 4)?.spawn(ThreadSettings::new("reset"), reset)?)
}

fn main() -> std::process::ExitCode {
    let server = RefCell::new(None);
    let start = move |robot: &RobotHandle| match serve(robot) {
        Ok(running) => _ = server.replace(Some(running)),
        Err(error) => robot.note(format!("nobody can reset the odometry: {error}")),
    };
    Application::embedded(ROBOT).service::<Reset, Triggered>("Reset").started(start).run()
}
