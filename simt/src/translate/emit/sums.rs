//! Loops that only add products of what they load: all rounds of one can be run at once.
use super::{Emitter, Label, count::Counting};
use crate::{
    bytecode::{
        Accumulation, Address, Counter, DotProductLoop, FactorRequest, Instr, IntegerOp,
        MAX_ROUND_INTEGERS, MAX_ROUND_PRODUCTS, Operand, Product,
    },
    vector::registers::{Affine, Reg, Uniform},
};

impl Emitter<'_> {
    /// Puts a step before a loop that runs all its rounds at once, if it is such a loop. Its steps begin with
    /// `head`; the last is what goes on with the next round, at `next`.
    pub(super) fn sums(&mut self, range: Counter, cost: u32, head: Label, next: Label) {
        let first = self.labels[head as usize] as usize;
        let Some(sums) = self.sums_from(first, range, cost) else { return };
        self.code.dot_product_loops.push(sums);
        let sums = self.code.dot_product_loops.len() as u32 - 1;
        self.code.instrs.insert(first, Instr::DotProducts { sums });
        self.code.spans.insert(first, self.span);
        for label in [head, next] {
            self.labels[label as usize] += 1;
        }
        for step in &mut self.code.instrs[first..] {
            if let Instr::TrackUndefined { from } = step {
                *from += 1;
            }
        }
        self.followed += u32::from(self.watching);
    }

    /// The loop whose steps begin at `first`, if a round does nothing else than adding products, and all that it
    /// computes once is in proportion to the counter.
    fn sums_from(&self, first: usize, range: Counter, cost: u32) -> Option<DotProductLoop> {
        let (_, round) = self.code.instrs[first..].split_last()?;
        let mut found = Found {
            changing: vec![range.counter],
            computed: vec![range.counter],
            read: vec![range.counter, range.step],
            ..Found::default()
        };
        for (at, step) in (first..).zip(round) {
            found.step(step, &self.code.products, self.multiplied.get(&at))?;
        }
        let fits = (1..=MAX_ROUND_PRODUCTS).contains(&found.products.len())
            && found.computed.len() <= MAX_ROUND_INTEGERS
            && found.loads == 2 * found.multiplied;
        fits.then_some(())?;
        let Found { products, segments, requests, .. } = &found;
        let counted = self.counting.as_ref().map_or(&self.code.counted, Counting::counted);
        let going = |request: &u32| {
            let at = counted.requests[*request as usize].at.affine()?;
            let with =
                like(at, products.iter().map(|product| &self.code.products[*product as usize]))?;
            Some(FactorRequest { request: *request, with })
        };
        Some(DotProductLoop {
            range,
            len: round.len() as u32,
            cost,
            inputs: self.inputs(&found, range.counter),
            computed: found.computed.clone(),
            products: products.clone(),
            segments: segments.clone(),
            requests: requests.iter().map(going).collect::<Option<_>>()?,
            sums: found.sums(&self.code.products)?,
        })
    }

    /// What a round reads that it does not compute and that is not the same in the whole launch.
    fn inputs(&self, found: &Found, counter: Uniform) -> Vec<Uniform> {
        let mut inputs = Vec::new();
        for read in found.read.iter().copied() {
            let is_computed = found.computed[1..].iter().any(|to| to.slot() == read.slot());
            let is_fixed = self.stands[read.slot()].is_some_and(|given| !given.depends_on_block());
            if !is_computed && !is_fixed && !inputs.contains(&read) {
                inputs.push(read);
            }
        }
        debug_assert_eq!(inputs.first(), Some(&counter), "nothing stands for a counter");
        inputs
    }
}

/// Returns what all lanes have in common of an address.
fn common_base(address: Address<Affine>) -> Uniform {
    match address {
        Address::Element { index: at, .. } | Address::Pointer { ptr: at, .. } => at.base,
    }
}

/// The first of the factors of some products that goes where an address does, but for an offset: the number of its
/// product and which of the two it is.
fn like<'p>(
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

