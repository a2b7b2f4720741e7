//! The places of the parts of a value whose type is known at run time only.

use thiserror::Error;

use crate::data::DataType;

/// The memory layout of values of a schema: that of the C structure with these fields, as ROS 2's
/// `rosidl` generates it for C.
///
/// | schema | memory |
/// |---|---|
/// | `bool` | one byte, 0 or 1 |
/// | numbers | themselves, in the machine's byte order |
/// | a time | nanoseconds, `int64_t` |
/// | a duration | seconds, `uint64_t`, and nanoseconds, `uint32_t` |
/// | an array | its items, one after the other |
/// | a text, a sequence | `{ T *data; size_t size; size_t capacity; }` ([`SequenceHeader`]) |
/// | a structure | its fields in order, aligned |
///
/// All zeros are the default value.
///
/// ```
/// use hemiola_model::Data;
/// use hemiola_model::data::{DataType, Field};
/// use hemiola_model::Layout;
///
/// let fields = vec![Field::new("seen", bool::data_type(), ""), Field::new("radius", f32::data_type(), "")];
/// let ball = Layout::of(&DataType::structure("soccer/Ball", fields))?;
/// assert_eq!((ball.size(), ball.align()), (8, 4));
/// let radius = &ball.members()[1];
/// assert_eq!((radius.name(), radius.offset()), ("radius", 4));
/// # Ok::<(), hemiola_model::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    size: usize,
    align: usize,
    pub(super) shape: Shape,
}

/// A field of a structure; [`Layout::members`] returns it.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    name: String,
    offset: usize,
    layout: Layout,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    Boolean,
    Signed(u32),
    Unsigned(u32),
    Float32,
    Float64,
    Text,
    Time,
    Duration,
    Array(Box<Layout>, usize),
    Sequence(Box<Layout>, Option<usize>),
    Structure(String, Vec<Member>),
}

/// The header of a text or a sequence: where its items are, how many, and for how many there is
/// room.
///
/// Memory comes from Rust's allocator; `data` is null while there is no room at all.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct SequenceHeader {
    /// The address of the first item.
    pub data: *mut u8,
    /// The number of items.
    pub size: usize,
    /// The number of items for which there is room.
    pub capacity: usize,
}

/// A duration in memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub seconds: u64,
    pub nanoseconds: u32,
}

/// The error of a schema whose values cannot be laid out.
///
/// ```
/// use hemiola_model::{Data, Layout};
///
/// let error = Layout::of(&<Option<f32>>::data_type()).unwrap_err();
/// assert_eq!(error.to_string(), "no value of `float32?` can be laid out: messages of ROS 2 have no optional values");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("no value of `{part}` can be laid out: {reason}")]
pub struct LayoutError {
    /// The part of the schema that cannot be laid out.
    pub part: String,
    /// The reason why it cannot be laid out.
    pub reason: &'static str,
}

/// The maximum size of a value, not counting the content of texts and sequences.
const LARGEST: usize = 1 << 30;
/// The maximum depth of types inside each other.
const DEEPEST: usize = 64;

impl Layout {
    /// Returns the layout of values of this schema.
    ///
    /// # Errors
    /// Fails if the schema has options, enumerations or empty arrays, which messages of ROS 2 do
    /// not have; if it is nested too deeply, or values would be larger than 1 GiB.
    pub fn of(data_type: &DataType) -> Result<Self, LayoutError> {
        Self::nested(data_type, 0)
    }

    fn nested(data_type: &DataType, depth: usize) -> Result<Self, LayoutError> {
        let refused = |reason| LayoutError { part: data_type.to_string(), reason };
        if depth > DEEPEST {
            return Err(refused("it is nested too deeply"));
        }
        let of_size = |size: usize, shape| Self { size, align: size, shape };
        let header = |shape| Self { size: size_of::<SequenceHeader>(), align: align_of::<SequenceHeader>(), shape };
        let inner = |item: &DataType| Self::nested(item, depth + 1).map(Box::new);
        let laid_out = match data_type {
            DataType::Boolean => of_size(1, Shape::Boolean),
            DataType::Signed(bits) | DataType::Unsigned(bits) if !matches!(bits, 8 | 16 | 32 | 64) => {
                return Err(refused("numbers have 8, 16, 32 or 64 bits"));
            }
            DataType::Signed(bits) => of_size(*bits as usize / 8, Shape::Signed(*bits)),
            DataType::Unsigned(bits) => of_size(*bits as usize / 8, Shape::Unsigned(*bits)),
            DataType::Float32 => of_size(4, Shape::Float32),
            DataType::Float64 => of_size(8, Shape::Float64),
            DataType::Time => of_size(8, Shape::Time),
            DataType::Duration => Self { size: size_of::<Span>(), align: align_of::<Span>(), shape: Shape::Duration },
            DataType::Text => header(Shape::Text),
            DataType::Sequence(item) => header(Shape::Sequence(inner(item)?, None)),
            DataType::Bounded(item, limit) => header(Shape::Sequence(inner(item)?, Some(*limit))),
            DataType::Array(_, 0) => return Err(refused("an array without items says nothing")),
            DataType::Array(item, length) => {
                let item = inner(item)?;
                let size = item.size.saturating_mul(*length);
                Self { size, align: item.align, shape: Shape::Array(item, *length) }
            }
            DataType::Structure { name, fields } => {
                let (mut members, mut size, mut align) = (Vec::new(), 0_usize, 1);
                for field in fields {
                    let layout = Self::nested(&field.data_type, depth + 1)?;
                    let offset = size.next_multiple_of(layout.align);
                    size = offset + layout.size;
                    align = align.max(layout.align);
                    members.push(Member { name: field.name.clone(), offset, layout });
                    if size > LARGEST {
                        return Err(refused("a value would be larger than 1 GiB"));
                    }
                }
                // A structure without fields takes a byte, so that items of a sequence have
                // different addresses.
                let size = size.max(1).next_multiple_of(align);
                Self { size, align, shape: Shape::Structure(name.name.clone(), members) }
            }
            DataType::Optional(_) => return Err(refused("messages of ROS 2 have no optional values")),
            DataType::Enumeration { .. } => return Err(refused("messages of ROS 2 have no enumerations")),
        };
        if laid_out.size > LARGEST {
            return Err(refused("a value would be larger than 1 GiB"));
        }
        Ok(laid_out)
    }

    /// Returns the size of a value in bytes; the content of texts and sequences is elsewhere.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the alignment of a value in bytes.
    pub fn align(&self) -> usize {
        self.align
    }

    /// Returns the fields of a structure; all other types have none.
    pub fn members(&self) -> &[Member] {
        match &self.shape {
            Shape::Structure(_, members) => members,
            _ => &[],
        }
    }

    /// Returns the layout of the items of an array or a sequence.
    pub fn item(&self) -> Option<&Layout> {
        match &self.shape {
            Shape::Array(item, _) | Shape::Sequence(item, _) => Some(item),
            _ => None,
        }
    }

    /// Returns whether no part of a value is elsewhere.
    pub(super) fn is_plain(&self) -> bool {
        match &self.shape {
            Shape::Text | Shape::Sequence(..) => false,
            Shape::Array(item, _) => item.is_plain(),
            Shape::Structure(_, members) => members.iter().all(|member| member.layout.is_plain()),
            _ => true,
        }
    }
}

impl Member {
    /// Returns the name of the field.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the offset of the field in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the layout of the field's values.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}
