//! The meaning of the numbers in events, across all processes of a robot.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::protocol::binary::EventRecord;
use crate::whole::holdings::{items, text_of};

/// The kinds of things that have numbers. Those that refer to cycles come after the cycles.
const KINDS: [&str; 6] = ["cycles", "tasks", "workers", "sources", "exchanges", "callbacks"];
const CYCLES: usize = 0;
const TASKS: usize = 1;
const WORKERS: usize = 2;
const SOURCES: usize = 3;
const EXCHANGES: usize = 4;
const CALLBACKS: usize = 5;

/// The numbers of all processes. A thing keeps its number when its process is started again.
#[derive(Default)]
pub struct Numbers {
    /// The things of each kind as clients know them, each with its process.
    known: [Vec<(String, Value)>; 6],
    /// The robot's numbers, by process and by the numbers there.
    of: BTreeMap<String, [Vec<u16>; 6]>,
}

impl Numbers {
    /// Notes the meaning of a process's numbers.
    pub fn learn(&mut self, process: &str, names: &Value) {
        let mut numbers: [Vec<u16>; 6] = Default::default();
        for (kind, known) in self.known.iter_mut().enumerate() {
            for thing in items(&names[KINDS[kind]]) {
                let mut thing = thing.clone();
                if thing.is_object() {
                    thing["process"] = process.into();
                    if let Some(cycle) = thing["cycle"].as_u64() {
                        thing["cycle"] = numbers[CYCLES].get(cycle as usize).copied().into();
                    }
                }
                let is_it = |(number, (of, other)): &(usize, &(String, Value))| {
                    of == process && name(other) == name(&thing) && !numbers[kind].contains(&(*number as u16))
                };
                let number = known.iter().enumerate().find(is_it).map_or(known.len(), |(number, _)| number);
                // There are never more than that, unless restarting processes invent names.
                let Ok(small) = u16::try_from(number) else { continue };
                numbers[kind].push(small);
                match known.get_mut(number) {
                    Some(known) => known.1 = thing,
                    None => known.push((process.to_owned(), thing)),
                }
            }
        }
        self.of.insert(process.to_owned(), numbers);
    }

    /// Returns the meaning of the robot's numbers.
    pub fn names(&self) -> Value {
        let list = |known: &Vec<(String, Value)>| known.iter().map(|(_, thing)| thing.clone()).collect::<Value>();
        KINDS
            .iter()
            .zip(&self.known)
            .map(|(kind, known)| ((*kind).to_owned(), list(known)))
            .collect::<Map<_, _>>()
            .into()
    }

    /// Converts an event of a process to the robot's numbers; `None` if the event is about
    /// something that the process has not named.
    pub fn convert(&self, process: &str, mut record: EventRecord) -> Option<EventRecord> {
        let numbers = self.of.get(process)?;
        let number = |kind: usize, own: u16| numbers[kind].get(usize::from(own)).copied();
        let (subject, other) = match record.kind {
            0 | 9 | 10 => (TASKS, None),
            5 => (EXCHANGES, None),
            6 => (EXCHANGES, Some(CYCLES)),
            7 => (CALLBACKS, None),
            8 => (SOURCES, None),
            11 => (CYCLES, Some(SOURCES)),
            _ => (CYCLES, None),
        };
        record.worker = number(WORKERS, record.worker)?;
        record.subject = number(subject, record.subject)?;
        if let Some(other) = other {
            record.other = number(other, record.other)?;
        }
        Some(record)
    }
}

fn name(thing: &Value) -> &str {
    text_of(thing.get("name").unwrap_or(thing))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_thing_keeps_its_number_when_its_process_comes_again() {
        let mut numbers = Numbers::default();
        let of = |cycle: &str, task: &str| {
            json!({"cycles": [{"name": cycle}], "tasks": [{"name": task, "cycle": 0}],
                   "workers": [{"name": "worker", "cycle": 0}], "sources": ["Camera"]})
        };
        numbers.learn("main", &of("driving", "Pilot.drive"));
        numbers.learn("vision", &of("seeing", "Lines.find"));
        let task = EventRecord { kind: 0, ..EventRecord::default() };
        let of_vision = EventRecord { worker: 1, subject: 1, ..task };
        assert_eq!((numbers.convert("main", task), numbers.convert("vision", task)), (Some(task), Some(of_vision)));
        let mut again = of("seeing", "Lines.prepare");
        again["tasks"].as_array_mut().unwrap().push(json!({"name": "Lines.find", "cycle": 0}));
        numbers.learn("vision", &again);
        let second = EventRecord { subject: 1, ..task };
        assert_eq!(numbers.convert("vision", second), Some(of_vision));
        assert_eq!(numbers.convert("vision", task), Some(EventRecord { worker: 1, subject: 2, ..task }));
        let names = numbers.names();
        let [cycle, sources] = [&names["tasks"][1]["cycle"], &names["sources"]];
        assert_eq!((cycle, sources), (&json!(1), &json!(["Camera", "Camera"])));
        assert_eq!(names["workers"][1]["process"], "vision");
        assert_eq!(numbers.convert("vision", EventRecord { kind: 7, ..task }), None);
    }
}
