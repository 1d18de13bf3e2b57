//! Warp-wide operations: votes, shuffles, matches, reductions and products of matrices, and their
//! evaluation.
use super::Operand;
use crate::{
    outcome::Meeting,
    vector::{
        mask::bits,
        registers::{Reg, Registers},
    },
};
use warpwise_compiler::{
    ir::{BarrierOp, MatchOp, MmaOp, ShuffleOp, VoteOp},
    tensor_cores,
};

/// An operation of the lanes of a warp.
#[derive(Clone, Copy, Debug)]
pub(crate) enum WarpInstr {
    Sync,
    Shuffle {
        op: ShuffleOp,
        to: Reg,
        value: Operand,
        lane: Operand,
        width: u32,
    },
    Vote {
        op: VoteOp,
        to: Reg,
        value: Operand,
    },
    Match {
        op: MatchOp,
        to: Reg,
        value: Operand,
    },
    Reduce {
        combine: fn(u64, u64) -> u64,
        to: Reg,
        value: Operand,
    },
    /// `word` is an index into [`Code::matrix_words`](super::Code::matrix_words).
    Matrix {
        at: Meeting,
        word: u32,
        to: Reg,
    },
}

/// An operation of all lanes on words of matrices.
#[derive(Clone, Copy, Debug)]
pub(crate) enum MatrixInstr {
    Product(MmaOp),
    Rows { transposed: bool },
}

/// One word of the result of such an operation.
#[derive(Clone, Debug)]
pub(crate) struct MatrixWord {
    pub(crate) op: MatrixInstr,
    /// The words that each lane brings.
    pub(crate) args: Box<[Operand]>,
    /// The number of the word of the result.
    pub(crate) word: u8,
}

impl MatrixWord {
    /// Returns the lanes whose argument number `arg` determines the word of `lane`.
    pub(crate) fn needed_lanes(&self, lane: usize, arg: usize) -> u32 {
        let word = usize::from(self.word);
        match self.op {
            MatrixInstr::Product(op) => tensor_cores::needed_lanes(op, lane, word, arg),
            MatrixInstr::Rows { transposed } => {
                tensor_cores::needed_rows(transposed, lane, word, arg)
            }
        }
    }
}

impl WarpInstr {
    /// Returns the kind of wait of threads that wait at the operation.
    pub(crate) fn meeting(self) -> Meeting {
        match self {
            Self::Sync => Meeting::SyncWarp,
            Self::Shuffle { .. } => Meeting::Shuffle,
            Self::Vote { .. } => Meeting::Vote,
            Self::Match { .. } => Meeting::Match,
            Self::Reduce { .. } => Meeting::Reduce,
            Self::Matrix { at, .. } => at,
        }
    }
}

/// The operands of the lanes of one warp that have arrived at an operation.
pub(crate) struct WarpInputs {
    /// The lanes that have arrived.
    lanes: u32,
    /// The mask that each lane names.
    masks: [u32; 32],
    /// True if some lane names less than the whole warp.
    has_partial_masks: bool,
    values: [u64; 32],
    /// The second operand of a shuffle.
    shuffle_operands: [u64; 32],
    /// The words of matrices.
    words: Vec<[u64; 32]>,
}

impl WarpInputs {
    pub(crate) fn none() -> Self {
        Self {
            lanes: 0,
            masks: [u32::MAX; 32],
            has_partial_masks: false,
            values: [0; 32],
            shuffle_operands: [0; 32],
            words: Vec::new(),
        }
    }

    /// Adds `lanes` of a warp, which belong to a strand with these uniform values.
    pub(crate) fn add(
        &mut self,
        (op, mask): (WarpInstr, Option<Operand>),
        matrix_words: &[MatrixWord],
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
        if let WarpInstr::Matrix { word, .. } = op {
            let args = &matrix_words[word as usize].args;
            self.words.resize(args.len(), [0; 32]);
            for (words, arg) in self.words.iter_mut().zip(args) {
                bits(lanes).for_each(|lane| words[lane] = value(*arg, lane));
            }
        }
        for lane in bits(lanes) {
            if let Some(mask) = mask {
                self.masks[lane] = value(mask, lane) as u32;
                self.has_partial_masks |= self.masks[lane] != u32::MAX;
            }
            match op {
                WarpInstr::Sync | WarpInstr::Matrix { .. } => {}
                WarpInstr::Shuffle { value: brings, lane: other, .. } => {
                    self.values[lane] = value(brings, lane);
                    self.shuffle_operands[lane] = value(other, lane);
                }
                WarpInstr::Vote { value: brings, .. }
                | WarpInstr::Match { value: brings, .. }
                | WarpInstr::Reduce { value: brings, .. } => {
                    self.values[lane] = value(brings, lane)
                }
            }
        }
    }

    /// Returns true if all 32 lanes have arrived and name the whole warp.
    pub(crate) fn is_full_warp(&self) -> bool {
        self.lanes == u32::MAX && !self.has_partial_masks
    }

    /// Returns the mask that a lane names.
    pub(crate) fn mask(&self, lane: usize) -> u32 {
        self.masks[lane]
    }

    /// Returns the source lane of a shuffle, or any lane if the operation needs all, if it does not
    /// take part.
    pub(crate) fn absent_source(&self, op: WarpInstr, lane: usize) -> Option<usize> {
        if matches!(op, WarpInstr::Matrix { .. }) {
            return bits(!self.lanes).next();
        }
        let WarpInstr::Shuffle { op, width, .. } = op else { return None };
        let from = source(op, width, self.shuffle_operands[lane], lane);
        (self.group(lane) & (1 << from) == 0).then_some(from)
    }

