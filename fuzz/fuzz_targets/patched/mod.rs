//! Whole things with a few changes: what a fuzzer makes of nothing seldom gets past the first
//! check, and what is nearly whole gets far.

/// `whole` with the changes that `input` says, one after the other: where, how many bytes go, how
/// many come, and these.
pub fn patched(whole: &[u8], mut input: &[u8]) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    while let Some(([low, high, gone, come], rest)) = input.split_first_chunk::<4>() {
        let (new, rest) = rest.split_at(usize::from(*come % 32).min(rest.len()));
        let begin = usize::from(u16::from_le_bytes([*low, *high])) % (bytes.len() + 1);
        let end = (begin + usize::from(*gone)).min(bytes.len());
        bytes.splice(begin..end, new.iter().copied());
        input = rest;
    }
    bytes
}
