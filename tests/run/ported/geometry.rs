//! Geometry: ray tracing of spheres and planes, the classification of `marchingCubes`, and the grid
//! of `particles`.
use super::noise;
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use std::ops::{Add, Mul, Sub};
use warpwise::prelude::*;

cases![tracing, marching_cubes, collisions];

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Vec3 {
    x: f32,
    y: f32,
    z: f32,
}

#[device]
impl Vec3 {
    fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn length(self) -> f32 {
        self.dot(self).sqrt()
    }

    fn normalized(self) -> Self {
        self * self.length().recip()
    }
}

#[device]
impl Add for Vec3 {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

#[device]
impl Sub for Vec3 {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self::new(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

#[device]
impl Mul<f32> for Vec3 {
    type Output = Self;
    fn mul(self, by: f32) -> Self {
        Self::new(self.x * by, self.y * by, self.z * by)
    }
}

#[device]
#[derive(Clone, Copy)]
struct Ray {
    origin: Vec3,
    direction: Vec3,
}

#[device]
#[derive(Clone, Copy)]
struct Hit {
    distance: f32,
    normal: Vec3,
    color: f32,
}

#[device]
#[derive(Clone, Copy)]
enum Shape {
    Sphere { center: Vec3, radius: f32 },
    Plane { normal: Vec3, offset: f32 },
}

#[device]
#[derive(Clone, Copy)]
struct Body {
    shape: Shape,
    color: f32,
}

#[device]
trait Traced {
    fn hit(&self, ray: &Ray) -> Option<Hit>;
}

#[device]
impl Traced for Body {
    fn hit(&self, ray: &Ray) -> Option<Hit> {
        let color = self.color;
        let (distance, normal) = match self.shape {
            Shape::Sphere { center, radius } => {
                let from = ray.origin - center;
                let half = from.dot(ray.direction);
                let root = half * half - from.dot(from) + radius * radius;
                if root < 0.0 {
                    return None;
                }
                let distance = -half - root.sqrt();
                let point = ray.origin + ray.direction * distance;
                (distance, (point - center) * radius.recip())
            }
            Shape::Plane { normal, offset } => {
                let along = ray.direction.dot(normal);
                if along.abs() < 1e-6 {
                    return None;
                }
                ((offset - ray.origin.dot(normal)) / along, normal)
            }
        };
        if distance > 1e-3 { Some(Hit { distance, normal, color }) } else { None }
    }
}

/// Returns the nearest hit among the bodies.
#[device]
fn nearest(bodies: &[Body], ray: &Ray) -> Option<Hit> {
    let mut best: Option<Hit> = None;
    for body in bodies {
        if let Some(hit) = body.hit(ray) {
            if best.is_none_or(|best| hit.distance < best.distance) {
                best = Some(hit);
            }
        }
    }
    best
}

#[device]
fn shade(bodies: &[Body], mut ray: Ray, light: Vec3) -> f32 {
    let (mut brightness, mut weight) = (0.0, 1.0);
    for _ in 0..3 {
        let Some(Hit { distance, normal, color }) = nearest(bodies, &ray) else {
            brightness += weight * 0.25;
            break;
        };
        let point = ray.origin + ray.direction * distance;
        let to_light = Ray { origin: point, direction: light };
        let lit = match nearest(bodies, &to_light) {
            Some(_) => 0.1,
            None => normal.dot(light).max(0.1),
        };
        brightness += weight * color * lit;
        weight *= 0.5;
        let direction = ray.direction - normal * (2.0 * ray.direction.dot(normal));
        ray = Ray { origin: point, direction };
    }
    brightness
}

#[kernel(contract = false)]
fn render(width: usize, light: Vec3, bodies: &[Body], image: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    let height = image.len() / width;
    if x < width && y < height {
        let (u, v) = (x as f32 / width as f32 - 0.5, 0.5 - y as f32 / height as f32);
        let direction = Vec3::new(u, v, 1.0).normalized();
        let ray = Ray { origin: Vec3::default(), direction };
        image[y * width + x] = shade(bodies, ray, light);
    }
}

fn tracing(on: &Engine) -> Check {
    let sphere = |x, y, z, radius, color| Body {
        shape: Shape::Sphere { center: Vec3::new(x, y, z), radius },
        color,
    };
    let floor = Shape::Plane { normal: Vec3::new(0.0, 1.0, 0.0), offset: -1.0 };
    let bodies = vec![
        sphere(0.0, 0.0, 4.0, 1.0, 0.9),
        Body { shape: floor, color: 0.5 },
        sphere(1.2, -0.5, 3.0, 0.5, 0.7),
        sphere(-1.0, 0.6, 3.5, 0.3, 1.0),
    ];
    let (width, light) = (48, Vec3::new(0.5, 0.8, -0.6).normalized());
    let mut image = vec![0.0; 48 * 32];
    let config = LaunchConfig::cover((48, 32));
    launch!(on, render(value width, value light, read bodies, write image), config)?;
    // The host runs the functions, too, and `render` only calls them.
    let want: Vec<f32> = (0..48 * 32)
        .map(|i| {
            let (u, v) = ((i % 48) as f32 / 48.0 - 0.5, 0.5 - (i / 48) as f32 / 32.0);
            let direction = Vec3::new(u, v, 1.0).normalized();
            shade(&bodies, Ray { origin: Vec3::default(), direction }, light)
        })
        .collect();
    same("image", &image, &want)?;
    let mut seen: Vec<u32> = want.iter().map(|v| v.to_bits()).collect();
    seen.sort_unstable();
    seen.dedup();
    let count = seen.len();
    if count < 200 { Err(format!("there are {count} shades to see").into()) } else { Ok(()) }
}

#[device]
#[derive(Clone, Copy)]
struct Volume {
    size: [usize; 3],
    iso: f32,
}

#[device]
impl Volume {
    fn at(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.size[1] + y) * self.size[0] + x
    }

    fn cell(&self, i: usize) -> [usize; 3] {
        let [w, h, _] = self.size;
        [i % w, i / w % h, i / (w * h)]
    }
}

/// Corners of a cell, in the order of the tables of marching cubes.
#[device]
const CORNERS: [[usize; 3]; 8] =
    [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];

/// Finds the corners of a cell that are inside, and the number of its edges that the surface cuts.
#[kernel]
fn classify(volume: Volume, field: &[f32], cells: &mut [u32], edges: &mut [u32]) {
    let i = global_idx_x();
    if i >= field.len() {
        return;
    }
    let [x, y, z] = volume.cell(i);
    if x + 1 >= volume.size[0] || y + 1 >= volume.size[1] || z + 1 >= volume.size[2] {
        return;
    }
    let mut cube = 0u32;
    for (bit, [dx, dy, dz]) in CORNERS.into_iter().enumerate() {
        if field[volume.at([x + dx, y + dy, z + dz])] < volume.iso {
            cube |= 1 << bit;
        }
    }
    cells[i] = cube;
    let mut cut = 0;
    for a in 0..8 {
        for b in a + 1..8 {
            let apart: usize = (0..3).map(|k| CORNERS[a][k].abs_diff(CORNERS[b][k])).sum();
            cut += (apart == 1 && (cube >> a ^ cube >> b) & 1 == 1) as u32;
        }
    }
    edges[i] = cut;
}

fn marching_cubes(on: &Engine) -> Check {
    let volume = Volume { size: [13, 11, 9], iso: 4.5 };
    let place = |i: usize| [i % 13, i / 13 % 11, i / 143];
    let field: Vec<f32> = (0..13 * 11 * 9)
        .map(|i| {
            let [x, y, z] = place(i).map(|v| v as f32);
            ((x - 6.0).powi(2) + (y - 5.0).powi(2) + (z - 4.0).powi(2)).sqrt()
        })
        .collect();
    let (mut cells, mut edges) = (vec![0; field.len()], vec![0; field.len()]);
    let config = LaunchConfig::cover(field.len());
    launch!(on, classify(value volume, read field, write cells, write edges), config)?;
    let (mut want, mut want_edges) = (vec![0; field.len()], vec![0; field.len()]);
    for i in 0..field.len() {
        let [x, y, z] = place(i);
        if x < 12 && y < 10 && z < 8 {
            let inside = |k: usize| {
                let [dx, dy, dz] = [(k ^ k >> 1) & 1, k >> 1 & 1, k >> 2];
                field[i + dx + 13 * dy + 143 * dz] < 4.5
            };
            want[i] = (0..8).fold(0, |cube, k| cube | u32::from(inside(k)) << k);
            let ring = |k: usize| [(k, (k + 1) % 4), (k + 4, (k + 1) % 4 + 4), (k, k + 4)];
            let cut = (0..4).flat_map(ring).filter(|&(a, b)| inside(a) != inside(b));
            want_edges[i] = cut.count() as u32;
        }
    }
    same("cells", &cells, &want)?;
    same("edges", &edges, &want_edges)
}

#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
struct Particle {
    position: Vec3,
    velocity: Vec3,
}

#[device]
#[derive(Clone, Copy)]
struct Cells {
    side: usize,
    size: f32,
}

#[device]
impl Cells {
    fn place(&self, at: Vec3) -> [isize; 3] {
        let place = |v: f32| (v / self.size).floor() as isize;
        [place(at.x), place(at.y), place(at.z)]
    }

