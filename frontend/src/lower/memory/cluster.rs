//! Lowering of the module `cluster`: the place of a block in its cluster, and references to the
//! shared memory of its other blocks.
//!
//! Clusters divide the grid along each axis, so that the index of a block in the grid has its index
//! in the cluster as the remainder.
use crate::{
    hir::{Expr, SpanId},
    lower::{Flow, Lowerer, Memory, Place, Pointer, Value},
    types::builtin::ClusterFn,
};
use warpwise_compiler::{
    id::Id as _,
    ir::{self, Axis, BinaryOp, Builtin, InstId, Op, Scalar, Space, SyncOp},
};

/// The message for a reference to other memory than shared memory, and its help.
const NOT_SHARED: [&str; 2] = [
    "each block of a cluster has shared memory of its own, and this refers to something else",
    "refer to `shared!(..)` or `shared_dyn!(..)`, or to a part of it: `&tile[i]`",
];

impl Lowerer<'_> {
    /// Lowers a function of the module `cluster`.
    pub(crate) fn lower_cluster(
        &mut self,
        function: ClusterFn,
        args: &[Expr],
        expr: &Expr,
    ) -> Flow<Value> {
        let at = expr.at;
        let dims = self.cluster_dims(at)?;
        let dim = |axis: Axis| dims[axis as usize];
        let value = match function {
            ClusterFn::Sync => {
                self.push_inst(at, Op::Sync(SyncOp::SyncCluster), ir::Ty::Unit);
                return Ok(Value::Unit);
            }
            ClusterFn::MapShared => return self.lower_mapped_reference(args, expr),
            ClusterFn::Size => self.push_bits(dims.iter().product(), Scalar::U64, at),
            ClusterFn::Dim(axis) => self.push_bits(dim(axis), Scalar::U64, at),
            ClusterFn::BlockIdx(axis) => self.block_in_cluster(axis, dim(axis), at),
            ClusterFn::Idx(axis) => {
                self.divided_by(Builtin::BlockIdx(axis), BinaryOp::Div, dim(axis), at)
            }
            ClusterFn::GridDim(axis) => {
                self.divided_by(Builtin::GridDim(axis), BinaryOp::Div, dim(axis), at)
            }
            ClusterFn::BlockRank => self.block_rank(dims, at),
        };
        Ok(Value::Scalar(value))
    }

    /// Returns the blocks of a cluster along each axis; reports a kernel without clusters.
    pub(crate) fn cluster_dims(&mut self, at: SpanId) -> Flow<[u64; 3]> {
        let Some(cluster) = self.options.cluster else {
            self.errors.advise(
                self.source_range(at),
                "the blocks of this kernel do not run in clusters",
                "write the blocks of a cluster: `#[kernel(cluster = 4)]`",
            );
            return Err(crate::lower::Diverged);
        };
        Ok(cluster.dims.map(u64::from))
    }

    /// Returns the number of the block in its cluster, x fastest.
    fn block_rank(&mut self, dims: [u64; 3], at: SpanId) -> InstId {
        let mut rank = None;
        for axis in Axis::ALL.iter().rev().copied() {
            let dim = dims[axis as usize];
            let idx = self.block_in_cluster(axis, dim, at);
            rank = Some(match rank {
                None => idx,
                Some(rank) => {
                    let dim = self.push_bits(dim, Scalar::U64, at);
                    let before = self.push_binary(BinaryOp::Mul, rank, dim, Scalar::U64, at);
                    self.push_binary(BinaryOp::Add, before, idx, Scalar::U64, at)
                }
            });
        }
        rank.unwrap_or_else(|| self.push_bits(0, Scalar::U64, at))
    }

    /// Returns the index of the block in its cluster.
    fn block_in_cluster(&mut self, axis: Axis, dim: u64, at: SpanId) -> InstId {
        match dim {
            1 => self.push_bits(0, Scalar::U64, at),
            dim => self.divided_by(Builtin::BlockIdx(axis), BinaryOp::Rem, dim, at),
        }
    }

    fn divided_by(&mut self, builtin: Builtin, op: BinaryOp, dim: u64, at: SpanId) -> InstId {
        let value = self.push_inst(at, Op::Builtin(builtin), Scalar::U64);
        let dim = self.push_bits(dim, Scalar::U64, at);
        self.push_binary(op, value, dim, Scalar::U64, at)
    }

    /// Returns the reference to the same place in the shared memory of another block. A rank that
    /// no block has is an index out of bounds.
    fn lower_mapped_reference(&mut self, args: &[Expr], expr: &Expr) -> Flow<Value> {
        let ([reference, rank], at) = (args, expr.at) else {
            return Err(self.report_bug(expr.at));
        };
        let blocks = self.options.cluster.map_or(1, |cluster| cluster.dims.iter().product());
        let Value::Ref(place) = self.lower_value(reference)? else {
            return Err(self.report_bug(reference.at));
        };
        let index = self.lower_scalar(rank)?;
        let len = self.push_bits(u64::from(blocks), Scalar::U64, rank.at);
        let rank = self.push_inst(rank.at, Op::Bounds { index, len }, Scalar::U64);
        let Place::Memory(memory) = *place else {
            let [fact, help] = NOT_SHARED;
            self.errors.advise(self.source_range(reference.at), fact, help);
            return Err(crate::lower::Diverged);
        };
        let ptr = self.pointer_inst(memory.ptr, reference.at);
        let rank = self.push_convert(rank, Scalar::U64, Scalar::U32, at);
        let op = Op::MapShared { ptr, rank };
        let mapped = self.push_inst(reference.at, op, ir::Ty::Ptr(Space::Cluster));
        let memory = Memory { ptr: Pointer::Inst(mapped), ..memory };
        Ok(Value::Ref(Box::new(Place::Memory(memory))))
    }

    /// Reports references to other memory than shared memory that are mapped, once the memory of
    /// every address is known.
    pub(crate) fn check_mapped_references(&mut self) {
        let kernel = &self.build.kernel;
        let mut wrong = Vec::new();
        for (_, inst) in kernel.insts.iter() {
            let Op::MapShared { ptr, .. } = inst.op else { continue };
            let ptr = &kernel.insts[ptr];
            if ptr.ty != ir::Ty::Ptr(Space::Shared) && !wrong.contains(&inst.span) {
                wrong.push(inst.span);
            }
        }
        for span in wrong {
            let [fact, help] = NOT_SHARED;
            self.errors.advise(self.spans[span.index()], fact, help);
        }
    }
}
