//! Any bytes are a table whose cells are either what they should be or errors, and perhaps a trial
//! of an inertial unit; and either a URDF with a sensor or none. Nothing panics.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use nao::recordings::imu_rotation;
use nao::recordings::table::Table;
use nao::recordings::trial::Trial;

fuzz_target!(|bytes: &[u8]| {
    let file = Path::new("table.csv");
    let table = Table::parse(file, bytes);
    for column in table.header().iter().filter_map(|name| table.find(name)) {
        for row in table.rows() {
            assert!(row.number(column).is_ok_and(f64::is_finite) || row.number(column).is_err());
            assert!(row.seconds(column).is_err() || row.number(column).is_ok());
            assert!(row.path(column).is_err() || Path::new("inside").join(row.text(column)).starts_with("inside"));
        }
    }
    if let Ok(trial) = Trial::new(table) {
        for row in 0..trial.table().len() {
            _ = (trial.seconds(row), trial.sample(row));
        }
    }
    if let Ok(rotation) = imu_rotation(file, &String::from_utf8_lossy(bytes)) {
        assert!(rotation.is_normalized(), "{rotation}");
    }
});
