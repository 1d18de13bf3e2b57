//! Reads of textures as words: the functions that [`Texture2`](crate::Texture2) and its kin call.
//!
//! Each yields four words: the channels of a texel, of which those that the texture does not have
//! are unspecified, or for a gather the same channel of four texels.
macro_rules! reads {
    ($($word:ty: $($name:ident($($arg:ident: $ty:ty),*))*;)*) => {$($(
        #[doc = concat!("The read `", stringify!($name), "`: its kind, the dimensions, and the type of the words.")]
        ///
        /// # Panics
        /// On the host.
        #[track_caller]
        pub fn $name<T>(_texels: &[T], $($arg: $ty),*) -> [$word; 4] {
            only_in_a_kernel()
        }
    )*)*};
}

reads! {
    f32: sample_1d_f32(_x: f32) sample_2d_f32(_x: f32, _y: f32) sample_3d_f32(_x: f32, _y: f32, _z: f32)
        sample_a1d_f32(_layer: u32, _x: f32) sample_a2d_f32(_layer: u32, _x: f32, _y: f32)
        gather_r_2d_f32(_x: f32, _y: f32) gather_g_2d_f32(_x: f32, _y: f32) gather_b_2d_f32(_x: f32, _y: f32)
        gather_a_2d_f32(_x: f32, _y: f32) sample_level_2d_f32(_x: f32, _y: f32, _level: f32)
        sample_gradient_2d_f32(_x: f32, _y: f32, _dxdx: f32, _dydx: f32, _dxdy: f32, _dydy: f32);
    i32: sample_1d_i32(_x: f32) sample_2d_i32(_x: f32, _y: f32) sample_3d_i32(_x: f32, _y: f32, _z: f32)
        sample_a1d_i32(_layer: u32, _x: f32) sample_a2d_i32(_layer: u32, _x: f32, _y: f32)
        gather_r_2d_i32(_x: f32, _y: f32) gather_g_2d_i32(_x: f32, _y: f32) gather_b_2d_i32(_x: f32, _y: f32)
        gather_a_2d_i32(_x: f32, _y: f32) sample_level_2d_i32(_x: f32, _y: f32, _level: f32)
        sample_gradient_2d_i32(_x: f32, _y: f32, _dxdx: f32, _dydx: f32, _dxdy: f32, _dydy: f32);
    u32: sample_1d_u32(_x: f32) sample_2d_u32(_x: f32, _y: f32) sample_3d_u32(_x: f32, _y: f32, _z: f32)
        sample_a1d_u32(_layer: u32, _x: f32) sample_a2d_u32(_layer: u32, _x: f32, _y: f32)
        gather_r_2d_u32(_x: f32, _y: f32) gather_g_2d_u32(_x: f32, _y: f32) gather_b_2d_u32(_x: f32, _y: f32)
        gather_a_2d_u32(_x: f32, _y: f32) sample_level_2d_u32(_x: f32, _y: f32, _level: f32)
        sample_gradient_2d_u32(_x: f32, _y: f32, _dxdx: f32, _dydx: f32, _dxdy: f32, _dydy: f32);
}

#[track_caller]
fn only_in_a_kernel() -> ! {
    panic!(
        "a texture is read on the host: launch the kernel, on `Device::cpu()` if there is no GPU"
    )
}
