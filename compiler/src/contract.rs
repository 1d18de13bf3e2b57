//! Contracts that launches can be expected to fulfil, and code that relies on them.
//!
//! Most checks that are left in natural kernels would be proved if the kernel stated what its
//! author takes for granted:
//!
//! ```text
//! if x < width && y < height {
//!     out[y * width + x] = ..;        out.len() >= width * height
//! }
//! ```
//! [`Contract::expected`] finds such conditions. A kernel that has some is compiled twice: as
//! written, and for launches that fulfil them, without the checks that cannot fail then. The
//! launcher evaluates the contract on the host, in a few nanoseconds, and takes the one or the
//! other, so results and faults are those of the kernel as written. Unlike a condition in
//! `#[kernel(requires(..))]`, this one refuses no launch.
//!
//! Why on the host: versions of a loop decide the same on the GPU, but each is one more copy of the
//! loop, they know only what is uniform in it, and code without loops has none. A resampling of 4 x
//! 4 pixels takes 342 instructions instead of 538, and 32 registers instead of 46.
use crate::{
    analysis::{checks, launch::LaunchRanges, range},
    id::Id as _,
    ir::{
        Axis, BinaryOp, Builtin, CompareOp, Inst, InstId, Kernel, Op, Param, ParamId, ParamKind,
        Passed, Requirement, Scalar, Size, Span, Ty,
    },
    small_sizes::MAX_SIZE,
};
use std::{
    fmt,
    str::{FromStr, Split},
};

/// Conditions on a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract(Vec<Condition>);

/// A condition on a launch, about a sum of products of its numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// The sum is not negative.
    AtLeastZero(Vec<Term>),
    /// The sum is a multiple of a number.
    Multiple { terms: Vec<Term>, of: i64 },
    /// The value of a parameter is at most [`MAX_SIZE`].
    Narrow(ParamId),
}

/// The largest number in a condition that launches can be expected to fulfil.
const MAX_NUMBER: u64 = 1 << 20;

/// A product of numbers of a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    pub(crate) factor: i64,
    pub(crate) numbers: Vec<LaunchNumber>,
}

/// A number of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaunchNumber {
    /// The value of a scalar parameter, or the number of elements of a slice.
    Argument(ParamId),
    /// An [argument](Self::Argument) plus a number, divided by a number and rounded down.
    Quotient { of: ParamId, plus: u32, by: u32 },
    /// Threads in a block.
    BlockDim(Axis),
    /// Blocks in the grid.
    GridDim(Axis),
}

impl Contract {
    /// Returns the contract that launches of `kernel` can be expected to fulfil; `None` if there is
    /// none. Common subexpressions of the kernel are eliminated.
    pub(crate) fn expected(kernel: &Kernel) -> Option<Self> {
        // The one has a single code for all launches. The grids of the other are limited by the
        // registers of the kernel as written.
        if kernel.wide_index || kernel.cooperative {
            return None;
        }
        let mut conditions = checks::find_contract(kernel);
        if conditions.is_empty() {
            return None;
        }
        conditions.extend(narrow_sizes(kernel, &conditions));
        let mut contract = Self(conditions);
        let differences = contract.nonnegative_differences(kernel);
        contract.0.extend(differences);
        Some(contract)
    }

    /// Returns conditions that arguments are at least as large as the numbers that `kernel`
    /// subtracts from them, where this contract does not say so: `n - 1` has 32 bits then.
    fn nonnegative_differences(&self, kernel: &Kernel) -> Vec<Condition> {
        let differences: Vec<(InstId, ParamId, u64)> =
            kernel.insts.ids().filter_map(|id| difference(kernel, id)).collect();
        if differences.is_empty() {
            return Vec::new();
        }
        let ranges = range::analyze(&self.assume(kernel.clone()));
        let mut largest = kernel.params.facts(0);
        for (id, param, number) in differences {
            if !ranges.is_exact(id) {
                largest[param] = number.max(largest[param]);
            }
        }
        let condition = |id: ParamId| {
            let number = i64::try_from(largest[id]).expect("it is small");
            let argument = Term { factor: 1, numbers: vec![LaunchNumber::Argument(id)] };
            Condition::AtLeastZero(vec![argument, Term { factor: -number, numbers: Vec::new() }])
        };
        kernel.params.ids().filter(|id| largest[*id] > 0).map(condition).collect()
    }

