//! The catalog of what is linked into a program.

use std::collections::BTreeMap;

use hemiola_config::{Catalog, parse};
use hemiola_model::macros_support::{Registration, inventory};
use hemiola_model::module::{Module, ModuleDescriptor, Update};
use hemiola_model::{
    Data, Form, ParameterDescription, Parameters, ParametersError, Range, Representation, Source, SourceDescriptor,
    SourceRate, Value,
};

#[derive(Default)]
struct Image;

impl Representation for Image {
    const NAME: &'static str = "Image";

    fn form() -> Form<Self> {
        Form::opaque()
    }
}

#[derive(Default)]
struct BallPercept;

impl Representation for BallPercept {
    const NAME: &'static str = "BallPercept";

    fn form() -> Form<Self> {
        Form::opaque()
    }
}

#[derive(Default)]
struct Threshold(f32);

impl Parameters for Threshold {
    fn describe() -> Vec<ParameterDescription> {
        let range = Some(Range::new(0.0, 1.0));
        vec![ParameterDescription::new("threshold", f32::data_type(), "", "", Value::Float(0.0), range)]
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<(), ParametersError> {
        self.0 = hemiola_model::macros_support::read_parameter::<Self, f32>(name, value)?;
        Ok(())
    }
}

struct BallFinder(Threshold);

impl Module for BallFinder {
    const NAME: &'static str = "BallFinder";
    type Parameters = Threshold;

    fn create(parameters: Threshold) -> Self {
        Self(parameters)
    }

    fn parameters_mut(&mut self) -> &mut Threshold {
        &mut self.0
    }
}

struct Camera(());

impl Source for Camera {
    const NAME: &'static str = "Camera";
    type Parameters = ();

    fn create((): ()) -> Self {
        Self(())
    }

    fn parameters_mut(&mut self) -> &mut () {
        &mut self.0
    }
}

inventory::submit!(Registration::Module(|| {
    let find = Update::exclusive::<BallFinder, (&'static Image, (&'static mut BallPercept, ())), ()>("find", |_, _| ());
    ModuleDescriptor::of::<BallFinder>("nao::cognition", "ball_finder.rs:1", vec![find], None)
}));

inventory::submit!(Registration::Source(|| {
    let sample = Update::exclusive::<Camera, (&'static mut Image, ()), ()>("sample", |_, _| ());
    SourceDescriptor::of::<Camera>("nao::simulator", "camera.rs:1", SourceRate::Hertz(30.0), sample)
}));

#[test]
fn a_linked_module_can_be_configured_and_created() {
    let catalog = Catalog::linked();
    assert_eq!(catalog.representations.iter().collect::<Vec<_>>(), ["BallPercept", "Image"]);
    assert_eq!(catalog.modules[0].provides.iter().collect::<Vec<_>>(), ["BallPercept"]);

    let text = "[cycle.main]\ntrigger = \"Camera\"\nmodules = [\"nao::cognition::BallFinder\"]\n\
                [providers]\nBallPercept = \"BallFinder\"\nImage = \"Camera\"\n[module.BallFinder]\nthreshold = 0.5\n";
    let loaded = parse(text, "robot.toml", &catalog).unwrap();
    assert!(loaded.warnings.is_empty(), "{}", loaded.warnings);
    let parameters: &BTreeMap<_, _> = &loaded.configuration.modules["BallFinder"].parameters;
    assert_eq!(Threshold::with(parameters).unwrap().0, 0.5);
    let error = parse(&text.replace("0.5", "1.5"), "robot.toml", &catalog).unwrap_err();
    assert!(error.to_string().starts_with("error: `threshold` must be within 0.0 ..= 1.0, not 1.5\n"), "{error}");
}
