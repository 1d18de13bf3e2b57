//! Dot-product loops: all rounds of a loop that only adds products of loaded factors run at once.
//!
//! The addresses of a round are sums and products of the counter and constants: they are linear in
//! the counter, unless something wraps. So three rounds are examined, the first, the second and the
//! last. If all numbers of the last are extrapolations of the first two, those of the rounds in
//! between are, too; if the first and the last stay in their buffers and below their bounds, so do
//! they.
//!
//! Otherwise the loop runs instruction by instruction, and faults where it faults.
//!
//! The outcome is memoized: inner loops often repeat the same rounds, such as those over a tile.
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

/// The least rounds that are worth it.
const MIN_ROUNDS: u64 = 3;

/// The outcome of the last attempt of a group to batch a loop.
#[derive(Default)]
pub(crate) struct DotProductMemo {
    /// The number of rounds; 0 if the memo is empty.
    rounds: u64,
    /// The values of the [inputs](DotProductLoop::inputs).
    inputs: Vec<u64>,
    first: Round,
    second: Round,
    last: Round,
}

/// The numbers of a round: its integers and the addresses of its factors.
#[derive(Default)]
pub(super) struct Round {
    /// The counter, and the integers computed from it.
    integers: [u64; MAX_ROUND_INTEGERS],
    pub(super) factors: [[i64; 2]; MAX_ROUND_PRODUCTS],
}

impl<'e> Exec<'e> {
    /// Runs the rounds of a loop, if they can run at once.
    pub(super) fn run_dot_products(&mut self, number: u32, slice: &mut Slice) -> Next {
        let sums = &self.code.dot_product_loops[number as usize];
        let ([run], Some(all)) = (self.strand.runs(), self.rounds_left(sums.range)) else {
            return Next::Continue;
        };
        let run = *run;
        let price = i64::from(sums.len) + 1;
        let steps = max_affordable(slice.steps, price);
        let paid = max_affordable(slice.spin_budget, sums.cost.into());
        let rounds = all.min(steps).min(paid);
        if steps < MIN_ROUNDS.min(all) {
            self.strand.pc -= 1;
            return Next::Stop(Stop::OutOfSteps);
        }
        let counter = sums.range.counter.get(&self.strand.uniforms);
        let is_replayable = run.full && rounds >= MIN_ROUNDS && self.log.caches.is_none();
        if !is_replayable || !self.add_products_at_once(number, rounds, run) {
            sums.range.counter.set(&mut self.strand.uniforms, counter);
            return Next::Continue;
        }
        slice.steps -= rounds as i64 * price;
        slice.spin_budget -= rounds as i64 * i64::from(sums.cost);
        if rounds == all {
            self.strand.pc += sums.len + 1;
            return Next::Continue;
        }
        // The remaining rounds run when there are steps again, or when others have had their turn.
        self.go_to_round(sums, counter, rounds);
        self.strand.pc -= 1;
        Next::Stop(if rounds == steps { Stop::OutOfSteps } else { Stop::Spun })
    }

    /// Returns the number of remaining rounds of a loop; `None` if it has no end.
    fn rounds_left(&self, Counter { counter, end, step, inclusive }: Counter) -> Option<u64> {
        let uniforms = &self.strand.uniforms;
        let limit = counter.max_value();
        let distance = end.get(uniforms).wrapping_sub(counter.get(uniforms)) & limit;
        let last = if inclusive { distance } else { distance.checked_sub(1)? };
        last.checked_div(step.get(uniforms))?.checked_add(1)
    }

    /// Sets the counter to that of the round `round` rounds after `counter`.
    fn go_to_round(&mut self, sums: &DotProductLoop, counter: u64, round: u64) {
        let Counter { counter: to, step, .. } = sums.range;
        let uniforms = &mut self.strand.uniforms;
        let far = step.get(uniforms).wrapping_mul(round);
        to.set(uniforms, counter.wrapping_add(far));
    }

    /// Adds the products of `rounds` rounds; false, with only uniform values of the loop changed,
    /// if that is not possible at once.
    fn add_products_at_once(&mut self, number: u32, rounds: u64, run: Run) -> bool {
        let sums = &self.code.dot_product_loops[number as usize];
        let all = std::mem::take(&mut self.dot_product_memos);
        let memo = &mut all[number as usize];
        let is_linear = if self.matches_memo(sums, memo, rounds) {
            self.restore_last_round(sums, memo);
            true
        } else {
            self.examine_rounds(sums, memo, rounds)
        };
        let done = is_linear && self.add_rounds(sums, memo, run);
        self.dot_product_memos = all;
        done
    }

