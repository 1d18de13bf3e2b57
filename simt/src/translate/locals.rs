//! Copies to and from locals: the ones to elide, and the ones that must preserve waiting lanes.
//!
//! A varying local is a register for the whole kernel. A `get` is that register itself, if nothing
//! sets the local while the value is live. A value made for one `set` is computed into the register
//! directly, if nothing reads the local in between.
//!
//! A `set` that another one of the same local follows, without a read or divergence in between, is
//! elided; unrolled loops have such.
//!
//! A `set` inside a framed structure must [preserve](Locals::preserves_waiting) the lanes that wait
//! there, unless these set the local again before they read it: lanes that wait outside of the body
//! whose first access sets the local, and lanes that have left a loop after which the local is not
//! used.
use super::{live_ranges::LiveRanges, uniformity::Uniformity};
use warpwise_compiler::{
    id::Facts,
    ir::{Body, Effect, InstId, Kernel, LocalId, Op},
};

/// The copies to elide and the sets that preserve waiting lanes.
pub(super) struct Locals {
    alias: Facts<InstId, bool>,
    preserves_waiting: Facts<InstId, bool>,
    target: Facts<InstId, Option<LocalId>>,
    elided: Facts<InstId, bool>,
    unset: Facts<LocalId, bool>,
}

/// An access to a local.
#[derive(Clone)]
struct Access {
    inst: InstId,
    sets: bool,
    /// The arms around it, outermost first.
    arms: Vec<(InstId, usize)>,
}

impl Locals {
    pub(super) fn analyze(kernel: &Kernel, uniformity: &Uniformity, ranges: &LiveRanges) -> Self {
        let mut analysis = CopyAnalysis {
            kernel,
            uniformity,
            ranges,
            accesses: kernel.locals.cloned_facts(Vec::new()),
            continued: kernel.insts.facts(false),
            arms: Vec::new(),
            found: Self {
                alias: kernel.insts.facts(false),
                preserves_waiting: kernel.insts.facts(false),
                target: kernel.insts.facts(None),
                elided: kernel.insts.facts(false),
                unset: kernel.locals.facts(false),
            },
        };
        analysis.find_dead(&kernel.body);
        analysis.visit_body(&kernel.body);
        for local in kernel.locals.ids().filter(|local| uniformity.local_varies(*local)) {
            analysis.find_preserving_sets(local);
        }
        analysis.find_targets(&kernel.body);
        for local in kernel.locals.ids().filter(|local| uniformity.local_varies(*local)) {
            analysis.find_aliases(local);
        }
        analysis.found
    }

    /// Returns true if a `get` is the local's own register.
    pub(super) fn is_alias(&self, get: InstId) -> bool {
        self.alias[get]
    }

    /// Returns true if a `set` must leave waiting lanes unchanged.
    pub(super) fn preserves_waiting(&self, set: InstId) -> bool {
        self.preserves_waiting[set]
    }

    /// Returns the local into which a value is computed.
    pub(super) fn target(&self, value: InstId) -> Option<LocalId> {
        self.target[value]
    }

    /// Returns true if a `set` needs no instruction.
    pub(super) fn is_elided(&self, set: InstId) -> bool {
        self.elided[set]
    }

    /// Returns true if a local may be read before it is set.
    pub(super) fn may_be_unset(&self, local: LocalId) -> bool {
        self.unset[local]
    }
}

struct CopyAnalysis<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    ranges: &'k LiveRanges,
    /// The accesses to each local, in the order of the text.
    accesses: Facts<LocalId, Vec<Access>>,
    /// True for loops with a `continue`.
    continued: Facts<InstId, bool>,
    arms: Vec<(InstId, usize)>,
    found: Locals,
}

