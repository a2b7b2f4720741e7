//! Hemiola: a real-time module framework for robots. The one crate that a robot names.
#![forbid(unsafe_code)]

extern crate self as hemiola;

/// Data, schemas and text forms.
pub mod data {
    pub use hemiola_macros::Data;
    pub use hemiola_model::Form;
    pub use hemiola_model::data::*;
}

/// Modules and what their updates can ask for.
pub mod module {
    pub use hemiola_model::module::*;
}

pub use hemiola_macros::{Module, Parameters, Representation, Source, module, source};
pub use hemiola_model::{
    Clock, ParameterDescription, Parameters, ParametersError, Range, Representation, Source, SourceDescriptor, SourceRate,
    Time,
};

#[doc(hidden)]
pub use hemiola_model::macros_support;

/// All that a file with a module needs: `use hemiola::prelude::*;`.
pub mod prelude {
    pub use crate::data::Data;
    pub use crate::module::{Debug, Fresh, Module, Previous, SafeState, Samples, Scope, Shape};
    pub use crate::{Clock, Parameters, Representation, Source, Time, module, source};
    pub use hemiola_macros::Module;
}
