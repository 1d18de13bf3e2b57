//! Types that need each other, in one module.
use std::ops::Add;
use warpwise::device;

/// A vector in the plane.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector2 {
    /// To the right.
    pub x: f32,
    /// Up.
    pub y: f32,
}

/// Rows of a matrix.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix2 {
    /// The rows.
    pub rows: [Vector2; 2],
}

#[device]
impl Matrix2 {
    /// By a quarter.
    pub fn rotation() -> Self {
        Self { rows: [Vector2 { x: 0.0, y: -1.0 }, Vector2 { x: 1.0, y: 0.0 }] }
    }

    /// The product.
    pub fn apply(self, v: Vector2) -> Vector2 {
        v.times(self)
    }
}

#[device]
impl Vector2 {
    /// Both are 1.
    pub const ONE: Self = Self { x: 1.0, y: 1.0 };

    /// The product.
    pub fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y
    }

    /// What the matrix makes of it.
    fn times(self, m: Matrix2) -> Self {
        Self { x: m.rows[0].dot(self), y: m.rows[1].dot(self) }
    }
}

#[device]
impl Add for Vector2 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}
