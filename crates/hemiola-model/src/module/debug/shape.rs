use super::ShortText;
use std::fmt;
use std::ops::Deref;

/// A shape drawn in a space; lengths are in the space's own unit.
///
/// [`Canvas`](super::Canvas) and [`Scene`](super::Scene) create shapes.
///
/// ```
/// use hemiola_model::module::Shape;
///
/// // Which ellipse is a covariance? Here one that is long along the first axis.
/// let Shape::Ellipse { axes, angle, .. } = Shape::covariance([0.0, 0.0], [[4.0, 0.0], [0.0, 1.0]]) else { panic!() };
/// assert_eq!((axes, angle), ([2.0, 1.0], 0.0));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Points.
    Points(Points<2, 9>),
    /// A line from point to point; that of a polygon ends where it begins. Lines of many points are
    /// split into pieces.
    Line(Points<2, 9>),
    /// An arrow.
    Arrow {
        /// The point where the arrow begins.
        from: [f32; 2],
        /// The point of the arrow's head.
        to: [f32; 2],
    },
    /// A circle.
    Circle {
        /// The centre.
        center: [f32; 2],
        /// The radius.
        radius: f32,
    },
    /// An ellipse.
    Ellipse {
        /// The centre.
        center: [f32; 2],
        /// Half of the length along the first and the second axis.
        axes: [f32; 2],
        /// The direction of the first axis: the angle from x towards y, in radians.
        angle: f32,
    },
    /// A text.
    Text {
        /// The point where the text begins.
        at: [f32; 2],
        /// The words of the text.
        text: ShortText,
    },
    /// Points in space.
    Points3d(Points<3, 6>),
    /// A line in space, from point to point.
    Line3d(Points<3, 6>),
    /// An arrow in space.
    Arrow3d {
        /// The point where the arrow begins.
        from: [f32; 3],
        /// The point of the arrow's head.
        to: [f32; 3],
    },
    /// The three axes of a coordinate frame: red, green, blue.
    Frame {
        /// The origin of the frame.
        position: [f32; 3],
        /// The rotation of the frame, a unit quaternion: x, y, z, w.
        rotation: [f32; 4],
        /// The length at which the axes are drawn.
        length: f32,
    },
    /// A text in space.
    Text3d {
        /// The point where the text begins.
        at: [f32; 3],
        /// The words of the text.
        text: ShortText,
    },
    /// A solid sphere.
    Sphere {
        /// The centre.
        center: [f32; 3],
        /// The radius.
        radius: f32,
    },
    /// A solid box.
    Cuboid {
        /// The centre.
        center: [f32; 3],
        /// The lengths of its edges along its own axes.
        size: [f32; 3],
        /// The rotation of its axes, a unit quaternion: x, y, z, w.
        rotation: [f32; 4],
    },
    /// A solid cylinder with half a sphere at each end.
    Capsule {
        /// The centre of the sphere at one end.
        from: [f32; 3],
        /// The centre of the sphere at the other end.
        to: [f32; 3],
        /// The radius of the cylinder and of both spheres.
        radius: f32,
    },
    /// The place of another space in this one: what is drawn there is seen here.
    Place {
        /// The name of the other space.
        space: &'static str,
        /// The origin of the other space.
        at: [f32; 2],
        /// The direction of its x axis: the angle from x towards y, in radians.
        angle: f32,
    },
    /// The place of another space in this one, in three dimensions.
    Place3d {
        /// The name of the other space.
        space: &'static str,
        /// The origin of the other space.
        position: [f32; 3],
        /// The rotation of the other space, a unit quaternion: x, y, z, w.
        rotation: [f32; 4],
    },
    /// An empty drawing: what the update drew in earlier runs disappears.
    Nothing,
}

impl Shape {
    /// Returns the ellipse of one standard deviation.
    pub fn covariance(mean: [f32; 2], covariance: [[f32; 2]; 2]) -> Self {
        let [[xx, xy], [_, yy]] = covariance;
        let (middle, half) = ((xx + yy) / 2.0, (xx - yy) / 2.0);
        let distance = half.hypot(xy);
        // Rounding may make the smaller variance negative.
        let axes = [middle + distance, middle - distance].map(|variance| variance.max(0.0).sqrt());
        Self::Ellipse { center: mean, axes, angle: xy.atan2(half) / 2.0 }
    }
}

/// A few points: at most `CAPACITY`, of `D` coordinates each.
///
/// ```
/// use hemiola_model::module::Points;
///
/// let corners: Points<2, 9> = [[0.0, 0.0], [1.0, 0.0]].into_iter().collect();
/// assert_eq!(corners.last(), Some(&[1.0, 0.0]));
/// ```
#[derive(Clone, Copy)]
pub struct Points<const D: usize, const CAPACITY: usize> {
    count: u8,
    points: [[f32; D]; CAPACITY],
}

impl<const D: usize, const CAPACITY: usize> Points<D, CAPACITY> {
    /// Appends a point. Returns `false` if there is no room.
    pub fn push(&mut self, point: [f32; D]) -> bool {
        let Some(place) = self.points.get_mut(usize::from(self.count)) else { return false };
        *place = point;
        self.count += 1;
        true
    }
}

impl<const D: usize, const CAPACITY: usize> Default for Points<D, CAPACITY> {
    fn default() -> Self {
        const { assert!(CAPACITY <= u8::MAX as usize) };
        Self { count: 0, points: [[0.0; D]; CAPACITY] }
    }
}

/// Collects as many points as fit.
impl<const D: usize, const CAPACITY: usize> FromIterator<[f32; D]> for Points<D, CAPACITY> {
    fn from_iter<I: IntoIterator<Item = [f32; D]>>(points: I) -> Self {
        let mut some = Self::default();
        points.into_iter().take(CAPACITY).for_each(|point| _ = some.push(point));
        some
    }
}

impl<const D: usize, const CAPACITY: usize> Deref for Points<D, CAPACITY> {
    type Target = [[f32; D]];

    fn deref(&self) -> &Self::Target {
        &self.points[..usize::from(self.count)]
    }
}

impl<const D: usize, const CAPACITY: usize> PartialEq for Points<D, CAPACITY> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<const D: usize, const CAPACITY: usize> fmt::Debug for Points<D, CAPACITY> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}
