//! Operations that the lanes of a warp execute together: votes, shuffles, matches and reductions.
use super::Operand;
use crate::{
    outcome::Meeting,
    vector::{
        mask::bits,
        registers::{Reg, Registers},
    },
};
use warpwise_compiler::ir::{BarrierOp, MatchOp, ShuffleOp, VoteOp};

/// An operation of the lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WarpOp {
    Sync,
    Shuffle { op: ShuffleOp, to: Reg, value: Operand, lane: Operand, width: u32 },
    Vote { op: VoteOp, to: Reg, value: Operand },
    Match { op: MatchOp, to: Reg, value: Operand },
    Reduce { combine: fn(u64, u64) -> u64, to: Reg, value: Operand },
}

impl WarpOp {
    /// What it is called where threads wait at it.
    pub(crate) fn meeting(self) -> Meeting {
        match self {
            Self::Sync => Meeting::SyncWarp,
            Self::Shuffle { .. } => Meeting::Shuffle,
            Self::Vote { .. } => Meeting::Vote,
            Self::Match { .. } => Meeting::Match,
            Self::Reduce { .. } => Meeting::Reduce,
        }
    }
}

/// What the lanes of one warp bring to an operation.
pub(crate) struct WarpInputs {
    /// Who has come.
    lanes: u32,
    /// Whom each waits for.
    masks: [u32; 32],
    /// Whether somebody waits for less than the whole warp.
    apart: bool,
    values: [u64; 32],
    /// The second operand of a shuffle.
    others: [u64; 32],
}

impl WarpInputs {
    pub(crate) fn none() -> Self {
        Self { lanes: 0, masks: [u32::MAX; 32], apart: false, values: [0; 32], others: [0; 32] }
    }

    /// Adds `lanes` of a warp, which belong to a strand with these uniform values.
    pub(crate) fn add(
        &mut self,
        (op, mask): (WarpOp, Option<Operand>),
        registers: &Registers,
        uniforms: &[u64],
        (warp, lanes): (usize, u32),
    ) {
        let value = |operand, lane| match operand {
            Operand::Lanes(reg) => registers.get(reg, warp * 32 + lane),
            Operand::Uniform(uniform) => uniform.get(uniforms),
            Operand::Affine(affine) => affine.get(registers, uniforms, warp * 32 + lane),
        };
        self.lanes |= lanes;
        for lane in bits(lanes) {
            if let Some(mask) = mask {
                self.masks[lane] = value(mask, lane) as u32;
                self.apart |= self.masks[lane] != u32::MAX;
            }
            match op {
                WarpOp::Sync => {}
                WarpOp::Shuffle { value: brings, lane: other, .. } => {
                    self.values[lane] = value(brings, lane);
                    self.others[lane] = value(other, lane);
                }
                WarpOp::Vote { value: brings, .. }
                | WarpOp::Match { value: brings, .. }
                | WarpOp::Reduce { value: brings, .. } => self.values[lane] = value(brings, lane),
            }
        }
    }

    /// Whether every lane of a whole warp has come and names all.
    pub(crate) fn is_everybody(&self) -> bool {
        self.lanes == u32::MAX && !self.apart
    }

    /// Whom a lane names.
    pub(crate) fn mask(&self, lane: usize) -> u32 {
        self.masks[lane]
    }

    /// Whom a lane asks for its value in a shuffle, if that one takes no part.
    pub(crate) fn absent_source(&self, op: WarpOp, lane: usize) -> Option<usize> {
        let WarpOp::Shuffle { op, width, .. } = op else { return None };
        let from = source(op, width, self.others[lane], lane);
        (self.group(lane) & (1 << from) == 0).then_some(from)
    }

    /// Whose value a lane gets in a shuffle.
    pub(crate) fn source(&self, op: WarpOp, lane: usize) -> usize {
        let WarpOp::Shuffle { op, width, .. } = op else { return lane };
        let from = source(op, width, self.others[lane], lane);
        if self.group(lane) & (1 << from) == 0 { lane } else { from }
    }

    /// Whether what a lane brings is true.
    pub(crate) fn is_true(&self, lane: usize) -> bool {
        self.values[lane] != 0
    }

    /// The lanes that a lane names and that have come, but name other lanes.
    pub(crate) fn others_of(&self, lane: usize) -> u32 {
        self.masks[lane] & self.lanes & !self.group(lane)
    }

    /// Who has come.
    pub(crate) fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The lanes that have come, in sets that name the same lanes.
    pub(crate) fn groups(&self) -> impl Iterator<Item = u32> {
        let firsts =
            bits(self.lanes).filter(|lane| self.group(*lane).trailing_zeros() == *lane as u32);
        firsts.map(|lane| self.group(lane))
    }