    /// Requires of every launch of `kernel` that it fulfils the contract.
    #[must_use]
    pub fn assume(&self, mut kernel: Kernel) -> Kernel {
        let required: Vec<Requirement> =
            self.0.iter().map(|condition| condition.requirement(&kernel)).collect();
        kernel.requires.extend(required);
        kernel
    }

    /// Returns true if a launch fulfils the contract. A launch with a negative number, or with one
    /// that is beyond 63 bits, does not.
    pub fn holds(&self, passed: &Passed<'_>) -> bool {
        self.0.iter().all(|condition| condition.holds(passed).unwrap_or(false))
    }

    /// Returns the conditions as Rust, but for those that only sizes above [`MAX_SIZE`] violate.
    pub fn spell(&self, kernel: &Kernel) -> Vec<String> {
        let spelled = self.0.iter().filter(|condition| !matches!(condition, Condition::Narrow(_)));
        spelled.map(|condition| condition.requirement(kernel).text).collect()
    }
}

/// Returns conditions that parameters are at most [`MAX_SIZE`] which `conditions` relate to others:
/// sizes, even if something else than an index is computed of them, for which
/// [`small_sizes`](crate::small_sizes) leaves them out.
fn narrow_sizes(kernel: &Kernel, conditions: &[Condition]) -> Vec<Condition> {
    let launch = LaunchRanges::for_kernel(kernel);
    let mut is_size = kernel.params.facts(false);
    for condition in conditions {
        let (Condition::AtLeastZero(terms) | Condition::Multiple { terms, .. }) = condition else {
            continue;
        };
        for number in terms.iter().flat_map(|term| &term.numbers) {
            if let LaunchNumber::Argument(id) | LaunchNumber::Quotient { of: id, .. } = number {
                is_size[*id] = kernel.params[*id].kind == ParamKind::Scalar(Scalar::U64)
                    && launch.param(*id).max > i128::from(MAX_SIZE);
            }
        }
    }
    kernel.params.ids().filter(|id| is_size[*id]).map(Condition::Narrow).collect()
}

/// Returns `id`, and the argument and the small number whose difference it is.
fn difference(kernel: &Kernel, id: InstId) -> Option<(InstId, ParamId, u64)> {
    let Inst { op: Op::Binary { op: BinaryOp::Sub, lhs, rhs }, ty, .. } = kernel.insts[id] else {
        return None;
    };
    let (Op::Param(param) | Op::Len(param)) = kernel.insts[lhs].op else { return None };
    let number = kernel.literal(rhs).filter(|number| *number <= MAX_NUMBER)?;
    (ty == Ty::Scalar(Scalar::U64)).then_some((id, param, number))
}

impl Condition {
    /// Returns true if launches can be expected to fulfil the condition.
    pub(crate) fn is_plausible(&self) -> bool {
        match self {
            Self::AtLeastZero(terms) => {
                let (added, subtracted): (Vec<&Term>, Vec<&Term>) =
                    terms.iter().partition(|term| term.factor > 0);
                let exceeds = |term: &Term| subtracted.iter().any(|other| other.exceeds(term));
                !added.iter().all(|term| exceeds(term))
                    && terms.iter().all(|term| term.factor.unsigned_abs() <= MAX_NUMBER)
            }
            Self::Multiple { .. } | Self::Narrow(_) => true,
        }
    }

    /// Returns true if the condition holds; `None` if a number is out of range.
    fn holds(&self, passed: &Passed<'_>) -> Option<bool> {
        match self {
            Self::Narrow(id) => {
                Some(LaunchNumber::Argument(*id).value(passed)?.cast_unsigned() <= MAX_SIZE)
            }
            Self::AtLeastZero(terms) => {
                let [added, subtracted] = sides(terms, passed)?;
                Some(added >= subtracted)
            }
            Self::Multiple { terms, of } => {
                let [added, subtracted] = sides(terms, passed)?;
                Some(added.checked_sub(subtracted).filter(|sum| *sum >= 0)?.checked_rem(*of)? == 0)
            }
        }
    }

