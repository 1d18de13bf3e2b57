//! Memory, streams and kernels of other libraries, and ours for them, without copies.
//!
//! A GPU's buffers and streams are those of the CUDA driver, in the primary context that the CUDA
//! runtime and other libraries use, too. So they are exchanged without conversion:
//!
//! | from | to | |
//! |---|---|---|
//! | [`Buffer`](crate::Buffer) | a `CUdeviceptr` | [`Slice::as_device_ptr`](crate::Slice::as_device_ptr) |
//! | a `CUdeviceptr` | [`Buffer`](crate::Buffer) | [`Device::buffer_from_raw`](crate::Device::buffer_from_raw) |
//! | [`Device`](crate::Device) | a `CUstream` | [`Device::raw_stream`](crate::Device::raw_stream) |
//! | a `CUstream` | [`Device`](crate::Device) | [`Device::from_raw_stream`](crate::Device::from_raw_stream) |
//! | [`Buffer`](crate::Buffer) | a tensor of PyTorch, JAX or CuPy, and back | [`DlpackTensor`] |
//! | a kernel | PTX for any library | its constant `PTX`, as `saxpy::PTX`, and [`empty_fault_record`] |
//! | PTX, a cubin or CUDA C | [`Module`] | [`Device::load_ptx`](crate::Device::load_ptx), [`load_image`](crate::Device::load_image), [`compile_cuda`](crate::Device::compile_cuda) |
//!
//! Arrays of the host are copied as they lie in memory: those of any `bytemuck::Pod` type by
//! [`Device::upload_pod`](crate::Device::upload_pod), vectors, matrices and complex numbers by
//! [`Device::upload_host`](crate::Device::upload_host) with the features `glam`, `nalgebra` and
//! `num-complex`, and whole arrays, matrices and images with `ndarray`, `nalgebra` and `image`.
//!
//! The feature `cudarc` adds [`Device::from_cudarc`](crate::Device), `Buffer::from_cudarc` and
//! `Buffer::into_cudarc`.
//!
//! # Order
//!
//! Work that another library gives to [`Device::raw_stream`](crate::Device::raw_stream) is ordered
//! with that of the device. Where several streams use the same memory,
//! [`Device::with_raw_stream`](crate::Device::with_raw_stream) makes the work wait for theirs, and
//! theirs for it. [`Device::wait_for_raw_stream`](crate::Device::wait_for_raw_stream) and
//! [`Device::delay_raw_stream`](crate::Device::delay_raw_stream) order all work of a device with
//! that of another stream.
#[cfg(feature = "cudarc")]
mod cudarc;
mod dlpack;
#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "image")]
mod image;
mod module;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
#[cfg(feature = "num-complex")]
mod num_complex;
mod pod;
mod ptx;
mod raw;

pub use dlpack::DlpackTensor;
pub use module::{Function, Module, ModuleArg, ModuleArgs, ModuleValue};
pub use pod::HostElement;
pub use ptx::empty_fault_record;
pub use raw::SliceUse;
