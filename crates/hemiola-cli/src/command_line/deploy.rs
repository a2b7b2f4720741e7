//! The arguments of `deploy`.

use std::path::PathBuf;

use clap::Args;

/// The examples of `help deploy`.
pub const EXAMPLES: &str = "Examples:
  deploy nao@10.0.0.2                 to any machine that `ssh` can reach
  deploy head                         to the machine of `[deploy.head]` or `[host.head]` in robot.toml
  deploy                              to all machines of robot.toml
  deploy head --back                  start the release before the present one again
  deploy head --dry-run               print every command that this would run
  deploy --json | jq '.machines[] | [.machine, .page]'
  deploy head --target aarch64-unknown-linux-gnu --overlay outdoor

It runs cargo, ssh and rsync. Every step asks for a password unless a key is installed, for example with ssh-copy-id. More: docs/book/src/deploy.md.";

#[derive(Args, Debug)]
pub struct DeployArguments {
    /// Tables `[deploy.*]` or `[host.*]` of robot.toml, or destinations of ssh: nao@10.0.0.2; by
    /// default all that robot.toml names
    #[arg(value_name = "HOST")]
    pub machines: Vec<String>,
    /// The robot.toml; default: the one of this crate
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Run the robot with this overlay there; repeatable
    #[arg(long = "overlay", value_name = "NAME")]
    pub overlays: Vec<String>,
    /// Log in as this user
    #[arg(long, value_name = "NAME")]
    pub user: Option<String>,
    /// The folder there, absolute or relative to the user's home; default: the program's name
    #[arg(long, value_name = "FOLDER")]
    pub folder: Option<String>,
    /// The target to build for, as rustc names it; default: that of the machine, linked statically
    #[arg(long, value_name = "TARGET")]
    pub target: Option<String>,
    /// The program to deploy, if the crate has several
    #[arg(long, value_name = "NAME")]
    pub bin: Option<String>,
    /// Deploy this program instead of building one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["target", "bin"])]
    pub program: Option<PathBuf>,
    /// Copy nothing, and start the last release that has run before the present one
    #[arg(long, conflicts_with = "target")]
    pub back: bool,
    /// A file to use instead of ~/.ssh/config
    #[arg(long, value_name = "FILE")]
    pub ssh_config: Option<PathBuf>,
    /// Print every command without running it
    #[arg(long)]
    pub dry_run: bool,
    /// Do not show the robot after it has started
    #[arg(long)]
    pub no_attach: bool,
    /// Print JSON when all machines are done, and do not show the robot
    #[arg(long)]
    pub json: bool,
}
