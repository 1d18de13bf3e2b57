//! Which copies to and from locals can be left out, and which must spare lanes.
//!
//! A local that varies is a register for the whole kernel. A `get` is that register
//! itself, if nothing sets the local while the value is needed. A value made for one
//! `set` is computed into it directly, if nothing looks at the local in between.
//!
//! A `set` that another one of the same local follows, with nothing in between that looks at it or lets
//! lanes leave, is left out: unrolled loops have such.
//!
//! A `set` inside a framed structure must [spare](Locals::spares) the lanes that wait
//! there, unless they set the local again before they read it: those that wait
//! outside the body whose first instruction on the local sets it, and those that have
//! left a loop behind which the local is not used.
use super::{live_ranges::Ranges, uniformity::Uniformity};
use warpwise_compiler::{
    id::Facts,
    ir::{Body, Effect, InstId, Kernel, LocalId, Op},
};

/// Which copies can be left out.
pub(super) struct Locals {
    alias: Facts<InstId, bool>,
    spares: Facts<InstId, bool>,
    target: Facts<InstId, Option<LocalId>>,
    done: Facts<InstId, bool>,
    unset: Facts<LocalId, bool>,
}

/// An instruction on a local.
#[derive(Clone)]
struct Access {
    inst: InstId,
    sets: bool,
    /// The arms that it is in, outermost first.
    arms: Vec<(InstId, usize)>,
}

impl Locals {
    pub(super) fn of(kernel: &Kernel, uniformity: &Uniformity, ranges: &Ranges) -> Self {
        let mut survey = Survey {
            kernel,
            uniformity,
            ranges,
            accesses: kernel.locals.cloned_facts(Vec::new()),
            continued: kernel.insts.facts(false),
            arms: Vec::new(),
            found: Self {
                alias: kernel.insts.facts(false),
                spares: kernel.insts.facts(false),
                target: kernel.insts.facts(None),
                done: kernel.insts.facts(false),
                unset: kernel.locals.facts(false),
            },
        };
        survey.find_dead(&kernel.body);
        survey.body(&kernel.body);
        for local in kernel.locals.ids().filter(|local| uniformity.local_varies(*local)) {
            survey.find_spared(local);
        }
        survey.find_targets(&kernel.body);
        for local in kernel.locals.ids().filter(|local| uniformity.local_varies(*local)) {
            survey.find_aliases(local);
        }
        survey.found
    }

    /// Whether a `get` is the local itself.
    pub(super) fn is_alias(&self, get: InstId) -> bool {
        self.alias[get]
    }

    /// Whether a `set` must leave the lanes that wait as they are.
    pub(super) fn spares(&self, set: InstId) -> bool {
        self.spares[set]
    }

    /// The local that a value is computed into.
    pub(super) fn target(&self, value: InstId) -> Option<LocalId> {
        self.target[value]
    }

    /// Whether a `set` has nothing left to do.
    pub(super) fn is_done(&self, set: InstId) -> bool {
        self.done[set]
    }

    /// Whether a local may be read before it is set.
    pub(super) fn may_be_unset(&self, local: LocalId) -> bool {
        self.unset[local]
    }
}

struct Survey<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    ranges: &'k Ranges,
    /// In the order of the text.
    accesses: Facts<LocalId, Vec<Access>>,
    /// Loops that something continues.
    continued: Facts<InstId, bool>,
    arms: Vec<(InstId, usize)>,
    found: Locals,
}

