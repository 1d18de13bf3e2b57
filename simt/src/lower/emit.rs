//! The steps of a kernel, in the order of the text.
use super::{allocate::Allocator, locals::Locals, ranges::Ranges, uniformity::Uniformity};
use crate::{
    block::PATIENCE,
    lanes::{
        self, Isa, LaneFn,
        scan::{AllBelow, Transfer},
    },
    program::{
        Address, Atomic, AtomicKind, Code, Given, Leave, Malformed, Operand, Preset, Step, WarpOp,
        When,
    },
    registers::{Reg, Uniform},
};
use std::collections::HashMap;
use warpwise_compiler::{
    id::{Facts, Id},
    ir::{
        BinaryOp, Body, Builtin, CompareOp, InstId, Kernel, LocalId, Op, Order, ParamKind, Scalar,
        Span, Ty,
    },
};

/// Lowers `kernel` by what is known of it.
pub(super) fn emit(
    kernel: &Kernel,
    uniformity: &Uniformity,
    ranges: &Ranges,
    locals: &Locals,
    isa: Isa,
) -> Result<Code, Malformed> {
    let mut emitter = Emitter {
        kernel,
        uniformity,
        ranges,
        locals,
        isa,
        code: code_of(kernel)?,
        registers: Allocator::default(),
        lanes: kernel.insts.facts(None),
        uniforms: kernel.insts.facts(None),
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
    };
    emitter.declare_locals()?;
    emitter.body(&kernel.body)?;
    emitter.step(Step::End);
    Ok(emitter.finish())
}

/// Bytes of a shared array, far beyond what any GPU has.
const SHARED_LIMIT: u64 = 16 << 20;

/// A program without steps.
fn code_of(kernel: &Kernel) -> Result<Code, Malformed> {
    let signature = |message: &str| Malformed { message: message.into(), span: Span::new(0) };
    let mut shared = Vec::new();
    for (_, array) in kernel.shared.iter() {
        let size = array.elem.size().ok_or_else(|| signature("a shared array of generic type"))?;
        let len = array.len.known().ok_or_else(|| signature("a shared array of generic length"))?;
        let bytes = len.checked_mul(size.into()).filter(|bytes| *bytes <= SHARED_LIMIT);
        let bytes = bytes.ok_or_else(|| signature("a shared array of more than 16 MiB"))?;
        shared.push((size, bytes));
    }
    let buffers = kernel.params.len() + kernel.shared.len();
    if buffers > usize::from(u16::MAX) {
        return Err(signature("more than 65535 parameters and shared arrays"));
    }
    let block = match &kernel.block {
        Some([x, y, z]) => match (x.known(), y.known(), z.known()) {
            (Some(x), Some(y), Some(z)) => Some([x, y, z]),
            _ => return Err(signature("a block of generic size")),
        },
        None => None,
    };
    Ok(Code {
        params: kernel.params.iter().map(|(_, param)| param.kind).collect(),
        block,
        shared,
        steps: Vec::new(),
        spans: Vec::new(),
        atomics: Vec::new(),
        uniforms: 0,
        given: Vec::new(),
        preset: Vec::new(),
        register_bytes: 0,
    })
}

/// A place in the program that is not known yet. Steps name labels until the end.
type Label = u32;

/// Where `break` and `continue` lead.
#[derive(Clone, Copy)]
struct Target {
    /// Of a framed structure.
    frame: Option<u16>,
    next: Label,
    end: Label,
}

struct Emitter<'k> {
    kernel: &'k Kernel,
    uniformity: &'k Uniformity,
    ranges: &'k Ranges,
    locals: &'k Locals,
    isa: Isa,
    code: Code,
    registers: Allocator,
    /// Where the values of roots are.
    lanes: Facts<InstId, Option<Reg>>,
    uniforms: Facts<InstId, Option<Uniform>>,
    local_lanes: Facts<LocalId, Option<Reg>>,
    local_uniforms: Facts<LocalId, Option<Uniform>>,
    given: HashMap<(Given, usize), Uniform>,
    /// Which slots have their value before the first step.
    stands: Vec<Option<Given>>,
    splats: HashMap<Uniform, Reg>,
    builtins: HashMap<(Builtin, usize), Reg>,
    /// Which step each label stands for.
    labels: Vec<u32>,
    targets: HashMap<InstId, Target>,
    /// Frames around the current step.
    frames: u16,
    /// Of the current instruction.
    span: Span,
}

type Done = Result<(), Malformed>;

