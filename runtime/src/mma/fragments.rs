//! Fragments: the parts of matrices that a lane holds, and their products.
use super::elements::{FactorElement, SumElement, Tf32};
use crate::{bf16, device, f16, warp};

/// A lane's part of a left factor with `M` rows and `K` columns.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct A<T: FactorElement, const M: usize, const K: usize> {
    /// The words of PTX's `mma.sync`, of which smaller matrices have fewer.
    pub words: [T::Word; 4],
}

#[device]
impl<T: FactorElement, const M: usize, const K: usize> A<T, M, K> {
    /// Loads a matrix that is stored row by row: row `i` begins at element
    /// `start + i * pitch`.
    pub fn load(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, pitch, 1)
    }

    /// Loads a matrix that is stored column by column: column `i` begins at element
    /// `start + i * pitch`.
    pub fn load_transposed(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, 1, pitch)
    }

    fn load_strided(tile: &[T::Value], start: usize, row: usize, column: usize) -> Self {
        let mut words = [T::ZEROS; 4];
        for word in 0..M * K / 32 / T::PER_WORD {
            let i = warp::lane_id() / 4 + word % (M / 8) * 8;
            let k = (warp::lane_id() % 4 + word / (M / 8) * 4) * T::PER_WORD;
            words[word] = T::load_word(tile, start + i * row + k * column, column);
        }
        Self { words }
    }
}

/// A lane's part of a right factor with `K` rows and `N` columns.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct B<T: FactorElement, const K: usize, const N: usize> {
    /// The words of PTX's `mma.sync`, of which smaller matrices have fewer.
    pub words: [T::Word; 2],
}

#[device]
impl<T: FactorElement, const K: usize, const N: usize> B<T, K, N> {
    /// Loads a matrix that is stored row by row: row `i` begins at element
    /// `start + i * pitch`.
    pub fn load(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, pitch, 1)
    }

    /// Loads a matrix that is stored column by column: column `i` begins at element
    /// `start + i * pitch`. Neighbouring elements of a column are one access.
    pub fn load_transposed(tile: &[T::Value], start: usize, pitch: usize) -> Self {
        Self::load_strided(tile, start, 1, pitch)
    }

    fn load_strided(tile: &[T::Value], start: usize, row: usize, column: usize) -> Self {
        let mut words = [T::ZEROS; 2];
        for word in 0..K * N / 32 / T::PER_WORD {
            let k = (warp::lane_id() % 4 + word * 4) * T::PER_WORD;
            let j = warp::lane_id() / 4;
            words[word] = T::load_word(tile, start + k * row + j * column, row);
        }
        Self { words }
    }
}

/// A lane's part of a sum with `M` rows and `N` columns.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Accumulator<T: SumElement, const M: usize, const N: usize> {
    /// The words of PTX's `mma.sync`, of which smaller matrices have fewer.
    pub words: [T::Word; 4],
}

#[device]
impl<T: SumElement, const M: usize, const N: usize> Accumulator<T, M, N> {
    /// The number of elements that each lane has.
    pub const LEN: usize = M * N / 32;

    /// Returns a matrix of zeros.
    pub fn zero() -> Self {
        Self::splat(T::zero())
    }

    /// Returns a matrix whose elements are all `value`.
    pub fn splat(value: T) -> Self {
        Self { words: [T::splat(value); 4] }
    }

    /// Loads a matrix that is stored row by row: row `i` begins at element
    /// `start + i * pitch`.
    pub fn load(tile: &[T], start: usize, pitch: usize) -> Self {
        let mut loaded = Self::zero();
        for i in (0..Self::LEN).step_by(2) {
            let at = start + Self::row(i) * pitch + Self::column(i);
            let pair = &tile[at..at + 2];
            loaded.set(i, pair[0]);
            loaded.set(i + 1, pair[1]);
        }
        loaded
    }

    /// Stores the matrix row by row: row `i` begins at element `start + i * pitch`.
    pub fn store(self, tile: &mut [T], start: usize, pitch: usize) {
        for i in (0..Self::LEN).step_by(2) {
            let at = start + Self::row(i) * pitch + Self::column(i);
            let pair = &mut tile[at..at + 2];
            pair[0] = self.get(i);
            pair[1] = self.get(i + 1);
        }
    }

