//! Sequences of operations on 32-bit lanes, compiled to machine code that keeps 16 lanes of each
//! value in a vector register.
//!
//! A [`LaneFn`](super::LaneFn) computes one operation for all lanes of a group, and its operands
//! and result pass through memory. Where the same operations are repeated, a [`LaneProgram`] of
//! them is compiled once per process, for machines with AVX-512 under Linux. The code is a loop:
//! over the rounds with the same 16 lanes, whose registers then stay in vector registers from the
//! first round to the last, or over the lanes of one round, 16 at a time. Where the rows of all
//! rounds are adjacent in memory, the loop is over the lanes of all of them.
//!
//! The results have the bits of the lane functions, except for the sign and payload of a computed
//! NaN. Memory is accessed as [`copy`](mod@super::copy) describes. A program that needs more
//! registers than the machine has is not compiled.
mod clipped;
mod encode;
#[cfg(all(target_arch = "x86_64", target_os = "linux", not(miri)))]
mod pages;
#[cfg(not(all(target_arch = "x86_64", target_os = "linux", not(miri))))]
#[path = "no_pages.rs"]
mod pages;
mod rounds;

pub(crate) use clipped::{Clip, ClippedRounds, ClippedWords};
use encode::{Assembler, Base, Opcode, Zmm};
use pages::Pages;
pub(crate) use pages::is_available;
pub(crate) use rounds::{BroadcastWord, CellSource, Rounds};
use std::sync::{Arc, Mutex, PoisonError};

/// The number of lanes in a vector.
pub(crate) const WIDTH: usize = 16;

/// The maximum number of programs that a process compiles; later ones are interpreted.
const MAX_PROGRAMS: usize = 1024;

/// A vector of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// The interpreter's register at this offset in bytes in the register file.
    Register(i32),
    /// A value that is used in its round only.
    Temporary(u32),
    /// These bits in each lane.
    Constant(u32),
}

/// The operation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Code {
    Copy,
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    /// `a * b + c`, rounded once.
    Fma,
    /// `1.0 / a.sqrt()`, rounded once.
    Rsqrt,
    IntegerAdd,
    IntegerSub,
    IntegerMul,
    And,
    Or,
    Xor,
    /// A load of neighbouring words from the address in a cell.
    Load(u16),
    /// A load of the word at the address in a cell, for all lanes.
    LoadOnce(u16),
    /// The low half of a cell in all lanes.
    Splat(u16),
    /// A store of `a` to the address in a cell.
    Store(u16),
}

impl Code {
    /// Returns the number of operands.
    fn operands(self) -> usize {
        match self {
            Self::Load(_) | Self::LoadOnce(_) | Self::Splat(_) => 0,
            Self::Copy | Self::Sqrt | Self::Rsqrt | Self::Store(_) => 1,
            Self::Add
            | Self::Sub
            | Self::Mul
            | Self::Div
            | Self::IntegerAdd
            | Self::IntegerSub
            | Self::IntegerMul
            | Self::And
            | Self::Or
            | Self::Xor => 2,
            Self::Fma => 3,
        }
    }
}

/// An instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Inst {
    pub(crate) code: Code,
    /// The result; a store has none.
    pub(crate) to: Option<Value>,
    /// The operands, of which only the first ones count.
    pub(crate) from: [Value; 3],
}

impl Inst {
    fn operands(&self) -> &[Value] {
        &self.from[..self.code.operands()]
    }

    pub(crate) fn reads(&self, value: Value) -> bool {
        self.operands().contains(&value)
    }
}

/// The dimension of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LoopAxis {
    /// The rounds, with the same lanes.
    Rounds,
    /// The lanes, in one round.
    Lanes,
    /// The lanes of a row, of all rounds, where the lanes of a round directly follow those of the
    /// one before.
    Rows,
}

impl LoopAxis {
    /// Returns true if the loop is over lanes, 16 at a time.
    fn is_lanes(self) -> bool {
        matches!(self, Self::Lanes | Self::Rows)
    }
}

