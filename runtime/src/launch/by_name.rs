//! The answer to `device.launch(kernel, config, ..)`, for which rustc has no help.
use crate::{Device, Result};
use std::convert::Infallible;

/// The kernels that a device could launch by a method of its own. There are none.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "a kernel is launched by its name, with a device or a stream as the first argument",
    label = "a kernel is not an argument of a launch",
    note = "write `kernel::launch(&device, LaunchConfig::cover(n), ..)`, with the kernel's own arguments at the end"
)]
pub trait LaunchedByDevice {}

// Without an implementation, rustc would advise to write one.
impl LaunchedByDevice for Infallible {}

#[doc(hidden)]
impl Device {
    pub fn launch<K: LaunchedByDevice, C, A>(&self, _: K, _: C, _: A) -> Result<()> {
        unreachable!("no kernel is launched by a device")
    }
}
