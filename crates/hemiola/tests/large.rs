//! Representations of several megabytes cost no stack: not when they are made, not when they are
//! reset, not in a run.
#![forbid(unsafe_code)]

use hemiola::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola::data::RepresentationDescriptor;
use hemiola::module::registry;
use hemiola::prelude::*;
use hemiola::runtime::Robot;

const SIZE: usize = 8 << 20;

#[derive(Data, Clone)]
struct Layer {
    cells: [u8; SIZE / 2],
    rows: [[u16; 1024]; SIZE / 4096],
}

impl Default for Layer {
    fn default() -> Self {
        Self { cells: [3; SIZE / 2], rows: [[5; 1024]; SIZE / 4096] }
    }
}

/// As data, nested.
#[derive(Representation, Clone, Default)]
struct HeightMap {
    layer: Layer,
    name: String,
    corners: Vec<[f32; 2]>,
    kind: Kind,
}

#[derive(Data, Clone, Default, PartialEq, Debug)]
enum Kind {
    #[default]
    Unknown,
    Known {
        by: String,
    },
}

#[derive(Clone, Copy)]
struct Pixel {
    luminance: u8,
}

/// Opaque, of types that are no data.
#[derive(Representation)]
#[representation(opaque)]
struct Picture {
    pixels: [Pixel; SIZE],
    handles: Vec<std::sync::Arc<()>>,
}

impl Default for Picture {
    fn default() -> Self {
        Self { pixels: [Pixel { luminance: 9 }; SIZE], handles: Vec::new() }
    }
}

/// How many runs did not fail.
#[derive(Representation, Clone, Default)]
struct Painted {
    runs: u32,
}

#[derive(Module)]
struct Painter {}

#[module]
impl Painter {
    #[update]
    fn paint(&self, last: Previous<Painted>, map: &mut HeightMap, picture: &mut Picture, painted: &mut Painted) {
        // Each begins anew from its default.
        assert_eq!((map.layer.cells[7], map.layer.rows[3][4], map.corners.len()), (3, 5, 0));
        assert_eq!((picture.pixels[SIZE - 1].luminance, picture.handles.len()), (9, 0));
        assert_eq!((map.name.as_str(), &map.kind), ("", &Kind::Unknown));
        map.layer.cells[7] = 0;
        map.layer.rows[3][4] += 1;
        map.name.push_str("Naples");
        map.corners.push([1.0, 2.0]);
        map.kind = Kind::Known { by: "Piri Reis".into() };
        picture.pixels[SIZE - 1].luminance = 1;
        picture.handles.push(Default::default());
        painted.runs = last.runs + 1;
    }
}

/// Runs it with a stack of 256 kB.
fn with_a_small_stack(run: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn large_values_are_made_and_reset_without_a_stack() {
    with_a_small_stack(|| {
        let mut map = RepresentationDescriptor::of::<HeightMap>().create();
        let changed = map.downcast_mut::<HeightMap>().unwrap();
        changed.layer.cells[SIZE / 2 - 1] = 0;
        changed.corners.reserve(100);
        changed.corners.push([0.0; 2]);
        let buffer = changed.corners.as_ptr();
        map.reset();
        let reset = map.downcast_mut::<HeightMap>().unwrap();
        assert!(reset.layer.cells.iter().all(|&cell| cell == 3) && reset.corners.is_empty());
        assert_eq!((reset.corners.as_ptr(), reset.corners.capacity() >= 100), (buffer, true)); // kept
        let fresh = RepresentationDescriptor::of::<HeightMap>().create();
        assert_eq!(map.fingerprint(), fresh.fingerprint());
    });
}

#[test]
fn a_cycle_runs_with_them_on_a_small_stack() {
    with_a_small_stack(|| {
        let mut configuration = Configuration::default();
        configuration.cycles.push(CycleConfiguration::new("main", Trigger::Rate(100.0)));
        let robot = Robot::assemble_from(configuration, registry::modules(), Vec::new()).unwrap();
        let mut stepper = robot.into_stepper().unwrap();
        for _ in 0..5 {
            stepper.step();
        }
        assert_eq!(stepper.with_value(|painted: &Painted| painted.runs), Some(5));
    });
}
