//! The rows of the dictionary.
use super::{Measured, Metric, Predicted, Reading, Unit};
use warpwise_simt::{Counts, Sectors, Wavefronts};

/// A note on values that depend on time or caches.
const MODELLED: &str = "only a time model has it";
/// A field of [`Predicted`], for the columns of such rows.
const BY_MODEL: &str = "`Predicted`, by a time model";

/// Every metric that textbooks and courses on CUDA use, grouped by subject.
///
/// ```
/// use warpwise::counters::metrics::{METRICS, find};
///
/// let found = find("gld_efficiency").expect("nvprof has it");
/// assert!(METRICS.iter().any(|metric| metric.title == found.title));
/// ```
pub const METRICS: &[Metric] = &[
    // Instructions and threads.
    Metric {
        names: &["inst_executed", "smsp__inst_executed.sum"],
        title: "instructions, counted once per warp",
        unit: Unit::Count,
        field: "`warp_instructions`",
        formula: "warp_instructions",
        difference: "instructions of the IR, of which `ptxas` makes more or fewer",
        read: |m| count(m.counts.warp_instructions),
    },
    Metric {
        names: &["inst_per_warp", "smsp__average_inst_executed_per_warp.ratio"],
        title: "instructions of a warp",
        unit: Unit::Ratio,
        field: "`warp_instructions` over the warps of the grid",
        formula: "warp_instructions / warps",
        difference: "instructions of the IR, of which `ptxas` makes more or fewer",
        read: |m| ratio(m.counts.warp_instructions, m.warps(), "no warps"),
    },
    Metric {
        names: &["thread_inst_executed", "smsp__thread_inst_executed.sum"],
        title: "instructions, counted once per active thread",
        unit: Unit::Count,
        field: "`thread_instructions`",
        formula: "thread_instructions",
        difference: "lanes that a predicate turns off are not counted, as in `smsp__thread_inst_executed_pred_on.sum`",
        read: |m| count(m.counts.thread_instructions),
    },
    Metric {
        names: &[
            "warp_execution_efficiency",
            "warp_nonpred_execution_efficiency",
            "smsp__thread_inst_executed_per_inst_executed.pct",
            "smsp__thread_inst_executed_pred_on_per_inst_executed.pct",
        ],
        title: "active threads of an instruction, of 32",
        unit: Unit::Percent,
        field: "`warp_execution_efficiency()`",
        formula: "thread_instructions / (32 * warp_instructions)",
        difference: "lanes that a predicate turns off count as inactive: nearest to the `nonpred` and `pred_on` metrics",
        read: |m| {
            let Counts { warp_instructions, thread_instructions, .. } = *m.counts;
            ratio(thread_instructions, 32 * warp_instructions, "no instructions")
        },
    },
    Metric {
        names: &[
            "smsp__thread_inst_executed_per_inst_executed.ratio",
            "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio",
        ],
        title: "active threads of an instruction",
        unit: Unit::Ratio,
        field: "`active_threads()`",
        formula: "thread_instructions / warp_instructions",
        difference: "lanes that a predicate turns off count as inactive: nearest to the `pred_on` metric",
        read: |m| {
            let Counts { warp_instructions, thread_instructions, .. } = *m.counts;
            ratio(thread_instructions, warp_instructions, "no instructions")
        },
    },
    Metric {
        names: &["flop_count_hp", "smsp__sass_thread_inst_executed_ops_hadd_hmul_hfma_pred_on.sum"],
        title: "operations on floats of 16 bits",
        unit: Unit::Count,
        field: "`floats.half`",
        formula: "additions + products + 2 * fused multiply-adds, of active threads",
        difference: "quotients, roots and functions are one operation each, and several in machine code",
        read: |m| count(m.counts.floats.half),
    },
    Metric {
        names: &["flop_count_sp", "smsp__sass_thread_inst_executed_ops_fadd_fmul_ffma_pred_on.sum"],
        title: "operations on floats of 32 bits",
        unit: Unit::Count,
        field: "`floats.single`",
        formula: "additions + products + 2 * fused multiply-adds, of active threads",
        difference: "quotients, roots and functions are one operation each, and several in machine code",
        read: |m| count(m.counts.floats.single),
    },
    Metric {
        names: &["flop_count_dp", "smsp__sass_thread_inst_executed_ops_dadd_dmul_dfma_pred_on.sum"],
        title: "operations on floats of 64 bits",
        unit: Unit::Count,
        field: "`floats.double`",
        formula: "additions + products + 2 * fused multiply-adds, of active threads",
        difference: "quotients and roots are one operation each, and several in machine code",
        read: |m| count(m.counts.floats.double),
    },
    // Branches.
    Metric {
        names: &["branch", "smsp__sass_branch_targets.sum"],
        title: "branches, counted once per warp",
        unit: Unit::Count,
        field: "`branches`",
        formula: "branches",
        difference: "conditional branches only; profilers also count jumps without a condition",
        read: |m| count(m.counts.branches),
    },
    Metric {
        names: &["divergent_branch", "smsp__sass_branch_targets_threads_divergent.sum"],
        title: "branches at which the lanes of a warp diverge",
        unit: Unit::Count,
        field: "`divergent_branches`",
        formula: "divergent_branches",
        difference: "where LLVM makes the PTX, it merges arms that compute the same of different values, so a GPU may have fewer",
        read: |m| count(m.counts.divergent_branches),
    },
    Metric {
        names: &["smsp__sass_branch_targets_threads_uniform.sum"],
        title: "branches at which the lanes of a warp agree",
        unit: Unit::Count,
        field: "`branches` less `divergent_branches`",
        formula: "branches - divergent_branches",
        difference: "conditional branches only; profilers also count jumps without a condition",
        read: |m| count(m.counts.branches - m.counts.divergent_branches),
    },
    Metric {
        names: &["branch_efficiency", "smsp__sass_average_branch_targets_threads_uniform.pct"],
        title: "branches that do not diverge, of all",
        unit: Unit::Percent,
        field: "`branch_efficiency()`",
        formula: "(branches - divergent_branches) / branches; 100 % without branches",
        difference: "profilers show more for code without optimization, because they also count jumps without a condition: \
                     80 % on an H200 where one of one conditional branch diverges",
        read: |m| {
            let note = (m.counts.branches == 0).then_some("no branches");
            Reading { value: Some(m.counts.branch_efficiency()), note, unit: Unit::Percent }
        },
    },
    // Global memory.
    Metric {
        names: &[
            "global_load_requests",
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
            "inst_executed_global_loads",
            "smsp__inst_executed_op_global_ld.sum",
        ],
        title: "loads from global memory, counted once per warp",
        unit: Unit::Count,
        field: "`global_loads.requests`",
        formula: "global_loads.requests",
        difference: "",
        read: |m| count(m.counts.global_loads.requests),
    },
    Metric {
        names: &["gld_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
        title: "sectors of 32 bytes that loads from global memory transfer",
        unit: Unit::Count,
        field: "`global_loads.sectors`",
        formula: "global_loads.sectors",
        difference: "on architectures before 5.0 a transaction was a line of 128 bytes",
        read: |m| count(m.counts.global_loads.sectors),
    },
    Metric {
        names: &[
            "gld_transactions_per_request",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio",
        ],
        title: "sectors of a load from global memory",
        unit: Unit::Ratio,
        field: "`global_loads.sectors` over `global_loads.requests`",
        formula: "global_loads.sectors / global_loads.requests",
        difference: "",
        read: |m| sectors_per_request(m.counts.global_loads),
    },
    Metric {
        names: &["gld_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"],
        title: "bytes of the loaded sectors that are wanted",
        unit: Unit::Percent,
        field: "`global_loads.ideal` over `global_loads.sectors`",
        formula: "global_loads.ideal / global_loads.sectors",
        difference: "a byte that several lanes load counts once here, and for each lane in profilers, whose value may exceed 100 %",
        read: |m| sector_efficiency(m.counts.global_loads),
    },
    Metric {
        names: &[
            "global_store_requests",
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
            "inst_executed_global_stores",
            "smsp__inst_executed_op_global_st.sum",
        ],
        title: "stores to global memory, counted once per warp",
        unit: Unit::Count,
        field: "`global_stores.requests`",
        formula: "global_stores.requests",
        difference: "",
        read: |m| count(m.counts.global_stores.requests),
    },
    Metric {
        names: &["gst_transactions", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"],
        title: "sectors of 32 bytes that stores to global memory transfer",
        unit: Unit::Count,
        field: "`global_stores.sectors`",
        formula: "global_stores.sectors",
        difference: "",
        read: |m| count(m.counts.global_stores.sectors),
    },
    Metric {
        names: &[
            "gst_transactions_per_request",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio",
        ],
        title: "sectors of a store to global memory",
        unit: Unit::Ratio,
        field: "`global_stores.sectors` over `global_stores.requests`",
        formula: "global_stores.sectors / global_stores.requests",
        difference: "",
        read: |m| sectors_per_request(m.counts.global_stores),
    },
    Metric {
        names: &["gst_efficiency", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct"],
        title: "bytes of the stored sectors that are written",
        unit: Unit::Percent,
        field: "`global_stores.ideal` over `global_stores.sectors`",
        formula: "global_stores.ideal / global_stores.sectors",
        difference: "a byte that several lanes store counts once here, and for each lane in profilers, whose value may exceed 100 %",
        read: |m| sector_efficiency(m.counts.global_stores),
    },
    Metric {
        names: &["inst_executed_global_reductions", "smsp__inst_executed_op_global_red.sum"],
        title: "atomic updates of global memory whose result is unused, counted once per warp",
        unit: Unit::Count,
        field: "`global_reductions.requests`",
        formula: "global_reductions.requests",
        difference: "",
        read: |m| count(m.counts.global_reductions.requests),
    },
    Metric {
        names: &["l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"],
        title: "sectors of atomic updates whose result is unused",
        unit: Unit::Count,
        field: "`global_reductions.sectors`",
        formula: "global_reductions.sectors",
        difference: "",
        read: |m| count(m.counts.global_reductions.sectors),
    },
    Metric {
        names: &["l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"],
        title: "sectors of atomic updates whose result is used",
        unit: Unit::Count,
        field: "`global_atomics.sectors`",
        formula: "global_atomics.sectors",
        difference: "counted by the model of updates whose result is unused; not measured",
        read: |m| count(m.counts.global_atomics.sectors),
    },
    // Shared memory.
    Metric {
        names: &["inst_executed_shared_loads", "smsp__inst_executed_op_shared_ld.sum"],
        title: "loads from shared memory, counted once per warp",
        unit: Unit::Count,
        field: "`shared_loads.requests`",
        formula: "shared_loads.requests",
        difference: "",
        read: |m| count(m.counts.shared_loads.requests),
    },
    Metric {
        names: &[
            "shared_load_transactions",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
        ],
        title: "wavefronts of loads from shared memory",
        unit: Unit::Count,
        field: "`shared_loads.wavefronts`",
        formula: "shared_loads.wavefronts",
        difference: "`ptxas` may drop a load whose value it has in a register, or move it into a branch",
        read: |m| count(m.counts.shared_loads.wavefronts),
    },
    Metric {
        names: &["shared_load_transactions_per_request"],
        title: "wavefronts of a load from shared memory",
        unit: Unit::Ratio,
        field: "`shared_loads.wavefronts` over `shared_loads.requests`",
        formula: "shared_loads.wavefronts / shared_loads.requests",
        difference: "1 for 4 bytes a lane without conflicts, up to 2 for 8 bytes and 4 for 16",
        read: |m| wavefronts_per_request(m.counts.shared_loads),
    },
    Metric {
        names: &[
            "shared_ld_bank_conflict",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
        ],
        title: "wavefronts that bank conflicts of loads add",
        unit: Unit::Count,
        field: "`shared_loads.conflicts()`",
        formula: "shared_loads.wavefronts - shared_loads.ideal",
        difference: "",
        read: |m| count(m.counts.shared_loads.conflicts()),
    },
    Metric {
        names: &["inst_executed_shared_stores", "smsp__inst_executed_op_shared_st.sum"],
        title: "stores to shared memory, counted once per warp",
        unit: Unit::Count,
        field: "`shared_stores.requests`",
        formula: "shared_stores.requests",
        difference: "",
        read: |m| count(m.counts.shared_stores.requests),
    },
    Metric {
        names: &[
            "shared_store_transactions",
            "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
        ],
        title: "wavefronts of stores to shared memory",
        unit: Unit::Count,
        field: "`shared_stores.wavefronts`",
        formula: "shared_stores.wavefronts",
        difference: "",
        read: |m| count(m.counts.shared_stores.wavefronts),
    },
    Metric {
        names: &["shared_store_transactions_per_request"],
        title: "wavefronts of a store to shared memory",
        unit: Unit::Ratio,
        field: "`shared_stores.wavefronts` over `shared_stores.requests`",
        formula: "shared_stores.wavefronts / shared_stores.requests",
        difference: "1 for 4 bytes a lane without conflicts, 2 for 8 bytes and 4 for 16",
        read: |m| wavefronts_per_request(m.counts.shared_stores),
    },
    Metric {
        names: &[
            "shared_st_bank_conflict",
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
        ],
        title: "wavefronts that bank conflicts of stores add",
        unit: Unit::Count,
        field: "`shared_stores.conflicts()`",
        formula: "shared_stores.wavefronts - shared_stores.ideal",
        difference: "",
        read: |m| count(m.counts.shared_stores.conflicts()),
    },
    Metric {
        names: &["l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"],
        title: "wavefronts that bank conflicts add",
        unit: Unit::Count,
        field: "`shared().conflicts()`",
        formula: "shared().wavefronts - shared().ideal",
        difference: "includes atomic updates, whose lanes conflict in the same word, too",
        read: |m| count(m.counts.shared().conflicts()),
    },
    Metric {
        names: &["shared_efficiency", "smsp__sass_average_data_bytes_per_wavefront_mem_shared.pct"],
        title: "wavefronts that would do without conflicts, of all",
        unit: Unit::Percent,
        field: "`shared().ideal` over `shared().wavefronts`",
        formula: "shared().ideal / shared().wavefronts",
        difference: "profilers compare the wanted bytes with 128 bytes of each wavefront, so that theirs is lower for idle lanes",
        read: |m| {
            let Wavefronts { wavefronts, ideal, .. } = m.counts.shared();
            ratio(ideal, wavefronts, "no requests")
        },
    },
    // Tensor cores.
    Metric {
        names: &["sm__inst_executed_pipe_tensor.sum"],
        title: "instructions of tensor cores, counted once per warp",
        unit: Unit::Count,
        field: "`matrix_products.instructions`",
        formula: "matrix_products.instructions",
        difference: "instructions of PTX, of which `ptxas` may make several; a `wgmma` counts once for its four warps",
        read: |m| count(m.counts.matrix_products.instructions),
    },
    // Local memory.
    Metric {
        names: &[
            "local_load_requests",
            "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum",
            "inst_executed_local_loads",
            "smsp__inst_executed_op_local_ld.sum",
        ],
        title: "loads from local memory, counted once per warp",
        unit: Unit::Count,
        field: "`local_loads.requests`",
        formula: "local_loads.requests",
        difference: "without registers that `ptxas` spills; neighbouring accesses are not merged",
        read: |m| count(m.counts.local_loads.requests),
    },
    Metric {
        names: &["local_load_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"],
        title: "sectors of loads from local memory",
        unit: Unit::Count,
        field: "`local_loads.sectors`",
        formula: "local_loads.sectors",
        difference: "without registers that `ptxas` spills; not measured",
        read: |m| count(m.counts.local_loads.sectors),
    },
    Metric {
        names: &[
            "local_load_transactions_per_request",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_ld.ratio",
        ],
        title: "sectors of a load from local memory",
        unit: Unit::Ratio,
        field: "`local_loads.sectors` over `local_loads.requests`",
        formula: "local_loads.sectors / local_loads.requests",
        difference: "without registers that `ptxas` spills; not measured",
        read: |m| sectors_per_request(m.counts.local_loads),
    },
    Metric {
        names: &[
            "local_store_requests",
            "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
            "inst_executed_local_stores",
            "smsp__inst_executed_op_local_st.sum",
        ],
        title: "stores to local memory, counted once per warp",
        unit: Unit::Count,
        field: "`local_stores.requests`",
        formula: "local_stores.requests",
        difference: "without registers that `ptxas` spills; neighbouring accesses are not merged",
        read: |m| count(m.counts.local_stores.requests),
    },
    Metric {
        names: &["local_store_transactions", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"],
        title: "sectors of stores to local memory",
        unit: Unit::Count,
        field: "`local_stores.sectors`",
        formula: "local_stores.sectors",
        difference: "without registers that `ptxas` spills; not measured",
        read: |m| count(m.counts.local_stores.sectors),
    },
    Metric {
        names: &[
            "local_store_transactions_per_request",
            "l1tex__average_t_sectors_per_request_pipe_lsu_mem_local_op_st.ratio",
        ],
        title: "sectors of a store to local memory",
        unit: Unit::Ratio,
        field: "`local_stores.sectors` over `local_stores.requests`",
        formula: "local_stores.sectors / local_stores.requests",
        difference: "without registers that `ptxas` spills; not measured",
        read: |m| sectors_per_request(m.counts.local_stores),
    },
    // Launches and occupancy.
    Metric {
        names: &["launch__grid_size"],
        title: "blocks of a launch",
        unit: Unit::Count,
        field: "`LaunchCounters::grid`",
        formula: "grid.x * grid.y * grid.z",
        difference: "",
        read: |m| count(m.grid.iter().map(|&dim| u64::from(dim)).product()),
    },
    Metric {
        names: &["launch__block_size"],
        title: "threads of a block",
        unit: Unit::Count,
        field: "`LaunchCounters::block`",
        formula: "block.x * block.y * block.z",
        difference: "",
        read: |m| count(m.block.iter().map(|&dim| u64::from(dim)).product()),
    },
    Metric {
        names: &["launch__shared_mem_per_block", "launch__shared_mem_per_block_allocated"],
        title: "shared memory of a block",
        unit: Unit::Bytes,
        field: "`LaunchCounters::shared_memory`",
        formula: "declared and dynamic arrays",
        difference: "without what the system takes, and not rounded up to the granularity",
        read: |m| count(m.shared_memory),
    },
    Metric {
        names: &["launch__registers_per_thread"],
        title: "registers of a thread",
        unit: Unit::Count,
        field: "`ptxas`, if it is installed",
        formula: "`cargo warpwise sass` prints it with stack and spills",
        difference: "",
        read: |m| Reading {
            value: m.registers.map(f64::from),
            note: m.registers.is_none().then_some("`ptxas` is not here: `--registers N`"),
            unit: Unit::Count,
        },
    },
    Metric {
        names: &["sm__maximum_warps_per_active_cycle_pct"],
        title: "theoretical occupancy: warps that may reside, of all",
        unit: Unit::Percent,
        field: "`LaunchCounters::occupancy(..)`, `ratio()`",
        formula: "resident warps by registers, shared memory, blocks and barriers / most warps",
        difference: "without registers, an upper limit",
        read: |m| Reading {
            value: m.occupancy.map(|found| found.ratio()),
            note: m.occupancy.is_none().then_some("no block fits, or no target is chosen"),
            unit: Unit::Percent,
        },
    },
    Metric {
        names: &["achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active"],
        title: "achieved occupancy: warps that do reside, of all, on average",
        unit: Unit::Percent,
        field: BY_MODEL,
        formula: "resident warps, averaged over the cycles of busy multiprocessors / most warps",
        difference: "at most the theoretical occupancy; small grids and tails lower it",
        read: |m| modelled(m, |p| p.achieved_occupancy),
    },
    Metric {
        names: &["launch__waves_per_multiprocessor"],
        title: "waves: rounds in which the blocks of a grid run",
        unit: Unit::Ratio,
        field: BY_MODEL,
        formula: "blocks / (resident blocks of a multiprocessor * multiprocessors)",
        difference: "",
        read: |m| modelled(m, |p| p.waves),
    },
    // Time and caches, which no counter of events has.
    Metric {
        names: &["gpu__time_duration.sum"],
        title: "duration of a launch",
        unit: Unit::Seconds,
        field: BY_MODEL,
        formula: "from the start of the first block to the end of the last",
        difference: "a prediction; a GPU measures it",
        read: |m| modelled(m, |p| p.seconds),
    },
    Metric {
        names: &["eligible_warps_per_cycle", "smsp__warps_eligible.avg.per_cycle_active"],
        title: "eligible warps: those that could issue an instruction, per cycle of a scheduler",
        unit: Unit::Ratio,
        field: BY_MODEL,
        formula: "resident warps that wait for nothing: 32 units are free, and all operands are ready",
        difference: "",
        read: |m| modelled(m, |p| p.eligible_warps),
    },
    Metric {
        names: &["issue_slot_utilization", "smsp__issue_active.avg.pct_of_peak_sustained_active"],
        title: "cycles in which a scheduler issues an instruction, of all",
        unit: Unit::Percent,
        field: BY_MODEL,
        formula: "issued instructions / cycles of a scheduler",
        difference: "",
        read: |m| modelled(m, |p| p.issue_utilization),
    },
    Metric {
        names: &["ipc", "sm__inst_executed.avg.per_cycle_active"],
        title: "instructions of a multiprocessor per cycle",
        unit: Unit::Ratio,
        field: BY_MODEL,
        formula: "instructions of warps / cycles of a busy multiprocessor",
        difference: "",
        read: |m| modelled(m, |p| p.instructions_per_cycle),
    },
    Metric {
        names: &["tex_cache_hit_rate", "global_hit_rate", "l1tex__t_sector_hit_rate.pct"],
        title: "hit rate of the first-level cache",
        unit: Unit::Percent,
        field: BY_MODEL,
        formula: "sectors that are in the cache / sectors",
        difference: "",
        read: |m| modelled(m, |p| p.l1_hit_rate),
    },
    Metric {
        names: &["l2_tex_hit_rate", "lts__t_sector_hit_rate.pct"],
        title: "hit rate of the second-level cache",
        unit: Unit::Percent,
        field: BY_MODEL,
        formula: "sectors that are in the cache / sectors that reach it",
        difference: "",
        read: |m| modelled(m, |p| p.l2_hit_rate),
    },
    Metric {
        names: &["dram_read_bytes", "dram__bytes_read.sum"],
        title: "bytes read from the memory of the device",
        unit: Unit::Bytes,
        field: BY_MODEL,
        formula: "sectors that no cache holds * 32",
        difference: "",
        read: |m| modelled(m, |p| p.dram_read_bytes),
    },
    Metric {
        names: &["dram_write_bytes", "dram__bytes_write.sum"],
        title: "bytes written to the memory of the device",
        unit: Unit::Bytes,
        field: BY_MODEL,
        formula: "sectors that leave the second-level cache * 32",
        difference: "",
        read: |m| modelled(m, |p| p.dram_written_bytes),
    },
];

#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn count(events: u64) -> Reading {
    Reading { value: Some(events as f64), note: None, unit: Unit::Count }
}

/// Returns a quotient; unknown, with this note, without events.
#[expect(clippy::cast_precision_loss, reason = "for people to read")]
fn ratio(part: u64, all: u64, without: &'static str) -> Reading {
    match all {
        0 => Reading { value: None, note: Some(without), unit: Unit::Ratio },
        all => Reading { value: Some(part as f64 / all as f64), note: None, unit: Unit::Ratio },
    }
}

fn sectors_per_request(Sectors { requests, sectors, .. }: Sectors) -> Reading {
    ratio(sectors, requests, "no requests")
}

fn sector_efficiency(Sectors { sectors, ideal, .. }: Sectors) -> Reading {
    ratio(ideal, sectors, "no requests")
}

fn wavefronts_per_request(Wavefronts { requests, wavefronts, .. }: Wavefronts) -> Reading {
    ratio(wavefronts, requests, "no requests")
}

fn modelled(measured: &Measured<'_>, field: fn(&Predicted) -> Option<f64>) -> Reading {
    let value = field(&measured.predicted);
    Reading { value, note: value.is_none().then_some(MODELLED), unit: Unit::Ratio }
}
