use super::WireError;
use super::reader::Reader;
use super::writer::Writer;
use crate::robot::JOINTS;

/// The commands to the body. What is absent stays as it was commanded before.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ActuatorFrame {
    /// The positions of the joints, in radians; hands from 0 (closed) to 1 (open).
    pub position: Option<[f32; JOINTS]>,
    /// The stiffness of the joints, from 0 to 1.
    pub stiffness: Option<[f32; JOINTS]>,
    /// The lights of the right ear from 324° to 0°, from 0 to 1.
    pub right_ear: Option<[f32; 10]>,
    /// The lights of the left ear from 0° to 324°, from 0 to 1.
    pub left_ear: Option<[f32; 10]>,
    /// The red, green and blue of the chest button, from 0 to 1.
    pub chest: Option<[f32; 3]>,
    /// The lights of the left eye, all red ones first, then green, then blue, each at 45°, 0°, 315°
    /// and so on to 90°.
    pub left_eye: Option<[f32; 24]>,
    /// The lights of the right eye, all red ones first, then green, then blue, each at 0°, 45° and
    /// so on to 315°.
    pub right_eye: Option<[f32; 24]>,
    /// The red, green and blue of the left foot, from 0 to 1.
    pub left_foot: Option<[f32; 3]>,
    /// The red, green and blue of the right foot, from 0 to 1.
    pub right_foot: Option<[f32; 3]>,
    /// The lights of the skull, from 0 to 1.
    pub skull: Option<[f32; 12]>,
    /// The sonars at the left and at the right, switched on or off.
    pub sonar: Option<[bool; 2]>,
}

impl ActuatorFrame {
    /// Reads the frame at the beginning of `bytes`, and returns its length. Unknown keys are passed
    /// over. After an error this frame is a mixture.
    ///
    /// # Errors
    /// [`WireError::Incomplete`] if more bytes have to follow, another one if these are no frame.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        *self = Self::default();
        let mut reader = Reader::new(bytes);
        reader.map(|key, reader| match key {
            "Position" => numbers(reader, "Position", &mut self.position),
            "Stiffness" => numbers(reader, "Stiffness", &mut self.stiffness),
            "REar" => numbers(reader, "REar", &mut self.right_ear),
            "LEar" => numbers(reader, "LEar", &mut self.left_ear),
            "Chest" => numbers(reader, "Chest", &mut self.chest),
            "LEye" => numbers(reader, "LEye", &mut self.left_eye),
            "REye" => numbers(reader, "REye", &mut self.right_eye),
            "LFoot" => numbers(reader, "LFoot", &mut self.left_foot),
            "RFoot" => numbers(reader, "RFoot", &mut self.right_foot),
            "Skull" => numbers(reader, "Skull", &mut self.skull),
            "Sonar" => reader.truth_values("Sonar", self.sonar.insert([false; 2])),
            _ => reader.skip(),
        })?;
        Ok(bytes.len() - reader.left())
    }

    /// Writes the frame to the beginning of `buffer`, and returns its length.
    ///
    /// # Errors
    /// [`WireError::TooLarge`] if the buffer is too small.
    pub fn encode(&self, buffer: &mut [u8]) -> Result<usize, WireError> {
        let size = buffer.len();
        let numbers: [(&str, Option<&[f32]>); 10] = [
            ("Position", self.position.as_ref().map(<[f32; JOINTS]>::as_slice)),
            ("Stiffness", self.stiffness.as_ref().map(<[f32; JOINTS]>::as_slice)),
            ("REar", self.right_ear.as_ref().map(<[f32; 10]>::as_slice)),
            ("LEar", self.left_ear.as_ref().map(<[f32; 10]>::as_slice)),
            ("Chest", self.chest.as_ref().map(<[f32; 3]>::as_slice)),
            ("LEye", self.left_eye.as_ref().map(<[f32; 24]>::as_slice)),
            ("REye", self.right_eye.as_ref().map(<[f32; 24]>::as_slice)),
            ("LFoot", self.left_foot.as_ref().map(<[f32; 3]>::as_slice)),
            ("RFoot", self.right_foot.as_ref().map(<[f32; 3]>::as_slice)),
            ("Skull", self.skull.as_ref().map(<[f32; 12]>::as_slice)),
        ];
        let present = numbers.iter().filter(|(_, numbers)| numbers.is_some()).count();
        let entries = present + usize::from(self.sonar.is_some());
        let mut writer = Writer::map(buffer, entries as u32)?;
        for (key, numbers) in numbers {
            numbers.map_or(Ok(()), |numbers| writer.numbers(key, numbers))?;
        }
        self.sonar.map_or(Ok(()), |sonar| writer.truth_values("Sonar", &sonar))?;
        Ok(size - writer.left())
    }
}

/// Reads numbers; a key that occurs twice replaces the first one, as in the body.
fn numbers<const N: usize>(
    reader: &mut Reader<'_>,
    key: &'static str,
    into: &mut Option<[f32; N]>,
) -> Result<(), WireError> {
    reader.numbers(key, into.insert([0.0; N]))
}
