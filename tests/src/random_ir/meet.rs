//! Collectives, which are permitted only where control is the same in the whole block.
use super::Generator;
use warpwise_compiler::ir::{
    BarrierOp, BinaryOp, Body, Builtin, Extent, GridDependencyOp, InstId, MatchOp, MatrixOp, MmaOp,
    Op, ReduceOp, Scalar, Scope, ShuffleOp, SyncOp, Ty, VoteOp, WarpOp,
};

impl Generator {
    pub(super) fn meet(&mut self) {
        match self.draw.below(12) {
            11 if self.draw.chance(50) => self.mbarrier(),
            11 => self.named_barrier(),
            0 => self.barrier(),
            1 if self.draw.chance(30) => self.exchange_structs(),
            1 => self.exchange(),
            2 => self.vote(),
            3 => self.some_lanes(),
            4 => {
                let mask = None;
                self.emit(Op::Sync(SyncOp::SyncWarp { mask }), Ty::Unit);
            }
            5 => self.match_lanes(None),
            6 => self.reduce(None),
            7 => self.active_mask(),
            8 => self.multiply_matrices(),
            _ => self.shuffle(),
        }
    }

    /// Emits a barrier that each warp passes by itself, since any of the others may have ended.
    fn named_barrier(&mut self) {
        let (waits, id) = (self.draw.chance(50), 1 + u64::from(self.draw.below(15)));
        self.emit(
            Op::Sync(SyncOp::NamedBarrier { waits, id: id.into(), threads: 32.into() }),
            Ty::Unit,
        );
    }

    /// Uses the thread's own mbarrier, if there are mbarriers. Its token has no other use.
    fn mbarrier(&mut self) {
        let Some(shared) = self.plan.mbarriers else { return };
        let number = self.plan.number[1];
        let barrier = self.slot(shared, Scalar::U64, number);
        let phase =
            self.emit(Op::Sync(SyncOp::MBarrierArrive { barrier, bytes: None }), Scalar::U64);
        if self.draw.chance(70) {
            self.emit(Op::Sync(SyncOp::MBarrierWait { barrier, phase }), Ty::Unit);
        }
    }

    /// Emits the active mask, of which only the thread's own bit is used.
    fn active_mask(&mut self) {
        let active = self.emit(Op::Warp(WarpOp::ActiveMask), Scalar::U32);
        let lane = self.emit(Op::Builtin(Builtin::LaneId), Scalar::U32);
        let shift = Op::Binary { op: BinaryOp::Shr, lhs: active, rhs: lane };
        let shifted = self.emit(shift, Scalar::U32);
        let one = self.constant(Scalar::U32, 1).id;
        let own = Op::Binary { op: BinaryOp::And, lhs: shifted, rhs: one };
        let own = self.emit(own, Scalar::U32);
        self.yields(own, Scalar::U32, false);
    }

    /// Synchronizes with the grids around this one, of which there are none.
    pub(super) fn grid_dependency(&mut self) {
        let op = self.draw.one_of(GridDependencyOp::ALL);
        self.emit(Op::Sync(SyncOp::GridDependency(op)), Ty::Unit);
    }

    pub(super) fn fence(&mut self) {
        if self.build.kernel.dependent_launch && self.draw.chance(50) {
            return self.grid_dependency();
        }
        let scope = self.draw.one_of(Scope::ALL);
        self.emit(Op::Sync(SyncOp::Fence { scope }), Ty::Unit);
    }

    fn barrier(&mut self) {
        if self.draw.chance(30) {
            self.emit(Op::Sync(SyncOp::Barrier { reduce: None }), Ty::Unit);
            return;
        }
        let value = self.some(Scalar::Bool).id;
        let op = self.draw.one_of(BarrierOp::ALL);
        let ty = match op {
            BarrierOp::Count => Scalar::U64,
            BarrierOp::And | BarrierOp::Or => Scalar::Bool,
        };
        let id = self.emit(Op::Sync(SyncOp::Barrier { reduce: Some((op, value)) }), ty);
        self.yields(id, ty, true);
    }

    const fn vote_type(op: VoteOp) -> Scalar {
        match op {
            VoteOp::All | VoteOp::Any => Scalar::Bool,
            VoteOp::Ballot => Scalar::U32,
        }
    }

    fn vote(&mut self) {
        let value = self.some(Scalar::Bool).id;
        let op = self.draw.one_of(VoteOp::ALL);
        let ty = Self::vote_type(op);
        let id = self.emit(Op::Warp(WarpOp::Vote { op, value, mask: None }), ty);
        self.yields(id, ty, false);
    }

