//! Operations on vectors of lanes.
//!
//! A [`LaneOp`] is a function of one lane. [`pick`] turns it into a [`LaneFn`], the loop over
//! neighbouring lanes, compiled twice: for the baseline of the platform and, on x86-64, for AVX2
//! with FMA. The lanes are processed in chunks held by value, which the compiler turns into vector
//! code; the loop body is never a closure, because closures do not inherit the target features of
//! the function around them.
//!
//! Uniform values are vectors of one lane, computed by the same functions.
#![expect(unsafe_code, reason = "loops over raw lanes, compiled for several instruction sets")]
pub(crate) mod add;
mod approx;
#[cfg(any(assembly, all(test, target_arch = "x86_64", not(miri))))]
mod asm;
mod bits;
pub(crate) mod busiest_bank;
mod cast;
pub(crate) mod compiled;
pub(crate) mod copy;
mod float;
pub(crate) mod fused;
mod half;
#[cfg(all(target_arch = "x86_64", not(miri)))]
mod in_memory;
mod int;
pub(crate) mod lane_offsets;
pub(crate) mod memory_products;
pub(crate) mod scan;
mod ternary;
#[cfg(target_arch = "x86_64")]
mod tile;
pub(crate) mod with_uniform;
pub(crate) mod words;

use std::fmt;
use warpwise_compiler::ir::{AtomicOp, BinaryOp, CompareOp, Scalar, Space, TernaryOp, UnaryOp};

pub(crate) use bits::{BUFFER, address, copy, offset, resolve, select};
pub(crate) use cast::cast;
pub(crate) use float::fma;

/// Computes `n` neighbouring lanes of a destination from the lanes of up to three operands.
///
/// # Safety
/// For each operand that the operation has, and for the destination, there are `n` lanes of its
/// type at the pointer; for an operand that the function takes as a uniform value, there is one. An
/// operand of the destination's size may be the destination itself; otherwise they do not overlap.
#[derive(Clone, Copy)]
pub(crate) struct LaneFn {
    f: RawLaneFn,
    in_memory: Option<InMemory>,
    /// True for a zero extension.
    is_zero_extension: bool,
    formula: Option<Formula>,
}

/// The operation of a [`LaneFn`], for operations that can be [compiled](mod@compiled) with others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Formula {
    Copy,
    Unary(UnaryOp, Scalar),
    Binary(BinaryOp, Scalar),
    /// `a * b + c`, rounded once.
    Fma(Scalar),
    Pair(fused::Pair, Scalar),
}

/// A [`LaneFn`] on lanes that may be in memory which others access at the same time; it exists for
/// [some](mod@in_memory) operations.
#[derive(Clone, Copy)]
pub(crate) struct InMemory(RawLaneFn);

/// The function of a [`LaneFn`].
type RawLaneFn = unsafe fn(*mut u8, *const u8, *const u8, *const u8, usize);

impl LaneFn {
    fn from_raw(f: RawLaneFn) -> Self {
        Self { f, in_memory: None, is_zero_extension: false, formula: None }
    }

    /// Sets the operation, on instruction sets above the baseline of the platform.
    fn with_formula(self, formula: Formula, isa: Isa) -> Self {
        Self { formula: Some(formula).filter(|_| isa != Isa::Baseline), ..self }
    }

    /// Returns the operation, if it is known.
    pub(crate) fn formula(self) -> Option<Formula> {
        self.formula
    }

    /// Returns true if this is a zero extension of its first operand.
    pub(crate) fn is_zero_extension(self) -> bool {
        self.is_zero_extension
    }

    /// Returns the same operation on lanes in memory, if it exists.
    pub(crate) fn in_memory(self) -> Option<InMemory> {
        self.in_memory
    }

    /// Calls the function.
    ///
    /// # Safety
    /// See [`LaneFn`].
    #[inline(always)]
    pub(crate) unsafe fn call(
        self,
        d: *mut u8,
        a: *const u8,
        b: *const u8,
        c: *const u8,
        n: usize,
    ) {
        // SAFETY: guaranteed by the caller.
        unsafe { (self.f)(d, a, b, c, n) }
    }
}

impl InMemory {
    /// Calls the function.
    ///
    /// # Safety
    /// See [`LaneFn`]; lanes in memory are inside, and aligned to their size.
    #[inline(always)]
    pub(crate) unsafe fn call(self, [d, a, b, c]: [*mut u8; 4], n: usize) {
        // SAFETY: guaranteed by the caller.
        unsafe { self.0(d, a, b, c, n) }
    }
}

