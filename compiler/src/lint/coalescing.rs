//! Common part of `gpu_uncoalesced_accesses`, `gpu_swapped_axes` and `gpu_aos_accesses`: accesses
//! to global memory that move at least twice the necessary sectors, each with the reason.
//!
//! Sectors that other accesses of a thread use as well are not wasted: an access is excluded if all
//! accesses together use more than half of its sectors. So is an access by every second or fourth
//! lane: the other lanes move the rest.
use super::access;
use crate::{
    analysis::{
        Analyses,
        accesses::{Cost, Lanes, Request, UnknownCost, Verdict, WarpCost},
        symbolic::{self, Coverage, Event, EventKind, PerThread, SymbolicSum, Trace},
    },
    hardware::{Kind, LANES, global::SECTOR_BYTES},
    ir::{Element, Kernel, ParamKind, Root, Space},
};

/// Limit of compared lanes over all requests of a kernel. After that, an access counts as one whose
/// sectors others use, and has no finding.
const MAX_COMPARED_LANES: usize = 1 << 20;

/// The smallest number of excess sectors of a warp that is worth a finding.
const MIN_EXCESS_SECTORS: u32 = 3;

/// An access that moves too many sectors.
pub(super) struct WastefulAccess<'a> {
    pub(super) request: &'a Request,
    /// The lanes of the most wasteful warp; `None` if their distance is unknown.
    pub(super) lanes: Option<&'a Lanes>,
    /// The sectors that these lanes move.
    pub(super) cost: WarpCost,
    /// True if all warps move as many.
    pub(super) is_even: bool,
    pub(super) reason: WasteReason,
}

/// The reason for the waste.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WasteReason {
    /// The x axis walks from row to row, the y axis along rows: the elements from one x to the
    /// next, if known.
    Axes(Option<u64>),
    /// The access to one field of structs of this size in bytes.
    Struct(u64),
    /// A row of the block that is shorter than a sector.
    NarrowBlock {
        /// The narrowest block with the same number of threads that would be wide enough.
        wider: [u32; 3],
    },
    /// Each thread walks along a chunk of its own.
    Chunks,
    /// Any other reason.
    Stride,
}

/// Returns all accesses of `kernel` that move too many sectors.
pub(super) fn find_wasteful<'a>(
    kernel: &Kernel,
    analyses: &'a Analyses,
) -> Vec<WastefulAccess<'a>> {
    let mut found = Vec::new();
    let mut sharing = SectorSharing { analyses, compared_lanes: 0, results: Vec::new() };
    for request in &analyses.accesses.requests {
        if request.space != Space::Global {
            continue;
        }
        match &request.verdict {
            Verdict::Known(cost) => {
                found.extend(judge_known_cost(kernel, &mut sharing, request, cost))
            }
            Verdict::Unknown(UnknownCost::Stride(_)) => {
                found.extend(judge_by_pitch(&analyses.trace, request))
            }
            Verdict::Unknown(
                UnknownCost::Address | UnknownCost::Lanes | UnknownCost::Size | UnknownCost::NotRun,
            ) => {}
        }
    }
    found
}

/// Returns an access with a known cost, if it is wasteful.
fn judge_known_cost<'a>(
    kernel: &Kernel,
    sharing: &mut SectorSharing<'a>,
    request: &'a Request,
    cost: &'a Cost,
) -> Option<WastefulAccess<'a>> {
    let analyses = sharing.analyses;
    let (lanes, _) = &cost.worst;
    // For atomic updates only the addresses count: collisions are the subject of another lint.
    let kind = if request.kind == Kind::Atomic { Kind::Load } else { request.kind };
    let price = lanes.warp_cost(request.space, kind, request.bytes);
    let is_bad = cost.is_bad() && price.taken[0] >= 2 * price.ideal;
    if !is_bad || price.taken[0] - price.ideal < MIN_EXCESS_SECTORS || !lanes.is_contiguous() {
        return None;
    }
    // The optimizer may have merged the access with its neighbours.
    let run = access::runtime_request(kernel, analyses, request);
    run.filter(|(_, cost)| cost.is_bad())?;
    let event = events(&analyses.trace, request).next()?;
    if sharing.is_shared_with_others(request, event, false) {
        return None;
    }
    let reason = find_reason(kernel, &analyses.trace, request, event, lanes);
    if let WasteReason::Struct(_) = reason
        && sharing.is_shared_with_others(request, event, true)
    {
        return None;
    }
    Some(WastefulAccess { request, lanes: Some(lanes), cost: price, is_even: cost.is_even, reason })
}

