//! Thread coarsening: each thread does the work of several, for kernels whose threads do not meet.
//!
//! A block of the smaller grid runs several neighbouring blocks of the launch along one axis
//! ([`Coarsening`]). A thread runs the threads of its own index in all of them, side by side in one
//! copy of the body, or one after the other in a loop:
//!
//! ```text
//!                                  block {
//!                                    full = coarsening_factor blocks are left, and the factor is 4
//!                                    if !full { break }
//! if i < n {                         if !(i0 < n && i1 < n && i2 < n && i3 < n) { break }
//!   y[i] = a * x[i] + y[i]    =>     .. 4 loads of x, 4 of y, 4 sums, 4 stores ..
//! }                                  return
//!                                  }
//!                                  for k in 0..blocks {
//!                                    if i_k < n { y[i_k] = a * x[i_k] + y[i_k] }
//!                                  }
//! ```
//!
//! - **Side by side** ([`merge`](mod@merge)) runs where threads agree: what is the same for all of
//!   them is computed and loaded once, everything else once for each. Until the first store, the
//!   copy may be left for the loop, which starts from the beginning: where a check would fail, or
//!   conditions on indices differ. Conditions on data become one `if` for each thread.
//! - **The loop** runs the body as it was, so each thread faults where it did. It is for the last
//!   blocks along the axis, and for threads that leave the copy: launches too small to fill a GPU
//!   run the kernel without coarsening ([`CoarseGrid::suits`]), since the loop is slower than that.
//!
//! [`variance`] says what differs between threads, and which kernels are left alone: those whose
//! threads meet or use atomic operations, shared memory or arrays of their own, loops of different
//! lengths, checks behind stores, loops in which each thread loads by itself where threads are in
//! rows, and loops with costly branches by indices. So are kernels that store or load much
//! ([`MAX_STORES`], [`MAX_LOADS_IN_PLACE`]).
//!
//! Why: a thread that does little has few loads in flight, and shares none with its neighbours.
//! Four times the work in one on an H200, by the same text in CUDA C++: a copy 1.58 times as fast,
//! a sum of vectors 1.28, a stencil 1.48, a naive matrix product 1.47, a convolution 1.67.
mod lift_checks;
mod merge;
mod variance;

use super::{copy::copy_body, version_loops::OmittedChecks};
use crate::ir::{
    Axis, BinaryOp, Body, Builtin, CoarseGrid, Coarsening, CompareOp, Inst, InstId, Kernel, Op,
    Scalar, Span, Ty,
};
use lift_checks::lift_checks;
use merge::merge;
use std::collections::{HashMap, HashSet};
use variance::Variance;

/// The factors, and the largest body, in instructions, that each is for. More work in a thread
/// needs more registers, so that fewer threads run at a time.
const FACTORS: [(u32, usize); 2] = [(4, 120), (2, 192)];

/// The most stores of a body. What stores more waits for memory to take it, rather than for its
/// loads: the first step of an anisotropic diffusion, which stores five values, took 1.22 times as
/// long with four threads in one, and pixels of three bytes 1.1 times, on an H200.
const MAX_STORES: usize = 2;

/// The most loads of a thread that changes elements in place. The cause is unknown: with five, a
/// step of FDTD took 163 us with four threads in one and 144 with one on an H200, but 122 instead
/// of 139 with its result in another array.
const MAX_LOADS_IN_PLACE: usize = 4;

/// The most bytes that a thread loads at once.
const MAX_LOADED: u64 = 16;

/// Returns `kernel`, whose instructions are numbered in order, with coarsened threads, if that
/// pays; they are not numbered afterwards. `fallbacks` are the second
/// [versions](mod@super::version_loops) of loops, and those returned include the loop that runs
/// threads one by one.
pub(super) fn coarsen_threads(
    kernel: &Kernel,
    fallbacks: &HashSet<InstId>,
) -> Option<(Kernel, HashSet<InstId>)> {
    let is_synchronized = kernel.cooperative || kernel.dependent_launch || kernel.cluster.is_some();
    if !kernel.may_coarsen || is_synchronized {
        return None;
    }
    let axis = axis(kernel)?;
    // Of threads that store nothing, only checks may be left, or nothing at all.
    let stores = variance::count_stores(kernel, &kernel.body, fallbacks);
    if !(1..=MAX_STORES).contains(&stores)
        || !variance::is_supported(kernel)
        || has_large_elements(kernel)
    {
        return None;
    }
    let (mut coarse, mut fallbacks) = (kernel.clone(), fallbacks.clone());
    coarsen(&mut coarse, axis, &mut fallbacks)?;
    Some((coarse, fallbacks))
}

/// Returns the axis along which the threads of `kernel` are coarsened: rows of what has rows, since
/// memory serves neighbours along x together.
fn axis(kernel: &Kernel) -> Option<Axis> {
    let uses = |axis| {
        kernel.insts.iter().any(|(_, inst)| {
            matches!(inst.op, Op::Builtin(Builtin::GlobalIdx(of) | Builtin::BlockIdx(of)) if of == axis)
        })
    };
    [Axis::Y, Axis::X].into_iter().find(|axis| uses(*axis))
}

