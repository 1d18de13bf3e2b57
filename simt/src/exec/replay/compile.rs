//! Compilation of rounds to machine code that keeps lanes in vector registers, if it has code for
//! all their instructions.
use super::{
    Clips, fuse,
    lane_instrs::{Access, LaneInstr, common_value, common_value_of_words},
};
use crate::{
    bytecode::{Input, Preset},
    exec::bound::Bound,
    vector::{
        lanes::{
            Formula,
            compiled::{
                self, BroadcastWord, CellSource, ClippedRounds, ClippedWords, Code, Inst,
                LaneProgram, LoopAxis, Rounds, Value,
            },
            fused::Pair,
            words::{MapWords, Words},
        },
        registers::{Reg, Registers},
    },
};
use std::ops::Range;
use warpwise_compiler::ir::{BinaryOp, Scalar, UnaryOp};

/// The least number of operations for which compiled code that loops over lanes pays.
const MIN_OPERATIONS: usize = 2;

/// The largest number of instructions of a compiled round.
const MAX_INSTRS: usize = 256;

/// Distance in bytes up to which loads of two consecutive rounds are near, so that the same lanes
/// may execute both.
const NEAR_BYTES: u64 = 64;

/// The number of rounds whose values are noted before the rounds run. The code of the previous
/// rounds has prefetched the memory that they read, if a round has a row of 256 words.
const NOTED_AHEAD: u64 = 2;

/// Compiled rounds.
pub(crate) struct CompiledRounds<'a> {
    rounds: Rounds<'a>,
    /// The values that are noted if all lanes [store](LaneInstr::NoteCommon) the same.
    noted: Vec<Reg>,
    /// A value that is computed only for that, where the code loops over lanes.
    noted_ahead: Option<(Reg, MapWords<'a>)>,
    lanes: usize,
}

/// Compiles at most `rounds` rounds of `lanes` lanes; `None` if one of the instructions cannot be
/// compiled, or this machine does not run such code. Registers that no instruction reads before it
/// is set do not hold their values of a round afterwards.
pub(crate) fn compile<'a>(
    instrs: &[LaneInstr<'a>],
    presets: &[(Reg, Preset)],
    registers: &Registers,
    lanes: usize,
    rounds: u64,
) -> Option<CompiledRounds<'a>> {
    if instrs.len() > MAX_INSTRS
        || !lanes.is_multiple_of(compiled::WIDTH)
        || !compiled::is_available()
    {
        return None;
    }
    // Rounds that store, note values or load far apart run one after the other, so that memory is
    // accessed in the order of its addresses. Otherwise the same lanes run all rounds, which keeps
    // their values in registers.
    let needs_lane_order = |instr: &LaneInstr<'_>| match instr {
        LaneInstr::Store { .. } | LaneInstr::NoteCommon { .. } => true,
        LaneInstr::Load { access, .. } => access.step.unsigned_abs() > NEAR_BYTES,
        _ => false,
    };
    let needs_lane_order = instrs.iter().any(needs_lane_order);
    let over = if needs_lane_order { LoopAxis::Lanes } else { LoopAxis::Rounds };
    // A single operation is as fast with operands in memory, unless the code loops over many rounds
    // at once.
    let operations = instrs.iter().filter(|instr| is_operation(instr)).count();
    let is_short = over == LoopAxis::Lanes && operations < MIN_OPERATIONS;
    let mut noted_ahead = None;
    if is_short && instrs.iter().any(|instr| matches!(instr, LaneInstr::NoteCommon { .. })) {
        let [LaneInstr::NoteCommonOf { value, words }, LaneInstr::MapWords(_)] =
            fuse(instrs, lanes, rounds)[..]
        else {
            return None;
        };
        noted_ahead = Some((value, words));
    }
    let words = |Access { cells, at, step, walk, .. }: &Access<'a>| {
        Words::new((*cells, *at), *step, walk, rounds)
    };
    let mut builder = Builder::new(presets, registers, rounds, over, &words);
    let is_noted_ahead = |instr: &LaneInstr<'_>| {
        noted_ahead.is_some() && matches!(instr, LaneInstr::NoteCommon { .. })
    };
    for instr in instrs.iter().filter(|instr| !is_noted_ahead(instr)) {
        builder.compile_instr(instr)?;
    }
    let Builder { mut program, sources, stored, noted, .. } = builder;
    remove_dead(&mut program);
    let rounds = Rounds::new(program, sources, &stored, lanes)?;
    if is_short && !rounds.is_dense() {
        return None;
    }
    Some(CompiledRounds { rounds, noted, noted_ahead, lanes })
}

