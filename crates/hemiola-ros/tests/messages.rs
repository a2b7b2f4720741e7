//! Checks that rosbags, which knows ROS 2's own messages, reads and writes the messages that leave
//! the process, and that logs are decoded to the same values without the types.

mod leaves;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use hemiola::cdr::{MessageSchema, decode, encode};
use hemiola::data::{Data, ReadError, Reader, VariantHead};
use hemiola::prelude::*;
use hemiola_log::{Adapter, Definition, Value};
use hemiola_ros::nav_msgs::{MapMetaData, OccupancyGrid, Odometry};
use hemiola_ros::{geometry_msgs::*, sensor_msgs::*, std_msgs::*, tf2_msgs::*, visualization_msgs::*};

/// Everything that a representation may be made of.
#[derive(Representation, Clone, Default, PartialEq)]
struct GameState {
    phase: Phase,
    action: Action,
    players: Vec<Player>,
    /// Sequences in sequences.
    paths: Vec<Vec<[f32; 2]>>,
    referee: Option<Option<String>>,
    since: Time,
    corner: (u8, f64),
    nothing: Nothing,
    r#type: i16,
}

#[derive(Data, Clone, Default, PartialEq)]
enum Phase {
    #[default]
    KickOff,
    Playing,
}

#[derive(Data, Clone, Default, PartialEq)]
enum Action {
    #[default]
    Stand,
    Kick {
        angle: f32,
        with: Option<Phase>,
    },
    Walk(f64, Vec<u8>),
}

#[derive(Data, Clone, Default, PartialEq)]
struct Player {
    number: usize,
    penalties: Vec<Phase>,
    action: Action,
}

#[derive(Data, Clone, Default, PartialEq)]
struct Nothing;

/// Invents values, a different one each time.
struct Inventor {
    state: u64,
}

