//! Launches as values: [`Launch`].
use crate::{
    Device, Finished, LaunchConfig, Result,
    launch::{
        checks::{self, Arg},
        source::Source,
    },
};
use std::{fmt, time::Duration};
use warpwise_compiler::specialize::Binding;

/// A launch of a kernel with its arguments, from `k::prepare(config, ..)`, which takes what
/// `k::launch` takes but for the device. It borrows its slices, and may be run more than once.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel]
/// fn double(x: &mut [f32]) {
///     if let Some(x) = x.get_mut(global_idx_x()) {
///         *x *= 2.0;
///     }
/// }
///
/// let device = Device::cpu();
/// let mut x = device.upload(&[1.0f32; 100])?;
/// let launch = double::prepare(LaunchConfig::cover(100), &mut x);
/// launch.run(&device)?;
/// println!("{:?}", launch.time(&device)?);
/// assert_eq!(x.to_vec()?, [4.0; 100]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// The numbers are those of its arguments and of the kernel's generic parameters.
#[must_use = "a launch does nothing unless it is run"]
pub struct Launch<'a, const ARGS: usize, const BINDINGS: usize> {
    source: &'static Source,
    bindings: [Binding; BINDINGS],
    config: LaunchConfig,
    args: [Arg<'a>; ARGS],
}

/// Returns a launch of `source`.
pub const fn prepare<'a, const ARGS: usize, const BINDINGS: usize>(
    source: &'static Source,
    bindings: [Binding; BINDINGS],
    config: LaunchConfig,
    args: [Arg<'a>; ARGS],
) -> Launch<'a, ARGS, BINDINGS> {
    Launch { source, bindings, config, args }
}

impl<const ARGS: usize, const BINDINGS: usize> Launch<'_, ARGS, BINDINGS> {
    /// Launches the kernel, as `k::launch` does. On the device of a
    /// [recording](Device::record_graph) it is recorded.
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.zeros::<u32>(20)?;
    /// let launch = increment::prepare(LaunchConfig::cover(20), &mut x);
    /// launch.run(&device)?;
    /// launch.run(&device)?;
    /// assert_eq!(x.to_vec()?, [2; 20]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `k::launch`.
    pub fn run(&self, device: &Device) -> Result<()> {
        checks::launch(self.source, &self.bindings, device, self.config, &self.args)
    }

    /// Launches the kernel and returns a future of its end: see [`Device::finished`].
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// async fn increment_all(device: &Device) -> warpwise::Result<Vec<u32>> {
    ///     let mut x = device.zeros::<u32>(20)?;
    ///     increment::prepare(LaunchConfig::cover(20), &mut x).run_async(device)?.await?;
    ///     x.to_vec()
    /// }
    /// # let device = Device::cpu();
    /// # let mut future = std::pin::pin!(increment_all(&device));
    /// # let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    /// # let values = loop {
    /// #     if let std::task::Poll::Ready(values) = future.as_mut().poll(&mut context) {
    /// #         break values?;
    /// #     }
    /// # };
    /// # assert_eq!(values, [1; 20]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `k::launch`.
    pub fn run_async(&self, device: &Device) -> Result<Finished> {
        self.run(device)?;
        device.finished()
    }

    /// Launches the kernel and measures its time: see [`Device::time`].
    ///
    /// ```
    /// use warpwise::prelude::*;
    ///
    /// #[kernel(block = 32)]
    /// fn increment(x: &mut [u32]) {
    ///     let i = global_idx_x();
    ///     if i < x.len() {
    ///         x[i] += 1;
    ///     }
    /// }
    ///
    /// let device = Device::cpu();
    /// let mut x = device.zeros::<u32>(20)?;
    /// let launch = increment::prepare(LaunchConfig::cover(20), &mut x);
    /// println!("{:?}", launch.time(&device)?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `k::launch`, and of the kernel.
    pub fn time(&self, device: &Device) -> Result<Duration> {
        device.time(|| self.run(device))
    }
}

impl<const ARGS: usize, const BINDINGS: usize> fmt::Debug for Launch<'_, ARGS, BINDINGS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Launch(`{}`, {:?})", self.source.name, self.config)
    }
}
