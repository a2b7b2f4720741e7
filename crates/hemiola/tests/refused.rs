//! What a program without `unsafe` puts together wrongly is refused before anything runs, with the
//! place of the mistake.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use hemiola::configuration::{Catalog, Configuration, CycleConfiguration, Trigger, parse};
use hemiola::module::{Module, ModuleDescriptor, RefusalReason, Update, registry};
use hemiola::prelude::*;
use hemiola::runtime::{Robot, RuntimeError};
use hemiola::{Application, SourceDescriptor, SourceRate};

#[derive(Representation, Clone, Default)]
struct Foo {
    values: Vec<u64>,
}

type Bar = Foo;

mod elsewhere {
    pub(super) use super::Foo as Renamed;
}

trait Names {
    type Value;
}

struct ByTrait;

impl Names for ByTrait {
    type Value = Foo;
}

macro_rules! named {
    ($name:ident) => {
        $name
    };
}

/// A module whose update has these arguments.
macro_rules! refused {
    ($($module:ident($($argument:ident: {$($type:tt)*}),*);)*) => { $(
        #[derive(Module)]
        struct $module {}

        #[module]
        impl $module {
            #[update]
            fn go(&self, $($argument: $($type)*),*) {
                $( _ = $argument; )*
                panic!("nobody calls this");
            }
        }
    )* };
}

refused! {
    WrittenTwice(a: {&mut Foo}, b: {&mut Bar});
    Renamed(a: {&mut Foo}, b: {&mut elsewhere::Renamed});
    ByPath(a: {&mut Foo}, b: {&mut crate::Foo});
    Associated(a: {&mut Foo}, b: {&mut <ByTrait as Names>::Value});
    FromMacro(a: {&mut Foo}, b: {&mut named!(Foo)});
    ReadAndWritten(a: {&Bar}, b: {&mut Foo});
    Fresh_(a: {&mut Foo}, b: {Fresh<Bar>});
    Collected(a: {&mut Foo}, b: {Samples<Bar>});
    BehindAnother(a: {Previous<Foo>}, b: {&mut Foo}, c: {&mut Bar});
}

#[derive(Source)]
struct SampledTwice {}

#[source]
impl SampledTwice {
    #[sample(rate = 10.0)]
    fn go(&mut self, _a: &mut Foo, _b: &mut Bar) {
        panic!("nobody calls this");
    }
}

/// What may stand together does so.
#[derive(Module)]
struct Allowed {}

#[module]
impl Allowed {
    #[update]
    fn go(&self, last: Previous<Bar>, next: &mut Foo) {
        next.values.clone_from(&last.values);
    }
}

fn assembled(modules: Vec<ModuleDescriptor>, sources: Vec<SourceDescriptor>) -> Result<Robot, RuntimeError> {
    let mut configuration = Configuration::default();
    configuration.cycles.push(CycleConfiguration::new("main", Trigger::Rate(100.0)));
    Robot::assemble_from(configuration, modules, sources)
}

fn module(name: &str) -> ModuleDescriptor {
    registry::modules().into_iter().find(|module| module.name() == name).expect("it is linked")
}

fn reason(modules: Vec<ModuleDescriptor>, sources: Vec<SourceDescriptor>) -> String {
    let error = assembled(modules, sources).expect_err("it is refused");
    assert!(matches!(error, RuntimeError::Refused { .. }), "{error}");
    error.to_string()
}

#[test]
fn one_value_is_not_lent_twice_whatever_its_type_is_called() {
    let names = [
        "WrittenTwice",
        "Renamed",
        "ByPath",
        "Associated",
        "FromMacro",
        "ReadAndWritten",
        "Fresh_",
        "Collected",
        "BehindAnother",
    ];
    for name in names {
        let said = reason(vec![module(name)], Vec::new());
        assert!(said.contains(&format!("`{name}.go` (crates/hemiola/tests/refused.rs:")), "{said}");
        assert!(said.contains("two arguments for `Foo` that it cannot have together"), "{said}");
    }
    assert!(assembled(vec![module("Allowed")], Vec::new()).is_ok());
}

