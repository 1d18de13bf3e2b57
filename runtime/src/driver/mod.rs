//! The CUDA driver: most of the `unsafe` of this crate, behind safe interfaces.
//!
//! ```text
//! Driver (api.rs)        the functions of the driver's library, if it is installed
//!   └ Context            a GPU's primary context, and the detection of its loss
//!       ├ DeviceInfo     the properties of the GPU (properties.rs)
//!       ├ Loaded         the module of a kernel (kernel.rs), with its constant memory (constants.rs)
//!       ├ Event          a point in the work of a stream
//!       ├ Pinned         page-locked memory of the host
//!       └ Stream         a queue of work: the engine of a `Device`
//!           ├ Communicator the rank of a GPU among several, by NCCL (nccl.rs)
//!           ├ Allocation memory in that order (memory.rs), with its uses (uses.rs); also a texture
//!           │            (texture.rs)
//!           ├ GraphExec  work that is launched many times (graph.rs)
//!           └ Faults     what launches report
//! Range (nvtx.rs)        ranges in the timelines of profilers
//! ```
//!
//! Streams and memory of other libraries (foreign.rs) are Streams and Allocations, too. Modules
//! that the user provides (module.rs) are launched on Streams; CUDA C for them is compiled by NVRTC
//! (nvrtc.rs), another library that need not be installed.
//!
//! Every object holds a reference to the one that contains it. No result of the driver causes a
//! panic. `Drop` only calls the driver, and soundness does not depend on it: leaked memory stays
//! allocated, and no other owner has its address.
//!
//! **Why no `cudarc`.** It looks its functions up at their first use and panics if one, or the
//! library, is missing (0.19.10: `load` and `culib` in its `driver::sys`); which ones its safe
//! layer will use cannot be asked beforehand. It also adds six seconds of one core to every cold
//! build, for 17,000 lines of bindings of which 35 functions are needed here.
#![expect(unsafe_code, reason = "calls of the CUDA driver")]
mod api;
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
mod rectangle;
mod stream;
mod tensor_map;
mod texture;
mod uses;

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
pub(crate) use rectangle::RectangleBytes;
pub(crate) use stream::Stream;
pub(crate) use texture::Texels;
