//! Values that lie in memory as a [`Layout`] describes.
//!
//! Invariant of a value at `value` with `layout`: `value` is aligned and all its bytes are
//! initialised; each [`SequenceHeader`] in it holds `size` values of its items (of a text: bytes)
//! in memory for `capacity` of them, from the global allocator, or is all zeros. All zeros are a
//! value. Every function here relies on that and keeps it, and none keeps a reference.
#![expect(unsafe_code, reason = "memory whose type is known at run time only; the layout says what is where")]

use std::alloc::{self, Layout as Block, handle_alloc_error};
use std::ptr;
use std::slice;
use std::time::Duration;

use super::layout::{Layout, SequenceHeader, Shape, Span};
use crate::data::{FixedLength, Items, ItemsMut, ReadError, Reader, Writer};

fn block(layout: &Layout, count: usize) -> Block {
    let size = layout.size().checked_mul(count).filter(|&size| isize::try_from(size).is_ok());
    let block = size.and_then(|size| Block::from_size_align(size, layout.align()).ok());
    block.unwrap_or_else(|| handle_alloc_error(Block::new::<u8>()))
}

/// Creates a default value.
pub fn create(layout: &Layout) -> *mut u8 {
    let block = block(layout, 1);
    // SAFETY: no value has size zero.
    let value = unsafe { alloc::alloc_zeroed(block) };
    if value.is_null() { handle_alloc_error(block) } else { value }
}

/// Drops a value that [`create`] made.
///
/// # Safety
/// The value is a valid one, and nobody uses it afterwards.
pub unsafe fn drop(layout: &Layout, value: *mut u8) {
    // SAFETY: promised by the caller; `create` allocated this block.
    unsafe {
        release(layout, value);
        alloc::dealloc(value, block(layout, 1));
    }
}

/// Frees the memory of texts and sequences, and leaves the default value.
///
/// # Safety
/// The value is a valid one that nobody else uses.
unsafe fn release(layout: &Layout, value: *mut u8) {
    // SAFETY: promised by the caller, of the value and so of its parts.
    unsafe {
        if layout.is_plain() {
            return ptr::write_bytes(value, 0, layout.size());
        }
        clear(layout, value);
        each_header(layout, value, &mut |item, header| {
            if header.capacity > 0 {
                alloc::dealloc(
                    header.data,
                    item.map_or_else(|| byte_block(header.capacity), |item| block(item, header.capacity)),
                );
            }
            *header = SequenceHeader { data: ptr::null_mut(), size: 0, capacity: 0 };
        });
    }
}

fn byte_block(capacity: usize) -> Block {
    Block::array::<u8>(capacity).unwrap_or_else(|_| handle_alloc_error(Block::new::<u8>()))
}

/// Resets the value to the default, and keeps the buffers of its own texts and sequences.
///
/// # Safety
/// The value is a valid one that nobody else uses.
pub unsafe fn clear(layout: &Layout, value: *mut u8) {
    // SAFETY: promised by the caller, of the value and so of its parts; a header's items are
    // values.
    unsafe {
        match &layout.shape {
            _ if layout.is_plain() => ptr::write_bytes(value, 0, layout.size()),
            Shape::Array(item, length) => (0..*length).for_each(|index| clear(item, value.add(index * item.size()))),
            Shape::Structure(_, members) => {
                members.iter().for_each(|member| clear(member.layout(), value.add(member.offset())));
            }
            Shape::Sequence(item, _) => {
                let header = &mut *value.cast::<SequenceHeader>();
                if !item.is_plain() {
                    (0..header.size).for_each(|index| release(item, header.data.add(index * item.size())));
                }
                header.size = 0;
            }
            _ => (*value.cast::<SequenceHeader>()).size = 0,
        }
    }
}

/// Calls `visit` for each header of the value itself, with the layout of its items (`None` for a
/// text), but not for those in its sequences.
///
/// # Safety
/// The value is a valid one that nobody else uses.
unsafe fn each_header(layout: &Layout, value: *mut u8, visit: &mut dyn FnMut(Option<&Layout>, &mut SequenceHeader)) {
    // SAFETY: promised by the caller, of the value and so of its parts.
    unsafe {
        match &layout.shape {
            Shape::Text => visit(None, &mut *value.cast()),
            Shape::Sequence(item, _) => visit(Some(item), &mut *value.cast()),
            Shape::Array(item, length) => {
                (0..*length).for_each(|index| each_header(item, value.add(index * item.size()), visit));
            }
            Shape::Structure(_, members) => {
                members.iter().for_each(|member| each_header(member.layout(), value.add(member.offset()), visit));
            }
            _ => {}
        }
    }
}

