//! Pictures from JPEG and PNG files.

use std::io::Cursor;
use std::path::Path;

use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::NaoError;
use crate::representations::sensing::Image;

/// The maximum number of columns or rows of a robot's camera.
const LARGEST_SIDE: usize = 8192;

/// A picture as rows of red, green and blue bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The width in pixels.
    pub width: usize,
    /// The height in pixels.
    pub height: usize,
    /// The `width * height * 3` bytes.
    pub rgb: Vec<u8>,
}

impl Picture {
    /// Decodes a JPEG or a PNG, depending on the first bytes; `file` is for messages only.
    ///
    /// # Errors
    /// The data is neither, is damaged, or ends early: a picture is complete or missing.
    pub fn decode(file: &Path, bytes: &[u8]) -> Result<Self, NaoError> {
        match bytes {
            [0xff, 0xd8, ..] => decode_jpeg(file, bytes),
            [0x89, b'P', b'N', b'G', ..] => decode_png(file, bytes),
            _ => Err(NaoError::format(file, "JPEG or PNG", "it begins like neither")),
        }
    }

    /// Overwrites `image` with this picture. The format of the NAO's cameras needs an even width:
    /// the last column of an odd one is dropped.
    pub fn fill(&self, image: &mut Image) {
        let width = self.width & !1;
        image.resize(width as u32, self.height as u32);
        if width == self.width {
            image.fill_from_rgb(&self.rgb);
        } else {
            let rows = self.rgb.chunks_exact(self.width * 3);
            let cropped: Vec<u8> = rows.flat_map(|row| &row[..width * 3]).copied().collect();
            image.fill_from_rgb(&cropped);
        }
    }
}

fn decode_jpeg(file: &Path, bytes: &[u8]) -> Result<Picture, NaoError> {
    // A decoder that fills the rest with grey would show the robot a wall; a complete file has an
    // end of image marker.
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    if !bytes[..end].ends_with(&[0xff, 0xd9]) {
        return Err(NaoError::Truncated { file: file.to_owned(), length: bytes.len() });
    }
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(LARGEST_SIDE)
        .set_max_height(LARGEST_SIDE);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), options);
    let rgb = decoder.decode().map_err(|reason| NaoError::format(file, "JPEG", format!("{reason:?}")))?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    picture(file, "JPEG", width, height, rgb)
}

fn decode_png(file: &Path, bytes: &[u8]) -> Result<Picture, NaoError> {
    let wrong = |reason: png::DecodingError| match reason {
        png::DecodingError::IoError(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => {
            NaoError::Truncated { file: file.to_owned(), length: bytes.len() }
        }
        reason => NaoError::format(file, "PNG", reason),
    };
    let limits = png::Limits { bytes: LARGEST_SIDE * LARGEST_SIDE * 4 };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(wrong)?;
    let (width, height) = (reader.info().width as usize, reader.info().height as usize);
    let length = match reader.output_buffer_size() {
        Some(length) if width <= LARGEST_SIDE && height <= LARGEST_SIDE => length,
        _ => return Err(NaoError::format(file, "PNG", format!("{width} x {height} pixels are too many"))),
    };
    let mut pixels = vec![0; length];
    let frame = reader.next_frame(&mut pixels).map_err(wrong)?;
    pixels.truncate(frame.buffer_size());
    let rgb = match frame.color_type {
        png::ColorType::Rgb => pixels,
        png::ColorType::Rgba => pixels.chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        png::ColorType::Grayscale => pixels.iter().flat_map(|&grey| [grey; 3]).collect(),
        png::ColorType::GrayscaleAlpha => pixels.chunks_exact(2).flat_map(|pixel| [pixel[0]; 3]).collect(),
        png::ColorType::Indexed => return Err(NaoError::format(file, "PNG", "its palette was not resolved")),
    };
    picture(file, "PNG", width, height, rgb)
}

fn picture(file: &Path, format: &'static str, width: usize, height: usize, rgb: Vec<u8>) -> Result<Picture, NaoError> {
    if width < 2 || height == 0 || rgb.len() != width * height * 3 {
        return Err(NaoError::format(file, format, format!("{} bytes for {width} x {height} pixels", rgb.len())));
    }
    Ok(Picture { width, height, rgb })
}
