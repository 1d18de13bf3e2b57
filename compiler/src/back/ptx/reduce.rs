//! Warp matches and reductions.
//!
//! A reduction of 32-bit integers is one `redux.sync` where the target has it. Elsewhere it is a
//! butterfly of shuffles, if all 32 lanes take part; a lane that does not cannot pass on what
//! others brought. Sums of floats then take the same five steps, each with the value of some lane
//! that has it; other reductions take the lanes' values one by one.
use super::{
    Emitter,
    atomic::combining,
    code::Label,
    emitter::{Value, ptx},
    reg::{Class, Imm, Operand, Reg},
    sync::Shuffle,
};
use crate::{
    ir::{InstId, MatchOp, ReduceOp, Scalar, ShuffleOp},
    target::Target,
};

/// The first target with `redux.sync`.
pub const HAS_REDUX: Target = Target::new(80);

/// The distances of a butterfly.
const DISTANCES: [u32; 5] = [16, 8, 4, 2, 1];

/// The lanes whose numbers are multiples of `distance`, a power of two.
pub const fn lanes_apart(distance: u32) -> u32 {
    (u32::MAX as u64 / ((1 << distance) - 1)) as u32
}

/// Returns true if `redux.sync` takes the scalar, in a register.
pub(super) fn is_word(scalar: Scalar) -> bool {
    scalar.is_int() && Class::of(scalar) == Class::B32
}

/// A reduction that is being emitted.
struct Reduction {
    op: ReduceOp,
    scalar: Scalar,
    mask: Operand,
}