    /// Returns the lane whose value a lane receives in a shuffle.
    pub(crate) fn source(&self, op: WarpInstr, lane: usize) -> usize {
        let WarpInstr::Shuffle { op, width, .. } = op else { return lane };
        let from = source(op, width, self.shuffle_operands[lane], lane);
        if self.group(lane) & (1 << from) == 0 { lane } else { from }
    }

    /// Returns true if the value of a lane is true.
    pub(crate) fn is_true(&self, lane: usize) -> bool {
        self.values[lane] != 0
    }

    /// Returns the arrived lanes that a lane names, and that name other masks.
    pub(crate) fn named_with_other_masks(&self, lane: usize) -> u32 {
        self.masks[lane] & self.lanes & !self.group(lane)
    }

    /// Returns the lanes that have arrived.
    pub(crate) fn lanes(&self) -> u32 {
        self.lanes
    }

    /// Returns the arrived lanes in groups of equal masks.
    pub(crate) fn groups(&self) -> impl Iterator<Item = u32> {
        let firsts =
            bits(self.lanes).filter(|lane| self.group(*lane).trailing_zeros() == *lane as u32);
        firsts.map(|lane| self.group(lane))
    }

    /// Returns the arrived lanes with the same mask as `lane`.
    pub(crate) fn group(&self, lane: usize) -> u32 {
        if !self.has_partial_masks {
            return self.lanes;
        }
        bits(self.lanes)
            .filter(|other| self.masks[*other] == self.masks[lane])
            .fold(0, |group, other| group | 1 << other)
    }
}

/// Returns the arrived lanes whose group is complete_lanes, given the `live` lanes of the warp.
pub(crate) fn complete_lanes(inputs: &WarpInputs, live: u32) -> u32 {
    if inputs.lanes == live && !inputs.has_partial_masks {
        return live;
    }
    bits(inputs.lanes)
        .filter(|lane| inputs.masks[*lane] & live & !inputs.group(*lane) == 0)
        .fold(0, |complete, lane| complete | 1 << lane)
}

/// Executes `op` for `lanes` of a warp, whose groups are complete.
pub(crate) fn execute_warp_instr(
    op: WarpInstr,
    matrix_words: &[MatrixWord],
    inputs: &WarpInputs,
    registers: &mut Registers,
    warp: usize,
    lanes: u32,
) {
    let (to, result): (_, &dyn Fn(usize) -> u64) = match op {
        WarpInstr::Sync => return,
        WarpInstr::Shuffle { op, to, width, .. } => {
            (to, &move |lane| shuffle_result(op, width, inputs, lane))
        }
        WarpInstr::Vote { op, to, .. } => (to, &move |lane| vote_result(op, inputs, lane)),
        WarpInstr::Match { op, to, .. } => (to, &move |lane| match_result(op, inputs, lane)),
        WarpInstr::Reduce { combine, to, .. } => {
            for group in inputs.groups() {
                let result = reduce_group(combine, inputs, group);
                bits(group & lanes).for_each(|lane| registers.set(to, warp * 32 + lane, result));
            }
            return;
        }
        WarpInstr::Matrix { word, to, .. } => {
            let MatrixWord { op, word, .. } = &matrix_words[word as usize];
            let (op, word, words) = (*op, usize::from(*word), &inputs.words);
            (to, &move |lane| match op {
                MatrixInstr::Product(op) => tensor_cores::multiply(op, words, lane, word),
                MatrixInstr::Rows { transposed } => {
                    tensor_cores::distribute(transposed, words, lane, word)
                }
            })
        }
    };
    for lane in bits(lanes) {
        registers.set(to, warp * 32 + lane, result(lane));
    }
}

/// Returns the result of a shuffle: the lane's own value where the source does not take part.
fn shuffle_result(op: ShuffleOp, width: u32, inputs: &WarpInputs, lane: usize) -> u64 {
    let from = source(op, width, inputs.shuffle_operands[lane], lane);
    let takes_part = inputs.group(lane) & (1 << from) != 0;
    inputs.values[if takes_part { from } else { lane }]
}

/// Returns the source lane of a shuffle, whether or not it takes part.
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

/// Returns the result of a vote.
fn vote_result(op: VoteOp, inputs: &WarpInputs, lane: usize) -> u64 {
    let group = inputs.group(lane);
    let ballot =
        bits(group).filter(|lane| inputs.values[*lane] != 0).fold(0, |all, lane| all | 1 << lane);
    match op {
        VoteOp::All => u64::from(ballot == group),
        VoteOp::Any => u64::from(ballot != 0),
        VoteOp::Ballot => u64::from(ballot),
    }
}

/// Returns the result of a match.
fn match_result(op: MatchOp, inputs: &WarpInputs, lane: usize) -> u64 {
    let group = inputs.group(lane);
    let equal = bits(group).filter(|other| inputs.values[*other] == inputs.values[lane]);
    let equal = equal.fold(0, |all, lane| all | 1 << lane);
    match op {
        MatchOp::Any => u64::from(equal),
        MatchOp::All => u64::from(equal == group),
    }
}

/// Returns the reduction of a group, in the order of a butterfly.
fn reduce_group(combine: fn(u64, u64) -> u64, inputs: &WarpInputs, group: u32) -> u64 {
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

/// Returns the result of a barrier, where `truths` of `all` threads contribute true.
pub(crate) fn reduce_barrier(op: BarrierOp, truths: u32, all: u32) -> u64 {
    match op {
        BarrierOp::Count => u64::from(truths),
        BarrierOp::And => u64::from(truths == all),
        BarrierOp::Or => u64::from(truths != 0),
    }
}
