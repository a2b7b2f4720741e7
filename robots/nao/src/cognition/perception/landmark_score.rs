//! The comparison of found landmarks with true ones.

use glam::Vec2;

use super::crossings::ImageLandmark;
use crate::representations::perception::LandmarkShape;

/// The classes of landmarks that people distinguish when they mark them in images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LandmarkClass {
    /// A crossing or a mark.
    X,
    /// A corner.
    L,
    /// A T-junction.
    T,
    /// The foot of a goal post.
    G,
}

impl LandmarkClass {
    /// All classes.
    pub const ALL: [Self; 4] = [Self::X, Self::L, Self::T, Self::G];

    /// Returns the class of a letter in a table; none for others, such as the upper end of a post.
    #[must_use]
    pub fn from_letter(letter: &str) -> Option<Self> {
        match letter {
            "X" => Some(Self::X),
            "L" => Some(Self::L),
            "T" => Some(Self::T),
            "G" => Some(Self::G),
            _ => None,
        }
    }

    /// Returns the class of a found landmark.
    #[must_use]
    pub fn of(kind: LandmarkShape) -> Self {
        match kind {
            LandmarkShape::Cross | LandmarkShape::Mark | LandmarkShape::CenterCircle => Self::X,
            LandmarkShape::Tee => Self::T,
            LandmarkShape::Corner => Self::L,
            LandmarkShape::GoalPost => Self::G,
        }
    }
}

/// The numbers of hits and errors, over any number of images.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// The number of true landmarks that were found.
    pub hits: u32,
    /// The number of true landmarks that were not found.
    pub misses: u32,
    /// The number of found landmarks that are none.
    pub false_alarms: u32,
    /// The sum of the squared distances of all hits, in square pixels.
    pub squared_error: f32,
}

impl Tally {
    /// Returns the share of found landmarks that are true, 0 to 1; 1 if nothing was found.
    #[must_use]
    pub fn precision(&self) -> f32 {
        part(self.hits, self.hits + self.false_alarms)
    }

    /// Returns the share of true landmarks that were found, 0 to 1; 1 if there was nothing to find.
    #[must_use]
    pub fn recall(&self) -> f32 {
        part(self.hits, self.hits + self.misses)
    }

    /// Returns the harmonic mean of precision and recall.
    #[must_use]
    pub fn f1(&self) -> f32 {
        part(2 * self.hits, 2 * self.hits + self.misses + self.false_alarms)
    }

    /// Returns the root mean square distance of the hits, in pixels.
    #[must_use]
    pub fn pixel_error(&self) -> f32 {
        (self.squared_error / self.hits.max(1) as f32).sqrt()
    }

    /// Adds another tally.
    pub fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.misses += other.misses;
        self.false_alarms += other.false_alarms;
        self.squared_error += other.squared_error;
    }
}

/// The tallies of each class, and of landmarks that were found at the right position, whatever
/// their class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LandmarkScore {
    /// The tallies in the order of [`LandmarkClass::ALL`].
    pub classes: [Tally; 4],
    /// The tally of the positions of X, L and T, without regard to their class.
    pub places: Tally,
}

impl LandmarkScore {
    /// Adds one image: a found landmark is a hit if a true one of its class lies within `radius`
    /// pixels. Each true one counts once; nearest pairs first. Found ones outside the image do not
    /// count. The cost is the number of true ones times that of found ones.
    pub fn add_image(&mut self, truth: &[(LandmarkClass, Vec2)], found: &[ImageLandmark], radius: f32) {
        let found: Vec<_> = found.iter().map(|landmark| (LandmarkClass::of(landmark.kind), landmark.image)).collect();
        for (class, tally) in LandmarkClass::ALL.into_iter().zip(&mut self.classes) {
            tally.add(&tally_of(truth, &found, radius, |other| other == class));
        }
        self.places.add(&tally_of(truth, &found, radius, |class| class != LandmarkClass::G));
    }

    /// Adds another score.
    pub fn add(&mut self, other: &Self) {
        for (tally, other) in self.classes.iter_mut().zip(&other.classes) {
            tally.add(other);
        }
        self.places.add(&other.places);
    }

    /// Returns the tally of one class.
    #[must_use]
    pub fn class(&self, class: LandmarkClass) -> &Tally {
        &self.classes[class as usize]
    }

    /// Returns the tally of crossings, corners and tees together; a landmark of the wrong class is
    /// a miss and a false alarm.
    #[must_use]
    pub fn lines(&self) -> Tally {
        let mut sum = Tally::default();
        for class in [LandmarkClass::X, LandmarkClass::L, LandmarkClass::T] {
            sum.add(self.class(class));
        }
        sum
    }
}

fn part(count: u32, all: u32) -> f32 {
    if all == 0 { 1.0 } else { count as f32 / all as f32 }
}

/// Pairs true and found landmarks of the chosen classes, nearest first.
fn tally_of(
    truth: &[(LandmarkClass, Vec2)],
    found: &[(LandmarkClass, Vec2)],
    radius: f32,
    chosen: impl Fn(LandmarkClass) -> bool,
) -> Tally {
    let pick = |all: &[(LandmarkClass, Vec2)]| -> Vec<Vec2> {
        all.iter().filter(|(class, _)| chosen(*class)).map(|(_, place)| *place).collect()
    };
    let (mut truth, mut found) = (pick(truth), pick(found));
    let mut tally = Tally::default();
    loop {
        let pairs = truth.iter().enumerate().flat_map(|(index, place)| {
            found.iter().enumerate().map(move |(other, seen)| (place.distance(*seen), index, other))
        });
        let nearest = pairs.filter(|pair| pair.0 <= radius).min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((distance, index, other)) = nearest else { break };
        tally.hits += 1;
        tally.squared_error += distance * distance;
        truth.swap_remove(index);
        found.swap_remove(other);
    }
    Tally { misses: truth.len() as u32, false_alarms: found.len() as u32, ..tally }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(kind: LandmarkShape, x: f32) -> ImageLandmark {
        ImageLandmark { kind, image: Vec2::new(x, 50.0), ground: Vec2::ZERO }
    }

    #[test]
    fn hits_misses_and_false_alarms_are_counted_once() {
        let truth = [(LandmarkClass::L, Vec2::new(100.0, 50.0)), (LandmarkClass::T, Vec2::new(200.0, 50.0))];
        let found = [
            found(LandmarkShape::Corner, 103.0),
            found(LandmarkShape::Corner, 101.0),
            found(LandmarkShape::Cross, 201.0),
        ];
        let mut score = LandmarkScore::default();
        score.add_image(&truth, &found, 10.0);
        let [x, l, t, g] = score.classes;
        assert_eq!((l.hits, l.misses, l.false_alarms, l.squared_error), (1, 0, 1, 1.0));
        assert_eq!((t.hits, t.misses, t.false_alarms), (0, 1, 0));
        assert_eq!((x.false_alarms, g), (1, Tally::default()));
        assert_eq!((score.lines().f1(), score.places.hits), (0.4, 2));
    }

    #[test]
    fn nothing_to_find_and_nothing_found_is_perfect() {
        let mut score = LandmarkScore::default();
        score.add_image(&[], &[], 10.0);
        assert_eq!((score.lines().precision(), score.lines().recall(), score.lines().f1()), (1.0, 1.0, 1.0));
    }
}
