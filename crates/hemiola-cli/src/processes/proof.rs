//! The proof that a host knows the robot's token, without sending it: who listens on the network,
//! or has the address of a host that is switched off, does not learn it.

use std::io;

use sha1::{Digest, Sha1};

/// The length of a block of the hash, in bytes.
const BLOCK: usize = 64;

/// Returns the proof of whoever knows this token that it says `words`, as hexadecimal digits: their
/// HMAC of RFC 2104, with SHA-1.
pub fn proof(token: &str, words: &[&str]) -> String {
    // Words are told apart by their lengths.
    let message: String = words.iter().map(|word| format!("{} {word}", word.len())).collect();
    hexadecimal(&hmac(token.as_bytes(), message.as_bytes()))
}

/// Returns whether a proof is right. The comparison takes the same time for every text of its
/// length.
pub fn is_right(said: &str, proof: &str) -> bool {
    let differ = proof.bytes().zip(said.bytes()).fold(0, |differ, (left, right)| differ | (left ^ right));
    proof.len() == said.len() && differ == 0
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

fn hmac(key: &[u8], message: &[u8]) -> Vec<u8> {
    let mut block = [0_u8; BLOCK];
    match key.len() {
        ..=BLOCK => block[..key.len()].copy_from_slice(key),
        _ => {
            let digest = Sha1::digest(key);
            block[..digest.len()].copy_from_slice(&digest);
        }
    }
    let inner = Sha1::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Sha1::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize().to_vec()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors of RFC 2202, section 3.
    #[test]
    fn the_proof_is_an_hmac() {
        let of = |key: &[u8], message: &[u8]| hexadecimal(&hmac(key, message));
        assert_eq!(of(&[0x0b; 20], b"Hi There"), "b617318655057264e28bc0b6fb378c8ef146be00");
        assert_eq!(of(b"Jefe", b"what do ya want for nothing?"), "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79");
        assert_eq!(of(&[0xaa; 20], &[0xdd; 50]), "125d7342b9ac11cd91a39af48aa17b4f63f175d3");
        let long = b"Test Using Larger Than Block-Size Key - Hash Key First";
        assert_eq!(of(&[0xaa; 80], long), "aa4ae5e15272d00e95705637ce8a3b55ed402112");
    }

    #[test]
    fn only_the_proof_of_these_words_is_right() {
        let said = proof("a secret of the robot", &["body", "head"]);
        assert!(is_right(&said, &proof("a secret of the robot", &["body", "head"])));
        for other in [&["bodyh", "ead"][..], &["head", "body"], &["body"], &["body", "head", ""]] {
            assert!(!is_right(&said, &proof("a secret of the robot", other)), "{other:?}");
        }
        assert!(!is_right(&said, &proof("another secret", &["body", "head"])));
        assert!(!is_right(&said, "") && !is_right(&said, &said[1..]));
        assert_ne!(nonce().unwrap(), nonce().unwrap());
    }
}
