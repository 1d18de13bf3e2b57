//! Locals and memory, such that nothing races and nothing is read before it is written.
use super::{
    Generator, Value,
    plan::{Input, Output, Tally, Variable},
};
use warpwise_compiler::ir::{
    AtomicOp, Axis, BinaryOp, Body, Builtin, CacheLevel, CacheOp, CompareOp, Extent, InstId,
    LocalId, Op, Order, ParamId, ParamKind, Root, Scalar, Scope, SharedId, Space, SyncOp, Ty,
};

const GLOBAL: Ty = Ty::Ptr(Space::Global);
const SHARED: Ty = Ty::Ptr(Space::Shared);
const UNSIGNED: [Scalar; 4] = [Scalar::U8, Scalar::U16, Scalar::U32, Scalar::U64];

/// The orderings of updates.
const ORDERS: [Order; 5] =
    [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];

impl Generator {
    /// Emits the initial values: numbers of the thread, parameters, and a value for every local and
    /// slot.
    pub(super) fn start(&mut self) {
        self.plan.number = [self.number_in_grid(), self.number_in_block()];
        let [in_grid, in_block] = self.plan.number;
        self.yields(in_grid, Scalar::U64, false);
        self.yields(in_block, Scalar::U32, false);
        self.builtins();
        for param in self.plan.scalars.clone() {
            let ty = self.args_type(param);
            let id = self.emit(Op::Param(param), ty);
            self.yields(id, ty, true);
        }
        for index in 0..self.plan.variables.len() {
            self.set_variable(self.plan.variables[index]);
        }
        if let Some((local, output)) = self.plan.pointer {
            self.set_pointer(local, output);
        }
        if let Some((local, _)) = self.plan.digest {
            let value = self.constant(Scalar::U64, 0).id;
            self.emit(Op::Set { local, value }, Ty::Unit);
        }
        self.fill_structs();
        self.fill_shared();
    }

    fn args_type(&self, param: ParamId) -> Scalar {
        match &self.build.kernel.params[param].kind {
            ParamKind::Scalar(ty) => *ty,
            ParamKind::Slice { .. } => unreachable!("scalars are declared as such"),
        }
    }

    fn builtins(&mut self) {
        for _ in 0..3 {
            let axis = self.draw.one_of(Axis::ALL);
            let (builtin, uniform) = self.draw.one_of(&[
                (Builtin::ThreadIdx(axis), false),
                (Builtin::BlockIdx(axis), true),
                (Builtin::BlockDim(axis), true),
                (Builtin::GridDim(axis), true),
                (Builtin::GlobalIdx(axis), false),
                (Builtin::LaneId, false),
                (Builtin::WarpId, false),
            ]);
            let ty = self.draw.one_of(&[Scalar::U32, Scalar::U64]);
            let id = self.emit(Op::Builtin(builtin), ty);
            self.yields(id, ty, uniform);
        }
        if let Some(threads) = self.plan.threads {
            let id = self.emit(Op::Generic(threads), Scalar::U64);
            self.yields(id, Scalar::U64, true);
        }
    }

    fn number_in_grid(&mut self) -> InstId {
        if self.shape.grid[1..] == [1, 1] && self.shape.block[1..] == [1, 1] {
            return self.emit(Op::Builtin(Builtin::GlobalIdx(Axis::X)), Scalar::U64);
        }
        let block = self.linear(Builtin::BlockIdx, Builtin::GridDim, Scalar::U64);
        let thread = self.linear(Builtin::ThreadIdx, Builtin::BlockDim, Scalar::U64);
        let threads = self.constant(Scalar::U64, self.shape.threads().into()).id;
        let before = self.arithmetic(BinaryOp::Mul, block, threads, Scalar::U64);
        self.arithmetic(BinaryOp::Add, before, thread, Scalar::U64)
    }

    fn number_in_block(&mut self) -> InstId {
        self.linear(Builtin::ThreadIdx, Builtin::BlockDim, Scalar::U32)
    }

