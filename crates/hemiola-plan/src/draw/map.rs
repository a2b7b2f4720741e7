//! A map of a whole robot: its cycles, sources, topics and services, in the processes in which they
//! run, and the values, messages and calls between them.

use std::collections::BTreeMap;
use std::fmt::Write;

use hemiola_words::counted;
use hemiola_words::svg::palette::{self, INK, MUTED, RULE};
use hemiola_words::svg::{Page, bold_width, escape, text_width};

use super::layout::{Flow, Layout, Request, layout};
use super::{MARGIN, graph_text::quote, page};

/// A map of a whole robot.
///
/// ```
/// use hemiola_plan::draw::{Map, Place, PlaceKind, Way, map_dot, map_svg};
///
/// let place = |kind, name: &str, process: &str| Place { kind, name: name.into(), process: Some(process.into()) };
/// let map = Map {
///     name: "rover".into(),
///     places: vec![place(PlaceKind::Source, "Camera", "vision"), place(PlaceKind::Cycle, "driving", "main")],
///     ways: vec![Way { from: 0, to: 1, carries: vec!["Image".into()] }],
/// };
/// assert!(map_dot(&map).contains("subgraph \"cluster_vision\""));
/// assert!(map_svg(&map).contains("process vision"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Map {
    /// The name of the robot.
    pub name: String,
    /// The parts of the robot.
    pub places: Vec<Place>,
    /// The ways between the places.
    pub ways: Vec<Way>,
}

/// A cycle, source, topic or service of a [`Map`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The kind of the place.
    pub kind: PlaceKind,
    /// The name of the place.
    pub name: String,
    /// The process that has it; `None` if the robot is a single one.
    pub process: Option<String>,
}

/// The kinds of places of a [`Map`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceKind {
    /// A cycle.
    Cycle,
    /// A source.
    Source,
    /// A topic.
    Topic,
    /// A service.
    Service,
}

/// Values, messages or calls from one place of a [`Map`] to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Way {
    /// The index of the place where it is provided.
    pub from: usize,
    /// The index of the place where it is used.
    pub to: usize,
    /// The names of representations; none for messages of topics and calls of services.
    pub carries: Vec<String>,
}

const HEIGHT: f64 = 34.0;
const GAPS: (f64, f64, f64) = (70.0, 14.0, 9.0);
/// The room around the places of a process, and above them for its name.
const FRAME: f64 = 26.0;
/// The room between processes, through which links go.
const BETWEEN: f64 = 64.0;
/// The height at which the picture begins, below heading and facts.
const TOP: f64 = 84.0;

/// Writes a map in the DOT language of Graphviz: processes are clusters.
///
/// See [`Map`].
pub fn map_dot(map: &Map) -> String {
    let mut text = format!(
        "digraph {} {{\n  rankdir=LR\n  compound=true\n  node [fontname=Helvetica]\n  edge [fontname=Helvetica, fontsize=9]\n",
        quote(&map.name)
    );
    for (process, places) in map.by_process() {
        let indent = if process.is_empty() { "  " } else { "    " };
        if !process.is_empty() {
            let (cluster, label) = (quote(&format!("cluster_{process}")), quote(&format!("process {process}")));
            let _ = writeln!(text, "  subgraph {cluster} {{\n    label={label}");
        }
        for place in places {
            let shape = match map.places[place].kind {
                PlaceKind::Cycle => "shape=box, style=rounded",
                PlaceKind::Source => "shape=box",
                PlaceKind::Topic => "shape=ellipse",
                PlaceKind::Service => "shape=ellipse, style=dashed",
            };
            let _ = writeln!(text, "{indent}n{place} [label={}, {shape}]", quote(&map.places[place].name));
        }
        if !process.is_empty() {
            text += "  }\n";
        }
    }
    for way in &map.ways {
        let style = if map.is_between_processes(way) { ", style=dashed" } else { "" };
        let _ = writeln!(text, "  n{} -> n{} [label={}{style}]", way.from, way.to, quote(&way.carries.join("\n")));
    }
    text + "}\n"
}

