//! Minifies the page's sources for browsers: removes comments and white space, and shortens names.
//!
//! This needs no parser of the language. It splits the source into words, strings, templates,
//! regular expressions and signs, and removes the white space between them. A name is shortened
//! only where the change cannot be observed: if it is private (`#name`), or a variable of the file
//! that is not also used as the name of a property there.

mod functions;
mod names;
mod styles;
mod tokens;

use std::collections::BTreeMap;

use functions::Functions;
pub use styles::styles;
use tokens::{Gap, Kind, Token, is_of_word, tokens};

/// Minifies a JavaScript module on its own.
#[cfg(test)]
pub fn script(source: &str) -> String {
    script_of(source, &Shared::new())
}

/// The short names for everything that the modules of a page import from each other.
pub type Shared = BTreeMap<String, String>;

/// Returns the short names that all modules of a page share.
pub fn shared(sources: &[&str]) -> Shared {
    let files: Vec<_> = sources.iter().map(|source| tokens(source)).collect();
    names::shared(&files)
}

/// Minifies a JavaScript module, with the names that it shares with others.
pub fn script_of(source: &str, shared: &Shared) -> String {
    let tokens = tokens(source);
    let short = names::short_ones(&tokens, shared);
    let functions = Functions::of(&tokens);
    let mut text = String::with_capacity(source.len());
    text.push_str(&functions.head);
    let mut statements = Statements::default();
    let mut left_out = None;
    for (index, token) in tokens.iter().enumerate() {
        if statements.continues(token) {
            text.pop();
            text.push(',');
            continue;
        }
        if functions.covers(index) {
            continue;
        }
        if can_be_left_out(&tokens, index) {
            left_out = left_out.or(Some(token.gap));
            continue;
        }
        let named = functions.at(index).or_else(|| short.get(token.text).map(String::as_str));
        let word = named.unwrap_or_else(|| meaning(&tokens, index));
        // The last statement of a block needs no semicolon. (Only an empty statement would, and the
        // page has none.) The last item of a list needs no comma.
        let is_last = token.kind == Kind::Sign
            && match token.text {
                "}" => text.ends_with([';', ',']),
                "]" | ")" => text.ends_with(',') && !text.ends_with("[,") && !text.ends_with(",,"),
                _ => false,
            };
        if is_last {
            text.pop();
        } else {
            let gap = match left_out {
                None => token.gap,
                Some(Gap::Line) => Gap::Line,
                Some(_) if token.gap == Gap::Line => Gap::Line,
                Some(_) => Gap::Blank,
            };
            separate(&mut text, gap, word);
        }
        left_out = None;
        text.push_str(word);
    }
    text.push('\n');
    text
}

/// Returns whether a token can be omitted: one of the parentheses in `(a) => b`, `= (a)` or
/// `new A();`, or the zero of `0.5`.
fn can_be_left_out(tokens: &[Token<'_>], index: usize) -> bool {
    let text = |index: usize| tokens.get(index).map_or("", |token| token.text);
    let begins = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        let is_name =
            tokens.get(at + 1).is_some_and(|token| token.kind == Kind::Word && !token.text.starts_with(is_digit));
        let is_argument =
            before.is_none_or(|before| before.kind != Kind::Word) && text(at + 3) == "=" && text(at + 4) == ">";
        let is_operand =
            before.is_some_and(|before| matches!(before.text, "=" | "(" | "," | "?" | ":" | "&" | "|" | "["));
        text(at) == "(" && is_name && text(at + 2) == ")" && (is_argument || is_operand)
    };
    // The parentheses of a new object whose members are not accessed at once.
    let is_empty = |at: usize| {
        let is_new = at.checked_sub(2).is_some_and(|before| text(before) == "new");
        is_new && text(at) == "(" && text(at + 1) == ")" && matches!(text(at + 2), ";" | "," | ")" | "]" | "}")
    };
    let is_fraction = || text(index) == "0" && text(index + 1) == "." && text(index + 2).starts_with(is_digit);
    let is_around = begins(index) || index.checked_sub(2).is_some_and(begins);
    is_around || is_empty(index) || index.checked_sub(1).is_some_and(is_empty) || is_fraction()
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

/// Returns a shorter word with the same meaning. `let` replaces `const`, which only protects people
/// from mistakes.
fn meaning<'s>(tokens: &[Token<'s>], index: usize) -> &'s str {
    let Token { text, kind, .. } = tokens[index];
    let around = |index: Option<usize>| index.and_then(|index| tokens.get(index)).map_or("", |token| token.text);
    let is_property = around(index.checked_sub(1)) == "." || around(Some(index + 1)) == ":";
    match text {
        _ if kind != Kind::Word => text,
        "const" => "let",
        "true" if !is_property => "!0",
        "false" if !is_property => "!1",
        "undefined" if !is_property => "void 0",
        // After an operator of the same precedence, the division would bind differently.
        "Infinity" if !is_property && !matches!(around(index.checked_sub(1)), "/" | "*" | "%") => "1/0",
        text => text,
    }
}

