//! Laplace's equation by Jacobi's method, whose launches are recorded once as a graph and then
//! launched many times. The launches are short, so a GPU spends less time on a graph than on as
//! many single launches.
use std::sync::atomic::Ordering;
use warpwise::prelude::*;
use warpwise_examples::{report, verify_close};

/// Points along each side, with those of the border.
const SIDE: usize = 34;
/// Steps between two looks at the result.
const SWEEP: usize = 100;
/// The change of a step at which the result is near enough.
const TOLERANCE: f32 = 1e-6;

/// A step: each inner point becomes the mean of its neighbours.
#[kernel(block = (16, 16), requires(next.len() == now.len()))]
fn step(side: usize, now: &[f32], next: &mut [f32]) {
    let (x, y) = (global_idx_x() + 1, global_idx_y() + 1);
    let i = y * side + x;
    if x + 1 < side && y + 1 < side && i + side < now.len() {
        next[i] = 0.25 * (now[i - 1] + now[i + 1] + now[i - side] + now[i + side]);
    }
}

/// The largest difference of two points. Floats from zero up are ordered as their bits are.
#[kernel(block = 256, requires(next.len() == now.len()))]
fn measure(now: &[f32], next: &[f32], change: &[AtomicU32]) {
    let i = global_idx_x();
    let own = if i < now.len() { (next[i] - now[i]).abs() } else { 0.0 };
    let of_block = block::reduce_max(own);
    if thread_idx_x() == 0 {
        change[0].fetch_max(of_block.to_bits(), Ordering::Relaxed);
    }
}

/// A solution, for the border and to compare with: the mean of its neighbours at each point.
fn solution(i: usize) -> f32 {
    let (x, y) = ((i % SIDE) as f32 / SIDE as f32, (i / SIDE) as f32 / SIDE as f32);
    x * x - y * y
}

struct Solver {
    now: Buffer<f32>,
    next: Buffer<f32>,
    change: Buffer<u32>,
}

impl Solver {
    fn new(device: &Device) -> warpwise::Result<Self> {
        let inner = 1..SIDE - 1;
        let start: Vec<f32> = (0..SIDE * SIDE)
            .map(|i| match inner.contains(&(i % SIDE)) && inner.contains(&(i / SIDE)) {
                true => 0.0,
                false => solution(i),
            })
            .collect();
        let now = device.upload(&start)?;
        Ok(Self { next: now.try_clone()?, now, change: device.zeros(1)? })
    }

    /// Launches many steps and a measurement: on a device, or for the graph that `device` records.
    fn sweep(&mut self, device: &Device) -> warpwise::Result<()> {
        let Self { now, next, change } = self;
        let inner = LaunchConfig::cover((SIDE - 2, SIDE - 2));
        for _ in 0..SWEEP / 2 {
            step::launch(device, inner, SIDE, now, next)?;
            step::launch(device, inner, SIDE, next, now)?;
        }
        device.fill(change, 0)?;
        measure::launch(device, LaunchConfig::cover(now.len()), now, next, change)
    }

    /// Repeats sweeps until a step changes no point much. Returns their number.
    fn solve(
        &mut self,
        mut sweep: impl FnMut(&mut Self) -> warpwise::Result<()>,
    ) -> warpwise::Result<usize> {
        let mut sweeps = 0;
        loop {
            sweep(self)?;
            sweeps += 1;
            if f32::from_bits(self.change.get(0)?) < TOLERANCE {
                return Ok(sweeps);
            }
        }
    }

    fn verify(&self) -> warpwise::Result<()> {
        let expected = (0..SIDE * SIDE).map(|i| f64::from(solution(i)));
        verify_close(&self.now.to_vec()?, expected, |_| 1e-3);
        Ok(())
    }
}

pub(crate) fn main() -> warpwise::Result<()> {
    let device = Device::auto()?;
    // The first launch of a kernel loads it.
    Solver::new(&device)?.sweep(&device)?;

    let mut solver = Solver::new(&device)?;
    let one_by_one = device.time(|| solver.solve(|solver| solver.sweep(&device)).map(drop))?;
    solver.verify()?;

    // A graph keeps the memory of its launches and borrows no buffer, so these can be read between
    // its launches.
    let mut solver = Solver::new(&device)?;
    let graph = device.record_graph(|recorder| solver.sweep(recorder))?;
    let mut sweeps = 0;
    let as_graph = device.time(|| {
        sweeps = solver.solve(|_| graph.launch())?;
        Ok(())
    })?;
    solver.verify()?;

    let size = format!("{} points, {} steps", SIDE * SIDE, sweeps * SWEEP);
    report("graph", size, &device, as_graph);
    println!("a graph of {} launches and fills, launched {sweeps} times", graph.len());
    // The interpreter runs the launches of a graph one by one.
    if device.is_gpu() {
        println!("one by one: {one_by_one:.2?}");
    }
    Ok(())
}
