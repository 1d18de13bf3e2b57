//! Tiles, products in progress, and their sums.
use crate::{U32x4, bf16, device, f16, warp};

/// A tile of `ROWS` rows of 64 halves in shared memory, with the 128-byte swizzle.
///
/// `ROWS` is a multiple of 8.
#[device]
#[derive(Clone, Copy, Debug)]
#[repr(C, align(1024))]
pub struct Tile<const ROWS: usize> {
    /// The chunks of 8 halves: chunk `c` of row `r` is `rows[r][c ^ r % 8]`.
    pub rows: [[U32x4; 8]; ROWS],
}

#[device]
impl<const ROWS: usize> Tile<ROWS> {
    /// Returns the 8 halves from element `8 * chunk` of a row on.
    pub fn get(&self, row: usize, chunk: usize) -> U32x4 {
        self.rows[row][chunk ^ (row % 8)]
    }

    /// Sets the 8 halves from element `8 * chunk` of a row on.
    pub fn set(&mut self, row: usize, chunk: usize, halves: U32x4) {
        self.rows[row][chunk ^ (row % 8)] = halves;
    }
}

/// An element type of factors: `f16` or `bf16`.
#[device]
pub trait FactorElement: Copy {
    /// The type of sums.
    type Sum: Copy;
    /// Returns zero.
    fn zero() -> Self::Sum;
    /// Rounds two sums to the nearest elements, the first of which is the lower half of the word.
    fn pack(first: Self::Sum, second: Self::Sum) -> u32;
}

/// The sums of products: a matrix of 64 rows and `N` columns, of which each thread of a warpgroup has
/// `N / 2` elements.
#[device]
#[derive(Clone, Copy, Debug)]
pub struct Sum<T: FactorElement, const N: usize> {
    sums: [T::Sum; 128],
}

#[device]
impl<T: FactorElement, const N: usize> Sum<T, N> {
    /// The number of elements that each thread has.
    pub const LEN: usize = N / 2;

    /// Returns a matrix of zeros.
    pub fn zero() -> Self {
        Self { sums: [T::zero(); 128] }
    }

    /// Returns this thread's element `i`.
    pub fn get(&self, i: usize) -> T::Sum {
        self.sums[i]
    }

    /// Sets this thread's element `i`.
    pub fn set(&mut self, i: usize, value: T::Sum) {
        self.sums[i] = value;
    }

    /// Returns the row of this thread's element `i`.
    pub fn row(i: usize) -> usize {
        warp::warp_id() % 4 * 16 + warp::lane_id() / 4 + i / 2 % 2 * 8
    }

    /// Returns the column of this thread's element `i`.
    pub fn column(i: usize) -> usize {
        i / 4 * 8 + warp::lane_id() % 4 * 2 + i % 2
    }

    /// Stores the matrix row by row: row `i` begins at element `start + i * pitch`.
    pub fn store(&self, to: &mut [T::Sum], start: usize, pitch: usize) {
        for i in (0..Self::LEN).step_by(2) {
            let at = start + Self::row(i) * pitch + Self::column(i);
            let pair = &mut to[at..at + 2];
            pair[0] = self.sums[i];
            pair[1] = self.sums[i + 1];
        }
    }

    /// Returns the elements of columns `64 * tile` to `64 * tile + 63`, rounded to the nearest `T`, as a
    /// factor `a` in registers.
    pub fn to_factor(&self, tile: usize) -> [u32; 16] {
        let mut words = [0; 16];
        for word in 0..16 {
            let i = tile * 32 + word * 2;
            words[word] = T::pack(self.sums[i], self.sums[i + 1]);
        }
        words
    }

    /// Begins products that are added to this matrix.
    pub fn start(self) -> Products<T, N> {
        Products { sums: self.sums }
    }
}

/// Products in progress, which are added to a matrix of 64 rows and `N` columns.
///
/// The sums are in registers of the 128 threads of a warpgroup, which reach each function together.
/// A value in progress stays in the variable where it is: to move it is an error at build time.
#[device]
#[derive(Debug)]
pub struct Products<T: FactorElement, const N: usize> {
    sums: [T::Sum; 128],
}

#[device]
impl<T: FactorElement, const N: usize> Products<T, N> {
    /// Returns no products: the sums are zeros.
    pub fn zero() -> Self {
        Self { sums: [T::zero(); 128] }
    }
}

