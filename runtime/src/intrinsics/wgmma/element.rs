//! The element types of factors.
use crate::{
    U32x4, bf16, device, f16,
    mma::{E4M3, E5M2, Tf32},
};

/// An element type of factors: `f16`, `bf16`, [`Tf32`], [`E4M3`], [`E5M2`], `i8` or `u8`.
#[diagnostic::on_unimplemented(
    message = "warpgroups have no products of `{Self}`",
    note = "the documentation of `warpwise::wgmma` lists the types"
)]
#[device]
pub trait FactorElement: Copy {
    /// The type of sums.
    type Sum: Copy;
    /// Returns zero.
    ///
    /// ```
    /// use warpwise::{bf16, wgmma::FactorElement};
    ///
    /// assert_eq!(bf16::zero(), 0.0f32);
    /// ```
    fn zero() -> Self::Sum;
    /// Waits for all products but the last `PENDING`.
    #[doc(hidden)]
    fn wait<const PENDING: usize>(sums: &mut [Self::Sum; 128]);
    /// Begins to add the product of two K-major factors.
    #[doc(hidden)]
    fn multiply_k_k<const N: usize>(sums: &mut [Self::Sum; 128], a: &[U32x4; 8], b: &[U32x4; 8]);
    /// Begins to replace the sums by the product of two K-major factors.
    #[doc(hidden)]
    fn multiply_k_k_zero<const N: usize>(
        sums: &mut [Self::Sum; 128],
        a: &[U32x4; 8],
        b: &[U32x4; 8],
    );
    /// Begins to add the product of an `a` in registers and a K-major `b`.
    #[doc(hidden)]
    fn multiply_registers_k<const N: usize>(
        sums: &mut [Self::Sum; 128],
        a: [u32; 16],
        b: &[U32x4; 8],
    );
    /// Begins to replace the sums by the product of an `a` in registers and a K-major `b`.
    #[doc(hidden)]
    fn multiply_registers_k_zero<const N: usize>(
        sums: &mut [Self::Sum; 128],
        a: [u32; 16],
        b: &[U32x4; 8],
    );
}

/// An element type of 16 bits, `f16` or `bf16`, whose factors may be MN-major, and to which sums
/// can be rounded.
#[diagnostic::on_unimplemented(
    message = "the factors of a product of `{Self}` are K-major, and its sums are no factors",
    note = "only factors of `f16` and `bf16` may be MN-major, or come from `to_factor`"
)]
#[device]
pub trait HalfElement: FactorElement {
    /// Rounds two sums to the nearest elements, the first of which is the lower half of the word.
    ///
    /// ```
    /// use warpwise::{f16, wgmma::HalfElement};
    ///
    /// assert_eq!(f16::pack(1.0, 2.0), 0x4000_3c00);
    /// ```
    fn pack(first: Self::Sum, second: Self::Sum) -> u32;
    /// Begins to add the product of a K-major `a` and an MN-major `b`.
    #[doc(hidden)]
    fn multiply_k_mn<const N: usize, const TILES: usize>(
        sums: &mut [Self::Sum; 128],
        a: &[U32x4; 8],
        b: &[U32x4; 8],
    );
    /// Begins to replace the sums by the product of a K-major `a` and an MN-major `b`.
    #[doc(hidden)]
    fn multiply_k_mn_zero<const N: usize, const TILES: usize>(
        sums: &mut [Self::Sum; 128],
        a: &[U32x4; 8],
        b: &[U32x4; 8],
    );
    /// Begins to add the product of an MN-major `a` and a K-major `b`.
    #[doc(hidden)]
    fn multiply_mn_k<const N: usize>(sums: &mut [Self::Sum; 128], a: &[U32x4; 8], b: &[U32x4; 8]);
    /// Begins to replace the sums by the product of an MN-major `a` and a K-major `b`.
    #[doc(hidden)]
    fn multiply_mn_k_zero<const N: usize>(
        sums: &mut [Self::Sum; 128],
        a: &[U32x4; 8],
        b: &[U32x4; 8],
    );
    /// Begins to add the product of two MN-major factors.
    #[doc(hidden)]
    fn multiply_mn_mn<const N: usize, const TILES: usize>(
        sums: &mut [Self::Sum; 128],
        a: &[U32x4; 8],
        b: &[U32x4; 8],
    );
    /// Begins to replace the sums by the product of two MN-major factors.
    #[doc(hidden)]
    fn multiply_mn_mn_zero<const N: usize, const TILES: usize>(
        sums: &mut [Self::Sum; 128],
        a: &[U32x4; 8],
        b: &[U32x4; 8],
    );
    /// Begins to add the product of an `a` in registers and an MN-major `b`.
    #[doc(hidden)]
    fn multiply_registers_mn<const N: usize, const TILES: usize>(
        sums: &mut [Self::Sum; 128],
        a: [u32; 16],
        b: &[U32x4; 8],
    );
    /// Begins to replace the sums by the product of an `a` in registers and an MN-major `b`.
    #[doc(hidden)]
    fn multiply_registers_mn_zero<const N: usize, const TILES: usize>(
        sums: &mut [Self::Sum; 128],
        a: [u32; 16],
        b: &[U32x4; 8],
    );
}

