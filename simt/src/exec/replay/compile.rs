//! Has rounds compiled to machine code that keeps lanes in vector registers, where all of their operations allow it.
use super::{
    fuse,
    lane_instrs::{Access, LaneInstr, common, common_of_words},
};
use crate::{
    bytecode::{Input, Preset},
    vector::{
        lanes::{
            Formula,
            compiled::{
                self, BroadcastWord, CellSource, Code, Inst, LaneProgram, LoopAxis, Rounds, Value,
            },
            fused::Pair,
            words::{MapWords, Words},
        },
        registers::{Reg, Registers},
    },
};
use std::ops::Range;
use warpwise_compiler::ir::{BinaryOp, Scalar, UnaryOp};

/// Fewer operations are not worth it where lanes are gone over.
const FEWEST: usize = 2;

/// The most steps of a round that is compiled.
const MAX_STEPS: usize = 256;

/// Bytes between loads of two rounds that the same lanes may make one after the other.
const NEAR: u64 = 64;

/// Rounds whose values are noted before they are stored: those whose memory the code of the rounds before has fetched, if a
/// round has a row of 256 words.
const NOTED_AHEAD: u64 = 2;

/// Compiled rounds.
pub(crate) struct CompiledRounds<'a> {
    rounds: Rounds<'a>,
    /// The values that are noted if all lanes [store](LaneInstr::Common) the same.
    noted: Vec<Reg>,
    /// One that is computed only for that, where rounds are gone over at once.
    noted_ahead: Option<(Reg, MapWords<'a>)>,
    lanes: usize,
}

/// Compiles at most so many rounds of so many lanes; `None` if one of the steps cannot be compiled, or this machine does not
/// run such code. Registers that no step reads before it is set do not hold what they would after a round.
pub(crate) fn compile<'a>(
    steps: &[LaneInstr<'a>],
    presets: &[(Reg, Preset)],
    registers: &Registers,
    lanes: usize,
    rounds: u64,
) -> Option<CompiledRounds<'a>> {
    if steps.len() > MAX_STEPS
        || !lanes.is_multiple_of(compiled::WIDTH)
        || !compiled::is_available()
    {
        return None;
    }
    // Memory is gone through as it lies there.
    let goes_on = |step: &LaneInstr<'_>| match step {
        LaneInstr::Store { .. } | LaneInstr::Common { .. } => true,
        LaneInstr::Load { access, .. } => access.step.unsigned_abs() > NEAR,
        _ => false,
    };
    let over = if steps.iter().any(goes_on) { LoopAxis::Lanes } else { LoopAxis::Rounds };
    // A single operation is as fast where it takes its operands from memory, unless many rounds are gone over at once.
    let operations = steps.iter().filter(|step| is_operation(step)).count();
    let is_short = over == LoopAxis::Lanes && operations < FEWEST;
    let mut noted_ahead = None;
    if is_short && steps.iter().any(|step| matches!(step, LaneInstr::Common { .. })) {
        let [LaneInstr::CommonOf { value, words }, LaneInstr::MapWords(_)] =
            fuse(steps, lanes, rounds)[..]
        else {
            return None;
        };
        noted_ahead = Some((value, words));
    }
    let program = LaneProgram { over, insts: Vec::new(), kept: Vec::new(), moves: Vec::new() };
    let (sources, stored, noted, loaded) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut builder = Builder {
        presets,
        registers,
        rounds,
        program,
        sources,
        stored,
        noted,
        loaded,
        temporaries: 0,
    };
    let is_noted_ahead =
        |step: &LaneInstr<'_>| noted_ahead.is_some() && matches!(step, LaneInstr::Common { .. });
    for step in steps.iter().filter(|step| !is_noted_ahead(step)) {
        builder.step(step)?;
    }
    let Builder { mut program, sources, stored, noted, .. } = builder;
    remove_dead(&mut program);
    let rounds = Rounds::new(program, sources, &stored, lanes)?;
    if is_short && !rounds.is_dense() {
        return None;
    }
    Some(CompiledRounds { rounds, noted, noted_ahead, lanes })
}

