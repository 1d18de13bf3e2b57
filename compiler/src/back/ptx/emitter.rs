//! The state of the emission of a kernel, and the access to its values.
//!
//! Literals stay literals and addresses stay base-plus-offset until something needs
//! them in a register. What is derived from a value for one user (its widened or low
//! half, the address of an element) is remembered for later users in the same body.
use super::{
    address::Address,
    code::{Code, Label},
    constants::Constants,
    facts::{Facts, declared_threads, has_extremes},
    fault::Failure,
    layout::{SharedPlace, constant_symbol, offset_param, shared_place},
    lines::Lines,
    products::widest_scale,
    reg::{Class, Imm, Operand, Reg, Regs, memory},
};
use crate::{
    analysis::{
        mma::{self, MatrixLoads},
        range,
        read_only_arrays::{ReadOnlyArrays, Storage, find_read_only_arrays, literal_room},
        vectors::{self, Vectors},
        wgmma::{Sums, find_sums},
    },
    id::{self, Id},
    ir::{
        Access, ArrayId, Axis, Builtin, CoarseGrid, CopyOp, Inst, InstId, Kernel, LocalId, Op,
        ParamId, ParamKind, Scalar, SharedId, Space, Ty,
    },
    target::Target,
};
use std::collections::HashMap;

/// Appends one instruction: `ptx!(emitter, "add.s32 {d}, {a}, {b}")`.
macro_rules! ptx {
    ($emitter:expr, $($format:tt)*) => { $emitter.code.push(format!($($format)*)) };
}
pub(super) use ptx;

/// The representation of an instruction's value.
#[derive(Clone, Copy)]
pub(super) enum Value {
    /// Nothing: the instruction yields nothing, or was not emitted yet.
    None,
    /// A literal or a register. A `u64` may be in a 32-bit register.
    Operand(Operand),
    /// A pointer.
    Address(Address),
}

impl From<Reg> for Value {
    fn from(reg: Reg) -> Self {
        Self::Operand(Operand::Reg(reg))
    }
}

impl From<Operand> for Value {
    fn from(operand: Operand) -> Self {
        Self::Operand(operand)
    }
}

impl From<Address> for Value {
    fn from(address: Address) -> Self {
        Self::Address(address)
    }
}

/// Something derived from values, which later instructions can use again.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Derived {
    /// A value in a 32-bit register, zero-extended to 64 bits.
    Wide(InstId),
    /// The low 32 bits of a value in a 64-bit register.
    Low(InstId),
    /// `base + index * stride`.
    Element { base: Reg, index: InstId, stride: u64 },
    /// The quotient of two 64-bit integers.
    Quotient { lhs: InstId, rhs: InstId },
    /// A literal of `f64` that no instruction can hold.
    Constant { bits: u64 },
    /// A 64-bit integer in constant memory.
    Factor { bits: u64 },
}

/// Facts derived in the bodies around this point, the innermost last.
#[derive(Default)]
struct Memo {
    known: HashMap<Derived, Reg>,
    order: Vec<Derived>,
}

/// The targets of `break` and `continue` of one instruction.
#[derive(Clone, Copy)]
pub(super) struct Targets {
    pub(super) end: Label,
    pub(super) next: Label,
}

