//! The interface for module authors: representations, parameters, modules, sources, and how they
//! register themselves.
//!
//! This crate describes; it never runs anything. It knows no threads, no plan and no files:
//! `hemiola-plan` orders what is described here and `hemiola-runtime` runs it.
//!
//! ```
//! use hemiola_model::{Data, Representation, Value};
//!
//! // What `#[derive(Representation)]` writes for you:
//! #[derive(Default)]
//! struct Odometry { forward: f32 }
//! # use hemiola_model::data::{DataType, Field, ReadError, Reader, Writer};
//! # impl Data for Odometry {
//! #     fn data_type() -> DataType { DataType::structure("Odometry", vec![Field::new("forward", f32::data_type(), "")]) }
//! #     fn write(&self, writer: &mut dyn Writer) { writer.begin_structure(Self::NAME); writer.field("forward"); self.forward.write(writer); writer.end_structure() }
//! #     fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> { reader.begin_structure(Self::NAME)?; let value = Self { forward: { reader.field("forward")?; Data::read(reader)? } }; reader.end_structure()?; Ok(value) }
//! # }
//! impl Representation for Odometry {
//!     const NAME: &'static str = "Odometry";
//!     fn form() -> hemiola_model::Form<Self> { hemiola_model::Form::data() }
//! }
//!
//! let text = Value::of(&Odometry { forward: 0.5 });
//! assert_eq!(text.get("forward"), Some(&Value::Float(0.5)));
//! ```

#![deny(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod cdr;
pub mod configuration;
pub mod data;
pub mod module;
mod name;
mod parameters;
mod representation;
mod time;
pub mod wire;

/// The arrayvec whose vectors are data.
#[cfg(feature = "arrayvec")]
pub use ::arrayvec;
/// The glam whose vectors, matrices and quaternions are data.
#[cfg(feature = "glam")]
pub use ::glam;
pub use data::{Data, Value};
pub use module::{Source, SourceDescriptor, SourceRate};
pub use name::Name;
pub use parameters::{ParameterDescription, Parameters, ParametersError, Range};
pub use representation::{
    AnyRepresentation, Form, Layout, LayoutError, Member, Representation, RepresentationDescriptor, SequenceHeader,
    ValueMut,
};
pub use time::{Clock, Time};
pub use wire::Wire;

/// Used by the code that the macros write; not for direct use.
#[doc(hidden)]
pub mod macros_support;