impl Survey<'_> {
    fn body(&mut self, body: &Body) {
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Get(local) = *op {
                self.access(local, id, false);
            } else if let Op::Set { local, .. } = *op
                && !self.found.done[id]
            {
                self.access(local, id, true);
            } else if let Op::Continue(target) = *op {
                self.continued[target] = true;
            }
            for (arm, inner) in op.bodies().enumerate() {
                self.arms.push((id, arm));
                self.body(inner);
                self.arms.pop();
            }
        }
    }

    /// Finds what is set and never looked at.
    fn find_dead(&mut self, body: &Body) {
        for (index, &id) in body.0.iter().enumerate() {
            let op = &self.kernel.insts[id].op;
            if let Op::Set { local, .. } = *op {
                self.found.done[id] = self.is_set_again(local, &body.0[index + 1..]);
            }
            op.bodies().for_each(|inner| self.find_dead(inner));
        }
    }

    /// Whether a local is set by the instructions that follow, and nothing looks at it before that.
    fn is_set_again(&self, local: LocalId, behind: &[InstId]) -> bool {
        let sets = |id: &InstId| {
            let op = &self.kernel.insts[*id].op;
            if let Op::Set { local: set, .. } = *op
                && set == local
            {
                return Some(true);
            }
            let looks = if let Op::Get(of) = *op { of == local } else { false };
            let may_part = op.bodies().next().is_some() || !self.keeps(*id);
            (looks || may_part).then_some(false)
        };
        behind.iter().find_map(sets).unwrap_or(false)
    }

    fn access(&mut self, local: LocalId, inst: InstId, sets: bool) {
        let arms = self.arms.clone();
        self.accesses[local].push(Access { inst, sets, arms });
    }

    fn find_spared(&mut self, local: LocalId) {
        let accesses = &self.accesses[local];
        let Some(first) = accesses.first() else { return };
        let declares =
            first.sets && accesses.iter().all(|access| access.arms.starts_with(&first.arms));
        let scope = if declares { first.arms.len() } else { 0 };
        self.found.unset[local] = !declares;
        for set in accesses.iter().filter(|access| access.sets) {
            let spares =
                (scope..set.arms.len()).any(|depth| self.must_spare(accesses, set, scope, depth));
            self.found.spares[set.inst] = spares;
        }
    }

    /// Whether lanes that wait in the structure at `depth` around `set` may read the local.
    fn must_spare(&self, accesses: &[Access], set: &Access, scope: usize, depth: usize) -> bool {
        let is_loop = |id| matches!(self.kernel.insts[id].op, Op::For { .. } | Op::Loop { .. });
        let (structure, _) = set.arms[depth];
        if !self.uniformity.framed(structure) {
            return false;
        }
        // Of a loop, those wait that have left it, and those that continue it.
        let end = self.ranges.end(structure);
        let used_behind = accesses.iter().any(|access| self.ranges.position(access.inst) > end);
        let comes_again = set.arms[scope..depth].iter().any(|(around, _)| is_loop(*around));
        !is_loop(structure) || self.continued[structure] || used_behind || comes_again
    }

    /// Finds values that can be computed into the local that they are for.
    fn find_targets(&mut self, body: &Body) {
        for (index, &id) in body.0.iter().enumerate() {
            if let Op::Set { local, value } = self.kernel.insts[id].op
                && !self.found.done[id]
                && self.fits(local, id, value)
                && let Some(made) = body.0[..index].iter().rposition(|inst| *inst == value)
                && body.0[made + 1..index].iter().all(|between| self.keeps(*between))
                && self.unused_between(local, value, id)
            {
                self.found.target[value] = Some(local);
                self.found.done[id] = true;
            }
            self.kernel.insts[id].op.bodies().for_each(|inner| self.find_targets(inner));
        }
    }

    /// Whether `value` is computed in lanes, for `set` only, which need not spare any.
    fn fits(&self, local: LocalId, set: InstId, value: InstId) -> bool {
        let computed = match &self.kernel.insts[value].op {
            Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Ternary { .. }
            | Op::Fma { .. } => true,
            Op::Const(_)
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Array(_)
            | Op::Builtin(_)
            | Op::MulAdd { .. }
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Bounds { .. }
            | Op::Check { .. }
            | Op::Get(_)
            | Op::Set { .. }
            | Op::Load { .. }
            | Op::Store { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Barrier { .. }
            | Op::SyncGrid
            | Op::SyncWarp { .. }
            | Op::Fence { .. }
            | Op::Shuffle { .. }
            | Op::Vote { .. }
            | Op::Match { .. }
            | Op::ActiveMask
            | Op::Reduce { .. }
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Print { .. }
            | Op::Panic { .. } => false,
        };
        computed
            && self.uniformity.local_varies(local)
            && self.uniformity.varies(value)
            && self.ranges.root(value) == value
            && self.ranges.uses(value) == 1
            && !self.found.spares[set]
    }

    /// Whether every lane that comes to an instruction goes on behind it, or ends.
    fn keeps(&self, inst: InstId) -> bool {
        self.kernel.insts[inst].op.effect() != Effect::Control
    }

    /// Whether nothing looks at the local, or at what it was, between `value` and `set`.
    fn unused_between(&self, local: LocalId, value: InstId, set: InstId) -> bool {
        let (made, used) = (self.ranges.position(value), self.ranges.position(set));
        self.accesses[local].iter().all(|access| {
            let at = self.ranges.position(access.inst);
            let still_needed = !access.sets && at < made && self.ranges.last(access.inst) > made;
            (at < made && !still_needed) || at >= used
        })
    }

    /// Finds the `get`s during whose life nothing sets the local.
    fn find_aliases(&mut self, local: LocalId) {
        let accesses = &self.accesses[local];
        // A `set` that is done already was done where its value was computed.
        let set_at = |set: &Access| {
            let op = &self.kernel.insts[set.inst].op;
            let done = op.operands().next().filter(|_| self.found.done[set.inst]);
            self.ranges.position(done.unwrap_or(set.inst))
        };
        let sets: Vec<_> = accesses.iter().filter(|access| access.sets).map(set_at).collect();
        for get in accesses.iter().filter(|access| !access.sets) {
            let life = self.ranges.position(get.inst) + 1..self.ranges.last(get.inst);
            self.found.alias[get.inst] = !sets.iter().any(|set| life.contains(set));
        }
    }
}