    /// Returns the condition as a requirement, whose every number fits in its type where
    /// [`holds`](Self::holds) returns true.
    fn requirement(&self, kernel: &Kernel) -> Requirement {
        let constant = |value| Size::Const(Scalar::U64, value);
        let cond = match self {
            Self::Narrow(id) => {
                let sides = [LaunchNumber::Argument(*id).size(kernel), constant(MAX_SIZE)];
                Size::Compare(CompareOp::Le, Box::new(sides))
            }
            Self::AtLeastZero(terms) => {
                let sides = sizes(terms, kernel).map(|side| side.unwrap_or_else(|| constant(0)));
                Size::Compare(CompareOp::Ge, Box::new(sides))
            }
            Self::Multiple { terms, of } => {
                let sum = match sizes(terms, kernel) {
                    [Some(added), Some(subtracted)] => binary(BinaryOp::Sub, added, subtracted),
                    [Some(added), None] => added,
                    [None, _] => constant(0),
                };
                let rest = binary(BinaryOp::Rem, sum, constant(of.cast_unsigned()));
                Size::Compare(CompareOp::Eq, Box::new([rest, constant(0)]))
            }
        };
        Requirement { text: cond.spell(kernel), cond, span: Span::KERNEL }
    }
}

/// Returns the sum of the terms that are added, and of those that are subtracted.
fn sides(terms: &[Term], passed: &Passed<'_>) -> Option<[i64; 2]> {
    let mut sides = [0_i64; 2];
    for Term { factor, numbers } in terms {
        let mut product = factor.checked_abs()?;
        for number in numbers {
            product = product.checked_mul(number.value(passed)?)?;
        }
        let side = &mut sides[usize::from(*factor < 0)];
        *side = side.checked_add(product)?;
    }
    Some(sides)
}

/// Returns the same sums as sizes; `None` for one without terms.
fn sizes(terms: &[Term], kernel: &Kernel) -> [Option<Size>; 2] {
    let mut sides: [Option<Size>; 2] = [None, None];
    for term in terms {
        let side = &mut sides[usize::from(term.factor < 0)];
        let product = term.size(kernel);
        *side = Some(match side.take() {
            Some(sum) => binary(BinaryOp::Add, sum, product),
            None => product,
        });
    }
    sides
}

impl Term {
    /// Returns true if the term is, without its sign, larger than `other` in each launch of several
    /// blocks: if it is a multiple of `other` and of a dimension of the grid.
    fn exceeds(&self, other: &Self) -> bool {
        let mut rest = self.numbers.clone();
        let is_multiple = other.numbers.iter().all(|number| {
            let place = rest.iter().position(|candidate| candidate == number);
            place.map(|place| rest.swap_remove(place)).is_some()
        });
        is_multiple
            && self.factor.unsigned_abs() >= other.factor.unsigned_abs()
            && rest.iter().any(|number| matches!(number, LaunchNumber::GridDim(_)))
    }

    /// Returns the product with the absolute value of the factor.
    fn size(&self, kernel: &Kernel) -> Size {
        let numbers = self.numbers.iter().map(|number| number.size(kernel));
        let factor = self.factor.unsigned_abs();
        let constant =
            (factor != 1 || self.numbers.is_empty()).then_some(Size::Const(Scalar::U64, factor));
        let product = constant
            .into_iter()
            .chain(numbers)
            .reduce(|product, number| binary(BinaryOp::Mul, product, number));
        product.unwrap_or(Size::Const(Scalar::U64, 1))
    }
}

fn binary(op: BinaryOp, lhs: Size, rhs: Size) -> Size {
    Size::Binary(op, Box::new([lhs, rhs]))
}

impl LaunchNumber {
    /// Returns the number in a launch; `None` if it is negative or beyond 63 bits.
    fn value(self, passed: &Passed<'_>) -> Option<i64> {
        let along = |[x, y, z]: [u32; 3], axis| match axis {
            Axis::X => i64::from(x),
            Axis::Y => i64::from(y),
            Axis::Z => i64::from(z),
        };
        match self {
            Self::Argument(id) => {
                let (ty, bits) = *passed.params.get(id.index())?;
                let value = match ty {
                    Scalar::I8 => (bits as i8).into(),
                    Scalar::I16 => (bits as i16).into(),
                    Scalar::I32 => (bits as i32).into(),
                    _ => bits.cast_signed(),
                };
                (value >= 0).then_some(value)
            }
            Self::Quotient { of, plus, by } => {
                let sum = Self::Argument(of).value(passed)?.checked_add(plus.into())?;
                sum.checked_div(by.into())
            }
            Self::BlockDim(axis) => Some(along(passed.block, axis)),
            Self::GridDim(axis) => Some(along(passed.grid, axis)),
        }
    }

