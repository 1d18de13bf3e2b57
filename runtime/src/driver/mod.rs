//! The CUDA driver: the only `unsafe` of this crate, behind interfaces that are safe.
//!
//! ```text
//! Driver (table.rs)      its functions, from the library that is there or not
//!   └ Context            a GPU's primary context: made current, watched for being lost
//!       ├ DeviceInfo     what the driver says of the GPU (properties.rs)
//!       ├ Loaded         a kernel's module in it (kernel.rs), with its constant memory (constants.rs)
//!       ├ Event          a point in the work of a stream
//!       ├ Pinned         memory of the host that the GPU copies by itself
//!       └ Stream         work in order: what a `Device` is
//!           ├ Communicator its place among several GPUs, by NCCL (nccl.rs)
//!           ├ Allocation memory in that order (memory.rs), and who uses it (uses.rs); also a texture
//!           │            (texture.rs)
//!           ├ GraphExec  work that is launched many times (graph.rs)
//!           └ Faults     what launches report
//! Range (nvtx.rs)        what profilers show beside it
//! ```
//!
//! Streams and memory of other libraries (foreign.rs) are Streams and Allocations, too. Modules that
//! the user brings (module.rs) are launched on Streams; CUDA C for them is compiled by NVRTC
//! (nvrtc.rs), another library that is there or not.
//!
//! Who holds a thing keeps what it lives in. Nothing here panics on what the driver returns, and no
//! `Drop` does more than tell the driver; soundness does not need any of them to run: what is
//! leaked stays allocated, and nobody else has its address.
//!
//! **Why no `cudarc`.** It looks its functions up at their first use and panics if one, or the
//! library, is missing (0.19.10: `load` and `culib` in its `driver::sys`); which ones its safe
//! layer will use cannot be asked beforehand. It also adds six seconds of one core to every cold
//! build, for 17,000 lines of bindings of which 35 functions are needed here.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]
mod block;
mod constants;
mod context;
mod dlpack;
mod event;
mod faults;
mod foreign;
mod graph;
mod kernel;
mod library;
mod memory;
mod module;
#[cfg(feature = "nccl")]
mod nccl;
mod nvrtc;
mod nvtx;
mod pinned;
mod properties;
mod stream;
mod table;
mod texture;
mod uses;

pub(crate) use block::Block;
pub(crate) use dlpack::{ElementType, ManagedTensor, Place};
pub(crate) use event::Event;
#[cfg(feature = "cudarc")]
pub(crate) use foreign::Released;
pub(crate) use graph::GraphExec;
pub(crate) use memory::Allocation;
pub(crate) use module::{ModuleFunction, Params, UserModule};
#[cfg(feature = "nccl")]
pub(crate) use nccl::{
    Communicator as NcclCommunicator, unique_id as nccl_unique_id, version as nccl_version,
};
pub(crate) use nvrtc::Nvrtc;
pub(crate) use nvtx::Range;
pub(crate) use pinned::Pinned;
pub(crate) use properties::device_count;
pub(crate) use stream::Stream;
pub(crate) use texture::Texels;
