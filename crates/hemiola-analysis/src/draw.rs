//! Schedules as pictures.

use std::fmt::Write;

use crate::Time;
use crate::simulation::{Schedule, Who};

const WIDTH: f64 = 1400.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 70.0;
const ROW: f64 = 52.0;
const BAR: f64 = 38.0;

/// A schedule as a self-contained SVG picture, from `from` to `to`: a row per core. `describe` says what something is called and
/// which of the colours it has; names and times appear under the pointer.
///
/// ```
/// use hemiola_analysis::{Time, draw, simulation::{Observer, Schedule, Who}};
/// let ms = Time::milliseconds;
/// let mut schedule = Schedule::default();
/// schedule.ran(0, Who::Callback(3), ms(1), ms(5));
/// let picture = draw::schedule_svg("One callback", &schedule, 1, ms(0), ms(10), |_| ("camera".into(), 0));
/// assert!(picture.contains("camera") && picture.contains("core 0"));
/// ```
pub fn schedule_svg(
    heading: &str,
    schedule: &Schedule,
    cores: usize,
    from: Time,
    to: Time,
    describe: impl Fn(Who) -> (String, usize),
) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = write(&mut text, heading, schedule, cores, (from, to), describe);
    text
}

fn write(
    text: &mut String,
    heading: &str,
    schedule: &Schedule,
    cores: usize,
    (from, to): (Time, Time),
    describe: impl Fn(Who) -> (String, usize),
) -> std::fmt::Result {
    let height = TOP + ROW * cores as f64 + 40.0;
    let span = (to - from).as_nanoseconds().max(1) as f64;
    let x = |time: Time| LEFT + (time.clamp(from, to) - from).as_nanoseconds() as f64 / span * (WIDTH - LEFT - 30.0);
    writeln!(
        text,
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" font-family="'Inter','Helvetica Neue',Helvetica,Arial,sans-serif" fill="#1b2430">
<title>{}</title>
<style>.s:hover rect{{stroke:#1b2430;stroke-width:2}}text{{pointer-events:none}}</style>
<rect width="{WIDTH}" height="{height}" fill="#fbfcfd"/>
<text x="24" y="40" font-size="20" font-weight="700">{}</text>"##,
        escape(heading),
        escape(heading)
    )?;
    let step = step(to - from);
    let ticks = (0..).map(|number| from + step * number).take_while(|&tick| tick <= to);
    for tick in ticks {
        let (x, bottom) = (x(tick), TOP + ROW * cores as f64);
        writeln!(text, r##"<path d="M{x:.1} {TOP}V{bottom:.1}" stroke="#dfe4e9"/>"##)?;
        let label = bottom + 20.0;
        writeln!(
            text,
            r##"<text x="{x:.1}" y="{label:.1}" font-size="12" fill="#66707d" text-anchor="middle">{tick}</text>"##
        )?;
    }
    for core in 0..cores {
        let middle = TOP + ROW * core as f64 + BAR / 2.0 + 5.0;
        writeln!(text, r##"<text x="24" y="{middle:.1}" font-size="13" font-weight="600">core {core}</text>"##)?;
    }
    for slice in schedule.slices.iter().filter(|slice| slice.end > from && slice.start < to && slice.core < cores) {
        let (name, colour) = describe(slice.who);
        let (left, y) = (x(slice.start), TOP + ROW * slice.core as f64);
        let width = (x(slice.end) - left).max(0.6);
        // Neighbours in number are far apart in hue (golden angle).
        let hue = (40.0 + colour as f64 * 137.507_764) % 360.0;
        let name = escape(&name);
        writeln!(
            text,
            r#"<g class="s"><title>{name}: {} from {} to {}</title><rect x="{left:.1}" y="{y:.1}" width="{width:.1}" height="{BAR}" rx="3" fill="hsl({hue:.0} 62% 78%)" stroke="hsl({hue:.0} 45% 45%)"/>"#,
            slice.end - slice.start,
            slice.start,
            slice.end
        )?;
        if width > 8.0 * name.chars().count() as f64 + 8.0 {
            let (x, y) = (left + width / 2.0, y + BAR / 2.0 + 4.0);
            writeln!(text, r#"<text x="{x:.1}" y="{y:.1}" font-size="12" text-anchor="middle">{name}</text>"#)?;
        }
        writeln!(text, "</g>")?;
    }
    writeln!(text, "</svg>")
}

/// A round distance of marks, of which there are 5 to 12.
fn step(span: Time) -> Time {
    let mut decade = 1;
    loop {
        for factor in [1, 2, 5] {
            let step = Time::nanoseconds(decade * factor);
            if step * 12 >= span {
                return step;
            }
        }
        decade *= 10;
    }
}

/// Text that is safe inside elements and attributes.
fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            character if character.is_control() => safe.push('\u{fffd}'),
            character => safe.push(character),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Observer;

    #[test]
    fn names_cannot_break_out_of_the_picture() {
        let mut schedule = Schedule::default();
        schedule.ran(0, Who::Callback(0), Time::ZERO, Time::milliseconds(1));
        let svg = schedule_svg("<b>", &schedule, 1, Time::ZERO, Time::milliseconds(2), |_| ("</svg>".into(), 1));
        assert!(!svg.contains("<b>") && svg.matches("</svg>").count() == 1);
    }

    #[test]
    fn marks_are_round_and_not_too_many() {
        for span in [1, 7, 80, 999, 12_345, 300_000_000] {
            let step = step(Time::nanoseconds(span));
            assert!(step * 12 >= Time::nanoseconds(span) && step.as_nanoseconds() <= span.max(1));
        }
    }
}
