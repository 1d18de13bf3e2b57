//! Pointers, and what is read and written through them.
use super::{
    super::range::Range,
    known::{Fit, Int, Known, scalar},
    run::Run,
    truth::Spread,
};
use super::{Access, AccessKind, Active, Dimension, SymbolKind, Threads, Value, What};
use crate::ir::{Access as Rights, Extent, InstId, Op, ParamKind, Root, Scalar};
use std::rc::Rc;

impl Run<'_> {
    pub(super) fn index(
        &mut self,
        id: InstId,
        base: InstId,
        index: InstId,
        stride: &Extent,
    ) -> Known {
        let Known::Ptr(root, from) = self.known(base) else { return Known::Ptr(None, None) };
        let offset = self.offset(id, from.as_ref(), index, stride);
        Known::Ptr(root, offset)
    }

    fn offset(
        &mut self,
        id: InstId,
        from: Option<&Int>,
        index: InstId,
        stride: &Extent,
    ) -> Option<Int> {
        let stride = self.extent(id, stride)?;
        let from = from?;
        let (value, assumed) = self.index_value(index)?;
        let value = from.value.plus(&value.times(&stride)?)?;
        Some(Int { value: Rc::new(value), fit: Fit::Proved, assumed: from.assumed || assumed })
    }

    /// The value of an index, and whether that is an assumption.
    fn index_value(&mut self, index: InstId) -> Option<(Value, bool)> {
        let Known::Int(int) = self.known(index) else { return None };
        // No object is larger.
        let actual = Some(Range::new(0, i64::MAX.into()));
        let scalar = scalar(self.kernel.insts[index].ty)?;
        let int = if int.fit > Fit::Proved {
            self.int((*int.value).clone(), scalar, actual, int.assumed)?
        } else {
            int
        };
        let (value, assumed) = int.needed()?;
        Some((value.clone(), assumed))
    }

    pub(super) fn load(&mut self, id: InstId, ptr: InstId, active: &Threads) -> Known {
        let Known::Ptr(root, offset) = self.known(ptr) else {
            return self.fresh(id, Spread::Thread);
        };
        let constant = match root {
            Some(Root::Param(param)) => matches!(
                self.kernel.params[param].kind,
                ParamKind::Slice { access: Rights::Read, .. }
            ),
            Some(Root::Array(array)) => {
                let numbers = offset.as_ref().and_then(|offset| offset.value.exact()?.same());
                let table = self.tables[array].as_ref();
                if let Some(&bits) = numbers.and_then(|offset| table?.get(&offset)) {
                    return self.constant(id, bits);
                }
                table.is_some()
            }
            Some(Root::Shared(_)) | None => false,
        };
        let spread = match offset {
            Some(offset) if constant => self.spread_of(&offset.value, active),
            Some(_) | None => Spread::Thread,
        };
        self.fresh(id, spread)
    }

    /// What a store writes: an integer, or anything else that is the same in many threads.
    pub(super) fn stored(&mut self, value: InstId, active: &Active) -> Option<Value> {
        let known = self.known(value);
        if let Known::Int(int) = &known
            && let Some((value, false)) = int.needed()
        {
            return Some(value.clone());
        }
        let group = self.spread(&known, &active.threads).group()?;
        let range = Range::new(i64::MIN.into(), u64::MAX.into());
        Some(self.symbol(value, SymbolKind::Computed, group, range))
    }

    /// An access to what `ptr` points to, of a value of the type of `value`.
    pub(super) fn access(
        &mut self,
        id: InstId,
        active: &Active,
        ptr: InstId,
        kind: AccessKind,
        value: InstId,
    ) {
        let (root, offset) = match self.known(ptr) {
            Known::Ptr(root, offset) => (root, offset),
            Known::Int(_) | Known::Truth(_) | Known::Opaque(..) => (None, None),
        };
        let root = root.or_else(|| self.kernel.root(ptr));
        let bytes = scalar(self.kernel.insts[value].ty).and_then(Scalar::size);
        let assumed = offset.as_ref().is_some_and(|offset| offset.assumed);
        let offset = offset.map(|offset| (*offset.value).clone());
        let bytes = bytes.unwrap_or(0);
        let rows = offset.as_ref().and_then(|offset| self.rows(root, offset, bytes));
        let rows = rows.map(Box::new);
        let indices = self.indices(ptr);
        let access = Access { root, kind, bytes, offset, assumed, rows, indices };
        self.event(id, active, What::Access(access));
    }

    /// The indices that lead to `ptr`, an element of an array of arrays.
    fn indices(&mut self, ptr: InstId) -> Vec<Dimension> {
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
