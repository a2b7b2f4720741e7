//! The kind of place that a publisher has, which decides about its place in the topic.

use hemiola_model::module::Place;

/// The kind of place that a publisher has. One that leaves makes room for the next one of the same
/// kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// In a module of a cycle.
    Cycle,
    /// In a source.
    Source,
    /// Anywhere else.
    Outside,
    /// Outside, too: in a replay, instead of the publisher that had that place in the recording.
    StandIn(Place),
}

impl Seat {
    /// Returns whether such a publisher may take over that place, when it is vacant.
    pub(crate) fn has(self, place: Place) -> bool {
        match self {
            Self::Cycle => matches!(place, Place::Cycle(_)),
            Self::Source => matches!(place, Place::Source(_)),
            Self::Outside => matches!(place, Place::Outside(_)),
            Self::StandIn(_) => false,
        }
    }

    /// Returns the place of a publisher that joins these.
    pub(crate) fn next(self, others: impl Iterator<Item = Place>) -> Place {
        let (mut in_robot, mut outside) = (0_u32, 0_u32);
        for other in others {
            match other {
                Place::Cycle(number) | Place::Source(number) => in_robot = in_robot.max(number.saturating_add(1)),
                Place::Outside(number) => outside = outside.max(number.saturating_add(1)),
            }
        }
        match self {
            Self::Cycle => Place::Cycle(in_robot),
            Self::Source => Place::Source(in_robot),
            Self::Outside | Self::StandIn(_) => Place::Outside(outside),
        }
    }

    /// Returns the place for which it stands in, if it does.
    pub(crate) fn stands_for(self) -> Option<Place> {
        if let Self::StandIn(place) = self { Some(place) } else { None }
    }
}