/// Compiles rounds of a group in which some lanes take no part; `None` if that is not possible.
pub(crate) fn compile_clipped<'a>(
    instrs: &[LaneInstr<'a>],
    clips: &mut Clips,
    (bound, group): (&'a Bound<'a>, usize),
    (presets, registers): (&[(Reg, Preset)], &Registers),
    rounds: u64,
) -> Option<ClippedRounds<'a>> {
    let lanes = bound.lanes_in_group(group);
    let row_lanes = |instr: &LaneInstr<'_>| match instr {
        LaneInstr::Load { access, .. } | LaneInstr::Store { access, .. } => {
            Some(access.walk.row_lanes())
        }
        _ => None,
    };
    let row = instrs.iter().filter_map(row_lanes).min()?;
    let has_vectors = row.is_multiple_of(compiled::WIDTH) && lanes.is_multiple_of(row);
    if !has_vectors || !compiled::is_available() {
        return None;
    }
    let clip = clips.resolve((bound, group), row, rounds)?;
    let words = |Access { cells, at, step, walk, .. }: &Access<'a>| {
        ClippedWords::new((*cells, *at), *step, walk, &clip)
    };
    let mut builder = Builder::new(presets, registers, rounds, LoopAxis::Rows, &words);
    builder.program.is_clipped = true;
    instrs.iter().try_for_each(|instr| builder.compile_instr(instr))?;
    let Builder { mut program, sources, stored, .. } = builder;
    remove_dead(&mut program);
    ClippedRounds::new(program, sources, &stored, clip)
}

impl CompiledRounds<'_> {
    /// Runs some of the rounds; `values` receives those that all lanes store.
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
                let noted = (first..next).map(|round| {
                    common_value_of_words(registers, (*value, words), self.lanes, round)
                });
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
            values
                .extend(self.noted.iter().map(|value| common_value(registers, *value, self.lanes)));
        }
    }
}

/// The translation of lane instructions to a program, with words of lanes of the type `W`.
struct Builder<'s, 'a, W> {
    presets: &'s [(Reg, Preset)],
    registers: &'s Registers,
    rounds: u64,
    /// Returns the words of an access.
    words: &'s dyn Fn(&Access<'a>) -> Option<W>,
    program: LaneProgram,
    sources: Vec<CellSource<'a, W>>,
    /// The cells that are stored to.
    stored: Vec<usize>,
    noted: Vec<Reg>,
    /// The locations of loaded values, by their numbers.
    loaded: Vec<(usize, Value)>,
    temporaries: u32,
}

