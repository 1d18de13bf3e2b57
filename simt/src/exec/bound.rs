//! Binding of a launch to its bytecode: checks that the launch fits, and the values that every
//! block shares.
use crate::{
    Arg, Launch,
    bytecode::{Bytes, Code, Input, MAX_SHARED_ARRAY_BYTES, Param, Pattern, Slope},
    exec::schedule::Schedule,
    launch::{component, unflatten},
    observe::{
        caches::CacheModel,
        debugger::Watch,
        sanitizer::{LaunchChecks, checks::Checks},
    },
    vector::{
        lanes::{
            self,
            lane_offsets::{LaneOffsets, OffsetBounds},
        },
        mask::GROUP,
        memory::{AccessMode, Cells, Loan, Memory},
        registers::{Uniform, map_uniform},
    },
};
use std::{
    ops::Range,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use warpwise_compiler::{
    hardware::LANES,
    ir::{CoarseGrid, Passed, Scalar},
    output::{CAPACITY_BYTES, record_bytes},
};

/// The observers of a launch, and the schedule; each needs instructions of its own in the bytecode.
#[derive(Default)]
pub(crate) struct Observation<'a> {
    pub(crate) schedule: Option<Schedule>,
    pub(crate) watchers: &'a [&'a dyn Watch],
    pub(crate) checks: Option<Checks>,
    /// True to run each block and each iteration without replay, as a reference for tests.
    pub(crate) without_replay: bool,
    /// The caches to simulate.
    pub(crate) caches: Option<CacheModel>,
}

impl Observation<'_> {
    /// Returns true if everything must happen in the same order each time.
    pub(crate) fn is_ordered(&self) -> bool {
        self.schedule.is_some() || !self.watchers.is_empty() || self.caches.is_some()
    }
}

/// A launch bound to its bytecode, with its memory lent.
pub(crate) struct Bound<'a> {
    /// The blocks that run, along x, y and z.
    pub(crate) grid: [u32; 3],
    /// The blocks of the launch, of which one that runs may stand for several.
    pub(crate) launched_grid: [u32; 3],
    /// The division of the launch's grid, if it is divided.
    pub(crate) coarse_grid: Option<CoarseGrid>,
    pub(crate) block: [u32; 3],
    /// The blocks of a cluster along x, y and z, if blocks run in clusters.
    cluster: Option<[u32; 3]>,
    /// Per parameter, its bytes if it is a slice.
    pub(crate) cells: Vec<Option<Cells<'a>>>,
    /// Per parameter, the [distance](memory_distances) from its addresses to those of its memory.
    memory_distances: Vec<u64>,
    /// The uniform values, without those that depend on the block.
    pub(crate) uniforms: Vec<u64>,
    /// The inputs that depend on the block.
    pub(crate) block_inputs: Vec<(Uniform, Input)>,
    /// True if there are registers to set for each block.
    pub(crate) has_block_presets: bool,
    /// Bytes of each block-shared array.
    pub(crate) shared: Vec<u64>,
    /// Number of groups in a block.
    groups: usize,
    /// Per slope, the value of each thread.
    slopes: Vec<Vec<i64>>,
    /// Per slope and group, the range of the lanes' values.
    reaches: Vec<OffsetBounds>,
    /// Per walk and group, the order in which accesses visit the lanes.
    walks: Vec<LaneOffsets>,
    /// Per request, its address pattern where that is known.
    pub(crate) patterns: &'a [Option<Pattern>],
    /// The checks, if there are any.
    pub(crate) checks: Option<LaunchChecks<'a>>,
    /// The schedule, if turns are not taken round-robin.
    pub(crate) schedule: Option<Schedule>,
    /// True if nothing is replayed.
    pub(crate) without_replay: bool,
    /// The caches to simulate.
    pub(crate) caches: Option<CacheModel>,
    /// The debugger's watchers.
    pub(crate) watchers: &'a [&'a dyn Watch],
    /// Bytes that the printed records would take on a GPU.
    printed_bytes: AtomicU64,
}

