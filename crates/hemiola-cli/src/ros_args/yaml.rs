//! The part of YAML that files of ROS 2 parameters are written in: tables by indentation, lists,
//! and values of one line, which become values of TOML.

/// The content of a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Yaml {
    /// A value, in TOML.
    Value(String),
    /// The entries of a table, in the order of the file.
    Table(Vec<(String, Self)>),
}

/// A line of a file that is neither empty nor a comment.
struct Line<'t> {
    number: usize,
    indentation: usize,
    text: &'t str,
}

/// The words for truth in YAML 1.1, which ROS 2 reads.
const TRUE: [&str; 11] = ["y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"];
const FALSE: [&str; 11] = ["n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"];

/// The letters that may follow a backslash between double quotes.
const ESCAPES: &str = "\\\"bfnrt";

/// Reads a file.
///
/// # Errors
/// Returns an error with the line and the reason.
pub fn file(text: &str) -> Result<Yaml, String> {
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let text = without_comment(line).trim_end();
        let indentation = text.len() - text.trim_start_matches(' ').len();
        if text[indentation..].starts_with('\t') {
            return Err(format!("line {number}: indent with spaces, and not with a tab"));
        }
        if !matches!(&text[indentation..], "" | "---" | "...") {
            lines.push(Line { number, indentation, text: &text[indentation..] });
        }
    }
    let mut rest = &lines[..];
    let Some(first) = rest.first() else { return Ok(Yaml::Table(Vec::new())) };
    let read = block(&mut rest, first.indentation)?;
    match rest.first() {
        None => Ok(read),
        Some(line) => Err(format!("line {}: its indentation is that of no line above", line.number)),
    }
}

/// Reads a value that stands on one line.
///
/// # Errors
/// Returns an error with the reason.
pub fn value(text: &str) -> Result<String, String> {
    let mut rest = text.trim();
    let value = flow(&mut rest, false)?;
    match rest.trim_start() {
        "" => Ok(value),
        rest => Err(format!("`{rest}` follows a value")),
    }
}

/// Returns a text in the quotes of TOML.
pub fn quoted(text: &str) -> String {
    let letter = |letter: char| match letter {
        '"' | '\\' => format!("\\{letter}"),
        letter if letter.is_control() => format!("\\u{:04x}", u32::from(letter)),
        letter => letter.to_string(),
    };
    format!("\"{}\"", text.chars().map(letter).collect::<String>())
}