/// The operations of a round of the loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaneProgram {
    pub(crate) over: LoopAxis,
    /// True if loads and stores are only of the lanes in a mask.
    pub(crate) is_clipped: bool,
    pub(crate) insts: Vec<Inst>,
    /// The registers that are read after a round.
    pub(crate) kept: Vec<Value>,
    /// By cell, true if its number changes from round to round; none does where the loop is over
    /// lanes.
    pub(crate) moves: Vec<bool>,
}

/// A number that instructions use, and its advance per round of the loop.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Cell {
    pub(crate) at: u64,
    pub(crate) step: u64,
}

/// A program as machine code.
#[derive(Debug)]
pub(crate) struct Compiled {
    pages: Pages,
    cells: usize,
}

/// The compiled programs, approximately by last use; `None` for one that cannot be compiled. Most
/// programs differ early, so that comparing is cheaper than hashing.
static COMPILED: Mutex<Vec<(LaneProgram, Option<Arc<Compiled>>)>> = Mutex::new(Vec::new());

impl LaneProgram {
    /// Returns the registers that a round takes from the one before.
    fn inputs(&self) -> Vec<Value> {
        let (mut inputs, mut set) = (Vec::new(), Vec::new());
        for inst in &self.insts {
            for value in inst.operands() {
                if matches!(value, Value::Register(_))
                    && !set.contains(value)
                    && !inputs.contains(value)
                {
                    inputs.push(*value);
                }
            }
            set.extend(inst.to);
        }
        inputs
    }

    /// Returns true if an instruction has the same result in all rounds of the loop.
    fn is_invariant(&self, inst: &Inst) -> bool {
        match inst.code {
            Code::LoadOnce(cell) | Code::Splat(cell) => {
                !self.moves[usize::from(cell)] && matches!(inst.to, Some(Value::Temporary(_)))
            }
            _ => false,
        }
    }

    /// Returns the machine code, if the program can be compiled.
    pub(crate) fn compile(self) -> Option<Arc<Compiled>> {
        let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = compiled.iter().position(|(program, _)| *program == self) {
            compiled.swap(0, at);
            return compiled[0].1.clone();
        }
        if compiled.len() >= MAX_PROGRAMS {
            return None;
        }
        let code = Allocation::emit(&self).and_then(|code| Pages::new(&code));
        let code = code.map(|pages| Arc::new(Compiled { pages, cells: self.moves.len() }));
        compiled.push((self, code.clone()));
        code
    }
}

impl Compiled {
    /// Runs the loop `rounds` times, at least once.
    ///
    /// # Safety
    /// This machine [has](is_available) the required instructions. The lanes of the program's
    /// registers are at their offsets after `lanes`, 16 of each, or 16 for each round of a loop
    /// over lanes. The addresses in cells may be accessed by relaxed atomic accesses of each word,
    /// in all rounds.
    pub(crate) unsafe fn run(&self, cells: &mut [Cell], lanes: *mut u8, rounds: usize) {
        assert!(cells.len() == self.cells && rounds > 0, "the cells and rounds of the program");
        // SAFETY: the code is that of a program; its accesses are guaranteed by the caller.
        unsafe { self.pages.call(cells, lanes, rounds, u16::MAX) };
    }

    /// Runs the loop over clipped rows `vectors` times, at least once, with the lanes of a vector
    /// that are in `mask`.
    ///
    /// # Safety
    /// As for [`run`](Self::run) with registers outside of the program's vectors, of which it has
    /// none, and with the accesses of the lanes in the mask.
    unsafe fn run_masked(&self, cells: &mut [Cell], vectors: usize, mask: u16) {
        assert!(cells.len() == self.cells && vectors > 0, "the cells and rounds of the program");
        // SAFETY: as for `run`.
        unsafe { self.pages.call(cells, std::ptr::null_mut(), vectors, mask) };
    }
}

/// The vector registers for intermediate results within an instruction.
const SCRATCH_REGISTERS: [Zmm; 4] = [Zmm(28), Zmm(29), Zmm(30), Zmm(31)];