/// The operation combined with its version for lanes in memory, which `$pick` returns, where `$isa`
/// can run it.
macro_rules! with_memory {
    ($isa:expr, $found:expr, $pick:expr) => {{
        let found: Option<$crate::vector::lanes::LaneFn> = $found;
        #[cfg(all(target_arch = "x86_64", not(miri)))]
        let found = match ($isa, found) {
            ($crate::vector::lanes::Isa::Avx2, Some(found)) => {
                Some($crate::vector::lanes::LaneFn { in_memory: $pick, ..found })
            }
            (_, found) => found,
        };
        found
    }};
}
use with_memory;

impl fmt::Debug for LaneFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LaneFn")
    }
}

/// The instruction set of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isa {
    /// The instructions of every machine of the platform.
    Baseline,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Isa {
    /// Returns the best instruction set of this machine.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
        {
            return Self::Avx2;
        }
        Self::Baseline
    }
}

/// A function of one lane. Operands that it lacks are `()`.
pub(crate) trait LaneOp {
    /// The first operand.
    type A: Copy;
    /// The second operand.
    type B: Copy;
    /// The third operand.
    type C: Copy;
    /// The result.
    type D: Copy + Default;
    /// Computes the function; `#[inline(always)]`.
    fn eval(a: Self::A, b: Self::B, c: Self::C) -> Self::D;
    /// Computes the function where there is a fused multiply-add instruction.
    #[inline(always)]
    fn eval_with_fma(a: Self::A, b: Self::B, c: Self::C) -> Self::D {
        Self::eval(a, b, c)
    }
}

/// Returns the version in assembly that `$pick` returns, if it exists, in builds that use assembly
/// (`asm`) and where `$isa` can run it.
macro_rules! or_assembly {
    ($isa:expr, $pick:expr) => {
        #[cfg(assembly)]
        if let ($crate::vector::lanes::Isa::Avx2, Some(found)) = ($isa, $pick) {
            return found;
        }
    };
}
use or_assembly;

/// The position of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperandPosition {
    A,
    B,
    C,
}

/// Returns the loop over lanes for `O`, for the instruction set `isa`.
pub(crate) fn pick<O: LaneOp>(isa: Isa) -> LaneFn {
    pick_loop::<O, NONE>(isa)
}

/// Returns the loop with one operand that is a uniform value.
pub(crate) fn pick_with_uniform<O: LaneOp>(one: OperandPosition, isa: Isa) -> LaneFn {
    match one {
        OperandPosition::A => pick_loop::<O, A>(isa),
        OperandPosition::B => pick_loop::<O, B>(isa),
        OperandPosition::C => pick_loop::<O, C>(isa),
    }
}

/// The operand that is a uniform value.
const NONE: u8 = 0;
const A: u8 = 1;
const B: u8 = 2;
const C: u8 = 3;

fn pick_loop<O: LaneOp, const ONE: u8>(isa: Isa) -> LaneFn {
    match isa {
        Isa::Baseline => LaneFn::from_raw(baseline::<O, ONE>),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => LaneFn::from_raw(avx2::<O, ONE>),
    }
}

