//! All rounds of a loop at once that does nothing but add products of what it loads.
//!
//! Where a round accesses memory is computed from the counter by sums and products with what stays the
//! same: it is in proportion to the counter, unless something wraps. So three rounds are looked at, the
//! first, the second and the last. If all numbers of the last are where the first two lead, those of the rounds
//! in between are, too; if the first and the last stay in their buffers and below their bounds, so do they.
//!
//! If anything is otherwise the loop runs by its own steps, which fault where they fault.
//!
//! What was found is remembered: inner loops often do the same again, as those over a tile.
use super::{Exec, Slice, Stop, control::Next};
use crate::{
    bytecode::{
        Accumulation, Address, Counter, DotProductLoop, Instr, MAX_ROUND_INTEGERS,
        MAX_ROUND_PRODUCTS, Operand,
    },
    vector::{
        lanes::{
            memory_products::{Factor, Products},
            resolve,
        },
        mask::Run,
        registers::Affine,
    },
};

/// Fewer rounds are not worth the trouble.
const FEWEST: u64 = 3;

/// What a group found of the rounds of a loop when it came there the last time.
#[derive(Default)]
pub(crate) struct Looked {
    /// How many rounds that was of; none if nothing is known.
    rounds: u64,
    /// What the [inputs](DotProductLoop::inputs) were.
    inputs: Vec<u64>,
    first: Round,
    second: Round,
    last: Round,
}

/// What a round computes, and where its factors are.
#[derive(Default)]
pub(super) struct Round {
    /// The counter, and what is computed from it.
    integers: [u64; MAX_ROUND_INTEGERS],
    pub(super) factors: [[i64; 2]; MAX_ROUND_PRODUCTS],
}

impl<'e> Exec<'e> {
    /// Runs the rounds of a loop, if that can be done at once.
    pub(super) fn sums(&mut self, number: u32, slice: &mut Slice) -> Next {
        let sums = &self.code.dot_product_loops[number as usize];
        let ([run], Some(all)) = (self.strand.runs(), self.rounds_left(sums.range)) else {
            return Next::On;
        };
        let run = *run;
        let price = i64::from(sums.len) + 1;
        let steps = affordable(slice.steps, price);
        let patience = affordable(slice.patience, sums.cost.into());
        let rounds = all.min(steps).min(patience);
        if steps < FEWEST.min(all) {
            self.strand.at -= 1;
            return Next::Stop(Stop::Spent);
        }
        let counter = sums.range.counter.get(&self.strand.uniforms);
        if !run.full || rounds < FEWEST || !self.look_and_add(number, rounds, run) {
            sums.range.counter.set(&mut self.strand.uniforms, counter);
            return Next::On;
        }
        slice.steps -= rounds as i64 * price;
        slice.patience -= rounds as i64 * i64::from(sums.cost);
        if rounds == all {
            self.strand.at += sums.len + 1;
            return Next::On;
        }
        // The others come when there are steps again, or when others have had their turn.
        self.go_to_round(sums, counter, rounds);
        self.strand.at -= 1;
        Next::Stop(if rounds == steps { Stop::Spent } else { Stop::Spun })
    }

    /// How many rounds of a loop there are from this one on; `None` if it has no end.
    fn rounds_left(&self, Counter { counter, end, step, inclusive }: Counter) -> Option<u64> {
        let uniforms = &self.strand.uniforms;
        let limit = counter.max_value();
        let distance = end.get(uniforms).wrapping_sub(counter.get(uniforms)) & limit;
        let last = if inclusive { distance } else { distance.checked_sub(1)? };
        last.checked_div(step.get(uniforms))?.checked_add(1)
    }

    /// Goes to the round that is so many behind the one of `counter`.
    fn go_to_round(&mut self, sums: &DotProductLoop, counter: u64, round: u64) {
        let Counter { counter: to, step, .. } = sums.range;
        let uniforms = &mut self.strand.uniforms;
        let far = step.get(uniforms).wrapping_mul(round);
        to.set(uniforms, counter.wrapping_add(far));
    }

