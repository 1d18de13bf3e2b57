//! Work that is recorded once and launched many times: [`Graph`].
use crate::{
    Device, Error, Result, Slice, Stored,
    device::Engine,
    driver::GraphExec,
    launch::{
        bound_kernel::Bound,
        checks::{Arg, CheckedLaunch, Value},
        config::Geometry,
    },
    memory::{AnySlice, check_lengths},
    observe::spans,
    tensor_map::TensorLayout,
};
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};
use warpwise_compiler::{
    back::ptx::SharedMemory,
    ir::{self, Access, Scalar},
};

/// Launches and copies that are recorded once, with their arguments, and then launched together,
/// from [`Device::record_graph`]. It is a CUDA graph on a GPU: its launch costs little more than
/// that of one kernel, and work that does not use the same memory runs at the same time.
///
/// A graph keeps the memory that it uses. Its launch is ordered with other work on this memory like
/// any launch: buffers may be read, written and launched with between its launches.
///
/// ```
/// use warpwise::prelude::*;
///
/// #[kernel]
/// fn step(x: &[f32], y: &mut [f32]) {
///     if let Some(y) = y.get_mut(global_idx_x()) {
///         *y = 0.5 * x[global_idx_x()] + 1.0;
///     }
/// }
///
/// let device = Device::cpu();
/// let (mut x, mut y) = (device.zeros::<f32>(100)?, device.zeros(100)?);
/// let graph = device.record_graph(|recorder| {
///     step::launch(recorder, LaunchConfig::cover(100), &x, &mut y)?;
///     recorder.copy(&y, &mut x)
/// })?;
/// for _ in 0..20 {
///     graph.launch()?;
/// }
/// assert!((x.to_vec()?[0] - 2.0).abs() < 1e-4);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Graph {
    device: Device,
    nodes: Vec<Node>,
    /// The graph of a GPU.
    exec: Option<GraphExec>,
}

/// A recorded launch or copy.
pub(crate) enum Node {
    Launch(RecordedLaunch),
    Copy { from: AnySlice, to: AnySlice },
    Fill { to: AnySlice, element: Vec<u8> },
}

/// A launch with the memory of its arguments.
pub(crate) struct RecordedLaunch {
    pub(crate) bound: &'static Bound,
    pub(crate) geometry: Geometry,
    shared: SharedMemory,
    values: Vec<RecordedValue>,
}

/// An argument that keeps its memory.
enum RecordedValue {
    Scalar {
        ty: Scalar,
        bits: u64,
    },
    Slice {
        elem: ir::Element,
        access: Access,
        slice: AnySlice,
        single: bool,
        tensor: Option<TensorLayout>,
    },
}

impl RecordedLaunch {
    fn new(launch: &CheckedLaunch<'_>) -> Self {
        let values = launch.args.values().map(|value| match value {
            Value::Scalar { ty, bits } => RecordedValue::Scalar { ty: *ty, bits: *bits },
            Value::Slice { elem, access, slice, single, tensor } => RecordedValue::Slice {
                elem: elem.clone(),
                access: *access,
                slice: (*slice).clone(),
                single: *single,
                tensor: *tensor,
            },
        });
        let (bound, geometry, shared) = (launch.bound, launch.geometry, launch.shared.clone());
        Self { bound, geometry, shared, values: values.collect() }
    }

