//! Splits quotients and remainders of sums of which one part is a multiple of the divisor.
//!
//! ```text
//! %1 = mul %i, 256                        %1 = mul %i, 32
//! %2 = add %1, %t                         %2 = div %t, 8
//! %3 = div %2, 8                    =>    %3 = add %1, %2
//! %4 = rem %2, 8                          %4 = rem %t, 8
//! ```
//!
//! Takes unsigned integers whose products and sums do not wrap.
//!
//! Why: threads that load a tile together find its rows and columns this way. What is left to
//! divide is the same in all iterations, and the addresses of unrolled ones differ by constants:
//! LLVM and `ptxas` keep the quotient of each in a register otherwise.
use crate::{
    analysis::range::{self, Ranges},
    ir::{BinaryOp, Body, Inst, InstId, Kernel, Op, Scalar, Ty},
};

/// Splits quotients and remainders of `kernel`, whose instructions are numbered in order; they are
/// not afterwards.
pub(super) fn split_quotients(kernel: &mut Kernel) {
    let divides_sum = |(_, inst): (InstId, &Inst)| {
        dividend(kernel, &inst.op)
            .is_some_and(|lhs| matches!(kernel.insts[lhs].op, Op::Binary { op: BinaryOp::Add, .. }))
    };
    if !kernel.insts.iter().any(divides_sum) {
        return;
    }
    let ranges = range::analyze(kernel);
    let list = std::mem::take(&mut kernel.body);
    let mut walk = Walk { kernel, ranges };
    let list = walk.body(list);
    kernel.body = list;
}

/// The dividend of `op`, if it divides by a constant.
fn dividend(kernel: &Kernel, op: &Op) -> Option<InstId> {
    let Op::Binary { op: BinaryOp::Div | BinaryOp::Rem, lhs, rhs } = *op else { return None };
    matches!(kernel.insts[rhs].op, Op::Const(divisor) if divisor > 1).then_some(lhs)
}

/// A multiple of a divisor.
enum Multiple {
    /// The quotient, which is a constant.
    Constant(u64),
    /// The quotient, which is the product of a value and a constant.
    Product(InstId, u64),
}

struct Walk<'k> {
    kernel: &'k mut Kernel,
    ranges: Ranges,
}

impl Walk<'_> {
    fn body(&mut self, list: Body) -> Body {
        let mut kept = Vec::with_capacity(list.0.len());
        for id in list.0 {
            self.split(id, &mut kept);
            if !self.kernel.insts[id].op.is_leaf() {
                // Taken out while its bodies are walked.
                let mut op = std::mem::replace(&mut self.kernel.insts[id].op, Op::Return);
                for inner in op.bodies_mut() {
                    *inner = self.body(std::mem::take(inner));
                }
                self.kernel.insts[id].op = op;
            }
            kept.push(id);
        }
        Body(kept)
    }

    /// Splits `id`, if it divides such a sum; appends to `kept` the instructions that it needs.
    fn split(&mut self, id: InstId, kept: &mut Vec<InstId>) {
        let Inst { op: Op::Binary { op, rhs, .. }, ty, span } = self.kernel.insts[id] else {
            return;
        };
        let is_unsigned = matches!(ty, Ty::Scalar(Scalar::U32 | Scalar::U64));
        let (Some(sum), Op::Const(divisor)) =
            (dividend(self.kernel, &self.kernel.insts[id].op), &self.kernel.insts[rhs].op)
        else {
            return;
        };
        let (multiples, rest) = self.parts(sum, *divisor);
        if !is_unsigned || multiples.is_empty() {
            return;
        }
        if op == BinaryOp::Rem {
            self.kernel.insts[id].op = Op::Binary { op, lhs: rest, rhs };
            return;
        }
        let mut push = |op| {
            let id = self.kernel.insts.push(Inst { op, ty, span });
            kept.push(id);
            id
        };
        let mut quotient = push(Op::Binary { op: BinaryOp::Div, lhs: rest, rhs });
        let mut last = Op::Const(0);
        for (number, multiple) in multiples.iter().enumerate() {
            let part = match *multiple {
                Multiple::Constant(part) => push(Op::Const(part)),
                Multiple::Product(value, factor) => {
                    let factor = push(Op::Const(factor));
                    push(Op::Binary { op: BinaryOp::Mul, lhs: value, rhs: factor })
                }
            };
            last = Op::Binary { op: BinaryOp::Add, lhs: part, rhs: quotient };
            if number + 1 < multiples.len() {
                quotient = push(last.clone());
            }
        }
        self.kernel.insts[id].op = last;
    }

    /// Returns the parts of `sum` that are multiples of `divisor`, and the value that is left.
    fn parts(&self, sum: InstId, divisor: u64) -> (Vec<Multiple>, InstId) {
        let mut multiples = Vec::new();
        let mut rest = sum;
        while let Op::Binary { op: BinaryOp::Add, lhs, rhs } = self.kernel.insts[rest].op
            && self.ranges.is_exact(rest)
        {
            let (multiple, other) = match (self.multiple(lhs, divisor), self.multiple(rhs, divisor))
            {
                (Some(multiple), _) => (multiple, rhs),
                (None, Some(multiple)) => (multiple, lhs),
                (None, None) => break,
            };
            multiples.push(multiple);
            rest = other;
        }
        (multiples, rest)
    }

    /// Returns the quotient of `id`, if it is a multiple of `divisor`.
    fn multiple(&self, id: InstId, divisor: u64) -> Option<Multiple> {
        let literal = |id| self.kernel.literal(id);
        let quotient = |number: u64| number.is_multiple_of(divisor).then_some(number / divisor);
        if let Some(number) = literal(id) {
            return quotient(number).map(Multiple::Constant);
        }
        let Op::Binary { op: BinaryOp::Mul, lhs, rhs } = self.kernel.insts[id].op else {
            return None;
        };
        let (value, number) = match (literal(lhs), literal(rhs)) {
            (_, Some(number)) => (lhs, number),
            (Some(number), None) => (rhs, number),
            (None, None) => return None,
        };
        let exact = self.ranges.is_exact(id);
        quotient(number).filter(|_| exact).map(|factor| Multiple::Product(value, factor))
    }
}
