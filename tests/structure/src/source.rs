//! One file of Rust, parsed: which modules it declares, which paths it names, how often it is
//! `unsafe`. Whatever is compiled for tests only (`#[cfg(test)]`) is passed over.

mod syntax;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use proc_macro2::{Spacing, TokenStream, TokenTree};
use syn::{
    Attribute, Field, ImplItem, Item, ItemMod, ItemUse, Macro, Meta, Safety, Signature, Stmt, TraitItem, Variant,
    visit::{self, Visit},
};

use syntax::{attributes_of, for_tests, leaves, mentions, path_attribute};

/// The contents of one file, as far as they matter for the structure.
#[derive(Debug, Default)]
pub struct Source {
    /// The number of lines, including empty ones and comments.
    pub lines: usize,
    /// The number of uses of the word `unsafe`: blocks, functions, implementations, traits, types.
    pub unsafe_uses: usize,
    /// The number of uses that the lint `unsafe_code` sees; types of pointers to functions are
    /// none.
    pub lintable_unsafe: usize,
    /// The number of functions that are `unsafe` to call.
    pub unsafe_functions: usize,
    /// Set if an attribute in this file expects or allows `unsafe_code`.
    pub expects_unsafe: bool,
    /// Set if an attribute in this file denies or forbids `unsafe_code`.
    pub denies_unsafe: bool,
    /// The number of paths that name the module of atomics, of the standard library or of loom.
    pub atomics: usize,
    /// Modules in files of their own.
    pub(crate) children: Vec<Child>,
    /// Paths as written, with the inline modules around them.
    pub(crate) paths: Vec<NamedPath>,
    /// Names that the file's top level declares.
    pub(crate) declares: BTreeSet<String>,
    /// The imports at the file's top level: the name, which is `*` for all, and where it comes
    /// from.
    pub(crate) imports: Vec<(String, Vec<String>)>,
}

/// A `mod name;`.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) name: String,
    pub(crate) within: Vec<String>,
    pub(crate) at: Option<String>,
}

/// A path that is named somewhere: `crate::a::B`, `super::C`.
#[derive(Debug)]
pub(crate) struct NamedPath {
    pub(crate) within: Vec<String>,
    pub(crate) segments: Vec<String>,
}

impl Source {
    /// Parses a file.
    pub fn parse(text: &str) -> Result<Self, syn::Error> {
        let file = syn::parse_file(text)?;
        let mut reading =
            Reading { found: Source { lines: text.lines().count(), ..Self::default() }, within: Vec::new() };
        for item in &file.items {
            reading.declare(item);
        }
        visit::visit_file(&mut reading, &file);
        Ok(reading.found)
    }
}

struct Reading {
    found: Source,
    within: Vec<String>,
}

impl Reading {
    fn declare(&mut self, item: &Item) {
        let name = match item {
            Item::Const(item) => &item.ident,
            Item::Enum(item) => &item.ident,
            Item::Fn(item) => &item.sig.ident,
            Item::Static(item) => &item.ident,
            Item::Struct(item) => &item.ident,
            Item::Trait(item) => &item.ident,
            Item::Type(item) => &item.ident,
            Item::Union(item) => &item.ident,
            Item::Mod(item) => &item.ident,
            Item::Macro(item) => match &item.ident {
                Some(name) => name,
                None => return,
            },
            Item::Use(item) => {
                for (segments, name) in leaves(&item.tree) {
                    self.found.imports.push((name, segments));
                }
                return;
            }
            _ => return,
        };
        self.found.declares.insert(name.to_string());
    }

    fn named(&mut self, segments: Vec<String>) {
        let outside = segments.first().is_some_and(|first| !matches!(first.as_str(), "crate" | "self" | "super"));
        if outside && segments.windows(2).any(|pair| pair[0] == "sync" && pair[1] == "atomic") {
            self.found.atomics += 1;
        }
        self.found.paths.push(NamedPath { within: self.within.clone(), segments });
    }

    fn uses_unsafe(&mut self) {
        self.found.unsafe_uses += 1;
        self.found.lintable_unsafe += 1;
    }
}