impl Bound<'_> {
    /// Claims room for a printed record of `values` values; false if there is none.
    pub(crate) fn claim_print_room(&self, values: usize) -> bool {
        let bytes = record_bytes(values) as u64;
        self.printed_bytes.fetch_add(bytes, Relaxed) + bytes <= CAPACITY_BYTES as u64
    }

    /// Returns true if several blocks may be [replayed](crate::exec::replay) together, because no
    /// observer follows them one by one.
    pub(crate) fn may_replay_blocks(&self, code: &Code) -> bool {
        let is_watched = !self.watchers.is_empty() || self.schedule.is_some();
        let are_neighbours = code.cluster.is_none() && code.coarse_grid.is_none();
        !is_watched && !code.syncs_grid && are_neighbours && !self.without_replay
    }

    /// Returns the address in its memory of a byte that a kernel addresses: hardware knows no
    /// slices, and moves sectors of memories.
    #[inline(always)]
    pub(crate) fn memory_address(&self, address: u64) -> u64 {
        if self.memory_distances.is_empty() {
            return address;
        }
        let (buffer, _) = lanes::resolve(address);
        let distance = self.memory_distances.get(usize::from(buffer)).copied();
        address.wrapping_add(distance.unwrap_or(0))
    }

    /// Returns the addresses in memory of the bytes that lanes address.
    #[inline(always)]
    pub(crate) fn memory_addresses(&self, addresses: [u64; LANES]) -> [u64; LANES] {
        if self.memory_distances.is_empty() {
            return addresses;
        }
        addresses.map(|address| self.memory_address(address))
    }

    /// Returns the range of a slope's values in a group.
    #[inline(always)]
    pub(crate) fn reach(&self, slope: u16, group: usize) -> OffsetBounds {
        self.reaches[usize::from(slope) * self.groups + group]
    }

    /// Returns the order in which an access visits the lanes of a group.
    #[inline(always)]
    pub(crate) fn walk(&self, walk: u16, group: usize) -> &LaneOffsets {
        &self.walks[usize::from(walk) * self.groups + group]
    }

    /// Returns the values of a slope in `threads` threads.
    pub(crate) fn slope_values(&self, slope: u16, first_thread: usize, threads: usize) -> &[i64] {
        &self.slopes[usize::from(slope)][first_thread..first_thread + threads]
    }

    /// Returns the number of threads in a group.
    pub(crate) fn lanes_in_group(&self, group: usize) -> usize {
        GROUP.min(self.threads_in_block() - group * GROUP)
    }

    /// Returns the number of threads in a block.
    pub(crate) fn threads_in_block(&self) -> usize {
        self.block.iter().map(|dim| *dim as usize).product()
    }

    /// Returns the index in the block of the thread with a flat index.
    pub(crate) fn thread_idx(&self, number: usize) -> [u32; 3] {
        unflatten(number as u64, self.block)
    }

    /// Returns the numbers of the blocks of a cluster, by rank; `None` if there are no clusters.
    pub(crate) fn blocks_of_cluster(&self, number: u64) -> Option<Vec<u64>> {
        let dims = self.cluster?;
        let clusters = [0, 1, 2].map(|axis| self.grid[axis] / dims[axis]);
        let cluster = unflatten(number, clusters);
        let [width, height, _] = self.grid.map(u64::from);
        let block = |rank| {
            let inner = unflatten(rank, dims);
            let idx = |axis: usize| u64::from(cluster[axis] * dims[axis] + inner[axis]);
            (idx(2) * height + idx(1)) * width + idx(0)
        };
        Some((0..dims.iter().map(|dim| u64::from(*dim)).product()).map(block).collect())
    }

    /// Returns the index of the block with a flat index; in a divided grid, that of the first of the
    /// launch's blocks that it runs.
    pub(crate) fn block_idx(&self, number: u64) -> [u32; 3] {
        // Divisions take longer than everything else that a block costs.
        let mut idx = if number < self.grid[0].into() {
            [number as u32, 0, 0]
        } else {
            unflatten(number, self.grid)
        };
        if let Some(CoarseGrid { axis, factor }) = self.coarse_grid {
            idx[axis as usize] *= factor;
        }
        idx
    }
}