/// See the module.
pub(super) struct Emitter<'k> {
    pub(super) kernel: &'k Kernel,
    /// The target of the text.
    pub(super) target: Target,
    /// True if a thread that ends has to wait for the grids before this one.
    pub(super) waits_at_ends: bool,
    pub(super) facts: Facts,
    /// See [`has_extremes`].
    pub(super) has_extremes: bool,
    /// See [`widest_scale`].
    pub(super) widest_scale: u32,
    pub(super) vectors: Vectors,
    /// The arrays that all threads read in one place.
    pub(super) read_only_arrays: ReadOnlyArrays,
    pub(super) regs: Regs,
    pub(super) code: Code,
    /// The source lines of instructions, if the text is to have them.
    pub(super) lines: Option<Lines<'k>>,
    pub(super) constants: Constants,
    pub(super) failures: Vec<Failure>,
    /// Checks whose report the next check brings.
    pub(super) failures_here: Vec<Failure>,
    pub(super) targets: id::Facts<InstId, Option<Targets>>,
    /// Addresses of elements that a loop advances.
    pub(super) advanced: id::Facts<InstId, Option<Address>>,
    /// The first word of the product that each word belongs to.
    pub(super) leaders: id::Facts<InstId, Option<InstId>>,
    /// The values that `ptxas` may find to be constants.
    pub(super) possible_constants: id::Facts<InstId, bool>,
    /// The rows that are loaded and distributed at once.
    pub(super) matrix_loads: MatrixLoads,
    /// The sums of warpgroup products in each array.
    pub(super) sums: id::Facts<ArrayId, Option<Sums>>,
    /// The registers of these sums.
    pub(super) sum_regs: HashMap<ArrayId, Vec<Reg>>,
    /// The words of each product and of distributed rows that are emitted, by the first of them.
    pub(super) products: HashMap<InstId, Vec<Reg>>,
    values: id::Facts<InstId, Value>,
    locals: id::Facts<LocalId, Option<Reg>>,
    pub(super) params: id::Facts<ParamId, Option<Reg>>,
    /// The handles of surfaces.
    pub(super) surfaces: id::Facts<ParamId, Option<Reg>>,
    lens: id::Facts<ParamId, Option<Reg>>,
    shared: id::Facts<SharedId, Option<Reg>>,
    arrays: id::Facts<ArrayId, Option<Reg>>,
    builtins: HashMap<Builtin, Operand>,
    memo: Memo,
}

impl<'k> Emitter<'k> {
    pub(super) fn new(kernel: &'k Kernel, target: Target, lines: Option<Lines<'k>>) -> Self {
        let ranges = range::analyze(kernel);
        let read_only_arrays = find_read_only_arrays(kernel);
        Self {
            kernel,
            target,
            waits_at_ends: super::waits_at_ends(kernel, target),
            facts: Facts::of(kernel, &ranges),
            has_extremes: has_extremes(kernel),
            widest_scale: widest_scale(kernel),
            vectors: vectors::analyze_for_ptx(kernel, &ranges),
            regs: Regs::default(),
            code: Code::default(),
            lines,
            constants: Constants::with_room(literal_room(kernel, &read_only_arrays)),
            read_only_arrays,
            failures: Vec::new(),
            failures_here: Vec::new(),
            targets: kernel.insts.facts(None),
            advanced: kernel.insts.facts(None),
            leaders: mma::find_leaders(kernel),
            possible_constants: mma::find_possible_constants(kernel),
            matrix_loads: mma::find_matrix_loads(kernel),
            sums: find_sums(kernel),
            sum_regs: HashMap::new(),
            products: HashMap::new(),
            values: kernel.insts.facts(Value::None),
            locals: kernel.locals.facts(None),
            params: kernel.params.facts(None),
            surfaces: kernel.params.facts(None),
            lens: kernel.params.facts(None),
            shared: kernel.shared.facts(None),
            arrays: kernel.arrays.facts(None),
            builtins: HashMap::new(),
            memo: Memo::default(),
        }
    }

    /// Computes once, at the kernel's start, what every thread is given: parameters,
    /// lengths, addresses of arrays, indices.
    pub(super) fn prologue(&mut self) {
        let kernel = self.kernel;
        for (_, Inst { op, .. }) in kernel.insts.iter() {
            if let Op::Param(param) = op {
                self.param(*param);
            } else if let Op::Texture { texture, .. } = op {
                self.texture_handle(*texture);
            } else if let Op::Copy(
                CopyOp::TensorCopy { map, .. } | CopyOp::TensorStore { map, .. },
            ) = op
            {
                self.tensor_map(*map);
            } else if let Op::Len(param) = op {
                self.len(*param);
            } else if let Op::Shared(shared) = op {
                self.shared(*shared);
            } else if let Op::Array(array) = op
                && !self.is_in_registers(*array)
            {
                self.array(*array);
            } else if let Op::Builtin(builtin) = op {
                self.builtin(*builtin);
            }
        }
    }

