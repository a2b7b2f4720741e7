//! Numbers within values, found by their paths: `position.x`, `joints[3]`.

use std::fmt;

use hemiola_model::data::{DataType, Field, FixedLength, Items, VariantContent, VariantHead, Writer};

/// A step of a path within a value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// A field of a structure, or a variant that has fields.
    Name(String),
    /// An item of a sequence.
    Item(usize),
}

impl Step {
    /// Returns the step as it is written, without a dot before it.
    fn text(&self) -> String {
        match self {
            Self::Name(name) => name.clone(),
            Self::Item(item) => item.to_string(),
        }
    }
}

/// The path to a number within a value. An empty path is the value itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldPath(Vec<Step>);

/// The most steps of a path.
const DEEPEST: usize = 32;

impl FieldPath {
    /// Parses a path such as `position.x` or `joints[3].angle`; `joints.3.angle` is equivalent.
    ///
    /// # Errors
    /// Returns an error with the reason if the text is not a path.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        for part in text.split('.').filter(|_| !text.is_empty()) {
            let (name, items) = part.split_at(part.find('[').unwrap_or(part.len()));
            match name.parse() {
                Ok(item) => steps.push(Step::Item(item)),
                Err(_) if name.is_empty() && items.is_empty() => {
                    return Err(format!("`{text}` is not the path of a field: a name is missing"));
                }
                Err(_) if name.is_empty() => {}
                Err(_) => steps.push(Step::Name(name.to_owned())),
            }
            for item in items.split('[').skip(1) {
                let number = item.strip_suffix(']').and_then(|item| item.parse().ok());
                let number =
                    number.ok_or_else(|| format!("`{text}` is not the path of a field: `[{item}` is not an item"))?;
                steps.push(Step::Item(number));
            }
        }
        if steps.len() > DEEPEST {
            return Err(format!("the path `{text}` is too long"));
        }
        Ok(Self(steps))
    }

    /// Checks that a value of a type can have a number at this path.
    ///
    /// # Errors
    /// Returns an error that names the wrong step if it cannot.
    pub fn check(&self, data_type: &DataType) -> Result<(), String> {
        let mut at = data_type;
        let mut variant: Option<&[Field]> = None;
        for step in &self.0 {
            while let (DataType::Optional(inner), None) = (at, variant) {
                at = inner;
            }
            let fields = match (variant.take(), at, step) {
                (None, DataType::Array(inner, length), Step::Item(item)) if item < length => {
                    at = inner;
                    continue;
                }
                (None, DataType::Sequence(inner) | DataType::Bounded(inner, _), Step::Item(_)) => {
                    at = inner;
                    continue;
                }
                (None, DataType::Enumeration { variants, .. }, Step::Name(name)) => {
                    let found = variants.iter().find(|variant| variant.name == *name);
                    let names = variants.iter().map(|variant| variant.name.as_str());
                    let found = found.ok_or_else(|| hemiola_config::unknown("variant", name, names))?;
                    variant = Some(&found.fields);
                    continue;
                }
                (None, DataType::Structure { fields, .. }, _) => fields,
                (Some(fields), ..) => fields,
                _ => return Err(format!("`{self}` is not a number: {at} has no {}", step.text())),
            };
            let name = step.text();
            let found = fields.iter().find(|field| field.name == name);
            let names = fields.iter().map(|field| field.name.as_str());
            at = &found.ok_or_else(|| hemiola_config::unknown("field", &name, names))?.data_type;
        }
        while let (DataType::Optional(inner), None) = (at, variant) {
            at = inner;
        }
        let is_whole = matches!(
            at,
            DataType::Text
                | DataType::Structure { .. }
                | DataType::Array(..)
                | DataType::Sequence(_)
                | DataType::Bounded(..)
        );
        match is_whole || variant.is_some() {
            true => Err(format!("`{self}` is not a number: choose one of its fields")),
            false => Ok(()),
        }
    }

    /// Returns the number of steps.
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            match step {
                Step::Name(name) if index == 0 => formatter.write_str(name)?,
                Step::Name(name) => write!(formatter, ".{name}")?,
                Step::Item(item) => write!(formatter, "[{item}]")?,
            }
        }
        Ok(())
    }
}

