//! The memory layout of DLPack tensors, version 1:
//! <https://dmlc.github.io/dlpack/latest/c_api.html>.
use super::memory::Owner;
use std::{ffi::c_void, ptr::NonNull};

/// The major version whose layout this is; minor ones add nothing to it.
const MAJOR_VERSION: u32 = 1;
const MINOR_VERSION: u32 = 0;
/// `kDLCUDA`
const CUDA: i32 = 2;
/// `kDLCUDAManaged`
const CUDA_MANAGED: i32 = 13;
/// `DLPACK_FLAG_BITMASK_READ_ONLY`
const READ_ONLY: u64 = 1;

/// `DLManagedTensorVersioned`
#[repr(C)]
struct RawTensor {
    /// `DLPackVersion`
    version: [u32; 2],
    manager: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut RawTensor)>,
    flags: u64,
    /// `DLTensor`, of which these are the fields.
    data: *mut c_void,
    /// `DLDevice`
    device_type: i32,
    device_id: i32,
    ndim: i32,
    /// `DLDataType`
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// The type of a tensor's elements: `DLDataType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ElementType {
    pub(crate) code: u8,
    pub(crate) bits: u8,
    pub(crate) lanes: u16,
}

/// The place of a tensor's elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) address: u64,
    pub(crate) shape: Vec<usize>,
    pub(crate) elem: ElementType,
    /// The number of the GPU.
    pub(crate) ordinal: usize,
}

/// Storage of an exported tensor besides its elements.
struct Manager {
    shape: Vec<i64>,
    strides: Vec<i64>,
    _owner: Owner,
}

/// A tensor that is deleted when dropped.
pub(crate) struct ManagedTensor(NonNull<RawTensor>);

// SAFETY: whoever makes one promises that any thread may delete it; the rest is only read.
unsafe impl Send for ManagedTensor {}
// SAFETY: as above.
unsafe impl Sync for ManagedTensor {}

impl ManagedTensor {
    /// Takes a tensor that another library made, `None` if it is null.
    ///
    /// # Safety
    /// It is a `DLManagedTensorVersioned` that the caller owns, and any thread may delete it.
    pub(crate) unsafe fn from_raw(tensor: *mut c_void) -> Option<Self> {
        NonNull::new(tensor.cast()).map(Self)
    }

    /// Makes a tensor, row by row, which drops `owner` when it is deleted.
    pub(crate) fn new(place: &Place, owner: Owner) -> Self {
        let shape: Vec<i64> = place.shape.iter().map(|&extent| extent as i64).collect();
        let strides = row_major(&shape);
        let mut manager = Box::new(Manager { shape, strides, _owner: owner });
        let ElementType { code, bits, lanes } = place.elem;
        let tensor = RawTensor {
            version: [MAJOR_VERSION, MINOR_VERSION],
            flags: 0,
            data: std::ptr::with_exposed_provenance_mut(place.address as usize),
            device_type: CUDA,
            device_id: i32::try_from(place.ordinal).unwrap_or(i32::MAX),
            ndim: i32::try_from(place.shape.len()).unwrap_or(i32::MAX),
            code,
            bits,
            lanes,
            shape: manager.shape.as_mut_ptr(),
            strides: manager.strides.as_mut_ptr(),
            byte_offset: 0,
            manager: Box::into_raw(manager).cast(),
            deleter: Some(delete),
        };
        Self(NonNull::from(Box::leak(Box::new(tensor))))
    }

    /// Leaves the tensor to another library.
    pub(crate) fn into_raw(self) -> *mut c_void {
        let tensor = self.0.as_ptr().cast();
        std::mem::forget(self);
        tensor
    }

    /// Returns the place of its elements, or the reason for which no buffer can be there.
    pub(crate) fn place(&self) -> Result<Place, String> {
        // SAFETY: versions begin with the same fields, and the caller of `from_raw` promises a
        // tensor.
        let version = unsafe { (*self.0.as_ptr()).version };
        if version[0] != MAJOR_VERSION {
            return Err(format!(
                "it is of DLPack {}.{}, not {MAJOR_VERSION}",
                version[0], version[1]
            ));
        }
        // SAFETY: the layout is that of the version, and nobody writes it.
        let tensor = unsafe { self.0.as_ref() };
        if tensor.flags & READ_ONLY != 0 {
            return Err("it is read-only".to_owned());
        }
        if ![CUDA, CUDA_MANAGED].contains(&tensor.device_type) {
            return Err(format!("its device type is {}, not CUDA", tensor.device_type));
        }
        let ordinal = usize::try_from(tensor.device_id).map_err(|_| "its device is none")?;
        let rank = usize::try_from(tensor.ndim).map_err(|_| "its rank is negative")?;
        let extents = |numbers: *mut i64| -> Vec<i64> {
            // SAFETY: there are as many extents, and strides unless that is null.
            (0..rank).map(|axis| unsafe { numbers.add(axis).read() }).collect()
        };
        let shape = if rank == 0 { Vec::new() } else { extents(tensor.shape) };
        if rank > 0 && !tensor.strides.is_null() {
            let expected = row_major(&shape);
            let axes = extents(tensor.strides).into_iter().zip(expected).zip(&shape);
            // The stride of an axis with one element means nothing.
            if axes
                .into_iter()
                .any(|((stride, expected), &extent)| extent > 1 && stride != expected)
            {
                return Err("its elements do not lie row by row".to_owned());
            }
        }
        let shape: Result<_, _> = shape.into_iter().map(usize::try_from).collect();
        let elem = ElementType { code: tensor.code, bits: tensor.bits, lanes: tensor.lanes };
        let shape = shape.map_err(|_| "an extent is negative")?;
        let address = (tensor.data.addr() as u64).wrapping_add(tensor.byte_offset);
        Ok(Place { address, shape, elem, ordinal })
    }
}