/// Writes a value, field by field.
///
/// # Safety
/// The value is a valid one that nobody changes in the meantime.
pub unsafe fn write(layout: &Layout, value: *const u8, writer: &mut dyn Writer) {
    // SAFETY: promised by the caller, of the value and so of its parts.
    unsafe {
        match &layout.shape {
            Shape::Boolean => writer.boolean(*value != 0),
            Shape::Signed(8) => writer.signed((*value.cast::<i8>()).into(), 8),
            Shape::Signed(16) => writer.signed((*value.cast::<i16>()).into(), 16),
            Shape::Signed(32) => writer.signed((*value.cast::<i32>()).into(), 32),
            Shape::Signed(bits) => writer.signed(*value.cast::<i64>(), *bits),
            Shape::Unsigned(8) => writer.unsigned((*value).into(), 8),
            Shape::Unsigned(16) => writer.unsigned((*value.cast::<u16>()).into(), 16),
            Shape::Unsigned(32) => writer.unsigned((*value.cast::<u32>()).into(), 32),
            Shape::Unsigned(bits) => writer.unsigned(*value.cast::<u64>(), *bits),
            Shape::Float32 => writer.float32(*value.cast()),
            Shape::Float64 => writer.float64(*value.cast()),
            Shape::Time => writer.time(*value.cast()),
            Shape::Duration => {
                let span = *value.cast::<Span>();
                writer.duration(
                    Duration::from_secs(span.seconds).saturating_add(Duration::from_nanos(span.nanoseconds.into())),
                );
            }
            Shape::Text => {
                let header = *value.cast::<SequenceHeader>();
                // The text may come from other code, and not be UTF-8.
                writer.string(&String::from_utf8_lossy(items(header.data, header.size)));
            }
            Shape::Array(item, length) => {
                writer.begin_sequence(*length, FixedLength::Yes);
                write_items(item, value, *length, writer);
                writer.end_sequence();
            }
            Shape::Sequence(item, _) => {
                let header = *value.cast::<SequenceHeader>();
                writer.begin_sequence(header.size, FixedLength::No);
                write_items(item, header.data, header.size, writer);
                writer.end_sequence();
            }
            Shape::Structure(name, members) => {
                writer.begin_structure(name);
                for member in members {
                    writer.field(member.name());
                    write(member.layout(), value.add(member.offset()), writer);
                }
                writer.end_structure();
            }
        }
    }
}

/// # Safety
/// There are `size` values of `T` at that address that nobody changes in the meantime, or none.
unsafe fn items<'v, T>(data: *const u8, size: usize) -> &'v [T] {
    // SAFETY: promised by the caller.
    if size == 0 { &[] } else { unsafe { slice::from_raw_parts(data.cast(), size) } }
}

/// # Safety
/// There are `count` values of `item` at that address that nobody changes in the meantime.
unsafe fn write_items(item: &Layout, first: *const u8, count: usize, writer: &mut dyn Writer) {
    // SAFETY: promised by the caller.
    unsafe {
        writer.items(match &item.shape {
            Shape::Signed(8) => Items::I8(items(first, count)),
            Shape::Signed(16) => Items::I16(items(first, count)),
            Shape::Signed(32) => Items::I32(items(first, count)),
            Shape::Signed(_) => Items::I64(items(first, count)),
            Shape::Unsigned(8) => Items::U8(items(first, count)),
            Shape::Unsigned(16) => Items::U16(items(first, count)),
            Shape::Unsigned(32) => Items::U32(items(first, count)),
            Shape::Unsigned(_) => Items::U64(items(first, count)),
            Shape::Float32 => Items::F32(items(first, count)),
            Shape::Float64 => Items::F64(items(first, count)),
            _ => return (0..count).for_each(|index| write(item, first.add(index * item.size()), writer)),
        });
    }
}

/// Replaces a value by one that is read; the value is unchanged if that fails.
///
/// # Errors
/// Fails if what the reader holds is not such a value.
///
/// # Safety
/// The value is a valid one that nobody else uses.
pub unsafe fn replace(layout: &Layout, value: *mut u8, reader: &mut dyn Reader) -> Result<(), ReadError> {
    let fresh = create(layout);
    // SAFETY: of `value` promised by the caller, and `fresh` is one just made; afterwards it holds
    // the value that is not wanted.
    unsafe {
        let result = read(layout, fresh, reader);
        if result.is_ok() {
            ptr::swap_nonoverlapping(value, fresh, layout.size());
        }
        drop(layout, fresh);
        result
    }
}

