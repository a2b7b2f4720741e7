//! Conversion of a ULog's messages to CDR.

use hemiola_model::cdr::CdrWriter;
use hemiola_model::data::Writer;

use super::format::{Element, Layout, LayoutField};

/// Writes data that passed [`Layout::check`].
pub fn write(layout: &Layout, data: &[u8], writer: &mut CdrWriter) {
    let mut begin = 0;
    for field in &layout.fields {
        let bytes = &data[begin.min(data.len())..(begin + field.size()).min(data.len())];
        begin += field.size();
        if !field.is_padding {
            self::field(field, bytes, writer);
        }
    }
}

fn field(field: &LayoutField, bytes: &[u8], writer: &mut CdrWriter) {
    if field.element == Element::Letter && field.count.is_some() {
        return writer.string(&text(bytes));
    }
    for bytes in bytes.chunks_exact(field.element.size()) {
        one(&field.element, bytes, writer);
    }
}

fn one(element: &Element, bytes: &[u8], writer: &mut CdrWriter) {
    match element {
        Element::Unsigned(bits) => writer.unsigned(unsigned(bytes), *bits),
        Element::Signed(bits) => {
            let unused = 64 - *bits;
            writer.signed((unsigned(bytes) << unused) as i64 >> unused, *bits);
        }
        Element::Float32 => writer.float32(f32::from_bits(unsigned(bytes) as u32)),
        Element::Float64 => writer.float64(f64::from_bits(unsigned(bytes))),
        Element::Boolean => writer.boolean(unsigned(bytes) != 0),
        Element::Letter => writer.unsigned(unsigned(bytes), 8),
        Element::Nested(layout, _) => write(layout, bytes, writer),
    }
}

/// Reads at most eight bytes, the least significant first.
fn unsigned(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

/// Reads a text as in C: up to the first zero.
pub fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}
