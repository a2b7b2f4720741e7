//! The attributes of methods: `#[update]`, `#[safe_state]` and `#[sample]`.
//!
//! `#[module]` and `#[source]` read and remove them before the compiler expands them. So one that
//! is expanded stands in a block without its attribute, which this says.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::Error;

/// Returns the method as it is, and the error that `#[marker]` needs `#[block]`.
pub fn stray(marker: &str, block: &str, method: &TokenStream) -> TokenStream {
    let remedy = format!("`#[{marker}]` needs `#[{block}]` on the `impl` block around it");
    let error = Error::new(Span::call_site(), remedy).to_compile_error();
    quote! { #method #error }
}