    /// Adds the products of so many rounds; false, and only uniform values of the loop are changed, if that cannot
    /// be done at once.
    fn look_and_add(&mut self, number: u32, rounds: u64, run: Run) -> bool {
        let sums = &self.code.dot_product_loops[number as usize];
        let all = std::mem::take(&mut self.looked);
        let looked = &mut all[number as usize];
        let is_line = if self.is_as_before(sums, looked, rounds) {
            self.compute_again(sums, looked);
            true
        } else {
            self.look(sums, looked, rounds)
        };
        let done = is_line && self.add_rounds(sums, looked, run);
        self.looked = all;
        done
    }

    /// Whether what was found of a loop is so again.
    fn is_as_before(&self, sums: &DotProductLoop, looked: &Looked, rounds: u64) -> bool {
        if looked.rounds != rounds {
            return false;
        }
        let (uniforms, before) = (&self.strand.uniforms[..], &looked.inputs[..]);
        let (inputs, mut input) = (&sums.inputs[..], 0);
        while input < inputs.len() {
            if inputs[input].get(uniforms) != before[input] {
                return false;
            }
            input += 1;
        }
        true
    }

    /// Sets the uniform values of a loop to those of its last round.
    fn compute_again(&mut self, sums: &DotProductLoop, looked: &Looked) {
        let uniforms = &mut self.strand.uniforms[..];
        let (computed, mut integer) = (&sums.computed[..], 0);
        while integer < computed.len() {
            computed[integer].set(uniforms, looked.last.integers[integer]);
            integer += 1;
        }
    }

    /// Looks at three of the rounds, the last one last; false, and nothing is known of the loop, if the others are not
    /// where they lead.
    fn look(&mut self, sums: &DotProductLoop, looked: &mut Looked, rounds: u64) -> bool {
        let counter = sums.range.counter.get(&self.strand.uniforms);
        looked.rounds = 0;
        looked.inputs.clear();
        for input in &sums.inputs {
            looked.inputs.push(input.get(&self.strand.uniforms));
        }
        self.go_to_round(sums, counter, 1);
        let second = self.look_at_round(sums, &mut looked.second);
        self.go_to_round(sums, counter, 0);
        let first = self.look_at_round(sums, &mut looked.first);
        self.go_to_round(sums, counter, rounds - 1);
        let last = self.look_at_round(sums, &mut looked.last);
        let is_line = second.is_some()
            && first.is_some()
            && last.is_some()
            && self.is_line(sums, looked, rounds - 1);
        if is_line {
            looked.rounds = rounds;
        }
        is_line
    }

    /// Adds the products of the rounds looked at; false, and nothing has happened, if that cannot be done at once.
    fn add_rounds(&mut self, sums: &DotProductLoop, looked: &Looked, run: Run) -> bool {
        let (two, rounds) = ([&looked.first, &looked.second], looked.rounds);
        let mut all = [None; MAX_ROUND_PRODUCTS];
        let mut number = 0;
        while number < sums.sums.len() {
            all[number] = self.products(&sums.sums[number], two, rounds, run);
            if all[number].is_none() {
                return false;
            }
            number += 1;
        }
        if !self.watch_rounds(sums, two, rounds) {
            return false;
        }
        self.count_rounds(sums, two, rounds);
        number = 0;
        while let Some(Some(products)) = all.get(number) {
            let to = sums.sums[number].to;
            self.registers.add_products([to, to], products, run);
            number += 1;
        }
        true
    }

    /// Computes the integers of a round; `None` if an index is not below its bound, or nothing is known of
    /// where a factor is.
    fn look_at_round(&mut self, sums: &DotProductLoop, round: &mut Round) -> Option<()> {
        round.integers[0] = sums.range.counter.get(&self.strand.uniforms);
        let mut integers = 1;
        let (steps, mut next) = (self.round(sums), 0);
        while next < steps.len() {
            if let Instr::Integer { op, slots } = &steps[next] {
                round.integers[integers] = self.integer(*op, *slots);
                integers += 1;
            } else if let Instr::Bounds { index, len, .. } = &steps[next]
                && !self.are_below(*index, *len)
            {
                return None;
            }
            next += 1;
        }
        let mut number = 0;
        while number < sums.products.len() {
            let [a, b] = &self.code.products[sums.products[number] as usize].factors;
            round.factors[number] = [self.window(a.from)?.1, self.window(b.from)?.1];
            number += 1;
        }
        Some(())
    }