    /// Returns the number as a `u64`.
    fn size(self, kernel: &Kernel) -> Size {
        match self {
            Self::Argument(id) => match kernel.params.get(id).map(|Param { kind, .. }| kind) {
                Some(ParamKind::Scalar(Scalar::U64)) | None => Size::Param(id),
                Some(ParamKind::Scalar(_)) => Size::Cast(Scalar::U64, Box::new(Size::Param(id))),
                Some(ParamKind::Slice { .. }) => Size::Len(id),
            },
            Self::Quotient { of, plus, by } => {
                let constant = |value: u32| Size::Const(Scalar::U64, value.into());
                let sum = match (Self::Argument(of).size(kernel), plus) {
                    (argument, 0) => argument,
                    (argument, _) => binary(BinaryOp::Add, argument, constant(plus)),
                };
                binary(BinaryOp::Div, sum, constant(by))
            }
            Self::BlockDim(axis) => Size::Builtin(Builtin::BlockDim(axis)),
            Self::GridDim(axis) => Size::Builtin(Builtin::GridDim(axis)),
        }
    }
}

/// As generated code carries it: `1*a0 -1*a1*q2+1/4;%32 1*a3;w1` for `a0 >= a1 * ((a2 + 1) / 4)`,
/// `a3 % 32 == 0` and `a1 < 1 << 31`.
impl fmt::Display for Contract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, condition) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ";" })?;
            let terms = match condition {
                Condition::AtLeastZero(terms) => terms,
                Condition::Multiple { terms, of } => {
                    write!(f, "%{of} ")?;
                    terms
                }
                Condition::Narrow(id) => {
                    write!(f, "w{}", id.index())?;
                    continue;
                }
            };
            for (index, Term { factor, numbers }) in terms.iter().enumerate() {
                write!(f, "{}{factor}", if index == 0 { "" } else { " " })?;
                numbers.iter().try_for_each(|number| write!(f, "*{number}"))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for LaunchNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Argument(id) => write!(f, "a{}", id.index()),
            Self::Quotient { of, plus, by } => write!(f, "q{}+{plus}/{by}", of.index()),
            Self::BlockDim(axis) => write!(f, "b{}", axis.name()),
            Self::GridDim(axis) => write!(f, "g{}", axis.name()),
        }
    }
}

/// A text that is no contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MalformedContract;

impl fmt::Display for MalformedContract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text is no contract")
    }
}

impl std::error::Error for MalformedContract {}

impl FromStr for Contract {
    type Err = MalformedContract;

    fn from_str(text: &str) -> Result<Self, MalformedContract> {
        let conditions = text.split(';').map(parse_condition).collect::<Option<_>>();
        conditions.map(Self).ok_or(MalformedContract)
    }
}

fn parse_condition(text: &str) -> Option<Condition> {
    let term = |text: &str| {
        let mut parts: Split<'_, char> = text.split('*');
        let factor = parts.next()?.parse().ok()?;
        Some(Term { factor, numbers: parts.map(parse_number).collect::<Option<_>>()? })
    };
    let terms = |text: &str| text.split(' ').map(term).collect::<Option<_>>();
    if let Some(id) = text.strip_prefix('w') {
        return Some(Condition::Narrow(ParamId::new(id.parse().ok()?)));
    }
    match text.strip_prefix('%').and_then(|text| text.split_once(' ')) {
        Some((of, text)) => Some(Condition::Multiple { terms: terms(text)?, of: of.parse().ok()? }),
        None => Some(Condition::AtLeastZero(terms(text)?)),
    }
}