    /// Emits `x + dim_x * (y + dim_y * z)`.
    fn linear(
        &mut self,
        index: fn(Axis) -> Builtin,
        dim: fn(Axis) -> Builtin,
        ty: Scalar,
    ) -> InstId {
        let mut sum = self.emit(Op::Builtin(index(Axis::Z)), ty);
        for axis in [Axis::Y, Axis::X] {
            let dim = self.emit(Op::Builtin(dim(axis)), ty);
            let index = self.emit(Op::Builtin(index(axis)), ty);
            let rows = self.arithmetic(BinaryOp::Mul, dim, sum, ty);
            sum = self.arithmetic(BinaryOp::Add, index, rows, ty);
        }
        sum
    }

    pub(super) fn arithmetic(
        &mut self,
        op: BinaryOp,
        lhs: InstId,
        rhs: InstId,
        ty: Scalar,
    ) -> InstId {
        self.emit(Op::Binary { op, lhs, rhs }, ty)
    }

    // Locals.

    /// Sets a variable that may be set here, if there is one.
    pub(super) fn set_some_variable(&mut self) {
        let uniform = self.uniform;
        let settable = |variable: &&Variable| uniform || !variable.uniform;
        let settable: Vec<Variable> =
            self.plan.variables.iter().filter(settable).copied().collect();
        if !settable.is_empty() {
            let variable = self.draw.one_of(&settable);
            self.set_variable(variable);
        }
    }

    fn set_variable(&mut self, Variable { local, ty, uniform }: Variable) {
        let value = if uniform { self.some_uniform(ty) } else { self.some(ty) };
        self.emit(Op::Set { local, value: value.id }, Ty::Unit);
    }

    pub(super) fn get_some_variable(&mut self) {
        let Variable { local, ty, uniform } = self.draw.one_of(&self.plan.variables);
        let id = self.emit(Op::Get(local), ty);
        self.yields(id, ty, uniform);
    }

    fn set_pointer(&mut self, local: LocalId, output: usize) {
        let value = self.own_element(self.plan.outputs[output]);
        self.emit(Op::Set { local, value }, Ty::Unit);
    }

    // Parameters.

    /// Loads an element of an input that all threads read.
    pub(super) fn load_input(&mut self) {
        let Input { param, elem, len } = self.draw.one_of(&self.plan.inputs);
        let space = Ty::Ptr(self.build.kernel.space_of_root(Root::Param(param)));
        let base = self.emit(Op::Param(param), space);
        let (index, uniform) = self.index_below(Some(param), len);
        let stride = Extent::SizeOf(elem);
        let ptr = self.element(base, index, stride, space);
        let id = self.load_hinted(ptr, elem);
        self.yields(id, elem, uniform);
    }

    pub(super) fn element(
        &mut self,
        base: InstId,
        index: InstId,
        stride: Extent,
        ptr: Ty,
    ) -> InstId {
        let stride = match stride {
            Extent::SizeOf(ty) => ty.size().map_or(stride, |size| u64::from(size).into()),
            Extent::Const(_)
            | Extent::Generic(_)
            | Extent::Add(..)
            | Extent::Sub(..)
            | Extent::Mul(..)
            | Extent::Div(..)
            | Extent::Max(..) => stride,
        };
        self.emit(Op::Index { base, index, stride }, ptr)
    }

    /// Returns an unsigned number below `len`, which is at most 255, and whether it is uniform. If
    /// `param`, whose length it is, is given, the index may come from a check that fails.
    pub(super) fn index_below(&mut self, param: Option<ParamId>, len: u32) -> (InstId, bool) {
        let ty = self.draw.one_of(&UNSIGNED);
        let value = self.some(ty);
        let len = match param {
            Some(param) if ty == Scalar::U64 => self.emit(Op::Len(param), ty),
            Some(_) | None => self.constant(ty, len.into()).id,
        };
        if self.plan.exits && param.is_some() && self.draw.chance(25) {
            let mask = self.constant(ty, 63).id;
            let index = self.arithmetic(BinaryOp::And, value.id, mask, ty);
            return (self.emit(Op::Bounds { index, len }, ty), value.uniform);
        }
        (self.arithmetic(BinaryOp::Rem, value.id, len, ty), value.uniform)
    }

