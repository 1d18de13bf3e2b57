//! Guards: `if c { … } else { break }` becomes `if !c { break } …`.
//!
//! The optimizer leaves a `while` in the first form. After a guard no lane waits for a second arm,
//! so that locals need not [preserve](super::locals::Locals::preserves_waiting) waiting lanes, and
//! a loop that begins with a guard may be [counted](super::counted_loops). Where threads
//! synchronize in the arm, waiting lanes may continue alone; such a branch stays as it is if that
//! is observable.
use super::{affine::contains_sync, rewritten::Rewritten};
use warpwise_compiler::{
    id::Facts,
    ir::{Body, InstId, Kernel, Op},
};

/// Converts branches of which one arm only leaves to guards.
pub(super) fn make_guards(rewritten: &mut Rewritten<'_>) {
    let kernel = rewritten.kernel();
    let (mut found, mut guards) = (false, kernel.insts.facts(false));
    kernel.walk(&mut |id| {
        guards[id] = is_guard(kernel, id) && may_move(rewritten, id);
        found |= guards[id];
    });
    if !found {
        return;
    }
    let kernel = rewritten.kernel_mut();
    let body = std::mem::take(&mut kernel.body);
    kernel.body = move_arms_after_guards(kernel, body, &guards);
    rewritten.renumber();
}

/// Returns true for a branch with one arm that only leaves and another one that does more.
fn is_guard(kernel: &Kernel, id: InstId) -> bool {
    let Op::If { then, other, .. } = &kernel.insts[id].op else { return false };
    let only_leaves = |body: &Body| matches!(body.0[..], [only] if is_exit(kernel, only));
    (only_leaves(other) && !then.0.is_empty()) || (only_leaves(then) && !other.0.is_empty())
}

/// Returns true if moving an arm after its branch is not observable.
fn may_move(rewritten: &Rewritten<'_>, id: InstId) -> bool {
    let op = &rewritten.kernel().insts[id].op;
    !rewritten.is_observed()
        || !op.operands().any(|cond| rewritten.uniformity().varies(cond))
        || !op.bodies().any(|body| contains_sync(rewritten.kernel(), body))
}

fn is_exit(kernel: &Kernel, id: InstId) -> bool {
    matches!(kernel.insts[id].op, Op::Break(_) | Op::Continue(_) | Op::Return)
}

/// Returns the body with the arms of guards moved after them, unless other instructions are reached
/// from elsewhere.
fn move_arms_after_guards(kernel: &mut Kernel, body: Body, guards: &Facts<InstId, bool>) -> Body {
    let mut done = Vec::with_capacity(body.0.len());
    let mut rest = body.0;
    rest.reverse();
    while let Some(id) = rest.pop() {
        done.push(id);
        let is_last = rest.is_empty();
        let mut op = std::mem::replace(&mut kernel.insts[id].op, Op::Return);
        if let (true, Op::If { then, other, .. }) = (guards[id], &mut op) {
            let goes_on = |body: &Body| body.0.len() > 1 || !is_exit(kernel, body.0[0]);
            let arm = if goes_on(then) { then } else { other };
            // The instructions after the branch are reached from this arm, unless it leaves, too.
            if is_last || !arm.0.last().is_some_and(|last| is_exit(kernel, *last)) {
                rest.extend(std::mem::take(&mut arm.0).into_iter().rev());
            }
        }
        for inner in op.bodies_mut() {
            *inner = move_arms_after_guards(kernel, std::mem::take(inner), guards);
        }
        kernel.insts[id].op = op;
    }
    Body(done)
}
