//! Images that cross from one process to another without a copy.

use hemiola::prelude::*;

// ANCHOR: overwrite
#[derive(Representation, Clone, Default)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    /// To logs, tools and ROS 2 this is a `Vec<u8>`: `uint8[]`.
    pub pixels: SharedBytes,
}

#[derive(Source, Default)]
pub struct Camera {
    taken: u8,
}

#[source]
impl Camera {
    #[sample(rate = 30.0)]
    fn take(&mut self, image: &mut Image) {
        (image.width, image.height) = (640, 480);
        // The pixels are written where other processes read them.
        image.pixels.overwrite(640 * 480, |pixels| self.read_into(pixels));
    }
}
// ANCHOR_END: overwrite

impl Camera {
    fn read_into(&mut self, pixels: &mut [u8]) {
        self.taken = self.taken.wrapping_add(1);
        pixels.fill(self.taken);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_what_the_camera_has_read() {
        let (mut camera, mut image) = (Camera::default(), Image::default());
        camera.take(&mut image);
        let first = image.clone();
        camera.take(&mut image);
        assert_eq!((first.pixels[0], image.pixels[0], image.pixels.len()), (1, 2, 640 * 480));
    }
}