impl CompiledRounds<'_> {
    /// Runs some of the rounds; `values` gets those that all lanes store.
    pub(crate) fn run(
        &self,
        registers: &mut Registers,
        rounds: Range<u64>,
        values: &mut Vec<Option<u64>>,
    ) {
        if let Some((value, words)) = &self.noted_ahead {
            let mut first = rounds.start;
            while first < rounds.end {
                let next = rounds.end.min(first + NOTED_AHEAD);
                let noted = (first..next)
                    .map(|round| common_of_words(registers, (*value, words), self.lanes, round));
                values.extend(noted);
                registers.run_compiled(&self.rounds, first..next);
                first = next;
            }
            return;
        }
        if self.noted.is_empty() {
            registers.run_compiled(&self.rounds, rounds);
            return;
        }
        for round in rounds {
            registers.run_compiled(&self.rounds, round..round + 1);
            values.extend(self.noted.iter().map(|value| common(registers, *value, self.lanes)));
        }
    }
}

/// Makes a program of steps.
struct Builder<'s, 'a> {
    presets: &'s [(Reg, Preset)],
    registers: &'s Registers,
    rounds: u64,
    program: LaneProgram,
    sources: Vec<CellSource<'a>>,
    /// The cells that are stored to.
    stored: Vec<usize>,
    noted: Vec<Reg>,
    /// Where loaded values are, by their numbers.
    loaded: Vec<(usize, Value)>,
    temporaries: u32,
}

