//! Composed distance fields, Perlin noise, and hidden Markov models.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, equal, launch};
use std::ops::{Add, Mul, Sub};
use warpwise::{F32x3, prelude::*};

cases![distances: STD, turbulence_of, hidden_states: STD];

#[device]
type Vec3 = F32x3;

#[device]
#[derive(Clone, Copy, Debug)]
struct Ray {
    from: Vec3,
    direction: Vec3,
}

#[device]
trait Field {
    fn distance(&self, p: Vec3) -> f32;
    fn normal(&self, p: Vec3) -> Vec3 {
        let e = 1e-3;
        let axis = |d: Vec3| self.distance(p + d * e) - self.distance(p - d * e);
        Vec3::new(
            axis(Vec3::new(1.0, 0.0, 0.0)),
            axis(Vec3::new(0.0, 1.0, 0.0)),
            axis(Vec3::new(0.0, 0.0, 1.0)),
        )
        .normalize()
    }
    fn union<O: Field>(self, other: O) -> Union<Self, O>
    where
        Self: Sized,
    {
        Union(self, other)
    }
    fn moved(self, by: Vec3) -> Moved<Self>
    where
        Self: Sized,
    {
        Moved { of: self, by }
    }
}
#[device]
#[derive(Clone, Copy)]
struct Sphere(f32);
#[device]
#[derive(Clone, Copy)]
struct Cube(Vec3);
#[device]
#[derive(Clone, Copy)]
struct Union<A, B>(A, B);
#[device]
#[derive(Clone, Copy)]
struct Moved<F> {
    of: F,
    by: Vec3,
}
#[device]
struct Shape<F: Fn(Vec3) -> f32>(F);
#[device]
impl Field for Sphere {
    fn distance(&self, p: Vec3) -> f32 {
        p.length() - self.0
    }
}
#[device]
impl Field for Cube {
    fn distance(&self, p: Vec3) -> f32 {
        let q = p.map(f32::abs) - self.0;
        q.max(Vec3::ZERO).length() + q.x.max(q.y).max(q.z).min(0.0)
    }
}
#[device]
impl<A: Field, B: Field> Field for Union<A, B> {
    fn distance(&self, p: Vec3) -> f32 {
        let Union(a, b) = self;
        a.distance(p).min(b.distance(p))
    }
}
#[device]
impl<F: Field> Field for Moved<F> {
    fn distance(&self, p: Vec3) -> f32 {
        self.of.distance(p - self.by)
    }
}
#[device]
impl<F: Fn(Vec3) -> f32> Field for Shape<F> {
    fn distance(&self, p: Vec3) -> f32 {
        (self.0)(p)
    }
}
#[device]
fn march<F: Field>(scene: &F, ray: Ray, far: f32) -> Option<(f32, Vec3)> {
    let mut t = 0.0;
    for _ in 0..100 {
        let p = ray.from + ray.direction * t;
        let d = scene.distance(p);
        if d < 1e-4 {
            return Some((t, scene.normal(p)));
        }
        t += d;
        if t > far {
            break;
        }
    }
    None
}
#[kernel(block = (8, 8))]
fn sphere_trace(size: usize, depth: &mut [f32], shade: &mut [f32]) {
    let (x, y) = (global_idx_x(), global_idx_y());
    if x.max(y) >= size {
        return;
    }
    let screen = |v: usize| 2.0 * (v as f32 + 0.5) / size as f32 - 1.0;
    let ray =
        Ray { from: Vec3::new(screen(x), screen(y), -3.0), direction: Vec3::new(0.0, 0.0, 1.0) };
    let floor = Shape(|p: Vec3| 1.5 - p.z);
    let scene = Sphere(0.5)
        .moved(Vec3::new(0.4, 0.0, 0.0))
        .union(Cube(Vec3::splat(0.3)).moved(Vec3::new(-0.5, 0.0, 0.0)))
        .union(floor);
    let (d, n) = march(&scene, ray, 10.0).unwrap_or((f32::MAX, Vec3::ZERO));
    (depth[y * size + x], shade[y * size + x]) = (d, -n.z);
}

fn distances(on: &Engine) -> Check {
    let n = 16;
    let (mut depth, mut shade) = (vec![0.0; n * n], vec![0.0; n * n]);
    let config = LaunchConfig::cover((n, n));
    launch!(on, sphere_trace(value n, write depth, write shade), config)?;
    let seen = |i: usize| {
        let at = |v: usize| 2.0 * (v as f64 + 0.5) / n as f64 - 1.0;
        let (x, y) = (at(i % n), at(i / n));
        let (of_cube, rest) =
            ((x + 0.5).abs().max(y.abs()) <= 0.3, 0.25 - (x - 0.4).powi(2) - y * y);
        let bulge = rest.max(0.0).sqrt();
        match (of_cube, rest > 0.0) {
            (true, _) if bulge < 0.3 => (2.7, 1.0),
            (_, true) => (3.0 - bulge, bulge / 0.5),
            _ => (4.5, 1.0),
        }
    };
    let (depths, shades): (Vec<f64>, Vec<f64>) = (0..n * n).map(seen).unzip();
    close("depth", &depth, &depths, 5e-3)?;
    close("shade", &shade, &shades, 4e-2)
}

