//! Dot-product loops: loops that only add products of loaded factors, so that all rounds can run at
//! once.
use super::{Emitter, Label, count::Counting};
use crate::{
    bytecode::{
        Accumulation, Address, Counter, DotProductLoop, FactorRequest, Instr, IntegerOp,
        MAX_ROUND_INTEGERS, MAX_ROUND_PRODUCTS, Operand, Product,
    },
    vector::registers::{Affine, Reg, Uniform},
};

impl Emitter<'_> {
    /// Inserts an [`Instr::DotProducts`] before a loop, if it is such a loop. Its instructions
    /// begin with `head`; the last is the [`Instr::NextIteration`] at `next`.
    pub(super) fn batch_dot_products(
        &mut self,
        range: Counter,
        cost: u32,
        head: Label,
        next: Label,
    ) {
        let first = self.labels[head as usize] as usize;
        let Some(sums) = self.match_dot_product_loop(first, range, cost) else { return };
        self.code.dot_product_loops.push(sums);
        let index = self.code.dot_product_loops.len() as u32 - 1;
        self.code.instrs.insert(first, Instr::DotProducts { index });
        self.code.spans.insert(first, self.span);
        for label in [head, next] {
            self.labels[label as usize] += 1;
        }
        for instr in &mut self.code.instrs[first..] {
            if let Instr::TrackUndefined { from } = instr {
                *from += 1;
            }
        }
        self.tracked_to += u32::from(self.is_checked);
    }

    /// Matches the loop whose instructions begin at `first`: a round only adds products, and all
    /// uniform values that it computes are linear in the counter.
    fn match_dot_product_loop(
        &self,
        first: usize,
        range: Counter,
        cost: u32,
    ) -> Option<DotProductLoop> {
        let (_, round) = self.code.instrs[first..].split_last()?;
        let mut round_parts = Round {
            changing: vec![range.counter],
            computed: vec![range.counter],
            read: vec![range.counter, range.step],
            ..Round::default()
        };
        for (at, instr) in (first..).zip(round) {
            round_parts.record(instr, &self.code.products, self.multiplied.get(&at))?;
        }
        let fits = (1..=MAX_ROUND_PRODUCTS).contains(&round_parts.products.len())
            && round_parts.computed.len() <= MAX_ROUND_INTEGERS
            && round_parts.loads == 2 * round_parts.multiplied;
        fits.then_some(())?;
        let Round { products, segments, requests, .. } = &round_parts;
        let counted = self.counting.as_ref().map_or(&self.code.counted, Counting::counted);
        let factor_request = |request: &u32| {
            let at = counted.requests[*request as usize].at.affine()?;
            let with = find_factor_like(
                at,
                products.iter().map(|product| &self.code.products[*product as usize]),
            )?;
            Some(FactorRequest { request: *request, with })
        };
        Some(DotProductLoop {
            range,
            len: round.len() as u32,
            cost,
            inputs: self.round_inputs(&round_parts, range.counter),
            computed: round_parts.computed.clone(),
            products: products.clone(),
            segments: segments.clone(),
            requests: requests.iter().map(factor_request).collect::<Option<_>>()?,
            sums: round_parts.into_sums(&self.code.products)?,
        })
    }

    /// Returns the uniform values that a round reads, does not compute, and that may change within
    /// the launch.
    fn round_inputs(&self, round_parts: &Round, counter: Uniform) -> Vec<Uniform> {
        let mut inputs = Vec::new();
        for read in round_parts.read.iter().copied() {
            let is_computed = round_parts.computed[1..].iter().any(|to| to.slot() == read.slot());
            let is_fixed =
                self.slot_inputs[read.slot()].is_some_and(|input| !input.depends_on_block());
            if !is_computed && !is_fixed && !inputs.contains(&read) {
                inputs.push(read);
            }
        }
        debug_assert_eq!(inputs.first(), Some(&counter), "nothing stands for a counter");
        inputs
    }
}

/// Returns the part of an address that all lanes share.
fn common_base(address: Address<Affine>) -> Uniform {
    match address {
        Address::Element { index: at, .. } | Address::Pointer { ptr: at, .. } => at.base,
    }
}

/// Finds the first factor with the same address but for an offset: the number of its product, and
/// which of the two factors it is.
fn find_factor_like<'p>(
    address: Address<Affine>,
    products: impl Iterator<Item = &'p Product>,
) -> Option<(usize, usize)> {
    let base = |address| match address {
        Address::Element { buffer, index, stride, .. } => (Some((buffer, stride)), index),
        Address::Pointer { ptr, .. } => (None, ptr),
    };
    products.enumerate().find_map(|(number, Product { factors, .. })| {
        let side = factors.iter().position(|factor| base(factor.from) == base(address))?;
        Some((number, side))
    })
}

