//! Warp functions: shuffles, votes, matches and reductions.
//!
//! An operation without a mask names all 32 lanes, as in the built-in back end: those that have
//! ended count as named and not awaited.
use super::{
    emitter::{Effects, Emitter, Label, inst, line},
    value::{Type, Value},
};
use warpwise_compiler::{
    back::ptx::{HAS_REDUX, lanes_apart},
    id::Id,
    ir::{BinaryOp, Builtin, InstId, MatchOp, ReduceOp, Scalar, ShuffleOp, VoteOp},
};

/// The distances of a butterfly.
const DISTANCES: [u32; 5] = [16, 8, 4, 2, 1];

/// A shuffle, apart from what is shuffled.
struct Shuffle {
    op: ShuffleOp,
    lane: Value,
    width: u32,
    mask: Value,
}

/// A reduction that is being lowered.
struct Reduction {
    op: BinaryOp,
    scalar: Scalar,
    mask: Value,
}

impl Emitter<'_> {
    /// The lanes that take part.
    pub(super) fn mask(&self, mask: Option<InstId>) -> Value {
        mask.map_or(Value::i32(u32::MAX), |mask| self.value(mask))
    }

    /// Emits a vote of the lanes of the mask, by a ballot, as in the built-in back end: the
    /// predicates of `vote.all`, `vote.any` and `match.all` are values that `ptxas` may compute
    /// again.
    pub(super) fn vote(&mut self, op: VoteOp, value: InstId, mask: Option<InstId>) -> Value {
        let (value, mask) = (self.value(value), self.mask(mask));
        let (vote, compare) = match op {
            VoteOp::All => ("!$1", Some("eq")),
            VoteOp::Any => ("$1", Some("ne")),
            VoteOp::Ballot => ("$1", None),
        };
        let text = format!("vote.sync.ballot.b32 $0, {vote}, $2;");
        let lanes = self.asm(Type::I32, &text, &[value, mask], Effects::Lanes);
        match compare {
            Some(how) => self.compare_with_zero(how, &lanes),
            None => lanes,
        }
    }

    fn compare_with_zero(&mut self, how: &str, lanes: &Value) -> Value {
        inst!(self, Type::I1, "icmp {how} i32 {}, 0", lanes.name)
    }

    /// The lanes that run this together.
    pub(super) fn active_mask(&mut self) -> Value {
        self.asm(Type::I32, "activemask.b32 $0;", &[], Effects::Lanes)
    }

    /// Emits the search for lanes with the same bits.
    pub(super) fn match_lanes(
        &mut self,
        op: MatchOp,
        value: InstId,
        mask: Option<InstId>,
    ) -> Value {
        let value = self.value(value);
        let mut bits = self.bits(&value);
        if bits.ty.bits() < 32 {
            bits = self.zero_extend(&bits, Type::I32);
        }
        let (mask, width) = (self.mask(mask), bits.ty.bits());
        match op {
            MatchOp::Any => {
                let text = format!("match.any.sync.b{width} $0, $1, $2;");
                self.asm(Type::I32, &text, &[bits, mask], Effects::Lanes)
            }
            MatchOp::All => {
                let text = format!("match.all.sync.b{width} $0, $1, $2;");
                let lanes = self.asm(Type::I32, &text, &[bits, mask], Effects::Lanes);
                self.compare_with_zero("ne", &lanes)
            }
        }
    }

    /// The value that another lane brings.
    pub(super) fn shuffle(
        &mut self,
        op: ShuffleOp,
        [value, lane]: [InstId; 2],
        width: u32,
        mask: Option<InstId>,
    ) -> Value {
        let lane = self.source_lane(op, lane, width);
        let shuffle = Shuffle { op, lane, width, mask: self.mask(mask) };
        let value = self.value(value);
        self.shuffled(&shuffle, &value)
    }

    /// The lane operand. The hardware takes distances and masks modulo 32, and lets `Xor` reach
    /// lower groups; past the edge of a group is distance 0 instead, the lane itself.
    fn source_lane(&mut self, op: ShuffleOp, lane: InstId, width: u32) -> Value {
        let value = self.value(lane);
        let inside = self.ranges.get(self.kernel, lane);
        let inside = inside.is_some_and(|range| range.max < i128::from(width));
        if op == ShuffleOp::Index || inside {
            return value;
        }
        let inside = inst!(self, Type::I1, "icmp ult {value}, {width}");
        inst!(self, Type::I32, "select {inside}, {value}, i32 0")
    }

    /// A value of another lane, 32 bits at a time.
    fn shuffled(&mut self, shuffle: &Shuffle, value: &Value) -> Value {
        let bits = self.bits(value);
        let brought = match bits.ty.bits() {
            64 => {
                let low = self.truncate(&bits, Type::I32);
                let high = inst!(self, Type::I64, "lshr {bits}, 32");
                let high = self.truncate(&high, Type::I32);
                let [low, high] = [low, high].map(|half| {
                    let word = self.shuffle_word(shuffle, half);
                    self.zero_extend(&word, Type::I64)
                });
                let high = inst!(self, Type::I64, "shl {high}, 32");
                inst!(self, Type::I64, "or {high}, {}", low.name)
            }
            _ => {
                let word = self.zero_extend(&bits, Type::I32);
                let brought = self.shuffle_word(shuffle, word);
                self.truncate(&brought, bits.ty)
            }
        };
        self.of_bits(&brought, value.ty)
    }

    fn shuffle_word(&mut self, shuffle: &Shuffle, word: Value) -> Value {
        let Shuffle { op, lane, width, mask } = shuffle;
        let (mode, last) = match op {
            ShuffleOp::Index => ("idx", 31),
            ShuffleOp::Up => ("up", 0),
            ShuffleOp::Down => ("down", 31),
            ShuffleOp::Xor => ("bfly", 31),
        };
        let groups = (32 - width) << 8 | last;
        let text = format!("shfl.sync.{mode}.b32 $0, $1, $2, {groups}, $3;");
        self.asm(Type::I32, &text, &[word, lane.clone(), mask.clone()], Effects::Lanes)
    }

    /// Emits the reduction of all lanes' values: one instruction, a butterfly if all lanes are
    /// here, or lane by lane (`compiler/src/back/ptx/reduce.rs`).
    pub(super) fn reduce(
        &mut self,
        id: InstId,
        op: ReduceOp,
        value: InstId,
        mask: Option<InstId>,
    ) -> Value {
        let scalar = self.scalar(id);
        let (value, mask) = (self.value(value), self.mask(mask));
        if self.target >= HAS_REDUX && scalar.is_int() && value.ty.bits() <= 32 {
            return self.redux(op, scalar, &value, mask);
        }
        let reduction = Reduction { op: binary(op), scalar, mask };
        let ty = value.ty;
        let result = self.alloca(&format!("%reduced{}", id.index()), ty);
        let [all, some, end] = ["all", "some", "end"].map(|what| Label::of(what, id));
        let ballot = "{\n.reg .pred w_true;\nsetp.eq.u32 w_true, 0, 0;\n\
                      vote.sync.ballot.b32 $0, w_true, $1;\n}";
        let named = std::slice::from_ref(&reduction.mask);
        let here = self.asm(Type::I32, ballot, named, Effects::Lanes);
        let partial = inst!(self, Type::I1, "icmp ne {here}, -1");
        self.branch(&partial, some, all);
        self.label(all);
        let combined = self.butterfly(&reduction, value.clone());
        line!(self, "store {combined}, {result}");
        self.jump(end);
        self.label(some);
        if scalar.is_float() && op == ReduceOp::Add {
            let sum = self.partial_butterfly(&reduction, &value, &here);
            line!(self, "store {sum}, {result}");
        } else {
            self.one_by_one(id, &reduction, [&value, &result], &here);
        }
        self.label(end);
        inst!(self, ty, "load {ty}, {result}")
    }

    fn redux(&mut self, op: ReduceOp, scalar: Scalar, value: &Value, mask: Value) -> Value {
        let suffix = match op {
            ReduceOp::And | ReduceOp::Or | ReduceOp::Xor => "b32",
            ReduceOp::Add | ReduceOp::Min | ReduceOp::Max if scalar.is_signed() => "s32",
            ReduceOp::Add | ReduceOp::Min | ReduceOp::Max => "u32",
        };
        let word = match (value.ty == Type::I32, scalar.is_signed()) {
            (true, _) => value.clone(),
            (false, true) => inst!(self, Type::I32, "sext {value} to i32"),
            (false, false) => inst!(self, Type::I32, "zext {value} to i32"),
        };
        let text = format!("redux.sync.{}.{suffix} $0, $1, $2;", op.name());
        let result = self.asm(Type::I32, &text, &[word, mask], Effects::Lanes);
        self.truncate(&result, value.ty)
    }

    /// The value that the lane at this distance, or of this number, brings.
    fn brought(
        &mut self,
        Reduction { mask, .. }: &Reduction,
        value: &Value,
        op: ShuffleOp,
        lane: Value,
    ) -> Value {
        self.shuffled(&Shuffle { op, lane, width: 32, mask: mask.clone() }, value)
    }

    /// All lanes are here.
    fn butterfly(&mut self, reduction: &Reduction, value: Value) -> Value {
        DISTANCES.into_iter().fold(value, |value, distance| {
            let other = self.brought(reduction, &value, ShuffleOp::Xor, Value::i32(distance));
            self.combine(reduction.scalar, reduction.op, &value, &other)
        })
    }

    /// The sum that a butterfly makes of the lanes that are here, missing ones being -0.0, in a
    /// butterfly of its own (`compiler/src/back/ptx/reduce.rs`).
    fn partial_butterfly(&mut self, reduction: &Reduction, value: &Value, here: &Value) -> Value {
        let lane = self.builtin(Builtin::LaneId);
        let sign = 1 << (value.ty.bits() - 1);
        let missing = Value::constant(reduction.scalar, sign);
        DISTANCES.into_iter().fold(value.clone(), |value, distance| {
            let partner = inst!(self, Type::I32, "xor {lane}, {distance}");
            let first = inst!(self, Type::I32, "and {partner}, {}", 2 * distance - 1);
            let all = lanes_apart(2 * distance) as i32;
            let all = inst!(self, Type::I32, "shl i32 {all}, {}", first.name);
            let there = inst!(self, Type::I32, "and {here}, {}", all.name);
            let args = [there.clone(), Value::new(Type::I1, "false")];
            let zeros = self.intrinsic(Type::I32, "llvm.ctlz.i32", &args);
            let last = inst!(self, Type::I32, "sub i32 31, {}", zeros.name);
            let other = self.brought(reduction, &value, ShuffleOp::Index, last);
            let any = inst!(self, Type::I1, "icmp ne {there}, 0");
            let other = inst!(self, value.ty, "select {any}, {other}, {missing}");
            self.combine(reduction.scalar, reduction.op, &value, &other)
        })
    }

    /// Combines the lanes that are here, in their order.
    fn one_by_one(
        &mut self,
        id: InstId,
        reduction: &Reduction,
        [value, result]: [&Value; 2],
        here: &Value,
    ) {
        let [next, body, end] = ["lane", "brings", "lanes"].map(|what| Label::of(what, id));
        let rest = self.alloca(&format!("%rest{}", id.index()), Type::I32);
        let of_zero = Value::new(Type::I1, "true");
        let lowest = |this: &mut Self, lanes: Value| {
            let args = [lanes.clone(), of_zero.clone()];
            let lane = this.intrinsic(Type::I32, "llvm.cttz.i32", &args);
            let below = inst!(this, Type::I32, "sub {lanes}, 1");
            let rest_lanes = inst!(this, Type::I32, "and {lanes}, {}", below.name);
            line!(this, "store {rest_lanes}, {rest}");
            this.brought(reduction, value, ShuffleOp::Index, lane)
        };
        let first = lowest(self, here.clone());
        line!(self, "store {first}, {result}");
        self.label(next);
        let lanes = inst!(self, Type::I32, "load i32, {rest}");
        let more = inst!(self, Type::I1, "icmp ne {lanes}, 0");
        self.branch(&more, body, end);
        self.label(body);
        let other = lowest(self, lanes);
        let so_far = inst!(self, value.ty, "load {}, {result}", value.ty);
        let both = self.combine(reduction.scalar, reduction.op, &so_far, &other);
        line!(self, "store {both}, {result}");
        self.jump(next);
        self.label(end);
    }
}

/// The operation on two values.
const fn binary(op: ReduceOp) -> BinaryOp {
    match op {
        ReduceOp::Add => BinaryOp::Add,
        ReduceOp::Min => BinaryOp::Min,
        ReduceOp::Max => BinaryOp::Max,
        ReduceOp::And => BinaryOp::And,
        ReduceOp::Or => BinaryOp::Or,
        ReduceOp::Xor => BinaryOp::Xor,
    }
}
