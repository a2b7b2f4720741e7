//! Tables of an inertial unit's samples, with the other sensors of the body recorded at the same
//! time.

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};

use super::directory::{files_with, read_bounded, read_table};
use super::humanoid::{FootForces, JointTable, imu_rotation};
use super::table::{self, Column, Table};
use crate::NaoError;
use crate::representations::sensing::{FootPressure, ImuSample, JointAngles};

/// The rate of the samples that a column `i` counts, in hertz.
const COUNTED_RATE: f64 = 2000.0 / 7.0;

/// The samples of an inertial unit, in memory.
#[derive(Debug)]
pub struct Trial {
    imu: Table,
    stamps: Stamps,
    gyroscope: Measured,
    accelerometer: Measured,
    /// The rotation from the inertial unit's frame to the torso's.
    rotation: Quat,
    joints: Option<JointTable>,
    feet: Option<FootForces>,
}

#[derive(Clone, Copy, Debug)]
enum Stamps {
    Times(table::Stamps),
    /// A column of sample numbers.
    Counted(Column),
}

/// Three columns, and the factor that converts them to SI units.
#[derive(Clone, Copy, Debug)]
struct Measured {
    columns: [Column; 3],
    factor: f32,
}

/// The known names of columns, and their factors.
type Known = [([&'static str; 3], f32); 2];

const GYROSCOPE: Known = [
    (["gyr_x", "gyr_y", "gyr_z"], 1.0),
    (["gyroscope_x_deg_s", "gyroscope_y_deg_s", "gyroscope_z_deg_s"], std::f32::consts::PI / 180.0),
];
const ACCELEROMETER: Known = [
    (["acc_x", "acc_y", "acc_z"], 1.0),
    (["accelerometer_x_g", "accelerometer_y_g", "accelerometer_z_g"], STANDARD_GRAVITY),
];

/// The unit `g`, in metres per second squared.
const STANDARD_GRAVITY: f32 = 9.806_65;

/// The trials of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialFiles {
    /// Independent tables, to be played in succession.
    Tables(Vec<PathBuf>),
    /// A robot: `imu.csv` with `joints.csv`, `feet.csv` and the robot's URDF where they exist.
    Robot(PathBuf),
}

impl TrialFiles {
    /// Finds the trials of a directory, or a table itself.
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

    /// Returns the number of trials.
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
    /// If there is no trial with that number.
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
    /// The file cannot be read, or lacks a column.
    pub fn read(file: &Path) -> Result<Self, NaoError> {
        Self::new(Table::parse(file, &read_bounded(file)?).whole()?)
    }

    /// Reads the samples of a robot's directory, rotated to the torso's frame by the sensor's pose
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
            // The robot's root frame faces backwards.
            trial.rotation = Quat::from_rotation_z(std::f32::consts::PI) * imu_rotation(urdf, &text)?;
        }
        trial.joints = read_table(directory, "joints.csv")?.map(JointTable::new).transpose()?;
        trial.feet = read_table(directory, "feet.csv")?.map(FootForces::new).transpose()?;
        Ok(trial)
    }

    /// Creates a trial from a table of samples.
    ///
    /// # Errors
    /// The table lacks a column.
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

    /// Returns the table of samples.
    #[must_use]
    pub fn table(&self) -> &Table {
        &self.imu
    }

    /// Returns when a sample was taken, in seconds on the recording's own clock.
    ///
    /// # Errors
    /// Its cell holds no time.
    ///
    /// # Panics
    /// If there is no such row; the same holds for [`sample`](Self::sample).
    pub fn seconds(&self, row: usize) -> Result<f64, NaoError> {
        let row = self.imu.row(row).expect("a row of this table");
        match self.stamps {
            Stamps::Times(stamps) => row.stamp(stamps),
            Stamps::Counted(column) => row.seconds(column).map(|count| count / COUNTED_RATE),
        }
    }

    /// Returns a sample of the inertial unit, in the torso's frame.
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

    /// Reads the newest positions of the joints at a time on the recording's own clock; zero if
    /// none are recorded.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn joints(&mut self, seconds: f64, joints: &mut JointAngles) -> Result<(), NaoError> {
        self.joints.as_mut().map_or(Ok(()), |table| table.read(seconds, joints))
    }

    /// Reads the newest forces under the feet at a time on the recording's own clock; zero if none
    /// are recorded.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn feet(&mut self, seconds: f64, pressure: &mut FootPressure) -> Result<(), NaoError> {
        self.feet.as_mut().map_or(Ok(()), |table| table.read(seconds, pressure))
    }
}

impl Measured {
    /// Finds the columns by the first names that the table has.
    fn find(table: &Table, [first, second]: Known) -> Result<Self, NaoError> {
        let measured = |(names, factor)| Ok(Self { columns: table.columns(names)?, factor });
        // If both are missing, the error is about the first.
        measured(first).or_else(|error| measured(second).map_err(|_: NaoError| error))
    }
}
