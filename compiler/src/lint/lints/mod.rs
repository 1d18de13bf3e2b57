//! The lints, each in a file with its name.
pub(super) mod aos_accesses;
pub(super) mod atomic_mixing;
pub(super) mod bank_conflicts;
pub(super) mod barriers_after_divergent_returns;
pub(super) mod barriers_in_divergent_flow;
pub(super) mod barriers_in_divergent_loops;
pub(super) mod block_races;
pub(super) mod constant_candidates;
pub(super) mod contended_atomics;
pub(super) mod divergent_branches;
pub(super) mod divergent_constant_reads;
pub(super) mod divergent_loops;
pub(super) mod divergent_matches;
pub(super) mod global_races;
pub(super) mod inactive_lane_shuffles;
pub(super) mod index_overflows;
pub(super) mod local_arrays;
pub(super) mod low_occupancy;
pub(super) mod misaligned_accesses;
pub(super) mod mismatched_barriers;
pub(super) mod missing_barriers;
pub(super) mod missing_cluster_syncs;
pub(super) mod missing_fences;
pub(super) mod missing_warp_syncs;
pub(super) mod moderate_occupancy;
pub(super) mod negative_indices;
pub(super) mod nonatomic_updates;
pub(super) mod out_of_bounds_shared;
pub(super) mod partial_warps;
pub(super) mod redundant_barriers;
pub(super) mod same_value_races;
pub(super) mod serial_sections;
pub(super) mod shared_write_races;
pub(super) mod skipped_barriers;
pub(super) mod small_grids;
pub(super) mod swapped_axes;
pub(super) mod tail_waves;
pub(super) mod texture_candidates;
pub(super) mod tiny_launches;
pub(super) mod uncoalesced_accesses;
pub(super) mod unguarded_indices;
pub(super) mod uninit_shared_reads;
pub(super) mod unknown_block_shape;
pub(super) mod unlaunchable_kernels;
pub(super) mod unused_shared;
pub(super) mod unwaited_copies;
pub(super) mod vector_bank_conflicts;
pub(super) mod warp_mask_mismatches;

use super::Lint;

/// All lints, by name.
pub static LINTS: &[Lint] = &[
    aos_accesses::LINT,
    atomic_mixing::LINT,
    bank_conflicts::LINT,
    barriers_after_divergent_returns::LINT,
    barriers_in_divergent_flow::LINT,
    barriers_in_divergent_loops::LINT,
    block_races::LINT,
    constant_candidates::LINT,
    contended_atomics::LINT,
    divergent_branches::LINT,
    divergent_constant_reads::LINT,
    divergent_loops::LINT,
    divergent_matches::LINT,
    global_races::LINT,
    inactive_lane_shuffles::LINT,
    index_overflows::LINT,
    local_arrays::LINT,
    low_occupancy::LINT,
    misaligned_accesses::LINT,
    mismatched_barriers::LINT,
    missing_barriers::LINT,
    missing_cluster_syncs::LINT,
    missing_fences::LINT,
    missing_warp_syncs::LINT,
    moderate_occupancy::LINT,
    negative_indices::LINT,
    nonatomic_updates::LINT,
    out_of_bounds_shared::LINT,
    partial_warps::LINT,
    redundant_barriers::LINT,
    same_value_races::LINT,
    serial_sections::LINT,
    shared_write_races::LINT,
    skipped_barriers::LINT,
    small_grids::LINT,
    swapped_axes::LINT,
    tail_waves::LINT,
    texture_candidates::LINT,
    tiny_launches::LINT,
    uncoalesced_accesses::LINT,
    unguarded_indices::LINT,
    uninit_shared_reads::LINT,
    unknown_block_shape::LINT,
    unlaunchable_kernels::LINT,
    unused_shared::LINT,
    unwaited_copies::LINT,
    vector_bank_conflicts::LINT,
    warp_mask_mismatches::LINT,
];
