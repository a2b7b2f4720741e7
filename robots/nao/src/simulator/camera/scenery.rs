//! The static scenery: carpet, lines, the floor around them and the hall's walls.

use std::f32::consts::TAU;

use glam::{Vec2, Vec3};

use super::{BLOCK, Color, Projection, Row};
use crate::field::{BORDER, LENGTH, LINE_WIDTH, WIDTH, distance_to_line};
use crate::simulator::random::Random;

const CARPET: Color = Color::rgb(58.0, 134.0, 68.0);
const PAINT: Color = Color::rgb(222.0, 230.0, 220.0);
const FLOOR: Color = Color::rgb(112.0, 100.0, 90.0);
const CEILING: Color = Color::rgb(150.0, 152.0, 156.0);

/// Half the size of the carpet.
const CARPET_HALF: Vec2 = Vec2::new(LENGTH / 2.0 + BORDER, WIDTH / 2.0 + BORDER);
/// The distances of the hall's walls from the centre of the field.
const HALL_HALF: Vec2 = Vec2::new(8.5, 7.0);
const HALL_HEIGHT: f32 = 3.4;

/// The number of texels per metre of carpet.
const CARPET_SCALE: f32 = 100.0;
/// The steps of the line distance per metre: 0.5 mm up to 12.7 cm.
const DISTANCE_SCALE: f32 = 2000.0;
/// The steps of the light on the carpet; the light of step 0 is below.
const LIGHT_SCALE: f32 = 256.0;
const DARKEST: f32 = 0.5;
/// The number of texels per metre of wall.
const WALL_SCALE: f32 = 25.0;
/// The slope per metre of depth above which a ray does not hit the ground.
const HORIZON: f32 = -1e-3;
/// The maximum number of samples per pixel: a far pixel covers a long strip of carpet.
const MOST_SAMPLES: f32 = 6.0;
/// The number of 256ths of texels per metre of carpet.
const TEXEL: f32 = CARPET_SCALE * 256.0;

/// A point of the carpet: two numbers that are interpolated at once.
///
/// The lower half is the distance to the middle of the nearest line, which unlike a colour can be
/// interpolated and still has sharp edges (Green: Improved Alpha-Tested Magnification for Vector
/// Textures and Special Effects, 2007). The upper half is the light. Both have 8 bits, with 8 bits
/// of room for products.
#[derive(Clone, Copy, Debug)]
struct Texel(u32);

impl Texel {
    fn new(line_distance: f32, light: f32) -> Self {
        let line_distance = (line_distance * DISTANCE_SCALE) as u8;
        let light = ((light - DARKEST) * LIGHT_SCALE) as u8;
        Self(u32::from(line_distance) | u32::from(light) << 16)
    }

    /// Interpolates to `other` by `part` of 256.
    #[inline]
    fn towards(self, other: Self, part: u32) -> Self {
        Self(((self.0 * (256 - part) + other.0 * part) >> 8) & 0x00ff_00ff)
    }

    /// Returns the distance in steps of [`DISTANCE_SCALE`].
    #[inline]
    fn line_distance(self) -> f32 {
        (self.0 & 0xff) as f32
    }

    /// Returns the light, relative to normal.
    #[inline]
    fn light(self) -> f32 {
        (self.0 >> 16) as f32 * (1.0 / LIGHT_SCALE) + DARKEST
    }
}

/// Textures of carpet and walls, the same in every run.
pub(super) struct Scenery {
    carpet: Vec<Texel>,
    carpet_size: [usize; 2],
    /// Four walls side by side, rows from the floor upwards.
    wall: Vec<Color>,
    wall_size: [usize; 2],
}

impl Scenery {
    pub(super) fn new() -> Self {
        let mut random = Random::new(0x6861_6c6c);
        let (carpet, carpet_size) = carpet(&mut random);
        let (wall, wall_size) = wall(&mut random);
        Self { carpet, carpet_size, wall, wall_size }
    }

    /// Returns the carpet at a position in 256ths of texels, between four texels.
    #[inline]
    fn carpet_at(&self, x: u32, y: u32) -> Texel {
        let width = self.carpet_size[0];
        let start = (y as usize >> 8) * width + (x as usize >> 8);
        let upper = &self.carpet[start..start + 2];
        let lower = &self.carpet[start + width..start + width + 2];
        let near = upper[0].towards(upper[1], x & 0xff);
        let far = lower[0].towards(lower[1], x & 0xff);
        near.towards(far, y & 0xff)
    }

