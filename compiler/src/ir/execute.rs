//! Execution of code that needs no input, at compile time: the value of a `const` that calls
//! functions.
//!
//! ```text
//! block {                           values   %9 = 16
//!   %2 = array #0                   arrays   #0[0] = 0, #0[4] = 1, #0[8] = 4, ..
//!   %3 = for %0..%1 {        =>
//!     .. store #0[%3], %3 * %3
//!   }
//!   %9 = load #0[16]
//! }
//! ```
//! The operations are those of [`evaluate`], so the result has the bits that every engine computes.
//! An execution gives up, with [`None`], at the end of its budget, where the IR leaves a result open
//! (the bits of a computed NaN), at a check that fails, and at instructions that read or change
//! anything but locals and arrays of the thread.
use super::{ArrayId, Body, Extent, InstId, Kernel, LocalId, Op, Scalar, Ty, evaluate};
use crate::id::Facts;
use std::collections::BTreeMap;

/// The numbers in an array, by their offsets in bytes.
pub type Contents = BTreeMap<u64, (Scalar, u64)>;

/// The state after an execution.
pub struct Executed {
    values: Facts<InstId, Option<Value>>,
    arrays: BTreeMap<ArrayId, Contents>,
}

impl Executed {
    /// Returns the bits that an instruction has yielded, the last time that it ran.
    pub fn bits(&self, id: InstId) -> Option<u64> {
        self.values[id].and_then(Value::bits)
    }

    /// Returns the numbers that are stored in an array; `None` if there are none.
    pub fn contents(&self, array: ArrayId) -> Option<&Contents> {
        self.arrays.get(&array)
    }
}

/// Executes a body, for at most `budget` instructions, of which it subtracts its own.
pub fn execute(kernel: &Kernel, body: &Body, budget: &mut usize) -> Option<Executed> {
    // The tables below are as large as the kernel.
    *budget = budget.checked_sub(kernel.insts.len())?;
    let mut execution = Execution {
        kernel,
        budget,
        values: kernel.insts.facts(None),
        locals: kernel.locals.facts(None),
        arrays: BTreeMap::new(),
    };
    match execution.run_body(body)? {
        Flow::Next => Some(Executed { values: execution.values, arrays: execution.arrays }),
        Flow::Break(_) | Flow::Continue(_) => None,
    }
}

/// A value during execution.
#[derive(Clone, Copy)]
enum Value {
    Bits(u64),
    /// An array of the thread, and the distance from its beginning in bytes.
    Pointer(ArrayId, u64),
}

impl Value {
    const fn bits(self) -> Option<u64> {
        if let Self::Bits(bits) = self { Some(bits) } else { None }
    }
}

/// The instruction that follows.
enum Flow {
    Next,
    Break(InstId),
    Continue(InstId),
}

struct Execution<'a> {
    kernel: &'a Kernel,
    budget: &'a mut usize,
    values: Facts<InstId, Option<Value>>,
    locals: Facts<LocalId, Option<Value>>,
    arrays: BTreeMap<ArrayId, Contents>,
}

