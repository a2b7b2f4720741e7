//! Tables of an inertial unit's samples, with what else was recorded of the body at the same time.

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};

use super::directory::{files_with, read_bounded, read_table};
use super::humanoid::{FootForces, JointTable, imu_rotation};
use super::table::{self, Column, Table};
use crate::NaoError;
use crate::representations::sensing::{FootPressure, ImuSample, JointAngles};

/// Rate of the samples that a column `i` counts, in hertz.
const COUNTED_RATE: f64 = 2000.0 / 7.0;

/// The samples of an inertial unit, in memory.
#[derive(Debug)]
pub struct Trial {
    imu: Table,
    stamps: Stamps,
    gyroscope: Measured,
    accelerometer: Measured,
    /// From the inertial unit's frame to the torso's.
    rotation: Quat,
    joints: Option<JointTable>,
    feet: Option<FootForces>,
}

#[derive(Clone, Copy, Debug)]
enum Stamps {
    Times(table::Stamps),
    /// Numbers of samples.
    Counted(Column),
}

/// Three columns, and what makes SI units of what they hold.
#[derive(Clone, Copy, Debug)]
struct Measured {
    columns: [Column; 3],
    factor: f32,
}

/// Names of columns as they are known, and their factors.
type Known = [([&'static str; 3], f32); 2];

const GYROSCOPE: Known = [
    (["gyr_x", "gyr_y", "gyr_z"], 1.0),
    (["gyroscope_x_deg_s", "gyroscope_y_deg_s", "gyroscope_z_deg_s"], std::f32::consts::PI / 180.0),
];
const ACCELEROMETER: Known = [
    (["acc_x", "acc_y", "acc_z"], 1.0),
    (["accelerometer_x_g", "accelerometer_y_g", "accelerometer_z_g"], STANDARD_GRAVITY),
];

/// What `g` stands for, in metre per second squared.
const STANDARD_GRAVITY: f32 = 9.806_65;

/// Where the trials of a directory are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialFiles {
    /// Tables that stand for themselves, to be played one after the other.
    Tables(Vec<PathBuf>),
    /// A robot: `imu.csv` with `joints.csv`, `feet.csv` and the robot's URDF where they exist.
    Robot(PathBuf),
}

impl TrialFiles {
    /// What a directory holds, or a table itself.
    ///
    /// # Errors
    /// The directory cannot be read, or holds no table.
    pub fn find(path: &Path) -> Result<Self, NaoError> {
        if path.is_file() {
            return Ok(Self::Tables(vec![path.to_owned()]));
        }
        if ["imu.csv", "imu.csv.gz"].iter().any(|name| path.join(name).is_file()) {
            return Ok(Self::Robot(path.to_owned()));
        }
        let tables = files_with(path, &[".csv", ".csv.gz"])?;
        if tables.is_empty() {
            let expected = "imu.csv or tables of an IMU (csv, csv.gz)";
            return Err(NaoError::NothingFound { directory: path.to_owned(), expected });
        }
        Ok(Self::Tables(tables))
    }

    /// Number of trials.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is always a trial, or none is found")]
    pub fn len(&self) -> usize {
        match self {
            Self::Tables(files) => files.len(),
            Self::Robot(_) => 1,
        }
    }

    /// Reads a trial.
    ///
    /// # Errors
    /// A file cannot be read, or lacks a column.
    ///
    /// # Panics
    /// When there is no trial of that number.
    pub fn read(&self, number: usize) -> Result<Trial, NaoError> {
        match self {
            Self::Tables(files) => Trial::read(&files[number]),
            Self::Robot(directory) => Trial::read_robot(directory),
        }
    }
}

impl Trial {
    /// Reads a table of samples: `gyr_x` ... `acc_z` in SI units or `Gyroscope X (deg/s)` ...
    /// `Accelerometer Z (g)`, and either a column of times (`t_s`, `Time (s)`, `stamp [ns]`) or
    /// `i`, which counts samples of 2000/7 Hz.
    ///
    /// # Errors
    /// It cannot be read, or lacks a column.
    pub fn read(file: &Path) -> Result<Self, NaoError> {
        Self::new(Table::parse(file, &read_bounded(file)?).whole()?)
    }

    /// Reads the samples of a robot's directory, turned into the torso's frame as the sensor stands
    /// in the robot's URDF.
    ///
    /// # Errors
    /// A file cannot be read, or lacks a column.
    pub fn read_robot(directory: &Path) -> Result<Self, NaoError> {
        let Some(imu) = read_table(directory, "imu.csv")? else {
            return Err(NaoError::NothingFound { directory: directory.to_owned(), expected: "imu.csv" });
        };
        let mut trial = Self::new(imu)?;
        if let Some(urdf) = files_with(directory, &[".urdf"])?.first() {
            let text = String::from_utf8_lossy(&read_bounded(urdf)?).into_owned();
            // The robot's root frame looks backwards.
            trial.rotation = Quat::from_rotation_z(std::f32::consts::PI) * imu_rotation(urdf, &text)?;
        }
        trial.joints = read_table(directory, "joints.csv")?.map(JointTable::new).transpose()?;
        trial.feet = read_table(directory, "feet.csv")?.map(FootForces::new).transpose()?;
        Ok(trial)
    }

    /// Takes a table of samples.
    ///
    /// # Errors
    /// It lacks a column.
    pub fn new(imu: Table) -> Result<Self, NaoError> {
        let stamps = match imu.find("i") {
            Some(counted) if imu.find_stamps().is_none() => Stamps::Counted(counted),
            _ => Stamps::Times(imu.stamps()?),
        };
        Ok(Self {
            stamps,
            gyroscope: Measured::find(&imu, GYROSCOPE)?,
            accelerometer: Measured::find(&imu, ACCELEROMETER)?,
            rotation: Quat::IDENTITY,
            joints: None,
            feet: None,
            imu,
        })
    }

    /// The table of samples.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.imu
    }

    /// When a sample was taken, in seconds on the recording's own clock.
    ///
    /// # Errors
    /// Its cell holds no time.
    ///
    /// # Panics
    /// When there is no such row; so does [`sample`](Self::sample).
    pub fn seconds(&self, row: usize) -> Result<f64, NaoError> {
        let row = self.imu.row(row).expect("a row of this table");
        match self.stamps {
            Stamps::Times(stamps) => row.stamp(stamps),
            Stamps::Counted(column) => row.seconds(column).map(|count| count / COUNTED_RATE),
        }
    }

    /// A sample of the inertial unit, in the torso's frame.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn sample(&self, row: usize) -> Result<ImuSample, NaoError> {
        let row = self.imu.row(row).expect("a row of this table");
        let turned = |measured: Measured| {
            let values = row.numbers(measured.columns)?.map(|value| value * measured.factor);
            Ok::<_, NaoError>(self.rotation * Vec3::from(values))
        };
        Ok(ImuSample { angular_velocity: turned(self.gyroscope)?, acceleration: turned(self.accelerometer)? })
    }

    /// The newest positions of the joints at a time on the recording's own clock; zero where none
    /// are recorded.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn joints(&mut self, seconds: f64, joints: &mut JointAngles) -> Result<(), NaoError> {
        self.joints.as_mut().map_or(Ok(()), |table| table.read(seconds, joints))
    }

    /// The newest forces under the feet at a time on the recording's own clock; zero where none are
    /// recorded.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn feet(&mut self, seconds: f64, pressure: &mut FootPressure) -> Result<(), NaoError> {
        self.feet.as_mut().map_or(Ok(()), |table| table.read(seconds, pressure))
    }
}

impl Measured {
    /// The columns, by the first names that the table has.
    fn find(table: &Table, [first, second]: Known) -> Result<Self, NaoError> {
        let measured = |(names, factor)| Ok(Self { columns: table.columns(names)?, factor });
        // Who has neither is told of the first.
        measured(first).or_else(|error| measured(second).map_err(|_: NaoError| error))
    }
}
