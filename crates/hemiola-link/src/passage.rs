//! The conversion of messages from a peer's type to the type here.

use std::borrow::Cow;
use std::sync::Arc;

use hemiola_log::{Adapter, Definition, FieldChange};
use hemiola_model::RepresentationDescriptor;
use hemiola_model::cdr::{CdrWriter, MessageSchema};
use hemiola_model::data::ReadError;

use crate::ends::{KnownType, contained};
use crate::zero::zero;

/// The conversion of the messages that a peer sends.
#[derive(Debug)]
pub enum Passage {
    /// The types are equal, so messages stay as they are.
    AsTheyAre,
    /// The types differ, so fields are converted by name.
    ByNames(Box<Adapter>),
}

/// A type as a peer has offered it.
#[derive(Debug, PartialEq, Eq)]
pub struct OfferedType {
    pub schema: String,
    pub hash: String,
    pub definition: String,
}

impl Passage {
    /// Compares the offered type with that of a representation here. Also returns remarks about
    /// fields that only one of them has.
    ///
    /// # Errors
    /// Returns the reason, with the field, if the types do not fit.
    pub fn to_representation(
        offered: &OfferedType,
        here: &'static RepresentationDescriptor,
    ) -> Result<(Self, Vec<String>), String> {
        let data_type = here.data_type().ok_or_else(|| format!("`{}` cannot leave its program", here.name()))?;
        Self::between(offered, &MessageSchema::of(here.name(), &data_type), || {
            let mut writer = CdrWriter::default();
            here.create().write(&mut writer);
            writer.finish()
        })
    }

    /// Compares the offered type with one here that has no default value: fields that are not sent
    /// become zero. Also returns remarks.
    ///
    /// # Errors
    /// Returns the reason, with the field, if the types do not fit.
    pub fn to_data(offered: &OfferedType, here: &KnownType) -> Result<(Self, Vec<String>), String> {
        Self::between(offered, &here.schema, || zero(&here.data_type))
    }

    /// Compares two types by their hashes, and by the names of fields if the hashes differ.
    fn between(
        offered: &OfferedType,
        here: &MessageSchema,
        default: impl FnOnce() -> Vec<u8>,
    ) -> Result<(Self, Vec<String>), String> {
        if offered.hash == here.type_hash {
            return Ok((Self::AsTheyAre, Vec::new()));
        }
        let parse = |name: &str, text: &str| {
            let definition = Definition::parse(name, text).map(Arc::new);
            definition.map_err(|error| format!("the definition of `{name}` cannot be used: {error}"))
        };
        let (from, to) = (parse(&offered.schema, &offered.definition)?, parse(&here.name, &here.text)?);
        let default =
            contained(default).map_err(|panic| format!("`{}` has no default value: it {panic}", here.name))?;
        let adapter = Adapter::new(&from, &to, &default, []).map_err(|error| error.to_string())?;
        let is_missing = |name: &str| adapter.changes().contains(&FieldChange::Added(name.to_owned()));
        if !to.fields.is_empty() && to.fields.iter().all(|field| is_missing(&field.name)) {
            return Err(format!("`{}` and `{}` have no field in common", offered.schema, here.name));
        }
        let mut remarks = Vec::new();
        for change in adapter.changes() {
            match change {
                FieldChange::Added(field) => remarks.push(format!("`{field}` is not sent, so it has its default")),
                FieldChange::Removed(field) => remarks.push(format!("`{field}` is sent, but unknown here")),
                FieldChange::Changed(field) => {
                    let (there, here) = (&offered.schema, &here.name);
                    return Err(format!("`{field}` has another type in `{there}` than in `{here}`"));
                }
            }
        }
        Ok((Self::ByNames(Box::new(adapter)), remarks))
    }

    /// Converts a message to the type here.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a message of the offered type.
    pub fn pass<'m>(&self, message: &'m [u8]) -> Result<Cow<'m, [u8]>, ReadError> {
        match self {
            Self::AsTheyAre => Ok(Cow::Borrowed(message)),
            // A value that has no place here leaves the default in its place, as in logs.
            Self::ByNames(adapter) => adapter.adapt(message, |_| {}).map(Cow::Owned),
        }
    }
}
