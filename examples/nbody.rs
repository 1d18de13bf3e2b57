//! All-pairs n-body: every body is pulled by every other. The threads of a block load a tile of
//! bodies into shared memory, and each of them adds up the pulls of the whole tile.
use std::ops::{Add, AddAssign, Mul, Sub};
use warpwise::prelude::*;
use warpwise_examples::{report, time, verify};

/// Added to each squared distance, so that close encounters stay finite.
const SOFTENING: f32 = 1e-3;
const TILE: usize = 256;

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[device]
impl Vec3 {
    const ZERO: Self = Self { x: 0.0, y: 0.0, z: 0.0 };

    fn squared_length(self) -> f32 {
        self.x * self.x + self.y * self.y + self.z * self.z
    }
}

#[device]
impl Add for Vec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

#[device]
impl AddAssign for Vec3 {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

#[device]
impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

#[device]
impl Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Body {
    position: Vec3,
    mass: f32,
    velocity: Vec3,
}

#[device]
impl Body {
    /// The acceleration that `other` causes here; none if it is this body.
    fn pull(&self, other: &Body, softening: f32) -> Vec3 {
        let away = other.position - self.position;
        let distance = (away.squared_length() + softening).sqrt();
        away * (other.mass / (distance * distance * distance))
    }

    /// The body, `seconds` later.
    fn moved(mut self, acceleration: Vec3, seconds: f32) -> Self {
        self.velocity += acceleration * seconds;
        self.position += self.velocity * seconds;
        self
    }
}

// Without contraction each operation rounds by itself, as in host code, so that `pull` and
// `moved` give the same bits on the host.
#[kernel(block = TILE, open(TILE, SOFTENING), contract = false)]
fn step(seconds: f32, bodies: &[Body], next: &mut [Body]) {
    let tile = shared!([Body; TILE]);
    let t = thread_idx_x();
    let i = global_idx_x();
    let body = bodies[i.min(bodies.len() - 1)];

    let mut acceleration = Vec3::ZERO;
    for start in (0..bodies.len()).step_by(TILE) {
        if start + t < bodies.len() {
            tile[t] = bodies[start + t];
        }
        sync_threads();
        for k in 0..TILE.min(bodies.len() - start) {
            acceleration += body.pull(&tile[k], SOFTENING);
        }
        sync_threads();
    }
    if i < bodies.len() {
        next[i] = body.moved(acceleration, seconds);
    }
}

/// The same, one body after the other.
fn reference(seconds: f32, bodies: &[Body]) -> Vec<Body> {
    let moved = |body: &Body| {
        let mut acceleration = Vec3::ZERO;
        for other in bodies {
            acceleration += body.pull(other, SOFTENING);
        }
        body.moved(acceleration, seconds)
    };
    bodies.iter().map(moved).collect()
}

/// A disc of bodies that rotates around a heavy one.
fn galaxy(n: usize) -> Vec<Body> {
    let body = |i: usize| {
        let (radius, angle) = (0.5 + i as f32 / n as f32, i as f32 * 2.399_963);
        let (sin, cos) = angle.sin_cos();
        let height = (i % 17) as f32 / 170.0 - 0.05;
        Body {
            position: Vec3 { x: radius * cos, y: radius * sin, z: height },
            mass: if i == 0 { 100.0 } else { 1e-3 },
            velocity: Vec3 { x: -sin, y: cos, z: 0.0 } * (100.0 / radius).sqrt(),
        }
    };
    (0..n).map(body).collect()
}

fn main() -> warpwise::Result<()> {
    let (n, steps, seconds) = (5000, 3, 1e-3);
    let mut host = galaxy(n);

    let device = Device::auto()?;
    let mut bodies = device.upload(&host)?;
    let mut next = device.upload(&host)?;
    let took = time(&device, || {
        for _ in 0..steps {
            step::launch(&device, LaunchConfig::cover(n), seconds, &bodies, &mut next)?;
            std::mem::swap(&mut bodies, &mut next);
        }
        Ok(())
    })?;

    for _ in 0..steps {
        host = reference(seconds, &host);
    }
    verify(&bodies.to_vec()?, host);
    report("nbody", format_args!("{n} bodies, {steps} steps"), &device, took);
    Ok(())
}