    /// The steps of a round.
    fn round(&self, sums: &DotProductLoop) -> &'e [Instr] {
        &self.code.instrs[self.strand.at as usize..][..sums.len as usize]
    }

    fn are_below(&self, index: Operand, len: Operand) -> bool {
        let Operand::Uniform(len) = len else { return false };
        match index {
            Operand::Affine(index) => self.is_below(index, len),
            Operand::Uniform(index) => {
                index.get(&self.strand.uniforms) < len.get(&self.strand.uniforms)
            }
            Operand::Lanes(_) => false,
        }
    }

    /// Whether the numbers of a round are where those of the first two lead, without wrapping.
    fn is_line(&self, sums: &DotProductLoop, looked: &Looked, distance: u64) -> bool {
        let Looked { first, second, last, .. } = looked;
        // Without iterators, which are calls where nothing is optimized.
        let (computed, mut integer, mut is_line) = (&sums.computed[..], 0, true);
        while integer < computed.len() {
            let size = computed[integer].size();
            is_line &= integers_lead([first, second, last], (integer, size), distance);
            integer += 1;
        }
        let mut product = 0;
        while product < sums.products.len() {
            let [first, second, last] =
                [first.factors[product], second.factors[product], last.factors[product]];
            is_line &= leads(first[0], second[0], distance) == Some(last[0])
                && leads(first[1], second[1], distance) == Some(last[1]);
            product += 1;
        }
        is_line
    }

    /// The products that a sum is of in all rounds, if their factors are equally far apart.
    fn products(
        &self,
        sum: &Accumulation,
        [first, second]: [&Round; 2],
        rounds: u64,
        run: Run,
    ) -> Option<Products<'e>> {
        let links = i64::try_from(sum.products.len()).ok()?;
        let (product, number) = *sum.products.first()?;
        let factor = |side: usize| {
            let this = &self.code.products[product as usize].factors[side];
            let (at, next) = (first.factors[number][side], second.factors[number][side]);
            let (far, buffer) = (next - at, self.buffer(this.from));
            let step = if links == 1 { far } else { far / links };
            if step * links != far {
                return None;
            }
            let mut link = 1;
            while link < sum.products.len() {
                let (other, number) = sum.products[link];
                let other = &self.code.products[other as usize].factors[side];
                let start = first.factors[number][side];
                let is_next = start == at.wrapping_add(step.wrapping_mul(link as i64))
                    && second.factors[number][side] - start == far
                    && this.walk == other.walk
                    && buffer == self.buffer(other.from);
                if !is_next {
                    return None;
                }
                link += 1;
            }
            let walk = self.bound.walk(this.walk, self.group());
            Some(Factor { cells: self.cells(buffer)?, at, step, walk })
        };
        let first = factor(0)?;
        let second = factor(1)?;
        let rounds = usize::try_from(rounds).ok()?.checked_mul(sum.products.len())?;
        Products::new(&[first, second], rounds, (run.first, run.len))
    }

    /// The number of the buffer that an address is in.
    fn buffer(&self, address: Address<Affine>) -> u16 {
        match address {
            Address::Element { buffer, .. } => buffer,
            Address::Pointer { ptr, .. } => resolve(ptr.base.get(&self.strand.uniforms)).0,
        }
    }
}

/// How often something can be had at a price.
pub(super) fn affordable(left: i64, price: i64) -> u64 {
    if price <= 0 {
        return u64::MAX;
    }
    if left > 0 { (left / price).cast_unsigned() } else { 0 }
}

/// Whether an integer of a round, of so many bytes, is where the first two lead.
#[inline(always)]
fn integers_lead(rounds: [&Round; 3], (number, size): (usize, usize), distance: u64) -> bool {
    let [first, second, last] = rounds;
    let (first, last) = (first.integers[number], last.integers[number]);
    let beyond = 64 - 8 * size;
    let step = (second.integers[number].wrapping_sub(first) << beyond).cast_signed() >> beyond;
    let far = if distance > i64::MAX as u64 { None } else { step.checked_mul(distance as i64) };
    match far {
        Some(far) => first.checked_add_signed(far) == Some(last),
        None => false,
    }
}

/// Where so many steps lead, each of them as the first; nowhere, if that is beyond the numbers there are.
#[inline(always)]
fn leads(first: i64, second: i64, distance: u64) -> Option<i64> {
    if distance > i64::MAX as u64 {
        return None;
    }
    let step = second.checked_sub(first)?;
    step.checked_mul(distance as i64)?.checked_add(first)
}
