//! The types of texels, and the types of their reads.
use crate::{
    F16x2, F16x4, F32x2, F32x4, I8x2, I8x4, I16x2, I16x4, I32x2, I32x4, U8x2, U8x4, U16x2, U16x4,
    U32x2, U32x4, device, f16,
};

/// A type of texels.
#[diagnostic::on_unimplemented(
    message = "a texture has no texels of type `{Self}`",
    note = "texels are `f32`, `f16`, `u8`, `i8`, `u16`, `i16`, `u32`, `i32`, vectors of two and four of them, such as `F32x4`, and `Normalized<T>` of integers with 8 and 16 bits"
)]
#[device]
pub trait Texel: Copy {
    /// The type of a result.
    type Value: Copy;
    /// The type of a channel of a result.
    type Word: TexelWord;
    /// Makes a result of its channels.
    ///
    /// ```
    /// use warpwise::{F32x2, Texel, U8x4};
    ///
    /// // The channels that a texture has, as its texels' type.
    /// assert_eq!(U8x4::from_words([1, 2, 3, 255]), U8x4::new(1, 2, 3, 255));
    /// assert_eq!(F32x2::from_words([0.5, 1.0, 0.0, 0.0]), F32x2::new(0.5, 1.0));
    /// ```
    fn from_words(words: [Self::Word; 4]) -> Self::Value;
}

/// A type of the channels of results: `f32`, `i32` or `u32`.
#[device]
pub trait TexelWord: Copy {
    /// Samples a texture of one dimension.
    #[doc(hidden)]
    fn sample_1d<T>(texels: &[T], x: f32) -> [Self; 4];
    /// Samples a texture of two dimensions.
    #[doc(hidden)]
    fn sample_2d<T>(texels: &[T], x: f32, y: f32) -> [Self; 4];
    /// Samples a texture of three dimensions.
    #[doc(hidden)]
    fn sample_3d<T>(texels: &[T], x: f32, y: f32, z: f32) -> [Self; 4];
    /// Samples a layer of one dimension.
    #[doc(hidden)]
    fn sample_a1d<T>(texels: &[T], layer: u32, x: f32) -> [Self; 4];
    /// Samples a layer of two dimensions.
    #[doc(hidden)]
    fn sample_a2d<T>(texels: &[T], layer: u32, x: f32, y: f32) -> [Self; 4];
    /// Samples a level of a texture of two dimensions.
    #[doc(hidden)]
    fn sample_level_2d<T>(texels: &[T], x: f32, y: f32, level: f32) -> [Self; 4];
    /// Samples the level of a texture of two dimensions that gradients have: the changes of x and y
    /// along one axis and along the other.
    #[doc(hidden)]
    fn sample_gradient_2d<T>(
        texels: &[T],
        x: f32,
        y: f32,
        dxdx: f32,
        dydx: f32,
        dxdy: f32,
        dydy: f32,
    ) -> [Self; 4];
    /// Gathers the first channel.
    #[doc(hidden)]
    fn gather_r_2d<T>(texels: &[T], x: f32, y: f32) -> [Self; 4];
    /// Gathers the second channel.
    #[doc(hidden)]
    fn gather_g_2d<T>(texels: &[T], x: f32, y: f32) -> [Self; 4];
    /// Gathers the third channel.
    #[doc(hidden)]
    fn gather_b_2d<T>(texels: &[T], x: f32, y: f32) -> [Self; 4];
    /// Gathers the fourth channel.
    #[doc(hidden)]
    fn gather_a_2d<T>(texels: &[T], x: f32, y: f32) -> [Self; 4];
}

/// Implements the reads of words of a type by the functions of that type.
macro_rules! texel_words {
    ($($word:ty: $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident $i:ident $j:ident $k:ident;)*) => {$(
        #[device]
        impl TexelWord for $word {
            fn sample_1d<T>(texels: &[T], x: f32) -> [$word; 4] {
                warpwise::texture::words::$a(texels, x)
            }
            fn sample_2d<T>(texels: &[T], x: f32, y: f32) -> [$word; 4] {
                warpwise::texture::words::$b(texels, x, y)
            }
            fn sample_3d<T>(texels: &[T], x: f32, y: f32, z: f32) -> [$word; 4] {
                warpwise::texture::words::$c(texels, x, y, z)
            }
            fn sample_a1d<T>(texels: &[T], layer: u32, x: f32) -> [$word; 4] {
                warpwise::texture::words::$d(texels, layer, x)
            }
            fn sample_a2d<T>(texels: &[T], layer: u32, x: f32, y: f32) -> [$word; 4] {
                warpwise::texture::words::$e(texels, layer, x, y)
            }
            fn gather_r_2d<T>(texels: &[T], x: f32, y: f32) -> [$word; 4] {
                warpwise::texture::words::$f(texels, x, y)
            }
            fn gather_g_2d<T>(texels: &[T], x: f32, y: f32) -> [$word; 4] {
                warpwise::texture::words::$g(texels, x, y)
            }
            fn gather_b_2d<T>(texels: &[T], x: f32, y: f32) -> [$word; 4] {
                warpwise::texture::words::$h(texels, x, y)
            }
            fn gather_a_2d<T>(texels: &[T], x: f32, y: f32) -> [$word; 4] {
                warpwise::texture::words::$i(texels, x, y)
            }
            fn sample_level_2d<T>(texels: &[T], x: f32, y: f32, level: f32) -> [$word; 4] {
                warpwise::texture::words::$j(texels, x, y, level)
            }
            fn sample_gradient_2d<T>(
                texels: &[T],
                x: f32,
                y: f32,
                dxdx: f32,
                dydx: f32,
                dxdy: f32,
                dydy: f32,
            ) -> [$word; 4] {
                warpwise::texture::words::$k(texels, x, y, dxdx, dydx, dxdy, dydy)
            }
        }
    )*};
}

