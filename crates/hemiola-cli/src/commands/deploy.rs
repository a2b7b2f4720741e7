//! `deploy`: builds a robot for other machines, copies it there, and starts it.
//!
//! It uses the programs of this system: cargo, ssh and rsync. Each command is a [`Step`], which a
//! dry run prints instead.

mod build;
mod c_compiler;
mod machine;
mod page;
mod releases;
mod start;
mod step;
mod unit;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hemiola_config::{Base, Deployment, LoadOptions, deployments};
use serde_json::{Value, json};

use super::{print, print_json};
use crate::command_line::deploy::DeployArguments;
use crate::error::CommandError;
use crate::notes::tell;
use crate::program::Program;
use build::Build;
use machine::{Facts, Machine};
use page::Page;
use releases::Releases;
use start::{Started, check};
use step::Step;
use unit::Unit;

/// Deploys to each selected machine.
pub fn deploy(program: &Program, arguments: &DeployArguments) -> Result<ExitCode, CommandError> {
    let robot_toml = robot_toml(program, arguments)?;
    let meant = meant(&robot_toml, arguments)?;
    let robot = Robot::of(robot_toml, arguments)?;
    let (mut page, mut all) = (None, Vec::new());
    for deployment in &meant {
        let mut done = Done::default();
        page = robot.deploy(deployment, arguments, &mut done)?;
        all.push(done.json(deployment, arguments));
    }
    match meant.as_slice() {
        _ if arguments.json => print_json(&json!({ "robot": robot.name, "machines": all })),
        [only] if is_attached(arguments) => robot.attach(only, page, arguments),
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn is_attached(arguments: &DeployArguments) -> bool {
    !arguments.no_attach && (arguments.dry_run || io::stdout().is_terminal())
}

/// Returns the robot's configuration: the one in the arguments, the one of this program, or that of
/// the crate in the current folder.
fn robot_toml(program: &Program, arguments: &DeployArguments) -> Result<PathBuf, CommandError> {
    if let Some(path) = &arguments.config {
        return Ok(path.clone());
    }
    if let (true, Base::File(path)) = (program.has_robot, &program.base) {
        return Ok(path.clone());
    }
    let here = std::env::current_dir().map_err(|error| CommandError::Read { path: ".".into(), error })?;
    let found = here.ancestors().map(|folder| folder.join("robot.toml")).find(|path| path.is_file());
    found.ok_or_else(|| {
        let text =
            "there is no robot.toml here or above: change to the folder of the robot's crate, or write --config FILE";
        CommandError::Usage(text.to_owned())
    })
}

/// Returns the selected machines, with the arguments applied over robot.toml.
fn meant(robot_toml: &Path, arguments: &DeployArguments) -> Result<Vec<Deployment>, CommandError> {
    let options = LoadOptions { overlays: arguments.overlays.clone(), ..LoadOptions::new(robot_toml) };
    let known = deployments(&options)?;
    let names = known.iter().map(|deployment| deployment.name.clone());
    let typed: Vec<String> = if arguments.machines.is_empty() { names.collect() } else { arguments.machines.clone() };
    if typed.is_empty() {
        let text = "no machine is given: write a destination of ssh, such as nao@10.0.0.2, or add `[deploy.NAME]` to robot.toml";
        return Err(CommandError::Usage(text.to_owned()));
    }
    let mut meant = Vec::new();
    for name in typed {
        if name.starts_with('-') {
            return Err(CommandError::Usage(format!("`{name}` is not a machine")));
        }
        let mut deployment = match known.iter().find(|deployment| deployment.name == name) {
            // Its overlays may define the hosts.
            Some(known) if !known.overlays.is_empty() => {
                let overlays = [&known.overlays[..], &arguments.overlays].concat();
                let all = deployments(&LoadOptions { overlays, ..options.clone() })?;
                all.into_iter().find(|deployment| deployment.name == name).unwrap_or_else(|| known.clone())
            }
            Some(known) => known.clone(),
            None => Deployment::to(name),
        };
        deployment.overlays.extend(arguments.overlays.iter().cloned());
        if let Some(user) = &arguments.user {
            let machine = deployment.destination.rsplit('@').next().unwrap_or_default();
            deployment.destination = format!("{user}@{machine}");
        }
        deployment.folder = arguments.folder.clone().or(deployment.folder);
        deployment.target = arguments.target.clone().or(deployment.target);
        meant.push(deployment);
    }
    Ok(meant)
}

/// The actions on a machine, for `--json`.
#[derive(Default)]
struct Done {
    /// The commands of a dry run.
    commands: Vec<String>,
    /// The folder there.
    folder: String,
    /// The target that the program was built for, unless a built one was given.
    target: Option<String>,
    /// The files that were copied because they differed.
    copied: Vec<String>,
    /// The address of the page there.
    page: Option<String>,
}

impl Done {
    fn json(&self, deployment: &Deployment, arguments: &DeployArguments) -> Value {
        json!({
            "machine": deployment.name,
            "destination": deployment.destination,
            "folder": self.folder,
            "target": self.target,
            "copied": self.copied,
            "page": self.page,
            "is_dry_run": arguments.dry_run,
            "commands": self.commands,
        })
    }
}

/// The robot that is deployed.
struct Robot {
    /// The name of the robot, which is that of its program.
    name: String,
    robot_toml: PathBuf,
    source: Source,
}

/// The origin of a robot's program.
enum Source {
    Built(Build),
    There(PathBuf),
}

impl Robot {
    fn of(robot_toml: PathBuf, arguments: &DeployArguments) -> Result<Self, CommandError> {
        if let Some(program) = &arguments.program {
            let name = program.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let found = std::fs::metadata(program);
            found.map_err(|error| CommandError::Read { path: program.clone(), error })?;
            return Ok(Self { name, robot_toml, source: Source::There(program.clone()) });
        }
        let build = Build::of(beside(&robot_toml), arguments.bin.as_deref())?;
        Ok(Self { name: build.name.clone(), robot_toml, source: Source::Built(build) })
    }

    /// Copies the robot to a machine and starts it there, or starts what was there before. Returns
    /// its page, if it has one.
    fn deploy(
        &self,
        deployment: &Deployment,
        arguments: &DeployArguments,
        done: &mut Done,
    ) -> Result<Option<Page>, CommandError> {
        let machine = machine(deployment, arguments);
        let (is_dry, is_quiet) = (arguments.dry_run, arguments.json);
        let mut deploying = Deploying { robot: self, deployment, machine, is_dry, is_quiet, done };
        let facts = deploying.facts()?;
        let folder = facts.absolute(deployment.folder.as_deref().unwrap_or(&self.name));
        let text = folder.display().to_string();
        deploying.done.folder.clone_from(&text);
        let entries = deploying.entries();
        let releases = Releases { robot: &self.name, folder: &text, entries: &entries };
        if arguments.back {
            deploying.run(&deploying.machine.ssh(&releases.require_previous()), "cannot go back")?;
            return deploying.start(&facts, &releases, &releases.switch_back());
        }
        let program = deploying.program(&facts)?;
        deploying.copy(&program, &releases)?;
        deploying.check(&releases)?;
        deploying.describe(&facts, &releases)?;
        deploying.start(&facts, &releases, &releases.switch())
    }

    /// Shows the robot until that is ended, with its page at the same port here, or at another one
    /// if that is in use.
    fn attach(
        &self,
        deployment: &Deployment,
        page: Option<Page>,
        arguments: &DeployArguments,
    ) -> Result<ExitCode, CommandError> {
        let machine = machine(deployment, arguments);
        let facts = if arguments.dry_run { Facts::unknown() } else { machine.facts()? };
        let folder = facts.absolute(deployment.folder.as_deref().unwrap_or(&self.name)).display().to_string();
        let started = Started { robot: &self.name, folder: &folder, by_systemd: facts.has_systemd };
        let forward = page.map(|page| {
            let here = page::free_port(page.port);
            if here != page.port {
                tell(page.moved_to(here));
            }
            (here, page.port)
        });
        let step = machine.ssh_on_terminal(&started.top(), forward);
        if arguments.dry_run {
            return print(&format!("{step}\n"));
        }
        Ok(if step.show()? { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn machine(deployment: &Deployment, arguments: &DeployArguments) -> Machine {
    // Not every command runs in the current folder.
    let ssh_config =
        arguments.ssh_config.as_ref().map(|path| std::path::absolute(path).unwrap_or_else(|_| path.clone()));
    Machine { destination: deployment.destination.clone(), ssh_config }
}

/// A robot that is being deployed to a machine.
struct Deploying<'a> {
    robot: &'a Robot,
    deployment: &'a Deployment,
    machine: Machine,
    /// Set for a dry run: commands are shown and not run.
    is_dry: bool,
    /// Set if nothing may be printed before the answer.
    is_quiet: bool,
    done: &'a mut Done,
}

impl Deploying<'_> {
    /// Shows a command of a dry run.
    fn show(&mut self, step: &Step) -> Result<(), CommandError> {
        self.done.commands.push(step.to_string());
        if self.is_quiet { Ok(()) } else { print(&format!("{step}\n")).map(drop) }
    }

    /// Runs a command there, or shows it. Returns what it printed.
    fn run(&mut self, step: &Step, what: &str) -> Result<String, CommandError> {
        if self.is_dry {
            self.show(step)?;
            return Ok(String::new());
        }
        let ended = step.run()?;
        if ended.code != Some(0) {
            return Err(self.machine.failure(what, &ended));
        }
        // These are, for example, warnings of systemd about the unit.
        ended.said.lines().for_each(tell);
        Ok(ended.printed)
    }

    fn facts(&mut self) -> Result<Facts, CommandError> {
        if self.is_dry {
            if !self.is_quiet {
                print(&format!(
                    "# {}; PROCESSOR, HOME, USER and UID come from the output of this command:\n",
                    self.machine.destination
                ))?;
            }
            self.show(&self.machine.probe())?;
            return Ok(Facts::unknown());
        }
        self.machine.facts()
    }

    /// Builds the program, unless a built one was given. Returns its path here.
    fn program(&mut self, facts: &Facts) -> Result<PathBuf, CommandError> {
        let build = match &self.robot.source {
            Source::There(program) => return Ok(program.clone()),
            Source::Built(build) => build,
        };
        let target = self.deployment.target.clone().unwrap_or_else(|| facts.target());
        self.done.target = Some(target.clone());
        let step = build.step(&target);
        if self.is_dry {
            self.show(&step)?;
            return Ok(build.program(&target));
        }
        build.check(&target)?;
        tell(format_args!("building {} for {target}", build.name));
        if !step.show()? {
            let what = format!("{} cannot be built for {target}", build.name);
            let remedy =
                "see above; `cargo build` has to work, and libraries in C need a compiler for that target".into();
            return Err(CommandError::Deploy { what, said: String::new(), remedy });
        }
        Ok(build.program(&target))
    }

    /// Returns the files and folders that a release has, besides what exists only there.
    fn entries(&self) -> Vec<String> {
        let mut entries = vec![self.robot.name.clone()];
        let of_files = self.files().into_iter().filter_map(|file| Some(file.split('/').next()?.to_owned()));
        for entry in of_files {
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        entries
    }

    /// Returns what is copied besides the program, from the folder of robot.toml.
    fn files(&self) -> Vec<String> {
        let here = beside(&self.robot.robot_toml);
        let name = self.robot.robot_toml.file_name().map(|name| name.to_string_lossy().into_owned());
        let mut files: Vec<String> = name.into_iter().collect();
        let beside = ["overlays", "parameters"].map(str::to_owned);
        files.extend(beside.into_iter().filter(|folder| here.join(folder).is_dir()));
        let more = self.deployment.files.iter().map(|file| file.trim_end_matches('/').trim_start_matches("./"));
        files.extend(more.map(str::to_owned));
        files
    }

    /// Copies what has changed beside what is in force: the program, the configuration with its
    /// overlays and parameters, and the other files that the robot reads.
    fn copy(&mut self, program: &Path, releases: &Releases<'_>) -> Result<(), CommandError> {
        let next = releases.next();
        self.run(&self.machine.ssh(&releases.prepare()), "cannot create the folder")?;
        let program = self.machine.rsync(&["--chmod=u+x"], &[program.display().to_string()], &next);
        let mut changed = self.run(&program, "does not accept the program")?;
        let files = self.machine.rsync(&["--relative"], &self.files(), &next).within(beside(&self.robot.robot_toml));
        changed += &self.run(&files, "does not accept the robot's files")?;
        if !self.is_dry {
            let changed = changed.lines().filter(|line| !line.ends_with('/')).map(str::to_owned);
            self.done.copied = changed.collect();
            let copied = &self.done.copied;
            let what = if copied.is_empty() { "nothing new".to_owned() } else { copied.join(", ") };
            tell(format_args!("copied to {}:{}: {what}", self.machine.destination, releases.folder));
        }
        Ok(())
    }

    /// Checks there whether the robot can be configured. One that runs goes on until it can.
    fn check(&mut self, releases: &Releases<'_>) -> Result<(), CommandError> {
        let next = PathBuf::from(releases.next());
        let step = self.machine.ssh(&check(&self.robot.name, &next, &self.configuration(&next)));
        if self.is_dry {
            return self.show(&step);
        }
        let ended = step.run()?;
        match ended.code {
            Some(0) => Ok(()),
            Some(MISCONFIGURED) => {
                let what = format!(
                    "{} cannot be configured on {}: the files are there, but not in force; what runs goes on",
                    self.robot.name, self.machine.destination
                );
                let remedy = "mend robot.toml or its overlays here, and deploy again".to_owned();
                Err(CommandError::Deploy { what, said: ended.said, remedy })
            }
            _ => Err(self.machine.failure("cannot run the program", &ended)),
        }
    }

    /// Writes there how the release is started, and its unit.
    fn describe(&mut self, facts: &Facts, releases: &Releases<'_>) -> Result<(), CommandError> {
        let folder = Path::new(releases.folder);
        let unit = Unit { robot: &self.robot.name, folder, cores: &self.deployment.cores, facts };
        let write = self.machine.ssh(&releases.describe(&self.arguments(folder))).reading(unit.text());
        self.run(&write, "does not accept the unit").map(drop)
    }

    /// Puts a release in force and starts the robot. Returns its page.
    fn start(&mut self, facts: &Facts, releases: &Releases<'_>, switch: &str) -> Result<Option<Page>, CommandError> {
        let robot = &self.robot.name;
        let started = Started { robot, folder: releases.folder, by_systemd: facts.has_systemd };
        if facts.has_systemd {
            self.install(&started, switch, &facts.user)?;
        } else {
            let destination = &self.machine.destination;
            tell(format_args!("{destination} has no systemd: {robot} is started now, but not at boot"));
            let start = started.start(switch, &self.deployment.cores);
            self.run(&self.machine.ssh(&start), "cannot start the robot")?;
        }
        let wait = self.machine.ssh(&started.await_doors(&releases.settle()));
        let page = self.run(&wait, NOT_RUNNING)?;
        if self.is_dry {
            return Ok(Some(Page::usual()));
        }
        tell(format_args!("{robot} runs on {}", self.machine.destination));
        page.lines().for_each(tell);
        self.done.page = page.trim().strip_prefix("page: ").map(str::to_owned);
        Ok(Page::of(&page))
    }

    /// Installs the unit, on the terminal if there is one: `sudo` may ask for a password.
    fn install(&mut self, started: &Started<'_>, switch: &str, user: &str) -> Result<(), CommandError> {
        let script = started.install(switch, user);
        if self.is_dry || self.is_quiet || !io::stdin().is_terminal() {
            return self.run(&self.machine.ssh(&script), "does not install the unit").map(drop);
        }
        if self.machine.ssh_on_terminal(&script, None).show()? {
            return Ok(());
        }
        let what = format!("{} does not install the unit", self.machine.destination);
        let remedy = "see above; the user must be allowed to run `sudo` there".to_owned();
        Err(CommandError::Deploy { what, said: String::new(), remedy })
    }

    /// Returns the arguments with which the robot is started there.
    fn arguments(&self, folder: &Path) -> Vec<String> {
        // No traces are written there, because nobody removes them and they grow as long as the
        // robot runs.
        let mut arguments = ["run", "--headless", "--no-trace"].map(str::to_owned).to_vec();
        arguments.extend(self.configuration(folder));
        if self.deployment.is_host {
            arguments.extend(["--host".to_owned(), self.deployment.name.clone()]);
        }
        arguments
    }

    /// Returns the arguments that select the configuration there.
    fn configuration(&self, folder: &Path) -> Vec<String> {
        let name = self.robot.robot_toml.file_name().unwrap_or_default();
        let mut arguments = vec!["--config".to_owned(), folder.join(name).display().to_string()];
        arguments.extend(self.deployment.overlays.iter().flat_map(|overlay| ["--overlay".to_owned(), overlay.clone()]));
        arguments
    }
}

/// The exit code of a robot whose configuration is wrong.
const MISCONFIGURED: i32 = 2;

/// The failure of a robot that was started; its remedy is found by it.
const NOT_RUNNING: &str = "has started the robot, but not all of its processes there are running";

/// Returns the folder of a file.
fn beside(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
