//! The steps of a kernel, in the order of the text.
mod access;
mod affine;
mod checks;
mod conditions;
mod control_flow;
mod count;
mod debug;
mod fused;
mod places;
mod program;
mod sums;
mod values;

use super::{
    access_words::AccessWords, affine::Affinity, allocate::Allocator, conditions::Decisions,
    fuse::Fusion, live_ranges::LiveRanges, locals::Locals, rewritten::Rewritten,
    uniformity::Uniformity,
};
use crate::{
    bytecode::{
        Address, AtomicKind, Change, Code, Input, Instr, Malformed, OperandChoice, WarpOp, When,
    },
    translate::Instrumentation,
    vector::{
        lanes::{self, Isa, scan::AllBelow},
        registers::{Affine, Reg, Uniform},
    },
};
use affine::{Launched, keeps_bits};
pub(in crate::translate) use control_flow::cost_of_reading;
use control_flow::{MayLeave, Range, Target};
use count::Counting;
use program::code_of;
use std::{cell::OnceCell, collections::HashMap};
use warpwise_compiler::{
    analysis::range,
    id::{self, Id},
    ir::{AtomicOp, Body, Builtin, InstId, Kernel, LocalId, Op, ParamKind, Root, Scalar, Span},
};

/// What is known of a kernel.
#[derive(Clone, Copy)]
pub(super) struct Analyses<'k> {
    pub(super) uniformity: &'k Uniformity,
    pub(super) affinity: &'k Affinity,
    pub(super) fusion: &'k Fusion,
    pub(super) decisions: &'k Decisions,
    pub(super) ranges: &'k LiveRanges,
    pub(super) locals: &'k Locals,
    pub(super) words: &'k AccessWords,
}

/// Lowers a kernel by what is known of it.
pub(super) fn emit(
    rewritten: &Rewritten<'_>,
    analyses: Analyses<'_>,
    isa: Isa,
    instrumentation: Instrumentation,
) -> Result<Code, Malformed> {
    let kernel = rewritten.kernel();
    let Analyses { uniformity, affinity, fusion, decisions, ranges, locals, words } = analyses;
    let mut emitter = Emitter {
        rewritten,
        kernel,
        uniformity,
        affinity,
        fusion,
        decisions,
        ranges,
        value_ranges: OnceCell::new(),
        locals,
        isa,
        code: code_of(kernel, words)?,
        registers: Allocator::default(),
        lanes: kernel.insts.facts(None),
        uniforms: kernel.insts.facts(None),
        affines: kernel.insts.facts(None),
        launched: HashMap::new(),
        compared: HashMap::new(),
        loaded: HashMap::new(),
        multiplied: HashMap::new(),
        local_lanes: kernel.locals.facts(None),
        local_uniforms: kernel.locals.facts(None),
        given: HashMap::new(),
        stands: Vec::new(),
        splats: HashMap::new(),
        builtins: HashMap::new(),
        labels: Vec::new(),
        targets: HashMap::new(),
        frames: 0,
        span: Span::new(0),
        counting: match instrumentation {
            Instrumentation::Counters(requests) => Some(Counting::of(rewritten, requests)),
            Instrumentation::None | Instrumentation::Sanitizer | Instrumentation::Debugger => None,
        },
        watching: matches!(instrumentation, Instrumentation::Sanitizer),
        traced: matches!(instrumentation, Instrumentation::Debugger),
        choice: None,
        followed: 0,
    };
    emitter.declare_locals()?;
    emitter.declare_arrays(words)?;
    emitter.body(&kernel.body)?;
    emitter.step(Instr::End);
    Ok(emitter.finish())
}

/// A place in the program that is not known yet. Steps name labels until the end.
type Label = u32;

