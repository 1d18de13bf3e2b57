//! Structs in memory: arrays of each thread's own, and a struct in shared memory for each thread.
//!
//! Every field is set before anything else, and the struct of another thread is read only between
//! two barriers. Fields do not overlap, so that the bits of a NaN are only read as a float.
use super::{Generator, plan::ROW_TYPES};
use warpwise_compiler::ir::{
    Array, ArrayId, BinaryOp, Element, InstId, Length, LocalId, Op, Scalar, Shared, SharedId,
    Space, SyncOp, Ty,
};

const LOCAL: Ty = Ty::Ptr(Space::Local);
const SHARED: Ty = Ty::Ptr(Space::Shared);

/// The layout of a struct or of one scalar.
#[derive(Clone)]
pub(super) struct Layout {
    elem: Element,
    size: u64,
    /// Types and offsets.
    fields: Vec<(Scalar, u64)>,
}

/// The arrays of structs of a kernel.
#[derive(Default)]
pub(super) struct Structs {
    /// Arrays, with their lengths.
    local: Vec<(ArrayId, Layout, u32)>,
    shared: Vec<(SharedId, Layout)>,
    /// A local that points to an element of an array of `local`, with the array's index.
    pointer: Option<(LocalId, usize)>,
}

impl Generator {
    pub(super) fn declare_structs(&mut self) {
        for _ in 0..self.draw.below(3) {
            let (layout, len) = (self.draw_layout(), 1 + self.draw.below(4));
            let (name, span) = ("a".into(), self.build.span);
            let (elem, extent) = (layout.elem.clone(), u64::from(len).into());
            let array = Array { name, elem, len: extent, passed: None, span };
            let id = self.build.kernel.arrays.push(array);
            self.plan.structs.local.push((id, layout, len));
        }
        if self.draw.chance(30) {
            let (layout, len) = (self.draw_layout(), u64::from(self.shape.threads()).into());
            let (name, span) = ("s".into(), self.build.span);
            let shared = Shared {
                name,
                elem: layout.elem.clone(),
                len: Length::Fixed(len),
                arrivals: None,
                span,
            };
            let id = self.build.kernel.shared.push(shared);
            self.plan.structs.shared.push((id, layout));
        }
        if !self.plan.structs.local.is_empty() && self.draw.chance(40) {
            let array = self.draw.index(self.plan.structs.local.len());
            self.plan.structs.pointer = Some((self.declare_local(LOCAL), array));
        }
    }

    /// Draws the layout of one scalar, or of up to five, each at the next multiple of its size.
    fn draw_layout(&mut self) -> Layout {
        if self.draw.chance(40) {
            let scalar = self.draw.one_of(&Scalar::CONCRETE);
            let size = u64::from(scalar.size().expect("it is concrete"));
            return Layout { elem: scalar.into(), size, fields: vec![(scalar, 0)] };
        }
        let repeats = self.draw.chance(50);
        let first = self.draw.one_of(&Scalar::CONCRETE);
        let (mut fields, mut end, mut align) = (Vec::new(), 0_u64, self.draw.one_of(&[1, 8, 16]));
        for _ in 0..1 + self.draw.below(5) {
            let scalar = if repeats { first } else { self.draw.one_of(&Scalar::CONCRETE) };
            let size = u64::from(scalar.size().expect("it is concrete"));
            fields.push((scalar, end.next_multiple_of(size)));
            end = end.next_multiple_of(size) + size;
            align = align.max(size);
        }
        let size = end.next_multiple_of(align);
        Layout { elem: Element::Plain { size: size.into(), align: align.into() }, size, fields }
    }

    /// Gives every field a value.
    pub(super) fn fill_structs(&mut self) {
        for (array, layout, len) in self.plan.structs.local.clone() {
            let base = self.emit(Op::Array(array), LOCAL);
            for number in 0..len {
                let index = self.constant(Scalar::U32, number.into()).id;
                let ptr = self.struct_at(base, index, &layout, LOCAL);
                self.store_fields(ptr, &layout, LOCAL);
            }
        }
        if let Some((local, array)) = self.plan.structs.pointer {
            self.point(local, array);
        }
        self.fill_shared_structs();
    }

    fn fill_shared_structs(&mut self) {
        for (shared, layout) in self.plan.structs.shared.clone() {
            let ptr = self.own_struct(shared, &layout);
            self.store_fields(ptr, &layout, SHARED);
        }
    }

    fn struct_at(&mut self, base: InstId, index: InstId, layout: &Layout, ptr: Ty) -> InstId {
        self.emit(Op::Index { base, index, stride: layout.size.into() }, ptr)
    }

    fn own_struct(&mut self, shared: SharedId, layout: &Layout) -> InstId {
        let base = self.emit(Op::Shared(shared), SHARED);
        self.struct_at(base, self.plan.number[1], layout, SHARED)
    }

    fn point(&mut self, local: LocalId, array: usize) {
        let value = self.some_element(array);
        self.emit(Op::Set { local, value }, Ty::Unit);
    }

    /// Emits the address of an element, with an index that is constant, uniform or neither.
    fn some_element(&mut self, array: usize) -> InstId {
        let (id, layout, len) = self.plan.structs.local[array].clone();
        let base = self.emit(Op::Array(id), LOCAL);
        let index = if self.draw.chance(50) {
            let number = self.draw.below(len);
            self.constant(Scalar::U64, number.into()).id
        } else {
            let value = self.some(Scalar::U32).id;
            let len = self.constant(Scalar::U32, len.into()).id;
            self.arithmetic(BinaryOp::Rem, value, len, Scalar::U32)
        };
        self.struct_at(base, index, &layout, LOCAL)
    }