/// What is known of a round, step by step.
#[derive(Default)]
struct Found {
    /// What is in proportion to the counter.
    changing: Vec<Uniform>,
    /// The counter, and integers that are computed once.
    computed: Vec<Uniform>,
    /// Operands of all that, the places of factors, and the ends of indices.
    read: Vec<Uniform>,
    /// Loads by steps of their own.
    loads: usize,
    /// Products of such.
    multiplied: usize,
    /// All products.
    products: Vec<u32>,
    /// What is added up, with the register of what it is so far.
    sums: Vec<(Accumulation, Reg)>,
    segments: Vec<u32>,
    requests: Vec<u32>,
}

impl Found {
    /// Looks at the next step, which computes the product `multiplied` of what was loaded before, if it does; `None`
    /// if it is none of a round that adds products.
    fn step(&mut self, step: &Instr, products: &[Product], multiplied: Option<&u32>) -> Option<()> {
        if let Instr::Integer { op, slots } = step {
            self.integer(*op, *slots)?;
        } else if let Instr::Bounds { index, len: Operand::Uniform(len), .. } = step {
            let index = match index {
                Operand::Affine(index) => index.base,
                Operand::Uniform(index) => *index,
                Operand::Lanes(_) => return None,
            };
            (!self.changes(*len)).then_some(())?;
            self.read.extend([index, *len]);
        } else if let Instr::FmaOfLoads { product } = step {
            self.product(*product, products);
        } else if let Instr::Map { .. } = step {
            self.product(*multiplied?, products);
            self.multiplied += 1;
        } else if let Instr::LoadAffine { from, .. } = step {
            self.read.push(common_base(*from));
            self.loads += 1;
        } else if let Instr::CountSegment { segment } = step {
            self.segments.push(*segment);
        } else if let Instr::CountRequest { request } | Instr::CheckAccess { site: request } = step
        {
            self.requests.push(*request);
        } else {
            // Nothing is followed where nothing is undefined.
            matches!(step, Instr::TrackUndefined { .. }).then_some(())?;
        }
        Some(())
    }

    fn changes(&self, value: Uniform) -> bool {
        self.changing.iter().any(|changing| changing.slot() == value.slot())
    }

    /// Looks at what is computed once; `None` if it is not in proportion to the counter, or if the round has read it
    /// before, as the next round would read what this one leaves.
    fn integer(&mut self, op: IntegerOp, [to, a, b, c]: [Uniform; 4]) -> Option<()> {
        self.read.extend([a, b, c]);
        if self.read.iter().any(|read| read.slot() == to.slot()) {
            return None;
        }
        let [a, b, c] = [a, b, c].map(|value| self.changes(value));
        let (changes, is_proportional) = match op {
            IntegerOp::Add | IntegerOp::Sub => (a || b, true),
            IntegerOp::Mul => (a || b, !(a && b)),
            IntegerOp::Common => (a || b || c, !(b && c)),
            // The buffer stays what it is.
            IntegerOp::Offset => (a || b || c, !(a || b && c)),
        };
        self.changing.extend(changes.then_some(to));
        self.computed.push(to);
        is_proportional.then_some(())
    }

    /// Adds to the sum that it is the next part of, or begins one.
    fn product(&mut self, product: u32, products: &[Product]) {
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

    /// The sums, if what each comes to is what it begins with in the next round, and nothing else changes that.
    fn sums(self, products: &[Product]) -> Option<Vec<Accumulation>> {
        let goes_on = |(sum, so_far): &(Accumulation, Reg)| {
            let all = self.sums.iter().flat_map(|(sum, _)| &sum.products);
            let sets = all.filter(|(product, _)| products[*product as usize].to == sum.to);
            *so_far == sum.to && sets.count() == 1
        };
        let all = self.sums.iter().all(goes_on);
        all.then(|| self.sums.into_iter().map(|(sum, _)| sum).collect())
    }
}
