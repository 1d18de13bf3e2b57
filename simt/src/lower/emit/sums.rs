//! Loops that only add products of what they load: all rounds of one can be run at once.
use super::{Emitter, Label};
use crate::{
    code::{Counter, IntegerOp, Operand, Product, Step, Sum, Sums},
    registers::{Reg, Uniform},
};

/// The most integers that a round computes once, with the counter.
pub(crate) const MOST_INTEGERS: usize = 32;

/// The most products that a round adds.
pub(crate) const MOST_PRODUCTS: usize = 8;

impl Emitter<'_> {
    /// Puts a step before a loop that runs all its rounds at once, if it is such a loop. Its steps begin with
    /// `head`; the last is what goes on with the next round, at `next`.
    pub(super) fn sums(&mut self, range: Counter, cost: u32, head: Label, next: Label) {
        let first = self.labels[head as usize] as usize;
        let Some((_, round)) = self.code.steps[first..].split_last() else { return };
        let sums = sums_of(round, range.counter, &self.code.products);
        let Some(sums) = sums else { return };
        let len = round.len() as u32;
        self.code.sums.push(Sums { range, len, cost, sums });
        let sums = self.code.sums.len() as u32 - 1;
        self.code.steps.insert(first, Step::Sums { sums });
        self.code.spans.insert(first, self.span);
        for label in [head, next] {
            self.labels[label as usize] += 1;
        }
    }
}

/// What the steps of a round add up, if they do nothing else, and all that they compute once is in proportion to
/// the counter.
fn sums_of(round: &[Step], counter: Uniform, products: &[Product]) -> Option<Vec<Sum>> {
    let mut found = Found { changing: vec![counter], sums: Vec::new() };
    let (mut integers, mut number) = (1, 0);
    for step in round {
        if let Step::Integer { op, slots } = step {
            found.integer(*op, *slots)?;
            integers += 1;
        } else if let Step::Bounds { index, len: Operand::Uniform(len), .. } = step {
            let is_known = !matches!(index, Operand::Lanes(_)) && !found.changes(*len);
            is_known.then_some(())?;
        } else if let Step::FmaLoaded { product } = step {
            found.product(*product, number, products);
            number += 1;
        } else {
            return None;
        }
    }
    let fits = (1..=MOST_PRODUCTS).contains(&number) && integers <= MOST_INTEGERS;
    if fits { found.sums(products) } else { None }
}

/// What is known of a round, step by step.
struct Found {
    /// What is in proportion to the counter.
    changing: Vec<Uniform>,
    /// What is added up, with the register of what it is so far.
    sums: Vec<(Sum, Reg)>,
}

impl Found {
    fn changes(&self, value: Uniform) -> bool {
        self.changing.iter().any(|changing| changing.slot() == value.slot())
    }

    /// Looks at what is computed once; `None` if it is not in proportion to the counter.
    fn integer(&mut self, op: IntegerOp, [to, a, b, c]: [Uniform; 4]) -> Option<()> {
        let [a, b, c] = [a, b, c].map(|value| self.changes(value));
        let (changes, is_proportional) = match op {
            IntegerOp::Add | IntegerOp::Sub => (a || b, true),
            IntegerOp::Mul => (a || b, !(a && b)),
            IntegerOp::Common => (a || b || c, !(b && c)),
            // The buffer stays what it is.
            IntegerOp::Offset => (a || b || c, !(a || b && c)),
        };
        self.changing.extend(changes.then_some(to));
        is_proportional.then_some(())
    }

    /// Adds to the sum that it is the next part of, or begins one.
    fn product(&mut self, product: u32, number: usize, products: &[Product]) {
        let Product { to, c, .. } = products[product as usize];
        let known = self.sums.iter().position(|(_, so_far)| *so_far == c).unwrap_or_else(|| {
            self.sums.push((Sum { to: c, products: Vec::new() }, c));
            self.sums.len() - 1
        });
        let (sum, so_far) = &mut self.sums[known];
        sum.products.push((product, number));
        *so_far = to;
    }

    /// The sums, if what each comes to is what it begins with in the next round, and nothing else changes that.
    fn sums(self, products: &[Product]) -> Option<Vec<Sum>> {
        let goes_on = |(sum, so_far): &(Sum, Reg)| {
            let all = self.sums.iter().flat_map(|(sum, _)| &sum.products);
            let sets = all.filter(|(product, _)| products[*product as usize].to == sum.to);
            *so_far == sum.to && sets.count() == 1
        };
        let all = self.sums.iter().all(goes_on);
        all.then(|| self.sums.into_iter().map(|(sum, _)| sum).collect())
    }
}
