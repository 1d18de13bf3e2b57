//! The products of tensor cores on words: the functions that fragments call.
//!
//! Each lane passes its words of both factors and of the summand, and gets its words of the sum, in
//! the order of PTX. Products with fewer words ignore the last ones.
use crate::host::only_in_a_kernel;

macro_rules! products {
    ($($factor:ty, $sum:ty: $($name:ident)*;)*) => {$($(
        #[doc = concat!("The product `", stringify!($name), "`: its shape, and the types of the sum and the factors.")]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name(_a: [$factor; 4], _b: [$factor; 2], _c: [$sum; 4]) -> [$sum; 4] {
            only_in_a_kernel("`multiply_add`")
        }
    )*)*};
}

products! {
    u32, f32: m16n8k8_f32_f16_f16 m16n8k16_f32_f16_f16 m16n8k8_f32_bf16_bf16
        m16n8k16_f32_bf16_bf16 m16n8k4_f32_tf32_tf32 m16n8k8_f32_tf32_tf32
        m16n8k32_f32_e4m3_e4m3 m16n8k32_f32_e4m3_e5m2 m16n8k32_f32_e5m2_e4m3 m16n8k32_f32_e5m2_e5m2;
    u32, u32: m16n8k8_f16_f16_f16 m16n8k16_f16_f16_f16;
    f64, f64: m8n8k4_f64_f64_f64 m16n8k4_f64_f64_f64 m16n8k8_f64_f64_f64;
    u32, i32: m8n8k16_i32_i8_i8 m8n8k16_i32_i8_u8 m8n8k16_i32_u8_i8 m8n8k16_i32_u8_u8
        m16n8k16_i32_i8_i8 m16n8k16_i32_i8_u8 m16n8k16_i32_u8_i8 m16n8k16_i32_u8_u8
        m16n8k32_i32_i8_i8 m16n8k32_i32_i8_u8 m16n8k32_i32_u8_i8 m16n8k32_i32_u8_u8
        m8n8k32_i32_i4_i4 m8n8k32_i32_i4_u4 m8n8k32_i32_u4_i4 m8n8k32_i32_u4_u4
        m16n8k32_i32_i4_i4 m16n8k32_i32_i4_u4 m16n8k32_i32_u4_i4 m16n8k32_i32_u4_u4
        m16n8k64_i32_i4_i4 m16n8k64_i32_i4_u4 m16n8k64_i32_u4_i4 m16n8k64_i32_u4_u4;
}

/// Distributes four matrices of 8 rows to fragments, as `ldmatrix` does. Each lane passes a row of
/// 16 bytes, lane `l` that of row `l % 8` of matrix `l / 8`, and gets a word of each matrix.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn distribute_rows(_row: [u32; 4]) -> [u32; 4] {
    only_in_a_kernel("`load_matrix`")
}

/// Does the same as [`distribute_rows`] with the columns of the matrices, whose elements have 16
/// bits.
///
/// # Panics
/// On the host.
#[track_caller]
pub fn distribute_rows_transposed(_row: [u32; 4]) -> [u32; 4] {
    only_in_a_kernel("`load_matrix_transposed`")
}