/// Reads the lines with this indentation, and what is below them.
fn block(rest: &mut &[Line<'_>], indentation: usize) -> Result<Yaml, String> {
    if item(rest[0].text).is_some() {
        return list(rest, indentation);
    }
    let mut entries = Vec::new();
    while let Some((line, after)) = rest.split_first().filter(|(line, _)| line.indentation == indentation) {
        let on_line = |why: String| format!("line {}: {why}", line.number);
        let (key, text) =
            entry(line.text).ok_or_else(|| on_line(format!("`{}` has no `:` after its name", line.text)))?;
        *rest = after;
        let content = match after.first() {
            _ if !text.is_empty() => Yaml::Value(value(text).map_err(on_line)?),
            Some(next) if next.indentation > indentation => block(rest, next.indentation)?,
            // Lists may stand below the name without indentation.
            Some(next) if next.indentation == indentation && item(next.text).is_some() => list(rest, indentation)?,
            _ => return Err(on_line(format!("`{key}` has no value"))),
        };
        entries.push((key, content));
    }
    Ok(Yaml::Table(entries))
}

/// Reads a list of values, each on a line of its own.
fn list(rest: &mut &[Line<'_>], indentation: usize) -> Result<Yaml, String> {
    let mut items = Vec::new();
    while let Some((line, after)) = rest.split_first()
        && line.indentation == indentation
        && let Some(item) = item(line.text)
    {
        if entry(item).is_some() {
            return Err(format!("line {}: a list of tables is no parameter", line.number));
        }
        items.push(value(item).map_err(|why| format!("line {}: {why}", line.number))?);
        *rest = after;
    }
    Ok(Yaml::Value(format!("[{}]", items.join(", "))))
}

/// Returns the text of a list's item.
fn item(line: &str) -> Option<&str> {
    if line == "-" { Some("") } else { line.strip_prefix("- ") }
}

/// Splits a line into the name of an entry and the text after it.
fn entry(line: &str) -> Option<(String, &str)> {
    let line = line.trim();
    let (key, after) = match line.chars().next()? {
        quote @ ('"' | '\'') => {
            let (key, after) = line[1..].split_once(quote)?;
            (key, after.trim_start().strip_prefix(':')?)
        }
        _ => line.split_once(": ").or_else(|| Some((line.strip_suffix(':')?, "")))?,
    };
    (!key.starts_with('[') && (after.is_empty() || after.starts_with(' ') || line.contains(": ")))
        .then(|| (key.trim().to_owned(), after.trim()))
}

/// Reads a value from the beginning of a text, in a list of one line or by itself.
fn flow(rest: &mut &str, is_in_list: bool) -> Result<String, String> {
    let text = rest.trim_start();
    match text.chars().next() {
        None | Some(',' | ']') => Err("a value is missing".to_owned()),
        Some('[') => {
            let mut items = Vec::new();
            *rest = text[1..].trim_start();
            while !rest.starts_with(']') {
                items.push(flow(rest, true)?);
                *rest = rest.trim_start();
                match rest.strip_prefix(',') {
                    Some(after) => *rest = after.trim_start(),
                    None if rest.starts_with(']') => {}
                    None => return Err("a list does not end with `]` on its line".to_owned()),
                }
            }
            *rest = &rest[1..];
            Ok(format!("[{}]", items.join(", ")))
        }
        Some('\'') => {
            // A quote in the text is written twice.
            let mut content = String::new();
            let mut after = &text[1..];
            loop {
                let (part, next) = after.split_once('\'').ok_or("a text does not end with `'` on its line")?;
                content += part;
                match next.strip_prefix('\'') {
                    Some(next) => (content, after) = (content + "'", next),
                    None => {
                        *rest = next;
                        return Ok(quoted(&content));
                    }
                }
            }
        }
        Some('"') => {
            let mut is_escaped = false;
            let end = text[1..].find(|letter| {
                let is_end = letter == '"' && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                is_end
            });
            let end = end.ok_or("a text does not end with `\"` on its line")? + 2;
            *rest = &text[end..];
            let text = &text[..end];
            let mut letters = text.chars();
            while let Some(letter) = letters.next() {
                if letter == '\\' && !letters.next().is_some_and(|escaped| ESCAPES.contains(escaped)) {
                    return Err(format!("an escape in {text} is not known"));
                }
            }
            // The known ones mean the same in TOML.
            Ok(text.to_owned())
        }
        Some(sign @ ('&' | '*' | '!' | '|' | '>' | '{' | '%' | '@' | '`')) => {
            Err(format!("a value that begins with `{sign}` is not supported"))
        }
        Some(_) => {
            let end = if is_in_list { text.find([',', ']']) } else { None };
            let (plain, after) = text.split_at(end.unwrap_or(text.len()));
            *rest = after;
            scalar(plain.trim_end())
        }
    }
}

/// Returns a value without quotes in TOML.
fn scalar(text: &str) -> Result<String, String> {
    let is_number = text.starts_with(|letter: char| letter.is_ascii_digit() || matches!(letter, '+' | '-' | '.'));
    if TRUE.contains(&text) {
        Ok("true".to_owned())
    } else if FALSE.contains(&text) {
        Ok("false".to_owned())
    } else if matches!(text, "~" | "null" | "Null" | "NULL") {
        Err("it has no value".to_owned())
    } else if let Ok(number) = text.parse::<i64>() {
        Ok(number.to_string())
    } else if let Some(number) = text.parse::<f64>().ok().filter(|number| is_number && number.is_finite()) {
        Ok(format!("{number:?}"))
    } else {
        Ok(quoted(text))
    }
}

/// Returns a line without its comment, which begins with ` #` outside of quotes.
fn without_comment(line: &str) -> &str {
    let (mut quote, mut before) = (None, ' ');
    for (at, letter) in line.char_indices() {
        match (quote, letter) {
            (None, '#') if before.is_whitespace() => return &line[..at],
            // An apostrophe within a word is none.
            (None, '"' | '\'') if !before.is_alphanumeric() => quote = Some(letter),
            (Some(open), letter) if open == letter && before != '\\' => quote = None,
            _ => {}
        }
        before = letter;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that Python's `yaml.dump` has written for a launch file, and what people write.
    const FILE: &str = "# for all\n/**:\n  ros__parameters:\n    use_sim_time: true\n    Walk:\n      gain: 0.5 # m/s\n      names:\n      \
                        - a\n      - 'b c'\n      bytes: [1, 2, 255]\n---\nrover:\n    ros__parameters:\n        \"Walk.name\": \"it's # fine\"\n";

    fn table(entries: &[(&str, Yaml)]) -> Yaml {
        Yaml::Table(entries.iter().map(|(key, yaml)| ((*key).to_owned(), yaml.clone())).collect())
    }

    fn toml(text: &str) -> Yaml {
        Yaml::Value(text.to_owned())
    }

    #[test]
    fn files_of_launch_and_of_people_are_read() {
        let walk = table(&[("gain", toml("0.5")), ("names", toml(r#"["a", "b c"]"#)), ("bytes", toml("[1, 2, 255]"))]);
        let all = table(&[("use_sim_time", toml("true")), ("Walk", walk)]);
        let rover = table(&[("Walk.name", toml("\"it's # fine\""))]);
        let expected =
            table(&[("/**", table(&[("ros__parameters", all)])), ("rover", table(&[("ros__parameters", rover)]))]);
        assert_eq!(file(FILE), Ok(expected));
        assert_eq!(file("# nothing\n"), Ok(Yaml::Table(Vec::new())));
    }

    #[test]
    fn values_become_those_of_toml() {
        for (yaml, toml) in [
            ("3", "3"),
            ("-7", "-7"),
            ("+1", "1"),
            ("1e-3", "0.001"),
            (".5", "0.5"),
            ("2.", "2.0"),
            ("yes", "true"),
            ("Off", "false"),
            ("map", "\"map\""),
            ("1.2.3", "\"1.2.3\""),
            (r#"a "b" \c"#, r#""a \"b\" \\c""#),
            ("'it''s'", "\"it's\""),
            (r#""a\n""#, r#""a\n""#),
            ("[]", "[]"),
            ("[1, [2.5, true], 'x, y']", r#"[1, [2.5, true], "x, y"]"#),
            ("inf", "\"inf\""),
        ] {
            assert_eq!(value(yaml).as_deref(), Ok(toml), "{yaml}");
        }
    }

    #[test]
    fn what_is_not_understood_is_an_error_that_names_the_line() {
        for (yaml, why) in [
            ("a:\n\tb: 1\n", "line 2: indent with spaces"),
            ("a:\n    b: 1\n  c: 2\n", "line 3: its indentation"),
            ("a:\n  b\n", "line 2: `b` has no `:`"),
            ("a:\nb: 1\n", "line 1: `a` has no value"),
            ("a: &anchor 1\n", "line 1: a value that begins with `&`"),
            ("a: |\n  text\n", "line 1: a value that begins with `|`"),
            ("a: [1, 2\n", "line 1: a list does not end"),
            ("a: 'b\n", "line 1: a text does not end"),
            ("a: [1] 2\n", "line 1: `2` follows a value"),
            ("a:\n- b: 1\n", "line 2: a list of tables"),
            ("a: ~\n", "line 1: it has no value"),
            ("a: \"\\x41\"\n", "line 1: an escape in \"\\x41\" is not known"),
        ] {
            assert!(file(yaml).is_err_and(|said| said.starts_with(why)), "{yaml:?}: {:?}", file(yaml));
        }
    }

    #[test]
    fn a_file_with_any_part_missing_or_twice_does_no_harm() {
        for from in 0..FILE.len() {
            for to in from..FILE.len() {
                let (begin, part, end) = (&FILE[..from], &FILE[from..to], &FILE[to..]);
                let texts = [[begin, end].concat(), [part, part].concat(), part.to_owned()];
                let errors = texts.iter().filter_map(|text| file(text).err());
                assert!(errors.into_iter().all(|why| why.starts_with("line ")));
                _ = value(part);
            }
        }
    }
}
