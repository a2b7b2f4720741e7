//! A module that exists only at run time has ends of topics: it receives what Rust modules publish,
//! they receive what it publishes, and it has a topic of its own whose messages are of no Rust
//! type. All of that is recorded and repeated to the bit.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use hemiola::Application;
use hemiola::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola::data::{DataType, RepresentationDescriptor, Value};
use hemiola::module::{
    ArgumentDescriptor, Context, ForeignArguments, ForeignDescription, ForeignModule, ModuleDescriptor, Outcome,
    PortDescriptor, StateForm, registry,
};
use hemiola::prelude::*;
use hemiola_log::{Definition, Entry, LogReader};
use hemiola_model::Name;

const ROBOT: &str = "[cycle.main]\nrate = 50.0\nworkers = 2\n";

/// From Rust to the foreign module.
#[derive(Representation, Clone, Default)]
struct Ping {
    number: u32,
}

/// From the foreign module to Rust.
#[derive(Representation, Clone, Default)]
struct Echo {
    number: u32,
    label: String,
}

#[derive(Representation, Clone, Default)]
struct Heard {
    numbers: Vec<u32>,
    label: String,
}

#[derive(Module)]
struct Beeper {
    pings: u32,
}

#[module]
impl Beeper {
    #[update]
    fn beep(&mut self, pings: &mut Publisher<Ping>) {
        for _ in 0..self.pings % 3 {
            pings.publish(Ping { number: self.pings });
        }
        self.pings += 1;
    }
}

#[derive(Module)]
struct Listener;

#[module]
impl Listener {
    #[update]
    fn listen(&mut self, echoes: &Subscription<Echo>, heard: &mut Heard) {
        heard.numbers.extend(echoes.iter().map(|echo| echo.number));
        heard.label = echoes.last().map(|echo| echo.label.clone()).unwrap_or_default();
    }
}

/// As a binding of another language would see it.
struct Parrot;

impl ForeignModule for Parrot {
    fn call(&mut self, update: usize, mut arguments: ForeignArguments<'_>, _: &Context<'_>) -> Outcome {
        // It repeats what it heard, `answer` to the others and `mutter` to itself.
        let heard: Vec<Value> = arguments.subscription(0).unwrap().values().collect();
        for message in heard {
            let number = message.get("number").cloned().unwrap();
            let said = match update {
                0 => Value::Table(BTreeMap::from([
                    ("number".to_owned(), number.clone()),
                    ("label".to_owned(), Value::Text(format!("parrot {number}"))),
                ])),
                _ => Value::Table(BTreeMap::from([("number".to_owned(), number.clone())])),
            };
            arguments.publisher(1).unwrap().publish_value(&said).unwrap();
            if update == 0 {
                let aside = Value::Table(BTreeMap::from([("number".to_owned(), number)]));
                arguments.publisher(2).unwrap().publish_value(&aside).unwrap();
            }
        }
        // The other kinds of ends are not there.
        assert!(arguments.publisher(0).is_none() && arguments.subscription(1).is_none());
        assert!(arguments.input(0).is_none() && arguments.output(1).is_none());
        Outcome::Done
    }
}

fn parsed(name: &str, text: &str) -> &'static RepresentationDescriptor {
    let schema = Definition::parse(&format!("hemiola/msg/{name}"), text).unwrap().data_type().unwrap();
    RepresentationDescriptor::dynamic(Name::intern(name), &schema).unwrap()
}

fn publishes(topic: &str, message: &'static RepresentationDescriptor) -> ArgumentDescriptor {
    ArgumentDescriptor::of_port(PortDescriptor::publishes(Name::intern(topic), message))
}

fn subscribes(topic: &str, message: &'static RepresentationDescriptor) -> ArgumentDescriptor {
    ArgumentDescriptor::of_port(PortDescriptor::subscribes(Name::intern(topic), message))
}

