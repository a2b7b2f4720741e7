//! Images as JPEG, for connections that are too slow for raw pixels.

use hemiola_model::AnyRepresentation;
use hemiola_model::data::{FixedLength, Items, VariantHead, Writer};
use jpeg_encoder::{ColorType, Encoder};

/// The JPEG quality, which keeps images legible at a tenth of the size of their pixels.
const QUALITY: u8 = 75;

/// A `sensor_msgs/Image` that is extracted from the value that is written to it.
#[derive(Default)]
struct Image {
    width: usize,
    height: usize,
    step: usize,
    encoding: String,
    data: Vec<u8>,
    /// The current depth within the message, and the current field.
    depth: usize,
    field: String,
}

/// Encodes a `sensor_msgs/Image` as JPEG.
///
/// # Errors
/// Returns an error with the reason if the pixels cannot be encoded.
pub fn encode(value: &AnyRepresentation) -> Result<Vec<u8>, String> {
    let mut image = Image::default();
    value.write(&mut image);
    image.encode()
}

impl Image {
    fn encode(&self) -> Result<Vec<u8>, String> {
        let Self { width, height, step, encoding, .. } = self;
        let (bytes, color) = match encoding.as_str() {
            "mono8" | "8UC1" => (1, ColorType::Luma),
            "rgb8" | "8UC3" => (3, ColorType::Rgb),
            "bgr8" => (3, ColorType::Bgr),
            "rgba8" => (4, ColorType::Rgba),
            "bgra8" => (4, ColorType::Bgra),
            "yuv422_yuy2" | "yuyv" | "yuv422" | "uyvy" => (2, ColorType::Ycbcr),
            other => return Err(format!("images with the encoding `{other}` cannot be sent as JPEG: omit `as`")),
        };
        let row = width * bytes;
        let size = |length: &usize| u16::try_from(*length).ok().filter(|length| *length > 0);
        let (Some(columns), Some(rows)) = (size(width), size(height)) else {
            return Err(format!("an image of {width} x {height} pixels cannot be encoded as JPEG"));
        };
        let step = if *step == 0 { row } else { *step };
        if step < row || self.data.len() < step * (height - 1) + row {
            return Err(format!(
                "the image has {} bytes, which is too few for {width} x {height} pixels of {encoding}",
                self.data.len()
            ));
        }
        let pixels = self.data.chunks(step).take(*height).map(|line| &line[..row]);
        let pixels: Vec<u8> = match (color, encoding.as_str()) {
            (ColorType::Ycbcr, "yuv422" | "uyvy") => pixels
                .flat_map(|line| line.chunks_exact(4))
                .flat_map(|p| [p[1], p[0], p[2], p[3], p[0], p[2]])
                .collect(),
            (ColorType::Ycbcr, _) => pixels
                .flat_map(|line| line.chunks_exact(4))
                .flat_map(|p| [p[0], p[1], p[3], p[2], p[1], p[3]])
                .collect(),
            _ => pixels.flatten().copied().collect(),
        };
        let mut jpeg = Vec::with_capacity(pixels.len() / 8);
        let encoded = Encoder::new(&mut jpeg, QUALITY).encode(&pixels, columns, rows, color);
        encoded.map(|()| jpeg).map_err(|error| error.to_string())
    }

    fn number(&mut self, value: u64) {
        if self.depth == 1 {
            let value = usize::try_from(value).unwrap_or(usize::MAX);
            match self.field.as_str() {
                "width" => self.width = value,
                "height" => self.height = value,
                "step" => self.step = value,
                _ => {}
            }
        }
    }
}

impl Writer for Image {
    fn boolean(&mut self, _: bool) {}

    fn signed(&mut self, _: i64, _: u32) {}

    fn unsigned(&mut self, value: u64, _: u32) {
        self.number(value);
    }

    fn float32(&mut self, _: f32) {}

    fn float64(&mut self, _: f64) {}

    fn string(&mut self, value: &str) {
        if self.depth == 1 && self.field == "encoding" {
            value.clone_into(&mut self.encoding);
        }
    }

    fn items(&mut self, items: Items<'_>) {
        if let (2, "data", Items::U8(bytes)) = (self.depth, self.field.as_str(), items) {
            self.data.extend_from_slice(bytes);
        }
    }

    fn begin_sequence(&mut self, _: usize, _: FixedLength) {
        self.depth += 1;
    }

    fn end_sequence(&mut self) {
        self.depth -= 1;
    }

    fn begin_structure(&mut self, _: &str) {
        self.depth += 1;
    }

    fn field(&mut self, name: &str) {
        if self.depth == 1 {
            name.clone_into(&mut self.field);
        }
    }

    fn end_structure(&mut self) {
        self.depth -= 1;
    }

    fn none(&mut self) {}

    fn some(&mut self) {}

    fn begin_variant(&mut self, _: &[VariantHead], _: usize) {}

    fn end_variant(&mut self) {}
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn image(encoding: &str, width: usize, height: usize, bytes: usize) -> Image {
        let data = vec![128; width * height * bytes];
        Image { width, height, step: width * bytes, encoding: encoding.into(), data, ..Image::default() }
    }

    #[test]
    fn images_of_cameras_become_jpegs() {
        for (encoding, bytes) in
            [("mono8", 1), ("rgb8", 3), ("bgr8", 3), ("rgba8", 4), ("yuv422_yuy2", 2), ("yuv422", 2)]
        {
            let jpeg = image(encoding, 16, 8, bytes).encode().unwrap();
            assert!(jpeg.starts_with(&[0xff, 0xd8]) && jpeg.ends_with(&[0xff, 0xd9]), "{encoding}");
        }
        assert!(image("16UC1", 16, 8, 2).encode().unwrap_err().contains("16UC1"));
    }

    proptest! {
        #[test]
        fn an_image_that_is_not_whole_is_told_and_not_read(
            width in 0..40_usize, height in 0..40_usize, step in 0..200_usize, bytes in 0..5000_usize,
        ) {
            let data = vec![0; bytes];
            let image = Image { width, height, step, encoding: "yuv422_yuy2".into(), data, ..Image::default() };
            _ = image.encode();
        }
    }
}
