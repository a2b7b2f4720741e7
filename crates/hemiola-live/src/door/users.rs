//! Names of the users of this computer.

use std::fs;

/// Returns the name of a user; of one that this computer does not list itself, such as one from a
/// directory service, the number.
pub fn user_name(user: u32) -> String {
    let known = fs::read_to_string("/etc/passwd").ok().and_then(|users| name_in(&users, user));
    known.unwrap_or_else(|| if user == 0 { "root".to_owned() } else { format!("user {user}") })
}

/// Returns the name of a user in the text of `/etc/passwd`.
fn name_in(users: &str, user: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, number) = (fields.next()?, fields.nth(1)?);
        (number.parse() == Ok(user) && !name.is_empty()).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_the_name_that_the_computer_lists() {
        let users = "root:x:0:0:root:/root:/bin/bash\n# a note\nada:x:1000:1000:Ada,,,:/home/ada:/bin/sh\n";
        assert_eq!(name_in(users, 1000).as_deref(), Some("ada"));
        assert_eq!(name_in(users, 0).as_deref(), Some("root"));
        assert_eq!(name_in(users, 1001), None);
        assert_eq!(user_name(u32::MAX - 1), "user 4294967294");
    }
}
