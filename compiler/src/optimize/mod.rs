//! Passes: rewrite the IR, never speak to the user. The order is the text of
//! `optimize_single_loops` and `repeat_bodies`.
//!
//! A pass is one file, which says what it does and why it exists. What all of them keep:
//!
//! - Every bit that a kernel computes, except sign and payload of a computed NaN.
//! - Which threads fault, and at which check first.
//! - How often, and in which order, a thread accesses memory that others may write. Only a plain
//!   load that nothing uses is dropped, and where a check fails, loads just before it.
//! - Where threads meet.
//!
//! Passes rely on operands having lower ids than their users, as
//! [`Kernel::renumber`] leaves them.
//!
//! The effect of each pass, in the number of instructions that `ptxas` 13.0 generates for sm_90
//! from five kernels (a histogram in shared memory, a reduction, indices divided by the width of a
//! padded tile, a tiled matrix product, a stencil) with one pass left out at a time:
//!
//! | without | histogram | reduce | divide | matmul | stencil |
//! |---|---|---|---|---|---|
//! | (nothing) | 176 | 144 | 288 | 464 | 336 |
//! | `forward_locals` | 280 | 248 | 352 | 464 | 336 |
//! | `fold_constants` | 176 | 144 | 288 | 584 | 344 |
//! | `fold_ranges` | 248 | 144 | 496 | 464 | 336 |
//! | `eliminate_common_subexpressions` | 288 | 248 | 288 | 464 | 336 |
//! | `eliminate_checks` | 288 | 248 | 288 | 464 | 336 |
//! | `narrow_indices` | 176 | 144 | 336 | 464 | 336 |
//!
//! `simplify_control` and `eliminate_dead_code` change none of these: they serve the other passes,
//! and keep the text short that `ptxas` and the interpreter get. `hoist_tables`,
//! `unroll_constant_loops` and `promote_arrays` are for kernels that have arrays of each thread's
//! own, which these have not: without them, arrays that loops index stay in local memory, in
//! SHA-256 688 bytes a thread instead of none, and in BLAKE2b, whose rounds copy rows of a table,
//! 128.
//!
//! `select_values` and `unroll_loops` change none of these either, whose branches decide about
//! memory and whose loops run a known number of times, or load nothing between barriers: they are
//! for what computes.
//!
//! `hoist_checks` changes none of them by more than 5: it is for what waits for memory. Loads that
//! a thread has in flight before it waits, in a stencil of 7 points 2, 1, 1, 1, 1, 1, 1 without it
//! and 7 with it (25 and 28 registers), in one of 5 points 2, 1, 1 and 4 (20 and 20), in a matrix
//! product without tiles 2, 2, 2, 2 a round and 8 (31 and 42).
//!
//! `hoist_loads` is for loads behind branches, which special cases of mathematical functions are.
//! It runs for GPUs only, where such loops are unrolled: each thread of a softmax has four loads in
//! flight instead of one where it computes exponentials.
//!
//! `version_loops` and `combine_checks` run for GPUs only ([`optimize_for_gpu`]): they repeat code,
//! and what repeats stands for the same places of the source. The interpreter, whose checks cost
//! little, runs each loop as it is written, and lints and `explain` judge that. Instructions a unit
//! of work in the hot loop, without and with both passes, by LLVM: a matrix product without tiles
//! 27.8 and 5.3, a convolution 33.6 and 7.1, a matrix times a vector 25.5 and 3.7, a softmax 25.8
//! and 2.4, sparse rows 33.2 and 15.8, a stencil without loops 22.2 and 18.5. Tests of wide indices
//! in halves save 2 instructions of 14 for an element of a sparse matrix times a dense one, and 17 %
//! of the time of a demosaicing with mirrored borders.
//!
//! `pack_loads` is for words of narrow elements, which fragments of matrices are: a product of
//! tiles in shared memory takes 32 loads instead of 64.
//!
//! `reduce_remainders` and `hoist_common_expressions` run for GPUs only: proofs know remainders
//! better than selected values, and lints speak of branches as they are written. With both, eight
//! neighbours on a torus take 211 instructions by LLVM instead of 1323.
//!
//! `hoist_common_addresses`, in the same file, is for arms that stand next to each other once loops
//! are unrolled: pooling of 3x3 pixels takes 106 us by LLVM on an H200 instead of 118. Coarsened
//! kernels are left out: a step of heat conduction took 106 us by the built-in back end instead of
//! 99.
//!
//! So do `narrow_loops` and `carry_remainders`. By LLVM, a dot product whose threads stride over
//! the grid takes 3.8 instructions a load instead of 7.9, and a step of sequence alignment, in
//! three buffers that take turns, 40 instead of 72.
//!
//! `unroll_by_divisors` and `unroll_short_loops` run for GPUs only, since they repeat code. The
//! first leaves 21 instructions of a step of that alignment. With the second, the four rows of a
//! tile that a thread transposes are loaded at once, by LLVM as well.
//!
//! `structure_continues` is for GPUs, and for loops that continue early: a search by backtracking,
//! in a loop with a stack, has one way back to its start instead of two.
//!
//! `divide_by_powers` is for GPUs as well: a step of a bitonic sort takes 10.0 instructions an
//! access to shared memory by the built-in back end instead of 22.5.
//!
//! `coarsen_threads` gives each thread the work of four or two, in a second kernel for large
//! launches on GPUs ([`optimize_and_coarsen`]): a copy takes 129 us instead of 201 on an H200, a
//! sum of vectors 186 instead of 236, a stencil of 5 points 158 instead of 250, one of 7 points 405
//! instead of 530, a naive matrix product 2520 instead of 3674.
//!
//! In loops whose indices are loaded, `unroll_loops` puts the loads of four rounds ahead of their
//! checks, so that `combine_checks` finds these together: a round of a sparse matrix product waits
//! for memory twice for four elements instead of for each.
//!
//! `split_quotients` changes none of them either. It is for threads that load a tile together in
//! several rounds: with it, a matrix product by tiles of 128x128 takes 128 registers by LLVM
//! instead of 151, so that two blocks of 256 threads fit instead of one.
//!
//! `linearize_indices` changes none of them, whose indices have two dimensions: a convolution of
//! 3x3 over the channels of images takes 7.9 instructions a tap by LLVM instead of 10.5, and 626 us
//! instead of 800 on an H200.
//!
//! `narrow_casts` is for indices that are made of floats: a warp of an image by a homography takes
//! 118 us by LLVM on an H200 instead of 128, and filtered back-projection 371 us instead of 406.
//!
//! `count_from_zero` is for loops over the rows and columns of a small square that begins at a
//! varying one: the conversion of 2x2 pixels to brightness and colour takes 110 instructions by
//! LLVM instead of 302.
//!
//! `recompute_after_loops` changes none of them, which have no long row of indices: in attention,
//! whose threads read and write rows of 64 numbers, it saves 92 of 255 registers.
//!
//! Left to `ptxas`: moving invariants out of loops. Strength reduction of addresses is LLVM's and
//! the built-in back end's.
mod carry_remainders;
mod choose_fallbacks;
mod coarsen_threads;
mod combine_checks;
mod constant_sum;
mod copy;
mod count_from_zero;
mod count_loops;
mod divide_by_powers;
mod eliminate_checks;
mod eliminate_common_subexpressions;
mod eliminate_dead_code;
mod fold_constants;
mod fold_ranges;
mod forward_locals;
mod hoist_checks;
mod hoist_common_expressions;
mod hoist_loads;
mod hoist_tables;
mod linearize_indices;
mod loop_contents;
mod narrow_casts;
mod narrow_indices;
mod narrow_loops;
mod pack_loads;
mod promote_arrays;
mod recompute_after_loops;
mod reduce_remainders;
mod replace;
mod select_values;
mod simplify_control;
mod split_quotients;
mod structure_continues;
mod unroll_by_divisors;
mod unroll_constant_loops;
mod unroll_loops;
mod unroll_short_loops;
mod version_loops;

