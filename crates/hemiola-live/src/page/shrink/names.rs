//! The names that are not visible outside of a script, and shorter names for them.

use std::collections::{BTreeMap, BTreeSet};

use super::Shared;
use super::tokens::{Kind, Token};

/// The names of variables that exist in every page. (`event` is one, too, but no script uses the
/// page's own.)
const OF_PAGES: &[&str] = &[
    "name",
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
/// The words that are keywords in some places.
const KEYWORDS: &[&str] = &["as", "async", "await", "do", "from", "get", "if", "in", "of", "set", "static", "yield"];

/// The marks of a brace that opens a class, and of one that opens a block of statements. All other
/// braces open objects or destructuring patterns.
const CLASS: char = 'c';
const BLOCK: char = 'b';

/// Returns short names for everything that files import from each other and that is not also the
/// name of a property in any of them.
pub fn shared(files: &[Vec<Token<'_>>]) -> Shared {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for token in files.iter().flatten().filter(|token| token.kind == Kind::Word) {
        *counts.entry(token.text).or_default() += 1;
    }
    let found: Vec<_> = files.iter().map(|tokens| found(tokens)).collect();
    let is_property = |word: &str| found.iter().any(|found| found.properties.contains(word));
    let mut words: Vec<&str> = found.iter().flat_map(|found| &found.exported).copied().collect();
    words.retain(|word| !is_property(word));
    words.sort_by_key(|word| (std::cmp::Reverse(counts[word]), *word));
    words.dedup();
    // The short names of variables contain no dollar sign.
    let free = (0..).map(|number| format!("${}", name(number))).filter(|name| !counts.contains_key(name.as_str()));
    let named = words.into_iter().zip(free).filter(|(word, name)| name.len() < word.len());
    named.map(|(word, name)| (word.to_owned(), name)).collect()
}

/// Returns the short name of each name that can be shortened.
pub fn short_ones<'s>(tokens: &[Token<'s>], shared: &Shared) -> BTreeMap<&'s str, String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for token in tokens.iter().filter(|token| token.kind == Kind::Word) {
        *counts.entry(token.text).or_default() += 1;
    }
    let Found { variables, properties, exported, imported } = found(tokens);
    let is_kept = |word: &str| [&properties, &exported, &imported].iter().any(|kept| kept.contains(word));
    let is_variable = |word: &&str| word.len() > 1 && variables.contains(*word) && !is_kept(word);
    let is_shared = |word: &&str| exported.contains(word) || imported.contains(word);
    let of_others = counts.keys().copied().filter(is_shared);
    let mut short: BTreeMap<&str, String> =
        of_others.filter_map(|word| Some((word, shared.get(word)?.clone()))).collect();
    for is_private in [true, false] {
        let is_meant =
            |word: &&str| if is_private { word.starts_with('#') && word.len() > 2 } else { is_variable(word) };
        let mut words: Vec<_> = counts.keys().copied().filter(is_meant).collect();
        // The most frequent names get the shortest ones.
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

/// The names in a script, by their role.
struct Found<'s> {
    /// The variables that the script declares.
    variables: BTreeSet<&'s str>,
    /// The properties, and other names that must stay.
    properties: BTreeSet<&'s str>,
    /// The names that other scripts import.
    exported: BTreeSet<&'s str>,
    /// The names that the script imports.
    imported: BTreeSet<&'s str>,
}

