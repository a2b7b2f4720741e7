//! The tokens of a script: words, strings, templates, regular expressions and signs.

/// A token of a script.
pub struct Token<'s> {
    pub text: &'s str,
    pub kind: Kind,
    /// The gap before it.
    pub gap: Gap,
}

/// The kind of a token.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// A name, a keyword or a number.
    Word,
    /// A sign, such as a bracket.
    Sign,
    /// A string, a regular expression, or a part of a template up to `${` or from `}` on.
    Verbatim,
}

/// The gap before a token.
#[derive(Clone, Copy, PartialEq)]
pub enum Gap {
    Nothing,
    Blank,
    /// A line break, which may end a statement.
    Line,
}

/// Splits a script into tokens.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut reader = Reader { rest: source, tokens: Vec::new(), gap: Gap::Nothing };
    reader.code(None);
    reader.tokens
}

/// The words after which a slash begins a regular expression.
const BEFORE_EXPRESSIONS: &[&str] =
    &["return", "typeof", "case", "in", "of", "void", "delete", "do", "else", "await", "yield"];

/// The rest of a script, and its tokens so far.
struct Reader<'s> {
    rest: &'s str,
    tokens: Vec<Token<'s>>,
    gap: Gap,
}

impl<'s> Reader<'s> {
    /// Reads code to the end, or up to `closing` if its opening brace has been read before.
    fn code(&mut self, closing: Option<char>) {
        let mut depth = 0;
        while let Some(letter) = self.rest.chars().next() {
            let rest = self.rest;
            if letter.is_whitespace() {
                self.skip(letter.len_utf8(), letter == '\n');
            } else if rest.starts_with("//") {
                self.skip(rest.find('\n').unwrap_or(rest.len()), false);
            } else if rest.starts_with("/*") {
                self.skip(rest.find("*/").map_or(rest.len(), |end| end + 2), false);
            } else {
                if depth == 0 && Some(letter) == closing {
                    return;
                }
                depth += i32::from(letter == '{') - i32::from(letter == '}');
                self.token(letter);
            }
        }
    }

    fn skip(&mut self, bytes: usize, ends_line: bool) {
        self.rest = &self.rest[bytes..];
        self.gap = if ends_line || self.gap == Gap::Line { Gap::Line } else { Gap::Blank };
    }

    fn take(&mut self, kind: Kind, bytes: usize) {
        let (text, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        self.tokens.push(Token { text, kind, gap: std::mem::replace(&mut self.gap, Gap::Nothing) });
    }

    fn token(&mut self, first: char) {
        match first {
            first if is_of_word(first) => {
                let end = self.rest.find(|letter| !is_of_word(letter)).unwrap_or(self.rest.len());
                self.take(Kind::Word, end);
            }
            '"' | '\'' => self.take(Kind::Verbatim, 1 + end_of(&self.rest[1..], first)),
            '`' => self.template(),
            '/' if self.expects_expression() => self.take(Kind::Verbatim, 1 + end_of(&self.rest[1..], '/')),
            _ => self.take(Kind::Sign, first.len_utf8()),
        }
    }

    /// Returns whether a slash begins a regular expression here; otherwise it is a division.
    fn expects_expression(&self) -> bool {
        match self.tokens.last() {
            Some(Token { text, kind: Kind::Word, .. }) => BEFORE_EXPRESSIONS.contains(text),
            Some(Token { text, kind: Kind::Sign, .. }) => !matches!(*text, ")" | "]" | "}"),
            Some(_) => false,
            None => true,
        }
    }

    /// Reads a template: text that remains unchanged, with code inside.
    fn template(&mut self) {
        let mut begin = 1;
        loop {
            let rest = &self.rest[begin..];
            let end = end_of(rest, '`');
            match code_in(&rest[..end]) {
                Some(code) => {
                    self.take(Kind::Verbatim, begin + code);
                    self.code(Some('}'));
                    begin = usize::from(!self.rest.is_empty());
                }
                None => return self.take(Kind::Verbatim, begin + end),
            }
        }
    }
}

/// Returns the position after the `quote` that ends a text, which began before. A slash within
/// brackets does not end a regular expression.
fn end_of(text: &str, quote: char) -> usize {
    let mut letters = text.char_indices();
    let mut is_class = false;
    while let Some((place, letter)) = letters.next() {
        match letter {
            '\\' => _ = letters.next(),
            '[' => is_class = true,
            ']' => is_class = false,
            letter if letter == quote && !(is_class && quote == '/') => return place + letter.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

/// Returns the position at which code begins in a part of a template, after its `${`.
fn code_in(text: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    while let Some((place, letter)) = letters.next() {
        match letter {
            '\\' => _ = letters.next(),
            '$' if text[place..].starts_with("${") => return Some(place + 2),
            _ => {}
        }
    }
    None
}

/// Returns whether a letter can be part of a word.
pub fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$' | '#') || !letter.is_ascii()
}