/// Returns the value of a slope in a thread, modulo 2^64.
fn slope_of_thread(uniforms: &[u64], slope: &Slope, idx: [u32; 3]) -> u64 {
    let along = |(by, idx): (&Option<Uniform>, u32)| {
        by.map_or(0, |by| by.get(uniforms).wrapping_mul(idx.into()))
    };
    slope.by.iter().zip(idx).map(along).fold(0, u64::wrapping_add)
}

/// Checks that the launch fits the kernel; returns the number of blocks.
pub(crate) fn check_launch(code: &Code, launch: &Launch<'_>) -> Result<u64, String> {
    let threads = launch.block.iter().map(|dim| u64::from(*dim)).product::<u64>();
    if launch.block.iter().any(|dim| *dim > 1024) || !(1..=1024).contains(&threads) {
        return Err(format!("a block of {:?} threads; 1 to 1024 are possible", launch.block));
    }
    if let Some(block) = code.block.filter(|block| *block != launch.block.map(u64::from)) {
        return Err(format!(
            "a block of {:?} threads, where the kernel declares {block:?}",
            launch.block
        ));
    }
    let is_whole = |dims: &[u32; 3]| (0..3).all(|at| launch.grid[at].is_multiple_of(dims[at]));
    if let Some(dims) = code.cluster.filter(|dims| !launch.grid.contains(&0) && !is_whole(dims)) {
        return Err(format!("a grid of {:?} blocks, in clusters of {dims:?}", launch.grid));
    }
    if launch.args.len() != code.params.len() {
        return Err(format!(
            "{} arguments for {} parameters",
            launch.args.len(),
            code.params.len()
        ));
    }
    for (number, (arg, param)) in launch.args.iter().zip(&code.params).enumerate() {
        match (arg, param) {
            (Arg::Scalar(_), Param::Scalar(_)) => {}
            (Arg::Slice { memory, offset, len }, Param::Slice { size, align, .. }) => {
                let end = len.checked_mul(*size).and_then(|bytes| bytes.checked_add(*offset));
                if end.is_none_or(|end| end > memory.len() as u64) {
                    let begin = if *offset == 0 {
                        String::new()
                    } else {
                        format!(" from byte {offset} on")
                    };
                    return Err(format!(
                        "argument {number} has {len} elements{begin} in {} bytes",
                        memory.len()
                    ));
                }
                if !offset.is_multiple_of(*align) {
                    return Err(format!(
                        "argument {number} begins at byte {offset}, and its elements are aligned \
                         to {align} bytes"
                    ));
                }
            }
            (Arg::Scalar(_), Param::Slice { .. }) | (Arg::Slice { .. }, Param::Scalar(_)) => {
                return Err(format!("argument {number} is not what the kernel's parameter is"));
            }
        }
    }
    let grid = code.divide_grid(launch.grid);
    let blocks = grid.iter().try_fold(1_u64, |blocks, dim| blocks.checked_mul((*dim).into()));
    // A product that overflows may still have a zero after the overflow.
    let none = launch.grid.contains(&0);
    if none { Ok(0) } else { blocks.ok_or_else(|| "2^64 blocks or more".into()) }
}

/// Returns the bytes of each shared array, if the launch can have such lengths.
pub(crate) fn shared_array_bytes(code: &Code, launch: &Launch<'_>) -> Result<Vec<u64>, String> {
    let params: Vec<_> = launch.args.iter().zip(&code.params).map(size_input).collect();
    let passed = Passed { params: &params, block: launch.block, grid: launch.grid };
    let bytes = code.shared.iter().enumerate().map(|(number, array)| match &array.bytes {
        Bytes::Fixed(bytes) => Ok(*bytes),
        Bytes::Launch { len, each } => {
            let len = len.evaluate(&passed);
            let len =
                len.map_err(|error| format!("the length of shared array {number} {error}"))?;
            let bytes = len.checked_mul(*each).filter(|bytes| *bytes <= MAX_SHARED_ARRAY_BYTES);
            bytes.ok_or_else(|| format!("shared array {number} has {len} elements"))
        }
    });
    bytes.collect()
}

