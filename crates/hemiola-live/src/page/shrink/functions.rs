//! Functions of the language that a script calls often, and short names for them.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Kind, Token};

/// The functions that can be called without an object.
const KNOWN: &[&[&str]] = &[
    &["Math", ".", "max"],
    &["Math", ".", "min"],
    &["Math", ".", "abs"],
    &["Math", ".", "floor"],
    &["Math", ".", "round"],
    &["Math", ".", "ceil"],
    &["Math", ".", "hypot"],
    &["Math", ".", "log10"],
    &["Number", ".", "isFinite"],
    &["Array", ".", "isArray"],
    &["JSON", ".", "stringify"],
    &["Object", ".", "entries"],
    &["Object", ".", "assign"],
    &["Number"],
    &["String"],
];

/// The short names of functions, by the index of the first word that they replace.
#[derive(Default)]
pub struct Functions {
    places: BTreeMap<usize, String>,
    /// The other tokens that are replaced by a short name.
    covered: BTreeSet<usize>,
    /// The declarations of the short names, which are put at the beginning of the script.
    pub head: String,
}

impl Functions {
    /// Finds the functions for which a short name makes the script shorter.
    pub fn of(tokens: &[Token<'_>]) -> Self {
        let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
        let mut found = Self::default();
        let mut free = ('a'..='z').map(|letter| format!("_{letter}")).filter(|name| {
            let is_name = |token: &Token<'_>| token.kind == Kind::Word && token.text == *name;
            !tokens.iter().any(is_name)
        });
        let mut declared = Vec::new();
        for words in KNOWN {
            let is_here = |index: &usize| {
                let is_whole = index.checked_sub(1).is_none_or(|before| text(before) != ".");
                let is_free = !found.places.contains_key(index) && text(index + words.len()) != ":";
                is_whole && is_free && words.iter().zip(*index..).all(|(word, index)| text(index) == *word)
            };
            let places: Vec<_> = (0..tokens.len()).filter(is_here).collect();
            let function = words.concat();
            // The declaration costs `_a=` and a comma or semicolon.
            if places.len() * (function.len() - 2) <= function.len() + 4 {
                continue;
            }
            let Some(name) = free.next() else { break };
            declared.push(format!("{name}={function}"));
            found.covered.extend(places.iter().flat_map(|place| place + 1..place + words.len()));
            found.places.extend(places.into_iter().map(|place| (place, name.clone())));
        }
        if !declared.is_empty() {
            found.head = format!("let {};", declared.join(","));
        }
        found
    }

    /// Returns the short name of the function that begins at this token.
    pub fn at(&self, index: usize) -> Option<&str> {
        self.places.get(&index).map(String::as_str)
    }

    /// Returns whether a short name at an earlier token also replaces this one.
    pub fn covers(&self, index: usize) -> bool {
        self.covered.contains(&index)
    }
}

#[cfg(test)]
mod tests {
    use super::super::script;

    #[test]
    fn what_is_called_often_is_named_once() {
        let often = "let a = Math.max(b, Math.max(c, Math.max(d, e)));\n";
        assert_eq!(script(often), "let _a=Math.max;let a=_a(b,_a(c,_a(d,e)));\n");
        let seldom = "let a=Math.max(b,Math.max(c,d));\n";
        assert_eq!(script(seldom), seldom);
        let others = "f(my.Math.max(1), my.Math.max(2), my.Math.max(3), my.Math.max(4));\n";
        assert!(!script(others).contains('_'));
        let texts = "f(String(a), b.map(String), String(c), String(d), x.String, { String: 1 });\n";
        assert_eq!(script(texts), "let _a=String;f(_a(a),b.map(_a),_a(c),_a(d),x.String,{String:1});\n");
        let numbers = "f(Number(a), Number(b), Number(c), Number(d), Number.isFinite(e));\n";
        assert_eq!(script(numbers), "let _a=Number;f(_a(a),_a(b),_a(c),_a(d),_a.isFinite(e));\n");
    }
}