#[device]
struct Perlin<'a> {
    permutation: &'a [u8],
}
#[device]
fn lerp<T>(t: f32, a: T, b: T) -> T
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<f32, Output = T>,
{
    a + (b - a) * t
}
#[device]
impl Perlin<'_> {
    fn hash(&self, cell: [i32; 3]) -> u8 {
        cell.iter().fold(0, |h, &c| self.permutation[usize::from(h.wrapping_add(c as u8))])
    }
    fn gradient(hash: u8, [x, y, z]: [f32; 3]) -> f32 {
        let u = if hash & 8 == 0 { x } else { y };
        let v = match hash & 15 {
            0..=3 => y,
            12 | 14 => x,
            _ => z,
        };
        let sign = |bit: u8, v: f32| if hash & bit == 0 { v } else { -v };
        sign(1, u) + sign(2, v)
    }
    fn at(&self, p: [f32; 3]) -> f32 {
        let cell = p.map(|v| v.floor() as i32);
        let f: [f32; 3] = std::array::from_fn(|k| p[k] - p[k].floor());
        let [u, v, w] = f.map(|t| t * t * t * (t * (t * 6.0 - 15.0) + 10.0));
        let corner = |dx: i32, dy: i32, dz: i32| {
            let d = [dx, dy, dz];
            Self::gradient(
                self.hash([0, 1, 2].map(|k| cell[k] + d[k])),
                [0, 1, 2].map(|k| f[k] - d[k] as f32),
            )
        };
        let along_x = |dy, dz| lerp(u, corner(0, dy, dz), corner(1, dy, dz));
        let along_y = |dz| lerp(v, along_x(0, dz), along_x(1, dz));
        lerp(w, along_y(0), along_y(1))
    }
    fn turbulence(&self, p: [f32; 3], octaves: u32) -> f32 {
        let scales = std::iter::successors(Some(1.0f32), |s| Some(s * 2.0));
        scales.take(octaves as usize).map(|s| self.at(p.map(|v| v * s)).abs() / s).sum()
    }
}
#[kernel]
fn turbulence(permutation: &[u8], points: &[[f32; 3]], out: &mut [f32]) {
    let i = global_idx_x();
    if let Some(&p) = points.get(i) {
        out[i] = Perlin { permutation }.turbulence(p, 4);
    }
}

fn turbulence_of(on: &Engine) -> Check {
    let mut permutation: Vec<u8> = (0..=255).collect();
    for (i, v) in noise(255).into_iter().enumerate() {
        permutation.swap(i, i + v as usize % (256 - i));
    }
    let part = |v: u32| (v >> 8) as f32 / (1 << 24) as f32;
    let points: Vec<[f32; 3]> = noise(90)
        .chunks(3)
        .map(|v| [9.0 * part(v[0]) - 4.0, 9.0 * part(v[1]), 3.0 * part(v[2])])
        .collect();
    let mut out = vec![0.0; 30];
    launch!(on, turbulence(read permutation, read points, write out), LaunchConfig::cover(30))?;
    let corner = |p: [f64; 3], corner: usize| {
        let up = [0, 1, 2].map(|k| corner >> k & 1);
        let hash = (0..3).fold(0u8, |hash, k| {
            permutation[usize::from(hash.wrapping_add((p[k].floor() as i32 + up[k] as i32) as u8))]
        });
        let rest = [0, 1, 2].map(|k| p[k] - p[k].floor());
        let [x, y, z] = [0, 1, 2].map(|k| rest[k] - up[k] as f64);
        let u = if hash & 8 == 0 { x } else { y };
        let v = match hash & 15 {
            0..4 => y,
            12 | 14 => x,
            _ => z,
        };
        let gradient = if hash & 1 == 0 { u } else { -u } + if hash & 2 == 0 { v } else { -v };
        let weight = |k: usize| {
            let t = if up[k] == 1 { rest[k] } else { 1.0 - rest[k] };
            t * t * t * (t * (t * 6.0 - 15.0) + 10.0)
        };
        gradient * weight(0) * weight(1) * weight(2)
    };
    let at = |p: [f64; 3]| (0..8).map(|k| corner(p, k)).sum::<f64>();
    let octave = |p: &[f32; 3], scale: f64| at(p.map(|v| f64::from(v) * scale)).abs() / scale;
    let sum = |p: &[f32; 3]| [1.0, 2.0, 4.0, 8.0].into_iter().map(|scale| octave(p, scale)).sum();
    let want: Vec<f64> = points.iter().map(sum).collect();
    close("out", &out, &want, 1e-4)
}

