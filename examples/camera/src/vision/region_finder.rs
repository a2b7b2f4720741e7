use glam::{DVec2, dvec2};
use hemiola::prelude::*;

use crate::representations::{ColorRuns, Region, Regions, Run};

#[derive(Parameters)]
pub struct RegionFinderParameters {
    /// Smaller areas are noise.
    #[parameter(default = 60, unit = "pixels")]
    smallest: u32,
}

/// Connects runs that touch, also at their corners, to regions: a union-find over the runs, row by
/// row (Rosenfeld, Pfaltz 1966, on runs instead of pixels).
#[derive(Module)]
pub struct RegionFinder {
    #[parameters]
    parameters: RegionFinderParameters,
    /// For each run one before it that belongs to the same region, or itself if it is the first.
    #[stateless]
    parents: Vec<usize>,
    /// The region of each run, once the first run of that region was met.
    #[stateless]
    numbers: Vec<usize>,
}

#[module]
impl RegionFinder {
    #[update]
    pub(super) fn regions(&mut self, runs: &ColorRuns, debug: &Debug, regions: &mut Regions) {
        self.connect(&runs.runs);
        self.numbers.clear();
        for (index, run) in runs.runs.iter().enumerate() {
            let first = self.first(index);
            let number = if first == index { regions.regions.len() } else { self.numbers[first] };
            self.numbers.push(number);
            if first == index {
                regions.regions.push(Region { left: run.begin, top: run.row, ..Region::default() });
            }
            regions.regions[number].add(run);
        }
        regions.regions.iter_mut().for_each(|region| region.center /= f64::from(region.area));
        regions.regions.retain(|region| region.area >= self.parameters.smallest);
        debug.draw("CameraImage/regions", |canvas| {
            for Region { left, top, right, bottom, .. } in &regions.regions {
                let corners = [[*left, *top], [*right, *top], [*right, *bottom], [*left, *bottom]];
                canvas.polygon(corners.map(|corner| corner.map(|place| place as f32)), Color::YELLOW.with_opacity(0.6));
            }
        });
    }

    fn connect(&mut self, runs: &[Run]) {
        self.parents.clear();
        self.parents.extend(0..runs.len());
        // The first run of the row above that may touch.
        let mut above = 0;
        for (current, run) in runs.iter().enumerate() {
            let is_past = |other: &Run| other.row + 1 < run.row || (other.row + 1 == run.row && other.end < run.begin);
            while is_past(&runs[above]) {
                above += 1;
            }
            let touching = runs[above..current].iter().take_while(|it| it.row + 1 == run.row && it.begin <= run.end);
            for other in above..above + touching.count() {
                let (one, other) = (self.first(current), self.first(other));
                self.parents[one.max(other)] = one.min(other);
            }
        }
    }

    /// Returns the first run of the region of a run, as far as it is connected, and shortens the
    /// way to it.
    fn first(&mut self, run: usize) -> usize {
        let mut run = run;
        while self.parents[run] != run {
            self.parents[run] = self.parents[self.parents[run]];
            run = self.parents[run];
        }
        run
    }
}

impl Region {
    /// Adds a run; until the last one, `center` is the sum over the pixels.
    fn add(&mut self, run: &Run) {
        let length = run.end - run.begin;
        let middle = dvec2(f64::from(run.begin + run.end) / 2.0, f64::from(run.row) + 0.5);
        self.area += length;
        self.center += f64::from(length) * middle;
        self.left = self.left.min(run.begin);
        self.right = self.right.max(run.end);
        self.bottom = run.row + 1;
    }

    /// Returns the width and the height of the box around it.
    pub(super) fn size(&self) -> DVec2 {
        dvec2(f64::from(self.right - self.left), f64::from(self.bottom - self.top))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulator::Random;

    const SIZE: usize = 24;
    type Bitmap = [[bool; SIZE]; SIZE];

    fn regions(bitmap: &Bitmap) -> Vec<Region> {
        let runs = (0..).zip(bitmap).flat_map(|(row, line)| {
            let is_begin = |column: &usize| line[*column] && (*column == 0 || !line[column - 1]);
            let run = move |begin: usize| {
                let length = line[begin..].iter().take_while(|is_set| **is_set).count();
                Run { row, begin: begin as u32, end: (begin + length) as u32 }
            };
            (0..SIZE).filter(is_begin).map(run).collect::<Vec<_>>()
        });
        let mut finder = RegionFinder::create(RegionFinderParameters { smallest: 1 });
        let mut found = Regions::default();
        finder.regions(&ColorRuns { runs: runs.collect() }, &Debug::default(), &mut found);
        found.regions
    }

    /// Fills regions pixel by pixel.
    fn flooded(mut bitmap: Bitmap) -> Vec<Region> {
        let mut regions = Vec::new();
        for row in 0..SIZE {
            for column in 0..SIZE {
                let mut pixels = vec![(row, column)];
                let mut region =
                    Region { left: u32::MAX, top: u32::MAX, right: 0, bottom: 0, area: 0, center: DVec2::ZERO };
                while let Some((row, column)) = pixels.pop() {
                    if !std::mem::take(&mut bitmap[row][column]) {
                        continue;
                    }
                    let (x, y) = (column as u32, row as u32);
                    region.area += 1;
                    region.center += dvec2(f64::from(x) + 0.5, f64::from(y) + 0.5);
                    (region.left, region.right) = (region.left.min(x), region.right.max(x + 1));
                    (region.top, region.bottom) = (region.top.min(y), region.bottom.max(y + 1));
                    let near = |place: usize| place.saturating_sub(1)..(place + 2).min(SIZE);
                    pixels.extend(near(row).flat_map(|row| near(column).map(move |column| (row, column))));
                }
                if region.area > 0 {
                    region.center /= f64::from(region.area);
                    regions.push(region);
                }
            }
        }
        regions
    }

    #[test]
    fn regions_are_those_that_a_flood_fill_finds() {
        let mut random = Random::new(1);
        for density in [0.1, 0.3, 0.4, 0.5, 0.7] {
            for _ in 0..100 {
                let bitmap = [[(); SIZE]; SIZE].map(|line| line.map(|()| random.uniform(0.0..1.0) < density));
                let (found, expected) = (regions(&bitmap), flooded(bitmap));
                assert_eq!(found.len(), expected.len());
                for (found, expected) in found.iter().zip(&expected) {
                    assert!(found.center.abs_diff_eq(expected.center, 1e-9));
                    assert_eq!(Region { center: expected.center, ..*found }, *expected);
                }
            }
        }
    }
}