/// The most paths that are looked up in one pass.
pub const MOST_PATHS: usize = 64;

/// Extracts numbers from the value that is written to it.
pub struct Picker<'p> {
    paths: &'p [FieldPath],
    open: Vec<Open>,
    /// The paths that lead to the next part of the value, one bit for each.
    next: u64,
    /// Set for each open variant that has fields.
    variants: Vec<bool>,
    found: Vec<Option<f64>>,
}

/// A structure, sequence or variant that is being written.
struct Open {
    /// The paths that lead into the structure, sequence or variant.
    within: u64,
    /// The number of steps that lead to the structure, sequence or variant.
    depth: usize,
    /// The index of the next item, in a sequence.
    item: Option<usize>,
}

impl<'p> Picker<'p> {
    /// Creates a picker for these paths, of which the first [`MOST_PATHS`] are looked up.
    pub fn new(paths: &'p [FieldPath]) -> Self {
        let paths = &paths[..paths.len().min(MOST_PATHS)];
        let all = if paths.len() == MOST_PATHS { u64::MAX } else { (1 << paths.len()) - 1 };
        Self { paths, open: Vec::new(), next: all, variants: Vec::new(), found: vec![None; paths.len()] }
    }

    /// Returns the number at each path; `None` if there is no number.
    pub fn finish(self) -> Vec<Option<f64>> {
        self.found
    }

    /// Returns the number of steps that lead to the next part of the value.
    fn depth(&self) -> usize {
        self.open.last().map_or(0, |open| open.depth + 1)
    }

    /// Begins a value; in a sequence, this is the next item.
    fn enter(&mut self) {
        let Some(open) = self.open.last_mut() else { return };
        let Some(item) = &mut open.item else { return };
        let (within, depth, number) = (open.within, open.depth, *item);
        *item += 1;
        self.next = if within == 0 { 0 } else { self.matching(within, depth, &Step::Item(number)) };
    }

    fn matching(&self, within: u64, depth: usize, step: &Step) -> u64 {
        let leads = |path: &FieldPath| path.0.get(depth) == Some(step);
        let bits = self.paths.iter().enumerate().filter(|(bit, path)| within >> bit & 1 == 1 && leads(path));
        bits.fold(0, |bits, (bit, _)| bits | 1 << bit)
    }

    fn put(&mut self, value: f64) {
        self.enter();
        self.note(value);
    }

    /// Notes `value` as the number at the current position.
    fn note(&mut self, value: f64) {
        let (mut left, depth) = (self.next, self.depth());
        while left != 0 {
            let bit = left.trailing_zeros() as usize;
            if self.paths[bit].len() == depth {
                self.found[bit] = Some(value);
            }
            left &= left - 1;
        }
    }

    fn begin(&mut self, is_sequence: bool) {
        let depth = self.depth();
        self.open.push(Open { within: self.next, depth, item: is_sequence.then_some(0) });
    }
}

impl Writer for Picker<'_> {
    fn boolean(&mut self, value: bool) {
        self.put(f64::from(u8::from(value)));
    }

    fn signed(&mut self, value: i64, _: u32) {
        self.put(value as f64);
    }

    fn unsigned(&mut self, value: u64, _: u32) {
        self.put(value as f64);
    }

    fn float32(&mut self, value: f32) {
        self.put(f64::from(value));
    }

    fn float64(&mut self, value: f64) {
        self.put(value);
    }

    fn string(&mut self, _: &str) {
        self.enter();
    }

    fn time(&mut self, nanoseconds: i64) {
        self.put(nanoseconds as f64 * 1e-9);
    }

    fn items(&mut self, items: Items<'_>) {
        // The bytes of an image are skipped unless a path leads to them.
        let is_wanted = self.open.last().is_none_or(|open| open.within != 0);
        if is_wanted {
            each(items, self);
        }
    }

    fn begin_sequence(&mut self, _: usize, _: FixedLength) {
        self.enter();
        self.begin(true);
    }

    fn end_sequence(&mut self) {
        self.open.pop();
    }

    fn begin_structure(&mut self, _: &str) {
        // The fields of a variant are as many steps away as the variant itself.
        self.enter();
        self.begin(false);
    }

    fn field(&mut self, name: &str) {
        let Some(open) = self.open.last() else { return };
        let (within, depth) = (open.within, open.depth);
        self.next = if within == 0 { 0 } else { self.matching(within, depth, &Step::Name(name.to_owned())) };
    }

    fn end_structure(&mut self) {
        self.open.pop();
    }

    fn none(&mut self) {
        self.enter();
    }

    fn some(&mut self) {}

    fn begin_variant(&mut self, variants: &[VariantHead], index: usize) {
        self.enter();
        self.note(index as f64);
        let fields = variants.get(index).filter(|variant| variant.content == VariantContent::Fields);
        self.variants.push(fields.is_some());
        if let Some(VariantHead { name, .. }) = fields {
            self.begin(false);
            self.field(name);
        }
    }

    fn end_variant(&mut self) {
        if self.variants.pop() == Some(true) {
            self.open.pop();
        }
    }
}

