//! The arguments of commands that describe the command line to shells and `man`.

use clap::{Args, Subcommand};
use clap_complete::Shell;

use super::ResultArguments;

#[derive(Subcommand, Debug)]
pub enum DescribeCommand {
    /// Print a completion script for a shell
    #[command(after_help = "Examples, for the program `hemiola`:
  completions bash > ~/.local/share/bash-completion/completions/hemiola
  completions zsh > ~/.zfunc/_hemiola  where ~/.zfunc is in $fpath
  completions fish > ~/.config/fish/completions/hemiola.fish")]
    Completions(CompletionsArguments),
    /// Write a manual page for each command
    #[command(after_help = "Example:
  man ~/.local/share/man/man1         then `man hemiola` and `man hemiola-log-cat` show them

The folder is created if it is missing; existing pages of these names are replaced.")]
    Man(ManArguments),
}

#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL", value_enum)]
    pub shell: Shell,
}

#[derive(Args, Debug)]
pub struct ManArguments {
    #[command(flatten)]
    pub result: ResultArguments,
}
