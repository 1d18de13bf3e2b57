//! Lanes of vectors: by name and by index, in memory, in arrays and between threads.
use crate::run::{
    engine::{Check, Engine, cases, equal, fault, launch, same},
    vectors::flat,
};
use warpwise::{F16x2, F32x2, F32x3, F32x4, I32x3, U8x4, U16x2, U16x3, U16x4, prelude::*};

cases![
    swizzles,
    lanes,
    memory,
    arrays,
    chosen,
    between_threads: THREADS_MEET,
    out_of_lanes: FAULTS,
];

#[kernel]
fn swizzled(x: &[U16x4], pairs: &mut [U16x2], triples: &mut [U16x3], out: &mut [U16x4]) {
    let i = global_idx_x();
    if i < x.len() {
        let v = x[i];
        pairs[i] = v.xy() + v.wz() * v.yy();
        triples[i] = v.zyx() + v.www().xzy();
        out[i] = v.wzyx() + v.xy().xyxy() + triples[i].xxyz();
    }
}

fn swizzles(on: &Engine) -> Check {
    let lane = |i: u16| [i, i * 3, i * 5 + 1, i * 7 + 2];
    let x: Vec<U16x4> = (0..20).map(|i| U16x4::from(lane(i))).collect();
    let (mut pairs, mut triples) = (vec![U16x2::ZERO; 20], vec![U16x3::ZERO; 20]);
    let mut out = vec![U16x4::ZERO; 20];
    let config = LaunchConfig::cover(20);
    launch!(on, swizzled(read x, write pairs, write triples, write out), config)?;
    let want: Vec<U16x2> =
        (0..20).map(lane).map(|[x, y, z, w]| U16x2::new(x + w * y, y + z * y)).collect();
    equal("pairs", &pairs, &want)?;
    let want: Vec<U16x3> =
        (0..20).map(lane).map(|[x, y, z, w]| U16x3::new(z + w, y + w, x + w)).collect();
    equal("triples", &triples, &want)?;
    let want = (0..20).map(lane).zip(want).map(|([x, y, z, w], by)| {
        U16x4::new(w + x + by.x, z + y + by.x, y + x + by.y, x + y + by.z)
    });
    equal("out", &out, &want.collect::<Vec<U16x4>>())
}

#[device]
fn bump(lane: &mut i32, by: i32) -> i32 {
    *lane += by;
    *lane
}

#[kernel]
fn numbered(k: &[usize], x: &[I32x3], out: &mut [I32x3], read: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let k = k[i];
        let mut v = x[i];
        read[i * 4] = v[k] + v[2] + (v * 2)[k];
        v[k] = 100;
        v[0] -= 1;
        v[k] += v[(k + 1) % 3];
        read[i * 4 + 1] = bump(&mut v[k], 7);
        out[i] = v;
        // In memory.
        out[i][k] *= 2;
        read[i * 4 + 2] = out[i][k];
        read[i * 4 + 3] = bump(&mut out[i][2], 1);
        let mut sum = I32x3::ZERO;
        for lane in 0..I32x3::LANES {
            sum[lane] = v[2 - lane];
        }
        out[i] += sum;
    }
}

fn lanes(on: &Engine) -> Check {
    let k: Vec<usize> = (0..24).map(|i| i % 3).collect();
    let lanes = |i: i32| [i, 10 * i, -i];
    let x: Vec<I32x3> = (0..24).map(|i| I32x3::from(lanes(i))).collect();
    let (mut out, mut read) = (vec![I32x3::ZERO; 24], vec![0; 96]);
    let config = LaunchConfig::cover(24);
    launch!(on, numbered(read k, read x, write out, write read), config)?;
    let (mut want, mut want_read) = (Vec::new(), Vec::new());
    for (i, k) in k.into_iter().enumerate() {
        let mut v = lanes(i as i32);
        want_read.push(v[k] + v[2] + v[k] * 2);
        v[k] = 100;
        v[0] -= 1;
        v[k] += v[(k + 1) % 3] + 7;
        want_read.push(v[k]);
        let mut kept = v;
        kept[k] *= 2;
        want_read.push(kept[k]);
        kept[2] += 1;
        want_read.push(kept[2]);
        want.push(std::array::from_fn::<i32, 3, _>(|lane| kept[lane] + v[2 - lane]));
    }
    same("read", &read, &want_read)?;
    same("out", &flat(&out), want.as_flattened())
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Ray {
    from: F32x3,
    id: u8,
    to: F32x4,
    color: U8x4,
    halves: [F16x2; 3],
}

#[device]
impl Ray {
    fn at(&self, t: f32) -> F32x3 {
        self.from.lerp(self.to.xyz(), t)
    }
}

#[kernel(contract = false)]
fn traced(ray: Ray, by: F32x2, rays: &[Ray], out: &mut [Ray]) {
    let i = global_idx_x();
    if i < rays.len() {
        let mut mine = rays[i];
        mine.to += ray.to;
        mine.from = mine.at(0.5) * by.x;
        mine.halves[i % 3].y = ray.halves[0].x;
        mine.color.z = mine.id;
        let F32x4 { x, w, .. } = mine.to;
        mine.to = F32x4 { x: w, w: x, ..mine.to };
        out[i] = mine;
    }
}

fn memory(on: &Engine) -> Check {
    let half = |value: f32| f16::from_f32(value);
    let make = |i: u8| Ray {
        from: F32x3::new(f32::from(i), 2.0, -3.0),
        id: i,
        to: F32x4::new(1.0, f32::from(i) * 0.5, 7.0, -4.0),
        color: U8x4::splat(i),
        halves: [F16x2::new(half(1.0), half(2.0)), F16x2::ONE, F16x2::ZERO],
    };
    let rays: Vec<Ray> = (0..21).map(make).collect();
    let (ray, by) = (make(9), F32x2::new(3.0, 0.0));
    let mut out = vec![Ray::default(); 21];
    let config = LaunchConfig::cover(21);
    launch!(on, traced(value ray, value by, read rays, write out), config)?;
    let want = (0..21).map(|i: u8| {
        let mut mine = make(i);
        mine.to = F32x4::new(2.0, f32::from(i) * 0.5 + 4.5, 14.0, -8.0);
        let half = |from: f32, to: f32| (from + (to - from) * 0.5) * 3.0;
        mine.from = F32x3::new(half(f32::from(i), 2.0), half(2.0, mine.to.y), half(-3.0, 14.0));
        mine.halves[usize::from(i) % 3].y = f16::ONE;
        mine.color.z = i;
        mine.to = F32x4::new(-8.0, mine.to.y, 14.0, 2.0);
        mine
    });
    equal("out", &out, &want.collect::<Vec<Ray>>())
}

#[kernel]
fn set_chosen(x: &[u32], vectors: &mut [F32x4], out: &mut [f32]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut own = F32x4::splat(3.0);
        let lane = x[i] as usize;
        let vector = if i % 2 == 0 { &mut vectors[i] } else { &mut own };
        vector[lane] = 1.0;
        vector[0] += 2.0;
        out[i] = vector[lane] * 100.0 + vector[0] * 10.0 + own[0];
    }
}

