//! Graphs of the driver: recorded work, and its order.
use super::{
    api::{
        Address, CopyNode, CopySide, Driver, GraphExecHandle, GraphHandle, KernelNode, MemsetNode,
        NodeHandle, UpdateResult,
    },
    faults::{self, GraphRecords, Launched},
    kernel::Loaded,
    memory::{self, Allocation},
    stream::{Params, Stream, dynamic_bytes, push_params},
    uses::{conflict, covers},
};
use crate::{Result, device::graph::Node, launch::checks::CheckedLaunch, memory::AnySlice};
use std::{
    collections::HashMap,
    mem::{self, Discriminant},
    ops::Range,
    ptr,
    sync::Arc,
};
use warpwise_compiler::ir::CoarseGrid;

/// `CU_MEMORYTYPE_DEVICE`
const DEVICE_MEMORY: u32 = 2;

/// A graph that is ready to be launched on one stream.
pub(crate) struct GraphExec {
    stream: Arc<Stream>,
    exec: GraphExecHandle,
    shape: Vec<NodeShape>,
    /// The slices that it uses, and whether it writes them.
    operands: Vec<(AnySlice, bool)>,
    records: Arc<GraphRecords>,
}

impl GraphExec {
    /// Makes a graph of these nodes. Each runs after those before it that use the same memory,
    /// unless both only read it.
    pub(crate) fn new(stream: &Arc<Stream>, nodes: &[Node]) -> Result<Self> {
        let records = Self::allocate_records(stream, nodes)?;
        let made = DriverGraph::new(stream, nodes, records.address).and_then(|mut graph| {
            let exec = graph.instantiate()?;
            let (stream, shape) = (Arc::clone(stream), mem::take(&mut graph.shape));
            let (operands, records) = (operands_of(nodes), Arc::clone(&records));
            Ok(Self { stream, exec, shape, operands, records })
        });
        made.inspect_err(|_| free_records(stream, &records))
    }

    /// Makes it a graph of other nodes. On an error it is as before.
    pub(crate) fn update(&mut self, stream: &Arc<Stream>, nodes: &[Node]) -> Result<()> {
        // Launches that are under way report to the records with the geometries that these have.
        self.stream.synchronize_and_keep()?;
        let launched = launched_by(nodes);
        if launched.len() == self.records.launched.len() {
            let address = self.records.address;
            let graph = DriverGraph::new(stream, nodes, address)?;
            if graph.shape == self.shape && graph.update(self.exec) {
                self.records = Arc::new(GraphRecords { address, launched });
                self.operands = operands_of(nodes);
                return Ok(());
            }
        }
        *self = Self::new(stream, nodes)?;
        Ok(())
    }

    /// Allocates an empty record for each launch.
    fn allocate_records(stream: &Stream, nodes: &[Node]) -> Result<Arc<GraphRecords>> {
        let launched = launched_by(nodes);
        let mut address = 0;
        if !launched.is_empty() {
            let context = &stream.gpu.context;
            context.enter(|driver| {
                let bytes = launched.len() * faults::SIZE;
                let purpose = "the faults of a graph's launches";
                address = memory::allocate_for(purpose, context, driver, stream.handle, bytes)?;
                let count = launched.len();
                faults::empty_records(driver, address, count, &stream.flag, stream.handle)
                    // SAFETY: allocated just now, and used by work of the stream only.
                    .inspect_err(|_| unsafe {
                        let _ = memory::free(context, driver, stream.handle, address);
                    })
            })?;
        }
        Ok(Arc::new(GraphRecords { address, launched }))
    }
}

/// Returns the launches among these nodes.
fn launched_by(nodes: &[Node]) -> Vec<Launched> {
    let launches = nodes.iter().filter_map(|node| match node {
        Node::Launch(launch) => Some(Launched { bound: launch.bound, geometry: launch.geometry }),
        Node::Copy { .. } | Node::Fill { .. } => None,
    });
    launches.collect()
}

/// Returns the slices that these nodes use, each use once.
fn operands_of(nodes: &[Node]) -> Vec<(AnySlice, bool)> {
    let mut operands: Vec<(AnySlice, bool)> = Vec::new();
    for node in nodes {
        node.operands(&mut |slice, is_write| {
            let is_same = |(other, other_writes): &(AnySlice, bool)| {
                Arc::ptr_eq(&other.memory, &slice.memory)
                    && other.range() == slice.range()
                    && *other_writes == is_write
            };
            if !operands.iter().any(is_same) {
                operands.push((slice.clone(), is_write));
            }
        });
    }
    operands
}