/// Draws a map as SVG: processes below each other, and in each process every place to the left of
/// the places that it feeds. Ways from process to process, or back, are dashed. The names of
/// everything that a way carries appear under the pointer.
///
/// See [`Map`].
pub fn map_svg(map: &Map) -> String {
    let clusters: Vec<Cluster> =
        map.by_process().into_iter().map(|(name, places)| Cluster::new(map, name, places)).collect();
    let crossing = map.ways.iter().filter(|way| map.is_between_processes(way)).count();
    let count = |kind| map.places.iter().filter(|place| place.kind == kind).count() as u64;
    let mut facts =
        format!("{} · {}", counted(count(PlaceKind::Cycle), "cycle"), counted(count(PlaceKind::Source), "source"));
    if clusters.len() > 1 {
        let _ = write!(facts, " · {} processes, {} between them", clusters.len(), counted(crossing as u64, "way"));
    }
    let width = clusters.iter().map(Cluster::width).fold(text_width(&facts, 14.0), f64::max) + 2.0 * MARGIN;
    let mut corners = vec![(0.0, 0.0); map.places.len()];
    let mut y = TOP;
    let mut tops = Vec::new();
    for cluster in &clusters {
        tops.push(y);
        let left = (width - cluster.layout.width) / 2.0;
        for (place, (x, down)) in cluster.places.iter().zip(&cluster.layout.nodes) {
            corners[*place] = (left + x, y + FRAME + down);
        }
        y += cluster.height() + BETWEEN;
    }
    let mut page = page(width, y - BETWEEN + MARGIN, &map.name, &facts);
    for (cluster, top) in clusters.iter().zip(&tops) {
        cluster.draw_frame(&mut page, (width - cluster.width()) / 2.0, *top);
    }
    for way in &map.ways {
        draw_way(&mut page, map, way, &corners);
    }
    for (place, corner) in map.places.iter().zip(&corners) {
        place.draw(&mut page, *corner);
    }
    page.finish()
}

impl Map {
    /// Returns the places of each process, in the order of their first places.
    fn by_process(&self) -> Vec<(String, Vec<usize>)> {
        let mut found: Vec<(String, Vec<usize>)> = Vec::new();
        for (index, place) in self.places.iter().enumerate() {
            let process = place.process.clone().unwrap_or_default();
            match found.iter_mut().find(|(name, _)| *name == process) {
                Some((_, places)) => places.push(index),
                None => found.push((process, vec![index])),
            }
        }
        found
    }

    fn is_between_processes(&self, way: &Way) -> bool {
        self.places[way.from].process != self.places[way.to].process
    }
}

impl Place {
    fn width(&self) -> f64 {
        bold_width(&self.name, 13.0).max(text_width(self.kind.name(), 9.5)) + 24.0
    }

    fn draw(&self, page: &mut Page, (x, y): (f64, f64)) {
        let (fill, border) = match self.kind {
            PlaceKind::Cycle => palette::category(0),
            PlaceKind::Source => palette::category(3),
            PlaceKind::Topic | PlaceKind::Service => palette::neutral(),
        };
        let radius = match self.kind {
            PlaceKind::Cycle => 6.0,
            PlaceKind::Source => 1.0,
            PlaceKind::Topic | PlaceKind::Service => HEIGHT / 2.0,
        };
        page.line(format_args!(
            r#"<g class="t" transform="translate({x:.1} {y:.1})"><rect width="{:.1}" height="{HEIGHT}" rx="{radius}" fill="{fill}" stroke="{border}"/><text x="12" y="12.5" font-size="9.5" fill="{MUTED}">{}</text><text x="12" y="{}" font-size="13" font-weight="600">{}</text></g>"#,
            self.width(),
            self.kind.name(),
            HEIGHT - 8.5,
            escape(&self.name),
        ));
    }
}

impl PlaceKind {
    fn name(self) -> &'static str {
        match self {
            Self::Cycle => "cycle",
            Self::Source => "source",
            Self::Topic => "topic",
            Self::Service => "service",
        }
    }
}

/// The places of one process, with their layout.
struct Cluster {
    name: String,
    places: Vec<usize>,
    layout: Layout,
}

