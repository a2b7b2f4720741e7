//! The plot on a terminal, in dots of Braille.

use std::collections::VecDeque;

use hemiola_live::protocol::binary::Point;
use hemiola_words::number;
use ratatui::Frame as Canvas;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::symbols::Marker;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Axis, Chart, Dataset, GraphType};

/// The last seconds of some fields.
pub struct Plot {
    robot: String,
    fields: Vec<Field>,
    /// The length of time that is shown, in seconds.
    window: f64,
    /// The last time that is shown while the plot is paused.
    paused: Option<f64>,
}

struct Field {
    name: String,
    unit: String,
    points: VecDeque<Point>,
}

const COLOURS: [Color; 6] = [Color::Cyan, Color::Yellow, Color::Green, Color::Magenta, Color::Red, Color::Blue];
const QUIET: Style = Style::new().add_modifier(Modifier::DIM);
/// The minimum number of rows of each of several charts.
const LOWEST_CHART: usize = 6;
const WINDOW: f64 = 10.0;
const SHORTEST_WINDOW: f64 = 0.25;
const LONGEST_WINDOW: f64 = 120.0;
/// The number of points of a field that are kept: two minutes of a fast one.
const MOST_POINTS: usize = 100_000;

impl Plot {
    pub fn new(robot: &str, names: &[String], units: &[String]) -> Self {
        let fields = names.iter().zip(units).map(|(name, unit)| Field {
            name: name.clone(),
            unit: unit.clone(),
            points: VecDeque::new(),
        });
        Self { robot: robot.to_owned(), fields: fields.collect(), window: WINDOW, paused: None }
    }

    /// Adds points of a field. A point far before the last one comes from a clock that was set
    /// back: the field begins anew with it.
    pub fn add(&mut self, field: usize, points: &[Point]) {
        let Some(field) = self.fields.get_mut(field) else { return };
        for point in points {
            if field.points.back().is_some_and(|last| point.time < last.time - LONGEST_WINDOW) {
                field.points.clear();
            }
            if field.points.len() == MOST_POINTS {
                field.points.pop_front();
            }
            field.points.push_back(*point);
        }
    }

    /// Pauses or resumes the plot.
    pub fn pause(&mut self) {
        self.paused = if self.paused.is_some() { None } else { Some(self.newest()) };
    }

    /// Shows a span of time that is `factor` times as long.
    pub fn zoom(&mut self, factor: f64) {
        self.window = (self.window * factor).clamp(SHORTEST_WINDOW, LONGEST_WINDOW);
    }

    pub fn draw(&self, canvas: &mut Canvas<'_>) {
        let end = self.paused.unwrap_or_else(|| self.newest());
        let begin = end - self.window;
        let shown: Vec<Vec<(f64, f64)>> = self.fields.iter().map(|field| field.between(begin, end)).collect();
        let names = u16::try_from(self.fields.len()).unwrap_or(u16::MAX);
        let heights = [Constraint::Length(1), Constraint::Min(0), Constraint::Length(names), Constraint::Length(1)];
        let [head, chart, legend, foot] = Layout::vertical(heights).areas(canvas.area());
        let state = if self.paused.is_some() { "  paused" } else { "" };
        canvas.render_widget(
            Line::from(vec![
                Span::styled(format!(" {}", self.robot), Style::new().add_modifier(Modifier::BOLD)),
                Span::raw(format!("  {end:.1} s{state}")),
            ]),
            head,
        );
        let groups = self.groups(chart.height);
        let charts = Layout::vertical(groups.iter().map(|_| Constraint::Fill(1))).split(chart);
        for (group, area) in groups.iter().zip(charts.iter()) {
            canvas.render_widget(drawn(&shown, group, [begin, end]), *area);
        }
        for (index, (row, (field, points))) in legend.rows().zip(self.fields.iter().zip(&shown)).enumerate() {
            canvas.render_widget(field.legend(COLOURS[index % COLOURS.len()], points), row);
        }
        canvas.render_widget(Line::styled(" space: pause   + -: shorter, longer   q: leave", QUIET), foot);
    }

    /// Returns the fields of each chart: parts of the same value share one, as they are of similar
    /// size. If there is no room for more charts, all fields share one.
    fn groups(&self, height: u16) -> Vec<Vec<usize>> {
        let mut groups: Vec<(&str, Vec<usize>)> = Vec::new();
        for (index, field) in self.fields.iter().enumerate() {
            let owner = field.name.split(['.', '[']).next().unwrap_or_default();
            match groups.iter_mut().find(|(of, _)| *of == owner) {
                Some((_, fields)) => fields.push(index),
                None => groups.push((owner, vec![index])),
            }
        }
        match usize::from(height) / groups.len().max(1) {
            LOWEST_CHART.. => groups.into_iter().map(|(_, fields)| fields).collect(),
            _ => vec![(0..self.fields.len()).collect()],
        }
    }

    /// Returns the time of the last point.
    fn newest(&self) -> f64 {
        let last = self.fields.iter().filter_map(|field| field.points.back()).map(|point| point.time);
        last.fold(0.0, f64::max)
    }
}