fn found<'s>(tokens: &[Token<'s>]) -> Found<'s> {
    let (mut variables, mut exported, mut imported) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let mut properties: BTreeSet<_> = OF_PAGES.iter().chain(KEYWORDS).copied().collect();
    let mut open = Vec::new();
    // Set if the current statement is a declaration: outside of all brackets, and for each open
    // bracket.
    let mut declares = vec![false];
    let mut exports = false;
    let text = |index: Option<usize>| index.and_then(|index| tokens.get(index)).map_or("", |token| token.text);
    for (index, token) in tokens.iter().enumerate() {
        let word = token.text;
        let (before, after) = (text(index.checked_sub(1)), text(Some(index + 1)));
        if token.kind != Kind::Word {
            let begin = follow(&mut open, index, tokens);
            declares.resize(open.len() + 1, false);
            if word == ";" {
                declares[open.len()] = false;
                exports &= !open.is_empty();
            }
            let head = begin.map_or("", |begin: usize| text(begin.checked_sub(1)));
            let is_arrow = word == ")" && after == "=" && text(Some(index + 2)) == ">";
            let is_function = word == ")" && after == "{" && !matches!(head, "if" | "while" | "for" | "switch");
            let is_taken_apart = word == "]" && matches!(head, "const" | "let");
            if let Some(begin) = begin.filter(|_| is_arrow || is_function || is_taken_apart) {
                variables.extend(listed(&tokens[begin..index]));
            }
            continue;
        }
        exports |= word == "export";
        declares[open.len()] |= matches!(word, "const" | "let") && before != ".";
        // This is the second name of `const a = 1, b = 2;`.
        let is_listed = declares[open.len()] && before == "," && matches!(after, "=" | "," | ";");
        let is_declared = is_listed || matches!(before, "const" | "let" | "function");
        let is_only_argument = after == "=" && text(Some(index + 2)) == ">";
        if is_declared || is_only_argument {
            variables.insert(word);
        }
        let is_named = is_declared || before == "class";
        let is_first = (2..4).any(|back| text(index.checked_sub(back)) == "export");
        if is_named && (is_first || exports && is_listed && open.is_empty()) {
            exported.insert(word);
        }
        let bracket = open.last().copied();
        if bracket.is_some_and(|(_, begin): (char, usize)| text(begin.checked_sub(1)) == "import") {
            imported.insert(word);
            continue;
        }
        let (within, head) = bracket.map_or((BLOCK, ""), |(bracket, begin)| (bracket, text(begin.checked_sub(1))));
        let is_pattern = matches!(head, "const" | "let") || head == "," && declares[open.len() - 1];
        if within == '{' && is_pattern && before == ":" && matches!(after, "," | "}" | "=") {
            variables.insert(word);
        }
        let is_entry = matches!(before, "{" | ",") && matches!(after, ":" | "," | "}" | "=" | "(");
        let is_method = matches!(before, "async" | "get" | "set" | "static" | "*") && matches!(after, "(" | "=" | ";");
        let is_field = within == CLASS && matches!(before, ";" | "}") && matches!(after, "(" | "=" | ";");
        let is_property = before == "." && text(index.checked_sub(2)) != "."
            || matches!(within, '{' | CLASS) && (is_entry || is_method || is_field);
        if is_property {
            properties.insert(word);
        }
    }
    Found { variables, properties, exported, imported }
}

/// Returns the names in a list of arguments or in a destructuring pattern, without those in nested
/// ones.
fn listed<'t, 's>(list: &'t [Token<'s>]) -> impl Iterator<Item = &'s str> + 't {
    let mut depth = 0;
    list.windows(2).filter_map(move |pair| {
        depth +=
            i32::from(matches!(pair[0].text, "(" | "[" | "{")) - i32::from(matches!(pair[0].text, ")" | "]" | "}"));
        let is_name = depth == 1 && matches!(pair[0].text, "(" | "[" | "," | ".") && pair[1].kind == Kind::Word;
        is_name.then_some(pair[1].text)
    })
}

/// Returns whether these tokens end with the head of a class: `class A extends b.C`.
fn is_class(before: &[Token<'_>]) -> bool {
    let head = before.iter().rev().take_while(|token| token.kind == Kind::Word || token.text == ".").take(6);
    head.into_iter().any(|token| token.text == "class")
}

/// Returns whether a brace after these tokens opens a block of statements.
fn is_block(before: &[Token<'_>]) -> bool {
    let ends = [")", ">", ";", "{", "}", "else", "try", "finally", "do"];
    before.last().is_some_and(|token| ends.contains(&token.text))
}

/// Tracks the open brackets and their positions. If this token closes a bracket, returns the
/// position of its opening one.
fn follow(open: &mut Vec<(char, usize)>, index: usize, tokens: &[Token<'_>]) -> Option<usize> {
    let token = &tokens[index];
    let is_part = token.kind == Kind::Verbatim;
    let closes = matches!(token.text, ")" | "]" | "}") || is_part && token.text.starts_with('}');
    let begin = closes.then(|| open.pop()).flatten().map(|(_, begin)| begin);
    match token.text {
        "(" => open.push(('(', index)),
        "[" => open.push(('[', index)),
        "{" if is_class(&tokens[..index]) => open.push((CLASS, index)),
        "{" if is_block(&tokens[..index]) => open.push((BLOCK, index)),
        "{" => open.push(('{', index)),
        text if is_part && text.ends_with("${") => open.push(('(', index)),
        _ => {}
    }
    begin
}

/// Returns short names in order: `a` to `z` and `A` to `Z`, then `a1` and so on.
fn name(number: usize) -> String {
    let (first, place) = if number % 52 < 26 { (b'a', number % 26) } else { (b'A', number % 26) };
    let letter = char::from(first + place as u8);
    match number / 52 {
        0 => letter.to_string(),
        round => format!("{letter}{round}"),
    }
}
