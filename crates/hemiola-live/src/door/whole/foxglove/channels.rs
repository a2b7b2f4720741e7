//! The channels of all processes, as a client of the whole robot sees them.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::protocol::foxglove::MOST;

/// The channels that were advertised to the client. Channels of several processes with the same
/// topic and type are one channel, such as the texts of modules.
#[derive(Default)]
pub struct Channels {
    known: BTreeMap<u32, Channel>,
    last: u32,
}

struct Channel {
    /// The description of the channel, without its number.
    description: Value,
    /// The processes that have it, each with the number of the channel there.
    homes: Vec<(usize, u32)>,
}

/// A channel that a process has.
pub struct Joined {
    /// The number of the channel for the client, and that for the process.
    pub number: u32,
    pub number_there: u32,
    /// The description for the client, if the channel is new to it.
    pub new: Option<Value>,
}

impl Channels {
    /// Notes a channel that a process advertises; `None` if there are too many.
    pub fn add(&mut self, process: usize, channel: &Value) -> Option<Joined> {
        let number_there = number_of(channel)?;
        let mut description = channel.clone();
        description["id"] = Value::Null;
        let is_it = |known: &&mut Channel| {
            known.description == description && known.homes.iter().all(|(home, _)| *home != process)
        };
        let known = self.known.iter_mut().find_map(|(number, known)| Some(*number).zip(Some(known).filter(is_it)));
        if let Some((number, known)) = known {
            known.homes.push((process, number_there));
            return Some(Joined { number, number_there, new: None });
        }
        if self.known.len() >= MOST {
            return None;
        }
        self.last += 1;
        let number = self.last;
        let mut new = description.clone();
        new["id"] = number.into();
        self.known.insert(number, Channel { description, homes: vec![(process, number_there)] });
        Some(Joined { number, number_there, new: Some(new) })
    }

    /// Removes the channel that has this number in a process. Returns its number for the client if
    /// no process has it any more.
    pub fn remove(&mut self, process: usize, number_there: u32) -> Option<u32> {
        let home = (process, number_there);
        let (number, channel) = self.known.iter_mut().find(|(_, channel)| channel.homes.contains(&home))?;
        channel.homes.retain(|other| *other != home);
        let number = *number;
        if !channel.homes.is_empty() {
            return None;
        }
        self.known.remove(&number);
        Some(number)
    }

    /// Notes that a process has ended. Its channels stay, for the time when it is started again.
    pub fn lose(&mut self, process: usize) {
        self.known.values_mut().for_each(|channel| channel.homes.retain(|(home, _)| *home != process));
    }

    /// Returns the processes that have a channel, each with the number of the channel there.
    pub fn homes(&self, number: u32) -> Option<&[(usize, u32)]> {
        self.known.get(&number).map(|channel| channel.homes.as_slice())
    }
}

/// Returns the number of a channel or service in its description.
pub fn number_of(described: &Value) -> Option<u32> {
    described["id"].as_u64()?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn channel(id: u32, topic: &str) -> Value {
        json!({"id": id, "topic": topic, "schemaName": "hemiola/msg/Plot", "schema": "float64 value\n"})
    }

    #[test]
    fn a_channel_of_several_processes_is_one_until_the_last_withdraws_it() {
        let mut channels = Channels::default();
        let first = channels.add(0, &channel(7, "/debug/log")).unwrap();
        assert_eq!((first.number, first.new), (1, Some(channel(1, "/debug/log"))));
        let second = channels.add(1, &channel(3, "/debug/log")).unwrap();
        assert_eq!((second.number, second.number_there, second.new), (1, 3, None));
        assert_eq!(channels.add(1, &channel(4, "Line")).unwrap().new, Some(channel(2, "Line")));
        assert_eq!(channels.homes(1), Some(&[(0, 7), (1, 3)][..]));
        // Two channels of a process are never one.
        assert_eq!(channels.add(1, &channel(5, "Line")).unwrap().number, 3);

        assert_eq!(channels.remove(0, 7), None);
        assert_eq!((channels.remove(1, 3), channels.homes(1)), (Some(1), None));
        channels.lose(1);
        assert_eq!(channels.homes(2), Some(&[][..]));
        let again = channels.add(1, &channel(9, "Line")).unwrap();
        assert_eq!((again.number, again.number_there, again.new), (2, 9, None));
    }
}