    fn hash(&self, [x, y, z]: [isize; 3]) -> usize {
        let wrap = |v: isize| v.rem_euclid(self.side as isize) as usize;
        (wrap(z) * self.side + wrap(y)) * self.side + wrap(x)
    }
}

#[kernel]
fn hashes(cells: Cells, particles: &[Particle], out: &mut [u32]) {
    let i = global_idx_x();
    if let Some(particle) = particles.get(i) {
        out[i] = cells.hash(cells.place(particle.position)) as u32;
    }
}

/// Finds the start and end of each cell in the particles, which are sorted by cell.
#[kernel]
fn cell_ranges(hashes: &[u32], ranges: &mut [[u32; 2]]) {
    let i = global_idx_x();
    if i < hashes.len() {
        let hash = hashes[i] as usize;
        if i == 0 || hashes[i - 1] != hashes[i] {
            ranges[hash][0] = i as u32;
        }
        if i + 1 == hashes.len() || hashes[i + 1] != hashes[i] {
            ranges[hash][1] = i as u32 + 1;
        }
    }
}

/// Springs push overlapping particles apart, within the neighbouring cells.
#[kernel(contract = false)]
fn collide(
    cells: Cells,
    radius: f32,
    ranges: &[[u32; 2]],
    particles: &[Particle],
    out: &mut [Particle],
) {
    let i = global_idx_x();
    if i >= particles.len() {
        return;
    }
    let Particle { position, mut velocity } = particles[i];
    let [x, y, z] = cells.place(position);
    for dz in -1..=1 {
        for dy in -1..=1 {
            for dx in -1..=1 {
                let [start, end] = ranges[cells.hash([x + dx, y + dy, z + dz])];
                for (k, other) in (start as usize..).zip(&particles[start as usize..end as usize]) {
                    let apart = other.position - position;
                    let distance = apart.length();
                    if k != i && distance < 2.0 * radius {
                        velocity = velocity - apart.normalized() * (2.0 * radius - distance);
                    }
                }
            }
        }
    }
    out[i] = Particle { position: position + velocity * 0.5, velocity };
}

fn collisions(on: &Engine) -> Check {
    let (cells, radius) = (Cells { side: 8, size: 1.0 }, 0.5);
    let coordinate = |v: u32| (v >> 8) as f32 / (1 << 21) as f32;
    let start: Vec<Particle> = noise(900)
        .chunks(3)
        .map(|v| Vec3::new(coordinate(v[0]), coordinate(v[1]), coordinate(v[2])))
        .map(|position| Particle { position, velocity: position * 0.125 })
        .collect();
    let mut particles = start.clone();
    let mut found = vec![0; 300];
    let config = LaunchConfig::cover(300);
    launch!(on, hashes(value cells, read particles, write found), config)?;
    let hash = |p: &Particle| {
        let [x, y, z] = [p.position.x, p.position.y, p.position.z].map(|v| v.floor() as u32 % 8);
        z * 64 + y * 8 + x
    };
    same("hashes", &found, &start.iter().map(hash).collect::<Vec<u32>>())?;
    particles.sort_by_key(hash);
    found.sort_unstable();
    let mut ranges = vec![[0; 2]; 512];
    launch!(on, cell_ranges(read found, write ranges), config)?;
    let want: Vec<[u32; 2]> = (0..512)
        .map(|cell| {
            let start = found.partition_point(|hash| *hash < cell) as u32;
            let end = found.partition_point(|hash| *hash <= cell) as u32;
            if start == end { [0, 0] } else { [start, end] }
        })
        .collect();
    equal("ranges", &ranges, &want)?;
    let mut out = particles.clone();
    launch!(
        on,
        collide(value cells, value radius, read ranges, read particles, write out),
        config
    )?;
    let want: Vec<Particle> = particles
        .iter()
        .map(|p| {
            let mut velocity = p.velocity;
            let place = [p.position.x, p.position.y, p.position.z].map(|v| v.floor() as i32);
            for k in 0..27 {
                let near = [k % 3, k / 3 % 3, k / 9];
                let [x, y, z] = std::array::from_fn(|a| (place[a] + near[a] - 1).rem_euclid(8));
                let [start, end] = ranges[((z * 8 + y) * 8 + x) as usize];
                for other in &particles[start as usize..end as usize] {
                    let apart = other.position - p.position;
                    if other != p && apart.length() < 1.0 {
                        velocity = velocity - apart.normalized() * (1.0 - apart.length());
                    }
                }
            }
            Particle { position: p.position + velocity * 0.5, velocity }
        })
        .collect();
    equal("particles", &out, &want)
}
