//! One run of one module, on given values: repeats a run that was extracted from a log, without a
//! robot.

#![expect(unsafe_code, reason = "an update is called on values that nobody else has")]

use std::collections::BTreeMap;

use hemiola_bus::Bus;
use hemiola_model::cdr::{CdrReader, CdrWriter};
use hemiola_model::data::{ReadError, Reader};
use hemiola_model::module::cell::{Cell, View};
use hemiola_model::module::{
    ArgumentDescriptor, ArgumentKind, BetweenRuns, Binding, Context, Debug, Instance, ModuleDescriptor, Outcome,
    PortCell, PortDescriptor, PortRole, SafeState, Scope, Update,
};
use hemiola_model::{AnyRepresentation, Clock, RepresentationDescriptor, Time, Value};

use crate::ports::Ports;

/// The values from which a module computes a run.
///
/// ```
/// use hemiola_model::module::{ModuleDescriptor, Update};
/// use hemiola_model::{Clock, Time, cdr};
/// use hemiola_runtime::SingleRun;
/// # use hemiola_model::{Data, Form, Representation, data::{DataType, ReadError, Reader, Writer}};
/// # #[derive(Default)] struct Odometry(f32);
/// # impl Data for Odometry {
/// #     fn data_type() -> DataType { f32::data_type() }
/// #     fn write(&self, writer: &mut dyn Writer) { self.0.write(writer) }
/// #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { f32::read(reader).map(Self) }
/// # }
/// # impl Representation for Odometry { const NAME: &'static str = "Odometry"; fn form() -> Form<Self> { Form::data() } }
/// # struct Walk(());
/// # impl hemiola_model::module::Module for Walk {
/// #     const NAME: &'static str = "Walk";
/// #     type Parameters = ();
/// #     fn create((): ()) -> Self { Self(()) }
/// #     fn parameters_mut(&mut self) -> &mut () { &mut self.0 }
/// # }
///
/// let odometry = Update::exclusive::<Walk, (&Clock, (&mut Odometry, ())), ()>("odometry", |_, (clock, (odometry, ()))| odometry.0 = clock.step_seconds());
/// let walk = ModuleDescriptor::of::<Walk>("nao::motion", "", vec![odometry], None);
/// let mut run = SingleRun::default();
/// run.clock = Clock::new(Time::ZERO, std::time::Duration::from_millis(500), 7);
/// let done = run.of(&walk)?;
/// assert_eq!(done.outputs["Odometry"], Some(cdr::encode(&0.5_f32)));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SingleRun {
    /// The clock of the cycle.
    pub clock: Clock,
    /// The safe state of the robot.
    pub safe_state: SafeState,
    /// The parameters that differ from their defaults.
    pub parameters: BTreeMap<String, Value>,
    /// The state of the module, in CDR; `None` for that of a new module.
    pub state: Option<Vec<u8>>,
    /// The inputs.
    pub inputs: Vec<RunInput>,
    /// The order in which its updates run; those that are not listed run last, in the order of
    /// declaration.
    pub order: Vec<String>,
}

/// A value, samples, or messages that a module reads.
///
/// ```
/// use hemiola_model::module::ArgumentKind;
/// use hemiola_model::{Time, cdr};
/// use hemiola_runtime::RunInput;
///
/// let pose = RunInput { kind: ArgumentKind::Uses, representation: "Pose".into(), views: vec![(Time::ZERO, false)], bytes: cdr::encode(&1.5_f32) };
/// # assert_eq!(pose.views.len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct RunInput {
    /// The kind of the argument: this run's value, that of the previous run, samples, or a topic.
    pub kind: ArgumentKind,
    /// The name of the representation or topic.
    pub representation: String,
    /// For each value, the time stamp of the newest sample from which it derives, and whether it is
    /// stale.
    pub views: Vec<(Time, bool)>,
    /// The values in CDR; samples and messages are a sequence.
    pub bytes: Vec<u8>,
}

/// The outcome of a run.
///
/// ```
/// assert!(hemiola_runtime::RunResult::default().outputs.is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunResult {
    /// The provided values by representation, in CDR; `None` if the update failed. Opaque ones are
    /// skipped.
    pub outputs: BTreeMap<String, Option<Vec<u8>>>,
    /// The state of the module after the run, in CDR, if it can be written.
    pub state: Option<Vec<u8>>,
}

impl SingleRun {
    /// Creates the module and runs all its updates once. A panic of an update is propagated to the
    /// caller.
    ///
    /// # Errors
    /// Returns an error with the reason in words: something that the module reads is missing or of
    /// another type, a parameter cannot be set, or the module is a client of a service.
    pub fn of(&self, module: &ModuleDescriptor) -> Result<RunResult, String> {
        let instance = module.create(&self.parameters).map_err(|error| error.to_string())?;
        if let Some(state) = &self.state {
            let failed = |error: ReadError| format!("the state of {}: {error}", module.name());
            let mut reader = CdrReader::new(state).map_err(failed)?;
            // SAFETY: nobody else has the instance.
            unsafe { instance.alone() }.read_state(&mut reader).map_err(failed)?;
        }
        let mut updates: Vec<&Update> = module.updates().iter().collect();
        let place = |update: &&Update| self.order.iter().position(|name| name == update.name()).unwrap_or(usize::MAX);
        updates.sort_by_key(place);
        let bus = Bus::new();
        let mut result = RunResult::default();
        for update in updates {
            self.call(module, update, &instance, &bus, &mut result)?;
        }
        result.state = instance.state().is_data().then(|| {
            let mut writer = CdrWriter::default();
            instance.into_state(&mut writer);
            writer.finish()
        });
        Ok(result)
    }