impl Field {
    /// Returns the minimum and maximum of each point in that time.
    fn between(&self, begin: f64, end: f64) -> Vec<(f64, f64)> {
        let inside = self.points.iter().filter(|point| point.time >= begin && point.time <= end);
        inside.flat_map(|point| [(point.time, point.minimum), (point.time, point.maximum)]).collect()
    }

    /// Returns the line ` Ball.position.x  1.25 m   0.5 .. 1.5`.
    fn legend(&self, colour: Color, shown: &[(f64, f64)]) -> Line<'static> {
        let name = Span::styled(format!(" {}", self.name), Style::new().fg(colour));
        let Some((_, last)) = shown.last() else { return Line::from(vec![name, Span::styled("  nothing yet", QUIET)]) };
        let [least, most] = range(shown);
        Line::from(vec![
            name,
            Span::raw(format!("  {} {}", number(*last), self.unit)),
            Span::styled(format!("  {} .. {}", number(least), number(most)), QUIET),
        ])
    }
}

fn drawn<'s>(shown: &'s [Vec<(f64, f64)>], group: &[usize], [begin, end]: [f64; 2]) -> Chart<'s> {
    let fields = || group.iter().filter_map(|&index| Some((index, shown.get(index)?)));
    let [least, most] = match range(fields().flat_map(|(_, points)| points)) {
        [least, most] if least > most => [0.0, 1.0],
        // A constant value is drawn in the middle.
        [least, most] if least == most => [least - least.abs().max(1.0) * 0.5, most + most.abs().max(1.0) * 0.5],
        range => range,
    };
    let datasets = fields().map(|(index, points)| {
        let dataset = Dataset::default().marker(Marker::Braille).graph_type(GraphType::Line);
        dataset.style(COLOURS[index % COLOURS.len()]).data(points)
    });
    let values = [least, (least + most) / 2.0, most].map(|value| Span::styled(number(value), QUIET));
    let seconds = [begin, (begin + end) / 2.0, end].map(|time| Span::styled(format!("{time:.1} s"), QUIET));
    Chart::new(datasets.collect())
        .x_axis(Axis::default().bounds([begin, end]).labels(seconds))
        .y_axis(Axis::default().bounds([least, most]).labels(values))
}

/// Returns the smallest and the largest value; infinities in the wrong order if there is none.
fn range<'p>(points: impl IntoIterator<Item = &'p (f64, f64)>) -> [f64; 2] {
    let values = points.into_iter().map(|(_, value)| *value).filter(|value| value.is_finite());
    values.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], value| [least.min(value), most.max(value)])
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn shown(plot: &Plot, columns: u16, rows: u16) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
        terminal.draw(|canvas| plot.draw(canvas)).unwrap();
        let cells = terminal.backend().buffer().content().chunks(usize::from(columns.max(1)));
        cells.map(|row| row.iter().map(|cell| cell.symbol()).collect::<String>().trim_end().to_owned()).collect()
    }

    fn point(time: f64, value: f64) -> Point {
        Point { time, minimum: value, maximum: value }
    }

    #[test]
    fn a_ramp_rises_from_one_corner_to_the_other() {
        let mut plot = Plot::new("nao", &["Ball.x".to_owned(), "Ball.y".to_owned()], &["m".to_owned(), String::new()]);
        let ramp: Vec<_> = (0..=100).map(|step| point(f64::from(step) / 10.0, f64::from(step) / 100.0)).collect();
        plot.add(0, &ramp);
        plot.add(7, &ramp);
        let lines = shown(&plot, 60, 16);
        assert_eq!(lines[0], " nao  10.0 s");
        assert_eq!(lines[13..15], [" Ball.x  1 m  0 .. 1", " Ball.y  nothing yet"]);
        let dots = |line: &str| {
            let dots: Vec<_> =
                line.chars().enumerate().filter(|(_, dot)| ('\u{2801}'..='\u{28ff}').contains(dot)).collect();
            (dots.first().map(|dot| dot.0), dots.last().map(|dot| dot.0))
        };
        let (top, bottom) = (dots(&lines[1]), dots(&lines[10]));
        assert!(top.1 > Some(55) && bottom.0 < Some(12), "{lines:#?}");
        assert!(top.0 > bottom.1, "{lines:#?}");
    }

    #[test]
    fn a_plot_that_is_paused_stands_still() {
        let mut plot = Plot::new("nao", &["x".to_owned()], &[String::new()]);
        plot.add(0, &[point(1.0, 5.0)]);
        plot.pause();
        plot.add(0, &[point(2.0, 6.0)]);
        assert!(shown(&plot, 40, 8)[0].ends_with("1.0 s  paused"));
        plot.pause();
        assert!(shown(&plot, 40, 8)[0].ends_with("2.0 s"));
    }

    #[test]
    fn no_terminal_and_no_number_is_too_strange() {
        let mut plot = Plot::new("nao", &["x".to_owned()], &[String::new()]);
        for value in [f64::NAN, f64::INFINITY, -1e300, 0.0] {
            plot.add(0, &[point(1.0, value)]);
            for (columns, rows) in [(0, 0), (1, 1), (5, 3), (60, 10)] {
                shown(&plot, columns, rows);
            }
        }
    }
}
