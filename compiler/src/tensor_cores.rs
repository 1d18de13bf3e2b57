//! The sums of tensor cores: the meaning of [`MatrixOp::Mma`](crate::ir::MatrixOp::Mma) in numbers.
//!
//! - **Integers**: exact, and wrapping at 32 bits.
//! - **`f64`**: `c`, to which the products are added one after the other, in the order of `k`, each
//!   by a fused multiply-add.
//! - **Other floats**: all products of an element and `c` are one sum, of which each term is
//!   truncated to a quantum that the largest exponent determines:
//!   1. A product is exact. Its exponent is the sum of the factors' exponents, and its significand,
//!      the product of theirs, is not normalized. Subnormal numbers have the exponent of the
//!      smallest normal number. Zeros are no terms.
//!   2. The quantum is 2 to the power of the largest exponent of a term, at least [`MIN_EXPONENT`],
//!      minus [`Precision::term_bits`]. The magnitude of each term is truncated to a multiple of
//!      it.
//!   3. The sum of these is exact. For sums in `f32` it is truncated to one, for sums in `f16`
//!      rounded to the nearest, ties to even. A zero is positive.
//!   4. With a NaN, with infinities of both signs, or with a product of zero and infinity the
//!      result is NaN; otherwise, an infinity is the result.
//!
//! - **Floats of 8 bits** in products of a warp: two such sums, as if the elements were `f16`s, of
//!   which no `e4m3` is subnormal. The first one is of the lower two products of each word, the second one of the first one and the
//!   upper two. It is added to `c` as floats are. In products of warpgroups: one sum, with the
//!   fewer bits of [`Precision::FLOAT8`] for terms and sums.
//!
//! The rules for floats are measured on an H200 (sm_90), whose results they equal bit for bit, as
//! `docs/mma.md` states. Those for 8 bits in products of warpgroups are from MMA-Sim (Xie et al., "MMA-Sim: Bit-Accurate
//! Reference Model of Tensor Cores and Matrix Cores", 2025); the benchmark `wgmma_agreement`
//! compares them with a GPU. GPUs of other architectures split a sum into groups and truncate to
//! other quanta, so their last bits may differ.
use crate::{
    half::Format,
    ir::{MmaOp, MmaType, Scalar},
};

/// The bits of sums of floats on hardware.
#[derive(Clone, Copy)]
struct Precision {
    /// The bits of a truncated term behind the point of the largest exponent.
    term_bits: i32,
    /// The bits of a sum in `f32` behind its point.
    sum_bits: i32,
}

impl Precision {
    const USUAL: Self = Self { term_bits: 25, sum_bits: 23 };
    /// The bits for factors of 8 bits in products of warpgroups.
    const FLOAT8: Self = Self { term_bits: 13, sum_bits: 13 };
}

/// The least exponent that determines the quantum.
const MIN_EXPONENT: i32 = -133;

/// The bits of a NaN result in `f32`.
const NAN: u32 = 0x7fff_ffff;

/// The bits of a NaN result in `f16`.
const NAN_F16: u16 = 0x7fff;

/// Words of all lanes, `words[number][lane]`: the operands of [`MmaOp`] in order.
pub type Words = [[u64; 32]];

/// Returns one word of `d` of a lane.
pub fn multiply(op: MmaOp, words: &Words, lane: usize, word: usize) -> u64 {
    let (group, thread) = (lane / 4, lane % 4);
    let per_word = op.sums_per_word();
    let c = words[op.a_words() + op.b_words() + word][lane];
    let place = |element: usize| match per_word {
        1 => (group + 8 * (word / 2), 2 * thread + word % 2),
        _ => (group + 8 * word, 2 * thread + element),
    };
    match op.sum {
        Scalar::F16 => (0..2).fold(0, |all, element| {
            let (row, column) = place(element);
            let c = (c >> (16 * element)) as u16;
            all | u64::from(sum_f16(op, words, [row, column], c)) << (16 * element)
        }),
        Scalar::F32 => {
            let (row, column) = place(0);
            sum_f32(op, words, [row, column], c as u32).into()
        }
        Scalar::F64 => {
            let (row, column) = place(0);
            let sum = (0..depth(op)).fold(f64::from_bits(c), |sum, k| {
                let [a, b] = factors(op, words, [row, column], k).map(f64::from_bits);
                a.mul_add(b, sum)
            });
            sum.to_bits()
        }
        _ => {
            let (row, column) = place(0);
            let sum = (0..depth(op)).fold(c as u32, |sum, k| {
                let [a, b] = factors(op, words, [row, column], k);
                sum.wrapping_add(integer(op.a, a).wrapping_mul(integer(op.b, b)) as u32)
            });
            sum.into()
        }
    }
}

