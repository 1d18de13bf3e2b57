//! Addresses, locals, and plain loads and stores.
//!
//! **Read once.** What other threads may write is read by unordered atomic loads wherever the value
//! is an integer or may become one, or where an index depends on it ([`Facts::steers`]): LLVM does
//! not repeat or split those, so that the index that was checked is the index that is used. Their
//! scope is the block; with LLVM's default, the system, every load would pass the first cache by.
//! Any other float is read by a plain load, which LLVM may merge with its neighbours; `vector.rs`
//! merges those that LLVM does not.
//!
//! Memory that nobody writes during the launch is marked invariant, which makes `ld.global.nc` of
//! its loads, unless the kernel may start while the grids before it still write. Constant memory is
//! LLVM's address space 4. Arrays in it that the launcher fills are visible from outside and
//! `externally_initialized`, so that LLVM does not take their first contents for all there is to
//! know.
//!
//! Arrays of the thread's own that only parameters are stored in are read among the parameters, at
//! a number (`i64`) that is an address there: by inline PTX, since LLVM does not know that
//! parameters are neighbours.
//!
//! Addresses are computed without `inbounds`: behind a failing check that [goes on](super::fault)
//! as far as LLVM can tell, they are anywhere.
//!
//! [`Facts::steers`]: warpwise_compiler::back::ptx::Facts::steers
use super::{
    emitter::{Effects, Emitter, inst, line},
    rare::is_rare_arm,
    value::{Type, Value},
};
use warpwise_compiler::{
    analysis::read_only_arrays::{Storage, read_only_array_of},
    back::ptx::{self, SharedPlace, constant_symbol, memory, shared_place},
    id::{Facts, Id},
    ir::{
        Access, ArrayId, BinaryOp, Extent, Inst, InstId, Kernel, LocalId, Op, ParamId, ParamKind,
        Scalar, SharedId, Space, Ty,
    },
};

/// The symbol of the shared memory that the launch sizes.
pub(super) const DYNAMIC_SHARED: &str = "@\"$shared\"";
/// The metadata node of invariant loads, which is empty.
pub(super) const INVARIANT: usize = 0;

/// The number that a stride, an offset or a width is.
pub(super) fn known(extent: &Extent) -> u64 {
    extent.known().expect("a specialized kernel's extents are numbers")
}

/// The floats from which an integer is made: by a conversion or of their bits, perhaps through
/// locals. In a kernel that converts some, those that are compared are among them, since they may
/// bound one that becomes an index.
pub(super) fn floats_that_become_integers(kernel: &Kernel) -> Facts<InstId, bool> {
    let is_float = |id: InstId| matches!(kernel.insts[id].ty, Ty::Scalar(s) if s.is_float());
    let mut sets = kernel.locals.lists();
    let mut found = kernel.insts.facts(false);
    let mut left = Vec::new();
    for (_, Inst { op, ty, .. }) in kernel.insts.iter() {
        if let Op::Set { local, value } = op {
            sets.list_mut(*local).push(*value);
        } else if let Op::Cast { value } | Op::Bitcast { value } = op
            && matches!(ty, Ty::Scalar(scalar) if !scalar.is_float())
        {
            left.push(*value);
        }
    }
    if left.iter().any(|id| is_float(*id)) {
        let comparisons =
            kernel.insts.iter().filter(|(_, inst)| matches!(inst.op, Op::Compare { .. }));
        left.extend(comparisons.flat_map(|(_, inst)| inst.op.operands()));
    }
    while let Some(id) = left.pop() {
        if !is_float(id) || std::mem::replace(&mut found[id], true) {
            continue;
        }
        let op = &kernel.insts[id].op;
        left.extend(op.operands());
        if let Op::Get(local) = op {
            left.append(sets.list_mut(*local));
        }
    }
    found
}

