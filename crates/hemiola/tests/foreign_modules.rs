//! A module that exists only at run time runs in a cycle between Rust modules, on representations
//! that come from ros2msg schemas; it is recorded, repeated to the bit, and drawn like all others.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::process::ExitCode;

use hemiola::Application;
use hemiola::data::{DataType, Field, ReadError, Reader, RepresentationDescriptor, Value, Writer};
use hemiola::module::{
    ArgumentDescriptor, Context, ForeignArguments, ForeignDescription, ForeignModule, Outcome, StateForm, registry,
};
use hemiola::prelude::*;
use hemiola_log::{Definition, Entry, LogReader};
use hemiola_model::Name;
use hemiola_model::cdr::MessageSchema;

const ROBOT: &str = "[cycle.main]\nrate = 50.0\nworkers = 2\n";

#[derive(Representation, Clone, Default)]
struct Reading {
    range: f64,
    echoes: Vec<u16>,
    label: String,
    at: Time,
}

#[derive(Representation, Clone, Default)]
struct Verdict {
    is_near: bool,
    distances: Vec<f64>,
}

#[derive(Representation, Clone, Default)]
struct Command {
    speed: f64,
    verdicts: u64,
}

#[derive(Module)]
struct Sonar {
    turns: u64,
}

#[module]
impl Sonar {
    #[update]
    fn reading(&mut self, clock: &Clock, reading: &mut Reading) {
        self.turns += 1;
        reading.range = (self.turns as f64 * 0.37).sin().abs() * 3.0;
        reading.echoes.extend((0..self.turns % 5).map(|echo| (self.turns * 7 + echo) as u16));
        reading.label.push_str(if self.turns.is_multiple_of(2) { "left" } else { "right" });
        reading.at = clock.now();
    }
}

#[derive(Module)]
struct Pilot {
    verdicts: u64,
}

#[module]
impl Pilot {
    #[update]
    fn command(&mut self, verdict: &Verdict, command: &mut Command) {
        self.verdicts += u64::from(verdict.is_near);
        command.verdicts = self.verdicts;
        command.speed = verdict.distances.iter().sum::<f64>() / 3.0;
    }
}

/// As a binding of another language would see it: no Rust type of it is a representation.
#[derive(Default)]
struct Smoother {
    average: f64,
}

impl ForeignModule for Smoother {
    fn call(&mut self, update: usize, mut arguments: ForeignArguments<'_>, context: &Context<'_>) -> Outcome {
        let number =
            |value: &Value, name: &str| value.get(name).and_then(|it| it.read::<f64>().ok()).unwrap_or(f64::NAN);
        let input =
            |arguments: &ForeignArguments<'_>, index| arguments.input(index).and_then(|it| it.to_value()).unwrap();
        match update {
            0 => {
                let (reading, last) = (input(&arguments, 0), input(&arguments, 1));
                self.average += 0.25 * (number(&reading, "range") - self.average);
                let trail = match last.get("trail") {
                    Some(Value::List(trail)) => trail.iter().rev().take(3).rev().cloned().collect(),
                    _ => Vec::new(),
                };
                let smoothed = Value::Table(BTreeMap::from([
                    ("range".to_owned(), Value::Float(self.average)),
                    ("trail".to_owned(), Value::List([trail, vec![Value::Float(self.average)]].concat())),
                    ("run".to_owned(), Value::Unsigned(context.clock().run())),
                ]));
                arguments.output(2).unwrap().set(&smoothed).unwrap();
            }
            _ => {
                let smoothed = input(&arguments, 0);
                let verdict = Value::Table(BTreeMap::from([
                    ("is_near".to_owned(), Value::Boolean(number(&smoothed, "range") < 1.5)),
                    ("distances".to_owned(), smoothed.get("trail").cloned().unwrap_or(Value::List(Vec::new()))),
                ]));
                arguments.output(1).unwrap().set(&verdict).unwrap();
            }
        }
        Outcome::Done
    }

    fn write_state(&self, writer: &mut dyn Writer) {
        writer.begin_structure("Smoother");
        writer.field("average");
        writer.float64(self.average);
        writer.end_structure();
    }

    fn read_state(&mut self, reader: &mut dyn Reader) -> Result<(), ReadError> {
        reader.begin_structure("Smoother")?;
        reader.field("average")?;
        let average = reader.float64()?;
        reader.end_structure()?;
        self.average = average;
        Ok(())
    }
}

/// What a file of message definitions says.
fn parsed(name: &str, text: &str) -> &'static RepresentationDescriptor {
    let schema = Definition::parse(&format!("hemiola/msg/{name}"), text).unwrap().data_type().unwrap();
    RepresentationDescriptor::dynamic(Name::intern(name), &schema).unwrap()
}

fn smoother() -> ForeignDescription {
    let time = "=".repeat(80) + "\nMSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n";
    let reading =
        parsed("Reading", &format!("float64 range\nuint16[] echoes\nstring label\nbuiltin_interfaces/Time at\n{time}"));
    let smoothed = parsed("Smoothed", "float64 range\nfloat64[<=4] trail\nuint32 run\n");
    let verdict = parsed("Verdict", "bool is_near\nfloat64[] distances\n");
    let smooth = vec![
        ArgumentDescriptor::requires(reading),
        ArgumentDescriptor::uses(smoothed),
        ArgumentDescriptor::provides(smoothed),
    ];
    let judge = vec![ArgumentDescriptor::requires(smoothed), ArgumentDescriptor::provides(verdict)];
    let state = DataType::structure("soccer/Smoother", vec![Field::new("average", DataType::Float64, "")]);
    ForeignDescription::new(Name::intern("Smoother"), "smoother.py:12", || Box::new(Smoother::default()))
        .with_update(Name::intern("smooth"), smooth)
        .with_update(Name::intern("judge"), judge)
        .with_state(StateForm::Data(state))
}