/// Returns the value of an argument in expressions for sizes.
fn size_input((arg, param): (&Arg<'_>, &Param)) -> (Scalar, u64) {
    match (arg, param) {
        (Arg::Scalar(bits), Param::Scalar(scalar)) => (*scalar, *bits),
        (Arg::Scalar(bits), Param::Slice { .. }) => (Scalar::U64, *bits),
        (Arg::Slice { len, .. }, _) => (Scalar::U64, *len),
    }
}

/// A slice argument: some bytes of a memory, and the accesses to them.
struct View<'a> {
    memory: &'a Memory,
    bytes: Range<u64>,
    access: AccessMode,
    is_read_only: bool,
}

impl View<'_> {
    /// Returns true if host threads that access both views at the same time may access a byte in
    /// words of several sizes, and write it.
    fn mixes_words_with(&self, other: &Self) -> bool {
        let first = self.bytes.start.max(other.bytes.start);
        let overlap = first < self.bytes.end.min(other.bytes.end);
        let has_one_size = self.access == other.access && self.access != AccessMode::Alone;
        overlap
            && self.memory.address() == other.memory.address()
            && !has_one_size
            && !(self.is_read_only && other.is_read_only)
    }
}

/// Returns the slice arguments of a launch that fits its kernel.
fn slice_views<'a>(code: &Code, launch: &Launch<'a>) -> Vec<View<'a>> {
    let view = |(arg, param): (&Arg<'a>, &Param)| match (*arg, *param) {
        (Arg::Slice { memory, offset, len }, Param::Slice { size, access, is_read_only, .. }) => {
            Some(View { memory, bytes: offset..offset + len * size, access, is_read_only })
        }
        (Arg::Scalar(_) | Arg::Slice { .. }, Param::Scalar(_) | Param::Slice { .. }) => None,
    };
    launch.args.iter().zip(&code.params).filter_map(view).collect()
}

/// The memories of a launch, while it has access to them.
pub(crate) struct Loans<'a> {
    loans: Vec<Loan<'a>>,
    /// True if one host thread must run the whole launch, because arguments overlap whose elements
    /// are accessed in words of several sizes.
    pub(crate) single_worker: bool,
}

/// Lends the memories of a launch that fits its kernel: each once, in the order of their addresses,
/// so that launches that share memories never wait for each other in a cycle.
pub(crate) fn lend_memories<'a>(code: &Code, launch: &Launch<'a>) -> Loans<'a> {
    let mut views = slice_views(code, launch);
    views.sort_by_key(|view| view.memory.address());
    let lend = |views: &[View<'a>]| {
        let [first, others @ ..] = views else { return None };
        // A mode that suits all views of the memory.
        let mode = if others.iter().all(|other| other.access == first.access) {
            first.access
        } else if views.iter().all(|view| view.is_read_only) {
            AccessMode::Reads
        } else {
            AccessMode::Alone
        };
        Some(first.memory.lend(mode))
    };
    let by_memory = views.chunk_by(|one, other| one.memory.address() == other.memory.address());
    let pairs = views
        .iter()
        .enumerate()
        .flat_map(|(number, view)| views[number + 1..].iter().map(move |other| (view, other)));
    Loans {
        single_worker: pairs.into_iter().any(|(view, other)| view.mixes_words_with(other)),
        loans: by_memory.filter_map(lend).collect(),
    }
}

/// Returns, for each parameter, the distance from the addresses in its slice to those in the
/// memory; nothing if all of them are 0. A memory has the addresses of the first of its slices,
/// and begins at a multiple of all sizes that matter to hardware.
fn memory_distances(launch: &Launch<'_>) -> Vec<u64> {
    let address = |arg: &Arg<'_>| match arg {
        Arg::Slice { memory, .. } => Some(memory.address()),
        Arg::Scalar(_) => None,
    };
    let distance = |(number, arg): (usize, &Arg<'_>)| match arg {
        Arg::Slice { offset, .. } => {
            let first = launch.args.iter().position(|first| address(first) == address(arg));
            let [first, own] =
                [first.unwrap_or(number), number].map(|number| lanes::address(number as u16));
            first.wrapping_sub(own).wrapping_add(*offset)
        }
        Arg::Scalar(_) => 0,
    };
    let distances = launch.args.iter().enumerate().map(distance);
    if distances.clone().all(|distance| distance == 0) { Vec::new() } else { distances.collect() }
}