/// The number of vector registers that hold values.
const VALUE_REGISTERS: u8 = 28;

/// The constants that [`Code::Rsqrt`] needs.
const RSQRT_CONSTANTS: [f32; 3] = [0.5, 1.0, 1.5];

/// The distance of a prefetch from the access, in bytes: hosts prefetch rows that are stored to too
/// late.
const FETCHED_AHEAD: i32 = 2048;

/// The general registers that hold addresses which are constant in the loop.
const BASE_REGISTERS: [Base; 4] = [Base::R8, Base::R9, Base::R10, Base::R11];

/// The assignment of values to vector registers.
struct Allocation<'p> {
    program: &'p LaneProgram,
    code: Assembler,
    /// The values of the whole loop, and those of the round.
    pinned: Vec<(Value, Zmm)>,
    held: Vec<(Value, Zmm)>,
    free: Vec<Zmm>,
    /// The registers that a round takes from the one before, and sets.
    carried: Vec<Value>,
    /// The cells whose addresses are in general registers.
    bases: Vec<(u16, Base)>,
}

impl<'p> Allocation<'p> {
    fn emit(program: &'p LaneProgram) -> Option<Vec<u8>> {
        let free = (0..VALUE_REGISTERS).rev().map(Zmm).collect();
        let code = Assembler::default();
        let mut carried = program.inputs();
        carried.retain(|value| program.insts.iter().any(|inst| inst.to == Some(*value)));
        let (pinned, held, bases) = (Vec::new(), Vec::new(), Vec::new());
        let mut this = Self { program, code, pinned, held, free, carried: carried.clone(), bases };
        if program.is_clipped {
            this.code.set_mask();
        }
        this.code.first_vector();
        this.pin()?;
        this.hold_bases();
        let head = this.code.here();
        for (at, inst) in program.insts.iter().enumerate() {
            if !program.is_invariant(inst) {
                this.inst(at, inst)?;
            }
        }
        if program.over.is_lanes() {
            this.store_all(&carried)?;
            this.store_all(&program.kept)?;
            this.code.next_vector();
        }
        for cell in (0..program.moves.len()).filter(|cell| program.moves[*cell]) {
            this.code.load_base(Base::Rax, cell as i32 * 16 + 8);
            this.code.add_rax(cell as i32 * 16);
        }
        this.code.repeat(head);
        if program.over == LoopAxis::Rounds {
            this.store_all(&carried)?;
            this.store_all(&program.kept)?;
        }
        this.code.leave();
        Some(this.code.finish())
    }

    /// Loads the values that stay in vector registers for the whole loop.
    fn pin(&mut self) -> Option<()> {
        let mut constants: Vec<Value> = Vec::new();
        for inst in &self.program.insts {
            constants
                .extend(inst.operands().iter().filter(|value| matches!(value, Value::Constant(_))));
            if inst.code == Code::Rsqrt {
                constants.extend(RSQRT_CONSTANTS.map(constant));
            }
        }
        for value in constants {
            if let Value::Constant(bits) = value
                && self.find_register(value).is_none()
            {
                let to = self.free.pop()?;
                self.code.splat(to, bits);
                self.pinned.push((value, to));
            }
        }
        for inst in self.program.insts.iter().filter(|inst| self.program.is_invariant(inst)) {
            let to = self.free.pop()?;
            self.compute(inst.code, to, [to; 3])?;
            self.pinned.extend(inst.to.map(|value| (value, to)));
        }
        if self.program.over == LoopAxis::Rounds {
            for value in self.program.inputs() {
                let to = self.load(value)?;
                self.pinned.push((value, to));
            }
        }
        Some(())
    }

