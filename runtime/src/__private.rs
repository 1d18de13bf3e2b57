//! What `#[kernel]` expands to names these. No part of the API: anything here may change with
//! any version, which is why macro and runtime depend on each other's exact version.
pub use crate::{
    block::shared,
    dispatch::{Arg, launch},
    element::{Atomic, AtomicBuffer, Element},
    kernel::{Place, Source},
};
pub use warpwise_compiler::{ir::Scalar, specialize::Binding};