/// Returns the events of a request's access. An asynchronous copy writes, too.
fn events<'t>(trace: &'t Trace, request: &Request) -> impl Iterator<Item = &'t Event> {
    let first = request.members.first().copied();
    let all = first.into_iter().flat_map(|first| trace.events_of(first));
    let is_store =
        |access: &symbolic::Access| matches!(access.kind, symbolic::AccessKind::Store(_));
    let loads = request.kind == Kind::Load;
    all.filter(move |event| access_of(event).is_some_and(|access| !loads || !is_store(access)))
}

fn access_of(event: &Event) -> Option<&symbolic::Access> {
    if let EventKind::Access(access) = &event.kind { Some(access) } else { None }
}

fn offset_of(event: &Event) -> Option<&SymbolicSum> {
    access_of(event)?.offset.as_ref()
}

/// The search for accesses that use the sectors fetched by others.
struct SectorSharing<'a> {
    analyses: &'a Analyses,
    /// The compared lanes so far: see [`MAX_COMPARED_LANES`].
    compared_lanes: usize,
    /// The results for one access of each group, with the access and `in_turn`. They hold for all
    /// others of the same group that execute once each.
    results: Vec<(&'a Request, &'a Event, bool, bool)>,
}

impl<'a> SectorSharing<'a> {
    /// Returns true if at least half of an access's sectors are used, counting other accesses at
    /// the same time, or, `in_turn`, in other iterations of loops.
    fn is_shared_with_others(
        &mut self,
        request: &'a Request,
        event: &'a Event,
        in_turn: bool,
    ) -> bool {
        let happens_once =
            |event: &Event| self.analyses.trace.events_of(event.inst).nth(1).is_none();
        let stands_for_group = in_turn || happens_once(event);
        let known = self.results.iter().find(|(of, known, turns, _)| {
            *turns == in_turn
                && is_same_group((of, known), (request, event), in_turn)
                && offset_of(known).map(SymbolicSum::terms)
                    == offset_of(event).map(SymbolicSum::terms)
        });
        if let Some((.., is_shared)) = known.filter(|_| stands_for_group) {
            return *is_shared;
        }
        let is_shared = self.uses_sectors_of_others(request, event, in_turn);
        if stands_for_group {
            self.results.push((request, event, in_turn, is_shared));
        }
        is_shared
    }

    /// Computes the same by comparing with every access.
    fn uses_sectors_of_others(&mut self, request: &Request, event: &Event, in_turn: bool) -> bool {
        let Some(offset) = offset_of(event) else { return false };
        let threads = &event.active.threads;
        let Some(warp) = (0..threads.warp_count()).find(|&warp| threads.lanes_of_warp(warp) != 0)
        else {
            return false;
        };
        let mut ranges: Vec<(i64, i64)> = Vec::new();
        for beside in &self.analyses.trace.events {
            let Some(other) = self.analyses.accesses.get_of_event(beside) else { continue };
            let is_itself_again = beside.inst == event.inst && !std::ptr::eq(beside, event);
            let is_beside = is_same_group((other, beside), (request, event), in_turn)
                && (in_turn || !is_itself_again);
            let at = offset_of(beside).filter(|at| is_beside && at.terms() == offset.terms());
            let lanes = at.and_then(|at| {
                let known = Lanes::exact(at, warp, threads.lanes_of_warp(warp)).ok();
                let trace = &self.analyses.trace;
                known.or_else(|| {
                    Lanes::with_min_distances(trace, at, warp, threads.lanes_of_warp(warp))
                })
            });
            let Some(lanes) = lanes else { continue };
            self.compared_lanes += LANES;
            if self.compared_lanes > MAX_COMPARED_LANES {
                return true;
            }
            let size = access_of(beside).map_or(0, |access| i64::from(access.bytes));
            let active = (0..LANES).filter(|&lane| lanes.active >> lane & 1 == 1);
            ranges.extend(active.map(|lane| (lanes.offsets[lane], lanes.offsets[lane] + size)));
        }
        let (bytes, sectors) = bytes_and_sectors(ranges);
        2 * bytes > sectors * SECTOR_BYTES
    }
}