    /// Loads addresses that are constant in the loop, as far as there are registers.
    fn hold_bases(&mut self) {
        let stays = |inst: &Inst| match inst.code {
            Code::Load(cell) | Code::Store(cell) => {
                (!self.program.moves[usize::from(cell)]).then_some(cell)
            }
            _ => None,
        };
        let mut cells: Vec<u16> = self.program.insts.iter().filter_map(stays).collect();
        cells.dedup();
        self.bases = cells.into_iter().zip(BASE_REGISTERS).collect();
        for (cell, base) in &self.bases {
            self.code.load_base(*base, i32::from(*cell) * 16);
        }
    }

    /// Returns the general register with the address in a cell; loads it into `rax`, unless it is
    /// in another register.
    fn base(&mut self, cell: u16) -> Base {
        if let Some((_, base)) = self.bases.iter().find(|(of, _)| *of == cell) {
            return *base;
        }
        self.code.load_base(Base::Rax, i32::from(cell) * 16);
        Base::Rax
    }

    /// Prefetches the memory of later vectors, if these are adjacent.
    fn fetch(&mut self, base: Base) {
        if self.program.over == LoopAxis::Rows {
            self.code.prefetch(base, FETCHED_AHEAD);
        }
    }

    /// Returns the vector register of a value that has one.
    fn find_register(&self, value: Value) -> Option<Zmm> {
        let all = self.pinned.iter().chain(&self.held);
        all.into_iter().find(|(of, _)| *of == value).map(|(_, zmm)| *zmm)
    }

    /// Allocates a vector register for a register of the interpreter, and loads it.
    fn load(&mut self, value: Value) -> Option<Zmm> {
        let (to, Value::Register(at)) = (self.free.pop()?, value) else { return None };
        self.code.load(to, Base::Rsi, at);
        Some(to)
    }

    fn store_all(&mut self, values: &[Value]) -> Option<()> {
        for value in values {
            let Value::Register(at) = *value else { return None };
            self.code.store(self.find_register(*value)?, Base::Rsi, at);
        }
        Some(())
    }

    /// Returns true if a value is not read after an instruction.
    fn is_last_use(&self, value: Value, at: usize) -> bool {
        let program = self.program;
        for inst in &program.insts[at + 1..] {
            if inst.reads(value) {
                return false;
            }
            if inst.to == Some(value) {
                return true;
            }
        }
        !program.kept.contains(&value)
            && (program.over == LoopAxis::Rounds || !self.carried.contains(&value))
    }

    /// Frees the vector register of a value of the round.
    fn release(&mut self, value: Value) {
        if let Some(at) = self.held.iter().position(|(of, _)| *of == value) {
            self.free.push(self.held.swap_remove(at).1);
        }
    }

    fn inst(&mut self, at: usize, inst: &Inst) -> Option<()> {
        let mut operands = [SCRATCH_REGISTERS[0]; 3];
        for (operand, value) in operands.iter_mut().zip(inst.operands()) {
            *operand = match self.find_register(*value) {
                Some(zmm) => zmm,
                None => {
                    let to = self.load(*value)?;
                    self.held.push((*value, to));
                    to
                }
            };
        }
        for value in inst.operands() {
            if self.is_last_use(*value, at) {
                self.release(*value);
            }
        }
        let Some(value) = inst.to else {
            return self.compute(inst.code, operands[0], operands);
        };
        let to = match self.find_register(value) {
            Some(zmm) => zmm,
            None => {
                let to = self.free.pop()?;
                self.held.push((value, to));
                to
            }
        };
        self.compute(inst.code, to, operands)?;
        if self.is_last_use(value, at) {
            self.release(value);
        }
        Some(())
    }

