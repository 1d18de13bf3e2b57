//! What a kernel is given: literals, what the launch passes, and where a thread is in its block and grid.
use super::{
    super::{range::Range, uniformity::Group},
    contracts::Passed,
    known::{Int, Known, limits, limits_of, scalar},
    truth::{Spread, Truth},
};
use super::{Factors, Run, Shape, SymbolKind, Threads, Value};
use crate::ir::{Builtin, Extent, GenericId, InstId, ParamId, ParamKind, Root, Scalar, evaluate};

impl Run<'_> {
    /// A literal.
    pub(super) fn constant(&mut self, id: InstId, bits: u64) -> Known {
        let Some(scalar) = scalar(self.kernel.insts[id].ty) else { return Known::Ptr(None, None) };
        if scalar == Scalar::Bool {
            let yes = if bits == 0 { Threads::none(self.count) } else { self.all.clone() };
            return Truth::Exact(yes).into();
        }
        if limits(scalar).is_none() {
            return self.opaque(Spread::Block);
        }
        let number = evaluate::integer(scalar, bits).and_then(|number| i64::try_from(number).ok());
        // What is too large for an `i64` has wrapped once.
        let number = number.unwrap_or_else(|| bits.cast_signed());
        match self.int(Value::from(number), scalar, None, false) {
            Some(int) => Known::Int(int),
            None => self.opaque(Spread::Block),
        }
    }

    pub(super) fn builtin(&mut self, id: InstId, builtin: Builtin) -> Known {
        let value = match builtin {
            Builtin::ThreadIdx(axis) => self.thread_idx(axis as usize).into(),
            Builtin::BlockDim(axis) => Value::from(i64::from(self.shape.dims[axis as usize])),
            Builtin::BlockIdx(_) | Builtin::GridDim(_) | Builtin::CoarseningFactor => {
                self.launch_builtin(id, builtin)
            }
            Builtin::GlobalIdx(axis) => {
                let block = self.launch_builtin(id, Builtin::BlockIdx(axis));
                let dim = Factors::Same(i64::from(self.shape.dims[axis as usize]));
                let thread: Value = self.thread_idx(axis as usize).into();
                let whole = block.scaled(&dim).and_then(|start| start.plus(&thread));
                whole.unwrap_or_default()
            }
            Builtin::LaneId => {
                self.thread_number().map(|n| Some(n % 32)).unwrap_or(Factors::Same(0)).into()
            }
            Builtin::WarpId => {
                self.thread_number().map(|n| Some(n / 32)).unwrap_or(Factors::Same(0)).into()
            }
            Builtin::LaneMask(mask) => {
                let bits = |number: i64| {
                    u32::try_from(number % 32).ok().map(|lane| mask.bits(lane).into())
                };
                self.thread_number().map(bits).unwrap_or(Factors::Same(0)).into()
            }
        };
        // The launcher refuses what does not fit.
        Known::Int(Int::proved(value))
    }

    fn thread_idx(&self, axis: usize) -> Factors {
        Factors::affine(0, Shape::axis(axis), &self.shape)
    }

    fn thread_number(&self) -> Factors {
        let [x, y, _] = self.shape.dims.map(i64::from);
        Factors::affine(0, [1, x, x * y], &self.shape)
    }

    /// What a launch decides, or a block is.
    pub(super) fn launch_builtin(&mut self, id: InstId, builtin: Builtin) -> Value {
        if let Some((_, symbol)) = self.builtins.iter().find(|(known, _)| *known == builtin) {
            return symbol.clone();
        }
        let range = self.launch.builtin(builtin);
        let value = match builtin {
            Builtin::BlockIdx(_) => self.symbol(id, SymbolKind::BlockIdx, Group::Block, range),
            Builtin::ThreadIdx(_)
            | Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::GlobalIdx(_)
            | Builtin::LaneId
            | Builtin::WarpId
            | Builtin::LaneMask(_)
            | Builtin::CoarseningFactor => self.of_launch(id, range),
        };
        self.builtins.push((builtin, value.clone()));
        value
    }

    /// A number that the launch decides, in `range`: that of a range that has no other.
    pub(super) fn of_launch(&mut self, id: InstId, range: Range) -> Value {
        match i64::try_from(range.min) {
            Ok(number) if range.min == range.max => number.into(),
            Ok(_) | Err(_) => self.symbol(id, SymbolKind::Launch, Group::Block, range),
        }
    }

    /// What the launch passes as `param`, or its length.
    pub(super) fn param(&mut self, id: InstId, param: ParamId, length: bool) -> Known {
        let passed = match (&self.kernel.params[param].kind, length) {
            (ParamKind::Slice { .. }, false) => {
                return Known::Ptr(Some(Root::Param(param)), Some(Int::proved(0)));
            }
            (ParamKind::Scalar(Scalar::Bool), _) => {
                let Range { min, max } = self.launch.param(param);
                if min != max {
                    return self.fresh(id, Spread::Block);
                }
                let yes = if min == 0 { Threads::none(self.count) } else { self.all.clone() };
                return Truth::Exact(yes).into();
            }
            (ParamKind::Scalar(_), _) => Passed::Scalar(param),
            (ParamKind::Slice { .. }, true) => Passed::Length(param),
        };
        match limits_of(self.kernel, id) {
            Some(_) => Known::Int(Int::proved(self.passed(id, passed))),
            None => self.fresh(id, Spread::Block),
        }
    }

    /// A number that is known once the kernel is specialized.
    pub(super) fn extent(&mut self, id: InstId, extent: &Extent) -> Option<Value> {
        match extent {
            Extent::Const(number) => i64::try_from(*number).ok().map(Value::from),
            Extent::Add(a, b) => self.extent(id, a)?.plus(&self.extent(id, b)?),
            Extent::Sub(a, b) => self.extent(id, a)?.minus(&self.extent(id, b)?),
            Extent::Mul(a, b) => self.extent(id, a)?.times(&self.extent(id, b)?),
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
                let value = self.of_launch(id, range);
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
