//! Guards, which are branches with an arm that leaves: the result is the same for code in the other
//! arm and after the branch.
use super::{Shape, Value, isas, number, program_for, run, shape, u32s};
use crate::{
    Arg, CheckedProgram, Checks, CountingProgram, Launch, Memory, Outcome, Program,
    bytecode::{Code, Instr, IntegerOp, Requests},
    translate::{Instrumentation, translate, translate_as_written},
    vector::lanes::{BUFFER, Isa},
};
use std::num::NonZeroUsize;
use warpwise_compiler::{ir::Kernel, verify::verify};

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.next() as usize % items.len()]
    }
}

/// A random kernel of loops and branches, many of which leave.
struct Text {
    random: Random,
    names: u32,
    /// The enclosing loops, by name.
    loops: Vec<String>,
    locals: usize,
}

impl Text {
    fn name(&mut self) -> u32 {
        self.names += 1;
        self.names
    }

    /// Returns some statements, rarely with one that leaves.
    fn body(&mut self, depth: u32) -> String {
        let count = self.random.next() % 3 + 1;
        let mut text: String = (0..count).map(|_| self.statement(depth)).collect();
        if self.random.next().is_multiple_of(8) {
            text += &self.leave();
        }
        text
    }

    fn leave(&mut self) -> String {
        let n = self.name();
        let around = self.loops.len() as u64;
        match self.random.next() % (2 * around + 1) {
            0 => format!("%leave{n} = return !0\n"),
            at => {
                let target = &self.loops[(at as usize - 1) / 2];
                let what = if at % 2 == 0 { "continue" } else { "break" };
                format!("%leave{n} = {what} {target} !0\n")
            }
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        match self.random.next() % 5 {
            0 | 1 if depth > 0 => self.branch(depth - 1),
            2 if depth > 0 && self.loops.len() < 2 => self.rounds(depth - 1),
            _ => self.compute(),
        }
    }

    /// Changes the result of a thread, and stores it in memory.
    fn compute(&mut self) -> String {
        let (n, by) = (self.name(), self.random.next() % 50);
        format!(
            "%old{n} = get $0 : u32 !0
             %by{n} = const {by} : u32 !0
             %times{n} = mul %old{n}, %three : u32 !0
             %new{n} = add %times{n}, %by{n} : u32 !0
             %set{n} = set $0, %new{n} !0
             %out{n} = store %mine, %new{n} !0\n"
        )
    }

    /// Changes the result of a thread by a local.
    fn condition(&mut self, local: usize) -> String {
        let n = self.name();
        format!(
            "%seen{n} = get ${local} : u32 !0
             %had{n} = get $0 : u32 !0
             %five{n} = const 5 : u32 !0
             %times{n} = mul %had{n}, %five{n} : u32 !0
             %new{n} = add %times{n}, %seen{n} : u32 !0
             %set{n} = set $0, %new{n} !0\n"
        )
    }

    /// Returns a condition on a bit of the result of a thread; rarely, all threads have the same
    /// result.
    fn branch(&mut self, depth: u32) -> String {
        let (n, bit) = (self.name(), self.random.next() % 6);
        let of = self.random.pick(&["%value", "%value", "%value", "%all"]);
        let [then, other] = match self.random.next() % 5 {
            0 => [self.body(depth), self.leave()],
            1 => [self.leave(), self.body(depth)],
            2 => [self.leave(), self.leave()],
            3 => [self.body(depth), String::new()],
            _ => [self.body(depth), self.body(depth)],
        };
        format!(
            "%value{n} = get $0 : u32 !0
             %place{n} = const {bit} : u32 !0
             %high{n} = shr {of}{}, %place{n} : u32 !0
             %low{n} = and %high{n}, %one : u32 !0
             %cond{n} = eq %low{n}, %one : bool !0
             %if{n} = if %cond{n} !0 {{ {then} }} else {{ {other} }}\n",
            if of == "%value" { n.to_string() } else { String::new() },
        )
    }

    /// Returns a `while` of few rounds that counts at the beginning or at the end.
    fn rounds(&mut self, depth: u32) -> String {
        let n = self.name();
        self.locals += 1;
        let local = self.locals;
        self.loops.push(format!("%loop{n}"));
        let first = self.random.next().is_multiple_of(2);
        let body = if first { self.body(depth) } else { self.compute() + &self.compute() };
        self.loops.pop();
        let count = format!(
            "%had{n} = get ${local} : u32 !0
             %step{n} = const {} : u32 !0
             %has{n} = add %{}{n}, %step{n} : u32 !0
             %count{n} = set ${local}, %has{n} !0\n",
            self.random.pick(&[1, 2]),
            // The number compared with the end is known not to be too large.
            self.random.pick(&["had", "at"]),
        );
        let inside = if first { count + &body } else { body + &count };
        let behind = if self.random.next().is_multiple_of(2) {
            self.condition(local)
        } else {
            String::new()
        };
        let start = self.random.pick(&["%zero", "%lane"]);
        format!(
            "%begin{n} = set ${local}, {start} !0
             %loop{n} = loop !0 {{
               %at{n} = get ${local} : u32 !0
               %end{n} = const {} : u32 !0
               %more{n} = lt %at{n}, %end{n} : bool !0
               %while{n} = if %more{n} !0 {{ {inside} }} else {{ %done{n} = break %loop{n} !0 }}
             }}
             {behind}",
            self.random.next() % 6,
        )
    }
}

fn random_kernel(seed: u64) -> Kernel {
    let mut text = Text { random: Random(seed), names: 0, loops: Vec::new(), locals: 0 };
    let mut body = String::new();
    for _ in 0..4 {
        body += &text.statement(3);
    }
    let locals: String =
        (0..=text.locals).map(|local| format!("local ${local} = l{local}: u32 !0\n")).collect();
    let text = number(&format!(
        "kernel k {{
           param arg0 = out: write [u32] !0
           param arg1 = all: u32 !0
           {locals}
           %all = param arg1 : u32 !0
           %lane = builtin thread_idx.x : u32 !0
           %zero = const 0 : u32 !0
           %one = const 1 : u32 !0
           %three = const 3 : u32 !0
           %first = set $0, %lane !0
           %i = builtin thread_idx.x : u64 !0
           %p = param arg0 : ptr global !0
           %n = len arg0 : u64 !0
           %b = bounds %i, %n : u64 !0
           %mine = index %p, %b, 4 : ptr global !0
           {body}
         }}"
    ));
    text.parse().unwrap_or_else(|error| panic!("{error:?}\n{text}"))
}