impl Cluster {
    fn new(map: &Map, name: String, places: Vec<usize>) -> Self {
        let numbers: BTreeMap<usize, usize> =
            places.iter().enumerate().map(|(number, place)| (*place, number)).collect();
        let inside = map.ways.iter().filter_map(|way| Some((*numbers.get(&way.from)?, *numbers.get(&way.to)?)));
        let (order, edges) = without_circles(places.len(), &inside.collect::<Vec<_>>());
        let sizes: Vec<_> = places.iter().map(|place| (map.places[*place].width(), HEIGHT)).collect();
        let edges: Vec<_> = edges.into_iter().map(|(from, to)| (from, to, 1.0)).collect();
        let layout = layout(&Request { sizes: &sizes, edges: &edges, order: &order, gaps: GAPS }, Flow::Right);
        Self { name, places, layout }
    }

    fn width(&self) -> f64 {
        self.layout.width.max(bold_width(&self.name, 12.0) + 60.0) + 2.0 * FRAME
    }

    fn height(&self) -> f64 {
        self.layout.height + 2.0 * FRAME
    }

    fn draw_frame(&self, page: &mut Page, x: f64, y: f64) {
        if self.name.is_empty() {
            return;
        }
        let (width, height) = (self.width(), self.height());
        page.line(format_args!(
            r##"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{height:.1}" rx="9" fill="#ffffff" stroke="{RULE}"/><text x="{:.1}" y="{:.1}" font-size="12" font-weight="600" fill="{MUTED}">process {}</text>"##,
            x + 10.0,
            y + 17.0,
            escape(&self.name)
        ));
    }
}

/// Returns the nodes in an order in which all returned edges lead forward: of each circle, one edge
/// is left out.
fn without_circles(nodes: usize, edges: &[(usize, usize)]) -> (Vec<usize>, Vec<(usize, usize)>) {
    fn visit(
        node: usize,
        edges: &[(usize, usize)],
        state: &mut [u8],
        order: &mut Vec<usize>,
        kept: &mut Vec<(usize, usize)>,
    ) {
        state[node] = 1;
        for &(from, to) in edges.iter().filter(|(from, to)| *from == node && to != from) {
            if state[to] == 0 {
                visit(to, edges, state, order, kept);
            }
            // One that is still open leads back to this node.
            if state[to] == 2 {
                kept.push((from, to));
            }
        }
        state[node] = 2;
        order.push(node);
    }
    let (mut state, mut order, mut kept) = (vec![0; nodes], Vec::new(), Vec::new());
    let is_fed = |node: &usize| edges.iter().any(|(from, to)| to == node && from != to);
    let (fed, first): (Vec<usize>, Vec<usize>) = (0..nodes).partition(is_fed);
    for root in first.into_iter().chain(fed) {
        if state[root] == 0 {
            visit(root, edges, &mut state, &mut order, &mut kept);
        }
    }
    order.reverse();
    (order, kept)
}

