//! Any file among whole ones makes a recording that is either scored to its end or an error that
//! can be shown; nothing panics, and nothing plays forever.
//!
//! The first byte of the input says which file of which recording is replaced by the rest.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};

use libfuzzer_sys::fuzz_target;

/// Directories of whole files, as small as they can be. What they lack, a fuzzer may add.
const RECORDINGS: [&[(&str, &[u8])]; 5] = [
    &[
        ("index.csv", b"t_s,file\n0.0,a.jpg\n0.1,a.jpg\n0.05,gone.jpg\n"),
        ("a.jpg", include_bytes!("../../robots/nao/src/recordings/tests/grey.jpg")),
    ],
    &[
        ("imu.csv", b"t_s,acc_x,acc_y,acc_z,gyr_x,gyr_y,gyr_z\n0,9.8,0,0,0,0,1\n0.01,9.8,0,0,0,0,1\n"),
        ("joints.csv", b"t_s,q.l_knee,q.neck_yaw\n0,-0.5,0.2\n0.005,-0.6,0.1\n"),
        ("feet.csv", b"t_s,left_fz,right_fz\n0,100,-1\n"),
        ("groundtruth_base.csv", b"t_s,roll,pitch\n0,0.1,0.0\n0.01,0.1,0.0\n"),
        ("robot.urdf", b"<robot><sensor name=\"root_link_imu_acc\"><origin rpy=\"0 1.57 0\"/></sensor></robot>"),
    ],
    &[(
        "a.csv",
        b"i,gyr_x,gyr_y,gyr_z,acc_x,acc_y,acc_z,ref_qw,ref_qx,ref_qy,ref_qz,movement\n5,1,2,3,0,0,9.8,1,0,0,0,1\n",
    )],
    &[("a.csv.gz", b""), ("b.csv", b"t_s,gyr_x,gyr_y,gyr_z,acc_x,acc_y,acc_z\n1,1,2,3,0,0,9.8\n")],
    &[("a.wav", b"")],
];

fuzz_target!(|input: &[u8]| {
    let Some((choice, content)) = input.split_first() else { return };
    let files = RECORDINGS[usize::from(*choice) % RECORDINGS.len()];
    let replaced = usize::from(*choice) / RECORDINGS.len() % files.len();
    let directory = Directory::new();
    for (index, (name, whole)) in files.iter().enumerate() {
        let content = if index == replaced { content } else { whole };
        fs::write(directory.0.join(name), content).expect("the temporary directory can be written");
    }
    match nao::score::evaluate(&directory.0) {
        Ok(score) => {
            for format in [nao::score::Format::Table, nao::score::Format::Details, nao::score::Format::Json] {
                score.write(format, &mut Vec::new()).expect("memory can be written");
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});

/// A directory of this process that is gone afterwards.
struct Directory(PathBuf);

impl Directory {
    fn new() -> Self {
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let path = place.join(format!("hemiola-fuzz-{}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("the temporary directory can be written");
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}
