//! Reduction of a kernel that shows a bug to a small one that still shows it.
//!
//! [`reduce`] tries edits in turn, keeps each one after which the kernel is well-formed and still
//! fails, and ends when no edit is left. An edit drops a run of instructions, replaces an
//! instruction by one of its bodies, or replaces the result of an operation by one of its operands.
//! A dropped instruction whose value is used becomes a zero.
use warpwise_compiler::{
    id::Facts,
    ir::{Body, Effect, InstId, Kernel, LocalId, Op, Ty},
    verify::verify,
};

/// Returns the smallest kernel that `fails` and that the edits of this module reach from `kernel`.
///
/// `fails` is called once for each well-formed candidate, and decides whether it shows the bug. The
/// caller must reject kernels without a defined meaning, such as one whose threads race. This
/// module only ensures that each local is set before it is read.
pub fn reduce(kernel: &Kernel, mut fails: impl FnMut(&Kernel) -> bool) -> Kernel {
    let mut best = kernel.clone();
    let mut keep = |best: &mut Kernel, mut edited: Kernel| {
        drop_unused(&mut edited);
        edited.renumber();
        let is_kept = edited.insts.len() <= best.insts.len()
            && edited != *best
            && verify(&edited).is_ok()
            && sets_before_reading(&edited)
            && fails(&edited);
        if is_kept {
            *best = edited;
        }
        is_kept
    };
    loop {
        let before = best.insts.len();
        // Long runs first: one success saves the many attempts that their parts would take.
        let mut length = best.insts.len();
        while length > 0 {
            let mut end = best.insts.len();
            // From the back, since that also removes what becomes unused.
            while end > 0 {
                let edited = without(&best, end.saturating_sub(length)..end);
                keep(&mut best, edited);
                end = end.saturating_sub(length).min(best.insts.len());
            }
            length /= 2;
        }
        let mut position = 0;
        while let Some(id) = best.insts.ids().nth(position) {
            let kept = simpler(&best, id).into_iter().any(|edited| keep(&mut best, edited));
            position += usize::from(!kept);
        }
        if best.insts.len() == before {
            return best;
        }
    }
}

/// Returns `kernel` without the instructions at these positions of the text.
fn without(kernel: &Kernel, positions: std::ops::Range<usize>) -> Kernel {
    let mut edited = kernel.clone();
    let mut dropped = kernel.insts.facts(false);
    for id in kernel.insts.ids().skip(positions.start).take(positions.len()) {
        let inst = &mut edited.insts[id];
        match inst.ty {
            Ty::Scalar(_) if inst.op.is_leaf() => inst.op = Op::Const(0),
            // An address is dropped with its last user.
            Ty::Ptr(_) => {}
            Ty::Scalar(_) | Ty::Unit => dropped[id] = true,
        }
    }
    retain(&mut edited, |id| !dropped[id]);
    edited
}

/// Returns true if every local is set before it is read, on every path. Assignments in a loop or a
/// block do not count after it.
fn sets_before_reading(kernel: &Kernel) -> bool {
    fn walk(kernel: &Kernel, body: &Body, set: &mut Facts<LocalId, bool>) -> bool {
        body.0.iter().all(|&id| match &kernel.insts[id].op {
            Op::Get(local) => set[*local],
            Op::Set { local, .. } => {
                set[*local] = true;
                true
            }
            Op::If { then, other, .. } => {
                let mut set_by_other = set.clone();
                let is_fine = walk(kernel, then, set) && walk(kernel, other, &mut set_by_other);
                for local in kernel.locals.ids() {
                    set[local] &= set_by_other[local];
                }
                is_fine
            }
            op if op.is_leaf() => true,
            op => op.bodies().all(|inner| walk(kernel, inner, &mut set.clone())),
        })
    }
    walk(kernel, &kernel.body, &mut kernel.locals.facts(false))
}

/// Returns every variant of `kernel` with something simpler in the place of `id`.
fn simpler(kernel: &Kernel, id: InstId) -> Vec<Kernel> {
    let inst = &kernel.insts[id];
    let mut all = Vec::new();
    for body in inst.op.bodies() {
        let mut edited = kernel.clone();
        if let Op::For { start, .. } = inst.op {
            replace_uses(&mut edited, id, start);
        }
        let splice = |list: &mut Body| {
            if let Some(position) = list.0.iter().position(|&other| other == id) {
                list.0.splice(position..=position, body.0.iter().copied());
            }
        };
        for_each_body(&mut edited, splice);
        all.push(edited);
    }
    if inst.op.is_leaf() {
        for operand in inst.op.operands() {
            if kernel.insts[operand].ty == inst.ty && inst.ty != Ty::Unit {
                let mut edited = kernel.clone();
                replace_uses(&mut edited, id, operand);
                retain(&mut edited, |other| other != id);
                all.push(edited);
            }
        }
    }
    all
}

