//! The answers to the names that cudarc and other libraries give allocations and copies, for which
//! rustc has no help: `device.htod_copy(values)`.
//!
//! A method has the number of arguments that it has there, since rustc reports another number, too.
use crate::{Buffer, Device, LaunchConfig, Result, memory::Slice};
use std::convert::Infallible;

/// The values that a device could copy to itself by a method of another library. There are none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a device copies values of the host by `upload`",
    label = "a copy to the device",
    note = "write `device.upload(&values)?` for a new buffer, and `buffer.copy_from(&values)?` for one that there is"
)]
pub trait UploadedByOtherName {}

/// The buffers that a device could copy to the host by a method of another library. There are none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a buffer is copied to the host by a method of its own",
    label = "a copy to the host",
    note = "write `buffer.to_vec()?` for a new `Vec`, and `buffer.copy_to(&mut values)?` for a slice that there is"
)]
pub trait DownloadedByOtherName {}

/// The elements for which a device could allocate by a method of another library. There are none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a device allocates by `zeros` or `uninit`",
    label = "an allocation on the device",
    note = "write `device.zeros::<f32>(n)?`, or `device.uninit::<f32>(n)?.fill(1.0)?`"
)]
pub trait AllocatedByOtherName {}

/// The numbers of threads that a launch could have by a function of another library. There are none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a launch covers a number of elements by `cover`",
    label = "a number of elements",
    note = "write `LaunchConfig::cover(n)`, or `LaunchConfig::grid(blocks).block(threads)`"
)]
pub trait CoveredByOtherName {}

// Without an implementation, rustc would advise to write one.
impl CoveredByOtherName for Infallible {}
impl UploadedByOtherName for Infallible {}
impl DownloadedByOtherName for Infallible {}
impl AllocatedByOtherName for Infallible {}

#[doc(hidden)]
impl Device {
    pub fn clone_htod<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn create<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn from_slice<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn from_vec<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn to_device<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn htod_copy<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn htod_sync_copy<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn memcpy_stod<V: UploadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn memcpy_htod<V: UploadedByOtherName, D, R>(&self, _: V, _: D) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn clone_dtoh<V: DownloadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn download<V: DownloadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn dtoh_sync_copy<V: DownloadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn memcpy_dtov<V: DownloadedByOtherName, R>(&self, _: V) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn memcpy_dtoh<V: DownloadedByOtherName, D, R>(&self, _: V, _: D) -> Result<R> {
        unreachable!("no value is copied")
    }

    pub fn alloc<T: AllocatedByOtherName>(&self, _: usize) -> Result<Buffer<T>> {
        unreachable!("no element is allocated")
    }

    pub fn alloc_zeros<T: AllocatedByOtherName>(&self, _: usize) -> Result<Buffer<T>> {
        unreachable!("no element is allocated")
    }

    pub fn empty<T: AllocatedByOtherName>(&self, _: usize) -> Result<Buffer<T>> {
        unreachable!("no element is allocated")
    }

    pub fn ones<T: AllocatedByOtherName>(&self, _: usize) -> Result<Buffer<T>> {
        unreachable!("no element is allocated")
    }

    pub fn full<N, V: AllocatedByOtherName, R>(&self, _: N, _: V) -> Result<R> {
        unreachable!("no element is allocated")
    }
}

#[doc(hidden)]
impl<T> Slice<T> {
    pub fn copy_to_host(&self) -> Result<Vec<T>>
    where
        T: DownloadedByOtherName,
    {
        unreachable!("no element is copied")
    }

    pub fn download(&self) -> Result<Vec<T>>
    where
        T: DownloadedByOtherName,
    {
        unreachable!("no element is copied")
    }

    pub fn to_cpu(&self) -> Result<Vec<T>>
    where
        T: DownloadedByOtherName,
    {
        unreachable!("no element is copied")
    }

    pub fn to_host(&self) -> Result<Vec<T>>
    where
        T: DownloadedByOtherName,
    {
        unreachable!("no element is copied")
    }
}

#[doc(hidden)]
impl LaunchConfig {
    pub fn for_num_elems<N: CoveredByOtherName>(_: N) -> Self {
        unreachable!("no number is covered")
    }
}
