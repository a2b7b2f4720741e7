//! Facts that single items of syntax state: names that a `use` brings in, and what attributes are
//! for.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Expr, Item, Lit, Meta, UseTree};

/// Returns all paths that a `use` brings in, each with the name that it gets.
pub(super) fn leaves(tree: &UseTree) -> Vec<(Vec<String>, String)> {
    fn walk(tree: &UseTree, before: &[String], found: &mut Vec<(Vec<String>, String)>) {
        let with = |name: &str| before.iter().cloned().chain([name.to_owned()]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => walk(&path.tree, &with(&path.ident.to_string()), found),
            UseTree::Name(name) if name.ident == "self" => {
                found.push((before.to_vec(), before.last().cloned().unwrap_or_default()));
            }
            UseTree::Name(name) => found.push((with(&name.ident.to_string()), name.ident.to_string())),
            UseTree::Rename(name) => found.push((with(&name.ident.to_string()), name.rename.to_string())),
            UseTree::Glob(_) => found.push((with("*"), "*".to_owned())),
            UseTree::Group(group) => group.items.iter().for_each(|tree| walk(tree, before, found)),
        }
    }
    let mut found = Vec::new();
    walk(tree, &[], &mut found);
    found
}

/// Returns whether attributes say that something is compiled for tests only.
pub(super) fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        Meta::Path(path) => path.is_ident("test"),
        Meta::List(list) => list.path.is_ident("cfg") && requires_test(list.tokens.clone()),
        Meta::NameValue(_) => false,
    })
}

fn requires_test(condition: TokenStream) -> bool {
    let mut before = None;
    condition.into_iter().any(|token| {
        let required = match &token {
            TokenTree::Ident(word) => word == "test",
            // A condition that may hold outside of tests is not for tests only.
            TokenTree::Group(group) => before.as_deref() == Some("all") && requires_test(group.stream()),
            _ => false,
        };
        before = Some(token.to_string());
        required
    })
}

pub(super) fn mentions(tokens: TokenStream, word: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(ident) => ident == word,
        TokenTree::Group(group) => mentions(group.stream(), word),
        _ => false,
    })
}

pub(super) fn path_attribute(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(pair) = &attribute.meta else { return None };
    let Expr::Lit(literal) = &pair.value else { return None };
    let Lit::Str(text) = &literal.lit else { return None };
    pair.path.is_ident("path").then(|| text.value())
}

pub(super) fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}
