//! The derive `#[derive(Parameters)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{Data, DeriveInput, Error, Expr, ExprRange, Field, Fields, LitStr, RangeLimits, Result};

use crate::data::documentation;
use crate::range::Limits;

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let Data::Struct(data) = &input.data else {
        return Err(Error::new_spanned(name, "parameters are the fields of a structure"));
    };
    let fields: Vec<Parameter> = match &data.fields {
        Fields::Named(fields) => fields.named.iter().map(Parameter::parse).collect::<Result<_>>()?,
        Fields::Unit => Vec::new(),
        Fields::Unnamed(fields) => return Err(Error::new_spanned(fields, "parameters need names: use named fields")),
    };
    let idents: Vec<_> = fields.iter().map(|parameter| &parameter.field.ident).collect();
    let defaults = fields.iter().map(Parameter::default);
    let checks = fields.iter().map(Parameter::check).collect::<Result<Vec<_>>>()?;
    let described = fields.iter().map(Parameter::describe);
    let sets = fields.iter().map(|parameter| {
        let (ident, text) = (&parameter.field.ident, parameter.name());
        quote! { #text => self.#ident = ::hemiola::macros_support::read_parameter::<Self, _>(name, value)?, }
    });
    Ok(quote! {
        #(#checks)*

        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self { #( #idents: #defaults ),* }
            }
        }

        impl ::hemiola::Parameters for #name {
            fn describe() -> ::std::vec::Vec<::hemiola::ParameterDescription> {
                let defaults = <Self as ::core::default::Default>::default();
                ::std::vec![#(#described),*]
            }

            fn set(&mut self, name: &str, value: &::hemiola::data::Value) -> ::core::result::Result<(), ::hemiola::ParametersError> {
                match name {
                    #(#sets)*
                    _ => return ::core::result::Result::Err(::hemiola::macros_support::unknown_parameter::<Self>(name)),
                }
                ::core::result::Result::Ok(())
            }
        }
    })
}

struct Parameter<'f> {
    field: &'f Field,
    default: Option<Expr>,
    range: Option<Limits>,
    unit: String,
}

impl<'f> Parameter<'f> {
    fn parse(field: &'f Field) -> Result<Self> {
        let mut parameter = Self { field, default: None, range: None, unit: String::new() };
        for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("parameter")) {
            attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("default") {
                    parameter.default = Some(meta.value()?.parse()?);
                } else if meta.path.is_ident("range") {
                    let expression = meta.value()?.parse::<Expr>()?;
                    let Expr::Range(ExprRange {
                        start: Some(start),
                        end: Some(end),
                        limits: RangeLimits::Closed(_),
                        ..
                    }) = expression
                    else {
                        return Err(Error::new_spanned(expression, "a range needs both ends: `0.0..=1.0`"));
                    };
                    parameter.range = Some(Limits { start: *start, end: *end });
                } else if meta.path.is_ident("unit") {
                    parameter.unit = meta.value()?.parse::<LitStr>()?.value();
                } else {
                    return Err(meta.error("expected `default = ...`, `range = a..=b` or `unit = \"...\"`"));
                }
                Ok(())
            })?;
        }
        Ok(parameter)
    }

    fn name(&self) -> String {
        self.field.ident.as_ref().map(ToString::to_string).unwrap_or_default()
    }

    fn default(&self) -> TokenStream {
        match &self.default {
            Some(default) => quote! { #default },
            None => quote! { ::core::default::Default::default() },
        }
    }

    /// Checks that the default is within the range, as far as both are known when it is compiled.
    fn check(&self) -> Result<TokenStream> {
        match (&self.default, &self.range) {
            (Some(default), Some(limits)) => limits.check(&self.name(), &self.field.ty, default),
            _ => Ok(TokenStream::new()),
        }
    }

    fn describe(&self) -> TokenStream {
        let (ident, ty, name, unit) = (&self.field.ident, &self.field.ty, self.name(), &self.unit);
        let documentation = documentation(&self.field.attrs);
        let range = match &self.range {
            Some(Limits { start, end }) => quote! {
                ::core::option::Option::Some(::hemiola::Range::new((#start) as f64, (#end) as f64))
            },
            None => quote! { ::core::option::Option::None },
        };
        quote! {
            ::hemiola::ParameterDescription::new(
                #name,
                <#ty as ::hemiola::data::Data>::data_type(),
                #documentation,
                #unit,
                ::hemiola::data::Value::of(&defaults.#ident),
                #range,
            )
        }
    }
}