use crate::{
    analysis::checks,
    contract::Contract,
    id::{Facts, Id},
    ir::{Body, InstId, Kernel},
};
use carry_remainders::carry_remainders;
pub(crate) use choose_fallbacks::drop_fallbacks;
pub use choose_fallbacks::keep_fallbacks;
use coarsen_threads::coarsen_threads;
use combine_checks::combine_checks;
use count_from_zero::count_from_zero;
use count_loops::count_loops;
use divide_by_powers::divide_by_powers;
use eliminate_checks::eliminate_checks;
use eliminate_common_subexpressions::eliminate_common_subexpressions;
use eliminate_dead_code::eliminate_dead_code;
use fold_constants::fold_constants;
use fold_ranges::fold_ranges;
use forward_locals::forward_locals;
use hoist_checks::hoist_checks;
use hoist_common_expressions::{hoist_common_addresses, hoist_common_expressions};
use hoist_loads::hoist_loads;
use hoist_tables::hoist_tables;
use linearize_indices::linearize_indices;
use narrow_casts::narrow_casts;
use narrow_indices::narrow_indices;
use narrow_loops::narrow_loops;
use pack_loads::pack_loads;
use promote_arrays::{drop_arrays, promote_arrays, promote_constant_arrays};
use recompute_after_loops::recompute_after_loops;
use reduce_remainders::reduce_remainders;
use select_values::select_values;
use simplify_control::simplify_control;
use split_quotients::split_quotients;
use std::collections::HashSet;
use structure_continues::structure_continues;
use unroll_by_divisors::unroll_by_divisors;
use unroll_constant_loops::unroll_constant_loops;
use unroll_loops::unroll_loops;
use unroll_short_loops::{Limits, unroll_short_loops};
use version_loops::version_loops;

