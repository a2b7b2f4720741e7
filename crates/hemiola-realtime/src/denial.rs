//! The settings that the operating system refused, with the reasons, and how to obtain them.

use std::fmt;
use std::io;

/// A setting that the operating system refused. The program runs without it.
///
/// Two denials are equal when their messages are, so a set of them lists each once.
///
/// ```
/// use hemiola_realtime::{Policy, Priority, ThreadSettings, apply_to_this_thread};
/// use std::collections::BTreeSet;
///
/// let report = apply_to_this_thread(&ThreadSettings::new("main").policy(Policy::Fifo(Priority::new(1)?)))?;
/// let notices: BTreeSet<String> = report.denials().map(|denial| denial.to_string()).collect();
/// for notice in notices {
///     eprintln!("{notice}");
/// }
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Denial {
    /// The requested setting, as in "SCHED_FIFO with priority 60".
    pub setting: String,
    /// The reason in words, with the error of the system.
    pub reason: String,
    /// The remedy.
    pub remedy: String,
}

impl Denial {
    /// Joins the refusals that have the same remedy, so that each remedy is shown once, with
    /// everything that it grants.
    ///
    /// ```
    /// use hemiola_realtime::Denial;
    ///
    /// let refused = |setting: &str, reason: &str| Denial {
    ///     setting: setting.into(),
    ///     reason: reason.into(),
    ///     remedy: "run it as root".into(),
    /// };
    /// let refused = [
    ///     refused("locked memory", "the limit is 0"),
    ///     refused("priority 60", "no permission"),
    ///     refused("priority 50", "no permission"),
    ///     refused("priority 60", "no permission"),
    /// ];
    /// let joined = Denial::joined(&refused);
    /// assert_eq!(joined.len(), 1);
    /// assert_eq!(joined[0].setting, "locked memory, priority 60, priority 50");
    /// assert_eq!(joined[0].reason, "the limit is 0; no permission");
    /// ```
    pub fn joined<'d>(refused: impl IntoIterator<Item = &'d Denial>) -> Vec<Denial> {
        let mut groups: Vec<(&str, Vec<&str>, Vec<&str>)> = Vec::new();
        for Denial { setting, reason, remedy } in refused {
            let known = groups.iter().position(|(known, ..)| known == remedy).unwrap_or_else(|| {
                groups.push((remedy, Vec::new(), Vec::new()));
                groups.len() - 1
            });
            let (_, settings, reasons) = &mut groups[known];
            for (texts, text) in [(settings, setting), (reasons, reason)] {
                if !texts.contains(&text.as_str()) {
                    texts.push(text);
                }
            }
        }
        let joined = |(remedy, settings, reasons): (&str, Vec<&str>, Vec<&str>)| Denial {
            setting: settings.join(", "),
            reason: reasons.join("; "),
            remedy: remedy.to_owned(),
        };
        groups.into_iter().map(joined).collect()
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not granted: {}\n  why: {}\n  remedy: {}", self.setting, self.reason, self.remedy)
    }
}

/// The outcome of the request for a setting.
///
/// ```
/// use hemiola_realtime::{Outcome, ThreadSettings, apply_to_this_thread};
///
/// let report = apply_to_this_thread(&ThreadSettings::new("motion"))?;
/// assert!(report.name.is_granted());
/// assert_eq!(report.affinity, Outcome::NotRequested);
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Outcome {
    /// The setting was not requested.
    #[default]
    NotRequested,
    /// The setting is in force.
    Granted,
    /// The system refused the setting.
    Denied(Denial),
}

impl Outcome {
    /// Returns whether the setting is in force.
    pub fn is_granted(&self) -> bool {
        *self == Outcome::Granted
    }

    /// Returns the refusal, if there was one.
    pub fn denial(&self) -> Option<&Denial> {
        match self {
            Outcome::Denied(denial) => Some(denial),
            Outcome::NotRequested | Outcome::Granted => None,
        }
    }

    pub(crate) fn of(result: io::Result<()>, explain: impl FnOnce(io::Error) -> Denial) -> Self {
        match result {
            Ok(()) => Outcome::Granted,
            Err(error) => Outcome::Denied(explain(error)),
        }
    }
}

/// Returns [`how_to_obtain_permission`] for what this process was refused: it may run in a
/// container.
pub(crate) fn remedy_for_permission() -> String {
    let container = "as root inside a container: `--cap-add SYS_NICE --cap-add IPC_LOCK`";
    format!("{}; {container}", how_to_obtain_permission())
}

/// Returns how to obtain real-time priority and locked memory for this binary. It is one text for
/// both, because `setcap` replaces the capabilities that a file has.
pub(crate) fn how_to_obtain_permission() -> String {
    let binary = std::env::current_exe().map_or_else(|_| "BINARY".to_string(), |path| path.display().to_string());
    format!(
        "either `sudo setcap cap_sys_nice,cap_ipc_lock+ep {binary}` (again after every build), or the lines `USER - rtprio 98`, \
         `USER - nice -20` and `USER - memlock unlimited` in /etc/security/limits.d/realtime.conf and a new login, or \
         `LimitRTPRIO=98`, `LimitNICE=-20` and `LimitMEMLOCK=infinity` in the systemd unit"
    )
}
