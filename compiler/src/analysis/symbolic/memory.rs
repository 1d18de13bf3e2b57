//! Pointers, loads and stores.
use super::{
    super::range::Range,
    abstract_bool::Spread,
    abstract_value::{AbstractInt, AbstractValue, Fit, scalar_type},
    executor::Executor,
};
use super::{
    Access, AccessKind, ActiveThreads, Dimension, EventKind, SymbolKind, SymbolicSum, ThreadSet,
};
use crate::ir::{Extent, InstId, Op, Root, Scalar};
use std::rc::Rc;

impl Executor<'_> {
    pub(super) fn eval_index(
        &mut self,
        id: InstId,
        base: InstId,
        index: InstId,
        stride: &Extent,
    ) -> AbstractValue {
        let AbstractValue::Ptr(root, from) = self.last_value(base) else {
            return AbstractValue::Ptr(None, None);
        };
        let offset = self.element_offset(id, from.as_ref(), index, stride);
        AbstractValue::Ptr(root, offset)
    }

    fn element_offset(
        &mut self,
        id: InstId,
        from: Option<&AbstractInt>,
        index: InstId,
        stride: &Extent,
    ) -> Option<AbstractInt> {
        let stride = self.extent_value(id, stride)?;
        let from = from?;
        let (value, assumed) = self.index_value(index)?;
        let value = from.value.checked_add(&value.checked_mul(&stride)?)?;
        Some(AbstractInt {
            value: Rc::new(value),
            fit: Fit::Proved,
            assumed: from.assumed || assumed,
        })
    }

    /// Returns the value of an index, and true if it is an assumption.
    fn index_value(&mut self, index: InstId) -> Option<(SymbolicSum, bool)> {
        let AbstractValue::Int(int) = self.last_value(index) else { return None };
        // No object is larger.
        let actual = Some(Range::new(0, i64::MAX.into()));
        let scalar = scalar_type(self.kernel.insts[index].ty)?;
        let int = if int.fit > Fit::Proved {
            self.typed_int((*int.value).clone(), scalar, actual, int.assumed)?
        } else {
            int
        };
        let (value, assumed) = int.unwrapped()?;
        Some((value.clone(), assumed))
    }

    pub(super) fn eval_load(
        &mut self,
        id: InstId,
        ptr: InstId,
        active: &ThreadSet,
    ) -> AbstractValue {
        let AbstractValue::Ptr(root, offset) = self.last_value(ptr) else {
            return self.new_unknown(id, Spread::Thread);
        };
        let constant = match root {
            Some(root @ Root::Param(_)) => self.kernel.is_read_only(root),
            Some(Root::Array(array)) => {
                let numbers =
                    offset.as_ref().and_then(|offset| offset.value.as_numbers()?.as_uniform());
                let table = self.tables[array].as_ref();
                if let Some(&bits) = numbers.and_then(|offset| table?.get(&offset)) {
                    return self.eval_const(id, bits);
                }
                table.is_some()
            }
            Some(Root::Shared(_)) | None => false,
        };
        let spread = match offset {
            Some(offset) if constant => self.spread_of_sum(&offset.value, active),
            Some(_) | None => Spread::Thread,
        };
        self.new_unknown(id, spread)
    }

    /// Returns the stored value: an integer, or an unknown value that many threads share.
    pub(super) fn stored_value(
        &mut self,
        value: InstId,
        active: &ActiveThreads,
    ) -> Option<SymbolicSum> {
        let known = self.last_value(value);
        if let AbstractValue::Int(int) = &known
            && let Some((value, false)) = int.unwrapped()
        {
            return Some(value.clone());
        }
        let group = self.spread_in(&known, &active.threads).group()?;
        let range = Range::new(i64::MIN.into(), u64::MAX.into());
        Some(self.new_symbol(value, SymbolKind::Computed, group, range))
    }

    /// Records an access through `ptr` to a value of the type of `value`.
    pub(super) fn record_access(
        &mut self,
        id: InstId,
        active: &ActiveThreads,
        ptr: InstId,
        kind: AccessKind,
        value: InstId,
    ) {
        let bytes = scalar_type(self.kernel.insts[value].ty).and_then(Scalar::size);
        self.record_access_of(id, active, ptr, kind, bytes.unwrap_or(0));
    }

    /// Records the read and the write of an asynchronous copy, where it begins.
    pub(super) fn record_copy(
        &mut self,
        id: InstId,
        active: &ActiveThreads,
        [to, from]: [InstId; 2],
        bytes: &Extent,
    ) {
        let bytes = bytes.known().and_then(|bytes| bytes.try_into().ok()).unwrap_or(0);
        self.record_access_of(id, active, from, AccessKind::Load, bytes);
        self.record_access_of(id, active, to, AccessKind::Store(None), bytes);
    }

    /// Records an access through `ptr` to `bytes` bytes, 0 if their number is unknown.
    fn record_access_of(
        &mut self,
        id: InstId,
        active: &ActiveThreads,
        ptr: InstId,
        kind: AccessKind,
        bytes: u32,
    ) {
        let (root, offset) = match self.last_value(ptr) {
            AbstractValue::Ptr(root, offset) => (root, offset),
            AbstractValue::Int(_) | AbstractValue::Bool(_) | AbstractValue::Opaque(..) => {
                (None, None)
            }
        };
        let root = root.or_else(|| self.kernel.root(ptr));
        let assumed = offset.as_ref().is_some_and(|offset| offset.assumed);
        let offset = offset.map(|offset| (*offset.value).clone());
        let rows = offset.as_ref().and_then(|offset| self.rows_of_access(root, offset, bytes));
        let rows = rows.map(Box::new);
        let indices = self.array_indices(ptr);
        let access = Access { root, kind, bytes, offset, assumed, rows, indices };
        self.record_event(id, active, EventKind::Access(access));
    }

    /// Returns the indices that lead to `ptr`, an element of an array of arrays.
    fn array_indices(&mut self, ptr: InstId) -> Vec<Dimension> {
        let kernel = self.kernel;
        let (mut at, mut levels) = (ptr, Vec::new());
        while let Op::Index { base, index, stride } = &kernel.insts[at].op {
            levels.push((*index, stride.known()));
            at = *base;
        }
        if levels.len() < 2 || !matches!(kernel.insts[at].op, Op::Shared(_) | Op::Param(_)) {
            return Vec::new();
        }
        let dimensions = levels.into_iter().rev().map(|(index, stride)| {
            let (index, _) = self.index_value(index)?;
            Some(Dimension { index, stride: stride? })
        });
        dimensions.collect::<Option<_>>().unwrap_or_default()
    }
}