    /// Emits the address of one of the thread's own elements of an output that is not short.
    fn own_element(&mut self, output: Output) -> InstId {
        let number = self.plan.number[0];
        self.own_element_at(output, number)
    }

    fn own_element_at(
        &mut self,
        Output { param, elem, each, .. }: Output,
        number: InstId,
    ) -> InstId {
        let base = self.emit(Op::Param(param), GLOBAL);
        let offset = self.draw.below(each);
        if self.draw.chance(50) {
            let size = Extent::SizeOf(elem);
            let size = elem.size().map_or(size, |size| u64::from(size).into());
            let row = Extent::Mul(Box::new(u64::from(each).into()), Box::new(size));
            let row = row.simplified().expect("an element of an output is small");
            let row = self.emit(Op::Index { base, index: number, stride: row }, GLOBAL);
            let ty = self.draw.one_of(&UNSIGNED);
            let offset = self.constant(ty, offset.into()).id;
            return self.element(row, offset, Extent::SizeOf(elem), GLOBAL);
        }
        let each = self.constant(Scalar::U64, each.into()).id;
        let row = self.arithmetic(BinaryOp::Mul, number, each, Scalar::U64);
        let offset = self.constant(Scalar::U64, offset.into()).id;
        let index = self.arithmetic(BinaryOp::Add, row, offset, Scalar::U64);
        self.element(base, index, Extent::SizeOf(elem), GLOBAL)
    }

    /// Loads or stores one of the thread's own elements.
    pub(super) fn use_output(&mut self) {
        let output = self.draw.one_of(&self.plan.outputs);
        if let Some((local, of)) = self.plan.pointer
            && self.draw.chance(30)
        {
            if self.draw.chance(30) {
                self.set_pointer(local, of);
            }
            let ptr = self.emit(Op::Get(local), GLOBAL);
            return self.access(ptr, self.plan.outputs[of].elem);
        }
        self.within(output, |generator, ptr| generator.access(ptr, output.elem));
    }

    /// Stores `value` to one of the thread's own elements of `output`, if it has any.
    fn store_output(&mut self, output: Output, value: InstId) {
        self.within(output, |generator, ptr| {
            generator.emit(Op::store(ptr, value), Ty::Unit);
        });
    }

    /// Runs `access` with the address of an own element, under a guard if the output is short.
    fn within(&mut self, output: Output, access: impl FnOnce(&mut Self, InstId)) {
        if !output.short {
            let ptr = self.own_element(output);
            return access(self, ptr);
        }
        let len = self.emit(Op::Len(output.param), Scalar::U64);
        let each = self.constant(Scalar::U64, output.each.into()).id;
        let rows = self.arithmetic(BinaryOp::Div, len, each, Scalar::U64);
        let number = self.plan.number[0];
        if self.plan.exits && self.draw.chance(30) {
            let number = self.emit(Op::Bounds { index: number, len: rows }, Scalar::U64);
            let ptr = self.own_element_at(output, number);
            return access(self, ptr);
        }
        let guard = Op::Compare { op: CompareOp::Lt, lhs: number, rhs: rows };
        let cond = self.emit(guard, Scalar::Bool);
        self.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        let visible = self.values.len();
        let ptr = self.own_element(output);
        access(self, ptr);
        self.values.truncate(visible);
        self.build.end();
    }

    pub(super) fn access(&mut self, ptr: InstId, elem: Scalar) {
        if self.draw.chance(30) {
            let id = self.load_hinted(ptr, elem);
            self.yields(id, elem, false);
        } else {
            let value = self.some(elem).id;
            let cache = self.cache_op(ptr, CacheOp::is_for_stores);
            self.emit(Op::Store { ptr, value, cache }, Ty::Unit);
        }
    }