    /// Computes into a vector register, which may be that of an operand.
    fn compute(&mut self, code: Code, to: Zmm, [a, b, c]: [Zmm; 3]) -> Option<()> {
        let binary = |op| (op, to, a, b);
        let (op, to, a, b) = match code {
            Code::Add => binary(Opcode::ADDPS),
            Code::Sub => binary(Opcode::SUBPS),
            Code::Mul => binary(Opcode::MULPS),
            Code::Div => binary(Opcode::DIVPS),
            Code::IntegerAdd => binary(Opcode::PADDD),
            Code::IntegerSub => binary(Opcode::PSUBD),
            Code::IntegerMul => binary(Opcode::PMULLD),
            Code::And => binary(Opcode::PANDD),
            Code::Or => binary(Opcode::PORD),
            Code::Xor => binary(Opcode::PXORD),
            Code::Copy => {
                self.code.copy(to, a);
                return Some(());
            }
            Code::Sqrt => {
                self.code.unary(Opcode::SQRTPS, to, a);
                return Some(());
            }
            Code::Fma if to == a => (Opcode::FMADD213PS, to, b, c),
            Code::Fma if to == b => (Opcode::FMADD213PS, to, a, c),
            Code::Fma => {
                self.code.copy(to, c);
                (Opcode::FMADD231PS, to, a, b)
            }
            Code::Rsqrt => return self.rsqrt(to, a),
            Code::Load(cell) => {
                let base = self.base(cell);
                self.fetch(base);
                if self.program.is_clipped {
                    self.code.load_masked(to, base, 0);
                } else {
                    self.code.load(to, base, 0);
                }
                return Some(());
            }
            Code::LoadOnce(cell) => {
                let base = self.base(cell);
                self.code.broadcast(to, base, 0);
                return Some(());
            }
            Code::Splat(cell) => {
                self.code.broadcast(to, Base::Rdi, i32::from(cell) * 16);
                return Some(());
            }
            Code::Store(cell) => {
                let base = self.base(cell);
                self.fetch(base);
                if self.program.is_clipped {
                    self.code.store_masked(a, base, 0);
                } else {
                    self.code.store(a, base, 0);
                }
                return Some(());
            }
        };
        self.code.binary(op, to, a, b);
        Some(())
    }

    /// Computes `1.0 / x.sqrt()`, rounded once, in a third of the time of a root and a quotient.
    ///
    /// Newton's method refines the machine's estimate y, which is within 2^-14, twice, the second
    /// time with all bits of the residual r = 1/2 - x y y / 2 and with its square: y + y (r + 3/2 r
    /// r). The test of all significands shows that the result is the nearest one to the inverse
    /// root. Estimates of 0 and of infinity are the results: a NaN residual is replaced by 1, which
    /// does not change them.
    fn rsqrt(&mut self, to: Zmm, x: Zmm) -> Option<()> {
        let [Some(half), Some(one), Some(three_halves)] =
            RSQRT_CONSTANTS.map(|value| self.find_register(constant(value)))
        else {
            return None;
        };
        let [y, rest, t, root] = SCRATCH_REGISTERS;
        let code = &mut self.code;
        code.unary(Opcode::RSQRT14PS, y, x);
        code.binary(Opcode::MULPS, root, x, y);
        code.binary(Opcode::MULPS, t, y, half);
        code.copy(rest, half);
        code.binary(Opcode::FNMADD231PS, rest, root, t);
        // MINPS returns the second operand if either is NaN.
        code.binary(Opcode::MINPS, rest, rest, one);
        code.binary(Opcode::FMADD231PS, y, y, rest);

        code.binary(Opcode::MULPS, root, x, y);
        code.copy(t, root);
        code.binary(Opcode::FNMADD231PS, t, x, y);
        // `to` may be the register of x, which is no longer needed.
        code.binary(Opcode::MULPS, to, y, half);
        code.copy(rest, half);
        code.binary(Opcode::FNMADD231PS, rest, root, to);
        code.binary(Opcode::FMADD231PS, rest, t, to);
        code.binary(Opcode::MINPS, rest, rest, one);
        code.binary(Opcode::MULPS, t, rest, three_halves);
        code.binary(Opcode::FMADD231PS, rest, t, rest);
        code.copy(to, y);
        code.binary(Opcode::FMADD231PS, to, y, rest);
        Some(())
    }
}

/// Returns a number in all lanes.
const fn constant(number: f32) -> Value {
    Value::Constant(number.to_bits())
}

#[cfg(test)]
mod tests;