    /// The lanes that have come and name the same lanes as `lane` does.
    pub(crate) fn group(&self, lane: usize) -> u32 {
        if !self.apart {
            return self.lanes;
        }
        bits(self.lanes)
            .filter(|other| self.masks[*other] == self.masks[lane])
            .fold(0, |group, other| group | 1 << other)
    }
}

/// The lanes that have come and whose group is complete, of a warp's `live` ones.
pub(crate) fn complete(inputs: &WarpInputs, live: u32) -> u32 {
    if inputs.lanes == live && !inputs.apart {
        return live;
    }
    bits(inputs.lanes)
        .filter(|lane| inputs.masks[*lane] & live & !inputs.group(*lane) == 0)
        .fold(0, |complete, lane| complete | 1 << lane)
}

/// Does `op` for `lanes` of a warp, whose groups are complete.
pub(crate) fn exchange(
    op: WarpOp,
    inputs: &WarpInputs,
    registers: &mut Registers,
    warp: usize,
    lanes: u32,
) {
    let (to, result): (_, &dyn Fn(usize) -> u64) = match op {
        WarpOp::Sync => return,
        WarpOp::Shuffle { op, to, width, .. } => {
            (to, &move |lane| shuffled(op, width, inputs, lane))
        }
        WarpOp::Vote { op, to, .. } => (to, &move |lane| voted(op, inputs, lane)),
        WarpOp::Match { op, to, .. } => (to, &move |lane| matched(op, inputs, lane)),
        WarpOp::Reduce { combine, to, .. } => {
            for group in inputs.groups() {
                let result = combined(combine, inputs, group);
                bits(group & lanes).for_each(|lane| registers.set(to, warp * 32 + lane, result));
            }
            return;
        }
    };
    for lane in bits(lanes) {
        registers.set(to, warp * 32 + lane, result(lane));
    }
}

/// What a lane gets in a shuffle: its own value, where the other does not take part.
fn shuffled(op: ShuffleOp, width: u32, inputs: &WarpInputs, lane: usize) -> u64 {
    let from = source(op, width, inputs.others[lane], lane);
    let takes_part = inputs.group(lane) & (1 << from) != 0;
    inputs.values[if takes_part { from } else { lane }]
}

/// Whose value a lane asks for in a shuffle.
fn source(op: ShuffleOp, width: u32, other: u64, lane: usize) -> usize {
    let width = u64::from(width);
    let place = lane as u64 % width;
    let from = match op {
        ShuffleOp::Index => other % width,
        ShuffleOp::Up if other <= place => place - other,
        ShuffleOp::Down if other < width - place => place + other,
        ShuffleOp::Xor if place ^ other < width => place ^ other,
        ShuffleOp::Up | ShuffleOp::Down | ShuffleOp::Xor => place,
    };
    lane - place as usize + from as usize
}

/// What a lane gets in a vote.
fn voted(op: VoteOp, inputs: &WarpInputs, lane: usize) -> u64 {
    let group = inputs.group(lane);
    let ballot =
        bits(group).filter(|lane| inputs.values[*lane] != 0).fold(0, |all, lane| all | 1 << lane);
    match op {
        VoteOp::All => u64::from(ballot == group),
        VoteOp::Any => u64::from(ballot != 0),
        VoteOp::Ballot => u64::from(ballot),
    }
}

/// What a lane gets where equal values are looked for.
fn matched(op: MatchOp, inputs: &WarpInputs, lane: usize) -> u64 {
    let group = inputs.group(lane);
    let equal = bits(group).filter(|other| inputs.values[*other] == inputs.values[lane]);
    let equal = equal.fold(0, |all, lane| all | 1 << lane);
    match op {
        MatchOp::Any => u64::from(equal),
        MatchOp::All => u64::from(equal == group),
    }
}

/// What comes out of the values of a group, in the order of a butterfly.
fn combined(combine: fn(u64, u64) -> u64, inputs: &WarpInputs, group: u32) -> u64 {
    let mut values: [Option<u64>; 32] =
        std::array::from_fn(|lane| (group & (1 << lane) != 0).then_some(inputs.values[lane]));
    for distance in [16, 8, 4, 2, 1] {
        for lane in 0..distance {
            values[lane] = match (values[lane], values[lane + distance]) {
                (Some(low), Some(high)) => Some(combine(low, high)),
                (low, high) => low.or(high),
            };
        }
    }
    values[0].unwrap_or(0)
}

/// What a barrier yields, where `truths` of `all` threads bring true.
pub(crate) fn reduced(op: BarrierOp, truths: u32, all: u32) -> u64 {
    match op {
        BarrierOp::Count => u64::from(truths),
        BarrierOp::And => u64::from(truths == all),
        BarrierOp::Or => u64::from(truths != 0),
    }
}