/// Returns the word of matrix `word` that a lane gets of distributed rows; `rows[number][lane]` are
/// the words of each lane's row.
pub fn distribute(transposed: bool, rows: &Words, lane: usize, word: usize) -> u64 {
    let (group, thread) = (lane / 4, lane % 4);
    if !transposed {
        return rows[thread][8 * word + group];
    }
    let element = |row: usize| rows[group / 2][8 * word + row] >> (group % 2 * 16) & 0xffff;
    element(2 * thread) | element(2 * thread + 1) << 16
}

/// Returns the lanes whose words number `arg` determine the word of matrix `word` that a lane gets
/// of distributed rows.
pub const fn needed_rows(transposed: bool, lane: usize, word: usize, arg: usize) -> u32 {
    let (group, thread) = (lane / 4, lane % 4);
    match transposed {
        false if arg == thread => 1 << (8 * word + group),
        true if arg == group / 2 => 3 << (8 * word + 2 * thread),
        _ => 0,
    }
}

/// Returns the lanes whose words number `arg` of the operands determine a word of `d` of a lane.
pub fn needed_lanes(op: MmaOp, lane: usize, word: usize, arg: usize) -> u32 {
    /// The lanes of a group.
    const GROUP: u32 = 0xf;
    let (group, thread) = (lane / 4, lane % 4);
    if arg < op.a_words() {
        let (per_word, blocks_of_rows) = (op.sums_per_word(), op.shape.dims()[0] / 8);
        let block = word * per_word / 2;
        let is_needed = arg % blocks_of_rows == block;
        return if is_needed { GROUP << (4 * group) } else { 0 };
    }
    match (arg - op.a_words()).checked_sub(op.b_words()) {
        None if op.sums_per_word() == 2 => 0xff << (8 * thread),
        None => GROUP << (4 * (2 * thread + word % 2)),
        Some(own) if own == word => 1 << lane,
        Some(_) => 0,
    }
}

fn depth(op: MmaOp) -> usize {
    op.shape.dims()[2]
}

/// Returns the bits of the elements of `a` and `b` whose product is the `k`th one of an element of
/// the result.
fn factors(op: MmaOp, words: &Words, [row, column]: [usize; 2], k: usize) -> [u64; 2] {
    let unit = k / op.a.per_word();
    let (a, b) = (op.a.per_word(), op.b.per_word());
    let rows_of_groups = op.shape.dims()[0] / 8;
    let a_word = row / 8 + rows_of_groups * (unit / 4);
    let b_word = op.a_words() + unit / 4;
    let element = |word: u64, per_word: usize| match per_word {
        1 => word,
        _ => {
            let bits = 32 / per_word;
            word >> (k % per_word * bits) & ((1 << bits) - 1)
        }
    };
    [
        element(words[a_word][row % 8 * 4 + unit % 4], a),
        element(words[b_word][column * 4 + unit % 4], b),
    ]
}

/// Returns the value of an element of an integer type.
const fn integer(ty: MmaType, bits: u64) -> i32 {
    match ty {
        MmaType::I8 => bits as i8 as i32,
        MmaType::I4 => (bits as i32) << 28 >> 28,
        _ => bits as u8 as i32,
    }
}

/// A term of a sum: `significand * 2^(exponent - fraction_bits)`, with a sign.
#[derive(Clone, Copy)]
struct Term {
    is_negative: bool,
    exponent: i32,
    significand: u64,
    fraction_bits: u32,
}

/// A number apart.
#[derive(Clone, Copy)]
enum Number {
    Finite(Term),
    Infinite { is_negative: bool },
    Nan,
}

