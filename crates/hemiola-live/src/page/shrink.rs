//! The page's sources as browsers get them: without comments and blanks, and with short private names.
//!
//! No program is understood for that; words, texts and expressions between slashes are told from the
//! rest, and only what stands between them goes.

use std::collections::BTreeMap;
use std::str::Chars;

/// A module of JavaScript.
pub fn script(source: &str) -> String {
    let mut shrunk = Shrunk::default();
    let mut rest = source.chars();
    shrunk.code(&mut rest, None);
    shrunk.text.push('\n');
    shrunk.text
}

/// A style sheet.
pub fn styles(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    let mut is_apart = false;
    while let Some(letter) = rest.chars().next() {
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            is_apart = true;
        } else if letter.is_whitespace() {
            rest = &rest[letter.len_utf8()..];
            is_apart = true;
        } else {
            let is_joined = text.is_empty() || text.ends_with(['{', '}', ';', ',', ':']) || matches!(letter, '{' | '}');
            if is_apart && !is_joined {
                text.push(' ');
            }
            if letter == '}' && text.ends_with(';') {
                text.pop();
            }
            is_apart = false;
            let length = match letter {
                '"' => rest[1..].find('"').map_or(rest.len(), |end| end + 2),
                letter => letter.len_utf8(),
            };
            text.push_str(&rest[..length]);
            rest = &rest[length..];
        }
    }
    text
}

/// What stands between two tokens.
#[derive(Clone, Copy, PartialEq)]
enum Gap {
    Nothing,
    Blank,
    /// May end a statement.
    Line,
}

/// A script up to some place.
#[derive(Default)]
struct Shrunk {
    text: String,
    /// The last word, if nothing came after it.
    word: String,
    /// Short private names by long ones: nobody outside of the file can know them.
    private: BTreeMap<String, String>,
}

/// After these words, a slash begins an expression.
const BEFORE_EXPRESSIONS: &[&str] =
    &["return", "typeof", "case", "in", "of", "void", "delete", "do", "else", "await", "yield"];

impl Shrunk {
    /// Takes code up to a closing brace without its opening one, if asked for, or the end.
    fn code(&mut self, rest: &mut Chars<'_>, closing: Option<char>) {
        let mut depth = 0;
        let mut gap = Gap::Nothing;
        while let Some(letter) = rest.clone().next() {
            let text = rest.as_str();
            if letter.is_whitespace() {
                gap = if letter == '\n' || gap == Gap::Line { Gap::Line } else { Gap::Blank };
                rest.next();
            } else if text.starts_with("//") {
                skip(rest, text.find('\n').unwrap_or(text.len()));
            } else if text.starts_with("/*") {
                skip(rest, text.find("*/").map_or(text.len(), |end| end + 2));
                gap = if gap == Gap::Line { Gap::Line } else { Gap::Blank };
            } else {
                if depth == 0 && Some(letter) == closing {
                    return;
                }
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                self.separate(gap, letter);
                gap = Gap::Nothing;
                self.token(rest, letter);
            }
        }
    }

    /// Keeps two tokens apart that would be another one together.
    fn separate(&mut self, gap: Gap, next: char) {
        let Some(last) = self.text.chars().next_back() else { return };
        let is_needed = match gap {
            Gap::Nothing => false,
            Gap::Line => !matches!(last, '{' | ';' | ',' | '(' | '['),
            Gap::Blank => is_of_word(last) && is_of_word(next) || last == next && matches!(next, '+' | '-' | '/'),
        };
        if is_needed {
            self.text.push(if gap == Gap::Line { '\n' } else { ' ' });
        }
    }

    fn token(&mut self, rest: &mut Chars<'_>, first: char) {
        let text = rest.as_str();
        if is_of_word(first) {
            let word = &text[..text.find(|letter| !is_of_word(letter)).unwrap_or(text.len())];
            skip(rest, word.len());
            let name = self.name(word);
            self.text.push_str(&name);
            self.word = word.to_owned();
            return;
        }
        match first {
            '"' | '\'' => self.verbatim(rest, first),
            '`' => self.template(rest),
            '/' if self.expects_expression() => self.expression(rest),
            _ => {
                rest.next();
                self.text.push(first);
            }
        }
        self.word.clear();
    }