    /// Passes the launch to `work`.
    pub(crate) fn with<T>(&self, work: impl FnOnce(&CheckedLaunch<'_>) -> T) -> T {
        let values = self.values.iter().map(|value| match value {
            RecordedValue::Scalar { ty, bits } => Value::Scalar { ty: *ty, bits: *bits },
            RecordedValue::Slice { elem, access, slice, single, tensor } => Value::Slice {
                elem: elem.clone(),
                access: *access,
                slice,
                single: *single,
                tensor: *tensor,
            },
        });
        let args: Vec<Arg<'_>> = values.map(Arg::of).collect();
        let (bound, geometry, shared) = (self.bound, self.geometry, self.shared.clone());
        work(&CheckedLaunch { bound, geometry, shared, args: (&args[..]).into() })
    }
}

impl Node {
    /// Passes the slices that the node uses to `each`, and whether it writes them.
    pub(crate) fn operands(&self, each: &mut dyn FnMut(&AnySlice, bool)) {
        match self {
            Self::Launch(launch) => {
                for value in &launch.values {
                    if let RecordedValue::Slice { slice, access, .. } = value {
                        each(slice, !access.is_read_only());
                    }
                }
            }
            Self::Copy { from, to } => {
                each(from, false);
                each(to, true);
            }
            Self::Fill { to, .. } => each(to, true),
        }
    }
}

/// The nodes of a graph that is being recorded.
pub(crate) struct Recorder {
    /// `None` once the recording has ended.
    nodes: Mutex<Option<Vec<Node>>>,
}

impl Recorder {
    /// Records a launch, which was checked.
    pub(crate) fn launch(&self, launch: &CheckedLaunch<'_>) -> Result<()> {
        let signature = &launch.bound.signature;
        if signature.cooperative || signature.prints {
            let kernel = launch.bound.source.name;
            return Err(Error::NotRecordable { kernel });
        }
        let is_constant = |value: &Value<'_>| match value {
            Value::Slice { access, .. } => matches!(access, Access::Constant { .. }),
            Value::Scalar { .. } => false,
        };
        // Its constant memory may hold other values when the graph is launched.
        if launch.args.values().any(is_constant) {
            return Err(Error::ConstantsInGraph { kernel: launch.bound.source.name });
        }
        self.push(Node::Launch(RecordedLaunch::new(launch)))
    }

    fn push(&self, node: Node) -> Result<()> {
        let mut nodes = self.nodes.lock().unwrap_or_else(PoisonError::into_inner);
        nodes.as_mut().ok_or(Error::RecordingEnded)?.push(node);
        Ok(())
    }
}

impl Graph {
    fn new(device: &Device, nodes: Vec<Node>) -> Result<Self> {
        let exec = match &device.engine {
            Engine::Cpu(_) => None,
            Engine::Cuda(stream) => Some(GraphExec::new(stream, &nodes)?),
        };
        Ok(Self { device: device.clone(), nodes, exec })
    }

    /// Returns the device on which it was recorded, and is launched.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let stream = Device::cpu().stream()?;
    /// let mut x = stream.zeros::<f32>(8)?;
    /// let graph = stream.record_graph(|recorder| recorder.fill(&mut x, 1.0))?;
    /// assert_eq!(graph.device().name(), "SIMT interpreter");
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Returns the number of launches and copies.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (mut x, mut y) = (device.zeros::<u32>(3)?, device.zeros(3)?);
    /// let graph = device.record_graph(|recorder| {
    ///     recorder.fill(&mut x, 1)?;
    ///     recorder.copy(&x, &mut y)
    /// })?;
    /// assert_eq!(graph.len(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[expect(clippy::len_without_is_empty, reason = "an empty recording is an error")]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Launches the whole graph, and returns before it has run. The next call that waits for the
    /// device reports its faults, as those of other launches.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let mut x = device.zeros::<u32>(2)?;
    /// let graph = device.record_graph(|recorder| recorder.fill(&mut x, 7))?;
    /// for _ in 0..3 {
    ///     x.fill(0)?;
    ///     graph.launch()?;
    ///     assert_eq!(x.to_vec()?, [7, 7]);
    /// }
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of the driver.
    #[doc(alias = "cudaGraphLaunch")]
    pub fn launch(&self) -> Result<()> {
        let _scope = spans::graph(self.nodes.len(), &self.device);
        match (&self.device.engine, &self.exec) {
            (Engine::Cuda(stream), Some(exec)) => stream.launch_graph(exec),
            (Engine::Cuda(_) | Engine::Cpu(_), _) => {
                self.nodes.iter().try_for_each(|node| match node {
                    Node::Launch(launch) => launch.with(|launch| self.device.run(launch)),
                    Node::Copy { from, to } => self.device.copy_bytes(from, to),
                    Node::Fill { to, element } => self.device.fill_bytes(to, element),
                })
            }
        }
    }

