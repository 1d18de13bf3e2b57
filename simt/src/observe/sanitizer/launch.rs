//! The state of the checks that all blocks of a launch share.
use super::{
    access_log::{Access, AccessLog, LaneAddresses},
    checks::Checks,
    global::GlobalShadow,
    raw_findings::RawFindings,
    unused::UsedBytes,
};
use crate::{
    Arg, Launch,
    bytecode::{Code, Param, Pattern, Site},
    vector::{
        lanes,
        mask::{GROUP, Mask},
    },
};
use std::{
    ops::Range,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// The state of the checks that all blocks of a launch share.
#[derive(Debug)]
pub(crate) struct LaunchChecks<'a> {
    /// True if races are checked.
    pub(crate) checks_races: bool,
    /// True if reads of unwritten memory are checked.
    pub(crate) checks_inits: bool,
    /// True if barriers and masks are checked.
    pub(crate) checks_sync: bool,
    /// The used memory, if unused memory is checked.
    pub(crate) used: Option<UsedBytes>,
    /// By access site, true if its accesses cannot race.
    skips: Vec<bool>,
    /// By access site with a pattern and by group, the runs of a group with all lanes active.
    runs: Vec<Vec<GroupRuns>>,
    /// True if events are analysed as they happen: the kernel has releases or acquires.
    pub(crate) is_eager: bool,
    /// Bytes in a cell of shared memory.
    pub(crate) cell_bytes: u64,
    /// The first cell of each shared array.
    first_cells: Vec<u64>,
    /// The number of cells of shared memory.
    pub(crate) cells: u64,
    /// True if blocks run in clusters.
    pub(crate) has_clusters: bool,
    /// Number of the first shared array among the buffers.
    first_array: u16,
    /// By slice that may be raced for, its place in memory.
    memories: Vec<Option<SlicePlace>>,
    /// By access site, the address pattern, if it has one.
    patterns: &'a [Option<Pattern>],
    global: Mutex<GlobalShadow>,
}

/// The place of a slice in the memories of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlicePlace {
    /// The number of the memory.
    pub(crate) memory: usize,
    /// Bytes in a cell of the memory.
    pub(crate) cell_bytes: u64,
    /// Bytes from the start of the memory to the first element, a multiple of `cell_bytes`.
    pub(crate) offset: u64,
}

/// The runs of a group.
#[derive(Debug)]
struct GroupRuns {
    /// All lanes of the group.
    lanes: Mask,
    /// With addresses relative to the common part.
    runs: Vec<LaneRun>,
}

/// Neighbouring lanes that access neighbouring words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneRun {
    /// The first lane.
    pub(crate) lane: u32,
    pub(crate) len: u32,
    /// The address of the first lane.
    pub(crate) address: u64,
}

impl<'a> LaunchChecks<'a> {
    /// Creates the state for a launch whose blocks have shared arrays of `shared` bytes.
    pub(crate) fn new(
        checks: Checks,
        code: &Code,
        launch: &Launch<'_>,
        shared: &[u64],
        patterns: &'a [Option<Pattern>],
    ) -> Self {
        let cell_bytes = smallest_access(code, |site| site.is_shared);
        let mut cells = 0;
        let first_cells = shared.iter().map(|bytes| {
            let first = cells;
            cells += bytes.div_ceil(cell_bytes);
            first
        });
        let first_cells = first_cells.collect();
        // Sites whose accesses cannot race are skipped; an unknown buffer may be any of them.
        let memories = number_memories(code, launch);
        let may_race = |buffer: Option<u16>| {
            buffer
                .is_none_or(|buffer| memories.get(usize::from(buffer)).copied().flatten().is_some())
        };
        let (first_array, quiet) = (code.params.len(), race_free_arrays(code));
        let is_quiet = |buffer: Option<u16>| match buffer {
            Some(buffer) => quiet.get(usize::from(buffer) - first_array) == Some(&true),
            None => quiet.iter().all(|is_quiet| *is_quiet),
        };
        let skips = code.sites.iter().map(|site| {
            if site.is_shared { is_quiet(site.buffer) } else { !may_race(site.buffer) }
        });
        let skips: Vec<bool> = skips.collect();
        // Skipped sites of shared memory have runs all the same: checks of initialization use them.
        let threads = launch.block.iter().product::<u32>() as usize;
        let runs = code.sites.iter().zip(&skips).zip(patterns).map(|((site, skips), pattern)| {
            let pattern = pattern.as_ref().filter(|_| !skips || site.is_shared);
            let runs_of = |pattern| group_runs(pattern, threads, u64::from(site.bytes));
            pattern.map_or_else(Vec::new, runs_of)
        });
        let runs = runs.collect();
        // Parameters with the same memory share its shadow, by the first parameter's number.
        let bytes = |number: usize| {
            let mut slices = memories.iter().zip(launch.args);
            let cells = slices.find_map(|(place, arg)| match (place, arg) {
                (Some(place), Arg::Slice { memory, .. }) if place.memory == number => {
                    Some((memory.len() as u64).div_ceil(place.cell_bytes))
                }
                (_, _) => None,
            });
            cells.unwrap_or(0)
        };
        let count = memories.iter().flatten().map(|place| place.memory + 1).max().unwrap_or(0);
        let global = Mutex::new(GlobalShadow::new((0..count).map(bytes)));
        Self {
            checks_races: checks.contains(Checks::RACE),
            checks_inits: checks.contains(Checks::INIT),
            checks_sync: checks.contains(Checks::SYNC),
            used: checks.contains(Checks::UNUSED).then(|| UsedBytes::new(code, launch, shared)),
            skips,
            runs,
            is_eager: code.synchronizes,
            cell_bytes,
            first_cells,
            cells,
            has_clusters: code.cluster.is_some(),
            first_array: code.params.len() as u16,
            memories,
            patterns,
            global,
        }
    }

