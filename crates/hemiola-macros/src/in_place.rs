//! The derive `#[derive(InPlace)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Data, DataEnum, DeriveInput, Error, Fields, Ident, Result, Variant};

use crate::data::{heads, is_transparent, members};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    if let Some(parameter) = input.generics.params.first() {
        return Err(Error::new_spanned(parameter, "a type that is read in place cannot have generic parameters"));
    }
    let name = &input.ident;
    let View { declaration, view, read } = match &input.data {
        Data::Struct(data) if is_transparent(input)? => transparent(&data.fields)?,
        Data::Struct(data) => structure(input, &data.fields),
        Data::Enum(data) => enumeration(input, data),
        Data::Union(data) => {
            return Err(Error::new_spanned(
                data.union_token,
                "a union cannot be read in place: it is not known which field is valid",
            ));
        }
    };
    Ok(quote! {
        #declaration
        impl ::hemiola::wire::InPlace for #name {
            type View<'w> = #view;
            fn view<'w>(reader: &mut ::hemiola::wire::ViewReader<'w>) -> ::core::result::Result<Self::View<'w>, ::hemiola::data::ReadError> {
                #read
            }
        }
    })
}

/// The parts of the implementation.
struct View {
    /// The type of the view, if it is one of its own.
    declaration: TokenStream,
    /// The name of the view's type.
    view: TokenStream,
    /// The body of the method that reads it.
    read: TokenStream,
}

/// Returns the view of a structure that has, outside of the process, the form of its one field.
fn transparent(fields: &Fields) -> Result<View> {
    let (Some(field), 1) = (fields.iter().next(), fields.len()) else {
        return Err(Error::new_spanned(fields, "only a struct with one field can be `transparent`"));
    };
    let in_place = of_type(&field.ty);
    Ok(View {
        declaration: TokenStream::new(),
        view: quote! { #in_place::View<'w> },
        read: quote! { #in_place::view(reader) },
    })
}

fn structure(input: &DeriveInput, fields: &Fields) -> View {
    if fields.is_empty() {
        return View { declaration: TokenStream::new(), view: quote! { () }, read: quote! { reader.nothing() } };
    }
    let (visibility, name) = (&input.vis, view_of(&input.ident));
    let (declared, read) = (declared(fields), read(fields));
    let end = if let Fields::Named(_) = fields {
        TokenStream::new()
    } else {
        quote! { ; }
    };
    let head = head(&input.ident);
    View {
        declaration: quote! { #head #visibility struct #name<'w> #declared #end },
        view: quote! { #name<'w> },
        read: quote! { ::core::result::Result::Ok(#name #read) },
    }
}

fn enumeration(input: &DeriveInput, data: &DataEnum) -> View {
    let has_fields = data.variants.iter().any(|variant| !variant.fields.is_empty());
    let made = if has_fields { view_of(&input.ident) } else { input.ident.clone() };
    let variants: Vec<&Variant> = data.variants.iter().collect();
    let read = variants.iter().enumerate().map(|(index, variant)| {
        let (ident, read) = (&variant.ident, read(&variant.fields));
        quote! { #index => #made::#ident #read, }
    });
    let heads = heads(&variants);
    let read = quote! {
        #heads
        let variant = reader.begin_variant(VARIANTS)?;
        let view = match variant.index {
            #(#read)*
            _ => return ::core::result::Result::Err(reader.error(::std::string::String::from("no such variant"))),
        };
        reader.end_variant(variant)?;
        ::core::result::Result::Ok(view)
    };
    if !has_fields {
        return View { declaration: TokenStream::new(), view: quote! { Self }, read };
    }
    let (visibility, head) = (&input.vis, head(&input.ident));
    let declared = variants.iter().map(|variant| {
        let (documentation, ident, declared) =
            (documentation(&variant.attrs), &variant.ident, declared(&variant.fields));
        quote! { #(#documentation)* #ident #declared, }
    });
    View {
        declaration: quote! { #head #visibility enum #made<'w> { #(#declared)* } },
        view: quote! { #made<'w> },
        read,
    }
}

/// Returns what stands before the type of a view.
fn head(of: &Ident) -> TokenStream {
    let documentation = format!("A [`{of}`] in place: what it refers to lies in its message.");
    quote! {
        #[doc = #documentation]
        #[derive(Clone, Copy, Debug)]
        #[allow(dead_code, reason = "who reads it may need some of the fields only")]
    }
}

fn view_of(name: &Ident) -> Ident {
    format_ident!("{name}View")
}

/// Declares the fields of a view, with the names, the documentation and the visibility of those of
/// the type.
fn declared(fields: &Fields) -> TokenStream {
    let declared = fields.iter().map(|field| {
        let (documentation, visibility, in_place) = (documentation(&field.attrs), &field.vis, of_type(&field.ty));
        let name = field.ident.iter();
        quote! { #(#documentation)* #visibility #(#name:)* #in_place::View<'w> }
    });
    match fields {
        Fields::Named(_) => quote! { { #(#declared),* } },
        Fields::Unnamed(_) => quote! { ( #(#declared),* ) },
        Fields::Unit => TokenStream::new(),
    }
}

/// Reads the fields of a view, in their order.
fn read(fields: &Fields) -> TokenStream {
    let members = members(fields);
    let read = fields.iter().map(|field| {
        let in_place = of_type(&field.ty);
        quote! { #in_place::view(reader)? }
    });
    quote! { { #( #members: #read ),* } }
}

fn of_type(of: &syn::Type) -> TokenStream {
    quote! { <#of as ::hemiola::wire::InPlace> }
}

/// Returns the documentation comments.
fn documentation(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc"))
}
