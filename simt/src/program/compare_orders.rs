//! Comparison of the results of a launch under launch schedules.
use super::traced::TracedProgram;
use crate::{
    Arg, Launch, Memory, Outcome,
    observe::sanitizer::{
        finding::{Finding, Location, Problem, Severity},
        order_dependence::{Difference, OrderDependence},
    },
};
use std::num::NonZeroUsize;
use warpwise_compiler::ir::{AtomicOp, Kernel, Op, ParamKind, Scalar, Ty, number};

/// Number of drawn schedules.
const SEEDED_ORDERS: u64 = 4;

impl TracedProgram {
    /// Runs `launch` in the usual order and under some schedules drawn from seeds, and compares the
    /// results bit by bit. Afterwards the memory of the launch is what it was before.
    pub fn compare_orders(&self, launch: &Launch<'_>) -> Option<Finding> {
        let before = Snapshot::take(launch);
        // Several workers would run blocks in an order of their own.
        let single_worker = Launch { workers: Some(NonZeroUsize::MIN), ..*launch };
        let run = |seed| {
            let outcome = self.run(&single_worker, seed, Vec::new());
            let left = LaunchResults { outcome, memory: Snapshot::take(launch) };
            before.restore(launch);
            left
        };
        let usual = run(None);
        let find_difference = |other| usual.find_difference(&other, self.kernel(), launch);
        let other = |seed| Some((seed, find_difference(run(Some(seed)))?));
        let (seed, difference) = (1..=SEEDED_ORDERS).find_map(other)?;
        let adds_floats = adds_floats(self.kernel());
        let dependence = OrderDependence { seed, difference, adds_floats };
        let problem = Problem::Order(dependence);
        Some(Finding { problem, severity: Severity::Warning, count: 1 })
    }
}

/// The contents of the memory of a launch: the bytes of each argument from its first element on,
/// none for a scalar.
#[derive(Debug)]
pub struct Snapshot(Vec<Vec<u8>>);

impl Snapshot {
    /// Copies the current contents, once no launch uses the memory.
    pub fn take(launch: &Launch<'_>) -> Self {
        let bytes = |arg: &Arg<'_>| {
            let Some((memory, offset)) = slice_memory(arg) else { return Vec::new() };
            let mut bytes = vec![0; memory.len() - offset];
            memory.read_into(offset, &mut bytes);
            bytes
        };
        Self(launch.args.iter().map(bytes).collect())
    }

    /// Writes the contents back, to a launch with the same arguments.
    pub fn restore(&self, launch: &Launch<'_>) {
        for (arg, bytes) in launch.args.iter().zip(&self.0) {
            if let Some((memory, offset)) = slice_memory(arg) {
                memory.write(offset, bytes);
            }
        }
    }
}

/// The results of a launch.
struct LaunchResults {
    outcome: Outcome,
    memory: Snapshot,
}

impl LaunchResults {
    fn find_difference(
        &self,
        other: &Self,
        kernel: &Kernel,
        launch: &Launch<'_>,
    ) -> Option<Difference> {
        let ends = |outcome: &Outcome| (outcome.fault.is_some(), outcome.stopped.is_some());
        if ends(&self.outcome) != ends(&other.outcome) {
            return Some(Difference::End);
        }
        let results = self.memory.0.iter().zip(&other.memory.0);
        let params = kernel.params.iter().zip(launch.args);
        params.zip(results).find_map(|(((_, param), arg), (one, other))| {
            let (ParamKind::Slice { elem, .. }, Arg::Slice { len, .. }) = (&param.kind, arg) else {
                return None;
            };
            let size = elem.size().filter(|size| *size > 0)? as usize;
            let differing = || {
                let pairs = one.chunks(size).zip(other.chunks(size)).enumerate();
                pairs.take(*len as usize).filter(|(_, (one, other))| one != other)
            };
            let (index, (one, other)) = differing().next()?;
            let text = |scalar: Scalar, bytes: &[u8]| {
                let bits = bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                number(scalar, bits).to_string()
            };
            let values = elem.scalar().map(|scalar| [text(scalar, one), text(scalar, other)]);
            let first =
                Location { buffer: param.name.clone(), rank: None, index: index as u64, offset: 0 };
            Some(Difference::Elements { first, values, count: differing().count() as u64 })
        })
    }
}

/// Returns the memory of a slice, and the first byte in it. A launch whose slices begin outside is
/// refused later.
fn slice_memory<'a>(arg: &Arg<'a>) -> Option<(&'a Memory, usize)> {
    match *arg {
        Arg::Scalar(_) => None,
        Arg::Slice { memory, offset, .. } => {
            Some((memory, usize::try_from(offset).unwrap_or(usize::MAX).min(memory.len())))
        }
    }
}

fn adds_floats(kernel: &Kernel) -> bool {
    kernel.insts.iter().any(|(_, inst)| {
        let adds = matches!(inst.op, Op::Atomic { op: AtomicOp::Add | AtomicOp::Sub, .. });
        adds && matches!(inst.ty, Ty::Scalar(scalar) if scalar.is_float())
    })
}