fn robot(arguments: &[&str]) -> ExitCode {
    registry::load(smoother());
    Application::embedded(ROBOT).run_with([&["robot"], arguments].concat())
}

#[test]
fn a_module_that_exists_only_at_run_time_is_recorded_and_repeated_to_the_bit() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("run.mcap");
    let path = log.to_str().unwrap();
    let run = ["run", "--headless", "--no-trace", "--fast", "--duration", "2s", "--log", path];
    assert_eq!(robot(&run), ExitCode::SUCCESS);

    let (mut values, mut schema) = (BTreeMap::<String, Vec<Vec<u8>>>::new(), None);
    let mut reader = LogReader::open(&log).unwrap();
    while let Some(entry) = reader.next_entry() {
        if let Entry::Message(message) = entry.unwrap() {
            if message.channel.topic.ends_with("Smoothed") {
                schema = message.channel.schema.clone();
            }
            values.entry(message.channel.topic.clone()).or_default().push(message.data.to_vec());
        }
    }
    let of =
        |name: &str| values.iter().find(|(topic, _)| topic.ends_with(name)).map(|(_, values)| values.clone()).unwrap();
    let commands: Vec<Command> = of("Command").iter().map(|bytes| hemiola::cdr::decode(bytes).unwrap()).collect();
    assert!(commands.len() >= 50 && commands.last().unwrap().verdicts > 0, "{} commands", commands.len());
    assert!(commands.iter().skip(4).all(|command| command.speed.is_finite() && command.speed > 0.0));
    assert_eq!(of("Smoothed").len(), commands.len());
    // Its schema is in the log as any other.
    let definition = schema.expect("it has one").definition().unwrap();
    assert_eq!(
        definition.data_type().unwrap(),
        parsed("Smoothed", "float64 range\nfloat64[<=4] trail\nuint32 run\n").data_type().unwrap()
    );

    for workers in ["1", "2", "3", "8"] {
        assert_eq!(robot(&["log", "verify", path, "--workers", workers]), ExitCode::SUCCESS, "{workers} workers");
    }
}

#[test]
fn it_is_in_the_graph_between_the_rust_modules() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = folder.path().join("graph.dot");
    assert_eq!(robot(&["graph", "--format", "dot", "--output", drawn.to_str().unwrap()]), ExitCode::SUCCESS);
    let drawn = std::fs::read_to_string(drawn).unwrap();
    for part in ["Sonar", "Smoother", "smooth", "judge", "Pilot", "Smoothed"] {
        assert!(drawn.contains(part), "{part} is missing: {drawn}");
    }
    assert_eq!(robot(&["check"]), ExitCode::SUCCESS);
}

#[test]
fn values_are_shared_with_rust_types_of_the_same_schema_only() {
    let mut modules = vec![hemiola::module::ModuleDescriptor::foreign(smoother())];
    modules.extend(registry::modules().into_iter().filter(|module| ["Sonar", "Pilot"].contains(&module.name())));
    hemiola::module::ModuleDescriptor::share(&mut modules, &[]);
    let smooth = modules[0].updates()[0].arguments();
    assert_eq!(smooth[0].representation(), Some(RepresentationDescriptor::of::<Reading>()));
    assert!(smooth[2].representation().unwrap().layout().is_some(), "no Rust type is called Smoothed");
    assert_eq!(
        MessageSchema::of("Reading", &parsed("Reading", "float32 range\n").data_type().unwrap()).name,
        "hemiola/msg/Reading"
    );

    // Of another schema it is another type, and names are unique.
    let other = vec![ArgumentDescriptor::requires(parsed("Reading", "float32 range\n"))];
    let other = ForeignDescription::new(Name::intern("Other"), "other.py:1", || Box::new(Smoother::default()))
        .with_update(Name::intern("go"), other);
    modules.push(hemiola::module::ModuleDescriptor::foreign(other));
    let mut configuration = hemiola::configuration::Configuration::default();
    let rate = hemiola::configuration::Trigger::Rate(50.0);
    configuration.cycles.push(hemiola::configuration::CycleConfiguration::new("main", rate));
    let error = hemiola::runtime::Robot::assemble_from(configuration, modules, Vec::new()).expect_err("two types");
    assert!(error.to_string().contains("two different types are called `Reading`"), "{error}");
}

#[test]
fn a_foreign_module_cannot_write_what_it_reads_either() {
    let smoothed = parsed("Smoothed", "float64 range\n");
    let arguments = vec![ArgumentDescriptor::provides(smoothed), ArgumentDescriptor::provides(smoothed)];
    let description = ForeignDescription::new(Name::intern("Twice"), "twice.py:3", || Box::new(Smoother::default()))
        .with_update(Name::intern("go"), arguments);
    let module = hemiola::module::ModuleDescriptor::foreign(description);
    let said = module.refusals().next().expect("it is refused").to_string();
    assert!(said.starts_with("`Twice.go` (twice.py:3) has two arguments for `Smoothed`"), "{said}");
}
