//! Addresses that a loop advances: registers that hold a pointer and move by a stride an iteration.
//!
//! The index of an access in a counting loop is mostly a sum of products of the counter and of
//! values from before the loop, modulo 2^64. Such an address needs no product in the loop:
//!
//! ```text
//! for k { a[row * n + k] .. b[k * n + column] .. b[(k + 1) * n + column] }
//!
//! p = a + 4 * (row * n)        q = b + 4 * column        s = 4 * n
//! loop:  ld [p]   ld [q]   r = q + s   ld [r]   p = p + 8   q = r + s
//! ```
//!
//! Addresses that differ by a constant share a register, and those that differ by the same product
//! are computed from each other, so that few registers are occupied. Indices of 32 bits take one
//! instruction as they are, and are left alone except in short loops with a known number of
//! iterations, which `ptxas` unrolls.
//!
//! Why: `ptxas` does not look through products of 64-bit integers and their zero extensions.
use super::{
    Emitter,
    address::Address,
    emitter::{Value, ptx},
    facts::is_unsigned,
    products::may_lose_factor,
    reg::{Class, Reg},
};
use crate::ir::{BinaryOp, Body, InstId, Kernel, Op, ParamId, Root, Scalar, Space, Ty};

/// Maximum number of chains that one loop advances, each by an address in two registers.
const MAX_CHAINS: usize = 6;

/// Maximum number of products in an index.
const MAX_TERMS: usize = 8;

/// Maximum number of instructions of a loop that `ptxas` is expected to unroll, if the number of
/// iterations is known.
const MAX_UNROLLED_SIZE: usize = 64;

/// Maximum depth of the search through the operands of an index.
const MAX_DEPTH: u32 = 12;

/// A product of at most two values from before the loop and, if so, its counter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Product {
    has_counter: bool,
    factors: [Option<InstId>; 2],
}

impl Product {
    const ONE: Self = Self { has_counter: false, factors: [None; 2] };

    fn times(self, other: Self) -> Option<Self> {
        let mut factors = self.factors.into_iter().chain(other.factors).flatten();
        let [mut first, mut second] = [factors.next(), factors.next()];
        if factors.next().is_some() || self.has_counter && other.has_counter {
            return None;
        }
        if second.is_some() && second < first {
            std::mem::swap(&mut first, &mut second);
        }
        Some(Self { has_counter: self.has_counter || other.has_counter, factors: [first, second] })
    }
}

/// A sum of products, each with a coefficient that is not 0, in order, modulo 2^64.
#[derive(Clone, Default, PartialEq, Eq)]
struct WrappingSum(Vec<(Product, u64)>);

impl WrappingSum {
    fn from_product(product: Product, coefficient: u64) -> Self {
        let mut form = Self::default();
        form.add(product, coefficient);
        form
    }

    fn add(&mut self, product: Product, coefficient: u64) {
        match self.0.binary_search_by_key(&product, |term| term.0) {
            Ok(at) => {
                self.0[at].1 = self.0[at].1.wrapping_add(coefficient);
                if self.0[at].1 == 0 {
                    self.0.remove(at);
                }
            }
            Err(at) if coefficient != 0 => self.0.insert(at, (product, coefficient)),
            Err(_) => {}
        }
    }

    /// Returns `self + factor * other`.
    fn plus(&self, factor: u64, other: &Self) -> Self {
        let mut sum = self.clone();
        for &(product, coefficient) in &other.0 {
            sum.add(product, coefficient.wrapping_mul(factor));
        }
        sum
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let mut result = Self::default();
        for &(left, l) in &self.0 {
            for &(right, r) in &other.0 {
                result.add(left.times(right)?, l.wrapping_mul(r));
            }
        }
        Some(result)
    }

    /// Takes out the constant.
    fn take_constant(&mut self) -> u64 {
        match self.0.first() {
            Some(&(Product::ONE, constant)) => {
                self.0.remove(0);
                constant
            }
            _ => 0,
        }
    }

