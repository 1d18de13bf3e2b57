//! Holds a launch against its kernel, and prepares what every block sees of it.
use crate::{
    Arg, Launch,
    bytecode::{Bytes, Code, Input, MAX_SHARED_ARRAY_BYTES, Param, Pattern, Slope},
    exec::schedule::Order,
    launch::{along, split},
    observe::{
        debugger::Watch,
        sanitizer::{LaunchChecks, checks::Checks},
    },
    vector::{
        lanes::walk::{Reach, Walk},
        mask::GROUP,
        memory::{Cells, Loan, Memory, Use},
        registers::{Uniform, map_uniform},
    },
};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use warpwise_compiler::{
    ir::{Passed, Scalar},
    output::{CAPACITY_BYTES, record_bytes},
};

/// What is asked of a program besides running, if it has steps for it.
#[derive(Default)]
pub(crate) struct Observation<'a> {
    pub(crate) order: Option<Order>,
    pub(crate) watchers: &'a [&'a dyn Watch],
    pub(crate) checks: Option<Checks>,
    /// Whether each block and each iteration is to run by itself: what tests compare with.
    pub(crate) one_by_one: bool,
}

impl Observation<'_> {
    /// Whether everything is to happen in the same order each time.
    pub(crate) fn is_ordered(&self) -> bool {
        self.order.is_some() || !self.watchers.is_empty()
    }
}

/// A launch that fits its kernel, with its memory lent.
pub(crate) struct Bound<'a> {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// Of each parameter that is a slice.
    pub(crate) cells: Vec<Option<Cells<'a>>>,
    /// The uniform values that do not depend on the block.
    pub(crate) uniforms: Vec<u64>,
    /// Those that do.
    pub(crate) of_block: Vec<(Uniform, Input)>,
    /// Whether there are registers to set for each block.
    pub(crate) presets_of_block: bool,
    /// Bytes of each block-shared array.
    pub(crate) shared: Vec<u64>,
    /// How many groups a block has.
    groups: usize,
    /// Of each slope: what each thread has of it.
    slopes: Vec<Vec<i64>>,
    /// Of each slope, for each group: between what its lanes are.
    reaches: Vec<Reach>,
    /// How accesses by affine addresses go over the lanes of each group.
    walks: Vec<Walk>,
    /// Of what is counted, where it is known.
    pub(crate) patterns: &'a [Option<Pattern>],
    /// What the checks need, if there are any.
    pub(crate) checks: Option<LaunchChecks<'a>>,
    /// In which order threads take turns, if not in the usual one.
    pub(crate) order: Option<Order>,
    /// Whether each block and each iteration runs by itself.
    pub(crate) one_by_one: bool,
    /// Who looks on.
    pub(crate) watchers: &'a [&'a dyn Watch],
    /// Bytes that what was printed would take on a GPU.
    printed: AtomicU64,
}

impl Bound<'_> {
    /// Claims room for something printed, with so many values; false if there is none.
    pub(crate) fn claim(&self, values: usize) -> bool {
        let bytes = record_bytes(values) as u64;
        self.printed.fetch_add(bytes, Relaxed) + bytes <= CAPACITY_BYTES as u64
    }

    /// Whether nobody needs to know of each block by itself, so that several may run [alike](crate::exec::replay).
    pub(crate) fn may_be_alike(&self, code: &Code) -> bool {
        let is_watched = !self.watchers.is_empty() || self.order.is_some();
        !is_watched && !code.syncs_grid && !self.one_by_one
    }

    /// Between what the lanes of a group have of a slope.
    #[inline(always)]
    pub(crate) fn reach(&self, slope: u16, group: usize) -> Reach {
        self.reaches[usize::from(slope) * self.groups + group]
    }

    /// How an access goes over the lanes of a group.
    #[inline(always)]
    pub(crate) fn walk(&self, walk: u16, group: usize) -> &Walk {
        &self.walks[usize::from(walk) * self.groups + group]
    }

    /// What so many threads have of a slope.
    pub(crate) fn own(&self, slope: u16, first_thread: usize, threads: usize) -> &[i64] {
        &self.slopes[usize::from(slope)][first_thread..first_thread + threads]
    }

    /// Threads in a group.
    pub(crate) fn lanes(&self, group: usize) -> usize {
        GROUP.min(self.threads() - group * GROUP)
    }

    /// Threads in a block.
    pub(crate) fn threads(&self) -> usize {
        self.block.iter().map(|dim| *dim as usize).product()
    }

    /// Index in the block of the thread of this number.
    pub(crate) fn thread_idx(&self, number: usize) -> [u32; 3] {
        split(number as u64, self.block)
    }

    /// Index of the block of this number.
    pub(crate) fn block_idx(&self, number: u64) -> [u32; 3] {
        // Divisions take longer than all else that there is to do for a block.
        if number < self.grid[0].into() { [number as u32, 0, 0] } else { split(number, self.grid) }
    }
}

/// What the thread of this index has of a slope, modulo 2^64.
fn own(uniforms: &[u64], slope: &Slope, idx: [u32; 3]) -> u64 {
    let along = |(by, idx): (&Option<Uniform>, u32)| {
        by.map_or(0, |by| by.get(uniforms).wrapping_mul(idx.into()))
    };
    slope.by.iter().zip(idx).map(along).fold(0, u64::wrapping_add)
}