/// Visits each number of the items.
fn each(items: Items<'_>, picker: &mut Picker<'_>) {
    match items {
        Items::U8(items) => items.iter().for_each(|&item| picker.put(f64::from(item))),
        Items::U16(items) => items.iter().for_each(|&item| picker.put(f64::from(item))),
        Items::U32(items) => items.iter().for_each(|&item| picker.put(f64::from(item))),
        Items::U64(items) => items.iter().for_each(|&item| picker.put(item as f64)),
        Items::I8(items) => items.iter().for_each(|&item| picker.put(f64::from(item))),
        Items::I16(items) => items.iter().for_each(|&item| picker.put(f64::from(item))),
        Items::I32(items) => items.iter().for_each(|&item| picker.put(f64::from(item))),
        Items::I64(items) => items.iter().for_each(|&item| picker.put(item as f64)),
        Items::F32(items) => items.iter().for_each(|&item| picker.put(f64::from(item))),
        Items::F64(items) => items.iter().for_each(|&item| picker.put(item)),
    }
}

/// A number that can be plotted, with its path and its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumericField {
    /// The path, such as `position.x`.
    pub path: String,
    /// The type, such as `float32`.
    pub data_type: String,
}

impl NumericField {
    /// Returns the path of the number below `name`, such as `Ball.position.x`.
    pub fn below(&self, name: &str) -> String {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        format!("{name}{separator}{}", self.path)
    }
}

/// The most fields that are listed.
const MOST_FIELDS: usize = 2000;
/// The number of items that are listed for a sequence.
const LISTED_ITEMS: usize = 8;
/// The number of items that are listed for an array.
const LISTED_OF_ARRAY: usize = 64;

/// Lists the numbers of a type, in the order of its fields. Only the first items of sequences are
/// listed.
pub fn numeric_fields(data_type: &DataType) -> Vec<NumericField> {
    let mut found = Vec::new();
    list(data_type, &mut Vec::new(), &mut found);
    found
}

fn list(data_type: &DataType, way: &mut Vec<Step>, found: &mut Vec<NumericField>) {
    if found.len() >= MOST_FIELDS || way.len() >= DEEPEST {
        return;
    }
    match data_type {
        DataType::Text => {}
        DataType::Optional(inner) => list(inner, way, found),
        DataType::Array(inner, length) => list_items(inner, (*length).min(LISTED_OF_ARRAY), way, found),
        DataType::Sequence(inner) => list_items(inner, LISTED_ITEMS, way, found),
        DataType::Bounded(inner, limit) => list_items(inner, (*limit).min(LISTED_ITEMS), way, found),
        DataType::Structure { fields, .. } => {
            for field in fields {
                list_at(Step::Name(field.name.clone()), &field.data_type, way, found);
            }
        }
        DataType::Enumeration { variants, .. } => {
            note(data_type, way, found);
            for variant in variants {
                let fields = DataType::structure(variant.name.as_str(), variant.fields.clone());
                list_at(Step::Name(variant.name.clone()), &fields, way, found);
            }
        }
        DataType::Boolean
        | DataType::Signed(_)
        | DataType::Unsigned(_)
        | DataType::Float32
        | DataType::Float64
        | DataType::Time
        | DataType::Duration => note(data_type, way, found),
    }
}

fn list_items(inner: &DataType, count: usize, way: &mut Vec<Step>, found: &mut Vec<NumericField>) {
    (0..count).for_each(|item| list_at(Step::Item(item), inner, way, found));
}

