//! Lowering of tensor maps: parameters, and copies of boxes by them.
//!
//! A tensor map is a slice with extents, as the arrays of several dimensions are, and only copies
//! use the slice. A copy names a parameter of the kernel, so that the tensor map of a thread must
//! be known.
use super::{
    async_copy::{NOT_FROM_SHARED, NOT_TO_SHARED},
    layout::Layout,
};
use crate::{
    hir::{Expr, SpanId},
    lower::{Diverged, Flow, Lowerer, Place, Pointer, Value},
    types::{
        Type,
        mono::{Mono, MonoArg},
    },
};
use warpwise_compiler::ir::{
    self, Access, CopyOp, InstId, Op, ParamId, ParamKind, TensorBox, TensorBoxShape,
};

impl Lowerer<'_> {
    /// Makes a tensor map of the slice parameter that was declared for its elements.
    pub(crate) fn make_tensor_map(&mut self, elements: ParamId) {
        if let ParamKind::Slice { access, .. } = &mut self.build.kernel.params[elements].kind {
            *access = match access {
                Access::Write => Access::TensorWrite,
                _ => Access::TensorRead,
            };
        }
    }

    /// Returns true for a parameter that is a tensor map.
    pub(crate) fn is_tensor_map(&self, param: ParamId) -> bool {
        let kind = &self.build.kernel.params[param].kind;
        matches!(kind, ParamKind::Slice { access, .. } if access.is_tensor_map())
    }

    /// Lowers `words::tensor_copy(barrier, to, map, at)`, and `tensor_copy_multicast` with the
    /// blocks of the cluster as a last argument.
    pub(crate) fn lower_tensor_copy(
        &mut self,
        barrier: InstId,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let ([_, to, map, at, blocks @ ..], span) = (args, expr.at) else {
            return Err(self.report_bug(expr.at));
        };
        if !blocks.is_empty() {
            self.cluster_dims(span)?;
        }
        let address = self.lower_copied_address(to, NOT_TO_SHARED)?;
        let (map, shape, at) = self.lower_tensor_box([to, map, at], span)?;
        let blocks = blocks.first().map(|blocks| self.lower_scalar(blocks)).transpose()?;
        if let Some(to) = address {
            let copy = Op::Copy(CopyOp::TensorCopy {
                to,
                map,
                shape: Box::new(shape),
                at,
                barrier,
                blocks,
            });
            self.push_inst(span, copy, ir::Ty::Unit);
        }
        Ok(Value::Unit)
    }

    /// Lowers `words::store(map, from, at)`.
    pub(crate) fn lower_tensor_store(&mut self, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let ([map, from, at], span) = (args, expr.at) else {
            return Err(self.report_bug(expr.at));
        };
        let address = self.lower_copied_address(from, NOT_FROM_SHARED)?;
        let (map, shape, at) = self.lower_tensor_box([from, map, at], span)?;
        if let Some(from) = address {
            let store = Op::Copy(CopyOp::TensorStore { map, from, shape: Box::new(shape), at });
            self.push_inst(span, store, ir::Ty::Unit);
        }
        Ok(Value::Unit)
    }

    /// Returns the parameter of a tensor map, the box that a copy between it and a tile moves, and
    /// the coordinates.
    fn lower_tensor_box(
        &mut self,
        [tile, map, at]: [&Expr; 3],
        span: SpanId,
    ) -> Flow<(ParamId, TensorBox, Vec<InstId>)> {
        let map_value = self.lower_value(map)?;
        let Value::Parts(at) = self.lower_value(at)? else { return Err(self.report_bug(span)) };
        let scalars = at.iter().map(|part| match part {
            Value::Scalar(inst) => Some(*inst),
            _ => None,
        });
        let Some(at) = scalars.collect::<Option<Vec<_>>>() else {
            return Err(self.report_bug(span));
        };
        let Some(param) = self.tensor_map_param(&map_value) else {
            if self.errors.is_empty() {
                self.report_unknown_tensor_map(span);
            }
            return Err(Diverged);
        };
        let shape = self.tensor_box(map, tile, span)?;
        self.check_tensor_box(param, tile, &shape, span)?;
        Ok((param, shape, at))
    }

    /// Returns the box of a tensor map, from the constants of its type, and the bytes of a tile.
    fn tensor_box(&mut self, map: &Expr, tile: &Expr, span: SpanId) -> Flow<TensorBox> {
        let (Type::Ref { to: map, .. }, Type::Ref { to: tile, .. }) =
            (self.type_of(map.ty), self.type_of(tile.ty))
        else {
            return Err(self.report_bug(span));
        };
        let Mono::Adt(_, args) = self.mono_type(map, span)? else {
            return Err(self.report_bug(span));
        };
        let constants = args.iter().filter_map(|arg| match arg {
            MonoArg::Const(extent) => Some(extent),
            MonoArg::Type(_) => None,
        });
        let constants = constants.map(|extent| self.simplify_extent(extent, span));
        let mut extents = constants.collect::<Flow<Vec<_>>>()?;
        let Some(swizzle) = extents.pop() else { return Err(self.report_bug(span)) };
        let tile = self.mono_type(tile, span)?;
        let Layout { size, .. } = self.layout_of(&tile, span)?;
        Ok(TensorBox { extents, swizzle, bytes: size })
    }

    /// Reports a box that hardware does not copy, or a tile that is not aligned for it.
    fn check_tensor_box(
        &mut self,
        map: ParamId,
        tile: &Expr,
        shape: &TensorBox,
        span: SpanId,
    ) -> Flow<()> {
        if let Some(problem) = shape.problem_in(&self.build.kernel, map) {
            self.errors.advise(
                self.source_range(span),
                problem,
                "the box is in the type of the tensor map: its extents, and the bytes of the swizzle",
            );
            return Err(Diverged);
        }
        let Type::Ref { to: tile, .. } = self.type_of(tile.ty) else {
            return Err(self.report_bug(span));
        };
        let tile = self.mono_type(tile, span)?;
        let Layout { align, .. } = self.layout_of(&tile, span)?;
        // Of an unknown swizzle, the widest one counts.
        let swizzle = shape.swizzle.known().unwrap_or(TensorBoxShape::MAX_SWIZZLE);
        let needed = TensorBoxShape::align(swizzle);
        match align.known() {
            Some(align) if align >= needed => Ok(()),
            found => {
                let found = found.map_or("unknown".to_owned(), |align| format!("{align} bytes"));
                self.errors.advise(
                    self.source_range(span),
                    format_args!(
                        "a tensor map copies to and from tiles that are aligned to {needed} bytes, and \
                         the alignment of this one is {found}"
                    ),
                    format_args!(
                        "declare a struct with the array: `#[device] #[repr(C, align({needed}))] struct \
                         Tile(..)`"
                    ),
                );
                Err(Diverged)
            }
        }
    }

    /// Returns the parameter of a tensor map, if it is known.
    fn tensor_map_param(&self, map: &Value) -> Option<ParamId> {
        let elements = match map {
            Value::Ref(place) => match &**place {
                Place::Parts(parts) => match parts.first()? {
                    Place::Value(elements) => elements,
                    _ => return None,
                },
                Place::Value(Value::Parts(parts)) => parts.first()?,
                _ => return None,
            },
            _ => return None,
        };
        let Value::Ref(place) = elements else { return None };
        let Place::Memory(memory) = &**place else { return None };
        let Pointer::Param(param) = memory.ptr else { return None };
        self.is_tensor_map(param).then_some(param)
    }

    /// Reports a tensor map that the compiler cannot tell from others.
    pub(crate) fn report_unknown_tensor_map(&mut self, at: SpanId) {
        self.errors.advise(
            self.source_range(at),
            "kernel code cannot choose between tensor maps while it runs",
            "branch, and copy in each arm",
        );
    }
}