    /// Returns the row of this lane's element `i`.
    pub fn row(i: usize) -> usize {
        warp::lane_id() / 4 + i / 2 * 8
    }

    /// Returns the column of this lane's element `i`.
    pub fn column(i: usize) -> usize {
        warp::lane_id() % 4 * 2 + i % 2
    }

    /// Returns this lane's element `i`.
    pub fn get(self, i: usize) -> T {
        T::get(self.words[i / T::PER_WORD], i % T::PER_WORD)
    }

    /// Sets this lane's element `i`.
    pub fn set(&mut self, i: usize, value: T) {
        let word = i / T::PER_WORD;
        self.words[word] = T::with(self.words[word], i % T::PER_WORD, value);
    }

    /// Returns the matrix of `function(element)`.
    pub fn map<F: Fn(T) -> T>(self, function: F) -> Self {
        let mut mapped = self;
        for i in 0..Self::LEN {
            mapped.set(i, function(self.get(i)));
        }
        mapped
    }

    /// Adds the product of two matrices, on tensor cores.
    ///
    /// # Panics
    /// On the host.
    pub fn multiply_add<Left, Right>(&mut self, a: Left, b: Right)
    where
        Left: MultiplyAdd<Right, Self>,
    {
        *self = a.multiply_add(b, *self);
    }
}

/// A left factor of a product that tensor cores compute.
#[diagnostic::on_unimplemented(
    message = "tensor cores have no product of `{Self}` and `{Right}` with the sum `{Total}`",
    note = "the documentation of `warpwise::mma` lists the shapes and types"
)]
#[device]
pub trait MultiplyAdd<Right, Total>: Copy {
    /// Returns `self * b + c`.
    fn multiply_add(self, b: Right, c: Total) -> Total;
}

/// Loads 16 bytes of a row.
#[device]
fn load_row<T: FactorElement>(tile: &[T::Value], start: usize) -> [T::Word; 4] {
    let row = &tile[start..start + 4 * T::PER_WORD];
    [
        T::load_word(row, 0, 1),
        T::load_word(row, T::PER_WORD, 1),
        T::load_word(row, 2 * T::PER_WORD, 1),
        T::load_word(row, 3 * T::PER_WORD, 1),
    ]
}

/// Implements loads of whole rows, for factors whose rows of `a` and columns of `b` have 32 bytes.
macro_rules! matrix_loads {
    ($($ty:ty, $value:ty, $k:literal;)*) => {$(
        #[device]
        impl A<$ty, 16, $k> {
            /// Does the same as [`load`](Self::load), with `ldmatrix` from shared memory: each lane
            /// loads 16 bytes of a row, which the lanes then distribute. All lanes of the warp make
            /// the call together. `start` and `pitch` are multiples of 16 bytes; with others, or in
            /// global memory, this takes 16 shuffles.
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrix(tile: &[$value], start: usize, pitch: usize) -> Self {
                let lane = warp::lane_id();
                let at = start + lane % 16 * pitch + lane / 16 * ($k / 2);
                Self { words: warpwise::mma::words::distribute_rows(load_row::<$ty>(tile, at)) }
            }
        }

        #[device]
        impl B<$ty, $k, 8> {
            /// Loads two neighbouring matrices, columns 0 to 7 and 8 to 15, with one `ldmatrix` from
            /// shared memory, otherwise as [`load_transposed`](Self::load_transposed): column `i`
            /// begins at element `start + i * pitch`. See [`A::load_matrix`] for the conditions.
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrices_transposed(
                tile: &[$value],
                start: usize,
                pitch: usize,
            ) -> [Self; 2] {
                let lane = warp::lane_id();
                let at = start + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * ($k / 2);
                let words = warpwise::mma::words::distribute_rows(load_row::<$ty>(tile, at));
                [Self { words: [words[0], words[1]] }, Self { words: [words[2], words[3]] }]
            }
        }
    )*};
}

matrix_loads! {
    f16, f16, 16;
    bf16, bf16, 16;
    Tf32, f32, 8;
    i8, i8, 32;
    u8, u8, 32;
}

