//! The state of a module: the part of `#[derive(Module)]` that writes it and reads it back.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Field, Result};

use crate::data::documentation;

/// Returns `state`, `write_state` and `read_state` of a module.
pub fn members(input: &DeriveInput) -> Result<TokenStream> {
    let Data::Struct(data) = &input.data else { return Ok(TokenStream::new()) };
    let of_all = Declared::of(&input.attrs)?;
    let mut remembered = Vec::new();
    for field in &data.fields {
        let declared = Declared::of(&field.attrs)?;
        let is_parameters = field.attrs.iter().any(|attribute| attribute.path().is_ident("parameters"));
        if is_parameters && let Some(Declared { place, .. }) = declared {
            return Err(Error::new_spanned(place, "parameters are not state: a log has them and all of their changes"));
        }
        match (&of_all, declared) {
            (Some(_), Some(Declared { place, .. })) => {
                return Err(Error::new_spanned(place, "this already applies to the whole module"));
            }
            (Some(_), None) | (None, Some(Declared { meaning: Meaning::Stateless, .. })) => {}
            (None, Some(Declared { meaning: Meaning::Opaque, .. })) => return Ok(TokenStream::new()),
            (None, None) if is_parameters => {}
            (None, None) => remembered.push(field),
        }
    }
    match of_all {
        // An opaque state is the default of the trait.
        Some(Declared { meaning: Meaning::Opaque, .. }) => Ok(TokenStream::new()),
        _ => Ok(written_down(&input.ident.to_string(), &remembered)),
    }
}

fn written_down(name: &str, fields: &[&Field]) -> TokenStream {
    let members: Vec<_> = fields.iter().map(|field| &field.ident).collect();
    let names: Vec<_> =
        members.iter().map(|name| name.as_ref().map(|name| name.unraw().to_string()).unwrap_or_default()).collect();
    let locals: Vec<_> = (0..fields.len()).map(|index| format_ident!("field_{index}")).collect();
    // The tokens have the span of the field's type, so that errors point there.
    let state_field = |field: &&Field| {
        let ty = &field.ty;
        quote_spanned! { ty.span() => <#ty as ::hemiola::module::StateField> }
    };
    let kinds: Vec<_> = fields.iter().map(state_field).collect();
    let documentation = fields.iter().map(|field| documentation(&field.attrs));
    quote! {
        fn state() -> ::hemiola::module::StateForm {
            ::hemiola::module::StateForm::Data(::hemiola::data::DataType::structure(
                ::hemiola::data::TypeName::new(::core::env!("CARGO_PKG_NAME"), #name),
                ::std::vec![#(::hemiola::data::Field::new(#names, #kinds::data_type(), #documentation)),*],
            ))
        }
        fn write_state(&self, writer: &mut dyn ::hemiola::data::Writer) {
            writer.begin_structure(#name);
            #( writer.field(#names); #kinds::write(&self.#members, writer); )*
            writer.end_structure();
        }
        fn read_state(&mut self, reader: &mut dyn ::hemiola::data::Reader) -> ::core::result::Result<(), ::hemiola::data::ReadError> {
            reader.begin_structure(#name)?;
            #( reader.field(#names)?; let #locals = #kinds::read(reader)?; )*
            reader.end_structure()?;
            #( self.#members = #locals; )*
            ::core::result::Result::Ok(())
        }
    }
}

/// The attribute of a field, or of the whole module.
struct Declared {
    meaning: Meaning,
    place: Attribute,
}

enum Meaning {
    /// No later run depends on the state.
    Stateless,
    /// The state cannot be recorded.
    Opaque,
}

impl Declared {
    fn of(attributes: &[Attribute]) -> Result<Option<Self>> {
        let mut declared = None;
        for attribute in attributes {
            let meaning = match attribute.path().get_ident() {
                Some(name) if name == "stateless" => Meaning::Stateless,
                Some(name) if name == "opaque" => Meaning::Opaque,
                _ => continue,
            };
            let name = attribute.path().get_ident().map(ToString::to_string).unwrap_or_default();
            attribute
                .meta
                .require_path_only()
                .map_err(|_| Error::new_spanned(attribute, format!("`#[{name}]` has no arguments")))?;
            if declared.is_some() {
                return Err(Error::new_spanned(attribute, "write only one: `#[stateless]` or `#[opaque]`"));
            }
            declared = Some(Self { meaning, place: attribute.clone() });
        }
        Ok(declared)
    }
}