/// Finds declarations that follow each other and can be joined: `const a = 1; const b = 2;`.
#[derive(Default)]
struct Statements<'s> {
    /// Set for each open bracket whose current statement is a declaration.
    open: Vec<bool>,
    now: bool,
    before: &'s str,
}

impl<'s> Statements<'s> {
    /// Follows the next token. Returns whether it begins a declaration of the same kind as the one
    /// before, so that its keyword can be omitted.
    fn continues(&mut self, token: &Token<'s>) -> bool {
        let (before, text) = (std::mem::replace(&mut self.before, token.text), token.text);
        let is_part = token.kind == Kind::Verbatim;
        if matches!(text, ")" | "]" | "}") || is_part && text.starts_with('}') {
            self.now = self.open.pop().unwrap_or_default();
            if is_part && text.ends_with("${") {
                self.open.push(std::mem::take(&mut self.now));
            }
            return false;
        }
        let begins = matches!(before, "" | ";" | "{" | "}");
        if begins && token.kind == Kind::Word {
            let was_declaration = std::mem::replace(&mut self.now, matches!(token.text, "const" | "let"));
            return before == ";" && was_declaration && self.now;
        }
        if matches!(before, ";" | "{") {
            self.now = false;
        }
        if matches!(text, "(" | "[" | "{") || is_part && text.ends_with("${") {
            self.open.push(std::mem::take(&mut self.now));
        }
        false
    }
}