/// The parts of a round, collected instruction by instruction.
#[derive(Default)]
struct Round {
    /// The values that change with the counter.
    changing: Vec<Uniform>,
    /// The counter, and uniform integers that a round computes.
    computed: Vec<Uniform>,
    /// The operands of these, the addresses of factors, and the limits of indices.
    read: Vec<Uniform>,
    /// Number of separate loads.
    loads: usize,
    /// Number of products of such loads.
    multiplied: usize,
    /// All products.
    products: Vec<u32>,
    /// The sums, each with the register of its current value.
    sums: Vec<(Accumulation, Reg)>,
    segments: Vec<u32>,
    requests: Vec<u32>,
}

impl Round {
    /// Collects the next instruction, which computes the product `multiplied` of loaded factors, if
    /// that is given; `None` if it does not belong in a dot-product loop.
    fn record(
        &mut self,
        instr: &Instr,
        products: &[Product],
        multiplied: Option<&u32>,
    ) -> Option<()> {
        if let Instr::Integer { op, slots } = instr {
            self.record_integer(*op, *slots)?;
        } else if let Instr::Bounds { index, len: Operand::Uniform(len), .. } = instr {
            let index = match index {
                Operand::Affine(index) => index.base,
                Operand::Uniform(index) => *index,
                Operand::Lanes(_) => return None,
            };
            (!self.changes_with_counter(*len)).then_some(())?;
            self.read.extend([index, *len]);
        } else if let Instr::FmaOfLoads { product } = instr {
            self.record_product(*product, products);
        } else if let Instr::Map { .. } = instr {
            self.record_product(*multiplied?, products);
            self.multiplied += 1;
        } else if let Instr::LoadAffine { from, .. } = instr {
            self.read.push(common_base(*from));
            self.loads += 1;
        } else if let Instr::CountSegment { segment } = instr {
            self.segments.push(*segment);
        } else if let Instr::CountRequest { request } | Instr::CheckAccess { site: request } = instr
        {
            self.requests.push(*request);
        } else {
            // There are no undefined values where rounds run at once.
            matches!(instr, Instr::TrackUndefined { .. }).then_some(())?;
        }
        Some(())
    }

    fn changes_with_counter(&self, value: Uniform) -> bool {
        self.changing.iter().any(|changing| changing.slot() == value.slot())
    }

    /// Collects a uniform integer; `None` if it is not linear in the counter, or if the round has
    /// read it before, because the next round would read this round's value.
    fn record_integer(&mut self, op: IntegerOp, [to, a, b, c]: [Uniform; 4]) -> Option<()> {
        self.read.extend([a, b, c]);
        if self.read.iter().any(|read| read.slot() == to.slot()) {
            return None;
        }
        let [a, b, c] = [a, b, c].map(|value| self.changes_with_counter(value));
        let (changes, is_proportional) = match op {
            IntegerOp::Add | IntegerOp::Sub => (a || b, true),
            IntegerOp::Mul => (a || b, !(a && b)),
            IntegerOp::Common => (a || b || c, !(b && c)),
            // The buffer does not change.
            IntegerOp::Offset => (a || b || c, !(a || b && c)),
        };
        self.changing.extend(changes.then_some(to));
        self.computed.push(to);
        is_proportional.then_some(())
    }

    /// Adds a product to the sum that it continues, or begins one.
    fn record_product(&mut self, product: u32, products: &[Product]) {
        let (number, Product { to, c, factors, .. }) =
            (self.products.len(), products[product as usize]);
        self.products.push(product);
        self.read.extend(factors.map(|factor| common_base(factor.from)));
        let known = self.sums.iter().position(|(_, so_far)| *so_far == c).unwrap_or_else(|| {
            self.sums.push((Accumulation { to: c, products: Vec::new() }, c));
            self.sums.len() - 1
        });
        let (sum, so_far) = &mut self.sums[known];
        sum.products.push((product, number));
        *so_far = to;
    }

    /// Returns the sums, if the next round continues each where this one ends, and nothing else
    /// changes them.
    fn into_sums(self, products: &[Product]) -> Option<Vec<Accumulation>> {
        let goes_on = |(sum, so_far): &(Accumulation, Reg)| {
            let all = self.sums.iter().flat_map(|(sum, _)| &sum.products);
            let sets = all.filter(|(product, _)| products[*product as usize].to == sum.to);
            *so_far == sum.to && sets.count() == 1
        };
        let all = self.sums.iter().all(goes_on);
        all.then(|| self.sums.into_iter().map(|(sum, _)| sum).collect())
    }
}
