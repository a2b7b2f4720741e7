//! Prints the structure of this workspace: `cargo run -p hemiola-structure`, with `-- --arrows`
//! every place that closes a circle.
#![forbid(unsafe_code)]

use hemiola_structure::{Architecture, House, StructureError, Table};

fn main() -> Result<(), StructureError> {
    let house = House::here()?;
    let architecture = Architecture::read(&house.root)?;
    let arrows = std::env::args().any(|argument| argument == "--arrows");
    print!("{}", Table { house: &house, architecture: &architecture, arrows });
    Ok(())
}