impl Number {
    /// Takes apart a float with this many bits of exponent and fraction.
    const fn of_bits(bits: u64, exponent_bits: u32, fraction_bits: u32) -> Self {
        let is_negative = bits >> (exponent_bits + fraction_bits) & 1 == 1;
        let exponent = (bits >> fraction_bits) as i32 & ((1 << exponent_bits) - 1);
        let fraction = bits & ((1 << fraction_bits) - 1);
        let bias = (1 << (exponent_bits - 1)) - 1;
        if exponent == (1 << exponent_bits) - 1 {
            return if fraction == 0 { Self::Infinite { is_negative } } else { Self::Nan };
        }
        let (exponent, significand) = match exponent {
            0 => (1 - bias, fraction),
            _ => (exponent - bias, fraction | 1 << fraction_bits),
        };
        Self::Finite(Term { is_negative, exponent, significand, fraction_bits })
    }

    /// Takes apart an `e4m3`, whose largest exponent is that of numbers but for one NaN.
    const fn of_e4m3(bits: u64) -> Self {
        match bits & 0x7f {
            0x7f => Self::Nan,
            0x78.. => Self::Finite(Term {
                is_negative: bits >> 7 & 1 == 1,
                exponent: 8,
                significand: 8 | bits & 7,
                fraction_bits: 3,
            }),
            _ => Self::of_bits(bits, 4, 3),
        }
    }

    /// Takes apart an element of a factor.
    const fn of_factor(ty: MmaType, bits: u64) -> Self {
        match ty {
            MmaType::BF16 => Self::of_bits(bits, 8, 7),
            // Its lower bits do not exist for the hardware.
            MmaType::TF32 => Self::of_bits(bits >> 13, 8, 10),
            MmaType::E4M3 => Self::of_e4m3(bits),
            MmaType::E5M2 => Self::of_bits(bits, 5, 2),
            _ => Self::of_bits(bits, 5, 10),
        }
    }

    /// Returns the number with the exponent that it has in a type of smaller ones.
    const fn normalized(self) -> Self {
        match self {
            Self::Finite(Term { is_negative, exponent, significand, fraction_bits })
                if significand != 0 =>
            {
                let missing = fraction_bits - significand.ilog2();
                Self::Finite(Term {
                    is_negative,
                    exponent: exponent - missing as i32,
                    significand: significand << missing,
                    fraction_bits,
                })
            }
            _ => self,
        }
    }

    fn product(self, other: Self) -> Self {
        match (self, other) {
            (Self::Finite(a), Self::Finite(b)) => Self::Finite(Term {
                is_negative: a.is_negative != b.is_negative,
                exponent: a.exponent + b.exponent,
                significand: a.significand * b.significand,
                fraction_bits: a.fraction_bits + b.fraction_bits,
            }),
            (Self::Infinite { is_negative }, Self::Finite(term))
            | (Self::Finite(term), Self::Infinite { is_negative })
                if term.significand != 0 =>
            {
                Self::Infinite { is_negative: is_negative != term.is_negative }
            }
            (Self::Infinite { is_negative: a }, Self::Infinite { is_negative: b }) => {
                Self::Infinite { is_negative: a != b }
            }
            _ => Self::Nan,
        }
    }
}

/// The exact sum of truncated terms.
enum Sum {
    /// `multiple * 2^exponent`
    Finite {
        multiple: i64,
        exponent: i32,
    },
    Infinite {
        is_negative: bool,
    },
    Nan,
}

/// Returns the bits of the sum of `c` and the products of the elements in words of a row and a
/// column. An instruction for warpgroups adds them at once.
pub fn add_products(ty: MmaType, a: &[u32], b: &[u32], c: u32) -> u32 {
    let per_word = ty.per_word();
    let (bits, last) = (32 / per_word, u32::MAX >> (32 - 32 / per_word));
    let pairs = a.iter().zip(b).flat_map(|(a, b)| {
        (0..per_word).map(move |e| [a, b].map(|word| u64::from(word >> (bits * e) & last)))
    });
    match ty {
        MmaType::I8 | MmaType::U8 | MmaType::I4 | MmaType::U4 => pairs.fold(c, |sum, [a, b]| {
            sum.wrapping_add(integer(ty, a).wrapping_mul(integer(ty, b)) as u32)
        }),
        MmaType::F16
        | MmaType::BF16
        | MmaType::TF32
        | MmaType::F64
        | MmaType::E4M3
        | MmaType::E5M2 => {
            let products =
                pairs.map(|[a, b]| Number::of_factor(ty, a).product(Number::of_factor(ty, b)));
            let precision = if ty.is_float8() { Precision::FLOAT8 } else { Precision::USUAL };
            let sum = add(products, Number::of_bits(c.into(), 8, 23), precision);
            rounded_to_f32(sum, precision)
        }
    }
}

