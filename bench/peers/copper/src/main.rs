//! Copper's own workloads: a chain of ten tasks that hand a number on, in its serial loop, and two
//! stages, a thread each, in its pipeline. `default` logs all messages, as Copper does by default;
//! `quiet` logs nothing.

use std::path::PathBuf;
use std::sync::{Mutex, OnceLock};

use cu29::prelude::*;
use hemiola_bench_contestant::{Completions, Contest, CountAllocations, Mode, Work};

#[global_allocator]
static ALLOCATOR: CountAllocations = CountAllocations;

/// The work, which is static because Copper creates the tasks.
static WORK: OnceLock<&'static Work> = OnceLock::new();
/// The place where the second stage notes that a run has ended, and the logs to remove in the end.
static COMPLETIONS: Mutex<Option<(Completions, PathBuf)>> = Mutex::new(None);

fn work() {
    if let Some(work) = WORK.get() {
        work.run(0);
    }
}

mod complete {
    use std::path::Path;

    use super::{First, LOG_BYTES, Last, Link};
    use cu29::prelude::*;
    use hemiola_bench_contestant::Contest;

    #[copper_runtime(config = "default.ron")]
    struct Complete {}

    pub fn measure(contest: &Contest, log: &Path) -> CuResult<()> {
        let mut running = Complete::builder().with_log_path(log, LOG_BYTES)?.build()?.start()?;
        contest.measure(&mut || running.run_one_iteration().expect("a chain of additions does not fail"));
        drop(running.stop()?);
        Ok(())
    }
}

mod quiet {
    use std::path::Path;

    use super::{First, LOG_BYTES, Last, Link};
    use cu29::prelude::*;
    use hemiola_bench_contestant::Contest;

    #[copper_runtime(config = "quiet.ron")]
    struct Quiet {}

    pub fn measure(contest: &Contest, log: &Path) -> CuResult<()> {
        let mut running = Quiet::builder().with_log_path(log, LOG_BYTES)?.build()?.start()?;
        contest.measure(&mut || running.run_one_iteration().expect("a chain of additions does not fail"));
        drop(running.stop()?);
        Ok(())
    }
}

mod complete_stages {
    use std::path::Path;

    use super::{First, LOG_BYTES, Second};
    use cu29::prelude::*;

    #[copper_runtime(config = "stages-default.ron")]
    struct CompleteStages {}

    pub fn run(log: &Path) -> CuResult<()> {
        CompleteStages::builder().with_log_path(log, LOG_BYTES)?.build()?.run_until_shutdown()?;
        Ok(())
    }
}

mod quiet_stages {
    use std::path::Path;

    use super::{First, LOG_BYTES, Second};
    use cu29::prelude::*;

    #[copper_runtime(config = "stages-quiet.ron")]
    struct QuietStages {}

    pub fn run(log: &Path) -> CuResult<()> {
        QuietStages::builder().with_log_path(log, LOG_BYTES)?.build()?.run_until_shutdown()?;
        Ok(())
    }
}

/// The size of the log: more than a run of the bench writes.
const LOG_BYTES: Option<usize> = Some(64 << 20);

fn main() -> CuResult<()> {
    let contest = Contest::enter("cu29", version());
    _ = WORK.set(contest.work());
    let log = std::env::temp_dir().join(format!("hemiola-bench-{}.copper", std::process::id()));
    let is_quiet = std::env::args().nth(1).as_deref() == Some("quiet");
    let is_pipeline = contest.mode() == Mode::Pipeline;
    if is_pipeline {
        *COMPLETIONS.lock().expect("nobody has failed") = Some((contest.completions(), log.clone()));
    }
    let result = match (is_pipeline, is_quiet) {
        (false, false) => complete::measure(contest, &log),
        (false, true) => quiet::measure(contest, &log),
        (true, false) => complete_stages::run(&log),
        (true, true) => quiet_stages::run(&log),
    };
    remove_logs(&log);
    result
}

/// Removes the logs: Copper writes into numbered files beside the name that it is given.
fn remove_logs(log: &std::path::Path) {
    let (Some(folder), Some(stem)) = (log.parent(), log.file_stem().and_then(|stem| stem.to_str())) else { return };
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with(stem)) {
            // A file that stays in the folder for temporary files does no harm.
            _ = std::fs::remove_file(entry.path());
        }
    }
}

#[derive(Reflect)]
pub struct First {
    next: u32,
}

impl Freezable for First {}

impl CuSrcTask for First {
    type Resources<'r> = ();
    type Output<'m> = output_msg!(u32);

    fn new(_: Option<&ComponentConfig>, (): ()) -> CuResult<Self> {
        Ok(Self { next: 0 })
    }

    fn process(&mut self, _: &CuContext, output: &mut Self::Output<'_>) -> CuResult<()> {
        work();
        self.next = self.next.wrapping_add(1);
        output.set_payload(self.next);
        Ok(())
    }
}

#[derive(Reflect)]
pub struct Link;

impl Freezable for Link {}

impl CuTask for Link {
    type Resources<'r> = ();
    type Input<'m> = input_msg!(u32);
    type Output<'m> = output_msg!(u32);

    fn new(_: Option<&ComponentConfig>, (): ()) -> CuResult<Self> {
        Ok(Self)
    }

    fn process(&mut self, _: &CuContext, input: &Self::Input<'_>, output: &mut Self::Output<'_>) -> CuResult<()> {
        work();
        output.set_payload(input.payload().copied().unwrap_or_default().wrapping_add(1));
        Ok(())
    }
}

#[derive(Reflect)]
pub struct Last {
    value: u32,
}

impl Freezable for Last {}

impl CuSinkTask for Last {
    type Resources<'r> = ();
    type Input<'m> = input_msg!(u32);

    fn new(_: Option<&ComponentConfig>, (): ()) -> CuResult<Self> {
        Ok(Self { value: 0 })
    }

    fn process(&mut self, _: &CuContext, input: &Self::Input<'_>) -> CuResult<()> {
        work();
        self.value = input.payload().copied().unwrap_or_default();
        Ok(())
    }
}

/// The second of two stages.
#[derive(Reflect)]
#[reflect(from_reflect = false)]
pub struct Second {
    #[reflect(ignore)]
    completions: Option<(Completions, PathBuf)>,
}

impl Freezable for Second {}

impl CuSinkTask for Second {
    type Resources<'r> = ();
    type Input<'m> = input_msg!(u32);

    fn new(_: Option<&ComponentConfig>, (): ()) -> CuResult<Self> {
        Ok(Self { completions: COMPLETIONS.lock().ok().and_then(|mut completions| completions.take()) })
    }

    fn process(&mut self, _: &CuContext, _: &Self::Input<'_>) -> CuResult<()> {
        work();
        if let Some((completions, log)) = &mut self.completions
            && completions.note()
        {
            // The pipeline would run forever.
            remove_logs(log);
            std::process::exit(0);
        }
        Ok(())
    }
}

/// Returns Copper's version, from the lock file.
fn version() -> &'static str {
    let mut lines = include_str!("../Cargo.lock").lines().skip_while(|line| *line != "name = \"cu29\"").skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \""));
    version.map_or("?", |version| version.trim_end_matches('"'))
}
