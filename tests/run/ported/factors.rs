//! Dense matrices: factorizations, inverses and tridiagonal systems.
use super::{close, noise};
use crate::run::engine::{Check, Engine, cases, launch, same};
use std::ops::{Index, IndexMut};
use warpwise::prelude::*;

cases![
    lu_factors: THREADS_MEET, cholesky_factors: THREADS_MEET, inverses: THREADS_MEET,
    cyclic_reduction: THREADS_MEET,
];

#[device]
struct Matrix<'a, T> {
    elements: &'a mut [T],
    width: usize,
}

#[device]
impl<T> Index<(usize, usize)> for Matrix<'_, T> {
    type Output = T;
    fn index(&self, (row, column): (usize, usize)) -> &Self::Output {
        &self.elements[row * self.width + column]
    }
}

#[device]
impl<T> IndexMut<(usize, usize)> for Matrix<'_, T> {
    fn index_mut(&mut self, (row, column): (usize, usize)) -> &mut Self::Output {
        &mut self.elements[row * self.width + column]
    }
}

#[device]
impl<T> Matrix<'_, T> {
    fn row(&self, row: usize) -> &[T] {
        &self.elements[row * self.width..][..self.width]
    }

    fn two_rows(&mut self, upper: usize, lower: usize) -> (&mut [T], &mut [T]) {
        let (above, below) = self.elements.split_at_mut(lower * self.width);
        (&mut above[upper * self.width..][..self.width], &mut below[..self.width])
    }
}

/// Factorizes a matrix per block, with partial pivoting.
#[kernel(block = 32)]
fn lu(n: usize, matrices: &mut [f32], pivots: &mut [u32], singular: &mut [bool]) {
    let which = block_idx_x();
    let mut a = Matrix { elements: &mut matrices[which * n * n..][..n * n], width: n };
    let t = thread_idx_x();
    for k in 0..n {
        let mine = (k..n).skip(t).step_by(32).map(|row| (row, a[(row, k)].abs()));
        let (pivot, largest) =
            block::reduce(mine.max_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or((n, -1.0)), |x, y| {
                if x.1 > y.1 || (x.1 == y.1 && x.0 < y.0) { x } else { y }
            });
        if largest == 0.0 {
            singular[which] = true;
            return;
        }
        if t == 0 {
            pivots[which * n + k] = pivot as u32;
        }
        if pivot != k {
            let (upper, lower) = a.two_rows(k, pivot);
            for (x, y) in upper.iter_mut().zip(lower).skip(t).step_by(32) {
                std::mem::swap(x, y);
            }
        }
        sync_threads();
        let inverse = a[(k, k)].recip();
        for row in (k + 1..n).skip(t).step_by(32) {
            a[(row, k)] *= inverse;
            let factor = a[(row, k)];
            for column in k + 1..n {
                a[(row, column)] -= factor * a[(k, column)];
            }
        }
        sync_threads();
    }
}

fn numbers(count: usize) -> Vec<f32> {
    noise(count).into_iter().map(|v| (v % 2001) as f32 / 1000.0 - 1.0).collect()
}

fn lu_factors(on: &Engine) -> Check {
    let (n, mut matrices) = (40, numbers(3 * 1600));
    matrices[1600..].chunks_mut(40).take(40).for_each(|row| row[7] = 0.0);
    let given = matrices.clone();
    let (mut pivots, mut singular) = (vec![0; 120], vec![false; 3]);
    let config = LaunchConfig::grid(3);
    launch!(on, lu(value n, write matrices, write pivots, write singular), config)?;
    same("singular", &singular, &[false, true, false])?;
    for which in [0, 2] {
        let mut want = given[which * 1600..][..1600].to_vec();
        for (k, pivot) in pivots[which * 40..][..40].iter().enumerate() {
            (0..40).for_each(|column| want.swap(k * 40 + column, *pivot as usize * 40 + column));
        }
        let want: Vec<f64> = want.into_iter().map(f64::from).collect();
        let a = &matrices[which * 1600..][..1600];
        let product = |at: usize| {
            let (row, column) = (at / 40, at % 40);
            let left = |k| if k == row { 1.0 } else { f64::from(a[row * 40 + k]) };
            let terms = (0..=row.min(column)).map(|k| left(k) * f64::from(a[k * 40 + column]));
            terms.sum::<f64>() as f32
        };
        close("factors", &(0..1600).map(product).collect::<Vec<_>>(), &want, 1e-4)?;
    }
    Ok(())
}