struct Emitter<'k> {
    rewritten: &'k Rewritten<'k>,
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    affinity: &'k Affinity,
    fusion: &'k Fusion,
    decisions: &'k Decisions,
    ranges: &'k LiveRanges,
    /// The range of each integer, once an access asks for one.
    value_ranges: OnceCell<range::Ranges>,
    locals: &'k Locals,
    isa: Isa,
    code: Code,
    registers: Allocator,
    /// Where the values of roots are.
    lanes: id::Facts<InstId, Option<Reg>>,
    uniforms: id::Facts<InstId, Option<Uniform>>,
    affines: id::Facts<InstId, Option<Affine>>,
    /// What is computed once for each launch.
    launched: HashMap<Launched, Uniform>,
    /// The number of each comparison of an affine value.
    compared: HashMap<InstId, u32>,
    /// Loads that are made by what uses them, or could be.
    loaded: HashMap<InstId, Address<Affine>>,
    /// The steps that add products of what steps before have loaded, with the number of the product.
    multiplied: HashMap<usize, u32>,
    local_lanes: id::Facts<LocalId, Option<Reg>>,
    local_uniforms: id::Facts<LocalId, Option<Uniform>>,
    given: HashMap<(Input, usize), Uniform>,
    /// Which slots have their value before the first step.
    stands: Vec<Option<Input>>,
    splats: HashMap<Uniform, Reg>,
    builtins: HashMap<(Builtin, usize), Reg>,
    /// Which step each label stands for.
    labels: Vec<u32>,
    targets: HashMap<InstId, Target>,
    /// Frames around the current step.
    frames: u16,
    /// Of the current instruction.
    span: Span,
    /// What is counted, if something is.
    counting: Option<Counting<'k>>,
    /// Whether accesses are checked.
    watching: bool,
    /// Whether steps tell what threads do.
    traced: bool,
    /// How the next step that computes chooses among its operands, if it does.
    choice: Option<OperandChoice>,
    /// The first of the last steps that only compute, through which nothing undefined is followed yet.
    followed: u32,
}

type Done = Result<(), Malformed>;

