//! The report for tools: an object a line. `docs/profiler.md` describes the fields.
use super::{
    counts::{Active, Counted, Iterations},
    read::Loop,
    report::{Excess, Line, Profiled, Report},
};
use serde_json::{Value, json};

/// Counts up when a field that is described changes or goes.
const SCHEMA: u32 = 1;

/// All kernels, then the summary.
pub(crate) fn render(report: &Report) -> String {
    let kernels = report.kernels.iter().map(|of| kernel(report, of));
    let lines = kernels.chain([summary(report)]);
    lines.map(|line| format!("{line}\n")).collect()
}

fn kernel(report: &Report, kernel: &Profiled) -> Value {
    let launches = &kernel.launches;
    let total = &launches.total;
    let registers = kernel.registers;
    let by = registers.map(|registers| if registers.assembled { "ptxas" } else { "user" });
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
        "occupancy": occupancy(report, kernel),
        "total": Counted::from(total),
        "active_threads": Active::from(&launches.active_threads),
        "warp_execution_efficiency": total.warp_execution_efficiency(),
        "branch_efficiency": total.branch_efficiency(),
        "lines": kernel.lines.iter().map(line).collect::<Vec<_>>(),
        "loops": launches.loops.iter().map(rounds).collect::<Vec<_>>(),
        "accesses": kernel.accesses(),
    })
}

fn occupancy(report: &Report, kernel: &Profiled) -> Value {
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

fn line(line: &Line) -> Value {
    json!({
        "file": line.file,
        "line": line.number,
        "source": line.source,
        "counts": Counted::from(&line.counts),
        "active_threads": Active::from(&line.active_threads),
        "excesses": line.excesses.iter().map(excess).collect::<Vec<_>>(),
    })
}

fn rounds(Loop { file, line, column, trips }: &Loop) -> Value {
    json!({
        "file": file,
        "line": line,
        "column": column,
        "visits": trips.visits(),
        "iterations": Iterations::from(trips),
    })
}

fn excess(Excess { of, expected, got, why }: &Excess) -> Value {
    let (_, unit) = of.words();
    json!({
        "of": of.name(),
        "unit": unit,
        "expected": expected,
        "got": got,
        "lint": why.lint,
        "found": why.found,
        "reason": why.reason,
    })
}

fn summary(report: &Report) -> Value {
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