/// Returns the result of `run` on a launch of the random kernels, and the memory after it.
fn launched<T>(all: u64, run: impl FnOnce(&Launch<'_>) -> T) -> (T, Vec<u8>) {
    let memory = Memory::zeroed(4 * 40);
    let args = [Arg::Slice { memory: &memory, offset: 0, len: 40 }, Arg::Scalar(all)];
    let (workers, steps) = (NonZeroUsize::new(1), Some(1 << 20));
    let (grid, block) = ([1; 3], [40, 1, 1]);
    let yielded = run(&Launch { grid, block, args: &args, workers, steps });
    let mut bytes = vec![0; memory.len()];
    memory.read_into(0, &mut bytes);
    (yielded, bytes)
}

#[test]
fn random_kernels_do_the_same_with_guards() {
    let (mut tried, mut guarded, mut counting) = (0, 0, 0);
    for seed in 0..seeds(400) {
        let kernel = random_kernel(seed);
        // Code after a statement that leaves is written by no thread.
        if verify(&kernel).is_err() {
            continue;
        }
        tried += 1;
        let counts = Instrumentation::Counters(Requests::Scalars);
        let written = translate_as_written(&kernel, Isa::detect(), counts).unwrap();
        let many =
            |code: &Code, is: fn(&Instr) -> bool| code.instrs.iter().filter(|s| is(s)).count();
        for instrumentation in [Instrumentation::None, counts, Instrumentation::Sanitizer] {
            let code = translate(&kernel, Isa::detect(), instrumentation).unwrap();
            let is_else = |step: &Instr| matches!(step, Instr::Else);
            guarded += usize::from(many(&code, is_else) < many(&written, is_else));
            let is_back = |step: &Instr| matches!(step, Instr::BackEdge { .. });
            counting += usize::from(many(&code, is_back) < many(&written, is_back));
        }
        for all in [0, 0b10_1101] {
            let as_written = CountingProgram::as_written(&kernel, Requests::Scalars);
            let ((outcome, counters), bytes) = launched(all, |launch| as_written.run(launch));
            let checked_as_written = CheckedProgram::as_written(&kernel);
            let found = launched(all, |launch| checked_as_written.run(launch, Checks::ALL));
            for isa in isas() {
                let plain = Program::for_isa(&kernel, isa);
                let plain = launched(all, |launch| plain.run(launch));
                assert_eq!(plain, (outcome.clone(), bytes.clone()), "seed {seed}: {kernel}");
                let program = CountingProgram::for_isa(&kernel, Requests::Scalars, isa);
                let ((again, counts), _) = launched(all, |launch| program.run(launch));
                assert_eq!(again, outcome, "seed {seed}: {kernel}");
                for ((id, counts), (_, want)) in counts.iter().zip(counters.iter()) {
                    assert_eq!(counts, want, "seed {seed}: {id} of {kernel}");
                }
                assert!(counts == counters, "seed {seed}: {kernel}");
                let checked = CheckedProgram::for_isa(&kernel, isa);
                let again = launched(all, |launch| checked.run(launch, Checks::ALL));
                assert_eq!(again, found, "seed {seed}: {kernel}");
            }
        }
    }
    assert!(tried > 200, "{tried} kernels");
    assert!(guarded > 300 && counting > 100, "{guarded} with guards, {counting} that count");
}

/// Returns the number of seeds to try: the given one, or the value of `WARPWISE_SEEDS`.
fn seeds(otherwise: u64) -> u64 {
    let asked = std::env::var("WARPWISE_SEEDS").ok();
    asked.and_then(|seeds| seeds.parse().ok()).unwrap_or(otherwise)
}

/// A sum over the elements that a thread strides over, in the form of a lowered `while`: each round
/// reads the length.
const STRIDES: &str = "
    param arg0 = x: read [u32] !0
    param arg1 = out: write [u32] !0
    local $0 = sum: u32 !0
    local $1 = i: u64 !0
    %i = builtin global_idx.x : u64 !0
    %blocks = builtin grid_dim.x : u64 !0
    %threads = builtin block_dim.x : u64 !0
    %stride = mul %blocks, %threads : u64 !0
    %zero = const 0 : u32 !0
    %s0 = set $0, %zero !0
    %s1 = set $1, %i !0
    %l = loop !0 {
      %at = get $1 : u64 !0
      %n = len arg0 : u64 !0
      %more = lt %at, %n : bool !0
      %w = if %more !0 {
        %x = param arg0 : ptr global !0
        %in = bounds %at, %n : u64 !0
        %p = index %x, %in, 4 : ptr global !0
        %v = load %p : u32 !0
        %old = get $0 : u32 !0
        %sum = add %old, %v : u32 !0
        %s2 = set $0, %sum !0
        %next = add %at, %stride : u64 !0
        %s3 = set $1, %next !0
      } else {
        %b = break %l !0
      }
    }
    %o = param arg1 : ptr global !0
    %len = len arg1 : u64 !0
    %mine = bounds %i, %len : u64 !0
    %to = index %o, %mine, 4 : ptr global !0
    %all = get $0 : u32 !0
    %done = store %to, %all !0";

#[test]
fn a_while_over_a_slice_counts() {
    let kernel: Kernel = number(&format!("kernel k {{ {STRIDES} }}")).parse().unwrap();
    let code = translate(&kernel, Isa::detect(), Instrumentation::None).unwrap();
    assert!(code.instrs.iter().any(|step| matches!(step, Instr::LoadAffine { .. })));
    assert!(!code.instrs.iter().any(|step| matches!(step, Instr::Load { .. } | Instr::Else)));
    for isa in isas() {
        let program = program_for(STRIDES, isa);
        for len in [0, 1, 39, 40, 63, 64, 65, 500, 5000] {
            let x: Vec<u32> = (0..len).map(|i| i * i + 1).collect();
            let shape = Shape { workers: 2, ..shape(2, 32) };
            let mut values = [Value::U32(x.clone()), Value::U32(vec![7; 64])];
            assert_eq!(run(&program, shape, &mut values), Outcome::default());
            let strided = |i: usize| x.iter().skip(i).step_by(64).fold(0, |a, b| b.wrapping_add(a));
            let want: Vec<u32> = (0..64).map(strided).collect();
            assert_eq!(values[1].u32s(), want, "{len} elements");
        }
    }
}

#[test]
fn a_guard_that_returns_ends_its_lanes_only() {
    let inside = "param arg0 = out: write [u32] !0
        %i = builtin thread_idx.x : u64 !0
        %three = const 3 : u64 !0
        %low = lt %i, %three : bool !0
        %p = param arg0 : ptr global !0
        %n = len arg0 : u64 !0
        %b = bounds %i, %n : u64 !0
        %to = index %p, %b, 4 : ptr global !0
        %if = if %low !0 {
          %one = const 1 : u32 !0
          %s = store %to, %one !0
        } else {
          %r = return !0
        }
        %two = const 2 : u32 !0
        %old = load %to : u32 !0
        %new = add %old, %two : u32 !0
        %t = store %to, %new !0";
    assert_eq!(u32s(inside, shape(1, 5), vec![9; 5]), [3, 3, 3, 9, 9]);
}

#[test]
fn integer_operations_match_their_names() {
    let mut random = Random(5);
    let mut operand = || {
        let high = [0, 1, 3, 0xffff][random.next() as usize % 4];
        high << 48 ^ random.next() << 20 ^ random.next()
    };
    for _ in 0..1000 {
        let (a, b, c) = (operand(), operand(), operand());
        assert_eq!(IntegerOp::Add.apply(a, b, c), a.wrapping_add(b));
        assert_eq!(IntegerOp::Sub.apply(a, b, c), a.wrapping_sub(b));
        assert_eq!(IntegerOp::Mul.apply(a, b, c), a.wrapping_mul(b));
        let sum = a.wrapping_add(b.wrapping_mul(c));
        assert_eq!(IntegerOp::Common.apply(a, b, c), sum);
        assert_eq!(IntegerOp::Offset.apply(a, b, c), a & BUFFER | sum & !BUFFER);
    }
}
