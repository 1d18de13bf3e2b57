//! Emission of the bytecode, in the order of the text.
mod access;
mod affine;
mod conditions;
mod control_flow;
mod count;
mod debug;
mod dot_products;
mod fused;
mod groups;
mod places;
mod program;
mod sanitize;
mod tensor;
mod values;

use super::{
    access_words::AccessWords, affine::Affinity, allocate::Allocator, conditions::Decisions,
    fuse::Fusion, live_ranges::LiveRanges, locals::Locals, rewritten::Rewritten,
    uniformity::Uniformity,
};
use crate::{
    bytecode::{Address, AtomicKind, Code, Input, Instr, Malformed, OperandChoice, When},
    translate::Instrumentation,
    vector::{
        lanes::{self, Isa, scan::AllBelow},
        registers::{Affine, Reg, Uniform},
    },
};
use affine::{LaunchValue, keeps_bits};
pub(in crate::translate) use control_flow::read_cost;
use control_flow::{ExitCounts, ExitTargets};
use count::Counting;
use program::empty_code;
use std::{cell::OnceCell, collections::HashMap};
use warpwise_compiler::{
    analysis::range,
    id::{self, Id},
    ir::{
        AtomicOp, Body, Builtin, ForRange, InstId, Kernel, LocalId, Op, ParamKind, Root, Scalar,
        Span, Ty,
    },
};

/// The results of the analyses.
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

/// Emits the bytecode of a kernel.
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
        code: empty_code(kernel, words, instrumentation)?,
        registers: Allocator::default(),
        lanes: kernel.insts.facts(None),
        uniforms: kernel.insts.facts(None),
        affines: kernel.insts.facts(None),
        launch_values: HashMap::new(),
        compared: HashMap::new(),
        loaded: HashMap::new(),
        multiplied: HashMap::new(),
        local_lanes: kernel.locals.facts(None),
        local_uniforms: kernel.locals.facts(None),
        input_slots: HashMap::new(),
        slot_inputs: Vec::new(),
        splats: HashMap::new(),
        builtins: HashMap::new(),
        labels: Vec::new(),
        targets: HashMap::new(),
        frames: 0,
        span: Span::new(0),
        counting: match instrumentation {
            Instrumentation::Counters(requests) => Some(Counting::new(rewritten, requests)),
            Instrumentation::None | Instrumentation::Sanitizer | Instrumentation::Debugger => None,
        },
        is_checked: matches!(instrumentation, Instrumentation::Sanitizer),
        is_debugged: matches!(instrumentation, Instrumentation::Debugger),
        choice: None,
        tracked_to: 0,
    };
    emitter.declare_locals()?;
    emitter.declare_arrays(words)?;
    emitter.emit_body(&kernel.body)?;
    emitter.emit(Instr::End);
    Ok(emitter.finish())
}

/// A position in the bytecode that is not yet known. Instructions refer to labels until the end.
type Label = u32;