    /// Loads with some cache operator, perhaps after a prefetch.
    fn load_hinted(&mut self, ptr: InstId, elem: Scalar) -> InstId {
        let cache = self.cache_op(ptr, CacheOp::is_for_loads);
        if cache.is_some() && self.draw.chance(30) {
            let level = self.draw.one_of(CacheLevel::ALL);
            self.emit(Op::Prefetch { ptr, level }, Ty::Unit);
        }
        self.emit(Op::Load { ptr, cache }, elem)
    }

    /// Draws a cache operator, if `ptr` points to global memory.
    fn cache_op(&mut self, ptr: InstId, allowed: fn(CacheOp) -> bool) -> Option<CacheOp> {
        let is_global = self.build.kernel.insts[ptr].ty == Ty::Ptr(Space::Global);
        (is_global && self.draw.chance(30))
            .then(|| self.draw.one_of(CacheOp::ALL))
            .filter(|op| allowed(*op))
    }

    // Atomics.

    /// Emits an atomic operation of any kind on the thread's own cell, if there are cells.
    pub(super) fn use_cell(&mut self) {
        if self.plan.cells.is_empty() {
            return;
        }
        let (param, elem) = self.draw.one_of(&self.plan.cells);
        let base = self.emit(Op::Param(param), GLOBAL);
        let number = self.plan.number[0];
        let ptr = self.element(base, number, Extent::SizeOf(elem), GLOBAL);
        let (scope, order) = (self.draw.one_of(Scope::ALL), self.draw.one_of(&ORDERS));
        let value = self.some(elem);
        let op = match self.draw.below(5) {
            0 => {
                let order = self.draw.one_of(&[Order::Relaxed, Order::Acquire, Order::SeqCst]);
                Op::AtomicLoad { ptr, order, scope }
            }
            1 => {
                let order = self.draw.one_of(&[Order::Relaxed, Order::Release, Order::SeqCst]);
                let store = Op::AtomicStore { ptr, value: value.id, order, scope };
                self.emit(store, Ty::Unit);
                return;
            }
            2 => {
                let expected = self.some(elem);
                let expected = if elem.is_float() { self.without_nan(expected) } else { expected };
                Op::CompareExchange { ptr, expected: expected.id, value: value.id, order, scope }
            }
            _ => {
                let floats = [AtomicOp::Swap, AtomicOp::Add, AtomicOp::Min, AtomicOp::Max];
                let ops = if elem.is_float() { &floats } else { AtomicOp::ALL };
                let op = self.draw.one_of(ops);
                Op::Atomic { op, ptr, value: value.id, order, scope }
            }
        };
        let id = self.emit(op, elem);
        self.yields(id, elem, false);
    }

    /// Emits an atomic update of any element of a tally, if there are tallies.
    pub(super) fn use_tally(&mut self) {
        if self.plan.tallies.is_empty() {
            return;
        }
        let Tally { root, elem, len, ops } = self.draw.one_of(&self.plan.tallies);
        let (base, space) = match root {
            Root::Param(param) => (self.emit(Op::Param(param), GLOBAL), GLOBAL),
            Root::Shared(shared) => (self.emit(Op::Shared(shared), SHARED), SHARED),
            Root::Array(_) => unreachable!("a tally is for all threads"),
        };
        let (index, _) = self.index_below(None, len);
        let ptr = self.element(base, index, Extent::SizeOf(elem), space);
        let value = self.some(elem).id;
        let (op, order) = (self.draw.one_of(ops), self.draw.one_of(&ORDERS));
        let scope = match root {
            Root::Param(_) => self.draw.one_of(&[Scope::Device, Scope::System]),
            Root::Shared(_) | Root::Array(_) => self.draw.one_of(Scope::ALL),
        };
        self.emit(Op::Atomic { op, ptr, value, order, scope }, elem);
    }

    // Shared memory.

    /// Gives every thread's slot of every shared array a value.
    fn fill_shared(&mut self) {
        let tallies = self.plan.tallies.iter().filter_map(|tally| match tally.root {
            Root::Shared(shared) => Some((shared, tally.elem)),
            Root::Param(_) | Root::Array(_) => None,
        });
        let arrays: Vec<(SharedId, Scalar)> =
            tallies.chain(self.plan.slots.iter().copied()).collect();
        for &(shared, elem) in &arrays {
            self.store_slot(shared, elem);
        }
        if !arrays.is_empty() {
            self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
        }
    }

