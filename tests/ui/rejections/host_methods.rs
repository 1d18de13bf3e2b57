//! Methods of the host among those of kernel code.
use warpwise::prelude::*;

#[device]
#[derive(Clone, Copy)]
pub struct Point {
    x: f32,
    y: f32,
}

#[device]
impl Point {
    pub fn norm(self) -> f32 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    pub fn row(n: usize) -> Vec<Point> {
        (0..n).map(|i| Point { x: i as f32, y: 1.0 }).collect()
    }

    pub fn save(&self) {
        let text = format!("{} {}", self.x, self.y);
        std::fs::write("point", text).unwrap();
    }

    pub fn read(from: &mut std::fs::File) -> f32 {
        0.0
    }
}

#[device]
impl Default for Point {
    fn default() -> Self {
        let parts = vec![0.0, 1.0];
        Self { x: parts[0], y: parts[1] }
    }
}

#[device]
#[derive(Clone, Copy)]
pub struct Disc {
    radius: f32,
}

#[device]
impl Disc {
    pub fn upload(self, device: &Device) -> warpwise::Result<Buffer<Disc>> {
        device.upload(&[self])
    }
}

#[kernel]
fn norms(p: &[Point], y: &mut [f32]) {
    let i = global_idx_x();
    if i < p.len() && i < y.len() {
        y[i] = p[i].norm();
    }
}

fn main() {}