/// A lane of a vector in a buffer or in a variable.
fn chosen(on: &Engine) -> Check {
    let (x, mut out) = (vec![1, 2, 0, 0], vec![0.0f32; 4]);
    let mut vectors = vec![F32x4::splat(5.0); 4];
    let config = LaunchConfig::grid(1).block(4);
    launch!(on, set_chosen(read x, write vectors, write out), config)?;
    same("out", &out, &[173.0, 155.0, 333.0, 333.0])?;
    let want = [[7.0, 1.0, 5.0, 5.0], [5.0; 4], [3.0, 5.0, 5.0, 5.0], [5.0; 4]];
    equal("vectors", &vectors, &want.map(F32x4::from))
}

#[kernel]
fn in_arrays(x: &[[F32x2; 3]], out: &mut [F32x2]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut all = x[i];
        all[i % 3].y += 1.0;
        let mut sum = F32x2::default();
        for v in &all {
            sum += *v;
        }
        for (k, v) in all.iter().enumerate() {
            sum.x -= v[k % 2];
        }
        let picked = if i % 2 == 0 { Some(all[0]) } else { None };
        out[i] = sum + picked.unwrap_or(F32x2::ZERO);
    }
}

fn arrays(on: &Engine) -> Check {
    let at = |i: usize| [0, 1, 2].map(|k| F32x2::new((i * 3 + k) as f32, k as f32 * 0.5));
    let x: Vec<[F32x2; 3]> = (0..18).map(at).collect();
    let mut out = vec![F32x2::ZERO; 18];
    launch!(on, in_arrays(read x, write out), LaunchConfig::cover(18))?;
    let want = (0..18).map(|i| {
        let mut all = at(i);
        all[i % 3].y += 1.0;
        let [a, b, c] = all;
        let sum = F32x2::new(b.x - b.y, a.y + b.y + c.y);
        if i % 2 == 0 { F32x2::new(sum.x + a.x, sum.y + a.y) } else { sum }
    });
    equal("out", &out, &want.collect::<Vec<F32x2>>())
}

#[kernel(block = 64)]
fn exchanged(x: &[F32x4], out: &mut [F32x4], halves: &mut [F16x2]) {
    let tile = shared!([F32x4; 64]);
    let i = global_idx_x();
    let t = thread_idx_x();
    tile[t] = x[i] * 2.0;
    sync_threads();
    let v = warp::shfl_xor(tile[63 - t], 1);
    out[i] = v + tile[t][t % 4];
    halves[i] = warp::shfl(v.xy().as_f16x2(), 3);
}

fn between_threads(on: &Engine) -> Check {
    let at = |i: usize| F32x4::new(i as f32, 1.0, 2.0, -(i as f32));
    let x: Vec<F32x4> = (0..128).map(at).collect();
    let (mut out, mut halves) = (vec![F32x4::ZERO; 128], vec![F16x2::ZERO; 128]);
    launch!(on, exchanged(read x, write out, write halves), LaunchConfig::cover(128))?;
    let shuffled = |i: usize| at(i / 64 * 64 + (63 - (i % 64 ^ 1))) * 2.0;
    let want: Vec<F32x4> = (0..128).map(|i| shuffled(i) + (at(i) * 2.0)[i % 4]).collect();
    equal("out", &out, &want)?;
    let want = (0..128).map(|i| shuffled(i / 32 * 32 + 3).xy().as_f16x2());
    equal("halves", &halves, &want.collect::<Vec<F16x2>>())
}

#[kernel]
fn beyond(k: usize, x: &[F32x2], out: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() {
        let v = x[i];
        out[i] = v[k + i];
    }
}

fn out_of_lanes(on: &Engine) -> Check {
    let (k, x, mut out) = (0, vec![F32x2::new(1.0, 2.0); 3], vec![0.0; 3]);
    let panic = fault(launch!(on, beyond(value k, read x, write out), LaunchConfig::cover(3)))?;
    if panic.message != "index out of bounds: the len is 2 but the index is 2" {
        return Err(panic.into());
    }
    same("out", &out, &[1.0, 2.0, 0.0])
}
