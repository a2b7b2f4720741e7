//! Any bytes are either a whole picture, which the camera can show, or an error; nothing panics.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use nao::recordings::picture::Picture;
use nao::representations::sensing::Image;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(picture) = Picture::decode(Path::new("picture"), bytes) {
        assert_eq!(picture.rgb.len(), picture.width * picture.height * 3);
        let mut image = Image::default();
        picture.fill(&mut image);
        assert_eq!((image.width as usize, image.height as usize), (picture.width & !1, picture.height));
    }
});
