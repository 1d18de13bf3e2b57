//! The report as JSON, one object per line; `docs/profiler.md` describes the fields.
use super::{
    compare::KernelComparison,
    counts::{ActiveThreadsRecord, CountsRecord, TripsRecord},
    ncu,
    read::LoopCounts,
    report::{Excess, KernelProfile, LineProfile, Report},
    verdict,
};
use serde_json::{Map, Value, json};

/// Version of the format: it increases when a documented field changes or disappears.
const SCHEMA: u32 = 1;

/// Renders all kernels, then the summary.
pub(crate) fn render(report: &Report) -> String {
    let kernels = report.kernels.iter().map(|profile| kernel_to_json(report, profile));
    let compared = report.comparison.iter().flat_map(|found| &found.kernels).map(compared_to_json);
    let lines = kernels.chain(compared).chain([summary_to_json(report)]);
    lines.map(|line| format!("{line}\n")).collect()
}

fn kernel_to_json(report: &Report, kernel: &KernelProfile) -> Value {
    let launches = &kernel.launches;
    let total = &launches.total;
    let registers = kernel.registers;
    let by =
        registers.map(|registers| if registers.assembled.is_some() { "ptxas" } else { "user" });
    let assembled = registers.and_then(|registers| registers.assembled);
    json!({
        "schema": SCHEMA,
        "kind": "kernel",
        "kernel": launches.kernel,
        "generics": launches.generics,
        "launches": launches.count,
        "grid": launches.grid,
        "block": launches.block,
        "shared_memory": launches.shared_memory,
        "barriers": launches.barriers,
        "registers": registers.map(|registers| registers.number),
        "registers_from": by,
        "stack_bytes": assembled.map(|found| found.stack),
        "spill_store_bytes": assembled.map(|found| found.spill_stores),
        "spill_load_bytes": assembled.map(|found| found.spill_loads),
        "constant_bytes": assembled.map(|found| found.constant),
        "occupancy": occupancy_to_json(report, kernel),
        "prediction": prediction_to_json(report, kernel),
        "measured_seconds": kernel.measured_seconds(),
        "nsight_compute": ncu_to_json(kernel),
        "total": CountsRecord::from(total),
        "active_threads": ActiveThreadsRecord::from(&launches.active_threads),
        "warp_execution_efficiency": total.warp_execution_efficiency(),
        "branch_efficiency": total.branch_efficiency(),
        "lines": kernel.lines.iter().map(line_to_json).collect::<Vec<_>>(),
        "loops": launches.loops.iter().map(loop_to_json).collect::<Vec<_>>(),
        "accesses": kernel.accesses(),
    })
}

fn occupancy_to_json(report: &Report, kernel: &KernelProfile) -> Value {
    let target = report.multiprocessor.target.to_string();
    match kernel.occupancy(report.multiprocessor) {
        Ok(found) => json!({
            "target": target,
            "blocks": found.blocks,
            "warps": found.warps,
            "most_warps": found.most_warps,
            "ratio": found.ratio(),
            "limiters": found.limiters.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "registers_known": found.registers_known,
        }),
        Err(refused) => json!({ "target": target, "refused": refused.to_string() }),
    }
}

fn prediction_to_json(report: &Report, kernel: &KernelProfile) -> Value {
    let gpu = report.gpu;
    let predicted = gpu.and_then(|gpu| Some((gpu, verdict::predict_launch(kernel, gpu)?)));
    let Some((gpu, prediction)) = predicted else { return Value::Null };
    let caches = kernel.launches.work.and_then(|work| work.caches);
    let resources = prediction.resources.iter();
    json!({
        "gpu": gpu.name,
        "seconds": prediction.seconds,
        "uncertainty": prediction.uncertainty,
        "bound_by": prediction.bound_by.to_string(),
        "resources": resources.map(|(by, seconds)| json!([by.to_string(), seconds])).collect::<Vec<_>>(),
        "achieved_occupancy": prediction.achieved_occupancy,
        "resident_warps": prediction.resident_warps,
        "eligible_warps": prediction.eligible_warps,
        "stalled_warps": prediction.stalled_warps,
        "hiding_warps": prediction.hiding_warps,
        "waves": prediction.waves,
        "busy_multiprocessors": prediction.busy_multiprocessors,
        "idle_share": prediction.idle_share,
        "slowdown": prediction.slowdown,
        "l1_hit_rate": caches.and_then(|caches| caches.l1_hit_rate()),
        "l2_hit_rate": caches.and_then(|caches| caches.l2_hit_rate()),
    })
}

/// Returns the metrics that Nsight Compute measured, by its names.
fn ncu_to_json(kernel: &KernelProfile) -> Value {
    let values: Map<String, Value> = ncu::METRICS
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), json!(kernel.ncu_value(name)?))))
        .collect();
    if values.is_empty() { Value::Null } else { Value::Object(values) }
}

fn compared_to_json(compared: &KernelComparison) -> Value {
    let counters: Map<String, Value> = compared
        .counters
        .iter()
        .map(|found| {
            let name = found.counter.json_name.to_owned();
            (name, json!({ "old": found.old, "new": found.new, "change": found.change().name() }))
        })
        .collect();
    json!({
        "schema": SCHEMA,
        "kind": "comparison",
        "kernel": compared.kernel,
        "generics": compared.generics,
        "change": compared.verdict.name(),
        "counters": counters,
    })
}

fn line_to_json(line: &LineProfile) -> Value {
    json!({
        "file": line.file,
        "line": line.number,
        "source": line.source,
        "counts": CountsRecord::from(&line.counts),
        "active_threads": ActiveThreadsRecord::from(&line.active_threads),
        "excesses": line.excesses.iter().map(excess_to_json).collect::<Vec<_>>(),
    })
}

fn loop_to_json(LoopCounts { file, line, column, trips }: &LoopCounts) -> Value {
    json!({
        "file": file,
        "line": line,
        "column": column,
        "visits": trips.visits(),
        "iterations": TripsRecord::from(trips),
    })
}

fn excess_to_json(Excess { kind, expected, got, explanation }: &Excess) -> Value {
    let (_, unit) = kind.memory_and_unit();
    json!({
        "of": kind.json_name(),
        "unit": unit,
        "expected": expected,
        "got": got,
        "lint": explanation.lint,
        "found": explanation.found,
        "reason": explanation.reason,
    })
}

fn summary_to_json(report: &Report) -> Value {
    let stopped = report.stopped.iter();
    let stopped = stopped.map(|(kernel, reason)| json!({ "kernel": kernel, "reason": reason }));
    json!({
        "schema": SCHEMA,
        "kind": "summary",
        "kernels": report.kernels.len(),
        "launches": report.kernels.iter().map(|kernel| kernel.launches.count).sum::<u64>(),
        "stopped": stopped.collect::<Vec<_>>(),
        "on_gpu": report.on_gpu,
        "target": report.multiprocessor.target.to_string(),
        "failed": report.failed,
    })
}