    /// Records the graph again, with other arguments or other work. If launches and copies are the
    /// same as before but for their arguments, this takes less time than a new graph.
    ///
    /// ```
    /// # use warpwise::prelude::*;
    /// # let device = Device::cpu();
    /// let mut x = device.zeros::<u32>(3)?;
    /// let mut graph = device.record_graph(|recorder| recorder.fill(&mut x, 1))?;
    /// graph.update(|recorder| recorder.fill(&mut x, 2))?;
    /// graph.launch()?;
    /// assert_eq!(x.to_vec()?, [2, 2, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// As of [`Device::record_graph`]; the graph is as before.
    #[doc(alias = "cudaGraphExecUpdate")]
    pub fn update(&mut self, record: impl FnOnce(&Device) -> Result<()>) -> Result<()> {
        let nodes = self.device.record_nodes(record)?;
        check_work(&nodes)?;
        if let (Engine::Cuda(stream), Some(exec)) = (&self.device.engine, &mut self.exec) {
            exec.update(stream, &nodes)?;
        }
        self.nodes = nodes;
        Ok(())
    }
}

/// Returns an error if a recording has no work.
fn check_work(nodes: &[Node]) -> Result<()> {
    if nodes.is_empty() { Err(Error::EmptyRecording) } else { Ok(()) }
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Graph({} nodes on {})", self.nodes.len(), self.device)
    }
}

impl Device {
    /// Records, without running them, the launches and copies that `record` gives to the device
    /// that it is passed: launches of kernels, [`Self::copy`] and [`Self::fill`]. Other calls, such
    /// as [`Slice::to_vec`], run at once.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let mut x = device.zeros::<u32>(2)?;
    /// let graph = device.record_graph(|recorder| recorder.fill(&mut x, 7))?;
    /// assert_eq!(x.to_vec()?, [0, 0]);
    /// graph.launch()?;
    /// assert_eq!(x.to_vec()?, [7, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of `record`; [`Error::EmptyRecording`] if it gives the device no work;
    /// [`Error::NotRecordable`] of kernels that print or are cooperative,
    /// [`Error::ConstantsInGraph`] of those with `#[constant]` parameters; what
    /// the driver returns.
    #[doc(alias("cudaStreamBeginCapture", "cudaGraphInstantiate"))]
    pub fn record_graph(&self, record: impl FnOnce(&Self) -> Result<()>) -> Result<Graph> {
        let graph = Graph::new(self, self.record_nodes(record)?)?;
        check_work(&graph.nodes)?;
        Ok(graph)
    }

    fn record_nodes(&self, record: impl FnOnce(&Self) -> Result<()>) -> Result<Vec<Node>> {
        let recorder = Arc::new(Recorder { nodes: Mutex::new(Some(Vec::new())) });
        let recorded = record(&self.recording(Arc::clone(&recorder)));
        // Ends the recording for clones of the device, too.
        let nodes = recorder.nodes.lock().unwrap_or_else(PoisonError::into_inner).take();
        recorded?;
        Ok(nodes.unwrap_or_default())
    }

    /// Copies the elements of a slice to another one, as [`Slice::copy_from_device`], in the order
    /// of this device or stream.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (x, mut y) = (device.upload(&[1, 2, 3])?, device.zeros(3)?);
    /// let stream = device.stream()?;
    /// stream.copy(&x, &mut y)?;
    /// assert_eq!(y.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] unless both have as many elements; [`Error::WrongDevice`] unless
    /// the destination is of this device; errors of the driver.
    #[doc(alias = "cudaMemcpyAsync")]
    pub fn copy<T: Stored>(&self, source: &Slice<T>, destination: &mut Slice<T>) -> Result<()> {
        check_lengths(source.len(), destination.len())?;
        self.check_device_of(destination)?;
        match self.recorder() {
            Some(recorder) => {
                self.check_device_of(source)?;
                let (from, to) = (source.any().clone(), destination.any().clone());
                recorder.push(Node::Copy { from, to })
            }
            None => self.copy_bytes(source.any(), destination.any()),
        }
    }