/// Frees the records of a graph that is not launched any more.
fn free_records(stream: &Stream, records: &GraphRecords) {
    if records.address == 0 {
        return;
    }
    let context = &stream.gpu.context;
    // SAFETY: allocated once, freed once, by work of the stream only. An error (of a lost context)
    // leaves nothing to do.
    let _ = context
        .enter(|driver| unsafe { memory::free(context, driver, stream.handle, records.address) });
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        // The reports of its launches are read before their records are freed. A fault is kept for
        // the next call that waits.
        let _ = self.stream.synchronize_and_keep();
        // Even if the wait failed, the records must not be read later: the memory is freed.
        self.stream.forget_graph(&self.records);
        // SAFETY: made once, destroyed once, and not under way any more. An error (of a lost
        // context) leaves nothing to do.
        let destroy = |driver: &Driver| unsafe { driver.cuGraphExecDestroy(self.exec) };
        let _ = self.stream.gpu.context.enter(destroy);
        free_records(&self.stream, &self.records);
    }
}

impl Stream {
    /// Gives a graph, which was made for this stream, to the GPU.
    pub(crate) fn launch_graph(self: &Arc<Self>, graph: &GraphExec) -> Result<()> {
        let operands = graph.operands.iter();
        let operands = operands.map(|(slice, is_write)| (slice.gpu(), slice.range(), *is_write));
        self.submit(operands, |driver, faults| {
            // SAFETY: the graph and the stream live; its memory is freed after this launch.
            unsafe { driver.cuGraphLaunch(graph.exec, self.handle) }?;
            faults.launched_graph(&graph.records);
            Ok(())
        })
    }
}

/// A graph of the driver that is not ready to be launched; destroyed when dropped.
struct DriverGraph<'a> {
    stream: &'a Stream,
    handle: GraphHandle,
    shape: Vec<NodeShape>,
}

/// The part of a node that an update of the graph cannot change.
#[derive(PartialEq, Eq)]
struct NodeShape {
    kind: Discriminant<Node>,
    /// The address of the kernel, of a launch.
    kernel: Option<usize>,
    /// The number of the driver's nodes.
    len: usize,
    /// The nodes after which it runs.
    before: Vec<usize>,
}

impl<'a> DriverGraph<'a> {
    /// Makes a graph whose launches have the records at `records`.
    fn new(stream: &'a Stream, nodes: &[Node], records: Address) -> Result<Self> {
        let mut graph = Self { stream, handle: GraphHandle::NULL, shape: Vec::new() };
        stream.gpu.context.enter(|driver| {
            // SAFETY: takes the result; a context is current.
            unsafe { driver.cuGraphCreate(&mut graph.handle, 0) }?;
            let problem = || "a null handle".to_owned();
            driver.expect_usable("cuGraphCreate", !graph.handle.is_null(), problem)
        })?;
        let mut uses: HashMap<*const Allocation, NodeUses> = HashMap::new();
        let mut handles: Vec<Vec<NodeHandle>> = Vec::new();
        let mut record = records;
        for (number, node) in nodes.iter().enumerate() {
            let mut before = Vec::new();
            node.operands(&mut |slice, is_write| {
                let uses = uses.entry(ptr::from_ref(slice.gpu())).or_default();
                uses.add(number, &slice.range(), is_write, &mut before);
            });
            before.sort_unstable();
            before.dedup();
            let dependencies: Vec<NodeHandle> =
                before.iter().flat_map(|node| handles[*node].iter().copied()).collect();
            let nodes = match node {
                Node::Launch(launch) => {
                    let handle = launch.with(|launch| graph.add(launch, record, &dependencies))?;
                    record += faults::SIZE as Address;
                    vec![handle]
                }
                Node::Copy { from, to } if from.bytes > 0 => {
                    vec![graph.add_copy(from, to, &dependencies)?]
                }
                Node::Fill { to, element } => graph.add_fill(to, element, &dependencies)?,
                Node::Copy { .. } => Vec::new(),
            };
            let kernel = match node {
                Node::Launch(launch) => Some(ptr::from_ref(launch.bound).addr()),
                Node::Copy { .. } | Node::Fill { .. } => None,
            };
            let (kind, len) = (mem::discriminant(node), nodes.len());
            graph.shape.push(NodeShape { kind, kernel, len, before });
            handles.push(nodes);
        }
        Ok(graph)
    }

    fn add(
        &self,
        launch: &CheckedLaunch<'_>,
        record: Address,
        dependencies: &[NodeHandle],
    ) -> Result<NodeHandle> {
        let context = &self.stream.gpu.context;
        let kernel = self.stream.kernel(launch.bound)?;
        let (loaded, coarse_grid): (&Loaded, Option<CoarseGrid>) =
            kernel.load_for(context, launch)?;
        let mut values = Params::default();
        let push = |driver: &Driver| push_params(&mut values, driver, launch, record, coarse_grid);
        let grid = context.enter(push)?;
        let mut params = values.pointers();
        let params = KernelNode {
            function: loaded.function,
            grid,
            block: launch.geometry.block,
            shared_bytes: dynamic_bytes(&launch.shared),
            params: params.as_mut_ptr(),
            extra: ptr::null_mut(),
        };
        let mut node = ptr::null_mut();
        // SAFETY: `node` takes the result, the graph lives, and the values are copied. The function
        // takes these parameters, as in a launch; whoever launches the graph keeps its memory.
        context.enter(|driver| unsafe {
            let (nodes, count) = (dependencies.as_ptr(), dependencies.len());
            driver.cuGraphAddKernelNode(&mut node, self.handle, nodes, count, &params)
        })?;
        Ok(node)
    }