    /// Returns true if races are checked at an access site.
    pub(crate) fn may_race_at(&self, site: u32) -> bool {
        self.checks_races && !self.skips[site as usize]
    }

    pub(crate) fn lock_global(&self) -> MutexGuard<'_, GlobalShadow> {
        self.global.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the findings in global memory.
    pub(crate) fn finish(&self, code: &Code) -> RawFindings {
        self.lock_global().finish(code, self)
    }

    /// Returns the place of a slice, if it may be raced for.
    pub(crate) fn slice_place(&self, buffer: u16) -> Option<SlicePlace> {
        self.memories.get(usize::from(buffer)).copied().flatten()
    }

    /// Returns the cells of shared memory that an access of `bytes` bytes touches, each with its
    /// first byte in the array; none if the access is outside.
    pub(crate) fn touched_cells(
        &self,
        buffer: u16,
        offset: u64,
        bytes: u32,
    ) -> impl Iterator<Item = (u64, u64)> + use<> {
        let array = buffer.checked_sub(self.first_array).map(usize::from);
        let first = array.and_then(|array| self.first_cells.get(array).copied());
        let cell_bytes = self.cell_bytes;
        let cells = first.map(|first| {
            let bytes = (offset..offset + u64::from(bytes)).step_by(cell_bytes as usize);
            bytes.map(move |byte| (first + byte / cell_bytes, byte))
        });
        cells.into_iter().flatten()
    }

    /// Returns true if `holds` does for the cells of shared memory that each run of an access
    /// touches.
    pub(crate) fn all_run_cells(
        &self,
        site: &Site,
        log: &AccessLog,
        access: &Access,
        mut holds: impl FnMut(Range<u64>) -> bool,
    ) -> bool {
        let (bytes, mut all) = (u64::from(site.bytes), true);
        let mut each = |run: LaneRun| {
            let (buffer, byte) = lanes::resolve(run.address);
            let array = buffer.checked_sub(self.first_array).map(usize::from);
            if let Some(first) = array.and_then(|array| self.first_cells.get(array)) {
                let first = first + byte / self.cell_bytes;
                all &= holds(first..first + (u64::from(run.len) * bytes).div_ceil(self.cell_bytes));
            }
        };
        match access.places {
            LaneAddresses::Same(address) => each(LaneRun { lane: 0, len: 1, address }),
            LaneAddresses::Pattern(_) | LaneAddresses::Each(_) => {
                self.for_each_run(log, access, bytes, true, each)
            }
        }
        all
    }

    /// Returns the address pattern of an access site.
    pub(super) fn pattern(&self, site: u32) -> Option<&Pattern> {
        self.patterns.get(site as usize).and_then(Option::as_ref)
    }

    /// Calls `each` with the runs of an access of `bytes` bytes; with runs of one lane each, unless
    /// lanes may be joined.
    pub(crate) fn for_each_run(
        &self,
        log: &AccessLog,
        access: &Access,
        bytes: u64,
        are_alike: bool,
        mut each: impl FnMut(LaneRun),
    ) {
        let first_thread = access.first_thread as usize;
        if let (LaneAddresses::Pattern(common), true) = (access.places, are_alike)
            && let Some(group) = self.runs[access.site as usize].get(first_thread / GROUP)
            && group.lanes == access.lanes
        {
            for run in &group.runs {
                each(LaneRun { address: common.wrapping_add(run.address), ..*run });
            }
            return;
        }
        let pattern = self.pattern(access.site);
        let lanes = access.lanes.lanes().map(|lane| {
            let offset = || pattern.map_or(0, |pattern| pattern.offsets[first_thread + lane]);
            (lane as u32, log.lane_address(access.places, lane, offset))
        });
        join_lanes(lanes, bytes, are_alike, each);
    }
}