fn replace_uses(kernel: &mut Kernel, id: InstId, by: InstId) {
    for inst in kernel.insts.iter_mut() {
        inst.op.operands_mut().filter(|operand| **operand == id).for_each(|operand| *operand = by);
    }
}

/// Drops unused instructions without effects, and assignments to locals that are never read.
fn drop_unused(kernel: &mut Kernel) {
    loop {
        let used = used(kernel);
        let mut read = kernel.locals.facts(false);
        kernel.walk(&mut |id| {
            if let Op::Get(local) = kernel.insts[id].op {
                read[local] = true;
            }
        });
        let mut kept = kernel.insts.facts(true);
        for (id, inst) in kernel.insts.iter() {
            kept[id] = used[id]
                || match inst.op {
                    Op::Set { local, .. } => read[local],
                    _ => {
                        !inst.op.is_leaf()
                            || !matches!(inst.op.effect(), Effect::None | Effect::Read)
                    }
                };
        }
        if !retain(kernel, |id| kept[id]) {
            return;
        }
    }
}

/// Returns for each instruction whether another reachable one has it as an operand.
fn used(kernel: &Kernel) -> Facts<InstId, bool> {
    let mut used = kernel.insts.facts(false);
    kernel.walk(&mut |id| {
        for operand in kernel.insts[id].op.operands() {
            used[operand] = true;
        }
    });
    used
}

/// Drops the instructions that are not `kept`, and returns whether a body held one.
fn retain(kernel: &mut Kernel, kept: impl Fn(InstId) -> bool) -> bool {
    let mut has_dropped = false;
    for_each_body(kernel, |list| {
        let before = list.0.len();
        list.0.retain(|&id| kept(id));
        has_dropped |= list.0.len() < before;
    });
    has_dropped
}

fn for_each_body(kernel: &mut Kernel, mut edit: impl FnMut(&mut Body)) {
    edit(&mut kernel.body);
    for inst in kernel.insts.iter_mut() {
        inst.op.bodies_mut().for_each(&mut edit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random_ir::random_kernel;
    use warpwise_compiler::ir::WarpOp;

    /// A kernel of hundreds of instructions ends as one vote and its operands.
    #[test]
    fn one_vote_is_left() {
        let is_vote =
            |kernel: &Kernel, id| matches!(kernel.insts[id].op, Op::Warp(WarpOp::Vote { .. }));
        let votes = |kernel: &Kernel| kernel.insts.ids().any(|id| is_vote(kernel, id));
        let random = (0..).map(random_kernel).find(|random| votes(&random.kernel));
        let kernel = random.expect("some kernel votes").kernel;
        assert!(kernel.insts.len() > 100, "{}", kernel.insts.len());
        let reduced = reduce(&kernel, votes);
        assert!(votes(&reduced) && verify(&reduced).is_ok());
        assert!(reduced.insts.len() <= 3, "{reduced}");
    }

    /// The first value of a local stays as long as something reads it.
    #[test]
    fn locals_stay_set() {
        let text = "
            kernel k {
              local $0 = x: bool !1
              %0 = const true : bool !2
              %1 = set $0, %0 !3
              %2 = get $0 : bool !4
              %3 = vote.all %0 : bool !5
              %4 = set $0, %2 !6
              %5 = get $0 : bool !7
              %6 = vote.any %5 : bool !8
            }";
        let kernel: Kernel = text.parse().unwrap();
        let votes_on_local = |kernel: &Kernel| {
            kernel.insts.iter().any(|(_, inst)| match inst.op {
                Op::Warp(WarpOp::Vote { value, .. }) => {
                    matches!(kernel.insts[value].op, Op::Get(_))
                }
                _ => false,
            })
        };
        let reduced = reduce(&kernel, votes_on_local);
        assert!(sets_before_reading(&reduced), "{reduced}");
        assert!(reduced.insts.len() <= 4, "{reduced}");
    }
}