/// Implements loads of whole rows whose columns are distributed, for elements of 16 bits.
macro_rules! transposed_matrix_loads {
    ($($ty:ty)*) => {$(
        #[device]
        impl A<$ty, 16, 16> {
            /// Does the same as [`load_transposed`](Self::load_transposed), with `ldmatrix` from
            /// shared memory. See [`A::load_matrix`] for the conditions.
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrix_transposed(tile: &[$ty], start: usize, pitch: usize) -> Self {
                let lane = warp::lane_id();
                let at = start + (lane / 16 * 8 + lane % 8) * pitch + lane / 8 % 2 * 8;
                let row = load_row::<$ty>(tile, at);
                Self { words: warpwise::mma::words::distribute_rows_transposed(row) }
            }
        }

        #[device]
        impl B<$ty, 16, 8> {
            /// Loads two neighbouring matrices, columns 0 to 7 and 8 to 15, with one `ldmatrix` from
            /// shared memory, otherwise as [`load`](Self::load): row `i` begins at element
            /// `start + i * pitch`. See [`A::load_matrix`] for the conditions.
            ///
            /// # Panics
            /// On the host.
            pub fn load_matrices(tile: &[$ty], start: usize, pitch: usize) -> [Self; 2] {
                let lane = warp::lane_id();
                let row = load_row::<$ty>(tile, start + lane % 16 * pitch + lane / 16 * 8);
                let words = warpwise::mma::words::distribute_rows_transposed(row);
                [Self { words: [words[0], words[1]] }, Self { words: [words[2], words[3]] }]
            }
        }
    )*};
}

transposed_matrix_loads! { f16 bf16 }

/// Implements products by the functions on words.
macro_rules! products {
    ($($words:ident: $a:ty, $b:ty, $sum:ty, $m:literal, $n:literal, $k:literal;)*) => {$(
        #[device]
        impl MultiplyAdd<B<$b, $k, $n>, Accumulator<$sum, $m, $n>> for A<$a, $m, $k> {
            fn multiply_add(
                self,
                b: B<$b, $k, $n>,
                c: Accumulator<$sum, $m, $n>,
            ) -> Accumulator<$sum, $m, $n> {
                Accumulator { words: warpwise::mma::words::$words(self.words, b.words, c.words) }
            }
        }
    )*};
}

products! {
    m16n8k8_f32_f16_f16: f16, f16, f32, 16, 8, 8;
    m16n8k16_f32_f16_f16: f16, f16, f32, 16, 8, 16;
    m16n8k8_f16_f16_f16: f16, f16, f16, 16, 8, 8;
    m16n8k16_f16_f16_f16: f16, f16, f16, 16, 8, 16;
    m16n8k8_f32_bf16_bf16: bf16, bf16, f32, 16, 8, 8;
    m16n8k16_f32_bf16_bf16: bf16, bf16, f32, 16, 8, 16;
    m16n8k4_f32_tf32_tf32: Tf32, Tf32, f32, 16, 8, 4;
    m16n8k8_f32_tf32_tf32: Tf32, Tf32, f32, 16, 8, 8;
    m8n8k4_f64_f64_f64: f64, f64, f64, 8, 8, 4;
    m16n8k4_f64_f64_f64: f64, f64, f64, 16, 8, 4;
    m16n8k8_f64_f64_f64: f64, f64, f64, 16, 8, 8;
    m8n8k16_i32_i8_i8: i8, i8, i32, 8, 8, 16;
    m8n8k16_i32_i8_u8: i8, u8, i32, 8, 8, 16;
    m8n8k16_i32_u8_i8: u8, i8, i32, 8, 8, 16;
    m8n8k16_i32_u8_u8: u8, u8, i32, 8, 8, 16;
    m16n8k16_i32_i8_i8: i8, i8, i32, 16, 8, 16;
    m16n8k16_i32_i8_u8: i8, u8, i32, 16, 8, 16;
    m16n8k16_i32_u8_i8: u8, i8, i32, 16, 8, 16;
    m16n8k16_i32_u8_u8: u8, u8, i32, 16, 8, 16;
    m16n8k32_i32_i8_i8: i8, i8, i32, 16, 8, 32;
    m16n8k32_i32_i8_u8: i8, u8, i32, 16, 8, 32;
    m16n8k32_i32_u8_i8: u8, i8, i32, 16, 8, 32;
    m16n8k32_i32_u8_u8: u8, u8, i32, 16, 8, 32;
}
