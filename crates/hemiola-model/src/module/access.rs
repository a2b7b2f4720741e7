//! The rules for the arguments that an update may have together.
//!
//! The types decide, when an update or a sample method is created: an [`AccessSet`] accepts one
//! argument after the other and refuses the first that is not compatible with those before. Names
//! do not matter, so an alias, a re-export or an associated type changes nothing. The arguments
//! that it accepts never give two references to one value of which one may write: `&mut T` is the
//! new value, which nobody else sees, and `Previous<T>` an older one.

use super::{ArgumentDescriptor, ArgumentKind};
use crate::RepresentationDescriptor;

/// The representations for which an update has arguments so far.
#[derive(Default)]
pub(super) struct AccessSet(Vec<Access>);

struct Access {
    argument: usize,
    representation: &'static RepresentationDescriptor,
    kind: ArgumentKind,
}

/// Two arguments, by their indices, that an update cannot have together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub first: usize,
    pub second: usize,
}

impl AccessSet {
    /// Checks whether an update can have all these arguments.
    pub fn check(arguments: &[ArgumentDescriptor]) -> Result<(), Conflict> {
        let mut set = Self::default();
        arguments.iter().enumerate().try_for_each(|(index, argument)| set.insert(index, argument))
    }

    fn insert(&mut self, argument: usize, descriptor: &ArgumentDescriptor) -> Result<(), Conflict> {
        // Services are shared, and every argument has a port of its own.
        let Some(representation) = descriptor.representation() else { return Ok(()) };
        let access = Access { argument, representation, kind: descriptor.kind() };
        match self.0.iter().find(|other| !other.goes_with(&access)) {
            Some(other) => Err(Conflict { first: other.argument, second: argument }),
            None => {
                self.0.push(access);
                Ok(())
            }
        }
    }
}

impl Access {
    /// Returns whether both may be arguments of one update. Of one representation there may be one
    /// argument of each kind, and an update that provides it reads the previous value at most.
    fn goes_with(&self, other: &Self) -> bool {
        use ArgumentKind::{Provides, Uses};
        self.representation != other.representation
            || match (self.kind, other.kind) {
                (Provides, kind) | (kind, Provides) => kind == Uses,
                (kind, other) => kind != other,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::module::{Argument, Fresh, Previous, Samples};
    use crate::{Clock, Form, Representation};

    #[derive(Default)]
    struct Ball;
    type AlsoBall = Ball;
    impl Representation for Ball {
        const NAME: &'static str = "Ball";
        fn form() -> Form<Self> {
            Form::opaque()
        }
    }

    #[derive(Default)]
    struct Goal;
    impl Representation for Goal {
        // The name is the same, but names do not decide.
        const NAME: &'static str = "Ball";
        fn form() -> Form<Self> {
            Form::opaque()
        }
    }

    fn check(arguments: &[ArgumentDescriptor]) -> Result<(), (usize, usize)> {
        AccessSet::check(arguments).map_err(|conflict| (conflict.first, conflict.second))
    }

    #[test]
    fn whoever_writes_a_value_is_alone_with_it() {
        let clock = <&Clock>::describe();
        let written = <&mut Ball>::describe();
        let others = [<&AlsoBall>::describe(), <Fresh<Ball>>::describe(), <Samples<Ball>>::describe(), written];
        for other in others {
            assert_eq!(check(&[written, clock, other]), Err((0, 2)));
            assert_eq!(check(&[other, written]), Err((0, 1)));
            // The conflict is found after an argument that is allowed, too.
            assert_eq!(check(&[<Previous<Ball>>::describe(), written, other]), Err((1, 2)));
        }
    }

    #[test]
    fn the_previous_value_goes_with_the_new_one() {
        assert_eq!(check(&[<Previous<Ball>>::describe(), <&mut Ball>::describe()]), Ok(()));
        assert_eq!(check(&[<&mut Ball>::describe(), <Previous<AlsoBall>>::describe()]), Ok(()));
    }

    #[test]
    fn each_kind_is_asked_for_once() {
        assert_eq!(check(&[<&Ball>::describe(), <Fresh<AlsoBall>>::describe()]), Err((0, 1)));
        assert_eq!(check(&[<&Ball>::describe(), <Previous<Ball>>::describe(), <Samples<Ball>>::describe()]), Ok(()));
    }

    #[test]
    fn types_of_the_same_name_are_different() {
        assert_eq!(check(&[<&mut Ball>::describe(), <&mut Goal>::describe()]), Ok(()));
    }
}
