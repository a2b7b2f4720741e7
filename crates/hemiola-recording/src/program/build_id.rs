//! The identification of a program's build: the build id of the linker, or else a hash of the whole
//! file.

use std::fmt::Write;
use std::io::{self, Read, Seek, SeekFrom};

/// Returns the build id of an executable file or, if it has none, a hash of the whole file.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub fn of(mut file: impl Read + Seek) -> io::Result<String> {
    match gnu_build_id(&mut file)? {
        Some(id) => Ok(id.iter().fold(String::new(), |mut text, byte| {
            _ = write!(text, "{byte:02x}");
            text
        })),
        None => hash(file),
    }
}

/// The maximum number of headers, and the maximum length of notes: programs have a dozen headers
/// and some hundred bytes of notes.
const MOST_HEADERS: u16 = 256;
const LONGEST_NOTES: u64 = 1 << 16;

const PT_NOTE: u32 = 4;
const NT_GNU_BUILD_ID: u32 = 3;

/// Returns the build id from the notes of a 64-bit ELF file in this machine's byte order. Returns
/// `None` for other files, or without such a note.
fn gnu_build_id(file: &mut (impl Read + Seek)) -> io::Result<Option<Vec<u8>>> {
    let mut header = [0; 64];
    let order = if cfg!(target_endian = "little") { 1 } else { 2 };
    if !read_at(file, 0, &mut header)? || header[..6] != [0x7f, b'E', b'L', b'F', 2, order] {
        return Ok(None);
    }
    let (first, size, count) = (u64_at(&header, 32), u16_at(&header, 54), u16_at(&header, 56));
    for number in 0..count.min(MOST_HEADERS) {
        let mut program = [0; 56];
        let at = first.saturating_add(u64::from(number) * u64::from(size));
        if !read_at(file, at, &mut program)? {
            return Ok(None);
        }
        let (offset, length) = (u64_at(&program, 8), u64_at(&program, 32));
        if u32_at(&program, 0) != PT_NOTE || length > LONGEST_NOTES {
            continue;
        }
        let mut notes = vec![0; length as usize];
        if read_at(file, offset, &mut notes)?
            && let Some(id) = build_id_among(&notes)
        {
            return Ok(Some(id.to_owned()));
        }
    }
    Ok(None)
}

/// Finds the build id among notes. A note is a length of the name, one of the content, a kind, the
/// name and the content, each padded to four bytes.
fn build_id_among(mut notes: &[u8]) -> Option<&[u8]> {
    while let Some((header, rest)) = notes.split_at_checked(12) {
        let [name, content] = [u32_at(header, 0), u32_at(header, 4)].map(|length| length as usize);
        let padded = |length: usize| length.checked_next_multiple_of(4);
        let (of_name, rest) = rest.split_at_checked(padded(name)?)?;
        if (u32_at(header, 8), of_name) == (NT_GNU_BUILD_ID, b"GNU\0".as_slice()) {
            return rest.get(..content).filter(|id| !id.is_empty());
        }
        notes = rest.get(padded(content)?..)?;
    }
    None
}

/// Returns FNV-1a over words of eight bytes and the length, which is fast for a whole program even
/// if the compiler does not optimise.
fn hash(mut file: impl Read + Seek) -> io::Result<String> {
    file.seek(SeekFrom::Start(0))?;
    let mut block = vec![0; 1 << 16];
    let (mut hash, mut length) = (0xcbf2_9ce4_8422_2325_u64, 0_u64);
    loop {
        let read = fill(&mut file, &mut block)?;
        block[read..].fill(0);
        for word in block[..read.next_multiple_of(8)].chunks_exact(8) {
            hash = (hash ^ u64_at(word, 0)).wrapping_mul(0x0100_0000_01b3).rotate_left(23);
        }
        length += read as u64;
        if read < block.len() {
            return Ok(format!("{hash:016x} of {length} bytes"));
        }
    }
}

/// Reads the bytes at a place of the file. Returns whether there were enough.
fn read_at(file: &mut (impl Read + Seek), at: u64, bytes: &mut [u8]) -> io::Result<bool> {
    file.seek(SeekFrom::Start(at))?;
    Ok(fill(file, bytes)? == bytes.len())
}

fn fill(file: &mut impl Read, bytes: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

/// Returns the number at this place, or zero beyond the end of the bytes.
fn number_at<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes(number_at(bytes, at))
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_ne_bytes(number_at(bytes, at))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(number_at(bytes, at))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn note(name: &[u8], kind: u32, content: &[u8]) -> Vec<u8> {
        let mut note = [name.len() as u32, content.len() as u32, kind].map(u32::to_ne_bytes).concat();
        for part in [name, content] {
            note.extend(part);
            note.resize(note.len().next_multiple_of(4), 0);
        }
        note
    }

    /// Returns an ELF file of one program header that contains these notes.
    fn elf(notes: &[u8]) -> Vec<u8> {
        let order = if cfg!(target_endian = "little") { 1 } else { 2 };
        let mut file = vec![0x7f, b'E', b'L', b'F', 2, order];
        file.resize(64 + 56, 0);
        file[32..40].copy_from_slice(&64_u64.to_ne_bytes());
        file[54..56].copy_from_slice(&56_u16.to_ne_bytes());
        file[56..58].copy_from_slice(&1_u16.to_ne_bytes());
        file[64..68].copy_from_slice(&PT_NOTE.to_ne_bytes());
        file[72..80].copy_from_slice(&120_u64.to_ne_bytes());
        file[96..104].copy_from_slice(&(notes.len() as u64).to_ne_bytes());
        file.extend(notes);
        file
    }

    #[test]
    fn a_program_is_called_what_its_linker_called_it() {
        let notes = [note(b"GNU\0", 1, b"abi"), note(b"GNU\0", NT_GNU_BUILD_ID, &[0xab, 0x01, 0xff])].concat();
        assert_eq!(of(Cursor::new(elf(&notes))).unwrap(), "ab01ff");
    }

    #[test]
    fn a_program_without_an_id_is_called_by_a_hash_of_all_of_it() {
        let name = |file: &[u8]| of(Cursor::new(file.to_vec())).unwrap();
        let long: Vec<u8> = (0..200_003_u32).map(|number| number as u8).collect();
        let mut other = long.clone();
        other[199_999] ^= 1;
        assert_ne!(name(&long), name(&other));
        assert_ne!(name(&long), name(&[long.as_slice(), &[0]].concat()));
        assert_eq!(name(&long), name(&long.clone()));
        assert!(name(b"").ends_with(" of 0 bytes"));
        assert!(name(&elf(&note(b"GNU\0", 1, b"abi"))).ends_with(" bytes"));
    }

    #[test]
    fn no_file_makes_it_panic() {
        let whole = elf(&note(b"GNU\0", NT_GNU_BUILD_ID, &[7; 20]));
        for length in 0..whole.len() {
            assert!(of(Cursor::new(whole[..length].to_vec())).unwrap().ends_with(" bytes"), "{length}");
        }
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut changed = whole.clone();
                changed[place] = value;
                of(Cursor::new(changed)).unwrap();
            }
        }
    }

    #[test]
    fn this_program_has_a_name_that_stays() {
        assert_eq!(crate::this_program(), crate::this_program());
        assert!(!crate::this_program().contains("process"));
    }
}
