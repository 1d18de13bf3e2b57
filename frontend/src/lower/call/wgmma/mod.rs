//! Lowering of the matrix products of warpgroups.
mod progress;

use crate::{
    hir::{Expr, SpanId},
    lower::{Diverged, Flow, Lowerer, Place, Value},
    syntax::span::SpanRange,
    types::Len,
};
use progress::ProgressErrors;
use warpwise_compiler::{
    id::Id as _,
    ir::{
        self, Axis, BinaryOp, Builtin, CompareOp, Extent, InstId, Major, MatrixOp, Op, Requirement,
        Scalar, Size, Span, WgmmaOp,
    },
};

impl Lowerer<'_> {
    /// Lowers a product of the module `wgmma::words`; reports columns that no product has. Those
    /// that depend on parameters of the kernel are checked when these are bound.
    pub(crate) fn lower_wgmma(
        &mut self,
        op: WgmmaOp,
        [columns, tiles]: [Len; 2],
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let ([sums, a, b], at) = (args, expr.at) else { return Err(self.report_bug(expr.at)) };
        let (columns, tiles) = (self.simplify_len(columns, at)?, self.simplify_len(tiles, at)?);
        if let Some(wrong) = columns.known().filter(|columns| !op.has_columns(*columns)) {
            self.errors.advise(
                self.source_range(at),
                format_args!(
                    "a product of a warpgroup of `{}` has {}, and this has {wrong}",
                    op.ty.name(),
                    op.describe_columns()
                ),
                "divide the columns among several products, or fill them up with zeros",
            );
            return Err(Diverged);
        }
        if let (Major::Mn, Some(columns), Some(tiles)) = (op.b, columns.known(), tiles.known())
            && columns.div_ceil(WgmmaOp::ROWS) != tiles
        {
            let needed = columns.div_ceil(WgmmaOp::ROWS);
            self.errors.advise(
                self.source_range(at),
                format_args!("{columns} columns are in {needed} tiles of 64, and these are {tiles}"),
                "a tile has 64 rows of `b`, of 64 elements each; further columns are in the next tile",
            );
            return Err(Diverged);
        }
        if op.b == Major::Mn && (columns.known().is_none() || tiles.known().is_none()) {
            self.require_tiles(&columns, &tiles, at);
        }
        let mut operands = vec![self.lower_memory_address(sums)?];
        let a = match op.a {
            Some(_) => vec![self.lower_memory_address(a)?],
            None => self.lower_words(a, WgmmaOp::A_WORDS)?,
        };
        operands.push(self.lower_memory_address(b)?);
        operands.extend(a);
        self.push_inst(
            at,
            Op::Matrix(MatrixOp::Wgmma { op, columns, args: operands }),
            ir::Ty::Unit,
        );
        Ok(Value::Unit)
    }

    /// Lowers `wgmma::words::wait`.
    pub(crate) fn lower_wgmma_wait(
        &mut self,
        pending: Len,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let ([sums], at) = (args, expr.at) else { return Err(self.report_bug(expr.at)) };
        let pending = self.simplify_len(pending, at)?;
        if let Some(wrong) = pending.known().filter(|pending| !MatrixOp::can_be_pending(*pending)) {
            self.errors.advise(
                self.source_range(at),
                format_args!(
                    "0 to 7 products can be pending after a wait, and this leaves {wrong}"
                ),
                "wait for more of them",
            );
            return Err(Diverged);
        }
        let sums = self.lower_memory_address(sums)?;
        self.push_inst(at, Op::Matrix(MatrixOp::WgmmaWait { sums, pending }), ir::Ty::Unit);
        Ok(Value::Unit)
    }

    /// Returns the address to which a reference refers.
    fn lower_memory_address(&mut self, reference: &Expr) -> Flow<InstId> {
        let at = reference.at;
        let Value::Ref(place) = self.lower_value(reference)? else {
            return Err(self.report_bug(at));
        };
        match *place {
            Place::Memory(memory) => Ok(self.pointer_inst(memory.ptr, at)),
            _ => {
                self.report_moved_sums(self.source_range(at));
                Err(Diverged)
            }
        }
    }

    /// Reports products whose sums are no variable of their own, or whose tiles are in other memory
    /// than the shared memory of the block; and blocks that are not made of whole warpgroups: where
    /// only a launch knows the block, it is required to be.
    pub(crate) fn check_warpgroup_products(&mut self) {
        let kernel = &self.build.kernel;
        let (mut moved, mut elsewhere): (Vec<Span>, Vec<Span>) = (Vec::new(), Vec::new());
        let mut first = None;
        for (_, inst) in kernel.insts.iter() {
            let sums = match &inst.op {
                Op::Matrix(MatrixOp::Wgmma { op, args, .. }) => {
                    first = first.or(Some(inst.span));
                    let tiles = args[1..].iter().take(if op.a.is_some() { 2 } else { 1 });
                    let is_shared = |tile: &InstId| kernel.space(*tile) == Some(ir::Space::Shared);
                    if !tiles.copied().all(|tile| is_shared(&tile))
                        && !elsewhere.contains(&inst.span)
                    {
                        elsewhere.push(inst.span);
                    }
                    args[0]
                }
                Op::Matrix(MatrixOp::WgmmaWait { sums, .. }) => *sums,
                _ => continue,
            };
            if !matches!(kernel.insts[sums].op, Op::Array(_)) && !moved.contains(&inst.span) {
                moved.push(inst.span);
            }
        }
        for span in moved {
            self.report_moved_sums(self.spans[span.index()]);
        }
        for span in elsewhere {
            self.errors.advise(
                self.spans[span.index()],
                "a product of a warpgroup reads tiles in the shared memory of the block, and this \
                 one is elsewhere",
                "declare tiles by `shared!([wgmma::Tile<64>; 2])`",
            );
        }
        if let Some(span) = first {
            self.check_warpgroups(span);
            self.check_products_in_progress();
        }
    }

    /// Reports sums and factors in registers that are accessed while products are in progress, and
    /// products that nothing waits for.
    fn check_products_in_progress(&mut self) {
        let ProgressErrors { accesses, factors, unwaited } =
            progress::check(&self.build.kernel, self.build.own_body());
        for span in accesses {
            self.errors.advise(
                self.spans[span.index()],
                "products in progress are read or replaced here, and their sums are not known yet",
                "wait for them first, by `finish()`",
            );
        }
        for span in factors {
            self.errors.advise(
                self.spans[span.index()],
                "the product of an earlier round may still read its factor in these registers",
                "wait for that product before this one, by `finish()` or `wait::<1>()`",
            );
        }
        for span in unwaited {
            self.errors.advise(
                self.spans[span.index()],
                "nothing waits for this product before the thread ends",
                "call `finish()` on all paths, also where the sums are not needed",
            );
        }
    }

    /// Requires that an MN-major `b` has a tile for each 64 columns.
    fn require_tiles(&mut self, columns: &Extent, tiles: &Extent, at: SpanId) {
        let binary = |op, a, b| Size::Binary(op, Box::new([a, b]));
        let constant = |value| Size::Const(Scalar::U64, value);
        let above =
            binary(BinaryOp::Add, Size::Extent(columns.clone()), constant(WgmmaOp::ROWS - 1));
        let needed = binary(BinaryOp::Div, above, constant(WgmmaOp::ROWS));
        let cond = Size::Compare(CompareOp::Eq, Box::new([needed, Size::Extent(tiles.clone())]));
        let text = "a factor `b` has a tile for each 64 columns".to_owned();
        let span = self.ir_span(at);
        self.build.kernel.requires.push(Requirement { text, cond, span });
    }

    fn report_moved_sums(&mut self, at: SpanRange) {
        self.errors.advise(
            at,
            "the sums of a product are in registers, and these are an element of an array, or \
             chosen from several variables",
            "give each product a variable of its own, `let mut products = ..`",
        );
    }

    fn check_warpgroups(&mut self, span: Span) {
        let block = self.build.kernel.block.clone();
        let known = block.as_ref().and_then(|block| {
            block.iter().try_fold(1_u64, |all, extent| all.checked_mul(extent.known()?))
        });
        match known {
            Some(threads) if threads.is_multiple_of(WgmmaOp::THREADS) => {}
            Some(threads) => drop(self.errors.advise(
                self.spans[span.index()],
                format_args!(
                    "the 128 threads of a warpgroup compute a product, and the block has {threads}"
                ),
                "let the block have a multiple of 128 threads",
            )),
            None => self.require_warpgroups(span),
        }
    }

    /// Requires that a block is made of whole warpgroups.
    fn require_warpgroups(&mut self, span: Span) {
        let dim = |axis| Size::Builtin(Builtin::BlockDim(axis));
        let binary = |op, a, b| Size::Binary(op, Box::new([a, b]));
        let layer = binary(BinaryOp::Mul, dim(Axis::X), dim(Axis::Y));
        let all = binary(BinaryOp::Mul, layer, dim(Axis::Z));
        let threads = Size::Const(Scalar::U64, WgmmaOp::THREADS);
        let rest = binary(BinaryOp::Rem, all, threads);
        let none = Size::Const(Scalar::U64, 0);
        let cond = Size::Compare(CompareOp::Eq, Box::new([rest, none]));
        let text = "the block has a multiple of the 128 threads of a warpgroup".to_owned();
        self.build.kernel.requires.push(Requirement { text, cond, span });
    }
}
