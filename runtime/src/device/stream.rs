//! Streams: independent sequences of work on one device.
use crate::{Device, Result, device::Engine};
use std::{fmt, ops::Deref};

/// An independent sequence of work on a [`Device`], from [`Device::stream`].
///
/// It dereferences to a device, so everything that takes a device takes a stream: launches, copies,
/// buffers, [`Device::synchronize`], which waits for the work of the stream alone. Buffers made on a stream are allocated, copied and freed in
/// its order. Streams of one device share its memory and its compiled kernels, and a kernel may be
/// launched on one stream with buffers of another.
///
/// **Order between streams.** Work of one stream runs in the order given. Work of different streams
/// runs at the same time, except where two launches or copies use the same elements and one of them
/// writes these: then the second waits for the first, on the GPU and not on the host. So programs
/// without [events](crate::Event) are correct, and no safe program has a race between streams.
/// Kernels that take atomics count as writing. [Parts](crate::Slice::split_at_mut) of a buffer that
/// do not overlap are used at the same time.
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
/// let streams = [device.stream()?, device.stream()?];
/// let mut x = device.upload(&[1.0f32; 100])?;
/// for (stream, mut half) in streams.iter().zip(x.chunks_mut(50)) {
///     double::launch(stream, LaunchConfig::cover(50), &mut half)?;
/// }
/// assert_eq!(x.to_vec()?, [2.0; 100]);
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// On the interpreter each launch and copy is done when its call returns, which is one of the
/// orders that a GPU could take.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Stream {
    device: Device,
}

impl Deref for Stream {
    type Target = Device;
    fn deref(&self) -> &Device {
        &self.device
    }
}

/// Returns the stream as a device, for a struct or function that takes either.
///
/// ```
/// # use warpwise::Device;
/// struct Solver {
///     device: Device,
/// }
///
/// let device = Device::cpu();
/// let solver = Solver { device: device.stream()?.into() };
/// assert!(solver.device.shares_memory_with(&device));
/// # Ok::<(), warpwise::Error>(())
/// ```
impl From<Stream> for Device {
    fn from(stream: Stream) -> Self {
        stream.device
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Stream({})", self.device)
    }
}

impl Device {
    /// Creates another stream of the device.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (one, other) = (device.stream()?, device.stream()?);
    /// let (x, y) = (one.upload(&[1, 2])?, other.upload(&[3, 4])?);
    /// assert_eq!((x.to_vec()?, y.to_vec()?), (vec![1, 2], vec![3, 4]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaStreamCreate")]
    pub fn stream(&self) -> Result<Stream> {
        self.stream_with_priority(0)
    }

    /// Creates another stream of the device whose waiting blocks run before those of streams with
    /// less priority. The default is 0, higher priorities are **lower** numbers, as in CUDA;
    /// numbers outside of the device's range are the nearest inside of it. It has no effect on the
    /// interpreter.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let urgent = device.stream_with_priority(-1)?;
    /// let x = urgent.uninit::<u32>(2)?.fill(1)?;
    /// assert_eq!(x.to_vec()?, [1, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaStreamCreateWithPriority")]
    pub fn stream_with_priority(&self, priority: i32) -> Result<Stream> {
        let engine = match &self.engine {
            Engine::Cpu(interpreter) => Engine::Cpu(interpreter.new_stream()),
            Engine::Cuda(stream) => Engine::Cuda(stream.new_stream(priority)?),
        };
        Ok(Stream { device: Self::on(engine) })
    }

    /// Makes work that is given from now on wait until `event` is reached.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let stream = device.stream()?;
    /// let event = stream.record_event()?;
    /// device.wait_for(&event)?;
    /// device.synchronize()?;
    /// assert!(event.is_reached()?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaStreamWaitEvent")]
    pub fn wait_for(&self, event: &crate::Event) -> Result<()> {
        self.check_recorded("a wait for an event", "wait before or after the launch of the graph")?;
        event.make_wait(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_travel_between_threads() {
        fn travels<T: Send + Sync + Clone>() {}
        travels::<Stream>();
    }

    #[test]
    fn streams_of_one_device_share_its_memory() {
        let device = Device::cpu();
        let stream = device.stream().unwrap();
        assert!(stream.shares_memory_with(&device));
        assert!(Device::from(stream.clone()).shares_memory_with(&device));
        assert!(device.stream().unwrap().shares_memory_with(&stream));
        assert!(!Device::cpu().shares_memory_with(&device));
    }
}