/// Implements products of an element type by the functions on arrays.
macro_rules! products {
    ($ty:ident: $k_k:ident $k_k_zero:ident $k_mn:ident $k_mn_zero:ident $mn_k:ident $mn_k_zero:ident $mn_mn:ident $mn_mn_zero:ident $registers_k:ident $registers_k_zero:ident $registers_mn:ident $registers_mn_zero:ident) => {
        #[device]
        impl FactorElement for $ty {
            type Sum = f32;
            fn zero() -> f32 {
                0.0
            }
            fn pack(first: f32, second: f32) -> u32 {
                let (first, second) = ($ty::from_f32(first), $ty::from_f32(second));
                first.to_bits() as u32 | (second.to_bits() as u32) << 16
            }
        }

        #[device]
        impl<const N: usize> Products<$ty, N> {
            /// Waits for all products but the last `PENDING`, at most 7, so that the tiles of the
            /// others can be written.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn wait<const PENDING: usize>(&mut self) {
                warpwise::wgmma::words::wait::<PENDING>(&mut self.sums);
            }

            /// Waits for all products, and returns the sums.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn finish(&mut self) -> Sum<$ty, N> {
                self.finish_pending::<0>()
            }

            /// Waits for all products but the last `PENDING`, and returns the sums. That the last ones
            /// are those of other sums is checked at build time: so the threads can go on with these
            /// sums while other products are in progress.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn finish_pending<const PENDING: usize>(&mut self) -> Sum<$ty, N> {
                warpwise::wgmma::words::wait::<PENDING>(&mut self.sums);
                Sum { sums: self.sums }
            }

            /// Begins to add the product of two K-major factors.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_add(&mut self, a: &Tile<64>, b: &Tile<N>) {
                warpwise::wgmma::words::$k_k::<N, 1, _>(&mut self.sums, &a.rows[0], &b.rows[0]);
            }

            /// Begins to replace the sums by the product of two K-major factors.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply(&mut self, a: &Tile<64>, b: &Tile<N>) {
                warpwise::wgmma::words::$k_k_zero::<N, 1, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b.rows[0],
                );
            }

            /// Begins to add the product of a K-major `a` and an MN-major `b`, a tile for each 64 columns.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_add_mn<const TILES: usize>(
                &mut self,
                a: &Tile<64>,
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$k_mn::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to replace the sums by the product of a K-major `a` and an MN-major `b`, a tile for each 64 columns.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_mn<const TILES: usize>(&mut self, a: &Tile<64>, b: &[Tile<64>; TILES]) {
                warpwise::wgmma::words::$k_mn_zero::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to add the product of an MN-major `a` and a K-major `b`.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_add_mn_k(&mut self, a: &Tile<64>, b: &Tile<N>) {
                warpwise::wgmma::words::$mn_k::<N, 1, _>(&mut self.sums, &a.rows[0], &b.rows[0]);
            }

            /// Begins to replace the sums by the product of an MN-major `a` and a K-major `b`.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_mn_k(&mut self, a: &Tile<64>, b: &Tile<N>) {
                warpwise::wgmma::words::$mn_k_zero::<N, 1, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b.rows[0],
                );
            }

            /// Begins to add the product of two MN-major factors; `b` has a tile for each 64 columns.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_add_mn_mn<const TILES: usize>(
                &mut self,
                a: &Tile<64>,
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$mn_mn::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to replace the sums by the product of two MN-major factors; `b` has a tile for each 64 columns.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_mn_mn<const TILES: usize>(
                &mut self,
                a: &Tile<64>,
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$mn_mn_zero::<N, TILES, _>(
                    &mut self.sums,
                    &a.rows[0],
                    &b[0].rows[0],
                );
            }

            /// Begins to add the product of an `a` in registers, such as [`Sum::to_factor`] returns, and a K-major `b`.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_add_registers(&mut self, a: [u32; 16], b: &Tile<N>) {
                warpwise::wgmma::words::$registers_k::<N, 1, _>(&mut self.sums, a, &b.rows[0]);
            }

            /// Begins to replace the sums by the product of an `a` in registers, such as [`Sum::to_factor`] returns, and a K-major `b`.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_registers(&mut self, a: [u32; 16], b: &Tile<N>) {
                warpwise::wgmma::words::$registers_k_zero::<N, 1, _>(&mut self.sums, a, &b.rows[0]);
            }

            /// Begins to add the product of an `a` in registers, such as [`Sum::to_factor`] returns, and an MN-major `b`, a tile for each 64 columns.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_add_registers_mn<const TILES: usize>(
                &mut self,
                a: [u32; 16],
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$registers_mn::<N, TILES, _>(
                    &mut self.sums,
                    a,
                    &b[0].rows[0],
                );
            }

            /// Begins to replace the sums by the product of an `a` in registers, such as [`Sum::to_factor`] returns, and an MN-major `b`, a tile for each 64 columns.
            ///
            /// # Panics
            /// On the host.
            #[track_caller]
            pub fn multiply_registers_mn<const TILES: usize>(
                &mut self,
                a: [u32; 16],
                b: &[Tile<64>; TILES],
            ) {
                warpwise::wgmma::words::$registers_mn_zero::<N, TILES, _>(
                    &mut self.sums,
                    a,
                    &b[0].rows[0],
                );
            }
        }
    };
}

products! { bf16: bf16_k_k bf16_k_k_zero bf16_k_mn bf16_k_mn_zero bf16_mn_k bf16_mn_k_zero bf16_mn_mn bf16_mn_mn_zero bf16_registers_k bf16_registers_k_zero bf16_registers_mn bf16_registers_mn_zero }
products! { f16: f16_k_k f16_k_k_zero f16_k_mn f16_k_mn_zero f16_mn_k f16_mn_k_zero f16_mn_mn f16_mn_mn_zero f16_registers_k f16_registers_k_zero f16_registers_mn f16_registers_mn_zero }
