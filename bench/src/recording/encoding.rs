//! Values to bytes and back, beside the obvious other ways, in turn.

use std::hint::black_box;
use std::time::Instant;

use hemiola::cdr::{self, CdrWriter};
use hemiola::data::Data;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::contest::discipline::Effort;
use crate::contest::host::Host;
use crate::contest::result::quantile;
use crate::error::BenchError;

/// One encoding of one message.
pub struct Row {
    pub label: &'static str,
    pub encode_ns: f64,
    pub decode_ns: f64,
    /// The length of the encoded message.
    pub bytes: usize,
}

/// A message, and the cost of each encoding.
pub struct Table {
    pub title: &'static str,
    /// The length of the values of its fields.
    pub content_bytes: usize,
    pub rows: Vec<Row>,
}

pub fn measure(effort: Effort, host: &mut Host) -> Result<Vec<Table>, BenchError> {
    Ok(vec![
        table("three numbers, as a position", &Position::example(), 24, effort, host)?,
        table("joints: names, numbers, texts", &Joints::example(), 998, effort, host)?,
        table("a camera's image", &Image::example(), 614_400, effort, host)?,
    ])
}

/// A message that all encodings can encode.
trait Message: Data + Serialize + DeserializeOwned + prost::Message + Default + PartialEq {}

impl<T: Data + Serialize + DeserializeOwned + prost::Message + Default + PartialEq> Message for T {}

#[derive(Data, Serialize, Deserialize, prost::Message, PartialEq)]
struct Position {
    #[prost(double, tag = "1")]
    x: f64,
    #[prost(double, tag = "2")]
    y: f64,
    #[prost(double, tag = "3")]
    z: f64,
}

impl Position {
    fn example() -> Self {
        Self { x: 1.25, y: -0.75, z: 0.3 }
    }
}

#[derive(Data, Serialize, Deserialize, prost::Message, PartialEq)]
struct Joints {
    #[prost(uint64, tag = "1")]
    stamp: u64,
    #[prost(string, repeated, tag = "2")]
    names: Vec<String>,
    #[prost(float, repeated, tag = "3")]
    positions: Vec<f32>,
    #[prost(double, repeated, tag = "4")]
    velocities: Vec<f64>,
    #[prost(double, repeated, tag = "5")]
    efforts: Vec<f64>,
    #[prost(bool, tag = "6")]
    is_stiff: bool,
}

/// The number of joints; with 37 the fields' values are 998 bytes.
const JOINTS: usize = 37;

impl Joints {
    fn example() -> Self {
        // The numbers have few decimals, so that JSON reproduces them.
        let numbers =
            || (0..JOINTS).map(|joint| (joint as f64 * 0.37).sin()).map(|number| (number * 1024.0).round() / 1024.0);
        Self {
            stamp: 1_403_715_273_262_142_976,
            names: (0..JOINTS).map(|joint| format!("joint{joint}")).collect(),
            positions: numbers().map(|number| number as f32).collect(),
            velocities: numbers().map(|number| 10.0 * number).collect(),
            efforts: numbers().collect(),
            is_stiff: true,
        }
    }
}

#[derive(Data, Serialize, Deserialize, prost::Message, PartialEq)]
struct Image {
    #[prost(uint32, tag = "1")]
    width: u32,
    #[prost(uint32, tag = "2")]
    height: u32,
    #[prost(string, tag = "3")]
    encoding: String,
    #[prost(bytes = "vec", tag = "4")]
    #[serde(with = "serde_bytes")]
    data: Vec<u8>,
}