#[test]
fn the_error_names_both_arguments_as_they_are_written() {
    let said = reason(vec![module("BehindAnother")], Vec::new());
    assert!(said.contains("number 2, `b: &mut Foo`, and number 3, `c: &mut Bar`: one `&mut` is enough"), "{said}");
    let said = reason(vec![module("Collected")], Vec::new());
    assert!(said.contains("number 1, `a: &mut Foo`, and number 2, `b: Samples<Bar>`"), "{said}");
}

#[test]
fn a_sample_method_is_refused_likewise() {
    let said = reason(Vec::new(), registry::sources());
    assert!(said.contains("`SampledTwice.go` (crates/hemiola/tests/refused.rs:"), "{said}");
    assert!(said.contains("`_a: &mut Foo`, and number 2, `_b: &mut Bar`"), "{said}");
}

#[test]
fn check_and_run_print_it_and_run_nothing() {
    // All that is linked here, of which every update panics if it is called.
    for command in ["check", "run"] {
        let robot = Application::embedded("[cycle.main]\nrate = 10.0\n");
        assert_ne!(robot.run_with(["robot", command]), ExitCode::SUCCESS);
    }
}

struct Small(());

impl Module for Small {
    const NAME: &'static str = "Small";
    type Parameters = ();

    fn create((): ()) -> Self {
        Self(())
    }

    fn parameters_mut(&mut self) -> &mut () {
        &mut self.0
    }
}

impl Source for Small {
    const NAME: &'static str = "Small";
    type Parameters = ();

    fn create((): ()) -> Self {
        Self(())
    }

    fn parameters_mut(&mut self) -> &mut () {
        &mut self.0
    }
}

struct Big([u64; 64]);

fn of_big() -> Update {
    Update::exclusive::<Big, (), ()>("go", |big, ()| big.0[63] += 1)
}

#[test]
fn an_update_of_another_type_is_refused() {
    let given = ModuleDescriptor::of::<Small>("poc", "poc.rs:1", vec![of_big()], None);
    let said = reason(vec![given], Vec::new());
    assert!(said.contains("`Small.go` (poc.rs:1) is an update of `refused::Big`"), "{said}");
    let given = SourceDescriptor::of::<Small>("poc", "poc.rs:2", SourceRate::Hertz(1.0), of_big());
    let said = reason(Vec::new(), vec![given]);
    assert!(said.contains("`Small.go` (poc.rs:2) is an update of `refused::Big`"), "{said}");
}

#[test]
fn a_refused_update_says_why_for_good() {
    // Given back to its own type, and to a copy, it stays refused.
    let descriptor = ModuleDescriptor::of::<Small>("poc", "poc.rs:1", vec![of_big()], None);
    let again = ModuleDescriptor::of::<Small>("poc", "poc.rs:1", descriptor.updates().to_vec(), None);
    let refusal = again.refusals().next().expect("it is refused");
    assert!(matches!(refusal.reason, RefusalReason::OtherOwner { .. }));
}

#[test]
fn two_modules_of_one_name_do_not_get_each_others_updates() {
    struct Impostor(Vec<String>, ());
    impl Module for Impostor {
        const NAME: &'static str = "Small";
        type Parameters = ();
        fn create((): ()) -> Self {
            Self(vec!["text".to_owned()], ())
        }
        fn parameters_mut(&mut self) -> &mut () {
            &mut self.1
        }
    }
    let first = ModuleDescriptor::of::<Small>(
        "one",
        "one.rs:1",
        vec![Update::exclusive::<Small, (), ()>("go", |_, ()| ())],
        None,
    );
    let update = Update::exclusive::<Impostor, (), ()>("go", |module, ()| module.0.push("more".to_owned()));
    let second = ModuleDescriptor::of::<Impostor>("two", "two.rs:1", vec![update], None);
    let error = assembled(vec![first, second], Vec::new()).expect_err("names are unique");
    assert!(matches!(error, RuntimeError::Unresolved { .. }), "{error}");
}

