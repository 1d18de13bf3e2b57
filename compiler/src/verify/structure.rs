//! Rules on bodies: where instructions stand, and what they can see from there.
use super::Errors;
use crate::{
    id::{Facts, Id},
    ir::{Body, CopyOp, InstId, Kernel, MAX_DEPTH, Op},
};
use std::fmt::Display;

pub(super) fn check<'k>(kernel: &'k Kernel, errors: &mut Errors<'k>) {
    let mut walk = Walk {
        kernel,
        errors,
        next: 0,
        ordered: true,
        placed: kernel.insts.facts(false),
        visible: kernel.insts.facts(false),
        enclosing: Vec::new(),
    };
    walk.body(&kernel.body);
    let Walk { placed, .. } = walk;
    for id in kernel.insts.ids().filter(|id| !placed[*id]) {
        errors.inst(id, "stands in no body");
    }
}

struct Walk<'a, 'k> {
    kernel: &'k Kernel,
    errors: &'a mut Errors<'k>,
    /// The number that the next instruction must have.
    next: usize,
    /// False once one was out of order, which is said once.
    ordered: bool,
    /// True for instructions that were visited already.
    placed: Facts<InstId, bool>,
    /// True for values that are visible at the current position.
    visible: Facts<InstId, bool>,
    /// The instructions whose bodies the walk is in, outermost first.
    enclosing: Vec<InstId>,
}

impl Walk<'_, '_> {
    fn body(&mut self, body: &Body) {
        let mut before = None;
        for &id in &body.0 {
            self.inst(id, before);
            before = Some(id);
        }
        for &id in &body.0 {
            if self.kernel.insts.get(id).is_some() {
                self.visible[id] = false;
            }
        }
    }

    fn exits(&self, id: InstId) -> bool {
        self.kernel.insts.get(id).is_some_and(|inst| inst.op.is_exit())
    }

    /// Checks one instruction, what stands `before` it and what it holds, and makes its
    /// value visible.
    fn inst(&mut self, id: InstId, before: Option<InstId>) {
        let Some(inst) = self.kernel.insts.get(id) else {
            return self.errors.signature(format!("a body holds {id}, which is not defined"));
        };
        if std::mem::replace(&mut self.placed[id], true) {
            return self.errors.inst(id, "stands in more than one place");
        }
        if let Some(before) = before.filter(|before| self.exits(*before)) {
            self.errors.inst(id, format!("stands behind {before}"));
        }
        self.number(id);
        self.operands(id, &inst.op);
        self.tables(id, &inst.op);
        self.target(id, &inst.op);
        self.bodies(id, &inst.op);
    }

    fn number(&mut self, id: InstId) {
        if self.ordered && id.index() != self.next {
            let expected = InstId::new(self.next);
            self.errors.inst(id, format!("is numbered out of order: {expected} is next"));
            self.ordered = false;
        }
        self.next += 1;
    }

    fn operands(&mut self, id: InstId, op: &Op) {
        op.operands().for_each(|operand| {
            if self.kernel.insts.get(operand).is_none() {
                self.errors.inst(id, format!("{operand} is not defined"));
            } else if !self.visible[operand] {
                self.errors.inst(id, format!("{operand} is not visible here"));
            }
        });
    }

    /// Ids other than operands.
    fn tables(&mut self, id: InstId, op: &Op) {
        let kernel = self.kernel;
        let (defined, name): (bool, &dyn Display) = if let Op::Param(param)
        | Op::Len(param)
        | Op::Texture { texture: param, .. }
        | Op::Copy(
            CopyOp::TensorCopy { map: param, .. } | CopyOp::TensorStore { map: param, .. },
        ) = op
        {
            (kernel.params.get(*param).is_some(), param)
        } else if let Op::Shared(shared) = op {
            (kernel.shared.get(*shared).is_some(), shared)
        } else if let Op::Array(array) = op {
            (kernel.arrays.get(*array).is_some(), array)
        } else if let Op::Get(local) | Op::Set { local, .. } = op {
            (kernel.locals.get(*local).is_some(), local)
        } else if let Op::Print { message, .. } | Op::Panic { message, .. } = op {
            (kernel.messages.get(*message).is_some(), message)
        } else if let Op::Generic(generic) = op {
            (kernel.generics.get(*generic).is_some(), generic)
        } else {
            return;
        };
        if !defined {
            self.errors.inst(id, format!("{name} is not defined"));
        }
    }

    fn target(&mut self, id: InstId, op: &Op) {
        let (target, verb, continues) = if let Op::Break(target) = op {
            (*target, "leaves", false)
        } else if let Op::Continue(target) = op {
            (*target, "continues", true)
        } else {
            return;
        };
        if !self.enclosing.contains(&target) {
            return self.errors.inst(id, format!("{verb} {target}, which does not enclose it"));
        }
        let op = &self.kernel.insts[target].op;
        let repeats = matches!(op, Op::For { .. } | Op::Loop { .. });
        if !repeats && (continues || !matches!(op, Op::Block { .. })) {
            self.errors.inst(id, format!("{verb} {target}, which it cannot"));
        }
    }

    fn bodies(&mut self, id: InstId, op: &Op) {
        if op.is_leaf() {
            self.visible[id] = true;
            return;
        }
        self.enclosing.push(id);
        let in_body = matches!(op, Op::For { .. });
        self.visible[id] = in_body;
        for body in op.bodies() {
            if self.enclosing.len() < MAX_DEPTH {
                self.body(body);
            } else {
                self.errors.inst(id, format!("nests more than {MAX_DEPTH} deep"));
            }
        }
        self.visible[id] = !in_body;
        self.enclosing.pop();
    }
}