    /// Returns the sum with `value` for the counter.
    fn with_counter(&self, value: &Self) -> Option<Self> {
        let mut result = Self::default();
        for &(product, coefficient) in &self.0 {
            let rest = Product { has_counter: false, ..product };
            if product.has_counter {
                result = result.plus(coefficient, &value.times(&Self::from_product(rest, 1))?);
            } else {
                result.add(rest, coefficient);
            }
        }
        Some(result)
    }

    /// Returns the parts that are multiplied by the counter, divided by it.
    fn slope(&self) -> Self {
        let terms = self.0.iter().filter(|(product, _)| product.has_counter);
        Self(terms.map(|&(product, by)| (Product { has_counter: false, ..product }, by)).collect())
    }
}

/// Addresses that differ by constants.
struct Pointer {
    base: ParamId,
    stride: u64,
    /// The index of the first.
    form: WrappingSum,
    /// The accesses, each with its distance from the first in elements.
    members: Vec<(InstId, u64)>,
}

/// Pointers at equal distances: each is its predecessor plus `distance`.
struct Chain {
    pointers: Vec<Pointer>,
    distance: WrappingSum,
    /// The distance from the last to the first in the next iteration.
    rest: WrappingSum,
}

/// The chains of a loop, as they are in registers.
pub(super) struct Induction(Vec<AdvancedChain>);

/// A chain, as it is in registers.
struct AdvancedChain {
    chain: Chain,
    head: Reg,
    distance: Option<Reg>,
    rest: Step,
    /// The register of the last pointer, in the loop.
    last: Reg,
}

/// A distance in bytes.
#[derive(Clone, Copy)]
enum Step {
    Bytes(u64),
    Register(Reg),
}

/// Finds the addresses that a loop advances.
struct Finder<'e, 'k> {
    emitter: &'e Emitter<'k>,
    /// The loop, whose value is its counter.
    counter: InstId,
    /// True if `ptxas` unrolls the loop.
    is_unrolled: bool,
    pointers: Vec<Pointer>,
}

impl Finder<'_, '_> {
    fn kernel(&self) -> &Kernel {
        self.emitter.kernel
    }

    fn collect_pointers(&mut self, list: &Body) {
        for &id in &list.0 {
            let op = &self.emitter.kernel.insts[id].op;
            if let Op::Index { base, index, ref stride } = *op
                && let Some(stride) = stride.known()
            {
                self.add_access(id, base, index, stride);
            }
            op.bodies().for_each(|inner| self.collect_pointers(inner));
        }
    }

    fn add_access(&mut self, id: InstId, base: InstId, index: InstId, stride: u64) {
        let Op::Param(base) = self.kernel().insts[base].op else { return };
        let is_global = self.kernel().space_of_root(Root::Param(base)) == Space::Global;
        if !is_global || self.emitter.facts.fits(index) && !self.is_unrolled {
            return;
        }
        let Some(mut form) = self.form(index, MAX_DEPTH) else { return };
        let constant = form.take_constant();
        if form.slope().0.is_empty() {
            return;
        }
        let same = |pointer: &&mut Pointer| {
            let Pointer { form: other, .. } = pointer;
            pointer.base == base
                && pointer.stride == stride
                && other.plus(u64::MAX, &form).0.iter().all(|(product, _)| *product == Product::ONE)
        };
        match self.pointers.iter_mut().find(same) {
            Some(pointer) => {
                let distance = constant.wrapping_sub(pointer.form.clone().take_constant());
                pointer.members.push((id, distance));
            }
            None => {
                form.add(Product::ONE, constant);
                self.pointers.push(Pointer { base, stride, form, members: vec![(id, 0)] });
            }
        }
    }