    /// Returns true if the memo holds again.
    fn matches_memo(&self, sums: &DotProductLoop, memo: &DotProductMemo, rounds: u64) -> bool {
        if memo.rounds != rounds {
            return false;
        }
        let (uniforms, before) = (&self.strand.uniforms[..], &memo.inputs[..]);
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
    fn restore_last_round(&mut self, sums: &DotProductLoop, memo: &DotProductMemo) {
        let uniforms = &mut self.strand.uniforms[..];
        let (computed, mut integer) = (&sums.computed[..], 0);
        while integer < computed.len() {
            computed[integer].set(uniforms, memo.last.integers[integer]);
            integer += 1;
        }
    }

    /// Examines three of the rounds, the last one last; false, with an empty memo, if they are not
    /// linear.
    fn examine_rounds(
        &mut self,
        sums: &DotProductLoop,
        memo: &mut DotProductMemo,
        rounds: u64,
    ) -> bool {
        let counter = sums.range.counter.get(&self.strand.uniforms);
        memo.rounds = 0;
        memo.inputs.clear();
        for input in &sums.inputs {
            memo.inputs.push(input.get(&self.strand.uniforms));
        }
        self.go_to_round(sums, counter, 1);
        let second = self.examine_round(sums, &mut memo.second);
        self.go_to_round(sums, counter, 0);
        let first = self.examine_round(sums, &mut memo.first);
        self.go_to_round(sums, counter, rounds - 1);
        let last = self.examine_round(sums, &mut memo.last);
        let is_linear = second.is_some()
            && first.is_some()
            && last.is_some()
            && self.is_linear(sums, memo, rounds - 1);
        if is_linear {
            memo.rounds = rounds;
        }
        is_linear
    }

    /// Adds the products of the examined rounds; false, without effect, if that is not possible at
    /// once.
    fn add_rounds(&mut self, sums: &DotProductLoop, memo: &DotProductMemo, run: Run) -> bool {
        let (two, rounds) = ([&memo.first, &memo.second], memo.rounds);
        let mut all = [None; MAX_ROUND_PRODUCTS];
        let mut number = 0;
        while number < sums.sums.len() {
            all[number] = self.products_of_sum(&sums.sums[number], two, rounds, run);
            if all[number].is_none() {
                return false;
            }
            number += 1;
        }
        if !self.check_rounds(sums, two, rounds) {
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

    /// Computes the numbers of a round; `None` if an index is not below its bound, or the address
    /// of a factor is unknown.
    fn examine_round(&mut self, sums: &DotProductLoop, round: &mut Round) -> Option<()> {
        round.integers[0] = sums.range.counter.get(&self.strand.uniforms);
        let mut integers = 1;
        let (instrs, mut next) = (self.round_instrs(sums), 0);
        while next < instrs.len() {
            if let Instr::Integer { op, slots } = &instrs[next] {
                round.integers[integers] = self.compute_integer(*op, *slots);
                integers += 1;
            } else if let Instr::Bounds { index, len, .. } = &instrs[next]
                && !self.are_below(*index, *len)
            {
                return None;
            }
            next += 1;
        }
        let mut number = 0;
        while number < sums.products.len() {
            let [a, b] = &self.code.products[sums.products[number] as usize].factors;
            round.factors[number] = [self.access_window(a.from)?.1, self.access_window(b.from)?.1];
            number += 1;
        }
        Some(())
    }

    /// Returns the instructions of a round.
    fn round_instrs(&self, sums: &DotProductLoop) -> &'e [Instr] {
        &self.code.instrs[self.strand.pc as usize..][..sums.len as usize]
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

    /// Returns true if the numbers of the last round are extrapolations of the first two, without
    /// wrapping.
    fn is_linear(&self, sums: &DotProductLoop, memo: &DotProductMemo, distance: u64) -> bool {
        let DotProductMemo { first, second, last, .. } = memo;
        // Iterators are calls where nothing is optimized, hence the `while` loops.
        let (computed, mut integer, mut is_linear) = (&sums.computed[..], 0, true);
        while integer < computed.len() {
            let size = computed[integer].size();
            is_linear &= integer_is_linear([first, second, last], (integer, size), distance);
            integer += 1;
        }
        let mut product = 0;
        while product < sums.products.len() {
            let [first, second, last] =
                [first.factors[product], second.factors[product], last.factors[product]];
            is_linear &= extrapolate(first[0], second[0], distance) == Some(last[0])
                && extrapolate(first[1], second[1], distance) == Some(last[1]);
            product += 1;
        }
        is_linear
    }

    /// Returns the products of a sum in all rounds, if the addresses of their factors are equally
    /// spaced.
    fn products_of_sum(
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
            let (far, buffer) = (next - at, self.buffer_number(this.from));
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
                    && buffer == self.buffer_number(other.from);
                if !is_next {
                    return None;
                }
                link += 1;
            }
            let walk = self.bound.walk(this.walk, self.group_number());
            Some(Factor { cells: self.buffer_cells(buffer)?, at, step, walk })
        };
        let first = factor(0)?;
        let second = factor(1)?;
        let rounds = usize::try_from(rounds).ok()?.checked_mul(sum.products.len())?;
        Products::new(&[first, second], rounds, (run.first, run.len))
    }

    /// Returns the number of the buffer of an address.
    fn buffer_number(&self, address: Address<Affine>) -> u16 {
        match address {
            Address::Element { buffer, .. } => buffer,
            Address::Pointer { ptr, .. } => resolve(ptr.base.get(&self.strand.uniforms)).0,
        }
    }
}

/// Returns how many units of `price` the budget `left` can pay.
pub(super) fn max_affordable(left: i64, price: i64) -> u64 {
    if price <= 0 {
        return u64::MAX;
    }
    if left > 0 { (left / price).cast_unsigned() } else { 0 }
}

/// Returns true if an integer of the last round, of `size` bytes, is an extrapolation of those of
/// the first two.
#[inline(always)]
fn integer_is_linear(rounds: [&Round; 3], (number, size): (usize, usize), distance: u64) -> bool {
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

/// Extrapolates from the first two numbers by `distance` steps; `None` if the result does not fit.
#[inline(always)]
fn extrapolate(first: i64, second: i64, distance: u64) -> Option<i64> {
    if distance > i64::MAX as u64 {
        return None;
    }
    let step = second.checked_sub(first)?;
    step.checked_mul(distance as i64)?.checked_add(first)
}