/// Returns the number of bytes in some ranges, and of the sectors that they touch.
fn bytes_and_sectors(mut ranges: Vec<(i64, i64)>) -> (u64, u64) {
    let size = i64::try_from(SECTOR_BYTES).unwrap_or(i64::MAX);
    ranges.sort_unstable();
    let (mut bytes, mut sectors) = (0, 0);
    let (mut byte, mut sector) = (i64::MIN, i64::MIN);
    for (start, end) in ranges.into_iter().filter(|(start, end)| start < end) {
        bytes += (end - start.max(byte)).max(0).unsigned_abs();
        byte = byte.max(end);
        let (first, last) = (start.div_euclid(size), (end - 1).div_euclid(size));
        sectors += (last + 1 - first.max(sector)).max(0).unsigned_abs();
        sector = sector.max(last + 1);
    }
    (bytes, sectors)
}

/// Returns true if two accesses have the same memory, kind and threads, without a barrier between
/// them, and, unless `in_turn`, the same iterations.
fn is_same_group(
    (other, beside): (&Request, &Event),
    (request, event): (&Request, &Event),
    in_turn: bool,
) -> bool {
    beside.interval == event.interval
        && other.root == request.root
        && (other.kind == Kind::Load) == (request.kind == Kind::Load)
        && (in_turn || beside.loops == event.loops)
        && beside.active.threads == event.active.threads
}

/// Returns the growth of a number along x and along y, if it is the same for all threads of a
/// block.
fn axis_steps(factors: &PerThread, trace: &Trace) -> Option<[i64; 2]> {
    match factors {
        PerThread::Uniform(_) => Some([0, 0]),
        PerThread::Affine(affine) => Some([affine.step[0], affine.step[1]]),
        PerThread::Table(each) => {
            let x = usize::try_from(trace.shape.dims[0]).ok()?;
            let step = |by: usize| each.get(by).map_or(0, |at| at - each[0]);
            let found = [if x > 1 { step(1) } else { 0 }, step(x)];
            let at = |thread: usize| -> Option<i64> {
                let [i, j, k] = trace.shape.thread_index(thread);
                let sum = each[0] + i64::from(i) * found[0] + i64::from(j) * found[1];
                (k == 0).then_some(sum)
            };
            (0..each.len())
                .all(|thread| at(thread).is_none_or(|at| at == each[thread]))
                .then_some(found)
        }
    }
}

/// Returns the reason why a request moves more sectors than its lanes need.
fn find_reason(
    kernel: &Kernel,
    trace: &Trace,
    request: &Request,
    event: &Event,
    lanes: &Lanes,
) -> WasteReason {
    // The most specific reason first: swapped axes and narrow blocks also have a stride.
    let bytes = i64::from(request.bytes);
    let stride = lanes.stride();
    if !lanes.clusters.is_empty() && walks_columns(trace, request, event) {
        return WasteReason::Axes(None);
    }
    let steps = offset_of(event).and_then(|offset| axis_steps(offset.numbers(), trace));
    if let Some([x, y]) = steps {
        let [dim_x, dim_y, _] = trace.shape.dims;
        if dim_x > 1 && dim_y > 1 && y.abs() == bytes && x.abs() > bytes && stride == Some(x) {
            let elements = x.unsigned_abs().is_multiple_of(bytes.unsigned_abs());
            return WasteReason::Axes(elements.then(|| x.unsigned_abs() / bytes.unsigned_abs()));
        }
        let row = u64::from(dim_x) * bytes.unsigned_abs();
        if dim_x > 1 && dim_y > 1 && x.abs() == bytes && row < SECTOR_BYTES {
            let wide = min_block_width(request, lanes, [x, y]);
            let wider = [wide, (dim_x * dim_y / wide).max(1), trace.shape.dims[2]];
            return WasteReason::NarrowBlock { wider };
        }
    }
    if let Some(size) = struct_bytes(kernel, request)
        && stride.map(i64::unsigned_abs) == Some(size)
    {
        return WasteReason::Struct(size);
    }
    // If a thread accesses the next element next, it has a chunk of its own.
    let mut later = events(trace, request).skip(1).filter_map(offset_of);
    let walks = |next: &SymbolicSum| {
        let first = offset_of(event)?;
        (next.terms() == first.terms() && trace.shape.thread_count() > 0).then_some(())?;
        Some(
            next.numbers().number_in(0).abs_diff(first.numbers().number_in(0))
                == bytes.unsigned_abs(),
        )
    };
    if later.next().is_some_and(|next| walks(next) == Some(true)) {
        return WasteReason::Chunks;
    }
    WasteReason::Stride
}