/// True if elements are larger than a load and no whole number of loads, so that they are accessed
/// field by field: what a warp has loaded for one field holds the next one, too, unless so much is
/// loaded for the fields of further threads that it is gone by then.
fn has_large_elements(kernel: &Kernel) -> bool {
    let is_large = |stride: u64| stride > MAX_LOADED && !stride.is_multiple_of(MAX_LOADED);
    kernel.insts.iter().any(|(_, inst)| {
        matches!(&inst.op, Op::Index { stride, .. } if stride.known().is_some_and(is_large))
    })
}

fn coarsen(kernel: &mut Kernel, axis: Axis, fallbacks: &mut HashSet<InstId>) -> Option<()> {
    let original = std::mem::take(&mut kernel.body);
    let mut edit = Edit { kernel, list: Vec::new() };
    let factor = edit.builtin(Builtin::CoarseningFactor);
    let (grid, first) =
        (edit.builtin(Builtin::GridDim(axis)), edit.builtin(Builtin::BlockIdx(axis)));
    let left = edit.binary(BinaryOp::Sub, grid, first);
    let blocks = edit.binary(BinaryOp::Min, factor, left);
    let [zero, one] = [0, 1].map(|bits| edit.constant(Scalar::U32, bits));
    let some = edit.constant(Scalar::U32, 0);
    let side_by_side = edit.inst(Op::Block { body: Body::default() }, Ty::Unit);
    let threads = edit.threads([zero, blocks, one]);
    edit.list.push(threads);
    let template = edit.threads([zero, some, one]);
    kernel.body = Body(std::mem::take(&mut edit.list));

    let body = OneByOne { kernel, axis, threads }.rewrite(original);
    let mut copy = copy_body(kernel, &body, &mut HashMap::from([(threads, template)]));
    let size = without_fallbacks(kernel, &mut copy, side_by_side, &body, fallbacks);
    let (factor, _) = FACTORS.into_iter().find(|&(_, most)| size <= most)?;
    kernel.insts[some].op = Op::Const(factor.into());
    set_body(kernel, threads, body);
    set_body(kernel, template, copy);
    set_body(kernel, side_by_side, Body(vec![template]));
    let old = kernel.renumber();
    let new: HashMap<InstId, InstId> = old.iter().copied().zip(kernel.insts.ids()).collect();
    let [side_by_side, threads, template, blocks] =
        [side_by_side, threads, template, blocks].map(|id| new[&id]);
    *fallbacks = fallbacks.iter().filter_map(|id| new.get(id).copied()).collect();
    fallbacks.insert(threads);

    let omitted = OmittedChecks::of(kernel, template);
    let mut body = kernel.insts[template].op.bodies_mut().next().map(std::mem::take)?;
    let merged_threads = Threads { axis, factor, blocks, side_by_side, template };
    lift_checks(kernel, &merged_threads, &omitted, &mut body);
    let (variance, fits) = Variance::of(kernel, &merged_threads, &omitted, &body);
    if !fits || variance.loads_what_is_stored && variance.own_loads > MAX_LOADS_IN_PLACE {
        return None;
    }
    let merged = merge(kernel, &merged_threads, &variance, &omitted, &body)?;
    set_body(kernel, side_by_side, merged);
    kernel.coarsening = Some(Coarsening { grid: CoarseGrid { axis, factor }, threads });
    Some(())
}

fn set_body(kernel: &mut Kernel, of: InstId, body: Body) {
    if let Some(inner) = kernel.insts[of].op.bodies_mut().next() {
        *inner = body;
    }
}

/// The threads that are merged.
struct Threads {
    /// The axis along which their blocks are neighbours.
    axis: Axis,
    /// Their number.
    factor: u32,
    /// The number of blocks that are left.
    blocks: InstId,
    /// The block around them, which they leave for the loop.
    side_by_side: InstId,
    /// A loop over them, whose body is merged.
    template: InstId,
}

/// Has the `template`, a copy of `original`, leave `side_by_side` for the second versions of loops.
/// Returns how many instructions are left.
fn without_fallbacks(
    kernel: &mut Kernel,
    template: &mut Body,
    side_by_side: InstId,
    original: &Body,
    fallbacks: &HashSet<InstId>,
) -> usize {
    let mut size = 0;
    let mut kept = Vec::with_capacity(template.0.len());
    for (&id, &old) in template.0.iter().zip(&original.0) {
        let [mut op, old_op] = [id, old].map(|id| kernel.insts[id].op.clone());
        if let (Op::If { cond, then, .. }, Op::If { then: old_then, other: old_other, .. }) =
            (&mut op, &old_op)
            && let [only] = *old_other.0
            && fallbacks.contains(&only)
        {
            let leave = inst(kernel, Op::Break(side_by_side), Ty::Unit, id);
            let mut then = std::mem::take(then);
            size += 1 + without_fallbacks(kernel, &mut then, side_by_side, old_then, fallbacks);
            let (cond, other) = (*cond, Body(vec![leave]));
            kernel.insts[id].op = Op::If { cond, then: Body::default(), other };
            kept.push(id);
            kept.extend(then.0);
            continue;
        }
        size += usize::from(!matches!(op, Op::Const(_)));
        for (inner, old) in op.bodies_mut().zip(old_op.bodies()) {
            size += without_fallbacks(kernel, inner, side_by_side, old, fallbacks);
        }
        kernel.insts[id].op = op;
        kept.push(id);
    }
    template.0 = kept;
    size
}

