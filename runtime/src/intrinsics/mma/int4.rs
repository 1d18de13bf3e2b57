//! Integers of 4 bits.
use crate::device;

/// Signed integers of 4 bits, -8 to 7: elements of factors, eight in a `u32` of memory.
///
/// Loads of fragments take `u32`s, whose lowest bits are the first element. Start and pitch count
/// those, and the eight elements are neighbours along the sums: of a row of `A`, or of a column of
/// `B`.
///
/// ```
/// use warpwise::{mma::{A, Accumulator, B, I4}, prelude::*};
///
/// /// `c = a * b` for an `a` of 16 rows, and a `b` of 8 columns that is stored column by column.
/// #[allow(gpu_uncoalesced_accesses)]
/// #[kernel(block = 32)]
/// fn multiply(a: &[u32], b: &[u32], c: &mut [i32]) {
///     let mut sum = Accumulator::<i32, 16, 8>::zero();
///     for at in (0..32).step_by(8) {
///         let left = A::<I4, 16, 64>::load(a, at, 32);
///         let right = B::<I4, 64, 8>::load_transposed(b, at, 32);
///         sum.multiply_add(left, right);
///     }
///     sum.store(c, 0, 8);
/// }
///
/// let device = Device::cpu();
/// let a = device.upload(&[I4::pack([-8, 7, 1, 1, 0, 0, 0, 0]); 16 * 32])?;
/// let b = device.upload(&[I4::pack([1; 8]); 8 * 32])?;
/// let mut c = device.zeros::<i32>(16 * 8)?;
/// multiply::launch(&device, LaunchConfig::grid(1), &a, &b, &mut c)?;
/// assert_eq!(c.to_vec()?, [32; 16 * 8]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[device]
#[derive(Clone, Copy, Debug)]
pub struct I4;

#[device]
impl I4 {
    /// Returns a word of eight elements, the first one in the lowest bits. Of larger numbers the
    /// lowest 4 bits count.
    ///
    /// ```
    /// use warpwise::mma::I4;
    ///
    /// assert_eq!(I4::pack([1, 2, 3, 4, 5, 6, 7, -8]), 0x8765_4321);
    /// ```
    pub fn pack(elements: [i8; 8]) -> u32 {
        let mut word = 0;
        for i in 0..8 {
            word |= (elements[i] as u32 & 0xf) << (4 * i);
        }
        word
    }

    /// Returns the elements of a word.
    ///
    /// ```
    /// use warpwise::mma::I4;
    ///
    /// assert_eq!(I4::unpack(0x8765_4321), [1, 2, 3, 4, 5, 6, 7, -8]);
    /// ```
    pub fn unpack(word: u32) -> [i8; 8] {
        let mut elements = [0; 8];
        for i in 0..8 {
            elements[i] = ((word << (28 - 4 * i)) as i32 >> 28) as i8;
        }
        elements
    }
}

/// Unsigned integers of 4 bits, 0 to 15: elements of factors, eight in a `u32` of memory, as those
/// of [`I4`].
#[device]
#[derive(Clone, Copy, Debug)]
pub struct U4;

#[device]
impl U4 {
    /// Returns a word of eight elements, the first one in the lowest bits. Of larger numbers the
    /// lowest 4 bits count.
    ///
    /// ```
    /// use warpwise::mma::U4;
    ///
    /// assert_eq!(U4::pack([1, 2, 3, 4, 5, 6, 7, 15]), 0xf765_4321);
    /// ```
    pub fn pack(elements: [u8; 8]) -> u32 {
        let mut word = 0;
        for i in 0..8 {
            word |= (elements[i] as u32 & 0xf) << (4 * i);
        }
        word
    }

    /// Returns the elements of a word.
    ///
    /// ```
    /// use warpwise::mma::U4;
    ///
    /// assert_eq!(U4::unpack(0xf765_4321), [1, 2, 3, 4, 5, 6, 7, 15]);
    /// ```
    pub fn unpack(word: u32) -> [u8; 8] {
        let mut elements = [0; 8];
        for i in 0..8 {
            elements[i] = (word >> (4 * i) & 0xf) as u8;
        }
        elements
    }
}
