//! Lints on launches: records of the `log` crate, target `warpwise::lint`.
//!
//! Lints examine the first launch of a kernel in blocks of a shape, every launch whose grid differs
//! from that of the last one, and the hundredth in a row with the same grid. Each lint reports a
//! kernel and a block shape once. Lints do not run without a logger that takes warnings of this
//! target, nor with `WARPWISE_LINTS=off`.
use crate::{
    Device,
    launch::{checks::CheckedLaunch, config::Geometry},
    observe::bound_lints,
};
use std::sync::{Mutex, PoisonError};
use warpwise_compiler::lint::launch;

/// The reports of a kernel's launches so far.
#[derive(Debug, Default)]
pub(crate) struct LaunchReports {
    shapes: Mutex<Vec<Shape>>,
}

/// The reports of launches in blocks of one shape.
#[derive(Debug)]
struct Shape {
    /// The last launch.
    last: Geometry,
    /// The number of launches in a row with this grid.
    count: u64,
    /// Names of the lints that have reported something.
    reported: Vec<&'static str>,
}

/// Runs the lints on a launch that is given to `device`, and logs their findings.
pub(crate) fn lint_launch(launch: &CheckedLaunch<'_>, device: &Device) {
    if !bound_lints::is_enabled() {
        return;
    }
    let Some(count) = launch.bound.reports.count_to_lint(launch.geometry) else { return };
    // The only error is a lost device, which every other call reports.
    let Ok(gpu) = device.gpu_of_kernel(launch.bound, launch.shared.bytes) else {
        return;
    };
    let gpu = gpu.or_else(|| device.target(launch.shared.bytes));
    let (kernel, Geometry { grid, block }) = (&launch.bound.kernel, launch.geometry);
    let facts = launch::Launch { kernel, grid, block, count, gpu };
    for found in launch::launched(&facts, &launch.bound.source.lint_levels()) {
        if launch.bound.reports.is_new(launch.geometry, found.code) {
            bound_lints::log_diagnostic(&found, launch.bound.source, &format!("on {device}"));
        }
    }
}

impl LaunchReports {
    /// Counts a launch, and returns the number in a row with this geometry if lints examine this
    /// one.
    fn count_to_lint(&self, launched: Geometry) -> Option<u64> {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shape) = shapes.iter_mut().find(|shape| shape.last.block == launched.block) else {
            shapes.push(Shape { last: launched, count: 1, reported: Vec::new() });
            return Some(1);
        };
        shape.count = if shape.last == launched { shape.count.saturating_add(1) } else { 1 };
        shape.last = launched;
        [1, launch::MANY_LAUNCHES].contains(&shape.count).then_some(shape.count)
    }

    /// Returns true at the first report of the lint `code`.
    fn is_new(&self, launched: Geometry, code: &'static str) -> bool {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shape) = shapes.iter_mut().find(|shape| shape.last.block == launched.block) else {
            return false;
        };
        let new = !shape.reported.contains(&code);
        if new {
            shape.reported.push(code);
        }
        new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(blocks: u32, threads: u32) -> Geometry {
        Geometry { grid: [blocks, 1, 1], block: [threads, 1, 1] }
    }

    #[test]
    fn new_geometries_and_the_hundredth_launch_are_linted() {
        let reports = LaunchReports::default();
        assert_eq!(reports.count_to_lint(blocks(1, 32)), Some(1));
        assert_eq!(reports.count_to_lint(blocks(1, 32)), None);
        assert_eq!(reports.count_to_lint(blocks(2, 32)), Some(1));
        assert_eq!(reports.count_to_lint(blocks(2, 64)), Some(1));
        let linted: Vec<_> =
            (0..200).filter_map(|_| reports.count_to_lint(blocks(2, 32))).collect();
        assert_eq!(linted, [100]);
    }

    #[test]
    fn a_lint_reports_once_for_each_shape_of_blocks() {
        let reports = LaunchReports::default();
        for threads in [32, 64] {
            reports.count_to_lint(blocks(1, threads));
            assert!(reports.is_new(blocks(1, threads), "gpu_small_grids"));
            assert!(!reports.is_new(blocks(7, threads), "gpu_small_grids"));
            assert!(reports.is_new(blocks(7, threads), "gpu_tail_waves"));
        }
    }
}