    /// Emits the address of a field.
    fn field(&mut self, base: InstId, offset: u64, ptr: Ty) -> InstId {
        if offset == 0 && self.draw.chance(50) {
            return base;
        }
        self.emit(Op::Offset { base, offset: offset.into() }, ptr)
    }

    fn store_fields(&mut self, base: InstId, layout: &Layout, ptr: Ty) {
        for &(scalar, offset) in &layout.fields {
            let value = self.some(scalar).id;
            let ptr = self.field(base, offset, ptr);
            self.emit(Op::store(ptr, value), Ty::Unit);
        }
    }

    fn load_fields(&mut self, base: InstId, layout: &Layout, ptr: Ty) {
        for &(scalar, offset) in &layout.fields {
            let ptr = self.field(base, offset, ptr);
            let id = self.emit(Op::load(ptr), scalar);
            self.yields(id, scalar, false);
        }
    }

    /// Loads or stores one field, or all.
    fn access_fields(&mut self, base: InstId, layout: &Layout, ptr: Ty) {
        match self.draw.below(3) {
            0 => self.store_fields(base, layout, ptr),
            1 => self.load_fields(base, layout, ptr),
            _ => {
                let (scalar, offset) = self.draw.one_of(&layout.fields);
                let ptr = self.field(base, offset, ptr);
                self.access(ptr, scalar);
            }
        }
    }

    /// Accesses a struct of the thread's own, if there is one.
    pub(super) fn use_structs(&mut self) {
        let locals = self.plan.structs.local.len();
        if let Some((shared, layout)) = self.plan.structs.shared.first().cloned()
            && (locals == 0 || self.draw.chance(30))
        {
            let ptr = self.own_struct(shared, &layout);
            return self.access_fields(ptr, &layout, SHARED);
        }
        if locals == 0 {
            return;
        }
        if let Some((local, array)) = self.plan.structs.pointer
            && self.draw.chance(40)
        {
            if self.draw.chance(40) {
                self.point(local, array);
            }
            let layout = self.plan.structs.local[array].1.clone();
            let ptr = self.emit(Op::Get(local), LOCAL);
            return self.access_fields(ptr, &layout, LOCAL);
        }
        let array = self.draw.index(locals);
        let layout = self.plan.structs.local[array].1.clone();
        let ptr = self.some_element(array);
        self.access_fields(ptr, &layout, LOCAL);
    }

    /// Accesses a struct of the thread's own at an index, a `u32`, if there is one.
    pub(super) fn use_structs_by(&mut self, index: InstId) {
        if self.plan.structs.local.is_empty() {
            return;
        }
        let number = self.draw.index(self.plan.structs.local.len());
        let (array, layout, len) = self.plan.structs.local[number].clone();
        let base = self.emit(Op::Array(array), LOCAL);
        let len = self.constant(Scalar::U32, len.into()).id;
        let index = self.arithmetic(BinaryOp::Rem, index, len, Scalar::U32);
        let ptr = self.struct_at(base, index, &layout, LOCAL);
        self.access_fields(ptr, &layout, LOCAL);
    }

    /// Reads an array in which constants or parameters are stored just before.
    pub(super) fn use_table(&mut self, index: InstId) {
        let row = self.plan.row.clone().filter(|_| self.draw.chance(50));
        let (ty, len) = match &row {
            Some((ty, params)) => (*ty, params.len() as u32),
            None => (self.draw.one_of(&ROW_TYPES), 1 + self.draw.below(4)),
        };
        let span = self.build.span;
        let extent = u64::from(len).into();
        let array = Array { name: String::new(), elem: ty.into(), len: extent, passed: None, span };
        let array = self.build.kernel.arrays.push(array);
        let base = self.emit(Op::Array(array), LOCAL);
        let size = u64::from(ty.size().expect("it is concrete"));
        for number in 0..len {
            let index = self.constant(Scalar::U32, number.into()).id;
            let ptr = self.emit(Op::Index { base, index, stride: size.into() }, LOCAL);
            let value = match &row {
                Some((_, params)) => self.emit(Op::Param(params[number as usize]), ty),
                None => {
                    let number = self.draw.below(100) as u8;
                    self.small(ty, number).id
                }
            };
            self.emit(Op::store(ptr, value), Ty::Unit);
        }
        let len = self.constant(Scalar::U32, len.into()).id;
        let index = self.arithmetic(BinaryOp::Rem, index, len, Scalar::U32);
        let ptr = self.emit(Op::Index { base, index, stride: size.into() }, LOCAL);
        let id = self.emit(Op::load(ptr), ty);
        self.yields(id, ty, false);
    }

    /// Has every thread fill its struct and read another's; only where control is uniform.
    pub(super) fn exchange_structs(&mut self) {
        let Some((shared, layout)) = self.plan.structs.shared.first().cloned() else { return };
        self.fill_shared_structs();
        self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
        let value = self.some(Scalar::U32).id;
        let threads = self.constant(Scalar::U32, self.shape.threads().into()).id;
        let number = self.arithmetic(BinaryOp::Rem, value, threads, Scalar::U32);
        let base = self.emit(Op::Shared(shared), SHARED);
        let ptr = self.struct_at(base, number, &layout, SHARED);
        self.load_fields(ptr, &layout, SHARED);
        self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
    }
}
