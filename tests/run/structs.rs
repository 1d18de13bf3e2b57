//! Structs, tuples and arrays: in slices and parameters, in locals and shared memory, nested and
//! padded, with methods.
use crate::run::engine::{Check, Engine, cases, equal, launch, same};
use warpwise::{F32x3, F32x4, U16x4, prelude::*};

cases![
    padded,
    fields_in_place,
    by_value,
    methods_on_elements,
    local_arrays,
    shared_arrays: THREADS_MEET,
    patterns,
    updates,
    swapping,
    sizes,
];

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Inner {
    flag: bool,
    weight: f64,
}

/// A struct with padding after `id`, in `inner`, and at the end.
#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Outer {
    id: u8,
    inner: Inner,
    code: i16,
    tail: [u8; 3],
}

#[device]
impl Inner {
    fn grow(&mut self, by: f64) -> f64 {
        let before = self.weight;
        self.weight += by;
        self.flag = !self.flag;
        before
    }
}

#[device]
impl Outer {
    const STEP: u8 = 3;

    fn new(id: u8) -> Self {
        let inner = Inner { flag: id % 2 == 0, weight: id as f64 / 4.0 };
        Self { id, inner, code: -(id as i16) * 100, tail: [id, Self::STEP, 255 - id] }
    }

    fn bump(&mut self) -> &mut Self {
        self.id = self.id.wrapping_add(Self::STEP);
        self
    }

    fn sum(&self) -> i32 {
        self.tail[0] as i32 + self.tail[1] as i32 + self.tail[2] as i32 + self.code as i32
    }
}

fn outers(n: u8) -> Vec<Outer> {
    (0..n).map(Outer::new).collect()
}

#[kernel]
fn padding(x: &[Outer], out: &mut [Outer]) {
    let i = global_idx_x();
    if i < x.len() {
        let mut copy = x[x.len() - 1 - i];
        copy.inner.weight *= 2.0;
        copy.tail[i % 3] += 1;
        out[i] = copy;
    }
}

fn padded(on: &Engine) -> Check {
    let x = outers(100);
    let mut out = vec![Outer::default(); 100];
    launch!(on, padding(read x, write out), LaunchConfig::cover(100))?;
    let want: Vec<Outer> = (0..100)
        .map(|i| {
            let mut copy = x[99 - i];
            copy.inner.weight *= 2.0;
            copy.tail[i % 3] = copy.tail[i % 3].wrapping_add(1);
            copy
        })
        .collect();
    equal("out", &out, &want)
}

#[kernel]
fn in_place(x: &mut [Outer]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i].inner.weight += 0.5;
        x[i].code -= x[i].id as i16;
        x[i].tail[i % 3] ^= 0x55;
        x[i].inner.flag = x[i].inner.flag && i > 5;
        let tail = &mut x[i].tail;
        tail[0] = tail[1];
    }
}

fn fields_in_place(on: &Engine) -> Check {
    let mut x = outers(70);
    launch!(on, in_place(write x), LaunchConfig::cover(70))?;
    let want: Vec<Outer> = outers(70)
        .into_iter()
        .enumerate()
        .map(|(i, mut outer)| {
            outer.inner =
                Inner { flag: outer.inner.flag && i > 5, weight: outer.inner.weight + 0.5 };
            outer.code -= i16::from(outer.id);
            outer.tail[i % 3] ^= 0x55;
            outer.tail[0] = outer.tail[1];
            outer
        })
        .collect();
    equal("x", &x, &want)
}

#[kernel]
fn values(outer: Outer, matrix: [[f32; 2]; 3], scale: f32, out: &mut [f32]) {
    let i = global_idx_x();
    if i < 3 {
        out[2 * i] = matrix[i][0] * scale;
        out[2 * i + 1] = matrix[i][1] * scale + outer.inner.weight as f32;
    } else if i < 6 && outer.inner.flag {
        out[2 * i] = outer.tail[i - 3] as f32;
        out[2 * i + 1] = outer.sum() as f32;
    }
}

fn by_value(on: &Engine) -> Check {
    let (outer, scale) = (Outer::new(40), 2.0);
    let matrix = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]];
    let mut out = vec![0.0; 12];
    let config = LaunchConfig::cover(12);
    launch!(on, values(value outer, value matrix, value scale, write out), config)?;
    let sum = -3742.0;
    let want = [2.0, 14.0, 6.0, 18.0, 10.0, 22.0, 40.0, sum, 3.0, sum, 215.0, sum];
    same("out", &out, &want)
}

#[device]
fn clear_tail(of: &mut Outer) {
    of.tail = [0; 3];
}

#[kernel]
fn mutating(x: &mut [Outer], before: &mut [f64]) {
    let i = global_idx_x();
    if i < x.len() {
        x[i].bump().bump();
        before[i] = x[i].inner.grow(1.5);
        if i % 2 == 1 {
            clear_tail(&mut x[i]);
        }
        let element = &mut x[i];
        element.code = element.sum() as i16;
        let Outer { inner: Inner { weight, .. }, .. } = element;
        *weight -= 0.25;
    }
}

