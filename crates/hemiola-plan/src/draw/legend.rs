//! The legend of a drawn task graph.

use std::collections::BTreeMap;

use hemiola_words::duration;
use hemiola_words::svg::palette::{self, CRITICAL, MUTED, RULE};
use hemiola_words::svg::{Page, escape, text_width};

use super::{Colour, MARGIN};
use crate::durations::Durations;
use crate::graph::TaskGraph;
use crate::task::TaskId;

/// The meaning of colours and lines.
pub(super) struct Legend {
    colour: Colour,
    /// The modules, numbered in the order of their first task.
    modules: BTreeMap<String, usize>,
    longest: Option<String>,
    has_outputs: bool,
    has_order: bool,
}

impl Legend {
    pub(super) fn new(colour: Colour, durations: &Durations, graph: &TaskGraph) -> Self {
        let mut modules = BTreeMap::new();
        for module in graph.tasks().iter().filter_map(|task| task.module.as_ref()) {
            let number = modules.len();
            modules.entry(module.clone()).or_insert(number);
        }
        let longest =
            (0..graph.tasks().len()).filter_map(|task| durations.get(TaskId(task as u32)).mean()).max().map(duration);
        Self {
            colour,
            modules,
            longest,
            has_outputs: graph.tasks().iter().any(|task| task.is_output),
            has_order: !graph.module_order().is_empty(),
        }
    }

    pub(super) fn category(&self, graph: &TaskGraph, task: TaskId) -> (String, String) {
        let module = graph.task(task).module.as_ref().and_then(|module| self.modules.get(module));
        module.map_or_else(palette::neutral, |&number| palette::category(number))
    }

    fn entries(&self) -> Vec<(Swatch, String)> {
        let mut entries = vec![(Swatch::Line(CRITICAL, 2.6, ""), "critical path".to_string())];
        entries.push((Swatch::Line(RULE, 1.6, ""), "provides what the other reads".into()));
        if self.has_order {
            entries.push((Swatch::Line(RULE, 1.6, "5 3"), "same module, one after the other".into()));
        }
        match (self.colour, &self.longest) {
            (Colour::Share, Some(longest)) => entries.push((Swatch::Heat, format!("a task takes 0 to {longest}"))),
            (Colour::Module, _) if !self.modules.is_empty() => {
                entries.push((Swatch::Modules, "one colour per module".into()))
            }
            _ => {}
        }
        if self.has_outputs {
            entries.push((Swatch::Pill, "output: publishes or acts".into()));
        }
        entries
    }

    pub(super) fn width(&self) -> f64 {
        self.entries().iter().map(|(swatch, text)| swatch.width() + text_width(text, 12.0) + 36.0).sum()
    }

    pub(super) fn draw(&self, page: &mut Page) {
        let mut x = MARGIN;
        let y = 96.0;
        for (swatch, text) in self.entries() {
            match swatch {
                Swatch::Line(colour, width, dashes) => page.line(format_args!(
                    r#"<path d="M{x} {y}h26" stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dashes}"/>"#
                )),
                Swatch::Heat => (0..10).for_each(|step| {
                    let (fill, _) = palette::heat(f64::from(step) / 9.0);
                    page.line(format_args!(
                        r#"<rect x="{}" y="{}" width="8" height="12" fill="{fill}"/>"#,
                        x + f64::from(step) * 8.0,
                        y - 6.0
                    ));
                }),
                Swatch::Modules => (0..4).for_each(|number| {
                    let (fill, border) = palette::category(number);
                    page.line(format_args!(
                        r#"<rect x="{}" y="{}" width="14" height="12" rx="3" fill="{fill}" stroke="{border}"/>"#,
                        x + number as f64 * 17.0,
                        y - 6.0
                    ));
                }),
                Swatch::Pill => {
                    let (fill, border) = palette::neutral();
                    page.line(format_args!(
                        r#"<rect x="{x}" y="{}" width="26" height="12" rx="6" fill="{fill}" stroke="{border}"/>"#,
                        y - 6.0
                    ));
                }
            }
            page.line(format_args!(
                r#"<text x="{:.1}" y="{}" font-size="12" fill="{MUTED}">{}</text>"#,
                x + swatch.width() + 8.0,
                y + 4.0,
                escape(&text)
            ));
            x += swatch.width() + text_width(&text, 12.0) + 36.0;
        }
    }
}

/// The sample of a legend entry.
#[derive(Clone, Copy)]
enum Swatch {
    /// A line of a colour, width and dashes.
    Line(&'static str, f64, &'static str),
    Heat,
    Modules,
    Pill,
}

impl Swatch {
    fn width(self) -> f64 {
        match self {
            Swatch::Line(..) | Swatch::Pill => 26.0,
            Swatch::Heat => 80.0,
            Swatch::Modules => 65.0,
        }
    }
}