#[kernel(block = 32)]
fn cholesky(n: usize, elements: &mut [f64], definite: &mut [bool]) {
    let mut a = Matrix { elements, width: n };
    let t = thread_idx_x();
    for k in 0..n {
        let sum: f64 = a.row(k)[..k].iter().map(|x| x * x).sum();
        let rest = Some(a[(k, k)] - sum).filter(|rest| *rest > 0.0);
        let Some(root) = rest.map(f64::sqrt) else {
            definite[0] = false;
            return;
        };
        sync_threads();
        if t == 0 {
            a[(k, k)] = root;
        }
        for row in (k + 1 + t..n).step_by(32) {
            let products = std::iter::zip(&a.row(row)[..k], &a.row(k)[..k]).map(|(x, y)| x * y);
            let dot: f64 = products.sum();
            a[(row, k)] = (a[(row, k)] - dot) / root;
        }
        sync_threads();
    }
}

fn cholesky_factors(on: &Engine) -> Check {
    let n = 50;
    let factor: Vec<f64> = numbers(n * n).into_iter().map(f64::from).collect();
    let element = |at: usize| {
        let (row, column) = (at / n, at % n);
        let diagonal = if row == column { 0.5 } else { 0.0 };
        (0..n).map(|k| factor[row * n + k] * factor[column * n + k]).sum::<f64>() + diagonal
    };
    let given: Vec<f64> = (0..n * n).map(element).collect();
    let (mut a, mut definite) = (given.clone(), vec![true]);
    let config = LaunchConfig::grid(1);
    launch!(on, cholesky(value n, write a, write definite), config)?;
    same("definite", &definite, &[true])?;
    let product = |row: usize, column: usize| {
        (0..=column).map(|k| a[row * n + k] * a[column * n + k]).sum::<f64>() as f32
    };
    let lower = || (0..n).flat_map(|row| (0..=row).map(move |column| (row, column)));
    let got: Vec<f32> = lower().map(|(row, column)| product(row, column)).collect();
    let want: Vec<f64> = lower().map(|(row, column)| given[row * n + column]).collect();
    close("product", &got, &want, 1e-4)?;
    let mut indefinite = given;
    indefinite[n + 1] = -1.0;
    launch!(on, cholesky(value n, write indefinite, write definite), config)?;
    same("definite", &definite, &[false])
}

/// Both sides of `[A | I]` are in shared memory.
#[kernel(block = (16, 16))]
fn gauss_jordan<const N: usize>(a: &[[f32; N]], inverse: &mut [[f32; N]]) {
    let [left, right] = shared!([[[f32; N]; N]; 2]);
    let (column, row) = (thread_idx_x(), thread_idx_y());
    let inside = row < N && column < N;
    if inside {
        left[row][column] = a[row][column];
        right[row][column] = f32::from(row == column);
    }
    for k in 0..N {
        sync_threads();
        let next = inside.then(|| {
            let (pivot, factor) = (left[k][k], left[row][k]);
            [&*left, &*right].map(|side| match row == k {
                true => side[k][column] / pivot,
                false => side[row][column] - factor / pivot * side[k][column],
            })
        });
        sync_threads();
        if let Some(next) = next {
            [left[row][column], right[row][column]] = next;
        }
    }
    if inside {
        inverse[row][column] = right[row][column];
    }
}

