//! Export of pictures: compressed ones as they are, others as portable pixmaps, which need no
//! library.

use std::io::Write;
use std::path::Path;

use super::{create, failed};
use crate::definition::Definition;
use crate::error::LogError;
use crate::value::{Numbers, Value};

/// Returns whether messages of this type are pictures.
pub fn is_picture(definition: &Definition) -> bool {
    matches!(definition.name.as_ref(), "sensor_msgs/CompressedImage" | "sensor_msgs/Image")
}

/// Writes a picture. A picture that cannot be a pixmap is written as its bytes, with the encoding
/// in the name.
pub fn write(value: &Value, directory: &Path, stem: &str) -> Result<(), LogError> {
    let data = value.get("data");
    let Some(Value::Numbers(Numbers::U8(data))) = data.as_deref() else { return Ok(()) };
    let text = |path: &str| match value.get(path).as_deref() {
        Some(Value::Text(text)) => text.to_lowercase(),
        _ => String::new(),
    };
    let number = |path: &str| match value.get(path).as_deref() {
        Some(Value::Unsigned(number)) => usize::try_from(*number).unwrap_or(0),
        _ => 0,
    };
    // The format is `jpeg`, or what image_transport writes: `rgb8; jpeg compressed bgr8`.
    let format = text("format");
    let compressed = ["png", "webp", "avif", "jpeg", "jpg"].into_iter().find(|known| format.contains(known));
    let encoding = text("encoding");
    let (width, height, step) = (number("width"), number("height"), number("step"));
    let (extension, content) = match compressed {
        Some(extension) => (extension.to_owned(), data.clone()),
        None => match pixmap(&encoding, width, height, step, data) {
            Some((extension, content)) => (extension.to_owned(), content),
            None => (super::plain(&format!("{encoding}{format}_{width}x{height}")) + ".bin", data.clone()),
        },
    };
    let path = directory.join(format!("{stem}.{extension}"));
    let mut file = create(&path)?;
    file.write_all(&content).and_then(|()| file.flush()).map_err(|error| failed(&path, &error))
}

/// Returns the file name extension and the bytes of a pixmap, PGM or PPM.
fn pixmap(encoding: &str, width: usize, height: usize, step: usize, data: &[u8]) -> Option<(&'static str, Vec<u8>)> {
    let (magic, extension, channels) = match encoding {
        "mono8" | "8uc1" => ("P5", "pgm", 1),
        "rgb8" | "bgr8" | "8uc3" => ("P6", "ppm", 3),
        "rgba8" | "bgra8" => ("P6", "ppm", 4),
        _ => return None,
    };
    let row = width.checked_mul(channels).filter(|&row| row > 0 && row <= step)?;
    if step.checked_mul(height)? > data.len() {
        return None;
    }
    let mut content = format!("{magic}\n{width} {height}\n255\n").into_bytes();
    for row in data.chunks_exact(step).take(height).map(|line| &line[..row]) {
        for pixel in row.chunks_exact(channels) {
            match (encoding, pixel) {
                ("bgr8" | "bgra8" | "8uc3", [blue, green, red, ..]) => content.extend([red, green, blue]),
                (_, [red, green, blue, ..]) => content.extend([red, green, blue]),
                (_, grey) => content.extend(grey),
            }
        }
    }
    Some((extension, content))
}
