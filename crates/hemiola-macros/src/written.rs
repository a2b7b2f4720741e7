//! The text of tokens, for messages.

use quote::ToTokens;

/// Returns tokens as they are usually written: `ball: &mut Ball`, `-1.5`,
/// `Duration::from_millis(300)`, without the spaces that tokens have between them.
pub fn written(tokens: &impl ToTokens) -> String {
    let mut text = String::new();
    for token in tokens.to_token_stream().to_string().split_whitespace() {
        let is_sign = text.strip_suffix('-').is_some_and(|before| before.is_empty() || before.ends_with(['(', '[']));
        let opens = text.is_empty() || is_sign || text.ends_with(['&', '<', '(', '[']) || text.ends_with("::");
        let closes = token.starts_with([':', '<', '>', ',', ')', ']', ';']);
        if !opens && !closes {
            text.push(' ');
        }
        text.push_str(token);
    }
    text
}
