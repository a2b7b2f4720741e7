//! Compiles `src/dds.c`, which fails where CycloneDDS is not installed.

fn main() {
    println!("cargo:rerun-if-changed=src/dds.c");
    cc::Build::new().file("src/dds.c").compile("bench-dds");
    println!("cargo:rustc-link-lib=ddsc");
}
