//! Executors beside the cycles, and their configuration.

use hemiola_bus::Executor;
use hemiola_model::configuration::{Scheduling, without_number, without_place};
use hemiola_trace::Runs;

use super::RobotHandle;
use crate::error::RuntimeError;

/// The calls of an executor that are kept until they are gathered, many times a second.
const EXECUTOR_EVENTS: usize = 4096;

impl RobotHandle {
    /// Creates an executor on the robot's clock, for callbacks beside the cycles. Its calls are in
    /// the robot's statistics and traces, with flows from messages, requests and answers to the
    /// calls, and in the bounds of `analyze`, once they were observed in a run. Each executor needs
    /// a name of its own: two of the same name are regarded as one thread. Priorities and settings
    /// of the thread in `[executor.<name>]` of robot.toml override those of the program.
    ///
    /// ```
    /// use hemiola_bus::Priority;
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// # let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// # let robot = stepper.handle().clone();
    /// let mut arm = robot.executor("arm")?;
    /// arm.serve(robot.bus(), "grip", Priority(10), 4, |force: &f32| *force < 20.0)?;
    /// # let answer = robot.bus().client::<f32, bool>("grip")?.call_async(5.0)?;
    /// # arm.run_ready();
    /// # stepper.run_for(std::time::Duration::from_secs(1));
    /// assert_eq!(robot.report().callbacks[0].name, "grip requests"); // it was called
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns an error if there are 65,536 names of executors and workers already.
    pub fn executor(&self, name: &str) -> Result<Executor, RuntimeError> {
        let configured = self.present().configuration.executors.get(name).cloned().unwrap_or_default();
        let mut executor = Executor::new(name, self.clock()).configured(configured);
        let mut monitor = self.monitor();
        let (thread, events) = executor.record(monitor.catalog(), EXECUTOR_EVENTS, Some(self.state.news().clone()))?;
        monitor.add_executor(thread, events);
        Ok(executor)
    }

    /// Returns remarks about executors and callbacks in the configuration that do not exist, or not
    /// yet: a name may be misspelt; and about reservations that the kernel has refused.
    ///
    /// ```
    /// # use hemiola_bus::Priority;
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, ExecutorConfiguration, Trigger};
    /// # use hemiola_runtime::Robot;
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// let callbacks = [("grip requests".to_owned(), 30), ("grasp requests".to_owned(), 20)].into();
    /// configuration.executors.insert("arm".into(), ExecutorConfiguration { callbacks, ..ExecutorConfiguration::default() });
    /// # let stepper = Robot::assemble(configuration)?.into_stepper()?;
    /// # let robot = stepper.handle();
    /// assert_eq!(robot.unknown_executors(), ["`[executor.arm]`: there is no executor of that name; there are none"]);
    /// let mut arm = robot.executor("arm")?;
    /// arm.serve(robot.bus(), "grip", Priority(10), 4, |force: &f32| *force < 20.0)?;
    /// let unknown = "`[executor.arm.callbacks]`: there is no callback `grasp requests`; there are: grip requests";
    /// assert_eq!(robot.unknown_executors(), [unknown]);
    /// assert_eq!(arm.handle().callbacks()[0].priority, Priority(30)); // robot.toml goes before the program
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn unknown_executors(&self) -> Vec<String> {
        let robot = self.present();
        let configured = &robot.configuration.executors;
        let monitor = self.monitor();
        let names = monitor.catalog().read();
        let mut executors = Vec::new();
        let mut unknown = Vec::new();
        for (id, worker) in names.workers() {
            if let Runs::Callbacks { executor } = &worker.runs {
                executors.push((id, executor.as_str()));
                let asks = matches!(
                    configured.get(executor).and_then(|it| it.scheduling),
                    Some(Scheduling::Reservation { .. })
                );
                if asks && worker.executor.as_ref().is_some_and(|thread| thread.reservation.is_none()) {
                    unknown.push(format!(
                        "`[executor.{executor}]`: the kernel has refused the reservation, so that its thread shares time with all \
                         others: its denial (`RunningExecutor::report`) and `doctor` say what is missing"
                    ));
                }
            }
        }
        for (name, of_it) in configured {
            let Some((executor, _)) = executors.iter().find(|(_, executor)| executor == name) else {
                let there_are = in_words(executors.iter().map(|(_, executor)| *executor).collect());
                unknown.push(format!("`[executor.{name}]`: there is no executor of that name; {there_are}"));
                continue;
            };
            let all = names.callbacks().filter(|(_, callback)| callback.executor == *executor);
            let all: Vec<&str> = all.map(|(_, callback)| callback.name.as_str()).collect();
            let is_one_of_them = |name: &&String| {
                all.iter().any(|other| [other, without_number(other), without_place(other)].contains(&name.as_str()))
            };
            for callback in of_it.callbacks.keys().filter(|name| !is_one_of_them(name)) {
                let there_are = in_words(all.clone());
                unknown.push(format!("`[executor.{name}.callbacks]`: there is no callback `{callback}`; {there_are}"));
            }
        }
        unknown
    }
}

fn in_words(names: Vec<&str>) -> String {
    if names.is_empty() { "there are none".to_owned() } else { format!("there are: {}", names.join(", ")) }
}
