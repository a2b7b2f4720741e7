//! The proof that a host knows the robot's token, without sending it: who listens on the network,
//! or has the address of a host that is switched off, does not learn it.

use std::io;

use hmac_sha256::HMAC;

/// Returns the proof of whoever knows this token that it says `words`, as hexadecimal digits: their
/// HMAC of RFC 2104, with SHA-256.
pub fn proof(token: &str, words: &[&str]) -> String {
    hexadecimal(&HMAC::mac(message(words), token))
}

/// Returns whether `said` is the proof of whoever knows this token that it says `words`. The
/// comparison takes the same time for every wrong proof.
pub fn is_proof(said: &str, token: &str, words: &[&str]) -> bool {
    bytes(said).is_some_and(|said| HMAC::verify(message(words), token, &said))
}

/// Returns a word that nobody has said before: 128 random bits.
pub fn nonce() -> io::Result<String> {
    let mut bytes = [0_u8; 16];
    let mut filled = 0;
    while filled < bytes.len() {
        filled += rustix::rand::getrandom(&mut bytes[filled..], rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(hexadecimal(&bytes))
}

/// Returns the words as one text, in which they are told apart by their lengths.
fn message(words: &[&str]) -> String {
    words.iter().map(|word| format!("{} {word}", word.len())).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the bytes that these hexadecimal digits are, if there are as many as a proof has.
fn bytes(digits: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let value = |digit: u8| char::from(digit).to_digit(16);
    let byte = |&[high, low]: &[u8; 2]| u8::try_from(value(high)? * 16 + value(low)?).ok();
    let bytes: Vec<u8> = pairs.iter().map_while(byte).collect();
    if rest.is_empty() && bytes.len() == pairs.len() { bytes.try_into().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vector that was computed by Python's `hmac`, of the words below as `message` joins them.
    #[test]
    fn the_proof_is_an_hmac_of_all_words() {
        assert_eq!(message(&["body", "", "a head"]), "4 body0 6 a head");
        let expected = "45827a0571c9d60b36f46444fab7c12eb4187f136f426bc7616cc1bef52cbfa4";
        assert_eq!(proof("a secret", &["body", "", "a head"]), expected);
        assert!(is_proof(expected, "a secret", &["body", "", "a head"]));
    }

    #[test]
    fn only_the_proof_of_these_words_is_right() {
        let said = proof("a secret of the robot", &["body", "head"]);
        let is_right = |said: &str| is_proof(said, "a secret of the robot", &["body", "head"]);
        assert!(is_right(&said));
        for other in [&["bodyh", "ead"][..], &["head", "body"], &["body"], &["body", "head", ""]] {
            assert!(!is_proof(&said, "a secret of the robot", other), "{other:?}");
        }
        assert!(!is_proof(&said, "another secret", &["body", "head"]));
        for wrong in ["", &said[1..], &said[2..], &format!("{said}00"), &"é".repeat(32), &said.replace('0', "g")] {
            assert_eq!(is_right(wrong), *wrong == *said, "{wrong}");
        }
        assert_ne!(nonce().unwrap(), nonce().unwrap());
    }
}
