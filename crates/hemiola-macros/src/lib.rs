//! The derives and attributes that turn plain Rust into representations, parameters, modules and sources.
//!
//! What they write is small: implementations of the traits of `hemiola-model` that call ordinary generic functions. They
//! contain no logic of their own, and no `unsafe`, so that a crate of modules may forbid it. Use them through `hemiola`.
#![forbid(unsafe_code)]

mod data;
mod module;
mod parameters;
mod representation;
mod source;
mod update;

use proc_macro::TokenStream;
use syn::{DeriveInput, ItemImpl, parse_macro_input};

/// Makes a type part of a representation's data: implements `Data` (schema, text form, fingerprint) field by field.
///
/// For structures with named fields, tuple structures and enums whose fields are `Data` themselves.
#[proc_macro_derive(Data)]
pub fn derive_data(input: TokenStream) -> TokenStream {
    finish(data::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a type a representation: something that modules exchange. Needs `Default`.
///
/// Implements `Representation` and `Data`; with `#[representation(opaque)]` only `Representation`, for types that cannot
/// leave the process.
#[proc_macro_derive(Representation, attributes(representation))]
pub fn derive_representation(input: TokenStream) -> TokenStream {
    finish(representation::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a structure a set of parameters: implements `Parameters` and `Default`.
///
/// `#[parameter(default = 0.6, range = 0.0..=1.0, unit = "m")]` on a field: all optional. Without `default` it is
/// `Default::default()`. The field's documentation comment is the parameter's.
#[proc_macro_derive(Parameters, attributes(parameter))]
pub fn derive_parameters(input: TokenStream) -> TokenStream {
    finish(parameters::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a structure a module: implements `Module`. One field may be `#[parameters]`; all others are made by `Default`.
#[proc_macro_derive(Module, attributes(parameters))]
pub fn derive_module(input: TokenStream) -> TokenStream {
    finish(module::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Makes a structure a source: implements `Source`. One field may be `#[parameters]`; all others are made by `Default`.
#[proc_macro_derive(Source, attributes(parameters))]
pub fn derive_source(input: TokenStream) -> TokenStream {
    finish(source::derive(&parse_macro_input!(input as DeriveInput)))
}

/// Registers a module. Stands on its `impl` block; methods with `#[update]` are its updates, all others are left alone.
#[proc_macro_attribute]
pub fn module(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(module::register(attribute.into(), parse_macro_input!(item as ItemImpl)))
}

/// Registers a source. Stands on its `impl` block; its one method with `#[sample]` or `#[sample(rate = 30.0)]` takes a sample.
#[proc_macro_attribute]
pub fn source(attribute: TokenStream, item: TokenStream) -> TokenStream {
    finish(source::register(attribute.into(), parse_macro_input!(item as ItemImpl)))
}

fn finish(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(|error| error.to_compile_error()).into()
}
