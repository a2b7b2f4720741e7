//! Images as in ROS 2 and its tools: `sensor_msgs/Image`, written directly from the pixels.

use hemiola::Time;
use hemiola::data::{Data, DataType, Field, ReadError, Reader, SharedBytes, TypeName, Writer};

use super::sensing::Image;

/// The header of every message; the log and the page know when an image was taken.
#[derive(Data, Default)]
#[data(name = "std_msgs/Header")]
struct Header {
    stamp: Time,
    frame_id: String,
}

/// The encoding of Y, Cb, Y, Cr.
const ENCODING: &str = "yuv422_yuy2";
const NAME: &str = "Image";

impl Data for Image {
    fn data_type() -> DataType {
        DataType::structure(
            TypeName::new("sensor_msgs", NAME),
            vec![
                Field::new("header", Header::data_type(), ""),
                // Older logs have a type of our own.
                Field::new("height", u32::data_type(), "The height in pixels.").formerly("image.height"),
                Field::new("width", u32::data_type(), "The width in pixels, which is even.").formerly("image.width"),
                Field::new("encoding", String::data_type(), "The name of the form in which pixels are stored."),
                Field::new("is_bigendian", u8::data_type(), ""),
                Field::new("step", u32::data_type(), "The number of bytes of a row."),
                Field::new("data", SharedBytes::data_type(), "The pixels: `step * height` bytes.")
                    .formerly("image.pixels"),
            ],
        )
    }

    fn write(&self, writer: &mut dyn Writer) {
        writer.begin_structure(NAME);
        writer.field("header");
        Header::default().write(writer);
        writer.field("height");
        self.height.write(writer);
        writer.field("width");
        self.width.write(writer);
        writer.field("encoding");
        writer.string(ENCODING);
        writer.field("is_bigendian");
        0_u8.write(writer);
        writer.field("step");
        self.width.saturating_mul(2).write(writer);
        writer.field("data");
        self.pixels.write(writer);
        writer.end_structure();
    }

    /// Reads a message, and assumes the encoding of this robot.
    fn read(reader: &mut dyn Reader) -> Result<Self, ReadError> {
        reader.begin_structure(NAME)?;
        reader.field("header")?;
        Header::read(reader)?;
        reader.field("height")?;
        let height = u32::read(reader)?;
        reader.field("width")?;
        let width = u32::read(reader)?;
        reader.field("encoding")?;
        String::read(reader)?;
        reader.field("is_bigendian")?;
        u8::read(reader)?;
        reader.field("step")?;
        u32::read(reader)?;
        reader.field("data")?;
        let pixels = SharedBytes::read(reader)?;
        reader.end_structure()?;
        Ok(Self { width, height, pixels })
    }

    fn replace(&mut self, fresh: Self) {
        (self.width, self.height) = (fresh.width, fresh.height);
        self.pixels.replace(fresh.pixels);
    }

    fn restore(&mut self, default: &Self) -> bool {
        (self.width, self.height) = (default.width, default.height);
        self.pixels.restore(&default.pixels)
    }
}

#[cfg(test)]
mod tests {
    use hemiola::cdr::{self, MessageSchema};

    use super::*;
    use crate::representations::sensing::UpperImage;

    #[test]
    fn viewers_see_an_image_of_ros_and_it_comes_back_as_it_was() {
        let image = UpperImage { image: Image::from_rgb(2, 1, &[10, 20, 30, 200, 100, 50]) };
        assert_eq!(MessageSchema::of("UpperImage", &UpperImage::data_type()).name, "sensor_msgs/msg/Image");
        let bytes = cdr::encode(&image);
        assert!(bytes.windows(ENCODING.len()).any(|window| window == ENCODING.as_bytes()));
        assert_eq!(cdr::decode::<UpperImage>(&bytes), Ok(image));
    }
}