    /// Gives all elements of a slice the same value, as [`Slice::fill`], in the order of this
    /// device or stream.
    ///
    /// ```
    /// # use warpwise::Device;
    /// let device = Device::cpu();
    /// let (stream, mut x) = (device.stream()?, device.zeros::<f32>(2)?);
    /// stream.fill(&mut x, 1.5)?;
    /// assert_eq!(x.to_vec()?, [1.5, 1.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::WrongDevice`] unless the slice is of this device; errors of the driver.
    #[doc(alias = "cudaMemsetAsync")]
    pub fn fill<T: Stored>(&self, slice: &mut Slice<T>, value: T::Value) -> Result<()> {
        self.check_device_of(slice)?;
        slice.with_element(value, |element| match self.recorder() {
            Some(recorder) => {
                recorder.push(Node::Fill { to: slice.any().clone(), element: element.to_vec() })
            }
            None => self.fill_bytes(slice.any(), element),
        })
    }

    /// Refuses a slice of another device.
    pub(crate) fn check_device_of<T: Stored>(&self, slice: &Slice<T>) -> Result<()> {
        if slice.device().shares_memory_with(self) {
            return Ok(());
        }
        let (place, device) = (slice.device().to_string(), self.to_string());
        Err(Error::WrongDevice { what: "a slice", place, device })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_travel_between_threads() {
        fn travels<T: Send + Sync>() {}
        travels::<Graph>();
    }

    #[test]
    fn a_recording_ends() {
        let device = Device::cpu();
        let (mut x, mut kept) = (device.zeros::<u8>(2).unwrap(), None);
        let graph = device.record_graph(|recorder| {
            kept = Some(recorder.clone());
            recorder.fill(&mut x, 3)
        });
        let graph = graph.unwrap();
        assert_eq!(graph.len(), 1);
        assert_eq!(x.to_vec().unwrap(), [0, 0]);
        assert_eq!(kept.unwrap().fill(&mut x, 4), Err(Error::RecordingEnded));
        x.fill(5).unwrap();
        graph.launch().unwrap();
        assert_eq!(x.to_vec().unwrap(), [3, 3]);
    }

    #[test]
    fn errors_of_a_recording_are_returned() {
        let device = Device::cpu();
        let mut other = Device::cpu().zeros::<u8>(2).unwrap();
        let mut x = device.zeros::<u8>(2).unwrap();
        let mut graph = device.record_graph(|recorder| recorder.fill(&mut x, 3)).unwrap();
        let error = graph.update(|recorder| recorder.fill(&mut other, 1)).unwrap_err();
        assert!(matches!(error, Error::WrongDevice { .. }), "{error}");
        graph.launch().unwrap();
        assert_eq!(x.to_vec().unwrap(), [3, 3]);
    }

    #[test]
    fn an_empty_recording_is_an_error() {
        let device = Device::cpu();
        let mut x = device.zeros::<u8>(2).unwrap();
        // A mistake: the device, and not the recorder, gets the work, and does it at once.
        let error = device.record_graph(|_| device.fill(&mut x, 3)).unwrap_err();
        assert_eq!(error, Error::EmptyRecording);
        assert_eq!(x.to_vec().unwrap(), [3, 3]);
        let mut graph = device.record_graph(|recorder| recorder.fill(&mut x, 4)).unwrap();
        assert_eq!(graph.update(|_| Ok(())), Err(Error::EmptyRecording));
        graph.launch().unwrap();
        assert_eq!(x.to_vec().unwrap(), [4, 4]);
    }
}
