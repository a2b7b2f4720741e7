use std::collections::BTreeSet;
use std::sync::Arc;

/// The destination of remarks, such as the robot's messages.
pub type Note = Arc<dyn Fn(String) + Send + Sync>;

/// The remarks of a carrier between programs. Each remark is made only once.
///
/// ```
/// use hemiola_link::ends::Remarks;
/// use std::sync::{Arc, Mutex};
///
/// let told = Arc::new(Mutex::new(Vec::new()));
/// let list = told.clone();
/// let mut remarks = Remarks::new("link `head`", Arc::new(move |text| list.lock().unwrap().push(text)));
/// remarks.tell("no peer is connected".to_owned());
/// remarks.tell("no peer is connected".to_owned());
/// assert_eq!(*told.lock().unwrap(), ["link `head`: no peer is connected"]);
/// ```
pub struct Remarks {
    subject: String,
    note: Note,
    told: BTreeSet<String>,
}

/// The most different remarks that are made; further ones are not reported.
const MOST_TOLD: usize = 64;

impl Remarks {
    /// Creates the remarks about a subject, none of which has been made yet.
    pub fn new(subject: impl Into<String>, note: Note) -> Self {
        Self { subject: subject.into(), note, told: BTreeSet::new() }
    }

    /// Makes a remark, unless it has been made before.
    pub fn tell(&mut self, text: String) {
        if self.told.len() < MOST_TOLD && !self.told.contains(&text) {
            (self.note)(format!("{}: {text}", self.subject));
            self.told.insert(text);
        }
    }
}

/// Returns a text of another program as one line, without control characters and of limited length.
///
/// ```
/// assert_eq!(hemiola_link::ends::plain("gone\naway"), "gone away");
/// ```
pub fn plain(text: &str) -> String {
    const LONGEST: usize = 300;
    let letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    letters.take(LONGEST).collect()
}