struct Emitter<'k> {
    rewritten: &'k Rewritten<'k>,
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    affinity: &'k Affinity,
    fusion: &'k Fusion,
    decisions: &'k Decisions,
    ranges: &'k LiveRanges,
    /// The range of each integer, analyzed on demand.
    value_ranges: OnceCell<range::Ranges>,
    locals: &'k Locals,
    isa: Isa,
    code: Code,
    registers: Allocator,
    /// The locations of roots.
    lanes: id::Facts<InstId, Option<Reg>>,
    uniforms: id::Facts<InstId, Option<Uniform>>,
    affines: id::Facts<InstId, Option<Affine>>,
    /// The launch constants.
    launch_values: HashMap<LaunchValue, Uniform>,
    /// The index of each comparison of an affine value.
    compared: HashMap<InstId, u32>,
    /// The addresses of loads that are, or could be, fused into their uses.
    loaded: HashMap<InstId, Address<Affine>>,
    /// The positions of multiply-adds whose factors earlier instructions have loaded, with the
    /// index of the product.
    multiplied: HashMap<usize, u32>,
    local_lanes: id::Facts<LocalId, Option<Reg>>,
    local_uniforms: id::Facts<LocalId, Option<Uniform>>,
    input_slots: HashMap<(Input, usize), Uniform>,
    /// Per slot of a uniform value, its input if it is known before the first instruction.
    slot_inputs: Vec<Option<Input>>,
    splats: HashMap<Uniform, Reg>,
    builtins: HashMap<(Builtin, usize), Reg>,
    /// The position of each label.
    labels: Vec<u32>,
    targets: HashMap<InstId, ExitTargets>,
    /// Frames around the current instruction.
    frames: u16,
    /// The source position of the current instruction.
    span: Span,
    /// The counters, if there are any.
    counting: Option<Counting<'k>>,
    /// True if accesses are checked.
    is_checked: bool,
    /// True if points report to the debugger.
    is_debugged: bool,
    /// The choice of the next computation among its operands, if it makes one.
    choice: Option<OperandChoice>,
    /// The first of the last computations through which undefined values are not tracked yet.
    tracked_to: u32,
}

type Done = Result<(), Malformed>;