    fn call(
        &self,
        module: &ModuleDescriptor,
        update: &Update,
        instance: &Instance,
        bus: &Bus,
        result: &mut RunResult,
    ) -> Result<(), String> {
        let ports = Ports::connect(module.name(), update, bus).map_err(|error| error.to_string())?;
        for (index, argument) in update.arguments().iter().enumerate() {
            if let (Some(end), Some(port)) = (argument.port(), ports.get(index)) {
                self.connect(module, end, port)?;
            }
        }
        let arguments = update.arguments().iter().map(|argument| self.place(module, argument));
        let places: Vec<Option<Place>> = arguments.collect::<Result<_, _>>()?;
        let bindings: Vec<Binding<'_>> = places
            .iter()
            .enumerate()
            .map(|(index, place)| match (place, ports.get(index)) {
                (Some(place), _) => Binding::Cell(&place.cell),
                (None, Some(port)) => Binding::Port(port),
                (None, None) => Binding::Service,
            })
            .collect();
        let context = Context::new(self.clock, Scope::default(), Debug::default(), self.safe_state);
        // SAFETY: the instance is of this module, like all updates of a descriptor, and nobody else
        // has it; every argument has what it requires, created just now, and nobody else sees it.
        let outcome = unsafe { update.call(instance, &bindings, &context) };
        let is_done = !matches!(outcome, Outcome::Failed(_));
        for place in places.iter().flatten().filter(|place| place.is_output) {
            let [value] = place.values.as_slice() else { continue };
            let mut writer = CdrWriter::default();
            if value.write(&mut writer) {
                result.outputs.insert(value.descriptor().name().to_owned(), is_done.then(|| writer.finish()));
            }
        }
        Ok(())
    }

    /// Gives a subscription the messages that it received.
    fn connect(&self, module: &ModuleDescriptor, end: PortDescriptor, port: &PortCell) -> Result<(), String> {
        let (name, topic) = (module.name(), end.name());
        match end.role() {
            PortRole::Publishes => Ok(()),
            PortRole::Calls => Err(format!("{name} calls service {topic}: such a run cannot be repeated alone")),
            PortRole::Subscribes => {
                let input =
                    self.inputs.iter().find(|input| input.kind == ArgumentKind::Port && input.representation == topic);
                let input =
                    input.ok_or_else(|| format!("{name} subscribes to {topic}, whose messages are not there"))?;
                let mut reader = CdrReader::new(&input.bytes).map_err(|error| format!("{topic}: {error}"))?;
                // SAFETY: nothing runs, and nobody else has the port.
                let mut between = unsafe { BetweenRuns::assume() };
                let record = port.port_mut(&mut between).record_mut();
                let record = record.ok_or_else(|| format!("{topic}: its subscription keeps no record"))?;
                record.receive(&mut reader).map_err(|error| format!("{topic}: {error}"))
            }
        }
    }

    /// Creates what an argument refers to; `None` for services and ends of topics.
    fn place(&self, module: &ModuleDescriptor, argument: &ArgumentDescriptor) -> Result<Option<Place>, String> {
        let Some(descriptor) = argument.representation() else { return Ok(None) };
        if argument.kind() == ArgumentKind::Provides {
            return Ok(Some(Place::of_output(descriptor)));
        }
        let name = descriptor.name();
        let fits = |input: &&RunInput| input.kind == argument.kind() && input.representation == name;
        let input = self
            .inputs
            .iter()
            .find(fits)
            .ok_or_else(|| format!("{} reads {name}, which is not there", module.name()))?;
        Place::of_input(descriptor, input).map(Some).map_err(|error| format!("{name}: {error}"))
    }
}

/// A cell, and the values that it shows.
struct Place {
    cell: Cell,
    values: Vec<AnyRepresentation>,
    is_output: bool,
}

impl Place {
    fn of_output(descriptor: &'static RepresentationDescriptor) -> Self {
        let value = descriptor.create();
        let cell = Cell::new(descriptor, View::of(&value));
        // SAFETY: nobody else sees the value.
        unsafe { cell.set_writing(value.as_ptr()) };
        Self { cell, values: vec![value], is_output: true }
    }

    fn of_input(descriptor: &'static RepresentationDescriptor, input: &RunInput) -> Result<Self, ReadError> {
        let mut reader = CdrReader::new(&input.bytes)?;
        let is_sequence = input.kind == ArgumentKind::Collects;
        let count = if is_sequence { reader.begin_sequence()?.min(input.views.len()) } else { 1 };
        let mut values = Vec::new();
        for _ in 0..count {
            let mut value = descriptor.create();
            value.read(&mut reader)?;
            values.push(value);
        }
        let mut views = Vec::new();
        if is_sequence {
            let seen = |(value, &(stamp, stale))| View { stamp, stale, ..View::of(value) };
            views.extend(values.iter().zip(&input.views).map(seen));
            // The cell also shows a value besides the samples.
            values.push(descriptor.create());
        }
        let shown = values.last().map(View::of).ok_or_else(|| reader.error("there is no value".to_owned()))?;
        let &(stamp, stale) = input.views.first().filter(|_| !is_sequence).unwrap_or(&(shown.stamp, shown.stale));
        let cell = Cell::new(descriptor, View { stamp, stale, ..shown });
        // SAFETY: nothing runs yet, and all values that the cell shows are kept beside it.
        unsafe { *cell.collected_mut(&mut BetweenRuns::assume()) = views };
        Ok(Self { cell, values, is_output: false })
    }
}
