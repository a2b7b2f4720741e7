//! Headers of records: fields with names.

/// The kinds of records that are read. Those of the index are not among them.
pub mod op {
    pub const MESSAGE: u8 = 2;
    pub const BAG: u8 = 3;
    pub const CHUNK: u8 = 5;
    pub const CONNECTION: u8 = 7;
}

/// The fields of a record's header.
#[derive(Debug, Default)]
pub struct Header {
    pub op: u8,
    /// The number of a connection, or that of a message's connection.
    pub connection: Option<u32>,
    /// The time of a message, in nanoseconds.
    pub time: Option<u64>,
    /// The topic of a connection.
    pub topic: Option<String>,
    /// The compression of a chunk.
    pub compression: Option<String>,
    /// The size of a chunk when it is unpacked.
    pub size: Option<u32>,
    /// The position at which the bag's index begins, or 0.
    pub index_position: Option<u64>,
}

impl Header {
    /// Parses a header; `None` if these bytes are not the header of a record of a known kind.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let mut header = Self::default();
        for (name, value) in fields(bytes).ok()? {
            match name {
                b"op" => header.op = *value.first().filter(|_| value.len() == 1)?,
                b"conn" => header.connection = Some(u32::from_le_bytes(value.try_into().ok()?)),
                b"size" => header.size = Some(u32::from_le_bytes(value.try_into().ok()?)),
                b"index_pos" => header.index_position = Some(u64::from_le_bytes(value.try_into().ok()?)),
                b"time" => {
                    let (seconds, nanoseconds) = value.split_first_chunk::<4>()?;
                    let nanoseconds = u32::from_le_bytes(nanoseconds.try_into().ok()?);
                    let seconds = u64::from(u32::from_le_bytes(*seconds));
                    header.time = Some(seconds * 1_000_000_000 + u64::from(nanoseconds));
                }
                b"topic" => header.topic = Some(String::from_utf8_lossy(value).into_owned()),
                b"compression" => header.compression = Some(String::from_utf8_lossy(value).into_owned()),
                _ => {}
            }
        }
        (op::MESSAGE..=op::CONNECTION).contains(&header.op).then_some(header)
    }
}

/// A field: its name and its value.
type Field<'b> = (&'b [u8], &'b [u8]);

/// Splits a header into its fields; a name ends with the first `=`.
pub fn fields(mut bytes: &[u8]) -> Result<Vec<Field<'_>>, String> {
    let mut fields = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk::<4>() {
        let length = u32::from_le_bytes(*length) as usize;
        let field = rest
            .get(..length)
            .ok_or_else(|| format!("a field of {length} bytes, of which {} are there", rest.len()))?;
        let equals = field.iter().position(|&byte| byte == b'=').ok_or("a field without `=`")?;
        fields.push((&field[..equals], &field[equals + 1..]));
        bytes = &rest[length..];
    }
    if bytes.is_empty() { Ok(fields) } else { Err(format!("{} bytes follow the last field", bytes.len())) }
}
