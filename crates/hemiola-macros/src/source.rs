//! The derive `#[derive(Source)]` and the attribute `#[source]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Attribute, DeriveInput, Error, Expr, ImplItem, ItemImpl, Meta, Result};

use crate::module::{Creation, check_block};
use crate::update::Method;

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let creation = Creation::parse(input)?;
    let (name, text) = (&input.ident, input.ident.to_string());
    let members = creation.members();
    Ok(quote! {
        impl ::hemiola::Source for #name {
            const NAME: &'static str = #text;
            #members
        }
    })
}

pub fn register(attribute: TokenStream, mut block: ItemImpl) -> Result<TokenStream> {
    let name = check_block(&attribute, &block, "source")?;
    let mut sample = None;
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        let Some(position) = function.attrs.iter().position(|attribute| attribute.path().is_ident("sample")) else {
            continue;
        };
        let attribute = function.attrs.remove(position);
        if sample.is_some() {
            return Err(Error::new_spanned(
                &function.sig.ident,
                "a source has only one `#[sample]` method: it is one stream of samples",
            ));
        }
        sample = Some((Method::parse(&function.sig)?, rate(&attribute)?));
    }
    let Some((method, rate)) = sample else {
        return Err(Error::new_spanned(
            &name,
            "a source has a method that acquires a sample: put `#[sample]` or `#[sample(rate = 30.0)]` on it",
        ));
    };
    let update = method.describe(&name);
    Ok(quote! {
        #block
        const _: () = {
            fn describe() -> ::hemiola::SourceDescriptor {
                ::hemiola::SourceDescriptor::of::<#name>(
                    ::core::module_path!(),
                    ::core::concat!(::core::file!(), ":", ::core::line!()),
                    #rate,
                    #update,
                )
            }
            ::hemiola::macros_support::inventory::submit!(::hemiola::macros_support::Registration::Source(describe));
        };
    })
}

fn rate(attribute: &Attribute) -> Result<TokenStream> {
    if let Meta::Path(_) = attribute.meta {
        return Ok(quote! { ::hemiola::SourceRate::OwnStamps });
    }
    let mut rate = None;
    attribute.parse_nested_meta(|meta| {
        if !meta.path.is_ident("rate") {
            return Err(meta.error("expected `rate = <samples per second>`"));
        }
        rate = Some(meta.value()?.parse::<Expr>()?);
        Ok(())
    })?;
    let rate = rate.ok_or_else(|| Error::new_spanned(attribute, "expected `#[sample]` or `#[sample(rate = 30.0)]`"))?;
    Ok(quote! { ::hemiola::SourceRate::Hertz(#rate) })
}