/// Inserts a separator between two tokens that would otherwise become one.
fn separate(text: &mut String, gap: Gap, next: &str) {
    let (Some(last), Some(next)) = (text.chars().next_back(), next.chars().next()) else { return };
    match gap {
        // The page's statements end with semicolons, so a brace without one ends a block and needs
        // no line break.
        Gap::Line if last == '}' && (is_of_word(next) || next == '}') => {}
        Gap::Line if !matches!(last, '{' | ';' | ',' | '(' | '[') => text.push('\n'),
        Gap::Blank if is_of_word(last) && is_of_word(next) => text.push(' '),
        Gap::Blank if last == next && matches!(next, '+' | '-' | '/') => text.push(' '),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_go_and_texts_stay() {
        let source = "/** Adds.\n * @param {number} a\n */\nfunction f(a) {\n    // one\n    return a + 1; // no\n}\n";
        assert_eq!(script(source), "function f(a){return a+1}\n");
        assert_eq!(script("const a = \"// b  c\", d = ' /* ';"), "let a=\"// b  c\",d=' /* ';\n");
        assert_eq!(script("a = /** @type {X} */ (b);"), "a=b;\n");
    }

    #[test]
    fn lines_that_may_end_a_statement_stay() {
        assert_eq!(script("let a = b\nlet c = {\n  d,\n}\n(e)"), "let a=b\nlet c={d}\n(e)\n");
        assert_eq!(script("if (a) {\n  b();\n}\nelse {\n  c();\n}\nd();"), "if(a){b()}else{c()}d();\n");
    }

    #[test]
    fn operators_do_not_run_together() {
        assert_eq!(script("a + +b - -c + d++ + e"), "a+ +b- -c+d++ +e\n");
        assert_eq!(script("for (const a of b) typeof a in c;"), "for(let a of b)typeof a in c;\n");
    }

    #[test]
    fn templates_keep_their_blanks_and_shrink_their_code() {
        assert_eq!(script("`a  ${ b + `c  ${d   }` }  {e}`"), "`a  ${b+`c  ${d}`}  {e}`\n");
        assert_eq!(script("`${ { a: 1 }.a }`"), "`${{a:1}.a}`\n");
    }

    #[test]
    fn slashes_divide_or_begin_an_expression() {
        assert_eq!(script("a / b / c; (d) / e; x = /[/'] \"/g; return / '/"), "a/b/c;(d)/e;x=/[/'] \"/g;return/ '/\n");
    }

    #[test]
    fn private_names_become_short_and_stay_different() {
        assert_eq!(script("class A { #one = 1; #two = this.#one + \"#one\"; }"), "class A{#a=1;#b=this.#a+\"#one\"}\n");
        let many: String = (0..60).map(|number| format!("this.#name{number};")).collect();
        let short = script(&many);
        let mut names: Vec<_> = short.split(';').map(str::trim).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 60);
    }

    #[test]
    fn variables_get_short_names_unless_a_property_has_the_same() {
        let source =
            "const first = 1, other = 2; let second = first + x.third; const third = { second: first, fourth };";
        assert_eq!(script(source), "let a=1,b=2,second=a+x.third,third={second:a,fourth};\n");
        assert_eq!(script("const long = 1; f(`${long} long`, \"long\");"), "let a=1;f(`${a} long`,\"long\");\n");
        assert_eq!(script("export const long = 1; const { wide } = b; wide;"), "export let long=1;let{wide}=b;wide;\n");
        assert_eq!(script("const long = 1; class A { long() {} }"), "let long=1;class A{long(){}}\n");
        assert_eq!(script("const a = 1; const long = a;"), "let a=1,b=a;\n");
        assert_eq!(script("all.map((long) => long + 1); all.map(wide => wide);"), "all.map(a=>a+1);all.map(b=>b);\n");
        assert_eq!(
            script("function f(long, [b], { wide }, ...rest) { if (none) { wide(long, rest); } }"),
            "function f(a,[b],{wide},...c){if(none){wide(a,c)}}\n"
        );
        assert_eq!(script("let one = 1; if (x) { y(); one = x ? one : 2; }"), "let a=1;if(x){y();a=x?a:2}\n");
        assert_eq!(
            script("let one = 1; class A extends B { x = 2; one = 3; }"),
            "let one=1;class A extends B{x=2;one=3}\n"
        );
        assert_eq!(script("const [long, wide] = f(high);"), "let[a,b]=f(high);\n");
        assert_eq!(
            script("export const long = () => { wide; }, wide = 2; let other = 3;"),
            "export let long=()=>{wide},wide=2;let a=3;\n"
        );
        assert_eq!(script("let long = 1; if (x) { long = 2; }"), "let a=1;if(x){a=2}\n");
        assert_eq!(
            script("let long = 1; f({ long }); g(x ? { long: 1 } : 2);"),
            "let long=1;f({long});g(x?{long:1}:2);\n"
        );
        assert_eq!(
            script("const { wide: long, high } = b, { high: other = long } = c; other;"),
            "let{wide:a,high}=b,{high:d=a}=c;d;\n"
        );
    }

    #[test]
    fn no_two_variables_get_the_same_name_and_none_that_is_there_already() {
        let words: Vec<_> = (0..200).map(|number| format!("word{number}")).collect();
        let source: String = words.iter().map(|word| format!("const {word} = a + b.c1 + {word};")).collect();
        let short = script(&source);
        let names: std::collections::BTreeSet<_> =
            short.split("=a+b.c1+").skip(1).filter_map(|rest| rest.split([',', ';', '\n']).next()).collect();
        assert_eq!(names.len(), 200, "{short}");
        assert!(names.iter().all(|name| !["a", "b", "c1", "if", "do"].contains(name)));
    }

    #[test]
    fn declarations_that_follow_each_other_are_one() {
        assert_eq!(
            script("const a = 1; const { b } = f(() => { let c = 1; return c; }); let d; let e = 2;"),
            "let a=1,{b}=f(()=>{let c=1;return c}),d,e=2;\n"
        );
        assert_eq!(
            script("export const a = 1; const b = 2; f(); const c = 3;"),
            "export let a=1;let b=2;f();let c=3;\n"
        );
        assert_eq!(
            script("for (const a of b) { const c = `${a}`; } const d = 1;"),
            "for(let a of b){let c=`${a}`}let d=1;\n"
        );
        assert_eq!(script("let a = 1; (b)(); let c = `${d} ${e}`; let f;"), "let a=1;(b)();let c=`${d} ${e}`,f;\n");
    }

    #[test]
    fn shorter_words_mean_the_same() {
        assert_eq!(script("a = { true: true, b: x.false || false };"), "a={true:!0,b:x.false||!1};\n");
        assert_eq!(script("if (a === undefined) return undefined;"), "if(a===void 0)return void 0;\n");
        assert_eq!(script("f((a) => b, async (c) => d, (e, g) => 1, h(i));"), "f(a=>b,async(c)=>d,(e,g)=>1,h(i));\n");
        assert_eq!(
            script("a = (b); c = f((d), (1).e) * 0.5 + 10.5; return 0.5;"),
            "a=b;c=f(d,(1).e)*.5+10.5;return.5;\n"
        );
        assert_eq!(script("a = [b, c,]; d = [,]; f(g,);"), "a=[b,c];d=[,];f(g);\n");
        assert_eq!(
            script("a = new B(); f(new B(), [new B()], new C(a), new B().d, new e.F(), e());"),
            "a=new B;f(new B,[new B],new C(a),new B().d,new e.F(),e());\n"
        );
    }

    #[test]
    fn what_modules_share_has_the_same_short_name_in_all_of_them() {
        let one = "export function shown(wide) { return wide; } export const kept = 1; export class Large {}";
        let other = "import { shown, kept, Large } from './one.js'; shown(new Large(), { kept: kept });";
        let shared = shared(&[one, other]);
        assert_eq!(script_of(one, &shared), "export function $b(a){return a}export let kept=1;export class $a{}\n");
        assert_eq!(script_of(other, &shared), "import{$b,kept,$a}from'./one.js';$b(new $a,{kept:kept});\n");
    }
}