/// Reads a value into a default value.
///
/// # Safety
/// The value is a valid one that nobody else uses.
unsafe fn read(layout: &Layout, value: *mut u8, reader: &mut dyn Reader) -> Result<(), ReadError> {
    // SAFETY: promised by the caller, of the value and so of its parts.
    unsafe {
        match &layout.shape {
            Shape::Boolean => *value = reader.boolean()?.into(),
            Shape::Signed(bits) => {
                let number = reader.signed(*bits)?;
                // The reader guarantees that the number fits that many bits; they are the low ones.
                match bits {
                    8 => *value.cast() = number as i8,
                    16 => *value.cast() = number as i16,
                    32 => *value.cast() = number as i32,
                    _ => *value.cast() = number,
                }
            }
            Shape::Unsigned(bits) => {
                let number = reader.unsigned(*bits)?;
                match bits {
                    8 => *value = number as u8,
                    16 => *value.cast() = number as u16,
                    32 => *value.cast() = number as u32,
                    _ => *value.cast() = number,
                }
            }
            Shape::Float32 => *value.cast() = reader.float32()?,
            Shape::Float64 => *value.cast() = reader.float64()?,
            Shape::Time => *value.cast() = reader.time()?,
            Shape::Duration => {
                let span = reader.duration()?;
                *value.cast() = Span { seconds: span.as_secs(), nanoseconds: span.subsec_nanos() };
            }
            Shape::Text => {
                let mut text = reader.string()?.into_bytes();
                text.shrink_to_fit();
                let mut text = std::mem::ManuallyDrop::new(text);
                // The header takes over the memory of the vector: it is of the global allocator,
                // for bytes.
                let data = if text.capacity() == 0 { ptr::null_mut() } else { text.as_mut_ptr() };
                *value.cast() = SequenceHeader { data, size: text.len(), capacity: text.capacity() };
            }
            Shape::Array(item, length) => {
                reader.begin_array(*length)?;
                read_items(item, value, *length, reader)?;
                reader.end_sequence()?;
            }
            Shape::Sequence(item, limit) => {
                let length = reader.begin_sequence()?;
                if let Some(limit) = limit.filter(|&limit| length > limit) {
                    return Err(reader.error(format!("{length} items, where {limit} have room")));
                }
                let header = &mut *value.cast::<SequenceHeader>();
                while header.size < length {
                    // The length is a claim of the data's writer: memory grows with the items that
                    // are really there.
                    let piece = (length - header.size).min((PIECE / item.size()).max(1));
                    let first = grow(item, header, piece);
                    read_items(item, first, piece, reader)?;
                }
                reader.end_sequence()?;
            }
            Shape::Structure(name, members) => {
                reader.begin_structure(name)?;
                for member in members {
                    reader.field(member.name())?;
                    read(member.layout(), value.add(member.offset()), reader)?;
                }
                reader.end_structure()?;
            }
        }
    }
    Ok(())
}

/// The number of bytes that are read at once.
const PIECE: usize = 1 << 16;

/// Appends `count` default values to a sequence, and returns the address of the first of them.
///
/// # Safety
/// The header is of a sequence of such items that nobody else uses.
unsafe fn grow(item: &Layout, header: &mut SequenceHeader, count: usize) -> *mut u8 {
    let size = header.size + count;
    // SAFETY: promised by the caller: the memory is of that block, and what is added lies in it.
    unsafe {
        if size > header.capacity {
            let capacity = size.max(header.capacity.saturating_mul(2));
            let wanted = block(item, capacity);
            let data = match header.capacity {
                0 => alloc::alloc(wanted),
                held => alloc::realloc(header.data, block(item, held), wanted.size()),
            };
            if data.is_null() {
                handle_alloc_error(wanted);
            }
            (header.data, header.capacity) = (data, capacity);
        }
        let first = header.data.add(header.size * item.size());
        ptr::write_bytes(first, 0, count * item.size());
        header.size = size;
        first
    }
}

/// # Safety
/// There are `count` default values of `item` at that address that nobody else uses.
unsafe fn read_items(item: &Layout, first: *mut u8, count: usize, reader: &mut dyn Reader) -> Result<(), ReadError> {
    // SAFETY: promised by the caller; there is at least one.
    unsafe {
        reader.items(match &item.shape {
            Shape::Signed(8) => ItemsMut::I8(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Signed(16) => ItemsMut::I16(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Signed(32) => ItemsMut::I32(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Signed(_) => ItemsMut::I64(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Unsigned(8) => ItemsMut::U8(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Unsigned(16) => ItemsMut::U16(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Unsigned(32) => ItemsMut::U32(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Unsigned(_) => ItemsMut::U64(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Float32 => ItemsMut::F32(slice::from_raw_parts_mut(first.cast(), count)),
            Shape::Float64 => ItemsMut::F64(slice::from_raw_parts_mut(first.cast(), count)),
            _ => return (0..count).try_for_each(|index| read(item, first.add(index * item.size()), reader)),
        })
    }
}
