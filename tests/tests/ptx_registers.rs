//! Registers of PTX are written before they are read, on every path through a kernel.
//!
//! `ptxas` accepts a register that only some paths write, and gives it any value on the others,
//! such as a pointer that destroys the context of the GPU.
use std::collections::{BTreeMap, BTreeSet};
use warpwise_compiler::{back::ptx, ir::Kernel, optimize::optimize_and_coarsen};
use warpwise_tests::random_ir::{
    RandomKernel, affine_kernel, coarse_kernel, random_kernel, ring_kernel, seeds, straight_kernel,
};

/// An instruction of PTX.
#[derive(Debug)]
struct Instruction<'t> {
    text: &'t str,
    written: Vec<&'t str>,
    read: Vec<&'t str>,
    /// The label that it may branch to.
    target: Option<&'t str>,
    /// True if the next instruction may follow.
    falls_through: bool,
}

/// Returns the registers in `text`.
fn registers(text: &str) -> Vec<&str> {
    let starts = text.match_indices('%').map(|(at, _)| &text[at..]);
    let name = |text: &'_ str| {
        let end = text[1..].find(|it: char| !it.is_ascii_alphanumeric() && it != '_');
        end.map_or(text.len(), |end| end + 1)
    };
    let all = starts.map(|text| &text[..name(text)]);
    // `%tid` and the like are read-only and have no number.
    all.filter(|register| register.ends_with(|it: char| it.is_ascii_digit())).collect()
}

/// Returns the end of the first operand of `operands`, which may be a list in braces.
fn end_of_first(operands: &str) -> usize {
    let mut depth = 0;
    for (at, it) in operands.char_indices() {
        match it {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            ',' if depth == 0 => return at,
            _ => {}
        }
    }
    operands.len()
}

fn parse(line: &str) -> Instruction<'_> {
    let (guard, rest) = match line.strip_prefix('@') {
        Some(rest) => rest.split_once(' ').expect("an instruction follows its guard"),
        None => ("", line),
    };
    let rest = rest.trim_end_matches(';');
    let (name, operands) = rest.split_once(' ').unwrap_or((rest, ""));
    let operands = operands.trim_start();
    let is_branch = name.starts_with("bra");
    let writes_nothing = operands.starts_with('[')
        || ["bra", "bar.sync", "bar.arrive", "barrier", "st.", "red."]
            .iter()
            .any(|of| name.starts_with(of));
    let first = if writes_nothing { 0 } else { end_of_first(operands) };
    let mut read = registers(&operands[first..]);
    read.extend(registers(guard));
    // A guarded `exit` is always taken; its guard only hides that from `ptxas`.
    let is_exit = name == "exit";
    let ends = is_branch || is_exit || name == "ret";
    Instruction {
        text: line,
        written: registers(&operands[..first]),
        read,
        target: is_branch.then_some(operands),
        falls_through: !ends || !guard.is_empty() && !is_exit,
    }
}

/// Returns an instruction of `ptx` that may read a register before it is written.
fn reads_too_early(ptx: &str) -> Option<String> {
    let mut labels = BTreeMap::new();
    let mut code = Vec::new();
    for line in ptx.lines().map(str::trim) {
        if let Some(label) = line.strip_suffix(':') {
            labels.insert(label, code.len());
        } else if line.ends_with(';') && !line.starts_with(['.', '/']) {
            code.push(parse(line));
        }
    }
    // The registers that every path so far has written; `None` where no path has arrived yet.
    let mut before: Vec<Option<BTreeSet<&str>>> = vec![None; code.len() + 1];
    before[0] = Some(BTreeSet::new());
    let mut left = vec![0];
    while let Some(at) = left.pop() {
        let Some(instruction) = code.get(at) else { continue };
        let mut written = before[at].clone().expect("it was reached");
        written.extend(&instruction.written);
        let next = instruction.falls_through.then_some(at + 1);
        for to in next.into_iter().chain(instruction.target.map(|label| labels[label])) {
            let both = match &before[to] {
                Some(known) => known.intersection(&written).copied().collect(),
                None => written.clone(),
            };
            if before[to].as_ref() != Some(&both) {
                before[to] = Some(both);
                left.push(to);
            }
        }
    }
    code.iter().zip(&before).find_map(|(instruction, written)| {
        let written = written.as_ref()?;
        let early = instruction.read.iter().find(|register| !written.contains(*register))?;
        Some(format!("{early} in `{}`", instruction.text))
    })
}

#[test]
fn registers_of_random_kernels_are_written_first() {
    let mut count = 0;
    for seed in seeds(40) {
        let random: [fn(u64) -> RandomKernel; 5] =
            [random_kernel, affine_kernel, coarse_kernel, ring_kernel, straight_kernel];
        for random in random.map(|make| make(seed)) {
            let optimized = optimize_and_coarsen(random.for_gpu());
            for kernel in optimized.iter().chain([&random.kernel]) {
                let ptx = ptx::emit(kernel, ptx::oldest(kernel)).unwrap();
                if let Some(early) = reads_too_early(&ptx) {
                    panic!("seed {seed}: {early}\n{kernel}\n{ptx}");
                }
                count += 1;
            }
        }
    }
    assert!(count > 300, "{count} kernels");
}

/// Two loops that widen the same factor of an address; neither may be entered.
#[test]
fn registers_of_loops_that_are_not_entered_are_written_first() {
    let text = "
kernel twice {
  param arg0 = n: u32
  param arg1 = m: u32
  param arg2 = x: write [f32]
  %0 = param arg0 : u32
  %1 = param arg1 : u32
  %2 = add %0, %1 : u32
  %3 = cast %2 : u64
  %4 = param arg2 : ptr global
  %5 = const 0 : u32
  %6 = const 1 : u32
  %7 = const 1.0 : f32
  %8 = for %5, %0, step %6 : u32 {
    %9 = cast %8 : u64
    %10 = mul %9, %3 : u64
    %11 = index %4, %10, 4 : ptr global
    %12 = store %11, %7
  }
  %13 = for %5, %1, step %6 : u32 {
    %14 = cast %13 : u64
    %15 = mul %14, %3 : u64
    %16 = index %4, %15, 4 : ptr global
    %17 = store %16, %7
  }
}
";
    let kernel: Kernel = text.parse().unwrap();
    let ptx = ptx::emit(&kernel, ptx::oldest(&kernel)).unwrap();
    assert_eq!(reads_too_early(&ptx), None, "{ptx}");
    // The test sees such a register.
    let without = ptx.lines().filter(|line| !line.contains("cvt.u64.u32"));
    assert!(reads_too_early(&without.collect::<Vec<_>>().join("\n")).is_some());
}