/// Returns the sum of `c` and the products for an element of the result that are numbered so.
fn sum(
    op: MmaOp,
    words: &Words,
    place: [usize; 2],
    numbers: impl Iterator<Item = usize>,
    c: Number,
) -> Sum {
    let products = numbers.map(|k| {
        let [a, b] = factors(op, words, place, k);
        let [a, b] = [(op.a, a), (op.b, b)].map(|(ty, bits)| match ty {
            MmaType::E4M3 => Number::of_factor(ty, bits).normalized(),
            _ => Number::of_factor(ty, bits),
        });
        a.product(b)
    });
    add(products, c, Precision::USUAL)
}

/// Returns the sum of products and `c`.
fn add(products: impl Iterator<Item = Number>, c: Number, precision: Precision) -> Sum {
    let (mut terms, mut infinite) = (Vec::with_capacity(products.size_hint().0 + 1), None);
    for number in products.chain([c]) {
        match number {
            Number::Finite(term) if term.significand == 0 => {}
            Number::Finite(term) => terms.push(term),
            Number::Infinite { is_negative } if infinite.is_none_or(|of| of == is_negative) => {
                infinite = Some(is_negative);
            }
            Number::Infinite { .. } | Number::Nan => return Sum::Nan,
        }
    }
    if let Some(is_negative) = infinite {
        return Sum::Infinite { is_negative };
    }
    let largest = terms.iter().fold(MIN_EXPONENT, |largest, term| largest.max(term.exponent));
    let multiple = terms.iter().map(|term| {
        let quanta = largest - term.exponent + term.fraction_bits as i32 - precision.term_bits;
        let multiple = match quanta {
            up if up < 0 => term.significand << -up,
            down => term.significand.checked_shr(down as u32).unwrap_or(0),
        } as i64;
        if term.is_negative { -multiple } else { multiple }
    });
    Sum::Finite { multiple: multiple.sum(), exponent: largest - precision.term_bits }
}

fn sum_f32(op: MmaOp, words: &Words, place: [usize; 2], c: u32) -> u32 {
    let add = |c: u32, is_added: fn(&usize) -> bool| {
        let numbers = (0..depth(op)).filter(is_added);
        let sum = sum(op, words, place, numbers, Number::of_bits(c.into(), 8, 23));
        rounded_to_f32(sum, Precision::USUAL)
    };
    if !op.a.is_float8() {
        return add(c, |_| true);
    }
    let products = add(add(0, |k| k % 4 < 2), |k| k % 4 >= 2);
    match f32::from_bits(c) + f32::from_bits(products) {
        total if total.is_nan() => NAN,
        total => total.to_bits(),
    }
}

/// Returns the bits of a sum in `f32`.
fn rounded_to_f32(sum: Sum, precision: Precision) -> u32 {
    let infinity = |is_negative| f32::INFINITY.to_bits() | u32::from(is_negative) << 31;
    match sum {
        Sum::Finite { multiple, exponent } => {
            truncate_to_f32(multiple, exponent, precision.sum_bits)
        }
        Sum::Infinite { is_negative } => infinity(is_negative),
        Sum::Nan => NAN,
    }
}

/// Returns the bits of `multiple * 2^exponent`, truncated toward zero to so many bits behind the
/// point of the largest; a zero is positive.
fn truncate_to_f32(multiple: i64, exponent: i32, kept_bits: i32) -> u32 {
    const FRACTION_BITS: i32 = f32::MANTISSA_DIGITS as i32 - 1;
    let magnitude = multiple.unsigned_abs();
    if magnitude == 0 {
        return 0;
    }
    let highest = exponent + magnitude.ilog2() as i32;
    // The exponent of the last place.
    let last = highest.max(f32::MIN_EXP - 1) - FRACTION_BITS;
    let significand = match last - exponent {
        up if up < 0 => magnitude << -up,
        down => magnitude >> down,
    };
    let sign = u32::from(multiple < 0) << 31;
    if highest >= f32::MAX_EXP {
        return f32::INFINITY.to_bits() | sign;
    }
    // A subnormal number has no hidden bit, and an exponent of 0.
    let biased = ((last + FRACTION_BITS - (f32::MIN_EXP - 1)) as u32) << FRACTION_BITS;
    let unused = FRACTION_BITS - kept_bits;
    match (significand as u32 >> unused << unused) + biased {
        0 => 0,
        bits => bits | sign,
    }
}