/// Implements the products of an element type by the functions on arrays.
macro_rules! factor_element {
    ($ty:ident, $sum:ty, $zero:literal, $wait:ident: $k_k:ident $k_k_zero:ident $registers_k:ident $registers_k_zero:ident) => {
        #[device]
        impl FactorElement for $ty {
            type Sum = $sum;
            fn zero() -> $sum {
                $zero
            }
            #[track_caller]
            fn wait<const PENDING: usize>(sums: &mut [$sum; 128]) {
                warpwise::wgmma::words::$wait::<PENDING>(sums);
            }
            #[track_caller]
            fn multiply_k_k<const N: usize>(
                sums: &mut [$sum; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$k_k::<N, 1, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_k_k_zero<const N: usize>(
                sums: &mut [$sum; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$k_k_zero::<N, 1, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_registers_k<const N: usize>(
                sums: &mut [$sum; 128],
                a: [u32; 16],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$registers_k::<N, 1, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_registers_k_zero<const N: usize>(
                sums: &mut [$sum; 128],
                a: [u32; 16],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$registers_k_zero::<N, 1, _>(sums, a, b);
            }
        }
    };
}

/// Implements the products of an element type of 16 bits.
macro_rules! half_element {
    ($ty:ident: $k_mn:ident $k_mn_zero:ident $mn_k:ident $mn_k_zero:ident $mn_mn:ident $mn_mn_zero:ident $registers_mn:ident $registers_mn_zero:ident) => {
        #[device]
        impl HalfElement for $ty {
            fn pack(first: f32, second: f32) -> u32 {
                let (first, second) = ($ty::from_f32(first), $ty::from_f32(second));
                first.to_bits() as u32 | (second.to_bits() as u32) << 16
            }
            #[track_caller]
            fn multiply_k_mn<const N: usize, const TILES: usize>(
                sums: &mut [f32; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$k_mn::<N, TILES, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_k_mn_zero<const N: usize, const TILES: usize>(
                sums: &mut [f32; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$k_mn_zero::<N, TILES, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_mn_k<const N: usize>(
                sums: &mut [f32; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$mn_k::<N, 1, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_mn_k_zero<const N: usize>(
                sums: &mut [f32; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$mn_k_zero::<N, 1, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_mn_mn<const N: usize, const TILES: usize>(
                sums: &mut [f32; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$mn_mn::<N, TILES, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_mn_mn_zero<const N: usize, const TILES: usize>(
                sums: &mut [f32; 128],
                a: &[U32x4; 8],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$mn_mn_zero::<N, TILES, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_registers_mn<const N: usize, const TILES: usize>(
                sums: &mut [f32; 128],
                a: [u32; 16],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$registers_mn::<N, TILES, _>(sums, a, b);
            }
            #[track_caller]
            fn multiply_registers_mn_zero<const N: usize, const TILES: usize>(
                sums: &mut [f32; 128],
                a: [u32; 16],
                b: &[U32x4; 8],
            ) {
                warpwise::wgmma::words::$registers_mn_zero::<N, TILES, _>(sums, a, b);
            }
        }
    };
}

factor_element! { bf16, f32, 0.0, wait_f32: bf16_k_k bf16_k_k_zero bf16_registers_k bf16_registers_k_zero }
factor_element! { f16, f32, 0.0, wait_f32: f16_k_k f16_k_k_zero f16_registers_k f16_registers_k_zero }
half_element! { bf16: bf16_k_mn bf16_k_mn_zero bf16_mn_k bf16_mn_k_zero bf16_mn_mn bf16_mn_mn_zero bf16_registers_mn bf16_registers_mn_zero }
half_element! { f16: f16_k_mn f16_k_mn_zero f16_mn_k f16_mn_k_zero f16_mn_mn f16_mn_mn_zero f16_registers_mn f16_registers_mn_zero }
factor_element! { i8, i32, 0, wait_i32: i8_k_k i8_k_k_zero i8_registers_k i8_registers_k_zero }
factor_element! { u8, i32, 0, wait_i32: u8_k_k u8_k_k_zero u8_registers_k u8_registers_k_zero }
factor_element! { E4M3, f32, 0.0, wait_f32: e4m3_k_k e4m3_k_k_zero e4m3_registers_k e4m3_registers_k_zero }
factor_element! { E5M2, f32, 0.0, wait_f32: e5m2_k_k e5m2_k_k_zero e5m2_registers_k e5m2_registers_k_zero }
factor_element! { Tf32, f32, 0.0, wait_f32: tf32_k_k tf32_k_k_zero tf32_registers_k tf32_registers_k_zero }
