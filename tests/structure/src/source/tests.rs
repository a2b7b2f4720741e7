use super::*;

#[test]
fn comments_strings_and_tests_do_not_count() {
    let source = parsed(
        r##"
        //! unsafe crate::a::B
        const TEXT: &str = "unsafe fn crate::a::b";
        #[cfg(test)]
        mod tests { use crate::a::B; unsafe fn f() {} }
        #[cfg(all(test, loom))]
        mod models;
        #[cfg(not(test))]
        mod kept;
        "##,
    );
    assert_eq!((source.unsafe_uses, source.unsafe_functions), (0, 0));
    assert!(source.paths.iter().all(|path| path.segments.len() < 2));
    assert_eq!(source.children.iter().map(|child| child.name.as_str()).collect::<Vec<_>>(), ["kept"]);
}

#[test]
fn what_is_unsafe_counts_wherever_it_stands() {
    let source = parsed(
        "unsafe fn f() {} unsafe trait T {} unsafe impl T for u8 {}
         type P = unsafe fn();
         fn g() { assert!(unsafe { true }); unsafe { f() } }",
    );
    assert_eq!((source.unsafe_uses, source.lintable_unsafe, source.unsafe_functions), (6, 5, 1));
}

#[test]
fn paths_count_in_uses_in_full_and_in_macros() {
    let source = parsed("use crate::{a::B, c as d}; fn f() { crate::e::f(); println!(\"{}\", crate::g::h()); }");
    let crates = source.paths.iter().filter(|path| path.segments[0] == "crate");
    let named: Vec<String> = crates.map(|path| path.segments.join("::")).collect();
    assert_eq!(named, ["crate::a::B", "crate::c", "crate::e::f", "crate::g::h"]);
}

#[test]
fn atomics_are_seen_by_every_way_to_name_them() {
    let source = parsed(
        "use std::sync::{Arc, atomic::{AtomicBool, Ordering}}; use crate::sync::atomic::AtomicU8;
         static S: core::sync::atomic::AtomicU64 = core::sync::atomic::AtomicU64::new(0);",
    );
    assert_eq!(source.atomics, 4);
}

fn parsed(text: &str) -> Source {
    Source::parse(text).unwrap_or_else(|error| panic!("{error}"))
}
