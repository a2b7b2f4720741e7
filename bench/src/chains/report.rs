//! All experiments, one after another, as text and as a page.

use std::time::Duration;

use hemiola_words::svg::escape;

use super::ranges::Range;
use super::table::Row;
use super::{bounds, case_study, ranges, reference_system, reservations, schedulability, speed, two_chains};
use crate::error::BenchError;
use crate::machine::Machine;
use crate::report::page::{OWN_PICTURES, STYLE, picture};

/// The results of all experiments.
pub struct Report {
    machine: Machine,
    quick: bool,
    sections: Vec<Section>,
}

/// The results of one experiment.
struct Section {
    title: &'static str,
    text: String,
    /// Pictures, each an SVG document.
    pictures: Vec<String>,
}

/// Runs all experiments: for some five minutes, or some seconds if quick.
pub fn run(quick: bool) -> Result<Report, BenchError> {
    let seconds = |full: u64| Duration::from_secs(if quick { 1 } else { full });
    let machine = Machine::examine();
    println!("{machine}\n");
    let mut sections = Vec::new();
    let mut add = |title, text: String, pictures| {
        println!("{title}\n\n{text}");
        sections.push(Section { title, text, pictures });
    };
    let execution = case_study::executed(seconds(45))?;
    let ranges_of = |rows: &[Row]| rows.iter().map(Range::from).collect::<Vec<_>>();
    let schedulers: Vec<_> = execution.trials.iter().map(|trial| (trial.scheduler, ranges_of(&trial.rows))).collect();
    let mut pictures = vec![ranges::svg("The case study, executed", &schedulers)];
    pictures.extend(case_study::pictures());
    add("The PiCAS case study", format!("{}\n{}", case_study::published(), execution.text()), pictures);

    let trials = two_chains::run(seconds(15))?;
    let rows: Vec<_> = trials.iter().map(|trial| (trial.heading.as_str(), ranges_of(&trial.rows))).collect();
    add("Two chains", two_chains::text(&trials), vec![ranges::svg("Two chains on one core", &rows)]);

    add("Reservations", reservations::text(&reservations::run(seconds(10))?), Vec::new());

    let trials = reference_system::run(seconds(30))?;
    let title = "The Autoware reference system: hot-path latency and planner's period";
    let picture = ranges::svg(title, &reference_system::ranges(&trials));
    add("The Autoware reference system", reference_system::text(&trials), vec![picture]);

    let shares = schedulability::run(if quick { 10 } else { 1000 });
    add("Random chains", schedulability::table(&shares), vec![schedulability::picture(&shares)]);

    let checked = bounds::run(0..if quick { 50 } else { 5_000 })?;
    add("Bounds against simulation", checked.text(), vec![checked.picture()]);
    add("Speed of the simulator", speed::text(seconds(3)), Vec::new());
    Ok(Report { machine, quick, sections })
}

const QUICK: &str = "A quick run: it shows that everything works; its figures mean nothing.";

impl Report {
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.machine);
        if self.quick {
            text = format!("{text}\n{QUICK}\n");
        }
        for Section { title, text: body, .. } in &self.sections {
            text = format!("{text}\n{title}\n{}\n\n{body}", "-".repeat(title.chars().count()));
        }
        text
    }

    pub fn html(&self) -> String {
        let warning = if self.quick { format!("<p class=\"missed\">{QUICK}</p>") } else { String::new() };
        let section = |section: &Section| {
            let pictures: String = section.pictures.iter().map(|svg| picture(svg)).collect();
            format!("<h2>{}</h2>{pictures}<pre>{}</pre>", escape(section.title), escape(&section.text))
        };
        format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>Chains: bounds, simulated, executed</title>\
             <style>{STYLE} {OWN_PICTURES} pre {{ white-space: pre; overflow-x: auto; font-size: .78rem; color: var(--ink); }}\
             </style></head><body>\
             <h1>Chains: bounds, simulated, executed</h1>\
             <p class=\"lead\">How long chains of callbacks take from a timer to their last callback: what is sure, what a simulator \
             shows, and what this machine does, chain-aware and as ROS 2’s default executor.</p>{warning}{}\
             <h2>Where</h2><pre>{}</pre></body></html>\n",
            self.sections.iter().map(section).collect::<String>(),
            escape(&self.machine.to_string()),
        )
    }
}
