//! The experiments of chapter 6 of Larisch's thesis (2020), from whose framework this one descends:
//! the same questions, the same metrics.
//!
//! | file | what |
//! |---|---|
//! | `questions` | the questions, and the remarks on their answers |
//! | `cycle` | motion and cognition of the Nao Devils, with work that takes as long as the thesis says |
//! | `experiment` | runs them in one of several ways |
//! | `prediction` | the schedule simulator, for machines with more cores than this one |
//! | `simulator_error` | the error of the schedule simulator |
//! | `robot` | the NAO in simulation |
//! | `pictures` | the long task that a queue starts too late |
//! | `report` | tables, page |

mod cycle;
pub mod experiment;
mod pictures;
mod prediction;
mod questions;
mod report;
mod robot;
mod simulator_error;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::contest::host::Host;
use crate::error::{BenchError, write};
use crate::machine::Machine;
use crate::workload;
use cycle::Subject;
use questions::Inquiry;
use report::Report;

/// The options of the command.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench thesis --json thesis.json --html thesis.html
  hemiola-bench thesis --quick")]
pub struct Options {
    /// Runs everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// Writes all results for other programs.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a page with tables and schedules.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The time for which the cycles run in each way, then the robot.
const FULL: (Duration, Duration) = (Duration::from_secs(8), Duration::from_secs(15));
const QUICK: (Duration, Duration) = (Duration::from_millis(600), Duration::from_secs(2));
/// The workload with what the thesis observed of YoloUpper.
const YOLO_UPPER: &str = "nao-cognition";

/// Answers all questions. `bench` is this program, `folder` where files may be left.
pub fn run(options: &Options, bench: &Path, folder: &Path) -> Result<(), BenchError> {
    let machine = Machine::examine();
    println!("{machine}");
    let mut report = Report {
        machine,
        host: Host::default(),
        quick: options.quick,
        questions: Vec::new(),
        pictures: Vec::new(),
        notices: Vec::new(),
    };
    let (duration, robot_duration) = if options.quick { QUICK } else { FULL };
    match Subject::prepare()? {
        Some(subject) => ask(&subject, duration, &mut report)?,
        None => report.notices.push(
            "Left out: questions 1 to 7. data/graphs/naodevils-2024.json is neither in ../shared nor in HEMIOLA_SHARED."
                .to_owned(),
        ),
    }
    robot::ask(bench, folder, robot_duration, &mut report)?;
    if let Some(workload) = workload::all(&mut Vec::new())?.iter().find(|workload| workload.name == YOLO_UPPER) {
        let (pictures, question) = pictures::draw(workload)?;
        report.pictures.extend(pictures);
        report.questions.push(question);
    }
    print!("{}", report::text(&report));
    if let Some(path) = &options.json {
        let json =
            serde_json::to_string_pretty(&report).map_err(|error| BenchError::Report { path: path.clone(), error })?;
        write(path, &json)?;
    }
    options.html.as_ref().map_or(Ok(()), |path| write(path, &report::html(&report)))
}

fn ask(subject: &Subject, duration: Duration, report: &mut Report) -> Result<(), BenchError> {
    let mut inquiry = Inquiry { subject, duration, host: Host::default(), denials: Vec::new() };
    let questions = [
        Inquiry::reference,
        Inquiry::priority,
        Inquiry::workers,
        Inquiry::update_order,
        Inquiry::stress,
        Inquiry::pinning,
        Inquiry::comparison,
    ];
    for ask in questions {
        let question = ask(&mut inquiry)?;
        eprintln!("asked: {}", question.title);
        report.questions.push(question);
    }
    report.host = inquiry.host;
    report.notices.append(&mut inquiry.denials);
    Ok(())
}
