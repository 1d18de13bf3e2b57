//! A trait, for a type of its own and for numbers.
use warpwise::device;

/// What has a volume.
#[device]
pub trait Solid: Copy {
    /// How often it is counted.
    const COUNT: f32 = 1.0;

    /// The volume of one.
    fn single(self) -> f32;

    /// The volume of all.
    fn volume(self) -> f32 {
        self.single() * Self::COUNT
    }
}

/// A ball, roughly.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Half of its width.
    pub radius: f32,
}

#[device]
impl Solid for Ball {
    const COUNT: f32 = 4.0;

    fn single(self) -> f32 {
        self.radius * self.radius * self.radius
    }
}

#[device]
impl Solid for f32 {
    fn single(self) -> f32 {
        self
    }
}

/// Of a cube with sides of 1.
#[device]
pub const UNIT: f32 = 1.0;

/// Two of them.
#[device]
pub fn twice<S: Solid>(solid: S) -> f32 {
    2.0 * solid.volume()
}
