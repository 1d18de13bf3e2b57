//! What a kernel is given: literals, what the launch passes, and where a thread is in its block and grid.
use super::{
    super::{
        evaluate,
        range::{Range, Ranges},
        uniformity::Group,
    },
    known::{Int, Known, limits, limits_of, scalar},
    truth::{Spread, Truth},
};
use super::{Factors, Run, Shape, SymbolKind, Threads, Value};
use crate::ir::{
    Axis, Builtin, Extent, GenericId, GenericKind, InstId, ParamId, ParamKind, Root, Scalar,
};

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
        let along = |axis: Axis| match axis {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        };
        let value = match builtin {
            Builtin::ThreadIdx(axis) => self.thread_idx(along(axis)).into(),
            Builtin::BlockDim(axis) => Value::from(i64::from(self.shape.dims[along(axis)])),
            Builtin::BlockIdx(_) | Builtin::GridDim(_) => self.launch_builtin(id, builtin),
            Builtin::GlobalIdx(axis) => {
                let block = self.launch_builtin(id, Builtin::BlockIdx(axis));
                let dim = Factors::Same(i64::from(self.shape.dims[along(axis)]));
                let thread: Value = self.thread_idx(along(axis)).into();
                let whole = block.scaled(&dim).and_then(|start| start.plus(&thread));
                whole.unwrap_or_default()
            }
            Builtin::LaneId => {
                self.thread_number().map(|n| Some(n % 32)).unwrap_or(Factors::Same(0)).into()
            }
            Builtin::WarpId => {
                self.thread_number().map(|n| Some(n / 32)).unwrap_or(Factors::Same(0)).into()
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
    fn launch_builtin(&mut self, id: InstId, builtin: Builtin) -> Value {
        if let Some((_, symbol)) = self.builtins.iter().find(|(known, _)| *known == builtin) {
            return symbol.clone();
        }
        let kind = match builtin {
            Builtin::BlockIdx(_) => SymbolKind::BlockIdx,
            Builtin::ThreadIdx(_)
            | Builtin::BlockDim(_)
            | Builtin::GridDim(_)
            | Builtin::GlobalIdx(_)
            | Builtin::LaneId
            | Builtin::WarpId => SymbolKind::Launch,
        };
        let range = Ranges::builtin(self.kernel, builtin);
        let symbol = self.symbol(id, kind, Group::Block, range);
        self.builtins.push((builtin, symbol.clone()));
        symbol
    }

    /// What the launch passes as `param`, or its length.
    pub(super) fn param(&mut self, id: InstId, param: ParamId, length: bool) -> Known {
        if let (ParamKind::Slice { .. }, false) = (&self.kernel.params[param].kind, length) {
            return Known::Ptr(Some(Root::Param(param)), Some(Int::proved(0)));
        }
        let Some(limits) = limits_of(self.kernel, id) else { return self.fresh(id, Spread::Block) };
        let asked = |(known, of_length, _): &&(ParamId, bool, Value)| {
            *known == param && *of_length == length
        };
        if let Some((.., symbol)) = self.params.iter().find(asked) {
            return Known::Int(Int::proved(symbol.clone()));
        }
        let range = self.range_of(id).unwrap_or(limits);
        let symbol = self.symbol(id, SymbolKind::Launch, Group::Block, range);
        self.params.push((param, length, symbol.clone()));
        Known::Int(Int::proved(symbol))
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
                let symbol = self.symbol(id, SymbolKind::Launch, Group::Block, range);
                self.extents.push((extent.clone(), symbol.clone()));
                Some(symbol)
            }
        }
    }

    fn generic_range(&self, generic: GenericId) -> Range {
        let kind = self.kernel.generics.get(generic).map(|generic| generic.kind);
        match kind {
            Some(GenericKind::Const(scalar)) => {
                limits(scalar).unwrap_or(Range::new(i64::MIN.into(), u64::MAX.into()))
            }
            Some(GenericKind::Type(_)) | None => Range::new(i64::MIN.into(), u64::MAX.into()),
        }
    }
}
