use std::path::{Path, PathBuf};

use glam::{EulerRot, Quat, Vec3};

use super::{Measure, Score};
use crate::NaoError;
use crate::motion::OrientationEstimator;
use crate::recordings::table::{Column, Table};
use crate::recordings::trial::Trial;
use crate::recordings::{files_with, read_bounded, read_table};

/// The step of a trial with a single row, in seconds.
const USUAL_STEP: f64 = 0.01;

/// A mean of squares.
#[derive(Clone, Copy, Debug, Default)]
struct MeanSquare {
    sum: f64,
    count: usize,
    largest: f64,
}

impl MeanSquare {
    fn add(&mut self, value: f64) {
        self.sum += value * value;
        self.count += 1;
        self.largest = self.largest.max(value.abs());
    }

    fn join(&mut self, other: &Self) {
        self.sum += other.sum;
        self.count += other.count;
        self.largest = self.largest.max(other.largest);
    }

    fn root(&self) -> f64 {
        (self.sum / self.count as f64).sqrt()
    }
}

/// Returns whether a directory, or a table itself, holds trials with a reference orientation.
pub fn has_trials(directory: &Path) -> Result<bool, NaoError> {
    Ok(!trial_files(directory)?.is_empty())
}

/// Scores the orientation filter on trials of an inertial unit with a reference orientation
/// (`ref_qw` ... `ref_qz`, sensor to an earth frame whose z axis points up), over the rows where
/// `movement` is 1 and the reference is known.
///
/// The inclination error is the angle between the estimated and the true vertical in the sensor's
/// frame, independent of the heading. After Laidig, Caruso, Cereatti, Seel, "BROAD", Data 6(7),
/// 2021.
pub fn evaluate_trials(directory: &Path) -> Result<Score, NaoError> {
    let mut measures = Vec::new();
    let mut overall = MeanSquare::default();
    for file in trial_files(directory)? {
        let error = inclination_error(&Trial::read(&file)?)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split_once(".csv").map_or(&*name, |(name, _)| name).to_owned();
        measures.push(inclination_measure(name, &error));
        overall.join(&error);
    }
    measures.push(inclination_measure("overall".into(), &overall));
    Ok(Score {
        title: "Orientation filter, inclination error in degrees".into(),
        directory: directory.display().to_string(),
        measures,
        details: Vec::new(),
        notes: vec!["RMSE over the rows with movement = 1; no magnetometer, so no heading.".into()],
    })
}

/// Scores the orientation filter on a walking humanoid against the roll and pitch of its root link.
pub fn evaluate_humanoid(directory: &Path) -> Result<Score, NaoError> {
    let trial = Trial::read_robot(directory)?;
    let name = "groundtruth_base.csv";
    let Some(truth) = read_table(directory, name)? else {
        return Err(NaoError::NothingFound { directory: directory.to_owned(), expected: name });
    };
    let [stamps, roll, pitch] = truth.columns(["t_s", "roll", "pitch"])?;
    let mut errors = [MeanSquare::default(); 3];
    let mut row = 0;
    follow(&trial, |seconds, attitude| {
        while truth.row(row + 1).is_some_and(|next| next.seconds(stamps).is_ok_and(|stamp| stamp <= seconds)) {
            row += 1;
        }
        let Some(row) = truth.row(row) else { return Ok(()) };
        // The filter is for a torso that faces forward, and the truth for the root link, which
        // faces backward.
        let (_, has_pitch, has_roll) = (attitude * Quat::from_rotation_z(std::f32::consts::PI)).to_euler(EulerRot::ZYX);
        let [roll, pitch] = row.numbers([roll, pitch])?;
        errors[0].add(degrees(has_roll - roll));
        errors[1].add(degrees(has_pitch - pitch));
        let is = Quat::from_euler(EulerRot::ZYX, 0.0, pitch, roll);
        let has = Quat::from_euler(EulerRot::ZYX, 0.0, has_pitch, has_roll);
        errors[2].add(degrees((is.inverse() * Vec3::Z).angle_between(has.inverse() * Vec3::Z)));
        Ok(())
    })?;
    let subjects = ["roll", "pitch", "overall"];
    Ok(Score {
        title: "Orientation filter on a walking humanoid, in degrees".into(),
        directory: directory.display().to_string(),
        measures: subjects.into_iter().zip(&errors).map(|(name, error)| inclination_measure(name.into(), error)).collect(),
        details: Vec::new(),
        notes: vec![
            "The inertial unit is turned into the root link as its URDF says (root_link_imu_acc). What remains of a constant \
             offset is how it was glued in, and how the markers were."
                .into(),
        ],
    })
}

fn inclination_measure(subject: String, error: &MeanSquare) -> Measure {
    let figures = vec![("RMSE", error.root(), 2), ("largest", error.largest, 2), ("rows", error.count as f64, 0)];
    Measure::new(subject, figures)
}

fn inclination_error(trial: &Trial) -> Result<MeanSquare, NaoError> {
    let table = trial.table();
    let reference = table.columns(["ref_qw", "ref_qx", "ref_qy", "ref_qz"])?;
    let movement = table.find("movement");
    let mut error = MeanSquare::default();
    let mut row = 0;
    follow(trial, |_, attitude| {
        let number = row;
        row += 1;
        if let Some(truth) = reference_at(table, number, reference, movement)? {
            error.add(degrees((attitude.inverse() * Vec3::Z).angle_between(truth.inverse() * Vec3::Z)));
        }
        Ok(())
    })?;
    Ok(error)
}

/// Returns the reference orientation of a row; `None` if the row does not count or the markers were
/// lost.
fn reference_at(
    table: &Table,
    row: usize,
    reference: [Column; 4],
    movement: Option<Column>,
) -> Result<Option<Quat>, NaoError> {
    let Some(row) = table.row(row) else { return Ok(None) };
    let counts = movement.is_none_or(|movement| row.text(movement) == "1");
    if !counts || reference.iter().any(|&column| row.text(column).is_empty()) {
        return Ok(None);
    }
    let [w, x, y, z] = row.numbers(reference)?;
    Ok(Some(Quat::from_xyzw(x, y, z, w)).filter(|quaternion| quaternion.length() > 0.5).map(Quat::normalize))
}

/// Runs the filter over a trial and passes on each attitude with the time on the trial's own clock.
fn follow(trial: &Trial, mut show: impl FnMut(f64, Quat) -> Result<(), NaoError>) -> Result<(), NaoError> {
    let mut filter = OrientationEstimator::default();
    let rows = trial.table().len();
    let mut last = if rows > 1 { 2.0 * trial.seconds(0)? - trial.seconds(1)? } else { -USUAL_STEP };
    for row in 0..rows {
        let (seconds, sample) = (trial.seconds(row)?, trial.sample(row)?);
        filter.update(sample.angular_velocity, sample.acceleration, (seconds - last) as f32);
        last = last.max(seconds);
        show(seconds, filter.attitude())?;
    }
    Ok(())
}

fn degrees(radian: f32) -> f64 {
    f64::from(radian).to_degrees()
}

fn trial_files(directory: &Path) -> Result<Vec<PathBuf>, NaoError> {
    let files =
        if directory.is_file() { vec![directory.to_owned()] } else { files_with(directory, &[".csv", ".csv.gz"])? };
    let mut trials = Vec::new();
    for file in files {
        let table = Table::parse(&file, &read_bounded(&file)?);
        if table.find("ref_qw").is_some() && table.find("gyr_x").is_some() {
            trials.push(file);
        }
    }
    Ok(trials)
}
