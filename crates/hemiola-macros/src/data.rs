//! `#[derive(Data)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, DataEnum, DeriveInput, Error, Expr, ExprLit, Fields, Index, Lit, Meta, Result};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(
            parameter,
            "data that leaves the process has one schema: no generic parameters",
        ));
    }
    let Body { data_type, write, read, replace } = match &input.data {
        syn::Data::Struct(data) => structure(&name.to_string(), &data.fields),
        syn::Data::Enum(data) => enumeration(&name.to_string(), data)?,
        syn::Data::Union(data) => {
            return Err(Error::new_spanned(
                data.union_token,
                "a union cannot be data: nobody knows which field is valid",
            ));
        }
    };
    Ok(quote! {
        impl ::hemiola::data::Data for #name {
            fn data_type() -> ::hemiola::data::DataType { #data_type }
            fn write(&self, writer: &mut dyn ::hemiola::data::Writer) { #write }
            fn read(reader: &mut dyn ::hemiola::data::Reader) -> ::core::result::Result<Self, ::hemiola::data::ReadError> { #read }
            #replace
        }
    })
}

/// The bodies of the trait's methods.
struct Body {
    data_type: TokenStream,
    write: TokenStream,
    read: TokenStream,
    replace: TokenStream,
}

fn structure(name: &str, fields: &Fields) -> Body {
    let described = describe(fields);
    let members: Vec<_> = members(fields);
    let names: Vec<_> = names(fields);
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    Body {
        data_type: quote! { ::hemiola::data::DataType::structure(#name, ::std::vec![#(#described),*]) },
        write: quote! {
            writer.begin_structure(#name);
            #( writer.field(#names); ::hemiola::data::Data::write(&self.#members, writer); )*
            writer.end_structure();
        },
        read: quote! {
            reader.begin_structure(#name)?;
            let value = Self { #( #members: { reader.field(#names)?; <#types as ::hemiola::data::Data>::read(reader)? } ),* };
            reader.end_structure()?;
            ::core::result::Result::Ok(value)
        },
        replace: quote! {
            fn replace(&mut self, fresh: Self) {
                #( ::hemiola::data::Data::replace(&mut self.#members, fresh.#members); )*
            }
        },
    }
}

fn enumeration(name: &str, data: &DataEnum) -> Result<Body> {
    if data.variants.is_empty() {
        return Err(Error::new_spanned(&data.variants, "an enum without variants has no values"));
    }
    let variants: Vec<_> = data.variants.iter().collect();
    let described = variants.iter().map(|variant| {
        let (name, fields) = (variant.ident.to_string(), describe(&variant.fields));
        quote! { ::hemiola::data::Variant::new(#name, ::std::vec![#(#fields),*]) }
    });
    let write = variants.iter().enumerate().map(|(index, variant)| {
        let (ident, text, index) = (&variant.ident, variant.ident.to_string(), index as u32);
        if variant.fields.is_empty() {
            return quote! { Self::#ident { .. } => writer.variant(#text, #index, ::hemiola::data::VariantContent::Empty), };
        }
        let (members, names) = (members(&variant.fields), names(&variant.fields));
        let bound: Vec<_> = (0..members.len()).map(|index| format_ident!("field_{index}")).collect();
        quote! {
            Self::#ident { #( #members: #bound ),* } => {
                writer.variant(#text, #index, ::hemiola::data::VariantContent::Fields);
                writer.begin_structure(#text);
                #( writer.field(#names); ::hemiola::data::Data::write(#bound, writer); )*
                writer.end_structure();
            }
        }
    });
    let read = variants.iter().enumerate().map(|(index, variant)| {
        let (ident, text) = (&variant.ident, variant.ident.to_string());
        let (members, names) = (members(&variant.fields), names(&variant.fields));
        let fields = quote! { Self::#ident { #( #members: { reader.field(#names)?; ::hemiola::data::Data::read(reader)? } ),* } };
        if variant.fields.is_empty() {
            quote! { #index => #fields, }
        } else {
            quote! { #index => { reader.begin_structure(#text)?; let value = #fields; reader.end_structure()?; value } }
        }
    });
    let names: Vec<_> = variants.iter().map(|variant| variant.ident.to_string()).collect();
    Ok(Body {
        data_type: quote! { ::hemiola::data::DataType::enumeration(#name, ::std::vec![#(#described),*]) },
        write: quote! { match self { #(#write)* } },
        read: quote! {
            const VARIANTS: &[&str] = &[#(#names),*];
            let value = match reader.variant(VARIANTS)? {
                #(#read)*
                _ => return ::core::result::Result::Err(reader.error(::std::string::String::from("no such variant"))),
            };
            reader.end_variant()?;
            ::core::result::Result::Ok(value)
        },
        replace: TokenStream::new(),
    })
}

fn describe(fields: &Fields) -> Vec<TokenStream> {
    let names = names(fields);
    fields
        .iter()
        .zip(names)
        .map(|(field, name)| {
            let (ty, documentation) = (&field.ty, documentation(&field.attrs));
            quote! { ::hemiola::data::Field::new(#name, <#ty as ::hemiola::data::Data>::data_type(), #documentation) }
        })
        .collect()
}

fn members(fields: &Fields) -> Vec<TokenStream> {
    fields
        .iter()
        .enumerate()
        .map(|(index, field)| match &field.ident {
            Some(name) => quote! { #name },
            None => {
                let index = Index::from(index);
                quote! { #index }
            }
        })
        .collect()
}

fn names(fields: &Fields) -> Vec<String> {
    fields
        .iter()
        .enumerate()
        .map(|(index, field)| field.ident.as_ref().map_or_else(|| index.to_string(), |name| name.to_string()))
        .collect()
}

/// The text of the documentation comments, lines joined by spaces.
pub fn documentation(attributes: &[Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value().trim().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