    /// Returns `id` as a sum of products, if it does not depend on anything else that changes in
    /// the loop.
    fn form(&self, id: InstId, depth: u32) -> Option<WrappingSum> {
        let depth = depth.checked_sub(1)?;
        let inst = &self.kernel().insts[id];
        let Ty::Scalar(scalar @ (Scalar::U32 | Scalar::U64)) = inst.ty else { return None };
        if id == self.counter {
            return Some(WrappingSum::from_product(
                Product { has_counter: true, ..Product::ONE },
                1,
            ));
        }
        if let Some(bits) = self.kernel().literal(id) {
            return Some(WrappingSum::from_product(Product::ONE, bits));
        }
        // Kernels are numbered in order here: a lower number is computed before the loop.
        if id < self.counter {
            let factors = [Some(id), None];
            return Some(WrappingSum::from_product(Product { factors, ..Product::ONE }, 1));
        }
        if let Op::Bounds { index, .. } = inst.op {
            self.form(index, depth)
        } else if let Op::Cast { value } = inst.op {
            let from = self.kernel().insts[value].ty;
            let widens = from == Scalar::U32.into() && is_unsigned(self.kernel(), value);
            if widens { self.form(value, depth) } else { None }
        } else if let Op::Binary { op, lhs, rhs } = inst.op {
            let is_exact = scalar == Scalar::U64 || self.is_exact(op, lhs, rhs);
            if !is_exact {
                return None;
            }
            let (left, right) = (self.form(lhs, depth)?, self.form(rhs, depth)?);
            let form = match op {
                BinaryOp::Add => left.plus(1, &right),
                BinaryOp::Sub => left.plus(u64::MAX, &right),
                BinaryOp::Mul => left.times(&right)?,
                BinaryOp::Shl => {
                    let amount = self.kernel().literal(rhs).filter(|amount| *amount < 32)?;
                    WrappingSum::default().plus(1 << amount, &left)
                }
                BinaryOp::Div
                | BinaryOp::Rem
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::Xor
                | BinaryOp::Shr
                | BinaryOp::Min
                | BinaryOp::Max
                | BinaryOp::MulHigh
                | BinaryOp::RotateLeft => return None,
            };
            (form.0.len() <= MAX_TERMS).then_some(form)
        } else {
            None
        }
    }

    /// True if an operation on 32-bit integers cannot wrap.
    fn is_exact(&self, op: BinaryOp, lhs: InstId, rhs: InstId) -> bool {
        let (left, right) = (self.emitter.facts.max(lhs), self.emitter.facts.max(rhs));
        let most = match op {
            BinaryOp::Add => left.checked_add(right),
            BinaryOp::Mul => left.checked_mul(right),
            BinaryOp::Shl => 1_u64.checked_shl(right as u32).and_then(|by| left.checked_mul(by)),
            _ => None,
        };
        most.is_some_and(|most| most <= u32::MAX.into())
    }
}

/// Returns the number of instructions of a loop's body; `None` if there are loops in it.
fn size_of_innermost(kernel: &Kernel, list: &Body) -> Option<usize> {
    let mut size = list.0.len();
    for &id in &list.0 {
        let op = &kernel.insts[id].op;
        if matches!(op, Op::For { .. } | Op::Loop { .. }) {
            return None;
        }
        for inner in op.bodies() {
            size += size_of_innermost(kernel, inner)?;
        }
    }
    Some(size)
}

/// Puts pointers into chains; `step` is that of the counter.
fn chains(pointers: Vec<Pointer>, step: &WrappingSum) -> Option<Vec<Chain>> {
    let mut chains: Vec<Chain> = Vec::new();
    for pointer in pointers {
        let next = chains.iter_mut().find_map(|chain| {
            let last = chain.pointers.last()?;
            let distance = pointer.form.plus(u64::MAX, &last.form);
            let fits = last.base == pointer.base
                && last.stride == pointer.stride
                && distance.0.len() == 1
                && distance.slope().0.is_empty()
                && (chain.pointers.len() == 1 || distance == chain.distance);
            fits.then_some((chain, distance))
        });
        match next {
            Some((chain, distance)) => {
                chain.distance = distance;
                chain.pointers.push(pointer);
            }
            None => {
                let (distance, rest) = (WrappingSum::default(), WrappingSum::default());
                chains.push(Chain { pointers: vec![pointer], distance, rest });
            }
        }
    }
    for chain in &mut chains {
        let (first, last) = (chain.pointers.first()?, chain.pointers.last()?);
        let advance = first.form.slope().times(step)?;
        chain.rest = advance.plus(u64::MAX, &last.form.plus(u64::MAX, &first.form));
    }
    Some(chains)
}

