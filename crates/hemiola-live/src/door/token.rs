//! The secret of one run of a robot.

use std::fmt;

/// What makes a client trusted: 128 random bits, as 32 hexadecimal digits.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A new one.
    ///
    /// # Errors
    /// The kernel has no randomness to give.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0_u8; 16];
        let mut filled = 0;
        while filled < bytes.len() {
            filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
        }
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// One that somebody chose.
    pub fn of(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Whether this is what somebody said. Takes as long for a wrong one as for the right one, so
    /// that it cannot be guessed piece by piece.
    pub fn is(&self, said: &str) -> bool {
        let Self(token) = self;
        let differ = token.bytes().zip(said.bytes()).fold(0, |differ, (left, right)| differ | (left ^ right));
        token.len() == said.len() && differ == 0
    }

    /// The text, for the address that a person is shown.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Does not show the secret.
impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_opens() {
        let token = Token::random().unwrap();
        assert!(token.is(token.text()));
        assert_eq!(token.text().len(), 32);
        assert!(!token.is(&token.text()[1..]) && !token.is("") && !token.is(&format!("{}0", token.text())));
        assert!(!Token::random().unwrap().is(token.text()));
    }
}
