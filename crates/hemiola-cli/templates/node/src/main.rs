//! The program: `cargo run --release` starts the node, `cargo run -- --help` lists all commands.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::process::ExitCode;

use hemiola::Application;
use hemiola_ros::std_srvs::{SetBoolRequest, SetBoolResponse};

use hemiola_node::switch;

fn main() -> ExitCode {
    // The service is served until this is dropped.
    let running = RefCell::new(None);
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .service::<SetBoolRequest, SetBoolResponse>(switch::SERVICE)
        .started(move |robot| match switch::serve(robot) {
            Ok(server) => _ = running.replace(Some(server)),
            Err(error) => robot.note(format!("cannot serve {}: {error}", switch::SERVICE)),
        })
        .run()
}