    /// The handle that a texture parameter passes.
    pub(super) fn texture_handle(&mut self, param: ParamId) -> Reg {
        if let Some(reg) = self.params[param] {
            return reg;
        }
        let reg = self.regs.fresh(Class::B64);
        ptx!(self, "ld.param.u64 {reg}, [{param}]");
        self.params[param] = Some(reg);
        reg
    }

    /// A scalar parameter, or the address that a slice parameter passes.
    pub(super) fn param(&mut self, param: ParamId) -> Value {
        let kind = &self.kernel.params[param].kind;
        let reg = match (self.params[param], kind) {
            (Some(reg), _) => reg,
            (None, ParamKind::Scalar(Scalar::Bool)) => {
                let byte = self.regs.fresh(Class::B32);
                ptx!(self, "ld.param.u8 {byte}, [{param}]");
                self.byte_to_pred(byte)
            }
            (None, ParamKind::Scalar(scalar)) => {
                let reg = self.regs.fresh(Class::of(*scalar));
                ptx!(self, "ld.param.{} {reg}, [{param}]", memory(*scalar));
                reg
            }
            (None, ParamKind::Slice { access: Access::Constant { .. }, .. }) => {
                let reg = self.regs.fresh(Class::B64);
                ptx!(self, "mov.u64 {reg}, {}", constant_symbol(param));
                reg
            }
            // The handle is no address.
            (None, ParamKind::Slice { access, .. }) if access.surface_shape().is_some() => {
                self.surface_handle(param);
                let reg = self.regs.fresh(Class::B64);
                ptx!(self, "mov.u64 {reg}, 0");
                reg
            }
            (None, ParamKind::Slice { .. }) => {
                let (generic, reg) = (self.regs.fresh(Class::B64), self.regs.fresh(Class::B64));
                ptx!(self, "ld.param.u64 {generic}, [{param}]");
                ptx!(self, "cvta.to.global.u64 {reg}, {generic}");
                reg
            }
        };
        self.params[param] = Some(reg);
        match kind {
            ParamKind::Scalar(_) => reg.into(),
            ParamKind::Slice { access, .. } => Address::of(access.space(), reg).into(),
        }
    }

    /// The number of elements that a slice parameter passes.
    pub(super) fn len(&mut self, param: ParamId) -> Reg {
        if let Some(reg) = self.lens[param] {
            return reg;
        }
        let reg = self.regs.fresh(Class::B64);
        ptx!(self, "ld.param.u64 {reg}, [{param}_len]");
        self.lens[param] = Some(reg);
        reg
    }

    /// The address of a shared array.
    pub(super) fn shared(&mut self, shared: SharedId) -> Address {
        let reg = self.shared[shared].unwrap_or_else(|| {
            let reg = self.regs.fresh(Class::B32);
            match shared_place(self.kernel, shared) {
                SharedPlace::Declared => {
                    ptx!(self, "mov.u32 {reg}, shared{}", shared.index());
                }
                SharedPlace::Dynamic(0) => ptx!(self, "mov.u32 {reg}, $shared"),
                SharedPlace::Dynamic(offset) => ptx!(self, "mov.u32 {reg}, $shared+{offset}"),
                SharedPlace::Passed => {
                    let param = offset_param(shared);
                    let [start, offset] = [(); 2].map(|()| self.regs.fresh(Class::B32));
                    ptx!(self, "mov.u32 {start}, $shared");
                    ptx!(self, "ld.param.u32 {offset}, [{param}]");
                    ptx!(self, "add.s32 {reg}, {start}, {offset}");
                }
            }
            reg
        });
        self.shared[shared] = Some(reg);
        Address::of(Space::Shared, reg)
    }