unsafe fn baseline<O: LaneOp, const ONE: u8>(
    d: *mut u8,
    a: *const u8,
    b: *const u8,
    c: *const u8,
    n: usize,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { run_loop::<O, false, ONE>(d, a, b, c, n) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2<O: LaneOp, const ONE: u8>(
    d: *mut u8,
    a: *const u8,
    b: *const u8,
    c: *const u8,
    n: usize,
) {
    // SAFETY: guaranteed by the caller.
    unsafe { run_loop::<O, true, ONE>(d, a, b, c, n) }
}

/// The number of lanes in a chunk.
const CHUNK_LANES: usize = 16;

/// Reads a chunk of an operand, or repeats its uniform value.
#[inline(always)]
unsafe fn read_chunk<T: Copy>(lanes: *const T, lane: usize, one: Option<T>) -> [T; CHUNK_LANES] {
    match one {
        Some(one) => [one; CHUNK_LANES],
        // SAFETY: guaranteed by the caller: `CHUNK` lanes from `lane` on are there.
        None => unsafe { lanes.add(lane).cast::<[T; CHUNK_LANES]>().read() },
    }
}

/// Reads one lane of an operand, or returns its uniform value.
#[inline(always)]
unsafe fn read_lane<T: Copy>(lanes: *const T, lane: usize, one: Option<T>) -> T {
    match one {
        Some(one) => one,
        // SAFETY: guaranteed by the caller: this lane is there.
        None => unsafe { lanes.add(lane).read() },
    }
}

#[inline(always)]
unsafe fn run_loop<O: LaneOp, const FMA: bool, const ONE: u8>(
    d: *mut u8,
    a: *const u8,
    b: *const u8,
    c: *const u8,
    n: usize,
) {
    let (d, a, b, c) = (d.cast::<O::D>(), a.cast::<O::A>(), b.cast::<O::B>(), c.cast::<O::C>());
    // SAFETY: guaranteed by the caller: an operand that is a uniform value is there.
    let (one_a, one_b, one_c) = unsafe {
        (
            if ONE == A { Some(a.read()) } else { None },
            if ONE == B { Some(b.read()) } else { None },
            if ONE == C { Some(c.read()) } else { None },
        )
    };
    let mut lane = 0;
    while lane + CHUNK_LANES <= n {
        // SAFETY: guaranteed by the caller: `CHUNK` lanes from `lane` on are among the `n`.
        unsafe {
            let (x, y, z) = (
                read_chunk(a, lane, one_a),
                read_chunk(b, lane, one_b),
                read_chunk(c, lane, one_c),
            );
            let mut out = [O::D::default(); CHUNK_LANES];
            for i in 0..CHUNK_LANES {
                out[i] = if FMA {
                    O::eval_with_fma(x[i], y[i], z[i])
                } else {
                    O::eval(x[i], y[i], z[i])
                };
            }
            d.add(lane).cast::<[O::D; CHUNK_LANES]>().write(out);
        }
        lane += CHUNK_LANES;
    }
    while lane < n {
        // SAFETY: guaranteed by the caller: `lane` is among the `n`.
        unsafe {
            let (x, y) = (read_lane(a, lane, one_a), read_lane(b, lane, one_b));
            let z = read_lane(c, lane, one_c);
            let out = if FMA { O::eval_with_fma(x, y, z) } else { O::eval(x, y, z) };
            d.add(lane).write(out);
        }
        lane += 1;
    }
}

/// Declares lane operations: `Name<T: Bound>(a: A, b: B, c: C) -> D { body }`.
macro_rules! lane_ops {
    ($($(#[$meta:meta])* $name:ident $(<$($t:ident: $bound:path),+>)?
       ($a:ident: $ta:ty, $b:ident: $tb:ty, $c:ident: $tc:ty) -> $td:ty $body:block)*) => {$(
        $(#[$meta])*
        pub(super) struct $name $(<$($t),+>(std::marker::PhantomData<($($t,)+)>))?;
        impl $(<$($t: $bound),+>)? $crate::vector::lanes::LaneOp for $name $(<$($t),+>)? {
            type A = $ta;
            type B = $tb;
            type C = $tc;
            type D = $td;
            #[inline(always)]
            fn eval($a: $ta, $b: $tb, $c: $tc) -> $td $body
        }
    )*};
}
use lane_ops;

/// Returns `narrow` for `f32` and `wide` for `f64`, the float types that the host computes with.
fn select_float<R>(
    scalar: Scalar,
    narrow: impl FnOnce() -> Option<R>,
    wide: impl FnOnce() -> Option<R>,
) -> Option<R> {
    match scalar {
        Scalar::F32 => narrow(),
        Scalar::F64 => wide(),
        Scalar::Bool
        | Scalar::I8
        | Scalar::I16
        | Scalar::I32
        | Scalar::I64
        | Scalar::U8
        | Scalar::U16
        | Scalar::U32
        | Scalar::U64
        | Scalar::F16
        | Scalar::BF16
        | Scalar::Generic(_) => None,
    }
}

/// Returns an operation on one value; `None` if the type lacks it.
pub(crate) fn unary(op: UnaryOp, scalar: Scalar, isa: Isa) -> Option<LaneFn> {
    unary_loop(op, scalar, isa).map(|f| f.with_formula(Formula::Unary(op, scalar), isa))
}

fn unary_loop(op: UnaryOp, scalar: Scalar, isa: Isa) -> Option<LaneFn> {
    or_assembly!(isa, asm::unary(op, scalar).map(Some));
    if let UnaryOp::Approx(op) = op {
        return (scalar == Scalar::F32).then(|| approx::unary(op, isa));
    }
    if op == UnaryOp::Rsqrt {
        return (scalar == Scalar::F32).then(|| pick::<float::Rsqrt>(isa));
    }
    match scalar {
        Scalar::Bool => bits::unary_bool(op, isa),
        Scalar::I8 => int::unary::<i8>(op, isa),
        Scalar::I16 => int::unary::<i16>(op, isa),
        Scalar::I32 => int::unary::<i32>(op, isa),
        Scalar::I64 => int::unary::<i64>(op, isa),
        Scalar::U8 => int::unary::<u8>(op, isa),
        Scalar::U16 => int::unary::<u16>(op, isa),
        Scalar::U32 => int::unary::<u32>(op, isa),
        Scalar::U64 => int::unary::<u64>(op, isa),
        Scalar::F16 => float::unary::<half::F16>(op, isa),
        Scalar::BF16 => float::unary::<half::BF16>(op, isa),
        Scalar::F32 => float::unary::<f32>(op, isa),
        Scalar::F64 => float::unary::<f64>(op, isa),
        Scalar::Generic(_) => None,
    }
}

/// Returns an operation on three values.
pub(crate) fn ternary(op: TernaryOp, scalar: Scalar, isa: Isa) -> LaneFn {
    ternary::ternary(op, scalar == Scalar::I32, isa)
}

/// Returns an operation on two values; `None` if the type lacks it.
pub(crate) fn binary(op: BinaryOp, scalar: Scalar, isa: Isa) -> Option<LaneFn> {
    let found = with_memory!(isa, binary_loop(op, scalar, isa), in_memory::binary(op, scalar));
    found.map(|f| f.with_formula(Formula::Binary(op, scalar), isa))
}

fn binary_loop(op: BinaryOp, scalar: Scalar, isa: Isa) -> Option<LaneFn> {
    or_assembly!(isa, asm::binary(op, scalar).map(Some));
    match scalar {
        Scalar::Bool => bits::binary_bool(op, isa),
        Scalar::I8 => int::binary::<i8>(op, isa),
        Scalar::I16 => int::binary::<i16>(op, isa),
        Scalar::I32 => int::binary::<i32>(op, isa),
        Scalar::I64 => int::binary::<i64>(op, isa),
        Scalar::U8 => int::binary::<u8>(op, isa),
        Scalar::U16 => int::binary::<u16>(op, isa),
        Scalar::U32 => int::binary::<u32>(op, isa),
        Scalar::U64 => int::binary::<u64>(op, isa),
        Scalar::F16 => float::binary::<half::F16>(op, isa),
        Scalar::BF16 => float::binary::<half::BF16>(op, isa),
        Scalar::F32 => float::binary::<f32>(op, isa),
        Scalar::F64 => float::binary::<f64>(op, isa),
        Scalar::Generic(_) => None,
    }
}

/// Returns a comparison of two values of type `scalar`.
pub(crate) fn compare(op: CompareOp, scalar: Scalar, isa: Isa) -> Option<LaneFn> {
    or_assembly!(isa, asm::compare(op, scalar).map(Some));
    match scalar {
        Scalar::Bool | Scalar::U8 => Some(int::compare::<u8>(op, isa)),
        Scalar::I8 => Some(int::compare::<i8>(op, isa)),
        Scalar::I16 => Some(int::compare::<i16>(op, isa)),
        Scalar::I32 => Some(int::compare::<i32>(op, isa)),
        Scalar::I64 => Some(int::compare::<i64>(op, isa)),
        Scalar::U16 => Some(int::compare::<u16>(op, isa)),
        Scalar::U32 => Some(int::compare::<u32>(op, isa)),
        Scalar::U64 => Some(int::compare::<u64>(op, isa)),
        Scalar::F16 => Some(float::compare::<half::F16>(op, isa)),
        Scalar::BF16 => Some(float::compare::<half::BF16>(op, isa)),
        Scalar::F32 => Some(float::compare::<f32>(op, isa)),
        Scalar::F64 => Some(float::compare::<f64>(op, isa)),
        Scalar::Generic(_) => None,
    }
}

/// Returns the function of an atomic update in `space`, from the old bits and the operand to the
/// new bits of a scalar; `None` if the type lacks it.
pub(crate) fn atomic(
    op: AtomicOp,
    scalar: Scalar,
    space: Option<Space>,
) -> Option<fn(u64, u64) -> u64> {
    if space.is_some_and(|space| op.flushes(scalar, space)) {
        return Some(float::add_flushed);
    }
    match scalar {
        Scalar::I8 => Some(int::atomic::<i8>(op)),
        Scalar::I16 => Some(int::atomic::<i16>(op)),
        Scalar::I32 => Some(int::atomic::<i32>(op)),
        Scalar::I64 => Some(int::atomic::<i64>(op)),
        Scalar::U8 => Some(int::atomic::<u8>(op)),
        Scalar::U16 => Some(int::atomic::<u16>(op)),
        Scalar::U32 => Some(int::atomic::<u32>(op)),
        Scalar::U64 => Some(int::atomic::<u64>(op)),
        Scalar::F16 => float::atomic::<half::F16>(op),
        Scalar::BF16 => float::atomic::<half::BF16>(op),
        Scalar::F32 => float::atomic::<f32>(op),
        Scalar::F64 => float::atomic::<f64>(op),
        Scalar::Bool => match op {
            AtomicOp::Swap | AtomicOp::And | AtomicOp::Or | AtomicOp::Xor => {
                Some(int::atomic::<u8>(op))
            }
            AtomicOp::Add | AtomicOp::Sub | AtomicOp::Min | AtomicOp::Max => None,
        },
        Scalar::Generic(_) => None,
    }
}