impl<'s, 'a, W> Builder<'s, 'a, W> {
    fn new(
        presets: &'s [(Reg, Preset)],
        registers: &'s Registers,
        rounds: u64,
        over: LoopAxis,
        words: &'s dyn Fn(&Access<'a>) -> Option<W>,
    ) -> Self {
        let (insts, kept, moves) = (Vec::new(), Vec::new(), Vec::new());
        let program = LaneProgram { over, is_clipped: false, insts, kept, moves };
        let (sources, stored, noted, loaded) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let temporaries = 0;
        Self {
            presets,
            registers,
            rounds,
            words,
            program,
            sources,
            stored,
            noted,
            loaded,
            temporaries,
        }
    }

    fn compile_instr(&mut self, instr: &LaneInstr<'a>) -> Option<()> {
        match instr {
            LaneInstr::Map { f, regs: [d, operands @ ..] } => {
                let to = self.written_register(*d)?;
                let operands = operands.map(|reg| self.read_register(reg));
                self.push_formula(f.formula()?, to, operands)
            }
            LaneInstr::MapWithOne { f, regs: [d, operands @ ..], place, one, step } => {
                let to = self.written_register(*d)?;
                let mut operands = operands.map(|reg| self.read_register(reg));
                operands[*place as usize] = Some(self.splat_number(*one, *step)?);
                self.push_formula(f.formula()?, to, operands)
            }
            LaneInstr::MapWithLoaded { f, regs: [d, operands @ ..], place, loaded } => {
                let to = self.written_register(*d)?;
                let mut operands = operands.map(|reg| self.read_register(reg));
                operands[*place as usize] = Some(self.loaded_value(*loaded)?);
                self.push_formula(f.formula()?, to, operands)
            }
            LaneInstr::Copy { to, from } => {
                let (to, from) = (self.written_register(*to)?, self.read_register(*from)?);
                self.push(Code::Copy, to, &[from])
            }
            LaneInstr::Splat { to, bits, step } => {
                let (to, from) = (self.written_register(*to)?, self.splat_number(*bits, *step)?);
                self.push(Code::Copy, to, &[from])
            }
            LaneInstr::SplatLoaded { to, loaded } => {
                let (to, from) = (self.written_register(*to)?, self.loaded_value(*loaded)?);
                self.push(Code::Copy, to, &[from])
            }
            LaneInstr::Spread { to, slope, base, step } => {
                let (to, slope) = (self.written_register(*to)?, self.read_register(*slope)?);
                let base = self.splat_number(*base, *step)?;
                self.push(Code::IntegerAdd, to, &[slope, base])
            }
            LaneInstr::LoadOnce { loaded, word } => {
                let once = BroadcastWord::new(word.cells, (word.at, word.step), self.rounds);
                let cell = self.add_cell(
                    CellSource::BroadcastWord(once.filter(|_| word.size == 4)?),
                    word.step != 0,
                )?;
                let to = self.temporary();
                self.loaded.retain(|(number, _)| number != loaded);
                self.loaded.push((*loaded, to));
                self.push(Code::LoadOnce(cell), to, &[])
            }
            LaneInstr::Load { to, access } => {
                let to = self.written_register(*to)?;
                let cell = self.add_words(access)?;
                self.push(Code::Load(cell), to, &[])
            }
            LaneInstr::Store { value, access } => {
                let value = self.read_register(*value)?;
                let cell = self.add_words(access)?;
                self.stored.push(cell.into());
                let from = [value; 3];
                self.program.insts.push(Inst { code: Code::Store(cell), to: None, from });
                Some(())
            }
            LaneInstr::NoteCommon { value } => {
                // A preset register keeps its value.
                if let kept @ Value::Register(_) = self.read_register(*value)? {
                    self.program.kept.push(kept);
                }
                self.noted.push(*value);
                Some(())
            }
            LaneInstr::MapWords(_)
            | LaneInstr::NoteCommonOf { .. }
            | LaneInstr::Add { .. }
            | LaneInstr::AddInBounds { .. }
            | LaneInstr::AddByWords { .. }
            | LaneInstr::CountRequest { .. }
            | LaneInstr::CountRequestByWords { .. } => None,
        }
    }

    /// Returns the value of a register.
    fn read_register(&mut self, reg: Reg) -> Option<Value> {
        match self.presets.iter().find(|(of, _)| *of == reg) {
            Some((_, Preset::Splat(_, Input::Const(bits)))) if reg.size() == 4 => {
                Some(Value::Constant(*bits as u32))
            }
            Some((_, Preset::Splat(..))) if reg.size() == 4 => {
                self.splat_number(self.registers.get(reg, 0), 0)
            }
            _ => self.written_register(reg),
        }
    }

    /// Returns a register that is set.
    fn written_register(&self, reg: Reg) -> Option<Value> {
        let at = self.registers.offset(reg)?;
        (reg.size() == 4).then_some(Value::Register(at))
    }

    fn loaded_value(&self, number: usize) -> Option<Value> {
        self.loaded.iter().find(|(of, _)| *of == number).map(|(_, value)| *value)
    }

    fn temporary(&mut self) -> Value {
        self.temporaries += 1;
        Value::Temporary(self.temporaries)
    }

    /// Returns a number in all lanes.
    fn splat_number(&mut self, bits: u64, step: u64) -> Option<Value> {
        let cell = self.add_cell(CellSource::Number { bits, step }, step != 0)?;
        let to = self.temporary();
        self.push(Code::Splat(cell), to, &[])?;
        Some(to)
    }

    fn add_words(&mut self, access: &Access<'a>) -> Option<u16> {
        self.add_cell(CellSource::Words((self.words)(access)?), access.step != 0)
    }

    /// Adds a cell; `moves` is true if its address or number differs between rounds.
    fn add_cell(&mut self, source: CellSource<'a, W>, moves: bool) -> Option<u16> {
        self.sources.push(source);
        self.program.moves.push(moves && self.program.over == LoopAxis::Rounds);
        u16::try_from(self.sources.len() - 1).ok()
    }

    fn push(&mut self, code: Code, to: Value, operands: &[Value]) -> Option<()> {
        // A value that is noted after the round must not be overwritten.
        if self.program.kept.contains(&to) {
            return None;
        }
        let mut from = [to; 3];
        from[..operands.len()].copy_from_slice(operands);
        self.program.insts.push(Inst { code, to: Some(to), from });
        Some(())
    }

    fn push_formula(
        &mut self,
        formula: Formula,
        to: Value,
        [a, b, c]: [Option<Value>; 3],
    ) -> Option<()> {
        match formula {
            Formula::Copy => self.push(Code::Copy, to, &[a?]),
            Formula::Unary(op, scalar) => {
                let (code, operand) = unary_code(op, scalar)?;
                let operands = [a?, operand.unwrap_or(a?)];
                self.push(code, to, &operands[..1 + usize::from(operand.is_some())])
            }
            Formula::Binary(op, scalar) => self.push(binary_code(op, scalar)?, to, &[a?, b?]),
            Formula::Fma(Scalar::F32) => self.push(Code::Fma, to, &[a?, b?, c?]),
            Formula::Fma(_) => None,
            Formula::Pair(Pair { inner, outer, is_left }, scalar) => {
                let between = self.temporary();
                self.push(binary_code(inner, scalar)?, between, &[a?, b?])?;
                let operands = if is_left { [between, c?] } else { [c?, between] };
                self.push(binary_code(outer, scalar)?, to, &operands)
            }
        }
    }
}

fn is_operation(instr: &LaneInstr<'_>) -> bool {
    matches!(
        instr,
        LaneInstr::Map { .. } | LaneInstr::MapWithOne { .. } | LaneInstr::MapWithLoaded { .. }
    )
}

/// Returns an operation on one value, with its implied second operand.
fn unary_code(op: UnaryOp, scalar: Scalar) -> Option<(Code, Option<Value>)> {
    let (is_float, is_integer) = is_f32_or_i32(scalar);
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

/// Returns an operation on two values.
fn binary_code(op: BinaryOp, scalar: Scalar) -> Option<Code> {
    let (is_float, is_integer) = is_f32_or_i32(scalar);
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

/// Returns whether a type is a 32-bit float, and whether it is a 32-bit integer.
fn is_f32_or_i32(scalar: Scalar) -> (bool, bool) {
    (scalar == Scalar::F32, matches!(scalar, Scalar::I32 | Scalar::U32))
}

/// Removes instructions whose results no instruction reads.
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
