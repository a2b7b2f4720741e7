//! A representation of a source or cycle, and the way in which its values are read from a log.

use std::borrow::Cow;
use std::fmt::Display;
use std::sync::Arc;

use hemiola_log::{Adapter, Channel, Definition, FieldChange, FieldSource};
use hemiola_model::cdr::{CdrReader, CdrWriter, MessageSchema};
use hemiola_model::configuration::ReplayMapping;
use hemiola_model::data::{DataType, ReadError};
use hemiola_model::{RepresentationDescriptor, ValueMut};

use super::remarks::Remarks;
use crate::error::RecordingError;
use crate::schemas::has_fields_of;

/// A representation, and the way in which its values are read from a log.
pub struct Part {
    topic: String,
    descriptor: &'static RepresentationDescriptor,
    data_type: DataType,
    schema: MessageSchema,
    mapping: Option<ReplayMapping>,
    /// The form of each kind of messages.
    forms: Vec<(Arc<Channel>, Form)>,
    remarks: Remarks,
}

/// The form of a channel's messages.
enum Form {
    /// The same form as they would have today.
    Same,
    /// The form of another version of the type, or of another type.
    Other(Box<Adapter>),
}

impl Part {
    /// Creates a part, which adds its findings to the remarks.
    pub fn new(
        owner: &str,
        descriptor: &'static RepresentationDescriptor,
        topic: String,
        mapping: Option<ReplayMapping>,
        remarks: Remarks,
    ) -> Result<Self, RecordingError> {
        let name = descriptor.name();
        let data_type = descriptor
            .data_type()
            .ok_or_else(|| RecordingError::Opaque { representation: name.to_owned(), owner: owner.to_owned() })?;
        let schema = MessageSchema::of(name, &data_type);
        Ok(Self { topic, descriptor, data_type, schema, mapping, forms: Vec::new(), remarks })
    }

    pub fn topic(&self) -> &str {
        &self.topic
    }

    pub fn descriptor(&self) -> &'static RepresentationDescriptor {
        self.descriptor
    }

    /// Returns whether the values come from a topic of another robot.
    pub fn is_mapped(&self) -> bool {
        self.mapping.is_some()
    }

    /// Determines how messages of a channel become values. Returns what has changed since the
    /// recording.
    ///
    /// # Errors
    /// Returns an error with the reason and a remedy if they cannot.
    pub fn examine(&mut self, channel: &Arc<Channel>) -> Result<Option<String>, RecordingError> {
        // Each file of a log has channels of its own.
        if self.form(channel).is_some() {
            return Ok(None);
        }
        let is_same = channel.encoding == "cdr" && has_fields_of(channel, &self.schema);
        if is_same && self.mapping.as_ref().is_none_or(|mapping| mapping.fields.is_empty()) {
            self.forms.push((channel.clone(), Form::Same));
            return Ok(None);
        }
        let adapter = self.adapter(channel)?;
        let warning = self.warning(channel, &adapter);
        self.forms.push((channel.clone(), Form::Other(Box::new(adapter))));
        Ok(warning)
    }

    fn form(&self, channel: &Channel) -> Option<&Form> {
        let is_kind = |known: &Channel| known.encoding == channel.encoding && known.schema == channel.schema;
        self.forms.iter().find(|(known, _)| is_kind(known)).map(|(_, form)| form)
    }

    fn adapter(&self, channel: &Channel) -> Result<Adapter, RecordingError> {
        let (topic, name) = (&self.topic, self.descriptor.name());
        let recorded = channel.definition()?;
        let recorded = match self.mapping {
            // A mapping refers to fields by the names in the log.
            Some(_) => recorded.clone(),
            None => Arc::new(recorded.renamed(&self.data_type)),
        };
        let problem = |reason: String| RecordingError::CannotBecome {
            topic: topic.clone(),
            representation: name.to_owned(),
            reason,
        };
        let wanted =
            Definition::parse(&self.schema.name, &self.schema.text).map_err(|error| problem(error.to_string()))?;
        let mut default = CdrWriter::default();
        self.descriptor.create().write(&mut default);
        let fields = self.mapping.iter().flat_map(|mapping| &mapping.fields);
        let fields = fields.map(|(field, from)| {
            (field.as_str(), FieldSource { path: from.from.clone(), scale: from.scale, offset: from.offset })
        });
        let moved = if self.mapping.is_none() { recorded.moved(&self.data_type) } else { Vec::new() };
        let fields = fields.chain(moved.iter().map(|(field, source)| (field.as_str(), source.clone())));
        Adapter::new(&recorded, &Arc::new(wanted), default.bytes(), fields).map_err(|error| problem(error.to_string()))
    }

    fn warning(&self, channel: &Channel, adapter: &Adapter) -> Option<String> {
        // Fields of other robots' messages that are not used cause no warning.
        let is_told = |change: &&FieldChange| !(self.is_mapped() && matches!(change, FieldChange::Removed(_)));
        let changes: Vec<_> = adapter.changes().iter().filter(is_told).map(ToString::to_string).collect();
        let name = self.descriptor.name();
        let what = match self.is_mapped() {
            true => format!("{name} comes from {}", channel.type_name()),
            false => format!("{name} differs from the recorded type"),
        };
        (!changes.is_empty()).then(|| format!("{what}: {}", changes.join(", ")))
    }

    /// Reads a message of a channel into a value.
    pub fn read(&self, channel: &Channel, message: &[u8], value: &mut ValueMut<'_>) -> Result<(), RecordingError> {
        let bytes = self.present(channel, message)?;
        let mut reader = CdrReader::new(&bytes).map_err(|error| self.problem(&error))?;
        value.read_over(&mut reader).map_err(|error| self.problem(&error)).map(drop)
    }

    /// Returns a message of a channel as it would be today, in CDR.
    pub fn present<'m>(&self, channel: &Channel, message: &'m [u8]) -> Result<Cow<'m, [u8]>, RecordingError> {
        match self.form(channel) {
            Some(Form::Same) => Ok(Cow::Borrowed(message)),
            Some(Form::Other(adapter)) => {
                let on_misfit = |misfit: ReadError| self.remarks.misfit(&self.topic, &misfit);
                adapter.adapt(message, on_misfit).map(Cow::Owned).map_err(|error| self.problem(&error))
            }
            // Every channel was examined before the first sample.
            None => Err(self.problem(&"the log has changed since it was opened")),
        }
    }

    fn problem(&self, error: &dyn Display) -> RecordingError {
        RecordingError::Unreadable { topic: self.topic.clone(), reason: error.to_string() }
    }
}