/// Makes `kernel` (specialized and verified) faster without changing a bit of what it computes.
///
/// The interpreter runs this, and lints judge it: each loop is there once, with the checks that may
/// fail.
pub fn optimize(kernel: Kernel) -> Kernel {
    optimize_for(Engine::Interpreter, kernel)
}

/// Does the same as [`optimize`] for back ends: loops whose checks can be decided before them have
/// a version without these.
pub fn optimize_for_gpu(mut kernel: Kernel) -> Kernel {
    drop_fallbacks(&mut kernel);
    optimize_for(Engine::Gpu, kernel)
}

/// Unrolls the loops of a few iterations in `kernel`, which is optimized for a GPU, that back ends
/// leave to LLVM and `ptxas`: for counts of the machine code.
pub fn unroll_as_back_ends_do(mut kernel: Kernel) -> Kernel {
    // A loop is unrolled after those inside it.
    while unroll_short_loops(&mut kernel, &Limits::UNROLLED_BY_BACK_ENDS, &HashSet::new()) {
        kernel.renumber();
        fold_constants(&mut kernel);
        kernel.renumber();
        forward_locals(&mut kernel);
        eliminate_common_subexpressions(&mut kernel);
        eliminate_dead_code(&mut kernel);
        kernel.renumber();
        hoist_loads(&mut kernel);
        kernel.renumber();
        pack_loads(&mut kernel);
        eliminate_dead_code(&mut kernel);
        kernel.renumber();
    }
    kernel
}

/// Optimizes `kernel` as [`optimize_for_gpu`] does, and once more with
/// [coarsened](crate::ir::Coarsening) threads where that pays. The passes before coarsening run
/// once for both.
pub fn optimize_and_coarsen(kernel: Kernel) -> GpuKernels {
    optimize_codes(kernel, |_| None)
}

/// Optimizes `kernel` as [`optimize_and_coarsen`] does, or, if launches can be expected to fulfil a
/// [`Contract`] that makes some checks superfluous, as [`optimize_for_gpu`] does and once more, with
/// coarsened threads where that pays, for launches that fulfil it. The passes before checks are
/// judged run once for all.
pub fn optimize_for_launches(kernel: Kernel) -> GpuKernels {
    optimize_codes(kernel, Contract::expected)
}

/// Optimizes `kernel`, given the contract that its launches can be expected to fulfil.
fn optimize_codes(
    mut kernel: Kernel,
    expected: impl FnOnce(&Kernel) -> Option<Contract>,
) -> GpuKernels {
    if kernel.coarsening.is_some() {
        return GpuKernels { plain: kernel, assumed: None, coarsened: None };
    }
    drop_fallbacks(&mut kernel);
    prepare_checks(Engine::Gpu, &mut kernel);
    let proved = checks::proved_checks(&kernel);
    if let Some(contract) = expected(&kernel) {
        let assumed = contract.assume(kernel.clone());
        let more_proved = checks::proved_checks(&assumed);
        let is_new = |id: InstId| more_proved[id] && !proved[id];
        if kernel.insts.ids().any(is_new) {
            let plain = finish(Engine::Gpu, kernel, &proved);
            let (assumed, coarsened) = coarsen(assumed, &more_proved);
            return GpuKernels { plain, assumed: Some((contract, assumed)), coarsened };
        }
    }
    let (plain, coarsened) = coarsen(kernel, &proved);
    GpuKernels { plain, assumed: None, coarsened }
}

/// Finishes a kernel whose checks are judged, and once more with coarsened threads where that pays.
fn coarsen(mut kernel: Kernel, proved: &Facts<InstId, bool>) -> (Kernel, Option<Kernel>) {
    let fallbacks = optimize_single_loops(Engine::Gpu, &mut kernel, proved);
    let coarsened = coarsen_threads(&kernel, &fallbacks).map(|(mut coarse, mut fallbacks)| {
        fallbacks = renumber(&mut coarse, &fallbacks);
        repeat_bodies(Engine::Gpu, coarse, fallbacks)
    });
    (repeat_bodies(Engine::Gpu, kernel, fallbacks), coarsened)
}