impl CopyAnalysis<'_> {
    fn visit_body(&mut self, body: &Body) {
        for &id in &body.0 {
            let op = &self.kernel.insts[id].op;
            if let Op::Get(local) = *op {
                self.record_access(local, id, false);
            } else if let Op::Set { local, .. } = *op
                && !self.found.elided[id]
            {
                self.record_access(local, id, true);
            } else if let Op::Continue(target) = *op {
                self.continued[target] = true;
            }
            for (arm, inner) in op.bodies().enumerate() {
                self.arms.push((id, arm));
                self.visit_body(inner);
                self.arms.pop();
            }
        }
    }

    /// Finds sets whose value is never read.
    fn find_dead(&mut self, body: &Body) {
        for (index, &id) in body.0.iter().enumerate() {
            let op = &self.kernel.insts[id].op;
            if let Op::Set { local, .. } = *op {
                self.found.elided[id] = self.is_set_again(local, &body.0[index + 1..]);
            }
            op.bodies().for_each(|inner| self.find_dead(inner));
        }
    }

    /// Returns true if the instructions that follow set a local again before they read it.
    fn is_set_again(&self, local: LocalId, after: &[InstId]) -> bool {
        let sets = |id: &InstId| {
            let op = &self.kernel.insts[*id].op;
            if let Op::Set { local: set, .. } = *op
                && set == local
            {
                return Some(true);
            }
            let looks = if let Op::Get(of) = *op { of == local } else { false };
            let may_part = op.bodies().next().is_some() || !self.does_not_diverge(*id);
            (looks || may_part).then_some(false)
        };
        after.iter().find_map(sets).unwrap_or(false)
    }

    fn record_access(&mut self, local: LocalId, inst: InstId, sets: bool) {
        let arms = self.arms.clone();
        self.accesses[local].push(Access { inst, sets, arms });
    }

    fn find_preserving_sets(&mut self, local: LocalId) {
        let accesses = &self.accesses[local];
        let Some(first) = accesses.first() else { return };
        let declares =
            first.sets && accesses.iter().all(|access| access.arms.starts_with(&first.arms));
        let scope = if declares { first.arms.len() } else { 0 };
        self.found.unset[local] = !declares;
        for set in accesses.iter().filter(|access| access.sets) {
            let preserves_waiting = (scope..set.arms.len())
                .any(|depth| self.may_waiting_lanes_read(accesses, set, scope, depth));
            self.found.preserves_waiting[set.inst] = preserves_waiting;
        }
    }

    /// Returns true if lanes that wait in the structure at `depth` around `set` may read the local.
    fn may_waiting_lanes_read(
        &self,
        accesses: &[Access],
        set: &Access,
        scope: usize,
        depth: usize,
    ) -> bool {
        let is_loop = |id| matches!(self.kernel.insts[id].op, Op::For { .. } | Op::Loop { .. });
        let (structure, _) = set.arms[depth];
        if !self.uniformity.is_framed(structure) {
            return false;
        }
        // In a loop, the waiting lanes have left it or continue it.
        let end = self.ranges.end(structure);
        let used_behind = accesses.iter().any(|access| self.ranges.position(access.inst) > end);
        let comes_again = set.arms[scope..depth].iter().any(|(around, _)| is_loop(*around));
        !is_loop(structure) || self.continued[structure] || used_behind || comes_again
    }

    /// Finds values that can be computed into their local.
    fn find_targets(&mut self, body: &Body) {
        for (index, &id) in body.0.iter().enumerate() {
            if let Op::Set { local, value } = self.kernel.insts[id].op
                && !self.found.elided[id]
                && self.can_target(local, id, value)
                && let Some(made) = body.0[..index].iter().rposition(|inst| *inst == value)
                && body.0[made + 1..index].iter().all(|between| self.does_not_diverge(*between))
                && self.unused_between(local, value, id)
            {
                self.found.target[value] = Some(local);
                self.found.elided[id] = true;
            }
            self.kernel.insts[id].op.bodies().for_each(|inner| self.find_targets(inner));
        }
    }

    /// Returns true if `value` is computed in lanes, for `set` only, which need not preserve any.
    fn can_target(&self, local: LocalId, set: InstId, value: InstId) -> bool {
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
            | Op::MapShared { .. }
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
            | Op::Sync(_)
            | Op::Copy(_)
            | Op::Prefetch { .. }
            | Op::Matrix(_)
            | Op::Warp(_)
            | Op::Texture { .. }
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
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
            && !self.found.preserves_waiting[set]
    }

    /// Returns true if every lane that reaches an instruction continues after it, or ends.
    fn does_not_diverge(&self, inst: InstId) -> bool {
        self.kernel.insts[inst].op.effect() != Effect::Control
    }

    /// Returns true if nothing reads the local, or its old value, between `value` and `set`.
    fn unused_between(&self, local: LocalId, value: InstId, set: InstId) -> bool {
        let (made, used) = (self.ranges.position(value), self.ranges.position(set));
        self.accesses[local].iter().all(|access| {
            let at = self.ranges.position(access.inst);
            let still_needed =
                !access.sets && at < made && self.ranges.last_use(access.inst) > made;
            (at < made && !still_needed) || at >= used
        })
    }

    /// Finds the `get`s during whose live range nothing sets the local.
    fn find_aliases(&mut self, local: LocalId) {
        let accesses = &self.accesses[local];
        // An elided `set` happens where its value is computed.
        let set_at = |set: &Access| {
            let op = &self.kernel.insts[set.inst].op;
            let elided = op.operands().next().filter(|_| self.found.elided[set.inst]);
            self.ranges.position(elided.unwrap_or(set.inst))
        };
        let sets: Vec<_> = accesses.iter().filter(|access| access.sets).map(set_at).collect();
        for get in accesses.iter().filter(|access| !access.sets) {
            let life = self.ranges.position(get.inst) + 1..self.ranges.last_use(get.inst);
            self.found.alias[get.inst] = !sets.iter().any(|set| life.contains(set));
        }
    }
}