    /// The address of an array of the thread's own.
    pub(super) fn array(&mut self, array: ArrayId) -> Address {
        let read_only = self.read_only_arrays.get(&array).map(|storage| match storage {
            Storage::Constant(_) | Storage::Global(_) => format!("$table{}", array.index()),
            Storage::Params(first) => first.to_string(),
        });
        let space = match self.read_only_arrays.get(&array) {
            Some(Storage::Constant(_) | Storage::Params(_)) => Space::Constant,
            Some(Storage::Global(_)) => Space::Global,
            None => Space::Local,
        };
        let reg = self.arrays[array].unwrap_or_else(|| {
            let reg = self.regs.fresh(Class::of_pointer(space));
            match read_only {
                Some(name) => ptx!(self, "mov.u64 {reg}, {name}"),
                None => ptx!(self, "mov.u32 {reg}, local{}", array.index()),
            }
            reg
        });
        self.arrays[array] = Some(reg);
        Address::of(space, reg)
    }

    /// The special register: 32 bits, but for a wide global index.
    pub(super) fn builtin(&mut self, builtin: Builtin) -> Operand {
        if let Some(known) = self.builtins.get(&builtin) {
            return *known;
        }
        let operand = self.computed_builtin(builtin);
        self.builtins.insert(builtin, operand);
        operand
    }

    fn computed_builtin(&mut self, builtin: Builtin) -> Operand {
        match builtin {
            Builtin::ThreadIdx(axis) => Operand::Reg(self.special("tid", axis)),
            Builtin::BlockIdx(axis) => Operand::Reg(self.block_idx(axis)),
            Builtin::GridDim(axis) => Operand::Reg(self.grid_dim(axis)),
            Builtin::CoarseningFactor => {
                let factor = self.kernel.coarsening.map_or(1, |coarsening| coarsening.grid.factor);
                Operand::Imm(Imm { bits: factor.into(), scalar: Scalar::U32 })
            }
            Builtin::BlockDim(axis) => match declared_threads(self.kernel, axis) {
                Some(bits) => Operand::Imm(Imm { bits, scalar: Scalar::U32 }),
                None => Operand::Reg(self.special("ntid", axis)),
            },
            Builtin::LaneId => {
                let lane = self.regs.fresh(Class::B32);
                ptx!(self, "mov.u32 {lane}, %laneid");
                Operand::Reg(lane)
            }
            Builtin::LaneMask(mask) => {
                let lanes = self.regs.fresh(Class::B32);
                ptx!(self, "mov.u32 {lanes}, %{}", mask.name());
                Operand::Reg(lanes)
            }
            Builtin::GlobalIdx(axis) => self.global_idx(axis),
            Builtin::WarpId => {
                let (thread, warp) = (self.thread_number(), self.regs.fresh(Class::B32));
                ptx!(self, "shr.u32 {warp}, {thread}, 5");
                Operand::Reg(warp)
            }
        }
    }

    /// A fresh register with what the hardware says along an axis.
    pub(super) fn special(&mut self, name: &str, axis: Axis) -> Reg {
        let axis = match axis {
            Axis::X => "x",
            Axis::Y => "y",
            Axis::Z => "z",
        };
        let reg = self.regs.fresh(Class::B32);
        ptx!(self, "mov.u32 {reg}, %{name}.{axis}");
        reg
    }

    /// A fresh register with the index of the first of the launch's blocks that this one runs.
    pub(super) fn block_idx(&mut self, axis: Axis) -> Reg {
        let own = self.special("ctaid", axis);
        let Some(CoarseGrid { factor, .. }) = self.kernel.coarse_grid_along(axis) else {
            return own;
        };
        let first = self.regs.fresh(Class::B32);
        ptx!(self, "mul.lo.u32 {first}, {own}, {factor}");
        first
    }

    /// A fresh register with the number of the launch's blocks along an axis.
    pub(super) fn grid_dim(&mut self, axis: Axis) -> Reg {
        if self.kernel.coarse_grid_along(axis).is_none() {
            return self.special("nctaid", axis);
        }
        let blocks = self.regs.fresh(Class::B32);
        ptx!(self, "ld.param.u32 {blocks}, [coarsened_grid]");
        blocks
    }