    /// The name that a word has from now on.
    fn name(&mut self, word: &str) -> String {
        if !word.starts_with('#') {
            return word.to_owned();
        }
        let number = self.private.len();
        let short = || {
            let letter = |number: usize| char::from(b'a' + (number % 26) as u8);
            match number {
                0..26 => format!("#{}", letter(number)),
                _ => format!("#{}{}", letter(number), number / 26),
            }
        };
        self.private.entry(word.to_owned()).or_insert_with(short).clone()
    }

    /// Whether a slash begins a regular expression; else it divides.
    fn expects_expression(&self) -> bool {
        match self.text.trim_end().chars().next_back() {
            Some(last) if is_of_word(last) => BEFORE_EXPRESSIONS.contains(&self.word.as_str()),
            Some(last) => !matches!(last, ')' | ']' | '}' | '"' | '\'' | '`'),
            None => true,
        }
    }

    /// A text, up to the quote that it begins with.
    fn verbatim(&mut self, rest: &mut Chars<'_>, quote: char) {
        self.text.extend(rest.next());
        while let Some(letter) = rest.next() {
            self.text.push(letter);
            match letter {
                '\\' => self.text.extend(rest.next()),
                letter if letter == quote => return,
                _ => {}
            }
        }
    }

    /// A regular expression: a slash within brackets does not end it.
    fn expression(&mut self, rest: &mut Chars<'_>) {
        self.text.extend(rest.next());
        let mut is_class = false;
        while let Some(letter) = rest.next() {
            self.text.push(letter);
            match letter {
                '\\' => self.text.extend(rest.next()),
                '[' => is_class = true,
                ']' => is_class = false,
                '/' if !is_class => return,
                _ => {}
            }
        }
    }

    /// A template: text as it is, with code within.
    fn template(&mut self, rest: &mut Chars<'_>) {
        self.text.extend(rest.next());
        while let Some(letter) = rest.next() {
            self.text.push(letter);
            match letter {
                '\\' => self.text.extend(rest.next()),
                '`' => return,
                '$' if rest.as_str().starts_with('{') => {
                    self.text.extend(rest.next());
                    self.code(rest, Some('}'));
                    self.text.extend(rest.next());
                }
                _ => {}
            }
        }
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$' | '#') || !letter.is_ascii()
}

fn skip(rest: &mut Chars<'_>, bytes: usize) {
    *rest = rest.as_str()[bytes..].chars();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_blanks_go_and_texts_stay() {
        let source = "/** Adds.\n * @param {number} a\n */\nfunction f(a) {\n    // one\n    return a + 1; // no\n}\n";
        assert_eq!(script(source), "function f(a){return a+1;}\n");
        assert_eq!(script("const a = \"// b  c\", d = ' /* ';"), "const a=\"// b  c\",d=' /* ';\n");
        assert_eq!(script("a = /** @type {X} */ (b);"), "a=(b);\n");
    }

    #[test]
    fn lines_that_may_end_a_statement_stay() {
        assert_eq!(script("let a = b\nlet c = {\n  d,\n}\n(e)"), "let a=b\nlet c={d,}\n(e)\n");
    }

    #[test]
    fn operators_do_not_run_together() {
        assert_eq!(script("a + +b - -c + d++ + e"), "a+ +b- -c+d++ +e\n");
        assert_eq!(script("for (const a of b) typeof a in c;"), "for(const a of b)typeof a in c;\n");
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
        assert_eq!(
            script("class A { #one = 1; #two = this.#one + \"#one\"; }"),
            "class A{#a=1;#b=this.#a+\"#one\";}\n"
        );
        let many: String = (0..60).map(|number| format!("this.#name{number};")).collect();
        let short = script(&many);
        let mut names: Vec<_> = short.split(';').map(str::trim).filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 60);
    }

    #[test]
    fn styles_lose_blanks_and_keep_what_separates() {
        let source = "/* a */\n.b > c:hover, d { margin: 0 calc(1px + 2px) ; content: \" ; \"; }\n@media (max-width: 7px) { e { f: g } }";
        assert_eq!(
            styles(source),
            ".b > c:hover,d{margin:0 calc(1px + 2px) ;content:\" ; \"}@media (max-width:7px){e{f:g}}"
        );
    }
}
