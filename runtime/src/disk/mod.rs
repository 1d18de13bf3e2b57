//! Texts on the disk, for later processes: the choices of the autotuner, and PTX of kernels that
//! are compiled at their first launch.
pub(crate) mod entry;
pub(crate) mod ptx_cache;