    fn global_idx(&mut self, axis: Axis) -> Operand {
        let block = self.builtin(Builtin::BlockIdx(axis));
        let threads = self.builtin(Builtin::BlockDim(axis));
        let thread = self.builtin(Builtin::ThreadIdx(axis));
        let index = if self.kernel.wide_index {
            let (wide, index) = (self.regs.fresh(Class::B64), self.regs.fresh(Class::B64));
            ptx!(self, "cvt.u64.u32 {wide}, {thread}");
            ptx!(self, "mad.wide.u32 {index}, {block}, {threads}, {wide}");
            index
        } else {
            let index = self.regs.fresh(Class::B32);
            ptx!(self, "mad.lo.s32 {index}, {block}, {threads}, {thread}");
            index
        };
        Operand::Reg(index)
    }

    /// The thread's number in its block, x fastest.
    pub(super) fn thread_number(&mut self) -> Operand {
        if declared_threads(self.kernel, Axis::Y) == Some(1)
            && declared_threads(self.kernel, Axis::Z) == Some(1)
        {
            return self.builtin(Builtin::ThreadIdx(Axis::X));
        }
        let [x, y, z] = [Axis::X, Axis::Y, Axis::Z].map(|a| self.builtin(Builtin::ThreadIdx(a)));
        let [width, height] = [Axis::X, Axis::Y].map(|a| self.builtin(Builtin::BlockDim(a)));
        let (row, number) = (self.regs.fresh(Class::B32), self.regs.fresh(Class::B32));
        ptx!(self, "mad.lo.s32 {row}, {z}, {height}, {y}");
        ptx!(self, "mad.lo.s32 {number}, {row}, {width}, {x}");
        Operand::Reg(number)
    }

    /// Says what stands for `id`.
    pub(super) fn define(&mut self, id: InstId, value: impl Into<Value>) {
        self.values[id] = value.into();
    }

    /// The scalar type of `id`.
    pub(super) fn scalar(&self, id: InstId) -> Scalar {
        match self.kernel.insts[id].ty {
            Ty::Scalar(scalar) => scalar,
            Ty::Unit | Ty::Ptr(_) => unreachable!("the verifier saw a scalar here"),
        }
    }

    /// Returns the operand for `id`, as wide as its type: a literal or a register.
    pub(super) fn operand(&mut self, id: InstId) -> Operand {
        match self.values[id] {
            Value::Operand(Operand::Imm(imm)) => {
                // The number of threads in a block, if it is declared, is known as a smaller one.
                let imm = Imm { scalar: self.scalar(id), ..imm };
                if imm.needs_register() {
                    Operand::Reg(self.materialize(imm))
                } else {
                    Operand::Imm(imm)
                }
            }
            Value::Operand(Operand::Reg(reg))
                if reg.class == Class::B32 && self.kernel.insts[id].ty == Scalar::U64.into() =>
            {
                Operand::Reg(self.widen(id, reg))
            }
            Value::Operand(operand) => operand,
            Value::Address(address) => Operand::Reg(self.pointer(address)),
            Value::None => unreachable!("an operand precedes its users"),
        }
    }

    /// The same, in a register.
    pub(super) fn reg(&mut self, id: InstId) -> Reg {
        match self.operand(id) {
            Operand::Reg(reg) => reg,
            Operand::Imm(imm) => self.materialize(imm),
        }
    }

    /// The low 32 bits of an integer: all of it, if it has no more or [fits](Facts::fits).
    pub(super) fn low(&mut self, id: InstId) -> Operand {
        match self.values[id] {
            Value::Operand(Operand::Imm(imm)) => {
                let scalar = if imm.scalar == Scalar::I64 {
                    Scalar::I32
                } else if imm.scalar == Scalar::U64 {
                    Scalar::U32
                } else {
                    imm.scalar
                };
                Operand::Imm(Imm { bits: imm.bits & u64::from(u32::MAX), scalar })
            }
            Value::Operand(Operand::Reg(reg)) if reg.class == Class::B64 => {
                Operand::Reg(self.halve(id, reg))
            }
            Value::Operand(operand) => operand,
            Value::Address(_) | Value::None => unreachable!("called for integers"),
        }
    }

