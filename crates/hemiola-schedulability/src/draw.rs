//! Pictures of schedules.

use hemiola_analysis::TimeSpan;
use hemiola_words::svg::palette::{INK, MUTED, PAPER, category};
use hemiola_words::svg::{Page, escape, round_step, text_width};

use crate::simulation::{Schedule, Who};

const WIDTH: f64 = 1400.0;
const LEFT: f64 = 90.0;
const TOP: f64 = 70.0;
const ROW: f64 = 52.0;
const BAR: f64 = 38.0;

/// Draws a schedule as a self-contained SVG picture, from `from` to `to`: a row per core.
/// `describe` returns the name of a job and its colour; names and times appear under the pointer.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::{draw, simulation::{Observer, Schedule, Who}};
/// let ms = TimeSpan::milliseconds;
/// let mut schedule = Schedule::default();
/// schedule.ran(0, Who::Callback(3), ms(1), ms(5));
/// let picture = draw::schedule_svg("One callback", &schedule, 1, ms(0), ms(10), |_| ("camera".into(), 0));
/// assert!(picture.contains("camera") && picture.contains("core 0"));
/// ```
pub fn schedule_svg(
    heading: &str,
    schedule: &Schedule,
    cores: usize,
    from: TimeSpan,
    to: TimeSpan,
    describe: impl Fn(Who) -> (String, usize),
) -> String {
    let height = TOP + ROW * cores as f64 + 40.0;
    let span = (to - from).as_nanoseconds().max(1) as f64;
    let x =
        |time: TimeSpan| LEFT + (time.clamp(from, to) - from).as_nanoseconds() as f64 / span * (WIDTH - LEFT - 30.0);
    let mut page = Page::new(WIDTH, height);
    let heading = escape(heading);
    page.line(format_args!("<title>{heading}</title>"));
    page.line(format_args!("<style>.s:hover rect{{stroke:{INK};stroke-width:2}}text{{pointer-events:none}}</style>"));
    page.ground(0.0, PAPER);
    page.line(format_args!(r#"<text x="24" y="40" font-size="20" font-weight="700">{heading}</text>"#));
    let step = TimeSpan::nanoseconds(round_step((to - from).as_nanoseconds(), 12));
    let ticks = (0..).map(|number| from + step * number).take_while(|&tick| tick <= to);
    for tick in ticks {
        let (x, bottom) = (x(tick), TOP + ROW * cores as f64);
        page.line(format_args!(r##"<path d="M{x:.1} {TOP}V{bottom:.1}" stroke="#dfe4e9"/>"##));
        let label = bottom + 20.0;
        page.line(format_args!(
            r##"<text x="{x:.1}" y="{label:.1}" font-size="12" fill="{MUTED}" text-anchor="middle">{tick}</text>"##
        ));
    }
    for core in 0..cores {
        let middle = TOP + ROW * core as f64 + BAR / 2.0 + 5.0;
        page.line(format_args!(
            r##"<text x="24" y="{middle:.1}" font-size="13" font-weight="600">core {core}</text>"##
        ));
    }
    for slice in schedule.slices.iter().filter(|slice| slice.end > from && slice.start < to && slice.core < cores) {
        let (name, colour) = describe(slice.who);
        let (left, y) = (x(slice.start), TOP + ROW * slice.core as f64);
        let width = (x(slice.end) - left).max(0.6);
        let (fill, border) = category(colour);
        let label = escape(&name);
        page.line(format_args!(
            r#"<g class="s"><title>{label}: {} from {} to {}</title><rect x="{left:.1}" y="{y:.1}" width="{width:.1}" height="{BAR}" rx="3" fill="{fill}" stroke="{border}"/>"#,
            slice.end - slice.start,
            slice.start,
            slice.end
        ));
        if text_width(&name, 12.0) + 8.0 < width {
            let (x, y) = (left + width / 2.0, y + BAR / 2.0 + 4.0);
            page.line(format_args!(
                r#"<text x="{x:.1}" y="{y:.1}" font-size="12" text-anchor="middle">{label}</text>"#
            ));
        }
        page.line("</g>");
    }
    page.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulation::Observer;

    #[test]
    fn names_cannot_break_out_of_the_picture() {
        let mut schedule = Schedule::default();
        schedule.ran(0, Who::Callback(0), TimeSpan::ZERO, TimeSpan::milliseconds(1));
        let svg =
            schedule_svg("<b>", &schedule, 1, TimeSpan::ZERO, TimeSpan::milliseconds(2), |_| ("</svg>".into(), 1));
        assert!(!svg.contains("<b>") && svg.matches("</svg>").count() == 1);
    }
}