/// Returns the bytes in a cell: the size of the smallest access.
fn smallest_access(code: &Code, is_relevant: impl Fn(&Site) -> bool) -> u64 {
    let sizes = code.sites.iter().filter(|site| is_relevant(site)).map(|site| site.bytes);
    sizes.min().map_or(1, |bytes| u64::from(bytes.max(1)))
}

/// Returns true for each shared array whose accesses cannot race: every access is atomic, or none
/// writes. If atomic accesses order other accesses, they must be analysed all the same.
fn race_free_arrays(code: &Code) -> Vec<bool> {
    let mut is_plain = vec![false; code.shared.len()];
    let mut is_written = is_plain.clone();
    let first = code.params.len();
    for site in code.sites.iter().filter(|site| site.is_shared) {
        let arrays = match site.buffer {
            Some(buffer) => usize::from(buffer) - first..usize::from(buffer) - first + 1,
            None => 0..code.shared.len(),
        };
        for array in arrays {
            is_plain[array] |= !site.kind.is_atomic();
            is_written[array] |= site.kind.writes();
        }
    }
    let both = is_plain.iter().zip(is_written);
    let is_loud = |(is_plain, is_written)| code.synchronizes || is_plain && is_written;
    both.map(|(is_plain, is_written)| !is_loud((*is_plain, is_written))).collect()
}

/// Returns, for each parameter with written memory, its place. Parameters with the same memory
/// have the same number of it.
fn number_memories(code: &Code, launch: &Launch<'_>) -> Vec<Option<SlicePlace>> {
    let place = |buffer: usize| match (launch.args.get(buffer), code.params.get(buffer)) {
        (Some(Arg::Slice { memory, offset, .. }), Some(Param::Slice { .. })) => {
            Some((memory.address(), *offset))
        }
        (_, _) => None,
    };
    let touches = |site: &Site, at: usize| {
        let buffer = site.buffer.map(usize::from);
        !site.is_shared
            && buffer.is_none_or(|buffer| place(buffer).is_some_and(|(found, _)| found == at))
    };
    let mut known: Vec<usize> = Vec::new();
    let memory = |buffer| {
        let (at, offset) = place(buffer)?;
        let is_written = code.sites.iter().any(|site| site.kind.writes() && touches(site, at));
        if !is_written {
            return None;
        }
        let number = known.iter().position(|known| *known == at).unwrap_or(known.len());
        if number == known.len() {
            known.push(at);
        }
        // An access is aligned, so its size divides the offset of its slice, and so does the
        // smallest one, unless there are only accesses to other slices.
        let cell_bytes = smallest_access(code, |site| touches(site, at));
        Some(SlicePlace { memory: number, cell_bytes, offset })
    };
    (0..code.params.len()).map(memory).collect()
}

/// Returns the runs of each group, with addresses relative to the common part.
fn group_runs(pattern: &Pattern, threads: usize, bytes: u64) -> Vec<GroupRuns> {
    let groups = (0..threads).step_by(GROUP).map(|first| {
        let mut runs = Vec::new();
        let last = threads.min(first + GROUP);
        let lanes = (first..last).map(|thread| ((thread - first) as u32, pattern.offsets[thread]));
        join_lanes(lanes, bytes, true, |run| runs.push(run));
        GroupRuns { lanes: Mask::first(last - first), runs }
    });
    groups.collect()
}

/// Joins neighbouring lanes with neighbouring words into runs, if they may be joined.
fn join_lanes(
    lanes: impl Iterator<Item = (u32, u64)>,
    bytes: u64,
    are_alike: bool,
    mut each: impl FnMut(LaneRun),
) {
    let mut open: Option<LaneRun> = None;
    for (lane, address) in lanes {
        if let Some(run) = &mut open {
            let behind = run.address.wrapping_add(u64::from(run.len) * bytes);
            if are_alike && (run.lane + run.len, behind) == (lane, address) {
                run.len += 1;
                continue;
            }
            each(*run);
        }
        open = Some(LaneRun { lane, len: 1, address });
    }
    if let Some(run) = open {
        each(run);
    }
}
