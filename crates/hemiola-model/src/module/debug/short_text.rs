use std::fmt::{self, Write};
use std::ops::Deref;

/// A text of at most [`CAPACITY`](Self::CAPACITY) bytes that is stored without allocation; longer
/// texts end with `…`.
///
/// ```
/// use hemiola_model::module::ShortText;
///
/// assert_eq!(&*ShortText::of(format_args!("{:.1} m", 1.25)), "1.2 m");
/// let long = ShortText::of("ö".repeat(100));
/// assert!(long.len() <= ShortText::CAPACITY && long.ends_with("ö…"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ShortText {
    length: u8,
    bytes: [u8; Self::CAPACITY],
}

const ELLIPSIS: &str = "…";

impl ShortText {
    /// The maximum number of bytes of UTF-8.
    pub const CAPACITY: usize = 71;

    /// Formats as much of the text as fits.
    pub fn of(text: impl fmt::Display) -> Self {
        let mut short = Self { length: 0, bytes: [0; Self::CAPACITY] };
        // Writing fails when the text does not fit; then its end is marked. A text whose formatting
        // fails is kept as far as it was written.
        if let Err(Full) = short.fill(text) {
            short.truncate(Self::CAPACITY - ELLIPSIS.len());
            short.append(ELLIPSIS);
        }
        short
    }

    fn fill(&mut self, text: impl fmt::Display) -> Result<(), Full> {
        let mut filling = Filling { text: self, is_full: false };
        let written = write!(filling, "{text}");
        if filling.is_full || written.is_err() { Err(Full) } else { Ok(()) }
    }

    /// Appends as many whole characters as fit, and returns the number of their bytes.
    fn append(&mut self, text: &str) -> usize {
        let begin = usize::from(self.length);
        let taken = whole(text, Self::CAPACITY - begin);
        self.bytes[begin..begin + taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken as u8;
        taken
    }

    /// Keeps at most that many bytes, in whole characters.
    fn truncate(&mut self, most: usize) {
        self.length = whole(self, most) as u8;
    }
}

/// Returns the length of the whole characters in the first `most` bytes of a text.
fn whole(text: &str, most: usize) -> usize {
    (0..=most.min(text.len())).rev().find(|length| text.is_char_boundary(*length)).unwrap_or(0)
}

struct Full;

struct Filling<'t> {
    text: &'t mut ShortText,
    is_full: bool,
}

impl Write for Filling<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.is_full = self.text.append(text) < text.len();
        if self.is_full { Err(fmt::Error) } else { Ok(()) }
    }
}

impl Deref for ShortText {
    type Target = str;

    fn deref(&self) -> &str {
        // Only whole characters are appended.
        str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

impl fmt::Debug for ShortText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl fmt::Display for ShortText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self)
    }
}
