use super::WireError;
use super::reader::Reader;
use super::writer::Writer;
use crate::robot::JOINTS;

/// The state of the body, in its own units and signs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SensorFrame {
    /// The serial numbers and versions of the body and the head.
    pub versions: BodyVersions,
    /// The acceleration of free fall minus that of the torso, in m/s²: -9.81 along z at rest.
    pub accelerometer: [f32; 3],
    /// The inclination of the torso around x and y, by the body's own filter, in radians.
    pub angles: [f32; 2],
    /// The charge from 0 to 1, bits of status, the current in amperes, and the temperature in °C.
    pub battery: [f32; 4],
    /// The electric current of each motor, in amperes.
    pub current: [f32; JOINTS],
    /// The weight on the sensors under the feet in kilograms: front left, front right, rear left,
    /// rear right; the left foot first.
    pub fsr: [f32; 8],
    /// The angular velocity of the torso, in rad/s.
    pub gyroscope: [f32; 3],
    /// The position of each joint, in radians; hands from 0 (closed) to 1 (open).
    pub position: [f32; JOINTS],
    /// The distance to the nearest obstacle at the left and at the right, in metres.
    pub sonar: [f32; 2],
    /// The stiffness of each joint, from 0 to 1.
    pub stiffness: [f32; JOINTS],
    /// The temperature of each motor, in °C.
    pub temperature: [f32; JOINTS],
    /// The buttons, 0 or 1: chest; head front, middle, rear; left bumper left, right; left hand
    /// back, left, right; right bumper left, right; right hand back, left, right.
    pub touch: [f32; 14],
    /// The state of each motor: 0 is regular, larger numbers are the stages of becoming too hot.
    pub status: [i32; JOINTS],
}

/// The serial numbers and versions of the parts of the robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyVersions {
    /// The serial number of the body.
    pub body: String,
    /// The version of the body.
    pub body_version: String,
    /// The serial number of the head.
    pub head: String,
    /// The version of the head.
    pub head_version: String,
}

/// The keys of a frame, in the order in which the body sends them.
const KEYS: [&str; 13] = [
    "RobotConfig",
    "Accelerometer",
    "Angles",
    "Battery",
    "Current",
    "FSR",
    "Gyroscope",
    "Position",
    "Sonar",
    "Stiffness",
    "Temperature",
    "Touch",
    "Status",
];

impl SensorFrame {
    /// Reads the frame at the beginning of `bytes`, and returns its length. Unknown keys are passed
    /// over. After an error this frame is a mixture.
    ///
    /// # Errors
    /// [`WireError::Incomplete`] if more bytes have to follow, another one if these are no frame.
    pub fn decode(&mut self, bytes: &[u8]) -> Result<usize, WireError> {
        let mut reader = Reader::new(bytes);
        let mut seen = [false; KEYS.len()];
        reader.map(|key, reader| {
            let Some(number) = KEYS.iter().position(|known| *known == key) else { return reader.skip() };
            let key = KEYS[number];
            if std::mem::replace(&mut seen[number], true) {
                return Err(WireError::Repeated { key });
            }
            match number {
                0 => {
                    let BodyVersions { body, body_version, head, head_version } = &mut self.versions;
                    reader.texts(key, [body, body_version, head, head_version])
                }
                1 => reader.numbers(key, &mut self.accelerometer),
                2 => reader.numbers(key, &mut self.angles),
                3 => reader.numbers(key, &mut self.battery),
                4 => reader.numbers(key, &mut self.current),
                5 => reader.numbers(key, &mut self.fsr),
                6 => reader.numbers(key, &mut self.gyroscope),
                7 => reader.numbers(key, &mut self.position),
                8 => reader.numbers(key, &mut self.sonar),
                9 => reader.numbers(key, &mut self.stiffness),
                10 => reader.numbers(key, &mut self.temperature),
                11 => reader.numbers(key, &mut self.touch),
                _ => reader.whole_numbers(key, &mut self.status),
            }
        })?;
        match KEYS.iter().zip(seen).find(|(_, seen)| !seen) {
            Some((key, _)) => Err(WireError::Missing { key }),
            None => Ok(bytes.len() - reader.left()),
        }
    }

    /// Writes the frame to the beginning of `buffer`, and returns its length.
    ///
    /// # Errors
    /// [`WireError::TooLarge`] if the buffer is too small.
    pub fn encode(&self, buffer: &mut [u8]) -> Result<usize, WireError> {
        let size = buffer.len();
        let mut writer = Writer::map(buffer, KEYS.len() as u32)?;
        let BodyVersions { body, body_version, head, head_version } = &self.versions;
        writer.texts("RobotConfig", &[body, body_version, head, head_version])?;
        writer.numbers("Accelerometer", &self.accelerometer)?;
        writer.numbers("Angles", &self.angles)?;
        writer.numbers("Battery", &self.battery)?;
        writer.numbers("Current", &self.current)?;
        writer.numbers("FSR", &self.fsr)?;
        writer.numbers("Gyroscope", &self.gyroscope)?;
        writer.numbers("Position", &self.position)?;
        writer.numbers("Sonar", &self.sonar)?;
        writer.numbers("Stiffness", &self.stiffness)?;
        writer.numbers("Temperature", &self.temperature)?;
        writer.numbers("Touch", &self.touch)?;
        writer.whole_numbers("Status", &self.status)?;
        Ok(size - writer.left())
    }
}
