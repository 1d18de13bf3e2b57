//! DLPack tensors.
use crate::{
    Buffer, Device, Element, Error, Result,
    driver::{ElementType, ManagedTensor, Place},
    memory::check_lengths,
};
use std::{any::type_name, ffi::c_void, fmt, sync::Arc};
use warpwise_compiler::ir::Scalar;

/// An array in the memory of a GPU as PyTorch, JAX, CuPy and others exchange it: a
/// `DLManagedTensorVersioned` of [DLPack](https://dmlc.github.io/dlpack/latest/) 1, deleted when it
/// is dropped.
///
/// A buffer becomes one by [`Buffer::into_dlpack`], and one becomes a buffer by
/// [`Device::buffer_from_dlpack`], both without a copy. In Python it travels in a capsule of the
/// name `dltensor_versioned`, as `__dlpack__(max_version=(1, 0))` returns it and `from_dlpack`
/// takes it.
///
/// ```no_run
/// use warpwise::{Buffer, Device, interop::DlpackTensor};
///
/// let device = Device::cuda(0)?;
/// let tensor = device.upload(&[1.0f32; 6])?.into_dlpack(&[2, 3])?;
/// let pointer = tensor.into_raw();
/// // SAFETY: nobody else has the pointer.
/// let tensor = unsafe { DlpackTensor::from_raw(pointer) }.unwrap();
/// assert_eq!(tensor.shape()?, [2, 3]);
/// let buffer: Buffer<f32> = device.buffer_from_dlpack(tensor)?;
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct DlpackTensor {
    tensor: ManagedTensor,
}

impl DlpackTensor {
    /// Takes a `DLManagedTensorVersioned` of another library, `None` if it is null.
    ///
    /// ```
    /// use std::ffi::c_void;
    /// use warpwise::{Buffer, Device, interop::DlpackTensor};
    ///
    /// /// Takes the pointer in a Python capsule. Needs a GPU, which has the tensor.
    /// ///
    /// /// # Safety
    /// /// As of [`DlpackTensor::from_raw`].
    /// unsafe fn import(device: &Device, pointer: *mut c_void) -> warpwise::Result<Buffer<f32>> {
    ///     // SAFETY: the caller's promise.
    ///     let tensor = unsafe { DlpackTensor::from_raw(pointer) }.expect("it is not null");
    ///     device.buffer_from_dlpack(tensor)
    /// }
    /// // SAFETY: no tensor is null.
    /// assert!(unsafe { DlpackTensor::from_raw(std::ptr::null_mut()) }.is_none());
    /// ```
    ///
    /// # Safety
    /// The caller owns the tensor, and its description is true: its elements are initialized and
    /// valid until it is deleted. Other libraries have finished their work with them, and begin no
    /// more as long as the tensor, or the buffer made of it, lives. Any thread may call its
    /// deleter.
    #[expect(unsafe_code, reason = "the tensor is as the caller says")]
    pub unsafe fn from_raw(tensor: *mut c_void) -> Option<Self> {
        // SAFETY: the caller's promise.
        let tensor = unsafe { ManagedTensor::from_raw(tensor) }?;
        Some(Self { tensor })
    }

    /// Returns the pointer for another library, which calls the deleter when its work with the
    /// elements is done.
    ///
    /// ```no_run
    /// use std::ffi::c_void;
    /// use warpwise::Device;
    ///
    /// // Needs a GPU. Python takes the pointer in a capsule, and calls the deleter.
    /// let device = Device::cuda(0)?;
    /// let pointer: *mut c_void = device.upload(&[1.0f32; 6])?.into_dlpack(&[2, 3])?.into_raw();
    /// assert!(!pointer.is_null());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn into_raw(self) -> *mut c_void {
        self.tensor.into_raw()
    }

    /// Returns the numbers of elements along the axes.
    ///
    /// ```no_run
    /// use warpwise::Device;
    ///
    /// // Needs a GPU.
    /// let tensor = Device::cuda(0)?.upload(&[1.0f32; 6])?.into_dlpack(&[2, 3])?;
    /// assert_eq!(tensor.shape()?, [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Dlpack`] for a tensor that no buffer can be.
    pub fn shape(&self) -> Result<Vec<usize>> {
        let place = self.tensor.place();
        place.map(|place| place.shape).map_err(|problem| Error::Dlpack { elem: "_", problem })
    }
}

impl fmt::Debug for DlpackTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DlpackTensor({:?})", self.tensor.place())
    }
}

