//! The quoting of words for a shell.

/// Returns a word that a POSIX shell reads as this text.
pub fn quoted(text: &str) -> String {
    let is_plain = |character: char| character.is_alphanumeric() || "/._-~+=:@,%".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_spaces_are_quoted() {
        assert_eq!(quoted("robots/my-cart"), "robots/my-cart");
        assert_eq!(quoted("my robots/it's"), r"'my robots/it'\''s'");
        assert_eq!(quoted("$(reboot)"), "'$(reboot)'");
        assert_eq!(quoted(""), "''");
    }
}
