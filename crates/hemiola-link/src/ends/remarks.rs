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
    /// Set while remarks wait.
    is_holding: bool,
    held: Vec<String>,
}

/// The most different remarks that are made; further ones are not reported.
const MOST_TOLD: usize = 64;

impl Remarks {
    /// Creates the remarks about a subject, none of which has been made yet.
    pub fn new(subject: impl Into<String>, note: Note) -> Self {
        Self { subject: subject.into(), note, told: BTreeSet::new(), is_holding: false, held: Vec::new() }
    }

    /// Makes a remark, unless it has been made before.
    pub fn tell(&mut self, text: String) {
        if self.told.len() < MOST_TOLD && !self.told.contains(&text) {
            let remark = format!("{}: {text}", self.subject);
            if self.is_holding {
                self.held.push(remark);
            } else {
                (self.note)(remark);
            }
            self.told.insert(text);
        }
    }

    /// Holds remarks until they are [released](Self::release): on a thread on which their
    /// destination must not be called.
    pub(crate) fn hold(&mut self) {
        self.is_holding = true;
    }

    /// Returns whether there are remarks that wait.
    pub(crate) fn are_held(&self) -> bool {
        !self.held.is_empty()
    }

    /// Makes the remarks that wait, and holds no more.
    pub(crate) fn release(&mut self) {
        self.is_holding = false;
        self.held.drain(..).for_each(|remark| (self.note)(remark));
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