impl<'a> Builder<'_, 'a> {
    fn step(&mut self, step: &LaneInstr<'a>) -> Option<()> {
        match step {
            LaneInstr::Map { f, regs: [d, operands @ ..] } => {
                let to = self.set(*d)?;
                let operands = operands.map(|reg| self.get(reg));
                self.compute(f.formula()?, to, operands)
            }
            LaneInstr::MapWithOne { f, regs: [d, operands @ ..], place, one, step } => {
                let to = self.set(*d)?;
                let mut operands = operands.map(|reg| self.get(reg));
                operands[*place as usize] = Some(self.number(*one, *step)?);
                self.compute(f.formula()?, to, operands)
            }
            LaneInstr::MapWithLoaded { f, regs: [d, operands @ ..], place, loaded } => {
                let to = self.set(*d)?;
                let mut operands = operands.map(|reg| self.get(reg));
                operands[*place as usize] = Some(self.loaded(*loaded)?);
                self.compute(f.formula()?, to, operands)
            }
            LaneInstr::Copy { to, from } => {
                let (to, from) = (self.set(*to)?, self.get(*from)?);
                self.push(Code::Copy, to, &[from])
            }
            LaneInstr::Splat { to, bits, step } => {
                let (to, from) = (self.set(*to)?, self.number(*bits, *step)?);
                self.push(Code::Copy, to, &[from])
            }
            LaneInstr::SplatLoaded { to, loaded } => {
                let (to, from) = (self.set(*to)?, self.loaded(*loaded)?);
                self.push(Code::Copy, to, &[from])
            }
            LaneInstr::Spread { to, slope, base, step } => {
                let (to, slope) = (self.set(*to)?, self.get(*slope)?);
                let base = self.number(*base, *step)?;
                self.push(Code::IntegerAdd, to, &[slope, base])
            }
            LaneInstr::LoadOnce { loaded, word } => {
                let once = BroadcastWord::new(word.cells, (word.at, word.step), self.rounds);
                let cell = self.cell(
                    CellSource::BroadcastWord(once.filter(|_| word.size == 4)?),
                    word.step != 0,
                )?;
                let to = self.temporary();
                self.loaded.retain(|(number, _)| number != loaded);
                self.loaded.push((*loaded, to));
                self.push(Code::LoadOnce(cell), to, &[])
            }
            LaneInstr::Load { to, access } => {
                let to = self.set(*to)?;
                let cell = self.words(access)?;
                self.push(Code::Load(cell), to, &[])
            }
            LaneInstr::Store { value, access } => {
                let value = self.get(*value)?;
                let cell = self.words(access)?;
                self.stored.push(cell.into());
                let from = [value; 3];
                self.program.insts.push(Inst { code: Code::Store(cell), to: None, from });
                Some(())
            }
            LaneInstr::Common { value } => {
                // One that stands before the first step is there.
                if let kept @ Value::Register(_) = self.get(*value)? {
                    self.program.kept.push(kept);
                }
                self.noted.push(*value);
                Some(())
            }
            LaneInstr::MapWords(_)
            | LaneInstr::CommonOf { .. }
            | LaneInstr::Add { .. }
            | LaneInstr::AddInside { .. }
            | LaneInstr::AddByWords { .. }
            | LaneInstr::Ask { .. }
            | LaneInstr::AskByWords { .. } => None,
        }
    }

    /// The value of a register.
    fn get(&mut self, reg: Reg) -> Option<Value> {
        match self.presets.iter().find(|(of, _)| *of == reg) {
            Some((_, Preset::Splat(_, Input::Const(bits)))) if reg.size() == 4 => {
                Some(Value::Constant(*bits as u32))
            }
            Some((_, Preset::Splat(..))) if reg.size() == 4 => {
                self.number(self.registers.get(reg, 0), 0)
            }
            _ => self.set(reg),
        }
    }

    /// A register that is set.
    fn set(&self, reg: Reg) -> Option<Value> {
        let at = self.registers.offset(reg)?;
        (reg.size() == 4).then_some(Value::Register(at))
    }

    fn loaded(&self, number: usize) -> Option<Value> {
        self.loaded.iter().find(|(of, _)| *of == number).map(|(_, value)| *value)
    }

    fn temporary(&mut self) -> Value {
        self.temporaries += 1;
        Value::Temporary(self.temporaries)
    }

    /// A number in all lanes.
    fn number(&mut self, bits: u64, step: u64) -> Option<Value> {
        let cell = self.cell(CellSource::Number { bits, step }, step != 0)?;
        let to = self.temporary();
        self.push(Code::Splat(cell), to, &[])?;
        Some(to)
    }

    fn words(&mut self, Access { cells, at, step, walk, .. }: &Access<'a>) -> Option<u16> {
        let words = Words::new((*cells, *at), *step, walk, self.rounds)?;
        self.cell(CellSource::Words(words), *step != 0)
    }

    /// A new cell; `moves` says if its number is another one in each round.
    fn cell(&mut self, source: CellSource<'a>, moves: bool) -> Option<u16> {
        self.sources.push(source);
        self.program.moves.push(moves && self.program.over == LoopAxis::Rounds);
        u16::try_from(self.sources.len() - 1).ok()
    }

    fn push(&mut self, code: Code, to: Value, operands: &[Value]) -> Option<()> {
        // What is noted after the round must still be there.
        if self.program.kept.contains(&to) {
            return None;
        }
        let mut from = [to; 3];
        from[..operands.len()].copy_from_slice(operands);
        self.program.insts.push(Inst { code, to: Some(to), from });
        Some(())
    }

    fn compute(
        &mut self,
        formula: Formula,
        to: Value,
        [a, b, c]: [Option<Value>; 3],
    ) -> Option<()> {
        match formula {
            Formula::Copy => self.push(Code::Copy, to, &[a?]),
            Formula::Unary(op, scalar) => {
                let (code, operand) = unary(op, scalar)?;
                let operands = [a?, operand.unwrap_or(a?)];
                self.push(code, to, &operands[..1 + usize::from(operand.is_some())])
            }
            Formula::Binary(op, scalar) => self.push(binary(op, scalar)?, to, &[a?, b?]),
            Formula::Fma(Scalar::F32) => self.push(Code::Fma, to, &[a?, b?, c?]),
            Formula::Fma(_) => None,
            Formula::Pair(Pair { inner, outer, is_left }, scalar) => {
                let between = self.temporary();
                self.push(binary(inner, scalar)?, between, &[a?, b?])?;
                let operands = if is_left { [between, c?] } else { [c?, between] };
                self.push(binary(outer, scalar)?, to, &operands)
            }
        }
    }
}

