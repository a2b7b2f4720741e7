//! Errors in a module are reported where they are, in words of the framework.
#![forbid(unsafe_code)]

#[test]
fn mistakes_are_readable_errors_at_the_right_place() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}
