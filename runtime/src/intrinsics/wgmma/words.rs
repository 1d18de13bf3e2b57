//! The products of warpgroups on arrays of sums: the functions that
//! [`Products`](super::Products) calls.
//!
//! `N` is the number of columns, and `TILES` that of the tiles of `b`. Tiles are passed as their
//! first rows.
use crate::host::only_in_a_kernel;

macro_rules! products {
    ($factor:ty, $sum:ty: $($name:ident)*) => {$(
        #[doc = concat!("The product `", stringify!($name), "`: the type of the factors, and the orders of `a` and `b`.")]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name<const N: usize, const TILES: usize, R>(
            _sums: &mut [$sum; 128],
            _a: $factor,
            _b: &R,
        ) {
            only_in_a_kernel("`multiply_add`")
        }
    )*};
}

products! {
    &R, f32: bf16_k_k bf16_k_mn bf16_mn_k bf16_mn_mn f16_k_k f16_k_mn f16_mn_k f16_mn_mn
        bf16_k_k_zero bf16_k_mn_zero bf16_mn_k_zero bf16_mn_mn_zero
        f16_k_k_zero f16_k_mn_zero f16_mn_k_zero f16_mn_mn_zero
}
products! {
    [u32; 16], f32: bf16_registers_k bf16_registers_mn f16_registers_k f16_registers_mn
        bf16_registers_k_zero bf16_registers_mn_zero f16_registers_k_zero f16_registers_mn_zero
}
products! { &R, i32: i8_k_k i8_k_k_zero u8_k_k u8_k_k_zero }
products! {
    [u32; 16], i32: i8_registers_k i8_registers_k_zero u8_registers_k u8_registers_k_zero
}
products! { &R, f32: e4m3_k_k e4m3_k_k_zero e5m2_k_k e5m2_k_k_zero }
products! {
    [u32; 16], f32: e4m3_registers_k e4m3_registers_k_zero e5m2_registers_k e5m2_registers_k_zero
}
products! { &R, f32: tf32_k_k tf32_k_k_zero }
products! { [u32; 16], f32: tf32_registers_k tf32_registers_k_zero }

/// Waits for all products but the last `PENDING`.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn wait_f32<const PENDING: usize>(_sums: &mut [f32; 128]) {
    only_in_a_kernel("`finish`")
}

/// Waits for all products but the last `PENDING`.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn wait_i32<const PENDING: usize>(_sums: &mut [i32; 128]) {
    only_in_a_kernel("`finish`")
}
