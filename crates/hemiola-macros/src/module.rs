//! The derive `#[derive(Module)]` and the attribute `#[module]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{
    Data, DeriveInput, Error, Fields, FnArg, Ident, ImplItem, ImplItemFn, ItemImpl, Receiver, ReceiverKind, Result,
    Signature, Type,
};

use crate::state;
use crate::update::Method;

pub fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let creation = Creation::parse(input)?;
    let (name, text) = (&input.ident, input.ident.to_string());
    let (members, state) = (creation.members(), state::members(input)?);
    Ok(quote! {
        impl ::hemiola::module::Module for #name {
            const NAME: &'static str = #text;
            #members
            #state
        }
    })
}

pub fn register(attribute: TokenStream, mut block: ItemImpl) -> Result<TokenStream> {
    let name = check_block(&attribute, &block, "module")?;
    let mut methods = Vec::new();
    let mut safe_state = None;
    let mut errors = None;
    for item in &mut block.items {
        let ImplItem::Fn(function) = item else { continue };
        match take_marker(function, "update")
            .and_then(|marked| marked.then(|| Method::parse(&function.sig)).transpose())
        {
            Ok(method) => methods.extend(method),
            Err(error) => combine(&mut errors, error),
        }
        match take_marker(function, "safe_state")
            .and_then(|marked| marked.then(|| check_safe_state(&function.sig)).transpose())
        {
            Ok(Some(method)) if safe_state.is_none() => safe_state = Some(method),
            Ok(Some(second)) => {
                combine(
                    &mut errors,
                    Error::new_spanned(second, "only one method can enter the safe state: do everything in it"),
                );
            }
            Ok(None) => {}
            Err(error) => combine(&mut errors, error),
        }
    }
    if methods.is_empty() && errors.is_none() {
        combine(
            &mut errors,
            Error::new_spanned(
                &name,
                "a module has at least one update: put `#[update]` on the methods for the framework to call",
            ),
        );
    }
    if let Some(errors) = errors {
        // The block is kept, so that one mistake here does not make every use of its methods
        // another error.
        let errors = errors.to_compile_error();
        return Ok(quote! { #block #errors });
    }
    let updates = methods.iter().map(|method| method.describe(&name));
    let safe_state = match safe_state {
        Some(method) => quote! {
            ::core::option::Option::Some(|module: &mut #name| ::hemiola::module::IntoOutcome::into_outcome(module.#method()))
        },
        None => quote! { ::core::option::Option::None },
    };
    Ok(quote! {
        #block
        const _: () = {
            fn describe() -> ::hemiola::module::ModuleDescriptor {
                ::hemiola::module::ModuleDescriptor::of::<#name>(
                    ::core::module_path!(),
                    ::core::concat!(::core::file!(), ":", ::core::line!()),
                    ::std::vec![#(#updates),*],
                    #safe_state,
                )
            }
            ::hemiola::macros_support::inventory::submit!(::hemiola::macros_support::Registration::Module(describe));
        };
    })
}

/// Removes `#[marker]` from a method. Returns whether it was there.
fn take_marker(function: &mut ImplItemFn, marker: &str) -> Result<bool> {
    let Some(position) = function.attrs.iter().position(|attribute| attribute.path().is_ident(marker)) else {
        return Ok(false);
    };
    let attribute = function.attrs.remove(position);
    let no_arguments = format!("`#[{marker}]` has no arguments: the signature is enough");
    attribute.meta.require_path_only().map_err(|_| Error::new_spanned(&attribute, no_arguments))?;
    Ok(true)
}

/// Checks the signature of a method that enters the safe state, and returns its name.
fn check_safe_state(signature: &Signature) -> Result<Ident> {
    let receives_itself = matches!(
        signature.inputs.first(),
        Some(FnArg::Receiver(Receiver { kind: ReceiverKind::Reference(_, _, Some(_)), .. }))
    );
    if receives_itself && signature.inputs.len() == 1 && signature.asyncness.is_none() {
        return Ok(signature.ident.clone());
    }
    Err(Error::new_spanned(
        signature,
        "the safe state is entered outside of a run, where there are no representations: write `fn(&mut self)`, which returns nothing or a `Result<(), E>`",
    ))
}

/// The way in which a module or source is made from its parameters.
pub struct Creation {
    parameters: Option<(TokenStream, Type)>,
    others: Vec<TokenStream>,
}

impl Creation {
    pub fn parse(input: &DeriveInput) -> Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(Error::new_spanned(&input.ident, "this derive is for structures"));
        };
        if let Some(parameter) = input.generics.params.first() {
            return Err(Error::new_spanned(parameter, "modules and sources cannot have generic parameters"));
        }
        if let Fields::Unnamed(fields) = &data.fields {
            return Err(Error::new_spanned(fields, "name the fields: `struct Name { field: Type }`"));
        }
        let mut creation = Self { parameters: None, others: Vec::new() };
        for field in &data.fields {
            let ident = &field.ident;
            if !field.attrs.iter().any(|attribute| attribute.path().is_ident("parameters")) {
                creation.others.push(quote! { #ident });
            } else if creation.parameters.is_none() {
                creation.parameters = Some((quote! { #ident }, field.ty.clone()));
            } else {
                return Err(Error::new_spanned(
                    field,
                    "only one field can hold the parameters: put both sets into one structure",
                ));
            }
        }
        Ok(creation)
    }

    /// Returns the members `Parameters`, `create` and `parameters_mut`.
    pub fn members(&self) -> TokenStream {
        let others = &self.others;
        match &self.parameters {
            Some((ident, ty)) => quote! {
                type Parameters = #ty;
                fn create(parameters: Self::Parameters) -> Self {
                    Self { #ident: parameters, #( #others: ::core::default::Default::default() ),* }
                }
                fn parameters_mut(&mut self) -> &mut Self::Parameters { &mut self.#ident }
            },
            None => quote! {
                type Parameters = ();
                fn create((): ()) -> Self {
                    Self { #( #others: ::core::default::Default::default() ),* }
                }
                fn parameters_mut(&mut self) -> &mut Self::Parameters {
                    // The value has no size, so this does not allocate.
                    ::std::boxed::Box::leak(::std::boxed::Box::new(()))
                }
            },
        }
    }
}

/// Returns the type to which the block belongs, if the attribute may stand on it.
pub fn check_block(attribute: &TokenStream, block: &ItemImpl, what: &str) -> Result<Type> {
    if !attribute.is_empty() {
        return Err(Error::new_spanned(attribute, format!("`#[{what}]` has no arguments")));
    }
    if let Some((path, _)) = &block.trait_ {
        return Err(Error::new_spanned(
            path,
            format!("`#[{what}]` belongs on the type's own `impl` block, not on that of a trait"),
        ));
    }
    if let Some(parameter) = block.generics.params.first() {
        return Err(Error::new_spanned(parameter, format!("a {what} cannot have generic parameters")));
    }
    Ok((*block.self_ty).clone())
}

pub fn combine(errors: &mut Option<Error>, error: Error) {
    match errors {
        Some(errors) => errors.combine(error),
        None => *errors = Some(error),
    }
}
