//! Kernel inputs: literals, launch arguments, and the position of a thread in its block and grid.
use super::{
    super::{range::Range, uniformity::Group},
    abstract_bool::{AbstractBool, Spread},
    abstract_value::{AbstractInt, AbstractValue, result_limits, scalar_type, type_limits},
    contracts::Argument,
};
use super::{Executor, PerThread, Shape, SymbolKind, SymbolicSum, ThreadSet};
use crate::ir::{Builtin, Extent, GenericId, InstId, ParamId, ParamKind, Root, Scalar, evaluate};

impl Executor<'_> {
    /// Returns the value of a literal.
    pub(super) fn eval_const(&mut self, id: InstId, bits: u64) -> AbstractValue {
        let Some(scalar) = scalar_type(self.kernel.insts[id].ty) else {
            return AbstractValue::Ptr(None, None);
        };
        if scalar == Scalar::Bool {
            let yes = if bits == 0 { ThreadSet::none(self.thread_count) } else { self.all.clone() };
            return AbstractBool::Exact(yes).into();
        }
        if type_limits(scalar).is_none() {
            return self.new_opaque(Spread::Block);
        }
        let number = evaluate::integer(scalar, bits).and_then(|number| i64::try_from(number).ok());
        // A number too large for an `i64` has wrapped once.
        let number = number.unwrap_or_else(|| bits.cast_signed());
        match self.typed_int(SymbolicSum::from(number), scalar, None, false) {
            Some(int) => AbstractValue::Int(int),
            None => self.new_opaque(Spread::Block),
        }
    }

    pub(super) fn eval_builtin(&mut self, id: InstId, builtin: Builtin) -> AbstractValue {
        let value = match builtin {
            Builtin::ThreadIdx(axis) => self.thread_idx(axis as usize).into(),
            Builtin::BlockDim(axis) => SymbolicSum::from(i64::from(self.shape.dims[axis as usize])),
            Builtin::BlockIdx(_) | Builtin::GridDim(_) | Builtin::CoarseningFactor => {
                self.launch_builtin(id, builtin)
            }
            Builtin::GlobalIdx(axis) => {
                let block = self.launch_builtin(id, Builtin::BlockIdx(axis));
                let dim = PerThread::Uniform(i64::from(self.shape.dims[axis as usize]));
                let thread: SymbolicSum = self.thread_idx(axis as usize).into();
                let whole = block.checked_scale(&dim).and_then(|start| start.checked_add(&thread));
                whole.unwrap_or_default()
            }
            Builtin::LaneId => self
                .thread_number()
                .try_map(|n| Some(n % 32))
                .unwrap_or(PerThread::Uniform(0))
                .into(),
            Builtin::WarpId => self
                .thread_number()
                .try_map(|n| Some(n / 32))
                .unwrap_or(PerThread::Uniform(0))
                .into(),
            Builtin::LaneMask(mask) => {
                let bits = |number: i64| {
                    u32::try_from(number % 32).ok().map(|lane| mask.bits(lane).into())
                };
                self.thread_number().try_map(bits).unwrap_or(PerThread::Uniform(0)).into()
            }
        };
        // The launcher refuses sizes that do not fit.
        AbstractValue::Int(AbstractInt::proved(value))
    }

    fn thread_idx(&self, axis: usize) -> PerThread {
        PerThread::affine_in(0, Shape::unit_step(axis), &self.shape)
    }

    fn thread_number(&self) -> PerThread {
        let [x, y, _] = self.shape.dims.map(i64::from);
        PerThread::affine_in(0, [1, x, x * y], &self.shape)
    }

    /// Returns the symbol of a builtin that the launch or the block decides.
    pub(super) fn launch_builtin(&mut self, id: InstId, builtin: Builtin) -> SymbolicSum {
        if let Some((_, symbol)) = self.builtins.iter().find(|(known, _)| *known == builtin) {
            return symbol.clone();
        }
        let range = self.launch.builtin(builtin);
        let value = match builtin {
            Builtin::BlockIdx(_) => self.new_symbol(id, SymbolKind::BlockIdx, Group::Block, range),
            Builtin::ThreadIdx(_)
            | Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::GlobalIdx(_)
            | Builtin::LaneId
            | Builtin::WarpId
            | Builtin::LaneMask(_)
            | Builtin::CoarseningFactor => self.launch_symbol(id, range),
        };
        self.builtins.push((builtin, value.clone()));
        value
    }

    /// Returns a symbol for a number that the launch decides, in `range`; the number itself if the
    /// range has no other.
    pub(super) fn launch_symbol(&mut self, id: InstId, range: Range) -> SymbolicSum {
        match i64::try_from(range.min) {
            Ok(number) if range.min == range.max => number.into(),
            Ok(_) | Err(_) => self.new_symbol(id, SymbolKind::Launch, Group::Block, range),
        }
    }

    /// Returns the value of parameter `param`, or its length.
    pub(super) fn eval_param(&mut self, id: InstId, param: ParamId, length: bool) -> AbstractValue {
        let passed = match (&self.kernel.params[param].kind, length) {
            (ParamKind::Slice { .. }, false) => {
                return AbstractValue::Ptr(Some(Root::Param(param)), Some(AbstractInt::proved(0)));
            }
            (ParamKind::Scalar(Scalar::Bool), _) => {
                let Range { min, max } = self.launch.param(param);
                if min != max {
                    return self.new_unknown(id, Spread::Block);
                }
                let yes =
                    if min == 0 { ThreadSet::none(self.thread_count) } else { self.all.clone() };
                return AbstractBool::Exact(yes).into();
            }
            (ParamKind::Scalar(_), _) => Argument::Scalar(param),
            (ParamKind::Slice { .. }, true) => Argument::Length(param),
        };
        match result_limits(self.kernel, id) {
            Some(_) => AbstractValue::Int(AbstractInt::proved(self.argument_value(id, passed))),
            None => self.new_unknown(id, Spread::Block),
        }
    }

    /// Returns the value of an extent, which is a number once the kernel is specialized.
    pub(super) fn extent_value(&mut self, id: InstId, extent: &Extent) -> Option<SymbolicSum> {
        match extent {
            Extent::Const(number) => i64::try_from(*number).ok().map(SymbolicSum::from),
            Extent::Add(a, b) => self.extent_value(id, a)?.checked_add(&self.extent_value(id, b)?),
            Extent::Sub(a, b) => self.extent_value(id, a)?.checked_sub(&self.extent_value(id, b)?),
            Extent::Mul(a, b) => self.extent_value(id, a)?.checked_mul(&self.extent_value(id, b)?),
            Extent::Generic(_) | Extent::SizeOf(_) | Extent::Div(..) | Extent::Max(..) => {
                if let Some((_, symbol)) = self.extents.iter().find(|(known, _)| known == extent) {
                    return Some(symbol.clone());
                }
                let range = match extent {
                    Extent::SizeOf(_) => Range::new(1, 8),
                    Extent::Generic(generic) => self.generic_range(*generic),
                    Extent::Const(_)
                    | Extent::Add(..)
                    | Extent::Sub(..)
                    | Extent::Mul(..)
                    | Extent::Div(..)
                    | Extent::Max(..) => Range::new(0, u64::MAX.into()),
                };
                let value = self.launch_symbol(id, range);
                self.extents.push((extent.clone(), value.clone()));
                Some(value)
            }
        }
    }

    fn generic_range(&self, generic: GenericId) -> Range {
        let is_known = self.kernel.generics.get(generic).is_some();
        let range = if is_known { self.launch.generic(generic) } else { Range::EMPTY };
        if range.is_empty() { Range::new(i64::MIN.into(), u64::MAX.into()) } else { range }
    }
}
