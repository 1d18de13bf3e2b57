//! Addresses, loads, stores and atomics.
use super::{
    super::address::{Base, decompose},
    Done, Emitter,
    affine::keeps_bits,
};
use crate::{
    bytecode::{
        Address, AsyncCopy, Atomic, AtomicKind, Change, Instr, IntegerOp, LeftFactor, Malformed,
        Operand, TextureRead, Tile, WarpgroupProduct,
    },
    vector::{
        lanes::{self, LaneFn, scan::Transfer},
        registers::{Reg, Uniform},
    },
};
use warpwise_compiler::{
    analysis::range,
    id::Id,
    ir::{
        BinaryOp, CompareOp, Extent, InstId, Order, ParamId, Root, Scalar, Space, TextureOp,
        WgmmaOp,
    },
};

/// Appends to a table of the bytecode, and returns the number of the entry.
fn push_entry<T>(table: &mut Vec<T>, entry: T) -> u32 {
    table.push(entry);
    table.len() as u32 - 1
}

impl Emitter<'_> {
    /// Emits the address of an element as a value; nothing if only accesses need it.
    pub(super) fn emit_index(
        &mut self,
        id: InstId,
        base: InstId,
        index: InstId,
        stride: u64,
    ) -> Done {
        self.emit_address(id, base, Some(index), stride)
    }

    /// Emits the address of a field as a value; nothing if only accesses need it.
    pub(super) fn emit_offset(&mut self, id: InstId, base: InstId, offset: u64) -> Done {
        self.emit_address(id, base, None, offset)
    }

    /// Emits `base + index * stride`; without an index, `base + stride`.
    fn emit_address(
        &mut self,
        id: InstId,
        base: InstId,
        index: Option<InstId>,
        stride: u64,
    ) -> Done {
        if !self.ranges.needs_address(id) {
            return Ok(());
        }
        if self.varies(id) {
            let f = lanes::offset(self.isa);
            let base = self.lanes(base)?;
            let index = match index {
                Some(index) => self.wide_lanes(id, index)?,
                None => self.constant_lanes(1, 8)?,
            };
            let stride = self.constant_lanes(stride, 8)?;
            self.registers.release_through(self.ranges.position(id));
            let to = self.new_lanes(id)?;
            self.emit(Instr::Map { f, regs: [to, base, index, stride] });
            return Ok(());
        }
        let base = self.uniform(base)?;
        let index = match index {
            Some(index) => self.wide_uniform(index)?,
            None => self.constant(1, 8),
        };
        let stride = self.constant(stride, 8);
        let to = self.new_uniform(id)?;
        let slots = [to, base, index, stride];
        self.emit(Instr::Integer { op: IntegerOp::Offset, slots });
        self.copy_to_lanes(id)
    }

    /// Emits the address in another block of the cluster that corresponds to an address in the
    /// block's own shared memory. The buffers of each rank follow those of the block itself,
    /// `shared` buffers per rank.
    pub(super) fn emit_map_shared(&mut self, id: InstId, ptr: InstId, rank: InstId) -> Done {
        let shared = self.kernel.shared.len() as u16;
        let first = lanes::address(shared + self.kernel.arrays.len() as u16);
        let [times, plus] =
            [BinaryOp::Mul, BinaryOp::Add].map(|op| lanes::binary(op, Scalar::U64, self.isa));
        let missing = || self.malformed("no arithmetic of addresses");
        let (times, plus) = (times.ok_or_else(missing)?, plus.ok_or_else(missing)?);
        if self.varies(id) {
            let (ptr, rank) = (self.lanes(ptr)?, self.wide_lanes(id, rank)?);
            let stride = self.constant_lanes(lanes::address(shared), 8)?;
            let first = self.constant_lanes(first, 8)?;
            let [scaled, distance] = [(); 2].map(|()| self.new_temporary(id, 8));
            self.emit(Instr::Map { f: times, regs: [scaled, rank, stride, stride] });
            self.emit(Instr::Map { f: plus, regs: [distance, scaled, first, first] });
            self.registers.release_through(self.ranges.position(id));
            let to = self.new_lanes(id)?;
            self.emit(Instr::Map { f: plus, regs: [to, ptr, distance, distance] });
            return Ok(());
        }
        let (ptr, rank) = (self.uniform(ptr)?, self.wide_uniform(rank)?);
        let stride = self.constant(lanes::address(shared), 8);
        let first = self.constant(first, 8);
        let [scaled, distance] = [(); 2].map(|()| self.new_slot(8));
        let to = self.new_uniform(id)?;
        self.emit(Instr::Uniform { f: times, slots: [scaled, rank, stride, stride] });
        self.emit(Instr::Uniform { f: plus, slots: [distance, scaled, first, first] });
        self.emit(Instr::Uniform { f: plus, slots: [to, ptr, distance, distance] });
        self.copy_to_lanes(id)
    }

    /// Returns an index as `u64` in lanes.
    fn wide_lanes(&mut self, id: InstId, index: InstId) -> Result<Reg, Malformed> {
        let (from, scalar) = (self.lanes(index)?, self.scalar(index)?);
        if from.size() == 8 {
            return Ok(from);
        }
        let cast = lanes::cast(scalar, Scalar::U64, self.isa);
        let f = cast.ok_or_else(|| self.malformed("an index that is no integer"))?;
        let to = self.new_temporary(id, 8);
        self.emit(Instr::Map { f, regs: [to, from, from, from] });
        Ok(to)
    }

    /// Returns an index as a uniform `u64`.
    fn wide_uniform(&mut self, index: InstId) -> Result<Uniform, Malformed> {
        let (from, scalar) = (self.uniform(index)?, self.scalar(index)?);
        if from.size() == 8 {
            return Ok(from);
        }
        if keeps_bits(scalar, Scalar::U64) {
            return Ok(self.widen(from, 8));
        }
        let cast = lanes::cast(scalar, Scalar::U64, self.isa);
        let f = cast.ok_or_else(|| self.malformed("an index that is no integer"))?;
        let to = self.new_slot(8);
        self.emit(Instr::Uniform { f, slots: [to, from, from, from] });
        Ok(to)
    }

    /// Returns the address of an access through `ptr`. Indices in lanes are of 4 or 8 bytes.
    pub(super) fn access_address(
        &mut self,
        id: InstId,
        ptr: InstId,
    ) -> Result<Address<Operand>, Malformed> {
        let place = decompose(self.kernel, ptr);
        let offset = place.offset;
        Ok(match place.base {
            Base::Start(of) => {
                let index = Operand::Uniform(self.constant(0, 8));
                Address::Element { buffer: self.buffer_number(of), index, stride: 1, offset }
            }
            Base::Element { buffer: root, index, stride } => {
                let index = match self.operand(index)? {
                    Operand::Lanes(reg) if reg.size() < 4 => {
                        Operand::Lanes(self.wide_lanes(id, index)?)
                    }
                    index @ (Operand::Lanes(_) | Operand::Uniform(_) | Operand::Affine(_)) => index,
                };
                Address::Element { buffer: self.buffer_number(root), index, stride, offset }
            }
            Base::Value(ptr) => Address::Pointer { ptr: self.operand(ptr)?, offset },
        })
    }

    /// Returns the number of a buffer.
    pub(super) fn buffer_number(&self, root: Root) -> u16 {
        let (params, shared) = (self.kernel.params.len(), self.kernel.shared.len());
        let number = match root {
            Root::Param(param) => param.index(),
            Root::Shared(root) => params + root.index(),
            Root::Array(array) => params + shared + array.index(),
        };
        number as u16
    }

    /// Returns an upper bound of the index through which `ptr` reaches its element, if one is
    /// known.
    pub(super) fn max_index(&self, ptr: InstId) -> Option<u64> {
        let Base::Element { index, .. } = decompose(self.kernel, ptr).base else { return None };
        let ranges = self.value_ranges.get_or_init(|| range::analyze(self.kernel));
        ranges.get(self.kernel, index).and_then(|range| range.max.try_into().ok())
    }

    /// Emits a load.
    pub(super) fn emit_load(&mut self, id: InstId, ptr: InstId) -> Done {
        let at = self.access_address(id, ptr)?;
        if self.kernel.space(ptr) == Some(Space::Local) {
            let to = self.new_lanes(id)?;
            self.count_local(id, ptr, at);
            self.emit(Instr::LoadLocal { to, from: at });
            return self.normalize_bool(id, to);
        }
        self.count_request(id, ptr, at);
        self.emit_access_check(id, ptr, at, None);
        if let Some(from) = at.uniform() {
            let to = self.new_uniform(id)?;
            self.emit(Instr::LoadUniform { to, from });
            if self.scalar(id)? == Scalar::Bool {
                let f = self.not_zero()?;
                let zero = self.constant(0, 1);
                self.emit(Instr::Uniform { f, slots: [to, to, zero, zero] });
            }
            return self.copy_to_lanes(id);
        }
        if let (Some(from), true) = (at.affine(), self.fusion.is_fused_load(id)) {
            self.loaded.insert(id, from);
            if !self.is_checked {
                return Ok(());
            }
        }
        if let Some(from) = at.affine() {
            let to = self.new_lanes(id)?;
            let (walk, copy) = (self.walk_index(from, to.size())?, self.copy_words(to.size()));
            self.emit(Instr::LoadAffine { to, from, walk, copy });
            return self.normalize_bool(id, to);
        }
        let from = at.lanes().ok_or_else(|| self.malformed("an address that is no address"))?;
        let to = self.new_lanes(id)?;
        let transfer = Transfer::pick(to.size(), from.index().size(), self.isa);
        self.emit(Instr::Load { to, from, transfer });
        self.normalize_bool(id, to)
    }

    /// Normalizes a loaded `bool`: any byte but 0 is true.
    fn normalize_bool(&mut self, id: InstId, to: Reg) -> Done {
        if self.scalar(id)? == Scalar::Bool {
            let f = self.not_zero()?;
            let zero = self.constant_lanes(0, 1)?;
            self.emit(Instr::Map { f, regs: [to, to, zero, zero] });
        }
        Ok(())
    }

    /// Returns the comparison that normalizes a loaded `bool`.
    fn not_zero(&self) -> Result<LaneFn, Malformed> {
        let f = lanes::compare(CompareOp::Ne, Scalar::U8, self.isa);
        f.ok_or_else(|| self.malformed("no comparison"))
    }

    /// Emits an asynchronous copy, from the second address to the first.
    pub(super) fn emit_async_copy(
        &mut self,
        id: InstId,
        [to, from]: [InstId; 2],
        bytes: u32,
    ) -> Done {
        let (to_at, from_at) = (self.access_address(id, to)?, self.access_address(id, from)?);
        let mut copy = AsyncCopy { to: to_at, from: from_at, bytes, sites: None, counter: None };
        self.count_copy(id, &copy, [to, from]);
        copy.sites = self.emit_copy_checks(&copy, [to, from]);
        let copy = push_entry(&mut self.code.async_copies, copy);
        self.emit(Instr::AsyncCopy { copy });
        Ok(())
    }

    /// Emits a bulk copy to the first of three addresses from the second; the third is that of the
    /// mbarrier.
    pub(super) fn emit_bulk_copy(
        &mut self,
        id: InstId,
        [to, from, barrier]: [InstId; 3],
        bytes: u32,
    ) -> Done {
        let (to_at, from_at) = (self.access_address(id, to)?, self.access_address(id, from)?);
        let barrier = self.access_address(id, barrier)?;
        let counter = self.count_bulk_copy(id);
        let mut copy = AsyncCopy { to: to_at, from: from_at, bytes, sites: None, counter };
        copy.sites = self.emit_copy_checks(&copy, [to, from]);
        self.synchronizes();
        let copy = push_entry(&mut self.code.async_copies, copy);
        self.emit(Instr::BulkCopy { copy, barrier });
        Ok(())
    }

    /// Emits a matrix product of a warpgroup.
    pub(super) fn emit_warpgroup_product(
        &mut self,
        id: InstId,
        op: WgmmaOp,
        columns: &Extent,
        args: &[InstId],
    ) -> Done {
        let ([sums, b, a @ ..], Some(columns)) = (args, columns.known()) else {
            return Err(self.malformed("a generic number of columns"));
        };
        let sums = self.access_address(id, *sums)?;
        let b = self.tile(id, *b, WgmmaOp::factor_bytes(op.b, columns))?;
        let a = match op.a {
            Some(major) => LeftFactor::Tile(self.tile(
                id,
                a[0],
                WgmmaOp::factor_bytes(major, WgmmaOp::ROWS),
            )?),
            None => {
                let words = a.iter().map(|word| self.operand(*word));
                LeftFactor::Words(words.collect::<Result<_, _>>()?)
            }
        };
        self.code.has_named_barriers = true;
        let product = WarpgroupProduct { op, columns, sums, a, b };
        let product = push_entry(&mut self.code.warpgroup_products, product);
        self.emit(Instr::WarpgroupSync);
        self.emit(Instr::Wgmma { product });
        Ok(())
    }

    /// Returns tiles in shared memory that a product reads.
    fn tile(&mut self, id: InstId, ptr: InstId, bytes: u64) -> Result<Tile, Malformed> {
        let at = self.access_address(id, ptr)?;
        Ok(Tile { at, site: self.tile_site(ptr, at, bytes as u32) })
    }

    /// Emits a word of a read of a texture.
    pub(super) fn emit_texture(
        &mut self,
        id: InstId,
        op: TextureOp,
        texture: ParamId,
        args: &[InstId],
        word: u8,
    ) -> Done {
        let Some(first) = args.first() else { return Err(self.malformed("no coordinates")) };
        let mut operands = [self.operand(*first)?; TextureOp::MAX_ARGS];
        for (operand, arg) in operands.iter_mut().zip(args).skip(1) {
            *operand = self.operand(*arg)?;
        }
        let texture = self.buffer_number(Root::Param(texture));
        let to = self.new_lanes(id)?;
        let counter = self.count_texture_read(id);
        let read = TextureRead { op, texture, args: operands, word, to, counter };
        let read = push_entry(&mut self.code.texture_reads, read);
        self.emit(Instr::Texture { read });
        Ok(())
    }

    /// Emits a store.
    pub(super) fn emit_store(&mut self, id: InstId, ptr: InstId, value: InstId) -> Done {
        let to = self.access_address(id, ptr)?;
        let value = self.lanes(value)?;
        if self.kernel.space(ptr) == Some(Space::Local) {
            self.count_local(id, ptr, to);
            self.emit(Instr::StoreLocal { value, to });
            return Ok(());
        }
        self.count_request(id, ptr, to);
        self.emit_access_check(id, ptr, to, Some(value));
        let kind = AtomicKind::Store { value: Operand::Lanes(value) };
        let size = value.size();
        let change = Atomic { kind, at: to, size, ordered: false, max_index: None };
        self.announce_change(Change::Memory(change));
        if let Some(to) = to.affine() {
            let (walk, copy) = (self.walk_index(to, value.size())?, self.copy_words(value.size()));
            self.emit(Instr::StoreAffine { value, to, walk, copy });
            return Ok(());
        }
        let index = to.lanes().map_or(8, |to| to.index().size());
        let transfer = Transfer::pick(value.size(), index, self.isa);
        self.emit(Instr::Store { value, to, transfer });
        Ok(())
    }

    /// Returns the register of an operand that has one in each lane.
    fn lanes_register(&mut self, operand: Operand) -> Option<Reg> {
        match operand {
            Operand::Lanes(reg) => Some(reg),
            Operand::Uniform(uniform) => self.input_lanes(uniform),
            Operand::Affine(_) => None,
        }
    }

    /// Counts and checks an atomic access, and returns its address.
    pub(super) fn atomic_address(
        &mut self,
        id: InstId,
        ptr: InstId,
    ) -> Result<Address<Operand>, Malformed> {
        let at = self.access_address(id, ptr)?;
        self.count_request(id, ptr, at);
        self.emit_access_check(id, ptr, at, None);
        Ok(at)
    }

    /// Emits an atomic access.
    pub(super) fn emit_atomic(
        &mut self,
        kind: AtomicKind,
        at: Address<Operand>,
        value: InstId,
        order: Order,
        max_index: Option<u64>,
    ) -> Done {
        let size = self.size(value)?;
        let ordered = match order {
            Order::Relaxed => false,
            Order::Acquire | Order::Release | Order::AcqRel | Order::SeqCst => true,
        };
        let atomic = Atomic { kind, at, size, ordered, max_index };
        self.announce_change(Change::Memory(atomic));
        // The memory model makes every access relaxed, so that a relaxed atomic by an affine
        // address is executed as a plain one. The sanitizer tracks undefined values through atomic
        // accesses in another way.
        if !ordered
            && !self.is_checked
            && let Some(at) = at.affine()
        {
            if let AtomicKind::Load { to } = kind {
                let (walk, copy) = (self.walk_index(at, size)?, self.copy_words(size));
                self.emit(Instr::LoadAffine { to, from: at, walk, copy });
                return Ok(());
            }
            if let AtomicKind::Store { value } = kind
                && let Some(value) = self.lanes_register(value)
            {
                let (walk, copy) = (self.walk_index(at, size)?, self.copy_words(size));
                self.emit(Instr::StoreAffine { value, to: at, walk, copy });
                return Ok(());
            }
        }
        let access = push_entry(&mut self.code.atomics, atomic);
        self.emit(Instr::Atomic { access });
        Ok(())
    }
}