/// Returns the distances between elements, in elements, that lie row by row.
fn row_major(shape: &[i64]) -> Vec<i64> {
    let mut strides = vec![1i64; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
    strides
}

/// Deletes a tensor that was made here.
///
/// # Safety
/// It is one of [`ManagedTensor::new`], and not deleted yet.
unsafe extern "C" fn delete(tensor: *mut RawTensor) {
    // SAFETY: both were made by `ManagedTensor::new`, and are freed once, here.
    let (tensor, manager) = unsafe {
        let tensor = Box::from_raw(tensor);
        let manager = Box::from_raw(tensor.manager.cast::<Manager>());
        (tensor, manager)
    };
    drop((tensor, manager));
}

impl Drop for ManagedTensor {
    fn drop(&mut self) {
        let tensor = self.0.as_ptr();
        // SAFETY: the tensor lives, and is deleted once. All versions have their deleter there.
        unsafe {
            if let Some(deleter) = (*tensor).deleter {
                deleter(tensor);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        mem::offset_of,
        sync::{
            Arc,
            atomic::{AtomicBool, Ordering},
        },
    };

    #[test]
    fn the_layout_is_that_of_the_header() {
        assert_eq!(size_of::<RawTensor>(), 80);
        assert_eq!(offset_of!(RawTensor, deleter), 16);
        assert_eq!(offset_of!(RawTensor, data), 32);
        assert_eq!(offset_of!(RawTensor, ndim), 48);
        assert_eq!(offset_of!(RawTensor, code), 52);
        assert_eq!(offset_of!(RawTensor, shape), 56);
        assert_eq!(offset_of!(RawTensor, byte_offset), 72);
    }

    /// Sets a flag when it is dropped.
    struct Watched(Arc<AtomicBool>);

    impl Drop for Watched {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
        }
    }

    fn tensor() -> (Place, ManagedTensor, Arc<AtomicBool>) {
        let elem = ElementType { code: 2, bits: 32, lanes: 1 };
        let place = Place { address: 0x1000, shape: vec![2, 3, 4], elem, ordinal: 1 };
        let is_dropped = Arc::new(AtomicBool::new(false));
        let tensor = ManagedTensor::new(&place, Box::new(Watched(Arc::clone(&is_dropped))));
        (place, tensor, is_dropped)
    }

    #[test]
    fn exported_tensors_are_imported_again() {
        let (place, tensor, is_dropped) = tensor();
        // SAFETY: made just now.
        let tensor = unsafe { ManagedTensor::from_raw(tensor.into_raw()) }.unwrap();
        assert_eq!(tensor.place(), Ok(place));
        assert!(!is_dropped.load(Ordering::SeqCst));
        drop(tensor);
        assert!(is_dropped.load(Ordering::SeqCst));
        // SAFETY: null is no tensor.
        assert!(unsafe { ManagedTensor::from_raw(std::ptr::null_mut()) }.is_none());
    }

    #[test]
    fn tensors_that_are_no_arrays_are_refused() {
        let refusal = |change: &dyn Fn(&mut RawTensor)| {
            let (_, mut tensor, _) = tensor();
            // SAFETY: nobody else has it.
            change(unsafe { tensor.0.as_mut() });
            tensor.place().map(|_| ()).unwrap_err()
        };
        assert_eq!(refusal(&|tensor| tensor.version = [2, 0]), "it is of DLPack 2.0, not 1");
        assert_eq!(refusal(&|tensor| tensor.flags = 1), "it is read-only");
        assert_eq!(refusal(&|tensor| tensor.device_type = 1), "its device type is 1, not CUDA");
        assert_eq!(refusal(&|tensor| tensor.device_id = -1), "its device is none");
        // SAFETY: there are three of each.
        let stride = refusal(&|tensor| unsafe { *tensor.strides = 13 });
        assert_eq!(stride, "its elements do not lie row by row");
        // SAFETY: as above.
        let extent = refusal(&|tensor| unsafe { *tensor.shape = -2 });
        assert_eq!(extent, "an extent is negative");
    }
}