impl Emitter<'_> {
    fn malformed(&self, message: impl Into<String>) -> Malformed {
        Malformed { message: message.into(), span: self.span }
    }

    fn emit(&mut self, instr: Instr) {
        self.track_before(&instr);
        self.push(instr);
        self.restart_tracking_after(&instr);
    }

    fn push(&mut self, instr: Instr) {
        self.code.instrs.push(instr);
        self.code.spans.push(self.span);
    }

    fn new_label(&mut self) -> Label {
        self.labels.push(0);
        self.labels.len() as u32 - 1
    }

    fn bind_label(&mut self, label: Label) {
        self.track_pending();
        self.labels[label as usize] = self.code.instrs.len() as u32;
    }

    /// Replaces labels by positions.
    fn finish(self) -> Code {
        let Self { mut code, labels, registers, slot_inputs, counting, .. } = self;
        if let Some(counting) = counting {
            code.counted = counting.finish();
        }
        code.uniforms = slot_inputs.len();
        for instr in &mut code.instrs {
            for target in instr.jump_targets() {
                *target = labels[*target as usize];
            }
        }
        code.register_bytes = registers.bytes();
        code
    }

    // Instructions.

    fn emit_body(&mut self, body: &Body) -> Done {
        self.emit_yield();
        for &id in &body.0 {
            self.span = self.kernel.insts[id].span;
            self.count_inst(id);
            self.emit_point_before(id);
            self.emit_inst(id)?;
            self.emit_point_after(id);
            self.registers.release_through(self.ranges.end(id));
        }
        Ok(())
    }

    fn emit_inst(&mut self, id: InstId) -> Done {
        let kernel = self.kernel;
        let op = &kernel.insts[id].op;
        let is_for = matches!(op, Op::For { .. });
        if self.affinity.is_affine(id) && self.ranges.root(id) == id && !is_for {
            return self.emit_affine(id);
        }
        if self.fusion.is_fused_operand(id) || self.decisions.is_deferred(id) {
            return Ok(());
        }
        self.emit_computation(id)
    }

    /// Emits an instruction that is computed here.
    fn emit_computation(&mut self, id: InstId) -> Done {
        let kernel = self.kernel;
        let isa = self.isa;
        let op = &kernel.insts[id].op;
        // Fused operations come before single ones, which have an arm below for each instruction.
        if let Some(inner) = self.fusion.fused_operand(id) {
            return self.emit_fused(id, inner);
        }
        if let Some(one) = self.fusion.uniform_operand(id) {
            return self.emit_with_uniform_operand(id, one);
        }
        match op {
            Op::Const(bits) => self.bind_input(id, Input::Const(*bits)),
            Op::Param(param) => match &kernel.params[*param].kind {
                ParamKind::Scalar(_) => self.bind_input(id, Input::Param(param.index())),
                ParamKind::Slice { .. } => {
                    self.bind_input(id, Input::Const(lanes::address(param.index() as u16)))
                }
            },
            Op::Len(param) => self.bind_input(id, Input::Len(param.index())),
            Op::Shared(shared) => {
                let buffer = self.buffer_number(Root::Shared(*shared));
                self.bind_input(id, Input::Const(lanes::address(buffer)))
            }
            Op::Array(array) => {
                let buffer = self.buffer_number(Root::Array(*array));
                self.bind_input(id, Input::Const(lanes::address(buffer)))
            }
            Op::Builtin(builtin) => self.emit_builtin(id, *builtin),
            Op::Unary { op, value } => {
                let scalar = self.scalar(id)?;
                self.emit_map(id, lanes::unary(*op, scalar, isa), &[*value])
            }
            Op::Binary { op, lhs, rhs } if self.is_integer(id, *op)? => {
                self.emit_integer(id, *op, *lhs, *rhs)
            }
            Op::Binary { op, lhs, rhs } => {
                let scalar = self.scalar(id)?;
                if scalar == Scalar::Bool {
                    self.choice = OperandChoice::for_bool_op(*op);
                }
                self.emit_map(id, lanes::binary(*op, scalar, isa), &[*lhs, *rhs])
            }
            Op::Compare { op, lhs, rhs } if self.affinity.is_affine_compare(id) => {
                self.emit_compare(id, *op, *lhs, *rhs)
            }
            Op::Compare { op, lhs, rhs } => {
                let scalar = self.scalar(*lhs)?;
                self.emit_map(id, lanes::compare(*op, scalar, isa), &[*lhs, *rhs])
            }
            // A value that renames its operand.
            Op::Cast { .. } | Op::Bitcast { .. } if self.ranges.root(id) != id => Ok(()),
            Op::Cast { value } => {
                let (from, to) = (self.scalar(*value)?, self.scalar(id)?);
                if !self.varies(id) && keeps_bits(from, to) && !self.is_launch_constant(*value)? {
                    return self.emit_widening(id, *value);
                }
                self.emit_map(id, lanes::cast(from, to, isa), &[*value])
            }
            Op::Bitcast { .. } => Err(self.malformed("a bitcast between different sizes")),
            Op::Select { cond, then, other } => {
                let size = self.size(id)?;
                self.choice = Some(OperandChoice::Select);
                self.emit_map(id, Some(lanes::select(size, isa)), &[*cond, *then, *other])
            }
            Op::Fma { a, b, c }
                if self.fusion.is_fused_load(*a) && self.fusion.is_fused_load(*b) =>
            {
                if self.is_checked {
                    self.emit_fma_of_loaded(id, [*a, *b], *c)
                } else {
                    self.emit_fma_of_loads(id, [*a, *b], *c)
                }
            }
            Op::Ternary { op, a, b, c } => {
                self.emit_map(id, Some(lanes::ternary(*op, self.scalar(id)?, isa)), &[*a, *b, *c])
            }
            Op::Fma { a, b, c } => {
                let f = lanes::fma(self.scalar(id)?, isa);
                self.emit_map(id, f, &[*a, *b, *c])
            }
            Op::Generic(_) | Op::MulAdd { .. } => {
                Err(self.malformed("the kernel has generic parameters left"))
            }
            Op::Index { base, index, stride } => {
                let stride = stride.known().ok_or_else(|| self.malformed("a generic stride"))?;
                self.emit_index(id, *base, *index, stride)
            }
            Op::Offset { base, offset } => {
                let offset = offset.known().ok_or_else(|| self.malformed("a generic offset"))?;
                self.emit_offset(id, *base, offset)
            }
            Op::MapShared { ptr, rank } => {
                self.synchronizes();
                self.emit_map_shared(id, *ptr, *rank)
            }
            Op::Bounds { index, len } => {
                let all_below = AllBelow::pick(self.size(*index)?, isa);
                let (index, len) = (self.operand(*index)?, self.operand(*len)?);
                self.emit(Instr::Bounds { index, len, all_below });
                Ok(())
            }
            Op::Check { cond, fault } => {
                let cond = self.operand(*cond)?;
                self.emit(Instr::Check { cond, fault: *fault });
                Ok(())
            }
            Op::Get(local) => self.emit_get(id, *local),
            Op::Set { local, value } => self.emit_set(id, *local, *value),
            Op::Load { ptr, .. } => self.emit_load(id, *ptr),
            Op::Store { ptr, value, .. } => self.emit_store(id, *ptr, *value),
            Op::AtomicLoad { ptr, order, .. } => {
                let at = self.atomic_address(id, *ptr)?;
                let to = self.new_lanes(id)?;
                self.emit_atomic(AtomicKind::Load { to }, at, id, *order, None)
            }
            Op::AtomicStore { ptr, value, order, .. } => {
                let at = self.atomic_address(id, *ptr)?;
                let kind = AtomicKind::Store { value: self.operand(*value)? };
                self.emit_atomic(kind, at, *value, *order, None)
            }
            Op::Atomic { op, ptr, value, order, .. } => {
                let change = lanes::atomic(*op, self.scalar(id)?, self.kernel.space(*ptr));
                let change = change.ok_or_else(|| self.malformed("no such atomic operation"))?;
                let at = self.atomic_address(id, *ptr)?;
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                let adds = matches!(op, AtomicOp::Add) && self.scalar(id)?.is_int();
                let max_index = if adds { self.max_index(*ptr) } else { None };
                let kind = AtomicKind::Update { to, value, change, adds };
                self.emit_atomic(kind, at, id, *order, max_index)
            }
            Op::CompareExchange { ptr, expected, value, order, .. } => {
                let at = self.atomic_address(id, *ptr)?;
                let (expected, value) = (self.operand(*expected)?, self.operand(*value)?);
                let to = self.new_lanes(id)?;
                let kind = AtomicKind::CompareExchange { to, expected, value };
                self.emit_atomic(kind, at, id, *order, None)
            }
            Op::Copy(op) => self.emit_copy(id, op),
            Op::Sync(op) => self.emit_sync(id, op),
            Op::Warp(op) => self.emit_warp(id, op),
            Op::Matrix(op) => self.emit_matrix(id, op),
            Op::Prefetch { .. } => Ok(()),
            Op::Texture { op, texture, args, word } => {
                self.emit_texture(id, *op, *texture, args, *word)
            }
            Op::Ptx { ptx, .. } if !ptx.has_fallback => {
                Err(self.malformed("inline PTX without a fallback"))
            }
            Op::Ptx { .. } if kernel.insts[id].ty == Ty::Unit => Ok(()),
            // Nothing uses these: control takes the way of the fallback.
            Op::Ptx { .. } | Op::PtxOutput { .. } => self.bind_input(id, Input::Const(0)),
            Op::Interpreted => self.bind_input(id, Input::Const(1)),
            Op::If { cond, then, other } => self.emit_if(id, *cond, then, other),
            Op::For { start, end, step, inclusive, body } => {
                let range =
                    ForRange { start: *start, end: *end, step: *step, inclusive: *inclusive };
                if self.affinity.is_affine(id) {
                    self.emit_affine_for(id, range, body)
                } else if self.varies(id) {
                    self.emit_varying_for(id, range, body)
                } else {
                    self.emit_uniform_for(id, range, body)
                }
            }
            Op::Loop { body } => self.emit_loop(id, body),
            Op::Block { body } => self.emit_block(id, body),
            Op::Break(_) | Op::Continue(_) | Op::Return => {
                self.emit_leave(id, When::Always, ExitCounts::default())
            }
            Op::Print { message, args } => {
                let message = self.add_message(*message, args)?;
                self.emit(Instr::Print { message });
                Ok(())
            }
            Op::Panic { message, args } => {
                let message = self.add_message(*message, args)?;
                self.emit(Instr::Panic { message });
                Ok(())
            }
        }
    }
}