impl Emitter<'_> {
    /// Emits the initial addresses before the loop `counter`, which counts from `start` to `end` by
    /// `step`, and returns the chains that it advances.
    pub(super) fn begin_induction(
        &mut self,
        counter: InstId,
        [start, end, step]: [InstId; 3],
        body: &Body,
    ) -> Induction {
        let is_constant = |id: InstId| self.kernel.literal(id).is_some();
        let Some(size) = size_of_innermost(self.kernel, body) else {
            return Induction(Vec::new());
        };
        let is_unrolled =
            size <= MAX_UNROLLED_SIZE && [start, end, step].into_iter().all(is_constant);
        let mut finder = Finder { emitter: self, counter, is_unrolled, pointers: Vec::new() };
        finder.collect_pointers(body);
        let bounds = [start, step].map(|id| finder.form(id, MAX_DEPTH));
        let pointers = finder.pointers;
        let [Some(start), Some(step)] = bounds else { return Induction(Vec::new()) };
        let chains = chains(pointers, &step).unwrap_or_default();
        if chains.len() > MAX_CHAINS {
            return Induction(Vec::new());
        }
        let chains = chains.into_iter().filter(|chain| self.keeps_factors(chain));
        let chains: Vec<Chain> = chains.collect();
        let advanced = chains.into_iter().filter_map(|chain| self.begin_chain(chain, &start));
        Induction(advanced.collect())
    }

    /// True if `ptxas` loses none of the factors that the addresses of `chain` are made with.
    fn keeps_factors(&self, chain: &Chain) -> bool {
        let forms = [&chain.distance, &chain.rest];
        let mut forms = forms.into_iter().chain(chain.pointers.iter().map(|pointer| &pointer.form));
        let stride = chain.pointers.first().map_or(1, |first| first.stride);
        forms.all(|form| {
            form.0.iter().all(|&(_, coefficient)| {
                let by = coefficient.wrapping_mul(stride);
                let scale = by.trailing_zeros() % u64::BITS;
                by >> scale <= 1 || !may_lose_factor(by >> scale, self.widest_scale + scale)
            })
        })
    }

    fn begin_chain(&mut self, chain: Chain, start: &WrappingSum) -> Option<AdvancedChain> {
        let first = chain.pointers.first()?;
        let (stride, index) = (first.stride, first.form.with_counter(start)?);
        let Value::Address(base) = self.param(first.base) else { return None };
        let base = self.pointer(base);
        let head = self.regs.fresh(Class::B64);
        match self.bytes(&index, stride) {
            Step::Bytes(bytes) => ptx!(self, "add.s64 {head}, {base}, {}", bytes as i64),
            Step::Register(bytes) => ptx!(self, "add.s64 {head}, {base}, {bytes}"),
        }
        let distance = match (chain.pointers.len(), self.bytes(&chain.distance, stride)) {
            (1, _) => None,
            (_, Step::Register(distance)) => Some(distance),
            (_, Step::Bytes(_)) => unreachable!("constant distances are offsets"),
        };
        let rest = match distance {
            Some(distance) if chain.rest == chain.distance => Step::Register(distance),
            Some(_) | None => self.bytes(&chain.rest, stride),
        };
        Some(AdvancedChain { chain, head, distance, rest, last: head })
    }

    /// Emits the product of a sum and `stride`.
    fn bytes(&mut self, form: &WrappingSum, stride: u64) -> Step {
        let mut form = form.clone();
        let constant = form.take_constant().wrapping_mul(stride);
        let mut sum: Option<Reg> = None;
        for (Product { factors, .. }, coefficient) in form.0 {
            let by = coefficient.wrapping_mul(stride);
            let mut product: Option<Reg> = None;
            for factor in factors.into_iter().flatten() {
                let factor = self.wide(factor);
                let reg = self.regs.fresh(Class::B64);
                match product {
                    None => ptx!(self, "mov.b64 {reg}, {factor}"),
                    Some(before) => ptx!(self, "mul.lo.u64 {reg}, {before}, {factor}"),
                }
                product = Some(reg);
            }
            let product = product.expect("the constant is taken out");
            let scaled = self.regs.fresh(Class::B64);
            if by.is_power_of_two() {
                ptx!(self, "shl.b64 {scaled}, {product}, {}", by.trailing_zeros());
            } else {
                ptx!(self, "mul.lo.s64 {scaled}, {product}, {}", by as i64);
            }
            sum = Some(match sum {
                None => scaled,
                Some(before) => {
                    let reg = self.regs.fresh(Class::B64);
                    ptx!(self, "add.s64 {reg}, {before}, {scaled}");
                    reg
                }
            });
        }
        match sum {
            None => Step::Bytes(constant),
            Some(sum) if constant == 0 => Step::Register(sum),
            Some(sum) => {
                let reg = self.regs.fresh(Class::B64);
                ptx!(self, "add.s64 {reg}, {sum}, {}", constant as i64);
                Step::Register(reg)
            }
        }
    }

    /// Emits the addresses of an iteration, at its start.
    pub(super) fn point_to_elements(&mut self, induction: &mut Induction) {
        for advanced in &mut induction.0 {
            advanced.last = advanced.head;
            for (number, pointer) in advanced.chain.pointers.iter().enumerate() {
                if number > 0
                    && let Some(distance) = advanced.distance
                {
                    let reg = self.regs.fresh(Class::B64);
                    ptx!(self, "add.s64 {reg}, {}, {distance}", advanced.last);
                    advanced.last = reg;
                }
                for &(access, elements) in &pointer.members {
                    let bytes = elements.wrapping_mul(pointer.stride) as i64;
                    if let Ok(offset) = i32::try_from(bytes) {
                        let address = Address::at(Space::Global, advanced.last, offset);
                        self.advanced[access] = Some(address);
                    }
                }
            }
        }
    }

    /// Emits the step from an iteration to the next.
    pub(super) fn advance_pointers(&mut self, induction: &Induction) {
        for AdvancedChain { head, last, rest, .. } in &induction.0 {
            match rest {
                Step::Bytes(bytes) => ptx!(self, "add.s64 {head}, {last}, {}", *bytes as i64),
                Step::Register(bytes) => ptx!(self, "add.s64 {head}, {last}, {bytes}"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    //! Runs the emitted text on the few instructions that it is made of.
    use crate::{back::ptx::emit, ir::Kernel, target::Target};
    use std::collections::HashMap;

    /// The addresses that a kernel of two `u64` and one slice loads from, in order.
    fn loaded(text: &str, args: [u64; 3]) -> Vec<u64> {
        let kernel: Kernel = text.parse().unwrap();
        let ptx = emit(&kernel, Target::OLDEST).unwrap();
        let is_line =
            |line: &&str| line.ends_with(';') && line.starts_with('\t') || line.starts_with('$');
        let lines: Vec<Vec<&str>> = (ptx.lines().filter(is_line))
            .map(|line| line.split([' ', ',', ';', '\t']).filter(|word| !word.is_empty()).collect())
            .filter(|words: &Vec<&str>| !words[0].starts_with('.'))
            .collect();
        let place = |label: &str| {
            lines.iter().position(|words| words[0].strip_suffix(':') == Some(label)).unwrap()
        };
        let (mut regs, mut found, mut next) = (HashMap::<&str, u64>::new(), Vec::new(), 0);
        while let Some(words) = lines.get(next) {
            next += 1;
            let get = |word: &str| match word.strip_prefix('%') {
                Some(_) => regs[word],
                None => word.parse::<i128>().unwrap() as u64,
            };
            let value = match **words {
                [label] if label.ends_with(':') => continue,
                ["ret"] => break,
                [guard, "bra", label] => {
                    if get(&guard[1..]) != 0 {
                        next = place(label);
                    }
                    continue;
                }
                ["ld.global.nc.f32", _, address] => {
                    let address = address.trim_matches(['[', ']']);
                    let (base, offset) = address.split_once('+').unwrap_or((address, "0"));
                    found.push(get(base).wrapping_add(get(offset)));
                    continue;
                }
                [op, _, param] if op.starts_with("ld.param") => match param {
                    "[arg0]" => args[0],
                    "[arg1]" => args[1],
                    "[arg2]" => args[2],
                    _ => 0,
                },
                [op, _, a] if op.starts_with("mov") || op.starts_with("cvt") => get(a),
                [op, _, a, b] => {
                    let (a, b) = (get(a), get(b));
                    match op {
                        "add.s64" | "add.u64" => a.wrapping_add(b),
                        "sub.s64" | "sub.u64" => a.wrapping_sub(b),
                        "mul.lo.s64" | "mul.lo.u64" => a.wrapping_mul(b),
                        "shl.b64" => a << b,
                        "setp.ge.u64" => u64::from(a >= b),
                        "setp.lt.u64" => u64::from(a < b),
                        "setp.gt.u64" => u64::from(a > b),
                        _ => panic!("no model of {op}"),
                    }
                }
                _ => panic!("no model of {words:?}"),
            };
            regs.insert(words[1], value);
        }
        found
    }

    #[test]
    fn a_loop_loads_from_the_elements_that_it_indexes() {
        let kernel = |start: u64, step: u64, index: &str| {
            format!(
                "kernel k {{ param arg0 = n: u64 param arg1 = m: u64 param arg2 = x: read [f32]
                %0 = param arg0 : u64 %1 = param arg1 : u64 %2 = param arg2 : ptr global
                %3 = const {start} : u64 %4 = const {step} : u64
                %5 = for %3, %0, step %4 : u64 {{ {index} }} }}"
            )
        };
        // Three rows of which each is below the one before it, and two neighbours in the first.
        let rows = "%6 = mul %5, %1 : u64 %7 = index %2, %6, 4 : ptr global %8 = load %7 : f32
            %9 = add %5, %4 : u64 %10 = mul %9, %1 : u64
            %11 = index %2, %10, 4 : ptr global %12 = load %11 : f32
            %13 = add %9, %4 : u64 %14 = mul %1, %13 : u64
            %15 = index %2, %14, 4 : ptr global %16 = load %15 : f32
            %17 = sub %6, %4 : u64 %18 = index %2, %17, 4 : ptr global %19 = load %18 : f32";
        // A product with a value from before the loop, a shift, and a difference that wraps.
        let others = "%6 = const 2 : u32 %7 = shl %5, %6 : u64 %8 = mul %1, %0 : u64
            %9 = sub %8, %7 : u64 %10 = index %2, %9, 12 : ptr global %11 = load %10 : f32
            %12 = add %9, %0 : u64 %13 = index %2, %12, 12 : ptr global %14 = load %13 : f32
            %15 = add %12, %0 : u64 %16 = index %2, %15, 12 : ptr global %17 = load %16 : f32";
        let x = 1 << 40;
        for (start, step) in [(0, 1), (3, 1), (2, 5), (100, 1)] {
            for (n, m) in [(0, 7), (4, 1), (17, 1 << 35), (40, u64::MAX)] {
                let counted = || (start..n).step_by(step as usize);
                let at = |index: u64, stride: u64| index.wrapping_mul(stride).wrapping_add(x);
                let expected: Vec<u64> = counted()
                    .flat_map(|k| {
                        let row = |k: u64| k.wrapping_mul(m);
                        [row(k), row(k + step), row(k + 2 * step), row(k).wrapping_sub(step)]
                    })
                    .map(|index| at(index, 4))
                    .collect();
                assert_eq!(loaded(&kernel(start, step, rows), [n, m, x]), expected);
                let expected: Vec<u64> = counted()
                    .flat_map(|k| {
                        let first = m.wrapping_mul(n).wrapping_sub(4 * k);
                        [0, 1, 2].map(|times| first.wrapping_add(times * n))
                    })
                    .map(|index| at(index, 12))
                    .collect();
                assert_eq!(loaded(&kernel(start, step, others), [n, m, x]), expected);
            }
        }
    }
}
