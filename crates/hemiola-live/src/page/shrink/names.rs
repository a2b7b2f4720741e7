//! Names that nobody outside of a script knows, and shorter ones for them.

use std::collections::{BTreeMap, BTreeSet};

use super::{Kind, Token};

/// Variables of these names could also be those of every page.
const OF_PAGES: &[&str] = &[
    "name",
    "event",
    "location",
    "history",
    "status",
    "top",
    "parent",
    "self",
    "length",
    "origin",
    "document",
    "window",
    "screen",
    "performance",
    "navigator",
    "frames",
    "open",
    "close",
    "focus",
    "find",
    "print",
    "stop",
];
/// Words that are keywords in some places.
const KEYWORDS: &[&str] = &["as", "async", "await", "do", "from", "get", "if", "in", "of", "set", "static", "yield"];

/// The brace of a class.
const CLASS: char = 'c';

/// For each name that can have a short one, the short one.
pub fn short_ones<'s>(tokens: &[Token<'s>]) -> BTreeMap<&'s str, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for token in tokens.iter().filter(|token| token.kind == Kind::Word) {
        *counts.entry(token.text).or_default() += 1;
    }
    let (variables, kept) = found(tokens);
    let is_variable = |word: &&str| word.len() > 1 && variables.contains(*word) && !kept.contains(*word);
    let mut short = BTreeMap::new();
    for is_private in [true, false] {
        let is_meant =
            |word: &&str| if is_private { word.starts_with('#') && word.len() > 2 } else { is_variable(word) };
        let mut words: Vec<_> = counts.keys().copied().filter(is_meant).collect();
        // The shortest names for those that occur most often.
        words.sort_by_key(|word| (std::cmp::Reverse(counts[word]), *word));
        let free = (0..).map(name).filter(|name| match is_private {
            true => !counts.contains_key(format!("#{name}").as_str()),
            false => !counts.contains_key(name.as_str()) && !KEYWORDS.contains(&name.as_str()),
        });
        let named = words.into_iter().zip(free).map(|(word, name)| match is_private {
            true => (word, format!("#{name}")),
            false => (word, name),
        });
        short.extend(named.filter(|(word, name)| name.len() < word.len()));
    }
    short
}

/// The variables that a script declares, and the words that have to stay: names of properties, or of
/// what other scripts import.
fn found<'s>(tokens: &[Token<'s>]) -> (BTreeSet<&'s str>, BTreeSet<&'s str>) {
    let mut variables = BTreeSet::new();
    let mut kept: BTreeSet<_> = OF_PAGES.iter().chain(KEYWORDS).copied().collect();
    let mut open = Vec::new();
    let text = |index: Option<usize>| index.and_then(|index| tokens.get(index)).map_or("", |token| token.text);
    for (index, token) in tokens.iter().enumerate() {
        let word = token.text;
        let (before, after) = (text(index.checked_sub(1)), text(Some(index + 1)));
        if token.kind != Kind::Word {
            let begin = follow(&mut open, index, tokens);
            let head = begin.map_or("", |begin: usize| text(begin.checked_sub(1)));
            let is_arrow = word == ")" && after == "=" && text(Some(index + 2)) == ">";
            let is_function = word == ")" && after == "{" && !matches!(head, "if" | "while" | "for" | "switch");
            let is_taken_apart = word == "]" && matches!(head, "const" | "let");
            if let Some(begin) = begin.filter(|_| is_arrow || is_function || is_taken_apart) {
                variables.extend(listed(&tokens[begin..index]));
            }
            continue;
        }
        let is_declared = matches!(before, "const" | "let" | "function");
        let is_only_argument = after == "=" && text(Some(index + 2)) == ">";
        if is_declared || is_only_argument {
            variables.insert(word);
        }
        let is_exported = is_declared && (2..4).any(|back| text(index.checked_sub(back)) == "export");
        let within = open.last().map_or('{', |(bracket, _)| *bracket);
        let is_entry = matches!(before, "{" | ",") && matches!(after, ":" | "," | "}" | "=" | "(");
        let is_method = matches!(before, "async" | "get" | "set" | "static" | "*") && matches!(after, "(" | "=" | ";");
        let is_field = within == CLASS && matches!(before, ";" | "}") && matches!(after, "(" | "=" | ";");
        let is_property = before == "." && text(index.checked_sub(2)) != "."
            || matches!(within, '{' | CLASS) && (is_entry || is_method || is_field);
        if is_exported || is_property {
            kept.insert(word);
        }
    }
    (variables, kept)
}

/// The names in a list of arguments, or of what is taken apart; what is nested has its own.
fn listed<'t, 's>(list: &'t [Token<'s>]) -> impl Iterator<Item = &'s str> + 't {
    let mut depth = 0;
    list.windows(2).filter_map(move |pair| {
        depth +=
            i32::from(matches!(pair[0].text, "(" | "[" | "{")) - i32::from(matches!(pair[0].text, ")" | "]" | "}"));
        let is_name = depth == 1 && matches!(pair[0].text, "(" | "[" | "," | ".") && pair[1].kind == Kind::Word;
        is_name.then_some(pair[1].text)
    })
}

/// Whether these tokens end with the head of a class: `class A extends b.C`.
fn is_class(before: &[Token<'_>]) -> bool {
    let head = before.iter().rev().take_while(|token| token.kind == Kind::Word || token.text == ".").take(6);
    head.into_iter().any(|token| token.text == "class")
}

/// Follows which brackets are open, and where they were opened; returns where the one was that closes.
fn follow(open: &mut Vec<(char, usize)>, index: usize, tokens: &[Token<'_>]) -> Option<usize> {
    let token = &tokens[index];
    let is_part = token.kind == Kind::Verbatim;
    let closes = matches!(token.text, ")" | "]" | "}") || is_part && token.text.starts_with('}');
    let begin = closes.then(|| open.pop()).flatten().map(|(_, begin)| begin);
    match token.text {
        "(" => open.push(('(', index)),
        "[" => open.push(('[', index)),
        "{" => open.push((if is_class(&tokens[..index]) { CLASS } else { '{' }, index)),
        text if is_part && text.ends_with("${") => open.push(('(', index)),
        _ => {}
    }
    begin
}

/// `a` to `z`, then `a1` and so on.
fn name(number: usize) -> String {
    let letter = char::from(b'a' + (number % 26) as u8);
    match number / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}