fn is_operation(step: &LaneInstr<'_>) -> bool {
    matches!(
        step,
        LaneInstr::Map { .. } | LaneInstr::MapWithOne { .. } | LaneInstr::MapWithLoaded { .. }
    )
}

/// An operation on one value, with the second operand that it then has.
fn unary(op: UnaryOp, scalar: Scalar) -> Option<(Code, Option<Value>)> {
    let (is_float, is_integer) = kind(scalar);
    match op {
        UnaryOp::Sqrt if is_float => Some((Code::Sqrt, None)),
        UnaryOp::Rsqrt if is_float => Some((Code::Rsqrt, None)),
        UnaryOp::Neg if is_float => Some((Code::Xor, Some(Value::Constant(1 << 31)))),
        UnaryOp::Abs if is_float => Some((Code::And, Some(Value::Constant(u32::MAX >> 1)))),
        UnaryOp::Not if is_integer => Some((Code::Xor, Some(Value::Constant(u32::MAX)))),
        UnaryOp::Sqrt
        | UnaryOp::Rsqrt
        | UnaryOp::Neg
        | UnaryOp::Abs
        | UnaryOp::Not
        | UnaryOp::Floor
        | UnaryOp::Ceil
        | UnaryOp::Trunc
        | UnaryOp::RoundTiesEven
        | UnaryOp::Approx(_)
        | UnaryOp::CountOnes
        | UnaryOp::LeadingZeros
        | UnaryOp::ReverseBits
        | UnaryOp::SwapBytes => None,
    }
}

/// An operation on two values.
fn binary(op: BinaryOp, scalar: Scalar) -> Option<Code> {
    let (is_float, is_integer) = kind(scalar);
    match op {
        BinaryOp::Add if is_float => Some(Code::Add),
        BinaryOp::Sub if is_float => Some(Code::Sub),
        BinaryOp::Mul if is_float => Some(Code::Mul),
        BinaryOp::Div if is_float => Some(Code::Div),
        BinaryOp::Add if is_integer => Some(Code::IntegerAdd),
        BinaryOp::Sub if is_integer => Some(Code::IntegerSub),
        BinaryOp::Mul if is_integer => Some(Code::IntegerMul),
        BinaryOp::And if is_integer => Some(Code::And),
        BinaryOp::Or if is_integer => Some(Code::Or),
        BinaryOp::Xor if is_integer => Some(Code::Xor),
        BinaryOp::Add
        | BinaryOp::Sub
        | BinaryOp::Mul
        | BinaryOp::Div
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Rem
        | BinaryOp::Min
        | BinaryOp::Max
        | BinaryOp::Shl
        | BinaryOp::Shr
        | BinaryOp::MulHigh
        | BinaryOp::RotateLeft => None,
    }
}

/// Whether operations on a type are those of 32-bit floats, and whether they are those of 32-bit integers.
fn kind(scalar: Scalar) -> (bool, bool) {
    (scalar == Scalar::F32, matches!(scalar, Scalar::I32 | Scalar::U32))
}

/// Removes what computes values that nobody reads.
fn remove_dead(program: &mut LaneProgram) {
    let mut at = program.insts.len();
    while at > 0 {
        at -= 1;
        let insts = &program.insts;
        let after = (1..=insts.len()).map(|more| &insts[(at + more) % insts.len()]);
        let is_dead = |value: Value| {
            let mut uses = after.filter(|inst| inst.reads(value) || inst.to == Some(value));
            uses.next().is_none_or(|inst| !inst.reads(value)) && !program.kept.contains(&value)
        };
        if insts[at].to.is_some_and(is_dead) {
            program.insts.remove(at);
        }
    }
}
