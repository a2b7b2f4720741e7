//! Base64, in which the browser sends pictures and the page has layouts in its address.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Returns the bytes of a text; `None` if it is damaged.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=').as_bytes();
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for group in text.chunks(4) {
        let mut bits = 0_u32;
        for letter in group {
            bits = bits << 6 | u32::try_from(LETTERS.iter().position(|one| one == letter)?).ok()?;
        }
        let count = group.len().checked_sub(1).filter(|count| *count > 0)?;
        let [_, group @ ..] = (bits << (6 * (4 - group.len()))).to_be_bytes();
        bytes.extend_from_slice(&group[..count]);
    }
    Some(bytes)
}

/// Returns a text that can stand in an address: without padding, and without characters that mean
/// something there.
pub fn encode_for_addresses(bytes: &[u8]) -> String {
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, index| bits << 8 | u32::from(group.get(index).copied().unwrap_or(0)));
        let letters = (0..=group.len()).map(|index| LETTERS[(bits >> (18 - 6 * index) & 63) as usize]);
        text.extend(letters.map(|letter| match letter {
            b'+' => '-',
            b'/' => '_',
            letter => char::from(letter),
        }));
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn texts_of_the_standard_are_read() {
        for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
            assert_eq!(decode(text), Some(bytes.as_bytes().to_vec()), "{text}");
        }
        for damaged in ["Zm9v-", "Z", "Zm 9v", "ä"] {
            assert_eq!(decode(damaged), None, "{damaged}");
        }
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again(bytes: Vec<u8>) {
            let text = encode_for_addresses(&bytes);
            prop_assert!(text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter)));
            prop_assert_eq!(decode(&text.replace('-', "+").replace('_', "/")), Some(bytes));
        }
    }
}
