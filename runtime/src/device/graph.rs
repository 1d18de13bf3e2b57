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
    cell::RefCell,
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

thread_local! {
    /// The devices and streams that record graphs, while closures of recordings run on this thread.
    static RECORDED: RefCell<Vec<Device>> = const { RefCell::new(Vec::new()) };
}

/// A recording whose closure runs.
struct OpenRecording;

impl OpenRecording {
    fn of(device: &Device) -> Self {
        RECORDED.with_borrow_mut(|recorded| recorded.push(device.without_recorder()));
        Self
    }
}

impl Drop for OpenRecording {
    fn drop(&mut self) {
        RECORDED.with_borrow_mut(Vec::pop);
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
        let help = "launch it before or after the graph that is recorded";
        self.device.check_recorded("the launch of another graph", help)?;
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
    /// that it is passed: launches of kernels, [`Self::copy`] and [`Self::fill`].
    ///
    /// While `record` runs, other calls of its thread behave as follows:
    ///
    /// | call | effect |
    /// |---|---|
    /// | `recorder.zeros(..)`, `upload`, `uninit` and others that create buffers, textures or streams | at once, and not again when the graph is launched |
    /// | `recorder.synchronize()`, events, [`Self::time`], [`Self::finished`], callbacks | [`Error::NotRecorded`] |
    /// | launches, copies, fills and waits of the device or stream that records, by another handle than the recorder | [`Error::NotRecorded`] |
    /// | methods that copy or fill memory of the device, such as [`Slice::to_vec`] and [`Slice::fill`] | [`Error::NotRecorded`] |
    /// | launches, copies, fills and waits of other streams and devices | as always |
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
        self.check_recorded("another recording", "record one graph after the other")?;
        let recorder = Arc::new(Recorder { nodes: Mutex::new(Some(Vec::new())) });
        let open = OpenRecording::of(self);
        let recorded = record(&self.recording(Arc::clone(&recorder)));
        drop(open);
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
            None => {
                let help = "give it to the recorder, `recorder.copy(&x, &mut y)`";
                self.check_recorded("a copy by the device itself", help)?;
                self.copy_bytes(source.any(), destination.any())
            }
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
            None => {
                let help = "give it to the recorder, `recorder.fill(&mut x, value)`";
                self.check_recorded("a fill by the device itself", help)?;
                self.fill_bytes(slice.any(), element)
            }
        })
    }

    /// Refuses a call of a recorder, or of a device or stream that this thread records, which is not
    /// recorded.
    pub(crate) fn check_recorded(&self, call: &'static str, help: &'static str) -> Result<()> {
        let is_recorded = |device: &Self| device == self;
        if self.recorder().is_some() || RECORDED.with_borrow(|all| all.iter().any(is_recorded)) {
            return Err(Error::NotRecorded { call, help });
        }
        Ok(())
    }

    pub(crate) fn check_download_call(&self) -> Result<()> {
        self.check_memory_call("a copy to the host", "read the results after its launch")
    }

    pub(crate) fn check_upload_call(&self) -> Result<()> {
        self.check_memory_call("a copy from the host", "copy the values before its launch")
    }

    pub(crate) fn check_copy_call(&self) -> Result<()> {
        let help = "give the copy to the recorder, `recorder.copy(&x, &mut y)`";
        self.check_memory_call("`copy_from_device`", help)
    }

    pub(crate) fn check_fill_call(&self) -> Result<()> {
        let help = "give the fill to the recorder, `recorder.fill(&mut x, value)`";
        self.check_memory_call("a fill by a slice itself", help)
    }

    pub(crate) fn check_pinned_call(&self) -> Result<()> {
        self.check_memory_call(
            "a copy of page-locked memory",
            "start it before or after its launch",
        )
    }

    /// Refuses a call that uses memory of this device on a stream which it does not name, while
    /// this thread records any stream of the device.
    fn check_memory_call(&self, call: &'static str, help: &'static str) -> Result<()> {
        let is_recorded = |device: &Self| device.shares_memory_with(self);
        if RECORDED.with_borrow(|all| all.iter().any(is_recorded)) {
            return Err(Error::NotRecorded { call, help });
        }
        Ok(())
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

    /// Returns the call that a recording refuses, which is the closure's only one.
    fn refused_call(device: &Device, call: impl FnOnce(&Device) -> Result<()>) -> &'static str {
        match device.record_graph(call) {
            Err(Error::NotRecorded { call, .. }) => call,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn work_beside_the_recorder_is_refused() {
        let device = Device::cpu();
        let (mut x, mut y) = (device.upload(&[1u8, 2]).unwrap(), device.zeros::<u8>(2).unwrap());
        let mut image = device.zeros_2d::<u8>((2, 2)).unwrap();
        let graph = device.record_graph(|recorder| recorder.fill(&mut y, 4)).unwrap();
        let event = device.record_event().unwrap();
        let by_device = [
            refused_call(&device, |_| device.fill(&mut x, 3)),
            refused_call(&device, |_| device.copy(&x, &mut y)),
            refused_call(&device, |_| device.synchronize()),
            refused_call(&device, |_| device.wait_for(&event)),
            refused_call(&device, |_| graph.launch()),
            refused_call(&device, |_| device.record_graph(|_| Ok(())).map(drop)),
        ];
        assert_eq!(
            by_device,
            [
                "a fill by the device itself",
                "a copy by the device itself",
                "a wait for the device",
                "a wait for an event",
                "the launch of another graph",
                "another recording",
            ]
        );
        let by_recorder = [
            refused_call(&device, Device::synchronize),
            refused_call(&device, |recorder| recorder.record_event().map(drop)),
            refused_call(&device, |recorder| recorder.finished().map(drop)),
            refused_call(&device, |recorder| recorder.call_when_finished(|| ())),
            refused_call(&device, |recorder| recorder.time(|| Ok(())).map(drop)),
        ];
        assert_eq!(
            by_recorder,
            ["a wait for the device", "an event", "a callback", "a callback", "an event"]
        );
        let by_memory = [
            refused_call(&device, |_| x.to_vec().map(drop)),
            refused_call(&device, |_| x.copy_to(&mut [0, 0])),
            refused_call(&device, |_| image.row(0)?.get(1).map(drop)),
            refused_call(&device, |_| x.copy_from(&[5, 6])),
            refused_call(&device, |_| image.copy_from(&[1; 4])),
            refused_call(&device, |_| x.set(0, 5)),
            refused_call(&device, |_| image.fill(5)),
            refused_call(&device, |_| x.try_clone().map(drop)),
        ];
        let (to_host, from_host) = ("a copy to the host", "a copy from the host");
        let fill = "a fill by a slice itself";
        let expected =
            [to_host, to_host, to_host, from_host, from_host, fill, fill, "`copy_from_device`"];
        assert_eq!(by_memory, expected);
        assert_eq!((x.to_vec().unwrap(), y.to_vec().unwrap()), (vec![1, 2], vec![0, 0]));
        assert_eq!(image.to_vec().unwrap(), [0; 4]);
        let error = device.record_graph(|_| x.fill(3)).unwrap_err().to_string();
        let expected = "a fill by a slice itself cannot be recorded in a graph: give the fill to the \
                        recorder, `recorder.fill(&mut x, value)`";
        assert_eq!(error, expected);
    }

    #[test]
    fn other_streams_and_devices_work_during_a_recording() {
        let (device, other) = (Device::cpu(), Device::cpu());
        let stream = device.stream().unwrap();
        let (mut x, mut y) = (device.zeros::<u8>(2).unwrap(), other.zeros::<u8>(2).unwrap());
        let mut made = None;
        let graph = device.record_graph(|recorder| {
            stream.fill(&mut x, 3)?;
            stream.synchronize()?;
            y.fill(4)?;
            assert_eq!(y.to_vec()?, [4, 4]);
            // Created at once, on the device itself.
            let mut z = recorder.upload(&[1u8, 2])?;
            let ones = recorder.uninit(2)?.fill(1)?;
            recorder.copy(&ones, &mut z)?;
            made = Some((z, ones));
            Ok(())
        });
        let graph = graph.unwrap();
        let (mut z, ones) = made.unwrap();
        assert_eq!((x.to_vec().unwrap(), z.to_vec().unwrap()), (vec![3, 3], vec![1, 2]));
        graph.launch().unwrap();
        assert_eq!((z.to_vec().unwrap(), ones.to_vec().unwrap()), (vec![1, 1], vec![1, 1]));
        z.fill(9).unwrap();
        z.device().fill(&mut z.try_clone().unwrap(), 1).unwrap();
        assert_eq!(*z.device(), device);
    }

    #[test]
    fn a_panic_ends_a_recording() {
        let device = Device::cpu();
        let mut x = device.zeros::<u8>(2).unwrap();
        // A panic without a message.
        let recording =
            || device.record_graph(|_| std::panic::resume_unwind(Box::new(()))).map(drop);
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(recording)).is_err());
        x.fill(1).unwrap();
        device.synchronize().unwrap();
    }

    #[test]
    fn an_empty_recording_is_an_error() {
        let device = Device::cpu();
        let mut x = device.zeros::<u8>(2).unwrap();
        assert!(matches!(device.record_graph(|_| Ok(())), Err(Error::EmptyRecording)));
        let mut graph = device.record_graph(|recorder| recorder.fill(&mut x, 4)).unwrap();
        assert_eq!(graph.update(|_| Ok(())), Err(Error::EmptyRecording));
        graph.launch().unwrap();
        assert_eq!(x.to_vec().unwrap(), [4, 4]);
    }
}