impl<T: Element> Buffer<T> {
    /// Returns the buffer as a tensor of this shape, row by row, without a copy. The calling thread
    /// waits for the work that uses the buffer, since a tensor cannot express pending work.
    ///
    /// ```
    /// use warpwise::{Device, Error};
    ///
    /// /// Makes a tensor for PyTorch of a matrix on a GPU.
    /// fn export(device: &Device) -> Result<*mut std::ffi::c_void, Error> {
    ///     let matrix = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
    ///     Ok(matrix.into_dlpack(&[2, 2])?.into_raw())
    /// }
    /// assert!(matches!(export(&Device::cpu()), Err(Error::NeedsGpu { .. })));
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless the shape has as many elements as the buffer;
    /// [`Error::Dlpack`] if a [`Graph`](crate::Graph) uses it; [`Error::NeedsGpu`] on the
    /// interpreter; errors of the driver. The buffer is dropped.
    pub fn into_dlpack(self, shape: &[usize]) -> Result<DlpackTensor> {
        check_lengths(self.len(), elements(shape))?;
        if Arc::strong_count(&self.any().memory) > 1 {
            let problem = "a graph uses it".to_owned();
            return Err(Error::Dlpack { elem: type_name::<T>(), problem });
        }
        let ordinal = self.device().require_gpu("DLPack tensors")?.ordinal();
        self.any().gpu().wait()?;
        let (shape, elem) = (shape.to_vec(), element_type::<T>());
        let address = if self.is_empty() { 0 } else { self.any().gpu().address_of(0) };
        let place = Place { address, shape, elem, ordinal };
        Ok(DlpackTensor { tensor: ManagedTensor::new(&place, Box::new(self)) })
    }
}

impl Device {
    /// Creates a buffer over the elements of a tensor, which lie row by row, without a copy. The
    /// tensor is deleted when the buffer is dropped, after the work that uses it.
    ///
    /// ```no_run
    /// use warpwise::{Buffer, Device};
    ///
    /// // Needs a GPU. The tensor is usually another library's.
    /// let device = Device::cuda(0)?;
    /// let tensor = device.upload(&[1.0f32; 6])?.into_dlpack(&[2, 3])?;
    /// let buffer: Buffer<f32> = device.buffer_from_dlpack(tensor)?;
    /// assert_eq!(buffer.to_vec()?, [1.0; 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Dlpack`] for a tensor of other elements, of another GPU or of the host, of another
    /// order or version, or that is read-only; those of [`Self::buffer_from_raw`]. The tensor is
    /// deleted.
    #[expect(unsafe_code, reason = "the tensor is as `DlpackTensor::from_raw` was promised")]
    pub fn buffer_from_dlpack<T: Element>(&self, tensor: DlpackTensor) -> Result<Buffer<T>> {
        let refused = |problem: String| Error::Dlpack { elem: type_name::<T>(), problem };
        let own = self.require_gpu("DLPack tensors")?.ordinal();
        let Place { address, shape, elem, ordinal } = tensor.tensor.place().map_err(refused)?;
        if ordinal != own {
            return Err(refused(format!("it is on GPU {ordinal}, and the device is {self}")));
        }
        if elem != element_type::<T>() {
            let ElementType { code, bits, lanes } = elem;
            let found =
                format!("its elements have type code {code}, {bits} bits and {lanes} lanes");
            return Err(refused(found));
        }
        let len = elements(&shape);
        // SAFETY: the tensor has so many elements there, in whole allocations, until it is dropped.
        // Nobody else uses them by the promise to `DlpackTensor::from_raw`, or because they were a
        // buffer.
        unsafe { self.buffer_from_raw(address, len, tensor) }
    }
}

/// Returns the number of elements of a shape.
fn elements(shape: &[usize]) -> usize {
    shape.iter().fold(1, |elements: usize, &extent| elements.saturating_mul(extent))
}

/// Returns DLPack's name of an element type.
fn element_type<T: Element>() -> ElementType {
    let code = match T::SCALAR {
        Scalar::I8 | Scalar::I16 | Scalar::I32 | Scalar::I64 => 0,
        Scalar::U8 | Scalar::U16 | Scalar::U32 | Scalar::U64 => 1,
        Scalar::F16 | Scalar::F32 | Scalar::F64 => 2,
        Scalar::BF16 => 4,
        Scalar::Bool => 6,
        Scalar::Generic(_) => unreachable!("an element has a type"),
    };
    let bits = 8 * u8::try_from(size_of::<T>()).expect("an element has 8 bytes at most");
    ElementType { code, bits, lanes: 1 }
}
