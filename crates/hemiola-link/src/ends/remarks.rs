use std::collections::BTreeSet;
use std::sync::Arc;

/// Where remarks go: to the robot's messages, for example.
pub type Note = Arc<dyn Fn(String) + Send + Sync>;

/// Remarks of whoever carries something to other programs: each is made once.
///
/// ```
/// use hemiola_link::ends::Remarks;
/// use std::sync::{Arc, Mutex};
///
/// let told = Arc::new(Mutex::new(Vec::new()));
/// let list = told.clone();
/// let mut remarks = Remarks::new("link `head`", Arc::new(move |text| list.lock().unwrap().push(text)));
/// remarks.tell("nobody is there".to_owned());
/// remarks.tell("nobody is there".to_owned());
/// assert_eq!(*told.lock().unwrap(), ["link `head`: nobody is there"]);
/// ```
pub struct Remarks {
    subject: String,
    note: Note,
    told: BTreeSet<String>,
}

/// At most that many different remarks are made; later ones are not reported.
const MOST_TOLD: usize = 64;

impl Remarks {
    /// Creates remarks about this subject, none of which was made yet.
    pub fn new(subject: impl Into<String>, note: Note) -> Self {
        Self { subject: subject.into(), note, told: BTreeSet::new() }
    }

    /// Makes a remark, unless it was made before.
    pub fn tell(&mut self, text: String) {
        if self.told.len() < MOST_TOLD && !self.told.contains(&text) {
            (self.note)(format!("{}: {text}", self.subject));
            self.told.insert(text);
        }
    }
}

/// Returns a text of another program on one line, without control characters and not too long.
///
/// ```
/// assert_eq!(hemiola_link::ends::plain("gone\naway"), "gone away");
/// ```
pub fn plain(text: &str) -> String {
    const LONGEST: usize = 300;
    let letters = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter });
    letters.take(LONGEST).collect()
}
