//! `#[derive(Representation)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Result};

use crate::data;

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut opaque = false;
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("representation")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("opaque") {
                opaque = true;
                return Ok(());
            }
            Err(meta.error("expected `opaque`"))
        })?;
    }
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(parameter, "a representation has one name and one type: no generic parameters"));
    }
    let name = &input.ident;
    let text = name.to_string();
    if opaque {
        return Ok(quote! {
            impl ::hemiola::Representation for #name {
                const NAME: &'static str = #text;
                fn form() -> ::hemiola::data::Form<Self> { ::hemiola::data::Form::opaque() }
            }
        });
    }
    let data = data::derive(input)?;
    Ok(quote! {
        #data
        impl ::hemiola::Representation for #name {
            const NAME: &'static str = #text;
            fn form() -> ::hemiola::data::Form<Self> { ::hemiola::data::Form::data() }
            fn reset(&mut self) {
                ::hemiola::data::Data::replace(self, <Self as ::core::default::Default>::default());
            }
        }
    })
}
