//! Sinking: moves the computation of a value that a `set` alone uses right before the `set`.
//!
//! `(x, y) = (x * x - y * y, 2.0 * x * y)` computes both values before it sets either. Right before
//! `set x` the old value of `x` is not needed any more, so that the new value is [computed into
//! it](super::locals) instead of copied there.
//!
//! An operation moves down to its only use, a `set` of the same body, if the old value of the local
//! is read in between. The move is not observable, because the operation has no effect and its
//! operands are values. An operation that reads a local that is set in between is not moved, as `b`
//! in `(a, b) = (b, a + b)`: the old value would have to be kept.
use super::rewritten::Rewritten;
use warpwise_compiler::{
    id::Facts,
    ir::{Body, InstId, Kernel, LocalId, Op},
};

/// Sinks such values.
pub(super) fn sink_values(rewritten: &mut Rewritten<'_>) {
    let kernel = rewritten.kernel();
    let mut uses = kernel.insts.facts(0_u32);
    for (_, inst) in kernel.insts.iter() {
        inst.op.operands().for_each(|operand| uses[operand] += 1);
    }
    let (before, moves) = (kernel.insts.facts(None), kernel.insts.facts(false));
    let mut search = Search { kernel, uses, before, moves, found: false };
    search.visit_body(&kernel.body);
    let Search { before, moves, found, .. } = search;
    if !found {
        return;
    }
    let body = std::mem::take(&mut rewritten.kernel_mut().body);
    rewritten.kernel_mut().body = move_values(rewritten, body, &before, &moves);
    rewritten.renumber();
}

struct Search<'k> {
    kernel: &'k Kernel,
    uses: Facts<InstId, u32>,
    /// The value to make right before each `set`.
    before: Facts<InstId, Option<InstId>>,
    /// True for such a value.
    moves: Facts<InstId, bool>,
    found: bool,
}

impl Search<'_> {
    fn visit_body(&mut self, body: &Body) {
        let mut order = body.0.clone();
        for at in 0..order.len() {
            let op = &self.kernel.insts[order[at]].op;
            if let Op::Set { local, value } = *op
                && let Some(made) = order[..at].iter().rposition(|inst| *inst == value)
                && self.can_sink(local, value, &order[made + 1..at])
            {
                self.before[order[at]] = Some(value);
                self.moves[value] = true;
                self.found = true;
                order[made..at].rotate_left(1);
            }
            op.bodies().for_each(|inner| self.visit_body(inner));
        }
    }

    /// Returns true if a value should move after the instructions between it and its `set`.
    fn can_sink(&self, local: LocalId, value: InstId, between: &[InstId]) -> bool {
        let op = &self.kernel.insts[value].op;
        let computes = matches!(
            op,
            Op::Unary { .. }
                | Op::Binary { .. }
                | Op::Compare { .. }
                | Op::Cast { .. }
                | Op::Select { .. }
                | Op::Ternary { .. }
                | Op::Fma { .. }
        );
        let get = |value: InstId| match self.kernel.insts[value].op {
            Op::Get(of) => Some(of),
            _ => None,
        };
        // An operand may be fused into its use.
        let operands = |of: InstId| self.kernel.insts[of].op.operands();
        let read = || operands(value).flat_map(|of| operands(of).chain([of])).filter_map(get);
        let looks = |inst: InstId| {
            get(inst) == Some(local) || operands(inst).any(|of| get(of) == Some(local))
        };
        let changes = |inst: InstId| match self.kernel.insts[inst].op {
            Op::Set { local: set, .. } => read().any(|of| of == set),
            _ => false,
        };
        computes
            && self.uses[value] == 1
            && self.any_nested(between, &looks)
            && !self.any_nested(between, &changes)
    }

    /// Returns true if `holds` is true for one of the instructions, or one inside of them.
    fn any_nested(&self, insts: &[InstId], holds: &impl Fn(InstId) -> bool) -> bool {
        insts.iter().any(|&inst| {
            let mut bodies = self.kernel.insts[inst].op.bodies();
            holds(inst) || bodies.any(|inner| self.any_nested(&inner.0, holds))
        })
    }
}

fn move_values(
    rewritten: &mut Rewritten<'_>,
    body: Body,
    before: &Facts<InstId, Option<InstId>>,
    moves: &Facts<InstId, bool>,
) -> Body {
    let mut done = Vec::with_capacity(body.0.len());
    for id in body.0 {
        if moves[id] {
            done.extend(
                rewritten.keeps_placeholders().then(|| rewritten.move_leaving_placeholder(id)),
            );
            continue;
        }
        done.extend(before[id]);
        done.push(id);
        let mut op = std::mem::replace(&mut rewritten.kernel_mut().insts[id].op, Op::Return);
        for inner in op.bodies_mut() {
            *inner = move_values(rewritten, std::mem::take(inner), before, moves);
        }
        rewritten.kernel_mut().insts[id].op = op;
    }
    Body(done)
}