/// The optimized codes of a kernel for a GPU.
#[derive(Clone, Debug)]
pub struct GpuKernels {
    /// The kernel as [`optimize_for_gpu`] makes it, for every launch.
    pub plain: Kernel,
    /// The kernel for launches that fulfil a contract, if that pays.
    pub assumed: Option<(Contract, Kernel)>,
    /// The kernel with [coarsened](crate::ir::Coarsening) threads, if that pays, for launches that
    /// [suit it](crate::ir::CoarseGrid::suits) and fulfil the contract.
    pub coarsened: Option<Kernel>,
}

impl GpuKernels {
    /// Iterates over all of them.
    pub fn iter(&self) -> impl Iterator<Item = &Kernel> {
        let assumed = self.assumed.iter().map(|(_, kernel)| kernel);
        std::iter::once(&self.plain).chain(assumed).chain(&self.coarsened)
    }
}

/// An engine that runs the optimized kernel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    Interpreter,
    Gpu,
}

fn optimize_for(engine: Engine, mut kernel: Kernel) -> Kernel {
    if kernel.coarsening.is_some() {
        // It has been through this, and passes must not make two of the loop over its threads.
        return kernel;
    }
    prepare_checks(engine, &mut kernel);
    let proved = checks::proved_checks(&kernel);
    finish(engine, kernel, &proved)
}

/// Runs the passes up to where checks are judged.
fn prepare_checks(engine: Engine, kernel: &mut Kernel) {
    before_checks(kernel);
    if engine == Engine::Gpu {
        structure_continues(kernel);
        kernel.renumber();
        if count_loops(kernel) {
            kernel.renumber();
            forward_locals(kernel);
            eliminate_common_subexpressions(kernel);
        }
        if count_from_zero(kernel) {
            kernel.renumber();
            eliminate_common_subexpressions(kernel);
        }
    }
}

/// Runs the passes behind [`prepare_checks`], given the checks that are `proved`.
fn finish(engine: Engine, mut kernel: Kernel, proved: &Facts<InstId, bool>) -> Kernel {
    let fallbacks = optimize_single_loops(engine, &mut kernel, proved);
    repeat_bodies(engine, kernel, fallbacks)
}

/// Runs the passes behind [`prepare_checks`] and before those that repeat the bodies of loops.
/// Returns the second [versions](mod@version_loops) of loops.
fn optimize_single_loops(
    engine: Engine,
    kernel: &mut Kernel,
    proved: &Facts<InstId, bool>,
) -> HashSet<InstId> {
    eliminate_checks(kernel, proved);
    eliminate_dead_code(kernel);
    kernel.renumber();
    if engine == Engine::Gpu {
        // After proofs, which know remainders better than selected values.
        reduce_remainders(kernel);
        kernel.renumber();
        // Likewise: proofs bound a quotient better than the sum of two.
        split_quotients(kernel);
        kernel.renumber();
        // What only one arm needs is then computed in place.
        hoist_common_expressions(kernel);
        kernel.renumber();
    }
    narrow_indices(kernel);
    kernel.renumber();
    // Narrowing leaves casts of casts, and constants twice.
    fold_constants(kernel);
    eliminate_common_subexpressions(kernel);
    eliminate_dead_code(kernel);
    drop_arrays(kernel);
    // Behind what learns from branches.
    select_values(kernel);
    kernel.renumber();
    forward_locals(kernel);
    eliminate_dead_code(kernel);
    if engine == Engine::Interpreter {
        return HashSet::new();
    }
    kernel.renumber();
    // Ahead of what unrolls, so that only the version without checks is unrolled.
    let mut fallbacks = version_loops(kernel);
    fallbacks = renumber(kernel, &fallbacks);
    if narrow_loops(kernel, &mut fallbacks) {
        fallbacks = renumber(kernel, &fallbacks);
        narrow_indices(kernel);
        fallbacks = renumber(kernel, &fallbacks);
        fold_constants(kernel);
        eliminate_common_subexpressions(kernel);
        eliminate_dead_code(kernel);
        fallbacks = renumber(kernel, &fallbacks);
    }
    fallbacks
}