/// Draws a way from one place to another: to the right, or from process to process.
fn draw_way(page: &mut Page, map: &Map, way: &Way, corners: &[(f64, f64)]) {
    let ((from_x, from_y), (to_x, to_y)) = (corners[way.from], corners[way.to]);
    let (from_width, to_width) = (map.places[way.from].width(), map.places[way.to].width());
    let is_forward = !map.is_between_processes(way) && from_x + from_width < to_x;
    let (path, (x, y), turn, label) = if is_forward {
        let (start, end) = ((from_x + from_width, from_y + HEIGHT / 2.0), (to_x, to_y + HEIGHT / 2.0));
        let middle = (start.0 + end.0) / 2.0;
        let path = format!(
            "M{:.1} {:.1}C{middle:.1} {:.1} {middle:.1} {:.1} {:.1} {:.1}",
            start.0, start.1, start.1, end.1, end.0, end.1
        );
        (path, end, 0, (middle, (start.1 + end.1) / 2.0))
    } else {
        // A way down ends above its place, one up or back below it.
        let is_down = from_y < to_y;
        let start = (from_x + from_width * 0.6, if is_down { from_y + HEIGHT } else { from_y });
        let (start, end) = match from_y == to_y {
            true => ((start.0, from_y + HEIGHT), (to_x + to_width * 0.4, to_y + HEIGHT)),
            false => (start, (to_x + to_width * 0.4, if is_down { to_y } else { to_y + HEIGHT })),
        };
        let bend = ((end.1 - start.1) / 2.0).abs().max(24.0);
        let (leaves, enters) =
            if is_down || from_y == to_y { (bend, if is_down { -bend } else { bend }) } else { (-bend, bend) };
        let path = format!(
            "M{:.1} {:.1}C{:.1} {:.1} {:.1} {:.1} {:.1} {:.1}",
            start.0,
            start.1,
            start.0,
            start.1 + leaves,
            end.0,
            end.1 + enters,
            end.0,
            end.1
        );
        let middle =
            ((start.0 + end.0) / 2.0, (start.1 + end.1) / 2.0 + if from_y == to_y { bend * 0.75 } else { 0.0 });
        (path, end, if is_down { 90 } else { -90 }, middle)
    };
    let dashes = if is_forward { "" } else { r#" stroke-dasharray="6 4""# };
    let shown = match way.carries.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} + {}", rest.len()),
    };
    let title = format!("{} → {}\n{}", map.places[way.from].name, map.places[way.to].name, way.carries.join(", "));
    page.line(format_args!(
        r#"<g class="e"><path d="{path}" fill="none" stroke="{MUTED}" stroke-width="1.2"{dashes}/><path d="{path}" fill="none" stroke="transparent" stroke-width="9"/><path d="M0 0L-7 -3.2L-7 3.2Z" fill="{MUTED}" transform="translate({x:.1} {y:.1}) rotate({turn})"/><title>{}</title></g>"#,
        escape(title.trim_end())
    ));
    page.line(format_args!(
        r##"<text x="{:.1}" y="{:.1}" font-size="9" text-anchor="middle" fill="{INK}" stroke="#ffffff" stroke-width="3" paint-order="stroke">{}</text>"##,
        label.0,
        label.1 + 3.0,
        escape(&shown)
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robot() -> Map {
        let place = |kind, name: &str, process: &str| Place { kind, name: name.into(), process: Some(process.into()) };
        let way = |from, to, carries: &str| Way { from, to, carries: vec![carries.into()] };
        Map {
            name: "rover".into(),
            places: vec![
                place(PlaceKind::Cycle, "driving", "main"),
                place(PlaceKind::Source, "Body", "main"),
                place(PlaceKind::Cycle, "seeing", "vision"),
                place(PlaceKind::Source, "Camera", "vision"),
            ],
            ways: vec![way(1, 0, "Imu"), way(0, 1, "Drive"), way(3, 2, "Image"), way(2, 0, "Line"), way(0, 3, "Drive")],
        }
    }

    #[test]
    fn what_crosses_goes_between_clusters() {
        let dot = map_dot(&robot());
        let main = dot.find("cluster_main").unwrap();
        let vision = dot.find("cluster_vision").unwrap();
        assert!(main < dot.find("n1 [").unwrap() && dot.find("n1 [").unwrap() < vision);
        assert!(vision < dot.find("n2 [").unwrap());
        assert!(dot.contains("n2 -> n0 [label=\"Line\", style=dashed]"), "{dot}");
        assert!(dot.contains("n3 -> n2 [label=\"Image\"]"), "{dot}");
    }

    #[test]
    fn circles_leave_an_order() {
        let edges = [(0, 1), (1, 2), (2, 0), (2, 3), (1, 1)];
        let (order, kept) = without_circles(4, &edges);
        let at = |node| order.iter().position(|other| *other == node).unwrap();
        assert_eq!(order.len(), 4);
        assert!(kept.len() == 3 && kept.iter().all(|(from, to)| at(*from) < at(*to)), "{order:?} {kept:?}");
    }

    #[test]
    fn a_picture_has_a_frame_for_each_process_and_all_ways() {
        let picture = map_svg(&robot());
        assert_eq!(picture.matches("process ").count(), 2, "{picture}");
        assert_eq!(picture.matches("class=\"e\"").count(), 5);
        let single = Map {
            places: robot().places.into_iter().map(|place| Place { process: None, ..place }).collect(),
            ..robot()
        };
        assert!(!map_svg(&single).contains("process "));
    }
}