impl Emitter<'_> {
    /// A scalar parameter, or the address that a slice parameter passes.
    pub(super) fn param(&mut self, param: ParamId) -> Value {
        let name = format!("%{param}");
        match self.kernel.params[param].kind {
            ParamKind::Scalar(Scalar::Bool) => inst!(self, Type::I1, "icmp ne i8 {name}, 0"),
            ParamKind::Scalar(Scalar::F16) => inst!(self, Type::Half, "bitcast i16 {name} to half"),
            ParamKind::Scalar(scalar) => Value::new(Type::of(scalar), name),
            ParamKind::Slice { access: Access::Constant { .. }, .. } => {
                Value::new(Type::Ptr(Space::Constant), format!("@\"{}\"", constant_symbol(param)))
            }
            // The handle is no address.
            ParamKind::Slice {
                access: Access::SurfaceRead(_) | Access::SurfaceWrite(_), ..
            } => Value::new(Type::I64, "0"),
            ParamKind::Slice { .. } => Value::new(Type::Ptr(Space::Global), name),
        }
    }

    /// A factor of a product with `other`: of some [sizes](half_factors) the lower half, and of all
    /// that are multiplied by what is loaded. By inline PTX, since LLVM reads parameters whole.
    pub(super) fn factor(&mut self, id: InstId, other: InstId) -> Value {
        match self.kernel.insts[id].op {
            Op::Param(param)
                if self.half_factors[param]
                    || self.scalar(id) == Scalar::U64
                        && self.facts.fits(id)
                        && self.is_loaded(other) =>
            {
                let text = format!("ld.param.u32 $0, [{}];", self.param_symbol(param));
                let low = self.asm(Type::I32, &text, &[], Effects::None);
                self.zero_extend(&low, Type::I64)
            }
            _ => self.value(id),
        }
    }

    fn is_loaded(&self, mut id: InstId) -> bool {
        while let Op::Cast { value } = self.kernel.insts[id].op {
            id = value;
        }
        matches!(self.kernel.insts[id].op, Op::Load { .. })
    }

    /// The address of a shared array.
    pub(super) fn shared(&mut self, shared: SharedId) -> Value {
        let ty = Type::Ptr(Space::Shared);
        match shared_place(self.kernel, shared) {
            SharedPlace::Declared => Value::new(ty, format!("@shared{}", shared.index())),
            SharedPlace::Dynamic(0) => Value::new(ty, DYNAMIC_SHARED),
            SharedPlace::Dynamic(offset) => {
                inst!(self, ty, "getelementptr i8, {ty} {DYNAMIC_SHARED}, i64 {offset}")
            }
            SharedPlace::Passed => {
                let offset = Value::new(Type::I32, format!("%shared{}_offset", shared.index()));
                let offset = self.zero_extend(&offset, Type::I64);
                inst!(self, ty, "getelementptr i8, {ty} {DYNAMIC_SHARED}, {offset}")
            }
        }
    }

    /// The address of an array of the thread's own.
    pub(super) fn array(&mut self, array: ArrayId) -> Value {
        let (index, ty) = (array.index(), Type::Ptr(Space::Local));
        let cast =
            |space: u32| format!("addrspacecast (ptr addrspace({space}) @table{index} to ptr)");
        match self.read_only_arrays.get(&array) {
            Some(Storage::Constant(_)) => Value::new(ty, cast(4)),
            Some(Storage::Global(_)) => Value::new(ty, cast(1)),
            Some(Storage::Params(first)) => {
                let symbol = self.param_symbol(*first);
                self.asm(Type::I64, &format!("mov.b64 $0, {symbol};"), &[], Effects::None)
            }
            None => Value::new(ty, format!("%array{index}")),
        }
    }

    /// Returns the name that LLVM gives a parameter in PTX, as inline PTX has it.
    pub(super) fn param_symbol(&self, param: ParamId) -> String {
        let before = self.kernel.params.iter().take(param.index());
        let number: usize = before
            .map(|(_, param)| match param.kind {
                ParamKind::Scalar(_) | ParamKind::Slice { access: Access::Constant { .. }, .. } => {
                    1
                }
                ParamKind::Slice {
                    access:
                        Access::Read
                        | Access::Write
                        | Access::Atomic
                        | Access::Texture
                        | Access::SurfaceRead(_)
                        | Access::SurfaceWrite(_)
                        | Access::TensorRead
                        | Access::TensorWrite,
                    ..
                } => 2,
            })
            .sum();
        let kernel = ptx::entry_name(&self.kernel.name).replace('$', "$$");
        format!("{kernel}_param_{number}")
    }

    /// Reads a parameter at an address among them, which LLVM knows nothing of.
    fn load_param(&mut self, scalar: Scalar, address: Value) -> Value {
        let text = format!("ld.param.{} $0, [$1];", memory(scalar));
        self.load_by_asm(scalar, &text, address, Effects::None)
    }

    /// The address `index * stride` bytes behind `base`.
    pub(super) fn index(&mut self, base: InstId, index: InstId, stride: u64) -> Value {
        let (base, index) = (self.value(base), self.value(index));
        let index = self.zero_extend(&index, Type::I64);
        if base.ty == Type::I64 {
            let offset = inst!(self, Type::I64, "mul {index}, {stride}");
            return inst!(self, Type::I64, "add {base}, {}", offset.name);
        }
        inst!(self, base.ty, "getelementptr [{stride} x i8], {base}, {index}")
    }

    /// The address `offset` bytes behind `base`.
    pub(super) fn offset(&mut self, base: InstId, offset: u64) -> Value {
        let base = self.value(base);
        if base.ty == Type::I64 {
            return inst!(self, Type::I64, "add {base}, {}", offset as i64);
        }
        inst!(self, base.ty, "getelementptr i8, {base}, i64 {}", offset as i64)
    }

    pub(super) fn get(&mut self, id: InstId, local: LocalId) -> Value {
        let (ty, variable) = (Type::of_ty(self.kernel.insts[id].ty), self.local(local));
        inst!(self, ty, "load {ty}, {variable}")
    }

    pub(super) fn set(&mut self, local: LocalId, value: InstId) {
        let (value, variable) = (self.value(value), self.local(local));
        line!(self, "store {value}, {variable}");
    }

    /// Reads memory.
    pub(super) fn load(&mut self, id: InstId, ptr: InstId) -> Value {
        let (scalar, address) = (self.scalar(id), self.value(ptr));
        if address.ty == Type::I64 {
            return self.load_param(scalar, address);
        }
        if address.ty == Type::Ptr(Space::Cluster) {
            return self.load_of_cluster(scalar, address);
        }
        let align = size(scalar);
        let ty = Type::of(scalar);
        let bits = Type::int(8 * align);
        if address.ty == Type::Ptr(Space::Constant) || self.read_only.contains(self.kernel, ptr) {
            let ty = if scalar == Scalar::Bool { Type::I8 } else { ty };
            // LLVM would move an invariant load before the wait for the grids that write there.
            let is_invariant =
                address.ty == Type::Ptr(Space::Constant) || !self.kernel.dependent_launch;
            let metadata = if is_invariant {
                format!(", !invariant.load !{INVARIANT}")
            } else {
                String::new()
            };
            let read = inst!(self, ty, "load {ty}, {address}, align {align}{metadata}");
            return self.loaded(scalar, read);
        }
        let read = if address.ty != Type::Ptr(Space::Local) && self.loads_once(id) {
            inst!(
                self,
                bits,
                "load atomic {bits}, {address} syncscope(\"block\") unordered, align {align}"
            )
        } else {
            let ty = if scalar == Scalar::Bool { Type::I8 } else { ty };
            inst!(self, ty, "load {ty}, {address}, align {align}")
        };
        self.loaded(scalar, read)
    }

    /// Returns true if a load of memory that other threads may write must happen once.
    pub(super) fn loads_once(&self, id: InstId) -> bool {
        !self.scalar(id).is_float() || self.becomes_integer[id] || self.facts.steers(id)
    }

    /// The scalar that inline PTX reads by `text`, from `$1` to `$0`.
    pub(super) fn load_by_asm(
        &mut self,
        scalar: Scalar,
        text: &str,
        address: Value,
        effects: Effects,
    ) -> Value {
        let read = if size(scalar) <= 2 { Type::I16 } else { Type::of(scalar) };
        let value = self.asm(read, text, &[address], effects);
        self.of_register(scalar, value)
    }

    /// The scalar in a register that inline PTX has loaded, of 16 bits at least.
    pub(super) fn of_register(&mut self, scalar: Scalar, value: Value) -> Value {
        match size(scalar) {
            1 => {
                let byte = inst!(self, Type::I8, "trunc {value} to i8");
                self.loaded(scalar, byte)
            }
            _ => self.of_bits(&value, Type::of(scalar)),
        }
    }

    /// The scalar that was read, as it lies in memory or as its bits.
    fn loaded(&mut self, scalar: Scalar, read: Value) -> Value {
        match scalar {
            Scalar::Bool => inst!(self, Type::I1, "icmp ne {read}, 0"),
            _ => self.of_bits(&read, Type::of(scalar)),
        }
    }

    /// Writes memory.
    pub(super) fn store(&mut self, ptr: InstId, value: InstId) {
        if read_only_array_of(&self.read_only_arrays, self.kernel, ptr).is_some() {
            return;
        }
        let (align, address) = (size(self.scalar(value)), self.value(ptr));
        if address.ty == Type::Ptr(Space::Cluster) {
            let (scalar, value) = (self.scalar(value), self.value(value));
            return self.store_to_cluster(scalar, address, value);
        }
        let value = self.value(value);
        let stored = match value.ty {
            Type::I1 => self.zero_extend(&value, Type::I8),
            _ => value,
        };
        line!(self, "store {stored}, {address}, align {align}");
    }
}

