//! Branches one arm of which only leaves, as guards: `if c { … } else { break }` is `if !c { break } …`.
//!
//! So optimizing leaves a `while`. Behind a guard no lanes wait for the second arm of anything, so that locals need not
//! [spare](super::locals::Locals::spares) them, and a loop that begins with one may [count](super::counted_loops).
//! Where threads meet in the other arm, lanes that wait go on by themselves; that is left as it is, if it can be seen.
use super::{affine::meets, rewritten::Rewritten};
use warpwise_compiler::{
    id::Facts,
    ir::{Body, InstId, Kernel, Op},
};

/// Makes guards of such branches.
pub(super) fn guard(rewritten: &mut Rewritten<'_>) {
    let kernel = rewritten.kernel();
    let (mut found, mut guards) = (false, kernel.insts.facts(false));
    kernel.walk(&mut |id| {
        guards[id] = is_guard(kernel, id) && may_move(rewritten, id);
        found |= guards[id];
    });
    if !found {
        return;
    }
    let kernel = rewritten.edit();
    let body = std::mem::take(&mut kernel.body);
    kernel.body = rewrite(kernel, body, &guards);
    rewritten.renumber();
}

/// Whether it is a branch with one arm that only leaves, and another one that does more.
fn is_guard(kernel: &Kernel, id: InstId) -> bool {
    let Op::If { then, other, .. } = &kernel.insts[id].op else { return false };
    let only_leaves = |body: &Body| matches!(body.0[..], [only] if leaves(kernel, only));
    (only_leaves(other) && !then.0.is_empty()) || (only_leaves(then) && !other.0.is_empty())
}

/// Whether nobody sees what an arm does behind the branch instead.
fn may_move(rewritten: &Rewritten<'_>, id: InstId) -> bool {
    let op = &rewritten.kernel().insts[id].op;
    !rewritten.is_observed()
        || !op.operands().any(|cond| rewritten.uniformity().varies(cond))
        || !op.bodies().any(|body| meets(rewritten.kernel(), body))
}

fn leaves(kernel: &Kernel, id: InstId) -> bool {
    matches!(kernel.insts[id].op, Op::Break(_) | Op::Continue(_) | Op::Return)
}

/// The body with what branches do behind them, where nothing else is.
fn rewrite(kernel: &mut Kernel, body: Body, guards: &Facts<InstId, bool>) -> Body {
    let mut done = Vec::with_capacity(body.0.len());
    let mut rest = body.0;
    rest.reverse();
    while let Some(id) = rest.pop() {
        done.push(id);
        let is_last = rest.is_empty();
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        if let (true, Op::If { then, other, .. }) = (guards[id], &mut op) {
            let goes_on = |body: &Body| body.0.len() > 1 || !leaves(kernel, body.0[0]);
            let arm = if goes_on(then) { then } else { other };
            // What is behind the branch is reached from this arm, unless that leaves, too.
            if is_last || !arm.0.last().is_some_and(|last| leaves(kernel, *last)) {
                rest.extend(std::mem::take(&mut arm.0).into_iter().rev());
            }
        }
        for inner in op.bodies_mut() {
            *inner = rewrite(kernel, std::mem::take(inner), guards);
        }
        kernel.insts[id].op = op;
    }
    Body(done)
}
