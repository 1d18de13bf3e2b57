//! Places: where they are, what is in them, and setting them.
use super::{Binding, Emit, Flow, Length, Memory, Place, Pointer, Value};
use crate::lower::{
    tree::{At, Expr, Kind},
    types::Type,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, InstId, Op, Scalar, Space},
};

impl Emit<'_> {
    /// What an expression stands for; a value of its own is a place that is not set again.
    pub(super) fn place(&mut self, expr: &Expr) -> Flow<Place> {
        match &expr.kind {
            Kind::Var(var) => match self.frame.vars[var.index()].clone() {
                Binding::Value(value) => Ok(Place::Value(value)),
                Binding::Local(local) => Ok(Place::Local(local)),
                Binding::Param(param) => {
                    let scalar = self.scalar_of(expr.ty, expr.at)?;
                    let value = self.inst(expr.at, Op::Param(param), scalar);
                    Ok(Place::Value(Value::Scalar(value)))
                }
                Binding::Unset => Err(self.bug(expr.at)),
            },
            Kind::Deref(reference) => match self.value(reference)? {
                Value::Ref(place) => Ok(*place),
                Value::Unit | Value::Scalar(_) | Value::Exchange(_) => Err(self.bug(expr.at)),
            },
            Kind::Index { base, index } => self.element(base, index, expr),
            Kind::Scoped { atomic, scope } => {
                let Place::Memory(memory) = self.place(atomic)? else {
                    return Err(self.bug(expr.at));
                };
                Ok(Place::Memory(Memory { scope: Some(*scope), ..memory }))
            }
            _ => self.value(expr).map(Place::Value),
        }
    }

    /// `base[index]`, with its check.
    fn element(&mut self, base: &Expr, index: &Expr, expr: &Expr) -> Flow<Place> {
        let Place::Memory(memory) = self.place(base)? else { return Err(self.bug(base.at)) };
        let value = self.scalar(index)?;
        let len = self.memory_length(&memory, base, index.at)?;
        let stride = self.size(expr.ty, expr.at)?;
        let bounds = Op::Bounds { index: value, len };
        let checked = self.inst(index.at, bounds, Scalar::U64);
        let base = self.pointer(memory.ptr, expr.at);
        let ty = self.build.kernel.insts[base].ty;
        let ptr = self.inst(expr.at, Op::Index { base, index: checked, stride }, ty);
        Ok(Place::Memory(Memory { ptr: Pointer::Inst(ptr), len: None, scope: None }))
    }

    /// The number of elements of a place of slice or array type.
    pub(super) fn length(&mut self, place: &Expr, at: At) -> Flow<InstId> {
        let Place::Memory(memory) = self.place(place)? else { return Err(self.bug(at)) };
        self.memory_length(&memory, place, at)
    }

    fn memory_length(&mut self, memory: &Memory, place: &Expr, at: At) -> Flow<InstId> {
        let extent = match (self.ty(place.ty), &memory.len) {
            (Type::Array(_, len), _) => self.array_len(len, at)?,
            (_, Some(Length::Extent(extent))) => extent.clone(),
            (_, Some(Length::Param(param))) => {
                return Ok(self.inst(at, Op::Len(*param), Scalar::U64));
            }
            (_, None) => return Err(self.bug(at)),
        };
        Ok(self.extent_value(&extent, Scalar::U64, at))
    }

    pub(super) fn pointer(&mut self, pointer: Pointer, at: At) -> InstId {
        match pointer {
            Pointer::Param(param) => self.inst(at, Op::Param(param), ir::Ty::Ptr(Space::Global)),
            Pointer::Shared(id) => self.inst(at, Op::Shared(id), ir::Ty::Ptr(Space::Shared)),
            Pointer::Inst(inst) => inst,
        }
    }

    /// What is in a place.
    pub(super) fn get(&mut self, place: Place, expr: &Expr) -> Flow<Value> {
        match place {
            Place::Value(value) => Ok(value),
            Place::Local(local) => Ok(self.take(Some(local), expr.at)),
            Place::Memory(memory) => match self.scalar_type(expr.ty) {
                Some(scalar) => {
                    let ptr = self.pointer(memory.ptr, expr.at);
                    Ok(Value::Scalar(self.inst(expr.at, Op::Load { ptr }, scalar)))
                }
                // An array as a whole: nothing can be done with it but to refer to it.
                None => Ok(Value::Ref(Box::new(Place::Memory(memory)))),
            },
        }
    }

    /// Puts a number or `bool` into a place.
    pub(super) fn set(&mut self, place: Place, value: Value, at: At) -> Flow<()> {
        match (place, value) {
            (Place::Local(local), Value::Scalar(value)) => {
                self.inst(at, Op::Set { local, value }, ir::Ty::Unit);
                Ok(())
            }
            (Place::Memory(memory), Value::Scalar(value)) => {
                let ptr = self.pointer(memory.ptr, at);
                self.inst(at, Op::Store { ptr, value }, ir::Ty::Unit);
                Ok(())
            }
            // `let unit; unit = ();` sets nothing.
            (Place::Value(Value::Unit), Value::Unit) => Ok(()),
            _ => Err(self.bug(at)),
        }
    }

    /// `&place`; a `&mut` to a value of its own is one to a variable without a name.
    pub(super) fn borrow(&mut self, place: &Expr, expr: &Expr) -> Flow<Value> {
        let mutable = matches!(self.ty(expr.ty), Type::Ref { mutable: true, .. });
        let mut found = self.place(place)?;
        if mutable && let Place::Value(value @ Value::Scalar(_)) = &found {
            let value = value.clone();
            let scalar = self.scalar_of(place.ty, place.at)?;
            found = Place::Local(self.local("", scalar, place.at));
            self.set(found.clone(), value, place.at)?;
        }
        Ok(Value::Ref(Box::new(found)))
    }

    /// A reference to an array as one to a slice: its length comes along.
    pub(super) fn unsize(&mut self, array: &Expr) -> Flow<Value> {
        let at = array.at;
        let (Value::Ref(place), Type::Ref { to, .. }) = (self.value(array)?, self.ty(array.ty))
        else {
            return Err(self.bug(at));
        };
        let (Place::Memory(memory), Type::Array(_, len)) = (*place, self.ty(to)) else {
            return Err(self.bug(at));
        };
        let len = Some(Length::Extent(self.array_len(len, at)?));
        Ok(Value::Ref(Box::new(Place::Memory(Memory { len, ..memory }))))
    }
}
