//! Branches instead of `continue`: what follows in the body moves into the other arm.
//!
//! ```text
//! loop {                          loop {
//!   if c { A; continue }            if c { A } else { B }
//!   B                       =>    }
//! }
//! ```
//!
//! Takes an `if` one of whose arms ends in a `continue` of the loop, where the end of that `if` is
//! the end of the loop's body, or becomes it. A `continue` deeper inside stays, and so does one
//! behind many others.
//!
//! Why: LLVM takes a loop with two ways back to its start for two loops, one in the other, and the
//! threads of a warp that go around the inner one no longer meet those of the outer one. Counting
//! the ways to place 14 queens takes 7.4 ms on an H200 by LLVM without this pass. Besides,
//! `count_loops` and the passes behind it know no loop that continues early.
use crate::ir::{Body, InstId, Kernel, Op};

/// The most branches of a loop that are nested in each other: bodies nest at most 256 deep.
const MAX_NESTED: u32 = 24;

/// Structures the loops of `kernel`.
pub(super) fn structure_continues(kernel: &mut Kernel) {
    for id in kernel.insts.ids() {
        if let Op::For { body, .. } | Op::Loop { body } = &mut kernel.insts[id].op {
            let mut list = std::mem::take(body);
            structure_tail(kernel, &mut list, id, MAX_NESTED);
            if let Op::For { body, .. } | Op::Loop { body } = &mut kernel.insts[id].op {
                *body = list;
            }
        }
    }
}

/// Structures a list of instructions behind which the next iteration of the loop `of` begins, with
/// up to `nested` branches in each other.
fn structure_tail(kernel: &mut Kernel, list: &mut Body, of: InstId, nested: u32) {
    let Some(nested) = nested.checked_sub(1) else { return };
    let is_continue = |kernel: &Kernel, id: InstId| match kernel.insts[id].op {
        Op::Continue(target) => target == of,
        _ => false,
    };
    while list.0.last().is_some_and(|last| is_continue(kernel, *last)) {
        list.0.pop();
    }
    let continues =
        |kernel: &Kernel, body: &Body| body.0.last().is_some_and(|last| is_continue(kernel, *last));
    let found = list.0.iter().position(|id| match &kernel.insts[*id].op {
        Op::If { then, other, .. } => continues(kernel, then) || continues(kernel, other),
        _ => false,
    });
    let last = found.or_else(|| list.0.len().checked_sub(1));
    let Some(at) = last else { return };
    let id = list.0[at];
    let Op::If { then, other, .. } = &mut kernel.insts[id].op else { return };
    let (mut then, mut other) = (std::mem::take(then), std::mem::take(other));
    let rest = list.0.split_off(at + 1);
    let behind = if continues(kernel, &then) { &mut other } else { &mut then };
    if kernel.falls_through(behind) {
        behind.0.extend(rest);
    }
    structure_tail(kernel, &mut then, of, nested);
    structure_tail(kernel, &mut other, of, nested);
    if let Op::If { then: new_then, other: new_other, .. } = &mut kernel.insts[id].op {
        (*new_then, *new_other) = (then, other);
    }
}

#[cfg(test)]
mod tests {
    use crate::{ir::Kernel, optimize::optimize_for_gpu, verify::verify};
    use std::fmt::Write as _;

    /// Bodies nest at most 256 deep.
    #[test]
    fn long_chains_do_not_become_deep() {
        let mut text = "kernel k {
            param arg0 = x: read [u32]
            param arg1 = y: write [u32]
            %0 = const 0 : u32
            %1 = const 1 : u32
            %2 = const 1000 : u32
            %3 = param arg0 : ptr global
            %4 = param arg1 : ptr global
            %5 = for %0, %2, step %1 : u32 {
              %6 = load %3 : u32\n"
            .to_owned();
        for id in (7..2007).step_by(4) {
            writeln!(text, "%{id} = const {id} : u32").unwrap();
            writeln!(text, "%{} = eq %6, %{id} : bool", id + 1).unwrap();
            writeln!(text, "%{} = if %{} {{ %{} = continue %5 }}", id + 2, id + 1, id + 3).unwrap();
        }
        text += "%2007 = store %4, %6 } }";
        let kernel: Kernel = text.parse().unwrap_or_else(|error| panic!("{error}"));
        let optimized = optimize_for_gpu(kernel);
        verify(&optimized).unwrap_or_else(|errors| panic!("{errors}"));
    }
}