    /// Returns the colour of the hall behind the carpet (floor, walls and ceiling) along a ray.
    #[inline]
    fn hall(&self, from: Vec3, ray: Vec3) -> Color {
        // For a ray along a wall, the distance to it is infinite.
        let way = |from: f32, ray: f32, wall: f32| (wall.copysign(ray) - from) / ray;
        let (to_x, to_y) = (way(from.x, ray.x, HALL_HALF.x), way(from.y, ray.y, HALL_HALF.y));
        let distance = to_x.min(to_y);
        let height = from.z + ray.z * distance;
        if height <= 0.0 {
            // The floor is darker farther away, because the lamps hang over the field.
            return FLOOR.lit(1.1 - 0.03 * (from.z / -ray.z.min(-1e-6)).min(12.0));
        }
        if height >= HALL_HEIGHT {
            return CEILING;
        }
        let hit = from + ray * distance;
        let [width, _] = self.wall_size;
        let (number, along) = if to_x < to_y {
            (if ray.x > 0.0 { 0 } else { 1 }, hit.y + HALL_HALF.x)
        } else {
            (if ray.y > 0.0 { 2 } else { 3 }, hit.x + HALL_HALF.x)
        };
        let quarter = width / 4;
        let column = number * quarter + ((along.max(0.0) * WALL_SCALE) as usize).min(quarter - 1);
        self.wall[(height * WALL_SCALE) as usize * width + column]
    }
}

/// The scenery in the view of a camera.
pub(super) struct Ground<'a> {
    scenery: &'a Scenery,
    from: Vec3,
    origin: Vec3,
    /// The step from one column of the image to the next; that from one line to the next is below.
    right: Vec3,
    down: Vec3,
}

impl<'a> Ground<'a> {
    pub(super) fn new(scenery: &'a Scenery, projection: &Projection) -> Self {
        let origin = projection.ray(0.0, 0.0);
        Self {
            scenery,
            from: projection.pose().translation,
            origin,
            right: projection.ray(1.0, 0.0) - origin,
            down: projection.ray(0.0, 1.0) - origin,
        }
    }

    /// Fills a row whose pixels have their centre at `v`.
    pub(super) fn draw(&self, v: f32, row: &mut Row) {
        for start in (0..row.width()).step_by(BLOCK) {
            let length = BLOCK.min(row.width() - start);
            let first = self.origin + self.down * v + self.right * (start as f32 + 0.5);
            let last = first + self.right * (length - 1) as f32;
            let sees_carpet = |ray: Vec3| self.hit(ray).is_some_and(is_on_carpet);
            // Pixels in a row see a straight line on the ground: all of a block is carpet when its
            // ends are.
            let all_carpet = sees_carpet(first) && sees_carpet(last);
            if first.z.min(last.z) < HORIZON {
                let sampling = self.sampling(0.5 * (first + last));
                self.carpet(first, &sampling, row.block(start));
            }
            if !all_carpet {
                for index in 0..length {
                    let ray = first + self.right * index as f32;
                    if !sees_carpet(ray) {
                        row.set(start + index, self.scenery.hall(self.from, ray));
                    }
                }
            }
        }
    }

    /// Returns where a ray hits the ground.
    #[inline]
    fn hit(&self, ray: Vec3) -> Option<Vec2> {
        (ray.z < HORIZON).then(|| self.from.truncate() - ray.truncate() * (self.from.z / ray.z))
    }

