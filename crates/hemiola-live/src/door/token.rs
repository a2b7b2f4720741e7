//! The secret of one run of a robot.

use std::fmt;

/// The secret by which a client is trusted: 128 random bits, as 32 hexadecimal digits.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// Creates a random token.
    ///
    /// # Errors
    /// Returns an error if the kernel provides no random numbers.
    pub fn random() -> std::io::Result<Self> {
        let mut bytes = [0_u8; 16];
        let mut filled = 0;
        while filled < bytes.len() {
            filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
        }
        Ok(Self(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Returns the token with a given text.
    pub fn of(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns whether `said` is the token. The comparison takes the same time for every text of
    /// its length, so that the token cannot be guessed piece by piece.
    pub fn is(&self, said: &str) -> bool {
        let Self(token) = self;
        let differ = token.bytes().zip(said.bytes()).fold(0, |differ, (left, right)| differ | (left ^ right));
        token.len() == said.len() && differ == 0
    }

    /// Returns the text, for the address that is shown to a person.
    pub fn text(&self) -> &str {
        &self.0
    }
}

/// Formats the token without showing the secret.
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
