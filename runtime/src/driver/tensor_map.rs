//! Tensor maps of a GPU: the array and the box of a parameter, as the driver encodes them.
use super::api::{Address, Driver};
use crate::{Result, tensor_map::TensorLayout};
use std::{
    ffi::{c_int, c_void},
    ptr,
};
use warpwise_compiler::ir::TENSOR_MAP_BYTES;

/// Words of a tensor map.
pub(super) const TENSOR_MAP_WORDS: usize = TENSOR_MAP_BYTES as usize / 8;
/// `CU_TENSOR_MAP_INTERLEAVE_NONE`
const NO_INTERLEAVE: c_int = 0;
/// `CU_TENSOR_MAP_L2_PROMOTION_L2_128B`: misses fetch lines of 128 bytes.
const PROMOTE_TO_LINES: c_int = 2;
/// `CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE`: elements outside are zeros.
const FILL_WITH_ZEROS: c_int = 0;

/// `CUtensorMap`
#[repr(C, align(64))]
pub(super) struct TensorMapWords(pub(super) [u64; TENSOR_MAP_WORDS]);

impl TensorMapWords {
    /// Encodes the tensor map of an array at `address`, which the launch checked.
    pub(super) fn encode(driver: &Driver, layout: &TensorLayout, address: Address) -> Result<Self> {
        let mut map = Self([0; TENSOR_MAP_WORDS]);
        // The innermost dimension comes first.
        let [layers, rows, columns] = layout.extents.map(|extent| extent as u64);
        let extents = [columns, rows, layers];
        let strides = [layout.pitch_bytes as u64, layout.layer_bytes() as u64];
        let [layers, rows, columns] = layout.shape.extents.map(|extent| extent as u32);
        let (shape, element_strides) = ([columns, rows, layers], [1; 3]);
        // SAFETY: `map` takes the result, and is aligned for it; the arrays have an entry for each
        // dimension, and the address is not accessed.
        let encoded = unsafe {
            driver.cuTensorMapEncodeTiled(
                ptr::from_mut(&mut map),
                data_type(layout.shape.elem_bytes),
                layout.dims as u32,
                ptr::without_provenance_mut::<c_void>(address as usize),
                extents.as_ptr(),
                strides.as_ptr(),
                shape.as_ptr(),
                element_strides.as_ptr(),
                NO_INTERLEAVE,
                swizzle(layout.shape.swizzle),
                PROMOTE_TO_LINES,
                FILL_WITH_ZEROS,
            )
        };
        encoded.ok_or_else(|| Driver::lacks("cuTensorMapEncodeTiled", "12.0"))??;
        Ok(map)
    }
}

/// Returns the `CUtensorMapDataType` of unsigned integers of a size: copies keep all bits.
const fn data_type(bytes: u64) -> c_int {
    match bytes {
        1 => 0,
        2 => 1,
        4 => 2,
        _ => 4,
    }
}

/// Returns the `CUtensorMapSwizzle` of a number of bytes.
const fn swizzle(bytes: u64) -> c_int {
    match bytes {
        32 => 1,
        64 => 2,
        128 => 3,
        _ => 0,
    }
}
