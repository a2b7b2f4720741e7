//! A map of a whole robot as text.

use std::fmt::Write;

use super::map::{Map, Place, PlaceKind};

/// Draws a map as text: each cycle, source, topic and service, by process, with what it gives to
/// others.
///
/// ```
/// use hemiola_plan::draw::{Map, Place, PlaceKind, Way, map_text};
///
/// let place = |kind, name: &str| Place { kind, name: name.into(), process: None };
/// let map = Map {
///     name: "rover".into(),
///     places: vec![place(PlaceKind::Source, "Camera"), place(PlaceKind::Cycle, "driving")],
///     ways: vec![Way { from: 0, to: 1, carries: vec!["Image".into()] }],
/// };
/// assert_eq!(map_text(&map), "rover\n  cycle driving\n  source Camera\n    -> cycle driving: Image\n");
/// ```
pub fn map_text(map: &Map) -> String {
    let mut processes: Vec<_> = map.places.iter().map(|place| place.process.as_deref()).collect();
    processes.sort_unstable();
    processes.dedup();
    let mut text = format!("{}\n", map.name);
    for process in processes {
        let mut indent = 2;
        if let Some(process) = process {
            // Writing to a string cannot fail.
            _ = writeln!(text, "  process {process}");
            indent = 4;
        }
        let mut here: Vec<_> =
            map.places.iter().enumerate().filter(|(_, it)| it.process.as_deref() == process).collect();
        here.sort_by_key(|(_, place)| (rank(place.kind), &place.name));
        for (index, place) in here {
            _ = writeln!(text, "{:indent$}{}", "", named(place));
            let mut ways: Vec<_> = map.ways.iter().filter(|way| way.from == index).collect();
            ways.sort_by_key(|way| (rank(map.places[way.to].kind), &map.places[way.to].name));
            for way in ways {
                let carried =
                    if way.carries.is_empty() { String::new() } else { format!(": {}", way.carries.join(", ")) };
                _ = writeln!(text, "{:indent$}  -> {}{carried}", "", named(&map.places[way.to]));
            }
        }
    }
    text
}

fn named(place: &Place) -> String {
    let kind = match place.kind {
        PlaceKind::Cycle => "cycle",
        PlaceKind::Source => "source",
        PlaceKind::Topic => "topic",
        PlaceKind::Service => "service",
    };
    format!("{kind} {}", place.name)
}

/// Returns the order in which kinds of places are listed.
fn rank(kind: PlaceKind) -> usize {
    match kind {
        PlaceKind::Cycle => 0,
        PlaceKind::Source => 1,
        PlaceKind::Topic => 2,
        PlaceKind::Service => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::super::map::Way;
    use super::*;

    #[test]
    fn everything_stands_in_its_process_with_what_it_gives() {
        let place = |kind, name: &str, process: &str| Place { kind, name: name.into(), process: Some(process.into()) };
        let places = vec![
            place(PlaceKind::Service, "save_map", "main"),
            place(PlaceKind::Cycle, "driving", "main"),
            place(PlaceKind::Topic, "goals", "main"),
            place(PlaceKind::Source, "Camera", "vision"),
        ];
        let way =
            |from, to, carries: &[&str]| Way { from, to, carries: carries.iter().map(|it| (*it).into()).collect() };
        let ways = vec![way(1, 0, &[]), way(1, 2, &[]), way(3, 1, &["Image", "Exposure"])];
        let text = map_text(&Map { name: "rover".into(), places, ways });
        let expected = "rover
  process main
    cycle driving
      -> topic goals
      -> service save_map
    topic goals
    service save_map
  process vision
    source Camera
      -> cycle driving: Image, Exposure
";
        assert_eq!(text, expected);
    }
}
