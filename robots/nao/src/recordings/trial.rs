//! Tables of an inertial unit's samples, with what else was recorded of the body at the same time.

use std::path::{Path, PathBuf};

use glam::{Quat, Vec3};

use super::directory::{files_with, read_bounded, read_table};
use super::humanoid::{FootForces, JointTable, imu_rotation};
use super::table::{Column, Table};
use crate::NaoError;
use crate::representations::sensing::{FootPressure, ImuSample, JointAngles};

/// Rate of the samples that a column `i` counts, in hertz.
const COUNTED_RATE: f64 = 2000.0 / 7.0;

/// The samples of an inertial unit, in memory.
#[derive(Debug)]
pub struct Trial {
    imu: Table,
    stamps: Stamps,
    gyroscope: [Column; 3],
    accelerometer: [Column; 3],
    /// From the inertial unit's frame to the torso's.
    rotation: Quat,
    joints: Option<JointTable>,
    feet: Option<FootForces>,
}

#[derive(Clone, Copy, Debug)]
enum Stamps {
    /// Seconds.
    Seconds(Column),
    /// Numbers of samples.
    Counted(Column),
}

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
    /// Reads a table of samples: `gyr_x` ... `acc_z` and either `t_s` or `i`, which counts samples of 2000/7 Hz.
    ///
    /// # Errors
    /// It cannot be read, or lacks a column.
    pub fn read(file: &Path) -> Result<Self, NaoError> {
        Self::new(Table::parse(file, &read_bounded(file)?))
    }

    /// Reads the samples of a robot's directory, turned into the torso's frame as the sensor stands in the robot's URDF.
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
            Some(counted) if imu.find("t_s").is_none() => Stamps::Counted(counted),
            _ => Stamps::Seconds(imu.column("t_s")?),
        };
        Ok(Self {
            stamps,
            gyroscope: imu.columns(["gyr_x", "gyr_y", "gyr_z"])?,
            accelerometer: imu.columns(["acc_x", "acc_y", "acc_z"])?,
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
            Stamps::Seconds(column) => row.seconds(column),
            Stamps::Counted(column) => row.seconds(column).map(|count| count / COUNTED_RATE),
        }
    }

    /// A sample of the inertial unit, in the torso's frame.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn sample(&self, row: usize) -> Result<ImuSample, NaoError> {
        let row = self.imu.row(row).expect("a row of this table");
        let turned = |values: [f32; 3]| self.rotation * Vec3::from(values);
        Ok(ImuSample {
            angular_velocity: turned(row.numbers(self.gyroscope)?),
            acceleration: turned(row.numbers(self.accelerometer)?),
        })
    }

    /// The newest positions of the joints at a time on the recording's own clock; zero where none are recorded.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn joints(&mut self, seconds: f64, joints: &mut JointAngles) -> Result<(), NaoError> {
        self.joints.as_mut().map_or(Ok(()), |table| table.read(seconds, joints))
    }

    /// The newest forces under the feet at a time on the recording's own clock; zero where none are recorded.
    ///
    /// # Errors
    /// A cell holds no number.
    pub fn feet(&mut self, seconds: f64, pressure: &mut FootPressure) -> Result<(), NaoError> {
        self.feet.as_mut().map_or(Ok(()), |table| table.read(seconds, pressure))
    }
}