impl Emitter<'_> {
    fn malformed(&self, message: impl Into<String>) -> Malformed {
        Malformed { message: message.into(), span: self.span }
    }

    fn step(&mut self, step: Step) {
        self.code.steps.push(step);
        self.code.spans.push(self.span);
    }

    fn label(&mut self) -> Label {
        self.labels.push(0);
        self.labels.len() as u32 - 1
    }

    fn bind(&mut self, label: Label) {
        self.labels[label as usize] = self.code.steps.len() as u32;
    }

    /// Replaces labels by the steps that they stand for.
    fn finish(self) -> Code {
        let Self { mut code, labels, registers, stands, .. } = self;
        code.uniforms = stands.len();
        for step in &mut code.steps {
            for target in step.targets() {
                *target = labels[*target as usize];
            }
        }
        code.register_bytes = registers.bytes();
        code
    }

    // Types and places of values.

    fn scalar(&self, value: InstId) -> Result<Scalar, Malformed> {
        match self.kernel.insts[value].ty {
            Ty::Scalar(scalar) => Ok(scalar),
            Ty::Ptr(_) => Ok(Scalar::U64),
            Ty::Unit => Err(self.malformed(format!("{value} has no value"))),
        }
    }

    fn size(&self, value: InstId) -> Result<usize, Malformed> {
        self.size_of(self.scalar(value)?)
    }

    fn size_of(&self, scalar: Scalar) -> Result<usize, Malformed> {
        let size = scalar.size().ok_or_else(|| self.malformed("a generic type"))?;
        Ok(size as usize)
    }

    fn varies(&self, value: InstId) -> bool {
        self.uniformity.varies(value)
    }

    /// A slot for a uniform value.
    fn slot(&mut self, size: usize) -> Uniform {
        self.stands.push(None);
        Uniform::new(self.stands.len() as u32 - 1, size)
    }

    /// A uniform value that stands before the first step.
    fn given(&mut self, given: Given, size: usize) -> Uniform {
        if let Some(known) = self.given.get(&(given, size)) {
            return *known;
        }
        let slot = self.slot(size);
        self.stands[slot.slot()] = Some(given);
        self.code.given.push((slot, given));
        self.given.insert((given, size), slot);
        slot
    }

    fn constant(&mut self, bits: u64, size: usize) -> Uniform {
        self.given(Given::Const(bits), size)
    }

    /// A register that holds a given value in each lane; `None` if it is not given.
    fn given_lanes(&mut self, from: Uniform) -> Option<Reg> {
        if let Some(known) = self.splats.get(&from) {
            return Some(*known);
        }
        let given = self.stands[from.slot()]?;
        let reg = self.registers.forever(from.size());
        self.code.preset.push((reg, Preset::Splat(from, given)));
        self.splats.insert(from, reg);
        Some(reg)
    }

    /// A register that holds a constant in each lane.
    fn constant_lanes(&mut self, bits: u64, size: usize) -> Result<Reg, Malformed> {
        let constant = self.constant(bits, size);
        self.given_lanes(constant).ok_or_else(|| self.malformed("no constant"))
    }

    /// A value in lanes.
    fn lanes(&mut self, value: InstId) -> Result<Reg, Malformed> {
        let root = self.ranges.root(value);
        if let Some(reg) = self.lanes[root] {
            return Ok(reg);
        }
        let missing = self.malformed(format!("{value} is used where it is not visible"));
        let uniform = self.uniforms[root].ok_or(missing.clone())?;
        self.given_lanes(uniform).ok_or(missing)
    }

    /// A value that is uniform.
    fn uniform(&self, value: InstId) -> Result<Uniform, Malformed> {
        let missing = || self.malformed(format!("{value} is used where it is not visible"));
        self.uniforms[self.ranges.root(value)].ok_or_else(missing)
    }

    /// A value wherever it is.
    fn operand(&mut self, value: InstId) -> Result<Operand, Malformed> {
        if self.varies(value) {
            self.lanes(value).map(Operand::Lanes)
        } else {
            self.uniform(value).map(Operand::Uniform)
        }
    }

    /// A register for the value of `id`, which varies.
    fn new_lanes(&mut self, id: InstId) -> Result<Reg, Malformed> {
        let reg = match self.locals.target(id).and_then(|local| self.local_lanes[local]) {
            Some(local) => local,
            None => self.registers.until(self.ranges.last(id), self.size(id)?),
        };
        self.lanes[id] = Some(reg);
        Ok(reg)
    }

    /// A register until the current instruction is done.
    fn temporary(&mut self, id: InstId, size: usize) -> Reg {
        self.registers.until(self.ranges.end(id), size)
    }

    /// A slot for the value of `id`, which is uniform.
    fn new_uniform(&mut self, id: InstId) -> Result<Uniform, Malformed> {
        let slot = self.slot(self.size(id)?);
        self.uniforms[id] = Some(slot);
        Ok(slot)
    }

    /// Copies a uniform value to lanes, if somebody wants it there.
    fn spread(&mut self, id: InstId) -> Done {
        if self.ranges.needs_lanes(id) {
            let (from, size) = (self.uniform(id)?, self.size(id)?);
            let to = self.registers.until(self.ranges.last(id), size);
            self.lanes[id] = Some(to);
            self.step(Step::Splat { to, from });
        }
        Ok(())
    }

    fn declare_locals(&mut self) -> Done {
        for (id, local) in self.kernel.locals.iter() {
            self.span = local.span;
            let size = match local.ty {
                Ty::Scalar(scalar) => self.size_of(scalar)?,
                Ty::Ptr(_) => 8,
                Ty::Unit => return Err(self.malformed(format!("{id} has no value"))),
            };
            if self.uniformity.local_varies(id) {
                let reg = self.registers.forever(size);
                self.local_lanes[id] = Some(reg);
                if self.locals.may_be_unset(id) {
                    self.code.preset.push((reg, Preset::Zero));
                }
            } else {
                self.local_uniforms[id] = Some(self.slot(size));
            }
        }
        Ok(())
    }

    // Instructions.

    fn body(&mut self, body: &Body) -> Done {
        for &id in &body.0 {
            self.span = self.kernel.insts[id].span;
            self.inst(id)?;
            self.registers.release(self.ranges.end(id));
        }
        Ok(())
    }

    fn inst(&mut self, id: InstId) -> Done {
        let kernel = self.kernel;
        let isa = self.isa;
        match &kernel.insts[id].op {
            Op::Const(bits) => self.known(id, Given::Const(*bits)),
            Op::Param(param) => match kernel.params[*param].kind {
                ParamKind::Scalar(_) => self.known(id, Given::Param(param.index())),
                ParamKind::Slice { .. } => {
                    self.known(id, Given::Const(lanes::address(param.index() as u16)))
                }
            },
            Op::Len(param) => self.known(id, Given::Len(param.index())),
            Op::Shared(shared) => {
                let buffer = kernel.params.len() + shared.index();
                self.known(id, Given::Const(lanes::address(buffer as u16)))
            }
            Op::Builtin(builtin) => self.builtin(id, *builtin),
            Op::Unary { op, value } => {
                let scalar = self.scalar(id)?;
                self.map(id, lanes::unary(*op, scalar, isa), &[*value])
            }
            Op::Binary { op, lhs, rhs } => {
                let scalar = self.scalar(id)?;
                self.map(id, lanes::binary(*op, scalar, isa), &[*lhs, *rhs])
            }
            Op::Compare { op, lhs, rhs } => {
                let scalar = self.scalar(*lhs)?;
                self.map(id, lanes::compare(*op, scalar, isa), &[*lhs, *rhs])
            }
            // The operand under another name.
            Op::Cast { .. } | Op::Bitcast { .. } if self.ranges.root(id) != id => Ok(()),
            Op::Cast { value } => {
                let (from, to) = (self.scalar(*value)?, self.scalar(id)?);
                self.map(id, lanes::cast(from, to, isa), &[*value])
            }
            Op::Bitcast { .. } => Err(self.malformed("a bitcast between different sizes")),
            Op::Select { cond, then, other } => {
                let size = self.size(id)?;
                self.map(id, Some(lanes::select(size, isa)), &[*cond, *then, *other])
            }
            Op::Fma { a, b, c } => {
                let f = match self.scalar(id)? {
                    Scalar::F32 => Some(lanes::fma(false, isa)),
                    Scalar::F64 => Some(lanes::fma(true, isa)),
                    Scalar::Bool
                    | Scalar::I8
                    | Scalar::I16
                    | Scalar::I32
                    | Scalar::I64
                    | Scalar::U8
                    | Scalar::U16
                    | Scalar::U32
                    | Scalar::U64
                    | Scalar::Generic(_) => None,
                };
                self.map(id, f, &[*a, *b, *c])
            }
            Op::Generic(_) | Op::MulAdd { .. } => {
                Err(self.malformed("the kernel has generic parameters left"))
            }
            Op::Index { base, index, stride } => {
                let stride = stride.known().ok_or_else(|| self.malformed("a generic stride"))?;
                self.index(id, *base, *index, stride)
            }
            Op::Bounds { index, len } => {
                let all_below = AllBelow::pick(self.size(*index)?, isa);
                let (index, len) = (self.operand(*index)?, self.operand(*len)?);
                self.step(Step::Bounds { index, len, all_below });
                Ok(())
            }
            Op::Check { cond, fault } => {
                let cond = self.operand(*cond)?;
                self.step(Step::Check { cond, fault: *fault });
                Ok(())
            }
            Op::Get(local) => self.get(id, *local),
            Op::Set { local, value } => self.set(id, *local, *value),
            Op::Load { ptr } => self.load(id, *ptr),
            Op::Store { ptr, value } => self.store(id, *ptr, *value),
            Op::AtomicLoad { ptr, order, .. } => {
                let at = self.address(id, *ptr)?;
                let to = self.new_lanes(id)?;
                self.atomic(AtomicKind::Load { to }, at, id, *order)
            }
            Op::AtomicStore { ptr, value, order, .. } => {
                let at = self.address(id, *ptr)?;
                let what = AtomicKind::Store { value: self.operand(*value)? };
                self.atomic(what, at, *value, *order)
            }
            Op::Atomic { op, ptr, value, order, .. } => {
                let change = lanes::atomic(*op, self.scalar(id)?);
                let change = change.ok_or_else(|| self.malformed("no such atomic operation"))?;
                let at = self.address(id, *ptr)?;
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.atomic(AtomicKind::Update { to, value, change }, at, id, *order)
            }
            Op::CompareExchange { ptr, expected, value, order, .. } => {
                let at = self.address(id, *ptr)?;
                let (expected, value) = (self.operand(*expected)?, self.operand(*value)?);
                let to = self.new_lanes(id)?;
                self.atomic(AtomicKind::CompareExchange { to, expected, value }, at, id, *order)
            }
            Op::Barrier { reduce: None } => {
                self.step(Step::Barrier { reduce: None });
                Ok(())
            }
            Op::Barrier { reduce: Some((op, value)) } => {
                let value = self.operand(*value)?;
                let to = self.new_uniform(id)?;
                self.step(Step::Barrier { reduce: Some((*op, value, to)) });
                self.spread(id)
            }
            Op::SyncWarp { mask } => self.warp(WarpOp::Sync, *mask),
            Op::Fence { .. } => {
                self.step(Step::Fence);
                Ok(())
            }
            Op::Shuffle { op, value, lane, width, mask } => {
                let (value, lane) = (self.operand(*value)?, self.operand(*lane)?);
                let to = self.new_lanes(id)?;
                self.warp(WarpOp::Shuffle { op: *op, to, value, lane, width: *width }, *mask)
            }
            Op::Vote { op, value, mask } => {
                let value = self.operand(*value)?;
                let to = self.new_lanes(id)?;
                self.warp(WarpOp::Vote { op: *op, to, value }, *mask)
            }
            Op::If { cond, then, other } => self.if_(id, *cond, then, other),
            Op::For { start, end, step, inclusive, body } => {
                let range = Range { start: *start, end: *end, step: *step, inclusive: *inclusive };
                if self.varies(id) {
                    self.for_lanes(id, range, body)
                } else {
                    self.for_uniform(id, range, body)
                }
            }
            Op::Loop { body } => self.loop_(id, body),
            Op::Block { body } => self.block(id, body),
            Op::Break(_) | Op::Continue(_) | Op::Return => self.leave(id, When::Always),
        }
    }

    /// A value that is known before the first step.
    fn known(&mut self, id: InstId, given: Given) -> Done {
        let size = self.size(id)?;
        self.uniforms[id] = Some(self.given(given, size));
        Ok(())
    }

    fn builtin(&mut self, id: InstId, builtin: Builtin) -> Done {
        match builtin {
            Builtin::BlockIdx(axis) => self.known(id, Given::BlockIdx(axis)),
            Builtin::BlockDim(axis) => self.known(id, Given::BlockDim(axis)),
            Builtin::GridDim(axis) => self.known(id, Given::GridDim(axis)),
            Builtin::ThreadIdx(_) | Builtin::GlobalIdx(_) | Builtin::LaneId | Builtin::WarpId => {
                let size = self.size(id)?;
                let reg = match self.builtins.get(&(builtin, size)) {
                    Some(known) => *known,
                    None => self.registers.forever(size),
                };
                if self.builtins.insert((builtin, size), reg).is_none() {
                    self.code.preset.push((reg, Preset::Builtin(builtin)));
                }
                self.lanes[id] = Some(reg);
                Ok(())
            }
        }
    }

    /// Computes the value of `id` from those of `values` by `f`, in lanes or once.
    fn map(&mut self, id: InstId, f: Option<LaneFn>, values: &[InstId]) -> Done {
        let f = f.ok_or_else(|| self.malformed("no such operation on this type"))?;
        if self.varies(id) {
            let mut regs = [Reg::new(0, 1); 4];
            for (reg, value) in regs[1..].iter_mut().zip(values) {
                *reg = self.lanes(*value)?;
            }
            // An operand that is not needed any more can make room for the result.
            self.registers.release(self.ranges.position(id));
            regs[0] = self.new_lanes(id)?;
            self.step(Step::Map { f, regs });
            return Ok(());
        }
        let mut slots = [Uniform::new(0, 1); 4];
        for (slot, value) in slots[1..].iter_mut().zip(values) {
            *slot = self.uniform(*value)?;
        }
        slots[0] = self.new_uniform(id)?;
        self.step(Step::Uniform { f, slots });
        self.spread(id)
    }

    fn get(&mut self, id: InstId, local: LocalId) -> Done {
        if let Some(from) = self.local_lanes[local] {
            if self.locals.is_alias(id) {
                self.lanes[id] = Some(from);
            } else {
                let to = self.new_lanes(id)?;
                let f = lanes::copy(from.size(), self.isa);
                self.step(Step::Map { f, regs: [to, from, from, from] });
            }
            return Ok(());
        }
        let from = self.local_uniforms[local].ok_or_else(|| self.malformed("no such local"))?;
        let to = self.new_uniform(id)?;
        let f = lanes::copy(from.size(), self.isa);
        self.step(Step::Uniform { f, slots: [to, from, from, from] });
        self.spread(id)
    }

    fn set(&mut self, id: InstId, local: LocalId, value: InstId) -> Done {
        if self.locals.is_done(id) {
            return Ok(());
        }
        if let Some(to) = self.local_lanes[local] {
            let from = self.lanes(value)?;
            if self.locals.spares(id) {
                self.step(Step::Set { local: to, value: from });
            } else {
                let f = lanes::copy(to.size(), self.isa);
                self.step(Step::Map { f, regs: [to, from, from, from] });
            }
            return Ok(());
        }
        let to = self.local_uniforms[local].ok_or_else(|| self.malformed("no such local"))?;
        let from = self.uniform(value)?;
        let f = lanes::copy(to.size(), self.isa);
        self.step(Step::Uniform { f, slots: [to, from, from, from] });
        Ok(())
    }

    // Memory.

    /// The address of an element, as a value; not at all if only accesses need it.
    fn index(&mut self, id: InstId, base: InstId, index: InstId, stride: u64) -> Done {
        if !self.ranges.needs_address(id) {
            return Ok(());
        }
        let f = lanes::offset(self.isa);
        if self.varies(id) {
            let base = self.lanes(base)?;
            let index = self.wide_lanes(id, index)?;
            let stride = self.constant_lanes(stride, 8)?;
            self.registers.release(self.ranges.position(id));
            let to = self.new_lanes(id)?;
            self.step(Step::Map { f, regs: [to, base, index, stride] });
            return Ok(());
        }
        let base = self.uniform(base)?;
        let index = self.wide_uniform(index)?;
        let stride = self.constant(stride, 8);
        let to = self.new_uniform(id)?;
        self.step(Step::Uniform { f, slots: [to, base, index, stride] });
        self.spread(id)
    }

    /// An index, as `u64` in lanes.
    fn wide_lanes(&mut self, id: InstId, index: InstId) -> Result<Reg, Malformed> {
        let (from, scalar) = (self.lanes(index)?, self.scalar(index)?);
        if from.size() == 8 {
            return Ok(from);
        }
        let cast = lanes::cast(scalar, Scalar::U64, self.isa);
        let f = cast.ok_or_else(|| self.malformed("an index that is no integer"))?;
        let to = self.temporary(id, 8);
        self.step(Step::Map { f, regs: [to, from, from, from] });
        Ok(to)
    }

    /// An index, as `u64`, once.
    fn wide_uniform(&mut self, index: InstId) -> Result<Uniform, Malformed> {
        let (from, scalar) = (self.uniform(index)?, self.scalar(index)?);
        if from.size() == 8 {
            return Ok(from);
        }
        let cast = lanes::cast(scalar, Scalar::U64, self.isa);
        let f = cast.ok_or_else(|| self.malformed("an index that is no integer"))?;
        let to = self.slot(8);
        self.step(Step::Uniform { f, slots: [to, from, from, from] });
        Ok(to)
    }

    /// Where an access through `ptr` goes. Indices in lanes are of 4 or 8 bytes.
    fn address(&mut self, id: InstId, ptr: InstId) -> Result<Address<Operand>, Malformed> {
        let kernel = self.kernel;
        let Op::Index { base, index, stride } = &kernel.insts[ptr].op else {
            return self.operand(ptr).map(Address::Pointer);
        };
        let buffer = if let Op::Param(param) = kernel.insts[*base].op {
            param.index()
        } else if let Op::Shared(shared) = kernel.insts[*base].op {
            kernel.params.len() + shared.index()
        } else {
            return self.operand(ptr).map(Address::Pointer);
        };
        let stride = stride.known().ok_or_else(|| self.malformed("a generic stride"))?;
        let index = match self.operand(*index)? {
            Operand::Lanes(reg) if reg.size() < 4 => Operand::Lanes(self.wide_lanes(id, *index)?),
            Operand::Lanes(reg) => Operand::Lanes(reg),
            Operand::Uniform(slot) => Operand::Uniform(slot),
        };
        Ok(Address::Element { buffer: buffer as u16, index, stride })
    }

    fn load(&mut self, id: InstId, ptr: InstId) -> Done {
        let at = self.address(id, ptr)?;
        if let Some(from) = at.uniform() {
            let to = self.new_uniform(id)?;
            self.step(Step::LoadUniform { to, from });
            if self.scalar(id)? == Scalar::Bool {
                let f = self.is_not_zero()?;
                let zero = self.constant(0, 1);
                self.step(Step::Uniform { f, slots: [to, to, zero, zero] });
            }
            return self.spread(id);
        }
        let from = at.lanes().ok_or_else(|| self.malformed("an address that is no address"))?;
        let to = self.new_lanes(id)?;
        let transfer = Transfer::pick(to.size(), from.index().size(), self.isa);
        self.step(Step::Load { to, from, transfer });
        if self.scalar(id)? == Scalar::Bool {
            let f = self.is_not_zero()?;
            let zero = self.constant_lanes(0, 1)?;
            self.step(Step::Map { f, regs: [to, to, zero, zero] });
        }
        Ok(())
    }

    /// What makes a `bool` of whatever was in memory.
    fn is_not_zero(&self) -> Result<LaneFn, Malformed> {
        let f = lanes::compare(CompareOp::Ne, Scalar::U8, self.isa);
        f.ok_or_else(|| self.malformed("no comparison"))
    }

    fn store(&mut self, id: InstId, ptr: InstId, value: InstId) -> Done {
        let to = self.address(id, ptr)?;
        let value = self.lanes(value)?;
        let index = to.lanes().map_or(8, |to| to.index().size());
        let transfer = Transfer::pick(value.size(), index, self.isa);
        self.step(Step::Store { value, to, transfer });
        Ok(())
    }

    fn atomic(
        &mut self,
        what: AtomicKind,
        at: Address<Operand>,
        value: InstId,
        order: Order,
    ) -> Done {
        let size = self.size(value)?;
        let ordered = match order {
            Order::Relaxed => false,
            Order::Acquire | Order::Release | Order::AcqRel | Order::SeqCst => true,
        };
        let access = self.code.atomics.len() as u32;
        self.code.atomics.push(Atomic { what, at, size, ordered });
        self.step(Step::Atomic { access });
        Ok(())
    }

    fn warp(&mut self, op: WarpOp, mask: Option<InstId>) -> Done {
        let mask = match mask {
            Some(mask) => Some(self.operand(mask)?),
            None => None,
        };
        self.step(Step::Warp { op, mask });
        Ok(())
    }

    // Control.

    /// Goes on at an uniform condition's side, or parts.
    fn if_(&mut self, id: InstId, cond: InstId, then: &Body, other: &Body) -> Done {
        if !self.varies(cond) {
            return self.if_uniform(cond, then, other);
        }
        let cond = self.lanes(cond)?;
        if let (Some(exit), true) = (self.lone_leave(then), other.0.is_empty()) {
            return self.leave(exit, When::If(cond));
        }
        if let (Some(exit), true) = (self.lone_leave(other), then.0.is_empty()) {
            return self.leave(exit, When::Unless(cond));
        }
        let (middle, join) = (self.label(), self.label());
        let has_other = !other.0.is_empty();
        self.step(Step::If { cond, other: if has_other { middle } else { join }, join });
        self.frames += 1;
        self.body(then)?;
        self.span = self.kernel.insts[id].span;
        self.bind(middle);
        if has_other {
            self.step(Step::Else);
            self.body(other)?;
            self.span = self.kernel.insts[id].span;
        }
        self.bind(join);
        self.step(Step::Join);
        self.frames -= 1;
        Ok(())
    }

    fn if_uniform(&mut self, cond: InstId, then: &Body, other: &Body) -> Done {
        let (middle, join) = (self.label(), self.label());
        let cond = self.uniform(cond)?;
        self.step(Step::JumpUnless { cond, to: middle });
        self.body(then)?;
        if !other.0.is_empty() {
            self.step(Step::Jump { to: join });
        }
        self.bind(middle);
        self.body(other)?;
        self.bind(join);
        Ok(())
    }

    /// The instruction of a body that only leaves, for a framed structure or for good.
    fn lone_leave(&self, body: &Body) -> Option<InstId> {
        let [only] = body.0[..] else { return None };
        let op = &self.kernel.insts[only].op;
        let frame = |target| self.targets.get(target).and_then(|target: &Target| target.frame);
        let leaves = match op {
            Op::Break(target) | Op::Continue(target) => frame(target).is_some(),
            op => matches!(op, Op::Return),
        };
        leaves.then_some(only)
    }

    /// `break`, `continue` or `return`, for some lanes or all.
    fn leave(&mut self, exit: InstId, when: When) -> Done {
        let op = &self.kernel.insts[exit].op;
        let step = if let Op::Break(target) = op {
            let Target { frame, end, .. } = self.target(*target)?;
            let leave = |frame| Step::Leave { to: Leave::Break { frame }, when };
            frame.map_or(Step::Jump { to: end }, leave)
        } else if let Op::Continue(target) = op {
            let Target { frame, next, .. } = self.target(*target)?;
            let leave = |frame| Step::Leave { to: Leave::Continue { frame }, when };
            frame.map_or(Step::Jump { to: next }, leave)
        } else {
            Step::Leave { to: Leave::Return, when }
        };
        self.step(step);
        Ok(())
    }

    fn target(&self, structure: InstId) -> Result<Target, Malformed> {
        let target = self.targets.get(&structure).copied();
        target.ok_or_else(|| self.malformed(format!("{structure} is no structure around this")))
    }

    /// Enters a loop or block; lanes leave it for `next` and `end`.
    fn enter(&mut self, id: InstId, next: Label, end: Label) -> Option<u16> {
        let frame = self.uniformity.framed(id).then_some(self.frames);
        if frame.is_some() {
            self.step(Step::Enter { resume: next, join: end });
            self.frames += 1;
        }
        self.targets.insert(id, Target { frame, next, end });
        frame
    }

    /// The end of a loop or block.
    fn exit(&mut self, frame: Option<u16>, end: Label) {
        self.bind(end);
        if frame.is_some() {
            self.step(Step::Join);
            self.frames -= 1;
        }
    }

    fn block(&mut self, id: InstId, body: &Body) -> Done {
        let end = self.label();
        let frame = self.enter(id, end, end);
        self.body(body)?;
        self.exit(frame, end);
        Ok(())
    }

    fn loop_(&mut self, id: InstId, body: &Body) -> Done {
        let (head, next, end) = (self.label(), self.label(), self.label());
        let frame = self.enter(id, next, end);
        self.bind(head);
        self.body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind(next);
        if frame.is_some() {
            self.step(Step::Regather);
        }
        self.back(body, head);
        self.exit(frame, end);
        Ok(())
    }

    fn back(&mut self, body: &Body, head: Label) {
        let cost = cost_of_waiting(self.kernel, body);
        self.step(Step::Back { to: head, cost });
    }

    /// The functions that a `for` over `scalar` needs.
    fn range_fns(&self, scalar: Scalar, inclusive: bool) -> Result<RangeFns, Malformed> {
        let unsigned = match scalar {
            Scalar::I8 | Scalar::U8 => Some(Scalar::U8),
            Scalar::I16 | Scalar::U16 => Some(Scalar::U16),
            Scalar::I32 | Scalar::U32 => Some(Scalar::U32),
            Scalar::I64 | Scalar::U64 => Some(Scalar::U64),
            Scalar::Bool | Scalar::F32 | Scalar::F64 | Scalar::Generic(_) => None,
        };
        let below = if inclusive { CompareOp::Le } else { CompareOp::Lt };
        let fns = || {
            let (scalar, unsigned) = (scalar, unsigned?);
            Some(RangeFns {
                enter: lanes::compare(below, scalar, self.isa)?,
                distance: lanes::binary(BinaryOp::Sub, unsigned, self.isa)?,
                again: lanes::compare(below, unsigned, self.isa)?,
                advance: lanes::binary(BinaryOp::Add, unsigned, self.isa)?,
                copy: lanes::copy(unsigned.size()? as usize, self.isa),
            })
        };
        fns().ok_or_else(|| self.malformed("a range of something else than integers"))
    }

    /// All lanes that are in an iteration have the same counter.
    fn for_uniform(&mut self, id: InstId, range: Range, body: &Body) -> Done {
        let fns = self.range_fns(self.scalar(id)?, range.inclusive)?;
        let (start, end_value) = (self.uniform(range.start)?, self.uniform(range.end)?);
        let step = self.uniform(range.step)?;
        let (head, next, end, behind) = (self.label(), self.label(), self.label(), self.label());
        let counter = self.new_uniform(id)?;
        let (cond, distance) = (self.slot(1), self.slot(counter.size()));
        self.step(Step::Uniform { f: fns.copy, slots: [counter, start, start, start] });
        self.step(Step::Uniform { f: fns.enter, slots: [cond, counter, end_value, end_value] });
        self.step(Step::JumpUnless { cond, to: behind });
        let frame = self.enter(id, next, end);
        self.bind(head);
        self.spread(id)?;
        self.body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind(next);
        if frame.is_some() {
            self.step(Step::Regather);
        }
        self.step(Step::Uniform {
            f: fns.distance,
            slots: [distance, end_value, counter, counter],
        });
        self.step(Step::Uniform { f: fns.again, slots: [cond, step, distance, distance] });
        self.step(Step::JumpUnless { cond, to: end });
        self.step(Step::Uniform { f: fns.advance, slots: [counter, counter, step, step] });
        self.back(body, head);
        self.exit(frame, end);
        self.bind(behind);
        Ok(())
    }

    /// Each lane has its own counter, and leaves when it is through.
    fn for_lanes(&mut self, id: InstId, range: Range, body: &Body) -> Done {
        let fns = self.range_fns(self.scalar(id)?, range.inclusive)?;
        let (start, end_value) = (self.lanes(range.start)?, self.lanes(range.end)?);
        let step = self.lanes(range.step)?;
        let counter = self.new_lanes(id)?;
        let (cond, distance) = (self.temporary(id, 1), self.temporary(id, counter.size()));
        self.step(Step::Map { f: fns.copy, regs: [counter, start, start, start] });
        let (head, next, end) = (self.label(), self.label(), self.label());
        let frame = self.enter(id, next, end);
        let leave = Leave::Break { frame: frame.ok_or_else(|| self.malformed("no frame"))? };
        self.step(Step::Map { f: fns.enter, regs: [cond, counter, end_value, end_value] });
        self.step(Step::Leave { to: leave, when: When::Unless(cond) });
        self.bind(head);
        self.body(body)?;
        self.span = self.kernel.insts[id].span;
        self.bind(next);
        self.step(Step::Regather);
        self.step(Step::Map { f: fns.distance, regs: [distance, end_value, counter, counter] });
        self.step(Step::Map { f: fns.again, regs: [cond, step, distance, distance] });
        self.step(Step::Leave { to: leave, when: When::Unless(cond) });
        self.step(Step::Map { f: fns.advance, regs: [counter, counter, step, step] });
        self.back(body, head);
        self.exit(frame, end);
        Ok(())
    }
}

/// The bounds of a `for`.
struct Range {
    start: InstId,
    end: InstId,
    step: InstId,
    inclusive: bool,
}

/// What a `for` computes with.
struct RangeFns {
    /// Whether the first value is in the range.
    enter: LaneFn,
    /// From the counter to the end, unsigned.
    distance: LaneFn,
    /// Whether a step leads to another value of the range, by the distance.
    again: LaneFn,
    advance: LaneFn,
    copy: LaneFn,
}

/// What an iteration takes of the [`PATIENCE`] with a loop: nothing, if it cannot wait
/// for another thread, because it reads nothing that others write; much, if it reads
/// atomically, as those do that wait.
fn cost_of_waiting(kernel: &Kernel, body: &Body) -> u32 {
    let cost = |id: &InstId| {
        let op = &kernel.insts[*id].op;
        let inner = op.bodies().map(|inner| cost_of_waiting(kernel, inner)).max().unwrap_or(0);
        if let Op::AtomicLoad { .. } | Op::Atomic { .. } | Op::CompareExchange { .. } = op {
            (PATIENCE >> 6) as u32
        } else if let Op::Load { .. } = op {
            1
        } else {
            inner
        }
    };
    body.0.iter().map(cost).max().unwrap_or(0)
}