/// Returns the smallest number of threads along x with which a warp whose rows are `steps` apart
/// has no excess worth a finding, wherever its rows begin.
fn min_block_width(request: &Request, lanes: &Lanes, [x, y]: [i64; 2]) -> u32 {
    let widths = (3..=5).map(|power| 1_u32 << power);
    let is_enough = |wide: &u32| {
        let wide = i64::from(*wide);
        let offsets = std::array::from_fn(|lane| {
            let lane = i64::try_from(lane).unwrap_or(0);
            lane % wide * x + lane / wide * y
        });
        let wider = Lanes { active: u32::MAX, offsets, step: lanes.step, clusters: Vec::new() };
        let price = wider.warp_cost(Space::Global, request.kind, request.bytes);
        price.taken[1] < 2 * price.ideal || price.taken[1] - price.ideal < MIN_EXCESS_SECTORS
    };
    widths.into_iter().find(is_enough).unwrap_or(LANES as u32)
}

/// Returns true if an access of `kernel` walks along rows with x, and from row to row with y.
pub(super) fn walks_rows(analyses: &Analyses) -> bool {
    let trace = &analyses.trace;
    let mut global = analyses.accesses.requests.iter().filter(|it| it.space == Space::Global);
    global.any(|request| {
        let Some(offset) = events(trace, request).next().and_then(offset_of) else { return false };
        let Some([x, y]) = axis_steps(offset.numbers(), trace) else { return false };
        let bytes = i64::from(request.bytes);
        let mut symbolic = offset.terms().iter().map(|term| axis_steps(&term.factors, trace));
        let mut by_pitch = false;
        let is_along = symbolic.all(|found| {
            found.is_some_and(|[x, y]| {
                by_pitch |= y != 0;
                x == 0
            })
        });
        is_along && x.abs() == bytes && (by_pitch || y.abs() > bytes)
    })
}

/// Returns the bytes of an element of several scalars, if the request is for fewer.
fn struct_bytes(kernel: &Kernel, request: &Request) -> Option<u64> {
    let Some(Root::Param(param)) = request.root else { return None };
    let ParamKind::Slice { elem: Element::Plain { size, .. }, .. } = &kernel.params[param].kind
    else {
        return None;
    };
    size.known().filter(|&size| size > u64::from(request.bytes))
}

/// Returns true if an access of `event` moves by a row of unknown length per step along x, and
/// along the row with y.
fn walks_columns(trace: &Trace, request: &Request, event: &Event) -> bool {
    let Some(offset) = offset_of(event) else { return false };
    let mut has_pitch = false;
    for term in offset.terms() {
        let Some([x, y]) = axis_steps(&term.factors, trace) else { return false };
        has_pitch |= x != 0;
        if y != 0 {
            return false;
        }
    }
    let [dim_x, dim_y, _] = trace.shape.dims;
    has_pitch
        && axis_steps(offset.numbers(), trace) == Some([0, i64::from(request.bytes)])
        && dim_y > 1
        && dim_x > 1
}