    /// Renders the carpet along the rays of a block. The result for a ray that misses the carpet is
    /// undefined.
    ///
    /// It takes three passes, of which the compiler vectorises all but the look-ups.
    fn carpet(&self, first: Vec3, sampling: &Sampling, [y, cb, cr]: [&mut [f32; BLOCK]; 3]) {
        let [width, height] = self.scenery.carpet_size.map(|size| (size - 2) as f32 * 256.0);
        let origin = (self.from.truncate() + CARPET_HALF) * TEXEL;
        let scale = -self.from.z * TEXEL;
        let (mut covered, mut light) = ([0.0; BLOCK], [0.0; BLOCK]);
        for sample in 0..sampling.count {
            let ray = first + self.down * (sampling.first + sample as f32 * sampling.step);
            let (mut columns, mut lines) = ([0; BLOCK], [0; BLOCK]);
            for index in 0..BLOCK {
                let offset = index as f32;
                let way = scale / (ray.z + self.right.z * offset);
                columns[index] = whole(origin.x + way * (ray.x + self.right.x * offset), width);
                lines[index] = whole(origin.y + way * (ray.y + self.right.y * offset), height);
            }
            let (mut distances, mut lights) = ([0.0; BLOCK], [0.0; BLOCK]);
            for index in 0..BLOCK {
                let texel = self.scenery.carpet_at(columns[index], lines[index]);
                (distances[index], lights[index]) = (texel.line_distance(), texel.light());
            }
            for index in 0..BLOCK {
                covered[index] += sampling.coverage(distances[index]);
                light[index] += lights[index];
            }
        }
        for index in 0..BLOCK {
            let (covered, light) = (covered[index] * sampling.step, light[index] * sampling.step);
            y[index] = light * (CARPET.y + covered * (PAINT.y - CARPET.y));
            cb[index] = light * (CARPET.cb + covered * (PAINT.cb - CARPET.cb));
            cr[index] = light * (CARPET.cr + covered * (PAINT.cr - CARPET.cr));
        }
    }

    /// Returns the size of a pixel on the ground, and the number of its sample points.
    fn sampling(&self, ray: Vec3) -> Sampling {
        let neighbours = self.hit(ray).zip(self.hit(ray + self.right).zip(self.hit(ray + self.down)));
        let Some((point, (right, below))) = neighbours else { return Sampling::new(0.02, 1.0) };
        let (width, depth) = (point.distance(right).max(1e-4), point.distance(below).max(1e-4));
        let count = (depth / (1.5 * width)).ceil().clamp(1.0, MOST_SAMPLES);
        Sampling::new(width.max(depth / count), count)
    }
}

/// The sample points on the ground of the pixels in a block, several along a column.
struct Sampling {
    count: usize,
    /// The step between two points, in image lines; also the weight of one.
    step: f32,
    /// The first point, in image lines from the pixel's middle.
    first: f32,
    /// The size of a sample on the ground, in steps of [`DISTANCE_SCALE`].
    footprint: f32,
    inverse_footprint: f32,
}

impl Sampling {
    /// Creates a sampling with a `footprint` in metres.
    fn new(footprint: f32, count: f32) -> Self {
        let footprint = footprint * DISTANCE_SCALE;
        let step = 1.0 / count;
        Self { count: count as usize, step, first: 0.5 * step - 0.5, footprint, inverse_footprint: 1.0 / footprint }
    }

    /// Returns the painted share of a footprint at `distance` from the centre of a line.
    #[inline]
    fn coverage(&self, distance: f32) -> f32 {
        let half = 0.5 * LINE_WIDTH * DISTANCE_SCALE;
        let (from, to) = (distance - 0.5 * self.footprint, distance + 0.5 * self.footprint);
        ((to.min(half) - from.max(-half)) * self.inverse_footprint).max(0.0)
    }
}

/// Converts `value`, limited to between 0 and `largest` (below 2^22), to a whole number. Unlike a
/// cast, this is a vector instruction: in a number from 2^23 on, the last bit counts as 1.
#[inline]
fn whole(value: f32, largest: f32) -> u32 {
    const SHIFT: f32 = (1 << 23) as f32;
    (value.max(0.0).min(largest) + SHIFT).to_bits() & 0x007f_ffff
}

fn is_on_carpet(point: Vec2) -> bool {
    point.abs().cmplt(CARPET_HALF).all()
}

