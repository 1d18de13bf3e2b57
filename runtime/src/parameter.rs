//! The arguments that generated code passes to kernels: no part of the API. A module of its own, since
//! rustc names these in messages.
pub use crate::launch_checks::{Arg, Parameter};

use crate::kernel::Source;

/// An instance of a kernel that is compiled for types that it names.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not among the instances of the kernel",
    label = "the kernel is not compiled for these types",
    note = "it is compiled for the types that its attribute names: `#[kernel(instances(..))]`"
)]
pub trait Instance {
    /// The compiled kernel.
    const SOURCE: &'static Source;
}
