use std::time::Duration;

use hemiola_model::Time;
use hemiola_model::module::DebugKind;

/// A worker's table of the names that its updates use: whether they are wanted, which is looked up
/// once per change of interest. Its size is fixed, and its key is the address of the name in
/// memory.
pub struct NameTable {
    places: Box<[Option<Known>]>,
    /// The number of the present interest.
    generation: u32,
}

struct Known {
    name: &'static str,
    kind: DebugKind,
    generation: u32,
    is_wanted: bool,
    /// The time at which a background was last drawn.
    drawn: Option<Time>,
}

/// The number of names that updates may use: more than they do.
const PLACES: usize = 1024;
/// The number of places in which a name may be.
const PROBES: usize = 16;
/// The time after which backgrounds are drawn again.
const BACKGROUND: Duration = Duration::from_secs(1);

impl NameTable {
    pub fn new() -> Self {
        Self { places: std::iter::repeat_with(|| None).take(PLACES).collect(), generation: 0 }
    }

    /// Forgets which names are wanted, because the interest has changed, or somebody begins to
    /// watch.
    pub fn renew(&mut self) {
        self.generation = self.generation.wrapping_add(1);
    }

    /// Returns whether a record with that name is to be shown now. Calls `is_wanted` if that is not
    /// known, and `announce` for a new name, which returns whether the name was passed on.
    pub fn wants(
        &mut self,
        (name, kind): (&'static str, DebugKind),
        now: Time,
        is_wanted: impl Fn() -> bool,
        announce: impl FnOnce() -> bool,
    ) -> bool {
        let generation = self.generation;
        let Some(place) = self.place(name, kind) else {
            // Without room for the name, `is_wanted` is called each time, and backgrounds are drawn
            // each time.
            return is_wanted();
        };
        let known = match place {
            Some(known) => known,
            None if announce() => {
                let is_wanted = is_wanted();
                place.insert(Known { name, kind, generation, is_wanted, drawn: None })
            }
            None => return is_wanted(),
        };
        if known.generation != generation {
            (known.generation, known.is_wanted, known.drawn) = (generation, is_wanted(), None);
        }
        if !known.is_wanted || kind != DebugKind::Background {
            return known.is_wanted;
        }
        // The clock may have been set back.
        let is_due = known.drawn.is_none_or(|drawn| now < drawn || now.since(drawn) >= BACKGROUND);
        if is_due {
            known.drawn = Some(now);
        }
        is_due
    }

    /// Returns the place of a name, or the place for it.
    fn place(&mut self, name: &'static str, kind: DebugKind) -> Option<&mut Option<Known>> {
        let key = name.as_ptr().addr() ^ name.len() << 20 ^ (kind as usize) << 28;
        let first = (key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        let is_its = |place: &Option<Known>| {
            place.as_ref().is_none_or(|known| std::ptr::eq(known.name, name) && known.kind == kind)
        };
        let place =
            (0..PROBES).map(|probe| (first as usize + probe) % PLACES).find(|place| is_its(&self.places[*place]))?;
        Some(&mut self.places[place])
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_asked_for_once_until_somebody_wants_something_else() {
        let mut names = NameTable::new();
        let asked = std::cell::Cell::new(0);
        let look = |names: &mut NameTable| {
            let is_wanted = || {
                asked.set(asked.get() + 1);
                true
            };
            names.wants(("ball.score", DebugKind::Plot), Time::ZERO, is_wanted, || true)
        };
        assert!((0..5).all(|_| look(&mut names)));
        names.renew();
        assert!((0..5).all(|_| look(&mut names)));
        assert_eq!(asked.get(), 2);
    }

    #[test]
    fn a_background_is_drawn_once_a_second_and_whenever_somebody_comes() {
        let mut names = NameTable::new();
        let draw = |names: &mut NameTable, seconds: f64| {
            let now = Time::from_seconds(seconds);
            names.wants(("field/lines", DebugKind::Background), now, || true, || true)
        };
        let drawn = (0..100).filter(|run| draw(&mut names, f64::from(*run) * 0.03)).count();
        assert_eq!(drawn, 3);
        names.renew();
        assert!(draw(&mut names, 2.99));
        assert!(draw(&mut names, 0.0), "a clock that was set back");
        assert!(!draw(&mut names, 0.5));
    }

    #[test]
    fn more_names_than_there_are_places_are_still_shown() {
        let mut names = NameTable::new();
        for number in 0..2 * PLACES {
            let name: &'static str = Box::leak(format!("name {number}").into());
            let is_wanted = number % 2 == 0;
            for _ in 0..2 {
                assert_eq!(names.wants((name, DebugKind::Plot), Time::ZERO, || is_wanted, || true), is_wanted);
            }
        }
    }
}