impl Image {
    fn example() -> Self {
        let data = (0..640 * 480 * 2_u32).map(|index| (index.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        Self { width: 640, height: 480, encoding: "yuv422_yuy2".to_owned(), data }
    }
}

/// A buffer for each encoding, which it keeps as a recorder does.
#[derive(Default)]
struct Buffers {
    cdr: CdrWriter,
    bytes: Vec<u8>,
}

struct Encoding<M> {
    label: &'static str,
    encode: fn(&M, &mut Buffers) -> Option<usize>,
    decode: fn(&Buffers) -> Option<M>,
}

fn encodings<M: Message>() -> [Encoding<M>; 5] {
    [
        Encoding {
            label: "Hemiola, CDR",
            encode: |message, buffers| {
                buffers.cdr.clear();
                message.write(&mut buffers.cdr);
                Some(buffers.cdr.bytes().len())
            },
            decode: |buffers| cdr::decode(buffers.cdr.bytes()).ok(),
        },
        Encoding {
            label: "cdr-encoding, CDR",
            encode: |message, buffers| {
                buffers.bytes.clear();
                cdr_encoding::to_writer::<_, byteorder::LittleEndian, _>(&mut buffers.bytes, message).ok()?;
                Some(buffers.bytes.len())
            },
            decode: |buffers| Some(cdr_encoding::from_bytes::<M, byteorder::LittleEndian>(&buffers.bytes).ok()?.0),
        },
        Encoding {
            label: "postcard",
            encode: |message, buffers| {
                let mut bytes = std::mem::take(&mut buffers.bytes);
                bytes.clear();
                buffers.bytes = postcard::to_extend(message, bytes).ok()?;
                Some(buffers.bytes.len())
            },
            decode: |buffers| postcard::from_bytes(&buffers.bytes).ok(),
        },
        Encoding {
            label: "prost, protobuf",
            encode: |message, buffers| {
                buffers.bytes.clear();
                message.encode(&mut buffers.bytes).ok()?;
                Some(buffers.bytes.len())
            },
            decode: |buffers| M::decode(buffers.bytes.as_slice()).ok(),
        },
        Encoding {
            label: "serde_json",
            encode: |message, buffers| {
                buffers.bytes.clear();
                serde_json::to_writer(&mut buffers.bytes, message).ok()?;
                Some(buffers.bytes.len())
            },
            decode: |buffers| serde_json::from_slice(&buffers.bytes).ok(),
        },
    ]
}

fn table<M: Message>(
    title: &'static str,
    message: &M,
    content_bytes: usize,
    effort: Effort,
    host: &mut Host,
) -> Result<Table, BenchError> {
    let encodings = encodings::<M>();
    let mut buffers: Vec<Buffers> = encodings.iter().map(|_| Buffers::default()).collect();
    let mut sizes = Vec::new();
    for (encoding, buffers) in encodings.iter().zip(&mut buffers) {
        let size = (encoding.encode)(message, buffers).filter(|_| (encoding.decode)(buffers).as_ref() == Some(message));
        sizes.push(size.ok_or(BenchError::Encoding { label: encoding.label, message: title })?);
    }
    let (rounds, nanoseconds) = match effort {
        Effort::Quick => (1, 1e5),
        Effort::Full => (21, 2e7),
    };
    let mut samples = vec![(Vec::new(), Vec::new()); encodings.len()];
    for _ in 0..rounds {
        for ((encoding, buffers), samples) in encodings.iter().zip(&mut buffers).zip(&mut samples) {
            let (encode, decode) = host.hold(|| {
                let encode = repeated(nanoseconds, || _ = black_box((encoding.encode)(black_box(message), buffers)));
                let decode = repeated(nanoseconds, || _ = black_box((encoding.decode)(black_box(buffers))));
                Ok::<_, BenchError>((encode, decode))
            })?;
            samples.0.push(encode);
            samples.1.push(decode);
        }
    }
    let median = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        quantile(&values, 0.5).unwrap_or(f64::NAN)
    };
    let rows = encodings.iter().zip(sizes).zip(samples).map(|((encoding, bytes), (encode, decode))| Row {
        label: encoding.label,
        encode_ns: median(encode),
        decode_ns: median(decode),
        bytes,
    });
    Ok(Table { title, content_bytes, rows: rows.collect() })
}

/// Returns the nanoseconds for one call, repeated for about `nanoseconds`.
fn repeated(nanoseconds: f64, mut work: impl FnMut()) -> f64 {
    let mut count = 1_u32;
    loop {
        let begin = Instant::now();
        (0..count).for_each(|_| work());
        let taken = begin.elapsed().as_nanos() as f64;
        if taken >= nanoseconds {
            return taken / f64::from(count);
        }
        // The number of repetitions grows to half as many again as seem to be needed, and at most
        // eightfold.
        let wanted = f64::from(count) * 1.5 * nanoseconds / taken.max(1.0);
        count = (wanted as u32).clamp(count + 1, 8 * count);
    }
}
