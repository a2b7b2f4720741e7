//! What can be typed after `deploy`.

use std::path::PathBuf;

use clap::Args;

/// What is typed, for people who read `help deploy`.
pub const EXAMPLES: &str = "Examples:
  deploy nao@10.0.0.2                 to any machine that `ssh` reaches
  deploy head                         as `[deploy.head]` or `[host.head]` of robot.toml say
  deploy                              to all machines of robot.toml
  deploy head --dry-run               every command that this would run
  deploy head --target aarch64-unknown-linux-gnu --overlay outdoor

It runs cargo, ssh and rsync. Passwords are asked for again and again: let a key in, by ssh-copy-id. More: docs/book/src/deploy.md.";

#[derive(Args, Debug)]
pub struct DeployArguments {
    /// Tables `[deploy.*]` or `[host.*]` of robot.toml, or machines as ssh takes them:
    /// nao@10.0.0.2; by default all that robot.toml names
    #[arg(value_name = "HOST")]
    pub machines: Vec<String>,
    /// The robot.toml; by default that of this crate
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Run the robot with this overlay there; repeatable
    #[arg(long = "overlay", value_name = "NAME")]
    pub overlays: Vec<String>,
    /// Log in as this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The folder there, absolute or from the user's home; by default the program's name
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<String>,
    /// What to build for, as rustc calls it; by default what the machine is, linked statically
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// Which program of a crate that has several
    #[arg(long, value_name = "NAME")]
    pub bin: Option<String>,
    /// Deploy this program instead of building one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "bin"])]
    pub program: Option<PathBuf>,
    /// Another file than ~/.ssh/config
    #[arg(long, value_name = "FILE")]
    pub ssh_config: Option<PathBuf>,
    /// Print every command, and run none
    #[arg(long)]
    pub dry_run: bool,
    /// Do not show the robot when it has started
    #[arg(long)]
    pub no_attach: bool,
}