fn inverses(on: &Engine) -> Check {
    let mut rows: Vec<[f32; 12]> = numbers(144).as_chunks().0.to_vec();
    (0..12).for_each(|k| rows[k][k] += 8.0);
    let mut inverse = vec![[0.0f32; 12]; 12];
    launch!(on, gauss_jordan::<12>(read rows, write inverse), LaunchConfig::grid(1))?;
    let product = |at: usize| {
        let terms = (0..12).map(|k| rows[at / 12][k] * inverse[k][at % 12]);
        terms.sum::<f32>()
    };
    let want: Vec<f64> = (0..144).map(|at| f64::from(u8::from(at / 12 == at % 12))).collect();
    close("product", &(0..144).map(product).collect::<Vec<_>>(), &want, 1e-5)
}

/// The equation `below * x[i - 1] + diagonal * x[i] + above * x[i + 1] = right`.
#[device]
#[derive(Clone, Copy)]
struct Equation<T> {
    below: T,
    diagonal: T,
    above: T,
    right: T,
}

#[device]
impl<T: Float> Equation<T> {
    fn trivial() -> Self {
        Self { below: T::ZERO, diagonal: T::ONE, above: T::ZERO, right: T::ZERO }
    }

    /// Eliminates the unknowns of the equations before and after this one.
    fn reduced(self, before: Self, behind: Self) -> Self {
        let (alpha, gamma) = (self.below / before.diagonal, self.above / behind.diagonal);
        Self {
            below: -alpha * before.below,
            diagonal: self.diagonal - alpha * before.above - gamma * behind.below,
            above: -gamma * behind.above,
            right: self.right - alpha * before.right - gamma * behind.right,
        }
    }
}

#[kernel(block = 128)]
fn reduce<T: Float>(parts: &[[T; 4]], x: &mut [T]) {
    let lines = shared!([[T; 128]; 4]);
    let t = thread_idx_x();
    let of = |[below, diagonal, above, right]: [T; 4]| Equation { below, diagonal, above, right };
    let mut mine = parts.get(t).copied().map_or_else(Equation::trivial, of);
    let strides = std::iter::successors(Some(1), |stride| Some(stride * 2));
    for stride in strides.take_while(|stride| *stride < x.len()) {
        let Equation { below, diagonal, above, right } = mine;
        for (line, part) in lines.iter_mut().zip([below, diagonal, above, right]) {
            line[t] = part;
        }
        sync_threads();
        let at = |place: Option<usize>| match place {
            Some(place @ 0..128) => of(std::array::from_fn(|part| lines[part][place])),
            _ => Equation::trivial(),
        };
        mine = mine.reduced(at(t.checked_sub(stride)), at(t.checked_add(stride)));
        sync_threads();
    }
    if let Some(x) = x.get_mut(t) {
        *x = mine.right / mine.diagonal;
    }
}

fn cyclic_reduction(on: &Engine) -> Check {
    let mut parts: Vec<[f64; 4]> = numbers(400)
        .as_chunks()
        .0
        .iter()
        .map(|[a, b, c, d]| [*a, 4.0 + b, *c, *d].map(f64::from))
        .collect();
    (parts[0][0], parts[99][2]) = (0.0, 0.0);
    let mut x = vec![0.0f64; 100];
    launch!(on, reduce(read parts, write x), LaunchConfig::grid(1))?;
    let around = |i: usize, step: isize| i.checked_add_signed(step).and_then(|i| x.get(i));
    let left = parts.iter().enumerate().map(|(i, [below, diagonal, above, _])| {
        let neighbours = [(below, -1), (diagonal, 0), (above, 1)];
        neighbours.map(|(part, step)| part * around(i, step).unwrap_or(&0.0)).iter().sum::<f64>()
    });
    let left: Vec<f32> = left.map(|left| left as f32).collect();
    close("left", &left, &parts.iter().map(|part| part[3]).collect::<Vec<_>>(), 1e-6)
}
