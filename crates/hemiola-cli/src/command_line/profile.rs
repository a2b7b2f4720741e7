//! What can be typed after `profile`.

use clap::{Args, Subcommand};

use super::ConfigurationArguments;

#[derive(Args, Debug)]
pub struct ProfileArguments {
    #[command(subcommand)]
    pub command: ProfileCommand,
}

#[derive(Subcommand, Debug)]
pub enum ProfileCommand {
    /// Show of which robots it is, what took longest, and what this machine takes for itself
    #[command(after_help = "Examples:
  profile show                        the present robot first, then what was different before
  profile show --set cycle.motion.priority=70
                                      what is known of the robot with that
  profile show --json | jq '.profiles[0].cycles'

What was measured of another build, machine or configuration is an estimate for plans, and no observation of this robot.")]
    Show(ShowArguments),
    /// Remove it: the next run begins anew, and calibrates the machine again
    Reset(ResetArguments),
}

#[derive(Args, Debug)]
pub struct ShowArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// For machines: nanoseconds
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ResetArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
}