/// A module or source whose constructor panics.
struct NoGait(());

impl Module for NoGait {
    const NAME: &'static str = "NoGait";
    type Parameters = ();
    fn create((): ()) -> Self {
        panic!("no gait table")
    }
    fn parameters_mut(&mut self) -> &mut () {
        &mut self.0
    }
}

impl Source for NoGait {
    const NAME: &'static str = "NoGait";
    type Parameters = ();
    fn create((): ()) -> Self {
        panic!("no gait table")
    }
    fn parameters_mut(&mut self) -> &mut () {
        &mut self.0
    }
}

fn no_gait() -> Vec<ModuleDescriptor> {
    let update = Update::exclusive::<NoGait, (), ()>("go", |_, ()| ());
    vec![ModuleDescriptor::of::<NoGait>("poc", "poc.rs:1", vec![update], None)]
}

#[test]
fn a_constructor_that_panics_is_an_error_that_names_the_module_and_its_table() {
    let said = |robot: Result<Robot, RuntimeError>| {
        let error = robot.and_then(Robot::into_stepper).expect_err("it panics");
        assert!(matches!(&error, RuntimeError::Constructor { name, .. } if name == "NoGait"), "{error}");
        let said = error.to_string();
        assert!(said.starts_with("`NoGait` (poc.rs:1) cannot be made"), "{said}");
        assert!(said.contains("refused.rs:") && said.contains("no gait table"), "{said}");
        said
    };
    assert!(said(assembled(no_gait(), Vec::new())).contains("robot.toml has no table for it"));

    let sample = Update::exclusive::<NoGait, (), _>("go", |_, ()| ());
    let source = SourceDescriptor::of::<NoGait>("poc", "poc.rs:1", SourceRate::Hertz(10.0), sample);
    said(assembled(Vec::new(), vec![source]));

    let robot = "[cycle.main]\nrate = 50.0\n\n[module.NoGait]\non_failure = \"restart\"\n";
    let component = hemiola_config::Component::new("NoGait", "poc");
    let catalog = Catalog::new([component], []);
    let configuration = parse(robot, "robot.toml", &catalog).unwrap().configuration;
    let said = said(Robot::assemble_from(configuration, no_gait(), Vec::new()));
    assert!(said.contains("with the parameters at robot.toml:4:"), "{said}");
}

/// Cannot be made.
#[derive(Representation, Clone)]
struct Map {
    tiles: Vec<u8>,
}

impl Default for Map {
    fn default() -> Self {
        panic!("no tiles")
    }
}

#[test]
fn a_default_that_panics_is_an_error_that_names_the_representation() {
    struct Cartographer;
    impl Module for Cartographer {
        const NAME: &'static str = "Cartographer";
        type Parameters = ();
        fn create((): ()) -> Self {
            Self
        }
        fn parameters_mut(&mut self) -> &mut () {
            Box::leak(Box::new(()))
        }
    }
    let cartographer = |update| vec![ModuleDescriptor::of::<Cartographer>("poc", "poc.rs:1", vec![update], None)];
    let draw = Update::exclusive::<Cartographer, (&mut Map, ()), ()>("draw", |_, (_, ())| ());
    let error = assembled(cartographer(draw), Vec::new()).and_then(Robot::into_stepper).expect_err("it panics");
    assert!(matches!(&error, RuntimeError::DefaultValue { name, .. } if name == "Map"), "{error}");
    let said = error.to_string();
    assert!(said.starts_with("the default value of `Map` cannot be made: it panicked at "), "{said}");
    assert!(said.contains("no tiles") && said.contains("robot.toml"), "{said}");

    // One that is made with the first message's slot.
    let send =
        Update::exclusive::<Cartographer, (&mut Publisher<Map>, (&Subscription<Map>, ())), ()>("send", |_, _| ());
    let error = assembled(cartographer(send), Vec::new()).and_then(Robot::into_stepper).expect_err("it panics");
    let said = error.to_string();
    assert!(said.contains("`Cartographer.send` cannot be connected to `Map`") && said.contains("no tiles"), "{said}");
}
