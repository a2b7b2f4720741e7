//! The derive `#[derive(Data)]`.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::ext::IdentExt;
use syn::{
    Attribute, DataEnum, DeriveInput, Error, Expr, ExprLit, Fields, GenericParam, Generics, Index, Lit, LitStr, Meta,
    Path, Result, Type, Variant, parse_quote,
};

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let name = &input.ident;
    let generics = with_bounds(&input.generics)?;
    let (implemented, arguments, bounds) = generics.split_for_impl();
    let TypeAttributes { type_name, transparent } = type_attributes(input)?;
    let Body { plain, data_type, write, read, replace } = match &input.data {
        syn::Data::Struct(data) if transparent.is_some() => wrapper(&data.fields)?,
        syn::Data::Enum(data) if transparent.is_some() => {
            return Err(Error::new_spanned(data.enum_token, "only a struct with one field can be `transparent`"));
        }
        syn::Data::Struct(data) => structure(&name.to_string(), &type_name, &data.fields)?,
        syn::Data::Enum(data) => enumeration(&type_name, data)?,
        syn::Data::Union(data) => {
            return Err(Error::new_spanned(
                data.union_token,
                "a union cannot be data: it is not known which field is valid",
            ));
        }
    };
    Ok(quote! {
        impl #implemented ::hemiola::data::Data for #name #arguments #bounds {
            #plain
            fn data_type() -> ::hemiola::data::DataType { #data_type }
            fn write(&self, writer: &mut dyn ::hemiola::data::Writer) { #write }
            fn read(reader: &mut dyn ::hemiola::data::Reader) -> ::core::result::Result<Self, ::hemiola::data::ReadError> { #read }
            #replace
        }
    })
}

/// Adds the bound `Data` to the parameters: a type that is generic over data types is a data type
/// itself.
fn with_bounds(generics: &Generics) -> Result<Generics> {
    let mut generics = generics.clone();
    for parameter in &mut generics.params {
        match parameter {
            GenericParam::Type(parameter) => parameter.bounds.push(parse_quote!(::hemiola::data::Data)),
            other => {
                return Err(Error::new_spanned(
                    other,
                    "data can be generic over types only, which have to be data, too",
                ));
            }
        }
    }
    Ok(generics)
}

/// The bodies of the trait's methods.
struct Body {
    /// The value in one piece, if it is plain.
    plain: TokenStream,
    data_type: TokenStream,
    write: TokenStream,
    read: TokenStream,
    replace: TokenStream,
}

/// The content of `#[data(..)]` on a type.
struct TypeAttributes {
    type_name: TokenStream,
    /// Set if the type has, outside of the process, the form of its one field.
    transparent: Option<Path>,
}

/// Returns whether a type has, outside of the process, the form of its one field.
pub fn is_transparent(input: &DeriveInput) -> Result<bool> {
    type_attributes(input).map(|attributes| attributes.transparent.is_some())
}

/// Reads the attributes of a type. Its name in the schema is that of `#[data(name =
/// "package/Name")]`, else the type's own in the package that is being compiled.
fn type_attributes(input: &DeriveInput) -> Result<TypeAttributes> {
    let (mut given, mut transparent): (Option<LitStr>, Option<Path>) = (None, None);
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("data")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("transparent") {
                transparent = Some(meta.path);
                return Ok(());
            }
            if !meta.path.is_ident("name") {
                return Err(meta.error("expected `name = \"package/Name\"` or `transparent`"));
            }
            given = Some(meta.value()?.parse()?);
            Ok(())
        })?;
    }
    let Some(given) = given else {
        let name = input.ident.to_string();
        let of: Vec<_> = input.generics.type_params().map(|parameter| &parameter.ident).collect();
        let name = quote! { ::hemiola::data::TypeName::new(::core::env!("CARGO_PKG_NAME"), #name) };
        let type_name = quote! { #name #(.of(&<#of as ::hemiola::data::Data>::data_type()))* };
        return Ok(TypeAttributes { type_name, transparent });
    };
    if let Some(transparent) = transparent {
        return Err(Error::new_spanned(
            transparent,
            "a transparent type has the name of its field's type in the schema: remove `name` or `transparent`",
        ));
    }
    let is_word = |word: &str, first: fn(&char) -> bool| {
        word.starts_with(|letter| first(&letter))
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    };
    match given.value().replace("/msg/", "/").split_once('/') {
        Some((package, name))
            if is_word(package, char::is_ascii_lowercase) && is_word(name, char::is_ascii_uppercase) =>
        {
            let type_name = quote! { ::hemiola::data::TypeName::new(#package, #name) };
            Ok(TypeAttributes { type_name, transparent })
        }
        _ => Err(Error::new_spanned(given, "expected a package and a type, such as `sensor_msgs/Imu`")),
    }
}

/// Creates the methods of a structure that has, outside of the process, the form of its one field.
fn wrapper(fields: &Fields) -> Result<Body> {
    let members = members(fields);
    let (Some(field), [member]) = (fields.iter().next(), members.as_slice()) else {
        return Err(Error::new_spanned(fields, "only a struct with one field can be `transparent`"));
    };
    let (ty, data_module) = (&field.ty, quote! { ::hemiola::data });
    let data = quote! { #data_module::Data };
    Ok(Body {
        plain: plain(&members, &[ty]),
        data_type: quote! { <#ty as #data>::data_type() },
        write: quote! { #data::write(&self.#member, writer); },
        read: quote! { ::core::result::Result::Ok(Self { #member: #data::read(reader)? }) },
        replace: quote! {
            fn read_over(&mut self, reader: &mut dyn #data_module::Reader) -> ::core::result::Result<(), #data_module::ReadError> {
                #data::read_over(&mut self.#member, reader)
            }
            fn replace(&mut self, fresh: Self) {
                #data::replace(&mut self.#member, fresh.#member);
            }
            fn restore(&mut self, default: &Self) -> bool {
                #data::restore(&mut self.#member, &default.#member)
            }
        },
    })
}

fn structure(name: &str, type_name: &TokenStream, fields: &Fields) -> Result<Body> {
    let described = describe(fields)?;
    let members: Vec<_> = members(fields);
    let names: Vec<_> = names(fields);
    let types: Vec<_> = fields.iter().map(|field| &field.ty).collect();
    Ok(Body {
        plain: plain(&members, &types),
        data_type: quote! { ::hemiola::data::DataType::structure(#type_name, ::std::vec![#(#described),*]) },
        write: quote! {
            if ::hemiola::data::write_plain(self, writer) { return; }
            writer.begin_structure(#name);
            #( writer.field(#names); ::hemiola::data::Data::write(&self.#members, writer); )*
            writer.end_structure();
        },
        read: quote! {
            if let ::core::option::Option::Some(value) = ::hemiola::data::read_plain(reader) { return ::core::result::Result::Ok(value); }
            reader.begin_structure(#name)?;
            let value = Self { #( #members: { reader.field(#names)?; <#types as ::hemiola::data::Data>::read(reader)? } ),* };
            reader.end_structure()?;
            ::core::result::Result::Ok(value)
        },
        replace: quote! {
            fn read_over(&mut self, reader: &mut dyn ::hemiola::data::Reader) -> ::core::result::Result<(), ::hemiola::data::ReadError> {
                if let ::core::option::Option::Some(value) = ::hemiola::data::read_plain(reader) {
                    *self = value;
                    return ::core::result::Result::Ok(());
                }
                reader.begin_structure(#name)?;
                #( reader.field(#names)?; ::hemiola::data::Data::read_over(&mut self.#members, reader)?; )*
                reader.end_structure()
            }
            fn replace(&mut self, fresh: Self) {
                #( ::hemiola::data::Data::replace(&mut self.#members, fresh.#members); )*
            }
            fn restore(&mut self, default: &Self) -> bool {
                true #( && ::hemiola::data::Data::restore(&mut self.#members, &default.#members) )*
            }
        },
    })
}

/// Creates what reads and writes a structure in one piece, if all of its fields are plain.
fn plain(members: &[TokenStream], types: &[&Type]) -> TokenStream {
    if members.is_empty() {
        return TokenStream::new();
    }
    let (data_module, option) = (quote! { ::hemiola::data }, quote! { ::core::option::Option });
    let data = quote! { #data_module::Data };
    quote! {
        const PLAIN: #option<#data_module::Plain> = #data_module::Plain::structure(&[#( <#types as #data>::PLAIN ),*]);
        #[inline]
        fn read_plain(bytes: &mut #data_module::PlainReader<'_>) -> #option<Self> {
            #option::Some(Self { #( #members: #data::read_plain(bytes)? ),* })
        }
        #[inline]
        fn write_plain(&self, bytes: &mut #data_module::PlainWriter<'_>) {
            #( #data::write_plain(&self.#members, bytes); )*
        }
    }
}

/// Creates what reads and writes an enum without data in one piece: the index of the variant.
fn plain_enumeration(variants: &[&Variant]) -> TokenStream {
    if variants.iter().any(|variant| !variant.fields.is_empty()) {
        return TokenStream::new();
    }
    let (data_module, option) = (quote! { ::hemiola::data }, quote! { ::core::option::Option });
    let data = quote! { #data_module::Data };
    let names: Vec<_> = variants.iter().map(|variant| &variant.ident).collect();
    let indices: Vec<_> = (0..=u8::MAX).take(names.len()).collect();
    quote! {
        const PLAIN: #option<#data_module::Plain> = #data_module::Plain::restricted(1);
        #[inline]
        fn read_plain(bytes: &mut #data_module::PlainReader<'_>) -> #option<Self> {
            match <u8 as #data>::read_plain(bytes)? {
                #( #indices => #option::Some(Self::#names {}), )*
                #[allow(unreachable_patterns, reason = "an enum may have 256 variants")]
                _ => #option::None,
            }
        }
        #[inline]
        fn write_plain(&self, bytes: &mut #data_module::PlainWriter<'_>) {
            let index: u8 = match self { #( Self::#names { .. } => #indices, )* };
            #data::write_plain(&index, bytes);
        }
    }
}

fn enumeration(type_name: &TokenStream, data: &DataEnum) -> Result<Body> {
    if data.variants.is_empty() {
        return Err(Error::new_spanned(&data.variants, "an enum without variants has no values"));
    }
    if data.variants.len() > 256 {
        return Err(Error::new_spanned(&data.variants, "an enum is recorded as one byte: at most 256 variants"));
    }
    let variants: Vec<_> = data.variants.iter().collect();
    let present: Vec<_> = variants.iter().map(|variant| variant.ident.to_string()).collect();
    let described = variants.iter().map(|variant| {
        let (name, fields) = (variant.ident.to_string(), describe(&variant.fields)?);
        let was = former_names(&variant.attrs, &present)?;
        Ok(quote! { ::hemiola::data::Variant::new(#name, ::std::vec![#(#fields),*]) #(.formerly(#was))* })
    });
    let described = described.collect::<Result<Vec<_>>>()?;
    let write = variants.iter().enumerate().map(|(index, variant)| {
        let (ident, text) = (&variant.ident, variant.ident.to_string());
        if variant.fields.is_empty() {
            return quote! { Self::#ident { .. } => writer.begin_variant(VARIANTS, #index), };
        }
        let (members, names) = (members(&variant.fields), names(&variant.fields));
        let bound: Vec<_> = (0..members.len()).map(|index| format_ident!("field_{index}")).collect();
        quote! {
            Self::#ident { #( #members: #bound ),* } => {
                writer.begin_variant(VARIANTS, #index);
                writer.begin_structure(#text);
                #( writer.field(#names); ::hemiola::data::Data::write(#bound, writer); )*
                writer.end_structure();
            }
        }
    });
    let restore = variants.iter().map(|variant| {
        let (ident, members) = (&variant.ident, members(&variant.fields));
        if members.is_empty() {
            return quote! { (value, Self::#ident { .. }) => { *value = Self::#ident {}; true } };
        }
        let values: Vec<_> = (0..members.len()).map(|index| format_ident!("value_{index}")).collect();
        let defaults: Vec<_> = (0..members.len()).map(|index| format_ident!("default_{index}")).collect();
        quote! {
            (Self::#ident { #( #members: #values ),* }, Self::#ident { #( #members: #defaults ),* }) => {
                true #( && ::hemiola::data::Data::restore(#values, #defaults) )*
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
    let heads = heads(&variants);
    Ok(Body {
        plain: plain_enumeration(&variants),
        data_type: quote! { ::hemiola::data::DataType::enumeration(#type_name, ::std::vec![#(#described),*]) },
        write: quote! { #heads match self { #(#write)* } writer.end_variant(); },
        read: quote! {
            #heads
            let value = match reader.begin_variant(VARIANTS)? {
                #(#read)*
                _ => return ::core::result::Result::Err(reader.error(::std::string::String::from("no such variant"))),
            };
            reader.end_variant()?;
            ::core::result::Result::Ok(value)
        },
        replace: quote! {
            fn restore(&mut self, default: &Self) -> bool {
                match (self, default) { #(#restore)* #[allow(unreachable_patterns, reason = "an enum may have one variant")] _ => false }
            }
        },
    })
}

/// Declares what readers and writers need to know of the variants of an enum.
pub fn heads(variants: &[&Variant]) -> TokenStream {
    let heads = variants.iter().map(|variant| {
        let name = variant.ident.to_string();
        let content = if variant.fields.is_empty() {
            quote! { Empty }
        } else {
            quote! { Fields }
        };
        quote! { ::hemiola::data::VariantHead { name: #name, content: ::hemiola::data::VariantContent::#content } }
    });
    quote! { const VARIANTS: &[::hemiola::data::VariantHead] = &[#(#heads),*]; }
}

fn describe(fields: &Fields) -> Result<Vec<TokenStream>> {
    let names = names(fields);
    fields
        .iter()
        .zip(&names)
        .map(|(field, name)| {
            let (ty, documentation) = (&field.ty, documentation(&field.attrs));
            let was = former_names(&field.attrs, &names)?;
            Ok(quote! {
                ::hemiola::data::Field::new(#name, <#ty as ::hemiola::data::Data>::data_type(), #documentation) #(.formerly(#was))*
            })
        })
        .collect()
}

/// Reads `#[data(was = "old_name")]` on a field or variant; `present` are the names beside it.
fn former_names(attributes: &[Attribute], present: &[String]) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("data")) {
        attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("was") {
                return Err(meta.error("expected `was = \"old_name\"`"));
            }
            let name: LitStr = meta.value()?.parse()?;
            if present.contains(&name.value()) {
                let message = format!("`{}` still exists, so logs have that field under this name", name.value());
                return Err(Error::new_spanned(name, message));
            }
            names.push(name.value());
            Ok(())
        })?;
    }
    Ok(names)
}

pub fn members(fields: &Fields) -> Vec<TokenStream> {
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
        .map(|(index, field)| field.ident.as_ref().map_or_else(|| index.to_string(), |name| name.unraw().to_string()))
        .collect()
}

/// Returns the text of the documentation comments, lines joined by spaces.
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