fn parse_number(text: &str) -> Option<LaunchNumber> {
    let (kind, rest) = text.split_at_checked(1)?;
    let axis = || Axis::ALL.iter().copied().find(|axis| axis.name() == rest);
    Some(match kind {
        "a" => LaunchNumber::Argument(ParamId::new(rest.parse().ok()?)),
        "q" => {
            let (of, rest) = rest.split_once('+')?;
            let (plus, by) = rest.split_once('/')?;
            let of = ParamId::new(of.parse().ok()?);
            let by = by.parse().ok().filter(|by| *by > 0)?;
            LaunchNumber::Quotient { of, plus: plus.parse().ok()?, by }
        }
        "b" => LaunchNumber::BlockDim(axis()?),
        "g" => LaunchNumber::GridDim(axis()?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three arguments, `x.len()`, `n: u64` and `w: i32`, in blocks of 32 x 8.
    fn holds(contract: &str, [len, n, w]: [u64; 3]) -> bool {
        let params = [(Scalar::U64, len), (Scalar::U64, n), (Scalar::I32, w)];
        let passed = Passed { params: &params, block: [32, 8, 1], grid: [5, 2, 1] };
        contract.parse::<Contract>().unwrap().holds(&passed)
    }

    #[test]
    fn conditions_are_about_exact_numbers() {
        assert!(holds("1*a0 -1*a1*a2", [12, 4, 3]));
        assert!(!holds("1*a0 -1*a1*a2", [11, 4, 3]));
        assert!(holds("1*a0 -1*gx*bx", [160, 0, 0]));
        assert!(!holds("1*a0 -1*gx*bx -1", [160, 0, 0]));
        assert!(holds("1*a0 -1;%8 1*a1", [1, 16, 0]));
        assert!(!holds("1*a0 -1;%8 1*a1", [1, 15, 0]));
        assert!(!holds("1*a0 -1;%8 1*a1", [0, 16, 0]));
        assert!(holds("1*a0 -1;w1", [1, MAX_SIZE, 0]));
        assert!(!holds("1*a0 -1;w1", [1, MAX_SIZE + 1, 0]));
        assert!(holds("1*a0 -1*q1+0/2*q2+7/8", [4, 5, 9]));
        assert!(!holds("1*a0 -1*q1+0/2*q2+7/8", [3, 5, 9]));
    }

    #[test]
    fn a_launch_of_several_blocks_can_fulfil_what_is_plausible() {
        let is_plausible = |text: &str| {
            let Contract(conditions) = text.parse().unwrap();
            conditions.iter().all(Condition::is_plausible)
        };
        assert!(is_plausible("1*a0 -1*a1*gx"));
        assert!(is_plausible("1*a0 1*a1 -1*a1*gx"));
        assert!(!is_plausible("1*a1 -1*a1*gx"));
        assert!(!is_plausible("2*a1*bx 1*a1 -1*a1 -2*bx*a1*gx"));
        assert!(!is_plausible("-1*a0"));
    }

    #[test]
    fn no_launch_with_a_number_out_of_range_fulfils_a_contract() {
        let negative = u64::from((-3_i32).cast_unsigned());
        assert!(!holds("1*a0 -1*a2", [1, 0, negative]));
        assert!(!holds("1*a0 -1*a1", [u64::MAX, 1, 0]));
        // The product takes 64 bits, and would be 0 in them.
        assert!(!holds("1*a0 -1*a1*a1", [1, 1 << 32, 0]));
        assert!(!holds("%8 1*a1 -1*a0", [9, 1, 0]));
    }

    #[test]
    fn texts_are_read_as_they_were_written() {
        for text in ["1*a0 -1*a1*a2 -7", "3;%32 1*a1 -1*a0;1*a11 -64*gz*by", "1*q1+0/2*q2+7/8"] {
            assert_eq!(text.parse::<Contract>().unwrap().to_string(), text);
        }
        for text in [
            "", "a0", "1*q0", "1*q0+1", "1*q0/2", "1*q0+0/0", "1*a", "1*bw", "%8", "%x 1*a0",
            "1*a0 ", "1*é0",
        ] {
            assert_eq!(text.parse::<Contract>(), Err(MalformedContract), "{text}");
        }
    }

    #[test]
    fn requirements_say_the_same_as_the_contract() {
        let kernel: Kernel =
            "kernel k { param arg0 = x: read [f32] param arg1 = n: u64 param arg2 = w: i32 }"
                .parse()
                .unwrap();
        let contract: Contract =
            "1*a0 -2*a1*a2 -1*gy -3;%4 1*a1;1*a0 -7*q1+3/4*q2+0/2".parse().unwrap();
        let texts = contract.spell(&kernel);
        let expected = [
            "x.len() >= 2 * n * w as usize + grid_dim_y() + 3",
            "n % 4 == 0",
            "x.len() >= 7 * ((n + 3) / 4) * (w as usize / 2)",
        ];
        assert_eq!(texts, expected);
        let assumed = contract.assume(kernel);
        for numbers in [[27, 4, 3], [29, 4, 3], [29, 3, 3], [5, 0, 9], [4, 0, 9], [200, 8, 10]] {
            let [len, n, w] = numbers;
            let params = [(Scalar::U64, len), (Scalar::U64, n), (Scalar::I32, w)];
            let passed = Passed { params: &params, block: [32, 8, 1], grid: [5, 2, 1] };
            let required = |required: &Requirement| required.check(&assumed, &passed).is_ok();
            assert_eq!(
                assumed.requires.iter().all(required),
                contract.holds(&passed),
                "{numbers:?}"
            );
        }
    }
}
