//! A whole robot in a test: a module that sends requests, and a server that answers them.

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::time::Duration;

    use hemiola::configuration::{Catalog, parse};
    use hemiola::prelude::*;
    use hemiola::runtime::{Change, Robot};

    use crate::bumper::{Echo, SaveMap, Saved};

    // ANCHOR: whole
    #[test]
    fn after_a_bump_the_map_is_saved() {
        let text = "
            [cycle.mind]
            rate = 10.0
            modules = ['Bumper', 'MapKeeper', 'Silence']
            [source.RangeFinder]
            enabled = false
        ";
        let loaded = parse(text, "robot.toml", &Catalog::linked()).unwrap();
        let mut robot = Robot::assemble(loaded.configuration).unwrap().into_stepper().unwrap();
        let bus = robot.handle().bus().clone();
        let mut server = bus.server::<SaveMap, Result<PathBuf, String>>("SaveMap", 4).unwrap();
        let saved = |robot: &hemiola::runtime::Stepper| robot.with_value(|saved: &Saved| saved.maps).unwrap();

        robot.run_for(Duration::from_secs(1));
        assert_eq!(saved(&robot), 0);

        let near = hemiola::data::Value::of(&Echo { metres: 0.01 });
        let change = robot.handle().change(Change::override_with("Echo", near));
        robot.run_for(Duration::from_secs(1)); // the request is sent
        change.wait().unwrap();
        server.run(8, |_| Ok("map.pgm".into()));
        robot.run_for(Duration::from_secs(1)); // the response is received

        assert!(saved(&robot) > 0);
    }
    // ANCHOR_END: whole

    #[derive(Module)]
    struct Silence {}

    #[module]
    impl Silence {
        #[update]
        fn echo(&self, echo: &mut Echo) {
            echo.metres = 9.0;
        }
    }
}