/// Binds a launch that fits its kernel.
pub(crate) fn bind<'a>(
    code: &Code,
    launch: &Launch<'_>,
    loans: &'a Loans<'_>,
    shared: Vec<u64>,
    patterns: &'a [Option<Pattern>],
    Observation { schedule, watchers, checks, without_replay, caches }: Observation<'a>,
) -> Bound<'a> {
    let cells = |arg: &Arg<'_>, param: &Param| match (arg, param) {
        (Arg::Slice { memory, offset, len }, Param::Slice { size, access, .. }) => {
            let loan = loans.loans.iter().find(|loan| loan.is_of(memory))?;
            Some(loan.cells((*offset, len * size), *access))
        }
        (Arg::Scalar(_) | Arg::Slice { .. }, Param::Scalar(_) | Param::Slice { .. }) => None,
    };
    let mut uniforms = vec![0; code.uniforms];
    for (uniform, input) in &code.inputs {
        let bits = match *input {
            Input::Const(bits) => bits,
            Input::Param(param) => match launch.args[param] {
                Arg::Scalar(bits) => bits,
                Arg::Slice { .. } => 0,
            },
            Input::Len(param) => match launch.args[param] {
                Arg::Scalar(_) => 0,
                Arg::Slice { len, .. } => len,
            },
            Input::BlockDim(axis) => component(launch.block, axis).into(),
            Input::GridDim(axis) => component(launch.grid, axis).into(),
            Input::BlockIdx(_) | Input::GlobalIdx(_) | Input::Launch => 0,
        };
        uniform.set(&mut uniforms, bits);
    }
    // Launch constants are computed from the inputs above, in order.
    for (f, slots) in &code.launch {
        map_uniform(*f, &mut uniforms, *slots);
    }
    let threads = launch.block.iter().map(|dim| *dim as usize).product::<usize>();
    let slopes = code.slopes.iter().map(|slope| {
        let bits = 64 - 8 * slope.lanes.size();
        let own = |thread: usize| {
            let own = slope_of_thread(&uniforms, slope, unflatten(thread as u64, launch.block));
            // Slopes wrap as values of their size do.
            (own << bits).cast_signed() >> bits
        };
        (0..threads).map(own).collect::<Vec<_>>()
    });
    let slopes: Vec<_> = slopes.collect();
    let reaches = slopes.iter().flat_map(|own| own.chunks(GROUP).map(OffsetBounds::of)).collect();
    let walks = code.walks.iter().flat_map(|walk| {
        let groups = slopes[usize::from(walk.slope)].chunks(GROUP);
        groups.map(|own| LaneOffsets::new(own, walk.stride, walk.word))
    });
    let walks = walks.collect();
    Bound {
        grid: code.divide_grid(launch.grid),
        launched_grid: launch.grid,
        coarse_grid: code.coarse_grid,
        block: launch.block,
        cluster: code.cluster,
        cells: launch.args.iter().zip(&code.params).map(|(arg, param)| cells(arg, param)).collect(),
        memory_distances: memory_distances(launch),
        block_inputs: code
            .inputs
            .iter()
            .copied()
            .filter(|(_, input)| input.depends_on_block())
            .collect(),
        has_block_presets: code.preset.iter().any(|(_, preset)| preset.must_reset_per_block()),
        uniforms,
        checks: checks.map(|checks| LaunchChecks::new(checks, code, launch, &shared, patterns)),
        shared,
        groups: threads.div_ceil(GROUP),
        slopes,
        reaches,
        walks,
        patterns,
        schedule,
        without_replay,
        caches,
        watchers,
        printed_bytes: AtomicU64::new(0),
    }
}