/// Runs the passes that repeat the bodies of loops, and what cleans up after them.
fn repeat_bodies(engine: Engine, mut kernel: Kernel, mut fallbacks: HashSet<InstId>) -> Kernel {
    if engine == Engine::Gpu {
        let by_divisors = unroll_by_divisors(&mut kernel, &mut fallbacks);
        fallbacks = renumber(&mut kernel, &fallbacks);
        // After that, which leaves loops with remainders behind.
        carry_remainders(&mut kernel);
        divide_by_powers(&mut kernel);
        if unroll_short_loops(&mut kernel, &Limits::GUARDED, &fallbacks) || by_divisors {
            fallbacks = renumber(&mut kernel, &fallbacks);
            // Counters and remainders have become constants.
            fold_constants(&mut kernel);
        }
        fallbacks = renumber(&mut kernel, &fallbacks);
        // Before loops are unrolled, so that all rounds advance one variable.
        if linearize_indices(&mut kernel) {
            fallbacks = renumber(&mut kernel, &fallbacks);
        }
    }
    // Last, since it makes more of what the others would go through.
    unroll_loops(&mut kernel, &fallbacks, engine == Engine::Gpu);
    kernel.renumber();
    forward_locals(&mut kernel);
    if engine == Engine::Gpu && kernel.coarsening.is_none() {
        eliminate_common_subexpressions(&mut kernel);
        kernel.renumber();
        // The rounds of loops stand next to each other now.
        hoist_common_addresses(&mut kernel);
        kernel.renumber();
    }
    eliminate_common_subexpressions(&mut kernel);
    eliminate_dead_code(&mut kernel);
    // After what unrolls, so that the checks of all rounds stand before the first load.
    hoist_checks(&mut kernel);
    kernel.renumber();
    if engine == Engine::Gpu {
        // After what puts checks next to each other.
        combine_checks(&mut kernel);
        kernel.renumber();
        // After what looks for checks, some of which become branches.
        if narrow_casts(&mut kernel) {
            eliminate_dead_code(&mut kernel);
            kernel.renumber();
        }
        hoist_loads(&mut kernel);
        kernel.renumber();
        // After what moves checks out from between loads.
        pack_loads(&mut kernel);
        eliminate_dead_code(&mut kernel);
        kernel.renumber();
    }
    // After all that eliminates common subexpressions.
    recompute_after_loops(&mut kernel);
    eliminate_dead_code(&mut kernel);
    kernel.renumber();
    kernel
}

/// Renumbers `kernel`, and returns the new numbers of `ids`.
fn renumber(kernel: &mut Kernel, ids: &HashSet<InstId>) -> HashSet<InstId> {
    let order = kernel.renumber();
    let is_one = |(_, old): &(usize, &InstId)| ids.contains(old);
    order.iter().enumerate().filter(is_one).map(|(new, _)| InstId::new(new)).collect()
}

/// The passes up to where checks are judged, for whoever wants to know the judgement.
pub(crate) fn before_checks(kernel: &mut Kernel) {
    // Take apart what the front end wraps values in.
    simplify_control(kernel);
    forward_locals(kernel);
    fold_constants(kernel);
    fold_ranges(kernel);
    // Arms that never run would count against the limits of unrolling.
    simplify_control(kernel);
    // Before loops are unrolled, which would repeat what fills tables.
    hoist_tables(kernel);
    kernel.renumber();
    if unroll_constant_loops(kernel) {
        kernel.renumber();
        promote_constant_arrays(kernel);
        // What arrays held decides branches, and those decide what other variables hold.
        for _ in 0..2 {
            forward_locals(kernel);
            fold_constants(kernel);
            simplify_control(kernel);
        }
        fold_ranges(kernel);
    }
    // What is accessed by constants only needs no memory, nor do a few elements.
    promote_arrays(kernel);
    simplify_control(kernel);
    forward_locals(kernel);
    // What is the same gets the same id, so that checks find their guards.
    eliminate_common_subexpressions(kernel);
}

/// Drops the instructions that are `dropped`, with what is inside them.
fn drop_insts(kernel: &mut Kernel, dropped: &Facts<InstId, bool>) {
    let keep = |Body(list): &mut Body| {
        let ids = list.as_mut_slice();
        let (mut at, mut kept) = (0, 0);
        while at < ids.len() {
            let id = ids[at];
            if !dropped[id] {
                ids[kept] = id;
                kept += 1;
            }
            at += 1;
        }
        list.truncate(kept);
    };
    keep(&mut kernel.body);
    for inst in kernel.insts.iter_mut() {
        if !inst.op.is_leaf() {
            inst.op.bodies_mut().for_each(keep);
        }
    }
}