/// Adds an instruction that stands for the same source as `like`.
fn inst(kernel: &mut Kernel, op: Op, ty: Ty, like: InstId) -> InstId {
    let span = kernel.insts[like].span;
    kernel.insts.push(Inst { op, ty, span })
}

/// Appends instructions to a list.
struct Edit<'k> {
    kernel: &'k mut Kernel,
    list: Vec<InstId>,
}

impl Edit<'_> {
    fn inst(&mut self, op: Op, ty: Ty) -> InstId {
        let id = self.kernel.insts.push(Inst { op, ty, span: Span::KERNEL });
        self.list.push(id);
        id
    }

    fn builtin(&mut self, builtin: Builtin) -> InstId {
        self.inst(Op::Builtin(builtin), Scalar::U32.into())
    }

    fn constant(&mut self, scalar: Scalar, bits: u64) -> InstId {
        self.inst(Op::Const(bits), scalar.into())
    }

    /// Makes an empty loop over threads, which is in no list.
    fn threads(&mut self, [start, end, step]: [InstId; 3]) -> InstId {
        let op = Op::For { start, end, step, inclusive: false, body: Body::default() };
        self.kernel.insts.push(Inst { op, ty: Scalar::U32.into(), span: Span::KERNEL })
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: InstId) -> InstId {
        let ty = self.kernel.insts[lhs].ty;
        self.inst(Op::Binary { op, lhs, rhs }, ty)
    }

    fn compare(&mut self, op: CompareOp, lhs: InstId, rhs: InstId) -> InstId {
        self.inst(Op::Compare { op, lhs, rhs }, Scalar::Bool.into())
    }

    /// The threads of a block along `axis`.
    fn block_dim(&mut self, axis: Axis, scalar: Scalar) -> InstId {
        let declared = self.kernel.block.as_ref().and_then(|block| block[axis as usize].known());
        match declared {
            Some(threads) => self.constant(scalar, threads),
            None => self.inst(Op::Builtin(Builtin::BlockDim(axis)), scalar.into()),
        }
    }
}

/// True if `builtin` is another one in the next block along `axis`.
fn differs_between_blocks(builtin: Builtin, axis: Axis) -> bool {
    matches!(builtin, Builtin::GlobalIdx(of) | Builtin::BlockIdx(of) if of == axis)
}

/// The body as it was, for the block that the loop `threads` counts.
struct OneByOne<'k> {
    kernel: &'k mut Kernel,
    axis: Axis,
    threads: InstId,
}

impl OneByOne<'_> {
    fn rewrite(&mut self, body: Body) -> Body {
        let mut list = Vec::with_capacity(body.0.len());
        for id in body.0 {
            match self.kernel.insts[id].op {
                Op::Return => self.kernel.insts[id].op = Op::Continue(self.threads),
                Op::Builtin(builtin) if differs_between_blocks(builtin, self.axis) => {
                    self.move_builtin(id, builtin, &mut list);
                }
                _ if self.kernel.insts[id].op.is_leaf() => {}
                _ => {
                    // Taken out while its bodies are walked.
                    let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
                    for inner in op.bodies_mut() {
                        *inner = self.rewrite(std::mem::take(inner));
                    }
                    self.kernel.insts[id].op = op;
                }
            }
            list.push(id);
        }
        Body(list)
    }

    /// Makes `id`, an index of the first block, that of the block which the loop is at.
    fn move_builtin(&mut self, id: InstId, builtin: Builtin, list: &mut Vec<InstId>) {
        let Ty::Scalar(scalar) = self.kernel.insts[id].ty else { return };
        let mut edit = Edit { kernel: self.kernel, list: std::mem::take(list) };
        let further = match scalar {
            Scalar::U32 => self.threads,
            _ => edit.inst(Op::Cast { value: self.threads }, scalar.into()),
        };
        let lhs = edit.inst(Op::Builtin(builtin), scalar.into());
        let rhs = if let Builtin::GlobalIdx(_) = builtin {
            let threads = edit.block_dim(self.axis, scalar);
            edit.binary(BinaryOp::Mul, further, threads)
        } else {
            further
        };
        *list = edit.list;
        self.kernel.insts[id].op = Op::Binary { op: BinaryOp::Add, lhs, rhs };
    }
}