/// Returns the texture of the carpet: line distances, the light of the lamps, and the grain.
fn carpet(random: &mut Random) -> (Vec<Texel>, [usize; 2]) {
    const TILE: usize = 16;
    let size = [(2.0 * CARPET_HALF.x * CARPET_SCALE) as usize + 1, (2.0 * CARPET_HALF.y * CARPET_SCALE) as usize + 1];
    let [width, height] = size;
    let waves = Waves::new(random, 5, 0.1..0.5);
    let at = |column: usize, line: usize| Vec2::new(column as f32, line as f32) / CARPET_SCALE - CARPET_HALF;
    // Most of the carpet is far from every line, which a test of each tile's corner shows.
    let saturated = f32::from(u8::MAX) / DISTANCE_SCALE;
    let tiles = |texels: usize| texels.div_ceil(TILE);
    let is_far = |tile: usize| {
        let corner = at(tile % tiles(width) * TILE, tile / tiles(width) * TILE);
        distance_to_line(corner) > saturated + 1.5 * TILE as f32 / CARPET_SCALE
    };
    let far: Vec<bool> = (0..tiles(width) * tiles(height)).map(is_far).collect();

    let mut texels = Vec::with_capacity(width * height);
    let mut lamps = 1.0;
    for line in 0..height {
        for column in 0..width {
            let point = at(column, line);
            let is_far = far[line / TILE * tiles(width) + column / TILE];
            let distance = if is_far { saturated } else { distance_to_line(point) };
            // Lamps over the middle; their light changes slowly, so one look at it is enough for
            // some texels.
            if column.is_multiple_of(4) {
                lamps = 1.06 - 0.006 * point.length_squared() + 0.05 * waves.at(point);
            }
            // Seams of the carpet's strips every two metres.
            let seam = if (point.y + 1.0).rem_euclid(2.0) < 0.015 { 0.93 } else { 1.0 };
            let grain = 1.0 + 0.05 * random.normal();
            texels.push(Texel::new(distance, lamps * seam * grain));
        }
    }
    (texels, size)
}

/// Returns the texture of the walls: boards with advertisements, rows of people, and the wall above
/// them.
fn wall(random: &mut Random) -> (Vec<Color>, [usize; 2]) {
    let quarter = (2.0 * HALL_HALF.x * WALL_SCALE) as usize + 1;
    let size = [4 * quarter, (HALL_HEIGHT * WALL_SCALE) as usize + 1];
    let [width, height] = size;
    let boards = painted_blocks(random, width, 40, 130, 90.0);
    let people = painted_blocks(random, width, 8, 16, 70.0);
    let heads: Vec<f32> = (0..width).map(|_| random.uniform(0.0..0.2)).collect();
    let waves = Waves::new(random, 5, 0.3..2.0);
    let mut colors = Vec::with_capacity(width * height);
    for line in 0..height {
        for column in 0..width {
            let (x, z) = (column as f32 / WALL_SCALE, line as f32 / WALL_SCALE);
            let shade = 1.0 + 0.1 * waves.at(Vec2::new(x, 3.0 * z)) + 0.03 * random.normal();
            let color = if z < 0.8 {
                boards[column]
            } else if z < 1.5 + heads[column / 10 * 10] {
                people[column].lit(0.8 + 0.4 * (z - 0.8))
            } else {
                let window = (2.3..2.9).contains(&z) && x.rem_euclid(2.6) < 1.6;
                if window { Color::rgb(205.0, 214.0, 226.0) } else { Color::rgb(158.0, 150.0, 140.0) }
            };
            colors.push(color.lit(shade));
        }
    }
    (colors, size)
}

/// Returns a strip of `width` texels in blocks of random length and colour; greys are more frequent
/// than colours.
fn painted_blocks(random: &mut Random, width: usize, shortest: usize, longest: usize, level: f32) -> Vec<Color> {
    let mut strip = Vec::with_capacity(width + longest);
    while strip.len() < width {
        let length = random.uniform(shortest as f32..longest as f32) as usize;
        let grey = random.uniform(0.4 * level..1.8 * level);
        let mut tone = || (grey + random.normal() * 0.25 * level).clamp(15.0, 225.0);
        let color = Color::rgb(tone(), tone(), tone());
        strip.extend(std::iter::repeat_n(color, length));
    }
    strip
}

/// A smooth random function of the plane: a sum of plane waves, between about -2 and 2.
struct Waves {
    waves: Vec<(Vec2, f32)>,
}

impl Waves {
    /// Creates waves with `frequencies` in cycles per metre.
    fn new(random: &mut Random, count: usize, frequencies: std::ops::Range<f32>) -> Self {
        let wave = |random: &mut Random| {
            let direction = Vec2::from_angle(random.uniform(0.0..TAU));
            (direction * TAU * random.uniform(frequencies.clone()), random.uniform(0.0..TAU))
        };
        Self { waves: (0..count).map(|_| wave(random)).collect() }
    }

    fn at(&self, point: Vec2) -> f32 {
        let sum: f32 = self.waves.iter().map(|(wave, phase)| (wave.dot(point) + phase).sin()).sum();
        sum / (self.waves.len() as f32).sqrt()
    }
}
