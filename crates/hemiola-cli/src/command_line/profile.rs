//! The arguments of `profile`.

use clap::{Args, Subcommand};

use super::ConfigurationArguments;

#[derive(Args, Debug)]
pub struct ProfileArguments {
    #[command(subcommand)]
    pub command: ProfileCommand,
}

#[derive(Subcommand, Debug)]
pub enum ProfileCommand {
    /// Show the robots that were measured, what took longest, and the overheads of this machine
    #[command(after_help = "Examples:
  profile show                        the current robot first, then earlier ones
  profile show --set cycle.motion.priority=70
                                      what is known about the robot with this setting
  profile show --json | jq '.profiles[0].cycles'

Measurements of another build, machine or configuration are estimates for plans, not observations of this robot.")]
    Show(ShowArguments),
    /// Delete the profile: the next run starts a new one, and calibrates the machine again
    Reset(ResetArguments),
}

#[derive(Args, Debug)]
pub struct ShowArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Print JSON, with times in nanoseconds
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ResetArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
}