fn methods_on_elements(on: &Engine) -> Check {
    let mut x = outers(60);
    let mut before = vec![0.0; 60];
    launch!(on, mutating(write x, write before), LaunchConfig::cover(60))?;
    let want: Vec<Outer> = outers(60)
        .into_iter()
        .map(|outer| {
            let tail = if outer.id % 2 == 1 { [0; 3] } else { outer.tail };
            let sum: i16 = tail.iter().map(|tail| i16::from(*tail)).sum();
            let inner = Inner { flag: !outer.inner.flag, weight: outer.inner.weight + 1.25 };
            Outer { id: outer.id + 6, inner, code: outer.code + sum, tail }
        })
        .collect();
    equal("x", &x, &want)?;
    let weights: Vec<f64> = (0..60).map(|i| f64::from(i) / 4.0).collect();
    same("before", &before, &weights)
}

#[device]
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
struct Point {
    x: f32,
    y: f32,
}

#[kernel]
fn locals(places: &[u32], out: &mut [f32]) {
    let i = global_idx_x();
    if i < out.len() {
        let mut points = [Point { x: 1.0, y: -1.0 }; 5];
        let mut grid = [[0u8; 4]; 3];
        for k in 0..5 {
            points[k].x += k as f32;
            grid[k % 3][k % 4] += k as u8;
        }
        let at = places[i] as usize;
        points[at % 5].y = i as f32;
        points[(at + 1) % 5] = Point { x: 0.5, ..points[at % 5] };
        let mut other = points;
        other[0].x = 100.0;
        grid[at % 3] = [7; 4];
        let mut sum = other[0].x + points[0].x;
        for k in 0..5 {
            sum += points[k].x * points[k].y + grid[k % 3][k % 4] as f32;
        }
        out[i] = sum;
    }
}

fn local_arrays(on: &Engine) -> Check {
    let places: Vec<u32> = (0..64).map(|i| i * 7 + 3).collect();
    let mut out = vec![0.0; 64];
    launch!(on, locals(read places, write out), LaunchConfig::cover(64))?;
    let want: Vec<f32> = (0..64)
        .map(|i| {
            let at = places[i] as usize;
            let mut points: Vec<Point> =
                (0..5).map(|k| Point { x: 1.0 + k as f32, y: -1.0 }).collect();
            points[at % 5].y = i as f32;
            points[(at + 1) % 5] = Point { x: 0.5, y: i as f32 };
            let mut grid = [[0, 0, 0, 0], [4, 1, 0, 0], [0, 0, 2, 0]];
            grid[0][3] = 3;
            grid[at % 3] = [7; 4];
            (0..5).fold(100.0 + points[0].x, |sum, k| {
                sum + (points[k].x * points[k].y + grid[k % 3][k % 4] as f32)
            })
        })
        .collect();
    same("out", &out, &want)
}

#[kernel(block = 64)]
fn sharing(x: &[Outer], out: &mut [f64]) {
    let tile = shared!([Outer; 64]);
    let pairs = shared!([(u16, Point); 64]);
    let one = shared!(Point);
    let t = thread_idx_x();
    tile[t] = x[t];
    pairs[t] = (t as u16, Point { x: t as f32, y: 1.0 });
    if t == 5 {
        one.x = 0.25;
        one.y = 8.0;
    }
    sync_threads();
    let other = &tile[63 - t];
    let (number, point) = pairs[(t + 1) % 64];
    out[t] = other.inner.weight + other.tail[2] as f64 + number as f64 + (point.x * one.x) as f64;
    sync_threads();
    tile[t].inner.weight = out[t];
    pairs[t].1.y += one.y;
    sync_threads();
    out[t] += tile[t ^ 1].inner.weight + pairs[t ^ 2].1.y as f64;
}

fn shared_arrays(on: &Engine) -> Check {
    let x = outers(64);
    let mut out = vec![0.0; 64];
    launch!(on, sharing(read x, write out), LaunchConfig::grid(1))?;
    let first = |t: usize| {
        let (other, next) = (x[63 - t], (t + 1) % 64);
        other.inner.weight + f64::from(other.tail[2]) + next as f64 * 1.25
    };
    let want: Vec<f64> = (0..64).map(|t| first(t) + first(t ^ 1) + 9.0).collect();
    same("out", &out, &want)
}

#[kernel]
fn taken_apart(x: &[Outer], out: &mut [i32]) {
    let i = global_idx_x();
    if i < x.len() {
        let Outer { id, inner: Inner { weight: heavy, .. }, tail: [first, .., last], .. } = x[i];
        let (a, (b, [c, d])) = (id as i32, (heavy as i32, [first as i32, last as i32]));
        let Outer { ref code, .. } = x[i];
        let sum = |(a, b): (i32, i32), [c, d]: [i32; 2]| a * 1000 + b * 100 + c * 10 + d;
        let (mut low, mut high);
        (low, high) = (sum((a, b), [c, d]), *code as i32);
        if low > high {
            (low, high) = (high, low);
        }
        [out[2 * i], out[2 * i + 1]] = [low, high];
    }
}