#[device]
#[derive(Clone, Copy)]
struct Hmm<const S: usize, const O: usize> {
    start: [f32; S],
    transition: [[f32; S]; S],
    emission: [[f32; O]; S],
}
#[device]
impl<const S: usize, const O: usize> Hmm<S, O> {
    fn step<A>(&self, now: [f32; S], observed: u8, add: A) -> [f32; S]
    where
        A: Fn(f32, f32) -> f32 + Copy,
    {
        std::array::from_fn(|to| {
            let paths = now.iter().zip(&self.transition).map(|(p, row)| p + row[to]);
            paths.reduce(add).unwrap() + self.emission[to][observed as usize]
        })
    }
    fn first(&self, observed: u8) -> [f32; S] {
        std::array::from_fn(|s| self.start[s] + self.emission[s][usize::from(observed)])
    }
}
#[device]
fn log_sum(a: f32, b: f32) -> f32 {
    let (low, high) = if a < b { (a, b) } else { (b, a) };
    high + (low - high).exp().ln_1p()
}
#[kernel]
fn hmm_scores(
    models: &[Hmm<3, 4>],
    observations: &[[u8; 8]],
    best: &mut [f32],
    likelihood: &mut [f32],
    path: &mut [[u8; 8]],
) {
    let i = global_idx_x();
    let Some([first, rest @ ..]) = observations.get(i) else { return };
    let model = &models[0];
    let mut back = [[0u8; 3]; 8];
    let mut now = model.first(*first);
    for (t, &o) in rest.iter().enumerate() {
        for to in 0..3 {
            let from = (0..3).max_by(|&a, &b| {
                (now[a] + model.transition[a][to]).total_cmp(&(now[b] + model.transition[b][to]))
            });
            back[t + 1][to] = from.unwrap() as u8;
        }
        now = model.step(now, o, f32::max);
    }
    let (mut state, score) =
        now.into_iter().enumerate().max_by(|(_, a), (_, b)| a.total_cmp(b)).unwrap();
    best[i] = score;
    for (t, place) in path[i].iter_mut().enumerate().rev() {
        *place = state as u8;
        state = back[t][state].into();
    }
    let forward = rest.iter().fold(model.first(*first), |now, &o| model.step(now, o, log_sum));
    likelihood[i] = forward.into_iter().reduce(log_sum).unwrap();
}

fn hidden_states(on: &Engine) -> Check {
    let u: Vec<f32> =
        noise(24).into_iter().map(|v| (v >> 8) as f32 / (1 << 24) as f32 + 0.1).collect();
    let logs = |v: &[f32]| v.iter().map(|p| (p / v.iter().sum::<f32>()).ln()).collect::<Vec<f32>>();
    let triple = |v: &[f32]| <[f32; 3]>::try_from(logs(v)).unwrap();
    let model = vec![Hmm {
        start: triple(&u[..3]),
        transition: std::array::from_fn(|i| triple(&u[3 + 3 * i..][..3])),
        emission: std::array::from_fn(|i| logs(&u[12 + 4 * i..][..4]).try_into().unwrap()),
    }];
    let observed: Vec<u8> = noise(48).into_iter().map(|v| (v >> 7) as u8 % 4).collect();
    let observations: Vec<[u8; 8]> = observed.as_chunks().0.to_vec();
    let (mut best, mut likelihood, mut path) = (vec![0.0; 6], vec![0.0; 6], vec![[0; 8]; 6]);
    launch!(
        on,
        hmm_scores(read model, read observations, write best, write likelihood, write path),
        LaunchConfig::cover(6)
    )?;
    let (model, mut bests, mut sums, mut paths) = (&model[0], Vec::new(), Vec::new(), Vec::new());
    for observed in &observations {
        let states = |code: u32| -> [u8; 8] {
            std::array::from_fn(|k| (code / 3u32.pow(k as u32) % 3) as u8)
        };
        let score = |code: u32| {
            let states = states(code).map(usize::from);
            let emitted =
                states.iter().zip(observed).map(|(s, o)| model.emission[*s][usize::from(*o)]);
            let moved = states.windows(2).map(|pair| model.transition[pair[0]][pair[1]]);
            emitted
                .chain(moved)
                .fold(f64::from(model.start[states[0]]), |sum, p| sum + f64::from(p))
        };
        let likeliest = (0..3u32.pow(8)).max_by(|a, b| score(*a).total_cmp(&score(*b))).unwrap();
        bests.push(score(likeliest));
        sums.push((0..3u32.pow(8)).map(|code| score(code).exp()).sum::<f64>().ln());
        paths.push(states(likeliest));
    }
    close("best", &best, &bests, 1e-4)?;
    close("likelihood", &likelihood, &sums, 1e-4)?;
    equal("path", &path, &paths)
}