/// How many blocks there are, if the launch fits the kernel.
pub(crate) fn check(code: &Code, launch: &Launch<'_>) -> Result<u64, String> {
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
            (Arg::Slice { memory, len }, Param::Slice { size, .. }) => {
                let bytes = len.checked_mul(*size);
                if bytes.is_none_or(|bytes| bytes > memory.len() as u64) {
                    return Err(format!(
                        "argument {number} has {len} elements in {} bytes",
                        memory.len()
                    ));
                }
            }
            (Arg::Scalar(_), Param::Slice { .. }) | (Arg::Slice { .. }, Param::Scalar(_)) => {
                return Err(format!("argument {number} is not what the kernel's parameter is"));
            }
        }
    }
    let blocks =
        launch.grid.iter().try_fold(1_u64, |blocks, dim| blocks.checked_mul((*dim).into()));
    // A product that overflows may still have a zero behind it.
    let none = launch.grid.contains(&0);
    if none { Ok(0) } else { blocks.ok_or_else(|| "2^64 blocks or more".into()) }
}

/// Bytes of each shared array, if the launch has such lengths.
pub(crate) fn shared(code: &Code, launch: &Launch<'_>) -> Result<Vec<u64>, String> {
    let params: Vec<_> = launch.args.iter().zip(&code.params).map(passed).collect();
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

/// What sizes are made of.
fn passed((arg, param): (&Arg<'_>, &Param)) -> (Scalar, u64) {
    match (arg, param) {
        (Arg::Scalar(bits), Param::Scalar(scalar)) => (*scalar, *bits),
        (Arg::Scalar(bits), Param::Slice { .. }) => (Scalar::U64, *bits),
        (Arg::Slice { len, .. }, _) => (Scalar::U64, *len),
    }
}

/// Lends each memory once, in the order of their places, so that launches that use
/// the same ones never wait for each other in a circle.
pub(crate) fn lend<'a>(code: &Code, launch: &Launch<'a>) -> Result<Vec<Loan<'a>>, String> {
    let mut memories: Vec<(&Memory, Use)> = Vec::new();
    for (arg, param) in launch.args.iter().zip(&code.params) {
        if let (Arg::Slice { memory, .. }, Param::Slice { access, .. }) = (arg, param) {
            memories.push((memory, *access));
        }
    }
    memories.sort_by_key(|(memory, access)| (memory.place(), *access));
    memories.dedup_by_key(|(memory, access)| (memory.place(), *access));
    if memories.windows(2).any(|pair| pair[0].0.place() == pair[1].0.place()) {
        return Err("one memory for slices of different element sizes".into());
    }
    Ok(memories.into_iter().map(|(memory, access)| memory.lend(access)).collect())
}

/// What instructions see of the launch.
pub(crate) fn bind<'a>(
    code: &Code,
    launch: &Launch<'_>,
    loans: &'a [Loan<'_>],
    shared: Vec<u64>,
    patterns: &'a [Option<Pattern>],
    Observation { order, watchers, checks, one_by_one }: Observation<'a>,
) -> Bound<'a> {
    let cells = |arg: &Arg<'_>, param: &Param| match (arg, param) {
        (Arg::Slice { memory, len }, Param::Slice { size, .. }) => {
            let loan = loans.iter().find(|loan| loan.is_of(memory))?;
            Some(loan.cells(len * size))
        }
        (Arg::Scalar(_) | Arg::Slice { .. }, Param::Scalar(_) | Param::Slice { .. }) => None,
    };
    let mut uniforms = vec![0; code.uniforms];
    for (uniform, given) in &code.inputs {
        let bits = match *given {
            Input::Const(bits) => bits,
            Input::Param(param) => match launch.args[param] {
                Arg::Scalar(bits) => bits,
                Arg::Slice { .. } => 0,
            },
            Input::Len(param) => match launch.args[param] {
                Arg::Scalar(_) => 0,
                Arg::Slice { len, .. } => len,
            },
            Input::BlockDim(axis) => along(launch.block, axis).into(),
            Input::GridDim(axis) => along(launch.grid, axis).into(),
            Input::BlockIdx(_) | Input::GlobalIdx(_) | Input::Launch => 0,
        };
        uniform.set(&mut uniforms, bits);
    }
    for (f, slots) in &code.launch {
        map_uniform(*f, &mut uniforms, *slots);
    }
    let threads = launch.block.iter().map(|dim| *dim as usize).product::<usize>();
    let slopes = code.slopes.iter().map(|slope| {
        let bits = 64 - 8 * slope.lanes.size();
        let own = |thread: usize| {
            let own = own(&uniforms, slope, split(thread as u64, launch.block));
            (own << bits).cast_signed() >> bits
        };
        (0..threads).map(own).collect::<Vec<_>>()
    });
    let slopes: Vec<_> = slopes.collect();
    let reaches = slopes.iter().flat_map(|own| own.chunks(GROUP).map(Reach::of)).collect();
    let walks = code.walks.iter().flat_map(|walk| {
        let groups = slopes[usize::from(walk.slope)].chunks(GROUP);
        groups.map(|own| Walk::new(own, walk.stride, walk.word))
    });
    let walks = walks.collect();
    Bound {
        grid: launch.grid,
        block: launch.block,
        cells: launch.args.iter().zip(&code.params).map(|(arg, param)| cells(arg, param)).collect(),
        of_block: code
            .inputs
            .iter()
            .copied()
            .filter(|(_, given)| given.depends_on_block())
            .collect(),
        presets_of_block: code.preset.iter().any(|(_, preset)| preset.is_of_block()),
        uniforms,
        checks: checks.map(|checks| LaunchChecks::new(checks, code, launch, &shared, patterns)),
        shared,
        groups: threads.div_ceil(GROUP),
        slopes,
        reaches,
        walks,
        patterns,
        order,
        one_by_one,
        watchers,
        printed: AtomicU64::new(0),
    }
}
