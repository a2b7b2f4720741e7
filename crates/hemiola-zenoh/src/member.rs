//! The names by which links know each other in a network of Zenoh.

use std::fmt;
use std::str::FromStr;

/// A link in the network. Its key is that of its liveliness token; what others say to it they
/// publish below that, each under the sender's id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    pub id: MemberId,
    pub key: String,
}

/// The number of a link: the random one of its program, and its place among the program's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemberId {
    pub program: u64,
    pub link: u32,
}

/// The keys of all members.
pub const ALL: &str = "hemiola/*/*/*";
/// The first part of each key.
const ROOT: &str = "hemiola";
/// The longest key of a member that is met.
const LONGEST_KEY: usize = 1024;
/// The most letters of a name in a key.
const LONGEST_NAME: usize = 100;

impl Member {
    /// Returns the member that a link of a robot is.
    pub fn new(robot: &str, link: &str, id: MemberId) -> Self {
        Self { key: format!("{ROOT}/{}/{}/{id}", as_part(robot), as_part(link)), id }
    }

    /// Reads the key of a token; `None` if it is not that of a member.
    pub fn read(key: &str) -> Option<Self> {
        let parts: Vec<_> = key.split('/').collect();
        match parts[..] {
            [ROOT, _, _, id] if key.len() <= LONGEST_KEY => Some(Self { id: id.parse().ok()?, key: key.to_owned() }),
            _ => None,
        }
    }

    /// Returns the key of what another member says to this one.
    pub fn told_by(&self, other: MemberId) -> String {
        format!("{}/{other}", self.key)
    }

    /// Returns the keys of what all others say to this one.
    pub fn told(&self) -> String {
        format!("{}/*", self.key)
    }
}

impl fmt::Display for MemberId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:016x}.{}", self.program, self.link)
    }
}

impl FromStr for MemberId {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (program, link) = text.split_once('.').ok_or(())?;
        let id = Self { program: u64::from_str_radix(program, 16).map_err(drop)?, link: link.parse().map_err(drop)? };
        // There is one spelling of each number.
        if id.to_string() == text { Ok(id) } else { Err(()) }
    }
}

/// Returns a name in a spelling that may be a part of a key: `my robot/2` becomes `my robot_2`.
fn as_part(name: &str) -> String {
    let is_reserved = |letter: char| "/*$?#@".contains(letter) || letter.is_control();
    let part: String = name.chars().take(LONGEST_NAME).map(|it| if is_reserved(it) { '_' } else { it }).collect();
    if part.is_empty() { "_".to_owned() } else { part }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use zenoh::key_expr::KeyExpr;

    use super::*;

    proptest! {
        #[test]
        fn any_robot_and_link_have_a_key_from_which_their_number_is_read(
            robot in any::<String>(), link in any::<String>(), program: u64, place: u32,
        ) {
            let id = MemberId { program, link: place };
            let member = Member::new(&robot, &link, id);
            prop_assert_eq!(Member::read(&member.key), Some(member.clone()));
            let (key, told) = (KeyExpr::new(member.key.as_str()), KeyExpr::new(member.told_by(id)));
            prop_assert!(KeyExpr::new(ALL).unwrap().includes(&key.unwrap()));
            prop_assert!(KeyExpr::new(member.told()).unwrap().includes(&told.unwrap()));
        }

        #[test]
        fn any_other_key_is_nobody(key in "(hemiola/)?[a-z/]{0,9}/[0-9a-f.+/]{0,20}") {
            if let Some(member) = Member::read(&key) {
                prop_assert_eq!(member.id.to_string(), key.rsplit('/').next().unwrap());
            }
        }
    }

    #[test]
    fn numbers_have_one_spelling() {
        let id = MemberId { program: 0x1a2b, link: 3 };
        assert_eq!("0000000000001a2b.3".parse(), Ok(id));
        for other in ["1a2b.3", "0000000000001A2B.3", "0000000000001a2b.03", "0000000000001a2b.+3", "", "."] {
            assert_eq!(other.parse::<MemberId>(), Err(()), "{other}");
        }
        assert_eq!(Member::read(&format!("hemiola/{}/base/{id}", "x".repeat(LONGEST_KEY))), None);
    }
}