impl Emitter<'_> {
    /// Emits the search for lanes with the same bits.
    pub(super) fn match_lanes(
        &mut self,
        op: MatchOp,
        value: InstId,
        mask: Option<InstId>,
    ) -> Value {
        let bits = self.as_bits(value);
        let mask = self.mask(mask);
        let ty = match bits {
            Operand::Reg(reg) if reg.class == Class::B64 => "b64",
            Operand::Reg(_) | Operand::Imm(_) => "b32",
        };
        // Of a literal, which all lanes bring, any part will do.
        let bits = match bits {
            Operand::Imm(_) => Operand::Imm(Imm { bits: 0, scalar: Scalar::U32 }),
            Operand::Reg(_) => bits,
        };
        let lanes = self.regs.fresh(Class::B32);
        match op {
            MatchOp::Any => {
                ptx!(self, "match.any.sync.{ty} {lanes}, {bits}, {mask}");
                lanes.into()
            }
            // The predicate that it can also yield is one that `ptxas` may compute again, as a
            // vote's.
            MatchOp::All => {
                ptx!(self, "match.all.sync.{ty} {lanes}, {bits}, {mask}");
                self.pred(format_args!("setp.ne.u32"), format_args!("{lanes}, 0")).into()
            }
        }
    }

    /// Emits the reduction of all lanes' values.
    pub(super) fn reduce(
        &mut self,
        id: InstId,
        op: ReduceOp,
        value: InstId,
        mask: Option<InstId>,
    ) -> Value {
        let scalar = self.scalar(id);
        let (value, mask) = (self.reg(value), self.mask(mask));
        let reduction = Reduction { op, scalar, mask };
        if self.target >= HAS_REDUX && is_word(scalar) {
            return self.redux(&reduction, value).into();
        }
        let [here, always, partial] =
            [Class::B32, Class::Pred, Class::Pred].map(|class| self.regs.fresh(class));
        let [some, end] = ["some", "end"].map(|what| Label::of(what, id));
        let result = self.regs.fresh(Class::of(scalar));
        ptx!(self, "setp.eq.u32 {always}, 0, 0");
        ptx!(self, "vote.sync.ballot.b32 {here}, {always}, {mask}");
        ptx!(self, "setp.ne.u32 {partial}, {here}, -1");
        self.code.branch(partial, some);
        // What one arm derives is not there in the other one or behind both.
        self.scoped(|this| {
            let all = this.butterfly(&reduction, value);
            ptx!(this, "mov.{} {result}, {all}", result.class.ty());
        });
        self.code.jump(end);
        self.code.label(some);
        self.scoped(|this| {
            if scalar.is_float() && op == ReduceOp::Add {
                let sum = this.partial_butterfly(&reduction, value, here);
                ptx!(this, "mov.{} {result}, {sum}", result.class.ty());
            } else {
                this.one_by_one(id, &reduction, [value, result], here);
            }
        });
        self.code.label(end);
        result.into()
    }

    fn redux(&mut self, Reduction { op, scalar, mask }: &Reduction, value: Reg) -> Reg {
        let ty = match op {
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => "b32",
            ReduceOp::Add | ReduceOp::Min | ReduceOp::Max if scalar.is_signed() => "s32",
            ReduceOp::Add | ReduceOp::Min | ReduceOp::Max => "u32",
        };
        let result = self.regs.fresh(Class::B32);
        ptx!(self, "redux.sync.{}.{ty} {result}, {value}, {mask}", op.name());
        self.normalize(*scalar, result)
    }

    /// Two values as one.
    fn combine(&mut self, Reduction { op, scalar, .. }: &Reduction, a: Reg, b: Reg) -> Reg {
        if let Some(format) = scalar.half() {
            return self.half_combined(format, *op, [a, b]);
        }
        let both = self.regs.fresh(Class::of(*scalar));
        ptx!(self, "{} {both}, {a}, {b}", combining(op.update(), *scalar));
        if both.class == Class::B32 { self.normalize(*scalar, both) } else { both }
    }

    /// The value that the lane at this distance, or of this number, brings.
    fn brought(
        &mut self,
        Reduction { mask, .. }: &Reduction,
        value: Reg,
        op: ShuffleOp,
        lane: Operand,
    ) -> Reg {
        self.shuffle_reg(&Shuffle { op, lane, width: 32, mask: *mask }, value)
    }

    /// All lanes are here.
    fn butterfly(&mut self, reduction: &Reduction, value: Reg) -> Reg {
        DISTANCES.into_iter().fold(value, |value, distance| {
            let lane = Operand::Imm(Imm { bits: distance.into(), scalar: Scalar::U32 });
            let other = self.brought(reduction, value, ShuffleOp::Xor, lane);
            self.combine(reduction, value, other)
        })
    }

    /// The sum that a butterfly makes of the lanes that are here, missing ones being -0.0.
    ///
    /// After a step with distance d, lanes whose numbers are the same modulo 2d would have the same
    /// sum in the butterfly of all lanes. So one of those that are here has the sum that the lane
    /// at this distance would bring, and if there is none, that is -0.0. A shuffle from each lane
    /// would be 32 instead of 5, which `ptxas` starts all together, each with a register.
    fn partial_butterfly(&mut self, reduction: &Reduction, value: Reg, here: Reg) -> Reg {
        let number = self.regs.fresh(Class::B32);
        ptx!(self, "mov.u32 {number}, %laneid");
        let missing = Imm {
            bits: 1 << (reduction.scalar.bits().unwrap_or(64) - 1),
            scalar: reduction.scalar,
        };
        DISTANCES.into_iter().fold(value, |value, distance| {
            let [partner, first, all, there, last] = [(); 5].map(|()| self.regs.fresh(Class::B32));
            ptx!(self, "xor.b32 {partner}, {number}, {distance}");
            ptx!(self, "and.b32 {first}, {partner}, {}", 2 * distance - 1);
            ptx!(self, "mov.b32 {all}, {}", lanes_apart(2 * distance));
            ptx!(self, "shl.b32 {all}, {all}, {first}");
            ptx!(self, "and.b32 {there}, {here}, {all}");
            ptx!(self, "bfind.u32 {last}, {there}");
            let other = self.brought(reduction, value, ShuffleOp::Index, Operand::Reg(last));
            let any = self.pred(format_args!("setp.ne.u32"), format_args!("{there}, 0"));
            let (kept, class) = (self.regs.fresh(other.class), other.class.ty());
            ptx!(self, "selp.{class} {kept}, {other}, {missing}, {any}");
            self.combine(reduction, value, kept)
        })
    }

    /// Combines the lanes that are here, in their order.
    fn one_by_one(
        &mut self,
        id: InstId,
        reduction: &Reduction,
        [value, result]: [Reg; 2],
        here: Reg,
    ) {
        let [next, end] = ["lane", "lanes"].map(|what| Label::of(what, id));
        let [rest, reversed, lane, below] = [(); 4].map(|()| self.regs.fresh(Class::B32));
        let more = self.regs.fresh(Class::Pred);
        let lowest = |this: &mut Self| {
            ptx!(this, "brev.b32 {reversed}, {rest}");
            ptx!(this, "clz.b32 {lane}, {reversed}");
            ptx!(this, "sub.s32 {below}, {rest}, 1");
            ptx!(this, "and.b32 {rest}, {rest}, {below}");
            this.brought(reduction, value, ShuffleOp::Index, Operand::Reg(lane))
        };
        ptx!(self, "mov.b32 {rest}, {here}");
        let first = lowest(self);
        ptx!(self, "mov.{} {result}, {first}", result.class.ty());
        self.code.label(next);
        ptx!(self, "setp.ne.u32 {more}, {rest}, 0");
        self.code.branch(format_args!("!{more}"), end);
        let other = lowest(self);
        let both = self.combine(reduction, result, other);
        ptx!(self, "mov.{} {result}, {both}", result.class.ty());
        self.code.jump(next);
        self.code.label(end);
    }
}