impl Inventor {
    /// Returns the next number of SplitMix64 (Steele et al. 2014).
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

impl Reader for Inventor {
    fn boolean(&mut self) -> Result<bool, ReadError> {
        Ok(self.next() & 1 == 1)
    }
    fn signed(&mut self, bits: u32) -> Result<i64, ReadError> {
        Ok((self.next() as i64) >> (64 - bits))
    }
    fn unsigned(&mut self, bits: u32) -> Result<u64, ReadError> {
        Ok(self.next() >> (64 - bits))
    }
    fn float32(&mut self) -> Result<f32, ReadError> {
        Ok(self.next() as i16 as f32 / 128.0)
    }
    fn float64(&mut self) -> Result<f64, ReadError> {
        Ok(self.next() as i32 as f64 / 1024.0)
    }
    fn time(&mut self) -> Result<i64, ReadError> {
        Ok((self.next() >> 4) as i64)
    }
    fn duration(&mut self) -> Result<std::time::Duration, ReadError> {
        Ok(std::time::Duration::from_nanos(self.next() >> 4))
    }
    fn string(&mut self) -> Result<String, ReadError> {
        let length = self.next() % 9;
        Ok((0..length).map(|_| ['a', 'Z', 'ä', '球', ' '][(self.next() % 5) as usize]).collect())
    }
    fn begin_sequence(&mut self) -> Result<usize, ReadError> {
        Ok((self.next() % 4) as usize)
    }
    fn begin_array(&mut self, _: usize) -> Result<(), ReadError> {
        Ok(())
    }
    fn end_sequence(&mut self) -> Result<(), ReadError> {
        Ok(())
    }
    fn begin_structure(&mut self, _: &str) -> Result<(), ReadError> {
        Ok(())
    }
    fn optional_field(&mut self, _: &str) -> Result<bool, ReadError> {
        Ok(true)
    }
    fn end_structure(&mut self) -> Result<(), ReadError> {
        Ok(())
    }
    fn option(&mut self) -> Result<bool, ReadError> {
        self.boolean()
    }
    fn begin_variant(&mut self, variants: &[VariantHead]) -> Result<usize, ReadError> {
        Ok((self.next() % variants.len() as u64) as usize)
    }
    fn end_variant(&mut self) -> Result<(), ReadError> {
        Ok(())
    }
    fn error(&self, message: String) -> ReadError {
        ReadError { path: String::new(), message }
    }
}

const VALUES: u64 = 20;

/// Returns one line for the foreign check. The values are read back from their bytes here as well,
/// with their type and without.
fn line<T: Data>() -> String {
    let schema = MessageSchema::of("Message", &T::data_type());
    let definition = Arc::new(Definition::parse(&schema.name, &schema.text).expect("our schemas can be read"));
    let values = (0..VALUES).map(|seed| {
        let value = T::read(&mut Inventor { state: seed }).expect("anything can be invented");
        let bytes = encode(&value);
        let decoded = Value::decode(&definition, &bytes).unwrap_or_else(|error| panic!("{}: {error}", schema.name));
        assert_eq!(leaves::of_decoded(&decoded), leaves::of_typed(&value), "{}", schema.name);
        // An adapter to the same definition changes nothing.
        let adapter = Adapter::new(&definition, &definition, &bytes, []).expect("it fits itself");
        assert_eq!(adapter.changes(), [], "{}", schema.name);
        let misfit = |misfit| panic!("{}: {misfit}", schema.name);
        assert!(adapter.adapt(&bytes, misfit).as_deref() == Ok(&*bytes), "{} is changed", schema.name);
        let back = decode::<T>(&bytes).unwrap_or_else(|error| panic!("{}: {error}", schema.name));
        assert!(encode(&back) == bytes, "{} does not come back", schema.name);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
    });
    let values: Vec<String> = values.collect();
    let line =
        serde_json::json!({ "name": schema.name, "text": schema.text, "hash": schema.type_hash, "values": values });
    line.to_string()
}

macro_rules! lines {
    ($($message:ty),* $(,)?) => { vec![$(line::<$message>()),*] };
}

#[test]
fn ros_2_knows_the_fields_the_hash_and_the_bytes_of_every_message() {
    let mut lines = lines![
        GameState,
        Header,
        ColorRGBA,
        Vector3,
        Point,
        Point32,
        Quaternion,
        Pose,
        PoseStamped,
        PoseArray,
        PoseWithCovariance,
        PoseWithCovarianceStamped,
        Transform,
        TransformStamped,
        Twist,
        TwistStamped,
        TwistWithCovariance,
        Accel,
        Wrench,
        WrenchStamped,
        Polygon,
        PolygonStamped,
        Image,
        CompressedImage,
        RegionOfInterest,
        CameraInfo,
        Imu,
        JointState,
        LaserScan,
        PointField,
        PointCloud2,
        NavSatStatus,
        NavSatFix,
        MagneticField,
        Range,
        Temperature,
        FluidPressure,
        BatteryState,
        Odometry,
        RosPath,
        MapMetaData,
        OccupancyGrid,
        TFMessage,
        Marker,
        MarkerArray,
        UVCoordinate,
        MeshFile,
    ];
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("messages.jsonl");
    std::fs::write(&path, lines.join("\n")).expect("the folder for temporary files can be written");
    let Some(python) = python_with_rosbags() else {
        eprintln!(
            "SKIPPED: no Python with the package `rosbags`; install tests/foreign/requirements.txt into target/foreign or set \
             HEMIOLA_PYTHON"
        );
        return;
    };
    let (agrees, text) = checked(&python, &path);
    assert!(agrees, "{text}");
    println!("{text}");

    // The check can fail.
    lines[1] = str::replace(&lines[1], "RIHS01_f4", "RIHS01_f5");
    std::fs::write(&path, lines.join("\n")).expect("as before");
    let (agrees, text) = checked(&python, &path);
    assert!(!agrees && text.contains("std_msgs/msg/Header: hash"), "{text}");
}

/// The other `Path` here is that of files.
type RosPath = hemiola_ros::nav_msgs::Path;

fn checked(python: &Path, messages: &Path) -> (bool, String) {
    let check = workspace_root().join("tests/foreign/check_messages.py");
    let output = Command::new(python).arg(check).arg(messages).output().expect("Python starts");
    let text = [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    (output.status.success(), text)
}

fn python_with_rosbags() -> Option<PathBuf> {
    let named = std::env::var_os("HEMIOLA_PYTHON").map(PathBuf::from);
    let installed = Path::new(env!("CARGO_TARGET_TMPDIR")).join("../foreign/bin/python");
    [named, Some(workspace_root().join("target/foreign/bin/python")), Some(installed)].into_iter().flatten().find(
        |python| {
            Command::new(python).args(["-c", "import rosbags"]).output().is_ok_and(|output| output.status.success())
        },
    )
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