/// Returns true for the parameters whose upper half is zero and whose products are all outside of
/// loops, but for those that hardly any launch runs.
///
/// Their products are computed from the lower half, so that the driver's compiler multiplies 32
/// bits. In a loop it would keep strides out of uniform registers: a transposed matrix times a
/// vector takes 1.6 times as long then, on an H200, and tiled matrix products 1.1 to 1.2 times.
pub(super) fn half_factors(kernel: &Kernel, facts: &ptx::Facts) -> Facts<ParamId, bool> {
    let mut found = kernel.params.facts(true);
    let mut bodies = vec![(&kernel.body, false)];
    while let Some((body, is_in_loop)) = bodies.pop() {
        for &id in &body.0 {
            match &kernel.insts[id].op {
                Op::If { cond, then, other } if is_rare_arm(kernel, *cond, then, other) => {
                    bodies.push((then, is_in_loop));
                }
                Op::Binary { op: BinaryOp::Mul, lhs, rhs } => {
                    for &factor in [lhs, rhs] {
                        let Op::Param(param) = kernel.insts[factor].op else { continue };
                        let is_wide = kernel.insts[factor].ty == Ty::Scalar(Scalar::U64);
                        found[param] &= is_wide && facts.fits(factor) && !is_in_loop;
                    }
                }
                op => {
                    let is_in_loop = is_in_loop || matches!(op, Op::For { .. } | Op::Loop { .. });
                    bodies.extend(op.bodies().map(|inner| (inner, is_in_loop)));
                }
            }
        }
    }
    found
}

/// Bytes of a scalar, of which its address is a multiple.
pub(super) fn size(scalar: Scalar) -> u32 {
    scalar.size().expect("a specialized kernel has no type parameters")
}