    /// An unsigned integer, zero-extended to 64 bits.
    pub(super) fn wide(&mut self, id: InstId) -> Operand {
        match self.operand(id) {
            Operand::Reg(reg) if reg.class == Class::B32 => Operand::Reg(self.widen(id, reg)),
            operand => operand,
        }
    }

    /// Returns the representation of `id`, of any width.
    pub(super) fn value(&self, id: InstId) -> Value {
        self.values[id]
    }

    /// The address that `id` is.
    pub(super) fn address(&self, id: InstId) -> Address {
        match self.values[id] {
            Value::Address(address) => address,
            Value::Operand(_) | Value::None => unreachable!("the verifier saw a pointer here"),
        }
    }

    /// The zero-extension of `id`, which is in a 32-bit register.
    fn widen(&mut self, id: InstId, reg: Reg) -> Reg {
        self.known(Derived::Wide(id)).unwrap_or_else(|| {
            let wide = self.regs.fresh(Class::B64);
            ptx!(self, "cvt.u64.u32 {wide}, {reg}");
            self.remember(Derived::Wide(id), wide);
            wide
        })
    }

    /// The low half of `id`, which is in a 64-bit register.
    fn halve(&mut self, id: InstId, reg: Reg) -> Reg {
        self.known(Derived::Low(id)).unwrap_or_else(|| {
            let low = self.regs.fresh(Class::B32);
            ptx!(self, "cvt.u32.u64 {low}, {reg}");
            self.remember(Derived::Low(id), low);
            low
        })
    }

    /// A literal in a register.
    pub(super) fn materialize(&mut self, imm: Imm) -> Reg {
        let reg = self.regs.fresh(Class::of(imm.scalar));
        ptx!(self, "mov.{} {reg}, {imm}", reg.class.ty());
        reg
    }

    /// The `bool` that a byte or word is: true unless it is 0.
    pub(super) fn byte_to_pred(&mut self, byte: Reg) -> Reg {
        let pred = self.regs.fresh(Class::Pred);
        // As `byte != 0`, which ends the compiler of driver 580 if a table of constants has the
        // byte.
        ptx!(self, "setp.ge.u32 {pred}, {byte}, 1");
        pred
    }

    /// 0 or 1.
    pub(super) fn pred_to_byte(&mut self, pred: Reg) -> Reg {
        let byte = self.regs.fresh(Class::B32);
        ptx!(self, "selp.b32 {byte}, 1, 0, {pred}");
        byte
    }

    /// The register of a local.
    pub(super) fn local(&mut self, local: LocalId) -> Reg {
        if let Some(reg) = self.locals[local] {
            return reg;
        }
        let class = match self.kernel.locals[local].ty {
            Ty::Scalar(Scalar::U64) if self.facts.local_fits(local) => Class::B32,
            Ty::Scalar(scalar) => Class::of(scalar),
            Ty::Ptr(space) => Class::of_pointer(space),
            Ty::Unit => unreachable!("a local is never of type unit"),
        };
        let reg = self.regs.fresh(class);
        self.locals[local] = Some(reg);
        reg
    }

    /// The register that holds `what`, if it was derived in the bodies around.
    pub(super) fn known(&self, what: Derived) -> Option<Reg> {
        self.memo.known.get(&what).copied()
    }

    /// Remembers that `reg` holds `what`, to the end of the body.
    pub(super) fn remember(&mut self, what: Derived, reg: Reg) {
        self.memo.known.insert(what, reg);
        self.memo.order.push(what);
    }

    /// Runs `emit` as a body of its own: what is derived in it is forgotten behind it.
    pub(super) fn scoped(&mut self, emit: impl FnOnce(&mut Self)) {
        let outer = self.memo.order.len();
        emit(self);
        for derived in self.memo.order.drain(outer..) {
            self.memo.known.remove(&derived);
        }
    }
}
