//! Barriers, fences, shuffles and votes.
//!
//! **Ended threads.** `bar` and the `.sync` warp instructions wait for the threads that have not
//! exited, as the IR wants; lanes that a block never had count as exited. So an
//! operation without a mask names all 32 lanes, whichever are left.
//!
//! **Divergence.** `bar.sync` and `bar.red` are the aligned forms: the threads of a warp come to
//! them together, as in CUDA's `__syncthreads`. `ptxas` joins divergent paths before them.
use super::{
    Emitter,
    atomic::scope_name,
    emitter::{Value, ptx},
    reg::{Class, Imm, Operand, Reg},
};
use crate::ir::{BarrierOp, InstId, Scalar, Scope, ShuffleOp, VoteOp};

/// The instruction that arrives at a named barrier, and perhaps waits: a form that is not aligned,
/// at which the lanes of a warp wait for each other.
pub fn named_barrier_instruction(waits: bool, id: u64, threads: u64) -> String {
    format!("barrier.{} {id}, {threads}", if waits { "sync" } else { "arrive" })
}

const fn word(value: u32) -> Operand {
    Operand::Imm(Imm { bits: value as u64, scalar: Scalar::U32 })
}

impl Emitter<'_> {
    /// A barrier of the block. Those that combine a `bool` count the threads that bring it: `ptxas`
    /// 12.0 to 13.4 takes the result of `bar.red.and` and `bar.red.or` for a value that it can
    /// compute again wherever it is used, which is one more barrier there. Where lanes come to that
    /// apart, it is an illegal instruction; where some do not come, it never ends.
    pub(super) fn barrier(&mut self, reduce: Option<(BarrierOp, InstId)>) -> Value {
        let Some((op, value)) = reduce else {
            ptx!(self, "bar.sync 0");
            return Value::None;
        };
        let value = self.reg(value);
        let count = self.regs.fresh(Class::B32);
        match op {
            BarrierOp::Count => {
                ptx!(self, "bar.red.popc.u32 {count}, 0, {value}");
                count.into()
            }
            BarrierOp::And => {
                ptx!(self, "bar.red.popc.u32 {count}, 0, !{value}");
                self.pred(format_args!("setp.eq.u32"), format_args!("{count}, 0")).into()
            }
            BarrierOp::Or => {
                ptx!(self, "bar.red.popc.u32 {count}, 0, {value}");
                self.pred(format_args!("setp.ne.u32"), format_args!("{count}, 0")).into()
            }
        }
    }

    /// A barrier of some warps of the block.
    pub(super) fn named_barrier(&mut self, waits: bool, id: u64, threads: u64) {
        ptx!(self, "{}", named_barrier_instruction(waits, id, threads));
    }

    /// A barrier of the warp.
    pub(super) fn sync_warp(&mut self, mask: Option<InstId>) {
        let mask = self.mask(mask);
        ptx!(self, "bar.warp.sync {mask}");
    }

    /// Orders this thread's accesses, each before against each behind.
    pub(super) fn fence(&mut self, scope: Scope) {
        ptx!(self, "fence.sc.{}", scope_name(scope));
    }

    pub(super) fn mask(&mut self, mask: Option<InstId>) -> Operand {
        mask.map_or(word(u32::MAX), |mask| self.low(mask))
    }

    /// Emits a vote of the lanes of the mask. For `all` and `any`, too, the ballot is taken: the
    /// predicates that `vote.all` and `vote.any` yield are values to `ptxas` that it can compute
    /// again wherever they are used, by another vote. Where some lanes do not reach that vote, it
    /// never ends.
    pub(super) fn vote(&mut self, op: VoteOp, value: InstId, mask: Option<InstId>) -> Value {
        let (value, mask) = (self.reg(value), self.mask(mask));
        let lanes = self.regs.fresh(Class::B32);
        match op {
            VoteOp::All => {
                ptx!(self, "vote.sync.ballot.b32 {lanes}, !{value}, {mask}");
                self.pred(format_args!("setp.eq.u32"), format_args!("{lanes}, 0")).into()
            }
            VoteOp::Any => {
                ptx!(self, "vote.sync.ballot.b32 {lanes}, {value}, {mask}");
                self.pred(format_args!("setp.ne.u32"), format_args!("{lanes}, 0")).into()
            }
            VoteOp::Ballot => {
                ptx!(self, "vote.sync.ballot.b32 {lanes}, {value}, {mask}");
                lanes.into()
            }
        }
    }

    /// The lanes that run this together.
    pub(super) fn active_mask(&mut self) -> Value {
        let reg = self.regs.fresh(Class::B32);
        ptx!(self, "activemask.b32 {reg}");
        reg.into()
    }

    /// The value that another lane brings: 32 bits at a time, `bool` as a word.
    pub(super) fn shuffle(
        &mut self,
        op: ShuffleOp,
        value: InstId,
        lane: InstId,
        width: u32,
        mask: Option<InstId>,
    ) -> Value {
        let scalar = self.scalar(value);
        let lane = self.source_lane(op, lane, width);
        let mask = self.mask(mask);
        let shuffle = Shuffle { op, lane, width, mask };
        if scalar == Scalar::U64 && self.facts.fits(value) {
            let low = self.low(value);
            return self.shuffle_word(&shuffle, low, Class::B32).into();
        }
        let reg = self.reg(value);
        let brought = self.shuffle_reg(&shuffle, reg);
        match reg.class {
            Class::B32 => self.normalize(scalar, brought).into(),
            Class::B16 | Class::F32 | Class::Pred | Class::B64 | Class::F64 => brought.into(),
        }
    }

    /// A register of another lane.
    pub(super) fn shuffle_reg(&mut self, shuffle: &Shuffle, reg: Reg) -> Reg {
        match reg.class {
            Class::B32 | Class::F32 => self.shuffle_word(shuffle, Operand::Reg(reg), reg.class),
            Class::B16 => {
                let word = self.widen_half(reg);
                let brought = self.shuffle_word(shuffle, Operand::Reg(word), Class::B32);
                self.low_half(brought)
            }
            Class::Pred => {
                let byte = self.pred_to_byte(reg);
                let brought = self.shuffle_word(shuffle, Operand::Reg(byte), Class::B32);
                self.byte_to_pred(brought)
            }
            Class::B64 | Class::F64 => {
                let halves = [(); 2].map(|()| self.regs.fresh(Class::B32));
                ptx!(self, "mov.b64 {{{}, {}}}, {reg}", halves[0], halves[1]);
                let [low, high] =
                    halves.map(|half| self.shuffle_word(shuffle, Operand::Reg(half), Class::B32));
                let whole = self.regs.fresh(reg.class);
                ptx!(self, "mov.b64 {whole}, {{{low}, {high}}}");
                whole
            }
        }
    }

    /// The lane operand. The hardware takes distances and masks modulo 32, and lets `Xor` reach
    /// lower groups; past the edge of a group is distance 0 instead, the lane itself.
    fn source_lane(&mut self, op: ShuffleOp, lane: InstId, width: u32) -> Operand {
        let constant = self.kernel.literal(lane);
        let reaches = match op {
            ShuffleOp::Index => return self.low(lane),
            ShuffleOp::Up | ShuffleOp::Down | ShuffleOp::Xor => width,
        };
        match constant {
            Some(lane) if lane < u64::from(reaches) => word(lane as u32),
            Some(_) => word(0),
            None if self.facts.max(lane) < u64::from(reaches) => self.low(lane),
            None => {
                let (lane, inside, clamped) =
                    (self.low(lane), self.regs.fresh(Class::Pred), self.regs.fresh(Class::B32));
                ptx!(self, "setp.lt.u32 {inside}, {lane}, {reaches}");
                ptx!(self, "selp.b32 {clamped}, {lane}, 0, {inside}");
                Operand::Reg(clamped)
            }
        }
    }

    fn shuffle_word(&mut self, shuffle: &Shuffle, value: Operand, class: Class) -> Reg {
        let Shuffle { op, lane, width, mask } = shuffle;
        let (mode, last) = match op {
            ShuffleOp::Index => ("idx", 31),
            ShuffleOp::Up => ("up", 0),
            ShuffleOp::Down => ("down", 31),
            ShuffleOp::Xor => ("bfly", 31),
        };
        let groups = (32 - width) << 8 | last;
        let reg = self.regs.fresh(class);
        ptx!(self, "shfl.sync.{mode}.b32 {reg}, {value}, {lane}, {groups}, {mask}");
        reg
    }
}

/// A shuffle, apart from what is shuffled.
pub(super) struct Shuffle {
    pub(super) op: ShuffleOp,
    pub(super) lane: Operand,
    pub(super) width: u32,
    pub(super) mask: Operand,
}