impl Emitter<'_> {
    fn malformed(&self, message: impl Into<String>) -> Malformed {
        Malformed { message: message.into(), span: self.span }
    }

    fn step(&mut self, step: Instr) {
        self.follow_before(&step);
        self.push(step);
        self.follow_from(&step);
    }

    fn push(&mut self, step: Instr) {
        self.code.instrs.push(step);
        self.code.spans.push(self.span);
    }

    fn label(&mut self) -> Label {
        self.labels.push(0);
        self.labels.len() as u32 - 1
    }

    fn bind(&mut self, label: Label) {
        self.follow_pending();
        self.labels[label as usize] = self.code.instrs.len() as u32;
    }

    /// Replaces labels by the steps that they stand for.
    fn finish(self) -> Code {
        let Self { mut code, labels, registers, stands, counting, .. } = self;
        if let Some(counting) = counting {
            code.counted = counting.finish();
        }
        code.uniforms = stands.len();
        for step in &mut code.instrs {
            for target in step.jump_targets() {
                *target = labels[*target as usize];
            }
        }
        code.register_bytes = registers.bytes();
        code
    }

    // Instructions.

    fn body(&mut self, body: &Body) -> Done {
        self.turn();
        for &id in &body.0 {
            self.span = self.kernel.insts[id].span;
            self.count_inst(id);
            self.before(id);
            self.inst(id)?;
            self.behind(id);
            self.registers.release_through(self.ranges.end(id));
        }
        Ok(())
    }

    fn inst(&mut self, id: InstId) -> Done {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        let is_for = matches!(op, Op::For { .. });
        if self.affinity.is_affine(id) && self.ranges.root(id) == id && !is_for {
            return self.affine(id);
        }
        if self.fusion.is_fused_operand(id) || self.decisions.is_deferred(id) {
            return Ok(());
        }
        self.compute(id)
    }

    /// The steps of an instruction that is computed here.
    fn compute(&mut self, id: InstId) -> Done {
        let kernel = self.kernel;
        let isa = self.isa;
        let op = &kernel.insts[id].op;
        if let Some(inner) = self.fusion.fused_operand(id) {
            return self.fused(id, inner);
        }
        if let Some(one) = self.fusion.uniform_operand(id) {
            return self.with_one(id, one);
        }
        match op {
            Op::Const(bits) => self.known(id, Input::Const(*bits)),
            Op::Param(param) => match &kernel.params[*param].kind {
                ParamKind::Scalar(_) => self.known(id, Input::Param(param.index())),
                ParamKind::Slice { .. } => {
                    self.known(id, Input::Const(lanes::address(param.index() as u16)))
                }
            },
            Op::Len(param) => self.known(id, Input::Len(param.index())),
            Op::Shared(shared) => {
                let buffer = self.buffer(Root::Shared(*shared));
                self.known(id, Input::Const(lanes::address(buffer)))
            }
            Op::Array(array) => {
                let buffer = self.buffer(Root::Array(*array));
                self.known(id, Input::Const(lanes::address(buffer)))
            }
            Op::Builtin(builtin) => self.builtin(id, *builtin),
            Op::Unary { op, value } => {
                let scalar = self.scalar(id)?;
                self.map(id, lanes::unary(*op, scalar, isa), &[*value])
            }
            Op::Binary { op, lhs, rhs } if self.is_integer(id, *op)? => {
                self.integer(id, *op, *lhs, *rhs)
            }
            Op::Binary { op, lhs, rhs } => {
                let scalar = self.scalar(id)?;
                if scalar == Scalar::Bool {
                    self.choice = OperandChoice::for_bool_op(*op);
                }
                self.map(id, lanes::binary(*op, scalar, isa), &[*lhs, *rhs])
            }
            Op::Compare { op, lhs, rhs } if self.affinity.is_affine_compare(id) => {
                self.compare(id, *op, *lhs, *rhs)
            }
            Op::Compare { op, lhs, rhs } => {
                let scalar = self.scalar(*lhs)?;
                self.map(id, lanes::compare(*op, scalar, isa), &[*lhs, *rhs])
            }
            // The operand under another name.
            Op::Cast { .. } | Op::Bitcast { .. } if self.ranges.root(id) != id => Ok(()),
            Op::Cast { value } => {
                let (from, to) = (self.scalar(*value)?, self.scalar(id)?);
                if !self.varies(id) && keeps_bits(from, to) && !self.is_launched(*value)? {
                    return self.widen(id, *value);
                }
                self.map(id, lanes::cast(from, to, isa), &[*value])
            }
            Op::Bitcast { .. } => Err(self.malformed("a bitcast between different sizes")),
            Op::Select { cond, then, other } => {
                let size = self.size(id)?;
                self.choice = Some(OperandChoice::Select);
                self.map(id, Some(lanes::select(size, isa)), &[*cond, *then, *other])
            }
            Op::Fma { a, b, c }
                if self.fusion.is_fused_load(*a) && self.fusion.is_fused_load(*b) =>
            {
                if self.watching {
                    self.fma_of_loaded(id, [*a, *b], *c)
                } else {
                    self.fma_loaded(id, [*a, *b], *c)
                }
            }
            Op::Ternary { op, a, b, c } => {
                self.map(id, Some(lanes::ternary(*op, self.scalar(id)?, isa)), &[*a, *b, *c])
            }
            Op::Fma { a, b, c } => {
                let f = lanes::fma(self.scalar(id)?, isa);
                self.map(id, f, &[*a, *b, *c])
            }
            Op::Generic(_) | Op::MulAdd { .. } => {
                Err(self.malformed("the kernel has generic parameters left"))
            }
            Op::Index { base, index, stride } => {
                let stride = stride.known().ok_or_else(|| self.malformed("a generic stride"))?;
                self.index(id, *base, *index, stride)
            }
            Op::Offset { base, offset } => {
                let offset = offset.known().ok_or_else(|| self.malformed("a generic offset"))?;
                self.offset(id, *base, offset)
            }
            Op::Bounds { index, len } => {
                let all_below = AllBelow::pick(self.size(*index)?, isa);
                let (index, len) = (self.operand(*index)?, self.operand(*len)?);
                self.step(Instr::Bounds { index, len, all_below });
                Ok(())
            }
            Op::Check { cond, fault } => {
                let cond = self.operand(*cond)?;
                self.step(Instr::Check { cond, fault: *fault });
                Ok(())
            }
            Op::Get(local) => self.get(id, *local),
            Op::Set { local, value } => self.set(id, *local, *value),
            Op::Load { ptr } => self.load(id, *ptr),
            Op::Store { ptr, value } => self.store(id, *ptr, *value),
            Op::AtomicLoad { ptr, order, .. } => {
                let at = self.address(id, *ptr)?;
                self.count_request(id, *ptr, at);
                self.watch(id, *ptr, at, None);
                let to = self.new_lanes(id)?;
                self.atomic(AtomicKind::Load { to }, at, id, *order, None)
            }
            Op::AtomicStore { ptr, value, order, .. } => {
                let at = self.address(id, *ptr)?;
                self.count_request(id, *ptr, at);
                self.watch(id, *ptr, at, None);
                let what = AtomicKind::Store { value: self.operand(*value)? };
                self.atomic(what, at, *value, *order, None)
            }
            Op::Atomic { op, ptr, value, order, .. } => {
                let change = lanes::atomic(*op, self.scalar(id)?, self.kernel.space(*ptr));
                let change = change.ok_or_else(|| self.malformed("no such atomic operation"))?;
                let at = self.address(id, *ptr)?;
                self.count_request(id, *ptr, at);
                self.watch(id, *ptr, at, None);
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                let adds = matches!(op, AtomicOp::Add) && self.scalar(id)?.is_int();
                let max_index = if adds { self.max_index(*ptr) } else { None };
                let what = AtomicKind::Update { to, value, change, adds };
                self.atomic(what, at, id, *order, max_index)
            }
            Op::CompareExchange { ptr, expected, value, order, .. } => {
                let at = self.address(id, *ptr)?;
                self.count_request(id, *ptr, at);
                self.watch(id, *ptr, at, None);
                let (expected, value) = (self.operand(*expected)?, self.operand(*value)?);
                let to = self.new_lanes(id)?;
                let what = AtomicKind::CompareExchange { to, expected, value };
                self.atomic(what, at, id, *order, None)
            }
            Op::Barrier { reduce: None } => {
                self.step(Instr::Barrier { reduce: None });
                Ok(())
            }
            Op::Barrier { reduce: Some((op, value)) } => {
                let value = self.operand(*value)?;
                let to = self.new_uniform(id)?;
                self.step(Instr::Barrier { reduce: Some((*op, value, to)) });
                self.spread(id)
            }
            Op::SyncGrid => {
                self.step(Instr::SyncGrid);
                self.code.syncs_grid = true;
                Ok(())
            }
            Op::SyncWarp { mask } => self.warp(WarpOp::Sync, *mask),
            Op::Fence { scope } => {
                self.watch_fence(*scope);
                self.step(Instr::Fence);
                Ok(())
            }
            Op::Shuffle { op, value, lane, width, mask } => {
                let (value, lane) = (self.operand(*value)?, self.operand(*lane)?);
                let to = self.new_lanes(id)?;
                let width = width.known().ok_or_else(|| self.malformed("a generic width"))? as u32;
                self.warp(WarpOp::Shuffle { op: *op, to, value, lane, width }, *mask)
            }
            Op::Vote { op, value, mask } => {
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.warp(WarpOp::Vote { op: *op, to, value }, *mask)
            }
            Op::Match { op, value, mask } => {
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.warp(WarpOp::Match { op: *op, to, value }, *mask)
            }
            Op::ActiveMask => {
                let to = self.new_lanes(id)?;
                self.changes(Change::Company);
                self.step(Instr::ActiveMask { to });
                Ok(())
            }
            Op::Reduce { op, value, mask } => {
                let combine = lanes::atomic(op.update(), self.scalar(id)?, None);
                let combine = combine.ok_or_else(|| self.malformed("no such reduction"))?;
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.warp(WarpOp::Reduce { combine, to, value }, *mask)
            }
            Op::If { cond, then, other } => self.if_(id, *cond, then, other),
            Op::For { start, end, step, inclusive, body } => {
                let range = Range { start: *start, end: *end, step: *step, inclusive: *inclusive };
                if self.affinity.is_affine(id) {
                    self.for_affine(id, range, body)
                } else if self.varies(id) {
                    self.for_lanes(id, range, body)
                } else {
                    self.for_uniform(id, range, body)
                }
            }
            Op::Loop { body } => self.loop_(id, body),
            Op::Block { body } => self.block(id, body),
            Op::Break(_) | Op::Continue(_) | Op::Return => {
                self.leave(id, When::Always, MayLeave::default())
            }
            Op::Print { message, args } => {
                let message = self.message(*message, args)?;
                self.step(Instr::Print { message });
                Ok(())
            }
            Op::Panic { message, args } => {
                let message = self.message(*message, args)?;
                self.step(Instr::Panic { message });
                Ok(())
            }
        }
    }
}