fn list_at(step: Step, data_type: &DataType, way: &mut Vec<Step>, found: &mut Vec<NumericField>) {
    way.push(step);
    list(data_type, way, found);
    way.pop();
}

fn note(data_type: &DataType, way: &[Step], found: &mut Vec<NumericField>) {
    found.push(NumericField { path: FieldPath(way.to_vec()).to_string(), data_type: data_type.to_string() });
}

#[cfg(test)]
mod tests {
    use hemiola_macros::Data;
    use hemiola_model::data::Data;
    use proptest::prelude::*;

    use super::*;

    #[derive(Data, Clone, Debug, Default)]
    struct Sample {
        seen: bool,
        position: [f32; 2],
        history: Vec<Part>,
        maybe: Option<f64>,
        action: Action,
        name: String,
    }

    #[derive(Data, Clone, Debug, Default)]
    struct Part {
        weight: u16,
    }

    #[derive(Data, Clone, Debug, Default)]
    enum Action {
        #[default]
        Stand,
        Kick {
            angle: f32,
            parts: Vec<Part>,
        },
    }

    fn pick(sample: &Sample, paths: &[&str]) -> Vec<Option<f64>> {
        let paths: Vec<_> = paths.iter().map(|path| FieldPath::parse(path).unwrap()).collect();
        let mut picker = Picker::new(&paths);
        sample.write(&mut picker);
        picker.finish()
    }

    fn sample() -> Sample {
        Sample {
            seen: true,
            position: [1.5, -2.0],
            history: vec![Part { weight: 7 }, Part { weight: 8 }],
            maybe: Some(0.25),
            action: Action::Kick { angle: 0.5, parts: vec![Part { weight: 9 }] },
            name: "x".into(),
        }
    }

    #[test]
    fn numbers_are_found_by_their_paths() {
        let paths = ["seen", "position[1]", "position.0", "history[1].weight", "maybe", "action", "action.Kick.angle"];
        let found = pick(&sample(), &paths);
        assert_eq!(found, [1.0, -2.0, 1.5, 8.0, 0.25, 1.0, 0.5].map(Some));
        assert_eq!(pick(&sample(), &["action.Kick.parts[0].weight"]), [Some(9.0)]);
    }

    #[test]
    fn what_is_not_there_is_none() {
        let paths = ["name", "position", "history[2].weight", "history.weight", "", "seen.x", "action.Stand"];
        assert_eq!(pick(&sample(), &paths), [None; 7]);
        let standing = Sample { maybe: None, ..Sample::default() };
        assert_eq!(pick(&standing, &["maybe", "action.Kick.angle", "action"]), [None, None, Some(0.0)]);
    }

    #[test]
    fn what_is_listed_can_be_found() {
        let listed = numeric_fields(&Sample::data_type());
        assert_eq!(listed[1], NumericField { path: "position[0]".into(), data_type: "float32".into() });
        let there: Vec<_> = listed.iter().filter(|field| !field.path.contains("history[")).collect();
        for field in &listed {
            assert_eq!(FieldPath::parse(&field.path).unwrap().check(&Sample::data_type()), Ok(()), "{}", field.path);
        }
        for wrong in ["name", "position", "position[2]", "histry[0].weight", "action.Stand.x", "action.Kick", "seen.x"]
        {
            assert!(FieldPath::parse(wrong).unwrap().check(&Sample::data_type()).is_err(), "{wrong}");
        }
        for field in there.iter().filter(|field| !field.path.contains("parts[")) {
            assert!(pick(&sample(), &[&field.path])[0].is_some(), "{}", field.path);
        }
    }

    proptest! {
        #[test]
        fn a_path_reads_as_it_is_shown(text in "[a-z]{1,4}(\\[(0|[1-9][0-9]{0,2})\\])?(\\.[a-z]{1,4}){0,3}") {
            let path = FieldPath::parse(&text).unwrap();
            prop_assert_eq!(path.to_string(), text);
        }

        #[test]
        fn whatever_is_typed_is_a_path_or_an_error(text in ".{0,40}") {
            if let Ok(path) = FieldPath::parse(&text) {
                prop_assert_eq!(FieldPath::parse(&path.to_string()), Ok(path));
            }
        }
    }
}