fn sum_f16(op: MmaOp, words: &Words, place: [usize; 2], c: u16) -> u16 {
    let c = Number::of_bits(c.into(), 5, 10);
    let rounded = match sum(op, words, place, 0..depth(op), c) {
        // Exact: the sum has fewer than 53 bits.
        Sum::Finite { multiple, exponent } => {
            Format::F16.round_f64(multiple as f64 * 2f64.powi(exponent))
        }
        Sum::Infinite { is_negative } => 0x7c00 | u16::from(is_negative) << 15,
        Sum::Nan => NAN_F16,
    };
    if rounded == 0x8000 { 0 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::MmaShape;

    const BF16: MmaOp =
        MmaOp { shape: MmaShape::M16N8K16, sum: Scalar::F32, a: MmaType::BF16, b: MmaType::BF16 };
    const F16: MmaOp = MmaOp { sum: Scalar::F32, a: MmaType::F16, b: MmaType::F16, ..BF16 };

    /// Returns the words of matrices with these elements.
    fn words(
        op: MmaOp,
        a: impl Fn(usize, usize) -> u64,
        b: impl Fn(usize, usize) -> u64,
        c: impl Fn(usize, usize) -> u64,
    ) -> Vec<[u64; 32]> {
        let pack = |per_word: usize, element: &dyn Fn(usize) -> u64| {
            (0..per_word).fold(0, |word, e| word | element(e) << (e * (32 / per_word)))
        };
        let mut all = Vec::new();
        for w in 0..op.a_words() {
            all.push(std::array::from_fn(|lane| {
                let (rows, p) = (op.shape.dims()[0] / 8, op.a.per_word());
                let row = lane / 4 + 8 * (w % rows);
                pack(p, &|e| a(row, (lane % 4 + 4 * (w / rows)) * p + e))
            }));
        }
        for w in 0..op.b_words() {
            let p = op.b.per_word();
            all.push(std::array::from_fn(|lane| {
                pack(p, &|e| b((lane % 4 + 4 * w) * p + e, lane / 4))
            }));
        }
        for w in 0..op.sum_words() {
            all.push(std::array::from_fn(|lane| match op.sums_per_word() {
                1 => c(lane / 4 + 8 * (w / 2), lane % 4 * 2 + w % 2),
                p => pack(p, &|e| c(lane / 4 + 8 * w, lane % 4 * 2 + e)),
            }));
        }
        all
    }

    /// Returns the first element of the result for a first row and column of these factors.
    fn first(op: MmaOp, a: &[u64], b: &[u64], c: u64) -> u64 {
        let of = |list: &[u64], k: usize| list.get(k).copied().unwrap_or(0);
        let a = |row: usize, k: usize| if row == 0 { of(a, k) } else { 0 };
        let b = |k: usize, column: usize| if column == 0 { of(b, k) } else { 0 };
        let c = |row: usize, column: usize| if row + column == 0 { c } else { 0 };
        multiply(op, &words(op, a, b, c), 0, 0)
    }

    fn bf16(value: f32) -> u64 {
        Format::BF16.round_f32(value).into()
    }

    fn f16(value: f32) -> u64 {
        Format::F16.round_f32(value).into()
    }

    fn f32_of(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }

    #[test]
    fn small_integers_are_exact_in_all_products() {
        for op in MmaOp::ALL {
            let [m, n, k] = op.shape.dims();
            let is_unsigned = |ty| matches!(ty, MmaType::U8 | MmaType::U4);
            let least = if is_unsigned(op.a) || is_unsigned(op.b) { 0 } else { -3 };
            // Of 4 bits and of 3 digits.
            let number = |i: usize| (i * 5 % 7) as i64 + least;
            let bits = |ty: MmaType, value: i64| match ty {
                MmaType::F16 => f16(value as f32),
                MmaType::BF16 => bf16(value as f32),
                MmaType::TF32 => (value as f32).to_bits().into(),
                MmaType::F64 => (value as f64).to_bits(),
                MmaType::I8 | MmaType::U8 => u64::from(value as u8),
                MmaType::I4 | MmaType::U4 => u64::from(value as u8 & 0xf),
                MmaType::E5M2 => f16(value as f32) >> 8,
                // The fraction of an `f16` has 7 bits more, and its exponents are 8 above.
                MmaType::E4M3 => match f16(value as f32) {
                    0 => 0,
                    bits => (bits >> 8 & 0x80) | (((bits & 0x7fff) >> 7) - (8 << 3)),
                },
            };
            let sum_bits = |value: i64| match op.sum {
                Scalar::F16 => f16(value as f32),
                Scalar::F32 => (value as f32).to_bits().into(),
                Scalar::F64 => (value as f64).to_bits(),
                _ => u64::from(value as u32),
            };
            let words = words(
                op,
                |row, k| bits(op.a, number(row * 3 + k)),
                |k, column| bits(op.b, number(k * 5 + column)),
                |row, column| sum_bits(number(row + column)),
            );
            let product = |row: usize, column: usize| {
                (0..k).map(|k| number(row * 3 + k) * number(k * 5 + column)).sum::<i64>()
                    + number(row + column)
            };
            for lane in 0..32 {
                for word in 0..op.sum_words() {
                    let expected = match op.sums_per_word() {
                        1 => sum_bits(product(lane / 4 + 8 * (word / 2), lane % 4 * 2 + word % 2)),
                        _ => (0..2).fold(0, |all, e| {
                            let element = product(lane / 4 + 8 * word, lane % 4 * 2 + e);
                            all | sum_bits(element) << (16 * e)
                        }),
                    };
                    assert_eq!(multiply(op, &words, lane, word), expected, "{op} {lane} {word}");
                }
            }
            assert!(m * n >= 64);
        }
    }

    #[test]
    fn results_change_only_with_needed_words() {
        for op in MmaOp::ALL {
            let zero = |_: usize, _: usize| 0;
            let base = words(op, zero, zero, zero);
            // A one in a word changes results if all words of the other factor are ones.
            let one = match (op.a, op.sum) {
                (MmaType::F16, _) => 0x3c00_3c00,
                (MmaType::BF16, _) => 0x3f80_3f80,
                (MmaType::TF32, _) => 0x3f80_0000,
                (MmaType::F64, _) => 1f64.to_bits(),
                (MmaType::I8 | MmaType::U8, _) => 0x0101_0101,
                (MmaType::I4 | MmaType::U4, _) => 0x1111_1111,
                (MmaType::E4M3 | MmaType::E5M2, _) => 0x3838_3838,
            };
            let (a_words, factors) = (op.a_words(), op.a_words() + op.b_words());
            for arg in 0..base.len() {
                for lane in 0..32 {
                    let mut all = base.clone();
                    let other = if arg < a_words { a_words..factors } else { 0..a_words };
                    all[other].fill([one; 32]);
                    all[arg][lane] = one;
                    for to in 0..32 {
                        for word in 0..op.sum_words() {
                            let needed = needed_lanes(op, to, word, arg) >> lane & 1 == 1;
                            assert_eq!(multiply(op, &all, to, word) != 0, needed, "{op} {arg}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn integers_wrap() {
        let op = MmaOp::from_name("m16n8k32.i32.i8.u8").unwrap();
        let sum = first(op, &[0x80, 1], &[255, 1], i32::MIN as u32 as u64);
        assert_eq!(sum as u32 as i32, i32::MIN.wrapping_add(-128 * 255 + 1));
    }

    #[test]
    fn terms_are_truncated_to_the_quantum_of_the_largest() {
        let small =
            |exponent: i32| first(BF16, &[bf16(2f32.powi(exponent)); 2], &[bf16(1.0); 2], 0);
        assert_eq!(f32_of(small(-30)), 2f32.powi(-29));
        let beside_one = |exponent: i32, c: f32| {
            let a = [bf16(2f32.powi(exponent)), bf16(2f32.powi(exponent))];
            f32_of(first(BF16, &a, &[bf16(1.0); 2], c.to_bits().into()))
        };
        // 25 bits behind the point remain of each, and 23 of the sum.
        assert_eq!(beside_one(-24, 1.0), 1.0 + f32::EPSILON);
        assert_eq!(beside_one(-25, 1.0), 1.0);
        assert_eq!(beside_one(-26, -1.0), -1.0);
        assert_eq!(beside_one(-25, -1.0), -1.0 + f32::EPSILON / 2.0);
    }

    #[test]
    fn exponents_of_products_are_not_normalized() {
        // 1.5 * 1.5 is 2.25, whose exponent counts as 0.
        let a = [f16(1.5), f16(2f32.powi(-12))];
        let b = [f16(1.5), f16(2f32.powi(-13))];
        let sum = first(F16, &a, &b, (-2.25f32).to_bits().into());
        // Beside -2.25, whose exponent is 1, the quantum is 2^-24.
        assert_eq!(f32_of(sum), 0.0);
        let b = [f16(1.5), f16(2f32.powi(-12))];
        let sum = first(F16, &a, &b, (-2.25f32).to_bits().into());
        assert_eq!(f32_of(sum), 2f32.powi(-24));
        let sum =
            first(F16, &[f16(1.5), f16(1.5), a[1]], &[f16(1.5), f16(-1.5), f16(2f32.powi(-13))], 0);
        assert_eq!(f32_of(sum), 2f32.powi(-25));
    }

    #[test]
    fn sums_are_truncated_and_those_in_f16_rounded() {
        let three = first(BF16, &[bf16(1.0)], &[bf16(2f32.powi(-24))], 1f32.to_bits().into());
        assert_eq!(f32_of(three), 1.0);
        let below = first(BF16, &[bf16(-1.0)], &[bf16(2f32.powi(-25))], 1f32.to_bits().into());
        assert_eq!(f32_of(below), 1.0 - f32::EPSILON / 2.0);
        let op = MmaOp { sum: Scalar::F16, ..F16 };
        let sum = first(op, &[f16(3.0)], &[f16(2f32.powi(-11))], f16(1.0));
        assert_eq!(Format::F16.to_f32(sum as u16), 1.0 + 2f32.powi(-9));
        assert_eq!(first(op, &[f16(65504.0)], &[f16(1.0)], f16(16.0)) as u16, 0x7c00);
    }

    #[test]
    fn zeros_are_positive_and_subnormal_numbers_count() {
        assert_eq!(first(BF16, &[], &[], (-0f32).to_bits().into()), 0);
        let sum = first(BF16, &[bf16(-2f32.powi(-100))], &[bf16(2f32.powi(-49))], 0);
        assert_eq!(sum as u32, 0x8000_0001);
        let sum = first(BF16, &[bf16(-2f32.powi(-100))], &[bf16(2f32.powi(-50))], 0);
        assert_eq!(sum, 0);
        let subnormal = f32::from_bits(5);
        assert_eq!(first(BF16, &[], &[], subnormal.to_bits().into()), 5);
        let sum = first(F16, &[f16(2f32.powi(-24))], &[f16(2f32.powi(-24))], 0);
        assert_eq!(f32_of(sum), 2f32.powi(-48));
    }

    #[test]
    fn infinities_and_nan_win() {
        let infinity = bf16(f32::INFINITY);
        let c = |value: f32| u64::from(value.to_bits());
        assert_eq!(f32_of(first(BF16, &[infinity], &[bf16(-2.0)], c(3.0))), f32::NEG_INFINITY);
        assert_eq!(first(BF16, &[infinity], &[bf16(-2.0)], c(f32::INFINITY)), NAN.into());
        assert_eq!(first(BF16, &[infinity], &[0], 0), NAN.into());
        assert_eq!(first(BF16, &[bf16(f32::NAN)], &[0], 0), NAN.into());
        let largest = bf16(2f32.powi(127));
        assert_eq!(f32_of(first(BF16, &[largest], &[bf16(-2.0)], 0)), f32::NEG_INFINITY);
        assert_eq!(f32_of(first(BF16, &[], &[], c(f32::MAX))), f32::MAX);
    }

    #[test]
    fn tf32_ignores_the_lower_bits() {
        let op = MmaOp::from_name("m16n8k8.f32.tf32.tf32").unwrap();
        let sum = first(op, &[0x3f80_1fff], &[0x3f80_0000], 0);
        assert_eq!(f32_of(sum), 1.0);
    }

    #[test]
    fn sums_of_floats_of_8_bits_have_14_digits() {
        let one = 0x38;
        let sum = |a: u32, b: u32, c: f32| {
            f32::from_bits(add_products(MmaType::E4M3, &[a], &[b], c.to_bits()))
        };
        let place = |exponent: i32| 2f32.powi(exponent);
        assert_eq!(sum(one, one, place(-13)), 1.0 + place(-13));
        // The summand is truncated to the quantum of the product, and then the sum to its digits.
        assert_eq!(sum(one, one, place(-14)), 1.0);
        assert_eq!(sum(one, one, -place(-14)), 1.0);
        assert_eq!(sum(one, one, 1.0 + place(-13)), 2.0);
        assert_eq!(sum(0, 0, 1.0 + place(-13) + place(-14)), 1.0 + place(-13));
        // The smallest number, 2^-9, beside the largest, 448: the quantum is 2^(8 - 13).
        assert_eq!(sum(0x7e | 1 << 8, one | one << 8, 0.0), 448.0);
        assert_eq!(sum(0x7e | one << 8, one | 1 << 8, 0.03125), 448.03125);
    }

    #[test]
    fn floats_of_8_bits_are_halves_in_products_of_a_warp() {
        let op = MmaOp::from_name("m16n8k32.f32.e4m3.e5m2").unwrap();
        // The least `e4m3` by the largest power of two: 2^(15 - 9), beside which the quantum is
        // 2^(6 - 25). The least `e5m2`, 2^-16, by 2^-1 is larger.
        let sum = first(op, &[1, 0x30], &[0x78, 1], 0);
        assert_eq!(f32_of(sum), 64.0 + 2f32.powi(-17));
        // The upper two elements of a word are added to the sum of the lower ones, and `c` is added
        // by an ordinary addition.
        let sum = first(op, &[0x38, 0, 0x38], &[0x3c, 0, 0x3c], (2f32.powi(24)).to_bits().into());
        assert_eq!(f32_of(sum), 2f32.powi(24) + 2.0);
    }

    #[test]
    fn floats_of_8_bits_have_nan_and_infinities() {
        let sum = |ty, a: u32, b: u32| add_products(ty, &[a], &[b], 0);
        assert_eq!(sum(MmaType::E4M3, 0x7f, 0x38), NAN);
        assert_eq!(sum(MmaType::E4M3, 0x7e, 0xb8), (-448f32).to_bits());
        assert_eq!(sum(MmaType::E4M3, 0x78, 0x38), 256f32.to_bits());
        assert_eq!(sum(MmaType::E5M2, 0x7c, 0xbc), f32::NEG_INFINITY.to_bits());
        assert_eq!(sum(MmaType::E5M2, 0x7c, 0), NAN);
        assert_eq!(sum(MmaType::E5M2, 0x7d, 0x3c), NAN);
        assert_eq!(sum(MmaType::E5M2, 1, 1), 2f32.powi(-32).to_bits());
    }

    #[test]
    fn words_have_the_elements_of_each_type() {
        let sum = |ty, a: u32, b: u32, c: u32| add_products(ty, &[a, 0], &[b, a], c);
        assert_eq!(sum(MmaType::I8, 0x0102_80ff, 0x0203_04fe, 7) as i32, 2 + 6 - 512 + 2 + 7);
        assert_eq!(sum(MmaType::U8, 0x0102_80ff, 0x0203_04fe, 7), 2 + 6 + 512 + 255 * 254 + 7);
        assert_eq!(sum(MmaType::F16, 0x3c00_4000, 0x4000_c000, 0), (-2f32).to_bits());
        assert_eq!(sum(MmaType::TF32, 0x4000_1fff, 0x4040_0000, 0), 6f32.to_bits());
    }

    #[test]
    fn f64_adds_in_order() {
        let op = MmaOp::from_name("m8n8k4.f64.f64.f64").unwrap();
        let of = |values: [f64; 4]| values.map(f64::to_bits);
        let sum = first(op, &of([1e300, -1e300, 1.0, 0.5]), &of([1e10, 1e10, 1.0, 1.0]), 0);
        assert!(f64::from_bits(sum).is_infinite() || f64::from_bits(sum).is_nan());
        let sum = first(op, &of([1e16, 1.0, -1e16, 0.5]), &of([1.0; 4]), 0);
        assert_eq!(f64::from_bits(sum), 0.5);
    }
}
