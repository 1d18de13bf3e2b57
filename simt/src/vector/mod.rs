//! Vectors of lanes: the operations on them, the registers that hold them, masks, and the memory
//! that the threads of a launch share. All `unsafe` code of the crate is here.
pub(crate) mod lanes;
pub(crate) mod mask;
pub(crate) mod memory;
pub(crate) mod registers;
