//! A description of this machine.

use std::thread::available_parallelism;

use crate::system_tree::SystemTree;

/// Returns the processor, how many of its cores this program may use, and the kernel, in a line:
/// measurements on one machine do not apply to another one.
///
/// ```
/// assert!(hemiola_realtime::describe_machine().contains("core"));
/// ```
pub fn describe_machine() -> String {
    describe(&SystemTree::of_this_machine(), available_parallelism().map_or(0, usize::from))
}

fn describe(tree: &SystemTree, cores: usize) -> String {
    let processor = processor(tree).unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
    let kernel = match tree.text("proc/sys/kernel/osrelease") {
        Some(release) => format!("Linux {release}"),
        None => std::env::consts::OS.to_owned(),
    };
    format!("{processor}, {cores}, {kernel}")
}

/// Returns the name that the processor reports, or else that of its board.
fn processor(tree: &SystemTree) -> Option<String> {
    let cpuinfo = tree.text("proc/cpuinfo").unwrap_or_default();
    let named = cpuinfo.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    let board = || tree.text("proc/device-tree/model").map(|model| model.trim_end_matches('\0').to_owned());
    named.or_else(board).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_machine_is_its_processor_its_cores_and_its_kernel() {
        let root = std::env::temp_dir().join(format!("hemiola-machine-{}", std::process::id()));
        let tree = SystemTree::below(&root);
        assert_eq!(describe(&tree, 1), format!("{}, 1 core, {}", std::env::consts::ARCH, std::env::consts::OS));
        for (path, text) in [
            ("proc/sys/kernel/osrelease", "6.1.0-rt7\n"),
            ("proc/device-tree/model", "Board 5\0"),
            ("proc/cpuinfo", "processor\t: 0\n"),
        ] {
            fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            fs::write(root.join(path), text).unwrap();
        }
        assert_eq!(describe(&tree, 4), "Board 5, 4 cores, Linux 6.1.0-rt7");
        fs::write(root.join("proc/cpuinfo"), "processor\t: 0\nmodel name\t: Quick 7: fast\n").unwrap();
        assert_eq!(describe(&tree, 4), "Quick 7: fast, 4 cores, Linux 6.1.0-rt7");
        fs::remove_dir_all(root).unwrap();
    }
}
