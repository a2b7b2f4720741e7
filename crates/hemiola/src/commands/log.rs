//! `log`: what can be done with logs. All but `verify` and `extract-cycle` need no robot: any program with Hemiola in it reads any log.

mod cat;
mod conformance;
mod diff;
mod export;
mod extract;
mod import;
mod info;
mod merge;
mod plot;
pub mod progress;
mod recover;
mod selection;
mod verify;

use std::process::ExitCode;

use crate::application::Application;
use crate::command_line::log::{LogArguments, LogCommand};
use crate::error::CommandError;

pub fn log(application: &Application, arguments: &LogArguments) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        LogCommand::Info(arguments) => info::info(arguments),
        LogCommand::Cat(arguments) => cat::cat(arguments),
        LogCommand::Recover(arguments) => recover::recover(arguments),
        LogCommand::Filter(arguments) => recover::filter(arguments),
        LogCommand::Merge(arguments) => merge::merge(arguments),
        LogCommand::Diff(arguments) => diff::diff(arguments),
        LogCommand::Verify(arguments) => verify::verify(application, arguments),
        LogCommand::Export(arguments) => export::export(arguments),
        LogCommand::ExtractCycle(arguments) => extract::extract(application, arguments),
        LogCommand::Import(arguments) => import::import(arguments),
        LogCommand::Plot(arguments) => plot::plot(arguments),
        LogCommand::Conformance(arguments) => conformance::conformance(arguments),
    }
}

/// Something in the log is lost.
const LOSSY: u8 = 3;

/// Three digits and a unit: `12.3 MB`.
pub fn bytes(count: u64) -> String {
    let mut value = count as f64;
    let mut units = ["bytes", "kB", "MB", "GB", "TB"].into_iter();
    let mut unit = units.next().unwrap_or_default();
    for larger in units.take_while(|_| value >= 999.5 || unit == "bytes" && value >= 1000.0).collect::<Vec<_>>() {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    match (unit, value) {
        ("bytes", _) => format!("{count} bytes"),
        (_, ..9.995) => format!("{value:.2} {unit}"),
        (_, ..99.95) => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

/// `16,806`
fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 message`, `2 messages`
pub fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_counts_are_for_people() {
        let sizes = [0, 999, 1000, 12_345, 999_499, 999_500, 1_566_822, 20_000_000_000].map(bytes);
        let expected = ["0 bytes", "999 bytes", "1.00 kB", "12.3 kB", "999 kB", "1.00 MB", "1.57 MB", "20.0 GB"];
        assert_eq!(sizes, expected);
        assert_eq!([0, 999, 16_806, 1_234_567].map(grouped), ["0", "999", "16,806", "1,234,567"]);
        assert_eq!([counted(1, "topic"), counted(0, "topic")], ["1 topic", "0 topics"]);
    }
}
