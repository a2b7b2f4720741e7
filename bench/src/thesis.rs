//! The experiments of chapter 6 of Larisch's thesis (2020), from whose framework this one descends:
//! the same questions, the same metrics.
//!
//! | file | what |
//! |---|---|
//! | `questions` | the questions that are asked with the cycles of the robot, and what follows from the answers |
//! | `inquiry` | what they need: it runs and predicts cycles |
//! | `subject` | motion and cognition of the Nao Devils, with work that takes as long as the thesis says |
//! | `cycle` | a cycle, and how long each of its tasks takes here |
//! | `experiment` | runs cycles in one of several ways |
//! | `prediction`, `preemption` | the schedule simulator, also for machines with more cores than this one; motion preempting cognition |
//! | `simulator_error` | the error of the schedule simulator |
//! | `robot`, `log_data` | the NAO in simulation; the same on its own log |
//! | `pictures` | the long task that a queue starts too late |
//! | `passes` | every metric over several passes |
//! | `report`, `text`, `page`, `series` | the results, their tables and plots |

mod cycle;
pub mod experiment;
mod inquiry;
mod log_data;
mod page;
mod passes;
mod pictures;
mod prediction;
mod preemption;
mod questions;
mod report;
mod robot;
mod series;
mod simulator_error;
mod subject;
mod text;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::contest::host::Host;
use crate::error::{BenchError, write};
use crate::machine::Machine;
use crate::workload;
use inquiry::Inquiry;
use report::{Question, Report};
use robot::Robot;
use subject::Subject;

/// The options of the command.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench thesis --json thesis.json --html thesis.html
  hemiola-bench thesis --passes 3
  hemiola-bench thesis --quick")]
pub struct Options {
    /// Runs everything briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// The number of passes, in each of which every way has a turn; default: 10, quickly 1
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100))]
    passes: Option<u32>,
    /// Writes all results for other programs.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a page with tables, plots and schedules.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

/// The extent of a run.
struct Effort {
    passes: usize,
    /// The time for which the cycles run in each way.
    cycles: Duration,
    /// The time for which the robot runs in each way.
    robot: Duration,
}

impl Options {
    fn effort(&self) -> Effort {
        let (passes, cycles, robot) = match self.quick {
            true => (1, Duration::from_millis(600), Duration::from_secs(1)),
            false => (10, Duration::from_millis(1200), Duration::from_secs(2)),
        };
        Effort { passes: self.passes.map_or(passes, |passes| passes as usize), cycles, robot }
    }
}

/// The workload with what the thesis observed of YoloUpper.
const YOLO_UPPER: &str = "nao-cognition";

/// Answers all questions. `bench` is this program, `folder` where files may be left.
pub fn run(options: &Options, bench: &Path, folder: &Path) -> Result<(), BenchError> {
    let effort = options.effort();
    let machine = Machine::examine();
    println!("{machine}");
    let mut report = Report {
        machine,
        host: Host::default(),
        passes: effort.passes,
        quick: options.quick,
        questions: Vec::new(),
        pictures: Vec::new(),
        notices: Vec::new(),
    };
    ask(&effort, bench, folder, &mut report)?;
    if let Some(workload) = workload::all(&mut Vec::new())?.iter().find(|workload| workload.name == YOLO_UPPER) {
        let (pictures, question) = pictures::draw(workload)?;
        report.pictures.extend(pictures);
        report.questions.push(question);
    }
    print!("{}", text::text(&report));
    if let Some(path) = &options.json {
        let json =
            serde_json::to_string_pretty(&report).map_err(|error| BenchError::Report { path: path.clone(), error })?;
        write(path, &json)?;
    }
    options.html.as_ref().map_or(Ok(()), |path| write(path, &page::html(&report)))
}

/// Runs all ways of all questions once per pass.
fn ask(effort: &Effort, bench: &Path, folder: &Path, report: &mut Report) -> Result<(), BenchError> {
    let mut inquiry = match Subject::prepare(bench)? {
        Ok(subject) => Some(Inquiry::new(subject, effort.cycles)),
        Err(problem) => {
            report.notices.push(format!("Left out: questions 1 to 8. {problem}"));
            None
        }
    };
    report.notices.extend(inquiry.iter().filter_map(|inquiry| inquiry.subject.substitute.clone()));
    let robot = match Robot::prepare(bench, folder)? {
        Ok(robot) => Some(robot),
        Err(problem) => {
            report.notices.push(format!("Left out: the NAO in simulation. {problem}"));
            None
        }
    };
    let mut inquired = questions::ALL.map(|inquired| (Question::new(inquired.title), inquired));
    let mut of_robot = [robot::TITLE, log_data::TITLE].map(Question::new);
    for pass in 1..=effort.passes {
        if let Some(inquiry) = &mut inquiry {
            inquiry.begin_pass()?;
            for (question, inquired) in &mut inquired {
                (inquired.measure)(inquiry, question)?;
            }
        }
        if let Some(robot) = &robot {
            let [ways, log] = &mut of_robot;
            robot.pass(effort.robot, ways, &mut report.pictures, &mut report.notices)?;
            log_data::pass(robot, effort.robot, log, &mut report.notices)?;
        }
        eprintln!("pass {pass} of {} is over", effort.passes);
    }
    if let Some(inquiry) = inquiry {
        for (mut question, inquired) in inquired {
            (inquired.conclude)(&inquiry.subject, &mut question);
            report.questions.push(question);
        }
        report.host = inquiry.host;
        report.notices.extend(inquiry.denials);
    }
    if robot.is_some() {
        log_data::conclude(&mut of_robot[1]);
        report.questions.extend(of_robot);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_run_has_ten_passes_and_a_quick_one_has_one() {
        let options = |quick, passes| Options { quick, passes, json: None, html: None };
        assert_eq!(options(false, None).effort().passes, 10);
        assert_eq!(options(true, None).effort().passes, 1);
        assert_eq!(options(true, Some(3)).effort().passes, 3);
    }
}