texel_words! {
    f32: sample_1d_f32 sample_2d_f32 sample_3d_f32 sample_a1d_f32 sample_a2d_f32
        gather_r_2d_f32 gather_g_2d_f32 gather_b_2d_f32 gather_a_2d_f32
        sample_level_2d_f32 sample_gradient_2d_f32;
    i32: sample_1d_i32 sample_2d_i32 sample_3d_i32 sample_a1d_i32 sample_a2d_i32
        gather_r_2d_i32 gather_g_2d_i32 gather_b_2d_i32 gather_a_2d_i32
        sample_level_2d_i32 sample_gradient_2d_i32;
    u32: sample_1d_u32 sample_2d_u32 sample_3d_u32 sample_a1d_u32 sample_a2d_u32
        gather_r_2d_u32 gather_g_2d_u32 gather_b_2d_u32 gather_a_2d_u32
        sample_level_2d_u32 sample_gradient_2d_u32;
}

/// A texel of integers that are read as floats: an unsigned integer divided by its greatest value,
/// and a signed one divided by its greatest value, but at least -1.
///
/// `Normalized<U8x4>` is read as an [`F32x4`] whose lanes are 0 to 1.
#[device]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normalized<T> {
    /// The texel in memory.
    pub texel: T,
}

macro_rules! texels {
    ($($ty:ty, $value:ty, $word:ty, $words:ident => $make:expr;)*) => {$(
        #[device]
        impl Texel for $ty {
            type Value = $value;
            type Word = $word;
            fn from_words($words: [$word; 4]) -> $value {
                $make
            }
        }
    )*};
}

texels! {
    f32, f32, f32, w => w[0];
    F32x2, F32x2, f32, w => F32x2::new(w[0], w[1]);
    F32x4, F32x4, f32, w => F32x4::new(w[0], w[1], w[2], w[3]);
    f16, f32, f32, w => w[0];
    F16x2, F32x2, f32, w => F32x2::new(w[0], w[1]);
    F16x4, F32x4, f32, w => F32x4::new(w[0], w[1], w[2], w[3]);
    u8, u8, u32, w => w[0] as u8;
    U8x2, U8x2, u32, w => U8x2::new(w[0] as u8, w[1] as u8);
    U8x4, U8x4, u32, w => U8x4::new(w[0] as u8, w[1] as u8, w[2] as u8, w[3] as u8);
    u16, u16, u32, w => w[0] as u16;
    U16x2, U16x2, u32, w => U16x2::new(w[0] as u16, w[1] as u16);
    U16x4, U16x4, u32, w => U16x4::new(w[0] as u16, w[1] as u16, w[2] as u16, w[3] as u16);
    u32, u32, u32, w => w[0];
    U32x2, U32x2, u32, w => U32x2::new(w[0], w[1]);
    U32x4, U32x4, u32, w => U32x4::new(w[0], w[1], w[2], w[3]);
    i8, i8, i32, w => w[0] as i8;
    I8x2, I8x2, i32, w => I8x2::new(w[0] as i8, w[1] as i8);
    I8x4, I8x4, i32, w => I8x4::new(w[0] as i8, w[1] as i8, w[2] as i8, w[3] as i8);
    i16, i16, i32, w => w[0] as i16;
    I16x2, I16x2, i32, w => I16x2::new(w[0] as i16, w[1] as i16);
    I16x4, I16x4, i32, w => I16x4::new(w[0] as i16, w[1] as i16, w[2] as i16, w[3] as i16);
    i32, i32, i32, w => w[0];
    I32x2, I32x2, i32, w => I32x2::new(w[0], w[1]);
    I32x4, I32x4, i32, w => I32x4::new(w[0], w[1], w[2], w[3]);
    Normalized<u8>, f32, f32, w => w[0];
    Normalized<U8x2>, F32x2, f32, w => F32x2::new(w[0], w[1]);
    Normalized<U8x4>, F32x4, f32, w => F32x4::new(w[0], w[1], w[2], w[3]);
    Normalized<u16>, f32, f32, w => w[0];
    Normalized<U16x2>, F32x2, f32, w => F32x2::new(w[0], w[1]);
    Normalized<U16x4>, F32x4, f32, w => F32x4::new(w[0], w[1], w[2], w[3]);
    Normalized<i8>, f32, f32, w => w[0];
    Normalized<I8x2>, F32x2, f32, w => F32x2::new(w[0], w[1]);
    Normalized<I8x4>, F32x4, f32, w => F32x4::new(w[0], w[1], w[2], w[3]);
    Normalized<i16>, f32, f32, w => w[0];
    Normalized<I16x2>, F32x2, f32, w => F32x2::new(w[0], w[1]);
    Normalized<I16x4>, F32x4, f32, w => F32x4::new(w[0], w[1], w[2], w[3]);
}