fn parrot() -> ForeignDescription {
    let ping = parsed("Ping", "uint32 number\n");
    let echo = parsed("Echo", "uint32 number\nstring label\n");
    let aside = parsed("Aside", "uint32 number\n");
    let answer = vec![subscribes("Ping", ping), publishes("Echo", echo), publishes("Aside", aside)];
    let mutter = vec![subscribes("Aside", aside), publishes("Muttered", aside)];
    ForeignDescription::new(Name::intern("Parrot"), "parrot.py:3", || Box::new(Parrot))
        .with_update(Name::intern("answer"), answer)
        .with_update(Name::intern("mutter"), mutter)
        .with_state(StateForm::Data(DataType::structure("soccer/Parrot", Vec::new())))
}

fn robot(arguments: &[&str]) -> ExitCode {
    registry::load(parrot());
    Application::embedded(ROBOT).run_with([&["robot"], arguments].concat())
}

#[test]
fn messages_go_between_rust_modules_and_one_that_exists_only_at_run_time_and_are_repeated_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let path = log.to_str().unwrap();
    let run = ["run", "--headless", "--no-trace", "--fast", "--duration", "2s", "--log", path];
    assert_eq!(robot(&run), ExitCode::SUCCESS);

    let mut heard = Vec::new();
    let mut messages = BTreeMap::<String, usize>::new();
    let mut reader = LogReader::open(&log).unwrap();
    while let Some(entry) = reader.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            *messages.entry(message.channel.topic.clone()).or_default() += 1;
            if message.channel.topic.ends_with("Heard") {
                heard.push(hemiola::cdr::decode::<Heard>(message.data).unwrap());
            }
        }
    }
    let numbers: Vec<u32> = heard.iter().flat_map(|heard| heard.numbers.iter().copied()).collect();
    assert!(numbers.len() > 40, "{} echoes", numbers.len());
    assert!(numbers.starts_with(&[1, 2, 2, 4, 5, 5]), "{numbers:?}");
    let last = heard.iter().rev().find(|heard| !heard.numbers.is_empty()).unwrap();
    assert_eq!(last.label, format!("parrot {}", last.numbers.last().unwrap()));
    for topic in ["Ping", "Echo", "Aside", "Muttered"] {
        let count = messages.get(&format!("/topic/{topic}")).copied().unwrap_or_default();
        assert!(count > 40, "{count} messages of {topic} in {messages:?}");
    }

    for workers in ["1", "2", "3", "8"] {
        assert_eq!(robot(&["log", "verify", path, "--workers", workers]), ExitCode::SUCCESS, "{workers} workers");
    }
}

#[test]
fn a_topic_carries_messages_of_one_schema_whoever_describes_it() {
    let assemble = |arguments| {
        let other = ForeignDescription::new(Name::intern("Other"), "other.py:1", || Box::new(Parrot))
            .with_update(Name::intern("go"), arguments);
        let of_rust = registry::modules().into_iter().filter(|module| ["Beeper", "Listener"].contains(&module.name()));
        let foreign = [parrot(), other].map(ModuleDescriptor::foreign);
        let mut configuration = Configuration::default();
        configuration.cycles.push(CycleConfiguration::new("main", Trigger::Rate(50.0)));
        hemiola::runtime::Robot::assemble_from(configuration, of_rust.chain(foreign).collect(), Vec::new())
    };
    assert!(assemble(vec![subscribes("Aside", parsed("Aside", "uint32 number\n"))]).is_ok());
    for topic in ["Ping", "Aside"] {
        let other = parsed(topic, "float32 number\n");
        for argument in [subscribes(topic, other), publishes(topic, other)] {
            let error = assemble(vec![argument]).expect_err("two schemas").to_string();
            assert!(error.contains("`Other.go` cannot be connected to `"), "{error}");
            assert!(error.contains(&format!("`{topic}` carries")), "{error}");
        }
    }
}
