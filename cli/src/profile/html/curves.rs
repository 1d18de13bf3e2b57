//! Curves of occupancy over a block's resources: threads, registers, shared memory.
use crate::profile::report::KernelProfile;
use warpwise::occupancy::{Block, Multiprocessor};
use warpwise_compiler::drawing::svg::Svg;

const WIDTH: f64 = 340.0;
const HEIGHT: f64 = 190.0;
const LEFT: f64 = 34.0;
const RIGHT: f64 = 328.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 148.0;

/// Resource that a curve varies.
struct CurveAxis {
    title: &'static str,
    /// Values on the curve.
    values: Vec<u64>,
    ticks: [u64; 5],
    /// Value of the kernel, if it is known.
    actual: Option<u64>,
    unit: &'static str,
    change: fn(Block, u64) -> Block,
}

/// Draws the three curves of a kernel.
pub(super) fn draw_curves(kernel: &KernelProfile, on: &Multiprocessor) -> String {
    curve_axes(kernel, on)
        .iter()
        .map(|axis| draw_curve(axis, kernel.block_resources(), on))
        .collect()
}

fn curve_axes(kernel: &KernelProfile, on: &Multiprocessor) -> [CurveAxis; 3] {
    let block = kernel.block_resources();
    let most_shared = on.block_shared;
    [
        CurveAxis {
            title: "against threads of a block",
            values: (1..=32).map(|warps| 32 * warps).collect(),
            ticks: [32, 256, 512, 768, 1024],
            actual: Some(block.threads.into()),
            unit: "threads",
            change: |block, value| Block { threads: value as u32, ..block },
        },
        CurveAxis {
            title: "against registers of a thread",
            values: (16..=255).collect(),
            ticks: [16, 64, 128, 192, 255],
            actual: block.registers.map(u64::from),
            unit: "registers",
            change: |block, value| Block { registers: Some(value as u32), ..block },
        },
        CurveAxis {
            title: "against KiB of shared memory of a block",
            values: (0..=most_shared / 512).map(|step| 512 * step).collect(),
            ticks: [0, 1, 2, 3, 4].map(|quarter| most_shared * quarter / 4),
            actual: Some(block.shared),
            unit: "bytes of shared memory",
            change: |block, value| Block { shared: value, ..block },
        },
    ]
}

/// Returns the number of resident warps, 0 if no block fits.
fn resident_warps(on: &Multiprocessor, block: &Block) -> u32 {
    on.occupancy(block).map_or(0, |found| found.warps)
}

fn draw_curve(axis: &CurveAxis, block: Block, on: &Multiprocessor) -> String {
    let [first, last] = [axis.ticks[0], axis.ticks[4]].map(|value| value as f64);
    let x = |value: u64| LEFT + (value as f64 - first) / (last - first) * (RIGHT - LEFT);
    let y = |warps: u32| BOTTOM - f64::from(warps) / f64::from(on.warps) * (BOTTOM - TOP);
    let mut svg = Svg::new(WIDTH, HEIGHT);
    for quarter in 0..=4 {
        let warps = on.warps * quarter / 4;
        svg.line("grid", [LEFT, y(warps)], [RIGHT, y(warps)]);
        svg.text("end small", [LEFT - 5.0, y(warps) + 4.0], &warps.to_string());
    }
    for tick in axis.ticks {
        let shown = if last > 2000.0 { tick / 1024 } else { tick };
        svg.text("middle small", [x(tick), BOTTOM + 15.0], &shown.to_string());
    }
    let mut points: Vec<[f64; 2]> = Vec::new();
    for &value in &axis.values {
        let at = [x(value), y(resident_warps(on, &(axis.change)(block, value)))];
        // The curve has steps, not slopes.
        if let Some([_, before]) =
            points.last().copied().filter(|[_, before]| (before - at[1]).abs() > 0.01)
        {
            points.push([at[0], before]);
        }
        points.push(at);
    }
    svg.polyline("curve", &points);
    let found = resident_warps(on, &block);
    let said = match axis.actual {
        Some(here) => {
            let label = format!("{here} {}: {found} of {} warps", axis.unit, on.warps);
            svg.circle("here", [x(here).clamp(LEFT, RIGHT), y(found)], 5.0, &label);
            label
        }
        None => format!("{} are not known", axis.unit),
    };
    svg.text("middle", [(LEFT + RIGHT) / 2.0, BOTTOM + 34.0], axis.title);
    let drawn =
        svg.finish("curve-box", &format!("warps of a multiprocessor {}: {said}", axis.title));
    format!("<figure>{drawn}<figcaption>{said}</figcaption></figure>\n")
}
