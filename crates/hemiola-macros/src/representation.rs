//! The derive `#[derive(Representation)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Index, Member, Result};

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
        return Err(Error::new_spanned(parameter, "a representation cannot have generic parameters"));
    }
    let name = &input.ident;
    let text = name.to_string();
    if opaque {
        let restore = restore(&input.data);
        return Ok(quote! {
            impl ::hemiola::Representation for #name {
                const NAME: &'static str = #text;
                fn form() -> ::hemiola::data::Form<Self> { ::hemiola::data::Form::opaque() }
                #restore
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
            fn restore(&mut self, default: &Self) -> bool { ::hemiola::data::Data::restore(self, default) }
        }
    })
}

/// Returns `restore` of a structure, field by field; the compiler determines how a field's type
/// supports that.
fn restore(data: &Data) -> TokenStream {
    let Data::Struct(data) = data else { return TokenStream::new() };
    let restored = data.fields.iter().enumerate().map(|(index, field)| {
        let member = field.ident.clone().map_or(Member::Unnamed(Index::from(index)), Member::Named);
        let ty = &field.ty;
        quote! { && (&&&&::hemiola::macros_support::Restorer::<#ty>::new()).get()(&mut self.#member, &default.#member) }
    });
    quote! {
        fn restore(&mut self, default: &Self) -> bool {
            #[allow(unused_imports, reason = "each is for some types")]
            use ::hemiola::macros_support::{RestoreByCopy as _, RestoreByData as _, RestoreEmpty as _, RestoreNot as _};
            _ = default;
            true #(#restored)*
        }
    }
}
