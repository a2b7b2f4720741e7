//! The common part of `#[update]` and `#[sample]` methods: a signature that is a declaration.

use std::collections::HashMap;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{
    Error, FnArg, GenericArgument, Ident, PathArguments, ReceiverKind, Result, ReturnType, Signature, Type,
    TypeReference,
};

use crate::written::written;

/// A method whose arguments the framework provides.
pub struct Method {
    name: Ident,
    exclusive: bool,
    arguments: Vec<Type>,
    /// The arguments as they are written in the source, for messages.
    signature: Vec<String>,
    /// The type that the method returns, unless that is nothing.
    output: Option<Type>,
}

impl Method {
    pub fn parse(function: &Signature) -> Result<Self> {
        if let Some(token) = &function.asyncness {
            return Err(Error::new_spanned(token, "an update runs to its end: it cannot be `async`"));
        }
        if let Some(parameter) = function.generics.type_params().next() {
            return Err(Error::new_spanned(parameter, "an update cannot have generic parameters"));
        }
        let mut inputs = function.inputs.iter();
        let exclusive = match inputs.next() {
            Some(FnArg::Receiver(receiver)) => match &receiver.kind {
                ReceiverKind::Reference(_, _, mutability) => mutability.is_some(),
                _ => return Err(Error::new_spanned(receiver, "an update borrows its module: `&self` or `&mut self`")),
            },
            _ => {
                return Err(Error::new_spanned(
                    &function.ident,
                    "an update is a method: its first argument is `&mut self`, or `&self` if it may run beside its siblings",
                ));
            }
        };
        let (arguments, signature): (Vec<Type>, Vec<String>) = inputs
            .map(|input| match input {
                FnArg::Typed(argument) => ((*argument.ty).clone(), written(argument)),
                FnArg::Receiver(_) => unreachable!("only the first argument can be a receiver"),
            })
            .unzip();
        check_roles(&arguments)?;
        let output = match &function.output {
            ReturnType::Type(_, output) => Some((**output).clone()),
            ReturnType::Default => None,
        };
        Ok(Self { name: function.ident.clone(), exclusive, arguments, signature, output })
    }

    /// Returns an expression of type `Update`.
    pub fn describe(&self, module: &Type) -> TokenStream {
        let (name, text, signature) = (&self.name, self.name.to_string(), &self.signature);
        let bound: Vec<_> = (0..self.arguments.len()).map(|index| format_ident!("argument_{index}")).collect();
        // The compiler reports errors of the update as a whole at its name.
        let at_name = Span::mixed_site().located_at(name.span());
        let pattern = bound.iter().rev().fold(quote! { () }, |rest, argument| quote! { (#argument, #rest) });
        let list = (self.arguments.iter().rev())
            .fold(quote_spanned! { at_name => () }, |rest, argument| quote_spanned! { at_name => (#argument, #rest) });
        // Each argument is checked at its own place, so that errors point there.
        let checks = self.arguments.iter().map(|argument| {
            quote_spanned! { argument.span() => ::hemiola::macros_support::argument::<#argument>(); }
        });
        let output_check = self.output.iter().map(|output| {
            quote_spanned! { output.span() => _ = <#output as ::hemiola::module::IntoOutcome>::into_outcome; }
        });
        let (constructor, sync_check) = if self.exclusive {
            (quote! { exclusive }, TokenStream::new())
        } else {
            let module = located_at(module.to_token_stream(), name.span());
            let check = quote_spanned! { at_name =>
                ::hemiola::macros_support::concurrent_update_needs_sync::<#module>();
            };
            (quote! { concurrent }, check)
        };
        quote_spanned! { at_name => {
            #(#checks)*
            #(#output_check)*
            #sync_check
            ::hemiola::module::Update::#constructor::<#module, #list, _>(
                #text,
                |module, #pattern| module.#name(#(#bound),*),
            ).with_signature(&[#(#signature),*])
        }}
    }
}

/// Returns the same tokens with the span of `place`, where the compiler reports errors in them.
fn located_at(tokens: TokenStream, place: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut token: TokenTree| {
        token.set_span(token.span().located_at(place));
        token
    });
    moved.collect()
}

/// The use of a representation by an argument.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Provides,
    Requires,
    Uses,
    Collects,
}

/// Checks early what the types decide when the robot is put together: one representation has at
/// most one role in an update, except for one that is provided and whose previous value is used.
/// Only here the compiler can point at the argument.
fn check_roles(arguments: &[Type]) -> Result<()> {
    let mut seen: HashMap<String, Vec<Role>> = HashMap::new();
    for argument in arguments {
        let Some((role, representation)) = role(argument)? else { continue };
        let name = representation.to_token_stream().to_string();
        let roles = seen.entry(name.clone()).or_default();
        let complain = |old: &Role| match (role, *old) {
            (Role::Provides, Role::Provides) => {
                Some(format!("`{name}` is provided twice by this update: one `&mut {name}` is enough"))
            }
            (Role::Provides, Role::Requires) | (Role::Requires, Role::Provides) => Some(format!(
                "`{name}` is provided and required by the same update, which cannot run before itself; for the value of the previous run use `Previous<{name}>`"
            )),
            (Role::Provides, Role::Collects) | (Role::Collects, Role::Provides) => Some(format!(
                "`{name}` is provided and collected by the same update; `Samples` come from another cycle or a source"
            )),
            (new, old) if new == old => Some(format!("`{name}` is requested twice")),
            _ => None,
        };
        if let Some(complaint) = roles.iter().find_map(complain) {
            return Err(Error::new_spanned(argument, complaint));
        }
        roles.push(role);
    }
    Ok(())
}

/// Returns the role of an argument; `None` for services, which the compiler distinguishes from
/// representations, not this macro.
fn role(argument: &Type) -> Result<Option<(Role, Type)>> {
    match argument {
        Type::Reference(TypeReference { mutability, elem, .. }) => {
            let role = if mutability.is_some() { Role::Provides } else { Role::Requires };
            Ok(Some((role, (**elem).clone())))
        }
        Type::Path(path) => {
            let Some(segment) = path.path.segments.last() else { return Ok(None) };
            let role = match segment.ident.to_string().as_str() {
                "Previous" => Role::Uses,
                "Fresh" => Role::Requires,
                "Samples" => Role::Collects,
                _ => {
                    let name = argument.to_token_stream();
                    return Err(Error::new_spanned(
                        argument,
                        format!(
                            "an update borrows what it exchanges: `&{name}` to read it, `&mut {name}` to provide it, or `Previous<{name}>`, `Fresh<{name}>`, `Samples<{name}>`"
                        ),
                    ));
                }
            };
            let PathArguments::AngleBracketed(arguments) = &segment.arguments else {
                return Err(Error::new_spanned(
                    argument,
                    format!("`{0}` needs a type: write `{0}<SomeRepresentation>`", segment.ident),
                ));
            };
            let inner = arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(inner) => Some(inner.clone()),
                _ => None,
            });
            match inner {
                Some(inner) => Ok(Some((role, inner))),
                None => Err(Error::new_spanned(
                    argument,
                    format!("`{0}` needs a type: write `{0}<SomeRepresentation>`", segment.ident),
                )),
            }
        }
        other => Err(Error::new_spanned(
            other,
            "an update takes `&T`, `&mut T`, `Previous<T>`, `Fresh<T>`, `Samples<T>` and services such as `&Clock`",
        )),
    }
}
