//! Lints on launches: records of the `log` crate, target `warpwise::lint`.
//!
//! A launch is looked at when its kernel is launched for the first time in blocks of this shape, or
//! with another grid than the last time, and at the hundredth of the same in a row; what was said
//! of a kernel and a block shape is not said again. Nothing is looked at where nobody listens:
//! without a logger, with one that takes no warnings of this target, or with `WARPWISE_LINTS=off`.
use crate::{Device, launch::Geometry, launch_checks::CheckedLaunch, lint};
use std::sync::{Mutex, PoisonError};
use warpwise_compiler::lint::launch;

/// The reports of a kernel's launches so far.
#[derive(Debug, Default)]
pub(crate) struct Advice {
    shapes: Mutex<Vec<Shape>>,
}

/// The reports of launches in blocks of one shape.
#[derive(Debug)]
struct Shape {
    /// The last launch.
    last: Geometry,
    /// The number of launches in a row with this grid.
    count: u64,
    /// Names of lints that have said something.
    said: Vec<&'static str>,
}

/// Says what there is to say about `launch`, which is given to `device`.
pub(crate) fn on(launch: &CheckedLaunch<'_>, device: &Device) {
    if !lint::is_heard() {
        return;
    }
    let Some(count) = launch.bound.advice.counted(launch.geometry) else { return };
    // An error is that of a lost device, and every other call says so.
    let Ok(gpu) = device.gpu(launch.bound, launch.shared.bytes) else {
        return;
    };
    let gpu = gpu.or_else(|| device.target(launch.shared.bytes));
    let (kernel, Geometry { grid, block }) = (&launch.bound.kernel, launch.geometry);
    let facts = launch::Launch { kernel, grid, block, count, gpu };
    for found in launch::launched(&facts, &launch.bound.source.lint_levels()) {
        if launch.bound.advice.is_new(launch.geometry, found.code) {
            lint::say(&found, launch.bound.source, &format!("on {device}"));
        }
    }
}

impl Advice {
    /// Returns the number of launches in a row with this geometry; `None` if this one equals those
    /// before.
    fn counted(&self, launched: Geometry) -> Option<u64> {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shape) = shapes.iter_mut().find(|shape| shape.last.block == launched.block) else {
            shapes.push(Shape { last: launched, count: 1, said: Vec::new() });
            return Some(1);
        };
        shape.count = if shape.last == launched { shape.count.saturating_add(1) } else { 1 };
        shape.last = launched;
        [1, launch::MANY].contains(&shape.count).then_some(shape.count)
    }

    /// Returns true at the first report of the lint `code`.
    fn is_new(&self, launched: Geometry, code: &'static str) -> bool {
        let mut shapes = self.shapes.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(shape) = shapes.iter_mut().find(|shape| shape.last.block == launched.block) else {
            return false;
        };
        let new = !shape.said.contains(&code);
        if new {
            shape.said.push(code);
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
    fn launches_are_looked_at_when_something_is_new() {
        let advice = Advice::default();
        assert_eq!(advice.counted(blocks(1, 32)), Some(1));
        assert_eq!(advice.counted(blocks(1, 32)), None);
        assert_eq!(advice.counted(blocks(2, 32)), Some(1));
        assert_eq!(advice.counted(blocks(2, 64)), Some(1));
        let looked: Vec<_> = (0..200).filter_map(|_| advice.counted(blocks(2, 32))).collect();
        assert_eq!(looked, [100]);
    }

    #[test]
    fn a_lint_speaks_once_for_each_shape_of_blocks() {
        let advice = Advice::default();
        for threads in [32, 64] {
            advice.counted(blocks(1, threads));
            assert!(advice.is_new(blocks(1, threads), "gpu_small_grids"));
            assert!(!advice.is_new(blocks(7, threads), "gpu_small_grids"));
            assert!(advice.is_new(blocks(7, threads), "gpu_tail_waves"));
        }
    }
}
