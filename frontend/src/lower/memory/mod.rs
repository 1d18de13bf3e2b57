//! Values in memory and in variables: layout, places, slices, references.
mod aggregate;
mod async_copy;
mod atomic;
mod cache;
mod cluster;
pub(crate) mod dynamic;
pub(crate) mod layout;
mod mbarrier;
mod place;
pub(crate) mod reference;
mod scalarized_array;
mod size;
mod slice;
pub(crate) mod storage;
mod surface;
mod tensor_map;
mod texture;
mod vector_view;