    pub(super) fn slot(&mut self, shared: SharedId, elem: Scalar, number: InstId) -> InstId {
        let base = self.emit(Op::Shared(shared), SHARED);
        self.element(base, number, Extent::SizeOf(elem), SHARED)
    }

    fn store_slot(&mut self, shared: SharedId, elem: Scalar) {
        let value = self.some(elem).id;
        let number = self.plan.number[1];
        let ptr = self.slot(shared, elem, number);
        self.emit(Op::store(ptr, value), Ty::Unit);
    }

    /// Loads or stores the thread's own slot, if there are slots.
    pub(super) fn use_slot(&mut self) {
        if self.plan.slots.is_empty() {
            return;
        }
        if self.draw.chance(25) {
            return self.copy_to_slots();
        }
        let (shared, elem) = self.draw.one_of(&self.plan.slots);
        let number = self.plan.number[1];
        let ptr = self.slot(shared, elem, number);
        self.access(ptr, elem);
    }

    /// Has every thread fill its slot and read another's; only where control is uniform.
    pub(super) fn exchange(&mut self) {
        if self.plan.slots.is_empty() {
            return;
        }
        let (shared, elem) = self.draw.one_of(&self.plan.slots);
        self.store_slot(shared, elem);
        self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
        let threads = self.shape.threads();
        let (number, uniform) = self.index_below(None, threads);
        let ptr = self.slot(shared, elem, number);
        let id = self.emit(Op::load(ptr), elem);
        self.yields(id, elem, uniform);
        self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
    }

    /// Writes the results to the outputs.
    pub(super) fn finish(&mut self) {
        let shared = self.plan.tallies.iter().filter_map(|tally| match tally.root {
            Root::Shared(shared) => Some((shared, tally.elem)),
            Root::Param(_) | Root::Array(_) => None,
        });
        let shared: Vec<(SharedId, Scalar)> = shared.collect();
        if !shared.is_empty() {
            self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
        }
        for (array, elem) in shared {
            let number = self.plan.number[1];
            let ptr = self.slot(array, elem, number);
            let id = self.emit(Op::load(ptr), elem);
            self.yields(id, elem, false);
        }
        self.digest_visible(0, 60);
        if let Some((local, output)) = self.plan.digest {
            let value = self.emit(Op::Get(local), Scalar::U64);
            self.store_output(output, value);
        }
        for index in 0..self.plan.outputs.len() {
            let output = self.plan.outputs[index];
            let value = self.result(output.elem);
            self.store_output(output, value);
        }
    }

    /// Lets the digest depend on `value`, if there is one.
    pub(super) fn digest(&mut self, value: Value) {
        let Some((local, _)) = self.plan.digest else { return };
        let bits = self.as_u64(value);
        let before = self.emit(Op::Get(local), Scalar::U64);
        let factor = self.constant(Scalar::U64, 31).id;
        let product = self.arithmetic(BinaryOp::Mul, before, factor, Scalar::U64);
        let value = self.arithmetic(BinaryOp::Add, product, bits, Scalar::U64);
        self.emit(Op::Set { local, value }, Ty::Unit);
    }

    /// Adds `percent` of the visible values, but for the oldest `since`, to the digest.
    pub(super) fn digest_visible(&mut self, since: usize, percent: u32) {
        for index in since..self.values.len() {
            if self.draw.chance(percent) {
                self.digest(self.values[index]);
            }
        }
    }

    /// Returns a variable's value, or a visible one.
    fn result(&mut self, ty: Scalar) -> InstId {
        let variables: Vec<LocalId> =
            self.plan.variables.iter().filter(|v| v.ty == ty).map(|v| v.local).collect();
        if !variables.is_empty() && self.draw.chance(60) {
            let local = self.draw.one_of(&variables);
            return self.emit(Op::Get(local), ty);
        }
        let Value { id, .. } = self.some(ty);
        id
    }
}
