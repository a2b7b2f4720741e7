//! The format of a profile's file, and what earlier formats contained.

use super::{ChainProfile, Conditions, CycleProfile, ExecutorProfile, Measured, Profile};
use crate::distribution::Bucket;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::collections::BTreeMap;

/// The number of the file's format. The first format had no number, and only buckets of tasks; the
/// second one had no executors, the third one no conditions but the program.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct Format;

const FORMAT: u32 = 4;

impl Serialize for Format {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(FORMAT)
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            FORMAT => Ok(Self),
            older @ 2 => {
                Err(de::Error::custom(format!("its format is {older}, of an earlier version that lacks executors")))
            }
            other => {
                Err(de::Error::custom(format!("its format is {other}, and this program supports at most {FORMAT}")))
            }
        }
    }
}

#[derive(Deserialize)]
pub(super) struct AnyFormat {
    pub(super) format: Option<u64>,
}

/// The durations of an unknown robot: a stepped run may be among them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThirdFormat {
    #[serde(rename = "format")]
    _format: u32,
    #[serde(default)]
    program: String,
    /// A single measurement, whose machine is not known.
    #[serde(default, rename = "costs")]
    _costs: de::IgnoredAny,
    #[serde(default)]
    cycles: BTreeMap<String, CycleProfile>,
    #[serde(default)]
    sources: BTreeMap<String, Measured>,
    #[serde(default)]
    chains: Vec<ChainProfile>,
    #[serde(default)]
    executors: BTreeMap<String, ExecutorProfile>,
}

impl From<ThirdFormat> for Profile {
    fn from(third: ThirdFormat) -> Self {
        let ThirdFormat { program, cycles, sources, chains, executors, .. } = third;
        let conditions = Conditions { build: program, ..Conditions::default() };
        Self { conditions, cycles, sources, chains, executors, ..Self::default() }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FirstFormat {
    cycles: BTreeMap<String, BTreeMap<String, Vec<Bucket>>>,
}

impl From<FirstFormat> for Profile {
    fn from(first: FirstFormat) -> Self {
        let mut profile = Self::default();
        for (cycle, tasks) in first.cycles {
            profile.cycle_mut(&cycle).tasks =
                tasks.into_iter().map(|(task, buckets)| (task, Measured::from(buckets))).collect();
        }
        profile
    }
}
