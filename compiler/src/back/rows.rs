//! Distribution of rows by shuffles, where `ldmatrix` cannot load them: in global memory, where an
//! address may be no multiple of 16 bytes, or where something else uses the words.
use crate::{
    analysis::mma::find_matrix_loads,
    ir::{
        BinaryOp, Body, Builtin, CompareOp, Extent, Inst, InstId, Kernel, MatrixOp, Op, Scalar,
        ShuffleOp, Span, WarpOp,
    },
};
use std::borrow::Cow;

/// Returns `kernel`, which is specialized and numbered in order, with shuffles instead of rows that
/// are not loaded by `ldmatrix`.
pub fn expand_rows(kernel: &Kernel) -> Cow<'_, Kernel> {
    let loads = find_matrix_loads(kernel);
    let leaders = crate::analysis::mma::find_leaders(kernel);
    let is_expanded = |id: InstId| {
        let is_loaded = leaders[id].is_some_and(|leader| loads.rows[leader].is_some());
        matches!(kernel.insts[id].op, Op::Matrix(MatrixOp::DistributeRows { .. })) && !is_loaded
    };
    if !kernel.insts.ids().any(is_expanded) {
        return Cow::Borrowed(kernel);
    }
    let mut expanded = kernel.clone();
    let mut bodies: Vec<Option<(InstId, usize)>> = vec![None];
    let nested = kernel
        .insts
        .iter()
        .flat_map(|(id, inst)| (0..inst.op.bodies().count()).map(move |number| Some((id, number))));
    bodies.extend(nested);
    for place in bodies {
        let list = body(&mut expanded, place).0.clone();
        let mut new = Vec::with_capacity(list.len());
        for id in list {
            if is_expanded(id) {
                Expansion { kernel: &mut expanded, list: &mut new, span: kernel.insts[id].span }
                    .expand(id);
            }
            new.push(id);
        }
        body(&mut expanded, place).0 = new;
    }
    expanded.renumber();
    Cow::Owned(expanded)
}

fn body(kernel: &mut Kernel, place: Option<(InstId, usize)>) -> &mut Body {
    match place {
        None => &mut kernel.body,
        Some((id, number)) => {
            kernel.insts[id].op.bodies_mut().nth(number).expect("the instruction has this body")
        }
    }
}

struct Expansion<'e> {
    kernel: &'e mut Kernel,
    list: &'e mut Vec<InstId>,
    span: Span,
}

impl Expansion<'_> {
    fn push(&mut self, op: Op, scalar: Scalar) -> InstId {
        let id = self.kernel.insts.push(Inst { op, ty: scalar.into(), span: self.span });
        self.list.push(id);
        id
    }

    fn constant(&mut self, value: u64) -> InstId {
        self.push(Op::Const(value), Scalar::U32)
    }

    fn binary(&mut self, op: BinaryOp, lhs: InstId, rhs: u64) -> InstId {
        let rhs = self.constant(rhs);
        self.push(Op::Binary { op, lhs, rhs }, Scalar::U32)
    }

    /// Makes `id` the last operation of its expansion, behind what this adds to the list.
    fn expand(&mut self, id: InstId) {
        let Op::Matrix(MatrixOp::DistributeRows { transposed, args, word }) =
            self.kernel.insts[id].op.clone()
        else {
            return;
        };
        let first = 8 * u64::from(word);
        let lane = self.push(Op::Builtin(Builtin::LaneId), Scalar::U32);
        let group = self.binary(BinaryOp::Shr, lane, 2);
        let thread = self.binary(BinaryOp::And, lane, 3);
        if !transposed {
            let row = self.binary(BinaryOp::Add, group, first);
            let [then, other, cond] = self.chosen(&args, row, thread);
            self.kernel.insts[id].op = Op::Select { cond, then, other };
            return;
        }
        let number = self.binary(BinaryOp::Shr, lane, 3);
        let row = self.binary(BinaryOp::Shl, thread, 1);
        let row = self.binary(BinaryOp::Add, row, first);
        let next = self.binary(BinaryOp::Add, row, 1);
        let [low, high] = [row, next].map(|row| {
            let [then, other, cond] = self.chosen(&args, row, number);
            self.push(Op::Select { cond, then, other }, Scalar::U32)
        });
        // The half of both words that belongs to the column of this group.
        let odd = self.binary(BinaryOp::And, group, 1);
        let shift = self.binary(BinaryOp::Shl, odd, 4);
        let shifted = |this: &mut Self, lhs| {
            this.push(Op::Binary { op: BinaryOp::Shr, lhs, rhs: shift }, Scalar::U32)
        };
        let [low, high] = [shifted(self, low), shifted(self, high)];
        let low = self.binary(BinaryOp::And, low, 0xffff);
        let high = self.binary(BinaryOp::Shl, high, 16);
        self.kernel.insts[id].op = Op::Binary { op: BinaryOp::Or, lhs: low, rhs: high };
    }

    /// Shuffles the words of row `row`, of which this lane takes number `number`: returns the two
    /// values and the condition of the last choice.
    fn chosen(&mut self, args: &[InstId], row: InstId, number: InstId) -> [InstId; 3] {
        let words: Vec<InstId> = args
            .iter()
            .map(|&value| {
                let (op, width, mask) = (ShuffleOp::Index, Extent::Const(32), None);
                self.push(
                    Op::Warp(WarpOp::Shuffle { op, value, lane: row, width, mask }),
                    Scalar::U32,
                )
            })
            .collect();
        let is = |this: &mut Self, value: u64| {
            let rhs = this.constant(value);
            this.push(Op::Compare { op: CompareOp::Eq, lhs: number, rhs }, Scalar::Bool)
        };
        let cond = is(self, 1);
        let lower = self.push(Op::Select { cond, then: words[1], other: words[0] }, Scalar::U32);
        let cond = is(self, 3);
        let upper = self.push(Op::Select { cond, then: words[3], other: words[2] }, Scalar::U32);
        let two = self.constant(2);
        let cond =
            self.push(Op::Compare { op: CompareOp::Lt, lhs: number, rhs: two }, Scalar::Bool);
        [lower, upper, cond]
    }
}