impl<'ast> Visit<'ast> for Reading {
    fn visit_item(&mut self, item: &'ast Item) {
        if !for_tests(attributes_of(item)) {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        for attribute in &item.attrs {
            self.visit_attribute(attribute);
        }
        let name = item.ident.to_string();
        match &item.content {
            Some((_, items)) => {
                self.within.push(name);
                for item in items {
                    self.visit_item(item);
                }
                self.within.pop();
            }
            None => {
                let at = item.attrs.iter().find_map(path_attribute);
                self.found.children.push(Child { name, within: self.within.clone(), at });
            }
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        for (segments, _) in leaves(&item.tree) {
            self.named(segments);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes: &[Attribute] = match item {
            ImplItem::Const(item) => &item.attrs,
            ImplItem::Fn(item) => &item.attrs,
            ImplItem::Type(item) => &item.attrs,
            ImplItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !for_tests(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast TraitItem) {
        let attributes: &[Attribute] = match item {
            TraitItem::Const(item) => &item.attrs,
            TraitItem::Fn(item) => &item.attrs,
            TraitItem::Type(item) => &item.attrs,
            TraitItem::Macro(item) => &item.attrs,
            _ => &[],
        };
        if !for_tests(attributes) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_field(&mut self, field: &'ast Field) {
        if !for_tests(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        if !for_tests(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        let attributes: &[Attribute] = match statement {
            Stmt::Local(local) => &local.attrs,
            Stmt::Macro(call) => &call.attrs,
            _ => &[],
        };
        if !for_tests(attributes) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_expr_unsafe(&mut self, block: &'ast syn::ExprUnsafe) {
        self.uses_unsafe();
        visit::visit_expr_unsafe(self, block);
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        if matches!(signature.safety, Safety::Unsafe(_)) {
            self.uses_unsafe();
            self.found.unsafe_functions += 1;
        }
        visit::visit_signature(self, signature);
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if item.unsafety.is_some() {
            self.uses_unsafe();
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        if item.unsafety.is_some() {
            self.uses_unsafe();
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_item_foreign_mod(&mut self, item: &'ast syn::ItemForeignMod) {
        if item.unsafety.is_some() {
            self.uses_unsafe();
        }
        visit::visit_item_foreign_mod(self, item);
    }

    fn visit_type_fn_ptr(&mut self, pointer: &'ast syn::TypeFnPtr) {
        if pointer.unsafety.is_some() {
            self.found.unsafe_uses += 1;
        }
        visit::visit_type_fn_ptr(self, pointer);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.named(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let Meta::List(list) = &attribute.meta else { return };
        let level = list.path.get_ident().map(ToString::to_string).unwrap_or_default();
        if level == "unsafe" {
            self.uses_unsafe();
        }
        if mentions(list.tokens.clone(), "unsafe_code") {
            self.found.expects_unsafe |= matches!(level.as_str(), "expect" | "allow");
            self.found.denies_unsafe |= matches!(level.as_str(), "deny" | "forbid");
        }
    }

    fn visit_macro(&mut self, called: &'ast Macro) {
        self.visit_path(&called.path);
        self.tokens(called.tokens.clone());
    }
}

impl Reading {
    /// Reads the tokens in a macro's call or definition, which the parser leaves as they are.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(word) if word == "unsafe" => {
                    let function = matches!(tokens.peek(), Some(TokenTree::Ident(next)) if next == "fn");
                    self.found.unsafe_functions += usize::from(function);
                    self.uses_unsafe();
                }
                TokenTree::Ident(word) => {
                    let mut segments = vec![word.to_string()];
                    while matches!(tokens.peek(), Some(TokenTree::Punct(colon)) if colon.as_char() == ':' && colon.spacing() == Spacing::Joint)
                    {
                        tokens.next();
                        tokens.next();
                        let Some(TokenTree::Ident(next)) = tokens.peek() else { break };
                        segments.push(next.to_string());
                        tokens.next();
                    }
                    if segments.len() > 1 {
                        self.named(segments);
                    }
                }
                _ => {}
            }
        }
    }
}