    fn add_copy(
        &self,
        from: &AnySlice,
        to: &AnySlice,
        dependencies: &[NodeHandle],
    ) -> Result<NodeHandle> {
        let side = |slice: &AnySlice| CopySide {
            start: [0; 4],
            memory_type: DEVICE_MEMORY,
            host: ptr::null(),
            device: slice.gpu().address_of(slice.offset),
            array: ptr::null_mut(),
            reserved: ptr::null_mut(),
            pitch: 0,
            height: 0,
        };
        let (width_bytes, height, depth) = (from.bytes, 1, 1);
        let params = CopyNode { from: side(from), to: side(to), width_bytes, height, depth };
        let (context, mut node) = (&self.stream.gpu.context, ptr::null_mut());
        // SAFETY: `node` takes the result, the graph lives, and both slices have as many bytes;
        // whoever launches the graph keeps them.
        context.enter(|driver| unsafe {
            let (nodes, count) = (dependencies.as_ptr(), dependencies.len());
            let handle = context.handle;
            driver.cuGraphAddMemcpyNode(&mut node, self.handle, nodes, count, &params, handle)
        })?;
        Ok(node)
    }

    fn add_fill(
        &self,
        to: &AnySlice,
        element: &[u8],
        dependencies: &[NodeHandle],
    ) -> Result<Vec<NodeHandle>> {
        let address = to.gpu().address_of(to.offset);
        let context = &self.stream.gpu.context;
        let columns = memory::fill_columns(address, to.bytes, element);
        let nodes = columns.map(|column| {
            let memory::Column { to, pitch, value, unit, width, height } = column;
            let params = MemsetNode { to, pitch, value, element_bytes: unit, width, height };
            let mut node = ptr::null_mut();
            // SAFETY: `node` takes the result, the graph lives, and the column is inside of the
            // slice; whoever launches the graph keeps it.
            context.enter(|driver| unsafe {
                let (nodes, count) = (dependencies.as_ptr(), dependencies.len());
                let handle = context.handle;
                driver.cuGraphAddMemsetNode(&mut node, self.handle, nodes, count, &params, handle)
            })?;
            Ok(node)
        });
        nodes.collect()
    }

    /// Gives a graph of the same shape these arguments; returns false if that cannot be done.
    fn update(&self, exec: GraphExecHandle) -> bool {
        let mut result =
            UpdateResult { result: 0, node: ptr::null_mut(), from_node: ptr::null_mut() };
        // SAFETY: both graphs live, and `result` takes the result; a context is current.
        let updated = self.stream.gpu.context.enter(|driver| unsafe {
            driver.cuGraphExecUpdate_v2(exec, self.handle, &mut result).transpose()
        });
        matches!(updated, Ok(Some(())))
    }

    fn instantiate(&self) -> Result<GraphExecHandle> {
        let mut exec = GraphExecHandle::NULL;
        self.stream.gpu.context.enter(|driver| {
            // SAFETY: `exec` takes the result; the graph lives; a context is current.
            let made = unsafe { driver.cuGraphInstantiateWithFlags(&mut exec, self.handle, 0) };
            made.ok_or_else(|| Driver::lacks("cuGraphInstantiateWithFlags", "11.4"))??;
            let problem = || "a null handle".to_owned();
            driver.expect_usable("cuGraphInstantiateWithFlags", !exec.is_null(), problem)
        })?;
        Ok(exec)
    }
}

impl Drop for DriverGraph<'_> {
    fn drop(&mut self) {
        if self.handle.is_null() {
            return;
        }
        // SAFETY: made once, destroyed once. An error leaves nothing to do.
        let destroy = |driver: &Driver| unsafe { driver.cuGraphDestroy(self.handle) };
        let _ = self.stream.gpu.context.enter(destroy);
    }
}

/// The uses of an allocation by the nodes of a graph so far.
#[derive(Default)]
struct NodeUses(Vec<(usize, Range<usize>, bool)>);

impl NodeUses {
    /// Adds a use by a node, and to `before` the nodes after which it has to run.
    fn add(&mut self, node: usize, bytes: &Range<usize>, is_write: bool, before: &mut Vec<usize>) {
        let conflicting = self.0.iter().filter(|(other, range, other_writes)| {
            *other != node && conflict((range, *other_writes), (bytes, is_write))
        });
        before.extend(conflicting.map(|(other, ..)| *other));
        if is_write {
            // A node that runs after this one runs after those, too.
            self.0.retain(|(other, range, _)| *other == node || !covers(bytes, range));
        }
        self.0.push((node, bytes.clone(), is_write));
    }
}
