//! A page of its own with everything on it: the bars first, then plots, then the machine.

use hemiola_words::svg::escape;

use super::result::{Contest, Entry, Group, Placement, Report};
use super::workload::{Column, Limit, Workload};
use super::{Area, bars, terminal};
use crate::contest::discipline::Effort;
use crate::report::page::Page;
use crate::report::plot::{Axis, Plot, Row};

/// Returns the page.
pub fn html(area: &Area, report: &Report) -> String {
    let workloads = (area.workloads)(Effort::Full);
    let sections: String = (workloads.iter().filter(|workload| bars::is_measured(report, workload)))
        .map(|workload| section(report, workload))
        .collect();
    let notes: String = report.notices.iter().map(|notice| format!("<li>{}</li>", escape(notice))).collect();
    Page {
        title: area.title,
        lead: &format!(
            "{} Rounds in which everybody has a turn: {}. \
             With two cores, figures are only comparable if these are equally far from each other: siblings, near, far, remote.",
            area.lead, report.rounds
        ),
        quick: report.quick,
        bars: &bars::all(report, &workloads),
    }
    .html(&format!(
        "{sections}<h2>Machine</h2><pre>{}\n{}</pre><h2>Contestants</h2><pre>{}</pre><ul>{notes}</ul>",
        escape(&report.machine.to_string()),
        escape(&report.host.to_string()),
        escape(&terminal::contestants(report)),
    ))
}

fn section(report: &Report, workload: &Workload) -> String {
    let contests = report.contests.iter().filter(|contest| contest.workload == workload.name);
    let figures: String = contests
        .flat_map(|contest| plots(workload, contest))
        .map(|plot| format!("<figure>{}</figure>", plot.svg()))
        .collect();
    format!("<h2>{}</h2><p class=\"lead\">{}</p><main>{figures}</main>", workload.name, escape(workload.what))
}

/// Returns a plot for each figure that is worth a picture.
fn plots(workload: &Workload, contest: &Contest) -> Vec<Plot> {
    let columns = terminal::columns(workload, contest).into_iter();
    columns
        .filter(|column| workload.plotted.contains(&column.figure))
        .map(|column| plot(workload, contest, column))
        .collect()
}

fn plot(workload: &Workload, contest: &Contest, column: &Column) -> Plot {
    // Figures from while the cores were moved compare with nothing.
    let mut groups = terminal::rows(contest);
    groups.retain(|(_, group)| group.placement != Placement::Moved);
    let first = groups.first().map(|(_, group)| group.placement);
    let place = first.filter(|first| groups.iter().all(|(_, group)| group.placement == *first));
    let rows: Vec<Row> = groups.iter().filter_map(|(entry, group)| row(entry, group, column, place)).collect();
    let caption = match place {
        None | Some(Placement::Alone) => column.head.to_owned(),
        Some(place) => format!("{}; cores: {}", column.head, place.text()),
    };
    let goals = workload.goals.iter().filter(|goal| goal.figure == column.figure && goal.cases.contains(&contest.case));
    let bar = goals.filter_map(|goal| match goal.limit {
        Limit::AtMost(limit) | Limit::AtLeast(limit) => Some(limit),
        Limit::AtMostNearOrFar(..) | Limit::TimesLess { .. } | Limit::Within { .. } | Limit::BestPeer { .. } => None,
    });
    let bar = bar.min_by(f64::total_cmp);
    let smallest = rows.iter().map(|row| row.median).chain(bar).fold(f64::INFINITY, f64::min);
    Plot {
        title: contest.case.clone(),
        caption,
        axis: if smallest > 0.0 { Axis::Logarithmic } else { Axis::Linear },
        show: column.figure.show,
        bar,
        rows,
    }
}

/// Returns a row of a plot. `place` is where all rows were measured, if that is one place.
fn row(entry: &Entry, group: &Group, column: &Column, place: Option<Placement>) -> Option<Row> {
    let spread = group.figures.get(column.figure.key)?;
    let label = match place {
        Some(_) => entry.label.clone(),
        None => format!("{} ({})", entry.label, group.placement.text()),
    };
    Some(Row { label, side: entry.side, median: group.value(column.figure)?, tail: Some((spread.p99, spread.maximum)) })
}
