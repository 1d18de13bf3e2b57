//! Contents of constant memory: [`Constant`].
use super::AnySlice;
use crate::{Device, Error, Result, Stored};
use std::{fmt, marker::PhantomData};
use warpwise_compiler::{analysis::read_only_arrays::CONSTANT_BYTES, ir};

/// Values that a kernel reads from constant memory, for its parameters with `#[constant]`: a
/// `&[T; N]` takes a `&Constant<[T; N]>`, a `&[T]` a `&Constant<[T]>`, and a `&T` a `&Constant<T>`.
///
/// [`Device::constant`] makes one, and nothing changes it. A launch on a GPU copies the values to
/// the constant memory of its kernel, unless that has them from an earlier launch. Launches of a
/// kernel with other values wait for the ones before, on other streams, too.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel]
/// fn smooth(#[constant] taps: &[f32; 3], x: &[f32], y: &mut [f32]) {
///     let i = global_idx_x();
///     if i < y.len() && i + 2 < x.len() {
///         let mut sum = 0.0;
///         for k in 0..3 {
///             sum += taps[k] * x[i + k];
///         }
///         y[i] = sum;
///     }
/// }
///
/// let device = Device::cpu();
/// let taps = device.constant(&[0.25f32, 0.5, 0.25])?;
/// let x = device.upload(&[0.0f32, 4.0, 8.0, 8.0])?;
/// let mut y = device.zeros::<f32>(2)?;
/// smooth::launch(&device, LaunchConfig::cover(2), &taps, &x, &mut y)?;
/// assert_eq!(y.to_vec()?, [4.0, 7.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Constant<C: ?Sized> {
    any: AnySlice,
    values: PhantomData<fn() -> Box<C>>,
}

/// Values that [`Device::constant`] takes: those that buffers have, arrays of them, and slices.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be in constant memory",
    note = "numbers, `bool`, and arrays, tuples, `Option`s, `Result`s and `#[device]` structs and enums of such can, and slices of them: `&values[..]`"
)]
pub trait ConstantData {
    /// The element type, in the IR.
    #[doc(hidden)]
    const ELEMENT: ir::Element;
    /// True for one value, and false for a slice.
    #[doc(hidden)]
    const IS_SINGLE: bool;
    /// Copies the values to the memory of a device.
    #[doc(hidden)]
    fn upload(&self, device: &Device) -> Result<AnySlice>;
}

impl<T: Stored<Value = T>> ConstantData for T {
    const ELEMENT: ir::Element = <T as Stored>::ELEMENT;
    const IS_SINGLE: bool = true;

    fn upload(&self, device: &Device) -> Result<AnySlice> {
        std::slice::from_ref(self).upload(device)
    }
}

impl<T: Stored<Value = T>> ConstantData for [T] {
    const ELEMENT: ir::Element = <T as Stored>::ELEMENT;
    const IS_SINGLE: bool = false;

    fn upload(&self, device: &Device) -> Result<AnySlice> {
        let bytes = self.len().saturating_mul(T::LAYOUT.size) as u64;
        if bytes > CONSTANT_BYTES {
            return Err(Error::ConstantTooLarge { bytes, limit: CONSTANT_BYTES });
        }
        Ok(device.upload(self)?.into_any())
    }
}

impl<C: ConstantData + ?Sized> Constant<C> {
    pub(crate) const fn any(&self) -> &AnySlice {
        &self.any
    }

    /// Returns the device on which it was made. Launches on the streams of that device, and on
    /// devices on the same GPU, take it.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let taps = Device::cpu().constant(&[1.0f32, 2.0])?;
    /// assert!(!taps.device().is_gpu());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        self.any.device()
    }
}

impl<T: Stored<Value = T>> Constant<[T]> {
    /// Returns the number of elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let stops = Device::cpu().constant(&[1u32, 2, 3][..])?;
    /// assert_eq!((stops.len(), stops.is_empty()), (3, false));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn len(&self) -> usize {
        self.any.len
    }

    /// Returns true if there are no elements.
    ///
    /// ```
    /// # use warpwise::Device;
    /// assert!(!Device::cpu().constant(&[1u32, 2, 3][..])?.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub const fn is_empty(&self) -> bool {
        self.any.len == 0
    }
}

/// `Constant(64 bytes on the SIMT interpreter)`
impl<C: ConstantData + ?Sized> fmt::Debug for Constant<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Constant({} bytes on {})", self.any.bytes, self.device())
    }
}

impl Device {
    /// Copies values to the device, for parameters of kernels with `#[constant]`: an array or one
    /// value, or a slice (`&values[..]`). See [`Constant`].
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let taps = device.constant(&[0.25f32, 0.5, 0.25])?; // for `#[constant] taps: &[f32; 3]`
    /// let stops = device.constant(&vec![1u32; 100][..])?; // for `#[constant(max = 256)] stops: &[u32]`
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ConstantTooLarge`] above 64 KiB; those of [`Device::upload`].
    #[doc(alias = "cudaMemcpyToSymbol")]
    pub fn constant<C: ConstantData + ?Sized>(&self, values: &C) -> Result<Constant<C>> {
        Ok(Constant { any: values.upload(self)?, values: PhantomData })
    }
}