fn patterns(on: &Engine) -> Check {
    let x = outers(50);
    let mut out = vec![0; 100];
    launch!(on, taken_apart(read x, write out), LaunchConfig::cover(50))?;
    let want: Vec<i32> = (0..50)
        .flat_map(|id| {
            let pair = (id * 1000 + id / 4 * 100 + id * 10 + 255 - id, -id * 100);
            [pair.0.min(pair.1), pair.0.max(pair.1)]
        })
        .collect();
    same("out", &out, &want)
}

#[kernel]
fn updating(x: &[Outer], out: &mut [Outer]) {
    let i = global_idx_x();
    if i < x.len() {
        let base = Outer { code: 5, ..Outer::new(9) };
        let id = x[i].id;
        let nested = Outer { id, inner: Inner { flag: true, ..base.inner }, ..base };
        out[i] = match i % 3 {
            0 => nested,
            1 => Outer { tail: x[i].tail, ..nested },
            _ => Outer::default(),
        };
    }
}

fn updates(on: &Engine) -> Check {
    let x = outers(30);
    let mut out = x.clone();
    launch!(on, updating(read x, write out), LaunchConfig::cover(30))?;
    let want: Vec<Outer> = (0..30)
        .map(|id: u8| {
            let inner = Inner { flag: true, weight: 2.25 };
            let tail = if id % 3 == 0 { [9, 3, 246] } else { [id, 3, 255 - id] };
            if id % 3 == 2 { Outer::default() } else { Outer { id, inner, code: 5, tail } }
        })
        .collect();
    equal("out", &out, &want)
}

#[kernel]
fn swapped(x: &mut [Outer]) {
    let i = global_idx_x();
    if 2 * i + 1 < x.len() {
        let (a, b) = (2 * i, 2 * i + 1);
        (x[a], x[b]) = (x[b], x[a]);
        let Outer { mut id, .. } = x[a];
        (id, x[b].id) = (x[b].id, id);
        (x[a].inner, _, x[a].tail) = (Inner { weight: id as f64, ..x[b].inner }, 0, x[b].tail);
    }
}

fn swapping(on: &Engine) -> Check {
    let start = outers(40);
    let mut x = start.clone();
    launch!(on, swapped(write x), LaunchConfig::cover(20))?;
    let want: Vec<Outer> = start
        .chunks(2)
        .flat_map(|pair| {
            let (mut a, mut b) = (pair[1], pair[0]);
            let id = b.id;
            b.id = a.id;
            a.inner = Inner { weight: f64::from(id), flag: b.inner.flag };
            a.tail = b.tail;
            [a, b]
        })
        .collect();
    equal("x", &x, &want)
}

#[device]
#[derive(Clone, Copy)]
#[repr(u8)]
enum Step {
    Stay = 1,
    Go = 2,
}

#[device]
#[derive(Clone, Copy)]
enum Shape {
    Disc(f64),
    Block { level: u8, sides: [u16; 2] },
}

#[device]
const WORDS: usize = size_of::<[f64; 3]>() / size_of::<u32>();

#[device]
fn measures<T: Copy>(_: T) -> [usize; 3] {
    [size_of::<T>(), align_of::<T>(), std::mem::size_of::<[T; 5]>()]
}

#[kernel]
fn measured(out: &mut [[usize; 3]]) {
    let words = [1u32; WORDS];
    let bytes = [1u8; core::mem::size_of::<u64>() + align_of::<i16>()];
    let all = [
        measures(1u8),
        measures(-1i16),
        measures(1.0f32),
        measures(1usize),
        measures(true),
        measures([1.0f64; 3]),
        measures(Inner { flag: true, weight: 1.0 }),
        measures(Shape::Disc(1.0)),
        measures(Shape::Block { level: 1, sides: [2, 3] }),
        measures(Step::Stay),
        measures(Step::Go),
        [size_of::<Outer>(), std::mem::align_of::<Outer>(), size_of::<[Outer; 3]>()],
        [size_of::<F32x3>(), align_of::<F32x4>(), size_of::<[U16x4; 2]>()],
        [words.len(), bytes.len(), WORDS],
        [size_of::<f16>(), size_of::<()>(), align_of::<[[i32; 3]; 2]>()],
    ];
    let i = global_idx_x();
    if i < all.len() {
        out[i] = all[i];
    }
}

fn sizes(on: &Engine) -> Check {
    let mut out = vec![[0; 3]; 15];
    launch!(on, measured(write out), LaunchConfig::cover(15))?;
    let outer = size_of::<Outer>();
    equal("structs", &out[11], &[outer, align_of::<Outer>(), 3 * outer])?;
    equal("constants", &out[13], &[6, 10, 6])?;
    let mut want = vec![[0; 3]; 15];
    warpwise::host::for_each_thread(LaunchConfig::cover(15), || measured(&mut want))?;
    equal("all", &out, &want)
}
