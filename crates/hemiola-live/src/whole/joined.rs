//! The combined answers of all processes of a robot.
//!
//! Each item of a list names the process that it comes from in `process`.

use serde_json::{Map, Value, json};

use super::clock::Clock;
use super::holdings::{Holdings, items, text_of};

/// The answer of one process.
#[derive(Clone, Copy)]
pub struct Said<'a> {
    pub process: &'a str,
    pub holdings: &'a Holdings,
    pub clock: Clock,
    pub content: &'a Value,
}

/// Combines descriptions. A thing that a process receives from another one is described only by
/// that other one.
pub fn description(said: &[Said<'_>]) -> Value {
    let is_own = |said: &Said<'_>, provider: &Value| !said.holdings.is_link(text_of(provider));
    json!({
        "processes": said.iter().map(|said| said.process).collect::<Vec<_>>(),
        "cycles": each(said, "cycles", |_, _| true),
        "modules": each(said, "modules", |_, module| !module["cycle"].is_null()),
        "sources": each(said, "sources", |said, source| is_own(said, &source["name"])),
        "representations": each(said, "representations", |said, it| is_own(said, &it["provider"])),
        "topics": each(said, "topics", |said, topic| !said.holdings.received.contains(text_of(&topic["name"]))),
        "services": each(said, "services", |_, _| true),
        "chains": each(said, "chains", |_, _| true),
    })
}

/// Combines parameters. Those of a module come from the process in which it runs.
pub fn parameters(said: &[Said<'_>]) -> Value {
    let all: Vec<_> = said.iter().map(|said| said.holdings).collect();
    let mut joined = Vec::new();
    for (index, said) in said.iter().enumerate() {
        let is_own = |module: &str| said.holdings.runs(module) || index == 0 && !all.iter().any(|it| it.runs(module));
        for parameter in items(said.content).filter(|parameter| is_own(text_of(&parameter["module"]))) {
            let mut parameter = parameter.clone();
            parameter["process"] = said.process.into();
            joined.push(parameter);
        }
    }
    joined.into()
}

/// Combines answers that only confirm that something was done.
pub fn nothing(_: &[Said<'_>]) -> Value {
    json!({})
}

/// Combines reports of what each process has written into a file.
pub fn saved(said: &[Said<'_>]) -> Value {
    let saved: Vec<_> = said.iter().flat_map(|said| items(&said.content["saved"])).cloned().collect();
    json!({ "file": said.first().map(|said| &said.content["file"]), "saved": saved })
}

/// Combines reports of the logs that processes have begun or ended.
pub fn recorded(said: &[Said<'_>]) -> Value {
    let files: Vec<_> = said.iter().map(|said| text_of(&said.content["file"])).collect();
    let file = files.join(", ");
    let texts: Vec<_> = said.iter().filter_map(|said| said.content["text"].as_str()).collect();
    let is_whole = said.iter().all(|said| said.content["whole"] != false);
    match texts.is_empty() {
        true => json!({ "file": file, "files": files }),
        false => json!({ "file": file, "files": files, "whole": is_whole, "text": texts.join("\n") }),
    }
}

/// Combines the values of all cycles.
pub fn capture(said: &[Said<'_>]) -> Value {
    let mut cycles = Map::new();
    for said in said {
        cycles.extend(said.content["cycles"].as_object().cloned().unwrap_or_default());
    }
    let silent: Vec<_> = said.iter().flat_map(|said| items(&said.content["silent"])).cloned().collect();
    let time = said.iter().map(|said| time(said, &said.content["time"])).min();
    json!({ "time": time, "cycles": cycles, "silent": silent })
}

/// Combines tables of bounds.
pub fn bounds(said: &[Said<'_>]) -> Value {
    let holds = said.iter().all(|said| said.content["holds"] != false);
    json!({ "holds": holds, "rows": each(said, "rows", |_, _| true) })
}

/// Combines explanations. If several processes were asked and only one knows the subject, its
/// explanation is the answer.
pub fn explanations(said: &[Said<'_>], is_of_one: bool) -> Value {
    let text = |said: &Said<'_>| format!("process {}\n{}", said.process, text_of(&said.content["text"]));
    match said {
        [only] if is_of_one => only.content.clone(),
        said => {
            let processes: Map<_, _> =
                said.iter().map(|said| (said.process.to_owned(), said.content.clone())).collect();
            json!({ "text": said.iter().map(text).collect::<Vec<_>>().join("\n"), "processes": processes })
        }
    }
}

/// Combines the events `statistics`.
pub fn statistics(said: &[Said<'_>]) -> Value {
    let reports: Vec<_> = said.iter().map(|said| Said { content: &said.content["report"], ..*said }).collect();
    let is_own = |said: &Said<'_>, source: &Value| !said.holdings.is_link(text_of(&source["name"]));
    let mut health = Map::new();
    for said in said {
        for (cycle, figures) in said.content["health"].as_object().into_iter().flatten() {
            let mut figures = figures.clone();
            figures["process"] = said.process.into();
            health.insert(cycle.clone(), figures);
        }
    }
    let files =
        |key: &str| -> Vec<&Value> { said.iter().map(|said| &said.content[key]).filter(|it| !it.is_null()).collect() };
    let recorded: Vec<_> = files("recording").into_iter().map(|recording| text_of(&recording["file"])).collect();
    let traced: Vec<_> = files("trace").into_iter().map(text_of).collect();
    json!({
        "event": "statistics",
        "time": said.iter().map(|said| time(said, &said.content["time"])).max(),
        "report": {
            "cycles": each(&reports, "cycles", |_, _| true),
            "chains": each(&reports, "chains", |_, _| true),
            "callbacks": each(&reports, "callbacks", |_, _| true),
            "sources": each(&reports, "sources", is_own),
            "lost_events": reports.iter().filter_map(|report| report.content["lost_events"].as_u64()).sum::<u64>(),
        },
        "health": health,
        "topics": topics(said),
        "services": each(said, "services", |_, _| true),
        "links": each(said, "links", |_, _| true),
        "host": said.first().map(|first| &first.content["host"]),
        "hosts": said.first().map(|first| &first.content["hosts"]),
        "safe_state": safe_state(said),
        "exceedances": each(said, "exceedances", |_, _| true),
        "recording": (!recorded.is_empty()).then(|| json!({ "file": recorded.join(", ") })),
        "trace": (!traced.is_empty()).then(|| traced.join(", ")),
    })
}

/// Combines topics. A topic that goes from process to process is counted where it is published; its
/// subscribers and losses are counted in all processes. A process knows topics that none of its
/// modules uses; they are listed once.
fn topics(said: &[Said<'_>]) -> Vec<Value> {
    let is_own = |said: &Said<'_>, topic: &Value| {
        let is_used = ["publishers", "subscribers", "sent"].iter().any(|key| topic[key].as_u64() != Some(0));
        is_used && !said.holdings.received.contains(text_of(&topic["name"]))
    };
    let mut joined = each(said, "topics", is_own);
    for said in said {
        for topic in items(&said.content["topics"]).filter(|topic| !is_own(said, topic)) {
            match joined.iter_mut().find(|known| known["name"] == topic["name"]) {
                Some(known) => {
                    for key in ["subscribers", "waiting", "lost"] {
                        let sum = [&known[key], &topic[key]].into_iter().filter_map(Value::as_u64).sum::<u64>();
                        known[key] = sum.into();
                    }
                }
                None => joined.push(topic.clone()),
            }
        }
    }
    joined
}

/// Combines the safe states: the time at which the first process entered it, and the causes of all.
fn safe_state(said: &[Said<'_>]) -> Value {
    let safe: Vec<_> = said.iter().filter(|said| said.content["safe_state"].is_object()).collect();
    let since = safe.iter().map(|said| time(said, &said.content["safe_state"]["since"])).min();
    let Some(since) = since else { return Value::Null };
    let cause = |said: &&&Said<'_>| text_of(&said.content["safe_state"]["cause"]).to_owned();
    let causes = safe.iter().map(|said| format!("{}: {}", said.process, cause(&said)));
    json!({
        "since": since,
        "cause": causes.collect::<Vec<_>>().join("; "),
        "processes": safe.iter().map(|said| said.process).collect::<Vec<_>>(),
    })
}

/// Returns the items of all lists of that name, each with the name of its process.
fn each(said: &[Said<'_>], list: &str, is_wanted: impl Fn(&Said<'_>, &Value) -> bool) -> Vec<Value> {
    let mut joined = Vec::new();
    for said in said {
        for item in items(&said.content[list]).filter(|item| is_wanted(said, item)) {
            let mut item = item.clone();
            if item.is_object() {
                item["process"] = said.process.into();
            }
            joined.push(item);
        }
    }
    joined
}

fn time(said: &Said<'_>, time: &Value) -> i64 {
    said.clock.convert(time.as_i64().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(join: fn(&[Said<'_>]) -> Value, main: Value, vision: Value) -> Value {
        let of_main = Holdings::of(&json!({"modules": [{"name": "Pilot", "cycle": "driving"}]}));
        let of_vision = Holdings::of(&json!({
            "modules": [{"name": "LineDetector", "cycle": "seeing"}],
            "received": [{"name": "Drive", "kind": "representation", "process": "main"},
                         {"name": "horn", "kind": "topic", "process": "main"}],
        }));
        join(&[
            Said { process: "main", holdings: &of_main, clock: Clock::default(), content: &main },
            Said {
                process: "vision",
                holdings: &of_vision,
                clock: Clock::between(Some(9), Some(2), 0),
                content: &vision,
            },
        ])
    }

    #[test]
    fn a_thing_is_described_once_by_the_process_that_has_it() {
        let described = joined(
            description,
            json!({"representations": [{"name": "Drive", "provider": "Pilot"}], "topics": [{"name": "horn"}],
                   "modules": [{"name": "Pilot", "cycle": "driving"}, {"name": "LineDetector", "cycle": null}]}),
            json!({"representations": [{"name": "Drive", "provider": "link.main.Drive"}], "topics": [{"name": "horn"}],
                   "sources": [{"name": "link.main.Drive"}, {"name": "Camera"}],
                   "modules": [{"name": "Pilot", "cycle": null}, {"name": "LineDetector", "cycle": "seeing"}]}),
        );
        let names = |list: &str| -> Vec<String> {
            items(&described[list]).map(|it| format!("{} {}", text_of(&it["process"]), text_of(&it["name"]))).collect()
        };
        assert_eq!(names("representations"), ["main Drive"]);
        assert_eq!(names("topics"), ["main horn"]);
        assert_eq!(names("sources"), ["vision Camera"]);
        assert_eq!(names("modules"), ["main Pilot", "vision LineDetector"]);
        assert_eq!(described["processes"], json!(["main", "vision"]));
    }

    #[test]
    fn parameters_are_those_of_the_process_in_which_a_module_runs() {
        let of = |gain: f64| {
            json!([{"module": "Pilot", "value": gain}, {"module": "LineDetector", "value": -gain},
                                    {"module": "Spare", "value": gain}])
        };
        let found = joined(parameters, of(1.0), of(2.0));
        let found: Vec<_> = items(&found).map(|it| (text_of(&it["module"]), it["value"].as_f64().unwrap())).collect();
        assert_eq!(found, [("Pilot", 1.0), ("Spare", 1.0), ("LineDetector", -2.0)]);
    }

    #[test]
    fn statistics_are_of_all_on_one_clock() {
        let of = |time: i64, cycle: &str, publishers: u64, safe: Value| {
            json!({
                "time": time,
                "report": {"cycles": [{"name": cycle}], "sources": [{"name": "link.main.Drive"}], "lost_events": 1},
                "health": {cycle: {"runs": 5}},
                "topics": [
                    {"name": "bell", "publishers": 1 - publishers, "subscribers": 0, "sent": 0, "waiting": 0, "lost": 0},
                    {"name": "horn", "publishers": publishers, "subscribers": 1, "sent": 7, "waiting": 0, "lost": 2},
                ],
                "safe_state": safe, "recording": {"file": format!("{cycle}.mcap")},
            })
        };
        let safe = json!({"since": 20, "cause": "it was asked for"});
        let all = joined(statistics, of(100, "driving", 1, Value::Null), of(95, "seeing", 0, safe));
        assert_eq!(all["time"], 102);
        assert_eq!(
            (&all["report"]["cycles"][1]["process"], &all["report"]["lost_events"]),
            (&json!("vision"), &json!(2))
        );
        assert_eq!(all["health"]["seeing"], json!({"runs": 5, "process": "vision"}));
        assert_eq!(all["safe_state"]["since"], 27);
        assert_eq!(all["safe_state"]["cause"], "vision: it was asked for");
        assert_eq!(all["recording"]["file"], "driving.mcap, seeing.mcap");
        // Only `main` has said that this is one of its own sources.
        assert_eq!(all["report"]["sources"].as_array().unwrap().len(), 1);
        let horn = json!({"name": "horn", "process": "main", "publishers": 1, "subscribers": 2, "sent": 7, "waiting": 0,
                          "lost": 4});
        let bell = json!({"name": "bell", "process": "vision", "publishers": 1, "subscribers": 0, "sent": 0,
                          "waiting": 0, "lost": 0});
        assert_eq!(all["topics"], json!([horn, bell]));
    }
}
