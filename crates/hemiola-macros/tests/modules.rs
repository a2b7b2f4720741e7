//! The code that the macros generate for a user's code.
#![forbid(unsafe_code)]

use hemiola::module::{Access, ArgumentKind, registry};
use hemiola::prelude::*;

#[derive(Representation, Clone, Default, Debug, PartialEq)]
struct Number {
    value: f32,
    list: Vec<u8>,
    kind: Kind,
    maybe: Option<[f32; 2]>,
}

#[derive(Data, Clone, Default, Debug, PartialEq)]
enum Kind {
    #[default]
    Empty,
    Pair(f32, f32),
    Named {
        name: String,
    },
}

#[derive(Representation, Clone, Default)]
struct Sum {
    value: f32,
}

#[derive(Parameters)]
struct AdderParameters {
    /// What is added.
    #[parameter(default = 1.0, range = 0.0..=10.0, unit = "m")]
    offset: f32,
}

#[derive(Module)]
struct Adder {
    #[parameters]
    parameters: AdderParameters,
    calls: u32,
}

#[module]
impl Adder {
    #[update]
    fn sum(
        &mut self,
        number: &Number,
        last: Previous<Sum>,
        clock: &Clock,
        sum: &mut Sum,
        scope: &Scope,
    ) -> Result<(), String> {
        self.calls += clock.run() as u32;
        let (a, b) = scope.join(|| number.value, || self.parameters.offset);
        sum.value = last.value + a + b;
        Ok(())
    }
}

#[derive(Source)]
struct Numbers {
    count: u32,
}

#[source]
impl Numbers {
    #[sample(rate = 100.0)]
    fn next(&mut self, number: &mut Number) {
        self.count += 1;
        number.value = self.count as f32;
    }
}

#[test]
fn a_module_is_tested_in_five_lines() {
    let mut adder = Adder { parameters: AdderParameters::default(), calls: 0 };
    let mut sum = Sum::default();
    let number = Number { value: 2.0, ..Default::default() };
    adder.sum(&number, Previous::new(&Sum { value: 0.5 }), &Clock::default(), &mut sum, &Scope::default()).unwrap();
    assert_eq!(sum.value, 3.5);
}

#[test]
fn the_signature_is_the_declaration() {
    let modules = registry::modules();
    let adder = modules.iter().find(|module| module.name() == "Adder").unwrap();
    assert_eq!(adder.path(), "modules");
    assert_eq!(adder.parameters()[0].documentation, "What is added.");
    let update = &adder.updates()[0];
    assert_eq!((update.name(), update.access()), ("sum", Access::Exclusive));
    let kinds: Vec<_> = update.arguments().iter().map(|argument| argument.kind()).collect();
    use ArgumentKind::*;
    assert_eq!(kinds, [Requires, Uses, Service, Provides, Service]);
    assert_eq!(registry::sources()[0].name(), "Numbers");
}

#[test]
fn data_survives_its_text_form() {
    use hemiola::data::Value;
    for kind in [Kind::Empty, Kind::Pair(1.0, 2.0), Kind::Named { name: "n".into() }] {
        let number = Number { value: 0.1, list: vec![1, 2], kind, maybe: Some([1.0, -2.0]) };
        let text = Value::of(&number);
        assert_eq!(text.read::<Number>().unwrap(), number, "{text}");
    }
    let error = Value::of(&Sum::default()).read::<Number>().unwrap_err();
    assert_eq!(error.to_string(), "list: is missing");
}

#[test]
fn a_value_that_is_read_over_another_is_the_one_that_was_written() {
    use hemiola::cdr::{CdrReader, encode};
    use hemiola::data::Data as _;

    #[derive(Data, Clone, Debug, PartialEq)]
    #[data(transparent)]
    struct Bytes(Vec<u8>);

    #[derive(Data, Clone, Debug, PartialEq)]
    struct Both {
        number: Number,
        bytes: Bytes,
    }

    let number = |value: f32, list, kind| Number { value, list, kind, maybe: (value > 1.0).then_some([value; 2]) };
    let values = [
        Both { number: number(1.0, vec![1], Kind::Pair(0.5, 1.5)), bytes: Bytes(vec![1; 10]) },
        Both { number: number(2.0, vec![], Kind::Named { name: "two".into() }), bytes: Bytes(vec![2; 20]) },
        Both { number: number(3.0, vec![3, 4], Kind::Empty), bytes: Bytes(vec![]) },
    ];
    for (old, new) in values.iter().flat_map(|old| values.iter().map(move |new| (old, new))) {
        let (mut value, cdr) = (old.clone(), encode(new));
        value.read_over(&mut CdrReader::new(&cdr).unwrap()).unwrap();
        assert_eq!(&value, new);
    }
    let (mut value, cdr) = (values[1].clone(), encode(&values[0]));
    let place = value.bytes.0.as_ptr();
    value.read_over(&mut CdrReader::new(&cdr).unwrap()).unwrap();
    assert_eq!(value.bytes.0.as_ptr(), place, "the memory is kept");
}