/// Returns an access that [walks columns](walks_columns). A row has at least as many elements as
/// the block has threads along y.
fn judge_by_pitch<'a>(trace: &Trace, request: &'a Request) -> Option<WastefulAccess<'a>> {
    let event = events(trace, request).next()?;
    if event.active.coverage == Coverage::Some || !walks_columns(trace, request, event) {
        return None;
    }
    let bytes = i64::from(request.bytes);
    let row = bytes * i64::from(trace.shape.dims[1]);
    let active = event.active.threads.lanes_of_warp(0);
    let offsets = std::array::from_fn(|lane| {
        let [x, y, _] =
            trace.shape.thread_index(lane.min(trace.shape.thread_count().saturating_sub(1)));
        i64::from(x) * row + i64::from(y) * bytes
    });
    let lanes = Lanes { active, offsets, step: 0, clusters: Vec::new() };
    let price = lanes.warp_cost(Space::Global, Kind::Load, request.bytes);
    let is_bad =
        price.taken[0] >= 2 * price.ideal && price.taken[0] - price.ideal >= MIN_EXCESS_SECTORS;
    let reason = WasteReason::Axes(None);
    is_bad.then_some(WastefulAccess { request, lanes: None, cost: price, is_even: true, reason })
}

impl WastefulAccess<'_> {
    /// Describes the waste.
    pub(super) fn message(&self) -> String {
        let [least, most] = self.cost.taken;
        let is_bound = self.lanes.is_some_and(|lanes| !lanes.clusters.is_empty()) && least < most;
        let limit = match (is_bound, self.is_even) {
            (true, _) => "at least ",
            (false, true) => "",
            (false, false) => "up to ",
        };
        format!(
            "one warp {}s {limit}{least} sectors here, {} would do",
            self.access_verb(),
            self.cost.ideal
        )
    }

    fn access_verb(&self) -> &'static str {
        access::access_verb(self.request.kind)
    }

    /// Returns the notes.
    pub(super) fn notes(&self, trace: &Trace) -> Vec<String> {
        let distance = self.lanes.and_then(|lanes| access::lane_distance(self.request, lanes));
        distance.into_iter().chain(access::assumed_shape_note(&trace.shape)).collect()
    }

    /// Returns a number that grows with the waste.
    pub(super) fn weight(&self) -> u64 {
        u64::from(self.cost.taken[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eighth() -> Kernel {
        let text = "kernel eighth {
            block 256, 1, 1
            param arg0 = x: read [f32] !0
            %0 = builtin global_idx.x : u64 !0
            %1 = param arg0 : ptr global !0
            %2 = const 8 : u64 !0
            %3 = mul %0, %2 : u64 !0
            %4 = index %1, %3, 4 : ptr global !0
            %5 = load %4 : f32 !0
        }";
        text.parse().unwrap()
    }

    #[test]
    fn nothing_is_found_after_too_many_comparisons() {
        let kernel = eighth();
        let analyses = Analyses::for_kernel(&kernel);
        let request = &analyses.accesses.requests[0];
        let Verdict::Known(cost) = &request.verdict else { panic!("{request:?}") };
        for (compared, is_found) in [(0, true), (MAX_COMPARED_LANES, false)] {
            let mut sharing = SectorSharing {
                analyses: &analyses,
                compared_lanes: compared,
                results: Vec::new(),
            };
            assert_eq!(judge_known_cost(&kernel, &mut sharing, request, cost).is_some(), is_found);
        }
    }

    #[test]
    fn bytes_and_sectors_count_once() {
        let size = i64::try_from(SECTOR_BYTES).unwrap();
        for (ranges, bytes, sectors) in [
            (vec![], 0, 0),
            (vec![(0, 4), (4, 8), (0, 8)], 8, 1),
            (vec![(size - 4, size + 4), (size, size + 8), (-4, 0)], 16, 3),
            (vec![(0, 3 * size), (size, size + 4), (10 * size, 10 * size)], 3 * SECTOR_BYTES, 3),
        ] {
            assert_eq!(bytes_and_sectors(ranges.clone()), (bytes, sectors), "{ranges:?}");
        }
    }
}
