use hemiola_model::module::DebugKind;

/// The names that are wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interest {
    /// The names that are wanted, each also as a space with all names in it, sorted.
    names: Vec<Box<str>>,
    /// The names that are wanted alone, without the spaces of the same name, sorted.
    exact: Vec<Box<str>>,
    /// The prefixes of names that are wanted; the empty one stands for all.
    prefixes: Vec<Box<str>>,
    /// Set if plots and annotations of all names are wanted.
    marks: bool,
}

impl Interest {
    /// Creates an interest from names as people write them: a name, a space, or a prefix of names
    /// followed by `*`.
    pub fn of<N: Into<String>>(wanted: impl IntoIterator<Item = N>) -> Self {
        let mut interest = Self::default();
        for text in wanted.into_iter().map(Into::into) {
            match text.strip_suffix('*') {
                Some(prefix) => interest.prefixes.push(prefix.into()),
                None => interest.names.push(text.into()),
            }
        }
        interest.tidy();
        interest
    }

    /// Returns the interest in these names alone, without the spaces of the same name.
    pub fn of_names<N: Into<String>>(wanted: impl IntoIterator<Item = N>) -> Self {
        let exact = wanted.into_iter().map(|name| name.into().into()).collect();
        let mut interest = Self { exact, ..Self::default() };
        interest.tidy();
        interest
    }

    /// Returns the interest of a trace.
    pub fn in_marks() -> Self {
        Self { marks: true, ..Self::default() }
    }

    /// Adds another interest.
    pub fn join(&mut self, other: &Self) {
        self.names.extend_from_slice(&other.names);
        self.exact.extend_from_slice(&other.exact);
        self.prefixes.extend_from_slice(&other.prefixes);
        self.marks |= other.marks;
        self.tidy();
    }

    /// Returns whether a record with that name and kind is wanted. It does not allocate.
    pub fn wants(&self, name: &str, kind: DebugKind) -> bool {
        let is_among = |names: &[Box<str>], name: &str| names.binary_search_by(|known| (**known).cmp(name)).is_ok();
        let has = |name: &str| is_among(&self.names, name);
        self.marks && matches!(kind, DebugKind::Plot | DebugKind::Annotation)
            || self.prefixes.iter().any(|prefix| name.starts_with(&**prefix))
            || has(name)
            || is_among(&self.exact, name)
            || name.split_once('/').is_some_and(|(space, _)| has(space))
    }

    fn tidy(&mut self) {
        for texts in [&mut self.names, &mut self.exact, &mut self.prefixes] {
            texts.sort();
            texts.dedup();
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn names_spaces_and_beginnings_are_wanted_and_nothing_else() {
        let interest = Interest::of(["ball.score", "field", "UpperImage/lines", "walk.*"]);
        let wants = |name| interest.wants(name, DebugKind::Drawing);
        for name in ["ball.score", "field", "field/ball", "field/a/b", "UpperImage/lines", "walk.phase", "walk."] {
            assert!(wants(name), "{name}");
        }
        for name in ["ball", "ball.scores", "fields", "UpperImage", "UpperImage/spots", "walk", "", "x/field"] {
            assert!(!wants(name), "{name}");
        }
        assert!(Interest::of(["*"]).wants("anything", DebugKind::Image));
        assert!(!Interest::of([""; 0]).wants("", DebugKind::Plot));
    }

    #[test]
    fn who_wants_a_name_alone_wants_nothing_in_the_space_of_that_name() {
        let mut interest = Interest::of_names(["view", "ball.*"]);
        let wants = |interest: &Interest, name| interest.wants(name, DebugKind::Image);
        assert!(wants(&interest, "view") && wants(&interest, "ball.*"));
        assert!(!wants(&interest, "view/lines") && !wants(&interest, "ball.score") && !wants(&interest, "vie"));
        interest.join(&Interest::of_names(["view/lines"]));
        assert!(wants(&interest, "view/lines") && !wants(&interest, "view/spots"));
    }

    #[test]
    fn a_trace_wants_plots_and_annotations_besides_what_others_want() {
        let mut interest = Interest::in_marks();
        interest.join(&Interest::of(["field"]));
        assert!(interest.wants("x", DebugKind::Plot) && interest.wants("x", DebugKind::Annotation));
        assert!(interest.wants("field/x", DebugKind::Drawing) && !interest.wants("x", DebugKind::Drawing));
    }
}