impl Execution<'_> {
    fn run_body(&mut self, body: &Body) -> Option<Flow> {
        for &id in &body.0 {
            match self.run_inst(id)? {
                Flow::Next => {}
                left @ (Flow::Break(_) | Flow::Continue(_)) => return Some(left),
            }
        }
        Some(Flow::Next)
    }

    /// Runs an instruction, and what is in it.
    fn run_inst(&mut self, id: InstId) -> Option<Flow> {
        *self.budget = self.budget.checked_sub(1)?;
        let kernel = self.kernel;
        match &kernel.insts[id].op {
            Op::If { cond, then, other } => {
                return self.run_body(if self.bits(*cond)? == 1 { then } else { other });
            }
            Op::For { start, end, step, inclusive, body } => {
                let scalar = self.scalar(id)?;
                let [start, end, step] = [start, end, step].map(|number| self.bits(*number));
                let number = |bits| evaluate::integer(scalar, bits);
                let (mut counter, end) = (number(start?)?, number(end?)?);
                let step = number(step?).filter(|&step| step > 0)?;
                while counter < end || *inclusive && counter == end {
                    // A round may have no instructions of its own.
                    *self.budget = self.budget.checked_sub(1)?;
                    self.values[id] = Some(Value::Bits(evaluate::wrap(scalar, counter)));
                    match self.run_body(body)? {
                        Flow::Next => {}
                        Flow::Continue(target) if target == id => {}
                        Flow::Break(target) if target == id => break,
                        left @ (Flow::Break(_) | Flow::Continue(_)) => return Some(left),
                    }
                    counter += step;
                }
            }
            Op::Loop { body } => loop {
                *self.budget = self.budget.checked_sub(1)?;
                match self.run_body(body)? {
                    Flow::Next => {}
                    Flow::Continue(target) if target == id => {}
                    Flow::Break(target) if target == id => break,
                    left @ (Flow::Break(_) | Flow::Continue(_)) => return Some(left),
                }
            },
            Op::Block { body } => match self.run_body(body)? {
                Flow::Break(target) if target == id => {}
                left @ (Flow::Next | Flow::Break(_) | Flow::Continue(_)) => return Some(left),
            },
            Op::Break(target) => return Some(Flow::Break(*target)),
            Op::Continue(target) => return Some(Flow::Continue(*target)),
            Op::Set { local, value } => self.locals[*local] = Some(self.values[*value]?),
            Op::Store { ptr, value, cache: _ } => {
                self.store(*ptr, self.scalar(*value)?, self.bits(*value)?)?;
            }
            Op::Check { cond, fault: _ } => {
                if self.bits(*cond)? == 0 {
                    return None;
                }
            }
            Op::Const(_)
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Bitcast { .. }
            | Op::Select { .. }
            | Op::Fma { .. }
            | Op::Array(_)
            | Op::Index { .. }
            | Op::Offset { .. }
            | Op::Bounds { .. }
            | Op::Get(_)
            | Op::Load { .. } => {
                self.values[id] = Some(self.evaluate(id)?);
            }
            Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Builtin(_)
            | Op::MulAdd { .. }
            | Op::MapShared { .. }
            | Op::Prefetch { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Texture { .. }
            | Op::Copy(_)
            | Op::Sync(_)
            | Op::Warp(_)
            | Op::Matrix(_)
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::Print { .. }
            | Op::Return
            | Op::Panic { .. } => return None,
        }
        Some(Flow::Next)
    }

    /// Returns the value of an instruction that changes nothing.
    fn evaluate(&self, id: InstId) -> Option<Value> {
        let bits = match &self.kernel.insts[id].op {
            Op::Array(array) => return Some(Value::Pointer(*array, 0)),
            Op::Index { base, index, stride: Extent::Const(stride) } => {
                let Value::Pointer(array, start) = self.values[*base]? else { return None };
                let distance = self.bits(*index)?.checked_mul(*stride)?;
                return Some(Value::Pointer(array, start.checked_add(distance)?));
            }
            Op::Offset { base, offset: Extent::Const(offset) } => {
                let Value::Pointer(array, start) = self.values[*base]? else { return None };
                return Some(Value::Pointer(array, start.checked_add(*offset)?));
            }
            Op::Const(bits) => Some(*bits),
            Op::Unary { op, value } => evaluate::unary(*op, self.scalar(id)?, self.bits(*value)?),
            Op::Binary { op, lhs, rhs } => {
                evaluate::binary(*op, self.scalar(id)?, self.bits(*lhs)?, self.bits(*rhs)?)
            }
            Op::Ternary { op, a, b, c } => {
                let operands = [self.bits(*a)?, self.bits(*b)?, self.bits(*c)?];
                evaluate::ternary(*op, self.scalar(id)?, operands)
            }
            Op::Fma { a, b, c } => {
                evaluate::fma(self.scalar(id)?, self.bits(*a)?, self.bits(*b)?, self.bits(*c)?)
            }
            Op::Compare { op, lhs, rhs } => {
                let scalar = self.scalar(*lhs)?;
                evaluate::compare(*op, scalar, self.bits(*lhs)?, self.bits(*rhs)?).map(u64::from)
            }
            Op::Cast { value } => {
                evaluate::cast(self.scalar(*value)?, self.scalar(id)?, self.bits(*value)?)
            }
            Op::Bitcast { value } => self.bits(*value),
            Op::Select { cond, then, other } => {
                return self.values[if self.bits(*cond)? == 1 { *then } else { *other }];
            }
            Op::Bounds { index, len } => {
                let index = self.bits(*index)?;
                (index < self.bits(*len)?).then_some(index)
            }
            Op::Get(local) => return self.locals[*local],
            Op::Load { ptr, cache: _ } => self.load(*ptr, self.scalar(id)?),
            Op::Index { .. }
            | Op::Offset { .. }
            | Op::Set { .. }
            | Op::Store { .. }
            | Op::Check { .. }
            | Op::Generic(_)
            | Op::Param(_)
            | Op::Len(_)
            | Op::Shared(_)
            | Op::Builtin(_)
            | Op::MulAdd { .. }
            | Op::MapShared { .. }
            | Op::Prefetch { .. }
            | Op::AtomicLoad { .. }
            | Op::AtomicStore { .. }
            | Op::Atomic { .. }
            | Op::CompareExchange { .. }
            | Op::Texture { .. }
            | Op::Copy(_)
            | Op::Sync(_)
            | Op::Warp(_)
            | Op::Matrix(_)
            | Op::Ptx { .. }
            | Op::PtxOutput { .. }
            | Op::Interpreted
            | Op::Print { .. }
            | Op::If { .. }
            | Op::For { .. }
            | Op::Loop { .. }
            | Op::Block { .. }
            | Op::Break(_)
            | Op::Continue(_)
            | Op::Return
            | Op::Panic { .. } => None,
        };
        bits.map(Value::Bits)
    }

    fn bits(&self, id: InstId) -> Option<u64> {
        self.values[id].and_then(Value::bits)
    }

    fn scalar(&self, id: InstId) -> Option<Scalar> {
        if let Ty::Scalar(scalar) = self.kernel.insts[id].ty { Some(scalar) } else { None }
    }

    /// Stores a number; `None` where it overlaps another one, of another size or place.
    fn store(&mut self, ptr: InstId, scalar: Scalar, bits: u64) -> Option<()> {
        let Value::Pointer(array, offset) = self.values[ptr]? else { return None };
        let contents = self.arrays.entry(array).or_default();
        let end = offset.checked_add(scalar.size()?.into())?;
        let is_apart = |(&start, &(kept, _)): (&u64, &(Scalar, u64))| {
            start + kept.size().map_or(0, u64::from) <= offset || start == offset && kept == scalar
        };
        // Those that begin before it and overlap it include the last one that does.
        contents.range(..end).next_back().is_none_or(is_apart).then_some(())?;
        contents.insert(offset, (scalar, bits));
        Some(())
    }

    fn load(&self, ptr: InstId, scalar: Scalar) -> Option<u64> {
        let Value::Pointer(array, offset) = self.values[ptr]? else { return None };
        let &(kept, bits) = self.arrays.get(&array)?.get(&offset)?;
        (kept == scalar).then_some(bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id as _;

    const SQUARES: &str = "
kernel k {
  array #0 = squares: [u32; 4] !0
  local $0 = i: u64 !0
  %0 = const 0 : u64 !0
  %1 = const 1 : u64 !0
  %2 = const 4 : u64 !0
  %3 = array #0 : ptr local !0
  %4 = set $0, %0 !0
  %5 = loop !0 {
    %6 = get $0 : u64 !0
    %7 = ge %6, %2 : bool !0
    %8 = if %7 !0 {
      %9 = break %5 !0
    }
    %10 = bounds %6, %2 : u64 !0
    %11 = index %3, %10, 4 : ptr local !0
    %12 = mul %6, %6 : u64 !0
    %13 = cast %12 : u32 !0
    %14 = store %11, %13 !0
    %15 = add %6, %1 : u64 !0
    %16 = set $0, %15 !0
  }
  %17 = index %3, %1, 4 : ptr local !0
  %18 = load %17 : u32 !0
}
";

    const EMPTY_ROUNDS: &str = "
kernel k {
  %0 = const 0 : u64 !0
  %1 = const 18446744073709551615 : u64 !0
  %2 = const 1 : u64 !0
  %3 = for %0, %1, step %2 : u64 !0 {
  }
}
";

    fn execute_within(text: &str, mut budget: usize) -> Option<Executed> {
        let kernel: Kernel = text.parse().expect("the text is a kernel");
        execute(&kernel, &kernel.body, &mut budget)
    }

    #[test]
    fn loops_fill_arrays() {
        let executed = execute_within(SQUARES, 100).expect("it has a value");
        let squares = [0, 1, 4, 9].map(|square| (Scalar::U32, square));
        let contents = executed.contents(ArrayId::new(0)).expect("it is filled");
        assert_eq!(*contents, (0..).step_by(4).zip(squares).collect());
        assert_eq!(executed.bits(InstId::new(18)), Some(1));
    }

    #[test]
    fn budgets_failing_checks_and_inputs_end_an_execution() {
        assert!(execute_within(SQUARES, 40).is_none());
        assert!(execute_within(EMPTY_ROUNDS, 1000).is_none());
        for (from, to) in [
            ("bounds %6, %2", "bounds %6, %1"),
            ("const 4 : u64", "builtin block_dim.x : u64"),
            ("load %17 : u32", "load %17 : f32"),
            ("index %3, %1, 4", "index %3, %2, 4"),
        ] {
            assert!(SQUARES.contains(from), "{from}");
            assert!(execute_within(&SQUARES.replace(from, to), 100).is_none(), "{to}");
        }
    }

    #[test]
    fn numbers_that_overlap_have_no_contents() {
        let halves = SQUARES.replace("index %3, %10, 4", "index %3, %10, 2");
        assert!(execute_within(&halves, 100).is_none());
    }
}