    /// Matches values that are not floats, since the bits of a NaN are unspecified.
    fn match_lanes(&mut self, mask: Option<InstId>) {
        let ty = self.any_type();
        let ty = if self.is_int(ty) { ty } else { Scalar::Bool };
        let value = self.some(ty).id;
        let op = self.draw.one_of(MatchOp::ALL);
        let ty = match op {
            MatchOp::Any => Scalar::U32,
            MatchOp::All => Scalar::Bool,
        };
        let id = self.emit(Op::Warp(WarpOp::Match { op, value, mask }), ty);
        self.yields(id, ty, false);
    }

    fn reduce(&mut self, mask: Option<InstId>) {
        let ty = match self.any_type() {
            Scalar::Bool => Scalar::U32,
            ty => ty,
        };
        let op = match self.draw.one_of(ReduceOp::ALL) {
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor if !self.is_int(ty) => ReduceOp::Add,
            op => op,
        };
        let value = self.some(ty).id;
        let id = self.emit(Op::Warp(WarpOp::Reduce { op, value, mask }), ty);
        self.yields(id, ty, false);
    }

    /// Returns true if every lane of every warp exists and no thread ends early.
    fn all_lanes_are_there(&self) -> bool {
        !self.plan.exits && self.shape.threads().is_multiple_of(32)
    }

    fn shuffle(&mut self) {
        if !self.all_lanes_are_there() {
            return;
        }
        let ty = self.any_type();
        let [value, lane] = [self.some(ty).id, self.some(Scalar::U32).id];
        let mask = self.draw.chance(40).then(|| self.constant(Scalar::U32, 0xffff_ffff).id);
        let op = self.draw.one_of(ShuffleOp::ALL);
        let width = Extent::Const(self.draw.one_of(&[2, 4, 8, 16, 32, 32]));
        let id = self.emit(Op::Warp(WarpOp::Shuffle { op, value, lane, width, mask }), ty);
        self.yields(id, ty, false);
    }

    /// Emits words of rows that are distributed over the lanes.
    fn distribute_rows(&mut self) {
        let args: Vec<InstId> = (0..4).map(|_| self.some(Scalar::U32).id).collect();
        let transposed = self.draw.chance(50);
        for word in 0..4 {
            if self.draw.chance(80) {
                let args = args.clone();
                let op = Op::Matrix(MatrixOp::DistributeRows { transposed, args, word });
                let id = self.emit(op, Scalar::U32);
                self.yields(id, Scalar::U32, false);
            }
        }
    }

    /// Emits all words of a product, or some of them.
    fn multiply_matrices(&mut self) {
        if !self.all_lanes_are_there() {
            return;
        }
        if self.draw.chance(20) {
            return self.distribute_rows();
        }
        let op = self.draw.one_of(&MmaOp::ALL);
        let args: Vec<InstId> = op.arg_types().map(|ty| self.some(ty).id).collect();
        for word in 0..op.sum_words() as u8 {
            if self.draw.chance(80) {
                let ty = op.sum_word();
                let id = self.emit(Op::Matrix(MatrixOp::Mma { op, args: args.clone(), word }), ty);
                self.yields(id, ty, false);
            }
        }
    }

    /// Emits collectives under a condition, with a mask that names the lanes for which it holds.
    fn some_lanes(&mut self) {
        let cond = self.some(Scalar::Bool).id;
        let ballot = Op::Warp(WarpOp::Vote { op: VoteOp::Ballot, value: cond, mask: None });
        let mask = Some(self.emit(ballot, Scalar::U32));
        let visible = self.values.len();
        self.uniform = false;
        self.begin(Op::If { cond, then: Body::default(), other: Body::default() }, Ty::Unit);
        self.emit(Op::Sync(SyncOp::SyncWarp { mask }), Ty::Unit);
        let value = self.some(Scalar::Bool).id;
        let op = self.draw.one_of(VoteOp::ALL);
        let ty = Self::vote_type(op);
        let id = self.emit(Op::Warp(WarpOp::Vote { op, value, mask }), ty);
        self.yields(id, ty, false);
        self.match_lanes(mask);
        self.reduce(mask);
        let ty = self.any_type();
        let value = self.some(ty).id;
        let lane = self.emit(Op::Builtin(Builtin::LaneId), Scalar::U32);
        let own = Op::Warp(WarpOp::Shuffle {
            op: ShuffleOp::Index,
            value,
            lane,
            width: Extent::Const(32),
            mask,
        });
        let id = self.emit(own, ty);
        self.yields(id, ty, false);
        self.keep_something();
        self.values.truncate(visible);
        self.build.end();
        self.uniform = true;
    }
}
