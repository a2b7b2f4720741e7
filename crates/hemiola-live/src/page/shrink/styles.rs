//! Style sheets without comments and white space.

/// Minifies a style sheet.
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
            let is_joined =
                text.is_empty() || text.ends_with(['{', '}', ';', ',', ':', '>']) || matches!(letter, '{' | '}' | '>');
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_lose_blanks_and_keep_what_separates() {
        let source = "/* a */\n.b > c:hover, d { margin: 0 calc(1px + 2px) ; content: \" ; \"; }\n@media (max-width: 7px) { e { f: g } }";
        assert_eq!(
            styles(source),
            ".b>c:hover,d{margin:0 calc(1px + 2px) ;content:\" ; \"}@media (max-width:7px){e{f:g}}"
        );
    }
}
